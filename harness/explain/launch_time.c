/* What each launch of a trace takes: the warps of its recorded blocks, as the records and the machine code say that
 * they went, are played on one SM (replay.h), as they are, with one line's accesses at their best, and with all of
 * them. */

#include "core/law.h"
#include "trace_cost.h"

enum { MOST_LINES = 6, MOST_THREADS = 1024, BUDGET = 250000, SMALL_BUDGET = 85000, SPINS = 256 };
#define LEAST_FOUND 0.98 /* of the ways from access to access */
#define ALL_AT_BEST (UINT32_MAX - 1)
#define MUCH        0.15 /* of the time: less is not worth a cure */

/* One launch on its way to a replay. */
typedef struct built {
    const fx_trace_cost *cost;
    const fx_trace_launch *launch;
    const json_t *ranges; /* where managed and host memory lies; NULL: there is none */
    fx_play play;
    fx_paths *paths;
    fx_play_access *accesses;
    size_t access_count;
    fx_play_item *items;
    size_t item_count;
    fx_play_warp *warps;
    double *far;     /* by row: what is owed to DRAM */
    uint32_t *lines; /* by instruction: the first one of the same line */
    fx_machine_code code;
    bool lacks_code, ends_idle, managed; /* ends_idle: the grid's last block accessed nothing */
    size_t busy;                         /* blocks that accessed memory */
    uint64_t found, lost, spinning, foreign;
} built;

static double first_finite(double a, double b) {
    return isfinite(a) ? a : b;
}

static uint32_t number_of(const built *b) {
    return (uint32_t)(b->launch - b->cost->trace->launches);
}

/* How much longer DRAM takes for pairs of sectors at random, by how far apart lanes lie. */
static double scattered(const fx_rates *r, double bytes) {
    const double at = fmin(log2(bytes / (1 << 24)) / 3, 2); /* 16, 128 and 1024 MiB */
    const double *from = &r->dram_pairs[at < 1 ? 0 : 1], share = at < 1 ? at : at - 1;
    return at < 0 || r->dram_read <= 0 ? 1 : fmax(1, (from[0] + share * (from[1] - from[0])) / r->dram_read);
}

