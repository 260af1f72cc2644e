/* Pairs the cases of a claim's two selections: those that agree in every axis but the compared ones. */
#include "claim_pairs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 16 };

/* One alternative of a claim: a selection, and what replaces some of its axes. */
typedef struct part {
    fx_selection wanted[FX_MAX_AXES], instead[FX_MAX_AXES];
} part;

static void free_parts(part *parts, size_t count, size_t axis_count) {
    for (size_t i = 0; i < count; i++) {
        fx_selections_free(parts[i].wanted, axis_count);
        fx_selections_free(parts[i].instead, axis_count);
    }
}

/* `where` and `against` are cut in place at each ";"; one `against` serves all. */
static fx_status parse_parts(const fx_probe *probe, char *where, char *against, part parts[MOST_PARTS], size_t *count,
                             fx_error *err) {
    const bool one_for_all = against && !strchr(against, ';');
    const char *text, *instead = against;
    for (*count = 0; (text = strsep(&where, ";")) != NULL; (*count)++) {
        if (!one_for_all && against) {
            instead = strsep(&against, ";");
        }
        FX_FAIL_IF(*count == MOST_PARTS, err, FX_BAD_INPUT, "more than %d selections", (int)MOST_PARTS);
        part *p = &parts[*count];
        FX_TRY(fx_axes_parse(probe->axes, probe->axes_count, text, p->wanted, err));
        if (fx_axes_parse(probe->axes, probe->axes_count, instead, p->instead, err)) {
            fx_selections_free(p->wanted, probe->axes_count);
            return err->status;
        }
    }
    return FX_OK;
}

/* The case at `params` but for the axes that `instead` names. */
static const fx_case *partner_of(const fx_params *params, const fx_selection *instead, size_t axis_count,
                                 const fx_case *cases, size_t count) {
    for (size_t k = 0; k < count; k++) {
        size_t same = 0;
        for (size_t i = 0; i < axis_count; i++) {
            same += cases[k].params.value[i] == (instead[i].named ? instead[i].values[0] : params->value[i]);
        }
        if (same == axis_count) {
            return &cases[k];
        }
    }
    return NULL;
}

/* The pairs of one case, behind the *n found so far; a pair that two selections make counts once. */
static void pairs_of(const fx_case *tested, const part *parts, size_t part_count, bool compares, const fx_case *cases,
                     size_t count, fx_claim_pair *found, size_t *n) {
    const size_t first = *n, axes = tested->probe->axes_count;
    for (size_t i = 0; i < part_count; i++) {
        if (!fx_selections_hold(parts[i].wanted, &tested->params, axes)) {
            continue;
        }
        const fx_case *base = compares ? partner_of(&tested->params, parts[i].instead, axes, cases, count) : NULL;
        bool is_new = compares ? base && base != tested : true;
        for (size_t k = first; k < *n; k++) {
            is_new = is_new && found[k].base != base;
        }
        if (is_new) {
            found[(*n)++] = (fx_claim_pair){.tested = tested, .base = base};
        }
    }
}

fx_status fx_claim_pairs(const fx_probe *probe, const json_t *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err) {
    part parts[MOST_PARTS] = {0};
    size_t part_count = 0;
    fx_error cause = {0};
    const char *where_text = json_string_value(json_object_get(claim, "where"));
    const char *against_text = json_string_value(json_object_get(claim, "against"));
    char *where = strdup(where_text), *against = against_text ? strdup(against_text) : NULL;
    *pairs = calloc(count > 0 ? count * MOST_PARTS : 1, sizeof **pairs);
    *pair_count = 0;
    if (!where || (against_text && !against) || !*pairs) {
        (void)fx_fail(err, FX_NO_MEMORY, "no memory for the pairs of a claim");
    } else if (*where && parse_parts(probe, where, against, parts, &part_count, &cause)) {
        (void)fx_fail(err, cause.status, "probe %s: claim '%s': %.300s", probe->name,
                      json_string_value(json_object_get(claim, "text")), cause.text);
    } else {
        for (size_t k = 0; k < count; k++) {
            pairs_of(&cases[k], parts, part_count, against_text != NULL, cases, count, *pairs, pair_count);
        }
    }
    free_parts(parts, part_count, probe->axes_count);
    free(against);
    free(where);
    if (err->status) {
        free(*pairs);
        *pairs = NULL;
    }
    return err->status;
}
