/* Reads a trace, which is data from a stranger: every number is checked before it is used, memory grows only with what
 * the file really holds, and what is refused is said in one sentence. */
#pragma once

#include <jansson.h>

#include "core/error.h"
#include "trace.h"

typedef enum fx_trace_space {
    FX_TRACE_GLOBAL,
    FX_TRACE_SHARED,
    FX_TRACE_LOCAL,
    FX_TRACE_REMOTE, /* shared memory of another block of the cluster */
    FX_TRACE_OTHER_SPACE,
} fx_trace_space;

typedef enum fx_trace_op {
    FX_TRACE_LOAD,
    FX_TRACE_STORE,
    FX_TRACE_ATOMIC, /* returns what was there, or it is not known */
    FX_TRACE_REDUCTION,
    FX_TRACE_CAS,
    FX_TRACE_COUNT,       /* adds 1 to shared memory: ATOMS.POPC.INC, one step for all lanes of a word */
    FX_TRACE_ASYNC_LOAD,  /* the global half of cp.async */
    FX_TRACE_ASYNC_STORE, /* its shared half */
    FX_TRACE_MATRIX_LOAD, /* ldmatrix: lanes that give rows of 16 bytes */
    FX_TRACE_MATRIX_STORE,
    FX_TRACE_BULK_LOAD, /* one lane, the pattern's bytes are its size */
    FX_TRACE_BULK_STORE,
    FX_TRACE_BULK_REDUCE,
    FX_TRACE_WGMMA,
    FX_TRACE_PREFETCH,
    FX_TRACE_OTHER_OP,
} fx_trace_op;

/* Frames: the object inside, "kernel" of {"kernel":{...}}; borrowed from the trace, as all below. */
typedef struct fx_trace_kernel {
    json_t *frame; /* NULL: no frame has this id */
    const char *name, *shown;
    uint64_t shared_bytes; /* static; 0 where unknown */
    unsigned registers;    /* per thread; 0: unknown */
    json_t *files;         /* an array of those that the code's lines are of */
    char *code;            /* the machine code, a line an instruction (docs/trace.md); NULL: not in the trace */
    size_t code_bytes;
} fx_trace_kernel;

typedef struct fx_trace_instruction {
    json_t *frame; /* NULL: no frame has this id */
    uint32_t kernel;
    fx_trace_space space;
    fx_trace_op op;
    uint64_t pc;
    bool through_l1; /* false: a load that the L1 may not serve, by its machine code */
} fx_trace_instruction;

typedef struct fx_trace_launch {
    json_t *frame; /* NULL: no frame has this id */
    uint32_t kernel;
    uint64_t blocks, recorded; /* of the grid; of which this many were recorded */
    uint64_t threads;          /* of a block */
    uint64_t shared_bytes;     /* dynamic */
    size_t first, count;       /* its records: trace.records[first ...], block by block */
} fx_trace_launch;

typedef struct fx_trace {
    json_t *header; /* the whole first frame */
    json_t *notes;  /* an array of those of the file */
    json_t *calls;  /* an array of all */
    json_t *end;    /* NULL: the program, or the file, ended in the middle */
    fx_trace_kernel *kernels;
    size_t kernel_count; /* ids end below it, and some may be missing */
    fx_trace_instruction *instructions;
    size_t instruction_count;
    fx_trace_launch *launches;
    size_t launch_count;
    fx_trace_pattern *patterns;
    size_t pattern_count;
    fx_trace_record *records; /* by launch and block, each block's in their order */
    size_t record_count;
    bool cut; /* the file ends within a frame, or its compressed part is damaged: what stands before is here */
} fx_trace;

/* Reads all of it. FX_IO for what can't be read, FX_BAD_INPUT for what is no trace or contradicts itself: a record of
 * an instruction, pattern or launch that is nowhere, a pattern with an offset below 0. */
fx_status fx_trace_read(const char *path, fx_trace **out, fx_error *err);
void fx_trace_free(fx_trace *trace); /* NULL is fine */

void fx_trace_lanes(const fx_trace_pattern *pattern, fx_lanes *out);
