/* The probe contract: what one file in micro/ declares, and how it is found.
 *
 * A probe isolates one effect. It declares its axes, the sweeps over them, the lane table and the law of each case, and
 * four functions that run it on a CUDA device. It registers itself with its last line, FX_PROBE(name). The host half is
 * C that compiles without CUDA, so that every case can be listed, predicted and simulated on a machine with no GPU;
 * what needs nvcc stands between #ifdef FX_WITH_CUDA and #endif, and the struct names it through FX_GPU(). */
#ifndef FX_PROBE_H
#define FX_PROBE_H

#include "axis.h"
#include "error.h"
#include "lanes.h"
#include "law.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FX_PROBE_CONTRACT 2u

enum { FX_MAX_COUNTS = 8, FX_MAX_EXTRAS = 4, FX_NAME_BYTES = 256 };

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
    const char *per; /* what one sample stands for, in the singular: "warp-level access", "copy", "matrix product" */
} fx_metric;

/* A sweep: a named selection over the axes. */
typedef struct fx_sweep {
    const char *name;
    const char *axes;  /* full selection, in the language of axis.h */
    const char *quick; /* selection under --quick; NULL: not part of it */
} fx_sweep;

typedef struct fx_count {
    const char *name; /* "sectors" */
    double value;
} fx_count;

/* The law's answer for one case. All figures are for one unit of the metric (one warp-level access, one copy). */
typedef struct fx_prediction {
    size_t metric;   /* index into the probe's metrics */
    const char *law; /* name of the count; NULL: this case has no law */
    double count;    /* the x of the fit */
    bool in_fit;     /* false: the law is not claimed here (say, beyond the cache), so the fit leaves the case out */
    const char *why_not; /* static text, where in_fit is false: "beyond the cache"; NULL: no reason is given */
    double useful_bytes; /* bytes the program asked for; 0: not a matter of bytes */
    double moved_bytes;  /* bytes the memory must move for them; 0: the same as useful */
    fx_count counts[FX_MAX_COUNTS];
    size_t count_count;
    bool counts_lost; /* more than FX_MAX_COUNTS were added: a mistake in the probe, which the tests find */
} fx_prediction;

/* Adds a named count to the prediction; one past FX_MAX_COUNTS is left out and sets counts_lost. */
void fx_prediction_count(fx_prediction *prediction, const char *name, double value);

enum {
    FX_SAMPLE_LATCH_TIMEOUT = 1u << 0,    /* the start latch gave up waiting: queueing is inside the number */
    FX_SAMPLE_TIMER_RESOLUTION = 1u << 1, /* the span is under 50 ticks of its clock */
    FX_SAMPLE_NOT_PLACED = 1u << 2,       /* host pages are not on the GPU's NUMA node */
    FX_SAMPLE_DISTURBED = 1u << 3,        /* the shorter of two runs took longer: the longer one alone gave the value */
};

typedef struct fx_sample {
    double value;                /* in the metric's unit */
    double intercept;            /* self-check of the two lengths, 2 T(N) - T(2N), in the timebase's unit; NAN: none */
    double t_n;                  /* T(N) of two lengths, T(2N) = T(N) + N x value, in the timebase's unit; NAN: none */
    double sm_clock_MHz;         /* clock64 over globaltimer; NAN: not measured */
    double extra[FX_MAX_EXTRAS]; /* see fx_probe.extras; NAN where it does not apply */
    uint32_t flags;              /* FX_SAMPLE_* */
} fx_sample;

typedef struct fx_probe fx_probe;
typedef struct fx_gpu fx_gpu; /* harness/gpu/cuda.h */

/* One point of a probe's axes with all that is known of it before it runs. */
typedef struct fx_case {
    const fx_probe *probe;
    const fx_sweep *sweep; /* the sweep that named it first */
    fx_params params;
    bool has_lanes;
    fx_lanes lanes;
    fx_prediction prediction;
    const char *waived; /* reason why this device can't run it (static text); NULL: it can */
    char name[FX_NAME_BYTES];
} fx_case;

/* What the timed loop of one kernel must hold in machine code; validate/gpufx_validate/check_sass.py proves it for all
 * architectures. The timed loop is the innermost loop with that opcode inside the loop with the clock read. A kernel
 * that reads no clock is timed from outside, so for it the whole code counts. Further lines of the same kernel add
 * further opcodes; memory accesses that no line names fail the check, and so does a kernel that reads the clock and has
 * no line. Local memory, and branches in the timed loop beside its own, are faults where no line names them. */
typedef struct fx_sass {
    const char *kernel; /* demangled name up to the parameter list, "chase<0, 8, 1>" */
    /* "LDG.E.64.STRONG.GPU": the opcode with all of its modifiers, in any order, so that "LDS" is not LDS.64. Left out
     * are those that differ between architectures for one and the same access: Turing's .SYS on weak accesses and .U
     * on LDS, .SCR, .LZ and .LL on TEX and TLD; Turing's .CTA is written .SM, Hopper's REDG is written RED, and
     * Blackwell's .RECONVERGENT of BSSY left out. Reads of kernel parameters, c[0], never count. "c[3]" counts the
     * words that the code reads from that constant bank, whichever instruction reads them. */
    const char *opcode;
    unsigned count;  /* how often in the loop body; 0: at least once, as often as the compiler likes */
    int min_compute; /* 90: only from sm_90 on, below it the kernel is skipped; 0: everywhere */
} fx_sass;

