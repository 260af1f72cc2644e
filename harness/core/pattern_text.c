/* Two ways to a lane table; both refuse what can't be an address. */
#include "pattern_text.h"

fx_status fx_lanes_some_active(const fx_lanes *lanes, fx_error *err) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (lanes->offset[l] >= 0) {
            return FX_OK;
        }
    }
    return fx_fail(err, FX_BAD_INPUT, "no lane is active; give at least one a byte offset");
}

fx_status fx_lanes_parse(const char *text, fx_lanes *out, fx_error *err) {
    const char *at = text;
    memset(out->offset, -1, sizeof out->offset); /* all lanes inactive */
    for (unsigned l = 0;; l++) {
        const size_t length = strcspn(at, ",");
        char *end = NULL;
        FX_FAIL_IF(l == FX_WARP, err, FX_BAD_INPUT, "there are more than %d lanes", FX_WARP);
        if (length != 1 || *at != '-') {
            errno = 0;
            const long long offset = *at >= '0' && *at <= '9' ? strtoll(at, &end, 0) : 0;
            FX_FAIL_IF(!end || end != at + length, err, FX_BAD_INPUT,
                       "lane %u: '%.*s' is not a byte offset (a number from 0, or - for an inactive lane)", l,
                       length > 40 ? 40 : (int)length, at);
            FX_FAIL_IF(errno || offset > INT32_MAX, err, FX_BAD_INPUT, "lane %u: the offset %.*s is above %d", l,
                       length > 40 ? 40 : (int)length, at, INT32_MAX);
            out->offset[l] = (int32_t)offset;
        }
        if (!at[length]) {
            return fx_lanes_some_active(out, err);
        }
        at += length + 1;
    }
}

fx_status fx_lanes_of_json(const json_t *array, fx_lanes *out, fx_error *err) {
    const size_t count = json_array_size(array);
    memset(out->offset, -1, sizeof out->offset); /* all lanes inactive */
    FX_FAIL_IF(!json_is_array(array) || count > FX_WARP, err, FX_BAD_INPUT,
               "\"lanes\" must be an array of up to %d integers", FX_WARP);
    for (unsigned l = 0; l < count; l++) {
        const json_t *number = json_array_get(array, l);
        const long long offset = json_integer_value(number);
        FX_FAIL_IF(!json_is_integer(number), err, FX_BAD_INPUT, "lane %u is not an integer", l);
        FX_FAIL_IF(offset > INT32_MAX, err, FX_BAD_INPUT, "lane %u: the offset %lld is above %d", l, offset, INT32_MAX);
        out->offset[l] = offset < 0 ? -1 : (int32_t)offset;
    }
    return FX_OK;
}

/* What would make it an access: the widest that all lanes allow, or one shift of all. */
static fx_status misaligned(const fx_lanes *lanes, unsigned width_bytes, unsigned lane, fx_error *err) {
    const uint32_t off_by = (uint32_t)lanes->offset[lane] % width_bytes;
    unsigned widest = width_bytes;
    bool one_shift = true;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const uint32_t offset = (uint32_t)lanes->offset[l];
        while (lanes->offset[l] >= 0 && offset % widest != 0) {
            widest /= 2;
        }
        one_shift = one_shift && (lanes->offset[l] < 0 || offset % width_bytes == off_by);
    }
    char shift[64] = "";
    if (one_shift) {
        (void)snprintf(shift, sizeof shift, ", or a base %u byte%s lower", off_by, off_by == 1 ? "" : "s");
    }
    return fx_fail(err, FX_BAD_INPUT,
                   "lane %u: an access of %u bytes at offset %d, which is not a multiple of %u, faults on the GPU "
                   "(misaligned address): take a width of %u%s",
                   lane, width_bytes, lanes->offset[lane], width_bytes, widest, shift);
}

fx_status fx_lanes_check(const fx_lanes *lanes, unsigned width_bytes, fx_error *err) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (lanes->offset[l] >= 0 && (uint32_t)lanes->offset[l] % width_bytes != 0) {
            return misaligned(lanes, width_bytes, l, err);
        }
    }
    return FX_OK;
}
