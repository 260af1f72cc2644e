/* What a context's recorded launches write to on the device, one launch after the other. */
#ifndef FX_RECORDER_BUFFER_H
#define FX_RECORDER_BUFFER_H

#include "recorder_api.h"
#include "recorder_words.h"

typedef struct fx_buffer {
    uint64_t *word; /* on the device, as are: */
    fx_track *track;
    uint32_t *chosen;  /* of `strata` */
    uint64_t capacity; /* words; 0: not yet allocated */
    uint32_t strata;
    uint32_t *host_chosen;
} fx_buffer;

/* Takes half as much, and half of that, where the device has too little. */
fx_status fx_buffer_open(const fx_api *api, CUcontext context, uint64_t bytes, uint32_t strata, fx_buffer *out,
                         fx_error *err);

/* For a launch; `track` has its grid and block. *recorded: blocks of its sample. *data: its user data. */
fx_status fx_buffer_begin(const fx_api *api, fx_buffer *buffer, fx_track track, Sanitizer_StreamHandle stream,
                          uint32_t *recorded, void **data, fx_error *err);

/* Waits for the stream, then reads what the launch wrote: *count words, freed by the caller, and how many accesses did
 * not fit. */
fx_status fx_buffer_read(const fx_api *api, fx_buffer *buffer, Sanitizer_StreamHandle stream, uint64_t **words,
                         uint64_t *count, uint64_t *dropped, fx_error *err);

/* The device's memory goes with its context. */
void fx_buffer_close(fx_buffer *buffer);

#endif
