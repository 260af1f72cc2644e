/* What a chip's parts take: from the parent's JSON (plot/gpufx_plot/explain/played.py). */
#pragma once

#include "machine_code.h"

/* In cycles of its SMs, but for the first two and the last. */
typedef struct fx_rates {
    double ghz, sms;
    double unit[FX_UNITS]; /* of a scheduler's unit for each instruction */
    double shared_latency, l1_latency, copy_latency, near_latency, far_latency, dram_latency, atomic_latency,
        constant_latency, special_latency, barrier, block; /* block: between starts of blocks of up to 256 threads */
    double off;                                            /* of an SM: an access that is predicated off in all lanes */
    double dram_read, dram_write, dram_copy, l2;       /* per byte of the whole chip; copy: half read, half written */
    double l2_request, l2_store, l2_atomic, same_word; /* per line; per line and sector; per sector; per packet */
    double start_ns;
} fx_rates;
fx_status fx_rates_read(const char *json, fx_rates *out, fx_error *err);
