#include "recorder_sample.h"

uint32_t fx_sample_blocks(uint32_t total, uint32_t strata, fx_track *track) {
    track->scale = strata == 0 || strata >= total ? 0 : (uint32_t)(((uint64_t)strata << 32) / total);
    if (track->scale == 0) {
        return total;
    }
    track->last_block = total - 1;
    track->last_run = (uint32_t)((uint64_t)track->last_block * track->scale >> 32);
    return track->last_run + 1;
}
