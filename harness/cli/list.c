/* `list`: what can be measured. Cases depend on the device (what it can't run is waived), so they are those of the
 * device asked for, and of the stand-in where none is named: listing must not need a GPU, nor wake one. */

#include "archive/archive.h"
#include "call/message.h"
#include "call/places.h"
#include "call/verb.h"
#include "core/kernel.h"
#include "core/search.h"
#include "core/text.h"
#include "gpu/kernel_hash.h"
#include "run/probe_data.h"
#include "run/provenance.h"
#include "run/select.h"

enum { INDENT = 22 }; /* of what an axis, a sweep or a metric goes on with */

typedef struct listing {
    const fx_options *options;
    const fx_probe *probe;
    const fx_case *cases; /* of this probe alone */
    size_t count;
} listing;

static void print_axis(const fx_axis *axis) {
    char text[64], range[96];
    (void)snprintf(range, sizeof range, "%lld to %lld%s%s", (long long)axis->min, (long long)axis->max,
                   *axis->unit ? " " : "", axis->unit);
    fx_print_wrapped(stdout, INDENT, "  axis   %-12s %s; %s (default %s)", axis->name,
                     axis->choices ? axis->choices : range, axis->help,
                     fx_axis_format(axis, axis->fallback, text, sizeof text));
}

static void print_text(const listing *l) {
    const fx_probe *probe = l->probe;
    size_t waived = 0;
    fx_print_wrapped(stdout, 4, "%s: %s", probe->name, probe->question);
    for (size_t i = 0; i < probe->axes_count; i++) {
        print_axis(&probe->axes[i]);
    }
    for (size_t i = 0; i < probe->sweeps_count; i++) {
        const char *axes = l->options->quick ? probe->sweeps[i].quick : probe->sweeps[i].axes;
        if (axes) {
            fx_print_wrapped(stdout, INDENT, "  sweep  %-12s %s", probe->sweeps[i].name, *axes ? axes : "(one case)");
        }
    }
    for (size_t i = 0; i < probe->searches_count && !l->options->quick; i++) {
        const fx_search *search = &probe->searches[i];
        fx_print_wrapped(stdout, INDENT, "  search %-12s %s%s%s, to %lld or 1 %%: %s", search->axis,
                         fx_change_text(search->change), search->against ? " than " : "",
                         search->against ? search->against : "", (long long)search->granule, search->where);
    }
    for (size_t i = 0; i < probe->metrics_count; i++) {
        fx_print_wrapped(stdout, INDENT, "  metric %-12s in %s, by %s, %s is better", probe->metrics[i].name,
                         probe->metrics[i].unit, fx_timebase_names[probe->metrics[i].timebase],
                         probe->metrics[i].higher_is_better ? "higher" : "lower");
    }
    for (size_t i = 0; i < l->count; i++) {
        waived += l->cases[i].waived != NULL;
    }
    printf("  %zu case%s", l->count, l->count == 1 ? "" : "s");
    if (waived) {
        printf(", %zu of them waived", waived);
    }
    putchar('\n');
    for (size_t i = 0; i < l->count && l->options->cases; i++) {
        printf("    %s%s%s\n", l->cases[i].name, l->cases[i].waived ? "  waived: " : "",
               l->cases[i].waived ? l->cases[i].waived : "");
    }
}

/* The probes in a line each, where nothing of them was asked for. */
static bool brief(const fx_options *options) {
    return !options->words.count && !options->axes.count && !options->filter && !options->cases && !options->quick;
}

static json_t *axis_json(const fx_axis *axis) {
    char text[64];
    if (axis->choices) {
        return json_pack("{ss ss ss so ss}", "name", axis->name, "unit", axis->unit, "help", axis->help, "choices",
                         fx_words_json(axis->choices), "default",
                         fx_axis_format(axis, axis->fallback, text, sizeof text));
    }
    return json_pack("{ss ss ss sI sI sI}", "name", axis->name, "unit", axis->unit, "help", axis->help, "min",
                     (json_int_t)axis->min, "max", (json_int_t)axis->max, "default", (json_int_t)axis->fallback);
}

