#include "held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "recount.h"
#include "run/fits.h"

static const double tolerances_pct[FX_HELD_OUT_TOLERANCES] = {2, 5, 10};

/* A case of one of the two archives. What fits.h knows of it comes first. */
typedef struct held {
    fx_point point;
    bool tested;     /* to be predicted */
    bool other;      /* of the other archive */
    double *medians; /* of its processes */
    size_t processes;
} held;

typedef struct gathering {
    fx_facts facts;
    bool other;
    held *cases;
    size_t count, room;
    size_t first; /* of the archive that is read */
} gathering;

static fx_status add_median(held *h, double median, fx_error *err) {
    double *grown = realloc(h->medians, (h->processes + 1) * sizeof *grown);
    if (!grown) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading cases");
    }
    h->medians = grown;
    h->medians[h->processes++] = median;
    return FX_OK;
}

static fx_status take(void *context, const json_t *line, size_t number, fx_error *err) {
    gathering *g = context;
    const char *type = json_string_value(json_object_get(line, "type"));
    const double median = json_number_value(json_object_get(line, "median"));
    fx_case one = {0};
    if (number == 1) {
        g->facts = fx_facts_of_run(line);
        return FX_OK;
    }
    if (!type || strcmp(type, "case") != 0 || !(median > 0) || !fx_recount(&g->facts, line, &one)) {
        return FX_OK;
    }
    for (size_t i = g->first; i < g->count; i++) {
        if (g->cases[i].point.c->probe == one.probe && !strcmp(g->cases[i].point.c->name, one.name)) {
            return add_median(&g->cases[i], median, err);
        }
    }
    if (g->count == g->room) {
        const size_t room = g->room ? 2 * g->room : 1024;
        held *grown = realloc(g->cases, room * sizeof *grown);
        if (!grown) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory while reading cases");
        }
        g->cases = grown;
        g->room = room;
    }
    fx_case *kept = malloc(sizeof *kept);
    if (!kept) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading cases");
    }
    *kept = one;
    g->cases[g->count] = (held){.point = {.c = kept}, .other = g->other};
    return add_median(&g->cases[g->count++], median, err);
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static fx_status gather(const char *archive, const char *other, gathering *g, fx_error *err) {
    fx_status status = fx_archive_read(archive, take, g, NULL, err);
    g->first = g->count;
    g->other = true;
    if (!status && other) {
        status = fx_archive_read(other, take, g, NULL, err);
    }
    for (size_t i = 0; i < g->count && !status; i++) {
        held *h = &g->cases[i];
        qsort(h->medians, h->processes, sizeof *h->medians, compare_numbers);
        h->point.median = (h->medians[(h->processes - 1) / 2] + h->medians[h->processes / 2]) / 2;
        h->tested = h->other == (other != NULL);
    }
    return status;
}

static int compare_held(const void *a, const void *b) {
    const fx_case *x = ((const held *)a)->point.c, *y = ((const held *)b)->point.c;
    return x->probe != y->probe ? strcmp(x->probe->name, y->probe->name) : fx_fits_compare(a, b);
}

static void note(fx_held_out *row, const held *h, double predicted) {
    const double ratio = h->point.median / predicted;
    row->predicted++;
    for (size_t i = 0; i < FX_HELD_OUT_TOLERANCES; i++) {
        row->within[i] += fabs(ratio - 1) <= tolerances_pct[i] / 100;
    }
    if (row->predicted == 1 || ratio > row->most) {
        row->most = ratio;
        memcpy(row->most_name, h->point.c->name, sizeof row->most_name);
    }
    if (row->predicted == 1 || ratio < row->least) {
        row->least = ratio;
        memcpy(row->least_name, h->point.c->name, sizeof row->least_name);
    }
}

/* One group: each case that is tested is predicted by a fit in which nothing that counts the same had a part. */
static fx_status judge_group(const held *cases, size_t count, bool with_other, fx_held_out *row, fx_error *err) {
    double *x = malloc(4 * count * sizeof *x);
    if (!x) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while fitting");
    }
    double *y = x + count, *scratch = y + count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!cases[i].other && cases[i].point.c->prediction.in_fit) {
            x[n] = cases[i].point.c->prediction.count;
            y[n++] = cases[i].point.median;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const fx_prediction *p = &cases[i].point.c->prediction;
        fx_fit fit;
        if (!cases[i].tested) {
            continue;
        }
        const bool fitted = p->in_fit && fx_fit_without(x, y, n, with_other ? NAN : p->count, scratch, &fit);
        const double predicted = fitted ? fx_fit_cost(&fit, p->count) : NAN;
        if (predicted > 0) {
            note(row, &cases[i], predicted);
        } else {
            row->unclaimed++;
        }
    }
    free(x);
    return FX_OK;
}

static fx_held_out *row_of(fx_held_out *rows, size_t *count, const fx_case *c) {
    const fx_prediction *p = &c->prediction;
    for (size_t i = 0; i < *count; i++) {
        if (rows[i].probe == c->probe && rows[i].metric == p->metric && !strcmp(rows[i].law, p->law)) {
            return &rows[i];
        }
    }
    rows[*count] = (fx_held_out){.probe = c->probe, .law = p->law, .metric = p->metric};
    return &rows[(*count)++];
}

fx_status fx_hold_out(const char *archive, const char *other, fx_held_out **out, size_t *count, fx_error *err) {
    gathering g = {0};
    fx_status status = gather(archive, other, &g, err);
    *count = 0;
    *out = status || !g.count ? NULL : calloc(g.count, sizeof **out);
    if (!status && g.count && !*out) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while judging laws");
    }
    if (*out) {
        qsort(g.cases, g.count, sizeof *g.cases, compare_held);
    }
    for (size_t from = 0, to; from < g.count && !status; from = to) {
        for (to = from + 1; to < g.count && !compare_held(&g.cases[from], &g.cases[to]); to++) {
        }
        status = judge_group(g.cases + from, to - from, other != NULL, row_of(*out, count, g.cases[from].point.c), err);
    }
    for (size_t i = 0; i < g.count; i++) {
        free((fx_case *)(uintptr_t)g.cases[i].point.c);
        free(g.cases[i].medians);
    }
    free(g.cases);
    if (status) {
        free(*out);
        *out = NULL;
    }
    return status;
}
