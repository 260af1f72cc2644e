#include "recorder_buffer.h"

#include <stdlib.h>

#include "recorder_sample.h"

enum { LEAST_BYTES = 1 << 16 };

fx_status fx_buffer_open(const fx_api *api, CUcontext context, uint64_t bytes, uint32_t strata, fx_buffer *out,
                         fx_error *err) {
    fx_buffer buffer = {.strata = strata};
    void *at = NULL;
    for (; bytes >= LEAST_BYTES && !at; bytes /= 2) {
        if (api->Alloc(context, &at, bytes) != SANITIZER_SUCCESS) {
            at = NULL;
            continue;
        }
        buffer.capacity = bytes / sizeof *buffer.word;
    }
    if (!at) {
        return fx_fail(err, FX_NO_MEMORY, "the device has no memory for the recorder's buffer");
    }
    buffer.word = at;
    FX_TRY(FX_API(api, err, Alloc, context, &at, sizeof *buffer.track));
    buffer.track = at;
    if (strata) {
        FX_TRY(FX_API(api, err, Alloc, context, &at, strata * sizeof *buffer.chosen));
        buffer.chosen = at;
        buffer.host_chosen = malloc(strata * sizeof *buffer.host_chosen);
        if (!buffer.host_chosen) {
            return fx_fail(err, FX_NO_MEMORY, "out of memory");
        }
    }
    *out = buffer;
    return FX_OK;
}

/* The copy's source may be gone once it returns. */
static fx_status upload(const fx_api *api, void *to, void *from, size_t bytes, Sanitizer_StreamHandle stream,
                        fx_error *err) {
    FX_TRY(FX_API(api, err, MemcpyHostToDeviceAsync, to, from, bytes, stream));
    return FX_API(api, err, StreamSynchronize, stream);
}

fx_status fx_buffer_begin(const fx_api *api, fx_buffer *buffer, fx_track track, Sanitizer_StreamHandle stream,
                          uint32_t *recorded, void **data, fx_error *err) {
    const uint32_t total = track.grid[0] * track.grid[1] * track.grid[2];
    track.words = (fx_words){.word = buffer->word, .capacity = buffer->capacity, .end = buffer->capacity};
    *recorded = fx_sample_blocks(total, buffer->strata, buffer->host_chosen, &track.scale);
    if (track.scale) {
        track.chosen = buffer->chosen;
        FX_TRY(upload(api, buffer->chosen, buffer->host_chosen, buffer->strata * sizeof *buffer->chosen, stream, err));
    }
    FX_TRY(upload(api, buffer->track, &track, sizeof track, stream, err));
    *data = buffer->track;
    return FX_OK;
}

fx_status fx_buffer_read(const fx_api *api, fx_buffer *buffer, Sanitizer_StreamHandle stream, uint64_t **out,
                         uint64_t *count, uint64_t *dropped, fx_error *err) {
    fx_words words;
    *out = NULL;
    *count = *dropped = 0;
    FX_TRY(FX_API(api, err, StreamSynchronize, stream));
    FX_TRY(FX_API(api, err, MemcpyDeviceToHost, &words, &buffer->track->words, sizeof words, stream));
    const uint64_t end = words.cursor < words.end ? words.cursor : words.end;
    if (end > buffer->capacity) {
        return fx_fail(err, FX_DEVICE, "the recorder's buffer on the device was overwritten");
    }
    *dropped = words.dropped;
    if (end == 0) {
        return FX_OK;
    }
    uint64_t *all = malloc(end * sizeof *all);
    if (!all) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory for %llu bytes of accesses",
                       (unsigned long long)(end * sizeof *all));
    }
    const fx_status status = FX_API(api, err, MemcpyDeviceToHost, all, buffer->word, end * sizeof *all, stream);
    if (status) {
        free(all);
        return status;
    }
    *out = all;
    *count = end;
    return FX_OK;
}

void fx_buffer_close(fx_buffer *buffer) {
    free(buffer->host_chosen);
    *buffer = (fx_buffer){0};
}
