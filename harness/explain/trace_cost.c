/* Launch by launch and block by block through the caches; equal accesses are counted once and only tallied here. */
#include "trace_cost.h"

#include <regex.h>

#include "core/law.h"

enum {
    ASSUMED_SM_BYTES = 128 << 10, /* the smallest array of shared memory and L1 since sm_75 */
    RESERVED_BYTES = 1 << 10,     /* shared memory that the system takes for each block */
    ASSUMED_WARPS = 64,
    BLOCKS_OF_SM = 32,
    REGISTERS_OF_SM = 1 << 16,
    LEAST_L1_BYTES = 16 << 10,
};

#define COPY_WAYS 16.0 /* of the L2: what the host copies stays in one of them; by loads on an H200, in no probe */
#define COPIED    0.5  /* of the lines that are loaded: an SM of the other half asks for one as often as not */

int fx_heavier(const void *a, const void *b) {
    const fx_weighed *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->index > y->index) - (x->index < y->index);
}

/* The tally of equal accesses of a row. */
static fx_cost_tally *tally_of(fx_trace_cost *c, size_t row, size_t cost, uint64_t base) {
    const fx_cost_tally key = {.row = (uint32_t)row, .cost = (uint32_t)cost, .base = base, .next = c->rows[row].first};
    bool fresh;
    const uint32_t id = fx_hash_put(&c->tallies, &key, &fresh);
    c->rows[row].first = fresh ? id : c->rows[row].first;
    c->rows[row].distinct += fresh;
    return fx_hash_item(&c->tallies, id);
}

static size_t row_of(fx_trace_cost *c, uint32_t launch, uint32_t instruction) {
    if (!c->row_of[instruction]) {
        fx_grow(&c->rows, c->row_count, sizeof *c->rows);
        c->rows[c->row_count] = (fx_cost_row){.launch = launch,
                                              .instruction = instruction,
                                              .of = fx_class_of(&c->trace->instructions[instruction]),
                                              .lowest = UINT64_MAX,
                                              .first = SIZE_MAX};
        c->row_of[instruction] = ++c->row_count;
    }
    return c->row_of[instruction] - 1;
}

/* The sectors of one access and what serves them. */
static fx_served serve(fx_trace_cost *c, fx_cache_model *model, const fx_access_cost *cost,
                       const fx_trace_record *record) {
    const uint64_t place = (uint64_t)record->block << 6 | (record->warp & 63);
    fx_served out = {0};
    for (size_t i = 0; i < cost->line_count; i++) {
        const fx_cache_line line = fx_access_costs_line(c->costs, cost, i, record->base, place);
        switch (cost->of) {
        case FX_CLASS_LOCAL_LOAD:
        case FX_CLASS_LOCAL_STORE:
            fx_cache_model_local(model, line, cost->of == FX_CLASS_LOCAL_STORE, &out);
            break;
        case FX_CLASS_GLOBAL_STORE:
        case FX_CLASS_BULK_WRITE:
            fx_cache_model_store(model, line, &c->brought[record->instruction], &out);
            break;
        default:
            fx_cache_model_load(model, line,
                                c->trace->instructions[record->instruction].through_l1 &&
                                    (cost->of == FX_CLASS_GLOBAL_LOAD || cost->of == FX_CLASS_ASYNC_LOAD),
                                &c->brought[record->instruction], &out);
        }
    }
    out.dram += (unsigned)cost->more_sectors;
    return out;
}

/* Accesses that are served the same way. */
static void add(fx_cost_row *row, fx_cost_tally *tally, const fx_access_cost *cost, const fx_served *served,
                uint64_t times, unsigned place) {
    const bool far = cost->of > FX_CLASS_MATRIX, beyond = far && (served->l2 || served->dram || !cost->level[0].law);
    const fx_level_cost *by = &cost->level[beyond ? FX_COST_L2 : FX_COST_NEAR];
    const double weight = by->law && isfinite(by->cycles) ? by->cycles
                          : cost->sectors                 ? cost->sectors
                          : cost->wavefronts              ? cost->wavefronts
                                                          : 1;
    tally->times += times;
    tally->at[beyond ? FX_COST_L2 : FX_COST_NEAR] += times;
    row->executed += times;
    row->lanes += times * cost->lanes;
    row->bytes += times * cost->lanes * cost->bytes;
    row->sectors += times * cost->sectors;
    row->wavefronts += times * cost->wavefronts;
    row->best_sectors += times * cost->best_sectors;
    row->best_wavefronts += times * cost->best_wavefronts;
    row->served.l1 += times * (far ? served->l1 : 1);
    row->served.l2 += times * served->l2;
    row->served.dram += times * served->dram;
    row->served.pairs += times * served->pairs;
    row->served.lines += times * served->lines;
    row->this_block[place] += (double)times * weight;
}

