/* Reading of an archive what the program needs of it, line by line, so that its size does not matter. What is foreign,
 * of another schema or damaged is named instead of misread. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <zlib.h>

#include "archive_file.h"

enum { BLOCK = 64 << 10, LONGEST_LINE = 64 << 20 }; /* the last as in plot/gpufx_plot/archive/file.py */

struct fx_lines {
    gzFile file;
    const char *path;
    char *text; /* what was read and not yet handed out: [from, end) of room bytes */
    size_t from, end, room;
    size_t number;
    uLong crc;
    bool ended;
};

fx_lines *fx_lines_of(int file, const char *path) {
    fx_lines *lines = fx_new(1, sizeof *lines);
    *lines = (fx_lines){.file = fx_given(gzdopen(file, "rb")),
                        .path = path,
                        .text = fx_new(BLOCK, 1),
                        .room = BLOCK,
                        .crc = crc32(0, NULL, 0)};
    return lines;
}

/* FX_IO for what cannot be read, FX_BAD_INPUT for a folder or a device file. `path` is borrowed. */
static fx_status open_lines(const char *path, fx_lines **out, fx_error *err) {
    struct stat info;
    FX_FAIL_IF(stat(path, &info) != 0, err, FX_IO, "cannot read the archive '%s': %s; check its name", path,
               strerror(errno));
    FX_FAIL_IF(S_ISDIR(info.st_mode), err, FX_BAD_INPUT, "'%s' is a folder: name an archive (.jsonl, .jsonl.gz) in it",
               path);
    /* A pipe is fine (a decompressor's, say); a device file may never end. */
    FX_FAIL_IF(!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode), err, FX_BAD_INPUT,
               "'%s' is not a file: name an archive (.jsonl, .jsonl.gz)", path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    FX_FAIL_IF(file < 0, err, FX_IO, "cannot read the archive '%s': %s; check its permissions", path, strerror(errno));
    *out = fx_lines_of(file, path);
    return FX_OK;
}

/* Why the last read ended; FX_OK: there is more, or nothing more. */
static fx_status read_status(const fx_lines *lines, fx_error *err) {
    const int cause = errno;
    int code;
    const char *why = gzerror(lines->file, &code);
    switch (code) {
    case Z_OK:
    case Z_STREAM_END:
        return FX_OK;
    case Z_ERRNO:
        return fx_fail(err, FX_IO, "cannot read '%s': %s; check the disk", lines->path, strerror(cause));
    case Z_BUF_ERROR:
        return fx_fail(err, FX_BAD_INPUT, "the compressed file '%s' is truncated after line %zu; copy it again",
                       lines->path, lines->number);
    default:
        return fx_fail(err, FX_BAD_INPUT, "'%s' is damaged after line %zu: gzip reports %s; restore it", lines->path,
                       lines->number, why);
    }
}

/* Reads on behind `end`; sets `ended` where there is nothing more. */
static fx_status fill(fx_lines *lines, fx_error *err) {
    if (lines->from > 0) {
        memmove(lines->text, lines->text + lines->from, lines->end - lines->from);
        lines->end -= lines->from;
        lines->from = 0;
    }
    if (lines->end == lines->room) {
        FX_FAIL_IF(lines->room >= LONGEST_LINE, err, FX_BAD_INPUT,
                   "'%s', line %zu is too long for an archive; restore the file", lines->path, lines->number + 1);
        lines->room *= 2;
        lines->text = fx_given(realloc(lines->text, lines->room));
    }
    const int got = gzread(lines->file, lines->text + lines->end, (unsigned)(lines->room - lines->end));
    lines->end += got > 0 ? (size_t)got : 0;
    lines->ended = got <= 0;
    return read_status(lines, err);
}

