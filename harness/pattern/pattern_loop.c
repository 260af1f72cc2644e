/* The steps of a loop together: the sum of their costs at each level, and, for loads from global memory, what remains
 * of it since the L1 has the lines that earlier steps brought in, or other accesses of the array. The warp has the L1
 * for itself; how many warps leave each other's lines there is said beside it. Where that is more than an SM can have,
 * a level behind the L1 costs what the own sectors cost, each once; so does DRAM for stores, whose sectors meet in the
 * L2. */
#include <math.h>
#include <stdlib.h>

#include "cache_model.h"
#include "call/message.h"
#include "pattern.h"

/* Of an SM: the most warps, whatever the chip, and the L1 where no archive says its size: no chip has less. */
enum { TEXT_AT = 13, MOST_WARPS = 64, LEAST_L1_BYTES = 1 << 16 };

struct fx_pattern_loop {
    fx_pattern_cost *cost;
    const fx_pattern_kind *kind;
    fx_pattern_answer sum;
    size_t steps, instructions;
    fx_cache_model *l1; /* of stores: where they meet; NULL: nothing is found again */
    fx_brought brought; /* by all steps, and what anybody wants of it */
    fx_brought beside;  /* by other accesses */
    bool is_shared;     /* a sector of theirs is one of another access, too */
    bool is_known;      /* l1_bytes: by an archive or the device */
    uint64_t l1_bytes, kept_bytes, sectors, found;
    double reused[FX_PATTERN_LEVELS]; /* the sum where the L1 serves what it has, and this level the rest */
};

fx_status fx_pattern_loop_new(fx_pattern_cost *cost, const fx_pattern_kind *kind, fx_pattern_loop **out,
                              fx_error *err) {
    fx_pattern_loop *loop = calloc(1, sizeof *loop);
    *out = loop;
    FX_FAIL_IF(!loop, err, FX_NO_MEMORY, "out of memory while adding up the steps of a loop");
    loop->cost = cost;
    loop->kind = kind;
    if (kind->count > 1) { /* loads and stores of global memory */
        const uint64_t known = fx_pattern_sm_bytes(cost);
        loop->l1_bytes = known ? known : LEAST_L1_BYTES;
        loop->is_known = known > 0;
    }
    if (loop->l1_bytes) {
        const fx_cache_sizes sizes = {
            .l1_bytes = loop->l1_bytes, .l2_bytes = UINT64_MAX, .blocks_at_once = 1, .blocks_per_record = 1};
        FX_TRY(fx_cache_model_new(&loop->l1, err));
        fx_cache_model_launch(loop->l1, &sizes);
    }
    return FX_OK;
}

/* Asks the L1 for the sectors of the access; the lanes that are left without are those of `missing`. */
static fx_status ask_l1(fx_pattern_loop *loop, const fx_pattern *pattern, fx_brought *brought, fx_lanes *missing,
                        fx_error *err) {
    enum { MOST_SECTORS = 2 * FX_WARP };
    uint64_t known[MOST_SECTORS];
    bool found[MOST_SECTORS];
    size_t count = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t first = pattern->lanes.offset[l];
        missing->offset[l] = -1;
        for (int64_t s = first / FX_SECTOR_BYTES;
             first >= 0 && s <= (first + pattern->width_bytes - 1) / FX_SECTOR_BYTES; s++) {
            const unsigned sector = (unsigned)(s % (FX_LINE_BYTES / FX_SECTOR_BYTES));
            fx_cache_line line = {.line = (uint64_t)s * FX_SECTOR_BYTES / FX_LINE_BYTES, .sectors = 1u << sector};
            fx_served served = {0};
            size_t at = 0;
            while (at < count && known[at] != (uint64_t)s) {
                at++;
            }
            for (int64_t byte = 0; byte < FX_SECTOR_BYTES; byte++) {
                const int64_t from = first - s * FX_SECTOR_BYTES;
                line.bytes[sector] |= from <= byte && byte < from + pattern->width_bytes ? 1u << byte : 0;
            }
            FX_TRY(fx_cache_model_load(loop->l1, line, true, brought, &served, err));
            if (at == count) {
                known[count] = (uint64_t)s;
                found[count++] = served.l1 > 0;
                loop->found += served.l1;
            }
            missing->offset[l] = found[at] ? missing->offset[l] : (int32_t)first;
        }
    }
    loop->sectors += count;
    return FX_OK;
}

/* The same access by the lanes that are left. */
static double cost_of(const fx_pattern_loop *loop, size_t level, const fx_lanes *lanes, unsigned width_bytes) {
    fx_pattern_cost_at at;
    if (!fx_lanes_span(lanes, width_bytes)) {
        return 0;
    }
    fx_pattern_cost_level(loop->cost, level, lanes, width_bytes, &at);
    return at.predicted;
}

/* The L1 looks up all of it; what it lacks comes from the level meanwhile. */
static fx_status add_reused(fx_pattern_loop *loop, const fx_pattern *pattern, const fx_pattern_answer *answer,
                            fx_error *err) {
    fx_lanes missing;
    FX_TRY(ask_l1(loop, pattern, &loop->brought, &missing, err));
    for (size_t i = 1; loop->kind->does == FX_LOADS && i < answer->count; i++) {
        const double left = cost_of(loop, i, &missing, pattern->width_bytes);
        loop->reused[i] += loop->kind->level[i].by == FX_LEVEL_L2 ? fmax(left, answer->at[0].predicted) : left;
    }
    return FX_OK;
}

