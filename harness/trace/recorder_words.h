/* What the recorder's device half writes and its host half reads: words of 64 bits in the GPU's memory.
 *
 * An access of a warp takes FX_HEAD_WORDS words and one address per active lane, lowest lane first. Its place comes
 * from one atomic on one cursor, so places are in the order in which accesses happened. What does not fit is counted,
 * and everything behind the first that did not fit is left out: the words before `end` are whole. */
#ifndef FX_RECORDER_WORDS_H
#define FX_RECORDER_WORDS_H

#include <stdint.h>

/* Space and operation of an access. recorder_kinds.c has their names. */
typedef enum fx_kind {
    FX_GLOBAL_LOAD,
    FX_GLOBAL_STORE,
    FX_GLOBAL_ATOMIC,
    FX_SHARED_LOAD,
    FX_SHARED_STORE,
    FX_SHARED_ATOMIC,
    FX_LOCAL_LOAD,
    FX_LOCAL_STORE,
    FX_REMOTE_LOAD,
    FX_REMOTE_STORE,
    FX_REMOTE_ATOMIC,
    FX_MATRIX_LOAD,
    FX_MATRIX_STORE,
    FX_ASYNC_LOAD,       /* the global half of cp.async */
    FX_ASYNC_STORE,      /* its shared half */
    FX_ASYNC_REMOTE,     /* st.async */
    FX_ASYNC_REMOTE_ADD, /* red.async */
    FX_BULK_GLOBAL_LOAD, /* of a copy from global to shared memory */
    FX_BULK_SHARED_STORE,
    FX_BULK_SHARED_LOAD, /* of a copy or reduction from shared memory */
    FX_BULK_GLOBAL_STORE,
    FX_BULK_GLOBAL_REDUCE,
    FX_BULK_REMOTE_STORE,
    FX_BULK_REMOTE_REDUCE,
    FX_WGMMA_A, /* operands that a warpgroup's MMA reads from shared memory */
    FX_WGMMA_B,
    FX_GLOBAL_PREFETCH,
    FX_KINDS,
} fx_kind;

/* Words of an access before its addresses: pc and kind; bytes per lane and active lanes; block and warp. */
enum { FX_HEAD_WORDS = 3, FX_KIND_SHIFT = 56 };

typedef struct fx_words {
    uint64_t *word;
    uint64_t capacity; /* words */
    uint64_t cursor;   /* words that were asked for */
    uint64_t end;      /* the first place that did not fit; else the capacity */
    uint64_t dropped;  /* accesses that did not fit */
} fx_words;

/* Of one launch that is recorded: the user data of every callback. NULL of one that is not. A grid of `total` blocks is
 * cut into `strata` runs of neighbours; one block of each is recorded, `chosen`. Block b lies in run b * scale >> 32.
 * All kernels of a graph are given the data of one: the one of this grid and block. */
typedef struct fx_track {
    fx_words words;
    const uint32_t *chosen; /* of `strata`; NULL: every block */
    uint32_t scale;
    uint32_t in_graph; /* grid and block are compared */
    uint32_t grid[3], block[3];
} fx_track;

#endif
