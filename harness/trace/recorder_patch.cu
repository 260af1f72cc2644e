/* The device half of the recorder: what patched kernels call at each access, once per active lane.
 *
 * A warp that is not in the sample leaves after a few instructions. The others take one place in the ring for all their
 * active lanes and write the addresses there. What can fool it: a callback has few registers and may make no calls
 * (--compile-as-tools-patch), and active lanes are those of the callback, which is made once per group of lanes that
 * take the same path. */
#include <sanitizer_patching.h>

#include "recorder_words.h"

#define CALLBACK extern "C" __device__ __noinline__ SanitizerPatchResult

static __device__ __forceinline__ uint32_t block_of(void) {
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

static __device__ __forceinline__ uint32_t this_lane(void) {
    uint32_t mask;
    asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(mask));
    return mask;
}

/* What every callback asks first. Volatile: else what follows finds these in local memory, where all warps put them. */
static __device__ __forceinline__ bool recorded(const void *user) {
    uint32_t x, y, z, of_x, of_y, of_z;
    asm volatile("mov.u32 %0, %%ctaid.x; mov.u32 %1, %%ctaid.y; mov.u32 %2, %%ctaid.z;" : "=r"(x), "=r"(y), "=r"(z));
    asm volatile("mov.u32 %0, %%nctaid.x; mov.u32 %1, %%nctaid.y; mov.u32 %2, %%nctaid.z;"
                 : "=r"(of_x), "=r"(of_y), "=r"(of_z));
    return user && fx_is_chosen((uint32_t)((uint64_t)user >> 48), of_x * of_y * of_z, (z * of_y + y) * of_x + x);
}

static __device__ __forceinline__ fx_ring *ring_of(const void *user) {
    return (fx_ring *)((uint64_t)user & 0x0000ffffffff0000ull);
}

/* The index of the first of so many words, once the host has read what was there; UINT32_MAX: nobody reads any more.
 * Called by one lane. */
static __device__ __forceinline__ uint32_t take(fx_ring *ring, uint32_t words) {
    uint64_t at, tail, size;
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(at) : "l"(&ring->head), "l"((uint64_t)words) : "memory");
    for (;;) {
        asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(tail), "=l"(size) : "l"(&ring->tail));
        if (tail == FX_RING_CLOSED) {
            return UINT32_MAX;
        }
        if (at + words - tail <= size) {
            return (uint32_t)(at & (size - 1));
        }
#if __CUDA_ARCH__ >= 700
        __nanosleep(2000);
#endif
    }
}

