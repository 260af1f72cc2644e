/* Fit lines are few, so those of an archive are kept as they are and pooled when the last one has been read. */
#include "fit_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "core/stats.h"
#include "recount.h"

struct fx_predictor {
    char *path;
    json_t *run;     /* the first line */
    json_t *groups;  /* key of a fit: array of its lines; in order of appearance */
    json_t *methods; /* probe: its method version, as far as the archive says */
    json_t *points;  /* for each fit that is counted anew: name of a case: {"count", "medians": [of processes]} */
    fx_facts facts;  /* for them */
    fx_fit_origin origin;
    fx_known_fit *fits;
    size_t count;
};

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* "[probe, group, law, metric]", with the group's keys in order. */
static char *key_of(const json_t *line) {
    json_t *parts = json_pack("[O?O?O?O?]", json_object_get(line, "probe"), json_object_get(line, "group"),
                              json_object_get(line, "law"), json_object_get(line, "metric"));
    char *key = parts ? json_dumps(parts, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(parts);
    return key;
}

static bool is_fit(const json_t *line) {
    return isfinite(number_of(line, "a")) && isfinite(number_of(line, "b")) && *text_of(line, "probe") &&
           *text_of(line, "law") && *text_of(line, "metric") && json_is_object(json_object_get(line, "group"));
}

static fx_status keep(void *context, const json_t *object, size_t number, fx_error *err) {
    fx_predictor *p = context;
    if (number == 1) {
        p->run = json_deep_copy(object);
        return p->run ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while reading fits");
    }
    if (!is_fit(object)) {
        return FX_OK;
    }
    char *key = key_of(object);
    json_t *lines = key ? json_object_get(p->groups, key) : NULL;
    bool kept = key != NULL;
    if (kept && !lines) {
        lines = json_array();
        kept = json_object_set_new(p->groups, key, lines) == 0;
    }
    kept = kept && json_array_append_new(lines, json_deep_copy(object)) == 0;
    free(key);
    return kept ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while reading fits");
}

/* The pooled line, or NULL. It has the key "process" and no process in it. */
static const json_t *pooled_line(const json_t *lines) {
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        if (json_is_null(json_object_get(line, "process"))) {
            return line;
        }
    }
    return NULL;
}

static void read_interval(const json_t *line, const char *key, double *low, double *high) {
    const json_t *pair = json_object_get(line, key);
    const bool whole = json_array_size(pair) == 2;
    *low = whole ? json_number_value(json_array_get(pair, 0)) : NAN;
    *high = whole ? json_number_value(json_array_get(pair, 1)) : NAN;
}

static fx_fit read_fit(const json_t *line) {
    const double n = number_of(line, "n");
    fx_fit fit = {.n = n >= 1 && n < 1e9 ? (size_t)n : 0,
                  .a = number_of(line, "a"),
                  .b = number_of(line, "b"),
                  .r_squared = number_of(line, "r_squared"),
                  .residual_sd_pct = number_of(line, "residual_sd_pct"),
                  .largest_residual_pct = number_of(line, "largest_residual_pct")};
    read_interval(line, "a_ci95", &fit.a_low, &fit.a_high);
    read_interval(line, "b_ci95", &fit.b_low, &fit.b_high);
    return fit;
}

static bool line_holds(const json_t *line) {
    const json_t *archived = json_object_get(line, "holds");
    const fx_fit fit = read_fit(line);
    return archived ? json_is_true(archived) : fx_fit_holds(&fit);
}

/* The hull of two intervals, or of one where the other is not known. */
static void widen(double *low, double *high, double other_low, double other_high) {
    *low = fmin(*low, other_low);
    *high = fmax(*high, other_high);
}

/* The lines of the processes as one; `a` and `b` are scratch of as many numbers. */
static void pool(const json_t *lines, double *scratch, fx_known_fit *out) {
    const size_t count = json_array_size(lines);
    double *a = scratch, *b = scratch + count, *sd = scratch + 2 * count;
    fx_fit whole = read_fit(json_array_get(lines, 0));
    const json_t *worst = json_array_get(lines, 0);
    for (size_t i = 0; i < count; i++) {
        const json_t *line = json_array_get(lines, i);
        const fx_fit one = read_fit(line);
        a[i] = one.a;
        b[i] = one.b;
        sd[i] = one.residual_sd_pct;
        widen(&whole.a_low, &whole.a_high, one.a_low, one.a_high);
        widen(&whole.b_low, &whole.b_high, one.b_low, one.b_high);
        whole.r_squared = fmin(whole.r_squared, one.r_squared);
        if (one.largest_residual_pct > whole.largest_residual_pct) {
            whole.largest_residual_pct = one.largest_residual_pct;
            whole.n = one.n;
            worst = line;
        }
    }
    whole.a = fx_median_finite(a, count);
    whole.b = fx_median_finite(b, count);
    whole.residual_sd_pct = fx_median_finite(sd, count);
    out->fit = whole;
    out->worst_case = text_of(worst, "worst_case");
    out->holds = 2 * out->holds_in >= out->processes;
}

