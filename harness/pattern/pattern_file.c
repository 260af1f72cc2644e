/* Patterns of --file, one object of JSON a line: {"id":..., "width":..., "lanes":[...]}. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/pattern_text.h"
#include "pattern.h"

enum { MOST_LINE_BYTES = 16 << 20 };

struct fx_pattern_file {
    unsigned width_bytes; /* of lines that do not name their own */
    FILE *file;
    const char *name;
    char *line;
    size_t capacity, at; /* lines read */
    bool any;            /* one held a pattern */
};

fx_status fx_pattern_file_open(const char *name, unsigned width_bytes, fx_pattern_file **out, fx_error *err) {
    const bool standard = !strcmp(name, "-");
    const char *dot = strrchr(name, '.');
    if (dot && !strcmp(dot, ".fxtrace")) {
        return fx_fail(err, FX_BAD_INPUT, "--file %s: a trace has more to say: gpufx explain %s", name, name);
    }
    FILE *file = standard ? stdin : fopen(name, "re");
    if (!file) {
        return fx_fail(err, FX_BAD_INPUT, "--file %s: %s", name, strerror(errno));
    }
    *out = calloc(1, sizeof **out);
    if (!*out) {
        (void)fclose(file);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading patterns");
    }
    **out = (fx_pattern_file){.width_bytes = width_bytes, .file = file, .name = standard ? "standard input" : name};
    return FX_OK;
}

bool fx_pattern_file_waits(const fx_pattern_file *file) {
    struct stat info;
    return fstat(fileno(file->file), &info) || !S_ISREG(info.st_mode);
}

/* What is wrong with a line, NULL: nothing. Anything else in it would be ignored in silence, a misspelt "width" too. */
static const char *problem_of(json_t *object, const char *of_json, char *text, size_t size) {
    const json_t *id = json_object_get(object, "id"), *width = json_object_get(object, "width");
    const char *key;
    json_t *value;
    if (!json_is_object(object)) {
        (void)snprintf(text, size, "not a JSON object (%s)", object ? "it is something else" : of_json);
        return text;
    }
    json_object_foreach(object, key, value) {
        if (strcmp(key, "id") != 0 && strcmp(key, "width") != 0 && strcmp(key, "lanes") != 0) {
            (void)snprintf(text, size,
                           "a pattern has \"id\", \"width\" and \"lanes\", and no \"%.40s\"; space and op are options",
                           key);
            return text;
        }
    }
    if (width && (!json_is_integer(width) || !fx_pattern_is_width(json_integer_value(width)))) {
        return "\"width\" must be 1, 2, 4, 8 or 16";
    }
    return id && (json_is_object(id) || json_is_array(id)) ? "\"id\" must be a text or a number" : NULL;
}

static fx_status parse_line(fx_pattern_file *file, size_t size, fx_pattern *out, fx_error *err) {
    fx_error cause = {0};
    char text[256];
    json_error_t of_json;
    json_t *object = json_loadb(file->line, size, JSON_REJECT_DUPLICATES, &of_json);
    json_t *id = json_object_get(object, "id"), *width = json_object_get(object, "width");
    const char *problem = problem_of(object, of_json.text, text, sizeof text);
    *out = (fx_pattern){.width_bytes = width ? (unsigned)json_integer_value(width) : file->width_bytes};
    if (!problem && (fx_lanes_of_json(json_object_get(object, "lanes"), &out->lanes, &cause) ||
                     fx_lanes_check(&out->lanes, out->width_bytes, &cause))) {
        problem = cause.text;
    }
    if (!problem) {
        out->id = id ? json_incref(id) : json_integer((json_int_t)file->at);
    }
    json_decref(object);
    return problem ? fx_fail(err, FX_BAD_INPUT, "%s, line %zu: %s", file->name, file->at, problem) : FX_OK;
}

/* One line without its end; *more is false where there is none. Unlike getline it knows a limit: /dev/zero has none. */
static fx_status read_line(fx_pattern_file *file, size_t *size, bool *more, fx_error *err) {
    int c = 0;
    *size = 0;
    errno = 0;
    while ((c = getc_unlocked(file->file)) != EOF && c != '\n') {
        if (*size == file->capacity) {
            const size_t wanted = file->capacity ? 2 * file->capacity : 4096;
            char *line = wanted > MOST_LINE_BYTES ? NULL : realloc(file->line, wanted);
            if (!line) {
                return fx_fail(err, wanted > MOST_LINE_BYTES ? FX_BAD_INPUT : FX_NO_MEMORY,
                               "%s, line %zu is longer than %d MiB; is that a file of patterns?", file->name, file->at,
                               MOST_LINE_BYTES >> 20);
            }
            file->line = line;
            file->capacity = wanted;
        }
        file->line[(*size)++] = (char)c;
    }
    *more = c != EOF || *size > 0;
    return ferror(file->file) ? fx_fail(err, FX_IO, "%s, line %zu: %s", file->name, file->at, strerror(errno)) : FX_OK;
}

fx_status fx_pattern_file_next(fx_pattern_file *file, fx_pattern *out, bool *more, fx_error *err) {
    for (size_t size;;) { /* empty lines are skipped */
        file->at++;
        FX_TRY(read_line(file, &size, more, err));
        if (!*more) {
            return !file->any ? fx_fail(err, FX_BAD_INPUT, "--file %s holds no pattern", file->name) : FX_OK;
        }
        while (size > 0 && memchr(" \t\r", file->line[size - 1], 3)) {
            size--;
        }
        if (size > 0) {
            file->any = true;
            return parse_line(file, size, out, err);
        }
    }
}

void fx_pattern_file_close(fx_pattern_file *file) {
    if (file) {
        if (file->file != stdin) {
            (void)fclose(file->file);
        }
        free(file->line);
        free(file);
    }
}
