#include "sampled.h"

#include "unit.h"

#include <math.h>

static fx_status fake_open(fx_device *device, const fx_case *c, void **state, fx_error *err) {
    fake *self = device->self;
    if (self->cannot_open) {
        return fx_fail(err, FX_UNSUPPORTED, "%s cannot be opened", c->name);
    }
    self->opened++;
    *state = self;
    return FX_OK;
}

static fx_status fake_sample(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    fake *self = device->self;
    assert_ptr_equal(state, self);
    uint64_t index = self->index++;
    if (index == 0) {
        self->first_seed = seed;
    }
    if (index == self->interrupt_at) {
        atomic_store(&self->stop, 1);
    }
    if (index == self->fail_at) {
        return fx_fail(err, self->failure, "%s broke", c->name);
    }
    out->value = self->value(index, seed);
    out->intercept = 30;
    if (self->has_t_n && index % 2 == 0) {
        out->t_n = (double)index;
    }
    out->sm = self->round ? 40 + (int)(index % self->round) : -1;
    out->sm_clock_MHz = self->clock_MHz ? self->clock_MHz(index) : NAN;
    out->extra[1] = index % 2 ? (double)index : NAN;
    out->flags = index == 7 ? self->sample_flags : 0;
    return FX_OK;
}

static void fake_close(fx_device *device, const fx_case *c, void *state) {
    ((fake *)device->self)->closed++;
}

static void fake_clocks(fx_device *device, bool fresh, fx_clocks *out) {
    fake *self = device->self;
    *out = (fx_clocks){.sm_MHz = 1000, .known = true, .throttle_reasons = FX_THROTTLE_HARMLESS};
    self->fresh = fresh;
    if (self->clock_reads++ > 0) {
        out->throttle_reasons |= self->reasons_after;
    }
}

static void fake_ran(fx_device *device, const fx_case *c, void *state, fx_launched *out) {
    assert_ptr_equal(state, device->self);
    assert_int_equal(out->registers, -1); /* nothing is known before */
    out->units_n = 64;
    out->sm_count = 1;
}

void fake_init(fake *self, double (*value)(uint64_t, uint64_t)) {
    *self = (fake){.value = value, .fail_at = UINT64_MAX, .interrupt_at = UINT64_MAX};
    self->device = (fx_device){
        .self = self,
        .open = fake_open,
        .sample = fake_sample,
        .close = fake_close,
        .clocks = fake_clocks,
        .ran = fake_ran,
    };
}

double noise(uint64_t seed, double width) {
    return width * ((double)(seed >> 11) * 0x1p-53 - 0.5);
}

double quiet(uint64_t index, uint64_t seed) {
    return 100 + noise(seed, 0.2) + 0 * (double)index;
}

double steady_clock(uint64_t index) {
    return 1000 + (double)(index % 3);
}

static const fx_metric metrics[] = {{"access_cycles", "cycles", FX_SM_CYCLES, false, "access"},
                                    {"copy_ns", "ns", FX_GPU_NS, false, "access"},
                                    {"rate", "GB/s", FX_GPU_NS, true, "access"}};

const fx_probe probe = {.name = "fake", .metrics = metrics, .metrics_count = 3, .extras = "first second"};

const fx_case plain = {.probe = &probe, .name = "fake/case"};

fx_result run(fake *self, const fx_case *c, const fx_sampling *sampling) {
    fx_result result;
    fx_error err = {0};
    assert_ok(fx_sampler_run(&self->device, c, sampling, 11, &result, &err));
    assert_int_equal(self->opened, 1);
    assert_int_equal(self->closed, 1);
    return result;
}
