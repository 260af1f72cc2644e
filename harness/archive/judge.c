/* One pass over the archive. The selections of a probe's aims are parsed when its first case comes. */
#include "judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "recount.h"

typedef struct row {
    fx_judged judged;
    fx_selection where[FX_MAX_AXES];
} row;

typedef struct judging {
    const fx_predictor *by;
    fx_facts facts; /* of the device that was measured */
    row *rows;
    size_t count;
    json_t *failed;
} judging;

static fx_status add_rows(judging *j, const fx_probe *probe, fx_error *err) {
    row *grown = realloc(j->rows, (j->count + probe->aims_count) * sizeof *grown);
    if (!grown) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while judging predictions");
    }
    j->rows = grown;
    for (size_t i = 0; i < probe->aims_count; i++) {
        row *r = &j->rows[j->count];
        *r = (row){.judged = {.probe = probe, .aim = &probe->aims[i]}};
        if (fx_axes_parse(probe->axes, probe->axes_count, probe->aims[i].where, r->where, err)) {
            return err->status;
        }
        j->count++;
    }
    return FX_OK;
}

static bool holds(const row *r, const fx_probe *probe, const fx_params *params) {
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (!fx_selection_holds(&r->where[i], params->value[i])) {
            return false;
        }
    }
    return r->judged.probe == probe;
}

/* The row of a case; NULL: it has none. */
static fx_status row_of(judging *j, const fx_probe *probe, const json_t *line, row **out, fx_error *err) {
    fx_params params;
    bool known = false;
    *out = NULL;
    for (size_t i = 0; i < j->count && !known; i++) {
        known = j->rows[i].judged.probe == probe;
    }
    if (!known && add_rows(j, probe, err)) {
        return err->status;
    }
    if (!fx_params_read(probe, json_object_get(line, "params"), &params)) {
        return FX_OK;
    }
    for (size_t i = 0; i < j->count && !*out; i++) {
        *out = holds(&j->rows[i], probe, &params) ? &j->rows[i] : NULL;
    }
    return FX_OK;
}

static void keep_farthest(fx_judged *judged, const fx_far *far) {
    size_t at = judged->farthest_count;
    while (at > 0 && fabs(judged->farthest[at - 1].off_pct) < fabs(far->off_pct)) {
        at--;
    }
    if (at == FX_FARTHEST) {
        return;
    }
    const size_t kept = judged->farthest_count < FX_FARTHEST ? judged->farthest_count : FX_FARTHEST - 1;
    memmove(&judged->farthest[at + 1], &judged->farthest[at], (kept - at) * sizeof *far);
    judged->farthest[at] = *far;
    judged->farthest_count = kept + 1;
}

static void judge_case(const judging *j, const json_t *line, fx_judged *judged) {
    const json_t *median = json_object_get(line, "median");
    fx_case today = {0};
    const bool counted = fx_recount(&j->facts, line, &today) && today.prediction.in_fit;
    const fx_known_fit *fit = counted ? fx_predictor_find(j->by, today.probe, &today.params, today.prediction.law,
                                                          today.probe->metrics[today.prediction.metric].name)
                                      : NULL;
    const char *name = json_string_value(json_object_get(line, "name"));
    fx_far far = {.measured = json_number_value(median), .predicted = fx_predict(fit, today.prediction.count)};
    if (!json_is_number(median) || !(far.predicted > 0)) {
        judged->unpredicted++;
        judged->not_claimed += !counted;
        return;
    }
    (void)snprintf(far.name, sizeof far.name, "%s", name ? name : "");
    far.off_pct = 100 * (far.measured / far.predicted - 1);
    judged->right += fabs(far.off_pct) <= judged->aim->tolerance_pct;
    judged->off += !(fabs(far.off_pct) <= judged->aim->tolerance_pct);
    keep_farthest(judged, &far);
}

static void count_failed(json_t *failed, const json_t *line) {
    const char *status = json_string_value(json_object_get(line, "status"));
    const char *key = status ? status : "failed";
    (void)json_object_set_new(failed, key, json_integer(1 + json_integer_value(json_object_get(failed, key))));
}

static fx_status take(void *context, const json_t *line, size_t number, fx_error *err) {
    judging *j = context;
    const char *type = json_string_value(json_object_get(line, "type"));
    const fx_probe *probe = fx_probe_find(json_string_value(json_object_get(line, "probe")));
    row *r;
    if (number == 1) {
        j->facts = fx_facts_of_run(line);
    }
    if (type && probe && probe->aims_count && !strcmp(type, "failed")) {
        count_failed(j->failed, line);
    }
    if (!type || !probe || !probe->aims_count || strcmp(type, "case") != 0 || row_of(j, probe, line, &r, err)) {
        return err->status;
    }
    if (r) {
        judge_case(j, line, &r->judged);
    }
    return FX_OK;
}

fx_status fx_judge(const fx_predictor *by, const char *archive, fx_judged **out, size_t *count, json_t *failed,
                   fx_error *err) {
    judging j = {.by = by, .failed = failed};
    fx_error cause = {0};
    fx_status status = fx_archive_read(archive, take, &j, NULL, &cause);
    *out = j.count && !status ? calloc(j.count, sizeof **out) : NULL;
    *count = 0;
    if (status) {
        status = fx_fail(err, status, "%s", cause.text);
    } else if (j.count && !*out) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while judging predictions");
    }
    for (size_t i = 0; i < j.count; i++) {
        const fx_judged *judged = &j.rows[i].judged;
        if (*out && judged->right + judged->off + judged->unpredicted) {
            (*out)[(*count)++] = *judged;
        }
        fx_selections_free(j.rows[i].where, FX_MAX_AXES);
    }
    free(j.rows);
    return status;
}

const char *fx_judged_verdict(const fx_judged *judged) {
    const double right = (double)judged->right, all = right + (double)judged->off;
    if (!(all > 0)) {
        return "waived";
    }
    if (isnan(judged->aim->share_pct)) {
        return "no aim";
    }
    return 100 * right >= judged->aim->share_pct * all * (1 - 1e-12) ? "agrees" : "OFF"; /* 99.9 % of 1000 is 999 */
}
