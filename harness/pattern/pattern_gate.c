/* --fail-on: a conflict, or too many sectors, as an exit status. Every step is judged by the laws alone, so that the
 * answer needs no GPU and no archive. Ways are the steps of the access over those of the same lanes side by side;
 * sectors>1x is of the sectors over the fewest that hold what the lanes want. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/message.h"
#include "pattern.h"

fx_status fx_pattern_gate_read(const char *conditions, fx_pattern_gate *out, fx_error *err) {
    *out = (fx_pattern_gate){0};
    for (const char *at = conditions; at && *at;) {
        const size_t length = strcspn(at, ",");
        const bool of_ways = !strncmp(at, "ways>", 5), known = of_ways || !strncmp(at, "sectors>", 8);
        char *end = NULL;
        const double limit = known ? strtod(strchr(at, '>') + 1, &end) : 0;
        const bool relative = known && !of_ways && *end == 'x' && end > strchr(at, '>') + 1;
        end = relative ? end + 1 : end;
        FX_FAIL_IF(!known || end != at + length || end == strchr(at, '>') + 1 || !isfinite(limit) || limit < 0 ||
                       out->count == FX_PATTERN_CONDITIONS,
                   err, FX_BAD_INPUT,
                   "--fail-on %.*s: a condition is ways>N, sectors>N or sectors>Nx, such as 'ways>1,sectors>1x'",
                   (int)(length > 60 ? 60 : length), at);
        out->condition[out->count].of_ways = of_ways;
        out->condition[out->count].relative = relative;
        out->condition[out->count++].limit = limit;
        at += length + (at[length] == ',');
    }
    return conditions && !out->count
               ? fx_fail(err, FX_BAD_INPUT, "--fail-on: no condition; give ways>N, sectors>N or sectors>Nx")
               : FX_OK;
}

void fx_pattern_gate_judge(fx_pattern_gate *gate, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                           const fx_pattern *pattern, const fx_pattern_cost_at *at, const char *name) {
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    for (size_t i = 0; i < gate->count; i++) {
        const bool of_ways = gate->condition[i].of_ways;
        if (of_ways ? !shared : !global) {
            continue;
        }
        const double sectors = fx_law_blocks(&pattern->lanes, pattern->width_bytes,
                                             fx_pattern_facts(cost)->geometry.sector_bytes),
                     least = gate->condition[i].relative ? fmax(fx_pattern_least_sectors(cost, pattern), 1) : 1,
                     value = !of_ways             ? sectors / least
                             : at->best_count > 0 ? at->prediction.count / at->best_count
                                                  : at->prediction.count;
        gate->condition[i].asked = true;
        if (value > gate->condition[i].limit) {
            gate->condition[i].met = true;
            if (value > gate->condition[i].worst) {
                gate->condition[i].worst = value;
                (void)snprintf(gate->condition[i].where, sizeof gate->condition[i].where, "%s", name);
            }
        } else if (of_ways && (!at->prediction.law || fx_pattern_is_bound(at))) {
            gate->condition[i].open = true; /* it may be more */
        }
    }
}

int fx_pattern_gate_end(const fx_pattern_gate *gate) {
    int status = FX_EXIT_OK;
    bool any = false; /* a condition without an access that it speaks of holds beside one that has some */
    for (size_t i = 0; i < gate->count; i++) {
        any = any || gate->condition[i].asked;
    }
    for (size_t i = 0; i < gate->count; i++) {
        const bool of_ways = gate->condition[i].of_ways, asked = gate->condition[i].asked;
        const char *word = of_ways ? "ways" : "sectors", *x = gate->condition[i].relative ? "x" : "";
        const double limit = gate->condition[i].limit;
        if (gate->condition[i].met) {
            fx_warn("--fail-on %s>%g%s is met: %s has %.3g%s %s%s", word, limit, x, gate->condition[i].where,
                    gate->condition[i].worst, x, word, *x ? ", as few as possible being 1x" : "");
            status = FX_EXIT_NO;
        } else if (!any || gate->condition[i].open) {
            fx_warn("--fail-on %s>%g%s can't be decided: %s", word, limit, x,
                    asked     ? "no law is claimed for the access"
                    : of_ways ? "nothing accesses shared memory"
                              : "nothing accesses global memory");
            status = status ? status : FX_EXIT_UNDECIDED;
        }
    }
    return status;
}