/* What an access of a record takes; again: what each of its repeats does. */
static fx_play_access access_of(built *b, const fx_trace_record *record, bool again) {
    const fx_record_cost *kept = &b->cost->records[record - b->cost->trace->records];
    const fx_access_cost *cost = fx_access_costs_at(b->cost->costs, kept->cost);
    const fx_level_cost *near = &cost->level[FX_COST_NEAR], *l2 = &cost->level[FX_COST_L2];
    const double beyond = kept->l2[again], all = cost->sectors ? cost->sectors : 1;
    const fx_cost_row *row = &b->cost->rows[kept->row];
    const double share = row->best_share, of_dram = row->of_dram;
    const fx_trace_pattern *pattern = &b->cost->trace->patterns[record->pattern];
    const int first_lane = pattern->mask ? __builtin_ctz(pattern->mask) : FX_WARP - 1;
    fx_play_access a = {.shared = cost->of <= FX_CLASS_MATRIX,
                        .store = cost->of == FX_CLASS_GLOBAL_STORE || cost->of == FX_CLASS_LOCAL_STORE ||
                                 cost->of == FX_CLASS_BULK_WRITE,
                        .atomic =
                            cost->of == FX_CLASS_ATOMIC || cost->of == FX_CLASS_REDUCTION || cost->of == FX_CLASS_CAS,
                        .place = (uint32_t)((record->base + (uint64_t)pattern->offset[first_lane]) / FX_SECTOR_BYTES),
                        .line = b->lines[record->instruction]};
    const bool priced = a.shared || (near->law && beyond == 0);
    a.wavefronts[0] = (float)(priced ? first_finite(near->cycles, cost->wavefronts) : cost->wavefronts);
    a.wavefronts[1] = (float)(priced ? first_finite(near->best_cycles, cost->best_wavefronts) : cost->best_wavefronts);
    if (a.atomic) {
        const fx_trace_packets of = fx_trace_packets_of(pattern, record->base, b->cost->launches[number_of(b)].busiest);
        a.crowded = (uint8_t)of.all;
        a.of_word = (uint8_t)of.of_word;
    }
    if (beyond > 0 && !a.shared) {
        const double part = beyond / all, cycles = first_finite(l2->cycles, cost->sectors),
                     best = first_finite(l2->best_cycles, cost->best_sectors);
        const double own = cost->sectors ? (double)cost->best_sectors / cost->sectors : 1,
                     rise = own < 1 ? (share - own) / (1 - own) : 0;
        const double dram = kept->dram[again] * of_dram, filled = dram * row->filled;
        const double each = 1 + row->alone * (scattered(b->play.rates, cost->reach) - 1); /* byte of DRAM */
        b->far[kept->row] += kept->dram[again] ? of_dram : 0;
        const bool far = b->far[kept->row] >= 1;
        b->far[kept->row] -= far ? 1 : 0;
        const double needed[2] = {1, share < 1 ? share : 1};
        for (unsigned i = 0; i < 2; i++) {
            /* an atomic is done twice if its sector has to come first, and takes DRAM the pair of sectors both ways */
            const double beside = i || a.store ? 0 : kept->beside[again] * of_dram;
            a.to_l2[i] = (float)(part * (i ? best + rise * (cycles - best) : cycles));
            a.bytes[i] = (float)(FX_SECTOR_BYTES * beyond * needed[i]);
            a.lines[i] = (float)(i ? fmin(cost->lines, beyond * needed[i] / 4 + 1) : cost->lines * part);
            a.sectors[i] = (float)((beyond + (a.atomic ? dram : 0)) * needed[i]);
            const double taken = FX_SECTOR_BYTES * (i ? 1 : each);
            a.dram_read[i] = (float)(taken * ((a.store ? 0 : dram * needed[i]) + (i ? 0 : filled) + beside));
            a.dram_write[i] = (float)(a.store || a.atomic ? taken * (dram * needed[i] + beside) : 0);
        }
        /* at best fewer lines may fit into the SM's half of the L2 */
        const double half_l2 = (double)fx_access_costs_chip(b->cost->costs)->l2_bytes / 2;
        const bool copied = kept->near[again] == kept->l2[again],
                   fits = b->cost->launches[number_of(b)].lines_bytes * a.lines[1] <= half_l2 * a.lines[0];
        a.level[0] = far ? FX_PLAY_DRAM : copied ? FX_PLAY_COPY : FX_PLAY_L2;
        a.level[1] = far ? FX_PLAY_DRAM : copied || (fits && a.lines[1] < a.lines[0]) ? FX_PLAY_COPY : FX_PLAY_L2;
    } else {
        a.recent = kept->recent[again];
        a.level[0] = a.level[1] = kept->recent[again] == 3 && of_dram > 0.5 ? FX_PLAY_DRAM
                                  : kept->recent[again] == 1                ? FX_PLAY_COPY
                                                                            : FX_PLAY_L2;
    }
    return a;
}

static uint64_t range_part(const built *b, size_t i, size_t part) {
    return (uint64_t)json_integer_value(json_array_get(json_array_get(b->ranges, i), part));
}

static bool is_managed(const built *b, const fx_trace_record *record) {
    const fx_trace_pattern *pattern = &b->cost->trace->patterns[record->pattern];
    const uint64_t at = record->base + (uint64_t)pattern->offset[pattern->mask ? __builtin_ctz(pattern->mask) : 0];
    size_t low = 0, high = json_array_size(b->ranges); /* they are in the order of their addresses */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const bool begins = range_part(b, middle, 0) <= at;
        low = begins ? middle + 1 : low;
        high = begins ? high : middle;
    }
    return low && at - range_part(b, low - 1, 0) < range_part(b, low - 1, 1);
}

static void add_item(built *b, const fx_path *path, uint32_t access) {
    fx_grow(&b->items, b->item_count, sizeof *b->items);
    b->items[b->item_count++] = (fx_play_item){path, access};
    b->found += path->found;
    b->lost += !path->found;
}

