/* The verb: reads patterns one by one, asks what each costs, shows it. */
#include "pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "call/verb.h"

typedef struct tour {
    const fx_options *options;
    fx_pattern_kind kind;
    fx_pattern_source *source;
    fx_pattern_cost *cost;
    fx_pattern worst;
    fx_pattern_answer worst_answer;
    size_t count;
    bool warned, for_programs;
    fx_pattern_loop *loop; /* NULL: what is read is no loop, or JSON is wanted */
    /* Steps that cost the same are one row, from the first of them to the last. */
    char *row; /* owned, behind the id; NULL: there is none yet */
    char first[FX_PATTERN_ID_BYTES], last[FX_PATTERN_ID_BYTES];
} tour;

/* What is farthest from the SM decides, and only among equals what is nearer. Costs are compared where there are some,
 * since a file's widths may differ; else counts. */
static bool is_worse(const fx_pattern_answer *a, const fx_pattern_answer *b) {
    for (size_t i = a->count; i-- > 0;) {
        const fx_pattern_cost_at *x = &a->at[i], *y = &b->at[i];
        const bool both = isfinite(x->predicted) && isfinite(y->predicted);
        const double left = both ? x->predicted : x->prediction.count,
                     right = both ? y->predicted : y->prediction.count;
        if (left > right || left < right) {
            return left > right;
        }
    }
    return false;
}

/* Why nothing was measured; NULL: something was, or was not to be. */
static const char *why_not(const fx_pattern_answer *answer) {
    const char *reason = NULL;
    for (size_t i = 0; i < answer->count; i++) {
        if (isfinite(answer->at[i].measured)) {
            return NULL;
        }
        reason = reason || !*answer->at[i].why_not ? reason : answer->at[i].why_not;
    }
    return reason;
}

static void end_row(tour *t) {
    if (t->row) {
        char id[2 * FX_PATTERN_ID_BYTES + 4];
        (void)snprintf(id, sizeof id, strcmp(t->first, t->last) ? "%s .. %s" : "%s", t->first, t->last);
        fx_pattern_print_id(stdout, t->cost, &t->kind, id);
        fputs(t->row, stdout);
        free(t->row);
        t->row = NULL;
    }
}

/* What is measured is reported at once; other rows wait for one that differs. */
static fx_status show_row(tour *t, const fx_pattern *pattern, const fx_pattern_answer *answer, fx_error *err) {
    char *row = NULL, id[FX_PATTERN_ID_BYTES];
    size_t size;
    FILE *to = open_memstream(&row, &size);
    if (!to) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while printing a row");
    }
    fx_pattern_print_row(to, t->cost, &t->kind, pattern, answer);
    if (fclose(to)) {
        free(row);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while printing a row");
    }
    if (!t->count) {
        fx_pattern_print_head(stdout, t->cost, &t->kind, answer);
    }
    fx_pattern_id(pattern, id, sizeof id);
    const bool same = t->row && !strcmp(t->row, row) && !fx_pattern_measured_on(t->cost) && !t->options->pattern.file;
    if (same) {
        free(row);
    } else {
        end_row(t);
        t->row = row;
        memcpy(t->first, id, sizeof id);
    }
    memcpy(t->last, id, sizeof id);
    if (fx_pattern_measured_on(t->cost) || t->options->pattern.file) {
        end_row(t);
    }
    return FX_OK;
}

static fx_status show(tour *t, const fx_pattern *pattern, const fx_pattern_answer *answer, fx_error *err) {
    if (why_not(answer) && !t->warned && t->for_programs) {
        fx_warn("not measured: %s", why_not(answer));
        t->warned = true;
    }
    if (t->options->json) {
        fputc(t->count ? ',' : '[', stdout);
    }
    if (t->for_programs) {
        return fx_pattern_print_json(stdout, t->cost, &t->kind, pattern, answer, err);
    }
    if (t->loop) {
        FX_TRY(fx_pattern_loop_add(t->loop, pattern, answer, err));
    }
    if (!fx_pattern_source_single(t->source)) {
        return show_row(t, pattern, answer, err);
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
        if (fx_pattern_measured_on(t->cost)) {
            (void)fflush(stdout); /* measuring takes its time: what is known is reported */
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
        return fx_fail(err, FX_BAD_INPUT, "--file %s holds no pattern", t->options->pattern.file);
    }
    if (!t->for_programs) {
        if (!fx_pattern_source_single(t->source)) {
            char id[FX_PATTERN_ID_BYTES];
            end_row(t);
            if (t->loop) {
                fx_pattern_loop_print(stdout, t->loop);
            }
            fx_pattern_id(&t->worst, id, sizeof id);
            printf("\nthe worst, %s: ", id);
        }
        fx_pattern_print(stdout, t->cost, &t->kind, &t->worst, &t->worst_answer);
    }
    return FX_OK;
}

int fx_verb_pattern(fx_call *call) {
    const fx_options *options = &call->options;
    fx_error err = {0};
    int exit_status;
    tour t = {.options = options, .for_programs = options->json || options->pattern.jsonl};
    fx_status status = fx_pattern_kind_of(options, &t.kind, &err);
    if (!status) {
        status = fx_pattern_source_open(options, &t.source, &err);
    }
    if (!status) {
        status = fx_pattern_cost_new(options, &t.kind, &t.cost, &err);
    }
    if (!status && options->pattern.file && fx_pattern_source_waits(t.source)) {
        (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* somebody may wait for an answer before the next question */
    }
    if (!status && !options->pattern.file && !t.for_programs && !fx_pattern_source_single(t.source)) {
        status = fx_pattern_loop_new(t.cost, &t.kind, &t.loop, &err);
    }
    if (!status) {
        status = walk(&t, &err);
    }
    if (options->json && t.count) {
        puts("]");
    }
    if (!status) {
        status = finish(&t, &err);
    }
    exit_status = status ? fx_exit_for(&err) : FX_EXIT_OK;
    end_row(&t);
    json_decref(t.worst.id);
    fx_pattern_loop_free(t.loop);
    fx_pattern_source_close(t.source);
    fx_pattern_cost_free(t.cost);
    return exit_status;
}
