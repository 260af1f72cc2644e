/* The answer as a line of JSON: ids and texts may hold anything; the rest is numbers and words of this program, written
 * directly for speed. */
#include <inttypes.h>

#include "core/text.h"
#include "pattern.h"

static void add_number(FILE *to, const char *key, double value) {
    fprintf(to, isfinite(value) ? ",\"%s\":%.6g" : ",\"%s\":null", key, value);
}

/* NULL becomes null. */
static void add_text(FILE *to, const char *key, const char *text) {
    json_auto_t *value = text ? json_string(text) : json_null();
    fprintf(to, ",\"%s\":", key);
    (void)fx_text_print_json(to, value, 0);
}

static void print_cost(FILE *to, const fx_pattern_level *level, const char *fits, const fx_pattern_cost_at *at) {
    const bool is_bound = at->prediction.law && at->prediction.why_not, is_judged = fx_pattern_is_judged(at);
    fprintf(to, level->key ? "{\"level\":\"%s\"" : "{\"level\":null", level->key);
    add_text(to, "law", at->prediction.law);
    add_number(to, "count", at->prediction.law ? at->prediction.count : NAN);
    fprintf(to, ",\"claimed\":%s", fx_prediction_in_fit(&at->prediction) ? "true" : "false");
    add_text(to, "unit", at->unit);
    add_number(to, "predicted", is_bound ? NAN : at->predicted);
    if (is_bound) {
        add_number(to, "at_least", at->predicted);
    }
    add_number(to, "best", at->best);
    add_number(to, "times", is_bound ? NAN : at->times);
    add_number(to, "measured", at->measured);
    if (*at->why_not) {
        add_text(to, "not_measured", at->why_not);
    }
    add_number(to, "law_missed_pct", is_judged ? at->fit->law_missed_pct : NAN);
    fprintf(to, ",\"law_holds\":%s", !is_judged ? "null" : at->fit->law_holds ? "true" : "false");
    add_text(to, "fits", at->fit ? fits : NULL);
    fputc('}', to);
}

/* Counts are those of the last level. */
static void add_cures(FILE *to, const fx_pattern_found *found, size_t last) {
    json_t *cures = json_array();
    for (const fx_pattern_cure *cure = found->cures; cure < found->cures + found->count; cure++) {
        json_array_append_new(cures, json_pack("{s:s, s:s, s:i, s:f}", "cure", cure->brief, "how", cure->text,
                                               "replaces", (int)cure->replaces, "count", cure->count[last]));
    }
    add_text(to, "verdict", found->verdict);
    fputs(",\"cures\":", to);
    (void)fx_text_print_json(to, cures, 0);
    json_decref(cures);
}

void fx_pattern_print_json(FILE *to, const fx_pattern_cost *cost, const fx_pattern_set *set, const fx_pattern *pattern,
                           const fx_pattern_answer *answer, const char *gate, const fx_pattern_found *found) {
    const fx_pattern_kind *kind = &set->kind;
    const char *line = set->place ? strstr(set->place, "line=") : NULL;
    fputs(pattern ? "{\"id\":" : "{\"id\":null", to);
    if (pattern) {
        (void)fx_text_print_json(to, pattern->id, 0);
    }
    add_text(to, "access", set->name);
    add_number(to, "line", line ? atoi(line + strlen("line=")) : (double)NAN);
    add_text(to, "warp", pattern ? pattern->warp : NULL);
    add_text(to, "gate", gate);
    if (!pattern) {
        add_text(to, "not_judged", set->why_not);
        fputs("}\n", to);
        return;
    }
    const fx_geometry *g = &cost->facts.geometry;
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    const unsigned width = pattern->width_bytes;
    fprintf(to, ",\"space\":\"%s\",\"op\":\"%s\",\"width\":%u", kind->space, kind->op, width);
    add_number(to, "wavefronts",
               shared || kind->level[0].by == FX_LEVEL_L1 ? fx_pattern_wavefronts(cost, &pattern->lanes, width)
                                                          : (double)NAN);
    add_number(to, "sectors", global ? fx_law_blocks(&pattern->lanes, width, g->sector_bytes) : (double)NAN);
    add_number(to, "lines", global ? fx_law_blocks(&pattern->lanes, width, g->line_bytes) : (double)NAN);
    add_number(to, "distinct_words", fx_law_blocks(&pattern->lanes, width, g->bank_bytes));
    for (size_t i = 0; i < FX_WARP; i++) {
        fprintf(to, "%s%" PRId32, i ? "," : ",\"lanes\":[", pattern->lanes.offset[i]);
    }
    for (size_t i = 0; i < answer->count; i++) {
        fputs(i ? "," : "],\"costs\":[", to);
        print_cost(to, &kind->level[i], cost->fits[i], &answer->at[i]);
    }
    fputc(']', to);
    if (found) {
        add_cures(to, found, answer->count - 1);
    }
    fprintf(to, ",\"law_version\":%d}\n", FX_LAW_VERSION);
}
