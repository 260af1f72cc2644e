/* A line of a probe's table of hardware counters against one case. The table is static, so what is wrong with it is a
 * mistake in the probe; it is found when the probe is listed, and by the tests, which list them all. */
#include "counter.h"

#include <string.h>

static const double *find_count(const fx_prediction *prediction, const char *name) {
    if (!name) {
        return prediction->law ? &prediction->count : NULL;
    }
    for (size_t i = 0; i < prediction->count_count; i++) {
        if (strcmp(prediction->counts[i].name, name) == 0) {
            return &prediction->counts[i].value;
        }
    }
    return NULL;
}

fx_status fx_counter_expect(const fx_case *c, const fx_counter *counter, bool *applies, double *count, fx_error *err) {
    const fx_probe *probe = c->probe;
    fx_selection wanted[FX_MAX_AXES] = {0};
    fx_error cause = {0};
    *applies = true;
    FX_FAIL_IF(fx_axes_parse(probe->axes, probe->axes_count, counter->where, wanted, &cause) != FX_OK, err,
               cause.status, "probe %s: counter %s: %.300s", probe->name, counter->metric, cause.text);
    fx_status status = FX_OK;
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (wanted[i].named && !probe->axes[i].choices) {
            status = fx_fail(err, FX_BAD_INPUT, "probe %s: counter %s: its selection names %s, which is not a choice",
                             probe->name, counter->metric, probe->axes[i].name);
        }
        *applies = *applies && fx_selection_holds(&wanted[i], c->params.value[i]);
    }
    fx_selections_free(wanted, probe->axes_count);
    const double *found = find_count(&c->prediction, counter->count);
    if (status == FX_OK && *applies && !found) {
        status = fx_fail(err, FX_BAD_INPUT, "probe %s: counter %s: %s predicts no count '%s'", probe->name,
                         counter->metric, c->name, counter->count ? counter->count : "of its law");
    }
    *count = found ? *found : 0;
    return status;
}
