/* data_toggle: does it matter what the data are?
 *
 * Method: the same copy and the same products on zeros, ones, random values, and random values of which half are zero.
 * The instructions do not depend on the data, so time can differ only by way of the clock: bits that change cost power,
 * and a chip at its limit of power lowers its clock. A sample is a burst of launches without a gap: its time by events,
 * its SM clock as one thread saw it, and the power since the case was warm, from the driver's counter of energy. What
 * can fool it: see README.md. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/probe.h"
#include "core/random.h"

enum { TASK, DATA };
enum { COPY, FMA, MMA };
enum { ZEROS, ONES, SPARSE, RANDOM };
enum { COPY_NS, PRODUCT_NS };
enum { POWER_W, SM_CLOCK_MHZ, PJ_PER_BYTE, PJ_PER_FLOP };

static const uint64_t COPY_BYTES = (uint64_t)1 << 30;

static const fx_axis axes[] = {
    {"task", "", "copy of 1 GiB within device memory, multiply-add of floats, or product of bf16 matrices",
     "copy fma mma", 0, 0, COPY},
    {"data", "", "zeros, ones (1.0), random values with half of them zero, or random values",
     "zeros ones sparse random", 0, 0, RANDOM},
};

/* What draws most comes first: after it the chip is hot, and the driver may still hold it back. */
static const fx_sweep sweeps[] = {
    {"data", "task=mma,fma,copy data=random,sparse,ones,zeros", "task=mma,copy data=random,zeros"},
};

static const fx_metric metrics[] = {
    {"copy_ns", "ns", FX_GPU_NS, false, "copy"},
    {"product_ns", "ns", FX_GPU_NS, false, "matrix product"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    (void)facts;
    (void)table;
    out->metric = params->value[TASK] == COPY ? COPY_NS : PRODUCT_NS;
    if (params->value[TASK] == COPY) {
        out->useful_bytes = 2 * (double)COPY_BYTES; /* what is read and what is written */
        fx_prediction_count(out, "dram", 1);
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    if (params->value[TASK] == MMA && facts->compute_major < 8) {
        return "task=mma needs compute capability 8.0";
    }
    if (params->value[TASK] == COPY && facts->memory_bytes > 0 && facts->memory_bytes < 4 * COPY_BYTES) {
        return "task=copy: two buffers of 1 GiB would take more than half of the device's memory";
    }
    return NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/rig.h"
#include "gpu/timed.cuh"

enum { THREADS = 512, TRIPS = 64, PASSES = 64 };     /* of products: one block on each SM */
enum { TILE = 8, SUMS = TILE * TILE };               /* of a thread: 8 x 8 floats, or 4 x 4 fragments of 4 */
enum { FRAGMENTS = 4, A_WORDS = 4, B_WORDS = 2 };    /* of m16n8k16, words of a lane */
enum { OPERANDS = FRAGMENTS * (A_WORDS + B_WORDS) }; /* words of a thread, the more of both products */
enum { MMA_FLOPS = 2 * 16 * 8 * 16, FMA_FLOPS = 2 }; /* of a warp's instruction, of a lane's */
enum { COPY_BLOCKS_PER_SM = 2, QUADS = 4, CHUNKS_PER_PASS = 16 };
enum { CHUNK_BYTES = THREADS * QUADS * sizeof(uint4) }; /* a block's share of a trip */
enum { SEED = 11, POISON = 0x5a };

static const double WARM_UP_NS = 1e8, BURST_NS = 3e7;
/* The counter moves every 100 ms, and a look at it takes 3 to 5 ms on a busy machine, sometimes 20. */
static const double LEAST_WINDOW_NS = 1.8e8, MOST_POLL_NS = 8e6;

/* What the kernels of a burst leave behind. */
typedef struct meter {
    unsigned long long cycles, ns; /* the SM's clock and the time, of one thread, all launches together */
    unsigned long long right;      /* threads whose product is what it must be, words of a copy that are */
} meter;

/* How a word holds its value: any bits, a float, or two bf16. */
enum { BITS, FLOAT, PAIR };

/* Word i of the data. Random floats lie in [0.5, 2) and its negative: one bit of the exponent is random, and all of the
 * fraction and the sign; so no sum of a pass comes near the end of the range. */
__host__ __device__ static inline uint32_t datum(int data, int form, uint64_t i) {
    const uint32_t bits = fx_random_word(SEED, i), coin = fx_random_word(~(uint64_t)SEED, i);
    const uint32_t value = form == BITS    ? bits
                           : form == FLOAT ? (bits & 0x80ffffffu) | 0x3f000000u
                                           : (bits & 0x80ff80ffu) | 0x3f003f00u;
    const uint32_t kept =
        form == PAIR ? (coin & 1) * 0xffffu | (coin >> 1 & 1) * 0xffff0000u : (coin & 1) * 0xffffffffu;
    return data == ZEROS    ? 0
           : data == ONES   ? form == PAIR ? 0x3f803f80u : 0x3f800000u
           : data == SPARSE ? value & kept
                            : value;
}

__global__ static void fill_data(uint32_t *words, uint64_t count, int data, int form) {
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        words[i] = datum(data, form, i);
    }
}

__global__ static void count_right(const uint32_t *words, uint64_t count, int data, meter *m) {
    unsigned long long mine = 0;
    for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        mine += words[i] == datum(data, BITS, i);
    }
    for (int step = FX_WARP / 2; step > 0; step /= 2) {
        mine += __shfl_xor_sync(FX_ALL_LANES, mine, step);
    }
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(&m->right, mine);
    }
}

