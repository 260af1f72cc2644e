/* An array as C declares it, "float tile[32][33]": what it is made of, and how a cure writes it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    {"char", 1},           {"int8_t", 1},       {"uint8_t", 1},
    {"bool", 1},           {"short", 2},        {"int16_t", 2},
    {"uint16_t", 2},       {"half", 2},         {"__half", 2},
    {"__nv_bfloat16", 2},  {"int", 4},          {"unsigned", 4},
    {"int32_t", 4},        {"uint32_t", 4},     {"float", 4},
    {"half2", 4},          {"__half2", 4},      {"char4", 4},
    {"double", 8},         {"long long", 8},    {"int64_t", 8},
    {"uint64_t", 8},       {"float2", 8},       {"int2", 8},
    {"double2", 16},       {"float4", 16},      {"int4", 16},
    {"uint4", 16},         {"longlong2", 16},   {"unsigned char", 1},
    {"unsigned short", 2}, {"unsigned int", 4},
};

static fx_status bad_tile(const char *tile, const char *why, fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "--tile %.60s: %s; write a C type and its sizes, such as 'float[32][33]'", tile,
                   why);
}

/* "float" or "float name", up to the first '['. */
static void read_type(const char *tile, size_t length, fx_pattern_array *out) {
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        const size_t own = strlen(types[i].name);
        if (own > length || strncmp(tile, types[i].name, own) != 0 || (own < length && tile[own] != ' ')) {
            continue;
        }
        const char *name = tile + own + strspn(tile + own, " "), *end = name;
        while (end < tile + length && (isalnum((unsigned char)*end) || *end == '_')) {
            end++;
        }
        if (end + strspn(end, " ") == tile + length && own > (size_t)out->type_length) {
            *out = (fx_pattern_array){.type = types[i].name,
                                      .type_length = (int)own,
                                      .bytes = types[i].bytes,
                                      .name = name,
                                      .name_length = (int)(end - name)};
        }
    }
}

/* 0: it has no value, or one of each lane. */
static int64_t read_size(const char *text, size_t length) {
    char own[64];
    int64_t values[FX_WARP];
    fx_error ignored = {0};
    if (length >= sizeof own) {
        return 0;
    }
    memcpy(own, text, length);
    own[length] = '\0';
    return fx_expression_values(own, NULL, 0, values, &ignored) || values[0] != values[1] ? 0 : values[0];
}

fx_status fx_pattern_array_read(const char *tile, fx_pattern_array *out, fx_error *err) {
    const size_t length = strcspn(tile, "[");
    *out = (fx_pattern_array){0};
    read_type(tile, length, out);
    int64_t bytes = out->bytes;
    if (!out->bytes) {
        return bad_tile(tile, "its type is not known here (--code takes any declaration)", err);
    }
    for (const char *at = tile + length; *at;) {
        if (out->dimensions == FX_PATTERN_DIMENSIONS) {
            return bad_tile(tile, "it has more than 4 dimensions", err);
        }
        const char *end = at + strcspn(at, "]");
        const int64_t size = *at == '[' && *end ? read_size(at + 1, (size_t)(end - at) - 1) : 0;
        if (size < 1 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > INT32_MAX) {
            return bad_tile(tile, "a size is not a positive number, or the tile is too large", err);
        }
        out->size[out->dimensions++] = size;
        at = end + 1;
    }
    return out->dimensions ? FX_OK : bad_tile(tile, "it has no size", err);
}

int64_t fx_pattern_row_bytes(const fx_pattern_array *array) {
    return array->dimensions > 1 ? array->bytes * array->size[array->dimensions - 1] : 0;
}

void fx_pattern_padded(const fx_pattern_array *array, int64_t pad_bytes, bool as_sum, char *text, size_t size) {
    *text = '\0';
    if (!array->dimensions || pad_bytes % array->bytes) {
        return;
    }
    const bool named = array->name_length > 0;
    const long long more = pad_bytes / array->bytes;
    size_t at = (size_t)snprintf(text, size, "%.*s %.*s", array->type_length, array->type,
                                 named ? array->name_length : 4, named ? array->name : "tile");
    for (size_t i = 0; i < array->dimensions && at < size; i++) {
        const bool last = i + 1 == array->dimensions;
        const long long own = array->size[i];
        at += (size_t)(!last && !own    ? snprintf(text + at, size - at, "[]")
                       : last && as_sum ? snprintf(text + at, size - at, "[%lld + %lld]", own, more)
                                        : snprintf(text + at, size - at, "[%lld]", own + (last ? more : 0)));
    }
}
