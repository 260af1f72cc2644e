/* host_sharing: what is left of a copy to or from the host when other GPUs copy, or its own cores stream? Method: each
 * sample times the copy of each GPU by itself first, then all at once: events of each device behind one latch where the
 * memory is pinned, the host's clock in a thread for each copy where it is pageable. Or one GPU copies while a team of
 * the host's cores copies through its own memory, and both are timed alone in the same sample. */
#include "core/probe.h"

enum { TASK, KIND, DIRECTION, COPYING, CORES, SIZE };
enum { GPUS, STREAM };
enum { PAGEABLE, PINNED };
enum { H2D, D2H, BOTH };
enum { ONE, QUARTER, HALF, FULL };
enum { GPU_NS, HOST_NS };
enum { EXTRA_KEPT, EXTRA_LEAST, EXTRA_SUM, EXTRA_HOST_KEPT, EXTRA_HOST, EXTRA_THREADS };

static const fx_axis axes[] = {
    {"task", "", "all GPUs copy at once, or one copies while the host's cores stream through memory", "gpus stream", 0,
     0, GPUS},
    {"kind", "", "kind of host memory", "pageable pinned", 0, 0, PINNED},
    {"direction", "", "host to device, device to host, or both at once", "h2d d2h both", 0, 0, H2D},
    {"copying_gpus", "", "number of GPUs that copy at once, with task=gpus", NULL, 1, FX_MOST_GPUS, 1},
    {"cores", "", "cores that stream, of those that the process may use, with task=stream", "one quarter half full", 0,
     0, FULL},
    {"size", "bytes", "bytes of each GPU in each direction", NULL, 1 << 20, 1 << 30, 64 << 20},
};

static const fx_sweep sweeps[] = {
    {"gpus", "task=gpus kind=pageable,pinned direction=h2d,d2h,both copying_gpus=2:8 size=64Mi",
     "task=gpus kind=pinned direction=h2d copying_gpus=2:8 size=64Mi"},
    {"stream", "task=stream kind=pageable,pinned direction=h2d,d2h cores=one,full size=64Mi",
     "task=stream kind=pageable,pinned direction=h2d cores=full size=64Mi"},
    {"stream_both", "task=stream kind=pageable,pinned direction=both cores=full size=64Mi", NULL},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "copy beside the others"},
    {"copy_host_ns", "ns", FX_HOST_NS, false, "copy beside the others"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->metric = params->value[KIND] == PAGEABLE ? HOST_NS : GPU_NS; /* what the host waits for, it times */
    out->useful_bytes = (double)params->value[SIZE] * (params->value[DIRECTION] == BOTH ? 2 : 1);
}

/* With one GPU one case stays that says so. */
static bool present(const fx_facts *facts, const fx_params *params) {
    const int64_t gpus = params->value[COPYING];
    return params->value[TASK] != GPUS || gpus <= facts->gpu_count ||
           (facts->gpu_count < 2 && gpus == 2 && params->value[KIND] == PINNED && params->value[DIRECTION] == H2D);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    return params->value[SIZE] % 4 != 0    ? "size must be a multiple of 4"
           : params->value[TASK] == STREAM ? params->value[COPYING] == 1 ? NULL : "task=stream needs copying_gpus=1"
           : params->value[COPYING] < 2    ? "task=gpus needs copying_gpus of 2 or more"
           : params->value[COPYING] <= facts->gpu_count ? NULL
           : facts->gpu_count < 2                       ? "the device is the only GPU that this process can use"
                                                        : "copying_gpus: the host has fewer GPUs";
}

#ifdef FX_WITH_CUDA
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "../arrival.h"
#include "gpu/host_memory.h"
#include "gpu/multi_gpu.h"
#include "gpu/rig.h"
#include "team.h"

enum { WAIT, COPY, LEAVE };
static const double LEAST_ALONE_S = 0.02;
enum { MOST_COPIES = 2 * FX_MOST_GPUS, PINNED_REPEATS = 16, PAGEABLE_REPEATS = 2 };

/* One direction of one GPU. */
typedef struct one_copy {
    bool to_device;
    char *host, *device, *primed_host, *primed_device;
    /* Of a thread that blocks on it. */
    int gpu;
    size_t bytes;
    unsigned repeats;
    cudaStream_t stream;
    int *go; /* atomic: WAIT, COPY or LEAVE */
    cudaError_t code;
    double ns;
} one_copy;