/* One thread of the grid reports how long it was at work. */
__device__ __forceinline__ void report(meter *m, uint64_t cycles, uint64_t ns) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        atomicAdd(&m->cycles, (unsigned long long)cycles);
        atomicAdd(&m->ns, (unsigned long long)ns);
    }
}

__device__ __forceinline__ void report_right(meter *m, bool right) {
    const unsigned lanes = __ballot_sync(FX_ALL_LANES, right);
    if (threadIdx.x % FX_WARP == 0) {
        atomicAdd(&m->right, (unsigned long long)__popc(lanes));
    }
}

/* The clock is read after each pass, so that there is a loop between clock reads whose machine code can be checked. */
__global__ void __launch_bounds__(THREADS) copy_data(const uint4 *from, uint4 *to, uint32_t chunks, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    const uint64_t place = blockIdx.x * (uint64_t)(THREADS * QUADS) + threadIdx.x;
    const uint64_t pitch = gridDim.x * (uint64_t)(THREADS * QUADS);
    uint64_t now = first;
    from += place;
    to += place;
#pragma unroll 1
    for (uint32_t chunk = blockIdx.x; chunk < chunks;) {
        const uint32_t end = min(chunk + CHUNKS_PER_PASS * gridDim.x, chunks);
#pragma unroll 1
        for (; chunk < end; chunk += gridDim.x) {
            uint4 part[QUADS];
#pragma unroll
            for (int q = 0; q < QUADS; q++) {
                part[q] = from[q * THREADS];
            }
#pragma unroll
            for (int q = 0; q < QUADS; q++) {
                to[q * THREADS] = part[q];
            }
            from += pitch;
            to += pitch;
        }
        now = fx_clock();
    }
    report(m, now - first, fx_globaltimer() - first_ns);
}

/* A pass adds up TRIPS products from zero, and folds the sums into the thread's check word. The kernels are told the
 * number at run time, or sm_80's assembler unrolls the loop, reorders it, and gives each product the operands of the
 * last. */
__device__ __forceinline__ uint32_t fold(uint32_t check, float sum) {
    return 31 * check + __float_as_uint(sum);
}

__device__ __forceinline__ void fma_asm(float *sum, float a, float b) {
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(*sum) : "f"(a), "f"(b));
}

