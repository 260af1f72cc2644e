/* What the kernels of this effect share: sizes of their tiles, which the laws count with too, and their argument. */
#pragma once

#include <stdint.h>

#include "core/lanes.h"

/* One thread per element of C. */
enum { NAIVE_WARPS = 8, NAIVE_THREADS = NAIVE_WARPS * FX_WARP, NAIVE_UNROLL = 4 };

/* One operand in shared memory: a thread has ONE_ROWS elements of one column of C. */
enum { ONE_ROWS = 16, ONE_COLUMNS = 64, ONE_DEPTH = 16, ONE_PITCH = ONE_ROWS + 4 };

/* Both operands in shared memory: a block has a square of C, a thread 8 x 8 elements of it. Rows of A's tile lie four
 * words further apart than they are long, so that four neighbours lie in different banks. */
enum {
    BOTH_SIDE = 128,
    BOTH_THREADS = 256,
    BOTH_DEPTH = 16,
    BOTH_A_PITCH = BOTH_DEPTH + 4,
    BOTH_A_WORDS = BOTH_SIDE * BOTH_A_PITCH,
    BOTH_STAGE_WORDS = BOTH_A_WORDS + BOTH_DEPTH * BOTH_SIDE,
    BOTH_STAGES = 2 /* of those with asynchronous copies */
};

/* Tensor cores: a block has a square of C, each of its four warps a quarter. A row of A's tile is 64 bytes, whatever
 * they hold, and lies 80 from the next; B's tile has as many rows as that has elements, 8 elements further apart than
 * they are long. So the rows that a request wants lie in different banks, and both types need the same memory. */
enum {
    TENSOR_SIDE = 128,
    TENSOR_THREADS = 128,
    TENSOR_ROW_BYTES = 64,
    TENSOR_A_PITCH = TENSOR_ROW_BYTES + 16, /* bytes */
    TENSOR_B_PITCH = TENSOR_SIDE + 8,       /* elements */
    TENSOR_A_BYTES = TENSOR_SIDE * TENSOR_A_PITCH,
    TENSOR_STAGE_BYTES = TENSOR_A_BYTES + TENSOR_ROW_BYTES * TENSOR_B_PITCH,
    TENSOR_STAGES = 4
};

/* Hopper's tensor cores, FP16: two warpgroups of a block have 128 x 256 elements of C, a warp beside them orders tiles
 * 64 deep. Two blocks are a cluster. */
enum {
    WGMMA_ROWS = 128,
    WGMMA_COLUMNS = 256,
    WGMMA_DEPTH = 64,
    WGMMA_THREADS = 288,
    WGMMA_A_BYTES = WGMMA_ROWS * WGMMA_DEPTH * 2,
    WGMMA_STAGE_BYTES = WGMMA_A_BYTES + WGMMA_COLUMNS * WGMMA_DEPTH * 2,
    WGMMA_STAGES = 4,
    WGMMA_STRIP = 8 /* pairs of tiles */
};

/* How a tile comes into shared memory, and the bytes of an element: what the kernels are templates of. */
enum { BY_LOADS, BY_ASYNC, BY_BULK };
enum { FP16_BYTES = 2, TF32_BYTES = 4 };

enum { STRIP = 16 /* blocks in flight lie in strips so many tiles high, whose tiles of A and B the L2 keeps */ };

/* Where the elements of a matrix lie for one thread per element, as distances in elements. */
typedef struct walk {
    uint32_t lane, warp, step;
} walk;

/* The argument of all products. */
typedef struct task {
    const void *a, *b;
    float *c;
    uint32_t n;
    float scale; /* 1: with C = scale * A x B, as in BLAS, what is stored four by four need not be what is added up */
    uint32_t strip;        /* of tiles, a power of two that divides their number */
    walk to_a, to_b, to_c; /* C has no step */
} task;
