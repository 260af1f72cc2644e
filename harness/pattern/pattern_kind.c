/* What --space and --op ask for, which options exclude each other, and what a pattern is called. */
#include "call/parse.h"

#include <unistd.h>

#include "pattern.h"

/* In the order of fx_access_kind. */
enum { OPS = 7 };
static const char *const ops[OPS] = {"load", "store", "atomic", "fetch", "cas", "ldmatrix", "stmatrix"};

/* A load may be served by any level, a store goes through the L1, and an atomic is done by the L2. */
static void add_levels(fx_pattern_kind *kind, size_t space) {
    static const fx_pattern_level of_sm[] = {{"shared", NULL, FX_LEVEL_SHARED}, {"constant", NULL, FX_LEVEL_CONSTANT}},
                                  of_global[] = {{"L1", "l1", FX_LEVEL_L1},
                                                 {"L2", "l2", FX_LEVEL_L2},
                                                 {"DRAM", "dram", FX_LEVEL_DRAM}};
    if (space != 1) {
        kind->level[kind->count++] = of_sm[space / 2];
        return;
    }
    for (size_t i = 0; i < FX_COUNT(of_global); i++) {
        if (kind->does == FX_LOADS || of_global[i].by == FX_LEVEL_L2 ||
            (kind->does == FX_STORES && of_global[i].by == FX_LEVEL_DRAM)) {
            kind->level[kind->count++] = of_global[i];
        }
    }
}

void fx_pattern_kind_for(const char *space, fx_access_kind of, fx_pattern_kind *out) {
    *out = (fx_pattern_kind){.space = space, .op = ops[of], .does = of};
    add_levels(out, strcmp(space, "shared") != 0);
}

/* The place of a word that the table of options, or pattern_code's question, has checked. */
static size_t index_of(const char *word, const char *const *words, size_t count) {
    size_t i = 0;
    while (i + 1 < count && strcmp(word, words[i]) != 0) {
        i++;
    }
    return i;
}

fx_status fx_pattern_kind_of(const char *space_word, const char *op_word, fx_pattern_kind *out, fx_error *err) {
    static const char *const spaces[] = {"shared", "global", "constant"};
    const size_t space = index_of(space_word, spaces, FX_COUNT(spaces)), op = index_of(op_word, ops, OPS);
    FX_FAIL_IF(op && space == 2, err, FX_BAD_INPUT, "--op %s: constant memory can only be read", ops[op]);
    FX_FAIL_IF(op >= FX_MATRIX_LOADS && space != 0, err, FX_BAD_INPUT,
               "--op %s: matrices are loaded from and stored to shared memory", ops[op]);
    *out = (fx_pattern_kind){.space = spaces[space], .op = ops[op], .does = (fx_access_kind)op};
    add_levels(out, space);
    return FX_OK;
}

bool fx_pattern_is_atomic(const fx_pattern_kind *kind) {
    return kind->does >= FX_ADDS && kind->does <= FX_COMPARES;
}

