/* Steps of one access that are judged together: a cure is one for all of them. */
#include <stdlib.h>

#include "pattern.h"

fx_status fx_pattern_set_add_take(fx_pattern_set *set, fx_pattern *pattern, fx_error *err) {
    if (set->count == set->capacity) {
        const size_t more = set->capacity ? 2 * set->capacity : 32;
        fx_pattern *patterns = reallocarray(set->patterns, more, sizeof *patterns);
        if (!patterns) {
            json_decref(pattern->id);
            return fx_fail(err, FX_NO_MEMORY, "out of memory while reading patterns");
        }
        set->patterns = patterns;
        set->capacity = more;
    }
    set->patterns[set->count++] = *pattern;
    return FX_OK;
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
}