/* cp.async is one instruction with two records. */
static void join(fx_play_access *to, fx_play_access other) {
    const fx_play_access *shared = to->shared ? to : &other;
    fx_play_access both = to->shared ? other : *to;
    both.wavefronts[0] += shared->wavefronts[0];
    both.wavefronts[1] += shared->wavefronts[1];
    *to = both;
}

/* The last record before the same lanes of a warp try a CAS again, of which none succeeded; UINT32_MAX: they do not.
 * How often they do depends on timing: a program that is recorded tries much more often. */
static uint32_t before_retry(const built *b, const uint32_t *next, uint32_t at) {
    const fx_trace_record *all = &b->cost->trace->records[b->launch->first];
    uint32_t last = at;
    for (unsigned n = 0; n < 4 && next[last] != UINT32_MAX; n++, last = next[last]) {
        const fx_trace_record *later = &all[next[last]];
        if (later->instruction == all[at].instruction) {
            return later->pattern == all[at].pattern && later->base == all[at].base ? last : UINT32_MAX;
        }
    }
    return UINT32_MAX;
}

/* The way of one warp through its records, which are chained by `next`. */
static void build_warp(built *b, fx_play_warp *warp, const uint32_t *next, uint32_t first) {
    const fx_trace *trace = b->cost->trace;
    int32_t from = FX_PATH_ENTRY;
    uint32_t other_half = UINT32_MAX, lanes = UINT32_MAX;
    warp->first = b->item_count;
    for (uint32_t i = first; i != UINT32_MAX; i = next[i]) {
        const fx_trace_record *record = &trace->records[b->launch->first + i];
        const fx_trace_instruction *instruction = &trace->instructions[record->instruction];
        const uint64_t at = instruction->pc / FX_INSTRUCTION_BYTES;
        b->managed = b->managed || is_managed(b, record);
        if (at >= b->play.code->count || json_object_get(instruction->frame, "function")) {
            b->foreign++;
            continue;
        }
        const bool tries = fx_class_of(instruction) == FX_CLASS_SHARED_CAS;
        const uint32_t retry = tries ? before_retry(b, next, i) : UINT32_MAX;
        if (retry != UINT32_MAX) {
            i = retry;
            continue;
        }
        const bool half = instruction->op == FX_TRACE_ASYNC_LOAD || instruction->op == FX_TRACE_ASYNC_STORE;
        if (half && from == (int32_t)at && other_half != record->instruction) {
            join(&b->accesses[b->access_count - 1], access_of(b, record, false));
            other_half = record->instruction;
            continue;
        }
        other_half = record->instruction;
        for (unsigned k = 0; k < (tries ? 1 : record->times); k++) {
            if (k < 2) {
                fx_grow(&b->accesses, b->access_count, sizeof *b->accesses);
                b->accesses[b->access_count++] = access_of(b, record, k > 0);
            }
            const bool apart = !(lanes & trace->patterns[record->pattern].mask);
            add_item(
                b, apart ? fx_paths_apart(b->paths, from, (int32_t)at) : fx_paths_find(b->paths, from, (int32_t)at, 0),
                (uint32_t)b->access_count - 1);
            lanes = trace->patterns[record->pattern].mask;
            from = (int32_t)at;
        }
        b->spinning += record->times >= SPINS && !instruction->through_l1;
    }
    add_item(b, fx_paths_find(b->paths, from, FX_PATH_EXIT, 0), UINT32_MAX);
    warp->count = b->item_count - warp->first;
}

/* All warps of a block meet at as many barriers: those that have passed fewer went round a loop in which they had no
 * active lane, as late as possible. */
