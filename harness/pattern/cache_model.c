/* The model of cache_model.h: a hash table of L1 lines in order of last use, and what had come in when each L2 line was
 * used last. */
#include "cache_model.h"

#include "core/hash_table.h"
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
    uint8_t from; /* 1: the L2; 2: DRAM */
} l1_line;

/* Of the L2. Lines that had come into it when the line was last used: since the launch, and since that block began. */
typedef struct l2_line {
    uint64_t line, filled;
    uint32_t filled_by_block, block;
    uint32_t bytes[4];           /* that are written */
    fx_brought *by[4];           /* the access that wrote each sector first; NULL: not known */
    uint8_t seen, read, written; /* bits of sectors: that are there; that were before they were written; that were */
    bool left;                   /* by an earlier launch: what is written stays, as it did then */
} l2_line;

struct fx_cache_model {
    fx_cache_sizes sizes;
    l1_line l1[MOST_L1_LINES];
    uint32_t buckets[MOST_L1_LINES];
    size_t l1_room, l1_count, bucket_count;
    uint32_t newest, oldest;
    fx_hash_table l2;                          /* l2_line */
    uint64_t filled;                           /* lines that came into the L2 since the launch, ... */
    uint32_t filled_by_block[FX_CACHE_PLACES]; /* ... and since the block of each place began */
    uint32_t blocks[FX_CACHE_PLACES], block;
    unsigned place;
};

fx_cache_model *fx_cache_model_new(void) {
    return fx_new(1, sizeof(fx_cache_model));
}

void fx_cache_model_free(fx_cache_model *model) {
    if (model) {
        fx_hash_free(&model->l2);
        free(model);
    }
}

