/* Records whose fields stand side by side (docs/trace.md). Warps stand in the order of time, the other fields in that
 * of warps: so the first mention of a warp in a block is that of the first of its records there. */

#include "trace.h"

typedef struct columns {
    uint32_t *instruction, *pattern;
    uint64_t *base; /* steps: from the last one of an instruction with the same number modulo FX_TRACE_BASES */
    uint32_t *block;
    uint16_t *warp, *times;
} columns;

static columns columns_at(void *memory, size_t count) {
    char *at = memory;
    return (columns){(void *)at,
                     (void *)(at + 4 * count),
                     (void *)(at + 8 * count),
                     (void *)(at + 16 * count),
                     (void *)(at + 20 * count),
                     (void *)(at + 22 * count)};
}

typedef struct order {
    size_t end;                           /* of the block at hand */
    size_t next[FX_TRACE_MOST_WARPS + 1]; /* where each warp's next record stands in that of warps */
} order;

/* Where the record that is number `i` in time stands in the order of warps; to be asked of all, from 0 on. */
static size_t place(order *o, const columns *c, size_t count, size_t i) {
    if (i == o->end) {
        memset(o->next, 0, sizeof o->next);
        o->next[0] = i;
        for (; o->end < count && c->block[o->end] == c->block[i]; o->end++) {
            o->next[c->warp[o->end] + 1]++;
        }
        for (size_t w = 0; w < FX_TRACE_MOST_WARPS; w++) {
            o->next[w + 1] += o->next[w];
        }
    }
    return o->next[c->warp[i]]++;
}

void fx_trace_columns_of(const fx_trace_record *records, size_t count, void *out) {
    const columns c = columns_at(out, count);
    uint64_t last[FX_TRACE_BASES] = {0};
    order o = {.end = 0};
    for (size_t i = 0; i < count; i++) {
        c.block[i] = records[i].block;
        c.warp[i] = records[i].warp;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t to = place(&o, &c, count, i);
        c.instruction[to] = records[i].instruction;
        c.pattern[to] = records[i].pattern;
        c.base[to] = records[i].base;
        c.times[to] = records[i].times;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t *before = &last[c.instruction[i] % FX_TRACE_BASES];
        const uint64_t base = c.base[i];
        c.base[i] = base - *before;
        *before = base;
    }
}

bool fx_trace_columns_read(void *memory, size_t count, fx_trace_record *out) {
    const columns c = columns_at(memory, count);
    uint64_t last[FX_TRACE_BASES] = {0};
    order o = {.end = 0};
    for (size_t i = 0; i < count; i++) {
        if (c.warp[i] >= FX_TRACE_MOST_WARPS) {
            return false;
        }
        c.base[i] = last[c.instruction[i] % FX_TRACE_BASES] += c.base[i];
    }
    for (size_t i = 0; i < count; i++) {
        const size_t from = place(&o, &c, count, i);
        out[i] = (fx_trace_record){.instruction = c.instruction[from],
                                   .pattern = c.pattern[from],
                                   .base = c.base[from],
                                   .block = c.block[i],
                                   .warp = c.warp[i],
                                   .times = c.times[from]};
    }
    return true;
}
