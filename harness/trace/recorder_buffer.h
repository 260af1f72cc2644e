/* What a context's recorded launches write to on the device, one launch after the other. */
#ifndef FX_RECORDER_BUFFER_H
#define FX_RECORDER_BUFFER_H

#include "recorder_api.h"
#include "recorder_words.h"

typedef struct fx_buffer {
    uint64_t *word;    /* on the device, as is: */
    fx_track *track;   /* NULL: not yet allocated */
    fx_track host;     /* what is copied there, until the launch has ended */
    uint32_t capacity; /* words */
} fx_buffer;

/* Takes half as much, and half of that, where the device has too little. */
fx_status fx_buffer_open(const fx_api *api, CUcontext context, uint64_t bytes, fx_buffer *out, fx_error *err);
void fx_buffer_close(const fx_api *api, CUcontext context, fx_buffer *buffer);

/* For a launch; `track` has its sample, grid and block. Its user data is buffer->track. Waits for nothing: as a launch
 * begins, waiting for its stream would not end. */
fx_status fx_buffer_begin(const fx_api *api, fx_buffer *buffer, fx_track track, Sanitizer_StreamHandle stream,
                          fx_error *err);

/* Waits for the stream, then reads what the launch wrote: *count words, freed by the caller, and how many accesses did
 * not fit. */
fx_status fx_buffer_read(const fx_api *api, const fx_buffer *buffer, Sanitizer_StreamHandle stream, uint64_t **words,
                         uint64_t *count, uint64_t *dropped, fx_error *err);

#endif