bool fx_pattern_is_width(int64_t width) {
    return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

/* That of the option; else an element's of the tile, or a matrix row's. */
static fx_status width_of(const fx_options *options, const fx_pattern_kind *kind, unsigned *out, fx_error *err) {
    const bool given = fx_options_given(options, "pattern", "--width");
    const bool is_matrix = kind->does >= FX_MATRIX_LOADS;
    int64_t width = options->pattern.width;
    FX_FAIL_IF(width == 32, err, FX_BAD_INPUT,
               "--width 32: accesses of 32 bytes, of sm_100 and newer, are not modelled: no such chip was "
               "measured");
    if (!given && options->pattern.tile) {
        fx_pattern_array array;
        fx_error ignored = {0}; /* it is read once more */
        width = fx_pattern_array_read(options->pattern.tile, &array, &ignored) ? width : array.bytes;
    }
    width = is_matrix && !given ? 16 : width;
    *out = (unsigned)width;
    FX_FAIL_IF(!fx_pattern_is_width(width) || (is_matrix && width != 16), err, FX_BAD_INPUT, "--width %lld: %s",
               (long long)width,
               is_matrix ? "a lane of --op ldmatrix or stmatrix names a row of 16 bytes"
                         : "an access is 1, 2, 4, 8 or 16 bytes wide");
    return FX_OK;
}

/* What an option leaves nothing to say for: each is an error, since it would be ignored in silence. */
static fx_status check_void(const fx_options *o, fx_error *err) {
    static const struct {
        const char *option, *voids, *why;
    } rows[] = {
        {"--code", "--expr --index --tile --op --width --swizzle ", "the text says it for each access"},
        {"--file", "--code --expr --index --tile --op --width --swizzle ", "the source says it for each access"},
        {"--expr", "--index ", "it counts bytes"},
        {"--index", "--tile ", "it counts elements of --width"},
        {"--arch", "--archive --device ", "a chip has one architecture"},
    };
    for (size_t i = 0; i < FX_COUNT(rows); i++) {
        for (const char *at = rows[i].voids; fx_options_given(o, "pattern", rows[i].option) && *at;
             at += strcspn(at, " ") + 1) {
            char name[16];
            (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
            FX_FAIL_IF(fx_options_given(o, "pattern", name), err, FX_BAD_INPUT,
                       "%s and %s exclude each other: %s; leave one out", rows[i].option, name, rows[i].why);
        }
    }
    return FX_OK;
}

fx_status fx_pattern_check(const fx_options *options, fx_pattern_kind *kind, unsigned *width_bytes, fx_error *err) {
    const fx_pattern_options *o = &options->pattern;
    const bool is_text = o->code || o->file, is_typed = o->expression || o->index;
    const char *dot = o->file ? strrchr(o->file, '.') : NULL;
    FX_TRY(check_void(options, err));
    FX_TRY(fx_pattern_kind_of(o->space, o->op, kind, err));
    FX_FAIL_IF(dot && !strcmp(dot, ".fxtrace"), err, FX_BAD_INPUT,
               "--file %s: a trace has more to say: gpufx explain %s", o->file, o->file);
    FX_FAIL_IF(o->tile && !is_typed, err, FX_BAD_INPUT,
               "--tile TYPE[N]... goes with --expr ELEMENT: give both, such as --tile 'float[32][33]' --expr "
               "'tile[lane][t]'");
    FX_FAIL_IF(!is_text && !is_typed && options->words.count && !access(options->words.text[0], R_OK), err,
               FX_BAD_INPUT, "a pattern is missing: write --file %s", options->words.text[0]);
    FX_FAIL_IF(!is_text && !is_typed, err, FX_BAD_INPUT,
               "a pattern is missing: give --code CODE, --expr EXPRESSION, --index EXPRESSION or --file SOURCE:LINE; "
               "`gpufx pattern --help` has examples");
    return is_text ? FX_OK : width_of(options, kind, width_bytes, err);
}

unsigned fx_pattern_on_a_word(const fx_pattern_kind *kind, const fx_pattern *patterns, size_t count) {
    unsigned most = 1;
    for (size_t i = 0; fx_pattern_is_atomic(kind) && i < count * FX_WARP; i++) {
        const int32_t *offset = patterns[i / FX_WARP].lanes.offset;
        unsigned same = 0;
        for (unsigned k = 0; k < FX_WARP; k++) {
            same += offset[k] >= 0 && offset[k] == offset[i % FX_WARP];
        }
        most = same > most ? same : most;
    }
    return most;
}

void fx_pattern_id(const fx_pattern *pattern, char *text, size_t size) {
    FX_FREED char *json = json_dumps(pattern->id, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    const size_t length = json ? strlen(json) : 0;
    const bool quoted = length > 1 && json[0] == '"';
    (void)snprintf(text, size, "%.*s", (int)(quoted ? length - 2 : length), json ? json + quoted : "?");
}
