/* The verb: asks what each pattern costs, and shows it, the verdict first. */
#include "pattern.h"

#include <ctype.h>

#include "call/message.h"
#include "call/verb.h"
#include "core/text.h"

/* What a call asks for: the accesses, each with its cost. */
typedef struct job {
    const fx_options *options;
    fx_pattern_set *sets;
    size_t count, asked;     /* those behind `asked` are there for cures alone */
    fx_pattern_cost **costs; /* of each set; those of one kind are the same */
    fx_pattern_gate gate;
    bool lines, for_programs; /* in JSON: without an envelope, at all */
    bool annotates;           /* for GitHub Actions: a workflow command for each verdict that matters */
    bool met;                 /* this set meets a condition of the gate */
    int exit_status;          /* of the gate, where it is annotated */
    fx_pattern_loop together; /* for the gate: the steps of a set ... */
    fx_pattern_answer alone;  /* ... and without what they share */
    size_t shown;
} job;

static fx_pattern_use use_of(const job *j, size_t i) {
    const fx_pattern_set *set = &j->sets[i];
    return (fx_pattern_use){j->costs[i], &set->kind, set->patterns, set->count, set};
}

/* Those of the sets that access the same array, the one itself first, or of that a step of another warp alone. */
static size_t uses_of(const job *j, size_t i, const fx_pattern *only, fx_pattern_use uses[FX_PATTERN_USES]) {
    const fx_pattern_array *array = &j->sets[i].kind.array;
    size_t count = 1;
    uses[0] = use_of(j, i);
    uses[0].patterns = only ? only : uses[0].patterns;
    uses[0].count = only ? 1 : uses[0].count;
    for (size_t k = 0; k < j->count && count < FX_PATTERN_USES; k++) {
        const fx_pattern_array *other = &j->sets[k].kind.array;
        if (k != i && array->name_length && other->name_length == array->name_length &&
            !strncmp(other->name, array->name, (size_t)array->name_length) &&
            (!array->kernel || !strcmp(other->kernel, array->kernel))) {
            uses[count++] = use_of(j, k);
        }
    }
    return count;
}

/* Cures, and the verdict, of the uses' first. */
static bool find(fx_pattern_found *found, const fx_pattern_use *uses, size_t count, const fx_pattern_answer *sum) {
    const bool is_costly = fx_pattern_slowdown(sum, false) >= 1.005; /* else every level is shown as 1.00x */
    *found = (fx_pattern_found){.count = 0};
    if (is_costly && !uses[0].kind->no_cure) {
        found->count = fx_pattern_cures(uses, count, found->cures, &found->refused);
    }
    fx_pattern_verdict(found, uses, sum);
    return is_costly;
}

/* One element of the list, or one line; the last step has what all are. */
static void print_json(job *j, const fx_pattern_cost *cost, const fx_pattern_set *set, const fx_pattern *pattern,
                       const fx_pattern_answer *answer, const char *gate) {
    fx_pattern_use uses[FX_PATTERN_USES];
    fx_pattern_found found;
    const bool is_last = set->count && pattern == &set->patterns[set->count - 1];
    if (is_last) {
        (void)find(&found, uses, uses_of(j, (size_t)(set - j->sets), NULL, uses), &j->together.sum);
    }
    fputs(j->lines ? "" : j->shown ? "," : "[", stdout);
    j->shown++;
    fx_pattern_print_json(stdout, cost, set, pattern, answer, j->gate.count ? gate : NULL, is_last ? &found : NULL);
}

/* Tells the gate of a step of the set's first warp, or of another one; the answer for a program at once. */
static fx_pattern_judged judge(job *j, const fx_pattern_set *set, fx_pattern_cost *cost, const fx_pattern *pattern,
                               const fx_pattern_answer *answer, bool is_other) {
    static const char *const words[] = {"passed", "undecided", "undecided", "met"};
    char id[FX_PATTERN_ID_BYTES] = "", name[FX_PATTERN_WHERE_BYTES];
    if (!set->name || strcmp(json_string_value(pattern->id), set->name) != 0) {
        fx_pattern_id(pattern, id, sizeof id);
    }
    (void)snprintf(name, sizeof name, "%s%s%s%s%s", set->label ? set->label : "", set->name ? set->name : "",
                   set->name && *id ? ", " : "", id,
                   !set->others || is_other || !pattern->warp || strcmp(pattern->warp, "warp 0") != 0 ? ""
                   : *id                                                                              ? ", warp 0"
                                                                                                      : " of warp 0");
    fx_pattern_answer spared = *answer;
    for (size_t level = 0; level < j->together.sum.count; level++) {
        const fx_pattern_cost_at *sum = &j->together.sum.at[level];
        const double part = answer->at[level].times / j->alone.at[level].times;
        spared.at[level].least = part * sum->least;
        spared.at[level].times = part * sum->times;
    }
    const fx_pattern_judged judged = fx_pattern_gate_judge(&j->gate, cost, &set->kind, pattern, &spared, name);
    j->met = j->met || judged >= FX_GATE_UNSURE;
    if (j->for_programs) {
        print_json(j, cost, set, pattern, answer, words[judged]);
    }
    return judged;
}

