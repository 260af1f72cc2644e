/* Every registered probe, whole: what each case of its sweeps declares, and that the synthetic devices which ship have
 * something to say about it; what its tables say. The probes are compiled as C here, whatever the build. */
#include "unit.h"

#include <math.h>

#include "core/case_list.h"
#include "core/kernel.h"
#include "core/pattern_text.h"
#include "core/random.h"
#include "core/sampler.h"
#include "core/search.h"
#include "core/synthetic.h"
#include "run/probe_data.h"

/* The synthetic device of that name, or the test fails. */
static fx_device *load(const char *name) {
    fx_error err = {0};
    fx_device *device;
    assert_ok(fx_synthetic_load(FX_DEVICES, name, 1, &device, &err));
    return device;
}

/* Hands over the cases of every probe, once from its full sweeps and once from its quick ones. */
typedef void visit(fx_device *device, const fx_case_list *list, bool quick);

static void for_each_probe(fx_device *device, visit *check) {
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    assert_null(fx_probe_problem());
    assert_true(count >= 6); /* the five effects and null */
    for (size_t i = 0; i < count; i++) {
        for (int quick = 0; quick <= 1; quick++) {
            fx_error err = {0};
            fx_case_list list = {0};
            assert_ok(fx_cases_expand(probes[i], &device->facts, quick, NULL, 0, &list, &err));
            if (list.count == 0) {
                fail_msg("%s has no case%s", probes[i]->name, quick ? " with --quick" : "");
            }
            check(device, &list, quick);
            fx_case_list_free(&list);
        }
    }
}

/* Before and after all tests: *state is the generic one. */
static int open_generic(void **state) {
    *state = load("generic");
    return 0;
}

static int close_generic(void **state) {
    fx_device_destroy(*state);
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const fx_case *)a)->name, ((const fx_case *)b)->name);
}

static void each_name_is_there_once(fx_device *device, const fx_case_list *list, bool quick) {
    qsort(list->cases, list->count, sizeof *list->cases, by_name);
    for (size_t i = 1; i < list->count; i++) {
        if (strcmp(list->cases[i - 1].name, list->cases[i].name) == 0) {
            fail_msg("%s is there twice", list->cases[i].name);
        }
    }
}

TEST(names_are_unique) {
    for_each_probe(*unit_state, each_name_is_there_once);
}

static bool is_count(double value) {
    return isfinite(value) && value >= 0;
}

/* Bytes per lane, where the probe has such an axis; words otherwise. */
static unsigned width_of(const fx_case *c) {
    for (size_t i = 0; i < c->probe->axes_count; i++) {
        if (strcmp(c->probe->axes[i].name, "width") == 0) {
            return (unsigned)c->params.value[i];
        }
    }
    return 4;
}

static void check_case(const fx_case *c) {
    const fx_prediction *law = &c->prediction;
    if (c->waived) {
        fail_msg("%s is part of the sweep '%s' and waived: %s", c->name, c->sweep->name, c->waived);
    }
    if (law->metric >= c->probe->metrics_count) {
        fail_msg("%s has metric %zu of %zu", c->name, law->metric, c->probe->metrics_count);
    }
    if (law->law && !(is_count(law->count) && law->count > 0)) {
        fail_msg("%s: law '%s' counts %g", c->name, law->law, law->count);
    }
    if (!is_count(law->useful_bytes) || !is_count(law->moved_bytes)) {
        fail_msg("%s: %g useful bytes, %g moved", c->name, law->useful_bytes, law->moved_bytes);
    }
    for (size_t i = 0; i < law->count_count; i++) {
        if (!law->counts[i].name || !is_count(law->counts[i].value)) {
            fail_msg("%s: count '%s' is %g", c->name, law->counts[i].name ? law->counts[i].name : "(no name)",
                     law->counts[i].value);
        }
    }
    if (law->counts_lost) {
        fail_msg("%s: more than %d counts", c->name, FX_MAX_COUNTS);
    }
    const char *per = c->probe->metrics[law->metric].per;
    if (!per || !*per) {
        fail_msg("%s: its metric does not say what a sample stands for (fx_metric.per)", c->name);
    }
    fx_error err = {0};
    if (c->has_lanes && (fx_lanes_check(&c->lanes, width_of(c), &err) || fx_lanes_span(&c->lanes, width_of(c)) == 0)) {
        fail_msg("%s: its lanes are not aligned to %u bytes, or all idle", c->name, width_of(c));
    }
}