fx_status fx_lines_next(fx_lines *lines, fx_line *out, fx_error *err) {
    size_t seen = 0;
    *out = (fx_line){.number = lines->number, .crc32 = (uint32_t)lines->crc};
    for (;;) {
        const size_t size = lines->end - lines->from;
        char *from = lines->text + lines->from;
        const char *newline = memchr(from + seen, '\n', size - seen);
        if (!newline && !lines->ended) {
            seen = size;
            FX_TRY(fill(lines, err));
            continue;
        }
        if (!newline && size == 0) {
            return FX_OK;
        }
        out->text = from;
        out->size = newline ? (size_t)(newline - from) + 1 : size;
        out->cut = !newline;
        out->number = ++lines->number;
        lines->from += out->size;
        lines->crc = crc32_z(lines->crc, (const Bytef *)out->text, out->size);
        return FX_OK;
    }
}

void fx_lines_close(fx_lines *lines) {
    if (!lines) {
        return;
    }
    (void)gzclose(lines->file);
    free(lines->text);
    free(lines);
}

typedef struct reading {
    const char *path;
    bool outlined; /* of what is read, what lies deep is left out */
    fx_lines *lines;
    fx_line line;
} reading;

static const char *type_of(const json_t *object) {
    return json_string_value(json_object_get(object, "type"));
}

/* Empties the objects and arrays of the third level, in place: a first line has 200 KB in them, and to parse those
 * takes longer than all else that `pattern` does. Returns the new size. */
static size_t outline(char *text, size_t size) {
    size_t kept = 0;
    int depth = 0;
    bool quoted = false, escaped = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        depth -= !quoted && (c == '}' || c == ']');
        if (depth < 3) {
            text[kept++] = c;
        }
        depth += !quoted && (c == '{' || c == '[');
        quoted = quoted != (c == '"' && !escaped);
        escaped = c == '\\' && !escaped;
    }
    return kept;
}

static fx_status parse(const reading *r, json_t **out, fx_error *err) {
    json_error_t problem;
    const size_t size = r->outlined ? outline(r->line.text, r->line.size) : r->line.size;
    *out = json_loadb(r->line.text, size, JSON_REJECT_DUPLICATES, &problem);
    if (*out && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        (void)snprintf(problem.text, sizeof problem.text, "it is not an object");
    }
    if (*out) {
        return FX_OK;
    }
    FX_FAIL_IF(r->line.number == 1, err, FX_BAD_INPUT,
               "'%s' is not a gpufx archive: its first line is not a JSON object", r->path);
    return fx_fail(err, FX_BAD_INPUT, "'%s', line %zu: %s (column %d); the file is damaged there: restore it", r->path,
                   r->line.number, problem.text, problem.column);
}

static fx_status check_run(const reading *r, const json_t *object, fx_error *err) {
    const char *type = type_of(object);
    const json_t *schema = json_object_get(object, "schema");
    FX_FAIL_IF(
        json_object_get(object, "figures"), err, FX_BAD_INPUT, /* plot/gpufx_plot/cards/kept.py */
        "'%s' is not an archive but the quantities of cards, for accept: gpufx accept ARCHIVE --against this file",
        r->path);
    FX_FAIL_IF(!type || strcmp(type, "run") != 0 || !json_is_integer(schema), err, FX_BAD_INPUT,
               "'%s' is not a gpufx archive: its first line is not a \"run\" line with a schema number", r->path);
    const json_int_t number = json_integer_value(schema);
    FX_FAIL_IF(number > FX_ARCHIVE_SCHEMA, err, FX_BAD_INPUT,
               "'%s' was written by a newer gpufx (schema %lld), this one reads schema %d: update gpufx", r->path,
               (long long)number, FX_ARCHIVE_SCHEMA);
    FX_FAIL_IF(number < FX_ARCHIVE_SCHEMA, err, FX_BAD_INPUT,
               "'%s' has schema %lld, of development versions before 0.1.0; this gpufx reads schema %d: measure again",
               r->path, (long long)number, FX_ARCHIVE_SCHEMA);
    return FX_OK;
}

bool fx_line_begins(const fx_line *line, const char *text) {
    const size_t size = strlen(text);
    return line->size > size && memcmp(line->text, text, size) == 0;
}

/* Whether its text shows that it is not of this type, does not hold the word (NULL: any), or is not an object; that of
 * a line which another program wrote, with spaces, shows nothing. */
