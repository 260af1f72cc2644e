#include "held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/archive.h"
#include "core/predict.h"
#include "fits.h"

enum { SM_TOLERANCE_PCT = 2, CHIP_TOLERANCE_PCT = 10 };

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

static uint64_t whole(const json_t *object, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/* What the device of an archive said of itself. The geometry is today's knowledge of a real chip, and an invented one's
 * own. */
static fx_facts facts_of(const json_t *run) {
    const json_t *device = json_object_get(run, "device"), *geometry = json_object_get(device, "geometry");
    const json_t *tag_bank = json_object_get(geometry, "tag_bank");
    const char *provenance = json_string_value(json_object_get(run, "provenance"));
    fx_facts facts = {.compute_major = (int)whole(device, "compute_major"),
                      .compute_minor = (int)whole(device, "compute_minor"),
                      .sm_count = (int)whole(device, "sm_count"),
                      .warps_per_sm = (int)whole(device, "warps_per_sm"),
                      .shared_per_block_bytes = whole(device, "shared_per_block_bytes"),
                      .shared_per_sm_bytes = whole(device, "shared_per_sm_bytes"),
                      .constant_bytes = whole(device, "constant_bytes"),
                      .l2_bytes = whole(device, "l2_bytes"),
                      .memory_bytes = whole(device, "memory_bytes"),
                      .memory_peak_GBps = json_number_value(json_object_get(device, "memory_peak_GBps")),
                      .managed_memory = json_is_true(json_object_get(device, "managed_memory")),
                      .pageable_access = json_is_true(json_object_get(device, "pageable_access")),
                      .integrated = json_is_true(json_object_get(device, "integrated"))};
    facts.geometry = fx_geometry_of(facts.compute_major, facts.compute_minor);
    if (provenance && strcmp(provenance, "measured") != 0) {
        facts.geometry = (fx_geometry){.banks = (unsigned)whole(geometry, "banks"),
                                       .bank_bytes = (unsigned)whole(geometry, "bank_bytes"),
                                       .sector_bytes = (unsigned)whole(geometry, "sector_bytes"),
                                       .line_bytes = (unsigned)whole(geometry, "line_bytes"),
                                       .constant_sets = (unsigned)whole(geometry, "constant_sets"),
                                       .constant_ways = (unsigned)whole(geometry, "constant_ways"),
                                       .constant_line_bytes = (unsigned)whole(geometry, "constant_line_bytes")};
        for (size_t bit = 0; bit < FX_TAG_BITS; bit++) {
            facts.geometry.tag_bank[bit] = (unsigned char)json_integer_value(json_array_get(tag_bank, bit));
        }
    }
    return facts;
}

/* The case as it would be counted today; false if nothing of it can be. */
static bool read_case(const gathering *g, const json_t *line, fx_case *out) {
    const json_t *offsets = json_object_get(line, "lanes");
    const char *name = json_string_value(json_object_get(line, "name"));
    out->probe = fx_probe_find(json_string_value(json_object_get(line, "probe")));
    /* a case with other axes is of another method */
    if (!out->probe || !out->probe->law || !out->probe->fit_by || !name ||
        json_object_size(json_object_get(line, "params")) != out->probe->axes_count ||
        !fx_params_read(out->probe, json_object_get(line, "params"), &out->params)) {
        return false;
    }
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    out->has_lanes = json_array_size(offsets) == FX_WARP;
    for (size_t l = 0; l < FX_WARP && out->has_lanes; l++) {
        out->lanes.offset[l] = (int32_t)json_integer_value(json_array_get(offsets, l));
    }
    out->probe->law(&g->facts, &out->params, out->has_lanes ? &out->lanes : NULL, &out->prediction);
    const json_t *metric = json_object_get(json_object_get(line, "metric"), "name");
    return out->prediction.law && json_is_string(metric) &&
           !strcmp(json_string_value(metric), out->probe->metrics[out->prediction.metric].name);
}

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
        g->facts = facts_of(line);
        return FX_OK;
    }
    if (!type || strcmp(type, "case") != 0 || !(median > 0) || !read_case(g, line, &one)) {
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
    row->right += fabs(ratio - 1) <= row->tolerance_pct / 100;
    if (row->predicted == 1 || ratio > row->most) {
        row->most = ratio;
        memcpy(row->most_name, h->point.c->name, sizeof row->most_name);
    }
    if (row->predicted == 1 || ratio < row->least) {
        row->least = ratio;
        memcpy(row->least_name, h->point.c->name, sizeof row->least_name);
    }
}

/* The fit over the claimed cases of the first archive that count otherwise than `without`; false: there is none, or it
 * is over fewer than three counts, which say little of any other. */
static bool fit_without(const held *cases, size_t count, double without, double *x, fx_fit *fit) {
    double *y = x + count;
    size_t n = 0, distinct = 0;
    fx_error ignored = {0};
    for (size_t i = 0; i < count; i++) {
        const fx_prediction *p = &cases[i].point.c->prediction;
        if (!cases[i].other && p->in_fit && !(fabs(p->count - without) <= 1e-9 * p->count)) {
            bool known = false;
            for (size_t k = 0; k < n && !known; k++) {
                known = fabs(x[k] - p->count) <= 1e-9 * p->count;
            }
            distinct += !known;
            x[n] = p->count;
            y[n++] = cases[i].point.median;
        }
    }
    return distinct >= 3 && fx_fit_line(x, y, n, fit, &ignored) == FX_OK;
}

/* One group: each case that is tested is predicted by a fit in which nothing that counts the same had a part. */
static fx_status judge_group(const held *cases, size_t count, bool with_other, fx_held_out *row, fx_error *err) {
    double *x = malloc(2 * count * sizeof *x);
    if (!x) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while fitting");
    }
    for (size_t i = 0; i < count; i++) {
        const fx_prediction *p = &cases[i].point.c->prediction;
        fx_fit fit;
        if (!cases[i].tested) {
            continue;
        }
        const bool fitted = p->in_fit && fit_without(cases, count, with_other ? NAN : p->count, x, &fit);
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
    const bool of_sm = c->probe->metrics[p->metric].timebase == FX_SM_CYCLES;
    for (size_t i = 0; i < *count; i++) {
        if (rows[i].probe == c->probe && rows[i].metric == p->metric && !strcmp(rows[i].law, p->law)) {
            return &rows[i];
        }
    }
    rows[*count] = (fx_held_out){.probe = c->probe,
                                 .law = p->law,
                                 .metric = p->metric,
                                 .tolerance_pct = of_sm ? SM_TOLERANCE_PCT : CHIP_TOLERANCE_PCT};
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
