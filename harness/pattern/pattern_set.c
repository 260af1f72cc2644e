/* Steps of one access that are judged together: a cure is one for all of them. */
#include <stdlib.h>

#include "core/grow.h"
#include "pattern.h"

fx_status fx_pattern_set_add_take(fx_pattern_set *set, fx_pattern *pattern, fx_error *err) {
    fx_grow(&set->patterns, set->count, sizeof *set->patterns);
    set->patterns[set->count++] = *pattern;
    return FX_OK;
}

unsigned fx_pattern_active(const fx_lanes *lanes) {
    unsigned active = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        active += lanes->offset[l] >= 0;
    }
    return active;
}

unsigned fx_pattern_least_of(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes) {
    return (fx_law_blocks(lanes, width_bytes, 1) + block_bytes - 1) / block_bytes;
}

void fx_pattern_set_free(fx_pattern_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        json_decref(set->patterns[i].id);
    }
    if (set->others) {
        fx_pattern_set_free(set->others);
        free(set->others);
    }
    json_decref(set->owner);
    free(set->patterns);
    free(set->name);
    free(set->place);
}