static void end_blocks(fx_trace_cost *c, size_t first_row) {
    for (size_t i = first_row; i < c->row_count; i++) {
        fx_cost_row *row = &c->rows[i];
        for (unsigned p = 0; p < FX_CACHE_PLACES; p++) {
            row->block_sum += row->this_block[p];
            row->block_squares += row->this_block[p] * row->this_block[p];
            row->this_block[p] = 0;
        }
    }
}

static fx_status take_record(fx_trace_cost *c, fx_cache_model *model, uint32_t launch, const fx_trace_record *record,
                             unsigned place, fx_error *err) {
    const size_t at = row_of(c, launch, record->instruction);
    size_t index;
    FX_TRY(fx_access_costs_find(c->costs, c->rows[at].of, record->pattern, &index, err));
    fx_cost_tally *tally = tally_of(c, at, index, record->base);
    const fx_access_cost *cost = fx_access_costs_at(c->costs, index);
    fx_record_cost *kept = &c->records[record - c->trace->records];
    kept->cost = (uint32_t)index;
    kept->row = (uint32_t)at;
    fx_cost_row *row = &c->rows[at];
    row->lowest = record->base < row->lowest ? record->base : row->lowest;
    row->highest = record->base + cost->reach > row->highest ? record->base + cost->reach : row->highest;
    fx_cache_model_block(model, record->block, place);
    /* the second one finds what the first one brought, and so do all others */
    for (unsigned again = 0; again < (record->times > 1 ? 2 : 1); again++) {
        const fx_served served = serve(c, model, cost, record);
        add(row, tally, cost, &served, again ? record->times - 1u : 1, place);
        kept->l2[again] = (uint16_t)fmin(served.l2 + served.dram, UINT16_MAX);
        kept->dram[again] = (uint16_t)fmin(served.dram, UINT16_MAX);
        kept->near[again] = (uint16_t)fmin(served.near, UINT16_MAX);
        kept->beside[again] = (uint16_t)fmin(served.beside, UINT16_MAX);
        kept->recent[again] = served.recent;
    }
    return FX_OK;
}

/* By a launch's own shared memory, threads and registers, where those are known. */
unsigned fx_trace_cost_resident(const fx_trace_cost *c, const fx_trace_launch *launch) {
    const fx_trace_kernel *kernel = &c->trace->kernels[launch->kernel];
    const fx_cost_chip *chip = fx_access_costs_chip(c->costs);
    const uint64_t sm_bytes = chip->sm_bytes ? chip->sm_bytes : ASSUMED_SM_BYTES;
    const uint64_t shared = kernel->shared_bytes + launch->shared_bytes + RESERVED_BYTES;
    const uint64_t most = sm_bytes - LEAST_L1_BYTES, threads = (launch->threads + FX_WARP - 1) / FX_WARP * FX_WARP;
    const uint64_t registers = kernel->registers ? (kernel->registers + 7) / 8 * 8 * threads : 1;
    const uint64_t by_threads = (chip->warps ? chip->warps : ASSUMED_WARPS) * FX_WARP / threads;
    return (unsigned)fmax(1, fmin(fmin(BLOCKS_OF_SM, (double)by_threads),
                                  fmin((double)(most / shared), (double)(REGISTERS_OF_SM / registers))));
}

/* `at_once`: blocks that share an SM. */
static fx_cache_sizes sizes_of(fx_trace_cost *c, const fx_trace_launch *launch, uint64_t at_once, uint64_t recorded) {
    const fx_cost_chip *chip = fx_access_costs_chip(c->costs);
    const uint64_t sm_bytes = chip->sm_bytes ? chip->sm_bytes : ASSUMED_SM_BYTES;
    const uint64_t taken =
        at_once * (c->trace->kernels[launch->kernel].shared_bytes + launch->shared_bytes + RESERVED_BYTES);
    const double chip_wide = (double)at_once * (chip->sms ? chip->sms : 1);
    c->assumed_l1 = c->assumed_l1 || !chip->sm_bytes;
    return (fx_cache_sizes){.l1_bytes = taken + LEAST_L1_BYTES < sm_bytes ? sm_bytes - taken : LEAST_L1_BYTES,
                            .l2_bytes = chip->l2_bytes ? chip->l2_bytes : UINT64_MAX,
                            .blocks_at_once = chip_wide < (double)launch->blocks ? chip_wide : (double)launch->blocks,
                            .blocks_per_record = recorded ? (double)launch->blocks / (double)recorded : 1};
}

