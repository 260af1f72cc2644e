#include "every_probe.h"

#include "unit.h"

#include "core/synthetic.h"

/* CMake compiles by absolute paths, so this file knows where the project lies. */
void of_the_project(const char *path, char *out, size_t size) {
    const char *slash = strrchr(__FILE__, '/');
    snprintf(out, size, "%.*s/../../%s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".", path);
}

fx_device *load(const char *name) {
    char folder[4096];
    of_the_project("harness/core/synthetic", folder, sizeof folder);
    fx_error err = {0};
    fx_device *device;
    assert_ok(fx_synthetic_load(folder, name, 1, &device, &err));
    return device;
}

void for_each_probe(fx_device *device, visit *check) {
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

int open_generic(void **state) {
    *state = load("generic");
    return 0;
}

int close_generic(void **state) {
    fx_device_destroy(*state);
    return 0;
}
