/* The generators. Each draws from a stream of its own, so a family's tables do not change when another is added. */
#include "families.h"

#include "law.h"
#include "random.h"

typedef struct draw {
    uint64_t state;
    uint64_t span; /* elements */
    unsigned width_bytes;
    bool masked;
} draw;

/* Families that a seed tells apart, as many as there were at first: archived tables are drawn again from it. */
enum { STREAMS = 9 };
enum { LINE_SECTORS = FX_LINE_BYTES / FX_SECTOR_BYTES };

/* In the place of an element: the lane takes no part. */
#define INACTIVE UINT64_MAX

static uint64_t below(draw *d, uint64_t bound) {
    return bound > 0 ? fx_random_below(&d->state, bound) : 0;
}

/* A power of two in [1, limit]. */
static uint64_t power(draw *d, uint64_t limit) {
    unsigned most = 0;
    while (most < 62 && (uint64_t)2 << most <= limit) {
        most++;
    }
    return (uint64_t)1 << below(d, most + 1);
}

static uint64_t element_stride(draw *d, uint64_t *at) {
    const uint64_t most = d->span / FX_WARP;
    const uint64_t wide = below(d, 2) ? power(d, most) : below(d, most + 1), stride = wide > most ? most : wide;
    const uint64_t start = below(d, d->span - (FX_WARP - 1) * stride);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = start + l * stride;
    }
    return stride;
}

static void uniform(draw *d, uint64_t *at) {
    const uint64_t window = d->span <= FX_WARP ? d->span : FX_WARP * power(d, d->span / FX_WARP);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = below(d, window);
    }
}

static void stride(draw *d, uint64_t *at) {
    element_stride(d, at);
}

static void shuffle(draw *d, uint64_t *at, unsigned count) {
    for (unsigned l = count; l-- > 1;) {
        const uint64_t other = below(d, l + 1), swapped = at[l];
        at[l] = at[other];
        at[other] = swapped;
    }
}

static void permuted(draw *d, uint64_t *at) {
    element_stride(d, at);
    shuffle(d, at, FX_WARP);
}

static void tile(draw *d, uint64_t *at) {
    const uint64_t columns = power(d, FX_WARP / 2), rows = FX_WARP / columns;
    const uint64_t step = 1 + below(d, 4);
    const uint64_t pitch = 1 + below(d, d->span / rows > columns * step ? d->span / rows - columns * step : 1);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = (l % columns * step + l / columns * pitch) % d->span;
    }
}

static void swizzle(draw *d, uint64_t *at) {
    const uint64_t row = d->span / FX_WARP < FX_WARP ? d->span / FX_WARP : FX_WARP;
    const uint64_t columns = row > 0 ? power(d, row) : 1, column = below(d, columns), shift = below(d, 3);
    for (uint64_t l = 0; l < FX_WARP; l++) {
        at[l] = (l * columns + ((column ^ l >> shift) & (columns - 1))) % d->span;
    }
}

static void duplicate(draw *d, uint64_t *at) {
    const uint64_t count = 1 + below(d, FX_WARP / 2);
    uint64_t few[FX_WARP];
    uniform(d, few);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = few[below(d, count)];
    }
}

static void pairs(draw *d, uint64_t *at) {
    const uint64_t distance = power(d, FX_WARP / 2), broken = below(d, 4);
    uint64_t own[FX_WARP];
    uniform(d, own);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = own[l & ~distance];
    }
    for (uint64_t i = 0; i < broken; i++) {
        const uint64_t l = below(d, FX_WARP);
        at[l] = own[l ^ (FX_WARP - 1)];
    }
}

static void banks(draw *d, uint64_t *at) {
    const uint64_t step = power(d, d->span / 2), count = d->span / step, width = 1 + below(d, step < 4 ? step : 4);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = below(d, count) * step + below(d, width);
    }
}

static void runs(draw *d, uint64_t *at) {
    const uint64_t length = 2 + below(d, FX_WARP - 1);
    uint64_t base = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (l % length == 0) {
            base = below(d, d->span > length ? d->span - length : 1);
        }
        at[l] = (base + l % length) % d->span;
    }
}

/* One to four sectors of a line, in each at least one of its elements. */
static void line(draw *d, uint64_t *at) {
    const uint64_t sectors = 1 + below(d, LINE_SECTORS), in_sector = FX_SECTOR_BYTES / d->width_bytes;
    uint64_t chosen[LINE_SECTORS] = {0, 1, 2, 3}, places[FX_SECTOR_BYTES], few[FX_LINE_BYTES];
    unsigned count = 0;
    shuffle(d, chosen, LINE_SECTORS);
    for (uint64_t s = 0; s < sectors; s++) {
        const uint64_t elements = 1 + below(d, in_sector);
        for (unsigned i = 0; i < in_sector; i++) {
            places[i] = chosen[s] * in_sector + i;
        }
        shuffle(d, places, (unsigned)in_sector);
        for (uint64_t i = 0; i < elements && count < FX_WARP; i++) {
            few[count++] = places[i] % d->span;
        }
    }
    const unsigned most = FX_WARP / count, rounds = below(d, 2) ? 1 : 1 + (unsigned)below(d, most);
    for (unsigned l = 0; l < FX_WARP; l++) {
        at[l] = d->masked && l >= rounds * count ? INACTIVE : few[l % count];
    }
    shuffle(d, at, FX_WARP);
}

static void mask(draw *d, fx_lanes *lanes) {
    const uint64_t eighths = 1 + below(d, 7), kept = below(d, FX_WARP);
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (below(d, 8) >= eighths && l != kept) {
            lanes->offset[l] = -1;
        }
    }
}

void fx_lanes_family(fx_lanes *out, fx_family family, unsigned width_bytes, unsigned span_elements, bool masked,
                     uint64_t seed) {
    static void (*const make[FX_FAMILY_COUNT])(draw *, uint64_t *) = {
        [FX_FAMILY_UNIFORM] = uniform, [FX_FAMILY_STRIDE] = stride,   [FX_FAMILY_PERMUTED] = permuted,
        [FX_FAMILY_TILE] = tile,       [FX_FAMILY_SWIZZLE] = swizzle, [FX_FAMILY_DUPLICATE] = duplicate,
        [FX_FAMILY_PAIRS] = pairs,     [FX_FAMILY_BANKS] = banks,     [FX_FAMILY_RUNS] = runs,
        [FX_FAMILY_LINE] = line,
    };
    draw d = {.state = fx_mix(seed * STREAMS + (uint64_t)family),
              .span = span_elements,
              .width_bytes = width_bytes,
              .masked = masked};
    uint64_t at[FX_WARP];
    make[family](&d, at);
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = at[l] == INACTIVE ? -1 : (int32_t)(at[l] * width_bytes);
    }
    if (masked && family != FX_FAMILY_LINE) {
        mask(&d, out);
    }
}
