/* Host memory by its kind: what a transfer's cost depends on. */
#pragma once

#include "gpu/cuda.h"

FX_C_BEGIN

typedef enum fx_host_kind {
    FX_HOST_PAGEABLE,
    FX_HOST_REGISTERED,     /* pageable memory, pinned afterwards by cudaHostRegister */
    FX_HOST_PINNED,         /* cudaHostAlloc */
    FX_HOST_WRITE_COMBINED, /* pinned, past the host's caches */
    FX_HOST_MAPPED,         /* pinned, read and written by kernels */
    FX_HOST_MANAGED,        /* one address for host and device, pages move */
} fx_host_kind;

/* Allocates `size` bytes, faults every page in and fills them with fx_random_word(seed, i).
 * Free with fx_host_memory_free. */
fx_status fx_host_memory_alloc(fx_gpu *gpu, fx_host_kind kind, size_t size, uint64_t seed, void **out, fx_error *err);
void fx_host_memory_free(fx_host_kind kind, void *memory, size_t size); /* NULL is fine */

/* The same from a pool of one buffer: memory is expensive to fault in and to pin, so the last one is kept, and reused
 * for the next case that wants no more of the same kind and seed. Borrowed: never free it. */
fx_status fx_host_memory_borrow(fx_gpu *gpu, fx_host_kind kind, size_t size, uint64_t seed, void **out, fx_error *err);

/* Size of the copy that goes before copies of `piece` bytes, `size` in all: a stream that goes from a kernel to a copy
 * hands over from one engine to another, and copies to the device under FX_LEAST_ENGINE_BYTES travel in the stream of
 * commands, which is yet another way. So small ones go before small ones, and else one as large as the whole, up to
 * FX_MOST_PRIME_BYTES. */
enum { FX_LEAST_ENGINE_BYTES = 4 << 10, FX_MOST_PRIME_BYTES = 64 << 10 };

static inline size_t fx_prime_bytes(size_t size, size_t piece) {
    const size_t like = piece < FX_LEAST_ENGINE_BYTES ? piece : size;
    return like < FX_MOST_PRIME_BYTES ? like : (size_t)FX_MOST_PRIME_BYTES;
}

/* Empties the pool: before the device is reset, which frees what was pinned, and when a copy failed, since the buffer
 * then no longer holds what its seed says. */
void fx_host_memory_drop(fx_gpu *gpu);

FX_C_END