static void each_case_is_sound(fx_device *device, const fx_case_list *list, bool quick) {
    for (size_t i = 0; i < list->count; i++) {
        check_case(&list->cases[i]);
    }
}

/* Whether a case that no sweep names, but that `--axis` can, is served by the row. */
static bool serves_a_case(const fx_device *device, const fx_probe *probe, const fx_kernel *row) {
    const fx_sweep sweep = {"row", row->where, NULL};
    fx_probe narrowed = *probe;
    fx_case_list list = {0};
    fx_error err = {0};
    bool serves = false;
    narrowed.sweeps = &sweep;
    narrowed.sweeps_count = 1;
    if (fx_cases_expand(&narrowed, &device->facts, false, NULL, 0, &list, &err) != FX_OK) {
        fail_msg("%s: %s", probe->name, err.text);
    }
    for (size_t i = 0; i < list.count && !serves; i++) {
        const fx_kernel *found = NULL;
        serves = !list.cases[i].waived &&
                 fx_kernel_find(probe, &list.cases[i].params, row->role, NULL, &found, &err) == FX_OK && found == row;
    }
    fx_case_list_free(&list);
    return serves;
}

/* Every case that can run is dispatched to one kernel, and every row is needed by some case. */
static void each_case_has_one_kernel(fx_device *device, const fx_case_list *list, bool quick) {
    const fx_probe *probe = list->cases[0].probe;
    bool needed[512] = {false};
    if (!probe->arrange && probe->kernels_count == 0) {
        return; /* its host half is the effect */
    }
    assert_true(probe->kernels_count <= FX_COUNT(needed));
    for (size_t i = 0; i < list->count; i++) {
        const fx_case *c = &list->cases[i];
        for (fx_role role = FX_WORK; role <= FX_CHECK; role++) {
            fx_error err = {0};
            const fx_kernel *row;
            if (fx_kernel_find(probe, &c->params, role, NULL, &row, &err) != FX_OK) {
                fail_msg("%s: %s", c->name, err.text);
            }
            if (role == FX_WORK && !row && !c->waived) {
                fail_msg("%s: no row of the kernel table selects it", c->name);
            }
            if (row) {
                needed[row - probe->kernels] = true;
            }
        }
    }
    for (size_t i = 0; i < probe->kernels_count && !quick; i++) {
        if (!needed[i] && probe->kernels[i].role != FX_AID && !serves_a_case(device, probe, &probe->kernels[i])) {
            fail_msg("%s: no case needs the kernel of '%s'", probe->name, probe->kernels[i].where);
        }
    }
}

TEST(cases_have_one_kernel) {
    for_each_probe(*unit_state, each_case_has_one_kernel);
}

/* A value that --axis could ask for: a choice, or a number that is likely to stand at an edge. */
static int64_t some_value(const fx_axis *axis, uint64_t *random) {
    char text[64];
    size_t choices = 0;
    while (fx_axis_choice(axis, (int64_t)choices, text, sizeof text)) {
        choices++;
    }
    if (choices > 0) {
        return (int64_t)fx_random_below(random, choices);
    }
    const uint64_t range = (uint64_t)(axis->max - axis->min) + 1;
    const int64_t power = (int64_t)1 << fx_random_below(random, 40);
    switch (fx_random_below(random, 4)) {
    case 0:
        return axis->fallback;
    case 1:
        return axis->min + (int64_t)fx_random_below(random, range);
    default:
        return power < axis->min ? axis->min : power > axis->max ? axis->max : power;
    }
}

