/* The rig: runs a case of a probe that says what runs (`arrange` and `draw` in core/probe.h), and owns its life on
 * every path: memory, timing buffers, events, sums, launches, the oracle and what it says where a result is wrong.
 *
 * Two ways of timing. On the SM's clock (timed.h): the kernel's parameters are fx_timed and the probe's argument, both
 * by value. By pairs of launches of N and 2N units (pair.h), where `units` is set: the argument alone; `part` makes it
 * that of the shorter or the longer launch. */
#pragma once

#include "core/device.h"
#include "core/kernel.h"
#include "gpu/pair.h"
#include "gpu/pool.h"
#include "gpu/timed.h"

FX_C_BEGIN

enum { FX_ARGUMENT_BYTES = 2048, FX_RIG_PIECES = 48 };
enum { FX_FILL_SEED = 11 /* of FX_FILLED memory */ };

typedef void fx_rig_release(fx_rig *rig, void *piece, size_t bytes);

/* A resource that the rig owns, and releases when the case ends. */
typedef struct fx_rig_resource {
    void *what;
    size_t bytes; /* that were asked for */
    fx_rig_release *release;
    unsigned kind; /* FX_DEVICE_MEMORY, ...; 0: no memory */
    void *data;    /* memory: what the probe got, aligned within `what` */
} fx_rig_resource;

struct fx_rig {
    fx_gpu *gpu;
    const fx_kernel *work;                /* the row of the table that serves the case; from before `arrange` */
    struct cudaFuncAttributes attributes; /* of its kernel */

    /* What arrange says of the launch. Zero, or as noted, where it says nothing. */
    unsigned warps;      /* of a block; on the SM's clock one warp makes a chain, more make a rate */
    unsigned blocks;     /* of the grid; 1 */
    unsigned cluster;    /* blocks of a cluster; 1: none */
    size_t shared_bytes; /* dynamic, of a block */
    int carveout_pct;    /* shared memory's part of the SM's array; -1: the driver chooses */
    bool local_memory;   /* is what is measured, or a kernel that uses it is refused */

    /* On the SM's clock. */
    double accesses;     /* of each warp in a trip; a sample is what one costs */
    double trip_cycles;  /* what a trip of all warps of a block costs, about; a pass takes about pass_cycles */
    double pass_cycles;  /* 16000 */
    uint32_t trips;      /* 0: as many as these two say */
    uint32_t warm_trips; /* of the first pass, at least */
    bool together;       /* all passes begin with a barrier (see core/window.h) */

    /* By pairs. */
    double units; /* N: units of work of the shorter launch; a sample is what one costs */
    bool cold;    /* the L2 is emptied before each launch; else N units are worked */
    /* Makes the argument, and where they differ `blocks`, those of the shorter (0) or the longer (1) launch. */
    void (*part)(fx_rig *rig, const fx_case *c, int which);
    /* In place of the kernel's launch: queues the work, never waits. */
    fx_status (*launch)(fx_rig *rig, const fx_case *c, int which, fx_error *err);
    /* In place of fx_rig_check, after each launch of a sample. */
    fx_status (*check)(fx_rig *rig, const fx_case *c, int which, fx_error *err);
    unsigned long long expected[2]; /* sums of the two launches; set by the table's FX_EXPECT kernel, or by arrange */

    /* In place of all that: takes a sample whose effect the host contributes to. Launches, waits, checks the oracle. */
    fx_status (*sample)(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err);

    /* After each sample: fills extras, or refuses it. */
    fx_status (*report)(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err);

    /* The plan of the next sample, rebuilt before `draw`, which may change it (fx_timed_steps). */
    fx_timed timed;

    /* The rig's own. */
    const fx_case *c;
    const fx_kernel *expect, *wrong; /* rows of FX_EXPECT and FX_CHECK, or NULL */
    fx_rig_resource pieces[FX_RIG_PIECES];
    size_t piece_count;
    fx_timed_buffer buffer;
    fx_pair pair;
    unsigned long long *sums, pending; /* pending: what the launches since the last check must have added */
    unsigned launched_blocks;          /* pairs: of the shorter launch */
    uint64_t dram_bytes;
    unsigned char groups[FX_MAX_SM_GROUPS]; /* of fx_gpu.sm_groups: samples are taken there in turn */
    size_t group_count, next_group;
    unsigned sms[FX_LAUNCHED_SMS];
    size_t sm_count; /* more than FX_LAUNCHED_SMS: too many to tell */
    bool ready;
    union {
        unsigned char bytes[FX_ARGUMENT_BYTES];
        double aligned;
        void *pointer;
    } argument;
};

/* The probe's argument: `TYPE *name = FX_ARGUMENT(rig, TYPE)`. Zeroed when the case is opened, and the kernel's last
 * parameter. Where the probe must keep more, TYPE begins with what the kernel gets. */
