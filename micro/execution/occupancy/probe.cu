/* occupancy: how many bytes must be in flight to reach the memory's bandwidth, and who has to bring them? Method: every
 * SM holds exactly so many warps, each with so many independent loads in flight; shared memory that no block uses makes
 * the number of blocks exact, and values that stay alive through the loop take registers. */
#include "core/probe.h"

enum { LIMIT, LEVEL, WIDTH, WARPS, LOADS, REGISTERS, BLOCKS };
enum { BY_WARPS, BY_REGISTERS, BY_SHARED };
enum { DRAM, L2 };
enum { MOST_WARPS = 64, MOST_BLOCK_WARPS = 32, BLOCK_WARPS = 8 /* where registers or shared memory limit */ };
enum { UNIT_BYTES = 1 << 20 /* read by every SM: what the metric is the time of */ };

/* So few bytes in flight per SM leave the memory idle most of the time, on any chip: where a narrow memory is shared by
 * many SMs, each has 8 bytes per ns of DRAM by the data sheet, which is 4 KiB for half a microsecond of latency. */
enum { FEW_DRAM_BYTES = 4 << 10, FEW_L2_BYTES = 8 << 10 };
enum { MOST_IN_FLIGHT = 128 << 10 /* half of all registers of an SM */ };

static const fx_axis axes[] = {
    {"limit", "", "resource that limits the warps per SM", "warps registers shared", 0, 0, BY_WARPS},
    {"level", "", "memory that is read", "dram l2", 0, 0, DRAM},
    {"width", "bytes", "bytes per lane and load: 4 or 16", NULL, 4, 16, 16},
    {"warps", "warps", "warps per SM, in one block up to 32 and in two above, with limit=warps", NULL, 1, MOST_WARPS,
     8},
    {"loads", "loads", "independent loads in flight per lane: 1, 2, 4 or 8", NULL, 1, 8, 1},
    {"registers", "registers", "registers per thread in blocks of 8 warps: 32, 64, 128 or 255, with limit=registers",
     NULL, 32, 255, 32},
    {"blocks", "blocks", "blocks of 8 warps per SM that fit into shared memory, with limit=shared", NULL, 1, 8, 1},
};

#define SOME_WARPS "1,2,4,8,16,32,48,64"

static const fx_sweep sweeps[] = {
    {"dram", "limit=warps level=dram width=16 warps=" SOME_WARPS " loads=1,2,4",
     "limit=warps level=dram width=16 warps=1,2,8,64 loads=1,4"},
    {"dram_loads", "limit=warps level=dram width=16 warps=1,2,4,8,16,32 loads=8", NULL},
    {"dram_narrow", "limit=warps level=dram width=4 warps=" SOME_WARPS " loads=1,4", NULL},
    {"l2", "limit=warps level=l2 width=16 warps=" SOME_WARPS " loads=1,2,4",
     "limit=warps level=l2 width=16 warps=1,2,8,64 loads=1,4"},
    {"l2_loads", "limit=warps level=l2 width=16 warps=1,2,4,8,16,32 loads=8", NULL},
    {"l2_narrow", "limit=warps level=l2 width=4 warps=" SOME_WARPS " loads=1,4", NULL},
    {"registers", "limit=registers level=dram width=16 registers=32,64,128,255 loads=1,4",
     "limit=registers level=dram width=16 registers=32,255 loads=1"},
    {"shared", "limit=shared level=dram width=16 blocks=1,2,4,8 loads=1,4", NULL},
};