static fx_pattern_answer predict(fx_pattern_cost *cost, const fx_pattern *pattern) {
    fx_pattern_answer answer = {.count = cost->kind->count};
    for (size_t level = 0; level < answer.count; level++) {
        fx_pattern_cost_level(cost, level, &pattern->lanes, pattern->width_bytes, &answer.at[level]);
    }
    return answer;
}

/* *found becomes the step of another warp that the gate judges worse than `most`, or as bad and slower than *worst,
 * which its answer replaces. An instruction of several that an element takes says too little alone. */
static void judge_others(job *j, const fx_pattern_set *set, fx_pattern_cost *cost, fx_pattern_judged most,
                         fx_pattern_answer *worst, const fx_pattern **found) {
    for (size_t i = 0; set->others && i < set->others->count; i++) {
        const fx_pattern *pattern = &set->others->patterns[i];
        const fx_pattern_answer answer = predict(cost, pattern);
        const fx_pattern_judged judged = judge(j, set, cost, pattern, &answer, true);
        const bool slower = fx_pattern_slowdown(&answer, false) > fx_pattern_slowdown(worst, false);
        if (pattern->whole_bytes == pattern->width_bytes && (judged > most || (judged == most && slower))) {
            *found = pattern;
            most = judged;
            *worst = answer;
        }
    }
}

/* At a place, up to the end of its line. */
static void annotate(FILE *to, const char *level, const char *place, const char *text) {
    fprintf(to, "::%s %.*stitle=gpufx pattern::", level, (int)strcspn(place, "\n"), place);
    fx_text_print_github(to, text);
    fputc('\n', to);
}

/* Without --fail-on what costs anything is annotated, as in explain. */
static void print_verdict(const job *j, const fx_pattern_set *set, const char *step, const char *text, bool is_costly,
                          FILE *to) {
    const char *name = (j->asked > 1 || j->annotates) && set->name ? set->name : "",
               *label = *name && set->label ? set->label : "", *comma = *name && *step ? ", " : "",
               *colon = *name || *step ? ": " : "";
    char *FX_FREED whole = fx_printed("%s%s%s%s%c%s", name, comma, step, colon,
                                      *colon || j->annotates ? *text : toupper((unsigned char)*text), text + 1);
    if (!j->annotates) {
        fx_print_wrapped(to, 2, "%s%s", label, whole);
    } else if (j->gate.count ? j->met : is_costly) {
        const char *level = j->gate.count && (set->faults || !set->why_not) ? "error" : "warning";
        for (const char *place = set->place ? set->place : ""; place; place = strchr(place, '\n')) {
            annotate(to, level, place += *place == '\n', whole);
        }
    }
}

/* Of one array, loads with loads and stores with stores; more would take longer than anybody waits. `other`: a step of
 * another warp alone. */
static void end_loop(const job *j, size_t i, const fx_pattern *other, fx_pattern_loop *loop) {
    enum { MOST = 1024 };
    fx_pattern_use uses[FX_PATTERN_USES];
    const size_t all = uses_of(j, i, other, uses);
    size_t count = 1;
    for (size_t u = 1; u < all; u++) {
        if (uses[u].kind->does == uses[0].kind->does && uses[u].count <= MOST) {
            uses[count++] = uses[u];
        }
    }
    fx_pattern_loop_end(loop, uses, count);
}

