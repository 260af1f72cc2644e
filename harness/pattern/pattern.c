/* The verb: reads patterns one by one, asks what each costs, shows it. */
#include "pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "call/verb.h"

typedef struct tour {
    const fx_options *options;
    FILE *to;
    fx_pattern_set *set; /* what is walked; NULL: `source`, which is read as it goes */
    const fx_pattern_kind *kind;
    fx_pattern_source *source;
    fx_pattern_cost *cost; /* borrowed */
    fx_pattern_gate *gate;
    fx_pattern worst;
    fx_pattern_answer worst_answer;
    size_t at, count;
    bool warned, for_programs, first_of_all; /* in JSON */
    fx_pattern_loop *loop;                   /* of a set */
    /* Steps that cost the same are one row, from the first of them to the last. */
    char *row; /* owned, behind the id; NULL: there is none yet */
    char first[FX_PATTERN_ID_BYTES], last[FX_PATTERN_ID_BYTES];
} tour;

/* What a call asks for: the accesses, each with its cost. */
typedef struct job {
    const fx_options *options;
    fx_pattern_set *sets;
    size_t count;
    fx_pattern_cost **costs; /* of each set; those of one kind are the same */
    fx_pattern_gate gate;
    size_t shown;
} job;

static bool is_single(const tour *t) {
    return t->set ? t->set->count == 1 : fx_pattern_source_single(t->source);
}

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
        fx_pattern_print_id(t->to, t->cost, t->kind, id);
        fputs(t->row, t->to);
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
    fx_pattern_print_row(to, t->cost, t->kind, pattern, answer);
    if (fclose(to)) {
        free(row);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while printing a row");
    }
    if (!t->count) {
        fx_pattern_print_head(t->to, t->cost, t->kind, answer);
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
    if (t->gate->count) {
        char id[FX_PATTERN_ID_BYTES];
        fx_pattern_id(pattern, id, sizeof id);
        fx_pattern_gate_judge(t->gate, t->cost, t->kind, pattern, answer, t->set && t->set->name ? t->set->name : id);
    }
    if (t->loop) {
        FX_TRY(fx_pattern_loop_add(t->loop, pattern, answer, err));
    }
    if (t->for_programs) {
        return fx_pattern_print_json(t->to, t->cost, t->kind, pattern, answer, err);
    }
    if (!is_single(t)) {
        return show_row(t, pattern, answer, err);
    }
    return FX_OK;
}

static fx_status next(tour *t, fx_pattern *out, bool *more, fx_error *err) {
    if (!t->set) {
        return fx_pattern_next(t->source, out, more, err);
    }
    *more = t->at < t->set->count;
    if (*more) {
        *out = t->set->patterns[t->at++];
        json_incref(out->id);
    }
    return FX_OK;
}

static fx_status walk(tour *t, fx_error *err) {
    bool more;
    fx_pattern pattern;
    fx_pattern_answer answer;
    fx_status status = next(t, &pattern, &more, err);
    while (!status && more) {
        status = fx_pattern_cost_of(t->cost, &pattern, &answer, err);
        if (!status) {
            if (t->options->json) {
                fputs(t->first_of_all ? "[" : ",", t->to);
                t->first_of_all = false;
            }
            status = show(t, &pattern, &answer, err);
        }
        if (fx_pattern_measured_on(t->cost)) {
            (void)fflush(t->to); /* measuring takes its time: what is known is reported */
        }
        if (!status && (t->count++ == 0 || is_worse(&answer, &t->worst_answer))) {
            json_decref(t->worst.id);
            t->worst = pattern;
            t->worst_answer = answer;
        } else {
            json_decref(pattern.id);
        }
        if (!status) {
            status = next(t, &pattern, &more, err);
        }
    }
    return status;
}

