/* The frames of a trace, as the recorder writes them. One thread at a time. */
#ifndef FX_RECORDER_OUTPUT_H
#define FX_RECORDER_OUTPUT_H

#include "recorder_api.h"
#include "recorder_book.h"
#include "recorder_calls.h"
#include "recorder_module.h"

typedef struct fx_output {
    const char *cubins; /* a folder, or NULL */
    fx_trace_writer *to;
    fx_book *book;
    bool begun;           /* the header is written */
    uint32_t launches;    /* that were written */
    const char *told[32]; /* codes of notes, each of which is written once */
} fx_output;

/* A launch that has ended. */
typedef struct fx_output_launch {
    Sanitizer_LaunchData data; /* of its beginning: at its end, grid and block are gone */
    const char *name;
    fx_shape shape;
    uint64_t total_blocks, recorded_blocks, dropped;
    uint32_t copies; /* in a graph: of all of them the blocks are */
    unsigned dynamic_bytes;
    bool cooperative, graph;
    double time_ns; /* negative: not known */
    uint64_t module_number;
    /* what fx_output_ask learns: the kernel's code, and -1 where a number is not known */
    uint64_t start, bytes;
    int registers, static_bytes, max_blocks_per_sm;
} fx_output_launch;

fx_status fx_output_open(fx_output *out, const char *path, const char *cubins, fx_error *err);

/* `device`: fx_device_text, NULL where none is known. Nothing where it was written before. */
void fx_output_header(fx_output *out, const char *device);

/* What was not recorded, in one sentence. `code` is a string that stays. */
void fx_output_note(fx_output *out, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Asks the API of the launch's kernel. */
fx_status fx_output_ask(const fx_api *api, fx_output_launch *launch, fx_error *err);

/* Whether words of it are of functions outside the kernel, whose module's addresses fx_output_add needs. */
bool fx_output_leaves(const fx_output_launch *launch, const uint64_t *words, uint64_t count);

/* Its frame and its records, in the file when this returns, after fx_output_ask. *kernel: the kernel's id. */
fx_status fx_output_add(fx_output *out, const fx_output_launch *launch, fx_module *module, const uint64_t *words,
                        uint64_t count, uint32_t *kernel, fx_error *err);

/* Counts of launches and the end; closes the file. `status`: the program's, negative where it is not known. */
fx_status fx_output_close(fx_output *out, const fx_calls *calls, int status, uint64_t launches, double seconds,
                          fx_error *err);

#endif
