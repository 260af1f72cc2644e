/* launch: what does it cost to start a kernel, to learn that it is done, and to ask the host in between? Method:
 * kernels that do nothing, one warp each. The host's clock for `latency` and `issue`, events behind a latch for `gap`
 * and `single`; `left` and `round_trip` do a serial step between two parallel ones, on the device and on the host. */
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
     "host time until all are known to be done, host time in the calls, device time per kernel or of a single one; or "
     "a serial step on the device or on the host",
     "latency issue gap single left round_trip", 0, 0, LATENCY},
    {"way", "", "way of launching kernels", "stream graph cooperative programmatic", 0, 0, STREAM},
    {"waits", "", "completion that the host waits for: a call, or polled memory",
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
    {"one", "task=gap kernels=1", NULL},
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
    out->metric = task == ISSUE ? CALL_NS : task == GAP || task == SINGLE ? KERNEL_NS : SEQUENCE_NS;
    fx_prediction_count(out, "kernels", (double)params->value[KERNELS]);
    if (task == LATENCY) {
        out->law = "kernels";
        out->count = (double)params->value[KERNELS];
    } else if (task == LEFT || task == ROUND_TRIP) {
        out->law = "bytes";
        out->count = out->useful_bytes = (double)params->value[SIZE];
        out->why_not = params->value[SIZE] < LEAST_SERIAL_BYTES ? "less than the kernels' own start" : NULL;
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], bytes = params->value[PARAMETERS], waits = params->value[WAITS];
    const int64_t kernels = params->value[KERNELS];
    const bool serial = task == LEFT || task == ROUND_TRIP, programmatic = params->value[WAY] == PROGRAMMATIC;
#if defined(CUDART_VERSION) && CUDART_VERSION < 12010
    if (bytes == MOST_BYTES) {
        return "parameter_bytes=32764 needs a build by CUDA 12.1 or newer";
    }
#endif
    return programmatic && facts->compute_major < 9 ? "programmatic dependent launch needs sm_90"
           : bytes != 0 && bytes != SMALL_BYTES && bytes != PAGE_BYTES && bytes != MOST_BYTES
               ? "parameter_bytes must be 0, 64, 4096 or 32764"
           : bytes == MOST_BYTES && facts->compute_major < 7 ? "parameter_bytes=32764 needs compute capability 7.0"
           : programmatic && bytes != 0                      ? "way=programmatic needs parameter_bytes=0"
           : task != LATENCY && (waits != BY_STREAM || params->value[SCHEDULE] != DEFAULT)
               ? "waits and schedule need task=latency"
           : params->value[SCHEDULE] != DEFAULT && waits != BY_STREAM && waits != BY_EVENT && waits != BY_DEVICE
               ? "schedule needs waits=stream, event or device"
           : waits == BY_MAPPED && (bytes != 0 || programmatic) /* its last kernel is another */
               ? "waits=mapped needs parameter_bytes=0 and excludes way=programmatic"
               : task == SINGLE && kernels != 1 ? "task=single needs kernels=1"
                 : serial && (params->value[WAY] != STREAM || bytes != 0 || kernels != 1)
                     ? "task=left and task=round_trip need way=stream, parameter_bytes=0 and kernels=1"
                 : params->value[SIZE] % 4 != 0 ? "size must be a multiple of 4"
                 : kernels * bytes > MOST_QUEUED_BYTES / 4 /* `gap` queues three times as many behind the latch */
                     ? "parameters of all kernels together must be 512 KiB or less"
                     : NULL;
}

#ifdef FX_WITH_CUDA
#include "serial.cuh"
#include "waits.cuh"

/* Gap and single. */

static fx_status queue_marked(fx_rig *rig, const fx_case *c, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    const cudaStream_t stream = rig->gpu->stream;
    FX_TRY_CUDA(cudaEventRecord(w->mark[0], stream));
    FX_TRY(queue(rig, c, err));
    FX_TRY_CUDA(cudaEventRecord(w->mark[1], stream));
    if (c->params.value[TASK] == GAP) {
        FX_TRY(queue(rig, c, err));
        FX_TRY(queue(rig, c, err));
        FX_TRY_CUDA(cudaEventRecord(w->mark[2], stream));
    }
    return FX_OK;
}

