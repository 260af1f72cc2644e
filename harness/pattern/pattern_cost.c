/* What a pattern costs. Probes say which of their cases stands for an access with any lane table (fx_probe.access):
 * their laws count it, their kernels may measure it, and the fits of the nearest archive that has some for that case
 * make a cost of the count. */

#include "archive/archive.h"
#include "archive/archive_folder.h"
#include "call/message.h"
#include "call/places.h"
#include "core/text.h"
#include "pattern.h"
#include "run/select.h"

enum { CONSTANT_BYTES = 64 << 10, ARRAY_BYTES = 32 << 10 };

static const fx_pattern_way *way_of(const fx_pattern_cost *cost, size_t level, unsigned width_bytes) {
    return &cost->ways[level][__builtin_ctz(width_bytes)];
}

static fx_pattern_way way_by(const fx_probe *probe, const fx_access *access) {
    fx_pattern_way one = {.probe = probe};
    for (size_t axis = 0; axis < probe->axes_count; axis++) {
        one.params.value[axis] = probe->axes[axis].fallback;
    }
    one.says = probe->access ? probe->access(access, &one.params) : FX_SUPPORTS_NOTHING;
    return one;
}

/* A probe that can measure goes before one that only counts. */
static void find_ways(fx_pattern_cost *cost) {
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    for (size_t level = 0; level < cost->kind->count; level++) {
        for (size_t w = 0; w < FX_PATTERN_WIDTHS; w++) {
            const fx_access access = {cost->kind->level[level].by, cost->kind->does, 1u << w};
            for (size_t i = 0; i < count; i++) {
                const fx_pattern_way one = way_by(probes[i], &access);
                cost->ways[level][w] = one.says > cost->ways[level][w].says ? one : cost->ways[level][w];
            }
        }
    }
}

static fx_prediction predict(const fx_pattern_cost *cost, const fx_pattern_way *by, const fx_lanes *lanes) {
    fx_prediction prediction = {0};
    if (by->probe) {
        by->probe->law(&cost->facts, &by->params, lanes, &prediction);
    }
    return prediction;
}

/* The fit of a law: that of the probe that measures such accesses, else one that counts by the same law. */
static const fx_archived_fit *fit_of(const fx_pattern_cost *cost, const fx_pattern_way *by, const fx_access *access,
                                     const fx_predictor *from) {
    const fx_lanes one = {{0}};
    const char *law = predict(cost, by, &one).law;
    const fx_archived_fit *fit = NULL;
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    for (size_t i = 0; law && !fit && i <= count; i++) {
        const fx_pattern_way way = i ? way_by(probes[i - 1], access) : *by;
        const fx_prediction same = way.says ? predict(cost, &way, &one) : (fx_prediction){0};
        if (same.law && !strcmp(same.law, law)) {
            fit = fx_predictor_find(from, way.probe, &way.params, law, way.probe->metrics[same.metric].name);
        }
    }
    return fit;
}

/* Takes the fits of one archive for one level; false, with *err where it can't be read, if it has no width. */
static bool take_fits(fx_pattern_cost *cost, size_t level, const char *path, fx_error *err) {
    const fx_predictor *from;
    bool any = false;
    if (fx_predictor_open(path, &from, err)) {
        return false;
    }
    for (size_t w = 0; w < FX_PATTERN_WIDTHS; w++) {
        fx_pattern_way *by = &cost->ways[level][w];
        const fx_access access = {cost->kind->level[level].by, cost->kind->does, 1u << w};
        by->fit = fit_of(cost, by, &access, from);
        any = any || by->fit;
    }
    cost->from[level] = any ? from : NULL;
    return any;
}

/* Whether a law is claimed for accesses of any width, all lanes at one address or each in a line of its own; if for
 * neither, then for none, and no archive has a fit: a tenth of a second saved for each. */
static bool is_claimed(const fx_pattern_cost *cost, size_t level) {
    fx_lanes lanes[2] = {{{0}}};
    bool any = false;
    fx_lanes_stride(&lanes[1], 4, 32, 0);
    for (size_t i = 0; i < 2 * FX_PATTERN_WIDTHS && !any; i++) {
        const fx_prediction one = predict(cost, &cost->ways[level][i / 2], &lanes[i % 2]);
        any = fx_prediction_in_fit(&one);
    }
    return any;
}

