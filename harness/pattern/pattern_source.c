/* Where patterns come from: a list of lanes, an expression over steps, a file of JSON Lines, or a trace. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "call/parse.h"
#include "core/axis.h"
#include "core/pattern_text.h"
#include "pattern.h"
#include "pattern_trace.h"

enum { MOST_STEPS = 100000, MOST_LINE_BYTES = 16 << 20 };

struct fx_pattern_source {
    unsigned width_bytes; /* --width; a file's lines may name their own */
    int32_t base;         /* --base */
    /* --lanes */
    bool listed;
    fx_lanes lanes;
    /* --expr */
    fx_expression *expression;
    fx_selection steps; /* values of t */
    unsigned threads;   /* of a block: lanes beyond them are inactive */
    int64_t tile_bytes; /* of --tile; 0: there is none */
    /* --file */
    fx_pattern_trace *trace; /* NULL: it is none */
    FILE *file;
    const char *name;
    char *line;
    size_t capacity;
    size_t at; /* patterns handed out, lines read */
};

static bool is_width(json_int_t width) {
    return width == 1 || width == 2 || width == 4 || width == 8 || width == 16;
}

/* Moves the lanes to the base, where they must be able to lie. */
static fx_status move_to_base(const fx_pattern_source *source, unsigned width_bytes, fx_lanes *lanes, fx_error *err) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        int32_t *offset = &lanes->offset[l];
        if (*offset >= 0 && __builtin_add_overflow(*offset, source->base, offset)) {
            return fx_fail(err, FX_BAD_INPUT, "lane %u: its offset and --base add up to more than %d", l, INT32_MAX);
        }
    }
    return fx_lanes_check(lanes, width_bytes, err);
}

static fx_status read_steps(const fx_options *options, fx_selection *out, fx_error *err) {
    static const fx_axis axis = {"t", "", "step of a tile", NULL, 0, INT32_MAX, 0};
    fx_selection one = {0};
    FX_TRY(fx_axes_parse(&axis, 1, options->words.count ? options->words.text[0] : "t=0", &one, err));
    if (one.count > MOST_STEPS) {
        fx_selections_free(&one, 1);
        return fx_fail(err, FX_BAD_INPUT, "%s: more than %d steps", options->words.text[0], MOST_STEPS);
    }
    *out = one;
    return FX_OK;
}

static fx_status open_file(fx_pattern_source *source, const char *name, fx_error *err) {
    const bool standard = !strcmp(name, "-");
    source->name = standard ? "standard input" : name;
    source->file = standard ? stdin : fopen(name, "re");
    return source->file ? FX_OK : fx_fail(err, FX_BAD_INPUT, "--file %s: %s", name, strerror(errno));
}

static fx_status open_trace(fx_pattern_source *source, const fx_options *options, fx_error *err) {
    source->name = options->pattern.file;
    return fx_pattern_trace_open(options->pattern.file, options->pattern.space, options->pattern.op, &source->trace,
                                 err);
}

static fx_status check_options(const fx_options *options, fx_error *err) {
    const int given =
        (options->pattern.lanes != NULL) + (options->pattern.expression != NULL) + (options->pattern.file != NULL);
    const bool stepped = options->pattern.expression != NULL;
    if (given == 1 && options->pattern.tile && !stepped) {
        return fx_fail(err, FX_BAD_INPUT,
                       "--tile TYPE[N]... goes with --expr ELEMENT: give both, such as --tile 'float[32][33]' --expr "
                       "'tile[lane][t]'");
    }
    if (options->pattern.block && !stepped) {
        return fx_fail(err, FX_BAD_INPUT, "--block needs --expr; leave it out");
    }
    if (given != 1) {
        return fx_fail(err, FX_BAD_INPUT,
                       "%s: give exactly one of --code CODE, --expr EXPRESSION, --lanes LIST and --file FILE; `gpufx "
                       "pattern --help` "
                       "has examples",
                       given ? "too many patterns" : "a pattern is missing");
    }
    if (options->words.count > (stepped ? 1u : 0u)) {
        return fx_fail(err, FX_BAD_INPUT, "'%.60s' is not an option; steps, t=FIRST:LAST, need --expr",
                       options->words.text[options->words.count - 1]);
    }
    if (!is_width(options->pattern.width)) {
        return fx_fail(err, FX_BAD_INPUT, "--width %lld: an access is 1, 2, 4, 8 or 16 bytes wide",
                       (long long)options->pattern.width);
    }
    return FX_OK;
}

