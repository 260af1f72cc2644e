/* `gpufx trace`: what a trace holds, and what its accesses cost. */
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "call/verb.h"
#include "core/text.h"
#include "trace_cost.h"

int fx_verb_trace_cost(fx_call *call) {
    const fx_options *options = &call->options;
    fx_error err = {0};
    fx_trace *trace = NULL;
    fx_trace_cost *cost = NULL;
    fx_status status = fx_trace_read(options->words.text[0], &trace, &err);
    if (!status) {
        status = fx_trace_cost_new(options, options->kernel, trace, &cost, &err);
    }
    if (!status) {
        status = fx_trace_cost_print(stdout, cost, &err);
    }
    fx_trace_cost_free(cost);
    fx_trace_free(trace);
    return status ? fx_exit_for(&err) : FX_EXIT_OK;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static void show_header(const fx_trace *trace) {
    const json_t *device = json_object_get(trace->header, "device");
    size_t i;
    json_t *word;
    char line[512] = "program  ";
    json_array_foreach(json_object_get(trace->header, "program"), i, word) {
        const size_t length = strlen(line);
        (void)snprintf(line + length, sizeof line - length, "%s%.200s", i ? " " : "",
                       json_is_string(word) ? json_string_value(word) : "?");
    }
    fx_print_line(stdout, "%s", line);
    fx_print_line(stdout, "device   %s, %s", *text_of(device, "name") ? text_of(device, "name") : "not reported",
                  *text_of(device, "arch") ? text_of(device, "arch") : "architecture not reported");
    fx_print_line(stdout, "recorded %s, %s",
                  *text_of(trace->header, "started") ? text_of(trace->header, "started") : "?",
                  trace->cut    ? "truncated: the file ends within a frame"
                  : !trace->end ? "the program ended early"
                                : "complete");
    printf("holds    %zu records with %zu lane patterns\n", trace->record_count, trace->pattern_count);
}

static size_t blocks_of(const fx_trace *trace, const fx_trace_launch *launch) {
    size_t count = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        count += i == launch->first || trace->records[i].block != trace->records[i - 1].block;
    }
    return count;
}

static uint64_t accesses_of(const fx_trace *trace, const fx_trace_launch *launch) {
    uint64_t count = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        count += trace->records[i].times;
    }
    return count;
}

static const char *kernel_of(const fx_trace *trace, const fx_trace_launch *launch) {
    const fx_trace_kernel *kernel = &trace->kernels[launch->kernel];
    return kernel->shown ? kernel->shown : kernel->name;
}

static void show_launches(const fx_trace *trace) {
    enum { MOST_SHOWN = 40 };
    size_t shown = 0, all = 0;
    printf("\n%6s %12s %12s %14s  %s\n", "launch", "blocks", "recorded", "accesses", "kernel");
    for (size_t i = 0; i < trace->launch_count; i++) {
        const fx_trace_launch *launch = &trace->launches[i];
        all += launch->frame != NULL;
        if (launch->frame && shown < MOST_SHOWN) {
            fx_print_line(stdout, "%6zu %12llu %12zu %14llu  %s", i, (unsigned long long)launch->blocks,
                          blocks_of(trace, launch), (unsigned long long)accesses_of(trace, launch),
                          kernel_of(trace, launch));
            shown++;
        }
    }
    if (all > shown) {
        printf("and %zu more\n", all - shown);
    }
}

/* How many instructions there are of each kind. */
static void show_instructions(const fx_trace *trace) {
    size_t counts[FX_TRACE_OTHER_SPACE + 1][FX_TRACE_OTHER_OP + 1] = {{0}};
    for (size_t i = 0; i < trace->instruction_count; i++) {
        counts[trace->instructions[i].space][trace->instructions[i].op] += trace->instructions[i].frame != NULL;
    }
    printf("\ninstructions\n");
    for (fx_trace_space space = 0; space <= FX_TRACE_OTHER_SPACE; space++) {
        for (fx_trace_op op = 0; op <= FX_TRACE_OTHER_OP; op++) {
            if (counts[space][op]) {
                printf("%6zu  %s %s\n", counts[space][op], fx_trace_space_name(space), fx_trace_op_name(op));
            }
        }
    }
}

static void show_notes(const fx_trace *trace) {
    size_t i;
    json_t *note;
    json_array_foreach(trace->notes, i, note) {
        fx_print_line(stdout, "note: %s", text_of(note, "text"));
    }
}

/* The same, with every launch. */
static void show_json(const fx_trace *trace) {
    json_t *launches = json_array(), *kinds = json_array();
    for (size_t i = 0; i < trace->launch_count; i++) {
        const fx_trace_launch *launch = &trace->launches[i];
        if (launch->frame) {
            (void)json_array_append_new(
                launches, json_pack("{sI sI sI sI ss}", "launch", (json_int_t)i, "blocks", (json_int_t)launch->blocks,
                                    "recorded", (json_int_t)blocks_of(trace, launch), "accesses",
                                    (json_int_t)accesses_of(trace, launch), "kernel", kernel_of(trace, launch)));
        }
    }
    for (size_t i = 0; i < trace->instruction_count; i++) {
        const fx_trace_instruction *one = &trace->instructions[i];
        if (one->frame) {
            (void)json_array_append_new(
                kinds, json_pack("{ss ss}", "space", fx_trace_space_name(one->space), "op", fx_trace_op_name(one->op)));
        }
    }
    json_t *all =
        json_pack("{sO? sO? sO? sb sI sI so so sO?}", "program", json_object_get(trace->header, "program"), "device",
                  json_object_get(trace->header, "device"), "started", json_object_get(trace->header, "started"),
                  "complete", trace->end && !trace->cut, "records", (json_int_t)trace->record_count, "patterns",
                  (json_int_t)trace->pattern_count, "launches", launches, "instructions", kinds, "notes", trace->notes);
    (void)fx_text_print_json(stdout, all, 2);
    putchar('\n');
    json_decref(all);
}

int fx_verb_trace_show(fx_call *call) {
    fx_error err = {0};
    fx_trace *trace = NULL;
    if (fx_trace_read(call->options.words.text[0], &trace, &err)) {
        return fx_exit_for(&err);
    }
    if (call->options.json) {
        show_json(trace);
    } else {
        show_header(trace);
        show_launches(trace);
        show_instructions(trace);
        show_notes(trace);
    }
    fx_trace_free(trace);
    return FX_EXIT_OK;
}