fx_status fx_pattern_loop_add(fx_pattern_loop *loop, const fx_pattern *pattern, const fx_pattern_answer *answer,
                              fx_error *err) {
    if (!fx_lanes_span(&pattern->lanes, pattern->width_bytes)) {
        return FX_OK; /* no lane is active in this step */
    }
    for (size_t i = 0; i < answer->count; i++) {
        const fx_pattern_cost_at *from = &answer->at[i];
        fx_pattern_cost_at *to = &loop->sum.at[i];
        const fx_pattern_cost_at before = *to;
        if (!loop->instructions || fx_pattern_is_bound(from)) {
            *to = *from; /* law, fit and unit; a sum with a bound is one */
        }
        to->prediction.count = before.prediction.count + from->prediction.count;
        to->best_count = before.best_count + from->best_count;
        to->predicted = before.predicted + from->predicted;
        to->best = before.best + from->best;
        to->measured = before.measured + from->measured;
        to->times = isfinite(to->predicted) ? to->predicted / to->best : to->prediction.count / to->best_count;
    }
    loop->sum.count = answer->count;
    loop->steps += pattern->whole_bytes > 0;
    loop->instructions++;
    return loop->l1 ? add_reused(loop, pattern, answer, err) : FX_OK;
}

fx_status fx_pattern_loop_share(fx_pattern_loop *loop, const fx_pattern *patterns, size_t count, fx_error *err) {
    const uint64_t sectors = loop->sectors, found = loop->found;
    fx_lanes missing;
    for (size_t i = 0; loop->l1 && i < count; i++) {
        FX_TRY(ask_l1(loop, &patterns[i], &loop->beside, &missing, err));
    }
    loop->is_shared = loop->is_shared || loop->found > found;
    loop->sectors = sectors;
    loop->found = found;
    return FX_OK;
}

/* Sectors that stay, each counted once: a level that other steps spare costs what they are more than the bytes that
 * anybody wants of them. */
void fx_pattern_loop_end(fx_pattern_loop *loop) {
    if (!loop->l1) {
        return;
    }
    loop->kept_bytes = fx_cache_model_l1_lines(loop->l1) * FX_LINE_BYTES;
    fx_cache_model_end(loop->l1);
    if ((!loop->found && !loop->is_shared) || loop->l1_bytes / loop->kept_bytes <= MOST_WARPS) {
        return;
    }
    const double needed = ceil((double)loop->brought.bytes / FX_SECTOR_BYTES);
    for (size_t i = 1; i < loop->sum.count; i++) {
        fx_pattern_cost_at *at = &loop->sum.at[i];
        const double times = (double)loop->brought.sectors / needed;
        if (at->prediction.law && times < at->times) {
            at->times = times;
            at->prediction.count = at->best_count * times;
            at->predicted = at->best * times;
            loop->sum.spared = loop->is_shared ? "accesses" : "steps";
        }
    }
}

static void print_reused(FILE *to, const fx_pattern_loop *loop) {
    const uint64_t bytes = loop->kept_bytes;
    char text[64], costs[128] = "";
    size_t length = 0;
    for (size_t i = 1; i < loop->sum.count; i++) {
        const fx_pattern_cost_at *at = &loop->sum.at[i];
        if (isfinite(loop->reused[i]) && !loop->sum.spared) {
            length += (size_t)snprintf(costs + length, sizeof costs - length, "%s%s%s %s", length ? ", " : ": ",
                                       loop->kind->level[i].name, fx_pattern_is_bound(at) ? " at least" : "",
                                       fx_pattern_value_text(loop->reused[i], at->unit, text, sizeof text));
        }
    }
    fx_print_wrapped(to, TEXT_AT, "  L1 reuse   %llu of %llu sectors are still in the L1 from an earlier step%s",
                     (unsigned long long)loop->found, (unsigned long long)loop->sectors, loop->found ? costs : "");
    if (loop->found) {
        fx_print_wrapped(to, TEXT_AT,
                         "             a warp keeps %llu bytes there; %llu such warps fill the %llu KiB of an SM, less "
                         "its shared memory",
                         (unsigned long long)bytes, (unsigned long long)(loop->l1_bytes / bytes),
                         (unsigned long long)(loop->l1_bytes >> 10));
    }
}

const fx_pattern_answer *fx_pattern_loop_sum(const fx_pattern_loop *loop) {
    return &loop->sum;
}

bool fx_pattern_loop_is_split(const fx_pattern_loop *loop) {
    return loop->steps < loop->instructions;
}

void fx_pattern_loop_print(FILE *to, const fx_pattern_loop *loop) {
    if (!loop->instructions) {
        return;
    }
    fprintf(to, "\nall %zu %s:", loop->instructions, fx_pattern_loop_is_split(loop) ? "instructions" : "steps");
    fx_pattern_print_levels(to, loop->cost, loop->kind, &loop->sum);
    if (loop->is_known && loop->kind->does == FX_LOADS) {
        print_reused(to, loop);
    } else if (loop->sum.spared && loop->found && loop->kind->does == FX_STORES) {
        fx_print_wrapped(
            to, TEXT_AT,
            "  merged     %llu of %llu sectors meet those of an earlier step in the L2, and go to DRAM once",
            (unsigned long long)loop->found, (unsigned long long)loop->sectors);
    }
}

void fx_pattern_loop_free(fx_pattern_loop *loop) {
    if (loop) {
        fx_cache_model_free(loop->l1);
        free(loop);
    }
}