/* The worst pattern of a file, with its own verdict and cures. */
static void finish_file(tour *t) {
    const fx_pattern_use use = {t->cost, t->kind, &t->worst, 1};
    fx_pattern_cure cures[FX_MAX_CURES], refused = {.costs_others = 0};
    char id[FX_PATTERN_ID_BYTES], name[FX_PATTERN_ID_BYTES + 16];
    const size_t count = fx_pattern_cures(&use, 1, cures, &refused);
    end_row(t);
    fx_pattern_id(&t->worst, id, sizeof id);
    (void)snprintf(name, sizeof name, "the worst, %s", id);
    fputc('\n', t->to);
    fx_pattern_print_verdict(t->to, name, &use, &t->worst_answer, cures, count, &refused);
    fx_pattern_print(t->to, t->cost, t->kind, &t->worst, &t->worst_answer);
    fx_pattern_print_cures(t->to, &use, &t->worst_answer, cures, count);
}

/* Rows, loop, the worst step and the cures of all steps. */
static void finish_set(tour *t, const fx_pattern_use *use, const fx_pattern_cure *cures, size_t count) {
    if (!is_single(t)) {
        char id[FX_PATTERN_ID_BYTES];
        end_row(t);
        fx_pattern_loop_print(t->to, t->loop);
        fx_pattern_id(&t->worst, id, sizeof id);
        fprintf(t->to, "\nthe worst, %s: ", id);
    }
    fx_pattern_print(t->to, t->cost, t->kind, &t->worst, &t->worst_answer);
    fx_pattern_print_cures(t->to, use, fx_pattern_loop_sum(t->loop), cures, count);
}

/* Those of the sets that access the same array, the one itself first. */
static size_t uses_of(const job *j, size_t i, fx_pattern_use uses[FX_PATTERN_USES]) {
    const fx_pattern_array *array = &j->sets[i].kind.array;
    size_t count = 0;
    uses[count++] = (fx_pattern_use){j->costs[i], &j->sets[i].kind, j->sets[i].patterns, j->sets[i].count};
    for (size_t k = 0; k < j->count && count < FX_PATTERN_USES; k++) {
        const fx_pattern_array *other = &j->sets[k].kind.array;
        if (k != i && array->name_length && other->name_length == array->name_length &&
            !strncmp(other->name, array->name, (size_t)array->name_length)) {
            uses[count++] = (fx_pattern_use){j->costs[k], &j->sets[k].kind, j->sets[k].patterns, j->sets[k].count};
        }
    }
    return count;
}

/* One access: its verdict to `verdicts`, the rest to `body`. */
static fx_status show_set(job *j, size_t i, FILE *verdicts, FILE *body, fx_error *err) {
    fx_pattern_set *set = &j->sets[i];
    fx_pattern_use uses[FX_PATTERN_USES];
    fx_pattern_cure cures[FX_MAX_CURES], refused = {.costs_others = 0};
    tour t = {.options = j->options,
              .set = set,
              .kind = &set->kind,
              .cost = j->costs[i],
              .gate = &j->gate,
              .for_programs = j->options->json || j->options->pattern.jsonl,
              .first_of_all = !i};
    t.to = t.for_programs ? stdout : body;
    fx_status status = fx_pattern_loop_new(t.cost, t.kind, &t.loop, err);
    if (!status) {
        if (set->name && !t.for_programs) {
            fputs(i ? "\n" : "", body);
            fx_print_wrapped(body, 2, "%s:", set->name);
        }
        status = walk(&t, err);
    }
    if (!status && !t.for_programs) {
        const size_t used = uses_of(j, i, uses), count = fx_pattern_cures(uses, used, cures, &refused);
        fx_pattern_print_verdict(verdicts, set->name, uses, fx_pattern_loop_sum(t.loop), cures, count, &refused);
        finish_set(&t, uses, cures, count);
    }
    j->shown += t.count;
    free(t.row);
    json_decref(t.worst.id);
    fx_pattern_loop_free(t.loop);
    return status;
}

/* Verdicts first, so that they are what is read first. */
static fx_status show_sets(job *j, fx_error *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *body = open_memstream(&text, &size);
    fx_status status = body ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while printing");
    for (size_t i = 0; i < j->count && !status; i++) {
        status = show_set(j, i, stdout, body, err);
    }
    if (body) {
        (void)fclose(body);
    }
    if (text && size && !status) {
        if (j->count > 1) {
            fputc('\n', stdout);
        }
        fputs(text, stdout);
    }
    free(text);
    return status;
}

