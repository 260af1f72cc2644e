/* Fit lines are few, so those of an archive are kept as they are until the last one has been read. */
#include "fit_lines.h"

#include "archive.h"
#include "core/text.h"

/* All that were read: an archive takes a tenth of a second, and a verb asks for it once for the law of each access. */
static fx_predictor *opened;

static bool has_number(const json_t *object, const char *key) {
    return json_is_number(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* The lines of single processes have a number as their process, that over the medians of all has null. */
static bool is_fit_of_all(const json_t *line) {
    return json_is_null(json_object_get(line, "process")) && has_number(line, "a") && has_number(line, "b") &&
           has_number(line, "largest_residual_pct") && *fx_json_text(line, "probe") && *fx_json_text(line, "law") &&
           *fx_json_text(line, "metric") && json_is_object(json_object_get(line, "group"));
}

static fx_status keep(void *context, const json_t *object, size_t number, fx_error *err) {
    fx_predictor *p = context;
    if (number == 1) {
        p->run = json_incref((json_t *)(uintptr_t)object);
    } else if (is_fit_of_all(object)) {
        (void)json_array_append(p->lines, (json_t *)(uintptr_t)object);
    }
    return FX_OK;
}

static bool holds_params(const json_t *group, const fx_probe *probe, const fx_params *params) {
    size_t known = 0;
    for (size_t i = 0; i < probe->axes_count; i++) {
        const json_t *wanted = json_object_get(group, probe->axes[i].name);
        char text[64];
        if (!wanted) {
            continue;
        }
        known++;
        if (json_is_string(wanted) ? !fx_axis_choice(&probe->axes[i], params->value[i], text, sizeof text) ||
                                         strcmp(text, json_string_value(wanted)) != 0
                                   : !json_is_integer(wanted) || json_integer_value(wanted) != params->value[i]) {
            return false;
        }
    }
    return known == json_object_size(group);
}

/* The rule of gpufx_plot/judging/fit_checks.py; both are held to tests/vectors/usable_fits.json. */
static bool is_usable(const fx_predictor *p, const fx_archived_fit *fit) {
    const fx_law_name *law = fx_law_named(fit->law);
    const json_int_t counted = json_integer_value(json_object_get(p->run, "law_version"));
    const fx_probe *probe = fx_probe_find(fit->probe);
    const json_t *declared = json_object_get(json_object_get(p->run, "probes"), fit->probe);
    return probe && json_integer_value(json_object_get(declared, "method_version")) == probe->method_version &&
           counted >= (law ? law->priced : 1) && counted <= FX_LAW_VERSION && fit->fit.b > 0;
}

/* What a law has missed in any group is what a new case must reckon with: in its own group it may only have been tried
 * less. */
static void judge_laws(fx_predictor *p) {
    for (size_t i = 0; i < p->count; i++) {
        fx_archived_fit *fit = &p->fits[i];
        const fx_law_name *law = fx_law_named(fit->law);
        fit->law_holds = true;
        fit->law_missed_pct = law ? law->drawn_pct : 0;
        for (size_t k = 0; k < p->count; k++) {
            const json_t *line = json_array_get(p->lines, k);
            if (!strcmp(fit->law, p->fits[k].law) && !strcmp(fit->metric, p->fits[k].metric)) {
                fit->law_missed_pct = fmax(fit->law_missed_pct, number_of(line, "largest_residual_pct"));
                fit->law_holds = fit->law_holds && json_is_true(json_object_get(line, "holds"));
            }
        }
    }
}

static void take_lines(fx_predictor *p) {
    p->count = json_array_size(p->lines);
    p->fits = fx_new(p->count, sizeof *p->fits);
    for (size_t i = 0; i < p->count; i++) {
        const json_t *line = json_array_get(p->lines, i);
        fx_archived_fit *fit = &p->fits[i];
        *fit = (fx_archived_fit){.probe = fx_json_text(line, "probe"),
                                 .law = fx_json_text(line, "law"),
                                 .metric = fx_json_text(line, "metric"),
                                 .group = json_object_get(line, "group"),
                                 .fit = {.a = number_of(line, "a"), .b = number_of(line, "b")}};
        fit->usable = is_usable(p, fit);
    }
    judge_laws(p);
}

fx_status fx_predictor_open(const char *path, const fx_predictor **out, fx_error *err) {
    fx_predictor *p = opened;
    while (p && strcmp(p->path, path) != 0) {
        p = p->next;
    }
    if (!p) {
        fx_predictor read = {.next = opened, .lines = json_array()};
        const fx_status status = fx_archive_read(path, "fit", keep, &read, &read.incomplete, err);
        if (status != FX_OK) {
            json_decref(read.run);
            json_decref(read.lines);
            return status;
        }
        p = opened = fx_new(1, sizeof *p);
        *p = read;
        p->path = fx_given(strdup(path));
        take_lines(p);
    }
    *out = p;
    return FX_OK;
}

const fx_archived_fit *fx_predictor_find(const fx_predictor *p, const fx_probe *probe, const fx_params *params,
                                         const char *law, const char *metric) {
    for (size_t i = 0; i < p->count; i++) {
        const fx_archived_fit *fit = &p->fits[i];
        if (fit->usable && !strcmp(fit->probe, probe->name) && !strcmp(fit->law, law) && !strcmp(fit->metric, metric) &&
            holds_params(fit->group, probe, params)) {
            return fit;
        }
    }
    return NULL;
}

double fx_predict(const fx_archived_fit *fit, double count) {
    return fit && count > 0 ? fx_fit_cost(&fit->fit, count) : NAN;
}
