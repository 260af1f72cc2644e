/* The law of the gather: what one run asks of the chip. Elements at random are drawn: the steps of some tables of lanes
 * are averaged. Plain C. */
#pragma once

#include "../demand.h"
#include "core/random.h"
#include "shape.h"

enum { PAIR_BYTES = 64, INDEX_BYTES = 4 };
enum { DRAWN = 32 /* tables of lanes */, TEXEL_QUADS = 4 /* that a tex1Dfetch of a warp takes the time of */ };

/* What the machine code for sm_90 takes: instructions of a warp, which `gpufx validate --sass` recounts, and registers
 * of a thread, by nvcc 13.0. */
typedef struct machine_code {
    unsigned issue, registers;
} machine_code;

static machine_code code_of(int64_t variant, int64_t element) {
    static const machine_code together[] = {{37, 18}, {86, 38}}, texture[] = {{30, 16}, {28, 26}};
    static const machine_code plain[] = {{34, 16}, {32, 16}, {30, 18}, {30, 26}, {26, 30}, {32, 40}};
    const int place = element == 1 ? 0 : element == 128 ? 5 : (int)log2((double)element) - 1; /* 1, 4, 8, 16, 32, 128 */
    return variant == TOGETHER ? together[place == 5] : variant == TEXTURE ? texture[place == 3] : plain[place];
}

static void code(const fx_params *params, fx_code *out) {
    out->before = code_of(params->value[VARIANT], params->value[ELEMENT]).issue;
}

/* The part of the data that a cache holds of data in random order. */
static double held_share(double cache_bytes, double footprint) {
    return cache_bytes >= footprint ? 1 : cache_bytes / footprint;
}

/* The same for an L2, which holds lines, but is filled by the pairs of sectors that are missed, and by the lines of the
 * streams beside the table, `stream_lines` for each element. Lines are taken to be evicted at random: a line that is
 * there for a part r of the time was brought by one of its pairs, and the other one came as often as the line was
 * wanted again; of the lines that leave, those of the table are as many as were missed. */
static double l2_share(double cache_bytes, double footprint, double element, double stream_lines) {
    const double lines = footprint / FX_LINE_BYTES, room = cache_bytes / FX_LINE_BYTES;
    double least = 0, most = 1;
    if (element >= FX_LINE_BYTES || room <= 0) {
        return held_share(cache_bytes, footprint);
    }
    while (most - least > 1e-6) {
        const double share = (least + most) / 2, brought = 1 - share;
        const double own = room * brought / (brought + stream_lines), r = own < lines ? own / lines : 1;
        const double alone = (1 - r) / (1 - r / 2); /* of the time that a line is there, with one pair */
        if (r * (1 - alone / 2) > share) {
            least = share;
        } else {
            most = share;
        }
    }
    return least;
}

/* What the lanes of a warp want at once: elements, or with several parts, parts of fewer. Of a table beyond 1 GiB, one
 * of 1 GiB: no two lanes meet in either. */
static void draw_lanes(const fx_params *p, uint64_t number, uint64_t parts, fx_lanes *out) {
    const uint64_t most = (uint64_t)1 << 30, bytes = (uint64_t)p->value[FOOTPRINT];
    const uint64_t element = (uint64_t)p->value[ELEMENT], elements = (bytes < most ? bytes : most) / element;
    const uint64_t window = (uint64_t)p->value[WINDOW], all = bytes / element, piece = all > window ? all / window : 1;
    for (uint64_t l = 0; l < FX_WARP; l++) {
        const uint64_t word = fx_random_at(number, l / parts);
        const uint64_t at = p->value[VARIANT] == SORTED ? (l * piece + word % piece) % elements : word % elements;
        out->offset[l] = (int32_t)(at * element + l % parts * (element / parts));
    }
}

/* What a warp does for one load of the table: the mean. Of DRAM what it does for 32 elements, in pairs of sectors side
 * by side that take as long (fx_law_dram_load): elements at random open a block of two lines each. */
typedef struct load {
    double l1_steps, l2_steps, lines, sectors, dram_pairs;
} load;

