/* What one access of a trace costs on a chip, by the laws and fits of `gpufx pattern`; equal ones count once. */
#pragma once

#include "core/hash_table.h"
#include "pattern/cache_model.h"
#include "pattern/pattern.h"
#include "trace/trace_read.h"

/* What an instruction asks for, as far as laws tell instructions apart. */
typedef enum fx_access_class {
    FX_CLASS_SHARED_LOAD,
    FX_CLASS_SHARED_STORE,
    FX_CLASS_ASYNC_STORE, /* the shared half of cp.async */
    FX_CLASS_SHARED_ATOMIC,
    FX_CLASS_SHARED_CAS,
    FX_CLASS_SHARED_COUNT,
    FX_CLASS_MATRIX,
    FX_CLASS_GLOBAL_LOAD,
    FX_CLASS_ASYNC_LOAD, /* as a global load, whose law was measured with registers as its end */
    FX_CLASS_GLOBAL_STORE,
    FX_CLASS_REDUCTION,
    FX_CLASS_ATOMIC,
    FX_CLASS_CAS,
    FX_CLASS_LOCAL_LOAD,
    FX_CLASS_LOCAL_STORE,
    FX_CLASS_BULK_READ, /* bytes and sectors, no cycles */
    FX_CLASS_BULK_WRITE,
    FX_CLASS_COUNTED, /* nothing is known but how often */
    FX_CLASSES,
} fx_access_class;

fx_access_class fx_class_of(const fx_trace_instruction *instruction);

/* The pipes of an SM that it goes through: shared memory or the L1, and the way to the L2. */
typedef enum fx_cost_level { FX_COST_NEAR, FX_COST_L2, FX_COST_LEVELS } fx_cost_level;

typedef struct fx_level_cost {
    const char *law;            /* NULL: none */
    double count, best_count;   /* best: as many lanes side by side, or this if it is less */
    double cycles, best_cycles; /* NAN: no fit */
    bool claimed;
} fx_level_cost;

/* One access, at every level. */
typedef struct fx_access_cost {
    fx_access_class of; /* and pattern: the key */
    uint32_t pattern;
    unsigned lanes, bytes;
    uint32_t reach; /* from the base to one past its last byte */
    unsigned sectors, wavefronts, lines, best_sectors, best_wavefronts;
    fx_level_cost level[FX_COST_LEVELS];
    size_t first_line, line_count; /* of the caches: fx_access_costs_line */
    uint64_t more_sectors;         /* of a bulk copy that is larger than what the caches are asked about */
} fx_access_cost;

typedef struct fx_access_costs fx_access_costs;

/* `options`: --archive or --arch, else the chip of the trace. The caller frees *out also on failure. */
fx_status fx_access_costs_new(const fx_options *options, const fx_trace *trace, fx_access_costs **out, fx_error *err);
void fx_access_costs_free(fx_access_costs *costs); /* NULL is fine */

/* Index of the cost of this access. Costs are stable until the next call. */
fx_status fx_access_costs_find(fx_access_costs *costs, fx_access_class of, uint32_t pattern, size_t *index,
                               fx_error *err);
const fx_access_cost *fx_access_costs_at(const fx_access_costs *costs, size_t index);
/* Line i of its lines, with the record's base; `place` sets the local memory of one warp apart from another's. */
fx_cache_line fx_access_costs_line(const fx_access_costs *costs, const fx_access_cost *cost, size_t i, uint64_t base,
                                   uint64_t place);

/* What would make this access cheaper, and none of the others of the same array dearer (indices of costs). */
size_t fx_access_costs_cures(const fx_access_costs *costs, const fx_access_cost *cost, const uint32_t *others,
                             size_t other_count, fx_pattern_cure out[FX_MAX_CURES]);
/* Cycles of a count at a level; NAN: no fit. */
double fx_access_costs_predict(fx_access_costs *costs, fx_access_class of, fx_cost_level level, double count,
                               unsigned width_bytes);
/* Which of a cure's counts that is; -1: none. */
int fx_access_costs_cure_level(const fx_access_costs *costs, fx_access_class of, fx_cost_level level);

/* Of which chip; 0 where a size is not known. */
typedef struct fx_cost_chip {
    const char *archive; /* below the project's folder, else as it is; NULL: none */
    char name[128], arch[16];
    uint64_t sm_bytes, l2_bytes; /* the array of shared memory and L1 of an SM; the L2 */
    unsigned sms, warps;         /* warps: that fit on an SM */
} fx_cost_chip;
const fx_cost_chip *fx_access_costs_chip(const fx_access_costs *costs);