static fx_status open_expression(fx_pattern_source *source, const fx_options *options, fx_error *err) {
    char of_tile[1024] = "";
    const char *text = options->pattern.expression;
    fx_error cause = {0};
    fx_block block = {{FX_WARP, 1, 1}};
    if (options->pattern.block && fx_pattern_block(options->pattern.block, &block, err)) {
        return err->status;
    }
    const int64_t threads = block.size[0] * block.size[1] * block.size[2];
    source->threads = threads < FX_WARP ? (unsigned)threads : FX_WARP;
    source->name = "--expr";
    if (options->pattern.tile) {
        if (fx_pattern_tile(options->pattern.tile, options->pattern.expression, options->pattern.block ? &block : NULL,
                            of_tile, sizeof of_tile, &source->width_bytes, &source->tile_bytes, err)) {
            return err->status;
        }
        if (fx_options_given(options, "pattern", "--width")) { /* a vector, reinterpreted */
            source->width_bytes = (unsigned)options->pattern.width;
        }
        text = of_tile;
    }
    if (fx_expression_parse(text, options->pattern.block ? &block : NULL, &source->expression, &cause)) {
        return fx_fail(err, FX_BAD_INPUT, "%s: %s", source->name, cause.text);
    }
    return read_steps(options, &source->steps, err);
}

/* Lanes of a warp that no thread has; elements that the tile has not. */
static fx_status fit_lanes(const fx_pattern_source *source, fx_lanes *lanes, fx_error *err) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (l >= source->threads) {
            lanes->offset[l] = -1;
        } else if (source->tile_bytes && lanes->offset[l] >= source->tile_bytes) {
            return fx_fail(err, FX_BAD_INPUT, "lane %u: its element is beyond the end of the tile", l);
        }
    }
    return FX_OK;
}

fx_status fx_pattern_source_open(const fx_options *options, fx_pattern_source **out, fx_error *err) {
    fx_error cause = {0};
    if (check_options(options, err)) {
        return err->status;
    }
    fx_pattern_source *source = calloc(1, sizeof *source);
    if (!source) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading patterns");
    }
    source->width_bytes = (unsigned)options->pattern.width;
    source->threads = FX_WARP;
    source->base = (int32_t)options->pattern.base;
    fx_status status = FX_OK;
    if (options->pattern.lanes) {
        source->listed = true;
        if (fx_lanes_parse(options->pattern.lanes, &source->lanes, &cause) ||
            move_to_base(source, source->width_bytes, &source->lanes, &cause)) {
            status = fx_fail(err, FX_BAD_INPUT, "--lanes: %s", cause.text);
        }
    } else if (options->pattern.file) {
        status = fx_pattern_file_is_trace(options->pattern.file) ? open_trace(source, options, err)
                                                                 : open_file(source, options->pattern.file, err);
    } else {
        status = open_expression(source, options, err);
    }
    if (status) {
        fx_pattern_source_close(source);
        return status;
    }
    *out = source;
    return FX_OK;
}

/* What a line may hold: anything else would be ignored in silence, a misspelt "width" as well as an "op". */
static const char *unknown_key(json_t *object) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (strcmp(key, "id") != 0 && strcmp(key, "width") != 0 && strcmp(key, "lanes") != 0) {
            return key;
        }
    }
    return NULL;
}

static fx_status parse_line(fx_pattern_source *source, size_t size, fx_pattern *out, fx_error *err) {
    fx_error cause = {0};
    json_error_t problem;
    json_t *object = json_loadb(source->line, size, JSON_REJECT_DUPLICATES, &problem);
    json_t *id = json_object_get(object, "id"), *width = json_object_get(object, "width");
    fx_status status = FX_OK;
    out->width_bytes = source->width_bytes;
    if (!json_is_object(object)) {
        status = fx_fail(err, FX_BAD_INPUT, "%s, line %zu: not a JSON object (%s)", source->name, source->at,
                         object ? "it is something else" : problem.text);
    } else if (unknown_key(object)) {
        status = fx_fail(err, FX_BAD_INPUT,
                         "%s, line %zu: a pattern has \"id\", \"width\" and \"lanes\", and no \"%.40s\"; space, op and "
                         "level are options",
                         source->name, source->at, unknown_key(object));
    } else if (width && (!json_is_integer(width) || !is_width(json_integer_value(width)))) {
        status =
            fx_fail(err, FX_BAD_INPUT, "%s, line %zu: \"width\" must be 1, 2, 4, 8 or 16", source->name, source->at);
    } else if (id && (json_is_object(id) || json_is_array(id))) {
        status =
            fx_fail(err, FX_BAD_INPUT, "%s, line %zu: \"id\" must be a text or a number", source->name, source->at);
    } else {
        out->width_bytes = width ? (unsigned)json_integer_value(width) : source->width_bytes;
        if (fx_lanes_of_json(json_object_get(object, "lanes"), &out->lanes, &cause) ||
            move_to_base(source, out->width_bytes, &out->lanes, &cause)) {
            status = fx_fail(err, FX_BAD_INPUT, "%s, line %zu: %s", source->name, source->at, cause.text);
        }
        out->id = id ? json_incref(id) : json_integer((json_int_t)source->at);
    }
    json_decref(object);
    return status;
}