/* What a hardware counter must show per warp-level access: metric / over = scale x count, for every case that `where`
 * selects. `gpufx validate --counters` reads both metrics with Nsight Compute, sums them over the launches of the
 * case's kernel (those in the probe's fx_sass table), and allows for what the kernel does before and after its timed
 * loop. */
typedef struct fx_counter {
    const char *where;  /* a selection in the language of axis.h, "level=l1 op=load"; of choice axes alone */
    const char *count;  /* one of the prediction's counts, "sectors"; NULL: the law's own count */
    double scale;       /* what the metric counts for each: 32 where it counts bytes and the count is of sectors */
    const char *metric; /* Nsight Compute's name with its suffix, "dram__bytes_read.sum"; several with + are added up */
    const char *over;   /* what counts the accesses, likewise: "smsp__inst_executed_op_global_ld.sum" */
    double relative, absolute; /* tolerance: the larger of relative x predicted and absolute */
} fx_counter;

/* A sentence that guides, lectures and blogs repeat, in our own words, and the cases that decide whether it is true of
 * a chip. For every case that `where` selects, `against` replaces some of its axes by one other value, and the claim
 * holds if quantity(where) / quantity(against) lies in [low, high]; without `against` it is quantity(where) itself.
 * `gpufx claims` says what became of it on an archive. */
typedef struct fx_claim {
    const char *text;    /* one sentence, no full stop: "reading interleaved is about 15 times faster than in chunks" */
    const char *source;  /* who says so: "vendor guide", "lecture", "blog", "textbook", "forum", "paper" */
    const char *where;   /* a selection in the language of axis.h, "order=chunked blocks=1 size=64Mi" */
    const char *against; /* "order=interleaved"; NULL: nothing */
    const char *quantity; /* "cost": the metric; "rate": useful bytes per time; "peak_pct"; or one of the extras */
    double low, high;     /* inclusive; INFINITY: no upper bound */
} fx_claim;

struct fx_probe {
    uint32_t contract; /* FX_PROBE_CONTRACT; this and name keep their places in every version */
    const char *name;
    const char *question;    /* one line */
    uint32_t method_version; /* archives with another version are not compared */
    const fx_axis *axes;
    size_t axis_count;
    const fx_sweep *sweeps;
    size_t sweep_count;
    const fx_metric *metrics;
    size_t metric_count;
    const char *fit_by; /* axes whose values separate the fits, "mode op width"; NULL: nothing is fitted */
    const char *extras; /* names of fx_sample.extra, "h2d_GBps d2h_GBps"; NULL: none */

    /* Fills the lane table of a case; returns false where the case has none. NULL: no case has one. */
    bool (*lanes)(const fx_params *params, fx_lanes *out);

    /* Counts. `lanes` is NULL where the case has no table. Must not depend on anything but its arguments. */
    void (*law)(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out);

    /* NULL, or static text that says why this device can't run the case. The hook itself may be NULL. */
    const char *(*supported)(const fx_facts *facts, const fx_params *params);

    /* Prepares buffers for a case. *state is the probe's own, handed to sample and close. On failure the probe has
     * released everything and close is not called. */
    fx_status (*open)(fx_gpu *gpu, const fx_case *c, void **state, fx_error *err);

    /* Takes one sample: launches, waits, checks the oracle with data drawn from `seed`. */
    fx_status (*sample)(fx_gpu *gpu, const fx_case *c, void *state, uint64_t seed, fx_sample *out, fx_error *err);

    /* Releases everything. state is never NULL. */
    void (*close)(fx_gpu *gpu, const fx_case *c, void *state);

    const fx_sass *sass;
    size_t sass_count;
    const fx_counter *counters;
    size_t counter_count;
    const fx_claim *claims;
    size_t claim_count;
};

#define FX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#ifdef FX_WITH_CUDA
#define FX_GPU(function) function
#else
#define FX_GPU(function) NULL
#endif

/* Registers `probe_` (a static const fx_probe) before main. */
#define FX_PROBE(probe_)                                                                                               \
    __attribute__((constructor)) static void fx_register_##probe_(void) {                                              \
        fx_probe_register(&probe_);                                                                                    \
    }

void fx_probe_register(const fx_probe *probe);

/* Registered probes in order of name; *count receives how many. The array is borrowed and lives as long as the program.
 * A probe with a foreign contract version, no name, no law, more than FX_MAX_AXES axes or another probe's name is left
 * out and reported by fx_probe_problem. */
const fx_probe *const *fx_probes(size_t *count);

const fx_probe *fx_probe_find(const char *name);

/* Text about probes that were refused at registration, or NULL. */
const char *fx_probe_problem(void);

#ifdef __cplusplus
}
#endif
#endif
