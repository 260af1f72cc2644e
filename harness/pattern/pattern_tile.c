/* A tile of C and an access to it, as an expression of bytes: float[32][33] and tile[lane][t] are
 * ((lane)*33 + (t))*4. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"

static const struct {
    const char *name;
    unsigned bytes;
} types[] = {
    {"char", 1},     {"int8_t", 1},    {"uint8_t", 1}, {"bool", 1},          {"short", 2},      {"int16_t", 2},
    {"uint16_t", 2}, {"half", 2},      {"__half", 2},  {"__nv_bfloat16", 2}, {"int", 4},        {"unsigned", 4},
    {"int32_t", 4},  {"uint32_t", 4},  {"float", 4},   {"half2", 4},         {"__half2", 4},    {"char4", 4},
    {"double", 8},   {"long long", 8}, {"int64_t", 8}, {"uint64_t", 8},      {"float2", 8},     {"int2", 8},
    {"double2", 16}, {"float4", 16},   {"int4", 16},   {"uint4", 16},        {"longlong2", 16},
};

static fx_status bad_tile(const char *tile, const char *why, fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "--tile %.60s: %s; write a C type and its sizes, such as 'float[32][33]'", tile,
                   why);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_type(const char *text, size_t length) {
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        if (strlen(types[i].name) == length && !strncmp(text, types[i].name, length)) {
            return true;
        }
    }
    return false;
}

/* "float" or "float name", up to the first '['; what follows a type is a name only if it is no type. */
static void read_type(const char *tile, size_t length, fx_pattern_array *out) {
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        const size_t own = strlen(types[i].name);
        if (own > length || strncmp(tile, types[i].name, own) != 0 || (own < length && tile[own] != ' ')) {
            continue;
        }
        const char *name = tile + own + strspn(tile + own, " ");
        size_t letters = 0;
        while (name + letters < tile + length && is_word(name[letters])) {
            letters++;
        }
        const size_t blanks = strspn(name + letters, " ");
        if (name + letters + blanks == tile + length && !is_type(name, letters)) {
            out->type = types[i].name;
            out->type_length = (int)own;
            out->bytes = types[i].bytes;
            out->name = name;
            out->name_length = (int)letters;
        }
    }
}

static fx_status read_shape(const char *tile, fx_pattern_array *out, fx_error *err) {
    const size_t length = strcspn(tile, "[");
    *out = (fx_pattern_array){0};
    read_type(tile, length, out);
    int64_t bytes = out->bytes;
    if (!out->bytes) {
        return bad_tile(tile, "its type is not known here (--code takes any declaration)", err);
    }
    for (const char *at = tile + length; *at;) {
        char *end;
        if (out->dimensions == FX_PATTERN_DIMENSIONS) {
            return bad_tile(tile, "it has more than 4 dimensions", err);
        }
        const long long size = at[1] >= '0' && at[1] <= '9' ? strtoll(at + 1, &end, 10) : 0;
        if (*at != '[' || size < 1 || *end != ']' || __builtin_mul_overflow(bytes, size, &bytes) || bytes > INT32_MAX) {
            return bad_tile(tile, "a size is not a positive number, or the tile is too large", err);
        }
        out->size[out->dimensions++] = size;
        at = end + 1;
    }
    return out->dimensions ? FX_OK : bad_tile(tile, "it has no size", err);
}

/* The end of the index that begins behind a '[': its ']', or NULL. */
static const char *end_of_index(const char *at) {
    for (int depth = 1; *at; at++) {
        depth += (*at == '[' || *at == '(') - (*at == ']' || *at == ')');
        if (!depth) {
            return *at == ']' ? at : NULL;
        }
    }
    return NULL;
}

fx_pattern_array fx_pattern_tile_array(const char *tile) {
    fx_pattern_array array = {0};
    fx_error ignored = {0};
    return tile && !read_shape(tile, &array, &ignored) ? array : (fx_pattern_array){0};
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
        at += (size_t)(last && as_sum ? snprintf(text + at, size - at, "[%lld + %lld]", own, more)
                                      : snprintf(text + at, size - at, "[%lld]", own + (last ? more : 0)));
    }
}

/* An index by itself, so that what is wrong with it is said in the words that were typed. */
static fx_status check_index(const char *access, const char *from, const char *to, const fx_block *block,
                             fx_error *err) {
    char index[1024];
    fx_expression *expression = NULL;
    fx_error cause = {0};
    (void)snprintf(index, sizeof index, "%.*s", (int)(to - from), from);
    if (fx_expression_parse(index, block, &expression, &cause)) {
        return fx_fail(err, cause.status, "'%.60s': %s", access, cause.text);
    }
    fx_expression_free(expression);
    return FX_OK;
}

fx_status fx_pattern_tile(const char *tile, const char *access, const fx_block *block, char *expression, size_t size,
                          unsigned *width_bytes, int64_t *bytes, fx_error *err) {
    static const char says[] = "write the name and an index for each size of the tile, such as 'tile[lane][t]'";
    fx_pattern_array s;
    if (read_shape(tile, &s, err)) {
        return err->status;
    }
    size_t found = 0, length = 0;
    const char *at = access + strspn(access, " ");
    while (is_word(*at)) {
        at++;
    }
    *bytes = *width_bytes = (unsigned)s.bytes;
    for (; *at == '['; found++) {
        const char *end = end_of_index(at + 1);
        if (!end || found == s.dimensions || end == at + 1) {
            return fx_fail(err, FX_BAD_INPUT, "'%.60s' does not match --tile %.60s; %s", access, tile, says);
        }
        FX_TRY(check_index(access, at + 1, end, block, err));
        /* ((first)*size + (second))*size + ... */
        char before[1024];
        (void)snprintf(before, sizeof before, "%.*s", (int)length, expression);
        const int now = found ? snprintf(expression, size, "(%s)*%lld + (%.*s)", before, (long long)s.size[found],
                                         (int)(end - at - 1), at + 1)
                              : snprintf(expression, size, "(%.*s)", (int)(end - at - 1), at + 1);
        if (now < 0 || (size_t)now >= size || (size_t)now >= sizeof before) {
            return fx_fail(err, FX_BAD_INPUT, "'%.60s...' is too long", access);
        }
        length = (size_t)now;
        *bytes *= s.size[found];
        at = end + 1;
    }
    if (found != s.dimensions || *(at + strspn(at, " "))) {
        return fx_fail(err, FX_BAD_INPUT, "'%.60s' does not match --tile %.60s; %s", access, tile, says);
    }
    char whole[1024];
    (void)snprintf(whole, sizeof whole, "%s", expression);
    (void)snprintf(expression, size, "(%s)*%u", whole, (unsigned)s.bytes);
    return FX_OK;
}

fx_status fx_pattern_block(const char *text, fx_block *out, fx_error *err) {
    *out = (fx_block){{1, 1, 1}};
    const char *at = text;
    for (size_t i = 0; i < 3; i++) {
        char *end;
        const long long size = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        if (size < 1 || size > 1024) {
            break;
        }
        out->size[i] = size;
        if (!*end && out->size[0] * out->size[1] * out->size[2] <= 1024) {
            return FX_OK;
        }
        if (*end != ',' && *end != 'x') {
            break;
        }
        at = end + 1;
    }
    return fx_fail(err, FX_BAD_INPUT,
                   "--block %.40s: give the block size in x, y and z, such as 16,16, with at most 1024 threads", text);
}
