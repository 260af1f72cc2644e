/* An array as C declares it, "float tile[32][33]": what it is made of, and how a cure writes it. */
#include <ctype.h>

#include "pattern.h"

static const struct {
    unsigned bytes;
    const char *names;
} types[] = {
    {1, "char,int8_t,uint8_t,bool,unsigned char"},
    {2, "short,int16_t,uint16_t,half,__half,__nv_bfloat16,unsigned short"},
    {4, "int,unsigned,int32_t,uint32_t,float,half2,__half2,char4,unsigned int"},
    {8, "double,long long,int64_t,uint64_t,float2,int2"},
    {16, "double2,float4,int4,uint4,longlong2"},
};

static fx_status bad_tile(const char *tile, const char *why, fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "--tile %.60s: %s; write a C type and its sizes, such as 'float[32][33]'", tile,
                   why);
}

/* "float" or "float name", up to the first '[', if it is the type. */
static void read_type(const char *tile, size_t length, const char *type, unsigned bytes, fx_pattern_array *out) {
    const size_t own = strcspn(type, ",");
    if (own > length || strncmp(tile, type, own) != 0 || (own < length && tile[own] != ' ')) {
        return;
    }
    const char *name = tile + own + strspn(tile + own, " "), *end = name;
    while (end < tile + length && (isalnum((unsigned char)*end) || *end == '_')) {
        end++;
    }
    if (end + strspn(end, " ") == tile + length && own > (size_t)out->type_length) {
        *out = (fx_pattern_array){type, name, NULL, (int)own, (int)(end - name), bytes, {0}, 0};
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
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        for (const char *type = types[i].names; type; type = strchr(type, ',') ? strchr(type, ',') + 1 : NULL) {
            read_type(tile, length, type, types[i].bytes, out);
        }
    }
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
