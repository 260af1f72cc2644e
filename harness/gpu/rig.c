/* A case from open to close. Nothing here knows a probe. */
#include "gpu/rig.h"

static const double PASS_CYCLES = 16000;

/* Cleanup. */

static void give_event(fx_rig *rig, void *event, size_t bytes) {
    cudaEventDestroy((cudaEvent_t)event);
}

static void give_back(fx_rig *rig, const fx_rig_resource *piece) {
    if (piece->release) {
        piece->release(rig, piece->what, piece->bytes);
    } else if (piece->kind & FX_DEVICE_MEMORY) {
        fx_memory_free(rig->gpu, piece->what, piece->bytes);
    } else if (piece->kind & FX_PINNED_MEMORY) {
        cudaFreeHost(piece->what);
    } else if (!(piece->kind & FX_POOL_MEMORY)) { /* what the pool lent, it keeps */
        free(piece->what);
    }
}

static fx_status no_room(fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "more than %d resources in one case: raise FX_RIG_PIECES", (int)FX_RIG_PIECES);
}

fx_status fx_rig_keep(fx_rig *rig, void *what, fx_rig_release *release, fx_error *err) {
    if (rig->piece_count == FX_RIG_PIECES) {
        release(rig, what, 0);
        return no_room(err);
    }
    rig->pieces[rig->piece_count++] = (fx_rig_resource){.what = what, .release = release};
    return FX_OK;
}

/* The pool has one buffer: a second loan would be the first one's memory. */
static fx_status borrow(fx_rig *rig, size_t bytes, void **out, fx_error *err) {
    for (size_t i = 0; i < rig->piece_count; i++) {
        FX_FAIL_IF(rig->pieces[i].kind & FX_POOL_MEMORY, err, FX_BAD_INPUT,
                   "the pool lends a case one buffer: ask for FX_DEVICE_MEMORY beside it");
    }
    return fx_pool_borrow(rig->gpu, bytes, out, err);
}

fx_status fx_rig_events(fx_rig *rig, cudaEvent_t *out, size_t count, unsigned flags, fx_error *err) {
    for (size_t i = 0; i < count; i++) {
        FX_TRY_CUDA(cudaEventCreateWithFlags(&out[i], flags));
        FX_TRY(fx_rig_keep(rig, out[i], give_event, err));
    }
    return FX_OK;
}

fx_status fx_rig_event(fx_rig *rig, cudaEvent_t *out, fx_error *err) {
    return fx_rig_events(rig, out, 1, cudaEventDefault, err);
}

static fx_status allocate(fx_rig *rig, fx_rig_resource *piece, size_t bytes, fx_error *err) {
    if (piece->kind & FX_POOL_MEMORY) {
        FX_TRY(borrow(rig, bytes, &piece->what, err));
    } else if (piece->kind & FX_DEVICE_MEMORY) {
        FX_TRY_CUDA(cudaMalloc(&piece->what, bytes));
    } else if (piece->kind & FX_PINNED_MEMORY) {
        FX_TRY_CUDA(cudaMallocHost(&piece->what, bytes));
    } else {
        piece->what = calloc(1, bytes);
        FX_FAIL_IF(!piece->what, err, FX_NO_MEMORY, "no %zu bytes of host memory for the case", bytes);
    }
    return FX_OK;
}

fx_status fx_rig_memory(fx_rig *rig, void *out, unsigned kind, size_t bytes, size_t alignment, fx_error *err) {
    fx_rig_resource piece = {.bytes = bytes, .kind = kind};
    if (rig->piece_count == FX_RIG_PIECES) {
        return no_room(err);
    }
    FX_TRY(allocate(rig, &piece, bytes + alignment, err));
    piece.data = piece.what;
    if (alignment > 0) {
        const uintptr_t at = ((uintptr_t)piece.what + alignment - 1) / alignment * alignment;
        piece.data = (char *)piece.what + (at - (uintptr_t)piece.what);
    }
    rig->pieces[rig->piece_count++] = piece;
    memcpy(out, &piece.data, sizeof piece.data);
    return kind & FX_FILLED ? fx_gpu_fill(rig->gpu, piece.data, bytes / 4, FX_FILL_SEED, err) : FX_OK;
}