static fx_status sample_device(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    work *w = FX_ARGUMENT(rig, work);
    const double kernels = (double)c->params.value[KERNELS];
    double ns[2];
    FX_TRY(fx_latch_hold(&w->latch, gpu->stream, err));
    const fx_status status = queue_marked(rig, c, err);
    fx_latch_release(&w->latch);
    const cudaError_t code = cudaStreamSynchronize(gpu->stream);
    FX_TRY(status);
    FX_TRY_CUDA(code);
    FX_TRY(fx_event_ns(gpu, w->mark[0], w->mark[1], &ns[0], &out->flags, err));
    out->flags |= fx_latch_timed_out(&w->latch) ? FX_SAMPLE_LATCH_TIMEOUT : 0;
    out->value = ns[0] / kernels;
    out->extra[EXTRA_BATCH] = ns[0] / kernels;
    if (c->params.value[TASK] == GAP) {
        FX_TRY(fx_event_ns(gpu, w->mark[1], w->mark[2], &ns[1], &out->flags, err));
        out->t_n = ns[0];
        out->intercept = 2 * ns[0] - ns[1];
        out->value = ns[1] > ns[0] ? (ns[1] - ns[0]) / kernels : ns[1] / (2 * kernels);
        out->flags |= ns[1] > ns[0] ? 0 : FX_SAMPLE_DISTURBED;
    }
    return FX_OK;
}

static fx_status arrange_device(fx_rig *rig, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    FX_TRY(fx_rig_events(rig, w->mark, FX_COUNT(w->mark), cudaEventDefault, err));
    rig->sample = sample_device;
    return fx_rig_latch(rig, &w->latch, err); /* last: what waits behind it is given back after it */
}

static fx_status arrange_graph(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    void *arguments[] = {no_parameters};
    FX_TRY(record_graph(rig, c, rig->work->entry.address, arguments, &w->graph, err));
    return keep_graph(rig, w->graph, err);
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t task = c->params.value[TASK];
    rig->warps = 1;
    if (task == LEFT || task == ROUND_TRIP) {
        return arrange_serial(rig, (size_t)c->params.value[SIZE], task == LEFT, err);
    }
    FX_TRY(task == LATENCY || task == ISSUE ? arrange_host(rig, c, err) : arrange_device(rig, err));
    FX_TRY(check_way(rig, c, err));
    return c->params.value[WAY] == GRAPH ? arrange_graph(rig, c, err) : FX_OK;
}
#endif

#define EMPTY "task=latency,issue,gap,single "

static const fx_kernel kernels[] = {
    FX_TIMED(EMPTY "way=stream,graph,cooperative parameter_bytes=0", FX_K(nothing)),
    FX_TIMED(EMPTY "way=stream,graph,cooperative parameter_bytes=64", FX_K(nothing_with, SMALL_BYTES)),
    FX_TIMED(EMPTY "way=stream,graph,cooperative parameter_bytes=4096", FX_K(nothing_with, PAGE_BYTES)),
    FX_TIMED(EMPTY "way=stream,graph,cooperative parameter_bytes=32764", FX_K(nothing_with, MOST_BYTES)),
    FX_TIMED_FROM(90, EMPTY "way=programmatic", FX_K(nothing_early), {"PREEXIT", 1}, {"ACQBULK", 1}),
    FX_TIMED("task=left", FX_K(serial_step)),
    FX_TIMED("task=round_trip", FX_NO_KERNEL),
};

FX_PROBE(launch,
         .question = "What does it cost to launch a kernel, to detect its end, and to return to the host in between?",
         .method_version = 1, FX_PARTS, .fit_by = "task way waits schedule parameter_bytes",
         .extras = "calls_ns batch_ns", .supported = supported)
