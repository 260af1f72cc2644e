/* What a trace holds: the accesses that warps of a program made. docs/trace.md describes the file, frame by frame.
 *
 * Both structs are the bytes of the file, little-endian. No pointer, no CUDA and no JSON library stands here, so the
 * recorder, which is loaded into other people's programs, takes it as it is. */
#pragma once

#include "core/lanes.h"

enum { FX_TRACE_VERSION = 1 };

/* Of the file, checked by its reader: bytes of a frame's line; frames' numbers of kernels, instructions and launches;
 * patterns and records, that a reader keeps; records of a frame of columns; bytes of all notes and calls. */
enum {
    FX_TRACE_LINE_BYTES = 1 << 20,
    FX_TRACE_MOST_IDS = 1 << 20,
    FX_TRACE_MOST_PATTERNS = 1 << 22,
    FX_TRACE_MOST_RECORDS = 1 << 26,
    FX_TRACE_MOST_COLUMNS = 1 << 16,
    FX_TRACE_MOST_LOOSE_BYTES = 1 << 24,
};

/* A record's base is a multiple of it, so that sectors, lines and banks follow from the pattern alone. */
enum { FX_TRACE_BASE_BYTES = 128 };

/* In columns: a base is told as the step from the last one of an instruction with the same number modulo the first;
 * warps are below the second. */
enum { FX_TRACE_BASES = 256, FX_TRACE_MOST_WARPS = 64 };

/* The highest base: what a pattern adds to it, twice 2 GiB at most, is an address, too. */
#define FX_TRACE_MOST_BASE (UINT64_MAX - 4 * (uint64_t)INT32_MAX)

/* Lanes of one access. */
typedef struct fx_trace_pattern {
    uint32_t mask;           /* active lanes */
    uint32_t bytes;          /* that each of them takes; of a bulk copy its size */
    int32_t offset[FX_WARP]; /* of active lanes, from the record's base, 0 and up; 0 elsewhere */
} fx_trace_pattern;

/* An access of one warp, or `times` of them in a row that are the same. */
typedef struct fx_trace_record {
    uint32_t instruction, pattern; /* their ids */
    uint64_t base;                 /* the lowest active address, rounded down to FX_TRACE_BASE_BYTES */
    uint32_t block;                /* linear: x first */
    uint16_t warp;                 /* of the block */
    uint16_t times;                /* 1 and up */
} fx_trace_record;

_Static_assert(sizeof(fx_trace_pattern) == 136 && sizeof(fx_trace_record) == 24, "the file's own sizes");

/* Records as columns and back, of `count` of them in both forms. Those of a block stand side by side, in the order in
 * which it made them; warps are below FX_TRACE_MOST_WARPS, and false says that one is not. `columns`: aligned to 8
 * bytes; reading uses it up. */
void fx_trace_columns_of(const fx_trace_record *records, size_t count, void *columns);
bool fx_trace_columns_read(void *columns, size_t count, fx_trace_record *out);