/* Where each recorded block of a launch begins among the records, and the end of the last; the caller frees it. */
static size_t *blocks_of(const fx_trace *trace, const fx_trace_launch *launch, size_t *count) {
    size_t *first = fx_new(launch->count + 1, sizeof *first);
    *count = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        if (i == launch->first || trace->records[i].block != trace->records[i - 1].block) {
            first[(*count)++] = i;
        }
    }
    first[*count] = launch->first + launch->count;
    return first;
}

/* Blocks that share an SM take turns, an access of a warp each. */
static fx_status take_blocks(fx_trace_cost *c, fx_cache_model *model, uint32_t number, const size_t *first,
                             unsigned count, fx_error *err) {
    size_t next[FX_CACHE_PLACES];
    memcpy(next, first, count * sizeof *next);
    for (bool more = true; more;) {
        more = false;
        for (unsigned place = 0; place < count; place++) {
            if (next[place] < first[place + 1]) {
                FX_TRY(take_record(c, model, number, &c->trace->records[next[place]++], place, err));
                more = true;
            }
        }
    }
    return FX_OK;
}

/* Neighbouring lines with atomics, or a line. */
typedef struct place {
    uint64_t at, times;
    uint32_t block; /* the last */
    bool several;   /* more than one has it */
} place;

/* Counts an address, so many times for each access; true: the block has not had it before. */
static bool count_place(fx_hash_table *all, uint64_t at, const fx_trace_record *record, unsigned each) {
    const place one = {.at = at, .block = record->block};
    bool fresh;
    place *known = fx_hash_item(all, fx_hash_put(all, &one, &fresh));
    const bool again = !fresh && known->block == record->block;
    known->times += record->times * (uint64_t)each;
    known->several = known->several || known->block != record->block;
    known->block = record->block;
    return !again;
}

fx_trace_packets fx_trace_packets_of(const fx_trace_pattern *p, uint64_t base, uint64_t served) {
    fx_trace_packets out = {0};
    unsigned most[FX_SERVED_BYTES / FX_SECTOR_BYTES] = {0};
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint64_t at = base + (uint64_t)p->offset[l];
        unsigned same = 0;
        if (!(p->mask >> l & 1) || at / FX_SERVED_BYTES != served) {
            continue;
        }
        for (unsigned k = 0; k < FX_WARP; k++) {
            same += p->mask >> k & 1 && p->offset[k] == p->offset[l];
        }
        unsigned *of_sector = &most[at / FX_SECTOR_BYTES % (FX_SERVED_BYTES / FX_SECTOR_BYTES)];
        out.all += same > *of_sector ? same - *of_sector : 0;
        *of_sector = same > *of_sector ? same : *of_sector;
        out.of_word = same > out.of_word ? same : out.of_word;
    }
    return out;
}

/* Whether no lane before this one is in the same neighbouring lines. */
static bool is_first_there(const fx_trace_pattern *p, uint64_t base, unsigned lane) {
    const uint64_t served = (base + (uint64_t)p->offset[lane]) / FX_SERVED_BYTES;
    for (unsigned l = 0; l < lane; l++) {
        if (p->mask >> l & 1 && (base + (uint64_t)p->offset[l]) / FX_SERVED_BYTES == served) {
            return false;
        }
    }
    return true;
}

/* What the blocks of a launch have in common: the neighbouring lines with most atomics, which the L2 serves one after
 * the other, and lines. */
