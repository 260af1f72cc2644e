/* null: what does the harness itself cost? A probe with no axis and one case. Its sample is an empty host function
 * called through a volatile pointer, timed at two lengths like every other probe, so all that is left of a run of
 * `null` is the harness: its own work (sampler, statistics, archive line) and reading the clocks before and after.
 * `gpufx run null` prints that remainder per case, and the two parts. No kernel is launched. What can fool it: nothing
 * is cold the second time, so the first case of a process costs more. Idea: fio's engine "null". */
#include "core/probe.h"

#ifdef FX_WITH_CUDA
#include "gpu/rig.h"

static const unsigned calls = 256;

static void nothing(void) {}
static void (*volatile call)(void) = nothing;

static double time_ns(unsigned count) {
    const double begin = fx_now_ns();
    for (unsigned i = 0; i < count; i++) {
        call();
    }
    return fx_now_ns() - begin;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    double once = time_ns(calls), twice = time_ns(2 * calls);
    if (twice > once) {
        out->value = (twice - once) / calls;
    } else { /* an interrupt inside the short run, and a time can't be negative */
        out->value = twice / (2 * calls);
        out->flags |= FX_SAMPLE_DISTURBED;
    }
    out->intercept = 2 * once - twice;
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    rig->sample = sample;
    return FX_OK;
}
#endif

static void null_law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = NULL;
}

static const fx_sweep sweeps[] = {{"null", "", ""}};
static const fx_kernel kernels[] = {FX_TIMED("", FX_NO_KERNEL)};
static const fx_metric metrics[] = {{"overhead_ns", "ns", FX_HOST_NS, false, "call of an empty function"}};

FX_PROBE(null, .question = "What does the harness itself cost per case?", .method_version = 1, FX_TABLE(sweeps),
         FX_TABLE(metrics), FX_TABLE(kernels), .law = null_law, .arrange = FX_GPU(arrange))
