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

static __device__ __forceinline__ uint32_t lane_of(void) {
    uint32_t lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* What every callback asks first. What follows is a function of its own, so that what that keeps on the stack is not
 * stored for accesses that are not recorded. */
static __device__ __forceinline__ bool recorded(const void *user) {
    const fx_track *track = (const fx_track *)user;
    if (!track) {
        return false;
    }
    if (track->in_graph &&
        (track->grid[0] != gridDim.x || track->grid[1] != gridDim.y || track->grid[2] != gridDim.z ||
         track->block[0] != blockDim.x || track->block[1] != blockDim.y || track->block[2] != blockDim.z)) {
        return false;
    }
    const uint32_t *chosen = track->chosen, block = block_of();
    return !chosen || chosen[__umulhi(block, track->scale)] == block;
}

/* An access of the lanes of `mask`. Lanes of a generic access that meet different memories are two groups, and lanes of
 * two groups that reach one function can go on together: so each kind of callback has a function of its own, and
 * nothing in it asks which lanes are active. */
template <fx_kind of>
static __device__ __noinline__ void note(void *user, uint64_t pc, fx_kind kind, uint64_t address, uint32_t bytes,
                                         uint32_t mask) {
    const uint32_t lane = lane_of(), leader = __ffs(mask) - 1, words = FX_HEAD_WORDS + __popc(mask);
    if (!(mask >> lane & 1)) {
        return;
    }
    fx_words *all = &((fx_track *)user)->words;
    uint64_t at = 0;
    if (lane == leader) {
        at = atomicAdd((unsigned long long *)&all->cursor, (unsigned long long)words);
        if (at + words > all->capacity) {
            atomicMin((unsigned long long *)&all->end, (unsigned long long)at);
            atomicAdd((unsigned long long *)&all->dropped, 1ull);
        }
    }
    at = __shfl_sync(mask, at, leader);
    if (at + words > all->capacity) {
        return;
    }
    uint64_t *to = all->word + at;
    if (lane == leader) {
        const uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        to[0] = pc | (uint64_t)kind << FX_KIND_SHIFT;
        to[1] = (uint64_t)bytes << 32 | mask;
        to[2] = (uint64_t)block_of() << 32 | thread / 32;
    }
    to[FX_HEAD_WORDS + __popc(mask & ((1u << lane) - 1))] = address;
}

/* What most callbacks are. */
template <fx_kind of>
static __device__ __forceinline__ SanitizerPatchResult note_all(void *user, uint64_t pc, fx_kind kind, uint64_t address,
                                                                uint32_t bytes) {
    note<of>(user, pc, kind, address, bytes, __activemask());
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
        note<FX_BULK_GLOBAL_LOAD>(user, pc, first, from, bytes, mask);
        note<FX_BULK_GLOBAL_LOAD>(user, pc, second, to, bytes, mask);
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
    return note_all<FX_GLOBAL_LOAD>(user, pc, prefetch ? FX_GLOBAL_PREFETCH : plain(flags, FX_GLOBAL_LOAD),
                                    (uint64_t)address, bytes);
}

CALLBACK fx_on_shared(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all<FX_SHARED_LOAD>(user, pc, plain(flags, FX_SHARED_LOAD), (uint64_t)address, bytes);
}

CALLBACK fx_on_local(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    const bool store = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE;
    return !recorded(user)
               ? SANITIZER_PATCH_SUCCESS
               : note_all<FX_LOCAL_LOAD>(user, pc, store ? FX_LOCAL_STORE : FX_LOCAL_LOAD, (uint64_t)address, bytes);
}

CALLBACK fx_on_remote(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags, const void *) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all<FX_REMOTE_LOAD>(user, pc, plain(flags, FX_REMOTE_LOAD), (uint64_t)address, bytes);
}

/* Lanes 8 m to 8 m + 7 give the rows of matrix m; the others' addresses are not read. */
CALLBACK fx_on_matrix(void *user, uint64_t pc, uint32_t address, uint32_t bytes, uint32_t flags, uint32_t count,
                      const void *) {
    if (recorded(user)) {
        const uint32_t rows = count >= 4 ? ~0u : (1u << 8 * count) - 1;
        const fx_kind kind = flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE ? FX_MATRIX_STORE : FX_MATRIX_LOAD;
        note<FX_MATRIX_LOAD>(user, pc, kind, address, bytes, __activemask() & rows);
    }
    return SANITIZER_PATCH_SUCCESS;
}

/* A lane without a source fills with zeros. */
CALLBACK fx_on_copy(void *user, uint64_t pc, void *from, uint32_t to, uint32_t bytes) {
    if (recorded(user)) {
        const uint32_t active = __activemask(), with_source = __ballot_sync(active, from != 0);
        note<FX_ASYNC_LOAD>(user, pc, FX_ASYNC_LOAD, (uint64_t)from, bytes, with_source);
        note<FX_ASYNC_LOAD>(user, pc, FX_ASYNC_STORE, to, bytes, active);
    }
    return SANITIZER_PATCH_SUCCESS;
}

CALLBACK fx_on_cache(void *user, uint64_t pc, void *address, Sanitizer_CacheControlInstructionKind) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all<FX_GLOBAL_PREFETCH>(user, pc, FX_GLOBAL_PREFETCH, (uint64_t)address, 1);
}

CALLBACK fx_on_wgmma(void *user, uint64_t pc, uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes, uint32_t,
                     uint32_t warps) {
    if (warps && recorded(user)) {
        const uint32_t mask = one_lane();
        note<FX_WGMMA_A>(user, pc, FX_WGMMA_A, a, a_bytes, a_bytes ? mask : 0);
        note<FX_WGMMA_A>(user, pc, FX_WGMMA_B, b, b_bytes, mask);
    }
    return SANITIZER_PATCH_SUCCESS;
}

CALLBACK fx_on_async_store(void *user, uint64_t pc, uint32_t address, uint32_t, void *, uint32_t bytes) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all<FX_ASYNC_REMOTE>(user, pc, FX_ASYNC_REMOTE, address, bytes);
}

CALLBACK fx_on_async_add(void *user, uint64_t pc, uint32_t address, uint32_t, uint32_t bytes) {
    return !recorded(user) ? SANITIZER_PATCH_SUCCESS
                           : note_all<FX_ASYNC_REMOTE_ADD>(user, pc, FX_ASYNC_REMOTE_ADD, address, bytes);
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
