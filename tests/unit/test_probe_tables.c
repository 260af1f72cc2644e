/* What probes say beside their cases: counters, searches and claims each find the cases that they speak of. */
#include "unit.h"

#include <math.h>

#include "cli/counter.h"
#include "core/search.h"
#include "run/probe_data.h"

#include "every_probe.h"

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
    fx_error err = {0};
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
        bool meets = !c->waived;
        for (size_t a = 0; a < probe->axes_count; a++) {
            meets = meets && fx_selection_holds(&where[a], c->params.value[a]);
        }
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
