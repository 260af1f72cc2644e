/* --fail-on: a conflict, or too many sectors or lines, as an exit status. Every step is judged by the laws alone, so
 * that the answer needs no GPU and no archive. Ways are the steps of the access over those of the same lanes side by
 * side; sectors>1x is of the sectors over the fewest that hold what the lanes want. */

#include "call/message.h"
#include "core/text.h"
#include "pattern.h"

enum { WAYS, SECTORS, LINES, SLOWDOWN, WORDS };
static const char *const words[WORDS] = {"ways", "sectors", "lines", "slowdown"};

/* Time is lost in any memory. */
static bool is_about(size_t condition, const char *space) {
    return condition == SLOWDOWN || strcmp(space, condition == WAYS ? "shared" : "global") == 0;
}

double fx_pattern_slowdown(const fx_pattern_answer *answer, bool least) {
    double most = 0;
    for (const fx_pattern_cost_at *at = answer->at; at < answer->at + answer->count; at++) {
        most = fmax(most, least && at->least > 0 ? at->least : at->times);
    }
    return most;
}

fx_status fx_pattern_gate_read(const char *conditions, fx_pattern_gate *out, fx_error *err) {
    *out = (fx_pattern_gate){0};
    for (const char *at = conditions, *next; at && *conditions; at = next) {
        at += strspn(at, " ");
        const size_t length = strcspn(at, ","), word = strcspn(at, "> ,");
        const char *sign = at + word + strspn(at + word, " "), *number = sign + (*sign == '>');
        next = at[length] ? at + length + 1 : NULL;
        size_t of = 0;
        while (of < WORDS && (strlen(words[of]) != word || strncmp(at, words[of], word) != 0)) {
            of++;
        }
        char *end = NULL;
        const double limit = strtod(number, &end);
        const bool known = of < WORDS && *sign == '>' && end > number && isfinite(limit) && limit >= 0,
                   relative = of != WAYS && *end == 'x';
        end += relative + strspn(end + relative, " ");
        FX_FAIL_IF(!known || end != at + length || out->count == FX_PATTERN_CONDITIONS, err, FX_BAD_INPUT,
                   "--fail-on %.*s: a condition is ways>N, sectors>N, sectors>Nx, lines>N, lines>Nx or slowdown>N, in "
                   "quotes, such as 'ways>1,sectors>1x'",
                   (int)(length > 60 ? 60 : length), at);
        out->condition[out->count++] = (fx_pattern_condition){.of = of, .relative = relative, .limit = limit};
    }
    return conditions && !out->count
               ? fx_fail(err, FX_BAD_INPUT, "--fail-on: no condition; give ways>N, sectors>Nx or lines>Nx")
               : FX_OK;
}

fx_pattern_judged fx_pattern_gate_judge(fx_pattern_gate *gate, fx_pattern_cost *cost, const fx_pattern_kind *kind,
                                        const fx_pattern *pattern, const fx_pattern_answer *answer, const char *name) {
    const fx_geometry *g = &cost->facts.geometry;
    const fx_pattern_cost_at *at = &answer->at[0];
    fx_pattern_judged judged = FX_GATE_PASSED;
    bool claimed = false, bounded = true; /* a law, at a level; at all */
    gate->judged = true;
    for (size_t i = 0; i < answer->count; i++) {
        claimed = claimed || fx_prediction_in_fit(&at[i].prediction);
        bounded = bounded && !isinf(fx_pattern_most(&at[i]));
    }
    for (fx_pattern_condition *c = gate->condition; c < gate->condition + gate->count; c++) {
        const bool of_ways = c->of == WAYS, of_time = c->of == SLOWDOWN;
        const unsigned bytes = c->of == LINES ? g->line_bytes : g->sector_bytes;
        if (!is_about(c->of, kind->space)) {
            continue;
        }
        const double limit = c->limit,
                     least =
                         c->relative ? fmax(fx_pattern_least_of(&pattern->lanes, pattern->whole_bytes, bytes), 1) : 1,
                     value = of_time              ? fx_pattern_slowdown(answer, false)
                             : !of_ways           ? fx_law_blocks(&pattern->lanes, pattern->whole_bytes, bytes) / least
                             : at->best_count > 0 ? at->prediction.count / at->best_count
                                                  : at->prediction.count;
        c->asked = true;
        const bool waits = kind->words == FX_CONTENDED_WORDS || fx_pattern_on_a_word(kind, pattern, 1) > 1;
        const char *why = of_time && (value > limit || !bounded) && fx_pattern_slowdown(answer, true) <= limit
                              ? "a warp's part of the L1 decides, by --block and gridDim.x=N, or what the L2 joins: "
                          : of_time && value <= limit && waits && !strcmp(kind->space, "global")
                              ? "waits for other threads that update the same words are not counted: "
                              : NULL;
        if (why) {
            (void)(strstr(gate->open, why) || fx_pattern_gate_open(gate, NULL, why, name));
            judged = judged > FX_GATE_UNSURE ? judged : FX_GATE_UNSURE;
        } else if (value > limit) {
            c->met = true;
            judged = FX_GATE_MET;
            if (value > c->worst) {
                c->worst = value;
                (void)snprintf(c->where, sizeof c->where, "%s", name);
            }
        } else if ((of_ways || of_time) && !claimed) {
            c->open = true; /* it may be more */
            judged = judged ? judged : FX_GATE_BOUND;
        }
    }
    return judged;
}