static void survey(fx_trace_cost *c, uint32_t number, fx_hash_table *of_all) {
    enum { EVERY = 8 }; /* of so many lines one is counted */
    const fx_trace_launch *launch = &c->trace->launches[number];
    fx_cost_launch *out = &c->launches[number];
    FX_OWNED(fx_hash_free) fx_hash_table crowds = {.size = sizeof(place), .key = sizeof(uint64_t)}, lines = crowds;
    double crowd = 0, seen = 0, loaded = 0; /* loaded: lines that loads touch first */
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        const fx_trace_record *record = &c->trace->records[i];
        const fx_access_class of = fx_class_of(&c->trace->instructions[record->instruction]);
        const fx_trace_pattern *pattern = &c->trace->patterns[record->pattern];
        uint64_t line = UINT64_MAX;
        for (unsigned l = 0; l < FX_WARP && of > FX_CLASS_MATRIX && of <= FX_CLASS_CAS; l++) {
            const uint64_t at = record->base + (uint64_t)pattern->offset[l];
            if (!(pattern->mask >> l & 1)) {
                continue;
            }
            if (of >= FX_CLASS_REDUCTION && is_first_there(pattern, record->base, l)) {
                const uint64_t served = at / FX_SERVED_BYTES;
                (void)count_place(&crowds, served, record, fx_trace_packets_of(pattern, record->base, served).all);
            }
            if (at / FX_LINE_BYTES != line && at / FX_LINE_BYTES * 0x9e3779b97f4a7c15u >> 61 < 8 / EVERY) {
                const size_t before = lines.count;
                seen += count_place(&lines, at / FX_LINE_BYTES, record, 1);
                loaded += lines.count > before && (of == FX_CLASS_GLOBAL_LOAD || of == FX_CLASS_ASYNC_LOAD);
            }
            line = at / FX_LINE_BYTES;
        }
    }
    const double recorded = (double)out->blocks, all = (double)launch->blocks, least = 1 / recorded;
    for (size_t i = 0; i < crowds.count; i++) {
        const place *one = fx_hash_item(&crowds, (uint32_t)i);
        const double times = (double)one->times * (one->several ? all / recorded : 1);
        out->busiest = times > crowd ? one->at : out->busiest;
        crowd = fmax(crowd, times);
    }
    const double distinct = seen > 0 ? (double)lines.count / seen : 1;
    out->apart = out->blocks < 2 ? 1 : distinct > least ? (distinct - least) / (1 - least) : 0;
    out->lines_bytes = (double)lines.count * EVERY * FX_LINE_BYTES * (1 + (all / recorded - 1) * out->apart);
    size_t first = 0;
    for (size_t i = 0; i < lines.count; i++) {
        bool fresh = false;
        (void)fx_hash_put(of_all, fx_hash_item(&lines, (uint32_t)i), &fresh);
        first += fresh;
    }
    out->room_bytes = out->lines_bytes * (1 + (lines.count ? COPIED * loaded / (double)lines.count : 0));
    const double fresh = lines.count ? (double)first / (double)lines.count : 0;
    c->left_bytes += out->room_bytes * fresh;
    c->copied_bytes += lines.count ? out->lines_bytes * fresh * loaded / (double)lines.count : 0;
}

/* What this launch adds to what is left in the L2: between what its rows lie. */
static void leave(fx_trace_cost *c, uint32_t number, size_t first_row) {
    const double bytes = c->launches[number].room_bytes;
    for (size_t i = 1; i < c->left_count; i++) {
        c->left[i].bytes += bytes;
    }
    const size_t own = c->left_count;
    for (size_t i = first_row; i < c->row_count; i++) {
        const fx_cost_row *row = &c->rows[i];
        size_t at = own;
        if (!fx_cost_row_is_global(row) || row->highest <= row->lowest) {
            continue;
        }
        while (at < c->left_count && (c->left[at].lowest > row->highest || row->lowest > c->left[at].highest)) {
            at++;
        }
        fx_grow(&c->left, c->left_count, sizeof *c->left);
        fx_cache_left *to = &c->left[at];
        if (at == c->left_count) {
            *to = (fx_cache_left){row->lowest, row->highest, bytes};
            c->left_count++;
        }
        to->lowest = row->lowest < to->lowest ? row->lowest : to->lowest;
        to->highest = row->highest > to->highest ? row->highest : to->highest;
    }
}

/* ---- What a sample of blocks can't show of the others: how many sectors that it sends to DRAM come from there, and
 * how many that it stores in part are filled by others ---- */

#define LEAST_ONCE 0.8 /* how often each byte is wanted that is wanted about once */
#define MOST_ONCE  1.25

static bool stores(const fx_cost_row *row) {
    return row->of == FX_CLASS_GLOBAL_STORE || row->of == FX_CLASS_BULK_WRITE;
}

/* Rows that meet in memory, loads or stores, of one launch: between what they lie, and over the whole grid the bytes
 * that they want, and the sectors that the model sends to DRAM. */
typedef struct met {
    uint64_t lowest, highest;
    double wanted, sent;
} met;

static double blocks_of_each(const fx_trace_cost *c, const fx_cost_row *row) {
    return (double)c->trace->launches[row->launch].blocks / (double)c->launches[row->launch].blocks;
}

