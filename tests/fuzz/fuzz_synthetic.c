/* The reader of synthetic devices: a device that was accepted has a name, sound facts, laws that can be computed with
 * them, and samples that are numbers; a device that was refused says why. */
#include <math.h>

#include "../unit/planted_probe.h"
#include "../unit/synthetic_text.h"
#include "fuzz.h"

static void check_head(const fx_device *device) {
    const size_t name = strlen(device->name), slug = strlen(device->slug);
    fuzz_require(device->synthetic && name > 0 && slug > 0 && slug <= name + strlen("unknown"));
    fuzz_require(strspn(device->slug, "abcdefghijklmnopqrstuvwxyz0123456789-") == slug);
    fuzz_require(!strncmp(device->arch, "sm_", 3) && strlen(device->arch) <= strlen("sm_999"));
    fuzz_require(device->facts.sm_count > 0 && device->facts.warps_per_sm > 0);
}

/* Any geometry that the reader takes, for a load of any width. */
static void check_laws(const fx_geometry *geometry) {
    for (unsigned width = 1; width <= 16; width *= 2) {
        fx_lanes lanes;
        fx_lanes_random(&lanes, width, 4096, width);
        const double counts[] = {
            fx_law_wavefronts(geometry, &lanes, width),
            fx_law_store_wavefronts(geometry, &lanes, width),
            fx_law_bank_lanes(geometry, &lanes, width),
            fx_law_l1_load(geometry, &lanes, width),
            fx_law_l2_load(geometry, &lanes, width),
            fx_law_l2_store(geometry, &lanes, width),
            fx_law_blocks(&lanes, width, geometry->line_bytes),
        };
        for (size_t i = 0; i < FX_COUNT(counts); i++) {
            fuzz_require(counts[i] >= 1 && counts[i] <= FX_WARP * 16u * 16u);
        }
    }
}

static void check_samples(fx_device *device, const fx_case *c) {
    fx_error err = {0};
    void *state = NULL;
    const fx_status status = device->open(device, c, &state, &err);
    if (status != FX_OK) {
        fuzz_require(status == FX_UNSUPPORTED);
        fuzz_require_reason(status, &err);
        return;
    }
    for (uint64_t i = 0; i < 4; i++) {
        fx_sample sample;
        fx_clocks clocks;
        fuzz_require(device->sample(device, c, state, i, &sample, &err) == FX_OK);
        fuzz_require(isfinite(sample.value) && !isinf(sample.intercept) && !isinf(sample.sm_clock_MHz));
        device->clocks(device, false, &clocks);
        fuzz_require(clocks.known && clocks.sm_MHz > 0 && isfinite(clocks.sm_MHz));
    }
    device->close(device, c, state);
}

static void check_descriptions(fx_device *device) {
    json_t *(*const describe[])(fx_device *) = {device->describe_device, device->describe_driver,
                                                device->describe_environment};
    for (size_t i = 0; i < FX_COUNT(describe); i++) {
        json_t *told = describe[i](device);
        char *text = json_dumps(told, JSON_COMPACT);
        fuzz_require(text);
        free(text);
        json_decref(told);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_device *device = NULL;
    const fx_status status = synthetic_of_text((const char *)data, size, 7, &device, &err);
    if (status != FX_OK) {
        fuzz_require(!device);
        fuzz_require_reason(status, &err);
        return 0;
    }
    check_head(device);
    check_laws(&device->facts.geometry);
    check_descriptions(device);
    for (size_t i = 0; i < 6; i++) {
        const fx_case c = case_of(i % 2, i % 2 ? 16 : 4, i % 3);
        check_samples(device, &c);
    }
    fx_device_destroy(device);
    return 0;
}
