/* Launch by launch and block by block through the caches; equal accesses are counted once and only tallied here. */
#include "trace_cost.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_ROOM = 1 << 10,
    ASSUMED_SM_BYTES = 128 << 10, /* the smallest array of shared memory and L1 since sm_75 */
    RESERVED_BYTES = 1 << 10,     /* shared memory that the system takes for each block */
    THREADS_OF_SM = 2048,
    BLOCKS_OF_SM = 32,
    REGISTERS_OF_SM = 1 << 16,
    WARP = 32,
    LEAST_L1_BYTES = 16 << 10,
};

static fx_status no_memory(fx_error *err) {
    return fx_fail(err, FX_NO_MEMORY, "out of memory while adding up accesses; record fewer blocks");
}

static size_t hash_of(size_t row, size_t cost) {
    uint64_t h = (((uint64_t)row << 32) ^ (uint64_t)cost) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ h >> 31);
}

static size_t *find(const fx_trace_cost *c, size_t row, size_t cost) {
    size_t at = hash_of(row, cost) & (c->table_room - 1);
    while (c->table[at] && (c->tallies[c->table[at] - 1].row != row || c->tallies[c->table[at] - 1].cost != cost)) {
        at = (at + 1) & (c->table_room - 1);
    }
    return &c->table[at];
}

static fx_status room_for_tally(fx_trace_cost *c, fx_error *err) {
    if (c->tally_count < c->tally_room) {
        return FX_OK;
    }
    const size_t more = c->tally_room ? 2 * c->tally_room : FIRST_ROOM;
    fx_cost_tally *larger = realloc(c->tallies, more * sizeof *larger);
    size_t *table = larger ? calloc(2 * more, sizeof *table) : NULL;
    c->tallies = larger ? larger : c->tallies;
    if (!table) {
        return no_memory(err);
    }
    free(c->table);
    c->table = table;
    c->table_room = 2 * more;
    c->tally_room = more;
    for (size_t i = 0; i < c->tally_count; i++) {
        *find(c, c->tallies[i].row, c->tallies[i].cost) = i + 1;
    }
    return FX_OK;
}

/* The tally of equal accesses of a row. */
static fx_status tally_of(fx_trace_cost *c, size_t row, size_t cost, uint64_t base, fx_cost_tally **out,
                          fx_error *err) {
    FX_TRY(room_for_tally(c, err));
    size_t *at = find(c, row, cost);
    if (!*at) {
        c->tallies[c->tally_count] =
            (fx_cost_tally){.row = row, .cost = cost, .base = base, .next = c->rows[row].first};
        c->rows[row].first = c->tally_count;
        c->rows[row].distinct++;
        *at = ++c->tally_count;
    }
    *out = &c->tallies[*at - 1];
    return FX_OK;
}

static fx_status row_of(fx_trace_cost *c, uint32_t launch, uint32_t instruction, size_t *out, fx_error *err) {
    if (!c->row_of[instruction]) {
        if (c->row_count == c->row_room) {
            const size_t more = c->row_room ? 2 * c->row_room : FIRST_ROOM;
            fx_cost_row *larger = realloc(c->rows, more * sizeof *larger);
            if (!larger) {
                return no_memory(err);
            }
            c->rows = larger;
            c->row_room = more;
        }
        c->rows[c->row_count] = (fx_cost_row){.launch = launch,
                                              .instruction = instruction,
                                              .of = fx_class_of(&c->trace->instructions[instruction]),
                                              .lowest = UINT64_MAX,
                                              .first = SIZE_MAX};
        c->row_of[instruction] = ++c->row_count;
    }
    *out = c->row_of[instruction] - 1;
    return FX_OK;
}

