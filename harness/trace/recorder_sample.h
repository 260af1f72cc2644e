/* Which blocks of a grid are recorded: one of each of `strata` runs of neighbours, so that they are spread over the
 * grid; always the same. recorder_words.h has how the device asks. */
#ifndef FX_RECORDER_SAMPLE_H
#define FX_RECORDER_SAMPLE_H

#include "recorder_words.h"

/* Sets scale, last_run and last_block; returns how many blocks are recorded. `strata` of 0, or not below `total`: every
 * block; then the scale is 0. */
uint32_t fx_sample_blocks(uint32_t total, uint32_t strata, fx_track *track);

#endif
