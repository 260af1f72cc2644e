/* The probe contract: what one folder in micro/ declares, and how it is found.
 *
 * A probe isolates one effect. It declares its axes, the sweeps over them, the lane table and the law of each case, a
 * table of its kernels, and what runs: `arrange` says it once for each case, `draw` for each sample, and the rig
 * (harness/gpu/rig.h) runs it and owns all that must be given back. A probe whose host half is the effect brings
 * `open`, `sample` and `close` instead. Its last statement, FX_PROBE(name, ...), fills the struct and registers it. The
 * host half is C that compiles without CUDA, so that every case can be listed, predicted and simulated on a machine
 * with no GPU; what needs nvcc stands between #ifdef FX_WITH_CUDA and #endif, and the struct names it through FX_GPU().
 */
#pragma once

#include "axis.h"
#include "error.h"
#include "lanes.h"
#include "law.h"

FX_C_BEGIN

enum { FX_MAX_COUNTS = 16, FX_MAX_EXTRAS = 6, FX_NAME_BYTES = 256 };

enum { FX_MOST_GPUS = 8 }; /* of a host, that cases can speak of */

/* What the device says of itself, for `supported` and `law`. Zero where unknown. */
typedef struct fx_facts {
    fx_geometry geometry;
    int compute_major, compute_minor;
    int sm_count;
    int warps_per_sm;
    uint64_t shared_per_block_bytes; /* the opt-in limit */
    uint64_t shared_per_sm_bytes;    /* shared memory and L1 together come from one array of about this size */
    uint64_t constant_bytes;
    uint64_t l2_bytes;
    uint64_t memory_bytes;
    double memory_peak_GBps; /* 2 x memory clock x bus width; 0 where the driver does not tell */
    bool managed_memory, pageable_access, integrated;
    int gpu_count;                       /* that this process may use, this one among them; FX_MOST_GPUS at the most */
    unsigned char reaches[FX_MOST_GPUS]; /* bit d of reaches[s]: GPU s can map the memory of GPU d ... */
    unsigned char adds[FX_MOST_GPUS];    /* ... and its atomics work there */
} fx_facts;

typedef enum fx_timebase {
    FX_SM_CYCLES, /* clock64 on one SM: immune to the frequency */
    FX_GPU_NS,    /* CUDA events or globaltimer */
    FX_HOST_NS,   /* CLOCK_MONOTONIC_RAW around what the host waits for */
} fx_timebase;

typedef struct fx_metric {
    const char *name; /* ends in its unit: "access_cycles", "copy_ns" */
    const char *unit;
    fx_timebase timebase;
    bool higher_is_better;
    const char *per; /* what one sample measures, in the singular: "warp-level access", "copy", "matrix product" */
} fx_metric;

/* A sweep: a named selection over the axes. */
typedef struct fx_sweep {
    const char *name;
    const char *axes;  /* full selection, in the language of axis.h */
    const char *quick; /* selection under --quick; NULL: not part of it */
} fx_sweep;

/* Where to refine a sweep: what changes along `axis` among the cases that `where` selects and
 * that differ in nothing else. The harness halves the gap in which it changes until that is one granule wide, or 1 % of
 * where it lies (search.h). */
typedef enum fx_change {
    FX_FIRST_ENDS,  /* the first flat part of the cost ends */
    FX_LAST_BEGINS, /* the last one begins */
    FX_COSTS_LESS,  /* from there on it costs less than the case that `against` leads to */
} fx_change;

typedef struct fx_search {
    const char *where; /* a selection in the language of axis.h */
    const char *axis;  /* of numbers */
    fx_change change;
    int64_t granule;     /* what is added is a multiple of it: a line, a page */
    double tolerance;    /* a smaller step in the cost is none; 0: 0.03 */
    const char *against; /* FX_COSTS_LESS: one value each of axes of words, "kind=other"; else NULL */
} fx_search;

typedef struct fx_count {
    const char *name; /* "sectors" */
    double value;
} fx_count;

