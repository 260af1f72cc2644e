/* What a pattern costs. The laws are those of the probe `pattern`, which also measures: a pattern of the user's is a
 * case of that probe with a lane table from outside. Cycles are predicted by the fits of the latest archive of the
 * architecture that has some. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/archive.h"
#include "core/nearest.h"
#include "pattern.h"
#include "places.h"
#include "select.h"

enum { WIDTHS = 5, CONSTANT_BYTES = 64 << 10 };

/* measured = a + b * count of one width: the means over the launches of an archive. */
typedef struct line_fit {
    double a, b;
    size_t launches;
} line_fit;

struct fx_pattern_cost {
    const fx_pattern_kind *kind;
    fx_device *device; /* NULL: nothing is measured */
    fx_facts facts;
    char arch[16], slug[128], fits[PATH_MAX]; /* slug: empty where no device was opened */
    line_fit fit[WIDTHS];
    fx_sampling sampling;
    uint64_t seed, patterns;
    bool only_measured;
};

static size_t index_of_width(unsigned width_bytes) {
    size_t i = 0;
    while (width_bytes > 1u << i) {
        i++;
    }
    return i;
}

static fx_status choice_of(const char *option, const char *value, const char *const *known, size_t count, size_t *index,
                           fx_error *err) {
    char list[128];
    for (*index = 0; *index < count; ++*index) {
        if (!strcmp(value, known[*index])) {
            return FX_OK;
        }
    }
    return fx_fail(err, FX_BAD_INPUT, "%s %.40s: it must be one of %s.", option, value,
                   fx_nearest_list(value, known, count, list, sizeof list));
}

/* The axis and the choice of that name; both are there, since the probe's file says so. */
static size_t axis_named(const fx_probe *probe, const char *name) {
    size_t i = 0;
    while (strcmp(probe->axes[i].name, name) != 0) {
        i++;
    }
    return i;
}

static int64_t choice_named(const fx_axis *axis, const char *name) {
    char text[64];
    int64_t i = 0;
    while (fx_axis_choice(axis, i, text, sizeof text) && strcmp(text, name) != 0) {
        i++;
    }
    return i;
}

fx_status fx_pattern_kind_of(const fx_options *options, fx_pattern_kind *out, fx_error *err) {
    static const char *const spaces[] = {"shared", "global", "constant"}, *const ops[] = {"load", "store", "atomic"},
                             *const levels[] = {"l1", "l2", "dram"};
    size_t space, op, level;
    const char *wanted = options->level ? options->level : !strcmp(options->op, "load") ? "l1" : "l2";
    if (choice_of("--space", options->space, spaces, FX_COUNT(spaces), &space, err) ||
        choice_of("--op", options->op, ops, FX_COUNT(ops), &op, err) ||
        choice_of("--level", wanted, levels, FX_COUNT(levels), &level, err)) {
        return err->status;
    }
    if (options->level && space != 1) {
        return fx_fail(err, FX_BAD_INPUT, "--level belongs to --space global; %s memory has one level here.",
                       spaces[space]);
    }
    const fx_probe *probe = fx_probe_find("pattern");
    if (!probe) {
        return fx_fail(err, FX_UNSUPPORTED, "This build has no probe 'pattern': its folder in micro/ is missing.");
    }
    *out = (fx_pattern_kind){.probe = probe,
                             .memory_axis = axis_named(probe, "memory"),
                             .op_axis = axis_named(probe, "op"),
                             .width_axis = axis_named(probe, "width"),
                             .space = spaces[space],
                             .op = ops[op],
                             .level = space == 1 ? levels[level] : NULL};
    for (size_t i = 0; i < probe->axes_count; i++) {
        out->params.value[i] = probe->axes[i].fallback;
    }
    const size_t family = axis_named(probe, "family");
    out->params.value[family] = choice_named(&probe->axes[family], "custom");
    out->params.value[out->memory_axis] =
        choice_named(&probe->axes[out->memory_axis], space == 1 ? out->level : out->space);
    out->params.value[out->op_axis] = choice_named(&probe->axes[out->op_axis], op == 2 ? "atomic_add" : ops[op]);
    if (op && space == 2) {
        return fx_fail(err, FX_BAD_INPUT, "--op %s: constant memory can only be read.", ops[op]);
    }
    if (op && space == 1 && level == 0) {
        return fx_fail(err, FX_BAD_INPUT, "--level l1: a %s goes through the L1 to the L2; leave --level out.",
                       ops[op]);
    }
    return FX_OK;
}

