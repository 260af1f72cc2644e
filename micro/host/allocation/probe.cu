/* allocation: what does device memory cost until it can be used, and until it is given back? Method: the host's clock
 * around the call, with the device at rest, or busy with a kernel that has nothing to do with the memory; the device's
 * clock for the first and the second write to it, and for reads of data that compressible memory could pack; the SM's
 * clock for a chain over many pages. */
#include "core/probe.h"

enum { TASK, WAY, SIZE, DATA };
enum { ALLOCATE, RELEASE, ALLOCATE_BUSY, RELEASE_BUSY, REALLOCATE, TOUCH, TOUCH_AGAIN, WALK, READ };
enum { PLAIN, POOL, POOL_KEPT, MAPPED, PIECES, COMPRESSIBLE };
enum { ZERO, RAMP, RANDOM };
enum { CALL_NS, LINE_NS, ACCESS_CYCLES };
enum { EXTRA_WAITED, EXTRA_RAN_ON, EXTRA_SYNC };
enum { STRIDE = 2 << 20, LEAST_BYTES = 4 << 10, SAMPLES = 9 };

static const fx_axis axes[] = {
    {"task", "",
     "allocation or release on a device that is idle or runs a kernel; allocation right after as much was "
     "freed; first or second write to all of it; dependent load from each 2 MiB; read of all of it",
     "allocate release allocate_busy release_busy reallocate touch touch_again walk read", 0, 0, ALLOCATE},
    {"way", "",
     "way of allocation: cudaMalloc; cudaMallocAsync from a pool that releases at once, or keeps all; physical memory "
     "mapped as one piece, in pieces of the granularity, or compressible",
     "malloc pool pool_kept mapped pieces compressible", 0, 0, PLAIN},
    {"size", "bytes", "bytes allocated", NULL, LEAST_BYTES, (int64_t)8 << 30, 16 << 20},
    {"data", "", "data that are read: zeros, counting words, or random bits", "zero ramp random", 0, 0, RANDOM},
};

static const fx_sweep sweeps[] = {
    {"call", "task=allocate,release way=malloc,pool,pool_kept,mapped size=4Ki,1Mi,32Mi,256Mi",
     "task=allocate,release way=malloc,pool_kept size=1Mi"},
    {"busy", "task=allocate_busy,release_busy way=malloc,pool,pool_kept,mapped size=16Mi",
     "task=release_busy way=malloc,pool_kept size=16Mi"},
    {"reallocate", "task=reallocate way=malloc,pool,pool_kept,mapped size=256Mi", NULL},
    {"touch", "task=touch,touch_again way=malloc,pool,mapped size=128Mi", "task=touch way=malloc size=128Mi"},
    {"walk", "task=walk way=malloc,pool,mapped,pieces size=64Mi,2Gi", "task=walk way=malloc size=64Mi"},
    {"read", "task=read way=mapped,compressible size=1Gi data=zero,ramp,random",
     "task=read way=compressible size=1Gi data=zero"},
};

static const fx_metric metrics[] = {
    {"call_host_ns", "ns", FX_HOST_NS, false, "call"},
    {"line_ns", "ns", FX_GPU_NS, false, "128 bytes"},
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "dependent access"},
};

/* The driver hands out pieces of larger blocks, keeps some, and asks the kernel for others: no line through the sizes
 * holds. */
