/* Where samples come from: the CUDA device (harness/gpu) or the synthetic device (synthetic.h), behind one table. */
#pragma once

#include <jansson.h>

#include "probe.h"

FX_C_BEGIN

/* A snapshot of what moves during a run. NAN or 0 where the machine does not tell. */
typedef struct fx_clocks {
    double sm_MHz, memory_MHz, temperature_C, power_W;
    unsigned long long throttle_reasons; /* NVML's bit mask; 0: none, or unknown */
    bool throttle_known;
    int other_programs; /* with a context on the device; -1: unknown */
    double age_ms;      /* how long ago it was taken; NAN: unknown */
    uint64_t number;    /* the same for two only if they are one and the same snapshot */
    bool known;
} fx_clocks;

/* What ran, for the archive: the last kernel that was timed, where its memory lay, where it ran. */
enum { FX_LAUNCHED_BUFFERS = 8, FX_LAUNCHED_SMS = 32 };

typedef struct fx_launched_buffer {
    uint64_t bytes;
    uint32_t address_low21; /* of its first byte */
} fx_launched_buffer;

typedef struct fx_launched {
    char kernel[FX_NAME_BYTES]; /* demangled, up to the parameter list; "": no kernel was timed, and the next five are
                                   unknown */
    char code_hash[17];         /* of its machine code, 16 hex digits; "": unknown */
    int registers;              /* per thread; -1: unknown */
    uint64_t blocks, threads;   /* of the grid; of one block. 0: unknown */
    int64_t shared_bytes;       /* per block, static and dynamic; -1: unknown */
    fx_launched_buffer buffers[FX_LAUNCHED_BUFFERS]; /* those that the timed work reads or writes, largest first */
    size_t buffer_count;
    uint64_t dram_bytes; /* over which the work was spread, where that follows from free memory; 0: does not apply */
    unsigned sms[FX_LAUNCHED_SMS]; /* that were at work in any sample, where they are few */
    size_t sm_count;               /* 0: not known, or more than fit */
    double units_n; /* units of work in T(N), see fx_sample.t_n; 0: the sample is no difference of lengths */
} fx_launched;

typedef struct fx_device fx_device;
struct fx_device {
    bool synthetic;
    fx_facts facts;
    char name[128];   /* "NVIDIA H200" */
    char slug[128];   /* "nvidia-h200": a-z, 0-9, '-' */
    char arch[16];    /* "sm_90" */
    unsigned stretch; /* timed loops of on-chip probes run so many times as long; 0: as usual */
    bool one_sm;      /* work of one SM stays where the driver puts it */
    void *self;

    /* The archive's "device", "driver" and "environment" objects. New references; NULL if memory ran out. */
    json_t *(*describe_device)(fx_device *device);
    json_t *(*describe_driver)(fx_device *device);
    json_t *(*describe_environment)(fx_device *device);

    /* The GPUs of the host, with what leads from each to each other one: "gpus" of the archive's "host", or NULL. */
    json_t *(*describe_gpus)(fx_device *device);

    /* Keeps the device busy until its clocks have settled, at least `seconds`. */
    fx_status (*warm_up)(fx_device *device, double seconds, fx_error *err);

    /* As the hooks of the same name in fx_probe. */
    fx_status (*open)(fx_device *device, const fx_case *c, void **state, fx_error *err);
    fx_status (*sample)(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out, fx_error *err);
    void (*close)(fx_device *device, const fx_case *c, void *state);

    /* How many samples of the open case make a round, in which each of so many SMs, or clusters of them, gives one; 1:
     * it is always the same. NULL: 1. */
    size_t (*round)(fx_device *device, const fx_case *c, void *state);

    /* Fills in what it knows of the open case after its last sample; *out is "nothing known" before. NULL: nothing. */
    void (*ran)(fx_device *device, const fx_case *c, void *state, fx_launched *out);

    /* A snapshot of the last moments, or `fresh`, one of now: that takes up to some milliseconds. */
    void (*clocks)(fx_device *device, bool fresh, fx_clocks *out);
    void (*destroy)(fx_device *device); /* frees the device itself too */
};

/* Frees a device of either kind; NULL is fine. */
void fx_device_destroy(fx_device *device);

/* "NVIDIA H200" -> "nvidia-h200"; "unknown" where no letter or digit is left. */
void fx_slug(const char *name, char *slug, size_t size);

/* What every kind of device says under "device" in an archive: name, slug, arch and all facts, null where unknown.
 * A new reference to which describe_device may add; NULL if memory ran out. */
json_t *fx_device_facts(const fx_device *device);

/* Reasons for a clock below its maximum that are no throttling: an idle GPU, clocks that the user set. */
enum { FX_THROTTLE_HARMLESS = 0x3 };

/* Name of bit `bit` of fx_clocks.throttle_reasons, as NVML has them: 2 -> "sw_power_cap". NULL if unknown. */
const char *fx_throttle_name(unsigned bit);

FX_C_END
