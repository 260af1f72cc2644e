/* The registry: scratch probes register themselves as those of micro/ do; unfit ones are left out and named. */
#include "unit.h"

#include "core/probe.h"

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = "nothing";
}

static const fx_probe zebra = {.name = "zebra", .law = law};
static const fx_probe ant = {.name = "ant", .law = law};
static const fx_probe mole = {.name = "mole", .law = law};
static const fx_probe lawless = {.name = "lawless"};

FX_REGISTER(zebra)
FX_REGISTER(ant)
FX_REGISTER(lawless)
FX_REGISTER(mole)

TEST(test_in_order_of_name) {
    static const fx_probe *const wanted[] = {&ant, &mole, &zebra};
    size_t count = 0;
    const fx_probe *const *probes = fx_probes(&count);
    assert_int_equal(count, 3);
    assert_memory_equal(probes, wanted, sizeof wanted);
    assert_ptr_equal(fx_probe_find("mole"), &mole);
    assert_null(fx_probe_find("mol"));
    assert_null(fx_probe_find(NULL));
    assert_null(fx_probe_find("lawless"));
    assert_string_equal(fx_probe_problem(), "probe lawless has no law: set .law");
}

/* Runs last: it adds to the registry's problems. */
TEST(test_unfit_probes_are_refused) {
    static const fx_probe nameless = {.question = "what is it called?", .law = law};
    static const fx_probe crowded = {.name = "crowded", .law = law, .axes_count = FX_MAX_AXES + 1};
    static const fx_probe twin = {.name = "ant", .law = law};
    const fx_probe *const unfit[] = {&nameless, &crowded, &twin};
    static const char *const words[] = {"what is it called?", "crowded has 13 axes", "ant is there twice"};
    for (size_t i = 0; i < FX_COUNT(unfit); i++) {
        assert_null(strstr(fx_probe_problem(), words[i]));
        fx_probe_register(unfit[i]);
        assert_says(fx_probe_problem(), words[i]);
    }
    size_t count = 0;
    fx_probes(&count);
    assert_int_equal(count, 3);
    assert_ptr_equal(fx_probe_find("ant"), &ant);
}

TEST(test_counts) {
    fx_prediction prediction = {0};
    for (int i = 0; i < FX_MAX_COUNTS + 3; i++) {
        assert_int_equal(prediction.counts_lost, i > FX_MAX_COUNTS);
        fx_prediction_count(&prediction, i == 0 ? "sectors" : "lines", i);
    }
    assert_int_equal(prediction.count_count, FX_MAX_COUNTS);
    assert_string_equal(prediction.counts[0].name, "sectors");
    assert_true(prediction.counts[FX_MAX_COUNTS - 1].value == FX_MAX_COUNTS - 1);
}

UNIT_MAIN(NULL, NULL)
