/* overlap: how much of copy in, kernel and copy out runs at the same time, and who slows whom? Method: events of the
 * device, with everything queued behind a latch. `pipeline` sends chunks over several streams; `pair` times one piece
 * of work alone and beside another kind; `apart` and `combined` send small pieces one by one, and gathered. */
#include "core/probe.h"

enum { TASK, KERNEL, STREAMS, CHUNK, SUBJECT, BESIDE, PIECES, SIZE };
enum { PIPELINE, PAIR, APART, COMBINED };
enum { MEMORY, ARITHMETIC };
enum { H2D, D2H, COMPUTE };
enum { GPU_NS, HOST_NS };
enum { EXTRA_H2D, EXTRA_D2H, EXTRA_KERNEL, EXTRA_SHARE };
enum { MOST_STREAMS = 8, MOST_CHUNKS = 128, MOST_PIECES = 256 };

static const fx_axis axes[] = {
    {"task", "",
     "pipeline of H2D copy, kernel and D2H copy in chunks; two of these at once; or small pieces sent one by one, or "
     "combined",
     "pipeline pair apart combined", 0, 0, PIPELINE},
    {"compute", "", "work of the kernel; arithmetic: takes as long as the H2D copy", "memory arithmetic", 0, 0, MEMORY},
    {"streams", "", "streams that take the chunks in turn", NULL, 1, MOST_STREAMS, 1},
    {"chunk", "bytes", "bytes of a chunk", NULL, 4 << 10, 256 << 20, 16 << 20},
    {"subject", "", "work that is timed, with task=pair", "h2d d2h kernel", 0, 0, H2D},
    {"neighbour", "", "concurrent work, with task=pair", "h2d d2h kernel", 0, 0, D2H},
    {"pieces", "", "separate pieces on the host, with task=apart and task=combined", NULL, 1, MOST_PIECES, 1},
    {"size", "bytes", "bytes in each direction", NULL, 4 << 10, 256 << 20, 16 << 20},
};

static const fx_sweep sweeps[] = {
    {"serial", "task=pipeline compute=memory,arithmetic streams=1 chunk=16Mi",
     "task=pipeline compute=memory,arithmetic streams=1 chunk=16Mi"},
    {"large_chunks", "task=pipeline compute=memory,arithmetic streams=1,2,4 chunk=4Mi", NULL},
    {"chunks", "task=pipeline compute=memory,arithmetic streams=1,2,4,8 chunk=128Ki,512Ki,1Mi",
     "task=pipeline compute=memory,arithmetic streams=4 chunk=1Mi"},
    {"streams", "task=pipeline compute=arithmetic streams=1:8 chunk=1Mi", NULL},
    {"long", "task=pipeline compute=memory,arithmetic streams=4 chunk=4Mi size=64Mi", NULL},
    {"pair", "task=pair compute=memory subject=h2d,d2h,kernel neighbour=h2d,d2h,kernel size=32Mi",
     "task=pair compute=memory subject=h2d neighbour=d2h,kernel size=32Mi"},
    {"pair_arithmetic", "task=pair compute=arithmetic subject=h2d,d2h,kernel neighbour=kernel size=32Mi", NULL},
    {"arithmetic_pair", "task=pair compute=arithmetic subject=kernel neighbour=h2d,d2h size=32Mi", NULL},
    {"pieces", "task=apart,combined pieces=4,16,64,256 size=64Ki,1Mi", "task=apart,combined pieces=64 size=64Ki"},
};

static const fx_metric metrics[] = {
    {"overlap_ns", "ns", FX_GPU_NS, false, "pass over the data"},
    {"pieces_host_ns", "ns", FX_HOST_NS, false, "transfer of all pieces"},
};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *table, fx_prediction *out) {
    const int64_t task = params->value[TASK];
    out->metric = task == APART || task == COMBINED ? HOST_NS : GPU_NS;
    out->useful_bytes = (double)params->value[SIZE];
    if (task == APART) {
        out->law = "pieces";
        out->count = (double)params->value[PIECES];
    } else if (task == PIPELINE) {
        fx_prediction_count(out, "chunks", (double)(params->value[SIZE] / params->value[CHUNK]));
    }
}