static const fx_metric metrics[] = {{"mebibyte_ns", "ns", FX_GPU_NS, false, "MiB that each SM reads"}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t warps = params->value[LIMIT] == BY_WARPS    ? params->value[WARPS]
                          : params->value[LIMIT] == BY_SHARED ? params->value[BLOCKS] * BLOCK_WARPS
                                                              : 0;
    const int64_t bytes = warps * FX_WARP * params->value[LOADS] * params->value[WIDTH];
    out->useful_bytes = (double)facts->sm_count * (double)UNIT_BYTES;
    if (params->value[LEVEL] == DRAM) {
        fx_prediction_count(out, "dram", 1);
    }
    if (bytes > 0) { /* how many registers an SM has is the chip's affair, and so is what they leave room for */
        fx_prediction_count(out, "bytes_in_flight", (double)bytes);
        out->law = "rounds";
        out->count = (double)UNIT_BYTES / (double)bytes;
        out->why_not = bytes <= (params->value[LEVEL] == DRAM ? FEW_DRAM_BYTES : FEW_L2_BYTES)
                           ? NULL
                           : "with this many bytes in flight bandwidth is the limit";
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t loads = params->value[LOADS], warps = params->value[WARPS], registers = params->value[REGISTERS];
    const int64_t room = facts->warps_per_sm > 0 ? facts->warps_per_sm : MOST_WARPS;
    const int64_t limit = params->value[LIMIT], width = params->value[WIDTH];
    return width != 4 && width != 16 ? "width must be 4 or 16"
           : loads & (loads - 1)     ? "loads must be 1, 2, 4 or 8"
           : limit == BY_WARPS && warps * FX_WARP * loads * width > MOST_IN_FLIGHT
               ? "warps x loads x width: the registers of an SM have no room for that many loads in flight"
           : (limit == BY_WARPS && warps > room) || (limit == BY_SHARED && params->value[BLOCKS] * BLOCK_WARPS > room)
               ? "an SM of this device does not hold that many warps"
           : limit == BY_WARPS && warps > MOST_BLOCK_WARPS && warps % 2 > 0 ? "warps above 32 must be even"
           : limit != BY_REGISTERS                                          ? NULL
           : registers != 32 && registers != 64 && registers != 128 && registers != 255
               ? "registers must be 32, 64, 128 or 255"
           : width != 16 || (loads != 1 && loads != 4) ? "limit=registers needs width=16 and loads=1 or loads=4"
                                                       : NULL;
}

#ifdef FX_WITH_CUDA
#include "gpu/cuda_half.cuh"

/* Rounds of N: about 0.4 ms of latencies from either level, but no more bytes than take a fraction of that. */
enum { DRAM_ROUNDS = 600, L2_ROUNDS = 1800, LEAST_ROUNDS = 4, MOST_SMS = 1024 };
#define MOST_N_BYTES ((uint64_t)1 << 30)

/* How many blocks an SM holds, and the most it ever held. */
typedef struct residents {
    uint32_t now, most;
} residents;

typedef struct run {
    const char *data;
    uint64_t seed;
    uint32_t first, stride; /* bytes: where the launch begins, and how far it goes in a round */
    uint32_t mask;          /* keeps offsets in the L2's part; all ones: nothing to keep */
    uint32_t rounds;
    uint32_t never; /* more than rounds */
    unsigned long long *sums;
    residents *sms; /* MOST_SMS, by %smid */
} run;

template <int WIDTH_, int LOADS_> __device__ __forceinline__ uint32_t first_offset(const run &r) {
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    return r.first + (thread / FX_WARP * LOADS_ * FX_WARP + thread % FX_WARP) * WIDTH_;
}

__device__ __forceinline__ residents *own_sm(const run &r) {
    const uint32_t sm = fx_sm_id();
    return &r.sms[sm < MOST_SMS ? sm : MOST_SMS - 1];
}

/* Values that a kernel keeps alive, so that a thread needs REGISTERS_ registers, give or take the 8 by which they are
 * allotted: the rest goes to the loads and the loop. */
__host__ __device__ constexpr int held_of(int registers, int loads) {
    return registers <= 32 ? 0 : registers - (loads == 1 ? 20 : 32);
}

/* A round: each lane's loads, one after the other, and their sum. How many blocks an SM should hold is said, since the
 * compiler otherwise saves registers for more of them by loading less at once. */
template <int WIDTH_, int LOADS_, int REGISTERS_>
__global__ void __launch_bounds__((REGISTERS_ > 32 ? BLOCK_WARPS : MOST_BLOCK_WARPS) * FX_WARP,
                                  REGISTERS_ > 32 ? 256 / REGISTERS_ : 1) read_rounds(const __grid_constant__ run r) {
    constexpr int held = held_of(REGISTERS_, LOADS_);
    uint32_t offset = first_offset<WIDTH_, LOADS_>(r), sum = 0, hold[held + 1];
    if (threadIdx.x == 0) {
        residents *here = own_sm(r);
        atomicMax(&here->most, atomicAdd(&here->now, 1) + 1);
    }
    FX_UNROLL for (int h = 0; h < held; h++) {
        hold[h] = fx_random_word(r.seed ^ offset, h);
    }
    FX_NO_UNROLL for (uint32_t round = r.rounds; round > 0; round--) {
        const char *address = r.data + (offset & r.mask);
        uint32_t word[LOADS_][WIDTH_ / 4];
        FX_UNROLL for (int l = 0; l < LOADS_; l++) {
            fx_load_words<FX_L2, WIDTH_>(address + l * FX_WARP * WIDTH_, word[l]);
        }
        __syncwarp(); /* else the assembler puts sums, which wait for the first loads, before the last ones */
        FX_UNROLL for (int l = 0; l < LOADS_; l++) {
            FX_UNROLL for (int i = 0; i < WIDTH_ / 4; i++) {
                sum += word[l][i];
            }
        }
        offset += r.stride;
        /* The only use of the held values: it never comes, which the compiler can't know. */
        if (held > 0 && round == r.never) {
            FX_UNROLL for (int h = 0; h < held; h++) {
                sum = sum * 5 + hold[h];
                hold[h] ^= sum;
            }
        }
    }
    fx_sums_add(r.sums, sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicSub(&own_sm(r)->now, 1);
    }
}

/* The oracle: the same sums from the generator. */
template <int WIDTH_, int LOADS_> __global__ void expect_rounds(const __grid_constant__ run r) {
    uint32_t offset = first_offset<WIDTH_, LOADS_>(r), sum = 0;
    for (uint32_t i = r.rounds; i > 0; i--, offset += r.stride) {
        for (int l = 0; l < LOADS_; l++) {
            sum += fx_filled<WIDTH_>(r.seed, (offset & r.mask) + l * FX_WARP * WIDTH_);
        }
    }
    fx_sums_add(r.sums, sum);
}

/* What the kernel gets, and what the shorter launch is made of. */
typedef struct work {
    run r;
    unsigned blocks_per_sm;
    uint32_t rounds; /* of the shorter launch */
    size_t data_bytes;
} work;

/* Shared memory of a block with which exactly `blocks` of them fit onto an SM. */
static fx_status share_sm(fx_gpu *gpu, unsigned blocks, size_t *bytes, fx_error *err) {
    int all, most, reserved, kib;
    FX_TRY_CUDA(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, gpu->ordinal));
    FX_TRY_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu->ordinal));
    FX_TRY_CUDA(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, gpu->ordinal));
    kib = (all / (int)blocks - reserved) >> 10;
    *bytes = kib << 10 < most ? (size_t)kib << 10 : (size_t)most;
    return FX_OK;
}