static json_t *counts_json(const fx_prediction *law) {
    json_t *counts = json_object();
    for (size_t i = 0; i < law->count_count; i++) {
        (void)json_object_set_new(counts, law->counts[i].name, json_real(law->counts[i].value));
    }
    return counts;
}

/* A line of the probe's table that speaks of this case, which one, and the count that it must find; else NULL. */
static json_t *expected_json(const fx_case *c, size_t i, fx_error *err) {
    bool applies;
    double count;
    return !err->status && !fx_counter_expect(c, &c->probe->counters[i], &applies, &count, err) && applies
               ? json_pack("{sI sf}", "counter", (json_int_t)i, "count", count)
               : NULL;
}

/* The name of a kernel that runs in this case, whatever for; else NULL. */
static json_t *kernel_json(const fx_case *c, const fx_kernel *row, fx_error *err) {
    char name[FX_NAME_BYTES];
    bool serves = false;
    return !err->status && !fx_kernel_serves(c->probe, row, &c->params, &serves, err) && serves && *row->entry.name
               ? json_string(fx_kernel_name(row, name, sizeof name))
               : NULL;
}

static json_t *case_json(const fx_case *c, fx_error *err) {
    const fx_prediction *law = &c->prediction;
    json_t *lanes = c->has_lanes ? FX_JSON_LIST(i, FX_WARP, json_integer(c->lanes.offset[i])) : json_null();
    json_t *count = law->law ? json_pack("{ss sf sb}", "name", law->law, "count", law->count, "in_fit", !law->why_not)
                             : json_null();
    return json_pack("{ss ss so ss so so so so ss? so}", "name", c->name, "sweep", c->sweep->name, "params",
                     fx_params_json(c, NULL), "metric", c->probe->metrics[law->metric].name, "law", count, "counts",
                     counts_json(law), "counters", FX_JSON_LIST(i, c->probe->counters_count, expected_json(c, i, err)),
                     "lanes", lanes, "waived", c->waived, "kernels",
                     FX_JSON_LIST(i, c->probe->kernels_count, kernel_json(c, &c->probe->kernels[i], err)));
}

/* Print what the machine code is checked for, one line per kernel and opcode. */
static json_t *sass_json(const fx_probe *probe) {
    json_t *sass = json_array();
    char name[FX_NAME_BYTES];
    for (size_t i = 0; i < probe->kernels_count; i++) {
        const fx_kernel *kernel = &probe->kernels[i];
        const bool repeated = fx_kernel_is_repeated(probe, kernel);
        for (size_t k = 0; k < FX_MAX_OPCODES && kernel->loop[k].name && !repeated; k++) {
            (void)json_array_append_new(
                sass, json_pack("{ss ss sI sI}", "kernel", fx_kernel_name(kernel, name, sizeof name), "opcode",
                                kernel->loop[k].name, "count", (json_int_t)kernel->loop[k].count, "min_compute",
                                (json_int_t)kernel->min_compute));
        }
    }
    return sass;
}

/* Where in the program's file the machine code of the probe's source file lies. */
static json_t *fatbin_json(const fx_probe *probe) {
    size_t offset, bytes;
    for (size_t i = 0; i < probe->kernels_count; i++) {
        if (fx_kernel_fatbin(probe->kernels[i].entry.address, &offset, &bytes)) {
            return json_pack("{sI sI}", "offset", (json_int_t)offset, "bytes", (json_int_t)bytes);
        }
    }
    return json_null();
}

static json_t *sweep_json(const fx_sweep *sweep) {
    return json_pack("{ss ss ss?}", "name", sweep->name, "axes", sweep->axes, "quick", sweep->quick);
}