/* Each of 8 operands with each of 8 others. */
__global__ void __launch_bounds__(THREADS)
    multiply_fma(const float *operands, uint32_t trips, const uint32_t *expected, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    float a[TILE], b[TILE], sum[TILE][TILE];
    uint32_t check = threadIdx.x;
    uint64_t now = first;
#pragma unroll
    for (int i = 0; i < TILE; i++) {
        a[i] = operands[i * THREADS + threadIdx.x];
        b[i] = operands[(TILE + i) * THREADS + threadIdx.x];
    }
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            sum[i / TILE][i % TILE] = 0;
        }
#pragma unroll 1
        for (uint32_t trip = 0; trip < trips; trip++) {
#pragma unroll
            for (int i = 0; i < SUMS; i++) {
                fma_asm(&sum[i / TILE][i % TILE], a[i / TILE], b[i % TILE]);
            }
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            check = fold(check, sum[i / TILE][i % TILE]);
        }
        now = fx_clock();
    }
    report(m, now - first, fx_globaltimer() - first_ns);
    report_right(m, check == expected[threadIdx.x]);
}

/* One 16 x 16 by 16 x 8 product of bf16, added to 16 x 8 floats. */
__device__ __forceinline__ void mma_asm(float *sum, const uint32_t *a, const uint32_t *b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* Each of 4 fragments with each of 4 others. */
__global__ void __launch_bounds__(THREADS)
    multiply_mma(const uint32_t *operands, uint32_t trips, const uint32_t *expected, meter *m) {
    const uint64_t first_ns = fx_globaltimer(), first = fx_clock();
    uint32_t a[FRAGMENTS][A_WORDS], b[FRAGMENTS][B_WORDS], check = threadIdx.x;
    float sum[FRAGMENTS * FRAGMENTS][4];
    uint64_t now = first;
#pragma unroll
    for (int i = 0; i < FRAGMENTS * A_WORDS; i++) {
        a[i / A_WORDS][i % A_WORDS] = operands[i * THREADS + threadIdx.x];
    }
#pragma unroll
    for (int i = 0; i < FRAGMENTS * B_WORDS; i++) {
        b[i / B_WORDS][i % B_WORDS] = operands[(FRAGMENTS * A_WORDS + i) * THREADS + threadIdx.x];
    }
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            sum[i / 4][i % 4] = 0;
        }
#pragma unroll 1
        for (uint32_t trip = 0; trip < trips; trip++) {
#pragma unroll
            for (int i = 0; i < FRAGMENTS * FRAGMENTS; i++) {
                mma_asm(sum[i], a[i / FRAGMENTS], b[i % FRAGMENTS]);
            }
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            check = fold(check, sum[i / 4][i % 4]);
        }
        now = fx_clock();
    }
    report(m, now - first, fx_globaltimer() - first_ns);
    report_right(m, check == expected[threadIdx.x]);
}

/* The oracle of both products: sum by sum, without a clock, a tile or an unrolled loop; since passes are alike, one is
 * computed and folded as often as there are passes. */
__global__ void __launch_bounds__(THREADS) expect_product(const uint32_t *operands, int task, uint32_t *expected) {
    uint32_t bits[SUMS], check = threadIdx.x;
    const uint32_t *mine = operands + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < SUMS; i += task == FMA ? 1 : 4) {
        float sum[4] = {0, 0, 0, 0};
        uint32_t a[A_WORDS], b[B_WORDS];
        for (int k = 0; k < A_WORDS; k++) {
            a[k] = mine[(task == FMA ? i / TILE : i / (4 * FRAGMENTS) * A_WORDS + k) * THREADS];
        }
        for (int k = 0; k < B_WORDS; k++) {
            b[k] =
                mine[(task == FMA ? TILE + i % TILE : FRAGMENTS * A_WORDS + i / 4 % FRAGMENTS * B_WORDS + k) * THREADS];
        }
#pragma unroll 1
        for (int trip = 0; trip < TRIPS; trip++) {
            if (task == FMA) {
                sum[0] = __fmaf_rn(__uint_as_float(a[0]), __uint_as_float(b[0]), sum[0]);
            } else {
                mma_asm(sum, a, b);
            }
        }
        for (int k = 0; k < (task == FMA ? 1 : 4); k++) {
            bits[i + k] = __float_as_uint(sum[k]);
        }
    }
