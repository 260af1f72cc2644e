/* The stages that may run at the same time: copy in, kernel, copy out, each alone between two events, and the check of
 * what comes back. */
#pragma once

#include "../arrival.h"
#include "../kept.h"
#include "gpu/host_memory.h"

enum {
    THREADS = 256,
    BLOCKS_PER_SM = 8,
    TRIED_ROUNDS = 64,
    GUESSES = 4,
    MOST_PASSES = 4096,
    UNITS_BESIDE = 3,
    MARKS = 8
};
static const uint32_t FACTOR = 1664525u; /* of Numerical Recipes' generator */

typedef struct work {
    fx_latch latch;
    cudaStream_t stream[MOST_STREAMS]; /* the first two are the gpu's */
    cudaEvent_t done[MOST_STREAMS], mark[MARKS];
    uint32_t *host_in, *host_out, *in, *out;        /* the subject's, or the pipeline's */
    uint32_t *beside_host, *beside_in, *beside_out; /* of what runs beside */
    char *prime_host, *prime_device;                /* FX_MOST_PRIME_BYTES each */
    uint32_t words, rounds, passes, addend, sum_in; /* addend: changes with each sample, and so all results */
} work;

/* Each word through `rounds` steps of a linear generator, all of it `passes` times over. */
__global__ static void step_words(uint32_t *out, const uint32_t *in, uint32_t words, uint32_t rounds, uint32_t passes,
                                  uint32_t addend) {
    const uint32_t step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
    for (uint32_t p = 0; p < passes; p++) {
        for (uint32_t i = first; i < words; i += step) {
            uint32_t word = in[i];
            for (uint32_t r = 0; r < rounds; r++) {
                word = word * FACTOR + addend;
            }
            out[i] = word;
        }
    }
}

/* What the steps make of any word: word x factor + sum. */
static void steps_of(uint32_t rounds, uint32_t addend, uint32_t *factor, uint32_t *sum) {
    *factor = 1;
    *sum = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        *factor *= FACTOR;
        *sum = *sum * FACTOR + addend;
    }
}

/* The sum of all words, and some words individually. */
static fx_status check_out(const work *w, uint64_t seed, fx_error *err) {
    uint32_t factor, addend, sum = 0;
    size_t index;
    steps_of(w->rounds, w->addend, &factor, &addend);
    for (uint32_t i = 0; i < w->words; i++) {
        sum += w->host_out[i];
    }
    FX_FAIL_IF(sum != w->sum_in * factor + w->words * addend, err, FX_WRONG_RESULT,
               "the sum of the returned data is %08x instead of %08x", sum, w->sum_in * factor + w->words * addend);
    for (uint64_t i = 0; i < PROBED_WORDS; i++) {
        const uint32_t *word = probed_word(w->host_out, (size_t)w->words * 4, seed, i, &index);
        FX_FAIL_IF(*word != w->host_in[index] * factor + addend, err, FX_WRONG_RESULT,
                   "returned word %zu differs from the kernel's result", index);
    }
    return FX_OK;
}

/* What is queued. */

static fx_status launch(fx_gpu *gpu, uint32_t *to, uint32_t *from, uint32_t words, uint32_t rounds, uint32_t passes,
                        uint32_t addend, cudaStream_t stream, fx_error *err) {
    const uint32_t needed = (words + THREADS - 1) / THREADS, most = (uint32_t)gpu->facts.sm_count * BLOCKS_PER_SM;
    const dim3 grid(needed < most ? needed : most, 1, 1), block(THREADS, 1, 1);
    void *arguments[] = {&to, &from, &words, &rounds, &passes, &addend};
    return FX_CUDA_STATUS(cudaLaunchKernel((const void *)step_words, grid, block, arguments, 0, stream));
}

/* A stream that goes from a kernel to a copy hands over from one engine to another: that goes before the first event.
 */
static fx_status prime(const work *w, int64_t what, cudaStream_t stream, fx_error *err) {
    return what == COMPUTE ? FX_OK
                           : queue_copy(w->prime_device, w->prime_host, FX_MOST_PRIME_BYTES, what == H2D, stream, err);
}

/* One piece of work over all of the data: the subject's, or what runs beside it. */
static fx_status piece(fx_gpu *gpu, const work *w, int64_t what, bool beside, uint32_t addend, cudaStream_t stream,
                       fx_error *err) {
    const size_t bytes = (size_t)w->words * 4;
    if (what == COMPUTE) {
        return launch(gpu, beside ? w->beside_out : w->out, beside ? w->beside_in : w->in, w->words, w->rounds,
                      w->passes, addend, stream, err);
    }
    if (what == H2D) {
        return queue_copy(beside ? w->beside_in : w->in, beside ? w->beside_host : w->host_in, bytes, true, stream,
                          err);
    }
    return queue_copy(beside ? w->beside_out : w->out, beside ? w->beside_host : w->host_out, bytes, false, stream,
                      err);
}

/* The same between two events. */
static fx_status marked_piece(fx_gpu *gpu, const work *w, int64_t what, uint32_t addend, int from, fx_error *err) {
    const cudaStream_t stream = gpu->stream;
    FX_TRY(prime(w, what, stream, err));
    FX_TRY_CUDA(cudaEventRecord(w->mark[from], stream));
    FX_TRY(piece(gpu, w, what, false, addend, stream, err));
    return FX_CUDA_STATUS(cudaEventRecord(w->mark[from + 1], stream));
}