static json_t *counter_json(const fx_counter *c) {
    return json_pack("{ss ss? sf ss ss sf sf}", "where", c->where, "count", c->count, "scale", c->scale, "metric",
                     c->metric, "over", c->over, "relative", c->relative, "absolute", c->absolute);
}

static json_t *aim_json(const fx_aim *aim) {
    return json_pack("{ss sf so?}", "where", aim->where, "tolerance_pct", aim->tolerance_pct, "share_pct",
                     json_real(aim->share_pct));
}

static json_t *probe_json(const listing *l, fx_error *err) {
    const fx_probe *probe = l->probe;
    return json_pack("{ss ss sI so so so ss? so so sI so so ss? ss? so so*}", "name", probe->name, "question",
                     probe->question, "method_version", (json_int_t)probe->method_version, "axes",
                     FX_JSON_LIST(i, probe->axes_count, axis_json(&probe->axes[i])), "sweeps",
                     FX_JSON_LIST(i, probe->sweeps_count, sweep_json(&probe->sweeps[i])), "metrics",
                     FX_JSON_LIST(i, probe->metrics_count, fx_metric_json(&probe->metrics[i])), "extras", probe->extras,
                     "sass", sass_json(probe), "counters",
                     FX_JSON_LIST(i, probe->counters_count, counter_json(&probe->counters[i])), "case_count",
                     (json_int_t)l->count, "fatbin", fatbin_json(probe), "aims",
                     FX_JSON_LIST(i, probe->aims_count, aim_json(&probe->aims[i])), "drawn_by", probe->drawn_by,
                     "sanitized", probe->sanitized, "claims", fx_claims_of(probe), "cases",
                     l->options->cases ? FX_JSON_LIST(i, l->count, case_json(&l->cases[i], err)) : NULL);
}

/* The cases stand probe by probe: hands each probe its own. */
static fx_status print(const fx_options *options, const fx_case_list *cases, const fx_probe *const *probes,
                       size_t probe_count, fx_error *err) {
    json_auto_t *all = options->json ? json_array() : NULL;
    size_t at = 0;
    for (size_t p = 0; p < probe_count && !err->status; p++) {
        listing l = {.options = options, .probe = probes[p], .cases = cases->cases + at};
        while (at < cases->count && cases->cases[at].probe == probes[p]) {
            at++;
            l.count++;
        }
        if (all) {
            (void)json_array_append_new(all, probe_json(&l, err));
        } else if (brief(options)) {
            fx_print_wrapped(stdout, 4, "%s: %s (%zu case%s)", l.probe->name, l.probe->question, l.count,
                             l.count == 1 ? "" : "s");
        } else {
            print_text(&l);
        }
    }
    if (!all && brief(options)) {
        puts("\naxes, sweeps and metrics: gpufx list PROBE; every case: gpufx list --cases");
    }
    if (all && !err->status) {
        (void)fx_text_print_json(stdout, all, 2);
    }
    return err->status;
}

int fx_verb_list(fx_call *call) {
    fx_options *options = &call->options;
    fx_error err = {0};
    char root[PATH_MAX], notice[FX_NOTICE_BYTES];
    const fx_probe **probes = NULL;
    fx_case_list cases = {0};
    fx_device *device = NULL;
    size_t probe_count;
    int status = FX_EXIT_OK;
    if (!options->device) {
        options->device = "synthetic:" FX_DEFAULT_SYNTHETIC;
    }
    if (fx_root(root, &err) || fx_select_probes(options, &probes, &probe_count, &err) ||
        fx_select_device(options, root, 0, &device, notice, &err) ||
        fx_select_cases(options, probes, probe_count, &device->facts, &cases, &err) ||
        print(options, &cases, probes, probe_count, &err)) {
        status = fx_exit_for(&err);
    }
    fx_case_list_free(&cases);
    fx_device_destroy(device);
    free(probes);
    return status;
}