static void even_out(built *b, fx_play_warp *warps) {
    uint32_t most = 0;
    for (unsigned w = 0; w < b->play.warps_of_block; w++) {
        uint32_t own = 0;
        for (size_t i = 0; i < warps[w].count; i++) {
            own += b->items[warps[w].first + i].path->barriers;
        }
        warps[w].steps = own;
        most = own > most ? own : most;
    }
    for (unsigned w = 0; w < b->play.warps_of_block; w++) {
        uint32_t lacking = most - (uint32_t)warps[w].steps;
        for (size_t i = warps[w].count; i-- > 0 && lacking;) {
            fx_play_item *item = &b->items[warps[w].first + i];
            const int32_t from = i ? (int32_t)item[-1].path->step[item[-1].path->count - 1] : FX_PATH_ENTRY;
            const int32_t to =
                item->access == UINT32_MAX ? FX_PATH_EXIT : (int32_t)item->path->step[item->path->count - 1];
            const fx_path *usual = fx_paths_find(b->paths, from, to, 0), *longer = NULL;
            const uint32_t more = usual->barriers - item->path->barriers; /* of lanes that came a round later */
            if (more <= lacking) {
                lacking -= more;
                longer = lacking ? fx_paths_find(b->paths, from, to, lacking) : NULL;
                lacking = longer ? 0 : lacking;
                item->path = longer ? longer : more ? usual : item->path;
            }
        }
        warps[w].steps = 0;
        for (size_t i = 0; i < warps[w].count; i++) {
            warps[w].steps += b->items[warps[w].first + i].path->count;
        }
    }
}

/* The records of a launch, block by block, as ways of warps. */
static void build_blocks(built *b) {
    const fx_trace_record *records = &b->cost->trace->records[b->launch->first];
    const unsigned n = b->play.warps_of_block;
    const size_t count = b->launch->count;
    FX_FREED uint32_t *next = fx_new(count, sizeof *next), *first = fx_new(2 * n, sizeof *first);
    uint32_t *last = first + n;
    for (size_t begin = 0, end; begin < count; begin = end) {
        memset(first, 0xff, 2 * n * sizeof *first);
        for (end = begin; end < count && records[end].block == records[begin].block; end++) {
            const unsigned w = records[end].warp;
            if (w < n) {
                next[end] = UINT32_MAX;
                *(last[w] == UINT32_MAX ? &first[w] : &next[last[w]]) = (uint32_t)end;
                last[w] = (uint32_t)end;
            }
        }
        fx_play_warp *warps = &b->warps[b->play.blocks * n];
        for (unsigned w = 0; w < n; w++) {
            build_warp(b, &warps[w], next, first[w]);
        }
        even_out(b, warps);
        b->play.blocks++;
    }
    b->busy = b->play.blocks;
    b->ends_idle = count && records[count - 1].block != b->launch->blocks - 1;
    for (; b->play.blocks < b->cost->launches[number_of(b)].blocks; b->play.blocks++) {
        for (unsigned w = 0; w < n; w++) { /* blocks that accessed nothing */
            fx_play_warp *warp = &b->warps[b->play.blocks * n + w];
            build_warp(b, warp, next, UINT32_MAX);
            warp->steps = b->items[warp->first].path->count;
        }
    }
}

static bool is_alike(const fx_trace_instruction *a, const fx_trace_instruction *b) {
    static const char *const keys[] = {"line", "file", "width"};
    bool alike = json_object_get(a->frame, "line") && a->space == b->space && a->op == b->op;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *x = json_object_get(a->frame, keys[i]), *y = json_object_get(b->frame, keys[i]);
        alike = alike && (x == y || json_equal(x, y));
    }
    return alike;
}

/* Instructions of one source line that do the same are one line; without one, each is its own. `firsts`: room. */
static void number_lines(built *b, uint32_t *firsts) {
    const fx_trace *trace = b->cost->trace;
    size_t count = 0;
    for (uint32_t i = 0; i < trace->instruction_count; i++) {
        const fx_trace_instruction *one = &trace->instructions[i];
        size_t at = 0;
        if (!one->frame || one->kernel != b->launch->kernel) {
            continue;
        }
        while (at < count && !is_alike(one, &trace->instructions[firsts[at]])) {
            at++;
        }
        firsts[at] = at < count ? firsts[at] : i;
        count += at == count;
        b->lines[i] = firsts[at];
    }
}

