/* Reading an archive: line by line, so that its size does not matter, and strict, so that what is damaged, foreign or
 * from a newer program is named instead of misread. Only the last line may be incomplete: that is what a killed run
 * leaves behind. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"
#include "archive_check.h"
#include "archive_lines.h"
#include "archive_migrate.h"

typedef struct reading {
    const char *path;
    fx_lines *lines;
    fx_line line;
    json_t *migration; /* NULL: the file has the present schema */
    fx_archive_check check;
} reading;

static const char *type_of(const json_t *object) {
    return json_string_value(json_object_get(object, "type"));
}

static fx_status parse(const reading *r, json_t **out, fx_error *err) {
    json_error_t problem;
    *out = json_loadb(r->line.text, r->line.size, JSON_REJECT_DUPLICATES, &problem);
    if (*out && !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        (void)snprintf(problem.text, sizeof problem.text, "it is not an object");
    }
    if (*out) {
        return FX_OK;
    }
    if (r->line.number == 1) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: line 1 is not a JSON object (%s)", r->path,
                       problem.text);
    }
    return fx_fail(err, FX_BAD_INPUT, "'%s', line %zu: %s (column %d); the file is damaged there: restore it", r->path,
                   r->line.number, problem.text, problem.column);
}

/* Finds out the schema of the file. */
static fx_status see_run(reading *r, const json_t *object, fx_error *err) {
    const char *type = type_of(object);
    const json_t *schema = json_object_get(object, "schema");
    if (type && !strcmp(type, "foreign")) {
        return fx_fail(err, FX_BAD_INPUT,
                       "'%s' is a foreign archive, which has no cases; gpufx sheet, gpufx compare --by quantity and "
                       "gpufx export take it",
                       r->path);
    }
    if (!type || strcmp(type, "run") != 0 || !json_is_integer(schema)) {
        return fx_fail(err, FX_BAD_INPUT,
                       "'%s' is not a gpufx archive: its first line is not a \"run\" line with a schema number",
                       r->path);
    }
    const json_int_t number = json_integer_value(schema);
    if (number > FX_ARCHIVE_SCHEMA) {
        return fx_fail(err, FX_BAD_INPUT,
                       "'%s' was written by a newer gpufx (schema %lld), this one reads up to %d: update gpufx",
                       r->path, (long long)number, FX_ARCHIVE_SCHEMA);
    }
    if (number < 1) {
        return fx_fail(
            err, FX_BAD_INPUT,
            "'%s' has schema %lld, of which there are no archives: the oldest is 1; it is not a gpufx archive", r->path,
            (long long)number);
    }
    r->check.schema = (int)number;
    return number == 1 ? fx_migration_load(NULL, &r->migration, err) : FX_OK;
}

static bool begins(const fx_line *line, const char *text) {
    const size_t size = strlen(text);
    return line->size > size && memcmp(line->text, text, size) == 0;
}

/* The next line of the file as an object of the present schema, where `beginning` is given the next that begins so, the
 * first or the end line; NULL behind the last one, whole or cut. */
static fx_status next(reading *r, const char *beginning, json_t **out, fx_error *err) {
    json_t *object = NULL;
    fx_status status;
    *out = NULL;
    do {
        status = fx_lines_next(r->lines, &r->line, err);
        if (status != FX_OK || !r->line.text || r->line.cut) {
            return status;
        }
    } while (beginning && r->line.number > 1 && !begins(&r->line, beginning) && !begins(&r->line, "{\"type\":\"end\""));
    status = parse(r, &object, err);
    if (status == FX_OK && r->line.number == 1) {
        status = see_run(r, object, err);
    } else if (status == FX_OK && !type_of(object)) {
        status = fx_fail(err, FX_BAD_INPUT, "'%s', line %zu: there is no \"type\"; the file is damaged there", r->path,
                         r->line.number);
    }
    if (status == FX_OK && r->migration) {
        status = fx_migrate_1(r->migration, object, err);
    }
    if (status == FX_OK) {
        *out = object;
    } else {
        json_decref(object);
    }
    return status;
}

/* The reason of a check with where it was found. */
static fx_status refuse(const reading *r, const fx_error *cause, fx_error *err) {
    const bool damaged = cause->status == FX_BAD_INPUT;
    return fx_fail(err, cause->status, "'%s', line %zu: %s%s", r->path, r->line.number, cause->text,
                   damaged ? "; the file is damaged: restore it" : "");
}