bool fx_pattern_gate_open(fx_pattern_gate *gate, const char *space, const char *how, const char *why) {
    for (size_t i = 0; i < gate->count; i++) {
        if (!space || !*space || is_about(gate->condition[i].of, space)) {
            fx_text_add(gate->open, sizeof gate->open, "%s%s%s", *gate->open ? "; " : "", how, why);
            return true;
        }
    }
    gate->judged = true; /* of other memory alone */
    return false;
}

void fx_pattern_gate_tell(json_t **list, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *list = *list ? *list : json_array();
    (void)json_array_append_new(*list, json_vsprintf(format, args));
    va_end(args);
}

void fx_pattern_gate_print(fx_pattern_gate *gate) {
    const json_t *const lists[] = {gate->notes, gate->fail_on};
    (void)fflush(stdout);
    for (size_t i = 0; i < FX_COUNT(lists); i++) {
        for (; gate->printed[i] < json_array_size(lists[i]); gate->printed[i]++) {
            fx_warn("%s", json_string_value(json_array_get(lists[i], gate->printed[i])));
        }
    }
}

int fx_pattern_gate_end(fx_pattern_gate *gate) {
    int status = *gate->faults ? FX_EXIT_NO : FX_EXIT_OK;
    if (*gate->faults) {
        fx_pattern_gate_tell(&gate->fail_on, "--fail-on is met: %s faults on the GPU", gate->faults);
    }
    for (const fx_pattern_condition *c = gate->condition; !gate->empty && c < gate->condition + gate->count; c++) {
        const char *word = words[c->of], *x = c->relative ? "x" : "";
        if (c->met) {
            fx_pattern_gate_tell(&gate->fail_on, "--fail-on %s>%g%s is met: %s has %.3g%s %s%s", word, c->limit, x,
                                 c->where, c->worst, x, word,
                                 *x && c->of != SLOWDOWN ? ", as few as possible being 1x" : "");
            status = FX_EXIT_NO;
        } else if (gate->judged && !c->asked && !*gate->open && !fx_is_quiet()) {
            fx_pattern_gate_tell(&gate->notes, "%s>%g%s: nothing to judge, since nothing accesses %s memory", word,
                                 c->limit, x, c->of == WAYS ? "shared" : "global");
        } else if ((!gate->judged && !*gate->open) || c->open) {
            fx_pattern_gate_tell(&gate->fail_on, "--fail-on %s>%g%s can't be decided: %s", word, c->limit, x,
                                 c->asked ? "no law is claimed for the access" : "nothing accesses memory");
            status = status ? status : FX_EXIT_UNDECIDED;
        }
    }
    if (*gate->open && !status) {
        fx_pattern_gate_tell(&gate->fail_on, "--fail-on can't be decided: %s", gate->open);
        return FX_EXIT_UNDECIDED;
    }
    return status;
}
