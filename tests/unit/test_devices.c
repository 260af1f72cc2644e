/* --device with several: which they are. What the driver says is invented here; tests/cli/devices.t runs the processes.
 */
#include "unit.h"

#include "run/devices.h"

static json_t *two_devices(void) {
    return json_pack("[{si ss}{si ss}]", "ordinal", 0, "uuid", "GPU-aa11", "ordinal", 1, "uuid", "GPU-aa22");
}

/* "0;1", or what is wrong. */
static const char *resolved(const char *text, json_t *known) {
    static char result[1024];
    fx_text_list names;
    fx_error err = {0};
    size_t at = 0;
    const fx_status status = fx_devices_resolve(text, known, "no driver", &names, &err);
    result[0] = '\0';
    for (size_t i = 0; i < names.count && !status; i++) {
        at += (size_t)snprintf(result + at, sizeof result - at, "%s%s", at ? ";" : "", names.text[i]);
    }
    if (status) {
        (void)snprintf(result, sizeof result, "%s", err.text);
    }
    fx_text_list_free(&names);
    json_decref(known);
    return result;
}

TEST(several_are_told_from_one) {
    assert_true(fx_devices_several("all"));
    assert_true(fx_devices_several("0,1"));
    assert_false(fx_devices_several("0"));
    assert_false(fx_devices_several("synthetic:allsorts"));
    assert_false(fx_devices_several(NULL));
}

TEST(names_are_found) {
    assert_string_equal(resolved("all", two_devices()), "0;1");
    assert_string_equal(resolved("1,0", two_devices()), "1;0");
    assert_string_equal(resolved("gpu-AA2,synthetic:generic", two_devices()), "1;synthetic:generic");
    assert_string_equal(resolved("synthetic:a,synthetic:b", json_array()), "synthetic:a;synthetic:b");
}

TEST(mistakes_are_sentences) {
    assert_string_equal(resolved("0,2", two_devices()), "--device 2: there are 2 CUDA devices, numbered from 0 to 1");
    assert_string_equal(resolved("0,-1", two_devices()), "--device -1: there are 2 CUDA devices, numbered from 0 to 1");
    assert_string_equal(resolved("0,0", two_devices()), "--device 0,0: device 0 is named twice; name each once");
    assert_string_equal(resolved("1,GPU-aa22", two_devices()),
                        "--device 1,GPU-aa22: device 1 is named twice; name each once");
    assert_string_equal(resolved("0,GPU-aa", two_devices()), "--device GPU-aa: 2 devices match; give more of the UUID");
    assert_string_equal(resolved("0,frobnicate", two_devices()),
                        "--device frobnicate: no CUDA device has this number or UUID; see `gpufx info`");
    assert_string_equal(resolved("0,", two_devices()), "--device 0,: a name is empty; separate names by one comma");
    assert_string_equal(resolved("0,all", two_devices()), "--device 0,all: 'all' can't be combined");
}

UNIT_MAIN(NULL, NULL)
