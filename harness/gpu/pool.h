/* Device memory between cases.
 *
 * Cases that want gigabytes borrow them from a pool of one buffer: it is kept, lies at the same place for all, and
 * nothing has to be freed. For after gigabytes were freed the driver clears them, beside whatever runs then, and memory
 * is slower meanwhile (on an H200 by up to 20 %, for some 4 ms for each GiB). How long that takes is not known of other
 * devices, so it is watched: reading the flush buffer takes as long again as it does at rest. */
#pragma once

#include "gpu/cuda.h"

FX_C_BEGIN

/* Lends the pool's buffer of at least `bytes`; with old contents. Borrowed until the next call: never free it. */
fx_status fx_pool_borrow(fx_gpu *gpu, size_t bytes, void **out, fx_error *err);

/* Bytes that fx_pool_borrow could provide: what is free, and what the pool holds. */
fx_status fx_pool_room(fx_gpu *gpu, size_t *bytes, fx_error *err);

/* Frees the pool's buffer, where a case needs nearly all memory for itself. */
void fx_pool_empty(fx_gpu *gpu);

/* cudaFree, for memory of a case's own; what is freed is remembered. NULL is fine. */
void fx_memory_free(fx_gpu *gpu, void *memory, size_t bytes);

/* Works until the device has cleared what was freed, a second at the most, which adds FX_SAMPLE_UNSETTLED to *flags;
 * returns at once where that was little. */
fx_status fx_memory_settle(fx_gpu *gpu, uint32_t *flags, fx_error *err);

/* For the device itself: the flush buffer must be there. */
fx_status fx_pool_open(fx_gpu *gpu, fx_error *err);
void fx_pool_close(fx_gpu *gpu);

FX_C_END
