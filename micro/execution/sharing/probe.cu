/* sharing: what does other work on the same GPU cost, from another stream, green context or process? Method: each
 * sample times work alone, then beside a neighbour that runs on until it is told to stop: in a second stream, in the
 * other half of the SMs, or in a process of its own (core/fresh_process.h). */
#include "core/probe.h"
#include "core/random.h"

enum { NEIGHBOUR, WORK, BESIDE };
enum { STREAM, GREEN, PROCESS, MPS };
enum { SM, L2, DRAM, LINK };
enum { EXTRA_KEPT, EXTRA_ALONE };
enum { PIECE_BYTES = 128 << 10, COPY_BYTES = 16 << 20, UNROLL = 8, CHUNK = 256, SELDOM = 16 };

static const fx_axis axes[] = {
    {"neighbour", "", "place of other work: a second stream, the other half of the SMs, a process in turns or by MPS",
     "stream green process mps", 0, 0, STREAM},
    {"work", "", "work that is timed: arithmetic, reads from the L2, reads from DRAM, copies from pinned host memory",
     "sm l2 dram link", 0, 0, SM},
    {"beside", "", "work of the neighbour meanwhile, of the same kinds", "sm l2 dram link", 0, 0, SM},
};

static const fx_sweep sweeps[] = {
    {"arithmetic", "neighbour=stream,green,process,mps work=sm beside=sm", NULL},
    {"memory", "neighbour=stream,green,process,mps work=dram beside=dram", "neighbour=stream work=dram beside=dram"},
    {"cache", "neighbour=stream,green work=l2 beside=l2,dram", NULL},
    {"copies", "neighbour=process,mps work=link beside=link", NULL},
    {"others", "neighbour=stream work=sm,link beside=dram", NULL},
};

static const fx_metric metrics[] = {{"beside_host_ns", "ns", FX_HOST_NS, false, "unit of work beside a neighbour"}};

static uint64_t l2_bytes(const fx_facts *facts) {
    const uint64_t quarter = facts->l2_bytes / 4 / PIECE_BYTES * PIECE_BYTES;
    return quarter > PIECE_BYTES ? quarter : PIECE_BYTES;
}

/* Of one unit of work. */
static uint64_t bytes_of(const fx_facts *facts, int64_t kind) {
    return kind == L2 ? l2_bytes(facts) : kind == DRAM ? 32 * l2_bytes(facts) : kind == LINK ? COPY_BYTES : 0;
}

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    out->useful_bytes = (double)bytes_of(facts, params->value[WORK]);
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t neighbour = params->value[NEIGHBOUR];
    return neighbour == GREEN && params->value[WORK] == LINK ? "a copy uses no SM, so no green context confines it"
           : neighbour < PROCESS && params->value[BESIDE] == LINK
               ? "beside=link needs neighbour=process or mps: copies of one process run in the order of its calls"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/fresh_process.h"
#include "gpu/rig.h"
#include "gpu/sm_groups.h"
#include "gpu/timed.cuh"

enum { THREADS = 512, BLOCKS_PER_SM = 1, MOST_UNITS = 1 << 22 }; /* two such blocks fit on an SM */
enum { STARTING, RUNNING, STOP };
static const double ALONE_NS = 2e6, MOST_BESIDE_NS = 2e8, START_NS = 3e10, LOAD_NS = 3e6;
static const uint32_t STEP = 1664525u, ADDEND = 1013904223u;

/* What a kernel does: `units` of it, or until the host's word is no longer RUNNING or `most_ns` have gone. */
typedef struct load {
    const uint4 *data;
    uint64_t pieces; /* of a unit */
    uint64_t units;  /* 0: until stopped */
    uint64_t most_ns;
    volatile uint32_t *word; /* in host memory: block 0 looks, and tells the others */
    uint32_t *sum;           /* and behind it the word that it tells them by */
    uint32_t seed;
} load;

/* All threads of the block agree. Were all blocks to read the host's memory, those reads would hold up all others. */
__device__ __forceinline__ bool goes_on(const load &l, uint64_t end_ns) {
    volatile uint32_t *told = l.sum + 1;
    bool mine = false;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        mine = *l.word == RUNNING && fx_globaltimer() < end_ns;
        *told = mine ? RUNNING : STOP;
    } else if (threadIdx.x == 0) {
        mine = *told != STOP;
    }
    return __syncthreads_or(mine);
}

__device__ __forceinline__ uint32_t multiply_on(uint32_t x) {
#pragma unroll 16
    for (int i = 0; i < CHUNK; i++) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(STEP), "r"(ADDEND));
    }
    return x;
}