/* What no sweep names but `supported` lets through has a kernel as well. */
TEST(any_case_has_one_kernel) {
    enum { POINTS = 100000, CHECKED = 400 };
    const fx_device *device = *unit_state;
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    for (size_t p = 0; p < count; p++) {
        const fx_probe *probe = probes[p];
        uint64_t random = p;
        int checked = 0;
        for (int i = 0; i < POINTS && checked < CHECKED && probe->kernels_count > 0; i++) {
            fx_params params = {0};
            const fx_kernel *row;
            for (size_t a = 0; a < probe->axes_count; a++) {
                params.value[a] = some_value(&probe->axes[a], &random);
            }
            if (probe->supported && probe->supported(&device->facts, &params)) {
                continue;
            }
            checked++;
            assert_ok(fx_kernel_find(probe, &params, FX_WORK, NULL, &row, &err));
            for (size_t a = 0; a < probe->axes_count && !row; a++) {
                char value[64];
                print_error("%s=%s ", probe->axes[a].name,
                            fx_axis_format(&probe->axes[a], params.value[a], value, sizeof value));
            }
            if (!row) {
                fail_msg("probe %s: no row of the kernel table selects this supported case", probe->name);
            }
        }
        assert_true(checked > 0 || probe->kernels_count == 0);
    }
}

TEST(cases_are_sound) {
    for_each_probe(*unit_state, each_case_is_sound);
}

/* Counts come from the lanes and the geometry alone: a larger chip with a faster memory has the same. */
TEST(laws_repeat) {
    const fx_device *device = *unit_state;
    fx_facts larger = device->facts;
    larger.sm_count *= 2;
    larger.memory_peak_GBps *= 2;
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    for (size_t i = 0; i < count; i++) {
        fx_case_list one = {0}, two = {0};
        assert_ok(fx_cases_expand(probes[i], &device->facts, false, NULL, 0, &one, &err));
        assert_ok(fx_cases_expand(probes[i], &larger, false, NULL, 0, &two, &err));
        assert_int_equal(one.count, two.count);
        for (size_t k = 0; k < one.count; k++) {
            assert_string_equal(one.cases[k].name, two.cases[k].name);
            assert_memory_equal(&one.cases[k].lanes, &two.cases[k].lanes, sizeof one.cases[k].lanes);
            assert_true(one.cases[k].prediction.count == two.cases[k].prediction.count);
        }
        fx_case_list_free(&one);
        fx_case_list_free(&two);
    }
}

/* Where a probe can draw cases that nobody chose, each of them has an aim, and the axis is one of numbers. */
TEST(what_is_drawn_has_an_aim) {
    fx_device *device = *unit_state;
    const fx_probe *const *probes;
    size_t count, drawing = 0;
    probes = fx_probes(&count);
    for (size_t i = 0; i < count; i++) {
        const fx_probe *probe = probes[i];
        char words[256], drawn[64] = "", *rest = words;
        const char *overrides[16];
        size_t override_count = 0;
        fx_case_list list = {0};
        assert_true(!probe->drawn_by || probe->aims_count > 0);
        if (!probe->drawn_by) {
            continue;
        }
        drawing++;
        (void)snprintf(words, sizeof words, "%s", probe->drawn_by);
        for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
            if (!strchr(word, '=')) {
                (void)snprintf(drawn, sizeof drawn, "%s=4711:4712", word);
                word = drawn;
            }
            overrides[override_count++] = word;
        }
        assert_true(*drawn && fx_probe_override(probe, drawn));
        if (fx_cases_expand(probe, &device->facts, false, overrides, override_count, &list, &err) != FX_OK) {
            fail_msg("%s: %s", probe->name, err.text);
        }
        assert_true(list.count > 0 && list.count % 2 == 0); /* for each value of the axis as many */
        for (size_t k = 0; k < list.count; k++) {
            bool held = false;
            for (size_t a = 0; a < probe->aims_count && !held; a++) {
                fx_selection where[FX_MAX_AXES] = {0};
                assert_ok(fx_axes_parse(probe->axes, probe->axes_count, probe->aims[a].where, where, &err));
                held = fx_selections_hold(where, &list.cases[k].params, probe->axes_count);
                fx_selections_free(where, FX_MAX_AXES);
            }
            if (!held && fx_prediction_in_fit(&list.cases[k].prediction)) {
                fail_msg("%s is drawn, and no aim speaks of it", list.cases[k].name);
            }
        }
        fx_case_list_free(&list);
    }
    assert_true(drawing > 0);
}