/* Chooses the blocks, and checks that the SM will hold as many as wanted and no more. */
static fx_status place_blocks(fx_rig *rig, const fx_params *p, fx_error *err) {
    const bool by_warps = p->value[LIMIT] == BY_WARPS, by_registers = p->value[LIMIT] == BY_REGISTERS;
    const unsigned wanted = !by_warps ? (unsigned)p->value[BLOCKS] : p->value[WARPS] > MOST_BLOCK_WARPS ? 2 : 1;
    const void *kernel = rig->work->entry.address;
    work *w = FX_ARGUMENT(rig, work);
    int fit = 0;
    FX_TRY(by_registers ? FX_OK : share_sm(rig->gpu, wanted, &rig->shared_bytes, err));
    rig->warps = by_warps ? (unsigned)p->value[WARPS] / wanted : BLOCK_WARPS;
    rig->carveout_pct = by_registers ? -1 : 100;
    FX_TRY(fx_rig_prepare(rig, err)); /* what fits depends on it */
    FX_TRY_CUDA(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)(rig->warps * FX_WARP), rig->shared_bytes));
    FX_FAIL_IF(fit < 1 || (!by_registers && (unsigned)fit != wanted), err, FX_UNSUPPORTED,
               "an SM of this device holds %d blocks of %zu bytes instead of %u", fit, rig->shared_bytes, wanted);
    w->blocks_per_sm = (unsigned)fit;
    rig->blocks = w->blocks_per_sm * (unsigned)rig->gpu->facts.sm_count;
    return FX_OK;
}