static __device__ __forceinline__ void put(volatile uint64_t *to, uint64_t word) {
    asm volatile("st.volatile.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

/* An access of the lanes of `mask`. Lanes of a generic access that meet different memories are two groups, and lanes of
 * two groups that reach one function can go on together: so each kind of callback has its own copy, and nothing in it
 * asks which lanes are active. */
static __device__ __forceinline__ void note(void *user, uint64_t pc, uint32_t kind, uint64_t address, uint32_t bytes,
                                            uint32_t mask) {
    const uint32_t own = this_lane(), below = mask & (own - 1);
    uint32_t at = 0;
    if (!(mask & own)) {
        return;
    }
    if (!below) {
        at = take(ring_of(user), FX_HEAD_WORDS + __popc(mask));
    }
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, %2;" : "+r"(at) : "r"(__ffs(mask) - 1), "r"(mask));
    if (at == UINT32_MAX) {
        return;
    }
    volatile uint64_t *to = ring_of(user)->word + at;
    put(to + FX_HEAD_WORDS + __popc(below), address | FX_WRITTEN);
    if (!below) {
        put(to, pc | (uint64_t)kind << FX_KIND_SHIFT | FX_WRITTEN);
        put(to + 1, (uint64_t)bytes << 32 | mask);
        const uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        put(to + 2, (uint64_t)block_of() << 32 |
                        fx_shape_hash(gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z)
                            << FX_SHAPE_SHIFT |
                        ((uint32_t)(uint64_t)user & 0xffff) << FX_EPOCH_SHIFT | thread / 32);
    }
}

/* What most callbacks are. */
static __device__ __forceinline__ SanitizerPatchResult note_all(void *user, uint64_t pc, fx_kind kind, uint64_t address,
                                                                uint32_t bytes) {
    if (recorded(user)) {
        note(user, pc, kind, address, bytes, __activemask());
    }
    return SANITIZER_PATCH_SUCCESS;
}

/* Of several lanes that name the same copy, the lowest. */
static __device__ __forceinline__ uint32_t one_lane(void) {
    const uint32_t mask = __activemask();
    return mask & -mask;
}

/* A copy is two accesses: of what it reads and of what it writes. */
static __device__ __forceinline__ SanitizerPatchResult note_bulk(void *user, uint64_t pc, fx_kind first, uint64_t from,
                                                                 fx_kind second, uint64_t to, uint32_t bytes) {
    if (recorded(user)) {
        const uint32_t mask = one_lane();
        note(user, pc, first, from, bytes, mask);
        note(user, pc, second, to, bytes, mask);
    }
    return SANITIZER_PATCH_SUCCESS;
}

static __device__ __forceinline__ fx_kind plain(uint32_t flags, fx_kind load) {
    const uint32_t both = SANITIZER_MEMORY_DEVICE_FLAG_READ | SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    return (fx_kind)(load + ((flags & both) == both ? 2 : (flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE) != 0));
}

CALLBACK fx_on_global(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    if (recorded(user)) {
        const bool prefetch = flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH;
        const fx_kind kind = prefetch ? FX_GLOBAL_PREFETCH : plain(flags, FX_GLOBAL_LOAD);
        note(user, pc, kind, (uint64_t)address, bytes, __activemask());
    }
    return SANITIZER_PATCH_SUCCESS;
}

CALLBACK fx_on_shared(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return note_all(user, pc, plain(flags, FX_SHARED_LOAD), (uint64_t)address, bytes);
}

CALLBACK fx_on_local(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    const bool store = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    return note_all(user, pc, store ? FX_LOCAL_STORE : FX_LOCAL_LOAD, (uint64_t)address, bytes);
}

CALLBACK fx_on_remote(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return note_all(user, pc, plain(flags, FX_REMOTE_LOAD), (uint64_t)address, bytes);
}

/* Lanes 8 m to 8 m + 7 give the rows of matrix m; the others' addresses are not read. */
CALLBACK fx_on_matrix(void *user, uint64_t pc, uint32_t address, uint32_t bytes, uint32_t flags, uint32_t count,
                      const void *) {
    if (recorded(user)) {
        const uint32_t rows = count >= 4 ? ~0u : (1u << 8 * count) - 1;
        const fx_kind kind = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE ? FX_MATRIX_STORE : FX_MATRIX_LOAD;
        note(user, pc, kind, address, bytes, __activemask() & rows);
    }
    return SANITIZER_PATCH_SUCCESS;
}

/* A lane without a source fills with zeros. */
CALLBACK fx_on_copy(void *user, uint64_t pc, void *from, uint32_t to, uint32_t bytes) {
    if (recorded(user)) {
        const uint32_t active = __activemask(), with_source = __ballot_sync(active, from != 0);
        note(user, pc, FX_ASYNC_LOAD, (uint64_t)from, bytes, with_source);
        note(user, pc, FX_ASYNC_STORE, to, bytes, active);
    }
    return SANITIZER_PATCH_SUCCESS;
}

CALLBACK fx_on_cache(void *user, uint64_t pc, void *address, Sanitizer_CacheControlInstructionKind) {
    return note_all(user, pc, FX_GLOBAL_PREFETCH, (uint64_t)address, 1);
}

CALLBACK fx_on_wgmma(void *user, uint64_t pc, uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes, uint32_t,
                     uint32_t warps) {
    if (warps && recorded(user)) {
        const uint32_t mask = one_lane();
        note(user, pc, FX_WGMMA_A, a, a_bytes, a_bytes ? mask : 0);
        note(user, pc, FX_WGMMA_B, b, b_bytes, mask);
    }
    return SANITIZER_PATCH_SUCCESS;
}

CALLBACK fx_on_async_store(void *user, uint64_t pc, uint32_t address, uint32_t, void *, uint32_t bytes) {
    return note_all(user, pc, FX_ASYNC_REMOTE, address, bytes);
}

CALLBACK fx_on_async_add(void *user, uint64_t pc, uint32_t address, uint32_t, uint32_t bytes) {
    return note_all(user, pc, FX_ASYNC_REMOTE_ADD, address, bytes);
}

CALLBACK fx_on_bulk_load(void *user, uint64_t pc, uint64_t from, uint32_t to, uint32_t, uint32_t data, uint32_t) {
    return note_bulk(user, pc, FX_BULK_GLOBAL_LOAD, from, FX_BULK_SHARED_STORE, to, (data & 0xffff) * 16);
}

CALLBACK fx_on_bulk_store(void *user, uint64_t pc, uint64_t to, uint32_t from, uint32_t units) {
    return note_bulk(user, pc, FX_BULK_SHARED_LOAD, from, FX_BULK_GLOBAL_STORE, to, units * 16);
}

CALLBACK fx_on_bulk_remote(void *user, uint64_t pc, uint32_t from, uint32_t to, uint32_t, uint32_t units) {
    return note_bulk(user, pc, FX_BULK_SHARED_LOAD, from, FX_BULK_REMOTE_STORE, to, units * 16);
}

CALLBACK fx_on_bulk_reduce(void *user, uint64_t pc, uint64_t to, uint32_t from, uint32_t units) {
    return note_bulk(user, pc, FX_BULK_SHARED_LOAD, from, FX_BULK_GLOBAL_REDUCE, to, units * 16);
}

CALLBACK fx_on_bulk_remote_reduce(void *user, uint64_t pc, uint32_t from, uint32_t to, uint32_t, uint32_t units) {
    return note_bulk(user, pc, FX_BULK_SHARED_LOAD, from, FX_BULK_REMOTE_REDUCE, to, units * 16);
}