/* The sectors of one access and what serves them. */
static fx_status serve(fx_trace_cost *c, fx_cache_model *model, const fx_access_cost *cost,
                       const fx_trace_record *record, fx_served *out, fx_error *err) {
    const uint64_t place = (uint64_t)record->block << 6 | (record->warp & 63);
    *out = (fx_served){0};
    for (size_t i = 0; i < cost->line_count; i++) {
        const fx_cache_line line = fx_access_costs_line(c->costs, cost, i, record->base, place);
        switch (cost->of) {
        case FX_CLASS_LOCAL_LOAD:
        case FX_CLASS_LOCAL_STORE:
            fx_cache_model_local(model, line, cost->of == FX_CLASS_LOCAL_STORE, out);
            break;
        case FX_CLASS_GLOBAL_STORE:
        case FX_CLASS_BULK_WRITE:
            FX_TRY(fx_cache_model_store(model, line, out, err));
            break;
        default:
            FX_TRY(fx_cache_model_load(model, line,
                                       c->trace->instructions[record->instruction].through_l1 &&
                                           (cost->of == FX_CLASS_GLOBAL_LOAD || cost->of == FX_CLASS_ASYNC_LOAD),
                                       &c->brought[record->instruction], out, err));
        }
    }
    out->dram += (unsigned)cost->more_sectors;
    return FX_OK;
}

/* Accesses that are served the same way. */
static void add(fx_cost_row *row, fx_cost_tally *tally, const fx_access_cost *cost, const fx_served *served,
                uint64_t times) {
    const bool far = cost->of > FX_CLASS_MATRIX, beyond = far && (served->l2 || served->dram || !cost->level[0].law);
    const fx_level_cost *by = &cost->level[beyond ? FX_COST_L2 : FX_COST_NEAR];
    const double weight = by->law && isfinite(by->cycles) ? by->cycles
                          : cost->sectors                 ? cost->sectors
                          : cost->wavefronts              ? cost->wavefronts
                                                          : 1;
    tally->times += times;
    tally->at[FX_COST_NEAR] += beyond ? 0 : times;
    tally->at[FX_COST_L2] += beyond ? times : 0;
    tally->at[FX_COST_DRAM] += served->dram ? times : 0;
    row->executed += times;
    row->lanes += times * cost->lanes;
    row->bytes += times * cost->lanes * cost->bytes;
    row->sectors += times * cost->sectors;
    row->wavefronts += times * cost->wavefronts;
    row->lines += times * cost->lines;
    row->best_sectors += times * cost->best_sectors;
    row->best_wavefronts += times * cost->best_wavefronts;
    row->served[FX_COST_NEAR] += times * (far ? served->l1 : 1);
    row->served[FX_COST_L2] += times * served->l2;
    row->served[FX_COST_DRAM] += times * served->dram;
    row->this_block += (double)times * weight;
}

/* Between the lowest and the highest line, to the line. */
static void widen(fx_cost_row *row, const fx_trace_record *record, const fx_access_cost *cost) {
    const uint64_t end = record->base + cost->reach;
    row->lowest = record->base < row->lowest ? record->base : row->lowest;
    row->highest = end > row->highest ? end : row->highest;
}

static void end_block(fx_cost_row *row) {
    row->block_sum += row->this_block;
    row->block_squares += row->this_block * row->this_block;
    row->this_block = 0;
}

static uint16_t in_16(unsigned sectors) {
    return sectors < UINT16_MAX ? (uint16_t)sectors : UINT16_MAX;
}