fx_status fx_rig_room(fx_rig *rig, uint64_t most_bytes, uint64_t *bytes, fx_error *err) {
    size_t room = 0;
    FX_TRY(fx_pool_room(rig->gpu, &room, err));
    *bytes = room / 2 < most_bytes ? room / 2 : most_bytes;
    return FX_OK;
}

fx_status fx_rig_dram(fx_rig *rig, void *out, unsigned kind, uint64_t bytes, uint64_t slack, fx_error *err) {
    size_t room = 0;
    if (bytes == 0 || bytes < 4 * rig->gpu->facts.l2_bytes) {
        FX_TRY(fx_pool_room(rig->gpu, &room, err));
        return fx_fail(err, FX_NO_MEMORY,
                       "%zu bytes of free device memory are too few to exceed the L2: free some, or leave out the DRAM "
                       "cases",
                       room);
    }
    rig->dram_bytes = bytes;
    return fx_rig_memory(rig, out, FX_POOL_MEMORY | kind, (size_t)(bytes + slack), 0, err);
}

/* Sums and launches. */

fx_status fx_rig_sums(fx_rig *rig, unsigned long long **out, fx_error *err) {
    if (!rig->sums) {
        FX_TRY_CUDA(cudaMalloc((void **)&rig->sums, FX_SUMS * sizeof *rig->sums));
        FX_TRY_CUDA(cudaMemsetAsync(rig->sums, 0, FX_SUMS * sizeof *rig->sums, rig->gpu->stream));
    }
    if (out) {
        *out = rig->sums;
    }
    return FX_OK;
}

fx_status fx_rig_take_sum(fx_rig *rig, unsigned long long *sum, fx_error *err) {
    unsigned long long host[FX_SUMS];
    FX_TRY_CUDA(cudaMemcpyAsync(host, rig->sums, sizeof host, cudaMemcpyDeviceToHost, rig->gpu->stream));
    FX_TRY_CUDA(cudaMemsetAsync(rig->sums, 0, sizeof host, rig->gpu->stream));
    *sum = 0;
    FX_TRY(fx_gpu_wait(rig->gpu, err));
    for (size_t i = 0; i < FX_SUMS; i++) {
        *sum += host[i];
    }
    return FX_OK;
}

fx_status fx_rig_launch(fx_rig *rig, const void *kernel, unsigned blocks, unsigned threads, void **arguments,
                        fx_error *err) {
    return fx_gpu_launch(rig->gpu, kernel, blocks, threads, 0, arguments, err);
}

fx_status fx_rig_aid(fx_rig *rig, const char *name, unsigned blocks, unsigned threads, void **arguments,
                     fx_error *err) {
    const fx_kernel *row;
    FX_TRY(fx_kernel_find(rig->c->probe, &rig->c->params, FX_AID, name, &row, err));
    FX_FAIL_IF(!row, err, FX_BAD_INPUT, "probe %s: no FX_AID row of its kernel table has %s for this case",
               rig->c->probe->name, name);
    return fx_rig_launch(rig, row->entry.address, blocks, threads, arguments, err);
}

uint32_t fx_rig_trips(const fx_rig *rig, double trip_cycles) {
    const uint32_t stretch = rig->gpu->stretch > 1 ? rig->gpu->stretch : 1;
    return stretch * fx_window_trips(rig->pass_cycles, trip_cycles);
}

/* Pairs. */

static fx_status launch_part(fx_rig *rig, const void *kernel, unsigned cluster, size_t shared_bytes, int which,
                             fx_error *err) {
    void *arguments[] = {rig->argument.bytes};
    if (rig->part) {
        rig->part(rig, rig->c, which);
    }
    return fx_gpu_launch_clusters(rig->gpu, kernel, cluster, rig->blocks, rig->warps * FX_WARP, shared_bytes, arguments,
                                  err);
}