/* Chooses the data: three times N bytes of DRAM, or half of the L2 or a little less, which is read round and round. */
static fx_status place_data(fx_rig *rig, const fx_params *p, fx_error *err) {
    const uint64_t round_bytes =
        (uint64_t)rig->blocks * rig->warps * FX_WARP * (uint64_t)(p->value[LOADS] * p->value[WIDTH]);
    const uint64_t l2_bytes = rig->gpu->facts.l2_bytes;
    work *w = FX_ARGUMENT(rig, work);
    uint64_t room, most_rounds;
    FX_TRY(fx_rig_room(rig, 4 * MOST_N_BYTES, &room, err));
    rig->cold = p->value[LEVEL] == DRAM;
    w->r.stride = (uint32_t)round_bytes;
    most_rounds = ((rig->cold ? room / 4 : MOST_N_BYTES) + round_bytes - 1) / round_bytes;
    w->rounds = rig->cold ? DRAM_ROUNDS : L2_ROUNDS;
    w->rounds = most_rounds < w->rounds ? (uint32_t)most_rounds : w->rounds;
    w->rounds = w->rounds > LEAST_ROUNDS ? w->rounds : LEAST_ROUNDS;
    w->data_bytes = 3 * w->rounds * round_bytes;
    if (!rig->cold) {
        for (w->data_bytes = 1 << 20; 2 * w->data_bytes <= l2_bytes / 2;) {
            w->data_bytes *= 2;
        }
    }
    w->r.mask = rig->cold ? UINT32_MAX : (uint32_t)w->data_bytes - 1;
    FX_FAIL_IF(w->data_bytes > UINT32_MAX || w->data_bytes > 2 * room, err, FX_NO_MEMORY,
               "%zu bytes of data are too many: %zu are free, and offsets have 32 bits", w->data_bytes,
               (size_t)(2 * room));
    rig->dram_bytes = rig->cold ? w->data_bytes : 0;
    return fx_rig_memory(rig, &w->r.data, FX_POOL_MEMORY | FX_FILLED, w->data_bytes, 0, err);
}

static void part(fx_rig *rig, const fx_case *c, int which) {
    work *w = FX_ARGUMENT(rig, work);
    w->r.first = which == 1 && rig->cold ? w->rounds * w->r.stride : 0;
    w->r.rounds = (which == 0 ? 1 : 2) * w->rounds;
}

/* The most blocks that an SM ever held, as a mean over the SMs. */
static fx_status report(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    static residents host[MOST_SMS];
    double sum = 0;
    FX_TRY(fx_gpu_download(rig->gpu, host, w->r.sms, sizeof host, err));
    for (int sm = 0; sm < MOST_SMS; sm++) {
        sum += host[sm].most;
    }
    out->extra[0] = w->blocks_per_sm;
    out->extra[1] = w->blocks_per_sm * rig->warps;
    out->extra[2] = rig->attributes.numRegs;
    out->extra[3] = sum / rig->gpu->facts.sm_count;
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    FX_TRY(place_blocks(rig, &c->params, err));
    FX_TRY(place_data(rig, &c->params, err));
    FX_TRY(fx_rig_memory(rig, &w->r.sms, FX_DEVICE_MEMORY, MOST_SMS * sizeof *w->r.sms, 0, err));
    w->r.seed = FX_FILL_SEED;
    w->r.never = UINT32_MAX;
    rig->units = (double)w->rounds * w->r.stride / ((double)rig->gpu->facts.sm_count * (double)UNIT_BYTES);
    rig->part = part;
    rig->report = report;
    return fx_rig_sums(rig, &w->r.sums, err);
}

static fx_status draw(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err) {
    const work *w = FX_ARGUMENT(rig, work);
    FX_TRY_CUDA(cudaMemsetAsync(w->r.sms, 0, MOST_SMS * sizeof *w->r.sms, rig->gpu->stream));
    return rig->cold ? FX_OK : fx_gpu_read(rig->gpu, w->r.data, w->data_bytes, err);
}
#endif

#define READS(width, loads, opcode)                                                                                    \
    FX_TIMED("limit=warps,shared width=" #width " loads=" #loads, FX_K(read_rounds, width, loads, 32),                 \
             {opcode, loads}),                                                                                         \
        FX_EXPECTED("width=" #width " loads=" #loads, FX_K(expect_rounds, width, loads))
#define HOLD(loads, registers)                                                                                         \
    FX_TIMED("limit=registers loads=" #loads " registers=" #registers, FX_K(read_rounds, 16, loads, registers),        \
             {"LDG.E.128.STRONG.GPU", loads})
#define HOLDS(registers) HOLD(1, registers), HOLD(4, registers)
#define WIDTH_ROWS(width, opcode)                                                                                      \
    READS(width, 1, opcode), READS(width, 2, opcode), READS(width, 4, opcode), READS(width, 8, opcode)

static const fx_kernel kernels[] = {
    WIDTH_ROWS(4, "LDG.E.STRONG.GPU"),
    WIDTH_ROWS(16, "LDG.E.128.STRONG.GPU"),
    HOLDS(32),
    HOLDS(64),
    HOLDS(128),
    HOLDS(255),
};

FX_PROBE(
    occupancy,
    .question =
        "How many bytes must be in flight for full bandwidth, and does it matter whether warps or loads provide them?",
    .method_version = 1, FX_PARTS, .fit_by = "level width loads",
    .extras = "blocks_per_sm warps_per_sm registers resident_blocks", .supported = supported, .draw = FX_GPU(draw))