void fx_cache_model_launch(fx_cache_model *model, const fx_cache_sizes *sizes) {
    model->sizes = *sizes;
    model->l1_room = sizes->l1_bytes / FX_LINE_BYTES;
    model->l1_room = model->l1_room < MOST_L1_LINES ? model->l1_room : MOST_L1_LINES;
    for (model->bucket_count = 1; model->bucket_count < model->l1_room; model->bucket_count *= 2) {
    }
    fx_hash_free(&model->l2);
    model->l2 = (fx_hash_table){.size = sizeof(l2_line), .key = sizeof(uint64_t)};
    model->filled = 0;
    model->l1_count = 0;
    fx_cache_model_other_sm(model);
    fx_cache_model_block(model, 0, 0);
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

void fx_cache_model_other_sm(fx_cache_model *model) {
    for (size_t i = 0; i < model->l1_count; i++) {
        tell_used(&model->l1[i]);
    }
    model->l1_count = 0;
    model->newest = model->oldest = NONE;
    memset(model->blocks, 0xff, sizeof model->blocks);
    memset(model->buckets, 0xff, model->bucket_count * sizeof *model->buckets);
}

void fx_cache_model_block(fx_cache_model *model, uint32_t block, unsigned place) {
    model->block = block;
    model->place = place % FX_CACHE_PLACES;
    if (model->blocks[model->place] != block) {
        model->blocks[model->place] = block;
        model->filled_by_block[model->place] = 0;
    }
}

/* Its sectors leave the L2: what nobody has read or written is read from DRAM to fill them, and one that is written
 * alone takes DRAM as long as its pair. */
static void fill_in(const l2_line *one) {
    unsigned whole = one->read;
    for (unsigned s = 0; s < 4; s++) {
        whole |= one->bytes[s] == UINT32_MAX ? 1u << s : 0;
    }
    for (unsigned pair = 3; pair < 16; pair <<= 2) {
        const unsigned written = one->left ? 0 : one->written & pair, partial = written & ~whole;
        fx_brought *by = written ? one->by[__builtin_ctz(partial ? partial : written)] : NULL;
        if (by) {
            by->filled += partial ? (unsigned)__builtin_popcount(pair & ~whole) : written != pair;
        }
    }
}

void fx_cache_model_end(fx_cache_model *model) {
    fx_cache_model_other_sm(model);
    for (size_t i = 0; i < model->l2.count; i++) {
        fill_in(fx_hash_item(&model->l2, (uint32_t)i));
    }
}

static uint32_t *bucket_of(fx_cache_model *m, uint64_t line) {
    line *= 0x9e3779b97f4a7c15u;
    return &m->buckets[(size_t)(line ^ line >> 29) & (m->bucket_count - 1)];
}

static void unlink_line(fx_cache_model *m, uint32_t at) {
    const l1_line *one = &m->l1[at];
    *(one->newer == NONE ? &m->newest : &m->l1[one->newer].older) = one->older;
    *(one->older == NONE ? &m->oldest : &m->l1[one->older].newer) = one->newer;
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
    m->l1[at].newer = NONE;
    m->l1[at].older = m->newest;
    *(m->newest == NONE ? &m->oldest : &m->l1[m->newest].newer) = at;
    m->newest = at;
    return hit;
}

/* Bytes that may have come in since the line's last use. */
static double came_since(const fx_cache_model *m, const l2_line *line) {
    const double lines = line->block == m->block
                             ? (double)(m->filled_by_block[m->place] - line->filled_by_block) * m->sizes.blocks_at_once
                             : (double)(m->filled - line->filled) * m->sizes.blocks_per_record;
    return lines * FX_LINE_BYTES;
}

/* The same of a line that this launch has not had yet; infinite: no launch is known to have. */
static double came_since_left(const fx_cache_model *m, uint64_t line, bool write) {
    for (size_t i = m->sizes.left_count; i-- > 0;) {
        const fx_cache_left *left = &m->sizes.left[i];
        if (left->lowest / FX_LINE_BYTES <= line && line <= left->highest / FX_LINE_BYTES) {
            const bool kept = i || write || ldexp((double)(line * 0x9e3779b97f4a7c15u), -64) >= m->sizes.lost;
            return kept ? left->bytes : INFINITY;
        }
    }
    return INFINITY;
}

static void use_l2(fx_cache_model *m, fx_cache_line line, bool write, fx_brought *brought, fx_served *out) {
    if (!line.sectors) {
        return;
    }
    bool fresh;
    const l2_line key = {.line = line.line};
    l2_line *one = fx_hash_item(&m->l2, fx_hash_put(&m->l2, &key, &fresh));
    const double came = fresh ? came_since_left(m, line.line, write) : came_since(m, one);
    if (fresh) {
        one->seen = one->read = 15;
        one->left = true;
    }
    fresh = came > (double)m->sizes.l2_bytes;
    if (fresh) {
        fill_in(one);
        *one = key;
    }
    const unsigned there = one->seen & line.sectors, served = write && !one->left ? one->written & line.sectors : there;
    const unsigned sent = line.sectors & ~served, before = write ? one->written : one->seen;
    out->pairs += (unsigned)__builtin_popcount((sent | sent >> 1) & 5);
    out->lines += sent && !before;
    out->l2 += (unsigned)__builtin_popcount(served);
    out->dram += (unsigned)__builtin_popcount(line.sectors & ~served);
    out->near += !write && came <= (double)m->sizes.l2_bytes / 2
                     ? (unsigned)__builtin_popcount(served & one->read & ~one->written)
                     : 0;
    m->filled += fresh;
    m->filled_by_block[m->place] += fresh;
    if (write) {
        for (unsigned s = 0; s < 4; s++) {
            if (line.sectors >> s & 1) {
                one->by[s] = one->written >> s & 1 ? one->by[s] : brought;
                one->bytes[s] |= line.bytes[s];
            }
        }
        one->written |= (uint8_t)line.sectors;
        one->seen |= (uint8_t)line.sectors;
    } else {
        const unsigned read = line.sectors & ~served, with = (read >> 1 & 5) | (read << 1 & 10); /* of their pairs */
        const unsigned beside = with & ~one->seen & ~line.sectors;
        out->beside += (unsigned)__builtin_popcount(beside);
        one->read |= (uint8_t)((line.sectors & ~one->written) | beside);
        one->seen |= (uint8_t)(line.sectors | beside);
    }
    one->filled = m->filled;
    one->filled_by_block = m->filled_by_block[m->place];
    one->block = m->block;
}

void fx_cache_model_load(fx_cache_model *model, fx_cache_line line, bool through_l1, fx_brought *brought,
                         fx_served *out) {
    const unsigned hit = through_l1 ? through_l1_of(model, line, brought) : 0, dram = out->dram, near = out->near;
    l1_line *there = through_l1 && model->l1_room ? &model->l1[model->newest] : NULL;
    out->l1 += (unsigned)__builtin_popcount(hit);
    line.sectors &= ~hit;
    if (there && !line.sectors) {
        out->recent = there->from > out->recent ? there->from : out->recent;
    }
    use_l2(model, line, false, NULL, out);
    if (there && line.sectors) {
        there->from = out->dram > dram ? 3 : out->near > near ? 1 : 2;
    }
}

void fx_cache_model_store(fx_cache_model *model, fx_cache_line line, fx_brought *brought, fx_served *out) {
    use_l2(model, line, true, brought, out);
}

void fx_cache_model_local(fx_cache_model *model, fx_cache_line line, bool write, fx_served *out) {
    const unsigned all = (unsigned)__builtin_popcount(line.sectors);
    const unsigned hit = (unsigned)__builtin_popcount(through_l1_of(model, line, NULL));
    out->l1 += write ? 0 : hit;
    out->l2 += write ? all : all - hit;
}
