/* The answer as a line of JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "pattern.h"

static void print_count(FILE *to, const char *key, unsigned value, bool applies) {
    if (applies) {
        fprintf(to, "\"%s\":%u,", key, value);
    } else {
        fprintf(to, "\"%s\":null,", key);
    }
}

static void print_real(FILE *to, const char *key, double value) {
    if (isfinite(value)) {
        fprintf(to, "\"%s\":%.6g,", key, value);
    } else {
        fprintf(to, "\"%s\":null,", key);
    }
}

static void print_cost(FILE *to, const fx_pattern_level *level, const char *fits, const fx_pattern_cost_at *at) {
    json_t *from = at->fit ? json_string(fits) : json_null();
    fprintf(to, level->key ? "{\"level\":\"%s\"," : "{\"level\":null,", level->key);
    if (at->prediction.law) {
        fprintf(to, "\"law\":\"%s\",", at->prediction.law);
        print_real(to, "count", at->prediction.count);
        fprintf(to, "\"claimed\":%s,", at->prediction.in_fit ? "true" : "false");
    } else {
        fputs("\"law\":null,\"count\":null,\"claimed\":false,", to);
    }
    if (at->most) {
        fprintf(to, "\"count_by_base\":[%u,%u],", at->least, at->most);
    } else {
        fputs("\"count_by_base\":null,", to);
    }
    fprintf(to, "\"unit\":\"%s\",", at->unit);
    print_real(to, "predicted", fx_pattern_is_bound(at) ? NAN : at->predicted);
    if (fx_pattern_is_bound(at)) {
        print_real(to, "at_least", at->predicted);
    }
    print_real(to, "best", at->best);
    print_real(to, "times", fx_pattern_is_bound(at) ? NAN : at->times);
    print_real(to, "measured", at->measured);
    print_real(to, "law_missed_pct", fx_pattern_is_judged(at) ? at->fit->law_missed_pct : NAN);
    fprintf(to, "\"law_holds\":%s,\"fits\":",
            !fx_pattern_is_judged(at) ? "null"
            : at->fit->law_holds      ? "true"
                                      : "false");
    (void)fx_text_print_json(to, from, 0);
    fputc('}', to);
    json_decref(from);
}

/* `,"key":text`, or null. */
static bool print_text(FILE *to, const char *key, const char *text) {
    json_t *value = text ? json_string(text) : json_null();
    fprintf(to, ",\"%s\":", key);
    const bool failed = fx_text_print_json(to, value, 0);
    json_decref(value);
    return failed;
}

/* Only ids and texts can hold anything; the rest is numbers and words of this program, written directly for speed. */
fx_status fx_pattern_print_json(FILE *to, const fx_pattern_cost *cost, const fx_pattern_set *set,
                                const fx_pattern *pattern, const fx_pattern_answer *answer, const char *gate,
                                fx_error *err) {
    const fx_pattern_kind *kind = &set->kind;
    const char *line = set->place ? strstr(set->place, "line=") : NULL;
    char number[16] = "null";
    if (line) {
        (void)snprintf(number, sizeof number, "%d", atoi(line + strlen("line=")));
    }
    fputs("{\"id\":", to);
    bool failed = pattern ? fx_text_print_json(to, pattern->id, 0) : fputs("null", to) < 0;
    failed = print_text(to, "access", set->name) || failed;
    fprintf(to, ",\"line\":%s", number);
    failed = print_text(to, "warp", pattern ? pattern->warp : NULL) || print_text(to, "gate", gate) || failed;
    failed = (!pattern && print_text(to, "not_judged", set->why_not)) || failed;
    FX_FAIL_IF(failed, err, FX_IO, "the answer could not be written");
    if (!pattern) {
        fputs("}\n", to);
        return FX_OK;
    }
    const fx_geometry *g = &cost->facts.geometry;
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    const unsigned width = pattern->width_bytes;
    fprintf(to, ",\"space\":\"%s\",\"op\":\"%s\",\"width\":%u,", kind->space, kind->op, width);
    print_count(to, "wavefronts", fx_pattern_wavefronts(cost, &pattern->lanes, width),
                shared || kind->level[0].by == FX_LEVEL_L1);
    print_count(to, "sectors", fx_law_blocks(&pattern->lanes, width, g->sector_bytes), global);
    print_count(to, "lines", fx_law_blocks(&pattern->lanes, width, g->line_bytes), global);
    print_count(to, "distinct_words", fx_law_blocks(&pattern->lanes, width, g->bank_bytes), true);
    fputs("\"lanes\":[", to);
    for (size_t i = 0; i < FX_WARP; i++) {
        fprintf(to, i ? ",%" PRId32 : "%" PRId32, pattern->lanes.offset[i]);
    }
    fputs("],\"costs\":[", to);
    for (size_t i = 0; i < answer->count; i++) {
        if (i) {
            fputc(',', to);
        }
        print_cost(to, &kind->level[i], cost->fits[i], &answer->at[i]);
    }
    fprintf(to, "],\"law_version\":%d}\n", FX_LAW_VERSION);
    return FX_OK;
}