/* For each level the nearest archive that has a fit for it. Where the device is not known, all levels are those of one
 * device as far as it has fits: that of the first. */
static fx_status find_fits(fx_pattern_cost *cost, const char *root, fx_error *err) {
    const char *slug = *cost->slug ? cost->slug : NULL;
    FX_OWNED(fx_archives_close_at) fx_archives *history = NULL;
    FX_TRY(fx_archives_of_project(root, true, &history, err));
    for (size_t level = 0; level < cost->kind->count; level++) {
        const fx_probe *probe = way_of(cost, level, 4)->probe;
        json_auto_t *wanted = probe && is_claimed(cost, level) ? json_pack("{sb}", probe->name, 1) : NULL;
        const fx_archive_query wish = {.slug = slug, .arch = cost->arch, .farthest = FX_SAME_ARCH, .probes = wanted};
        size_t at = 0;
        fx_archive_match reach;
        fx_archive_entry *past = wanted ? fx_archives_next(history, &wish, &at, &reach) : NULL;
        for (; past; past = fx_archives_next(history, &wish, &at, &reach)) {
            fx_error problem = {0};
            char near[256];
            if (take_fits(cost, level, past->path, &problem)) {
                (void)snprintf(cost->fits[level], sizeof cost->fits[level], "%s (%s)", fx_short_path(root, past->path),
                               fx_archive_match_words(*cost->slug ? reach : FX_SAME_ARCH, past, "", near, sizeof near));
                slug = slug ? slug : past->slug;
                break;
            }
            if (problem.status) {
                fx_warn("%s", problem.text);
            }
        }
    }
    return FX_OK;
}

/* --arch: "sm_90" or "90". */
static fx_status facts_of_arch(const char *arch, fx_pattern_cost *cost, fx_error *err) {
    const char *digits = !strncmp(arch, "sm_", 3) ? arch + 3 : arch;
    char *end;
    const long number = strtol(digits, &end, 10);
    FX_FAIL_IF(*digits < '1' || *digits > '9' || *end || number < 50 || number > 999, err, FX_BAD_INPUT,
               "--arch %.40s: it must be an architecture, such as sm_90", arch);
    (void)snprintf(cost->arch, sizeof cost->arch, "sm_%ld", number);
    cost->facts = (fx_facts){.geometry = fx_geometry_of((int)number / 10, (int)number % 10),
                             .compute_major = (int)number / 10,
                             .compute_minor = (int)number % 10};
    return FX_OK;
}

/* --archive: what its device is, as far as the laws want to know it. */
static fx_status facts_of_archive(const fx_options *options, fx_pattern_cost *cost, fx_error *err) {
    json_auto_t *run = NULL;
    FX_TRY(fx_archive_can_be_read_again(options->pattern.archive, err));
    FX_TRY(fx_archive_head(options->pattern.archive, &run, err));
    const json_t *device = json_object_get(run, "device");
    (void)snprintf(cost->slug, sizeof cost->slug, "%s", fx_json_text(device, "slug"));
    return facts_of_arch(fx_json_text(device, "arch"), cost, err);
}

/* The fits of --archive alone. */
static fx_status fits_of_archive(fx_pattern_cost *cost, const char *root, const char *path, fx_error *err) {
    const fx_predictor *from;
    FX_TRY(fx_predictor_open(path, &from, err));
    for (size_t level = 0; level < cost->kind->count; level++) {
        if (take_fits(cost, level, path, err)) {
            (void)snprintf(cost->fits[level], sizeof cost->fits[level], "%s (%s)", fx_short_path(root, path),
                           fx_json_text(json_object_get(from->run, "device"), "name"));
        }
    }
    return FX_OK;
}

/* Opens the device where one is to measure or to say what it is; without a GPU the laws of `sm_90` remain. With
 * --archive that chip is predicted, and a device that is named is measured beside it. */
