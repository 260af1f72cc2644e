/* A case on one of several invented GPUs: a sample from open to close, and every call of the runtime that may fail. */
#pragma once

#include "core/case_list.h"
#include "fake_cuda.h"

static int home;        /* the GPU of the case */
static fx_sample taken; /* the last one */

/* opened: NULL, or what looks at the rig before the sample. */
static fx_status sample_at_home(const fx_probe *of, const fx_sweep *named_by, const int64_t *values,
                                void (*opened)(fx_rig *rig), fx_error *err) {
    fx_gpu gpu = {.ordinal = home, .facts = {.sm_count = 4}, .timer_tick_ns = 32, .event_tick_ns = 1, .numa_node = -1};
    fx_params params = {0};
    fx_case c;
    void *rig = NULL;
    memcpy(params.value, values, sizeof params.value[0] * of->axes_count);
    fake_current = home;
    fx_gpus_in_reach(&gpu.facts);
    fx_status status = fx_case_make(of, &gpu.facts, named_by, &params, &c, err);
    assert_null(c.waived);
    if (status == FX_OK) {
        status = fx_rig_open(&gpu, &c, &rig, err);
    }
    taken = (fx_sample){.value = (double)NAN};
    for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
        taken.extra[i] = (double)NAN;
    }
    if (status == FX_OK && opened) {
        opened(rig);
    }
    if (status == FX_OK) {
        status = fx_rig_sample(rig, 1, &taken, err);
    }
    fx_rig_close(rig);
    assert_int_equal(fake.live, 0);
    assert_int_equal(fake_current, home);
    for (int i = 0; i < fake.devices; i++) {
        assert_int_equal(fake.mapped[i], 0);
    }
    return status;
}

/* Whatever fails, all is given back, and no thread is left waiting. */
static void fail_each_call(fx_status (*take)(const int64_t *values, fx_error *err), const int64_t *values) {
    fx_status status = FX_DEVICE_LOST;
    fx_error err;
    fx_facts facts;
    fake.calls = fake.failing_call = 0;
    fx_gpus_in_reach(&facts); /* which the case asks for first */
    const unsigned before = fake.calls;
    for (unsigned call = 1; status != FX_OK; call++) {
        assert_true(call < 1000);
        fake.calls = 0;
        fake.failing_call = before + call;
        fake.failure = cudaErrorLaunchFailure;
        status = take(values, &err);
        assert_true(status == FX_OK || status == FX_DEVICE_LOST);
    }
    assert_true(fake.failing_call > before + 10);
}
