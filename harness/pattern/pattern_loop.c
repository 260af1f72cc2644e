/* The steps of a loop together: the sum of their costs at each level, and what of their sectors a level serves again,
 * since what is in front of it has them no longer. A warp has its share of a cache, of which block, grid and shared
 * memory say how many warps there are; a sector stays there if fewer others follow until its next use, by the loop or
 * by other accesses of the array in the same loop. Loads meet in the L1, for the L2, and in the L2, for DRAM; stores in
 * the L2. */

#include "cache_model.h"
#include "pattern.h"

/* Of an SM: the most warps and blocks, and the L1 where no archive says its size: no chip has less. */
enum { MOST_WARPS = 64, MOST_BLOCKS = 32, LEAST_L1_BYTES = 1 << 16 };
#define RANGE 0.9  /* of what it costs at most: less is reported */
#define SLACK 1.25 /* a real cache keeps some lines of more than it holds, and loses some of fewer */

void fx_pattern_loop_add(fx_pattern_loop *loop, const fx_pattern *pattern, const fx_pattern_answer *answer) {
    if (!fx_lanes_span(&pattern->lanes, pattern->width_bytes)) {
        return; /* no lane is active in this step */
    }
    const double weight = fx_pattern_weight(pattern);
    for (size_t i = 0; i < answer->count; i++) {
        const fx_pattern_cost_at *from = &answer->at[i];
        fx_pattern_cost_at *to = &loop->sum.at[i];
        const fx_pattern_cost_at before = *to;
        if (loop->instructions <= 0 || from->prediction.why_not) {
            *to = *from; /* law, fit and unit; a sum with a bound is one */
        }
        to->prediction.count = before.prediction.count + weight * from->prediction.count;
        to->best_count = before.best_count + weight * from->best_count;
        to->predicted = before.predicted + weight * from->predicted;
        to->best = before.best + weight * from->best;
        to->measured = before.measured + weight * from->measured;
        to->gaps = before.gaps || from->gaps;
        to->times = isfinite(to->predicted) ? to->predicted / to->best : to->prediction.count / to->best_count;
    }
    loop->sum.count = answer->count;
    loop->steps += pattern->whole_bytes > 0 ? weight : 0;
    loop->instructions += weight;
}

/* Of a step, and of a loop; what comes behind them is added to the first ones. */
enum { MOST_SECTORS = 2 * FX_WARP, KEPT = 128 * MOST_SECTORS };

/* A cache that steps go through, and what it has found of those of the first use. */
typedef struct passing {
    fx_cache_model *cache;
    fx_brought brought[KEPT], beside; /* by the first use, and what is wanted of it; by others */
    uint8_t asked[KEPT];              /* sectors of a pair */
    uint64_t sectors, found;          /* or pairs */
    bool of_first, of_others;         /* whose bytes are wanted */
    bool scattered, in_pairs;         /* as DRAM is read */
} passing;

static void pass(passing *p, const fx_pattern_use *use, size_t step, bool is_first) {
    const fx_pattern *pattern = &use->patterns[step];
    const uint32_t wanted = (is_first ? p->of_first : p->of_others) ? UINT32_MAX : 0;
    int64_t known[MOST_SECTORS];
    size_t count = 0;
    const int64_t unit = p->in_pairs ? 2 * FX_SECTOR_BYTES : FX_SECTOR_BYTES;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t first = pattern->lanes.offset[l];
        for (int64_t s = first / unit; first >= 0 && s <= (first + pattern->width_bytes - 1) / unit; s++) {
            const unsigned sector = (unsigned)(s * unit % FX_LINE_BYTES / FX_SECTOR_BYTES);
            fx_cache_line line = {.line = (uint64_t)(s * unit / FX_LINE_BYTES),
                                  .sectors = (p->in_pairs ? 3u : 1u) << sector};
            fx_served served = {0};
            size_t at = 0;
            while (at < count && known[at] != s) {
                at++;
            }
            const int64_t from = first - s * unit, end = from + pattern->width_bytes, begin = from > 0 ? from : 0,
                          bytes = (end < unit ? end : unit) - begin;
            const uint64_t mask = (((uint64_t)1 << bytes) - 1) << begin;
            const size_t slot = (step * MOST_SECTORS + at) % KEPT;
            line.bytes[sector] = (uint32_t)mask & wanted;
            line.bytes[sector + p->in_pairs] |= (uint32_t)(mask >> 32 * p->in_pairs) & wanted;
            p->asked[slot] |= is_first ? (uint8_t)(((uint32_t)mask > 0) | (mask >> 32 > 0) << 1) : 0;
            fx_brought *brought = is_first ? &p->brought[slot] : &p->beside;
            fx_cache_model_load(p->cache, line, true, brought, &served);
            if (at == count) {
                known[count++] = s;
                p->found += is_first ? served.l1 >> p->in_pairs : 0;
            }
        }
    }
    p->sectors += is_first ? count : 0;
}