/* For the gate and for programs, before steps are judged. */
static void find_spared(job *j, size_t i) {
    const fx_pattern_set *set = &j->sets[i];
    j->together = (fx_pattern_loop){.cost = j->costs[i], .kind = &set->kind};
    for (size_t k = 0; (j->gate.count || j->for_programs) && k < set->count; k++) {
        const fx_pattern_answer answer = predict(j->costs[i], &set->patterns[k]);
        fx_pattern_loop_add(&j->together, &set->patterns[k], &answer);
    }
    j->alone = j->together.sum;
    end_loop(j, i, NULL, &j->together);
}

/* The verdict of a set to `verdicts`; to `body` the drawing of the worst step, what all cost together, and cures.
 * other: the worst is that of another warp, and the loop is it alone; NULL: it is not. */
static void show(job *j, size_t i, const fx_pattern_loop *loop, const fx_pattern *worst,
                 const fx_pattern_answer *of_worst, const fx_pattern *other, FILE *verdicts, FILE *body) {
    const fx_pattern_set *set = &j->sets[i];
    fx_pattern_use uses[FX_PATTERN_USES];
    fx_pattern_found found;
    const fx_pattern_answer *sum = &loop->sum;
    const bool is_costly = find(&found, uses, uses_of(j, i, other, uses), sum);
    char id[FX_PATTERN_ID_BYTES];
    fx_pattern_id(worst, id, sizeof id);
    print_verdict(j, set, other ? id : "", found.verdict, is_costly, verdicts);
    if (set->count > 1 || other) {
        fprintf(body, "the worst, %s: ", id);
    }
    /* Of one step the table of levels has what the verdict says. */
    fx_pattern_print(body, j->costs[i], &set->kind, worst, set->count == 1 && !other ? sum : of_worst);
    if (set->count > 1 && !other && loop->instructions > 0) {
        fprintf(body, "\nall %.0f %s:", loop->instructions,
                loop->steps < loop->instructions ? "instructions" : "steps");
        fx_pattern_print_levels(body, loop->cost, loop->kind, sum);
    }
    for (size_t c = 0; c < found.count; c++) {
        fx_pattern_print_cure(body, c ? "or" : "cure", uses, sum, &found.cures[c]);
    }
}

typedef struct shown_set {
    char *verdict, *body; /* verdict: NULL once it is printed */
    double lost;          /* cycles of an SM, of all steps, more than the ideal */
} shown_set;
#define LEAST_LOST 0.005 /* less is shown as 1.00x */

static fx_status show_set(job *j, size_t i, FILE *verdicts, FILE *body, shown_set *out, fx_error *err) {
    const fx_pattern_set *set = &j->sets[i];
    const fx_pattern *worst = set->patterns, *other = NULL;
    fx_pattern_loop loop = {.cost = j->costs[i], .kind = &set->kind};
    fx_pattern_answer answer, of_worst = {.count = 0};
    fx_pattern_judged most = FX_GATE_PASSED;
    j->met = false;
    find_spared(j, i);
    for (const fx_pattern *p = set->patterns; p < set->patterns + set->count; p++) {
        FX_TRY(fx_pattern_cost_of(j->costs[i], p, &answer, err));
        const fx_pattern_judged judged = judge(j, set, j->costs[i], p, &answer, false);
        fx_pattern_loop_add(&loop, p, &answer);
        const double lost = fx_pattern_lost(j->costs[i], &answer);
        if (p == set->patterns || judged > most || (judged == most && lost > out->lost)) {
            worst = p;
            out->lost = lost;
            most = judged;
            of_worst = answer;
        }
    }
    judge_others(j, set, j->costs[i], most, &of_worst, &other);
    if (j->for_programs) {
        return FX_OK;
    }
    if (other) {
        loop = (fx_pattern_loop){.cost = j->costs[i], .kind = &set->kind};
        fx_pattern_loop_add(&loop, other, &of_worst);
    }
    end_loop(j, i, other, &loop);
    out->lost = (double)(other ? set->count : 1) * fx_pattern_lost(j->costs[i], &loop.sum);
    show(j, i, &loop, other ? other : worst, &of_worst, other, verdicts, body);
    return FX_OK;
}

