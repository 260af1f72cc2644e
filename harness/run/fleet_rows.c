/* Writes, touches and reads the rows of a fleet run. A row is written to a new file and renamed. */
#include "fleet_rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "call/message.h"
#include "call/output.h"
#include "core/text.h"

enum { MOST_BYTES = 1 << 16, ROW_BYTES = 4096 };

static const char *const words[] = {"measuring", "done",        "failed", "timed out",
                                    "no gpu",    "interrupted", "lost",   "absent"};

static fx_status path_of(const char *folder, const char *name, char path[PATH_MAX], fx_error *err) {
    return snprintf(path, PATH_MAX, "%s/ranks/%s.json", folder, name) < PATH_MAX
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT, "the path %.100s... is too long; choose a shorter one", folder);
}

/* As JSON, with blanks up to ROW_BYTES. The caller frees it. */
static char *padded(const json_t *json) {
    char *row = json_dumps(json, JSON_INDENT(1)), *text = NULL;
    if (row && asprintf(&text, "%-*s\n", ROW_BYTES - 1, row) < 0) {
        text = NULL;
    }
    free(row);
    return text;
}

/* Where a disk is full, the room of the existing row remains. A reader may meet half of it, once. */
static bool write_over(const char *path, const char *text) {
    const size_t length = strlen(text);
    struct stat about;
    const int file = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool written = file >= 0 && !fstat(file, &about) && S_ISREG(about.st_mode) &&
                         about.st_size == (off_t)length && pwrite(file, text, length, 0) == (ssize_t)length;
    return (file < 0 || !close(file)) && written;
}

static json_t *row_json(const fx_fleet_row *row) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:f, s:f, s:i, s:i}", "name", row->name,
                     "host", row->host, "device", row->device, "job", row->job, "state", words[row->state], "reason",
                     row->reason, "archive", row->archive, "asked", row->asked, "rank", row->rank, "size", row->size,
                     "elapsed_s", row->elapsed_s, "limit_s", row->limit_s, "met", row->met, "cases", row->cases);
}

fx_status fx_fleet_row_write(const char *folder, const fx_fleet_row *row, fx_error *err) {
    char path[PATH_MAX], ranks[PATH_MAX];
    fx_output *output = NULL;
    FX_TRY(path_of(folder, row->name, path, err));
    (void)snprintf(ranks, sizeof ranks, "%.*s", (int)(strrchr(path, '/') - path), path);
    if (mkdir(ranks, 0777) && errno != EEXIST) {
        return fx_fail_io(err, "make", ranks, errno);
    }
    json_t *json = row_json(row);
    char *text = json ? padded(json) : NULL;
    json_decref(json);
    FX_FAIL_IF(!text, err, FX_BAD_INPUT, "the row of rank %d can't be written as JSON: a name in it is not UTF-8",
               row->rank);
    fx_status status = fx_output_open(path, &output, err);
    if (status == FX_OK) {
        fputs(text, fx_output_stream(output));
        status = fx_output_commit(output, err);
    }
    if (status != FX_OK && write_over(path, text)) {
        status = FX_OK;
    }
    free(text);
    return status;
}

void fx_fleet_row_touch(const char *folder, const fx_fleet_row *row) {
    fx_error err = {0};
    char path[PATH_MAX];
    if (!path_of(folder, row->name, path, &err)) {
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    }
}

/* Read the file system's clock: the time stamp of a file that is created now. */
static time_t clock_of(const char *folder) {
    char path[PATH_MAX];
    struct stat about = {0};
    if (snprintf(path, sizeof path, "%s/ranks/.clock.XXXXXX", folder) >= (int)sizeof path) {
        return time(NULL);
    }
    const int file = mkstemp(path);
    if (file < 0) {
        return time(NULL); /* a folder that can only be read */
    }
    const bool known = !fstat(file, &about);
    (void)close(file);
    (void)unlink(path);
    return known ? about.st_mtime : time(NULL);
}

static void take_text(const json_t *object, const char *key, char *text, size_t size) {
    const char *value = json_string_value(json_object_get(object, key));
    (void)snprintf(text, size, "%s", value ? value : "");
}

static int take_number(const json_t *object, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > INT_MAX || value < INT_MIN ? 0 : (int)value;
}

static fx_status parse(const char *path, const char *name, time_t now, fx_fleet_row *out, fx_error *err) {
    struct stat about;
    json_error_t problem;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || fstat(file, &about)) {
        const int code = errno;
        (void)(file >= 0 && close(file));
        return fx_fail_io(err, "read", path, code);
    }
    const bool usual = S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES;
    json_t *json = usual ? json_loadfd(file, JSON_REJECT_DUPLICATES, &problem) : NULL;
    (void)close(file);
    const char *word = json_string_value(json_object_get(json, "state"));
    size_t state = 0;
    while (word && state < FX_ROW_LOST && strcmp(words[state], word) != 0) {
        state++;
    }
    if (!word || state == FX_ROW_LOST) {
        json_decref(json);
        return fx_fail(err, FX_BAD_INPUT, "%s is not a row of a fleet run; move it elsewhere", path);
    }
    *out = (fx_fleet_row){.state = (fx_fleet_row_state)state};
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    take_text(json, "host", out->host, sizeof out->host);
    take_text(json, "device", out->device, sizeof out->device);
    take_text(json, "job", out->job, sizeof out->job);
    take_text(json, "reason", out->reason, sizeof out->reason);
    take_text(json, "archive", out->archive, sizeof out->archive);
    take_text(json, "asked", out->asked, sizeof out->asked);
    out->rank = take_number(json, "rank");
    out->size = take_number(json, "size");
    out->met = take_number(json, "met");
    out->cases = take_number(json, "cases");
    out->elapsed_s = json_number_value(json_object_get(json, "elapsed_s"));
    out->limit_s = json_number_value(json_object_get(json, "limit_s"));
    out->age_s = difftime(now, about.st_mtime);
    json_decref(json);
    /* One that was touched later than now, by a clock that has been set back since, is touched no more either. */
    if (out->state == FX_ROW_MEASURING && fabs(out->age_s) > FX_ROW_LOST_S) {
        out->state = FX_ROW_LOST;
        (void)snprintf(out->reason, sizeof out->reason,
                       "no sign of life from this rank for %.0f s: it was killed, or its node is down",
                       fabs(out->age_s));
    }
    return FX_OK;
}

