/* first_kernel: what does a process pay before its first kernel has run? Method: each sample is a process of its own.
 * The program starts itself again (core/fresh_process.h), with CUDA_MODULE_LOADING set as the case says; the child
 * reads the clock after each step on the way to its first kernel: it finds the driver, creates the context, asks for
 * the kernel's code, launches it and waits. */
#include "core/probe.h"

enum { LOADING };
enum { LAZY, EAGER };
enum { PROCESSES = 8 }; /* of a case; each takes so long that the sampler would stop at three */
enum { EXTRA_DRIVER, EXTRA_CONTEXT, EXTRA_MODULE, EXTRA_KERNEL };

static const fx_axis axes[] = {
    {"loading", "", "module loading: each kernel at its first use, or all of the program at the start", "lazy eager", 0,
     0, LAZY},
};

static const fx_sweep sweeps[] = {
    {"loading", "loading=lazy,eager", "loading=lazy"},
};

static const fx_metric metrics[] = {{"process_host_ns", "ns", FX_HOST_NS, false, "process"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->law = NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fresh_process.h"
#include "gpu/rig.h"

enum { STARTED, FOUND, CREATED, LOADED, DONE, MARKS };

__device__ uint32_t left_behind;

__global__ static void leave(uint32_t word) {
    left_behind = word;
}

/* The steps of the child, at the host's clock. */
static fx_status steps(int ordinal, uint32_t word, double *marks, fx_error *err) {
    struct cudaFuncAttributes attributes;
    const dim3 one(1, 1, 1);
    void *arguments[] = {&word}, *address = NULL;
    uint32_t found = 0;
    int devices;
    marks[STARTED] = fx_now_ns();
    FX_TRY_CUDA(cudaGetDeviceCount(&devices));
    marks[FOUND] = fx_now_ns();
    FX_TRY_CUDA(cudaSetDevice(ordinal));
    FX_TRY_CUDA(cudaFree(NULL));
    marks[CREATED] = fx_now_ns();
    FX_TRY_CUDA(cudaFuncGetAttributes(&attributes, (const void *)leave));
    marks[LOADED] = fx_now_ns();
    FX_TRY_CUDA(cudaLaunchKernel((const void *)leave, one, one, arguments, 0, NULL));
    FX_TRY_CUDA(cudaDeviceSynchronize());
    marks[DONE] = fx_now_ns();
    FX_TRY_CUDA(cudaGetSymbolAddress(&address, (const void *)&left_behind));
    FX_TRY_CUDA(cudaMemcpy(&found, address, sizeof found, cudaMemcpyDeviceToHost));
    FX_FAIL_IF(found != word, err, FX_WRONG_RESULT, "the first kernel wrote %08x instead of %08x", found, word);
    return FX_OK;
}

static fx_status first_kernel_fresh(const char *argument, double *numbers, size_t count, fx_error *err) {
    char *end;
    const long ordinal = strtol(argument, &end, 10);
    const unsigned long word = strtoul(end, &end, 10);
    FX_FAIL_IF(count != MARKS || *end, err, FX_BAD_INPUT, "'%s' is not a device and a word", argument);
    const fx_status status = steps((int)ordinal, (uint32_t)word, numbers, err);
    cudaGetLastError();
    return status;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    static const char *const loadings[] = {"CUDA_MODULE_LOADING=LAZY", "CUDA_MODULE_LOADING=EAGER"};
    char argument[64];
    double marks[MARKS];
    (void)snprintf(argument, sizeof argument, "%d %u", rig->gpu->ordinal, (unsigned)(uint32_t)seed);
    const double begin = fx_now_ns();
    FX_TRY(fx_fresh_process(c->probe, argument, loadings[c->params.value[LOADING]], marks, MARKS, err));
    out->value = marks[DONE] - begin;
    out->extra[EXTRA_DRIVER] = marks[FOUND] - marks[STARTED];
    out->extra[EXTRA_CONTEXT] = marks[CREATED] - marks[FOUND];
    out->extra[EXTRA_MODULE] = marks[LOADED] - marks[CREATED];
    out->extra[EXTRA_KERNEL] = marks[DONE] - marks[LOADED];
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    rig->sample = sample;
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {FX_TIMED("", FX_K(leave), {"STG.E", 1})};

FX_PROBE(first_kernel, .question = "How long does a process take until its first kernel has run?", .method_version = 1,
         FX_PARTS, .extras = "driver_ns context_ns module_ns kernel_ns", .samples = PROCESSES, .once = true,
         .in_fresh_process = FX_GPU(first_kernel_fresh))
