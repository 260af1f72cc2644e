/* The model of cache_model.h: a hash table of L1 lines in order of last use, and per L2 sector the amount that had
 * come in at its last use. */
#include "cache_model.h"

#include <stdlib.h>
#include <string.h>

#include "core/law.h"

enum { MOST_L1_LINES = 1 << 14 };
#define NONE UINT32_MAX

/* Of the L1: in a list from the line used last to the one used longest ago, and in a list of its bucket. */
typedef struct l1_line {
    uint64_t line;
    unsigned sectors;
    uint32_t bytes[4];
    fx_brought *by[4]; /* the access that brought each sector; NULL: not known */
    uint32_t newer, older, next;
} l1_line;

/* Of the L2. What had come into it when the line was last used: since the launch, and since that block began. */
typedef struct l2_line {
    uint64_t line, filled;
    uint32_t filled_by_block, block;
    unsigned char seen, written; /* bits of sectors */
    bool used;                   /* the place of the table is taken */
} l2_line;

struct fx_cache_model {
    fx_cache_sizes sizes;
    l1_line *l1; /* MOST_L1_LINES */
    uint32_t *buckets;
    size_t l1_room, l1_count, bucket_count;
    uint32_t newest, oldest;
    l2_line *l2; /* a table of open addresses; a power of two */
    size_t l2_room, l2_count;
    uint64_t filled;                 /* sectors that came into the L2 since the launch, ... */
    uint32_t filled_by_block, block; /* ... since the block began */
};

static size_t mix(uint64_t line) {
    line *= 0x9e3779b97f4a7c15u;
    return (size_t)(line ^ line >> 29);
}

static fx_status no_memory(fx_error *err) {
    return fx_fail(err, FX_NO_MEMORY, "out of memory for the model of the caches; record fewer blocks");
}

fx_status fx_cache_model_new(fx_cache_model **out, fx_error *err) {
    fx_cache_model *model = calloc(1, sizeof *model);
    *out = model;
    if (!model || !(model->l1 = malloc(MOST_L1_LINES * sizeof *model->l1)) ||
        !(model->buckets = malloc(MOST_L1_LINES * sizeof *model->buckets))) {
        fx_cache_model_free(model);
        *out = NULL;
        return no_memory(err);
    }
    return FX_OK;
}

void fx_cache_model_free(fx_cache_model *model) {
    if (model) {
        free(model->l1);
        free(model->buckets);
        free(model->l2);
        free(model);
    }
}

fx_status fx_cache_model_launch(fx_cache_model *model, const fx_cache_sizes *sizes, fx_error *err) {
    enum { FIRST = 1 << 12 };
    model->sizes = *sizes;
    model->l1_room = sizes->l1_bytes / FX_LINE_BYTES;
    model->l1_room = model->l1_room < MOST_L1_LINES ? model->l1_room : MOST_L1_LINES;
    for (model->bucket_count = 1; model->bucket_count < model->l1_room; model->bucket_count *= 2) {
    }
    free(model->l2);
    model->l2_room = FIRST;
    model->l2_count = 0;
    model->filled = 0;
    model->l2 = calloc(FIRST, sizeof *model->l2);
    fx_cache_model_block(model, 0);
    return model->l2 ? FX_OK : no_memory(err);
}

/* Its sectors leave the L1. */
static void tell_used(const l1_line *one) {
    for (unsigned s = 0; s < 4; s++) {
        if (one->by[s]) {
            one->by[s]->sectors++;
            one->by[s]->bytes += (unsigned)__builtin_popcount(one->bytes[s]);
        }
    }
}

void fx_cache_model_block(fx_cache_model *model, uint32_t block) {
    for (size_t i = 0; i < model->l1_count; i++) {
        tell_used(&model->l1[i]);
    }
    model->l1_count = 0;
    model->newest = model->oldest = NONE;
    model->block = block;
    model->filled_by_block = 0;
    memset(model->buckets, 0xff, model->bucket_count * sizeof *model->buckets);
}

size_t fx_cache_model_l1_lines(const fx_cache_model *model) {
    return model->l1_count;
}

static uint32_t *bucket_of(fx_cache_model *m, uint64_t line) {
    return &m->buckets[mix(line) & (m->bucket_count - 1)];
}

static void unlink_line(fx_cache_model *m, uint32_t at) {
    const l1_line *one = &m->l1[at];
    *(one->newer == NONE ? &m->newest : &m->l1[one->newer].older) = one->older;
    *(one->older == NONE ? &m->oldest : &m->l1[one->older].newer) = one->newer;
}

static void put_newest(fx_cache_model *m, uint32_t at) {
    m->l1[at].newer = NONE;
    m->l1[at].older = m->newest;
    *(m->newest == NONE ? &m->oldest : &m->l1[m->newest].newer) = at;
    m->newest = at;
}

