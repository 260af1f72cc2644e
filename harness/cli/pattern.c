/* The verb: reads patterns one by one, asks what each costs, shows it. */
#include "pattern.h"

#include <math.h>
#include <string.h>

#include "cli.h"

typedef struct tour {
    const fx_options *options;
    fx_pattern_kind kind;
    fx_pattern_source *source;
    fx_pattern_cost *cost;
    fx_pattern worst;
    fx_pattern_answer worst_answer;
    size_t count, measured;
    bool warned;
} tour;

/* The count decides, and where a file's widths differ the cycles that it stands for. */
static bool is_worse(const fx_pattern_answer *a, const fx_pattern_answer *b) {
    if (isfinite(a->predicted_cycles) && isfinite(b->predicted_cycles)) {
        return a->predicted_cycles > b->predicted_cycles;
    }
    return a->prediction.count > b->prediction.count;
}

static fx_status show(tour *t, const fx_pattern *pattern, const fx_pattern_answer *answer, fx_error *err) {
    if (*answer->why_not && !t->warned && t->options->json) {
        fx_warn("not measured: %s.", answer->why_not);
        t->warned = true;
    }
    if (t->options->json) {
        return fx_pattern_print_json(stdout, &t->kind, pattern, answer, err);
    }
    if (!fx_pattern_source_single(t->source)) {
        fx_pattern_print_row(stdout, t->count == 0, pattern, answer);
    }
    return FX_OK;
}

static fx_status walk(tour *t, fx_error *err) {
    bool more;
    fx_pattern pattern;
    fx_pattern_answer answer;
    fx_status status = fx_pattern_next(t->source, &pattern, &more, err);
    while (!status && more) {
        status = fx_pattern_cost_of(t->cost, &pattern, &answer, err);
        if (!status) {
            status = show(t, &pattern, &answer, err);
        }
        t->measured += !status && isfinite(answer.measured_cycles);
        if (fx_pattern_measured_on(t->cost)) {
            (void)fflush(stdout); /* measuring takes its time: what is known is told */
        }
        if (!status && (t->count++ == 0 || is_worse(&answer, &t->worst_answer))) {
            json_decref(t->worst.id);
            t->worst = pattern;
            t->worst_answer = answer;
        } else {
            json_decref(pattern.id);
        }
        if (!status) {
            status = fx_pattern_next(t->source, &pattern, &more, err);
        }
    }
    return status;
}

static fx_status finish(tour *t, fx_error *err) {
    if (!t->count) {
        return fx_fail(err, FX_BAD_INPUT, "--file %s holds no pattern.", t->options->file);
    }
    if (!t->options->json) {
        if (!fx_pattern_source_single(t->source)) {
            char id[FX_PATTERN_ID_BYTES];
            fx_pattern_id(&t->worst, id, sizeof id);
            printf("\nthe worst, %s: ", id);
        }
        fx_pattern_print(stdout, t->cost, &t->kind, &t->worst, &t->worst_answer);
    }
    return t->options->svg ? fx_pattern_svg(t->options->svg, t->cost, &t->kind, &t->worst, &t->worst_answer, err)
                           : FX_OK;
}

int fx_verb_pattern_run(int argc, char **argv) {
    fx_options options;
    fx_error err = {0};
    int exit_status;
    if (!fx_options_ready(FX_VERB_PATTERN, argc, argv, &options, &exit_status)) {
        goto cleanup;
    }
    tour t = {.options = &options};
    fx_status status = fx_pattern_kind_of(&options, &t.kind, &err);
    if (!status && options.svg && strcmp(t.kind.space, "shared") != 0) {
        status = fx_fail(&err, FX_BAD_INPUT, "--svg draws patterns of shared memory; this one is of %s memory.",
                         t.kind.space);
    }
    if (!status) {
        status = fx_pattern_source_open(&options, &t.source, &err);
    }
    if (!status) {
        status = fx_pattern_cost_new(&options, &t.kind, &t.cost, &err);
    }
    if (!status && options.file && fx_pattern_source_waits(t.source)) {
        (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* somebody may wait for an answer before the next question */
    }
    if (!status) {
        status = walk(&t, &err);
    }
    if (!status) {
        status = finish(&t, &err);
    }
    if (!status && options.measure && !t.measured) {
        fx_warn("Nothing was measured: %s.", t.worst_answer.why_not);
        exit_status = FX_EXIT_NOTHING;
    } else {
        exit_status = status ? fx_exit_for(&err) : FX_EXIT_OK;
    }
    json_decref(t.worst.id);
    fx_pattern_source_close(t.source);
    fx_pattern_cost_free(t.cost);
cleanup:
    fx_options_free(&options);
    return exit_status;
}
