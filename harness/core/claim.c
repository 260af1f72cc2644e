/* From a claim's two selections to pairs of cases. The table is static, so what is wrong with it is a mistake in the
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

static fx_status check(const fx_probe *probe, const fx_claim *claim, fx_error *err) {
    if (!claim->text || !*claim->text || !claim->source || !*claim->source || !claim->where || !claim->quantity) {
        return fx_fail(err, FX_BAD_INPUT, "probe %s: a claim lacks its text, source, selection or quantity",
                       probe->name);
    }
    if (!is_word_of("cost rate peak_pct", claim->quantity) && !is_word_of(probe->extras, claim->quantity)) {
        return fx_fail(err, FX_BAD_INPUT, "probe %s: claim '%s': '%s' is neither cost, rate, peak_pct nor an extra",
                       probe->name, claim->text, claim->quantity);
    }
    if (!(claim->low >= 0 && claim->low < claim->high)) {
        return fx_fail(err, FX_BAD_INPUT, "probe %s: claim '%s': nothing lies from %g to %g", probe->name, claim->text,
                       claim->low, claim->high);
    }
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

fx_status fx_claim_pairs(const fx_probe *probe, const fx_claim *claim, const fx_case *cases, size_t count,
                         fx_claim_pair **pairs, size_t *pair_count, fx_error *err) {
    fx_selection wanted[FX_MAX_AXES] = {0}, instead[FX_MAX_AXES] = {0};
    const size_t axes = probe->axes_count;
    fx_claim_pair *found = NULL;
    fx_error cause = {0};
    fx_status status = check(probe, claim, err);
    size_t n = 0;
    if (status != FX_OK) {
        return status;
    }
    if (fx_axes_parse(probe->axes, axes, claim->where, wanted, &cause) != FX_OK ||
        (claim->against && fx_axes_parse(probe->axes, axes, claim->against, instead, &cause) != FX_OK)) {
        status = fx_fail(err, cause.status, "probe %s: claim '%s': %.300s", probe->name, claim->text, cause.text);
        goto cleanup;
    }
    for (size_t i = 0; i < axes; i++) {
        if (instead[i].named && instead[i].count != 1) {
            status = fx_fail(err, FX_BAD_INPUT, "probe %s: claim '%s': against several values of %s", probe->name,
                             claim->text, probe->axes[i].name);
            goto cleanup;
        }
    }
    found = calloc(count > 0 ? count : 1, sizeof *found);
    if (!found) {
        status = fx_fail(err, FX_NO_MEMORY, "no memory for the pairs of a claim");
        goto cleanup;
    }
    for (size_t k = 0; k < count; k++) {
        if (!selects(wanted, &cases[k].params, axes)) {
            continue;
        }
        const fx_case *base = claim->against ? partner_of(&cases[k].params, instead, axes, cases, count) : NULL;
        if (claim->against ? base && base != &cases[k] : true) {
            found[n++] = (fx_claim_pair){.tested = &cases[k], .base = base};
        }
    }
    *pairs = found;
    *pair_count = n;
cleanup:
    fx_selections_free(wanted, axes);
    fx_selections_free(instead, axes);
    return status;
}