static const char *supported(const fx_facts *facts, const fx_params *params) {
    const int64_t task = params->value[TASK], size = params->value[SIZE], chunk = params->value[CHUNK];
    return size % 4 != 0 ? "size must be a multiple of 4"
           : task == PIPELINE && (chunk % 4 != 0 || size % chunk != 0 || size / chunk > MOST_CHUNKS)
               ? "size must be 1 to 128 chunks of a multiple of 4 bytes"
           : task == PIPELINE && params->value[STREAMS] > size / chunk ? "streams must be no more than size / chunk"
           : (task == APART || task == COMBINED) && size % (4 * params->value[PIECES]) != 0
               ? "size must be a multiple of 4 x pieces"
               : NULL;
}

#ifdef FX_WITH_CUDA
#include <math.h>
#include <string.h>

#include "pair.cuh"
#include "pieces.cuh"

/* Pipeline. */

static fx_status queue_chunk(fx_gpu *gpu, const work *w, size_t first, size_t words, cudaStream_t stream,
                             fx_error *err) {
    FX_TRY(queue_copy(w->in + first, w->host_in + first, words * 4, true, stream, err));
    FX_TRY(launch(gpu, w->out + first, w->in + first, (uint32_t)words, w->rounds, w->passes, w->addend, stream, err));
    return queue_copy(w->out + first, w->host_out + first, words * 4, false, stream, err);
}

static fx_status queue_chunks(fx_gpu *gpu, const fx_case *c, const work *w, fx_error *err) {
    const size_t words = (size_t)c->params.value[CHUNK] / 4, streams = (size_t)c->params.value[STREAMS];
    FX_TRY_CUDA(cudaMemsetAsync(w->in, 0xa5, (size_t)w->words * 4, gpu->stream)); /* the stages alone left it there */
    FX_TRY(prime(w, H2D, gpu->stream, err));
    FX_TRY_CUDA(cudaEventRecord(w->mark[6], gpu->stream));
    for (size_t i = 1; i < streams; i++) {
        FX_TRY_CUDA(cudaStreamWaitEvent(w->stream[i], w->mark[6], 0));
    }
    for (size_t k = 0; k < w->words / words; k++) {
        FX_TRY(queue_chunk(gpu, w, k * words, words, w->stream[k % streams], err));
    }
    for (size_t i = 1; i < streams; i++) {
        FX_TRY_CUDA(cudaEventRecord(w->done[i], w->stream[i]));
        FX_TRY_CUDA(cudaStreamWaitEvent(gpu->stream, w->done[i], 0));
    }
    return FX_CUDA_STATUS(cudaEventRecord(w->mark[7], gpu->stream));
}

static fx_status queue_pipeline(fx_gpu *gpu, const fx_case *c, const work *w, fx_error *err) {
    FX_TRY(marked_piece(gpu, w, COMPUTE, ~w->addend, 0, err));
    FX_TRY(marked_piece(gpu, w, H2D, 0, 2, err));
    FX_TRY(marked_piece(gpu, w, D2H, 0, 4, err));
    return queue_chunks(gpu, c, w, err);
}

static fx_status read_pipeline(fx_gpu *gpu, const work *w, fx_sample *out, fx_error *err) {
    static const int extras[] = {EXTRA_KERNEL, EXTRA_H2D, EXTRA_D2H};
    double bound = 0;
    for (int i = 0; i < 3; i++) {
        FX_TRY(fx_event_ns(gpu, w->mark[2 * i], w->mark[2 * i + 1], &out->extra[extras[i]], &out->flags, err));
        bound = fmax(bound, out->extra[extras[i]]);
    }
    FX_TRY(fx_event_ns(gpu, w->mark[6], w->mark[7], &out->value, &out->flags, err));
    out->extra[EXTRA_SHARE] = 100 * bound / out->value;
    return FX_OK;
}