/* The stand-in for a GPU behaves: every case is measured, known well, and within the memory's peak. */
static void each_case_is_plausible(fx_device *device, const fx_case_list *list, bool quick) {
    fx_sampling sampling = fx_sampling_default(quick);
    sampling.time_limit_s = INFINITY;
    for (size_t i = 0; i < list->count; i++) {
        fx_error err = {0};
        fx_result result;
        assert_ok(fx_sampler_run(device, &list->cases[i], &sampling, 1, &result, &err));
        const uint32_t bad = FX_FLAG_ABOVE_PEAK | FX_FLAG_IMPRECISE | FX_FLAG_THROTTLED | FX_FLAG_CLOCK_MOVED;
        for (uint32_t flag = 1; flag; flag <<= 1) {
            if (result.flags & bad & flag) {
                fail_msg("%s is flagged %s at %g after %zu samples", list->cases[i].name, fx_flag_name(flag),
                         result.summary.median, result.n);
            }
        }
        fx_result_free(&result);
    }
}

TEST(the_generic_device_is_plausible) {
    for_each_probe(*unit_state, each_case_is_plausible);
}

/* The odd one has a model for every probe by name: its last model is for probes that nobody foresaw. */
static void each_case_is_measured(fx_device *device, const fx_case_list *list, bool quick) {
    const fx_sampling sampling = {.min_samples = 3, .max_samples = 3, .time_limit_s = INFINITY};
    for (size_t i = 0; i < list->count; i++) {
        fx_error err = {0};
        fx_result result;
        assert_ok(fx_sampler_run(device, &list->cases[i], &sampling, 1, &result, &err));
        fx_result_free(&result);
    }
}

TEST(the_planted_device_answers) {
    fx_device *device = load("planted");
    for_each_probe(device, each_case_is_measured);
    fx_device_destroy(device);
}

/* What probes say beside their cases: counters, searches and claims each find the cases that they speak of. */

/* Each line of a probe's table speaks of some case, and finds its count in all that it speaks of. */
static void each_counter_finds_its_count(fx_device *device, const fx_case_list *list, bool quick) {
    const fx_probe *probe = list->cases[0].probe;
    for (size_t i = 0; i < probe->counters_count; i++) {
        const fx_counter *counter = &probe->counters[i];
        size_t spoken_of = 0;
        for (size_t k = 0; k < list->count; k++) {
            fx_error err = {0};
            bool applies;
            double count;
            assert_ok(fx_counter_expect(&list->cases[k], counter, &applies, &count, &err));
            spoken_of += applies;
            if (applies && !(isfinite(count) && count > 0)) {
                fail_msg("%s: %s counts %g", list->cases[k].name, counter->metric, count);
            }
        }
        if (!quick && spoken_of == 0) {
            fail_msg("%s: counter %s speaks of no case: %s", probe->name, counter->metric, counter->where);
        }
        if (!(counter->scale > 0 && counter->relative >= 0 && counter->absolute >= 0)) {
            fail_msg("%s: counter %s has a scale of %g", probe->name, counter->metric, counter->scale);
        }
    }
}

TEST(counters_find_their_counts) {
    for_each_probe(*unit_state, each_counter_finds_its_count);
}

/* What is wrong with a line is said, and names the probe. */
TEST(a_bad_counter_is_refused) {
    const fx_device *device = *unit_state;
    static const struct {
        fx_counter counter;
        const char *said;
    } bad[] = {
        {{"op=laod", "wavefronts", 1, "m", "n", 0, 0}, "probe bank_conflict: counter m: axis op: unknown choice"},
        {{"width=4", "wavefronts", 1, "m", "n", 0, 0}, "its selection names width, which is not a choice"},
        {{"op=load", "sectors", 1, "m", "n", 0, 0}, "predicts no count 'sectors'"},
    };
    fx_case_list list = {0};
    bool applies;
    double count;
    assert_ok(fx_cases_expand(fx_probe_find("bank_conflict"), &device->facts, true, NULL, 0, &list, &err));
    for (size_t i = 0; i < FX_COUNT(bad); i++) {
        assert_int_equal(fx_counter_expect(&list.cases[0], &bad[i].counter, &applies, &count, &err), FX_BAD_INPUT);
        assert_says(err.text, bad[i].said);
    }
    /* Where the selection does not hold, the count need not be there. */
    const fx_counter elsewhere = {"op=store", "sectors", 1, "m", "n", 0, 0};
    assert_ok(fx_counter_expect(&list.cases[0], &elsewhere, &applies, &count, &err));
    assert_false(applies);
    fx_case_list_free(&list);
}