__device__ __forceinline__ uint32_t read_piece(const load &l, uint64_t piece) {
    const uint4 *at = l.data + piece * (PIECE_BYTES / sizeof(uint4)) + threadIdx.x;
    uint32_t sum = 0;
    FX_NO_UNROLL for (int i = 0; i < PIECE_BYTES / (int)sizeof(uint4) / THREADS; i += UNROLL) {
        uint4 part[UNROLL];
        FX_UNROLL for (int k = 0; k < UNROLL; k++) {
            part[k] = __ldcg(at + (i + k) * THREADS);
        }
        FX_UNROLL for (int k = 0; k < UNROLL; k++) {
            sum += part[k].x + part[k].y + part[k].z + part[k].w;
        }
    }
    return sum;
}

/* Arithmetic: a unit is a chunk of each thread. Reads: all pieces, once. */
template <int READS_> __global__ void __launch_bounds__(THREADS, 2) work_on(const __grid_constant__ load l) {
    const uint64_t end_ns = fx_globaltimer() + l.most_ns, all = READS_ ? l.units * l.pieces : l.units;
    uint32_t x = READS_ ? 0 : l.seed + blockIdx.x * THREADS + threadIdx.x;
    if (l.units == 0 && blockIdx.x == 0 && threadIdx.x == 0) {
        *l.word = RUNNING;
        __threadfence_system();
    }
    uint32_t turn = 0;
    for (uint64_t i = READS_ ? blockIdx.x : 0; l.units == 0 || i < all; i += READS_ ? gridDim.x : 1) {
        if constexpr (READS_) {
            x += read_piece(l, i % l.pieces);
        } else {
            x = multiply_on(x);
        }
        if (l.units == 0 && ++turn % SELDOM == 0 && !goes_on(l, end_ns)) {
            break;
        }
    }
    if (l.units == 0) {
        x = x == 0x12345 ? x : 0; /* nobody asks, but the compiler can't leave the work out */
    }
    atomicAdd(l.sum, x);
}

/* The words that are read, without the memory. */
__global__ void __launch_bounds__(THREADS) add_words(uint32_t *sum, uint64_t words, uint64_t seed) {
    uint32_t x = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < words; i += (uint64_t)gridDim.x * THREADS) {
        x += fx_random_word(seed, i);
    }
    atomicAdd(sum, x);
}

/* A place where work runs, and what it needs there. */
typedef struct place {
    int64_t kind;   /* of its work */
    uint64_t bytes; /* of a unit */
    cudaStream_t stream;
    unsigned blocks;
    char *data, *host;
    uint32_t *sum;
    uint32_t of_data; /* the sum of a unit's words */
} place;

typedef struct state {
    const fx_probe *probe;
    place mine, other;
    fx_sm_groups halves;
    volatile uint32_t *word;
    uint64_t units;
    double alone_ns;     /* of these units */
    volatile int *board; /* what both processes see of the other one: STARTING, RUNNING or STOP */
    int file;
    bool joined;
    pthread_t thread;
    char argument[96];
    fx_status child;
    fx_error child_err;
} state;

static load load_of(const place *p, uint64_t units, double most_ns, volatile uint32_t *word, uint32_t seed) {
    return {(const uint4 *)p->data, p->bytes / PIECE_BYTES, units, (uint64_t)most_ns, word, p->sum, seed};
}

static fx_status launch_load(const place *p, load l, fx_error *err) {
    void *arguments[] = {&l};
    const void *kernel = p->kind == SM ? (const void *)work_on<0> : (const void *)work_on<1>;
    return FX_CUDA_STATUS(
        cudaLaunchKernel(kernel, dim3(p->blocks, 1, 1), dim3(THREADS, 1, 1), arguments, 0, p->stream));
}

static fx_status queue_copies(const place *p, uint64_t count, fx_error *err) {
    for (uint64_t i = 0; i < count; i++) {
        FX_TRY_CUDA(cudaMemcpyAsync(p->data, p->host, COPY_BYTES, cudaMemcpyHostToDevice, p->stream));
    }
    return FX_OK;
}

/* What the work of `units` must have added up to. */
static uint32_t expected(const place *p, uint64_t units, uint32_t seed) {
    const uint64_t threads = (uint64_t)p->blocks * THREADS;
    uint32_t factor = 1, added = 0;
    if (p->kind != SM) {
        return (uint32_t)(units * p->of_data);
    }
    for (uint64_t i = 0; i < units * CHUNK; i++) {
        factor *= STEP;
        added = added * STEP + ADDEND;
    }
    return factor * (uint32_t)(threads * seed + threads * (threads - 1) / 2) + (uint32_t)threads * added;
}

