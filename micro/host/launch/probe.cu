/* launch: what does it cost to start a kernel, to learn that it is done, and to ask the host in between?
 *
 * Method: kernels that do nothing, one warp each. `latency` is the host's time from the first call to the moment it
 * knows that the last kernel is done. `issue` is its time in the calls alone. `gap` and `single` are the device's time,
 * by events, with everything queued behind a latch: from one kernel to the next, and of one kernel between two events.
 * `left` and `round_trip` do a serial step between two parallel ones, on the device and on the host. What can fool it:
 * see README.md. */
#include "core/probe.h"

enum { TASK, WAY, WAITS, SCHEDULE, PARAMETERS, KERNELS, SIZE };
enum { LATENCY, ISSUE, GAP, SINGLE, LEFT, ROUND_TRIP };
enum { STREAM, GRAPH, COOPERATIVE, PROGRAMMATIC };
enum { BY_STREAM, BY_EVENT, BY_BLOCKING_EVENT, BY_DEVICE, BY_QUERY, BY_MAPPED };
enum { DEFAULT, SPIN, YIELD, BLOCKING };
enum { SEQUENCE_NS, CALL_NS, KERNEL_NS };
enum { SMALL_BYTES = 64, PAGE_BYTES = 4096, MOST_BYTES = 32764 /* of parameters, from sm_70 on */ };
enum { MOST_KERNELS = 256, MOST_QUEUED_BYTES = 2 << 20, LEAST_SERIAL_BYTES = 1 << 10 };
enum { EXTRA_CALLS, EXTRA_BATCH };

static const fx_axis axes[] = {
    {"task", "",
     "host's time until it knows that all are done, its time in the calls, device's time per kernel and of one alone; "
     "or a serial step on the device or on the host",
     "latency issue gap single left round_trip", 0, 0, LATENCY},
    {"way", "", "way of launching kernels", "stream graph cooperative programmatic", 0, 0, STREAM},
    {"waits", "", "sign of completion that the host waits for: a call, or memory that it polls",
     "stream event blocking_event device query mapped", 0, 0, BY_STREAM},
    {"schedule", "", "behaviour of the waiting call (cudaSetDeviceFlags)", "default spin yield blocking", 0, 0,
     DEFAULT},
    {"parameter_bytes", "bytes", "bytes of parameters of the kernel: 0, 64, 4096 or 32764", NULL, 0, MOST_BYTES, 0},
    {"kernels", "", "kernels in a row, or nodes of the graph", NULL, 1, MOST_KERNELS, 1},
    {"size", "bytes", "data of the serial step", NULL, 4, 1 << 20, 4096},
};

static const fx_sweep sweeps[] = {
    {"way", "task=latency way=stream,graph,cooperative,programmatic kernels=1,4,16,64,256",
     "task=latency way=stream,graph kernels=1,16"},
    {"waits", "task=latency waits=stream,event,device schedule=default,spin,yield,blocking", NULL},
    {"polls", "task=latency waits=blocking_event,query,mapped", "task=latency waits=mapped"},
    {"parameters", "task=latency,single parameter_bytes=0,64,4096,32764", "task=single parameter_bytes=0"},
    {"parameter_rate", "task=issue,gap kernels=8 parameter_bytes=0,64,4096,32764", NULL},
    {"rate", "task=issue,gap way=stream,graph,cooperative,programmatic kernels=64", "task=issue,gap kernels=64"},
    {"serial", "task=left,round_trip size=4,64,1Ki,4Ki,16Ki,64Ki,256Ki", "task=left,round_trip size=4Ki"},
};