static load load_of(const fx_facts *facts, const fx_params *p, unsigned width) {
    const unsigned element = (unsigned)p->value[ELEMENT];
    load sum = {0};
    for (uint64_t i = 0; i < DRAWN; i++) {
        fx_lanes lanes, elements;
        draw_lanes(p, i, p->value[VARIANT] == TOGETHER ? element / width : 1, &lanes);
        draw_lanes(p, i, 1, &elements);
        sum.l1_steps += fx_law_l1_load(&facts->geometry, &lanes, width) / (double)DRAWN;
        sum.l2_steps += fx_law_l2_load(&facts->geometry, &lanes, width) / DRAWN;
        sum.lines += fx_law_blocks(&lanes, width, FX_LINE_BYTES) / (double)DRAWN;
        sum.sectors += fx_law_blocks(&lanes, width, FX_SECTOR_BYTES) / (double)DRAWN;
        sum.dram_pairs += fx_law_dram_load(&facts->geometry, &elements, element) / DRAWN;
    }
    return sum;
}

static void law(const fx_facts *facts, const fx_params *p, const fx_lanes *none, fx_prediction *out) {
    const int element = (int)p->value[ELEMENT], parts = parts_of(element);
    const int64_t variant = p->value[VARIANT];
    const bool together = variant == TOGETHER;
    const unsigned width = (unsigned)(element / parts);
    const machine_code machine = code_of(variant, element);
    const load table = load_of(facts, p, width);
    const double n = GATHERED, warps = n / FX_WARP, footprint = (double)p->value[FOOTPRINT];
    const double l1 = held_share((double)facts->shared_per_sm_bytes, footprint);
    const double streams = (INDEX_BYTES + (double)element) / FX_LINE_BYTES;
    const double l2 = l2_share((double)facts->l2_bytes, footprint, element, streams);
    /* Of an element in several parts, each sector is missed once; the part beside finds it in the L1. */
    const double loads = warps * parts, missing = together || element <= FX_SECTOR_BYTES / 2 ? 1 : 0.5;
    const double missed = loads * missing * (1 - l1), sectors = missed * table.sectors;
    const double each = together ? 1 : unroll_of(element), sms = sms_of(facts);
    const double blocks = n / (THREADS * each), resident = resident_of(facts, THREADS, machine.registers, 0);
    const double busiest = in_turns(blocks, sms) / blocks, turns = in_turns(blocks, sms * resident);
    const double at_once = resident * THREADS / FX_WARP * each * (1 - l1); /* elements of a lane, in flight on an SM */
    fx_lanes stored;
    fx_lanes_stride(&stored, width, together ? 1 : parts, 0);
    out->law = "elements";
    out->count = n;
    out->why_not = "the demands predict the time";
    out->useful_bytes = n * (INDEX_BYTES + 2.0 * element);
    demand(out, "launches", 1);
    demand(out, "dram_read_bytes", n * INDEX_BYTES + warps * (1 - l1) * table.dram_pairs * PAIR_BYTES * (1 - l2));
    demand(out, "dram_write_bytes", n * element);
    demand(out, "l2_bytes",
           n * INDEX_BYTES + FX_SECTOR_BYTES * (sectors + loads * fx_law_blocks(&stored, width, FX_SECTOR_BYTES)));
    demand(out, "l2_requests", missed * table.lines + warps + loads * fx_law_blocks(&stored, width, FX_LINE_BYTES));
    demand(out, "l1_steps", busiest * (loads - missed) * table.l1_steps);
    demand(out, "texture_steps", variant == TEXTURE ? busiest * loads * TEXEL_QUADS : 0);
    demand(out, "l2_load_steps", busiest * (missed * table.l2_steps + warps));
    demand(out, "l2_store_steps", busiest * loads * fx_law_l2_store(&facts->geometry, &stored, width));
    demand(out, "issue", busiest * blocks * THREADS / FX_WARP * machine.issue);
    demand(out, "blocks", busiest * blocks);
    demand(out, "shuffles", together ? busiest * loads : 0);
    demand(out, "dram_rounds", turns * (1 + (1 - l2)));
    demand(out, "l2_rounds", l2 > l1 ? turns * (l2 - l1) : 0);
    demand(out, "l1_rounds", turns * l1);
    demand(out, "dram_in_flight_bytes", l2 < 1 ? at_once * table.dram_pairs * PAIR_BYTES : 0);
    demand(out, "l2_in_flight_bytes", l1 < 1 ? at_once * parts * missing * table.sectors * FX_SECTOR_BYTES : 0);
}
