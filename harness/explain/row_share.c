/* What a sample of blocks can't show of the others: how many sectors that it sends to DRAM come from there, and how
 * many that it stores in part are filled by others. */
#include "core/law.h"
#include "trace_cost.h"

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
void fx_cost_row_share(const fx_trace_cost *c, fx_cost_row *row) {
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
    const fx_brought *b = &row->brought;
    const double least = row->sectors ? (double)row->best_sectors / (double)row->sectors : 1,
                 used = b->sectors ? (double)b->bytes / (double)(b->sectors * FX_SECTOR_BYTES) : 0;
    row->best_share = used > least ? used : least;
}