/* Uses of one loop take turns, the first before the others; those of other loops follow. */
static void pass_through(uint64_t bytes, const fx_pattern_use *uses, size_t count, passing *out) {
    const fx_cache_sizes sizes = {
        .l1_bytes = bytes, .l2_bytes = UINT64_MAX, .blocks_at_once = 1, .blocks_per_record = 1};
    size_t most = 0;
    out->cache = fx_cache_model_new();
    fx_cache_model_launch(out->cache, &sizes);
    for (size_t u = 0; u < count; u++) {
        most = uses[u].count > most ? uses[u].count : most;
    }
    for (int in_loop = 1; in_loop >= 0; in_loop--) {
        for (size_t i = 0; i < most; i++) {
            for (size_t u = 0; u < count; u++) {
                if (i < uses[u].count && (uses[u].kind->loop == uses[0].kind->loop) == in_loop) {
                    pass(out, &uses[u], i, !u);
                }
            }
        }
    }
    fx_cache_model_end(out->cache);
    fx_cache_model_free(out->cache);
}

/* Many lines for the sectors: more than one beside those that would hold these side by side. */
static bool is_scattered(const fx_pattern_use *use) {
    size_t sectors = 0, lines = 0;
    for (size_t i = 0; i < use->count; i++) {
        sectors += fx_law_blocks(&use->patterns[i].lanes, use->patterns[i].width_bytes, FX_SECTOR_BYTES);
        lines += fx_law_blocks(&use->patterns[i].lanes, use->patterns[i].width_bytes, FX_LINE_BYTES);
    }
    return lines > sectors * FX_SECTOR_BYTES / FX_LINE_BYTES + 2 * use->count;
}

/* What is brought over the fewest sectors that hold what is wanted of it. Where it is scattered, as many sectors or
 * pairs as the first use takes alone cost as much as that, and each byte that anybody wants pays alike. */
static double excess(const fx_pattern_cost_at *at, const fx_brought *brought, const passing *all, uint64_t own) {
    const double part = (double)(brought->sectors >> all->in_pairs) / (double)all->sectors;
    return all->scattered ? fmax(at->times * part * (double)own / (double)brought->bytes, 1)
                          : (double)brought->sectors / ceil((double)brought->bytes / FX_SECTOR_BYTES);
}

static void add_brought(fx_brought *to, const fx_brought *from) {
    to->sectors += from->sectors;
    to->bytes += from->bytes;
    to->filled += from->filled;
}

/* A level that the steps spare costs what their sectors cost by the bytes that anybody wants of them; where others
 * share some of the sectors, these do, and the rest costs what it costs alone, each by its wanted bytes. */