static fx_status open_device(const fx_options *options, const char *root, fx_pattern_cost *cost, fx_error *err) {
    char notice[FX_NOTICE_BYTES] = "";
    if (options->pattern.archive) {
        FX_TRY(facts_of_archive(options, cost, err));
    } else if (options->pattern.arch) {
        return facts_of_arch(options->pattern.arch, cost, err);
    }
    if (options->pattern.archive && !options->device) {
        return FX_OK;
    }
    FX_TRY(fx_select_device(options, root, (uint64_t)options->seed, &cost->device, notice, err));
    if (notice[0]) { /* no GPU: the synthetic stand-in would measure invented numbers */
        fx_device_destroy(cost->device);
        cost->device = NULL;
        return facts_of_arch("sm_90", cost, err);
    }
    if (!options->pattern.archive) {
        cost->facts = cost->device->facts;
        (void)snprintf(cost->arch, sizeof cost->arch, "%s", cost->device->arch);
        (void)snprintf(cost->slug, sizeof cost->slug, "%s", cost->device->slug);
    }
    return cost->device->warm_up(cost->device, 0.2, err);
}

/* True unless the banks are not those of the architecture: an invented chip may have others, and then no real chip's
 * archive speaks of it. */
static bool is_of_its_arch(const fx_facts *facts) {
    const fx_geometry real = fx_geometry_of(facts->compute_major, facts->compute_minor);
    return facts->geometry.banks == real.banks && facts->geometry.bank_bytes == real.bank_bytes &&
           facts->geometry.sector_bytes == real.sector_bytes && facts->geometry.line_bytes == real.line_bytes;
}

fx_status fx_pattern_cost_new(const fx_options *options, const fx_pattern_kind *kind, fx_pattern_cost **out,
                              fx_error *err) {
    char root[PATH_MAX];
    FX_TRY(fx_root(root, err));
    fx_pattern_cost *cost = *out = fx_new(1, sizeof *cost);
    cost->kind = kind;
    cost->seed = (uint64_t)options->seed;
    cost->sampling = fx_sampling_default(false);
    find_ways(cost);
    FX_TRY(open_device(options, root, cost, err));
    return options->pattern.archive       ? fits_of_archive(cost, root, options->pattern.archive, err)
           : is_of_its_arch(&cost->facts) ? find_fits(cost, root, err)
                                          : FX_OK;
}

/* Why no program, or no kernel of the probe, makes such an access; NULL: it can be made. */
static const char *refusal(const fx_facts *facts, const fx_pattern_way *by) {
    return by->probe && by->probe->supported ? by->probe->supported(facts, &by->params) : NULL;
}

/* On a failure of this pattern alone its reason is kept and the others go on. */
static fx_status measure(fx_pattern_cost *cost, const fx_pattern_way *by, const fx_pattern *pattern,
                         fx_pattern_cost_at *out, fx_error *err) {
    const char *reason = by->says != FX_SUPPORTS_TIME || !strcmp(cost->kind->op, FX_PATTERN_COUNTS)
                             ? "no probe measures such an access with arbitrary lane offsets"
                         : !fx_lanes_span(&pattern->lanes, pattern->width_bytes) ? "no lane is active"
                                                                                 : refusal(&cost->device->facts, by);
    if (reason) {
        (void)snprintf(out->why_not, sizeof out->why_not, "%s", reason);
        return FX_OK;
    }
    fx_case c = {.probe = by->probe,
                 .sweep = &by->probe->sweeps[0],
                 .params = by->params,
                 .has_lanes = true,
                 .lanes = pattern->lanes,
                 .prediction = out->prediction};
    FX_OWNED(fx_result_free) fx_result result = {0};
    fx_error cause = {0};
    (void)snprintf(c.name, sizeof c.name, "%s", by->probe->name);
    const fx_status status =
        fx_sampler_run(cost->device, &c, &cost->sampling, cost->seed + cost->patterns++, &result, &cause);
    FX_FAIL_IF(status == FX_DEVICE_LOST || status == FX_WRONG_RESULT || status == FX_INTERRUPTED, err, status, "%s",
               cause.text);
    if (status) {
        (void)snprintf(out->why_not, sizeof out->why_not, "%.250s", cause.text);
    } else {
        out->measured = result.summary.median;
    }
    return FX_OK;
}