/* Find room for a line that is not there: unused room, else that of the line used longest ago. */
static uint32_t make_room(fx_cache_model *m) {
    if (m->l1_count < m->l1_room) {
        return (uint32_t)m->l1_count++;
    }
    const uint32_t at = m->oldest;
    uint32_t *link = bucket_of(m, m->l1[at].line);
    while (*link != at) {
        link = &m->l1[*link].next;
    }
    *link = m->l1[at].next;
    unlink_line(m, at);
    tell_used(&m->l1[at]);
    return at;
}

/* Returns the sectors that were there; all of them are from now on. */
static unsigned through_l1_of(fx_cache_model *m, fx_cache_line line, fx_brought *brought) {
    unsigned hit = 0;
    if (m->l1_room == 0) {
        return 0;
    }
    uint32_t *bucket = bucket_of(m, line.line), at = *bucket;
    while (at != NONE && m->l1[at].line != line.line) {
        at = m->l1[at].next;
    }
    if (at == NONE) {
        at = make_room(m);
        m->l1[at] = (l1_line){.line = line.line, .next = *bucket};
        *bucket = at;
    } else {
        hit = m->l1[at].sectors & line.sectors;
        unlink_line(m, at);
    }
    for (unsigned s = 0; s < 4; s++) {
        m->l1[at].by[s] = (line.sectors & ~m->l1[at].sectors) >> s & 1 ? brought : m->l1[at].by[s];
        m->l1[at].bytes[s] |= line.bytes[s];
    }
    m->l1[at].sectors |= line.sectors;
    put_newest(m, at);
    return hit;
}

static l2_line *find_l2(const fx_cache_model *m, uint64_t line) {
    size_t at = mix(line) & (m->l2_room - 1);
    while (m->l2[at].used && m->l2[at].line != line) {
        at = (at + 1) & (m->l2_room - 1);
    }
    return &m->l2[at];
}

static fx_status grow_l2(fx_cache_model *m, fx_error *err) {
    l2_line *old = m->l2;
    const size_t room = m->l2_room;
    if (2 * m->l2_count < room) {
        return FX_OK;
    }
    l2_line *larger = calloc(2 * room, sizeof *larger);
    if (!larger) {
        return no_memory(err);
    }
    m->l2 = larger;
    m->l2_room = 2 * room;
    for (size_t i = 0; i < room; i++) {
        if (old[i].used) {
            *find_l2(m, old[i].line) = old[i];
        }
    }
    free(old);
    return FX_OK;
}

/* True if the line is still there since its last use. */
static bool is_there(const fx_cache_model *m, const l2_line *line) {
    const double came = line->block == m->block
                            ? (double)(m->filled_by_block - line->filled_by_block) * m->sizes.blocks_at_once
                            : (double)(m->filled - line->filled) * m->sizes.blocks_per_record;
    return came * FX_SECTOR_BYTES <= (double)m->sizes.l2_bytes;
}

static fx_status use_l2(fx_cache_model *m, fx_cache_line line, bool write, fx_served *out, fx_error *err) {
    if (!line.sectors) {
        return FX_OK;
    }
    FX_TRY(grow_l2(m, err));
    l2_line *one = find_l2(m, line.line);
    if (!one->used) {
        *one = (l2_line){.line = line.line, .used = true};
        m->l2_count++;
    } else if (!is_there(m, one)) {
        one->seen = one->written = 0;
    }
    const unsigned there = one->seen & line.sectors, served = write ? one->written & line.sectors : there;
    const unsigned came = (unsigned)__builtin_popcount(line.sectors & ~there);
    out->l2 += (unsigned)__builtin_popcount(served);
    out->dram += (unsigned)__builtin_popcount(line.sectors & ~served);
    m->filled += came;
    m->filled_by_block += came;
    one->seen |= (unsigned char)line.sectors;
    one->written |= (unsigned char)(write ? line.sectors : 0);
    one->filled = m->filled;
    one->filled_by_block = m->filled_by_block;
    one->block = m->block;
    return FX_OK;
}

fx_status fx_cache_model_load(fx_cache_model *model, fx_cache_line line, bool through_l1, fx_brought *brought,
                              fx_served *out, fx_error *err) {
    const unsigned hit = through_l1 ? through_l1_of(model, line, brought) : 0;
    out->l1 += (unsigned)__builtin_popcount(hit);
    line.sectors &= ~hit;
    return use_l2(model, line, false, out, err);
}

fx_status fx_cache_model_store(fx_cache_model *model, fx_cache_line line, fx_served *out, fx_error *err) {
    return use_l2(model, line, true, out, err);
}

void fx_cache_model_local(fx_cache_model *model, fx_cache_line line, bool write, fx_served *out) {
    const unsigned all = (unsigned)__builtin_popcount(line.sectors);
    const unsigned hit = (unsigned)__builtin_popcount(through_l1_of(model, line, NULL));
    const unsigned there = write && model->l1_room > 0 ? all : hit;
    out->l1 += there;
    out->l2 += all - there;
}
