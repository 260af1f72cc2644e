/* A pair: the subject alone; then, once the first of four pieces beside it is done, the subject again. */
#pragma once

#include "stages.cuh"

static fx_status queue_beside(fx_gpu *gpu, const fx_case *c, const work *w, fx_error *err) {
    const int64_t subject = c->params.value[SUBJECT], beside = c->params.value[BESIDE];
    const cudaStream_t other = gpu->other_stream;
    FX_TRY_CUDA(cudaEventRecord(w->mark[2], gpu->stream));
    FX_TRY_CUDA(cudaStreamWaitEvent(other, w->mark[2], 0));
    FX_TRY(piece(gpu, w, beside, true, w->addend, other, err));
    FX_TRY_CUDA(cudaEventRecord(w->mark[3], other));
    FX_TRY_CUDA(cudaStreamWaitEvent(gpu->stream, w->mark[3], 0));
    for (int i = 0; i < UNITS_BESIDE; i++) {
        FX_TRY(piece(gpu, w, beside, true, w->addend, other, err));
    }
    FX_TRY_CUDA(cudaEventRecord(w->mark[6], other));
    return marked_piece(gpu, w, subject, w->addend, 4, err);
}

static fx_status queue_pair(fx_gpu *gpu, const fx_case *c, const work *w, fx_error *err) {
    const int64_t subject = c->params.value[SUBJECT];
    FX_TRY(marked_piece(gpu, w, subject, ~w->addend, 0, err));
    if (subject == H2D) { /* what is right only if it comes again */
        FX_TRY_CUDA(cudaMemsetAsync(w->in, 0xa5, (size_t)w->words * 4, gpu->stream));
    } else if (subject == D2H) {
        FX_TRY(piece(gpu, w, COMPUTE, false, w->addend, gpu->stream, err));
    }
    return queue_beside(gpu, c, w, err);
}

static fx_status read_pair(fx_gpu *gpu, const fx_case *c, const work *w, fx_sample *out, fx_error *err) {
    static const int extras[] = {EXTRA_H2D, EXTRA_D2H, EXTRA_KERNEL};
    double *alone = &out->extra[extras[c->params.value[SUBJECT]]];
    float rest_ms;
    FX_TRY(fx_event_ns(gpu, w->mark[0], w->mark[1], alone, &out->flags, err));
    FX_TRY(fx_event_ns(gpu, w->mark[4], w->mark[5], &out->value, &out->flags, err));
    FX_TRY_CUDA(cudaEventElapsedTime(&rest_ms, w->mark[5], w->mark[6]));
    out->flags |= rest_ms < 0 ? FX_SAMPLE_DISTURBED : 0; /* it went on when nothing ran beside it any more */
    out->extra[EXTRA_SHARE] = 100 * *alone / out->value;
    return FX_OK;
}

static fx_status check_pair(fx_gpu *gpu, const fx_case *c, const work *w, uint64_t seed, fx_error *err) {
    if (c->params.value[SUBJECT] == H2D) {
        return fx_gpu_verify(gpu, w->in, w->words, PATTERN_SEED, err);
    }
    if (c->params.value[SUBJECT] == COMPUTE) {
        FX_TRY(queue_copy(w->out, w->host_out, (size_t)w->words * 4, false, gpu->stream, err));
    }
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    return check_out(w, seed, err);
}