#define FX_ARGUMENT(rig, type)                                                                                         \
    ((type *)(rig)->argument.bytes + 0 * sizeof(char[sizeof(type) <= FX_ARGUMENT_BYTES ? 1 : -1]))

/* Kinds of memory, with flags. All is given back by the rig. */
enum {
    FX_DEVICE_MEMORY = 1u << 0, /* of the case's own */
    FX_POOL_MEMORY = 1u << 1,   /* of the device, from the pool of one buffer; what it holds is left from before */
    FX_PINNED_MEMORY = 1u << 2, /* of the host */
    FX_HOST_MEMORY = 1u << 3,   /* of the host, zeroed */
    FX_FILLED = 1u << 4,        /* of the device: filled with fx_random_word(FX_FILL_SEED, i) */
    FX_REFILLED = 1u << 5,      /* of the device: filled with fx_random_word(seed, i) before each sample is drawn */
};

/* *(void **)out receives `bytes` of memory at a multiple of `alignment` (0: what the allocator gives, 256 or more on
 * the device). */
fx_status fx_rig_memory(fx_rig *rig, void *out, unsigned kind, size_t bytes, size_t alignment, fx_error *err);

/* Events, of cudaEventCreateWithFlags; and one that has a time. */
fx_status fx_rig_events(fx_rig *rig, cudaEvent_t *out, size_t count, unsigned flags, fx_error *err);
fx_status fx_rig_event(fx_rig *rig, cudaEvent_t *out, fx_error *err);

/* Hands the rig another resource to release at the case's end. Where its table is full, `what` is released at once and
 * an error returned. */
fx_status fx_rig_keep(fx_rig *rig, void *what, fx_rig_release *release, fx_error *err);

/* Bytes that a case in DRAM may take: half of what is free, at the most `most_bytes`. What follows from them is
 * archived as fx_launched.dram_bytes. */
fx_status fx_rig_room(fx_rig *rig, uint64_t most_bytes, uint64_t *bytes, fx_error *err);

/* The memory of a case in DRAM: `bytes` from the pool, with `slack` bytes behind them. Refuses what is too little to
 * get past the L2. `kind`: FX_FILLED or 0. */
fx_status fx_rig_dram(fx_rig *rig, void *out, unsigned kind, uint64_t bytes, uint64_t slack, fx_error *err);

/* Opens rig->sums: FX_SUMS counters, all 0, into which kernels add what they read (sums.cuh). `out`: or NULL. */
fx_status fx_rig_sums(fx_rig *rig, unsigned long long **out, fx_error *err);

/* Trips for which a pass takes about pass_cycles. */
uint32_t fx_rig_trips(const fx_rig *rig, double trip_cycles);

/* Prepares the kernel for the shared memory and the carve-out that are set. Refuses local memory that nobody measures.
 * That the driver compiled a kernel from PTX can't be known here: the archive has the build's architectures beside the
 * device's. Called by the rig after `arrange`, which does so itself only where it asks how many blocks fit. */
fx_status fx_rig_prepare(fx_rig *rig, fx_error *err);

/* A launch outside the samples, queued: of any kernel, and of the FX_AID kernel of that name. */
fx_status fx_rig_launch(fx_rig *rig, const void *kernel, unsigned blocks, unsigned threads, void **arguments,
                        fx_error *err);
fx_status fx_rig_aid(fx_rig *rig, const char *name, unsigned blocks, unsigned threads, void **arguments, fx_error *err);

/* Reads the counters and clears them. Waits. */
fx_status fx_rig_take_sum(fx_rig *rig, unsigned long long *sum, fx_error *err);

/* rig->report where local memory is what is measured: extras are the bytes of a thread, and the KiB of a block. */
fx_status fx_rig_local(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err);

/* The check of pairs: runs the FX_CHECK kernel, where there is one, and compares the sums, modulo 2^32, with what the
 * launches since the last check must have added. */
fx_status fx_rig_check(fx_rig *rig, int which, fx_error *err);

/* One sample of what is arranged so far, to find out how long it takes; nothing is checked by `report`. On the SM's
 * clock cycles per access, by pairs ns of the shorter launch. */
fx_status fx_rig_trial(fx_rig *rig, double *cost, fx_error *err);

/* For the device: as the hooks of fx_device. */
fx_status fx_rig_open(fx_gpu *gpu, const fx_case *c, void **rig, fx_error *err);
fx_status fx_rig_sample(fx_rig *rig, uint64_t seed, fx_sample *out, fx_error *err);
void fx_rig_ran(const fx_rig *rig, fx_launched *out);
void fx_rig_close(fx_rig *rig);

FX_C_END
