/* The face has the facts and name of the device behind it, and its own functions of a case: each gets the device that
 * it belongs to. */
#include "overhead_meter.h"

#include <time.h>

double fx_now_s(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static fx_status metered_open(fx_device *device, const fx_case *c, void **state, fx_error *err) {
    fx_overhead_meter *meter = device->self;
    double from = fx_now_s();
    fx_status status = meter->behind->open(meter->behind, c, state, err);
    meter->inside_s += fx_now_s() - from;
    return status;
}

static fx_status metered_sample(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out,
                                fx_error *err) {
    fx_overhead_meter *meter = device->self;
    double from = fx_now_s();
    fx_status status = meter->behind->sample(meter->behind, c, state, seed, out, err);
    meter->inside_s += fx_now_s() - from;
    return status;
}

static void metered_close(fx_device *device, const fx_case *c, void *state) {
    fx_overhead_meter *meter = device->self;
    double from = fx_now_s();
    meter->behind->close(meter->behind, c, state);
    meter->inside_s += fx_now_s() - from;
}

static void metered_clocks(fx_device *device, bool fresh, fx_clocks *out) {
    fx_overhead_meter *meter = device->self;
    double from = fx_now_s();
    meter->behind->clocks(meter->behind, fresh, out);
    meter->clocks_s += fx_now_s() - from;
}

static void metered_ran(fx_device *device, const fx_case *c, void *state, fx_launched *out) {
    fx_overhead_meter *meter = device->self;
    if (meter->behind->ran) {
        meter->behind->ran(meter->behind, c, state, out);
    }
}

static size_t metered_round(fx_device *device, const fx_case *c, void *state) {
    fx_overhead_meter *meter = device->self;
    return meter->behind->round ? meter->behind->round(meter->behind, c, state) : 1;
}

void fx_overhead_meter_on(fx_overhead_meter *meter, fx_device *behind) {
    *meter = (fx_overhead_meter){.face = *behind, .behind = behind};
    meter->face.self = meter;
    meter->face.open = metered_open;
    meter->face.sample = metered_sample;
    meter->face.close = metered_close;
    meter->face.clocks = metered_clocks;
    meter->face.round = metered_round;
    meter->face.ran = metered_ran;
}