static json_t *parts_json(const double part[FX_TIMES], double ghz) {
    json_t *parts = json_object();
    for (size_t i = 0; i < FX_TIMES; i++) {
        if (part[i] > 0) {
            json_object_set_new(parts, fx_time_names[i], json_real(part[i] / ghz));
        }
    }
    return parts;
}

/* What each instruction has of the launch's time, with its line of the source. */
static json_t *steps_json(const built *b, const fx_played *played) {
    json_t *out = json_array(), *files = b->cost->trace->kernels[b->launch->kernel].files;
    for (size_t i = 0; i < b->play.code->count; i++) {
        const fx_code_step *step = &b->play.code->steps[i];
        if (fx_time_sum(played->step[i]) > 0) {
            const char *file = step->line > 0 ? json_string_value(json_array_get(files, (size_t)step->file)) : NULL;
            json_array_append_new(out, json_pack("{ss* si si so}", "file", file, "line", file ? step->line : 0, "pc",
                                                 (int)i * FX_INSTRUCTION_BYTES, "parts",
                                                 parts_json(played->step[i], b->play.rates->ghz)));
        }
    }
    return out;
}

/* Lines that are not at their best, those that are farthest from it first. */
static size_t wishes_of(const built *b, fx_weighed *all) {
    size_t count = 0;
    for (size_t i = 0; i < b->cost->trace->instruction_count; i++) {
        all[i] = (fx_weighed){0, i};
    }
    for (size_t i = 0; i < b->access_count; i++) {
        const fx_play_access *a = &b->accesses[i];
        all[a->line].weight += (a->wavefronts[0] - a->wavefronts[1]) + (a->to_l2[0] - a->to_l2[1]) +
                               (a->bytes[0] - a->bytes[1]) / FX_SECTOR_BYTES;
    }
    qsort(all, b->cost->trace->instruction_count, sizeof *all, fx_heavier);
    while (count < MOST_LINES && count < b->cost->trace->instruction_count && all[count].weight > 0) {
        count++;
    }
    return count;
}

/* What a replay, shorter than the whole one or as long, takes beside as many instructions of that. */
static void put_best(const built *b, const char *name, const fx_played *now, double cycles, json_t *best) {
    const fx_rates *r = b->play.rates;
    json_object_set_new(best, name, json_real(now->cycles * cycles / now->early_cycles / r->ghz + r->start_ns));
}

/* With half of the latency, without barriers, with a quarter of the starts: where that part of the time is large. */
static void play_parts(built *b, const fx_played *now, json_t *best) {
    static const fx_time parts[] = {FX_TIME_LONG, FX_TIME_BARRIER, FX_TIME_STARTS};
    const fx_rates *all = b->play.rates;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const double late = parts[i] == FX_TIME_LONG ? 0.5 : 1, starts = parts[i] == FX_TIME_STARTS ? 0.25 : 1;
        fx_rates r = *all;
        double *const latencies[] = {&r.l1_latency,  &r.copy_latency, &r.near_latency,
                                     &r.far_latency, &r.dram_latency, &r.atomic_latency};
        fx_played played;
        for (size_t k = 0; k < sizeof latencies / sizeof *latencies; k++) {
            *latencies[k] *= late;
        }
        r.block *= starts;
        b->play.rates = &r;
        b->play.without_barriers = parts[i] == FX_TIME_BARRIER;
        if (now->part[parts[i]] > MUCH * now->cycles) {
            fx_replay(&b->play, &played);
            put_best(b, fx_time_names[parts[i]], now, played.cycles, best);
        }
    }
    b->play.rates = all;
}

