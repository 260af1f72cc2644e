#include "recorder_buffer.h"

#include <stdlib.h>

enum { LEAST_BYTES = 1 << 16 };

fx_status fx_buffer_open(const fx_api *api, CUcontext context, uint64_t bytes, fx_buffer *out, fx_error *err) {
    fx_buffer buffer = {0};
    void *at = NULL;
    const uint64_t most = (uint64_t)FX_MOST_WORDS * sizeof *buffer.word;
    for (bytes = bytes < most ? bytes : most; bytes >= LEAST_BYTES && !at; bytes /= 2) {
        if (api->Alloc(context, &at, bytes) != SANITIZER_SUCCESS) {
            at = NULL;
            continue;
        }
        buffer.capacity = (uint32_t)(bytes / sizeof *buffer.word);
    }
    if (!at) {
        return fx_fail(err, FX_NO_MEMORY, "the device has no memory for the recorder's buffer");
    }
    buffer.word = at;
    const fx_status status = FX_API(api, err, Alloc, context, &at, sizeof *buffer.track);
    if (status) {
        (void)api->Free(context, buffer.word);
        return status;
    }
    buffer.track = at;
    *out = buffer;
    return FX_OK;
}

void fx_buffer_close(const fx_api *api, CUcontext context, fx_buffer *buffer) {
    if (buffer->track) {
        (void)api->Free(context, buffer->word);
        (void)api->Free(context, buffer->track);
    }
    *buffer = (fx_buffer){0};
}

fx_status fx_buffer_begin(const fx_api *api, fx_buffer *buffer, fx_track track, Sanitizer_StreamHandle stream,
                          fx_error *err) {
    buffer->host = track;
    buffer->host.word = buffer->word;
    buffer->host.capacity = buffer->host.end = buffer->capacity;
    return FX_API(api, err, MemcpyHostToDeviceAsync, buffer->track, &buffer->host, sizeof buffer->host, stream);
}

fx_status fx_buffer_read(const fx_api *api, const fx_buffer *buffer, Sanitizer_StreamHandle stream, uint64_t **out,
                         uint64_t *count, uint64_t *dropped, fx_error *err) {
    fx_track track;
    *out = NULL;
    *count = *dropped = 0;
    FX_TRY(FX_API(api, err, StreamSynchronize, stream));
    FX_TRY(FX_API(api, err, MemcpyDeviceToHost, &track, buffer->track, sizeof track, stream));
    const uint64_t end = track.cursor < track.end ? track.cursor : track.end;
    if (end > buffer->capacity) {
        return fx_fail(err, FX_DEVICE, "the recorder's buffer on the device was overwritten");
    }
    *dropped = track.dropped;
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