#pragma unroll 1
    for (int i = 0; i < PASSES * SUMS; i++) {
        check = 31 * check + bits[i % SUMS];
    }
    expected[threadIdx.x] = check;
}

/* What the driver's counter of energy said while a case ran. It moves in steps, so that only the moments at which it
 * was seen to move are of use: the power is the energy between two of them over the time. */
typedef struct energy_log {
    bool begun, two;              /* one step was seen, more than one */
    uint64_t last_mJ;             /* at the latest look */
    double last_ns;               /* when that was; 0: never */
    uint64_t first_mJ, latest_mJ; /* at the first and the latest step */
    double first_step_ns, latest_step_ns;
} energy_log;

typedef struct task {
    cudaEvent_t start, stop;
    char *from, *to;               /* copy: COPY_BYTES each */
    uint32_t *operands, *expected; /* products: by thread of a block */
    meter *m;                      /* on the device */
    unsigned launches;             /* of a burst */
    energy_log energy;
} task;

/* Looks at the counter. A step that came while nobody looked has no time, and is left out. */
static void watch_energy(fx_gpu *gpu, energy_log *log) {
    uint64_t mJ;
    if (!fx_gpu_energy_mJ(gpu, &mJ)) {
        return;
    }
    const double now = fx_now_ns();
    if (log->last_ns > 0 && mJ != log->last_mJ && now - log->last_ns < MOST_POLL_NS) {
        if (!log->begun) {
            log->first_mJ = mJ;
            log->first_step_ns = now;
        }
        log->two = log->begun;
        log->begun = true;
        log->latest_mJ = mJ;
        log->latest_step_ns = now;
    }
    log->last_mJ = mJ;
    log->last_ns = now;
}

/* NAN until the steps lie far enough apart. */
static double power_W(const energy_log *log) {
    const double ns = log->latest_step_ns - log->first_step_ns;
    return log->two && ns >= LEAST_WINDOW_NS ? 1e6 * (double)(log->latest_mJ - log->first_mJ) / ns : (double)NAN;
}