static fx_status wait_for_streams(const work *w, fx_error *err) {
    fx_status first = FX_OK;
    for (size_t i = 0; i < MOST_STREAMS && w->stream[i]; i++) {
        const fx_status status = fx_cuda_check(cudaStreamSynchronize(w->stream[i]), "cudaStreamSynchronize(stream)",
                                               __FILE__, __LINE__, first == FX_OK ? err : NULL);
        first = first == FX_OK ? status : first;
    }
    return first;
}

static fx_status sample_queued(fx_rig *rig, const fx_case *c, uint64_t seed, fx_sample *out, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    work *w = FX_ARGUMENT(rig, work);
    const bool pipeline = c->params.value[TASK] == PIPELINE;
    w->addend = (uint32_t)seed | 1u;
    FX_TRY(fx_latch_hold(&w->latch, gpu->stream, err));
    fx_status status = pipeline ? queue_pipeline(gpu, c, w, err) : queue_pair(gpu, c, w, err);
    fx_latch_release(&w->latch);
    const fx_status waited = wait_for_streams(w, status == FX_OK ? err : NULL);
    FX_TRY(status);
    FX_TRY(waited);
    out->flags |= fx_latch_timed_out(&w->latch) ? FX_SAMPLE_LATCH_TIMEOUT : 0;
    FX_TRY(pipeline ? read_pipeline(gpu, w, out, err) : read_pair(gpu, c, w, out, err));
    return pipeline ? check_out(w, seed, err) : check_pair(gpu, c, w, seed, err);
}

/* What a case needs. */

static fx_status take_lanes(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const size_t streams = (size_t)c->params.value[STREAMS];
    FX_TRY(fx_rig_events(rig, w->mark, FX_COUNT(w->mark), cudaEventDefault, err));
    w->stream[0] = rig->gpu->stream;
    w->stream[1] = rig->gpu->other_stream;
    for (size_t i = 2; i < streams; i++) {
        FX_TRY(keep_stream(rig, &w->stream[i], err));
    }
    FX_TRY(fx_rig_events(rig, w->done, streams, cudaEventDisableTiming, err));
    return fx_rig_latch(rig, &w->latch, err);
}

static fx_status take_memory(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const size_t bytes = (size_t)w->words * 4, prime_bytes = FX_MOST_PRIME_BYTES;
    const struct {
        void *out;
        unsigned kind;
        size_t bytes;
        bool pair;
    } wanted[] = {
        {&w->host_in, FX_PINNED_MEMORY, bytes, false},
        {&w->host_out, FX_PINNED_MEMORY, bytes, false},
        {&w->in, FX_DEVICE_MEMORY, bytes, false},
        {&w->out, FX_DEVICE_MEMORY, bytes, false},
        {&w->prime_host, FX_PINNED_MEMORY, prime_bytes, false},
        {&w->prime_device, FX_DEVICE_MEMORY | FX_FILLED, prime_bytes, false},
        {&w->beside_host, FX_PINNED_MEMORY, bytes, true},
        {&w->beside_in, FX_DEVICE_MEMORY | FX_FILLED, bytes, true},
        {&w->beside_out, FX_DEVICE_MEMORY | FX_FILLED, bytes, true},
    };
    for (size_t i = 0; i < FX_COUNT(wanted); i++) {
        if (!wanted[i].pair || c->params.value[TASK] == PAIR) {
            FX_TRY(fx_rig_memory(rig, wanted[i].out, wanted[i].kind, wanted[i].bytes, 0, err));
        }
    }
    for (uint32_t i = 0; i < w->words; i++) {
        w->host_in[i] = fx_random_word(PATTERN_SEED, i);
        w->sum_in += w->host_in[i];
    }
    memset(w->host_out, 0x5a, bytes);
    memset(w->prime_host, 0x5a, prime_bytes);
    if (w->beside_host) {
        memcpy(w->beside_host, w->host_in, bytes);
    }
    return FX_OK;
}