static met meet(const fx_trace_cost *c, const fx_cost_row *row) {
    const double each = blocks_of_each(c, row);
    const fx_cost_row *first = row, *end = c->rows + c->row_count; /* rows of a launch are neighbours */
    met all = {row->lowest, row->highest, 0, 0};
    while (first > c->rows && first[-1].launch == row->launch) {
        first--;
    }
    for (const fx_cost_row *other = first; other < end && other->launch == row->launch; other++) {
        const uint64_t bytes = stores(other) ? other->bytes : other->brought.bytes;
        if (stores(other) == stores(row) && bytes && other->lowest < row->highest && row->lowest < other->highest) {
            all.lowest = other->lowest < all.lowest ? other->lowest : all.lowest;
            all.highest = other->highest > all.highest ? other->highest : all.highest;
            all.wanted += each * (double)bytes;
            all.sent += each * (double)other->served.dram;
        }
    }
    return all;
}

/* Whether the first and the last block of the grid are in the sample: else nobody knows between what accesses lie. */
static bool has_ends(const fx_trace_cost *c, const fx_cost_row *row) {
    const fx_trace_launch *launch = &c->trace->launches[row->launch];
    const fx_trace_record *records = &c->trace->records[launch->first];
    return fx_cost_row_is_global(row) && records[0].block == 0 &&
           records[launch->count - 1].block == launch->blocks - 1;
}

/* Where all that a row's accesses lie between fits into the L2, no more can come from DRAM than that holds; and where
 * each byte between is wanted about once, whoever else wants a sector is taken to want it while the L2 has it. Where
 * stores write all that lies between, blocks that were not recorded write what these leave. */
static void share_row(const fx_trace_cost *c, fx_cost_row *row) {
    const bool ends = has_ends(c, row);
    const met all = ends ? meet(c, row) : (met){0};
    const double own = (double)(row->highest - row->lowest), between = (double)(all.highest - all.lowest);
    const bool fits = own <= (double)fx_access_costs_chip(c->costs)->l2_bytes,
               covered = all.wanted > LEAST_ONCE * between;
    const double sectors = (fits ? own : between) / FX_SECTOR_BYTES, dram = (double)row->served.dram;
    const double sent = fits ? blocks_of_each(c, row) * dram : all.sent;
    const bool once = fits || (covered && all.wanted < MOST_ONCE * between);
    row->of_dram = ends && once && sent > sectors ? sectors / sent : 1;
    row->filled = dram > 0 && !(ends && covered) ? (double)row->brought.filled / dram : 0;
    const double lines = row->served.pairs ? (double)row->served.lines / (double)row->served.pairs : 0;
    row->alone = lines > 0.5 ? 2 * lines - 1 : 0;
    const fx_brought *b = &row->brought;
    const double least = row->sectors ? (double)row->best_sectors / (double)row->sectors : 1,
                 used = b->sectors ? (double)b->bytes / (double)(b->sectors * FX_SECTOR_BYTES) : 0;
    row->best_share = used > least ? used : least;
}

static fx_status take_launch(fx_trace_cost *c, fx_cache_model *model, uint32_t number, fx_error *err) {
    const fx_trace_launch *launch = &c->trace->launches[number];
    const unsigned sms = fx_access_costs_chip(c->costs)->sms;
    const uint64_t of_sm = sms ? (launch->blocks + sms - 1) / sms : launch->blocks;
    const size_t first_row = c->row_count;
    uint64_t at_once = fx_trace_cost_resident(c, launch);
    size_t count, taken = 0, of_this_sm = 0;
    FX_FREED size_t *first = blocks_of(c->trace, launch, &count);
    at_once = at_once < of_sm ? at_once : of_sm ? of_sm : 1;
    at_once = at_once < FX_CACHE_PLACES ? at_once : FX_CACHE_PLACES;
    fx_cache_sizes sizes = sizes_of(c, launch, at_once, c->launches[number].blocks);
    sizes.blocks_at_once = 1 + (sizes.blocks_at_once - 1) * c->launches[number].apart;
    const bool repeated = json_is_true(json_object_get(launch->frame, "repeated")); /* on its own kind */
    c->left[0] = (fx_cache_left){0, UINT64_MAX, repeated ? c->launches[number].room_bytes : c->left_bytes};
    sizes.lost = repeated ? 0 : fmax(0, 1 - (double)sizes.l2_bytes / COPY_WAYS / c->copied_bytes);
    sizes.left = c->left;
    sizes.left_count = sizes.l2_bytes == UINT64_MAX ? 0 : repeated ? 1 : c->left_count; /* 0: of no known size */
    sizes.left_count = c->cold ? 0 : sizes.left_count;
    /* fewer were recorded than share an SM: they have their share of its L1 */
    const size_t groups = count ? (count + at_once - 1) / at_once : 1, of_group = (count + groups - 1) / groups;
    sizes.l1_bytes = of_group ? sizes.l1_bytes * of_group / at_once : sizes.l1_bytes;
    fx_cache_model_launch(model, &sizes);
    memset(c->row_of, 0, c->trace->instruction_count * sizeof *c->row_of);
    memset(c->brought, 0, c->trace->instruction_count * sizeof *c->brought);
    fx_status status = FX_OK;
    while (taken < count && !status) {
        const size_t now = count - taken < of_group ? count - taken : of_group;
        if (of_this_sm + now > of_sm) {
            fx_cache_model_other_sm(model);
            of_this_sm = 0;
        }
        status = take_blocks(c, model, number, first + taken, (unsigned)now, err);
        end_blocks(c, first_row);
        taken += now;
        of_this_sm += now;
    }
    fx_cache_model_end(model);
    for (size_t i = first_row; i < c->row_count; i++) {
        c->rows[i].brought = c->brought[c->rows[i].instruction];
    }
    for (size_t i = first_row; i < c->row_count; i++) {
        share_row(c, &c->rows[i]);
    }
    leave(c, number, first_row);
    return status;
}

