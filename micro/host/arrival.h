/* Words of a host buffer that are poisoned before a transfer and checked after it; shared by the effects that move data
 * to the host. */
#pragma once

#include <math.h>

#include "core/random.h"
#include "gpu/cuda.h"

enum { PROBED_WORDS = 64, PATTERN_SEED = 7 /* of what the host's memory holds: see fx_host_memory_borrow */ };

static inline double rate_GBps(size_t bytes, double ns) {
    return ns > 0 ? (double)bytes / ns : NAN;
}

/* Queues a copy to the device, or from there. */
static inline fx_status queue_copy(void *device, void *host, size_t bytes, bool to_device, cudaStream_t stream,
                                   fx_error *err) {
    return FX_CUDA_STATUS(cudaMemcpyAsync(to_device ? device : host, to_device ? host : device, bytes,
                                          to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
}

/* The i-th of these words; the last word of the buffer is always among them. */
static inline uint32_t *probed_word(void *host, size_t size, uint64_t seed, uint64_t i, size_t *index) {
    uint64_t random = fx_random_at(seed, i);
    *index = i == 0 ? size / 4 - 1 : (size_t)fx_random_below(&random, size / 4);
    return (uint32_t *)host + *index;
}

static inline void poison_host(void *host, size_t size, uint64_t seed) {
    size_t index;
    for (uint64_t i = 0; i < PROBED_WORDS; i++) {
        uint32_t *word = probed_word(host, size, seed, i, &index);
        *word = ~fx_random_word(PATTERN_SEED, index);
    }
}

/* Checks those words against fx_random_word(pattern, index). */
static inline fx_status check_words(void *host, size_t size, uint64_t seed, uint64_t pattern, fx_error *err) {
    size_t index;
    for (uint64_t i = 0; i < PROBED_WORDS; i++) {
        const uint32_t *word = probed_word(host, size, seed, i, &index);
        FX_FAIL_IF(*word != fx_random_word(pattern, index), err, FX_WRONG_RESULT,
                   "word %zu of the host's buffer did not arrive", index);
    }
    return FX_OK;
}