typedef struct state {
    fx_gpus gpus;
    fx_multi_gpu together; /* a lane for each copy */
    one_copy copies[MOST_COPIES];
    size_t ways, bytes; /* ways: copies of a GPU, one after the other */
    fx_host_kind kind;
    double alone_ns[MOST_COPIES];
    team cores;
} state;

static fx_status prime(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    const one_copy *copy = &((const state *)context)->copies[which];
    return queue_copy(copy->primed_device, copy->primed_host, FX_MOST_PRIME_BYTES, copy->to_device, lane->stream, err);
}

static cudaError_t start_copy(const one_copy *copy, cudaStream_t stream) {
    return copy->to_device ? cudaMemcpyAsync(copy->device, copy->host, copy->bytes, cudaMemcpyHostToDevice, stream)
                           : cudaMemcpyAsync(copy->host, copy->device, copy->bytes, cudaMemcpyDeviceToHost, stream);
}

static fx_status queue(void *context, const fx_lane *lane, size_t which, fx_error *err) {
    return FX_CUDA_STATUS(start_copy(&((const state *)context)->copies[which], lane->stream));
}

/* A pageable copy blocks its caller. */
static void *copy_blocking(void *argument) {
    one_copy *copy = (one_copy *)argument;
    int go;
    copy->code = cudaSetDevice(copy->gpu);
    while ((go = __atomic_load_n(copy->go, __ATOMIC_SEQ_CST)) == WAIT) {
        sched_yield();
    }
    const double begin = fx_now_ns();
    for (unsigned i = 0; i < copy->repeats && go == COPY && copy->code == cudaSuccess; i++) {
        copy->code = start_copy(copy, copy->stream);
    }
    if (copy->code == cudaSuccess) {
        copy->code = cudaStreamSynchronize(copy->stream);
    }
    copy->ns = (fx_now_ns() - begin) / copy->repeats;
    return NULL;
}

static fx_status run_blocking(state *s, size_t first, size_t count, fx_error *err) {
    pthread_t thread[MOST_COPIES];
    size_t running = 0;
    int go = WAIT;
    fx_status status = FX_OK;
    for (size_t i = first; i < first + count && status == FX_OK; i++) {
        s->copies[i].go = &go;
        if (pthread_create(&thread[running], NULL, copy_blocking, &s->copies[i]) == 0) {
            running++;
        } else {
            status = fx_fail(err, FX_NO_MEMORY, "no thread for each of %zu copies", count);
        }
    }
    __atomic_store_n(&go, status == FX_OK ? COPY : LEAVE, __ATOMIC_SEQ_CST);
    while (running > 0) {
        pthread_join(thread[--running], NULL);
    }
    FX_TRY(status);
    FX_TRY(fx_gpus_home(&s->gpus, err));
    for (size_t i = first; i < first + count; i++) {
        FX_TRY(fx_cuda_check(s->copies[i].code, "cudaMemcpyAsync", __FILE__, __LINE__, err));
    }
    return FX_OK;
}

/* Copies [first, first + count) at once; ns[i] is of copy i. */
static fx_status run(state *s, size_t first, size_t count, double *ns, uint32_t *flags, fx_error *err) {
    const bool blocking = s->kind == FX_HOST_PAGEABLE;
    FX_TRY(blocking ? run_blocking(s, first, count, err) : fx_multi_gpu_run(&s->together, first, count, flags, err));
    for (size_t i = first; i < first + count; i++) {
        ns[i] = blocking ? s->copies[i].ns : s->together.lane[i].ns;
    }
    return FX_OK;
}

static fx_status wipe(const state *s, uint64_t seed, fx_error *err) {
    for (size_t i = 0; i < s->together.count; i++) {
        const one_copy *copy = &s->copies[i];
        if (!copy->to_device) {
            poison_host(copy->host, s->bytes, seed);
            continue;
        }
        FX_TRY(fx_gpus_use(&s->gpus, copy->gpu, err));
        FX_TRY_CUDA(cudaMemsetAsync(copy->device, 0xa5, s->bytes, copy->stream));
        FX_TRY_CUDA(cudaStreamSynchronize(copy->stream));
    }
    return fx_gpus_home(&s->gpus, err);
}