/* As a few significant bits, so that processes agree. */
static uint32_t rounded(double value, uint32_t most) {
    uint32_t step = 1;
    while (value / step >= 32) {
        step *= 2;
    }
    const double whole = fmin(floor(value / step + 0.5) * step, most);
    return whole < 1 ? 1 : (uint32_t)whole;
}

/* How long copy in and kernel take over all of the data. */
static fx_status measure_both(fx_rig *rig, work *w, double *copy_ns, double *kernel_ns, fx_error *err) {
    fx_gpu *gpu = rig->gpu;
    uint32_t ignored = 0;
    for (int i = 0; i < 2; i++) { /* the second time all is warm */
        FX_TRY(marked_piece(gpu, w, H2D, 0, 0, err));
        FX_TRY(marked_piece(gpu, w, COMPUTE, 1, 2, err));
    }
    FX_TRY_CUDA(cudaStreamSynchronize(gpu->stream));
    FX_TRY(fx_event_ns(gpu, w->mark[0], w->mark[1], copy_ns, &ignored, err));
    return fx_event_ns(gpu, w->mark[2], w->mark[3], kernel_ns, &ignored, err);
}

/* Makes the kernel take as long as the copy in: by rounds, or, beside others, by passes over memory. A part of its time
 * is its start and its memory's, so the first guess is too short, and the next ones come nearer. */
static fx_status match_kernel(fx_rig *rig, const fx_case *c, work *w, fx_error *err) {
    const bool arithmetic = c->params.value[KERNEL] == ARITHMETIC, pair = c->params.value[TASK] == PAIR;
    double copy_ns = 0, kernel_ns = 0;
    w->rounds = arithmetic ? TRIED_ROUNDS : 1;
    w->passes = 1;
    w->addend = 1;
    for (int i = 0; i < GUESSES; i++) {
        FX_TRY(measure_both(rig, w, &copy_ns, &kernel_ns, err));
        if (arithmetic) {
            w->rounds = rounded(w->rounds * copy_ns / kernel_ns, 1u << 20);
        } else if (pair) {
            w->passes = rounded(w->passes * copy_ns / kernel_ns, MOST_PASSES);
        }
    }
    return FX_OK;
}

static fx_status arrange(fx_rig *rig, const fx_case *c, fx_error *err) {
    work *w = FX_ARGUMENT(rig, work);
    const int64_t task = c->params.value[TASK];
    w->words = (uint32_t)(c->params.value[SIZE] / 4);
    if (task == APART || task == COMBINED) {
        return arrange_pieces(rig, (size_t)c->params.value[SIZE], (size_t)c->params.value[PIECES], task == APART, err);
    }
    rig->sample = sample_queued;
    rig->warps = (unsigned)THREADS / (unsigned)FX_WARP;
    rig->blocks = (unsigned)rig->gpu->facts.sm_count * BLOCKS_PER_SM;
    FX_TRY(take_memory(rig, c, w, err));
    FX_TRY(take_lanes(rig, c, w, err));
    return match_kernel(rig, c, w, err);
}
#endif

static const fx_kernel kernels[] = {
    FX_TIMED("task=pipeline,pair", FX_K(step_words), {"LDG.E", 0}, {"STG.E", 0}),
    FX_TIMED("task=apart,combined", FX_NO_KERNEL),
};

FX_PROBE(overlap, .question = "How well do H2D copy, kernel and D2H copy overlap, and which slows which?",
         .method_version = 2, FX_PARTS, .fit_by = "task size", .extras = "h2d_ns d2h_ns kernel_ns share_pct",
         .supported = supported)
