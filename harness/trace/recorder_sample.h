/* How many blocks of a grid are recorded; recorder_words.h has which. */
#ifndef FX_RECORDER_SAMPLE_H
#define FX_RECORDER_SAMPLE_H

#include <stdint.h>

uint32_t fx_sample_count(uint32_t sampled, uint32_t total);

#endif
