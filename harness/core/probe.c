/* The registry. Probes arrive from constructors before main, so it is static storage that needs no initialising, and
 * what is wrong with a probe is kept as text until the program can say it. */
#include "probe.h"

enum { max_probes = 512 };

static const fx_probe *registered[max_probes];
static size_t registered_count;
static fx_error problem; /* the last one */

static fx_status check(const fx_probe *probe, fx_error *err) {
    const char *name = probe->name && *probe->name ? probe->name : NULL;
    FX_FAIL_IF(!name, err, FX_BAD_INPUT, "a probe has no name: set .name (its question: %s)",
               probe->question ? probe->question : "none either");
    FX_FAIL_IF(!probe->law, err, FX_BAD_INPUT, "probe %s has no law: set .law", name);
    FX_FAIL_IF(probe->axes_count > FX_MAX_AXES, err, FX_BAD_INPUT, "probe %s has %zu axes: at most %d fit", name,
               probe->axes_count, FX_MAX_AXES);
    FX_FAIL_IF(fx_probe_find(name), err, FX_BAD_INPUT, "probe %s is there twice: give one of them another name", name);
    FX_FAIL_IF(registered_count == max_probes, err, FX_BAD_INPUT, "probe %s is one too many: at most %d fit", name,
               max_probes);
    return FX_OK;
}

void fx_probe_register(const fx_probe *probe) {
    if (check(probe, &problem)) {
        return;
    }
    size_t at = registered_count++;
    for (; at > 0 && strcmp(registered[at - 1]->name, probe->name) > 0; at--) {
        registered[at] = registered[at - 1];
    }
    registered[at] = probe;
}

const fx_probe *const *fx_probes(size_t *count) {
    *count = registered_count;
    return registered;
}

const fx_probe *fx_probe_find(const char *name) {
    for (size_t i = 0; name && i < registered_count; i++) {
        if (strcmp(registered[i]->name, name) == 0) {
            return registered[i];
        }
    }
    return NULL;
}

const char *fx_probe_problem(void) {
    return problem.status ? problem.text : NULL;
}

const double *fx_prediction_find(const fx_prediction *prediction, const char *name) {
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

void fx_prediction_count(fx_prediction *prediction, const char *name, double value) {
    if (prediction->count_count < FX_MAX_COUNTS) {
        prediction->counts[prediction->count_count++] = (fx_count){.name = name, .value = value};
    } else {
        prediction->counts_lost = true;
    }
}