/* The law's answer for one case. All figures are for one unit of the metric (one warp-level access, one copy). */
typedef struct fx_prediction {
    size_t metric;       /* index into the probe's metrics */
    const char *law;     /* name of the count; NULL: this case has no law */
    double count;        /* the x of the fit */
    const char *why_not; /* static text: the law is not claimed here, so the fit leaves the case out; NULL: it is */
    double useful_bytes; /* bytes the program asked for; 0: not a matter of bytes */
    double moved_bytes;  /* bytes the memory must move for them; 0: the same as useful */
    fx_count counts[FX_MAX_COUNTS];
    size_t count_count;
    bool counts_lost; /* more than FX_MAX_COUNTS were added: a mistake in the probe, which the tests find */
} fx_prediction;

/* Adds a named count to the prediction; one past FX_MAX_COUNTS is left out and sets counts_lost. */
void fx_prediction_count(fx_prediction *prediction, const char *name, double value);

/* That count, or with NULL the law's; NULL: there is none. */
const double *fx_prediction_find(const fx_prediction *prediction, const char *name);

/* Whether the case has a law that is claimed for it. */
static inline bool fx_prediction_in_fit(const fx_prediction *prediction) {
    return prediction->law && !prediction->why_not;
}

enum {
    FX_SAMPLE_LATCH_TIMEOUT = 1u << 0,    /* the start latch gave up waiting: queueing is inside the number */
    FX_SAMPLE_TIMER_RESOLUTION = 1u << 1, /* the span is under 50 ticks of its clock */
    FX_SAMPLE_NOT_PLACED = 1u << 2,       /* host pages are not on the GPU's NUMA node */
    FX_SAMPLE_DISTURBED = 1u << 3,        /* the shorter of two runs took longer: the longer one alone gave the value */
    FX_SAMPLE_UNSETTLED = 1u << 4,        /* memory was not at rest after a second, see fx_memory_settle */
};

typedef struct fx_sample {
    double value;                /* in the metric's unit */
    double intercept;            /* self-check of the two lengths, 2 T(N) - T(2N), in the timebase's unit; NAN: none */
    double t_n;                  /* T(N) of two lengths, T(2N) = T(N) + N x value, in the timebase's unit; NAN: none */
    double sm_clock_MHz;         /* clock64 over globaltimer; NAN: not measured */
    double extra[FX_MAX_EXTRAS]; /* see fx_probe.extras; NAN where it does not apply */
    uint32_t flags;              /* FX_SAMPLE_* */
    int sm; /* where work of one SM, or of one cluster from this SM on, ran; -1: unknown, or many */
} fx_sample;

typedef struct fx_probe fx_probe;
typedef struct fx_gpu fx_gpu; /* harness/gpu/cuda.h */
typedef struct fx_rig fx_rig; /* harness/gpu/rig.h */

/* One point of a probe's axes with all that is known of it before it runs. */
typedef struct fx_case {
    const fx_probe *probe;
    const fx_sweep *sweep; /* the sweep that named it first */
    fx_params params;
    bool searched; /* no sweep named it: a search added it to one (search.h) */
    bool has_lanes;
    fx_lanes lanes;
    fx_prediction prediction;
    const char *waived; /* reason why this device can't run it (static text); NULL: it can */
    char name[FX_NAME_BYTES];
} fx_case;

/* A kernel, named once: FX_K(chase, LOAD, 4, 1) is chase<LOAD, 4, 1>, and FX_K(multiply) is no template. Template
 * arguments are whole numbers or enumerators, which must be known without CUDA too; a bool has another name. */
enum { FX_MAX_TEMPLATE = 6 };

typedef struct fx_entry {
    const void *address; /* NULL where there is no CUDA */
    const char *name;
    int arguments[FX_MAX_TEMPLATE];
    size_t count;
} fx_entry;