fx_status fx_fleet_row_read(const char *folder, const char *name, fx_fleet_row *out, bool *found, fx_error *err) {
    char path[PATH_MAX];
    *found = false;
    FX_TRY(path_of(folder, name, path, err));
    if (access(path, F_OK)) {
        return FX_OK;
    }
    *found = true;
    return parse(path, name, clock_of(folder), out, err);
}

static int by_rank(const void *a, const void *b) {
    const fx_fleet_row *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : strcmp(x->name, y->name);
}

/* Ranks of this start that have no row. */
static size_t add_absent(fx_fleet_row *rows, size_t count, const char *job, int size) {
    size_t all = count;
    for (int rank = 0, at = 0; rank < size; rank++) {
        while ((size_t)at < count && rows[at].rank < rank) {
            at++;
        }
        if ((size_t)at == count || rows[at].rank != rank) {
            fx_fleet_row *row = &rows[all++];
            *row = (fx_fleet_row){.rank = rank, .size = size, .state = FX_ROW_ABSENT};
            (void)snprintf(row->name, sizeof row->name, "?");
            (void)snprintf(row->job, sizeof row->job, "%s", job);
            (void)snprintf(row->reason, sizeof row->reason, "this rank has not started");
        }
    }
    return all;
}

fx_status fx_rows_read(const char *folder, const char *job, int size, fx_fleet_row **rows, size_t *count,
                       fx_error *err) {
    char path[PATH_MAX];
    struct dirent **names = NULL;
    *rows = NULL;
    *count = 0;
    FX_FAIL_IF(snprintf(path, sizeof path, "%s/ranks", folder) >= (int)sizeof path, err, FX_BAD_INPUT,
               "the path %.100s... is too long; choose a shorter one", folder);
    const int found = scandir(path, &names, NULL, alphasort);
    if (found < 0) {
        return errno == ENOENT ? fx_fail(err, FX_BAD_INPUT,
                                         "%s holds no fleet run; `gpufx fleet run --out %s` starts one", folder, folder)
                               : fx_fail_io(err, "read", path, errno);
    }
    const time_t now = clock_of(folder);
    *rows = calloc((size_t)found + (size_t)(job ? size : 0) + 1, sizeof **rows);
    for (int i = 0; i < found; i++) {
        const char *name = names[i]->d_name;
        const size_t length = strlen(name);
        fx_fleet_row *row = *rows ? *rows + *count : NULL;
        if (row && name[0] != '.' && length > 5 && length < sizeof row->name && !strcmp(name + length - 5, ".json")) {
            char file[PATH_MAX], stem[sizeof row->name];
            (void)snprintf(stem, sizeof stem, "%.*s", (int)(length - 5), name);
            fx_error problem = {0};
            if (path_of(folder, stem, file, &problem) || parse(file, stem, now, row, &problem)) {
                fx_warn("%s", problem.text);
            } else if (!job || !strcmp(row->job, job)) {
                ++*count;
            }
        }
        free(names[i]);
    }
    free(names);
    FX_FAIL_IF(!*rows, err, FX_NO_MEMORY, "out of memory while reading the rows of a fleet run");
    qsort(*rows, *count, sizeof **rows, by_rank);
    if (job) {
        *count = add_absent(*rows, *count, job, size);
        qsort(*rows, *count, sizeof **rows, by_rank);
    }
    return FX_OK;
}

static void print_json(FILE *to, const fx_fleet_row *rows, size_t count) {
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(all, row_json(&rows[i]));
    }
    (void)fx_text_print_json(to, all, 2);
    fputc('\n', to);
    json_decref(all);
}

size_t fx_rows_print(FILE *to, const fx_fleet_row *rows, size_t count, bool as_json) {
    size_t of[FX_ROW_ABSENT + 1] = {0};
    char line[1024];
    for (size_t i = 0; i < count; i++) {
        of[rows[i].state]++;
    }
    if (as_json) {
        print_json(to, rows, count);
        return count - of[FX_ROW_DONE];
    }
    int at = snprintf(line, sizeof line, "%zu of %zu GPU%s done", of[FX_ROW_DONE], count, count == 1 ? "" : "s");
    for (size_t state = 0; state <= FX_ROW_ABSENT; state++) {
        if (of[state] && state != FX_ROW_DONE) {
            at += snprintf(line + at, sizeof line - (size_t)at, ", %zu %s", of[state], words[state]);
        }
    }
    fx_print_text(to, fx_columns(), 4, line);
    for (size_t i = 0; i < count; i++) {
        const fx_fleet_row *row = &rows[i];
        if (row->state != FX_ROW_DONE) {
            fx_print_wrapped(to, 4, "  rank %d, %s: %s%s%s", row->rank, row->name, words[row->state],
                             row->reason[0] ? ": " : "", row->reason);
        } else if (row->met < row->cases) {
            fx_print_wrapped(to, 4, "  rank %d, %s: done, but alone from case %d of %d on", row->rank, row->name,
                             row->met + 1, row->cases);
        }
    }
    return count - of[FX_ROW_DONE];
}