/* `launches` launches in a row: the time of one, and what the kernels left behind. Looks at the energy meanwhile. */
static fx_status burst(fx_rig *rig, const fx_case *c, unsigned launches, double *launch_ns, meter *left,
                       uint32_t *flags, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    fx_gpu *gpu = rig->gpu;
    const struct timespec pause = {0, 100000};
    uint32_t chunks = (uint32_t)(COPY_BYTES / CHUNK_BYTES), trips = TRIPS;
    void *copy[] = {&s->from, &s->to, &chunks, &s->m}, *product[] = {&s->operands, &trips, &s->expected, &s->m};
    void **arguments = c->params.value[TASK] == COPY ? copy : product;
    fx_status status = FX_OK;
    cudaError_t code;
    double ns = 0;
    FX_CUDA(cudaMemsetAsync(s->m, 0, sizeof *s->m, gpu->stream));
    FX_CUDA(cudaEventRecord(s->start, gpu->stream));
    for (unsigned i = 0; i < launches; i++) {
        status = fx_rig_launch(rig, rig->work->entry.address, rig->blocks, THREADS, arguments, err);
        if (status != FX_OK) {
            goto cleanup;
        }
    }
    FX_CUDA(cudaEventRecord(s->stop, gpu->stream));
    while ((code = cudaEventQuery(s->stop)) == cudaErrorNotReady) {
        watch_energy(gpu, &s->energy);
        nanosleep(&pause, NULL);
    }
    FX_CUDA(code);
    status = fx_event_ns(gpu, s->start, s->stop, &ns, flags, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(left, s->m, sizeof *left, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    *launch_ns = ns / launches;
cleanup:
    return status;
}

static fx_status fill(fx_rig *rig, void *words, uint64_t count, int64_t data, int form, fx_error *err) {
    int kind = (int)data;
    void *arguments[] = {&words, &count, &kind, &form};
    return fx_rig_aid(rig, "fill_data", 4 * (unsigned)rig->gpu->facts.sm_count, THREADS, arguments, err);
}

static fx_status arrange_copy(fx_rig *rig, const fx_case *c, task *s, fx_error *err) {
    fx_status status = fx_rig_memory(rig, &s->from, FX_DEVICE_MEMORY, COPY_BYTES, 0, err);
    rig->blocks = COPY_BLOCKS_PER_SM * (unsigned)rig->gpu->facts.sm_count;
    if (status == FX_OK) {
        status = fx_rig_memory(rig, &s->to, FX_DEVICE_MEMORY, COPY_BYTES, 0, err);
    }
    return status != FX_OK ? status
                           : fill(rig, s->from, COPY_BYTES / sizeof(uint32_t), c->params.value[DATA], BITS, err);
}

/* Of zeros and ones the sums are known without a GPU: so the reference kernel itself is checked. */
static bool is_plausible(const fx_case *c, const uint32_t *expected) {
    const bool fma = c->params.value[TASK] == FMA;
    const float sum = c->params.value[DATA] == ONES ? (float)(TRIPS * (fma ? 1 : 16)) : 0;
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t check = t;
        for (int i = 0; i < PASSES * SUMS; i++) {
            check = 31 * check + bits;
        }
        if (check != expected[t]) {
            return false;
        }
    }
    return true;
}

static fx_status arrange_product(fx_rig *rig, const fx_case *c, task *s, fx_error *err) {
    const int64_t data = c->params.value[DATA];
    fx_gpu *gpu = rig->gpu;
    int which = (int)c->params.value[TASK];
    void *arguments[] = {&s->operands, &which, &s->expected};
    uint32_t host[THREADS];
    fx_status status = fx_rig_memory(rig, &s->operands, FX_DEVICE_MEMORY, OPERANDS * sizeof host, 0, err);
    rig->blocks = (unsigned)gpu->facts.sm_count;
    if (status == FX_OK) {
        status = fx_rig_memory(rig, &s->expected, FX_DEVICE_MEMORY, sizeof host, 0, err);
    }
    if (status == FX_OK) {
        status = fill(rig, s->operands, (uint64_t)OPERANDS * THREADS, data, which == FMA ? FLOAT : PAIR, err);
    }
    if (status == FX_OK) {
        status = fx_rig_aid(rig, "expect_product", 1, THREADS, arguments, err);
    }
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(host, s->expected, sizeof host, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
    if ((data == ZEROS || data == ONES) && !is_plausible(c, host)) {
        status = fx_fail(err, FX_WRONG_RESULT, "the product of %s is not what arithmetic says",
                         data == ONES ? "ones" : "zeros");
    }
cleanup:
    return status;
}

/* Works for WARM_UP_NS, since a chip that was idle draws less and clocks higher at first, and finds out how many
 * launches make a burst. */
static fx_status warm_up(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    meter left;
    uint32_t flags = 0;
    double launch_ns = 0;
    fx_status status = burst(rig, c, 2, &launch_ns, &left, &flags, err);
    if (status == FX_OK) {
        status = burst(rig, c, (unsigned)(WARM_UP_NS / launch_ns) + 1, &launch_ns, &left, &flags, err);
    }
    s->launches = status == FX_OK ? (unsigned)(BURST_NS / launch_ns) + 1 : 0;
    s->energy.begun = s->energy.two = false;
    return status;
}

/* Counts the words of the copy that are what was copied, all of which were something else before the burst. */
static fx_status check_copy(fx_rig *rig, const fx_case *c, meter *left, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    fx_gpu *gpu = rig->gpu;
    uint64_t words = COPY_BYTES / sizeof(uint32_t);
    int data = (int)c->params.value[DATA];
    void *arguments[] = {&s->to, &words, &data, &s->m};
    fx_status status = fx_rig_aid(rig, "count_right", 4 * (unsigned)gpu->facts.sm_count, THREADS, arguments, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    FX_CUDA(cudaMemcpyAsync(left, s->m, sizeof *left, cudaMemcpyDeviceToHost, gpu->stream));
    FX_CUDA(cudaStreamSynchronize(gpu->stream));
cleanup:
    return status;
}

static fx_status sample(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    const int64_t which = c->params.value[TASK];
    const double instructions = (double)((uint64_t)rig->blocks * PASSES * TRIPS * THREADS);
    meter left;
    fx_status status = FX_OK;
    (void)seed; /* the data of a case stay the same, since to fill them anew would take energy too */
    if (which == COPY) {
        FX_CUDA(cudaMemsetAsync(s->to, POISON, COPY_BYTES, rig->gpu->stream));
    }
    status = burst(rig, c, s->launches, &out->value, &left, &out->flags, err);
    if (status == FX_OK && which == COPY) {
        status = check_copy(rig, c, &left, err);
    }
    if (status != FX_OK) {
        goto cleanup;
    }
    if (left.right != (which == COPY ? COPY_BYTES / sizeof(uint32_t) : (uint64_t)s->launches * rig->blocks * THREADS)) {
        status = fx_fail(err, FX_WRONG_RESULT, "%s",
                         which == COPY ? "the copy is not what was copied" : "a product is not what it must be");
        goto cleanup;
    }
    out->sm_clock_MHz = 1e3 * (double)left.cycles / (double)left.ns;
    out->extra[POWER_W] = power_W(&s->energy);
    out->extra[SM_CLOCK_MHZ] = out->sm_clock_MHz;
    if (which == COPY) {
        out->extra[PJ_PER_BYTE] = 1e3 * out->extra[POWER_W] * out->value / c->prediction.useful_bytes;
    } else {
        out->extra[PJ_PER_FLOP] =
            1e3 * out->extra[POWER_W] * out->value /
            (instructions * (which == FMA ? SUMS * FMA_FLOPS : FRAGMENTS * FRAGMENTS * MMA_FLOPS / FX_WARP));
    }
cleanup:
    return status;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    task *s = FX_ARGUMENT(rig, task);
    cudaEvent_t *events[] = {&s->start, &s->stop};
    fx_status status = fx_rig_memory(rig, &s->m, FX_DEVICE_MEMORY, sizeof *s->m, 0, err);
    rig->warps = THREADS / FX_WARP;
    rig->sample = sample;
    for (size_t i = 0; i < FX_COUNT(events) && status == FX_OK; i++) {
        status = fx_rig_event(rig, events[i], err);
    }
    if (status == FX_OK) {
        status = c->params.value[TASK] == COPY ? arrange_copy(rig, c, s, err) : arrange_product(rig, c, s, err);
    }
    if (status == FX_OK) {
        status = fx_gpu_prepare(rig->work->entry.address, 0, -1, err);
    }
    if (status == FX_OK) {
        status = warm_up(rig, c, err);
    }
    return status;
}
#endif

static const fx_kernel kernels[] = {
    {"task=copy", FX_K(copy_data), FX_WORK, 0, {{"LDG.E.128", 4}, {"STG.E.128", 4}}},
    {"task=fma", FX_K(multiply_fma), FX_WORK, 0, {{"FFMA", 64}}},
    {"task=mma", FX_K(multiply_mma), FX_WORK, 80, {{"HMMA.16816.F32.BF16", 16}}},
    {"", FX_K(fill_data), FX_AID, 0, {{0}}},
    {"task=copy", FX_K(count_right), FX_AID, 0, {{0}}},
    {"task=fma,mma", FX_K(expect_product), FX_AID, 0, {{0}}},
};

static const fx_probe data_toggle = {
    .contract = FX_PROBE_CONTRACT,
    .name = "data_toggle",
    .question = "Do the data values change time, clock and power?",
    .method_version = 1,
    FX_TABLE(axes),
    FX_TABLE(sweeps),
    FX_TABLE(metrics),
    .extras = "power_W sm_clock_MHz pJ_per_byte pJ_per_flop",
    .law = law,
    .supported = supported,
    .arrange = FX_GPU(arrange),
    FX_TABLE(kernels),
};

FX_PROBE(data_toggle)
