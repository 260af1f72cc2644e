/* What a launch would be given. */
#ifndef KERNELS_H
#define KERNELS_H

extern const void *const one_twice_1_2, *const one_twice_3_4, *const one_namesake, *const other_namesake;

#endif