static fx_status take_all(fx_trace_cost *c, const regex_t *wanted, fx_error *err) {
    FX_OWNED(fx_hash_free) fx_hash_table lines = {.size = sizeof(place), .key = sizeof(uint64_t)};
    fx_cache_model *model = fx_cache_model_new();
    for (uint32_t i = 0; i < c->trace->launch_count; i++) {
        const fx_trace_launch *launch = &c->trace->launches[i];
        if (launch->frame && launch->count + launch->recorded) {
            const fx_trace_kernel *kernel = &c->trace->kernels[launch->kernel];
            c->launches[i].wanted = !wanted || !regexec(wanted, kernel->name, 0, NULL, 0) ||
                                    (kernel->shown && !regexec(wanted, kernel->shown, 0, NULL, 0));
            for (size_t k = launch->first; k < launch->first + launch->count; k++) {
                c->launches[i].blocks +=
                    k == launch->first || c->trace->records[k].block != c->trace->records[k - 1].block;
            }
            c->launches[i].blocks = launch->recorded > c->launches[i].blocks ? launch->recorded : c->launches[i].blocks;
            survey(c, i, &lines);
        }
    }
    fx_grow(&c->left, c->left_count, sizeof *c->left);
    c->left_count = 1;
    fx_status status = FX_OK;
    for (uint32_t i = 0; i < c->trace->launch_count && !status; i++) {
        status = c->launches[i].blocks ? take_launch(c, model, i, err) : FX_OK;
    }
    fx_cache_model_free(model);
    return status;
}

fx_status fx_trace_cost_new(fx_access_costs *costs, const char *kernels, bool cold, const fx_trace *trace,
                            fx_trace_cost **out, fx_error *err) {
    regex_t wanted;
    FX_FAIL_IF(kernels && regcomp(&wanted, kernels, REG_EXTENDED | REG_NOSUB), err, FX_BAD_INPUT,
               "--kernel %.60s: not an extended regular expression", kernels);
    fx_trace_cost *c = *out = fx_new(1, sizeof *c);
    *c = (fx_trace_cost){.trace = trace,
                         .costs = costs,
                         .cold = cold,
                         .tallies = {.size = sizeof(fx_cost_tally), .key = offsetof(fx_cost_tally, base)},
                         .launches = fx_new(trace->launch_count, sizeof *c->launches),
                         .row_of = fx_new(trace->instruction_count, sizeof *c->row_of),
                         .brought = fx_new(trace->instruction_count, sizeof *c->brought),
                         .records = fx_new(trace->record_count, sizeof *c->records)};
    const fx_status status = take_all(c, kernels ? &wanted : NULL, err);
    if (kernels) {
        regfree(&wanted);
    }
    return status;
}

void fx_trace_cost_free(fx_trace_cost *cost) {
    if (!cost) {
        return;
    }
    free(cost->rows);
    fx_hash_free(&cost->tallies);
    free(cost->row_of);
    free(cost->brought);
    free(cost->launches);
    free(cost->records);
    free(cost->left);
    free(cost);
}