static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t task = params->value[TASK];
    out->metric = task == WALK ? ACCESS_CYCLES : task >= TOUCH ? LINE_NS : CALL_NS;
    out->useful_bytes = task == WALK ? 8 : task >= TOUCH ? FX_LINE_BYTES : 0;
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], way = params->value[WAY], size = params->value[SIZE];
    return size % LEAST_BYTES != 0                         ? "size must be a multiple of 4096"
           : way == PIECES && task != WALK                 ? "way=pieces needs task=walk"
           : way == COMPRESSIBLE && task != READ           ? "way=compressible needs task=read"
           : params->value[DATA] != RANDOM && task != READ ? "data other than random needs task=read"
           : task == WALK && (size % STRIDE != 0 || size < 4 * STRIDE)
               ? "task=walk needs size to be a multiple of 2 MiB, and 8 MiB or more"
           : task >= TOUCH && task != WALK && size < 32 << 20
               ? "task=touch, touch_again and read need size=32 MiB or more"
           : facts->memory_bytes > 0 && (uint64_t)size > facts->memory_bytes / 4
               ? "size: more than a quarter of the device's memory"
           : facts->compute_major < 6 ? "compute capability 6.0 is needed"
                                      : NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>

#include "../../aids.h"
#include "kernels.cuh"
#include "mapped.h"

enum { BUSY_NS = 400000, THREADS = 256, BLOCKS_PER_SM = 8, PARTS = 4 };

/* What the kernels get comes first. */
typedef struct task {
    union {
        job j;
        ring r;
    };
    driver d;
    mapped m;
    cudaMemPool_t pool;
    void *memory;
    size_t bytes;
    int64_t way;
    cudaEvent_t from, to, done;
} task;

/* The calls that are timed. */
static fx_status allocate(fx_rig *rig, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    if (t->way == PLAIN) {
        FX_TRY_CUDA(cudaMalloc(&t->memory, t->bytes));
    } else if (t->pool) {
        FX_TRY_CUDA(cudaMallocFromPoolAsync(&t->memory, t->bytes, t->pool, rig->gpu->stream));
    } else {
        FX_TRY(mapped_open(&t->d, rig->gpu, t->bytes, t->way == PIECES, t->way == COMPRESSIBLE, &t->m, err));
        t->memory = (void *)t->m.at;
    }
    return FX_OK;
}

static fx_status release(fx_rig *rig, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    void *memory = t->memory;
    t->memory = NULL;
    rig->gpu->pool.freed_bytes += memory ? t->bytes : 0;
    if (t->way == PLAIN) {
        FX_TRY_CUDA(cudaFree(memory));
    } else if (t->pool && memory) {
        FX_TRY_CUDA(cudaFreeAsync(memory, rig->gpu->stream));
    } else {
        mapped_free(&t->d, &t->m);
    }
    return FX_OK;
}

static fx_status timed_call(fx_rig *rig, int64_t what, double *ns, fx_error *err) {
    const double begin = fx_now_ns();
    FX_TRY(what == ALLOCATE ? allocate(rig, err) : release(rig, err));
    *ns = fx_now_ns() - begin;
    return FX_OK;
}

/* The same while a kernel is at work in another stream, which was done when the call came back, or not. */
static fx_status busy_call(fx_rig *rig, int64_t what, fx_sample *out, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    uint64_t busy = BUSY_NS;
    void *arguments[] = {&busy};
    FX_TRY_CUDA(
        cudaLaunchKernel((const void *)spin, dim3(1, 1, 1), dim3(1, 1, 1), arguments, 0, rig->gpu->other_stream));
    FX_TRY_CUDA(cudaEventRecord(t->done, rig->gpu->other_stream));
    FX_TRY(timed_call(rig, what, &out->value, err));
    out->extra[EXTRA_WAITED] = cudaEventQuery(t->done) == cudaSuccess;
    out->extra[EXTRA_RAN_ON] = 1 - out->extra[EXTRA_WAITED];
    return FX_CUDA_STATUS(cudaStreamSynchronize(rig->gpu->other_stream));
}