/* Times `units` of the work, at the host's clock. */
static fx_status time_work(const place *p, uint64_t units, uint32_t seed, double *ns, fx_error *err) {
    uint32_t found = 0;
    FX_TRY_CUDA(cudaMemsetAsync(p->sum, 0, sizeof found, p->stream));
    FX_TRY_CUDA(cudaStreamSynchronize(p->stream));
    *ns = fx_now_ns();
    FX_TRY(p->kind == LINK ? queue_copies(p, units, err) : launch_load(p, load_of(p, units, 0, NULL, seed), err));
    FX_TRY_CUDA(cudaStreamSynchronize(p->stream));
    *ns = fx_now_ns() - *ns;
    if (p->kind == LINK) {
        return FX_OK;
    }
    FX_TRY_CUDA(cudaMemcpyAsync(&found, p->sum, sizeof found, cudaMemcpyDeviceToHost, p->stream));
    FX_TRY_CUDA(cudaStreamSynchronize(p->stream));
    FX_FAIL_IF(found != expected(p, units, seed), err, FX_WRONG_RESULT, "the work adds up to %08x, and must to %08x",
               found, expected(p, units, seed));
    return FX_OK;
}

/* As many units as take about ALONE_NS. */
static fx_status find_units(const place *p, uint64_t *units, fx_error *err) {
    double ns = 0;
    for (*units = 1; *units < MOST_UNITS; *units *= 4) {
        FX_TRY(time_work(p, *units, 1, &ns, err));
        FX_TRY(time_work(p, *units, 1, &ns, err));
        if (ns > ALONE_NS / 8) {
            *units = (uint64_t)fmax(1, ALONE_NS / ns * (double)*units);
            return FX_OK;
        }
    }
    return FX_OK;
}

static fx_status get_memory(const fx_facts *facts, place *p, int64_t kind, fx_error *err) {
    p->kind = kind;
    p->bytes = bytes_of(facts, kind);
    FX_TRY_CUDA(cudaMalloc((void **)&p->data, p->bytes + 1));
    FX_TRY_CUDA(cudaMalloc((void **)&p->sum, 2 * sizeof *p->sum));
    FX_TRY_CUDA(cudaMemset(p->sum, 0, 2 * sizeof *p->sum));
    FX_TRY_CUDA(cudaMemset(p->data, 0x5a, p->bytes + 1)); /* nothing is read that was never written */
    if (kind == LINK) {
        FX_TRY_CUDA(cudaMallocHost((void **)&p->host, COPY_BYTES));
        memset(p->host, 0x5a, COPY_BYTES);
    }
    return FX_OK;
}

static void give_memory(place *p) {
    cudaFree(p->data);
    cudaFree(p->sum);
    cudaFreeHost(p->host);
    *p = (place){0};
}

static fx_status fill(fx_gpu *gpu, place *p, fx_error *err) {
    uint64_t words = p->bytes / 4, seed = FX_FILL_SEED;
    void *arguments[] = {&p->sum, &words, &seed};
    if (p->kind == SM || p->kind == LINK) {
        return FX_OK;
    }
    FX_TRY(fx_gpu_fill(gpu, p->data, words, seed, err));
    FX_TRY(fx_gpu_launch(gpu, (const void *)add_words, p->blocks, THREADS, 0, arguments, err));
    return fx_gpu_download(gpu, &p->of_data, p->sum, sizeof p->of_data, err);
}

/* The neighbour. */

static fx_status clear_told(const place *p, fx_error *err) {
    return FX_CUDA_STATUS(cudaMemsetAsync(p->sum + 1, 0, sizeof *p->sum, p->stream));
}

static fx_status begin_here(state *s, fx_error *err) {
    const double begin = fx_now_ns();
    *s->word = STARTING;
    FX_TRY(clear_told(&s->other, err));
    FX_TRY(launch_load(&s->other, load_of(&s->other, 0, MOST_BESIDE_NS, s->word, 1), err));
    while (*s->word == STARTING && fx_now_ns() - begin < START_NS) {
    }
    FX_FAIL_IF(*s->word != RUNNING, err, FX_DEVICE, "the neighbour's kernel does not start");
    return FX_OK;
}

static fx_status end_here(state *s, fx_error *err) {
    *s->word = STOP;
    return FX_CUDA_STATUS(cudaStreamSynchronize(s->other.stream));
}

