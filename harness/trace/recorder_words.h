/* What the recorder's device half writes and its host half reads: words of 64 bits in a ring of pinned host memory, one
 * ring for each context.
 *
 * An access of a warp takes FX_HEAD_WORDS words and one address per active lane, lowest lane first. Its place comes
 * from one atomic on the ring's head, so places are in the order in which accesses happened. A record may reach past
 * the end of the ring, into FX_RING_SLACK words behind it. No word of a record is 0: the host zeroes what it has read,
 * and takes a record only when none of its words is 0, so no fence is needed. A warp that finds the ring full waits for
 * the host, which depends on nobody. */
#pragma once

#include <stdint.h>

/* Kinds of access, with space and operation as the trace file spells them; sized: accesses have own sizes: bulk copies,
 * operands of an MMA. */
/* clang-format off */
#define FX_KINDS_OF_ACCESS(kind)                                                                                       \
    kind(GLOBAL_LOAD, "global", "load", false)                                                                         \
    kind(GLOBAL_STORE, "global", "store", false)                                                                       \
    kind(GLOBAL_ATOMIC, "global", "atomic", false)                                                                     \
    kind(SHARED_LOAD, "shared", "load", false)                                                                         \
    kind(SHARED_STORE, "shared", "store", false)                                                                       \
    kind(SHARED_ATOMIC, "shared", "atomic", false)                                                                     \
    kind(LOCAL_LOAD, "local", "load", false)                                                                           \
    kind(LOCAL_STORE, "local", "store", false)                                                                         \
    kind(REMOTE_LOAD, "remote", "load", false)                                                                         \
    kind(REMOTE_STORE, "remote", "store", false)                                                                       \
    kind(REMOTE_ATOMIC, "remote", "atomic", false)                                                                     \
    kind(MATRIX_LOAD, "shared", "matrix_load", false)                                                                  \
    kind(MATRIX_STORE, "shared", "matrix_store", false)                                                                \
    kind(ASYNC_LOAD, "global", "async_load", false) /* the global half of cp.async */                                  \
    kind(ASYNC_STORE, "shared", "async_store", false) /* its shared half */                                            \
    kind(ASYNC_REMOTE, "remote", "async_store", false) /* st.async */                                                  \
    kind(ASYNC_REMOTE_ADD, "remote", "atomic", false) /* red.async */                                                  \
    kind(BULK_GLOBAL_LOAD, "global", "bulk_load", true) /* of a copy from global to shared memory */                   \
    kind(BULK_SHARED_STORE, "shared", "bulk_store", true)                                                              \
    kind(BULK_SHARED_LOAD, "shared", "bulk_load", true) /* of a copy or reduction from shared memory */                \
    kind(BULK_GLOBAL_STORE, "global", "bulk_store", true)                                                              \
    kind(BULK_GLOBAL_REDUCE, "global", "bulk_reduce", true)                                                            \
    kind(BULK_REMOTE_STORE, "remote", "bulk_store", true)                                                              \
    kind(BULK_REMOTE_REDUCE, "remote", "bulk_reduce", true)                                                            \
    kind(WGMMA_A, "shared", "wgmma", true) /* operands that a warpgroup's MMA reads from shared memory */              \
    kind(WGMMA_B, "shared", "wgmma", true)                                                                             \
    kind(GLOBAL_PREFETCH, "global", "prefetch", false)
/* clang-format on */

#define FX_NAME(name, ...) FX_##name,
typedef enum fx_kind { FX_KINDS_OF_ACCESS(FX_NAME) FX_KINDS } fx_kind;

/* Words of an access before its addresses: pc and kind; bytes per lane and active lanes; block, shape, epoch and warp.
 * Each address has FX_WRITTEN set, so that none is 0; the mask and the epoch are not. */
enum { FX_HEAD_WORDS = 3, FX_RECORD_WORDS = FX_HEAD_WORDS + 32, FX_KIND_SHIFT = 56, FX_RING_SLACK = FX_RECORD_WORDS };
#define FX_WRITTEN ((uint64_t)1 << 63)

/* Low half of the third word: 11 bits of fx_shape_hash, 16 of the epoch, 5 of the warp. */
enum { FX_SHAPE_SHIFT = 21, FX_EPOCH_SHIFT = 5, FX_EPOCHS = 1 << 16 };

typedef struct fx_ring {
    volatile uint64_t head; /* words that were taken: the device's alone */
    uint64_t pad[15];
    volatile uint64_t tail; /* words that were read, the host's alone; FX_RING_CLOSED: nobody reads any more */
    uint64_t words;         /* of the ring: a power of two */
    uint64_t more[14];
    volatile uint64_t word[]; /* words + FX_RING_SLACK */
} fx_ring;

#define FX_RING_CLOSED UINT64_MAX

/* The user data of a recorded launch: the ring's address, which is a multiple of 64 KiB, with the launch's epoch (from
 * 1 on) below it and the number of blocks that are sampled (0: all) above it. NULL of a launch that is not recorded. So
 * a block that is not in the sample leaves without reading memory. */
enum { FX_MOST_SAMPLED = 0xffff, FX_RING_ALIGNMENT = 1 << 16 };

#ifdef __CUDACC__
#define FX_BOTH static __host__ __device__ __forceinline__
#else
#define FX_BOTH static inline
#endif

/* Whether a block is in a sample of about `sampled` of `total` blocks: the first, the last, and those of a sequence of
 * low discrepancy (Weyl's, by the golden ratio). It follows from the grid alone, since all kernels of a graph share
 * their user data. */
FX_BOTH int fx_is_chosen(uint32_t sampled, uint32_t total, uint32_t block) {
    const uint32_t at = (uint32_t)((uint64_t)(block * 0x9e3779b1u) * total >> 32); /* below total; 0: below all */
    return at < sampled - 1 || sampled >= total || block == total - 1;
}

/* How many those are. */
uint32_t fx_sample_count(uint32_t sampled, uint32_t total);

/* 11 bits that tell shapes of one kernel apart: a graph's, and those of a kernel that launches itself. */
FX_BOTH uint32_t fx_shape_hash(uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz) {
    uint32_t h = gx;
    h = h * 0x9e3779b1u + gy;
    h = h * 0x9e3779b1u + gz;
    h = h * 0x9e3779b1u + bx;
    h = h * 0x9e3779b1u + by;
    h = h * 0x9e3779b1u + bz;
    return h * 0x85ebca6bu >> 21;
}