static fx_status check(const state *s, uint64_t seed, fx_error *err) {
    for (size_t i = 0; i < s->together.count; i++) {
        const one_copy *copy = &s->copies[i];
        FX_TRY(fx_gpus_use(&s->gpus, copy->gpu, err));
        FX_TRY(copy->to_device ? fx_gpu_verify(s->gpus.at[copy->gpu], copy->device, s->bytes / 4, PATTERN_SEED, err)
                               : check_words(copy->host, s->bytes, seed, PATTERN_SEED, err));
    }
    return FX_OK;
}

static void note_placement(const state *s, fx_sample *out) {
    for (size_t i = 0; i < s->together.count; i++) {
        const int node = s->gpus.at[s->copies[i].gpu]->numa_node;
        out->flags |= fx_numa_is_on_node(s->copies[i].host, s->bytes, node) ? 0 : FX_SAMPLE_NOT_PLACED;
    }
}

/* What each GPU keeps of its own rate: both directions together. */
static void fill_kept(const state *s, const double *ns, fx_sample *out) {
    double kept = 0, gpus = 0;
    out->value = out->extra[EXTRA_SUM] = 0;
    out->extra[EXTRA_LEAST] = (double)INFINITY;
    for (size_t i = 0; i < s->together.count; i += s->ways) {
        double alone = 0, now = 0;
        for (size_t w = 0; w < s->ways; w++) {
            alone += rate_GBps(s->bytes, s->alone_ns[i + w]);
            now += rate_GBps(s->bytes, ns[i + w]);
            out->value = fmax(out->value, ns[i + w]);
        }
        kept += now / alone;
        gpus++;
        out->extra[EXTRA_LEAST] = fmin(out->extra[EXTRA_LEAST], 100 * now / alone);
        out->extra[EXTRA_SUM] += now;
    }
    out->extra[EXTRA_KEPT] = 100 * kept / gpus;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    state *s = *FX_ARGUMENT(rig, state *);
    const bool stream = c->params.value[TASK] == STREAM;
    double ns[MOST_COPIES], host_alone = 0;
    for (size_t i = 0; i < s->together.count; i += s->ways) {
        FX_TRY(run(s, i, s->ways, s->alone_ns, &out->flags, err));
    }
    if (stream) {
        const double alone_s = 1e-9 * s->alone_ns[0] * s->copies[0].repeats;
        FX_TRY(team_alone(&s->cores, fmax(LEAST_ALONE_S, alone_s), &host_alone, err));
    }
    FX_TRY(wipe(s, seed, err));
    FX_TRY(stream ? team_begin(&s->cores, err) : FX_OK);
    fx_status status = run(s, 0, s->together.count, ns, &out->flags, err);
    if (stream) {
        const fx_status ended = team_end(&s->cores, &out->extra[EXTRA_HOST], status == FX_OK ? err : NULL);
        status = status == FX_OK ? ended : status;
        out->extra[EXTRA_HOST_KEPT] = 100 * out->extra[EXTRA_HOST] / host_alone;
        out->extra[EXTRA_THREADS] = s->cores.count;
    }
    FX_TRY(status);
    fill_kept(s, ns, out);
    note_placement(s, out);
    return fx_gpus_home_after(&s->gpus, check(s, seed, err), err);
}

static void give_state(fx_rig *rig, void *what, size_t bytes) {
    state *s = (state *)what;
    if (!s->gpus.home) {
        return;
    }
    for (size_t i = 0; i < s->together.count; i++) {
        one_copy *copy = &s->copies[i];
        fx_gpus_free(&s->gpus, copy->gpu, copy->device, s->bytes);
        fx_gpus_free(&s->gpus, copy->gpu, copy->primed_device, FX_MOST_PRIME_BYTES);
        fx_host_memory_free(s->kind, copy->host, s->bytes);
        fx_host_memory_free(FX_HOST_PINNED, copy->primed_host, FX_MOST_PRIME_BYTES);
    }
    team_close(&s->cores);
    fx_multi_gpu_close(&s->together);
    fx_gpus_close(&s->gpus);
}