static const fx_metric metrics[] = {
    {"sequence_host_ns", "ns", FX_HOST_NS, false, "sequence"},
    {"call_host_ns", "ns", FX_HOST_NS, false, "kernel launched"},
    {"kernel_ns", "ns", FX_GPU_NS, false, "kernel"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t task = params->value[TASK];
    (void)facts, (void)table;
    out->metric = task == ISSUE ? CALL_NS : task == GAP || task == SINGLE ? KERNEL_NS : SEQUENCE_NS;
    fx_prediction_count(out, "kernels", (double)params->value[KERNELS]);
    if (task == LATENCY) {
        out->law = "kernels";
        out->count = (double)params->value[KERNELS];
        out->in_fit = true;
    } else if (task == LEFT || task == ROUND_TRIP) {
        out->law = "bytes";
        out->count = out->useful_bytes = (double)params->value[SIZE];
        out->in_fit = params->value[SIZE] >= LEAST_SERIAL_BYTES;
        out->why_not = out->in_fit ? NULL : "less than the kernels' own start";
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], bytes = params->value[PARAMETERS], waits = params->value[WAITS];
    const int64_t kernels = params->value[KERNELS];
    const bool serial = task == LEFT || task == ROUND_TRIP;
    if (params->value[WAY] == PROGRAMMATIC && facts->compute_major < 9) {
        return "programmatic dependent launch needs sm_90";
    }
    if (bytes != 0 && bytes != SMALL_BYTES && bytes != PAGE_BYTES && bytes != MOST_BYTES) {
        return "parameter_bytes must be 0, 64, 4096 or 32764";
    }
    if (params->value[WAY] == PROGRAMMATIC && bytes != 0) {
        return "way=programmatic needs parameter_bytes=0";
    }
    if (task != LATENCY && (waits != BY_STREAM || params->value[SCHEDULE] != DEFAULT)) {
        return "waits and schedule are of task=latency";
    }
    if (params->value[SCHEDULE] != DEFAULT && waits != BY_STREAM && waits != BY_EVENT && waits != BY_DEVICE) {
        return "schedule is of waits=stream, event and device";
    }
    if (waits == BY_MAPPED && (bytes != 0 || params->value[WAY] == PROGRAMMATIC)) {
        return "waits=mapped needs parameter_bytes=0, and no way=programmatic"; /* its last kernel is another */
    }
    if (task == SINGLE && kernels != 1) {
        return "task=single needs kernels=1";
    }
    if (serial && (params->value[WAY] != STREAM || bytes != 0 || kernels != 1)) {
        return "task=left and task=round_trip need way=stream, parameter_bytes=0 and kernels=1";
    }
    if (params->value[SIZE] % 4 != 0) {
        return "size must be a multiple of 4";
    }
    if (kernels * bytes > MOST_QUEUED_BYTES / 4) { /* `gap` queues three times as many behind the latch */
        return "parameters of all kernels together must be 512 KiB or less";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "../kept.h"
#include "serial.cuh"

static const double MOST_SPIN_NS = 2e9;

typedef struct work {
    cudaGraphExec_t graph;
    cudaEvent_t done;    /* of waits=event and blocking_event */
    cudaEvent_t mark[3]; /* of gap and single */
    fx_latch latch;
    uint32_t *told, *device_told; /* of waits=mapped: the last kernel sets it to 1 */
    unsigned flags_before;        /* the device's */
} work;

template <int BYTES_> struct parameters_of {
    unsigned char byte[BYTES_];
};

static unsigned char no_parameters[MOST_BYTES];

__global__ static void nothing(void) {}

template <int BYTES_> __global__ void nothing_with(const parameters_of<BYTES_>) {}

/* The next one may start at once; it waits for this one where it says so. */
__global__ static void nothing_early(void) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__global__ static void count(unsigned long long *counter) {
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1ull);
    }
}

__global__ static void tell(volatile uint32_t *told) {
    if (threadIdx.x == 0) {
        *told = 1;
    }
}

/* Launches. */

static fx_status launch(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, fx_error *err) {
    const cudaStream_t stream = rig->gpu->stream;
    const dim3 grid(1, 1, 1), block(FX_WARP, 1, 1);
    fx_status status = FX_OK;
    if (c->params.value[WAY] == COOPERATIVE) {
        FX_CUDA(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, stream));
    } else if (c->params.value[WAY] == PROGRAMMATIC) {
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = {};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        config.gridDim = grid;
        config.blockDim = block;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = 1;
        FX_CUDA(cudaLaunchKernelExC(&config, kernel, arguments));
    } else {
        FX_CUDA(cudaLaunchKernel(kernel, grid, block, arguments, 0, stream));
    }
cleanup:
    return status;
}

/* The case's kernels one by one. The last one tells the host, where it waits for that. */
static fx_status launch_all(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *telling[] = {&w->device_told};
    const int64_t others = c->params.value[KERNELS] - (w->device_told != NULL);
    fx_status status = FX_OK;
    for (int64_t i = 0; i < others && status == FX_OK; i++) {
        status = launch(rig, c, kernel, arguments, err);
    }
    if (status == FX_OK && w->device_told) {
        status = launch(rig, c, (const void *)tell, telling, err);
    }
    return status;
}