static fx_status take_record(fx_trace_cost *c, fx_cache_model *model, uint32_t launch, const fx_trace_record *record,
                             fx_error *err) {
    size_t at = 0, index = 0;
    fx_cost_tally *tally;
    fx_served served;
    FX_TRY(row_of(c, launch, record->instruction, &at, err));
    fx_cost_row *row = &c->rows[at];
    FX_TRY(fx_access_costs_find(c->costs, row->of, record->pattern, record->base, &index, err));
    FX_TRY(tally_of(c, at, index, record->base, &tally, err));
    const fx_access_cost *cost = fx_access_costs_at(c->costs, index);
    if (record->block != row->block) {
        end_block(row);
        row->block = record->block;
    }
    widen(row, record, cost);
    FX_TRY(serve(c, model, cost, record, &served, err));
    add(row, tally, cost, &served, 1);
    fx_record_cost *kept = &c->records[record - c->trace->records];
    *kept = (fx_record_cost){(uint32_t)index, {in_16(served.l2 + served.dram)}, {in_16(served.dram)}};
    if (record->times > 1) { /* the second one finds what the first one brought, and so do all others */
        FX_TRY(serve(c, model, cost, record, &served, err));
        add(row, tally, cost, &served, record->times - 1u);
        kept->l2[1] = in_16(served.l2 + served.dram);
        kept->dram[1] = in_16(served.dram);
    }
    return FX_OK;
}

/* What the recorder says, of a launch's own dynamic shared memory and threads; registers by what it says of those. */
unsigned fx_trace_cost_resident(const fx_trace_cost *c, const fx_trace_launch *launch) {
    const fx_trace_kernel *kernel = &c->trace->kernels[launch->kernel];
    const uint64_t known = fx_access_costs_sm_bytes(c->costs), sm_bytes = known ? known : ASSUMED_SM_BYTES;
    const uint64_t shared = kernel->shared_bytes + launch->shared_bytes + RESERVED_BYTES;
    const uint64_t most = sm_bytes - LEAST_L1_BYTES, threads = (launch->threads + WARP - 1) / WARP * WARP;
    const uint64_t registers = kernel->registers ? (kernel->registers + 7) / 8 * 8 * threads : 1;
    uint64_t fit = kernel->max_blocks_per_sm ? kernel->max_blocks_per_sm : BLOCKS_OF_SM;
    const uint64_t by[] = {THREADS_OF_SM / (threads < THREADS_OF_SM ? threads : THREADS_OF_SM), most / shared,
                           REGISTERS_OF_SM / registers};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        fit = by[i] < fit ? by[i] : fit;
    }
    return fit ? (unsigned)fit : 1;
}

/* The share of a block in the caches: of blocks that fit on an SM, and no more than the grid has for each SM. */
static fx_cache_sizes sizes_of(fx_trace_cost *c, const fx_trace_launch *launch, uint64_t recorded) {
    const fx_trace_kernel *kernel = &c->trace->kernels[launch->kernel];
    const uint64_t known = fx_access_costs_sm_bytes(c->costs), sm_bytes = known ? known : ASSUMED_SM_BYTES;
    const uint64_t shared = kernel->shared_bytes + launch->shared_bytes + RESERVED_BYTES;
    const unsigned sms = fx_access_costs_sms(c->costs) ? fx_access_costs_sms(c->costs) : 1;
    const uint64_t of_grid = (launch->blocks + sms - 1) / sms;
    uint64_t fit = fx_trace_cost_resident(c, launch);
    fit = fit < of_grid ? fit : of_grid;
    fit = fit ? fit : 1;
    c->assumed_l1 = c->assumed_l1 || !known;
    const uint64_t taken = fit * shared, left = taken + LEAST_L1_BYTES < sm_bytes ? sm_bytes - taken : LEAST_L1_BYTES;
    const uint64_t l2_bytes = fx_access_costs_l2_bytes(c->costs);
    const double at_once = (double)fit * sms;
    return (fx_cache_sizes){.l1_bytes = left / fit,
                            .l2_bytes = l2_bytes ? l2_bytes : UINT64_MAX,
                            .blocks_at_once = at_once < (double)launch->blocks ? at_once : (double)launch->blocks,
                            .blocks_per_record = recorded ? (double)launch->blocks / (double)recorded : 1};
}

static uint64_t distinct_blocks(const fx_trace *trace, const fx_trace_launch *launch) {
    uint64_t count = 0;
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        count += i == launch->first || trace->records[i].block != trace->records[i - 1].block;
    }
    return count;
}