static void spare(fx_pattern_loop *loop, fx_pattern_cost_at *at, const passing *all, const passing *first,
                  const passing *others) {
    fx_brought shared = {0}, rest = {0}, own = {0}; /* own: of those shared, what the first use wants */
    uint64_t wanted = 0;                            /* by it, of all */
    for (size_t k = 0; k < KEPT; k++) {
        const bool is_shared = others->brought[k].bytes > 0;
        fx_brought one = all->brought[k];
        one.filled = one.sectors ? (unsigned)__builtin_popcount(all->asked[k]) : 0; /* here: sectors of the first use */
        add_brought(is_shared ? &shared : &rest, &one);
        own.bytes += is_shared ? first->brought[k].bytes : 0;
        wanted += first->brought[k].bytes;
    }
    const bool is_shared = shared.bytes > own.bytes; /* else others want the same bytes alone */
    double times = at->times;
    if (!is_shared) {
        add_brought(&rest, &shared);
        own.bytes = 0;
    }
    if (all->found && rest.sectors) {
        times = fmin(times, excess(at, &rest, all, wanted));
    }
    if (is_shared) {
        const double part = (double)own.bytes / (double)(own.bytes + rest.bytes);
        times = (1 - part) * times + part * excess(at, &shared, all, wanted);
    }
    if (at->prediction.law && times < at->times) {
        at->times = times;
        at->prediction.count = at->best_count * times;
        at->predicted = at->best * times;
        loop->sum.spared = is_shared ? "accesses" : "steps";
        loop->sum.shared = is_shared ? shared.filled : 0;
        loop->sum.lone = is_shared ? rest.filled : 0;
    }
}

/* Bytes of a cache for each warp that has lines of its own; *warps become as many as there may be, else as few. */
static uint64_t share_of(const fx_pattern_loop *loop, bool is_dram, bool most, uint64_t *warps) {
    const fx_pattern_launch *launch = &loop->kind->launch;
    const fx_facts *facts = &loop->cost->facts;
    const uint64_t sms = fx_pattern_fact(loop->cost, (uint64_t)facts->sm_count, "sm_count"),
                   sm = fx_pattern_fact(loop->cost, facts->shared_per_sm_bytes, "shared_per_sm_bytes"),
                   all = sm ? fx_pattern_array_bytes(sm) : LEAST_L1_BYTES,
                   of_block = launch->threads ? (launch->threads + FX_WARP - 1) / FX_WARP : 1;
    uint64_t blocks = launch->threads ? MOST_WARPS / of_block : MOST_WARPS;
    blocks = launch->threads && blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    blocks = blocks * launch->shared_bytes > all ? all / launch->shared_bytes : blocks;
    blocks = launch->blocks && blocks * sms > launch->blocks ? (launch->blocks + sms - 1) / sms : blocks;
    blocks = blocks && (most || (launch->blocks && launch->threads && sms)) ? blocks : 1;
    *warps = blocks * (launch->own ? launch->own : most ? of_block : 1);
    const uint64_t taken = blocks * launch->shared_bytes, l1 = taken < all ? all - taken : LEAST_L1_BYTES / 2,
                   l2 = is_dram && sms ? fx_pattern_fact(loop->cost, facts->l2_bytes, "l2_bytes") / sms : 0;
    return (uint64_t)((double)(l2 > l1 ? l2 : l1) / (double)*warps * (most ? 1 / SLACK : SLACK));
}

/* With what a warp has of the cache in front of each level. */
void fx_pattern_loop_end(fx_pattern_loop *loop, const fx_pattern_use *uses, size_t count) {
    if (loop->kind->count < 2 || loop->instructions <= 0) { /* neither loads nor stores of global memory */
        return;
    }
    FX_FREED passing *at = fx_new(3, sizeof *at);
    for (size_t i = 1; i < loop->sum.count; i++) {
        const bool is_dram = loop->kind->level[i].by == FX_LEVEL_DRAM, is_first = !loop->sum.spared;
        fx_pattern_loop few = *loop;
        for (int most = 0; most < 2; most++) {
            const uint64_t bytes = share_of(loop, is_dram, most, &loop->sum.warps[most]);
            fx_pattern_loop *of = most ? loop : &few;
            memset(at, 0, 3 * sizeof *at);
            at[0].of_first = at[0].of_others = at[1].of_first = at[2].of_others = true;
            for (size_t k = 0; k < 3; k++) {
                at[k].scattered = is_scattered(uses);
                at[k].in_pairs = is_dram && at[k].scattered;
                pass_through(bytes, uses, count, &at[k]);
            }
            spare(of, &of->sum.at[i], &at[0], &at[1], &at[2]);
        }
        if (!few.sum.at[i].open && few.sum.at[i].times < RANGE * loop->sum.at[i].times) {
            loop->sum.at[i].least = few.sum.at[i].times;
            loop->sum.spared = few.sum.spared;
        }
        loop->sum.past_l1 = is_first && i > 1 && loop->sum.spared;
    }
}