#define FX_K_NTH(a, b, c, d, e, f, n, ...) n
#define FX_K_COUNT(...)                    FX_K_NTH(__VA_ARGS__ __VA_OPT__(, ) 6, 5, 4, 3, 2, 1, 0, )
#ifdef FX_WITH_CUDA
#define FX_K(kernel, ...)                                                                                              \
    {(const void *)kernel __VA_OPT__(<__VA_ARGS__>), #kernel, {__VA_ARGS__}, FX_K_COUNT(__VA_ARGS__)}
#else
#define FX_K(kernel, ...) {NULL, #kernel, {__VA_ARGS__}, FX_K_COUNT(__VA_ARGS__)}
#endif

/* In a row of cases that no kernel of the probe's runs, but a call of the runtime (fx_rig.launch). */
#define FX_NO_KERNEL {NULL, "", {0}, 0}

typedef enum fx_role {
    FX_WORK,   /* what is timed. Each case that can run is selected by exactly one such row */
    FX_EXPECT, /* pairs: the same sums as the work's, without the memory; runs once before the samples */
    FX_CHECK,  /* pairs: adds up what is wrong after the work; runs after each launch of a sample */
    FX_AID,    /* anything else; found by its name, see fx_rig_aid */
} fx_role;

/* Links of every chain per trip, for one chain per warp and for several. Primes above 32, so that no ring that a lane
 * table can lay comes round with the trip, and the oracle can tell a loop that ran from one that did not. */
enum { FX_CHAIN_STEPS = 61, FX_RATE_STEPS = 37 };

/* "LDG.E.64.STRONG.GPU": the opcode with all of its modifiers, in any order, so that "LDS" is not LDS.64. Left out are
 * those that differ between architectures for one and the same access: Turing's .SYS on weak accesses and .U on LDS,
 * .SCR, .LZ and .LL on TEX and TLD; Turing's .CTA is written .SM, Hopper's REDG is written RED, and Blackwell's
 * .RECONVERGENT of BSSY and .U of BRA left out. Reads of kernel parameters, c[0], never count. "c[3]" counts the words
 * that the code reads from that constant bank, whichever instruction reads them. */
typedef struct fx_opcode {
    const char *name;
    unsigned count; /* how often in the loop body; 0: at least once, as often as the compiler likes */
} fx_opcode;

enum { FX_MAX_OPCODES = 6 };

/* One kernel: which cases it serves, and what its timed loop must hold in machine code, which
 * validate/gpufx_validate/check_sass.py proves for all architectures. The timed loop is the innermost loop with one of
 * these opcodes inside the loop with the clock read. A kernel that reads no clock is timed from outside, so for it the
 * whole code counts. Memory accesses that are not named fail the check, and so does a kernel that reads the clock and
 * names none. Local memory, and branches in the timed loop besides its own, are faults where they are not named. A
 * kernel in several rows declares its loop in the first of them. */
typedef struct fx_kernel {
    const char *where; /* a selection in the language of axis.h, "mode=latency op=load"; "": all cases */
    fx_entry entry;    /* FX_K(...) */
    fx_role role;
    int min_compute;                /* 90: the loop is so from sm_90 on, and not checked below; -90: on sm_90 alone;
                                     * 0: everywhere */
    fx_opcode loop[FX_MAX_OPCODES]; /* {{0}}: it is not timed */
} fx_kernel;

/* Rows of a kernel table: FX_TIMED("op=load", FX_K(chase, LOAD), {"LDS", FX_CHAIN_STEPS}). Opcodes that are declared
 * from one architecture on are FROM(min_compute, ...). */
#define FX_ROW(...)                              {__VA_ARGS__}
#define FX_TIMED(where, kernel, ...)             FX_ROW(where, kernel, FX_WORK, 0, {__VA_ARGS__})
#define FX_TIMED_FROM(first, where, kernel, ...) FX_ROW(where, kernel, FX_WORK, first, {__VA_ARGS__})
#define FX_AIDED(where, kernel, ...)             FX_ROW(where, kernel, FX_AID, 0, {__VA_ARGS__})
#define FX_AIDED_FROM(first, where, kernel, ...) FX_ROW(where, kernel, FX_AID, first, {__VA_ARGS__})
#define FX_EXPECTED(where, kernel)               FX_ROW(where, kernel, FX_EXPECT, 0, {{0}})
#define FX_CHECKED(where, kernel)                FX_ROW(where, kernel, FX_CHECK, 0, {{0}})

/* What a hardware counter must show per warp-level access: metric / over = scale x count, for every case that `where`
 * selects. `gpufx validate --counters` reads both metrics with Nsight Compute, sums them over the launches of the
 * case's kernels (those in the probe's table), and allows for what the kernel does before and after its timed
 * loop. */
typedef struct fx_counter {
    const char *where;  /* a selection in the language of axis.h, "level=l1 op=load"; of choice axes alone */
    const char *count;  /* one of the prediction's counts, "sectors"; NULL: the law's own count */
    double scale;       /* what the metric counts for each: 32 where it counts bytes and the count is of sectors */
    const char *metric; /* Nsight Compute's name with its suffix, "dram__bytes_read.sum"; several with + are added up */
    const char *over;   /* what counts the accesses, likewise: "smsp__inst_executed_op_global_ld.sum" */
    double relative, absolute; /* tolerance: the larger of relative x predicted and absolute */
} fx_counter;

/* How well the probe's law must predict cases that nobody chose, from the fits of an earlier archive of the device.
 * `gpufx validate --patterns` holds it to that. */
typedef struct fx_aim {
    const char *where;    /* a selection in the language of axis.h, "memory=shared op=load" */
    double tolerance_pct; /* a prediction is right if the measured value lies within this of it */
    double share_pct;     /* of the predictions that must be right; NAN: they are counted, and no aim is set */
} fx_aim;

/* One warp-level access with any lane table, as `gpufx pattern` asks about it: what serves it, by what instruction. */
typedef enum fx_access_level {
    FX_LEVEL_SHARED,
    FX_LEVEL_CONSTANT,
    FX_LEVEL_L1,
    FX_LEVEL_L2,
    FX_LEVEL_DRAM
} fx_access_level;
typedef enum fx_access_kind {
    FX_LOADS,
    FX_STORES,
    FX_ADDS,     /* an atomic whose old value nobody wants */
    FX_FETCHES,  /* one that returns it */
    FX_COMPARES, /* a compare-and-swap */
    FX_MATRIX_LOADS,
    FX_MATRIX_STORES, /* ldmatrix, stmatrix: of 16 bytes, the row that a lane names */
} fx_access_kind;

typedef struct fx_access {
    fx_access_level level;
    fx_access_kind kind;
    unsigned width_bytes;
} fx_access;

/* What a probe can say of such an access. */
typedef enum fx_access_support {
    FX_SUPPORTS_NOTHING,
    FX_SUPPORTS_COUNT, /* its law takes any lane table */
    FX_SUPPORTS_TIME,  /* and so do its kernels */
} fx_access_support;

struct fx_probe {
    const char *name;
    const char *question;    /* one line */
    uint32_t method_version; /* archives with another version are not compared */

    /* Tables: FX_TABLE(axes) sets both fields from the array of that name. */
    const fx_axis *axes;
    size_t axes_count;
    const fx_sweep *sweeps;
    size_t sweeps_count;
    const fx_metric *metrics;
    size_t metrics_count;
    const fx_kernel *kernels;
    size_t kernels_count;

    /* Counts. `lanes` is NULL where the case has no table. Must not depend on anything but its arguments. */
    void (*law)(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out);

    /* Says what runs, in the fields of the rig; what it asks of the rig the rig gives back, also after a failure. */
    fx_status (*arrange)(fx_rig *rig, const fx_case *c, fx_error *err);

    const char *fit_by; /* axes whose values separate the fits, "mode op width"; NULL: nothing is fitted */
    const char *extras; /* names of fx_sample.extra, "h2d_GBps d2h_GBps"; NULL: none */

    /* Fills the lane table of a case; returns false where the case has none. NULL: no case has one. */
    bool (*lanes)(const fx_params *params, fx_lanes *out);

    /* Sets the params, which come with their fallbacks, to the case that an access with a lane table from outside
     * stands for. NULL: the probe has no such case. */
    fx_access_support (*access)(const fx_access *access, fx_params *params);

    /* True if the hardware for this case is present, say a third GPU. A case of a sweep that speaks of more is left
     * out: where there is none of it at all, one or two should stay, for `supported` to say so. NULL: all are there. */
    bool (*present)(const fx_facts *facts, const fx_params *params);

    /* NULL, or static text that says why this device can't run the case. The hook itself may be NULL. */
    const char *(*supported)(const fx_facts *facts, const fx_params *params);

    /* Sets what changes with each sample, drawn from `seed`. NULL: nothing does. */
    fx_status (*draw)(fx_rig *rig, const fx_case *c, uint64_t seed, fx_error *err);

    const fx_counter *counters;
    size_t counters_count;
    const fx_aim *aims;
    size_t aims_count;
    /* "seed memory=dram": the axis whose values each draw other cases, and what narrows what is drawn, in the
     * language of axis.h; every case so drawn is one of `aims`. NULL: there is no such axis. */
    const char *drawn_by;
    const fx_search *searches;
    size_t searches_count;

    /* Each case has exactly so many samples, whatever the sampler would take, and none is thrown away: they are pieces
     * of one series of time, or take so long each. 0: the sampler decides. */
    size_t samples;

    /* Only the first of the usual processes of a run measures it: it takes seconds, or it is work within an SM that
     * repeats from process to process within about 1e-4. A number of processes that the user gave holds. */
    bool once;

    /* "size=64Ki": values of axes at which all kernels run under compute-sanitizer in seconds. NULL: any. */
    const char *sanitized;

    /* What a process of its own does for a sample (fresh_process.h): fills `count` numbers. NULL: nothing. */
    fx_status (*in_fresh_process)(const char *argument, double *numbers, size_t count, fx_error *err);
};

#define FX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The two fields of fx_probe for one table, by their common name. */
#define FX_TABLE(table) .table = table, .table##_count = FX_COUNT(table)
#define FX_TABLES       FX_TABLE(axes), FX_TABLE(sweeps), FX_TABLE(metrics)
/* What every probe has: these, the kernels, `law`, and `arrange`, which is device code's. */
#define FX_PARTS FX_TABLES, FX_TABLE(kernels), .law = law, .arrange = FX_GPU(arrange)

/* Before a loop of device code. */
#define FX_UNROLL    _Pragma("unroll")
#define FX_NO_UNROLL _Pragma("unroll 1")

#ifdef FX_WITH_CUDA
#define FX_GPU(function) function
#else
#define FX_GPU(function) NULL
#endif

/* Registers `probe_` (a static const fx_probe) before main. */
#define FX_REGISTER(probe_)                                                                                            \
    __attribute__((constructor)) static void fx_register_##probe_(void) {                                              \
        fx_probe_register(&probe_);                                                                                    \
    }

/* Defines the probe of that name, its fields in the order of the struct, and registers it. */
#define FX_PROBE(name_, ...)                                                                                           \
    static const fx_probe probe_##name_ = {.name = #name_, __VA_ARGS__};                                               \
    FX_REGISTER(probe_##name_)

void fx_probe_register(const fx_probe *probe);

/* Registered probes in order of name; *count receives how many. The array is borrowed and lives as long as the program.
 * A probe with no name, no law, more than FX_MAX_AXES axes or another probe's name is left
 * out and reported by fx_probe_problem. */
const fx_probe *const *fx_probes(size_t *count);

const fx_probe *fx_probe_find(const char *name);

/* Text about probes that were refused at registration, or NULL. */
const char *fx_probe_problem(void);

FX_C_END
