/* Generators of lane tables. A lane whose offset would be negative or not fit 31 bits becomes inactive. */
#include "lanes.h"

#include "random.h"

enum { inactive = -1 };

static int32_t byte_offset(int64_t element, unsigned width_bytes, int64_t shift_bytes) {
    int64_t bytes = 0;
    if (__builtin_mul_overflow(element, (int64_t)width_bytes, &bytes) ||
        __builtin_add_overflow(bytes, shift_bytes, &bytes) || bytes < 0 || bytes > INT32_MAX) {
        return inactive;
    }
    return (int32_t)bytes;
}

void fx_lanes_stride(fx_lanes *out, unsigned width_bytes, int64_t stride_elements, int64_t offset_bytes) {
    for (int l = 0; l < FX_WARP; l++) {
        int64_t element = 0;
        out->offset[l] = __builtin_mul_overflow(l, stride_elements, &element)
                             ? inactive
                             : byte_offset(element, width_bytes, offset_bytes);
    }
}

void fx_lanes_multicast(fx_lanes *out, unsigned width_bytes, unsigned words) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = byte_offset(words > 0 ? l % words : 0, width_bytes, 0);
    }
}

void fx_lanes_column(fx_lanes *out, unsigned width_bytes, unsigned row_elements, unsigned column) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = byte_offset((int64_t)l * row_elements + column, width_bytes, 0);
    }
}

void fx_lanes_xor_column(fx_lanes *out, unsigned width_bytes, unsigned column) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = byte_offset((int64_t)l * FX_WARP + (column ^ l) % FX_WARP, width_bytes, 0);
    }
}

void fx_lanes_permute(fx_lanes *lanes, uint64_t seed) {
    uint64_t state = seed;
    for (unsigned l = FX_WARP - 1; l > 0; l--) {
        const unsigned other = (unsigned)fx_random_below(&state, l + 1);
        const int32_t swapped = lanes->offset[l];
        lanes->offset[l] = lanes->offset[other];
        lanes->offset[other] = swapped;
    }
}

void fx_lanes_reverse(fx_lanes *lanes) {
    for (unsigned l = 0; l < FX_WARP / 2; l++) {
        const int32_t swapped = lanes->offset[l];
        lanes->offset[l] = lanes->offset[FX_WARP - 1 - l];
        lanes->offset[FX_WARP - 1 - l] = swapped;
    }
}

void fx_lanes_random(fx_lanes *out, unsigned width_bytes, unsigned elements, uint64_t seed) {
    uint64_t state = seed;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint64_t element = elements > 0 ? fx_random_below(&state, elements) : 0;
        out->offset[l] = byte_offset((int64_t)element, width_bytes, 0);
    }
}

size_t fx_lanes_span(const fx_lanes *lanes, unsigned width_bytes) {
    size_t span = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (lanes->offset[l] >= 0 && (size_t)lanes->offset[l] + width_bytes > span) {
            span = (size_t)lanes->offset[l] + width_bytes;
        }
    }
    return span;
}

static bool is_in_rows(const int32_t *offset, const fx_lane_rows *rows, int first) {
    for (int l = first; l < FX_WARP; l++) {
        const int64_t by = (l % rows->lanes - first) * rows->stride + l / rows->lanes * rows->next;
        if (offset[l] >= 0 && offset[l] - offset[first] != by) {
            return false;
        }
    }
    return true;
}

fx_lane_rows fx_lanes_rows(const fx_lanes *lanes) {
    const int32_t *offset = lanes->offset;
    int first = 0, second;
    for (; first < FX_WARP - 1 && offset[first] < 0; first++) {
    }
    for (second = first + 1; second < FX_WARP && offset[second] < 0; second++) {
    }
    fx_lane_rows rows = {second < FX_WARP ? FX_WARP : 0, 0, 0};
    rows.stride = rows.lanes ? ((int64_t)offset[second] - offset[first]) / (second - first) : 0;
    while (rows.lanes && !is_in_rows(offset, &rows, first)) {
        rows.lanes = first || rows.lanes == 2 ? 0 : rows.lanes - 1;
        rows.next = (int64_t)offset[rows.lanes] - offset[0];
    }
    return rows.lanes ? rows : (fx_lane_rows){0, 0, 0};
}