/* What a search starts from: neighbours that a case fits between. */
static void begins_on(const fx_search *search, const fx_case_list *list, const fx_facts *facts) {
    const fx_probe *probe = list->cases[0].probe;
    fx_selection where[FX_MAX_AXES];
    fx_error err = {0};
    size_t axis = 0, selected = 0, between = 0;
    while (axis + 1 < probe->axes_count && strcmp(probe->axes[axis].name, search->axis) != 0) {
        axis++;
    }
    assert_null(probe->axes[axis].choices);
    assert_true(search->granule > 0 && (search->change == FX_COSTS_LESS) == (search->against != NULL));
    assert_ok(fx_axes_parse(probe->axes, probe->axes_count, search->where, where, &err));
    for (size_t i = 0; i < list->count; i++) {
        const fx_case *c = &list->cases[i];
        const bool meets = !c->waived && fx_selections_hold(where, &c->params, probe->axes_count);
        selected += meets;
        if (meets) {
            fx_case middle;
            fx_params params = c->params;
            params.value[axis] = (params.value[axis] / search->granule + 1) * search->granule;
            assert_ok(fx_case_make(probe, facts, c->sweep, &params, &middle, &err));
            between += !middle.waived;
        }
    }
    fx_selections_free(where, probe->axes_count);
    if (selected < 3 || between < 3) {
        fail_msg("%s: a search where '%s' begins with %zu cases, and %zu have one beside them", probe->name,
                 search->where, selected, between);
    }
}

static void each_search_finds_its_walk(fx_device *device, const fx_case_list *list, bool quick) {
    const fx_probe *probe = list->cases[0].probe;
    const bool fixed[FX_MAX_AXES] = {false};
    fx_error err = {0};
    fx_step step;
    assert_ok(fx_search_next(probe, fixed, NULL, 0, &step, &err));
    for (size_t i = 0; i < probe->searches_count && !quick; i++) {
        begins_on(&probe->searches[i], list, &device->facts);
    }
}

TEST(searches_find_their_walks) {
    for_each_probe(*unit_state, each_search_finds_its_walk);
}

/* Of a claim the data's own test knows all but this: `list` does not tell how many bytes are useful. */
static void each_rate_has_bytes(fx_device *device, const fx_case_list *list, bool quick) {
    const fx_probe *probe = list->cases[0].probe;
    json_t *claims = fx_claims_of(probe), *claim;
    size_t i;
    json_array_foreach(claims, i, claim) {
        char *where = strdup(json_string_value(json_object_get(claim, "where"))), *rest = where;
        const bool rate = strcmp(json_string_value(json_object_get(claim, "quantity")), "rate") == 0;
        for (const char *part; rate && (part = strsep(&rest, ";"));) {
            fx_selection wanted[FX_MAX_AXES] = {0};
            fx_error err = {0};
            assert_ok(fx_axes_parse(probe->axes, probe->axes_count, part, wanted, &err));
            for (size_t k = 0; k < list->count; k++) {
                if (fx_selections_hold(wanted, &list->cases[k].params, probe->axes_count) &&
                    list->cases[k].prediction.useful_bytes <= 0) {
                    fail_msg("%s has no useful bytes, so no rate", list->cases[k].name);
                }
            }
            fx_selections_free(wanted, probe->axes_count);
        }
        free(where);
    }
    json_decref(claims);
}

TEST(rates_have_bytes) {
    for_each_probe(*unit_state, each_rate_has_bytes);
}

UNIT_MAIN(open_generic, close_generic)
