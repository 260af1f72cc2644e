/* The device half of the recorder: what patched kernels call at each access, once per active lane.
 *
 * A warp that is not in the sample leaves after a few instructions. The others take one place for all their active
 * lanes and write the addresses there. What can fool it: a callback must compile to code without a stack and without
 * calls (--compile-as-tools-patch), and active lanes are those of the callback, which is made once per group of lanes
 * that take the same path. */
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

static __device__ __forceinline__ bool is_other_kernel(const fx_track *track) {
    return track->grid[0] != gridDim.x || track->grid[1] != gridDim.y || track->grid[2] != gridDim.z ||
           track->block[0] != blockDim.x || track->block[1] != blockDim.y || track->block[2] != blockDim.z;
}

/* What every callback asks first. */
static __device__ __forceinline__ bool recorded(const void *user) {
    uint32_t scale, last_run, last_block, in_graph;
    if (!user) {
        return false;
    }
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(scale), "=r"(last_run), "=r"(last_block), "=r"(in_graph)
                 : "l"(user));
    return (!scale || fx_is_chosen(scale, last_run, last_block, block_of())) &&
           !(in_graph && is_other_kernel((const fx_track *)user));
}

/* Words for an access; FX_MOST_WORDS: they do not fit. Called by one lane. */
static __device__ __forceinline__ uint32_t take(fx_track *track, uint32_t words) {
    uint32_t at = FX_MOST_WORDS, capacity = track->capacity;
    if (*(volatile uint32_t *)&track->cursor < capacity) {
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(at) : "l"(&track->cursor), "r"(words) : "memory");
    }
    if (at + words > capacity) {
        if (at <= capacity) {
            track->end = at;
        }
        asm volatile("red.global.add.u64 [%0], %1;" ::"l"(&track->dropped), "l"(1ull) : "memory");
        at = FX_MOST_WORDS;
    }
    return at;
}

/* An access of the lanes of `mask`. Lanes of a generic access that meet different memories are two groups, and lanes of
 * two groups that reach one function can go on together: so each kind of callback has its own copy, and nothing in it
 * asks which lanes are active. */
static __device__ __forceinline__ void note(void *user, uint64_t pc, uint32_t kind, uint64_t address, uint32_t bytes,
                                            uint32_t mask) {
    const uint32_t own = this_lane(), below = mask & (own - 1), words = FX_HEAD_WORDS + __popc(mask);
    uint32_t at = 0;
    if (!(mask & own)) {
        return;
    }
    if (!below) {
        at = take((fx_track *)user, words);
    }
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, %2;" : "+r"(at) : "r"(__ffs(mask) - 1), "r"(mask));
    if (at == FX_MOST_WORDS) {
        return;
    }
    uint64_t *to = ((fx_track *)user)->word + at;
    to[FX_HEAD_WORDS + __popc(below)] = address;
    if (!below) {
        to[0] = pc | (uint64_t)kind << FX_KIND_SHIFT;
        to[1] = (uint64_t)bytes << 32 | mask;
        const uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        to[2] = (uint64_t)block_of() << 32 | thread / 32;
    }
}

/* What most callbacks are. */
static __device__ __forceinline__ SanitizerPatchResult note_all(void *user, uint64_t pc, fx_kind kind, uint64_t address,
                                                                uint32_t bytes) {
    note(user, pc, kind, address, bytes, __activemask());
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
    if (!recorded(user)) {
        return SANITIZER_PATCH_SUCCESS;
    }
    const bool prefetch = flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH;
    return note_all(user, pc, prefetch ? FX_GLOBAL_PREFETCH : plain(flags, FX_GLOBAL_LOAD), (uint64_t)address, bytes);
}

CALLBACK fx_on_shared(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all(user, pc, plain(flags, FX_SHARED_LOAD), (uint64_t)address, bytes);
}

CALLBACK fx_on_local(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    const bool store = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all(user, pc, store ? FX_LOCAL_STORE : FX_LOCAL_LOAD, (uint64_t)address, bytes);
}

CALLBACK fx_on_remote(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all(user, pc, plain(flags, FX_REMOTE_LOAD), (uint64_t)address, bytes);
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
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS : note_all(user, pc, FX_GLOBAL_PREFETCH, (uint64_t)address, 1);
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
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS : note_all(user, pc, FX_ASYNC_REMOTE, address, bytes);
}

CALLBACK fx_on_async_add(void *user, uint64_t pc, uint32_t address, uint32_t, uint32_t bytes) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS : note_all(user, pc, FX_ASYNC_REMOTE_ADD, address, bytes);
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
