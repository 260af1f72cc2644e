/* What the recorder's device half writes and its host half reads: words of 64 bits in the GPU's memory.
 *
 * An access of a warp takes FX_HEAD_WORDS words and one address per active lane, lowest lane first. Its place comes
 * from one atomic on one cursor, so places are in the order in which accesses happened. What does not fit is counted,
 * and so is everything behind it: the words before `end` are whole. */
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

/* Of one launch that is recorded: the user data of every callback. NULL of one that is not.
 *
 * A grid is cut into runs of neighbours: block b lies in run b * scale >> 32. One block of each is recorded; of the
 * first run the first, of the last run, `last_run`, the grid's last. What decides lies in the first 16 bytes, which a
 * callback reads at once. All kernels of a graph are given the data of one: the one of this grid and block. */
typedef struct fx_track {
    uint32_t scale; /* 0: every block */
    uint32_t last_run, last_block;
    uint32_t in_graph; /* grid and block are compared */
    uint64_t *word;
    uint32_t capacity; /* words */
    uint32_t cursor;   /* words that were asked for */
    uint32_t end;      /* the first place that did not fit; else the capacity */
    uint32_t reserved;
    uint64_t dropped; /* accesses that did not fit */
    uint32_t grid[3], block[3];
} fx_track;

/* Words at most, so that no count of them wraps: places that are asked for beyond it are those of warps that run at
 * once.
 */
enum { FX_MOST_WORDS = 1 << 30 };

#ifdef __CUDACC__
#define FX_BOTH static __host__ __device__ __forceinline__
#else
#define FX_BOTH static inline
#endif

/* Whether a block is its run's. Of the others than first and last, the places in their runs are a sequence of low
 * discrepancy (Weyl's, by the golden ratio): b * scale takes one value of each window as wide as `scale`. */
FX_BOTH int fx_is_chosen(uint32_t scale, uint32_t last_run, uint32_t last_block, uint32_t block) {
    const uint32_t run = (uint32_t)((uint64_t)block * scale >> 32);
    const uint32_t window = (uint32_t)((uint64_t)(run * 0x9e3779b1u) * (0u - scale) >> 32);
    return run == last_run ? block == last_block : block * scale - window < scale;
}

#endif
