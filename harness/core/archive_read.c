/* Reading an archive: line by line, so that its size does not matter, and strict, so that what is damaged, foreign or
 * from a newer program is named instead of misread. Only the last line may be incomplete: that is what a killed run
 * leaves behind. */
#include "archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fx_status open_file(const char *path, FILE **out, fx_error *err) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return fx_fail(err, FX_IO, "cannot read the archive '%s': %s; check its name", path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is a folder: name an archive (.jsonl) in it", path);
    }
    /* A pipe is fine (a decompressor's, say); a device file may never end. */
    if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is not a file: name an archive (.jsonl)", path);
    }
    *out = fopen(path, "re");
    if (!*out) {
        return fx_fail(err, FX_IO, "cannot read the archive '%s': %s; check its permissions", path, strerror(errno));
    }
    return FX_OK;
}

static fx_status check_run(const char *path, const json_t *object, fx_error *err) {
    const char *type = json_string_value(json_object_get(object, "type"));
    const json_t *schema = json_object_get(object, "schema");
    if (!type || strcmp(type, "run") != 0 || !json_is_integer(schema)) {
        return fx_fail(err, FX_BAD_INPUT,
                       "'%s' is not a gpufx archive: its first line is not a \"run\" line with a schema number", path);
    }
    json_int_t number = json_integer_value(schema);
    if (number > FX_ARCHIVE_SCHEMA) {
        return fx_fail(err, FX_BAD_INPUT,
                       "'%s' was written by a newer gpufx (schema %lld), this one reads up to %d: update gpufx", path,
                       (long long)number, FX_ARCHIVE_SCHEMA);
    }
    if (number < 1) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' names schema %lld, which does not exist: it is not a gpufx archive",
                       path, (long long)number);
    }
    return FX_OK;
}

static fx_status handle(const char *path, const char *text, size_t size, size_t number, fx_archive_line line,
                        void *context, fx_error *err) {
    json_error_t problem;
    fx_status status = FX_OK;
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (!object && number == 1) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: line 1 is not a JSON object (%s)", path,
                       problem.text);
    }
    if (!object) {
        return fx_fail(err, FX_BAD_INPUT, "'%s', line %zu: %s (column %d); the file is damaged there: restore it", path,
                       number, problem.text, problem.column);
    }
    if (number == 1) {
        status = check_run(path, object, err);
    } else if (!json_is_string(json_object_get(object, "type"))) {
        status =
            fx_fail(err, FX_BAD_INPUT, "'%s', line %zu: there is no \"type\"; the file is damaged there", path, number);
    }
    if (status == FX_OK) {
        status = line(context, object, number, err);
    }
    json_decref(object);
    return status;
}

fx_status fx_archive_read(const char *path, fx_archive_line line, void *context, bool *truncated, fx_error *err) {
    FILE *file = NULL;
    char *text = NULL;
    size_t capacity = 0, number = 0;
    bool cut = false;
    fx_status status = open_file(path, &file, err);
    if (status != FX_OK) {
        goto cleanup;
    }
    while (status == FX_OK && !cut) {
        errno = 0;
        ssize_t size = getline(&text, &capacity, file);
        if (size < 0 && errno == ENOMEM) {
            status = fx_fail(err, FX_NO_MEMORY, "'%s', line %zu is too long for the memory", path, number + 1);
            break;
        }
        if (size < 0 && ferror(file)) {
            status = fx_fail(err, FX_IO, "cannot read '%s': %s; check the disk", path, strerror(errno));
            break;
        }
        if (size < 0) {
            break;
        }
        cut = text[size - 1] != '\n';
        if (!cut) {
            status = handle(path, text, (size_t)size, ++number, line, context, err);
        }
    }
    if (status == FX_OK && number == 0) {
        status = fx_fail(err, FX_BAD_INPUT, "'%s' is not a gpufx archive: it holds no complete line", path);
    }

cleanup:
    if (truncated) {
        *truncated = cut;
    }
    free(text);
    if (file) {
        fclose(file);
    }
    return status;
}
