/* The axes' words, the kernels' shapes, and the naive ones' ways through A and B: what the host knows. Plain C. */
#pragma once

#include "core/probe.h"
#include "task.h"

enum { VARIANT, STORED, TYPE, SIDE };
enum { ROWS, COLUMNS, TILE16, TILE32, TILE32_PADDED, ONE_SHARED, BOTH_SHARED, ASYNC, BULK, TENSOR, WGMMA, CUBLAS };
enum { PLAIN, TRANSPOSED, FIRST };
enum { FP32, TF32, FP16, FP64, INT8, FP8 };

/* Of a block: its part of C, its threads and dynamic shared memory. */
typedef struct shape {
    unsigned rows, columns, threads, shared_bytes;
} shape;

/* In the order of the variants, up to the library. */
static const shape shapes[] = {
    {FX_WARP, NAIVE_WARPS, NAIVE_THREADS, 0},
    {NAIVE_WARPS, FX_WARP, NAIVE_THREADS, 0},
    {16, 16, 256, 0},
    {32, 32, 1024, 0},
    {32, 32, 1024, 0},
    {ONE_ROWS, ONE_COLUMNS, ONE_COLUMNS, 0},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_STAGE_WORDS * 4},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_STAGES *BOTH_STAGE_WORDS * 4},
    {BOTH_SIDE, BOTH_SIDE, BOTH_THREADS, BOTH_STAGES *BOTH_STAGE_WORDS * 4},
    {TENSOR_SIDE, TENSOR_SIDE, TENSOR_THREADS, TENSOR_STAGES *TENSOR_STAGE_BYTES},
    {WGMMA_ROWS, WGMMA_COLUMNS, WGMMA_THREADS, WGMMA_STAGES *WGMMA_STAGE_BYTES + 1024},
};

static inline unsigned bytes_of(int64_t type) {
    static const unsigned bytes[] = {4, 4, 2, 8, 1, 1};
    return bytes[type];
}

static bool is_naive(const fx_params *p) {
    return p->value[VARIANT] <= COLUMNS;
}

/* Naive: A's element (i, k) lies at i * n + k. */
static walk walk_of_a(const fx_params *p) {
    const uint32_t n = (uint32_t)p->value[SIDE];
    const walk columns = {0, n, 1}, rows = {n, 0, 1};
    return p->value[VARIANT] == COLUMNS ? columns : rows;
}

/* B's element (k, j) lies at k * n + j, or at j * n + k once it is transposed. */
static walk walk_of_b(const fx_params *p) {
    const bool plain = p->value[STORED] == PLAIN;
    const uint32_t n = (uint32_t)p->value[SIDE], next = plain ? 1 : n, step = plain ? n : 1;
    const walk columns = {next, 0, step}, rows = {0, next, step};
    return p->value[VARIANT] == COLUMNS ? columns : rows;
}