static fx_status record_graph(fx_rig *rig, const fx_case *c, const void *kernel, void **arguments, cudaGraphExec_t *out,
                              fx_error *err) {
    const cudaStream_t stream = rig->gpu->stream;
    cudaGraph_t graph = NULL;
    cudaError_t ended;
    fx_status status = FX_OK;
    FX_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    status = launch_all(rig, c, kernel, arguments, err);
    ended = cudaStreamEndCapture(stream, &graph); /* whatever became of the launches */
    if (status != FX_OK) {
        cudaGetLastError();
        goto cleanup;
    }
    FX_CUDA(ended);
    FX_CUDA(cudaGraphInstantiate(out, graph, 0));
cleanup:
    if (graph) {
        cudaGraphDestroy(graph);
    }
    return status;
}

/* Queues the case's kernels, by the way of the case. */
static fx_status queue(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {no_parameters};
    fx_status status = FX_OK;
    if (!w->graph) {
        return launch_all(rig, c, rig->work->entry.address, arguments, err);
    }
    FX_CUDA(cudaGraphLaunch(w->graph, rig->gpu->stream));
cleanup:
    return status;
}

/* The oracle: an empty kernel leaves nothing behind, so kernels that count go the same way first. */
static fx_status check_way(fx_rig *rig, const fx_case *c, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    work *w = FX_ARGUMENT(rig, work);
    const unsigned long long wanted = (unsigned long long)(c->params.value[KERNELS] - (w->device_told != NULL));
    unsigned long long counted = 0;
    void *arguments[] = {&gpu->scratch};
    cudaGraphExec_t graph = NULL;
    fx_status status = FX_OK;
    FX_CUDA(cudaMemsetAsync(gpu->scratch, 0, sizeof *gpu->scratch, gpu->stream));
    if (c->params.value[WAY] == GRAPH) {
        status = record_graph(rig, c, (const void *)count, arguments, &graph, err);
        if (status != FX_OK) {
            goto cleanup;
        }
        FX_CUDA(cudaGraphLaunch(graph, gpu->stream));
    } else {
        status = launch_all(rig, c, (const void *)count, arguments, err);
        if (status != FX_OK) {
            goto cleanup;
        }
    }
    FX_CUDA(cudaMemcpyAsync(&counted, gpu->scratch, sizeof counted, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    if (counted != wanted || (w->told && *(volatile uint32_t *)w->told != 1)) {
        status = fx_fail(err, FX_WRONG_RESULT,
                         "%llu of %llu kernels ran: there is no measurement; report it if it stays", counted, wanted);
    }
cleanup:
    if (graph) {
        cudaStreamSynchronize(gpu->stream);
        cudaGraphExecDestroy(graph);
    }
    return status;
}

/* Samples. */

static fx_status spin_until_told(const work *w, fx_error *err) {
    const double begin = fx_now_ns();
    while (*(volatile uint32_t *)w->told == 0) {
        if (fx_now_ns() - begin > MOST_SPIN_NS) {
            return fx_fail(err, FX_DEVICE, "the kernel's word to the host did not arrive within 2 s");
        }
    }
    return FX_OK;
}

static fx_status wait_for_all(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const cudaStream_t stream = rig->gpu->stream;
    cudaError_t code;
    fx_status status = FX_OK;
    switch (c->params.value[WAITS]) {
    case BY_EVENT:
    case BY_BLOCKING_EVENT:
        FX_CUDA(cudaEventRecord(w->done, stream));
        FX_CUDA(cudaEventSynchronize(w->done));
        break;
    case BY_DEVICE:
        FX_CUDA(cudaDeviceSynchronize());
        break;
    case BY_QUERY:
        do {
            code = cudaStreamQuery(stream);
        } while (code == cudaErrorNotReady);
        FX_CUDA(code);
        break;
    case BY_MAPPED:
        status = spin_until_told(w, err);
        break;
    default:
        FX_CUDA(cudaStreamSynchronize(stream));
    }
cleanup:
    return status;
}

/* Latency and issue. */
static fx_status sample_host(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    double times[3];
    (void)seed;
    if (w->told) {
        *(volatile uint32_t *)w->told = 0;
        __sync_synchronize();
    }
    times[0] = fx_now_ns();
    fx_status status = queue(rig, c, err);
    times[1] = fx_now_ns();
    if (status == FX_OK) {
        status = wait_for_all(rig, c, err);
    }
    times[2] = fx_now_ns();
    out->value =
        c->params.value[TASK] == ISSUE ? (times[1] - times[0]) / (double)c->params.value[KERNELS] : times[2] - times[0];
    out->extra[EXTRA_CALLS] = times[1] - times[0];
    /* What is not waited for must be done before the next sample, and before anything is given back. */
    const cudaError_t code = cudaStreamSynchronize(rig->gpu->stream);
    if (status == FX_OK) {
        FX_CUDA(code);
    }
cleanup:
    return status;
}

static fx_status queue_marked(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const cudaStream_t stream = rig->gpu->stream;
    fx_status status = FX_OK;
    FX_CUDA(cudaEventRecord(w->mark[0], stream));
    status = queue(rig, c, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaEventRecord(w->mark[1], stream));
    for (int i = 0; i < 2 && status == FX_OK && c->params.value[TASK] == GAP; i++) {
        status = queue(rig, c, err);
    }
    if (status == FX_OK && c->params.value[TASK] == GAP) {
        FX_CUDA(cudaEventRecord(w->mark[2], stream));
    }
cleanup:
    return status;
}

/* Gap and single. */
static fx_status sample_device(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    work *w = FX_ARGUMENT(rig, work);
    const double kernels = (double)c->params.value[KERNELS];
    double ns[2];
    (void)seed;
    fx_status status = fx_latch_hold(&w->latch, gpu->stream, err);
    if (status != FX_OK) {
        return status;
    }
    status = queue_marked(rig, c, err);
    fx_latch_release(&w->latch);
    const cudaError_t code = cudaStreamSynchronize(gpu->stream);
    if (status == FX_OK) {
        FX_CUDA(code);
        status = fx_event_ns(gpu, w->mark[0], w->mark[1], &ns[0], &out->flags, err);
    }
    if (status != FX_OK) {
        goto cleanup;
    }
    out->flags |= fx_latch_timed_out(&w->latch) ? FX_SAMPLE_LATCH_TIMEOUT : 0;
    out->value = ns[0] / kernels;
    out->extra[EXTRA_BATCH] = ns[0] / kernels;
    if (c->params.value[TASK] == GAP) {
        status = fx_event_ns(gpu, w->mark[1], w->mark[2], &ns[1], &out->flags, err);
        out->t_n = ns[0];
        out->intercept = 2 * ns[0] - ns[1];
        if (status == FX_OK && ns[1] > ns[0]) {
            out->value = (ns[1] - ns[0]) / kernels;
        } else {
            out->value = ns[1] / (2 * kernels);
            out->flags |= FX_SAMPLE_DISTURBED;
        }
    }
cleanup:
    return status;
}

/* What a case needs. */

static void give_graph(fx_rig *rig, void *graph, size_t bytes) {
    (void)rig, (void)bytes;
    cudaGraphExecDestroy((cudaGraphExec_t)graph);
}

static void give_mapped(fx_rig *rig, void *memory, size_t bytes) {
    (void)rig, (void)bytes;
    cudaFreeHost(memory);
}

static void give_flags(fx_rig *rig, void *flags, size_t bytes) {
    (void)flags, (void)bytes;
    cudaSetDeviceFlags(FX_ARGUMENT(rig, work)->flags_before);
}

static fx_status set_schedule(fx_rig *rig, const fx_case *c, fx_error *err) {
    static const unsigned schedules[] = {0, cudaDeviceScheduleSpin, cudaDeviceScheduleYield,
                                         cudaDeviceScheduleBlockingSync};
    const unsigned schedule = schedules[c->params.value[SCHEDULE]], mask = cudaDeviceScheduleMask;
    work *w = FX_ARGUMENT(rig, work);
    fx_status status = FX_OK;
    if (schedule == 0) {
        return FX_OK;
    }
    FX_CUDA(cudaGetDeviceFlags(&w->flags_before));
    if (cudaSetDeviceFlags((w->flags_before & ~mask) | schedule) != cudaSuccess) {
        cudaGetLastError();
        return fx_fail(err, FX_UNSUPPORTED, "the driver takes these flags only before the device is in use");
    }
    status = fx_rig_keep(rig, w, give_flags, err);
cleanup:
    return status;
}

static fx_status take_mapped(fx_rig *rig, work *w, fx_error *err) {
    fx_status status = FX_OK;
    FX_CUDA(cudaHostAlloc((void **)&w->told, sizeof *w->told, cudaHostAllocMapped));
    status = fx_rig_keep(rig, w->told, give_mapped, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    *w->told = 0;
    FX_CUDA(cudaHostGetDevicePointer((void **)&w->device_told, w->told, 0));
cleanup:
    return status;
}

static fx_status arrange_host(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const int64_t waits = c->params.value[WAITS];
    const unsigned blocking = cudaEventDisableTiming | cudaEventBlockingSync, usual = cudaEventDisableTiming;
    fx_status status = set_schedule(rig, c, err);
    if (status == FX_OK && (waits == BY_EVENT || waits == BY_BLOCKING_EVENT)) {
        status = keep_event(rig, &w->done, waits == BY_EVENT ? usual : blocking, err);
    }
    if (status == FX_OK && waits == BY_MAPPED) {
        status = take_mapped(rig, w, err);
    }
    rig->sample = sample_host;
    return status;
}

static fx_status arrange_device(fx_rig *rig, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const fx_status status = keep_marks(rig, w->mark, FX_COUNT(w->mark), err);
    rig->sample = sample_device;
    return status == FX_OK ? keep_latch(rig, &w->latch, err) : status;
}

static fx_status arrange_graph(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {no_parameters};
    fx_status status = record_graph(rig, c, rig->work->entry.address, arguments, &w->graph, err);
    if (status != FX_OK) {
        return status;
    }
    status = fx_rig_keep(rig, w->graph, give_graph, err);
    if (status == FX_OK) {
        FX_CUDA(cudaGraphUpload(w->graph, rig->gpu->stream));
        FX_CUDA(cudaStreamSynchronize(rig->gpu->stream));
    }
cleanup:
    return status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t task = c->params.value[TASK];
    rig->warps = 1;
    if (task == LEFT || task == ROUND_TRIP) {
        return arrange_serial(rig, (size_t)c->params.value[SIZE], task == LEFT, err);
    }
    fx_status status = task == LATENCY || task == ISSUE ? arrange_host(rig, c, err) : arrange_device(rig, err);
    if (status == FX_OK) {
        status = check_way(rig, c, err);
    }
    if (status == FX_OK && c->params.value[WAY] == GRAPH) {
        status = arrange_graph(rig, c, err);
    }
    return status;
}
#endif

#define EMPTY "task=latency,issue,gap,single "

static const fx_kernel kernels[] = {
    {EMPTY "way=stream,graph,cooperative parameter_bytes=0", FX_K(nothing), FX_WORK, 0, {{0}}},
    {EMPTY "way=stream,graph,cooperative parameter_bytes=64", FX_K(nothing_with, SMALL_BYTES), FX_WORK, 0, {{0}}},
    {EMPTY "way=stream,graph,cooperative parameter_bytes=4096", FX_K(nothing_with, PAGE_BYTES), FX_WORK, 0, {{0}}},
    {EMPTY "way=stream,graph,cooperative parameter_bytes=32764", FX_K(nothing_with, MOST_BYTES), FX_WORK, 0, {{0}}},
    {EMPTY "way=programmatic", FX_K(nothing_early), FX_WORK, 90, {{"PREEXIT", 1}, {"ACQBULK", 1}}},
    {"task=left", FX_K(serial_step), FX_WORK, 0, {{0}}},
    {"task=round_trip", FX_NO_KERNEL, FX_WORK, 0, {{0}}},
};

static const fx_probe launch_probe = {
    .contract = FX_PROBE_CONTRACT,
    .name = "launch",
    .question = "What does it cost to start a kernel, to learn that it is done, and to ask the host in between?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .fit_by = "task way waits schedule parameter_bytes",
    .extras = "calls_ns batch_ns",
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    FX_TABLE(kernels),
};

FX_PROBE(launch_probe)