static json_t *best_json(built *b, const fx_played *now) {
    b->play.budget = b->play.early;
    b->play.early = 0;
    FX_FREED fx_weighed *wishes = fx_new(b->cost->trace->instruction_count, sizeof *wishes);
    json_t *best = json_object();
    const size_t count = wishes_of(b, wishes);
    fx_played played = {.cycles = now->early_cycles};
    play_parts(b, now, best);
    for (size_t i = 0; i <= count; i++) {
        char name[16];
        b->play.at_best = i < count ? (uint32_t)wishes[i].index : ALL_AT_BEST;
        if (i < count || count > 1) { /* else all are one, or none */
            fx_replay(&b->play, &played);
        }
        (void)snprintf(name, sizeof name, i < count ? "%u" : "all", b->play.at_best);
        put_best(b, name, now, played.cycles, best);
    }
    return best;
}

/* Whether the recorded blocks do so different work that their mean, to 99 %, is no nearer than a third. They lie evenly
 * over the grid, so what one does more than the one before it tells how far off the mean may be: work that rises
 * through the grid is known well. Of those that accessed nothing, which are the last here, nobody knows where they lie
 * unless the grid's last block is one: it is recorded. */
static bool is_uneven(const built *b) {
    const double n = (double)b->play.blocks, idle = n - (double)b->busy;
    double sum = fx_play_steps(&b->play, 0), squares = 0;
    for (size_t i = 1; i < b->play.blocks; i++) {
        const double steps = fx_play_steps(&b->play, i), more = steps - fx_play_steps(&b->play, i - 1);
        sum += steps;
        squares += more * more * (i == b->busy && !b->ends_idle ? 2 * fmin(idle, (double)b->busy) : 1);
    }
    return n < b->play.grid && 2.58 * sqrt(squares / 2 / (n - 1) / n) > sum / n / 3;
}

/* Whether the program ended in the middle of it, as the records do. */
static bool is_cut(const built *b) {
    const fx_trace *trace = b->cost->trace;
    uint32_t last = 0;
    for (uint32_t i = 0; i < trace->launch_count; i++) {
        last = trace->launches[i].count ? i : last;
    }
    return (trace->cut || !trace->end) && last == number_of(b);
}

/* What the code and the records can't tell of this launch; NULL: nothing. */
static const char *unknown_of(const built *b, const fx_played *played) {
    double loops = 0;
    bool indirect = false, calls = false, missed = false;
    for (size_t i = 0; i < b->play.code->count; i++) {
        const fx_code_step *step = &b->play.code->steps[i];
        loops += step->repeats ? fx_time_sum(played->step[i]) : 0;
        const bool runs = played->step[i][FX_TIME_ISSUE] > 0;
        indirect = indirect || (step->flow == FX_FLOW_UNKNOWN && runs);
        calls = calls || (step->calls && step->target < 0 && runs);
        missed = missed || (!b->busy && step->unit == FX_UNIT_MEMORY && !step->predicated && runs);
    }
    return b->play.grid < 1             ? "no block of it was recorded"
           : b->lacks_code              ? "the trace has no machine code of it"
           : is_cut(b)                  ? "its records end before it did"
           : is_uneven(b)               ? "its blocks do too different work for a sample: record more --blocks"
           : loops > 0                  ? "it has loops without accesses, whose rounds no record counts"
           : indirect                   ? "it jumps to places that the machine code does not name"
           : calls                      ? "it calls functions whose code the trace lacks, such as printf"
           : b->spinning                ? "its warps wait for others in memory"
           : b->foreign > b->found / 20 ? "it accesses memory in functions that it calls"
           : missed || (double)b->found < LEAST_FOUND * (double)(b->found + b->lost)
               ? "its records don't fit its machine code"
               : NULL;
}

static json_t *play_launch(built *b) {
    fx_played played;
    double steps = 0;
    for (size_t i = 0; i < b->play.blocks; i++) {
        steps += fx_play_steps(&b->play, i);
    }
    steps *= ceil(b->play.grid / b->play.rates->sms) / (double)b->play.blocks;
    b->play.early = steps < 2 * SMALL_BUDGET ? BUDGET : SMALL_BUDGET;
    b->play.at_best = UINT32_MAX;
    fx_replay(&b->play, &played);
    const double ghz = b->play.rates->ghz;
    played.part[FX_TIME_STARTS] += b->play.rates->start_ns * ghz;
    json_t *out =
        json_pack("{so* so so so* so ss? so sb}", "ns", json_real(played.cycles / ghz + b->play.rates->start_ns),
                  "parts", parts_json(played.part, ghz), "held", parts_json(played.held, ghz), "dram",
                  json_real(played.dram), "lines", steps_json(b, &played), "unknown", unknown_of(b, &played), "best",
                  best_json(b, &played), "managed", b->managed);
    free(played.step);
    return out;
}