/* An access that can't be judged: in its place, and the gate can't hold. */
static void show_lost(job *j, const fx_pattern_set *set, FILE *verdicts) {
    j->met = j->gate.count > 0;
    if (j->gate.count && set->faults) {
        (void)snprintf(j->gate.faults, sizeof j->gate.faults, "%s", set->name);
    } else if (j->gate.count) {
        const char *space = json_string_value(json_object_get(set->owner, "space"));
        const char *cure = strstr(set->why_not, ": give ");
        char *FX_FREED why = fx_printed("%s: %s", set->name, set->why_not);
        const bool is_said = cure && strstr(j->gate.open, cure);
        j->met = fx_pattern_gate_open(&j->gate, space, is_said ? "not judged: " : "", is_said ? set->name : why);
    } else if (j->for_programs) {
        fx_warn("%s: %s", set->name, set->why_not);
    }
    if (j->for_programs) {
        print_json(j, NULL, set, NULL, NULL, set->faults ? "met" : j->met ? "undecided" : "passed");
    } else {
        print_verdict(j, set, "", set->why_not, true, verdicts);
    }
}

/* What faults, what loses time, what is not judged, and what is as fast as can be. */
static double rank_of(const fx_pattern_set *set, const shown_set *of) {
    const double lost = set->why_not ? LEAST_LOST : of->lost > LEAST_LOST ? of->lost : 0;
    return !of->verdict ? -1 : set->faults ? INFINITY : lost;
}

/* Verdicts first, so that they are what is read first, the worst before others; then all of what loses most time.
 * Annotations begin with the gate: GitHub shows ten of a step. */
static fx_status show_sets(job *j, fx_error *err) {
    shown_set *FX_FREED of = fx_new(j->asked, sizeof *of);
    size_t shown = j->asked;
    fx_status status = FX_OK;
    for (size_t i = 0; i < j->asked && !status; i++) {
        size_t sizes[2];
        FILE *verdict = fx_given(open_memstream(&of[i].verdict, &sizes[0])),
             *body = fx_given(open_memstream(&of[i].body, &sizes[1]));
        if (j->sets[i].why_not) {
            show_lost(j, &j->sets[i], verdict);
        } else {
            status = show_set(j, i, verdict, body, &of[i], err);
        }
        (void)fclose(verdict);
        (void)fclose(body);
    }
    j->exit_status = j->annotates && !status ? fx_pattern_gate_end(&j->gate) : FX_EXIT_OK;
    for (size_t i = 0; j->exit_status == FX_EXIT_UNDECIDED && i < json_array_size(j->gate.fail_on); i++) {
        annotate(stdout, "warning", j->gate.place, json_string_value(json_array_get(j->gate.fail_on, i)));
    }
    for (size_t n = 0; n < j->asked; n++) {
        size_t worst = 0;
        for (size_t i = 1; i < j->asked; i++) {
            worst = rank_of(&j->sets[i], &of[i]) > rank_of(&j->sets[worst], &of[worst]) ? i : worst;
        }
        fputs(of[worst].verdict ? of[worst].verdict : "", stdout);
        shown = shown == j->asked && of[worst].body && *of[worst].body ? worst : shown;
        free(of[worst].verdict);
        of[worst].verdict = NULL;
    }
    fx_pattern_gate_print(&j->gate);
    if (shown < j->asked && !status && !j->options->quiet && !j->annotates) {
        if (j->asked > 1) {
            puts("");
            fx_print_wrapped(stdout, 2, "%s%s:", of[shown].lost > LEAST_LOST ? "loses most time, " : "",
                             j->sets[shown].name);
        }
        fputs(of[shown].body, stdout);
    }
    for (size_t i = 0; i < j->asked; i++) {
        free(of[i].body);
    }
    return status;
}

/* One cost for each kind of access, which later sets of that kind share. */
static fx_status find_costs(job *j, fx_error *err) {
    j->costs = fx_new(j->count, sizeof *j->costs);
    for (size_t i = 0; i < j->count; i++) {
        if (j->sets[i].why_not) {
            continue;
        }
        for (size_t k = 0; k < i && !j->costs[i]; k++) {
            const fx_pattern_kind *a = &j->sets[i].kind, *b = &j->sets[k].kind;
            const bool same = b->space && !strcmp(a->space, b->space) && !strcmp(a->op, b->op) && a->count == b->count;
            j->costs[i] = same ? j->costs[k] : NULL;
        }
        if (!j->costs[i]) {
            FX_TRY(fx_pattern_cost_new(j->options, &j->sets[i].kind, &j->costs[i], err));
        }
        fx_pattern_kind *kind = &j->sets[i].kind;
        if (!strcmp(kind->op, FX_PATTERN_COUNTS) && j->costs[i]->facts.compute_major < 8) {
            kind->op = "atomic"; /* as any addition */
            kind->does = FX_ADDS;
            fx_pattern_cost_free(j->costs[i]);
            j->costs[i] = NULL;
            FX_TRY(fx_pattern_cost_new(j->options, kind, &j->costs[i], err));
        }
    }
    return FX_OK;
}

