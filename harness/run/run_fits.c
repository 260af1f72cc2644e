/* Points are sorted so that a group is a run of neighbours; cases that differ only in what fit_by does not name are one
 * group, since the law claims that they lie on one line. */
#include "run_fits.h"

#include "core/text.h"

/* Order of two points of one probe by metric, law and the axes in fit_by; 0: one fit is made of both. */
static int compare_groups(const fx_case_median *a, const fx_case_median *b) {
    const fx_probe *probe = a->c->probe;
    if (a->c->prediction.metric != b->c->prediction.metric) {
        return a->c->prediction.metric < b->c->prediction.metric ? -1 : 1;
    }
    int order = strcmp(a->c->prediction.law, b->c->prediction.law);
    for (size_t i = 0; i < probe->axes_count && !order; i++) {
        int64_t left = a->c->params.value[i], right = b->c->params.value[i];
        if (left != right && fx_axis_listed(probe->fit_by, probe->axes[i].name)) {
            order = left < right ? -1 : 1;
        }
    }
    return order;
}

/* In a group the order of the list of cases, whatever the order in which they ran. */
static int compare_points(const void *a, const void *b) {
    const fx_case_median *left = a, *right = b;
    const int order = compare_groups(left, right);
    return order ? order : (left->c > right->c) - (left->c < right->c);
}

/* "level:dram op:load over pairs: 32.56 % off at NAME". */
static void note_broken(const fx_fit *fit, const fx_case *first, const fx_case *worst, fx_fits *out) {
    char group[256] = "";
    out->broken++;
    if (fit->largest_residual_pct <= out->worst_residual_pct) {
        return;
    }
    out->worst_residual_pct = fit->largest_residual_pct;
    for (size_t i = 0; i < first->probe->axes_count; i++) {
        const fx_axis *axis = &first->probe->axes[i];
        char value[64];
        if (fx_axis_listed(first->probe->fit_by, axis->name)) {
            fx_text_add(group, sizeof group, "%s:%s ", axis->name,
                        fx_axis_format(axis, first->params.value[i], value, sizeof value));
        }
    }
    (void)snprintf(out->worst, sizeof out->worst, "%sover %s: %.2f %% off at %s", group, first->prediction.law,
                   fit->largest_residual_pct, worst->name);
}

static fx_status fit_group(const fx_case_median *points, size_t count, double *x, double *y, fx_archive *archive,
                           int process, fx_fits *out, fx_error *err) {
    const fx_case *first = points[0].c;
    bool distinct = false;
    fx_fit fit;
    for (size_t i = 0; i < count; i++) {
        x[i] = points[i].c->prediction.count;
        y[i] = points[i].median;
        distinct = distinct || x[i] != x[0];
        if (!(y[i] > 0)) {
            return FX_OK;
        }
    }
    if (count < 3 || !distinct) {
        return FX_OK;
    }
    FX_TRY(fx_fit_line(x, y, count, &fit, err));
    out->count++;
    if (!fx_fit_holds(&fit)) {
        note_broken(&fit, first, points[fit.worst].c, out);
    }
    if (!archive) {
        return FX_OK;
    }
    json_auto_t *group = fx_params_json(first, first->probe->fit_by);
    return fx_archive_fit(archive, process, first->probe, group, first->prediction.law,
                          first->probe->metrics[first->prediction.metric].name, &fit, points[fit.worst].c->name, err);
}

fx_status fx_fits_make(const fx_probe *probe, fx_case_median *points, size_t count, fx_archive *archive, int process,
                       fx_fits *out, fx_error *err) {
    *out = (fx_fits){.count = 0};
    if (!probe->fit_by || !count) {
        return FX_OK;
    }
    FX_FREED double *x = fx_new(2 * count, sizeof *x);
    qsort(points, count, sizeof *points, compare_points);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && !compare_groups(&points[from], &points[to]); to++)
            ;
        FX_TRY(fit_group(points + from, to - from, x, x + count, archive, process, out, err));
    }
    return FX_OK;
}

/* The medians of each case, as the archive has them. */
typedef struct pool {
    const fx_case_list *list;
    fx_case_index index;
    double *medians; /* `processes` for each case of the list, NAN where there is none */
    size_t processes;
} pool;

static fx_status take_median(void *context, const json_t *object, size_t number, fx_error *err) {
    pool *p = context;
    if (number == 1) {
        p->processes = (size_t)json_integer_value(json_object_get(object, "processes"));
        p->medians = fx_new(p->list->count * p->processes, sizeof *p->medians);
        for (size_t i = 0; i < p->list->count * p->processes; i++) {
            p->medians[i] = NAN;
        }
        return FX_OK;
    }
    const char *name = json_string_value(json_object_get(object, "name"));
    const size_t process = (size_t)json_integer_value(json_object_get(object, "process"));
    const size_t at = name ? fx_case_index_find(&p->index, p->list, name) : SIZE_MAX;
    if (at < p->list->count && process < p->processes && !json_object_get(object, "repetition")) {
        p->medians[at * p->processes + process] = json_number_value(json_object_get(object, "median"));
    }
    return FX_OK;
}

/* The fits of one probe, which has index.sorted[from..to). */
static fx_status fit_pool(const pool *p, size_t from, size_t to, fx_archive *archive, fx_error *err) {
    fx_fits fits;
    size_t count = 0;
    FX_FREED fx_case_median *points = fx_new(to - from, sizeof *points);
    for (size_t i = from; i < to; i++) {
        const fx_case *c = p->index.sorted[i];
        double *medians = p->medians + (size_t)(c - p->list->cases) * p->processes;
        const double median = fx_median_finite(medians, p->processes);
        if (fx_prediction_in_fit(&c->prediction) && isfinite(median)) {
            points[count++] = (fx_case_median){c, median};
        }
    }
    return fx_fits_make(p->index.sorted[from]->probe, points, count, archive, FX_POOLED, &fits, err);
}

static void close_pool(pool *p) {
    free(p->medians);
    free(p->index.sorted);
}

fx_status fx_fits_pool(const fx_case_list *cases, fx_archive *archive, fx_error *err) {
    FX_OWNED(close_pool) pool p = {.list = cases, .index = fx_case_index_make(cases)};
    FX_TRY(fx_archive_read(fx_archive_path(archive), "case", take_median, &p, NULL, err));
    /* A name begins with its probe, so that those of one probe stay together, whatever stands between "a" and "a_b". */
    for (size_t from = 0, to; from < cases->count; from = to) {
        for (to = from + 1; to < cases->count && p.index.sorted[to]->probe == p.index.sorted[from]->probe; to++)
            ;
        FX_TRY(fit_pool(&p, from, to, archive, err));
    }
    return FX_OK;
}
