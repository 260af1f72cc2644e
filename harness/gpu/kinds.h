/* Host memory by its kind: what a transfer's cost depends on. */
#ifndef FX_KINDS_H
#define FX_KINDS_H

#include "gpu/cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fx_kind {
    FX_KIND_PAGEABLE,
    FX_KIND_REGISTERED,     /* pageable memory, pinned afterwards by cudaHostRegister */
    FX_KIND_PINNED,         /* cudaHostAlloc */
    FX_KIND_WRITE_COMBINED, /* pinned, past the host's caches */
    FX_KIND_MAPPED,         /* pinned, read and written by kernels */
    FX_KIND_MANAGED,        /* one address for host and device, pages move */
} fx_kind;

/* Allocates `size` bytes, faults every page in and fills them with fx_random_word(seed, i). Free with fx_kind_free. */
fx_status fx_kind_alloc(fx_gpu *gpu, fx_kind kind, size_t size, uint64_t seed, void **out, fx_error *err);
void fx_kind_free(fx_kind kind, void *memory, size_t size); /* NULL is fine */

/* The same from a pool of one buffer: memory is dear to fault in and to pin, so the last one is kept, and handed out
 * again to the next case that wants no more of the same kind and seed. The pool keeps it; never free it. */
fx_status fx_kind_take(fx_gpu *gpu, fx_kind kind, size_t size, uint64_t seed, void **out, fx_error *err);

/* Empties the pool: before the device is reset, which frees what was pinned, and when a copy failed, since the buffer
 * then no longer holds what its seed says. */
void fx_kind_drop(void);

#ifdef __cplusplus
}
#endif
#endif