static bool is_other(const fx_line *line, const char *type, const char *word) {
    char beginning[64];
    (void)snprintf(beginning, sizeof beginning, "{\"type\":\"%s", type);
    return (*type && !fx_line_begins(line, "{")) || /* behind the end line, where type is "", nothing may stand */
           (fx_line_begins(line, "{\"type\":\"") && !fx_line_begins(line, "{\"type\":\"end\"") &&
            (!fx_line_begins(line, beginning) || (word && !memmem(line->text, line->size, word, strlen(word)))));
}

static bool is_of(const json_t *object, const char *type) {
    const char *found = type_of(object);
    return found && (!strncmp(found, type, strlen(type)) || !strcmp(found, "end"));
}

/* The next line whose type begins so and that holds the word, the first or the end line; NULL behind the last one, and
 * where that is cut. */
static fx_status next(reading *r, const char *type, const char *word, json_t **out, fx_error *err) {
    for (*out = NULL; !*out;) {
        do {
            FX_TRY(fx_lines_next(r->lines, &r->line, err));
            if (!r->line.text || r->line.cut) {
                return FX_OK;
            }
        } while (r->line.number > 1 && is_other(&r->line, type, word));
        json_auto_t *object = NULL;
        FX_TRY(parse(r, &object, err));
        FX_TRY(r->line.number == 1 ? check_run(r, object, err) : FX_OK);
        *out = r->line.number == 1 || is_of(object, type) ? json_incref(object) : NULL;
    }
    return FX_OK;
}

/* The end line has the sum of all lines before it. */
static fx_status check_end(const reading *r, const json_t *end, fx_error *err) {
    const char *told = json_string_value(json_object_get(end, "crc32"));
    char crc[16];
    (void)snprintf(crc, sizeof crc, "%08" PRIx32, r->line.crc32);
    return told && !strcmp(told, crc) ? FX_OK
                                      : fx_fail(err, FX_BAD_INPUT,
                                                "'%s', line %zu: the lines before the end line have crc32 %s, which is "
                                                "not the recorded one; the file is damaged: restore it",
                                                r->path, r->line.number, crc);
}

static fx_status first(reading *r, json_t **out, fx_error *err) {
    FX_TRY(open_lines(r->path, &r->lines, err));
    FX_TRY(next(r, "", NULL, out, err));
    FX_FAIL_IF(!*out, err, FX_BAD_INPUT, "'%s' is not a gpufx archive: it holds no complete line", r->path);
    return FX_OK;
}

static void end_reading(reading *r) {
    fx_lines_close(r->lines);
}

fx_status fx_archive_read_with(const char *path, const char *type, const char *word, fx_archive_line line,
                               void *context, bool *incomplete, fx_error *err) {
    FX_OWNED(end_reading) reading r = {.path = path};
    bool ended = false, complete = false;
    json_t *read = NULL;
    FX_TRY(first(&r, &read, err));
    while (read) {
        json_auto_t *object = read;
        FX_FAIL_IF(ended, err, FX_BAD_INPUT, "'%s', line %zu: it follows the end line; the file is damaged: restore it",
                   path, r.line.number);
        ended = !strcmp(type_of(object), "end");
        if (ended) {
            FX_TRY(check_end(&r, object, err));
            complete = json_is_true(json_object_get(object, "complete"));
        }
        FX_TRY(!ended || !*type ? line(context, object, r.line.number, err) : FX_OK);
        /* behind the end line no line is passed over */
        FX_TRY(ended ? next(&r, "", NULL, &read, err) : next(&r, type, word, &read, err));
    }
    if (incomplete) {
        *incomplete = !complete || r.line.cut;
    }
    return FX_OK;
}

fx_status fx_archive_head(const char *path, json_t **run, fx_error *err) {
    FX_OWNED(end_reading) reading r = {.path = path, .outlined = true};
    *run = NULL;
    return first(&r, run, err);
}

fx_status fx_archive_can_be_read_again(const char *path, fx_error *err) {
    struct stat info;
    FX_FAIL_IF(!stat(path, &info) && S_ISFIFO(info.st_mode), err, FX_BAD_INPUT,
               "'%s' is a pipe, and this archive must be read twice; save it as a file", path);
    return FX_OK;
}

bool fx_ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && !strcmp(name + length - wanted, end);
}