static fx_status launch_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    fx_rig *rig = context;
    rig->pending += rig->expected[which];
    if (rig->launch) {
        if (rig->part) {
            rig->part(rig, rig->c, which);
        }
        return rig->launch(rig, rig->c, which, err);
    }
    FX_TRY(launch_part(rig, rig->work->entry.address, rig->cluster, rig->shared_bytes, which, err));
    rig->launched_blocks = which == 0 ? rig->blocks : rig->launched_blocks;
    return FX_OK;
}

fx_status fx_rig_check(fx_rig *rig, int which, fx_error *err) {
    unsigned long long sum = 0;
    const unsigned long long pending = rig->pending;
    rig->pending = 0;
    FX_TRY(rig->wrong ? launch_part(rig, rig->wrong->entry.address, 1, 0, which, err) : FX_OK);
    FX_TRY(fx_rig_take_sum(rig, &sum, err));
    FX_FAIL_IF((uint32_t)sum != (uint32_t)pending, err, FX_WRONG_RESULT,
               "%s (%08x instead of %08x), so the case is discarded; report it if it persists",
               rig->wrong ? "memory does not contain what the kernel stored"
                          : "the sum of the values read differs from the sum of the values written",
               (unsigned)(uint32_t)sum, (unsigned)(uint32_t)pending);
    return FX_OK;
}

static fx_status check_work(fx_gpu *gpu, void *context, int which, fx_error *err) {
    fx_rig *rig = context;
    if (rig->check) {
        return rig->check(rig, rig->c, which, err);
    }
    return rig->sums ? fx_rig_check(rig, which, err) : FX_OK;
}

static fx_status expect_sums(fx_rig *rig, fx_error *err) {
    for (int which = 0; which < 2; which++) {
        FX_TRY(launch_part(rig, rig->expect->entry.address, 1, 0, which, err));
        FX_TRY(fx_rig_take_sum(rig, &rig->expected[which], err));
    }
    return FX_OK;
}

/* From what arrange said to what can be launched. */

fx_status fx_rig_prepare(fx_rig *rig, fx_error *err) {
    const void *kernel = rig->work->entry.address;
    const size_t local_bytes = rig->attributes.localSizeBytes;
    FX_FAIL_IF(local_bytes > 0 && !rig->local_memory, err, FX_WRONG_RESULT,
               "the kernel was compiled with %zu bytes of local memory per thread, which would be timed, too: "
               "report this with your nvcc version",
               local_bytes);
    if (rig->shared_bytes > 0) {
        FX_TRY_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)rig->shared_bytes));
    }
    return FX_CUDA_STATUS(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, rig->carveout_pct));
}

static fx_status get_ready(fx_rig *rig, fx_error *err) {
    if (rig->ready) {
        return FX_OK;
    }
    rig->ready = true;
    if (rig->work->entry.address) {
        FX_TRY(fx_rig_prepare(rig, err));
    } else if (!rig->launch && !rig->sample) {
        return fx_fail(err, FX_BAD_INPUT, "probe %s: a case without a kernel sets rig->launch or rig->sample",
                       rig->c->probe->name);
    }
    if (rig->units > 0) {
        FX_TRY(fx_pair_open(rig->gpu, &rig->pair, err));
    } else if (rig->warps > 0 && !rig->sample) {
        FX_TRY(fx_timed_open(&rig->buffer, rig->warps, rig->blocks, rig->cluster, err));
    }
    if (rig->expect) {
        FX_TRY(expect_sums(rig, err));
    }
    return FX_OK;
}

static fx_status find_rows(fx_rig *rig, fx_error *err) {
    const fx_probe *probe = rig->c->probe;
    const fx_params *params = &rig->c->params;
    FX_TRY(fx_kernel_find(probe, params, FX_WORK, NULL, &rig->work, err));
    FX_TRY(fx_kernel_find(probe, params, FX_EXPECT, NULL, &rig->expect, err));
    FX_TRY(fx_kernel_find(probe, params, FX_CHECK, NULL, &rig->wrong, err));
    FX_FAIL_IF(!rig->work, err, FX_UNSUPPORTED, "no kernel of probe %s serves this case: see its kernel table",
               probe->name);
    if (rig->work->entry.address) {
        FX_TRY_CUDA(cudaFuncGetAttributes(&rig->attributes, rig->work->entry.address));
    }
    return FX_OK;
}