/* Accesses that no program can make. That a level is measured elsewhere, or has no law, is none. */
static fx_status check(const fx_pattern_cost *cost, const fx_pattern *pattern, fx_error *err) {
    const fx_access_level by = cost->kind->level[0].by;
    const bool of_sm = by == FX_LEVEL_SHARED || by == FX_LEVEL_CONSTANT;
    const char *reason = refusal(&cost->facts, way_of(cost, 0, pattern->width_bytes));
    const uint64_t span = fx_lanes_span(&pattern->lanes, pattern->width_bytes);
    const uint64_t limit = by == FX_LEVEL_CONSTANT ? CONSTANT_BYTES
                           : by == FX_LEVEL_SHARED ? cost->facts.shared_per_block_bytes
                                                   : 0;
    FX_FAIL_IF(reason && of_sm, err, FX_BAD_INPUT, "%s", reason);
    FX_FAIL_IF(limit && span > limit, err, FX_BAD_INPUT,
               "the pattern spans %llu bytes, but %s memory has %llu on this device", (unsigned long long)span,
               cost->kind->space, (unsigned long long)limit);
    return FX_OK;
}

/* The count of the best that as many lanes can do: side by side, or at one address of constant memory. */
static double best_count(fx_pattern_cost *cost, size_t level, const fx_lanes *lanes, unsigned width_bytes) {
    const unsigned active = fx_pattern_active(lanes);
    double *known = &cost->best_count[level][__builtin_ctz(width_bytes)][active];
    if (!(*known > 0)) {
        const unsigned apart = cost->kind->level[level].by == FX_LEVEL_CONSTANT ? 0 : width_bytes;
        fx_lanes best;
        for (unsigned l = 0; l < FX_WARP; l++) {
            best.offset[l] = l < active ? (int32_t)(l * apart) : -1;
        }
        *known = predict(cost, way_of(cost, level, width_bytes), &best).count;
    }
    return *known;
}

void fx_pattern_cost_level(fx_pattern_cost *cost, size_t level, const fx_lanes *lanes, unsigned width_bytes,
                           fx_pattern_cost_at *out) {
    static const fx_pattern_way none;
    const fx_pattern_way *by = fx_pattern_is_width(width_bytes) ? way_of(cost, level, width_bytes) : &none;
    if (cost->kind->does > FX_STORES && refusal(&cost->facts, by)) {
        by = &none; /* atomics have few widths */
    }
    *out = (fx_pattern_cost_at){.prediction = predict(cost, by, lanes),
                                .fit = by->fit,
                                .predicted = NAN,
                                .best = NAN,
                                .times = NAN,
                                .measured = NAN};
    out->unit = by->probe ? by->probe->metrics[out->prediction.metric].unit : "";
    if (!out->prediction.law) {
        return;
    }
    out->best_count = best_count(cost, level, lanes, width_bytes);
    out->predicted = fx_predict(by->fit, out->prediction.count);
    out->best = fx_predict(by->fit, out->best_count);
    if (out->best > 0 && isfinite(out->predicted)) {
        out->times = out->predicted / out->best;
    } else if (out->best_count > 0) {
        out->times = out->prediction.count / out->best_count;
    }
    out->open = out->prediction.why_not && cost->kind->level[level].by == FX_LEVEL_DRAM;
    out->least = out->open;
    out->gaps =
        out->open && cost->kind->does == FX_STORES && fx_law_leaves_gaps(&cost->facts.geometry, lanes, width_bytes);
}

unsigned fx_pattern_wavefronts(const fx_pattern_cost *cost, const fx_lanes *lanes, unsigned width_bytes) {
    const fx_pattern_kind *kind = cost->kind;
    const bool shared = kind->level[0].by == FX_LEVEL_SHARED;
    return (fx_pattern_is_atomic(kind)         ? fx_law_bank_lanes
            : kind->does == FX_LOADS && shared ? fx_law_wavefronts
                                               : fx_law_store_wavefronts)(&cost->facts.geometry, lanes, width_bytes);
}

