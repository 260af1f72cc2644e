/* The laws of today against what real chips said: every random pattern in the reference archives must still cost what
 * the laws count, a cycle or two a step, within 2 %. Who changes a law finds out here whether the hardware follows. */
#include "unit.h"

#include "archive/archive.h"

#include <math.h>

#include "core/probe.h"

enum { PATH_BYTES = 1024 };

typedef struct witness {
    const fx_probe *probe;
    fx_facts facts;
    unsigned patterns, right;
    double farthest;
    char farthest_name[FX_NAME_BYTES];
} witness;

static int64_t axis_value(const fx_axis *axis, const json_t *value) {
    char text[64];
    if (!axis->choices) {
        return json_integer_value(value);
    }
    for (int64_t i = 0; fx_axis_choice(axis, i, text, sizeof text); i++) {
        if (!strcmp(text, json_string_value(value))) {
            return i;
        }
    }
    fail_msg("the axis %s has no choice '%s'", axis->name, json_string_value(value));
    return 0;
}

/* Cycles of a step. The pairs of sectors of L2 and DRAM have no such number. */
static double cycles_per_step(const char *memory, const char *op, json_int_t width) {
    if (!strcmp(memory, "constant")) {
        return width == 16 ? 4 : 2; /* 16 bytes are two instructions */
    }
    if (!strcmp(memory, "l1") || !strcmp(memory, "shared")) {
        return strcmp(op, "atomic_cas") ? 1 : 2;
    }
    return 0;
}

static void hold_against(witness *w, const json_t *line) {
    const json_t *params = json_object_get(line, "params");
    const double cycles = cycles_per_step(json_string_value(json_object_get(params, "memory")),
                                          json_string_value(json_object_get(params, "op")),
                                          json_integer_value(json_object_get(params, "width")));
    fx_params values = {0};
    fx_lanes lanes;
    fx_prediction prediction = {0};
    if (cycles == 0) {
        return;
    }
    for (size_t i = 0; i < w->probe->axes_count; i++) {
        values.value[i] = axis_value(&w->probe->axes[i], json_object_get(params, w->probe->axes[i].name));
    }
    assert_true(w->probe->lanes(&values, &lanes));
    w->probe->law(&w->facts, &values, &lanes, &prediction);
    assert_true(prediction.count > 0);
    const double off = json_number_value(json_object_get(line, "median")) / (cycles * prediction.count) - 1;
    w->patterns++;
    w->right += fabs(off) <= 0.02;
    if (fabs(off) > fabs(w->farthest)) {
        w->farthest = off;
        (void)snprintf(w->farthest_name, sizeof w->farthest_name, "%s",
                       json_string_value(json_object_get(line, "name")));
    }
}

static fx_status take(void *context, const json_t *object, size_t number, fx_error *err) {
    witness *w = context;
    const char *probe = json_string_value(json_object_get(object, "probe"));
    if (number == 1) {
        const json_t *device = json_object_get(object, "device");
        w->facts.geometry = fx_geometry_of((int)json_integer_value(json_object_get(device, "compute_major")),
                                           (int)json_integer_value(json_object_get(device, "compute_minor")));
    } else if (!strcmp(probe, "pattern")) {
        hold_against(w, object);
    }
    return FX_OK;
}

/* results/reference.json: chip: path. */
TEST(test_archives) {
    const char *chip;
    json_t *reference = json_load_file(FX_RESULTS "/reference.json", 0, NULL), *name;
    unsigned witnesses = 0;
    assert_non_null(reference);
    json_object_foreach(reference, chip, name) {
        char path[PATH_BYTES];
        witness w = {.probe = fx_probe_find("pattern")};
        (void)snprintf(path, sizeof path, "%s/%s", FX_RESULTS, json_string_value(name));
        assert_ok(fx_archive_read(path, "case", take, &w, NULL, &err));
        if (w.patterns && w.right * 1000 < w.patterns * 999) {
            fail_msg("%s: %u of %u patterns cost what the laws count; the farthest, %+.1f %%: %s", chip, w.right,
                     w.patterns, 100 * w.farthest, w.farthest_name);
        }
        witnesses += w.patterns;
    }
    json_decref(reference);
    assert_true(witnesses >= 800); /* the reference archives hold that many: none was looked past */
}

UNIT_MAIN(NULL, NULL)