static void free_built(built *b) {
    fx_paths_free(b->paths);
    free(b->accesses);
    free(b->items);
    free(b->warps);
    free(b->far);
    fx_machine_code_free(&b->code);
    free(b->lines);
}

/* Plays the accesses alone where the trace has no machine code: as instructions that wait for nothing. */
static void read_code(built *b) {
    const fx_trace *trace = b->cost->trace;
    const fx_trace_kernel *kernel = &trace->kernels[b->launch->kernel];
    if (kernel->code) {
        fx_machine_code_parse(kernel->code, kernel->code_bytes, &b->code);
        return;
    }
    uint64_t last = 0;
    for (size_t i = 0; i < trace->instruction_count; i++) {
        const fx_trace_instruction *one = &trace->instructions[i];
        last = one->kernel == b->launch->kernel && one->pc > last ? one->pc : last;
    }
    b->lacks_code = true;
    fx_machine_code_bare(last, &b->code);
}

static void build(built *b, uint32_t number) {
    const size_t count = b->cost->trace->instruction_count + 1, n = b->play.warps_of_block;
    b->warps = fx_new(b->cost->launches[number].blocks * n, sizeof *b->warps);
    b->far = fx_new(b->cost->row_count, sizeof *b->far);
    b->lines = fx_new(2 * count, sizeof *b->lines);
    number_lines(b, b->lines + count);
    read_code(b);
    b->play.code = &b->code;
    b->paths = fx_paths_new(&b->code);
    build_blocks(b);
    b->play.accesses = b->accesses;
    b->play.items = b->items;
    b->play.warps = b->warps;
}

/* Whether blocks touch the same lines one after the other, as the first warps of the first one and the last tell. */
static bool is_in_step(const fx_trace *t, const fx_trace_launch *launch) {
    const fx_trace_record *a = &t->records[launch->first], *end = a + launch->count, *b = end;
    const uint32_t first = launch->count ? a->block : 0;
    size_t all = 0, same = 0;
    while (b > a && b[-1].block == end[-1].block) {
        b--;
    }
    for (; a < end && a->block == first && b < end; a++) {
        while (b < end && b->warp) {
            b++;
        }
        if (!a->warp && b < end) {
            const bool global = t->instructions[a->instruction].space == FX_TRACE_GLOBAL;
            all += global;
            same += global && a->base == b->base;
            b++;
        }
    }
    return 2 * same > all;
}

json_t *fx_launch_time(const fx_trace_cost *cost, uint32_t number, const fx_rates *rates) {
    const fx_trace_launch *launch = &cost->trace->launches[number];
    if (launch->threads < 1 || launch->threads > MOST_THREADS) {
        return json_pack("{ss}", "unknown", "the trace does not tell its threads");
    }
    const unsigned n = (unsigned)((launch->threads + FX_WARP - 1) / FX_WARP);
    built b = {.cost = cost, .launch = launch, .ranges = json_object_get(launch->frame, "managed")};
    b.play = (fx_play){.rates = rates,
                       .warps_of_block = n,
                       .threads = (unsigned)launch->threads,
                       .resident = fx_trace_cost_resident(cost, launch),
                       .grid = (double)launch->blocks,
                       .budget = BUDGET};
    const bool together = b.play.grid <= rates->sms * b.play.resident; /* they start at once */
    b.play.in_step = together && is_in_step(cost->trace, launch) ? fmin(b.play.grid, rates->sms) : 0;
    build(&b, number);
    json_t *out =
        b.play.blocks && b.code.count ? play_launch(&b) : json_pack("{ss}", "unknown", "no block of it was recorded");
    free_built(&b);
    return out;
}