/* An atomic of 8 bytes is an exchange: an addition would be a loop. */
static fx_params params_of(const fx_pattern_kind *kind, unsigned width_bytes) {
    fx_params params = kind->params;
    params.value[kind->width_axis] = width_bytes;
    if (!strcmp(kind->op, "atomic") && width_bytes == 8) {
        params.value[kind->op_axis] = choice_named(&kind->probe->axes[kind->op_axis], "atomic_exch");
    }
    return params;
}

static fx_prediction predict(const fx_pattern_cost *cost, const fx_lanes *lanes, unsigned width_bytes) {
    const fx_params params = params_of(cost->kind, width_bytes);
    fx_prediction prediction = {0};
    cost->kind->probe->law(&cost->facts, &params, lanes, &prediction);
    return prediction;
}

/* Adds the fit of a line if it is one of this kind. */
static void take_fit(fx_pattern_cost *cost, const json_t *object) {
    const fx_pattern_kind *kind = cost->kind;
    const json_t *group = json_object_get(object, "group");
    const char *probe = json_string_value(json_object_get(object, "probe"));
    const char *memory = json_string_value(json_object_get(group, "memory"));
    const char *op = json_string_value(json_object_get(group, "op"));
    const json_int_t width = json_integer_value(json_object_get(group, "width"));
    char wanted_memory[64], wanted_op[64];
    if (!probe || !memory || !op || width < 1 || width > 16 || strcmp(probe, kind->probe->name) != 0) {
        return;
    }
    const fx_params params = params_of(kind, (unsigned)width);
    if (!fx_axis_choice(&kind->probe->axes[kind->memory_axis], params.value[kind->memory_axis], wanted_memory,
                        sizeof wanted_memory) ||
        !fx_axis_choice(&kind->probe->axes[kind->op_axis], params.value[kind->op_axis], wanted_op, sizeof wanted_op) ||
        strcmp(memory, wanted_memory) != 0 || strcmp(op, wanted_op) != 0) {
        return;
    }
    const json_t *a = json_object_get(object, "a"), *b = json_object_get(object, "b");
    const char *law = json_string_value(json_object_get(object, "law"));
    const fx_lanes one = {{0}};
    const fx_prediction today = predict(cost, &one, (unsigned)width);
    /* A fit over another law's count, of an older gpufx, says nothing of today's. */
    if (!json_is_number(a) || !json_is_number(b) || !(json_number_value(b) > 0) || !law || !today.law ||
        strcmp(law, today.law) != 0) {
        return;
    }
    line_fit *fit = &cost->fit[index_of_width((unsigned)width)];
    fit->a += json_number_value(a);
    fit->b += json_number_value(b);
    fit->launches++;
}

/* An archive is long and its fits are few: only their lines are parsed. */
static fx_status read_fits(fx_pattern_cost *cost, fx_error *err) {
    static const char begin[] = "{\"type\":\"fit\"";
    char *text = NULL;
    size_t capacity = 0;
    ssize_t size;
    FILE *file = fopen(cost->fits, "re");
    if (!file) {
        return fx_fail(err, FX_IO, "cannot read the archive '%s': %s.", cost->fits, strerror(errno));
    }
    while ((size = getline(&text, &capacity, file)) > 0) {
        if (strncmp(text, begin, sizeof begin - 1) != 0) {
            continue;
        }
        json_t *object = json_loadb(text, (size_t)size, 0, NULL);
        take_fit(cost, object);
        json_decref(object);
    }
    free(text);
    (void)fclose(file);
    for (size_t i = 0; i < WIDTHS; i++) {
        if (cost->fit[i].launches) {
            cost->fit[i].a /= (double)cost->fit[i].launches;
            cost->fit[i].b /= (double)cost->fit[i].launches;
        }
    }
    return FX_OK;
}

