#include "recorder_output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder_device.h"

fx_status fx_output_open(fx_output *out, const char *path, const char *cubins, fx_error *err) {
    *out = (fx_output){.cubins = cubins};
    FX_TRY(fx_trace_create(path, true, &out->to, err));
    out->book = fx_book_create(out->to);
    return out->book ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory for the trace");
}

void fx_output_header(fx_output *out, const char *device) {
    static char program[FX_PROGRAM_TEXT];
    char when[64];
    const time_t now = time(NULL);
    struct tm utc;
    fx_error err = {0};
    if (out->begun) {
        return;
    }
    out->begun = true;
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    (void)fx_trace_frame(
        out->to, &err,
        "{\"gpufx_trace\":%d,\"program\":%s,\"recorder\":\"injected\",\"process\":%ld,\"started\":\"%s\"%s%s}",
        FX_TRACE_VERSION, fx_program_text(program), (long)getpid(), when, device ? ",\"device\":" : "",
        device ? device : "");
}

void fx_output_note(fx_output *out, const char *code, const char *format, ...) {
    enum { MOST = sizeof out->told / sizeof *out->told };
    char text[768], quoted[2048];
    fx_error err = {0};
    size_t i = 0;
    if (!out->to) { /* it is closed */
        return;
    }
    for (; i < MOST && out->told[i]; i++) {
        if (strcmp(out->told[i], code) == 0) {
            return;
        }
    }
    if (i == MOST) {
        return;
    }
    out->told[i] = code;
    fx_output_header(out, NULL); /* the first frame, also where no context was created */
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)fx_trace_frame(out->to, &err, "{\"note\":{\"code\":\"%s\",\"text\":%s}}", code,
                         fx_trace_quoted(text, quoted, sizeof quoted));
}

static fx_status write_frame(fx_output *out, const fx_output_launch *launch, uint32_t kernel, uint64_t kept,
                             fx_error *err) {
    const Sanitizer_LaunchData *l = &launch->data;
    char time_ns[32] = "null";
    if (launch->time_ns >= 0) {
        (void)snprintf(time_ns, sizeof time_ns, "%.0f", launch->time_ns);
    }
    return fx_trace_frame(
        out->to, err,
        "{\"launch\":{\"id\":%u,\"kernel\":%u,\"process\":%ld,\"device\":%d,\"stream\":%llu,\"graph\":%s,"
        "\"cooperative\":%s,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[%u,%u,%u],"
        "\"blocks\":{\"total\":%llu,\"recorded\":%llu},\"accesses\":{\"seen\":%llu,\"kept\":%llu},"
        "\"shared_bytes\":%u,\"time_ns\":%s}}",
        out->launches, kernel, (long)getpid(), l->device, (unsigned long long)(uintptr_t)l->stream,
        launch->graph ? "true" : "false", launch->cooperative ? "true" : "false", launch->shape.grid[0],
        launch->shape.grid[1], launch->shape.grid[2], launch->shape.block[0], launch->shape.block[1],
        launch->shape.block[2], l->clusterDim_x ? l->clusterDim_x : 1, l->clusterDim_y ? l->clusterDim_y : 1,
        l->clusterDim_z ? l->clusterDim_z : 1, (unsigned long long)launch->total_blocks,
        (unsigned long long)launch->recorded_blocks, (unsigned long long)(kept + launch->dropped),
        (unsigned long long)kept, launch->dynamic_bytes, time_ns);
}

fx_status fx_output_ask(const fx_api *api, fx_output_launch *launch, fx_error *err) {
    const Sanitizer_LaunchData *l = &launch->data;
    const uint32_t *block = launch->shape.block;
    fx_kernel_resources(api, l->function, block[0] * block[1] * block[2], launch->dynamic_bytes, &launch->registers,
                        &launch->static_bytes, &launch->max_blocks_per_sm);
    return FX_API(api, err, GetFunctionPcAndSize, l->module, launch->name, &launch->start, &launch->bytes);
}

static fx_book_launch book_launch(const fx_output_launch *launch) {
    return (fx_book_launch){
        .only_kernel = launch->graph, .start = launch->start, .bytes = launch->bytes, .find = fx_module_find};
}

bool fx_output_leaves(const fx_output_launch *launch, const uint64_t *words, uint64_t count) {
    const fx_book_launch book = book_launch(launch);
    return fx_book_leaves(&book, words, count);
}

fx_status fx_output_add(fx_output *out, const fx_output_launch *launch, fx_module *module, const uint64_t *words,
                        uint64_t count, uint32_t *kernel, fx_error *err) {
    fx_book_launch book = book_launch(launch);
    const fx_book_kernel k = {launch->name,         fx_module_hash(module, out->cubins),
                              launch->bytes,        launch->registers,
                              launch->static_bytes, launch->max_blocks_per_sm};
    book.launch = out->launches;
    book.from = module;
    FX_TRY(fx_book_add_kernel(out->book, &k, kernel, err));
    book.kernel = *kernel;
    if (out->launches == FX_TRACE_MOST_IDS) {
        return fx_fail(err, FX_BAD_INPUT, "the trace has as many launches as it can");
    }
    if (launch->dropped) {
        fx_output_note(out, "memory",
                       "accesses beyond the recorder's memory were only counted: record fewer blocks, "
                       "or give it more");
    }
    FX_TRY(write_frame(out, launch, *kernel, fx_book_count(&book, words, count), err));
    out->launches++;
    FX_TRY(fx_book_write(out->book, &book, words, count, err));
    return fx_trace_flush(out->to, err);
}

static void write_calls(fx_output *out, const fx_calls *calls) {
    fx_error err = {0};
    for (size_t i = 0; i < calls->count; i++) {
        const fx_call *c = &calls->items[i];
        if (c->named) {
            (void)fx_trace_frame(
                out->to, &err,
                "{\"calls\":[{\"kernel\":%u,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"launches\":%llu,"
                "\"recorded\":%llu}]}",
                c->kernel, c->shape.grid[0], c->shape.grid[1], c->shape.grid[2], c->shape.block[0], c->shape.block[1],
                c->shape.block[2], (unsigned long long)c->launches, (unsigned long long)c->recorded);
        }
    }
}

fx_status fx_output_close(fx_output *out, const fx_calls *calls, int status, uint64_t launches, double seconds,
                          fx_error *err) {
    char text[16] = "null";
    if (status >= 0) {
        (void)snprintf(text, sizeof text, "%d", status);
    }
    fx_output_header(out, NULL);
    write_calls(out, calls);
    (void)fx_trace_frame(out->to, err, "{\"end\":{\"status\":%s,\"signal\":null,\"launches\":%llu,\"seconds\":%.3f}}",
                         text, (unsigned long long)launches, seconds);
    const fx_status closed = fx_trace_close(out->to, err);
    fx_book_free(out->book);
    *out = (fx_output){.begun = true};
    return closed;
}