/* "access_cycles": a metric's name ends in its unit. */
static const char *unit_of(const char *metric) {
    const fx_probe *const *probes;
    size_t count;
    probes = fx_probes(&count);
    for (size_t p = 0; p < count; p++) {
        for (size_t m = 0; m < probes[p]->metrics_count; m++) {
            if (!strcmp(probes[p]->metrics[m].name, metric)) {
                return probes[p]->metrics[m].unit;
            }
        }
    }
    const char *end = strrchr(metric, '_');
    return end ? end + 1 : metric;
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

static bool counts_otherwise(const fx_predictor *p, const fx_known_fit *fit) {
    const fx_law_name *law = fx_law_named(fit->law);
    return law && p->origin.law_version > 0 && p->origin.law_version < law->since;
}

static fx_status note_method(void *context, const json_t *line, size_t number, fx_error *err) {
    fx_predictor *p = context;
    const char *probe = text_of(line, "probe");
    json_t *version = json_object_get(line, "method_version");
    if (number > 1 && *probe && version && !json_object_get(p->methods, probe) &&
        json_object_set(p->methods, probe, version)) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading method versions");
    }
    return FX_OK;
}

/* The first line has the methods of all probes since schema 2, and before each case has that of its own. */
static fx_status take_methods(fx_predictor *p, fx_error *err) {
    json_t *probes = json_object_get(p->run, "probes"), *declared;
    const char *name;
    fx_status status = FX_OK;
    p->methods = json_object();
    json_object_foreach(probes, name, declared) {
        json_t *version = json_object_get(declared, "method_version");
        if (version && json_object_set(p->methods, name, version)) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while reading method versions");
        }
    }
    if (!probes && json_object_size(p->groups)) {
        status = fx_archive_pick_again(p->path, "case", note_method, p, err);
    }
    return status;
}

/* A fit over another law's count, or by another method, says nothing of today's. */
static void judge(const fx_predictor *p, fx_known_fit *fit) {
    const fx_law_name *law = fx_law_named(fit->law);
    const fx_probe *probe = fx_probe_find(fit->probe);
    const double method = number_of(p->methods, fit->probe);
    if (!probe) {
        (void)snprintf(fit->why_not, sizeof fit->why_not, "this gpufx has no such probe");
    } else if (isfinite(method) && (uint32_t)method != probe->method_version) {
        (void)snprintf(fit->why_not, sizeof fit->why_not, "method version %.0f, and today's is %u", method,
                       (unsigned)probe->method_version);
    } else if (!fit->recounted && counts_otherwise(p, fit)) {
        (void)snprintf(fit->why_not, sizeof fit->why_not, "law version %d, and %s counts otherwise since %d",
                       p->origin.law_version, fit->law, law->since);
    } else if (p->origin.law_version > FX_LAW_VERSION) {
        (void)snprintf(fit->why_not, sizeof fit->why_not, "law version %d, and this gpufx has %d",
                       p->origin.law_version, FX_LAW_VERSION);
    } else if (!(fit->fit.b > 0)) {
        (void)snprintf(fit->why_not, sizeof fit->why_not, "its cost does not grow with the count");
    }
}

/* The place of the fit that a case has a part in by today's law, among those whose law counts otherwise; NULL: none. */
static json_t *points_of(const fx_predictor *p, const fx_case *c) {
    const fx_prediction *today = &c->prediction;
    for (size_t i = 0; i < p->count; i++) {
        const fx_known_fit *fit = &p->fits[i];
        if (counts_otherwise(p, fit) && !strcmp(fit->probe, c->probe->name) && !strcmp(fit->law, today->law) &&
            !strcmp(fit->metric, c->probe->metrics[today->metric].name) &&
            holds_params(fit->group, c->probe, &c->params)) {
            return json_array_get(p->points, i);
        }
    }
    return NULL;
}

static fx_status recount_case(void *context, const json_t *line, size_t number, fx_error *err) {
    fx_predictor *p = context;
    const double median = number_of(line, "median");
    fx_case c = {0};
    if (number == 1 || !(median > 0) || json_object_get(line, "repetition") || !fx_recount(&p->facts, line, &c) ||
        !c.prediction.in_fit) {
        return FX_OK;
    }
    json_t *points = points_of(p, &c), *point = points ? json_object_get(points, c.name) : NULL;
    if (points && !point) {
        point = json_pack("{sf s[]}", "count", c.prediction.count, "medians");
        if (json_object_set_new(points, c.name, point)) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while counting cases anew");
        }
    }
    if (point && json_array_append_new(json_object_get(point, "medians"), json_real(median))) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while counting cases anew");
    }
    return FX_OK;
}