/* --arch: "sm_90" or "90". */
static fx_status facts_of_arch(const char *arch, fx_pattern_cost *cost, fx_error *err) {
    const char *digits = !strncmp(arch, "sm_", 3) ? arch + 3 : arch;
    char *end;
    const long number = strtol(digits, &end, 10);
    if (*digits < '1' || *digits > '9' || *end || number < 50 || number > 999) {
        return fx_fail(err, FX_BAD_INPUT, "--arch %.40s: it must be an architecture, such as sm_90.", arch);
    }
    (void)snprintf(cost->arch, sizeof cost->arch, "sm_%ld", number);
    cost->facts = (fx_facts){.geometry = fx_geometry_of((int)number / 10, (int)number % 10),
                             .compute_major = (int)number / 10,
                             .compute_minor = (int)number % 10};
    return FX_OK;
}

/* Opens the device where one is to measure or to say what it is; without a GPU the laws of `sm_90` remain. */
static fx_status open_device(const fx_options *options, const char *root, fx_pattern_cost *cost, fx_error *err) {
    char notice[FX_NOTICE_BYTES];
    if (options->predict && options->measure) {
        return fx_fail(err, FX_BAD_INPUT, "--predict and --measure exclude each other; without either, both are done.");
    }
    if (options->measure && options->arch) {
        return fx_fail(err, FX_BAD_INPUT, "--measure is about the device at hand: leave out --arch.");
    }
    if (options->arch) {
        return options->device ? fx_fail(err, FX_BAD_INPUT, "Give --arch or --device, not both.")
                               : facts_of_arch(options->arch, cost, err);
    }
    if (fx_select_device(options, root, (uint64_t)options->seed, &cost->device, notice, err)) {
        return err->status;
    }
    if (notice[0]) { /* no GPU: the synthetic stand-in would measure invented numbers */
        fx_device_destroy(cost->device);
        cost->device = NULL;
        return options->measure ? fx_fail(err, FX_UNSUPPORTED,
                                          "--measure: there is no CUDA device. --predict needs none; --device "
                                          "synthetic:%s stands in, with invented numbers.",
                                          FX_DEFAULT_SYNTHETIC)
                                : facts_of_arch("sm_90", cost, err);
    }
    cost->facts = cost->device->facts;
    (void)snprintf(cost->arch, sizeof cost->arch, "%s", cost->device->arch);
    (void)snprintf(cost->slug, sizeof cost->slug, "%s", cost->device->slug);
    if (options->predict) {
        fx_device_destroy(cost->device);
        cost->device = NULL;
        return FX_OK;
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
    if (fx_root(root, err)) {
        return err->status;
    }
    fx_pattern_cost *cost = calloc(1, sizeof *cost);
    if (!cost) {
        return fx_fail(err, FX_NO_MEMORY, "Out of memory while predicting patterns.");
    }
    cost->kind = kind;
    cost->only_measured = options->measure;
    cost->seed = (uint64_t)options->seed;
    cost->sampling = fx_sampling_default(false);
    fx_status status = open_device(options, root, cost, err);
    if (!status && !options->measure && is_of_its_arch(&cost->facts) &&
        fx_latest_archive(root, *cost->slug ? cost->slug : NULL, cost->arch, kind->probe->name, cost->fits)) {
        status = read_fits(cost, err);
    }
    if (status) {
        fx_pattern_cost_free(cost);
        return status;
    }
    *out = cost;
    return FX_OK;
}

/* On a failure of this pattern alone its reason is kept and the others go on. */
static fx_status measure(fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_answer *out, fx_error *err) {
    fx_case c = {.probe = cost->kind->probe,
                 .sweep = &cost->kind->probe->sweeps[0],
                 .params = params_of(cost->kind, pattern->width_bytes),
                 .has_lanes = true,
                 .lanes = pattern->lanes,
                 .prediction = out->prediction,
                 .name = "pattern"};
    fx_result result = {0};
    fx_error cause = {0};
    const char *reason = c.probe->supported(&cost->facts, &c.params);
    if (!fx_lanes_span(&pattern->lanes, pattern->width_bytes)) {
        reason = "no lane is active";
    }
    if (reason) {
        (void)snprintf(out->why_not, sizeof out->why_not, "%s", reason);
        return FX_OK;
    }
    const fx_status status =
        fx_sampler_run(cost->device, &c, &cost->sampling, cost->seed + cost->patterns++, &result, &cause);
    if (status == FX_DEVICE_LOST || status == FX_WRONG_RESULT || status == FX_INTERRUPTED) {
        return fx_fail(err, status, "%s", cause.text);
    }
    if (status) {
        (void)snprintf(out->why_not, sizeof out->why_not, "%.250s", cause.text);
    } else {
        out->measured_cycles = result.summary.median;
    }
    fx_result_free(&result);
    return FX_OK;
}

/* Accesses that no program can make. That a memory is measured elsewhere, or has no law, is none. */
static fx_status check(const fx_pattern_cost *cost, const fx_pattern *pattern, fx_error *err) {
    const fx_pattern_kind *kind = cost->kind;
    const fx_params params = params_of(kind, pattern->width_bytes);
    const char *reason = kind->probe->supported(&cost->facts, &params);
    const uint64_t span = fx_lanes_span(&pattern->lanes, pattern->width_bytes);
    const bool constant = !strcmp(kind->space, "constant"), shared = !strcmp(kind->space, "shared");
    const uint64_t limit = constant ? CONSTANT_BYTES : shared ? cost->facts.shared_per_block_bytes : 0;
    if (reason && (constant || shared)) {
        return fx_fail(err, FX_BAD_INPUT, "%s", reason);
    }
    if (limit && span > limit) {
        return fx_fail(err, FX_BAD_INPUT, "the pattern spans %llu bytes; %s memory has %llu here",
                       (unsigned long long)span, kind->space, (unsigned long long)limit);
    }
    return FX_OK;
}

fx_status fx_pattern_cost_of(fx_pattern_cost *cost, const fx_pattern *pattern, fx_pattern_answer *out, fx_error *err) {
    fx_error cause = {0};
    if (check(cost, pattern, &cause)) {
        char id[FX_PATTERN_ID_BYTES];
        fx_pattern_id(pattern, id, sizeof id);
        return fx_fail(err, FX_BAD_INPUT, "Pattern %s: %s.", id, cause.text);
    }
    *out =
        (fx_pattern_answer){.prediction = predict(cost, &pattern->lanes, pattern->width_bytes), .measured_cycles = NAN};
    out->predicted_cycles = fx_pattern_cycles(cost, out->prediction.count, pattern->width_bytes);
    return cost->device ? measure(cost, pattern, out, err) : FX_OK;
}

double fx_pattern_count(const fx_pattern_cost *cost, const fx_lanes *lanes, unsigned width_bytes) {
    return predict(cost, lanes, width_bytes).count;
}

double fx_pattern_cycles(const fx_pattern_cost *cost, double count, unsigned width_bytes) {
    const line_fit *fit = &cost->fit[index_of_width(width_bytes)];
    return fit->launches && count > 0 ? fit->a + fit->b * count : NAN;
}

const fx_facts *fx_pattern_facts(const fx_pattern_cost *cost) {
    return &cost->facts;
}

const char *fx_pattern_arch(const fx_pattern_cost *cost) {
    return cost->arch;
}

const char *fx_pattern_fits(const fx_pattern_cost *cost) {
    return cost->fits;
}

const char *fx_pattern_measured_on(const fx_pattern_cost *cost) {
    return cost->device ? cost->device->name : NULL;
}

bool fx_pattern_invented(const fx_pattern_cost *cost) {
    return cost->device && cost->device->synthetic;
}

bool fx_pattern_only_measured(const fx_pattern_cost *cost) {
    return cost->only_measured;
}

void fx_pattern_cost_free(fx_pattern_cost *cost) {
    if (!cost) {
        return;
    }
    fx_device_destroy(cost->device);
    free(cost);
}