/* What is typed has a parser of its own, which needs no Python. */
static fx_status read_sets(job *j, const fx_pattern_kind *kind, unsigned width_bytes, fx_error *err) {
    const fx_pattern_options *o = &j->options->pattern;
    const fx_text_list *words = &j->options->words;
    const char *step = words->count ? words->text[words->count - 1] : "t=0";
    if (o->code || o->file) {
        return fx_pattern_code(j->options, &j->gate, &j->sets, &j->count, err);
    }
    FX_FAIL_IF(words->count > 1 || strncmp(step, "t=", 2) != 0, err, FX_BAD_INPUT,
               "'%.60s': --expr and --index take t=FIRST:LAST alone; --code takes values of other names", step);
    j->sets = fx_new(1, sizeof *j->sets);
    j->count = 1;
    j->sets[0].kind = *kind;
    return fx_pattern_typed(o, step, width_bytes, j->sets, err);
}

/* The last element for programs: what the gate says, and what was said beside the accesses. */
static void print_end(job *j, int exit_status) {
    static const char *const words[] = {"passed", "met", NULL, "undecided"};
    json_t *left = json_array(), *notes = j->gate.notes, *fail_on = j->gate.fail_on;
    for (size_t i = 0; i < j->asked; i++) {
        const fx_pattern_set *set = &j->sets[i];
        if (set->why_not) {
            json_array_append_new(left, json_pack("{s:s, s:s}", "access", set->name, "why", set->why_not));
        }
    }
    json_auto_t *end =
        json_pack("{s:n, s:s?, s:o, s:[o], s:o, s:o}", "id", "gate", j->gate.count ? words[exit_status] : NULL,
                  "fail_on", fail_on ? fail_on : json_array(), "judged",
                  json_sprintf("%zu of %zu accesses judged", j->asked - json_array_size(left), j->asked), "not_judged",
                  left, "notes", notes ? notes : json_array());
    j->gate.notes = j->gate.fail_on = NULL;
    fputs(j->lines ? "" : j->shown ? "," : "[", stdout);
    (void)fx_text_print_json(stdout, end, 0);
    puts(j->lines ? "" : "]");
}

static void free_job(job *j) {
    json_decref(j->gate.notes);
    json_decref(j->gate.fail_on);
    for (size_t i = 0; j->costs && i < j->count; i++) {
        for (size_t k = i + 1; k < j->count; k++) {
            j->costs[k] = j->costs[k] == j->costs[i] ? NULL : j->costs[k];
        }
        fx_pattern_cost_free(j->costs[i]);
    }
    free(j->costs);
    for (size_t i = 0; i < j->count; i++) {
        fx_pattern_set_free(&j->sets[i]);
    }
    free(j->sets);
}

int fx_verb_pattern(fx_call *call) {
    const fx_options *options = &call->options;
    fx_error err = {0};
    fx_pattern_kind kind;
    unsigned width_bytes = 0;
    job j = {.options = options,
             .lines = !strcmp(options->pattern.format, "jsonl"),
             .annotates = !strcmp(options->pattern.format, "github")};
    j.for_programs = j.lines || options->json;
    fx_status status;
    int exit_status;
    FX_GO(fx_pattern_check(options, &kind, &width_bytes, &err));
    FX_GO(fx_pattern_gate_read(options->pattern.fail_on, &j.gate, &err));
    FX_GO(read_sets(&j, &kind, width_bytes, &err));
    for (j.asked = j.count; j.asked && j.sets[j.asked - 1].beside; j.asked--) {
    }
    FX_GO(find_costs(&j, &err));
    FX_GO(show_sets(&j, &err));
cleanup:
    exit_status = status || j.annotates ? j.exit_status : fx_pattern_gate_end(&j.gate);
    fx_pattern_gate_print(&j.gate);
    exit_status = status ? fx_exit_for(&err) : exit_status;
    if (j.for_programs && !status && (j.gate.count || j.gate.notes)) {
        print_end(&j, exit_status);
    } else if (options->json && (j.shown || !status)) {
        puts(j.shown ? "]" : "[]");
    }
    if (status && j.annotates) {
        annotate(stdout, "error", "", err.text);
    }
    free_job(&j);
    return exit_status;
}