static double median_of(const json_t *medians) {
    double values[256];
    size_t count = json_array_size(medians) < FX_COUNT(values) ? json_array_size(medians) : FX_COUNT(values);
    for (size_t i = 0; i < count; i++) {
        values[i] = json_number_value(json_array_get(medians, i));
    }
    return fx_median_finite(values, count);
}

/* Fits one group anew; nothing changes where too little of it is left. */
static fx_status fit_anew(const json_t *points, fx_known_fit *fit, fx_error *err) {
    const size_t count = json_object_size(points);
    double *x = calloc(2 * count + 1, sizeof *x), *y = x + count;
    const char *name, *worst = "";
    fx_error ignored = {0};
    json_t *point;
    size_t i = 0;
    if (!x) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while fitting");
    }
    json_object_foreach((json_t *)(uintptr_t)points, name, point) {
        x[i] = json_number_value(json_object_get(point, "count"));
        y[i++] = median_of(json_object_get(point, "medians"));
    }
    fit->recounted = count >= 3 && fx_fit_line(x, y, count, &fit->fit, &ignored) == FX_OK;
    i = 0;
    json_object_foreach((json_t *)(uintptr_t)points, name, point) {
        worst = i++ == fit->fit.worst ? name : worst;
    }
    if (fit->recounted) {
        fit->worst_case = worst;
        fit->holds = fx_fit_holds(&fit->fit);
        fit->pooled = true;
    }
    free(x);
    return FX_OK;
}

/* Fits whose law counts otherwise today are made again, from the cases. */
static fx_status recount(fx_predictor *p, fx_error *err) {
    bool any = false;
    p->points = json_array();
    for (size_t i = 0; i < p->count; i++) {
        any = any || counts_otherwise(p, &p->fits[i]);
        if (json_array_append_new(p->points, json_object())) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while counting cases anew");
        }
    }
    p->facts = fx_facts_of_run(p->run);
    FX_TRY(any ? fx_archive_pick_again(p->path, "case", recount_case, p, err) : FX_OK);
    for (size_t i = 0; i < p->count && any; i++) {
        if (counts_otherwise(p, &p->fits[i])) {
            FX_TRY(fit_anew(json_array_get(p->points, i), &p->fits[i], err));
        }
    }
    return FX_OK;
}

/* What a law has missed in any group is what a new case must reckon with: in its own group it may only have been tried
 * less. */
static void judge_laws(fx_predictor *p) {
    for (size_t i = 0; i < p->count; i++) {
        fx_known_fit *fit = &p->fits[i];
        fit->law_holds = true;
        for (size_t k = 0; k < p->count; k++) {
            const fx_known_fit *other = &p->fits[k];
            if (!strcmp(fit->law, other->law) && !strcmp(fit->metric, other->metric)) {
                fit->law_missed_pct = fmax(fit->law_missed_pct, other->fit.largest_residual_pct);
                fit->law_holds = fit->law_holds && other->holds;
            }
        }
    }
}

static fx_status take_origin(fx_predictor *p, bool incomplete) {
    const json_t *device = json_object_get(p->run, "device");
    const double version = number_of(p->run, "law_version"), processes = number_of(p->run, "processes");
    p->origin = (fx_fit_origin){.path = p->path,
                                .id = text_of(p->run, "id"),
                                .started_utc = text_of(p->run, "started_utc"),
                                .device = text_of(device, "name"),
                                .slug = text_of(device, "slug"),
                                .arch = text_of(device, "arch"),
                                .synthetic = !strcmp(text_of(p->run, "provenance"), "synthetic"),
                                .law_version = version >= 1 && version < 1e6 ? (int)version : 0,
                                .processes = processes >= 1 && processes < 1e6 ? (unsigned)processes : 1,
                                .incomplete = incomplete};
    return FX_OK;
}