/* Work of one block, or one cluster, on the SM's clock goes to SMs of several GPCs in turn. */
static fx_status spread_out(fx_rig *rig, fx_error *err) {
    if (rig->gpu->one_sm || rig->units > 0 || rig->sample || rig->blocks != rig->cluster) {
        return FX_OK;
    }
    rig->group_count = fx_sm_groups_for(&rig->gpu->sm_groups, rig->work->entry.address, rig->cluster,
                                        rig->warps * FX_WARP, rig->shared_bytes, rig->groups);
    if (rig->group_count > 1) {
        FX_TRY_CUDA(cudaStreamSynchronize(rig->gpu->stream)); /* what was arranged is there for all of them */
    }
    return FX_OK;
}

FX_OWNER(fx_rig_close, fx_rig)

fx_status fx_rig_open(fx_gpu *gpu, const fx_case *c, void **out, fx_error *err) {
    FX_OWNED(fx_rig_close_at) fx_rig *rig = fx_new(1, sizeof *rig);
    rig->gpu = gpu;
    rig->c = c;
    rig->blocks = rig->cluster = 1;
    rig->carveout_pct = -1;
    rig->pass_cycles = PASS_CYCLES;
    FX_TRY(find_rows(rig, err));
    FX_TRY(c->probe->arrange(rig, c, err));
    FX_TRY(get_ready(rig, err));
    FX_TRY(spread_out(rig, err));
    *out = rig;
    rig = NULL; /* handed over */
    return FX_OK;
}

void fx_rig_close(fx_rig *rig) {
    if (!rig) {
        return;
    }
    fx_timed_close(&rig->buffer);
    fx_pair_close(&rig->pair);
    cudaFree(rig->sums);
    while (rig->piece_count > 0) { /* the last one first: a texture before its memory */
        give_back(rig, &rig->pieces[--rig->piece_count]);
    }
    free(rig);
}

/* Samples. */

/* The SMs whose clocks gave the values, as long as they are few. */
static void note_sms(fx_rig *rig) {
    for (unsigned b = 0; b < rig->buffer.blocks; b++) {
        const fx_timed_warp *warp = &rig->buffer.host[(size_t)b * rig->buffer.warps];
        size_t at = 0;
        while (at < rig->sm_count && at < FX_LAUNCHED_SMS && rig->sms[at] != warp->sm) {
            at++;
        }
        if (warp->stop[rig->timed.passes - 1] == 0 || at < rig->sm_count) {
            continue; /* idle, or known, or there are too many already */
        }
        if (at < FX_LAUNCHED_SMS) {
            rig->sms[at] = warp->sm;
        }
        rig->sm_count = at + 1;
    }
}

static void plan(fx_rig *rig) {
    const uint32_t trips = rig->trips > 0 ? rig->trips : fx_rig_trips(rig, rig->trip_cycles);
    rig->timed = fx_timed_argument(&rig->buffer, trips, rig->warm_trips);
    if (rig->together) {
        rig->timed.barriers = rig->timed.passes;
    }
}

static fx_status refill(fx_rig *rig, uint64_t seed, fx_error *err) {
    for (size_t i = 0; i < rig->piece_count; i++) {
        const fx_rig_resource *piece = &rig->pieces[i];
        if (piece->kind & FX_REFILLED) {
            FX_TRY(fx_gpu_fill(rig->gpu, piece->data, piece->bytes / 4, seed, err));
        }
    }
    return FX_OK;
}

static fx_status take(fx_rig *rig, uint64_t seed, fx_sample *out, fx_error *err) {
    if (rig->units > 0) {
        const fx_pair_work work = {.context = rig,
                                   .launch = launch_work,
                                   .check = check_work,
                                   .units = rig->units,
                                   .cold = rig->cold,
                                   .seed = seed};
        return fx_pair_sample(rig->gpu, &rig->pair, &work, out, err);
    }
    void *arguments[] = {&rig->timed, rig->argument.bytes};
    FX_TRY(fx_timed_sample(rig->gpu, &rig->buffer, rig->work->entry.address, rig->shared_bytes, arguments, &rig->timed,
                           rig->accesses, out, err));
    note_sms(rig);
    out->sm = rig->blocks == rig->cluster ? (int)rig->buffer.host[0].sm : -1;
    return FX_OK;
}