static fx_status check(reading *r, const json_t *object, fx_error *err) {
    fx_error cause = {0};
    return fx_archive_check_line(&r->check, object, &r->line, &cause) ? refuse(r, &cause, err) : FX_OK;
}

static void end(reading *r) {
    fx_archive_check_free(&r->check);
    json_decref(r->migration);
    fx_lines_close(r->lines);
}

fx_status fx_archive_read(const char *path, fx_archive_line line, void *context, bool *truncated, fx_error *err) {
    reading r = {.path = path};
    json_t *object = NULL;
    if (truncated) {
        *truncated = false;
    }
    fx_status status = fx_lines_open(path, &r.lines, err);
    if (status != FX_OK) {
        return status;
    }
    while ((status = next(&r, NULL, &object, err)) == FX_OK && object) {
        status = check(&r, object, err);
        if (status == FX_OK) {
            status = line(context, object, r.line.number, err);
        }
        json_decref(object);
        if (status != FX_OK) {
            break;
        }
    }
    const size_t whole = r.line.number - r.line.cut;
    if (status == FX_OK && whole == 0) {
        status = fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: it holds no complete line", path);
    }
    if (truncated) {
        *truncated = r.line.cut;
    }
    end(&r);
    return status;
}

fx_status fx_archive_pick(const char *path, const char *type, fx_archive_line line, void *context, bool *incomplete,
                          fx_error *err) {
    reading r = {.path = path};
    bool ended = false, complete = false;
    char beginning[64];
    json_t *object = NULL;
    (void)snprintf(beginning, sizeof beginning, "{\"type\":\"%s\"", type);
    fx_status status = fx_lines_open(path, &r.lines, err);
    if (status != FX_OK) {
        return status;
    }
    /* Behind the end line no line is passed over. */
    while (status == FX_OK && (status = next(&r, ended ? NULL : beginning, &object, err)) == FX_OK && object) {
        fx_error cause = {0};
        if (ended) {
            (void)fx_archive_behind_end(&cause);
            status = refuse(&r, &cause, err);
        } else if (strcmp(type_of(object), "end") != 0) {
            status = line(context, object, r.line.number, err);
        } else if (fx_archive_check_sum(&r.check, object, &r.line, &cause)) {
            status = refuse(&r, &cause, err);
        } else {
            ended = true;
            complete = json_is_true(json_object_get(object, "complete"));
        }
        json_decref(object);
    }
    if (status == FX_OK && r.line.number - r.line.cut == 0) {
        status = fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: it holds no complete line", path);
    }
    if (incomplete) {
        *incomplete = !complete || r.line.cut;
    }
    end(&r);
    return status;
}

static fx_status nothing_more(void *context, const json_t *object, size_t number, fx_error *err) {
    (void)context, (void)object, (void)number, (void)err;
    return FX_OK;
}

bool fx_ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), wanted = strlen(end);
    return length > wanted && !strcmp(name + length - wanted, end);
}

bool fx_archive_is_named(const char *name) {
    return name[0] != '.' && (fx_ends_in(name, ".jsonl") || fx_ends_in(name, ".jsonl.gz"));
}

fx_status fx_archive_examine(const char *path, fx_error *err) {
    return fx_archive_read(path, nothing_more, NULL, NULL, err);
}

fx_status fx_archive_can_be_read_again(const char *path, fx_error *err) {
    struct stat info;
    if (!stat(path, &info) && S_ISFIFO(info.st_mode)) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is a pipe, and this archive must be read twice; save it as a file",
                       path);
    }
    return FX_OK;
}

fx_status fx_archive_pick_again(const char *path, const char *type, fx_archive_line line, void *context,
                                fx_error *err) {
    const fx_status status = fx_archive_can_be_read_again(path, err);
    return status ? status : fx_archive_pick(path, type, line, context, NULL, err);
}

fx_status fx_archive_head(const char *path, json_t **run, fx_error *err) {
    reading r = {.path = path};
    *run = NULL;
    fx_status status = fx_lines_open(path, &r.lines, err);
    if (status != FX_OK) {
        return status;
    }
    status = next(&r, NULL, run, err);
    if (status == FX_OK && !*run) {
        status = fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: it holds no complete line", path);
    }
    end(&r);
    return status;
}