static fx_status pool_all(fx_predictor *p, bool by_todays_laws, fx_error *err) {
    const char *key;
    json_t *lines;
    size_t most = 0;
    json_object_foreach(p->groups, key, lines) {
        most = json_array_size(lines) > most ? json_array_size(lines) : most;
    }
    p->fits = calloc(json_object_size(p->groups) + 1, sizeof *p->fits);
    double *scratch = calloc(3 * most + 1, sizeof *scratch);
    if (!p->fits || !scratch) {
        free(scratch);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading fits");
    }
    json_object_foreach(p->groups, key, lines) {
        fx_known_fit *fit = &p->fits[p->count++];
        const json_t *first = json_array_get(lines, 0), *whole = pooled_line(lines);
        fit->probe = text_of(first, "probe");
        fit->law = text_of(first, "law");
        fit->metric = text_of(first, "metric");
        fit->unit = unit_of(fit->metric);
        fit->group = json_object_get(first, "group");
        fit->pooled = whole != NULL;
        for (size_t i = 0; i < json_array_size(lines); i++) {
            const json_t *line = json_array_get(lines, i);
            fit->processes += line != whole;
            fit->holds_in += line != whole && line_holds(line);
        }
        if (whole) {
            fit->fit = read_fit(whole);
            fit->worst_case = text_of(whole, "worst_case");
            fit->holds = line_holds(whole);
        } else {
            pool(lines, scratch, fit);
        }
    }
    free(scratch);
    const fx_status status = by_todays_laws ? recount(p, err) : FX_OK;
    for (size_t i = 0; i < p->count && by_todays_laws; i++) {
        judge(p, &p->fits[i]);
    }
    judge_laws(p);
    return status;
}

static fx_status open_fits(const char *path, bool by_todays_laws, fx_predictor **out, fx_error *err) {
    bool incomplete = false;
    fx_predictor *p = calloc(1, sizeof *p);
    if (p) {
        p->path = strdup(path);
        p->groups = json_object();
    }
    if (!p || !p->path || !p->groups) {
        fx_predictor_close(p);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading fits");
    }
    fx_status status = fx_archive_pick(path, "fit", keep, p, &incomplete, err);
    /* Without an end line there was no sum to check. */
    if (status == FX_OK && incomplete && !fx_archive_can_be_read_again(path, NULL)) {
        status = fx_archive_examine(path, err);
    }
    if (status == FX_OK) {
        status = take_origin(p, incomplete);
    }
    if (status == FX_OK && by_todays_laws) {
        status = take_methods(p, err);
    }
    if (status == FX_OK) {
        status = pool_all(p, by_todays_laws, err);
    }
    if (status != FX_OK) {
        fx_predictor_close(p);
        return status;
    }
    *out = p;
    return FX_OK;
}

fx_status fx_predictor_open(const char *path, fx_predictor **out, fx_error *err) {
    return open_fits(path, true, out, err);
}

fx_status fx_predictor_open_archived(const char *path, fx_predictor **out, fx_error *err) {
    return open_fits(path, false, out, err);
}

void fx_predictor_close(fx_predictor *p) {
    if (p) {
        json_decref(p->run);
        json_decref(p->groups);
        json_decref(p->methods);
        json_decref(p->points);
        free(p->fits);
        free(p->path);
        free(p);
    }
}

const fx_fit_origin *fx_predictor_origin(const fx_predictor *predictor) {
    return &predictor->origin;
}

const fx_known_fit *fx_predictor_fits(const fx_predictor *predictor, size_t *count) {
    *count = predictor->count;
    return predictor->fits;
}

static bool is_for(const fx_known_fit *fit, const char *probe, const char *law, const char *metric) {
    return !*fit->why_not && !strcmp(fit->probe, probe) && !strcmp(fit->law, law) && !strcmp(fit->metric, metric);
}

const fx_known_fit *fx_predictor_find(const fx_predictor *p, const fx_probe *probe, const fx_params *params,
                                      const char *law, const char *metric) {
    for (size_t i = 0; i < p->count; i++) {
        if (is_for(&p->fits[i], probe->name, law, metric) && holds_params(p->fits[i].group, probe, params)) {
            return &p->fits[i];
        }
    }
    return NULL;
}

const fx_known_fit *fx_predictor_find_line(const fx_predictor *p, const json_t *line) {
    const json_t *params = json_object_get(line, "params");
    const char *probe = text_of(line, "probe"), *law = text_of(json_object_get(line, "law"), "name");
    const char *metric = text_of(json_object_get(line, "metric"), "name"), *axis;
    for (size_t i = 0; i < p->count; i++) {
        json_t *value, *group = (json_t *)(uintptr_t)p->fits[i].group;
        bool inside = is_for(&p->fits[i], probe, law, metric);
        json_object_foreach(group, axis, value) {
            inside = inside && json_equal(value, json_object_get(params, axis));
        }
        if (inside) {
            return &p->fits[i];
        }
    }
    return NULL;
}

double fx_predict(const fx_known_fit *fit, double count) {
    return fit && count > 0 ? fx_fit_cost(&fit->fit, count) : NAN;
}
