/* Which blocks of a grid are recorded: one of each of `strata` runs of neighbours, so that they are spread over the
 * grid. The first run gives its first block, the last its last, the others one that a hash chooses, always the same.
 * The device asks by a multiplication and a look-up: chosen[block * scale >> 32] == block. */
#ifndef FX_RECORDER_SAMPLE_H
#define FX_RECORDER_SAMPLE_H

#include <stdint.h>

/* Fills chosen[strata] and *scale; returns how many blocks are recorded. `strata` of 0, or not below `total`: every
 * block; then nothing is filled and *scale is 0. */
uint32_t fx_sample_blocks(uint32_t total, uint32_t strata, uint32_t *chosen, uint32_t *scale);

#endif
