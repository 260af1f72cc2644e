/* Lane tables: the address pattern of one warp-level access, as data.
 *
 * offset[l] is the byte offset that lane l accesses, relative to a base aligned to 128 bytes or more; -1 marks an
 * inactive lane. The kernel loads this table before its clock starts, the law reads it, the archive keeps it. A
 * generator leaves a lane inactive where its offset would be negative or need more than 31 bits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

FX_C_BEGIN

enum { FX_WARP = 32 };

typedef struct fx_lanes {
    int32_t offset[FX_WARP];
} fx_lanes;

/* Lane l reads element l * stride, shifted by offset_bytes. */
void fx_lanes_stride(fx_lanes *out, unsigned width_bytes, int64_t stride_elements, int64_t offset_bytes);

/* Lane l reads element l % words: `words` distinct elements, each wanted by 32 / words lanes (rounded up). */
void fx_lanes_multicast(fx_lanes *out, unsigned width_bytes, unsigned words);

/* Column `column` of a tile whose rows hold row_elements elements: tile[l][column]. */
void fx_lanes_column(fx_lanes *out, unsigned width_bytes, unsigned row_elements, unsigned column);

/* The same column of a [32][32] tile stored with element (r, c) at column c ^ r. */
void fx_lanes_xor_column(fx_lanes *out, unsigned width_bytes, unsigned column);

/* Puts the lanes in another order: a seeded random permutation (Fisher-Yates over fx_random). */
void fx_lanes_permute(fx_lanes *lanes, uint64_t seed);

/* Lane l takes the offset of lane 31 - l. */
void fx_lanes_reverse(fx_lanes *lanes);

/* Each lane an element drawn uniformly from [0, elements). */
void fx_lanes_random(fx_lanes *out, unsigned width_bytes, unsigned elements, uint64_t seed);

/* One past the last byte touched; 0 if no lane is active. */
size_t fx_lanes_span(const fx_lanes *lanes, unsigned width_bytes);

/* Lanes in rows, as of a block of so many threads in x: as far apart in each row, and so are the first of two rows. */
typedef struct fx_lane_rows {
    int lanes; /* FX_WARP: one row; 0: no such rows, or one lane */
    int64_t stride, next;
} fx_lane_rows;
fx_lane_rows fx_lanes_rows(const fx_lanes *lanes);

FX_C_END