static fx_status grow(fx_pattern_source *source, fx_error *err) {
    const size_t more = source->capacity ? 2 * source->capacity : 4096;
    char *line = more > MOST_LINE_BYTES ? NULL : realloc(source->line, more);
    if (!line) {
        return more > MOST_LINE_BYTES
                   ? fx_fail(err, FX_BAD_INPUT, "%s, line %zu is longer than %d MiB; is that a file of patterns?",
                             source->name, source->at, MOST_LINE_BYTES >> 20)
                   : fx_fail(err, FX_NO_MEMORY, "%s, line %zu: out of memory", source->name, source->at);
    }
    source->line = line;
    source->capacity = more;
    return FX_OK;
}

/* One line without its end; *more is false where there is none. Unlike getline it knows a limit: /dev/zero has none. */
static fx_status read_line(fx_pattern_source *source, size_t *size, bool *more, fx_error *err) {
    int c = 0;
    *size = 0;
    errno = 0;
    while ((c = getc_unlocked(source->file)) != EOF && c != '\n') {
        if (*size == source->capacity && grow(source, err)) {
            return err->status;
        }
        source->line[(*size)++] = (char)c;
    }
    *more = c != EOF || *size > 0;
    return ferror(source->file) ? fx_fail(err, FX_IO, "%s, line %zu: %s", source->name, source->at, strerror(errno))
                                : FX_OK;
}

/* Empty lines are skipped. */
static fx_status next_line(fx_pattern_source *source, fx_pattern *out, bool *more, fx_error *err) {
    for (size_t size;;) {
        source->at++;
        if (read_line(source, &size, more, err)) {
            return err->status;
        }
        if (!*more) {
            return FX_OK;
        }
        while (size > 0 && memchr(" \t\r", source->line[size - 1], 3)) {
            size--;
        }
        if (size > 0) {
            return parse_line(source, size, out, err);
        }
    }
}

/* A trace's pattern is called by its number. */
static fx_status next_of_trace(fx_pattern_source *source, fx_pattern *out, bool *more, fx_error *err) {
    fx_error cause = {0};
    uint32_t id;
    *more = fx_pattern_trace_next(source->trace, &id, &out->width_bytes, &out->lanes);
    if (*more && !is_width(out->width_bytes)) {
        return fx_fail(err, FX_BAD_INPUT,
                       "%s, pattern %u: its lanes take %u bytes, and an access takes 1, 2, 4, 8 or 16", source->name,
                       id, out->width_bytes);
    }
    if (*more && move_to_base(source, out->width_bytes, &out->lanes, &cause)) {
        return fx_fail(err, FX_BAD_INPUT, "%s, pattern %u: %s", source->name, id, cause.text);
    }
    out->id = *more ? json_integer(id) : NULL;
    return FX_OK;
}

fx_status fx_pattern_next(fx_pattern_source *source, fx_pattern *out, bool *more, fx_error *err) {
    fx_error cause = {0};
    *out = (fx_pattern){.width_bytes = source->width_bytes};
    *more = true;
    if (source->trace) {
        return next_of_trace(source, out, more, err);
    }
    if (source->file) {
        fx_status status = next_line(source, out, more, err);
        if (status) {
            json_decref(out->id);
            out->id = NULL;
        }
        return status;
    }
    const size_t count = source->listed ? 1 : source->steps.count;
    if (source->at == count) {
        *more = false;
        return FX_OK;
    }
    if (source->listed) {
        out->lanes = source->lanes;
        out->id = json_string("lanes");
    } else {
        const long long t = (long long)source->steps.values[source->at];
        if (fx_lanes_of_expression(source->expression, t, &out->lanes, &cause) ||
            fit_lanes(source, &out->lanes, &cause) ||
            (count == 1 && fx_lanes_some_active(&out->lanes, &cause)) || /* of many steps some may have none */
            move_to_base(source, out->width_bytes, &out->lanes, &cause)) {
            return fx_fail(err, FX_BAD_INPUT, "%s, t = %lld: %s", source->name, t, cause.text);
        }
        out->id = json_sprintf("t=%lld", t);
    }
    source->at++;
    return FX_OK;
}

bool fx_pattern_source_single(const fx_pattern_source *source) {
    return source->listed || (source->expression && source->steps.count == 1);
}

bool fx_pattern_source_waits(const fx_pattern_source *source) {
    struct stat info;
    return source->file && (fstat(fileno(source->file), &info) || !S_ISREG(info.st_mode));
}

void fx_pattern_source_close(fx_pattern_source *source) {
    if (!source) {
        return;
    }
    fx_expression_free(source->expression);
    fx_selections_free(&source->steps, 1);
    if (source->file && source->file != stdin) {
        (void)fclose(source->file);
    }
    fx_pattern_trace_close(source->trace);
    free(source->line);
    free(source);
}