static fx_status sample_call(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    const int64_t what = c->params.value[TASK];
    double ignored;
    FX_TRY(fx_memory_settle(rig->gpu, &out->flags, err));
    if (what == ALLOCATE || what == ALLOCATE_BUSY) {
        FX_TRY(what == ALLOCATE ? timed_call(rig, ALLOCATE, &out->value, err) : busy_call(rig, ALLOCATE, out, err));
        FX_TRY(release(rig, err));
        return fx_gpu_wait(rig->gpu, err);
    }
    FX_TRY(allocate(rig, err));
    FX_TRY(fx_gpu_fill(rig->gpu, FX_ARGUMENT(rig, task)->memory, LEAST_BYTES / 4, FX_FILL_SEED, err));
    FX_TRY(fx_gpu_verify(rig->gpu, FX_ARGUMENT(rig, task)->memory, LEAST_BYTES / 4, FX_FILL_SEED, err));
    if (what == RELEASE_BUSY) {
        FX_TRY(busy_call(rig, RELEASE, out, err));
    } else {
        FX_TRY(timed_call(rig, RELEASE, &out->value, err));
    }
    const double begin = fx_now_ns();
    FX_TRY(fx_gpu_wait(rig->gpu, err));
    out->extra[EXTRA_SYNC] = fx_now_ns() - begin;
    if (what == REALLOCATE) {
        FX_TRY(timed_call(rig, ALLOCATE, &out->value, err));
        FX_TRY(timed_call(rig, RELEASE, &ignored, err));
        return fx_gpu_wait(rig->gpu, err);
    }
    return FX_OK;
}

/* Fills new memory, and fills it once more. */
static fx_status sample_touch(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    FX_TRY(fx_memory_settle(rig->gpu, &out->flags, err));
    FX_TRY(allocate(rig, err));
    FX_TRY(c->params.value[TASK] == TOUCH_AGAIN ? fx_gpu_fill(rig->gpu, t->memory, t->bytes / 4, 1, err) : FX_OK);
    FX_TRY(fx_gpu_flush_l2(rig->gpu, err));
    FX_TRY_CUDA(cudaEventRecord(t->from, rig->gpu->stream));
    FX_TRY(fx_gpu_fill(rig->gpu, t->memory, t->bytes / 4, seed, err));
    FX_TRY_CUDA(cudaEventRecord(t->to, rig->gpu->stream));
    FX_TRY(fx_gpu_wait(rig->gpu, err));
    FX_TRY(fx_event_ns(rig->gpu, t->from, t->to, &out->value, &out->flags, err));
    out->value /= (double)(t->bytes / FX_LINE_BYTES);
    FX_TRY(fx_gpu_verify(rig->gpu, t->memory, t->bytes / 4, seed, err));
    FX_TRY(release(rig, err));
    return fx_gpu_wait(rig->gpu, err);
}

/* Reads: of the four parts the shorter launch takes the first, and the longer one the next two. */
static void part(fx_rig *rig, const fx_case *c, int which) {
    job *j = &FX_ARGUMENT(rig, task)->j;
    const uint64_t quarter = FX_ARGUMENT(rig, task)->bytes / QUAD / PARTS;
    j->first = which == 0 ? 0 : quarter;
    j->quads = which == 0 ? quarter : 2 * quarter;
}

static fx_status arrange_read(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    rig->warps = THREADS / FX_WARP;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * BLOCKS_PER_SM;
    rig->units = (double)(t->bytes / PARTS / FX_LINE_BYTES);
    rig->cold = true;
    rig->part = part;
    FX_TRY(fx_rig_sums(rig, &t->j.sums, err));
    t->j.data = (char *)t->memory;
    t->j.kind = (uint32_t)c->params.value[DATA];
    t->j.quads = t->bytes / QUAD;
    return fx_rig_aid(rig, "write_all", rig->blocks, THREADS, fx_arguments{&t->j}, err);
}