fx_status fx_pattern_cost_of(fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_answer *out, fx_error *err) {
    fx_error cause = {0};
    if (check(cost, pattern, &cause)) {
        char id[FX_PATTERN_ID_BYTES];
        fx_pattern_id(pattern, id, sizeof id);
        return fx_fail(err, FX_BAD_INPUT, "pattern %s: %s", id, cause.text);
    }
    *out = (fx_pattern_answer){.count = cost->kind->count};
    for (size_t level = 0; level < out->count; level++) {
        fx_pattern_cost_level(cost, level, &pattern->lanes, pattern->width_bytes, &out->at[level]);
        if (cost->device) {
            FX_TRY(measure(cost, way_of(cost, level, pattern->width_bytes), pattern, &out->at[level], err));
        }
    }
    return FX_OK;
}

bool fx_pattern_is_bound(const fx_pattern_cost_at *at) {
    return at->prediction.law && at->prediction.why_not && !at->open;
}

double fx_pattern_most(const fx_pattern_cost_at *at) {
    return at->gaps && at->times >= 1.05 ? INFINITY : at->times;
}

bool fx_pattern_is_judged(const fx_pattern_cost_at *at) {
    return at->fit && fx_prediction_in_fit(&at->prediction) && !strcmp(at->fit->law, at->prediction.law);
}

fx_prediction fx_pattern_count(const fx_pattern_cost *cost, size_t level, const fx_lanes *lanes, unsigned width_bytes) {
    return predict(cost, way_of(cost, level, width_bytes), lanes);
}

double fx_pattern_predict(const fx_pattern_cost *cost, size_t level, double count, unsigned width_bytes) {
    return fx_predict(way_of(cost, level, width_bytes)->fit, count);
}

uint64_t fx_pattern_array_bytes(uint64_t shared_per_sm_bytes) {
    return (shared_per_sm_bytes + ARRAY_BYTES - 1) / ARRAY_BYTES * ARRAY_BYTES;
}

uint64_t fx_pattern_fact(const fx_pattern_cost *cost, uint64_t known, const char *key) {
    for (size_t level = 0; !known && level < FX_PATTERN_LEVELS; level++) {
        const json_t *run = cost->from[level] ? cost->from[level]->run : NULL;
        const json_int_t value = json_integer_value(json_object_get(json_object_get(run, "device"), key));
        known = value > 0 ? (uint64_t)value : 0;
    }
    return known;
}

double fx_pattern_lost(const fx_pattern_cost *cost, const fx_pattern_answer *sum) {
    double most = 0;
    for (size_t level = 0; level < sum->count; level++) {
        const fx_pattern_cost_at *at = &sum->at[level];
        const bool known = isfinite(at->predicted) && isfinite(at->best);
        const double all = known ? at->predicted : at->prediction.count, best = known ? at->best : at->best_count;
        most = fmax(most, cost->kind->level[level].by == FX_LEVEL_DRAM ? 0 : all - best);
    }
    return most;
}

bool fx_pattern_nearest(const char *root, const char *slug, const char *arch, char path[PATH_MAX]) {
    FX_OWNED(fx_archives_close_at) fx_archives *history = NULL;
    json_auto_t *wanted = json_object();
    size_t count, at = 0;
    const fx_probe *const *probes = fx_probes(&count);
    for (size_t i = 0; i < count; i++) {
        if (probes[i]->access) {
            json_object_set_new(wanted, probes[i]->name, json_true());
        }
    }
    const fx_archive_query wish = {
        .slug = *slug ? slug : NULL, .arch = arch, .farthest = FX_SAME_ARCH, .probes = wanted};
    fx_archive_match reach;
    const fx_archive_entry *past = NULL;
    if (!fx_archives_of_project(root, true, &history, NULL)) {
        past = fx_archives_next(history, &wish, &at, &reach);
    }
    if (past) {
        (void)snprintf(path, PATH_MAX, "%s", past->path);
    }
    return past != NULL;
}

void fx_pattern_cost_free(fx_pattern_cost *cost) {
    if (!cost) {
        return;
    }
    fx_device_destroy(cost->device);
    free(cost);
}