static fx_status take_launch(fx_trace_cost *c, fx_cache_model *model, uint32_t number, fx_error *err) {
    const fx_trace_launch *launch = &c->trace->launches[number];
    const uint64_t seen = distinct_blocks(c->trace, launch);
    const size_t first_row = c->row_count;
    c->blocks[number] = launch->recorded > seen ? launch->recorded : seen;
    const fx_cache_sizes sizes = sizes_of(c, launch, c->blocks[number]);
    FX_TRY(fx_cache_model_launch(model, &sizes, err));
    memset(c->row_of, 0, c->trace->instruction_count * sizeof *c->row_of);
    memset(c->brought, 0, c->trace->instruction_count * sizeof *c->brought);
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        const fx_trace_record *record = &c->trace->records[i];
        if (i == launch->first || record->block != record[-1].block) {
            fx_cache_model_block(model, record->block);
        }
        FX_TRY(take_record(c, model, number, record, err));
    }
    fx_cache_model_block(model, 0);
    for (size_t i = first_row; i < c->row_count; i++) {
        end_block(&c->rows[i]);
        c->rows[i].brought = c->brought[c->rows[i].instruction];
    }
    return FX_OK;
}

static bool is_wanted(const fx_trace_kernel *kernel, const regex_t *wanted) {
    return !wanted || !regexec(wanted, kernel->name, 0, NULL, 0) ||
           (kernel->shown && !regexec(wanted, kernel->shown, 0, NULL, 0));
}

static fx_status take_all(fx_trace_cost *c, const regex_t *wanted, fx_error *err) {
    fx_cache_model *model = NULL;
    FX_TRY(fx_cache_model_new(&model, err));
    fx_status status = FX_OK;
    for (uint32_t i = 0; i < c->trace->launch_count && !status; i++) {
        const fx_trace_launch *launch = &c->trace->launches[i];
        if (launch->frame && is_wanted(&c->trace->kernels[launch->kernel], wanted)) {
            status = take_launch(c, model, i, err);
        }
    }
    fx_cache_model_free(model);
    return status;
}

fx_status fx_trace_cost_new(const fx_options *options, const char *kernels, const fx_trace *trace, fx_trace_cost **out,
                            fx_error *err) {
    regex_t wanted;
    *out = NULL;
    if (kernels && regcomp(&wanted, kernels, REG_EXTENDED | REG_NOSUB)) {
        return fx_fail(err, FX_BAD_INPUT, "--kernel %.60s: not an extended regular expression", kernels);
    }
    fx_status status = FX_OK;
    fx_trace_cost *c = calloc(1, sizeof *c);
    if (c) {
        *c = (fx_trace_cost){.trace = trace,
                             .row_of = calloc(trace->instruction_count + 1, sizeof *c->row_of),
                             .brought = calloc(trace->instruction_count + 1, sizeof *c->brought),
                             .blocks = calloc(trace->launch_count + 1, sizeof *c->blocks),
                             .records = calloc(trace->record_count + 1, sizeof *c->records)};
    }
    if (!c || !c->row_of || !c->brought || !c->blocks || !c->records) {
        status = no_memory(err);
    }
    if (!status) {
        status = fx_access_costs_new(options, trace, &c->costs, err);
    }
    if (!status) {
        status = take_all(c, kernels ? &wanted : NULL, err);
    }
    if (kernels) {
        regfree(&wanted);
    }
    if (status) {
        fx_trace_cost_free(c);
        return status;
    }
    *out = c;
    return FX_OK;
}

void fx_trace_cost_free(fx_trace_cost *cost) {
    if (!cost) {
        return;
    }
    fx_access_costs_free(cost->costs);
    free(cost->rows);
    free(cost->tallies);
    free(cost->table);
    free(cost->row_of);
    free(cost->brought);
    free(cost->blocks);
    free(cost->records);
    free(cost);
}