static fx_status arrange_walk(fx_rig *rig, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    t->r.data = (char *)t->memory;
    t->r.places = (uint32_t)(t->bytes / STRIDE);
    t->r.seed = 7;
    t->r.step = ring_step(t->r.places);
    rig->warps = 1;
    rig->accesses = FX_CHAIN_STEPS;
    rig->trip_cycles = FX_CHAIN_STEPS * 300.0;
    rig->pass_cycles = 1024 * 300.0;
    rig->warm_trips = t->r.places / FX_CHAIN_STEPS + 1;
    return fx_rig_aid(rig, "lay", 64, THREADS, fx_arguments{&t->r}, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    if (c->params.value[TASK] == WALK) {
        ring *r = &FX_ARGUMENT(rig, task)->r;
        const uint64_t steps = fx_timed_steps(&rig->timed, FX_CHAIN_STEPS, r->places);
        r->first = (uint32_t)fx_random_below(&seed, r->places);
        r->last = (uint32_t)((r->first + steps % r->places * r->step) % r->places);
    }
    return FX_OK;
}

static void give_back(fx_rig *rig, void *nothing, size_t bytes) {
    task *t = FX_ARGUMENT(rig, task);
    fx_error ignored;
    if (t->memory) {
        (void)release(rig, &ignored);
    }
    if (t->pool) {
        cudaStreamSynchronize(rig->gpu->stream);
        cudaMemPoolDestroy(t->pool);
    }
}

/* A pool of the case's own. */
static fx_status open_pool(fx_rig *rig, fx_error *err) {
    task *t = FX_ARGUMENT(rig, task);
    cudaMemPoolProps wanted = {};
    cuuint64_t kept = t->way == POOL_KEPT ? UINT64_MAX : 0;
    int pools = 0;
    FX_TRY_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, rig->gpu->ordinal));
    FX_FAIL_IF(!pools, err, FX_UNSUPPORTED, "the device has no memory pools");
    wanted.allocType = cudaMemAllocationTypePinned;
    wanted.location.type = cudaMemLocationTypeDevice;
    wanted.location.id = rig->gpu->ordinal;
    FX_TRY_CUDA(cudaMemPoolCreate(&t->pool, &wanted));
    return FX_CUDA_STATUS(cudaMemPoolSetAttribute(t->pool, cudaMemPoolAttrReleaseThreshold, &kept));
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t what = c->params.value[TASK];
    task *t = FX_ARGUMENT(rig, task);
    t->way = c->params.value[WAY];
    t->bytes = (size_t)c->params.value[SIZE];
    FX_TRY(fx_rig_event(rig, &t->from, err));
    FX_TRY(fx_rig_event(rig, &t->to, err));
    FX_TRY(fx_rig_event(rig, &t->done, err));
    FX_TRY(fx_rig_keep(rig, NULL, give_back, err));
    if (t->way == POOL || t->way == POOL_KEPT) {
        FX_TRY(open_pool(rig, err));
    } else if (t->way != PLAIN) {
        FX_TRY(driver_open(&t->d, err));
    }
    if (what < TOUCH) {
        rig->sample = sample_call;
        return FX_OK;
    }
    if (what == TOUCH || what == TOUCH_AGAIN) {
        rig->sample = sample_touch;
        return FX_OK;
    }
    FX_TRY(allocate(rig, err));
    FX_TRY(fx_gpu_wait(rig->gpu, err));
    return what == WALK ? arrange_walk(rig, err) : arrange_read(rig, c, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("task=allocate,release,allocate_busy,release_busy,reallocate,touch,touch_again", FX_NO_KERNEL),
    FX_TIMED("task=walk", FX_K(walk), {"LDG.E.64.STRONG.GPU", FX_CHAIN_STEPS}),
    FX_TIMED("task=read", FX_K(read_quads), {"LDG.E.128", 0}),
    FX_EXPECTED("task=read", FX_K(expect_all)),
    FX_AIDED("task=read", FX_K(write_all)),
    FX_AIDED("task=walk", FX_K(lay)),
    FX_AIDED("task=allocate_busy,release_busy", FX_K(spin)),
};

FX_PROBE(allocation, .question = "What does device memory cost until it can be used, and until it is given back?",
         .method_version = 1, FX_PARTS, .extras = "waited ran_on sync_host_ns", .supported = supported,
         .draw = FX_GPU(draw), .samples = SAMPLES, .sanitized = "size=32Mi")