static fx_status add_copy(state *s, int gpu, bool to_device, fx_error *err) {
    const size_t which = s->together.count;
    one_copy *copy = &s->copies[which];
    FX_TRY(fx_multi_gpu_add(&s->together, gpu, err));
    fx_lane *lane = &s->together.lane[which];
    *copy = (one_copy){.to_device = to_device, .gpu = gpu, .bytes = s->bytes, .stream = lane->stream};
    copy->repeats = lane->repeats = s->kind == FX_HOST_PAGEABLE ? PAGEABLE_REPEATS : PINNED_REPEATS;
    FX_TRY(fx_gpus_memory(&s->gpus, gpu, s->bytes, &copy->device, err));
    FX_TRY(fx_gpus_memory(&s->gpus, gpu, FX_MOST_PRIME_BYTES, &copy->primed_device, err));
    FX_TRY(fx_gpus_use(&s->gpus, gpu, err));
    FX_TRY(fx_host_memory_alloc(s->gpus.at[gpu], s->kind, s->bytes, PATTERN_SEED, (void **)&copy->host, err));
    FX_TRY(fx_host_memory_alloc(s->gpus.at[gpu], FX_HOST_PINNED, FX_MOST_PRIME_BYTES, PATTERN_SEED,
                                (void **)&copy->primed_host, err));
    FX_TRY(fx_gpu_fill(s->gpus.at[gpu], copy->device, s->bytes / 4, PATTERN_SEED, err));
    return fx_gpu_wait(s->gpus.at[gpu], err);
}

static int threads_of(int64_t cores) {
    static const int part[] = {1, 4, 2, 1}; /* one is none of all */
    int cpu[TEAM_MOST_THREADS];
    const int all = team_cpus(cpu);
    return cores == ONE ? 1 : (all + part[cores] - 1) / part[cores];
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const fx_params *p = &c->params;
    const int gpus = (int)p->value[COPYING], home = rig->gpu->ordinal;
    unsigned which = 0;
    state *s;
    FX_TRY(fx_rig_memory(rig, &s, FX_HOST_MEMORY, sizeof *s, 0, err));
    *FX_ARGUMENT(rig, state *) = s;
    s->bytes = (size_t)p->value[SIZE];
    s->kind = p->value[KIND] == PAGEABLE ? FX_HOST_PAGEABLE : FX_HOST_PINNED;
    s->ways = p->value[DIRECTION] == BOTH ? 2 : 1;
    rig->sample = sample;
    for (int i = 0; i < gpus; i++) {
        which |= 1u << (home + i) % rig->gpu->facts.gpu_count;
    }
    FX_TRY(fx_rig_keep(rig, s, give_state, err));
    FX_TRY(fx_gpus_open(rig->gpu, which, &s->gpus, err));
    FX_TRY(fx_multi_gpu_open(&s->gpus, &s->together, err));
    s->together.context = s;
    s->together.queue = queue;
    s->together.prime = prime;
    for (int i = 0; i < gpus; i++) {
        const int gpu = (home + i) % rig->gpu->facts.gpu_count;
        for (int way = H2D; way <= D2H; way++) {
            if (p->value[DIRECTION] == BOTH || p->value[DIRECTION] == way) {
                FX_TRY(add_copy(s, gpu, way == H2D, err)); /* after a failure give_state comes home */
            }
        }
    }
    FX_TRY(fx_gpus_home(&s->gpus, err));
    if (p->value[TASK] == STREAM) {
        double ignored;
        FX_TRY(team_open(&s->cores, threads_of(p->value[CORES]), rig->gpu->numa_node, err));
        FX_TRY(team_alone(&s->cores, 0, &ignored, err)); /* faults its pages in */
    }
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {FX_TIMED("", FX_NO_KERNEL)};

FX_PROBE(host_sharing, .question = "How much do host copies slow down when other GPUs copy or host cores stream?",
         .method_version = 2, /* 2: the cores stream for 20 ms before their rate counts */
         FX_PARTS, .extras = "kept_pct least_pct sum_GBps host_kept_pct host_GBps threads", .present = present,
         .supported = supported,
         .samples = 4, /* however long they take: of one GPU's first the contexts of all others are made */
         .once = true)