static fx_status draw(fx_rig *rig, uint64_t seed, fx_error *err) {
    const fx_status status = refill(rig, seed, err);
    if (rig->units <= 0) {
        plan(rig);
    }
    return status == FX_OK && rig->c->probe->draw ? rig->c->probe->draw(rig, rig->c, seed, err) : status;
}

fx_status fx_rig_sample(fx_rig *rig, uint64_t seed, fx_sample *out, fx_error *err) {
    if (rig->sample) {
        return rig->sample(rig, rig->c, seed, out, err);
    }
    const cudaStream_t home = rig->gpu->stream;
    if (rig->group_count > 1) {
        rig->gpu->stream = rig->gpu->sm_groups.stream[rig->groups[rig->next_group++ % rig->group_count]];
    }
    fx_status status = draw(rig, seed, err);
    if (status == FX_OK) {
        status = take(rig, seed, out, err);
    }
    rig->gpu->stream = home;
    return status == FX_OK && rig->report ? rig->report(rig, rig->c, out, err) : status;
}

fx_status fx_rig_local(fx_rig *rig, const fx_case *c, fx_sample *out, fx_error *err) {
    out->extra[0] = (double)rig->attributes.localSizeBytes;
    out->extra[1] = out->extra[0] * rig->warps * FX_WARP / 1024;
    return FX_OK;
}

fx_status fx_rig_trial(fx_rig *rig, double *cost, fx_error *err) {
    fx_sample sample = {.value = (double)NAN};
    FX_TRY(get_ready(rig, err));
    FX_TRY(draw(rig, FX_FILL_SEED, err));
    FX_TRY(rig->units > 0 ? fx_pair_trial(rig->gpu, &rig->pair, rig, launch_work, cost, err)
                          : take(rig, FX_FILL_SEED, &sample, err));
    if (rig->units <= 0) {
        *cost = sample.value;
    }
    return FX_OK;
}

/* What the archive wants to know. */

static int larger_first(const void *a, const void *b) {
    const fx_rig_resource *left = a, *right = b;
    return (left->bytes < right->bytes) - (left->bytes > right->bytes);
}

static void tell_buffers(const fx_rig *rig, fx_launched *out) {
    fx_rig_resource pieces[FX_RIG_PIECES];
    size_t count = 0;
    for (size_t i = 0; i < rig->piece_count; i++) {
        if (rig->pieces[i].kind & (FX_DEVICE_MEMORY | FX_POOL_MEMORY)) {
            pieces[count++] = rig->pieces[i];
        }
    }
    qsort(pieces, count, sizeof pieces[0], larger_first);
    for (size_t i = 0; i < count && i < FX_LAUNCHED_BUFFERS; i++) {
        out->buffers[out->buffer_count++] = (fx_launched_buffer){
            .bytes = pieces[i].bytes, .address_low21 = (uint32_t)((uintptr_t)pieces[i].data & ((1u << 21) - 1))};
    }
}

void fx_rig_ran(const fx_rig *rig, fx_launched *out) {
    if (rig->work->entry.address) {
        fx_kernel_name(rig->work, out->kernel, sizeof out->kernel);
        out->registers = rig->attributes.numRegs;
        out->shared_bytes = (int64_t)(rig->attributes.sharedSizeBytes + rig->shared_bytes);
        out->blocks = rig->launched_blocks > 0 ? rig->launched_blocks : rig->blocks;
        out->threads = (uint64_t)rig->warps * FX_WARP;
    }
    tell_buffers(rig, out);
    out->dram_bytes = rig->dram_bytes;
    if (rig->sm_count <= FX_LAUNCHED_SMS) {
        memcpy(out->sms, rig->sms, rig->sm_count * sizeof rig->sms[0]);
        out->sm_count = rig->sm_count;
    }
    if (rig->units > 0) {
        out->units_n = rig->units;
    } else if (rig->warps == 1) {
        out->units_n = rig->timed.trips[1] * rig->accesses;
    }
}
