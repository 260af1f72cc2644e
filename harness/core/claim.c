/* From a claim's selections to pairs of cases. The table is static, so what is wrong with it is a mistake in the
 * probe; it is found when the claims are listed, and by the tests, which list them all. */
#include "claim.h"

#include <stdlib.h>
#include <string.h>

/* As in probe.c: filled by constructors before main. */
enum { max_tables = 512 };

static fx_claim_table tables[max_tables];
static size_t table_count;

void fx_claims_register(const char *probe, const fx_claim *claims, size_t count) {
    if (table_count < max_tables) {
        tables[table_count++] = (fx_claim_table){.probe = probe, .claims = claims, .count = count};
    }
}

const fx_claim_table *fx_claim_tables(size_t *count) {
    *count = table_count;
    return tables;
}

const fx_claim *fx_claims_of(const fx_probe *probe, size_t *count) {
    for (size_t i = 0; i < table_count; i++) {
        if (strcmp(tables[i].probe, probe->name) == 0) {
            *count = tables[i].count;
            return tables[i].claims;
        }
    }
    *count = 0;
    return NULL;
}

static bool is_word_of(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; at && length > 0 && (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

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

/* The index-th selection of several with ";" between them, or the only one; false: there is no such one. */
static bool nth(const char *selections, size_t index, char *text, size_t size) {
    const char *at = selections;
    const bool alone = !strchr(selections, ';');
    for (size_t i = 0; !alone && i < index; i++) {
        at = strchr(at, ';');
        if (!at) {
            return false;
        }
        at++;
    }
    const size_t length = strcspn(at, ";");
    if (length >= size) {
        return false;
    }
    memcpy(text, at, length);
    text[length] = '\0';
    return true;
}

static size_t count_of(const char *selections) {
    size_t count = 1;
    for (const char *at = selections; (at = strchr(at, ';')) != NULL; at++) {
        count++;
    }
    return count;
}

static fx_status parse_part(const fx_probe *probe, const char *where, const char *against, size_t index, part *out,
                            fx_error *err) {
    const size_t axes = probe->axes_count;
    char text[FX_CLAIM_TEXT];
    if (!nth(where, index, text, sizeof text)) {
        return fx_fail(err, FX_BAD_INPUT, "'%.100s...' is longer than %d characters", where, FX_CLAIM_TEXT - 1);
    }
    if (fx_axes_parse(probe->axes, axes, text, out->wanted, err) || !against) {
        return err->status;
    }
    if (!nth(against, index, text, sizeof text)) {
        return fx_fail(err, FX_BAD_INPUT, "against '%.100s': as many as selections, or one for all", against);
    }
    if (fx_axes_parse(probe->axes, axes, text, out->instead, err)) {
        return err->status;
    }
    for (size_t i = 0; i < axes; i++) {
        if (out->instead[i].named && out->instead[i].count != 1) {
            return fx_fail(err, FX_BAD_INPUT, "against several values of %s", probe->axes[i].name);
        }
    }
    return FX_OK;
}

/* What a claim, or what is given for it, compares. On success the caller frees the *count parts. */
static fx_status parse_terms(const fx_probe *probe, const char *where, const char *against, const char *quantity,
                             double low, double high, part parts[MOST_PARTS], size_t *count, fx_error *err) {
    *count = 0;
    if (!where || !quantity) {
        return fx_fail(err, FX_BAD_INPUT, "it lacks its selection or quantity");
    }
    if (!is_word_of("cost rate peak_pct", quantity) && !is_word_of(probe->extras, quantity)) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is neither cost, rate, peak_pct nor an extra", quantity);
    }
    if (!(low >= 0 && low < high)) {
        return fx_fail(err, FX_BAD_INPUT, "nothing lies from %g to %g", low, high);
    }
    const size_t wanted = count_of(where);
    if (wanted > MOST_PARTS) {
        return fx_fail(err, FX_BAD_INPUT, "%zu selections; at most %d", wanted, (int)MOST_PARTS);
    }
    for (size_t i = 0; i < wanted; i++) {
        if (parse_part(probe, where, against, i, &parts[i], err)) {
            free_parts(parts, i + 1, probe->axes_count);
            *count = 0;
            return err->status;
        }
        *count = i + 1;
    }
    return FX_OK;
}

bool fx_claim_is_open(const fx_claim *claim) {
    return claim->given.otherwise && !claim->given.where;
}

static fx_status check_given(const fx_probe *probe, const fx_claim_given *given, fx_error *err) {
    if (!given->otherwise && (given->where || given->probe)) {
        return fx_fail(err, FX_BAD_INPUT, "what is given lacks its otherwise");
    }
    if (!given->where) {
        return FX_OK;
    }
    const fx_probe *own = given->probe ? fx_probe_find(given->probe) : probe;
    part parts[MOST_PARTS] = {0};
    size_t count;
    if (!own) {
        return fx_fail(err, FX_BAD_INPUT, "what is given names probe %s, which there is not", given->probe);
    }
    if (parse_terms(own, given->where, given->against, given->quantity, given->low, given->high, parts, &count, err)) {
        return err->status;
    }
    free_parts(parts, count, own->axes_count);
    return FX_OK;
}

static bool selects(const fx_selection *wanted, const fx_params *params, size_t axis_count) {
    for (size_t i = 0; i < axis_count; i++) {
        if (!fx_selection_holds(&wanted[i], params->value[i])) {
            return false;
        }
    }
    return true;
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
static void pairs_of(const fx_case *tested, const part *parts, size_t part_count, bool against, const fx_case *cases,
                     size_t count, fx_claim_pair *found, size_t *n) {
    const size_t first = *n, axes = tested->probe->axes_count;
    for (size_t i = 0; i < part_count; i++) {
        if (!selects(parts[i].wanted, &tested->params, axes)) {
            continue;
        }
        const fx_case *base = against ? partner_of(&tested->params, parts[i].instead, axes, cases, count) : NULL;
        bool is_new = against ? base && base != tested : true;
        for (size_t k = first; k < *n; k++) {
            is_new = is_new && found[k].base != base;
        }
        if (is_new) {
            found[(*n)++] = (fx_claim_pair){.tested = tested, .base = base};
        }
    }
}

fx_status fx_claim_pairs(const fx_probe *probe, const fx_claim *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err) {
    part parts[MOST_PARTS] = {0};
    size_t part_count = 0, n = 0;
    fx_error cause = {0};
    *pairs = NULL;
    *pair_count = 0;
    if (!claim->text || !*claim->text || !claim->source || !*claim->source) {
        return fx_fail(err, FX_BAD_INPUT, "probe %s: a claim lacks its text or source", probe->name);
    }
    if (check_given(probe, &claim->given, &cause) ||
        (!fx_claim_is_open(claim) && parse_terms(probe, claim->where, claim->against, claim->quantity, claim->low,
                                                 claim->high, parts, &part_count, &cause))) {
        return fx_fail(err, cause.status, "probe %s: claim '%s': %.300s", probe->name, claim->text, cause.text);
    }
    fx_claim_pair *found = calloc(count > 0 ? count * MOST_PARTS : 1, sizeof *found);
    if (found) {
        for (size_t k = 0; k < count; k++) {
            pairs_of(&cases[k], parts, part_count, claim->against != NULL, cases, count, found, &n);
        }
        *pairs = found;
        *pair_count = n;
    }
    free_parts(parts, part_count, probe->axes_count);
    return found ? FX_OK : fx_fail(err, FX_NO_MEMORY, "no memory for the pairs of a claim");
}