/* The other process: loads one after the other until stopped. What it holds ends with it. */
static fx_status serve(int ordinal, int64_t kind, volatile int *board, fx_error *err) {
    struct cudaDeviceProp properties;
    place p = {0};
    fx_facts facts = {0};
    uint32_t *word = NULL;
    const pid_t parent = getppid(); /* another one: this process is left alone, and nobody would tell it to stop */
    FX_TRY_CUDA(cudaSetDevice(ordinal));
    FX_TRY_CUDA(cudaGetDeviceProperties(&properties, ordinal));
    facts.l2_bytes = (uint64_t)properties.l2CacheSize;
    p.blocks = (unsigned)properties.multiProcessorCount * BLOCKS_PER_SM;
    FX_TRY_CUDA(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
    FX_TRY_CUDA(cudaMallocHost((void **)&word, sizeof *word));
    FX_TRY(get_memory(&facts, &p, kind, err));
    for (int i = 0; *board != STOP && getppid() == parent; i++) {
        *word = RUNNING;
        FX_TRY(clear_told(&p, err));
        FX_TRY(kind == LINK ? queue_copies(&p, 8, err) : launch_load(&p, load_of(&p, 0, LOAD_NS, word, 1), err));
        if (i % 2 == 0) {
            FX_TRY_CUDA(cudaStreamSynchronize(p.stream));
            *board = *board == STARTING ? RUNNING : *board;
        }
    }
    return FX_CUDA_STATUS(cudaStreamSynchronize(p.stream));
}

/* What two processes see; NULL: it can't be. */
static volatile int *map_board(int file) {
    void *board = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return board == MAP_FAILED ? NULL : (volatile int *)board;
}

static fx_status sharing_fresh(const char *argument, double *numbers, size_t count, fx_error *err) {
    int ordinal, kind, file;
    char path[64];
    FX_FAIL_IF(sscanf(argument, "%d %d %63s", &ordinal, &kind, path) != 3 ||
                   (file = open(path, O_RDWR | O_CLOEXEC)) < 0,
               err, FX_BAD_INPUT, "'%s' is not a device, a kind of work and a file", argument);
    volatile int *board = map_board(file);
    (void)close(file);
    FX_FAIL_IF(!board, err, FX_IO, "%s can't be mapped", path);
    const fx_status status = serve(ordinal, kind, board, err);
    cudaGetLastError();
    return status;
}

static void *run_child(void *what) {
    state *s = (state *)what;
    s->child = fx_fresh_process(s->probe, s->argument, NULL, NULL, 0, &s->child_err);
    *s->board = STOP;
    return NULL;
}

static fx_status begin_process(fx_rig *rig, state *s, int64_t kind, fx_error *err) {
    const double begin = fx_now_ns();
    s->file = (int)syscall(SYS_memfd_create, "gpufx", 1u /* closed in children */);
    s->board = s->file < 0 || ftruncate(s->file, sizeof *s->board) ? NULL : map_board(s->file);
    FX_FAIL_IF(!s->board, err, FX_IO, "no memory can be shared with another process");
    (void)snprintf(s->argument, sizeof s->argument, "%d %d /proc/%d/fd/%d", rig->gpu->ordinal, (int)kind, (int)getpid(),
                   s->file);
    FX_FAIL_IF(pthread_create(&s->thread, NULL, run_child, s), err, FX_NO_MEMORY,
               "can't start a thread for another process");
    s->joined = true;
    while (*s->board == STARTING && fx_now_ns() - begin < START_NS) {
        (void)usleep(200);
    }
    FX_FAIL_IF(*s->board == STARTING, err, FX_DEVICE, "another process can't run its first kernel on this GPU");
    return FX_OK;
}

static void give_state(fx_rig *rig, void *what, size_t bytes) {
    state *s = (state *)what;
    if (s->board) {
        *s->board = STOP;
        if (s->joined) {
            pthread_join(s->thread, NULL);
        }
        (void)munmap((void *)s->board, sizeof *s->board);
    }
    if (s->file > 0) {
        (void)close(s->file);
    }
    give_memory(&s->mine);
    give_memory(&s->other);
    fx_sm_groups_close(&s->halves);
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    state *s = *FX_ARGUMENT(rig, state *);
    const bool apart = c->params.value[NEIGHBOUR] >= PROCESS;
    double ns = 0;
    if (!apart) {
        FX_TRY(time_work(&s->mine, s->units, (uint32_t)seed, &s->alone_ns, err));
        FX_TRY(begin_here(s, err));
    }
    FX_FAIL_IF(apart && *s->board == STOP, err, FX_DEVICE, "the other process ended: %s", s->child_err.text);
    fx_status status = time_work(&s->mine, s->units, (uint32_t)seed, &ns, err);
    if (!apart) {
        const bool idle = cudaStreamQuery(s->other.stream) == cudaSuccess;
        const fx_status ended = end_here(s, status == FX_OK ? err : NULL);
        status = status == FX_OK ? ended : status;
        cudaGetLastError();
        out->flags |= idle || ns > MOST_BESIDE_NS ? FX_SAMPLE_DISTURBED : 0;
    }
    out->value = ns / (double)s->units;
    out->extra[EXTRA_KEPT] = 100 * s->alone_ns / ns;
    out->extra[EXTRA_ALONE] = s->alone_ns / (double)s->units;
    return status;
}

/* Whether a daemon is there that merges the contexts of processes. */
static bool has_mps(void) {
    const char *folder = getenv("CUDA_MPS_PIPE_DIRECTORY");
    char path[512];
    (void)snprintf(path, sizeof path, "%s/control", folder ? folder : "/tmp/nvidia-mps");
    return access(path, F_OK) == 0;
}

static fx_status choose_places(fx_rig *rig, const fx_case *c, state *s, fx_error *err) {
    const unsigned sms = (unsigned)rig->gpu->facts.sm_count;
    const int64_t neighbour = c->params.value[NEIGHBOUR];
    s->mine.blocks = s->other.blocks = sms * BLOCKS_PER_SM;
    s->mine.stream = rig->gpu->stream;
    s->other.stream = rig->gpu->other_stream;
    if (neighbour == GREEN) {
        unsigned of_half[2];
        FX_FAIL_IF(!fx_sm_halves_open(rig->gpu->ordinal, &s->halves, of_half), err, FX_UNSUPPORTED,
                   "green contexts need CUDA 12.5, and a driver and a chip that have them");
        s->mine.stream = s->halves.stream[0];
        s->other.stream = s->halves.stream[1];
        s->mine.blocks = of_half[0] * BLOCKS_PER_SM;
        s->other.blocks = of_half[1] * BLOCKS_PER_SM;
    }
    FX_FAIL_IF((neighbour == MPS || neighbour == PROCESS) && has_mps() != (neighbour == MPS), err, FX_UNSUPPORTED, "%s",
               neighbour == MPS ? "no MPS daemon is running (nvidia-cuda-mps-control -d)"
                                : "an MPS daemon is running, so processes do not take turns");
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    const int64_t kind = c->params.value[WORK], beside = c->params.value[BESIDE];
    const bool apart = c->params.value[NEIGHBOUR] >= PROCESS;
    state *s;
    FX_TRY(fx_rig_memory(rig, &s, FX_HOST_MEMORY, sizeof *s, 0, err));
    *FX_ARGUMENT(rig, state *) = s;
    s->probe = c->probe;
    rig->sample = sample;
    rig->warps = THREADS / FX_WARP;
    FX_TRY(fx_rig_memory(rig, (void *)&s->word, FX_PINNED_MEMORY, sizeof *s->word, 0, err));
    FX_TRY(fx_rig_keep(rig, s, give_state, err));
    FX_TRY(choose_places(rig, c, s, err));
    FX_TRY(get_memory(&rig->gpu->facts, &s->mine, kind, err));
    FX_TRY(fill(rig->gpu, &s->mine, err));
    if (!apart) {
        FX_TRY(get_memory(&rig->gpu->facts, &s->other, beside, err));
    }
    FX_TRY(find_units(&s->mine, &s->units, err));
    if (apart) { /* alone only before the other process is there */
        FX_TRY(time_work(&s->mine, s->units, 1, &s->alone_ns, err));
        FX_TRY(begin_process(rig, s, beside, err));
    }
    return FX_OK;
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("work=sm", FX_K(work_on, 0), {"LDG.E.STRONG.SYS", 0}),
    FX_TIMED("work=l2,dram", FX_K(work_on, 1), {"LDG.E.128.STRONG.GPU", 0}, {"LDG.E.STRONG.SYS", 0}),
    FX_TIMED("work=link", FX_NO_KERNEL),
    FX_AIDED("", FX_K(add_words)),
};

FX_PROBE(sharing,
         .question = "What does other work on the same GPU cost, from another stream, green context or process?",
         .method_version = 1, FX_PARTS, .extras = "kept_pct alone_ns", .supported = supported, .samples = 4,
         .once = true, .in_fresh_process = FX_GPU(sharing_fresh))