/* One cost for each kind of access, which later sets of that kind share. */
static fx_status find_costs(job *j, fx_error *err) {
    j->costs = calloc(j->count, sizeof *j->costs);
    if (!j->costs) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while predicting patterns");
    }
    for (size_t i = 0; i < j->count; i++) {
        for (size_t k = 0; k < i && !j->costs[i]; k++) {
            const fx_pattern_kind *a = &j->sets[i].kind, *b = &j->sets[k].kind;
            j->costs[i] = !strcmp(a->space, b->space) && a->does == b->does ? j->costs[k] : NULL;
        }
        if (!j->costs[i]) {
            FX_TRY(fx_pattern_cost_new(j->options, &j->sets[i].kind, &j->costs[i], err));
        }
    }
    return FX_OK;
}

/* The one access of --lanes or --expr with all its steps. */
static fx_status read_set(job *j, const fx_pattern_kind *kind, fx_error *err) {
    fx_pattern_source *source = NULL;
    bool more = true;
    j->sets = calloc(1, sizeof *j->sets);
    if (!j->sets) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading patterns");
    }
    j->count = 1;
    j->sets[0].kind = *kind;
    fx_status status = fx_pattern_source_open(j->options, &source, err);
    while (!status && more) {
        fx_pattern pattern;
        status = fx_pattern_next(source, &pattern, &more, err);
        if (!status && more) {
            status = fx_pattern_set_add_take(&j->sets[0], &pattern, err);
        }
    }
    fx_pattern_source_close(source);
    return status;
}

static fx_status walk_file(job *j, const fx_pattern_kind *kind, fx_error *err) {
    tour t = {.options = j->options,
              .to = stdout,
              .kind = kind,
              .gate = &j->gate,
              .for_programs = j->options->json || j->options->pattern.jsonl,
              .first_of_all = true};
    fx_status status = fx_pattern_source_open(j->options, &t.source, err);
    if (!status) {
        status = fx_pattern_cost_new(j->options, kind, &t.cost, err);
    }
    if (!status && fx_pattern_source_waits(t.source)) {
        (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* somebody may wait for an answer before the next question */
    }
    if (!status) {
        status = walk(&t, err);
    }
    if (!status && !t.count) {
        status = fx_fail(err, FX_BAD_INPUT, "--file %s holds no pattern", j->options->pattern.file);
    } else if (!status && !t.for_programs) {
        finish_file(&t);
    }
    j->shown = t.count;
    end_row(&t);
    json_decref(t.worst.id);
    fx_pattern_source_close(t.source);
    fx_pattern_cost_free(t.cost);
    return status;
}

static void free_job(job *j) {
    for (size_t i = 0; j->costs && i < j->count; i++) {
        bool shared = false;
        for (size_t k = 0; k < i; k++) {
            shared = shared || j->costs[k] == j->costs[i];
        }
        if (!shared) {
            fx_pattern_cost_free(j->costs[i]);
        }
    }
    for (size_t i = 0; i < j->count; i++) {
        fx_pattern_set_free(&j->sets[i]);
    }
    free(j->costs);
    free(j->sets);
}

int fx_verb_pattern(fx_call *call) {
    const fx_options *options = &call->options;
    fx_error err = {0};
    fx_pattern_kind kind;
    job j = {.options = options};
    fx_status status = fx_pattern_kind_of(options, &kind, &err);
    if (!status) {
        status = fx_pattern_gate_read(options->pattern.fail_on, &j.gate, &err);
    }
    if (!status && options->pattern.file) {
        status = walk_file(&j, &kind, &err);
    } else if (!status) {
        status = options->pattern.code ? fx_pattern_code(options, &j.sets, &j.count, &err) : read_set(&j, &kind, &err);
        if (!status) {
            status = find_costs(&j, &err);
        }
        if (!status) {
            status = show_sets(&j, &err);
        }
    }
    if (options->json && j.shown) {
        puts("]");
    }
    const int exit_status = status ? fx_exit_for(&err) : fx_pattern_gate_end(&j.gate);
    free_job(&j);
    return exit_status;
}
