/* First lines of all archives of a folder, and their order. */
#include "archive_folder.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "call/places.h"
#include "core/text.h"
#include "fit_lines.h"

enum { DEEPEST = 5, MOST_LOOKED = 50000 }; /* folders below the first, ARCH/DEVICE being two; names looked at */

static bool has_argument(const json_t *run, const char *wanted) {
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(run, "arguments"), i, one) {
        if (json_is_string(one) && !strcmp(json_string_value(one), wanted)) {
            return true;
        }
    }
    return false;
}

/* Adds what is an archive. */
static void add(fx_archives *history, const char *path, const struct stat *info) {
    fx_error ignored = {0};
    json_t *run = NULL;
    if (fx_archive_head(path, &run, &ignored) != FX_OK) {
        return;
    }
    fx_grow(&history->past, history->count, sizeof *history->past);
    const json_t *device = json_object_get(run, "device");
    fx_archive_entry *past = &history->past[history->count++];
    *past = (fx_archive_entry){.path = fx_given(strdup(path)),
                               .written = info->st_mtim,
                               .id = fx_json_text(run, "id"),
                               .device = fx_json_text(device, "name"),
                               .slug = fx_json_text(device, "slug"),
                               .arch = fx_json_text(device, "arch"),
                               .quick = json_is_true(json_object_get(run, "quick")),
                               .profiled = json_is_true(json_object_get(run, "profiled")),
                               .synthetic = !strcmp(fx_json_text(run, "provenance"), "synthetic"),
                               .listed = has_argument(run, "--only"),
                               .run = run,
                               .complete = -1};
    (void)snprintf(past->utc, sizeof past->utc, "%s", fx_json_text(run, "started_utc"));
    past->dated = strcmp(past->utc, history->tomorrow) <= 0;
}

/* Links to folders are not followed: they may lead in a circle. The names are those of NOT_THEIRS in file.py. */
static bool is_folder(const char *path, const char *name) {
    struct stat info;
    return !lstat(path, &info) && S_ISDIR(info.st_mode) && strcmp(name, "kept") != 0 &&
           strcmp(name, "published") != 0 && strcmp(name, "schema") != 0;
}

static fx_status walk(fx_archives *history, const char *folder, int depth, fx_error *err) {
    fx_status status = FX_OK;
    DIR *directory = opendir(folder);
    if (!directory) {
        return FX_OK;
    }
    for (const struct dirent *entry = readdir(directory); entry && !status; entry = readdir(directory)) {
        char path[PATH_MAX];
        struct stat info;
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_MAX) {
            continue;
        }
        if (++history->looked > MOST_LOOKED) {
            status = fx_fail(err, FX_BAD_INPUT, "more than %d files in '%.200s'; name the folder of the archive",
                             MOST_LOOKED, folder);
        } else if (is_folder(path, entry->d_name)) {
            status = depth > 0 ? walk(history, path, depth - 1, err) : FX_OK;
        } else if ((fx_ends_in(path, ".jsonl") || fx_ends_in(path, ".jsonl.gz")) && !stat(path, &info) &&
                   S_ISREG(info.st_mode)) {
            add(history, path, &info); /* a FIFO would keep us waiting */
        }
    }
    (void)closedir(directory);
    return status;
}

static int compare(long left, long right) {
    return (left > right) - (left < right);
}

static int newest_first(const void *a, const void *b) {
    const fx_archive_entry *left = a, *right = b;
    int order = right->dated - left->dated;
    order = order ? order : strcmp(right->utc, left->utc);
    order = order ? order : compare(right->written.tv_sec, left->written.tv_sec);
    order = order ? order : compare(right->written.tv_nsec, left->written.tv_nsec);
    return order ? order : strcmp(right->path, left->path);
}

static void drop(fx_archive_entry *past) {
    json_decref(past->run);
    free(past->path);
}

/* Length of the file's name without ".gz". */
static size_t stem(const fx_archive_entry *past, const char **name) {
    const char *slash = strrchr(past->path, '/');
    *name = slash ? slash + 1 : past->path;
    return strlen(*name) - (fx_ends_in(*name, ".gz") ? strlen(".gz") : 0);
}

static bool is_copy(const fx_archive_entry *a, const fx_archive_entry *b) {
    const char *left, *right;
    const size_t length = stem(a, &left);
    return length == stem(b, &right) && !strncmp(left, right, length) && !strcmp(a->id, b->id) &&
           !strcmp(a->utc, b->utc) && !strcmp(a->slug, b->slug);
}

/* While an archive is being compressed, and after a kill at that moment, there are two copies, and who keeps one under
 * results/ may have left it under out/: one is enough. */
static void drop_copies(fx_archives *history) {
    size_t kept = 0;
    for (size_t i = 0; i < history->count; i++) {
        bool copy = false;
        for (size_t k = kept; k > 0 && !copy && !strcmp(history->past[k - 1].utc, history->past[i].utc); k--) {
            copy = is_copy(&history->past[k - 1], &history->past[i]);
        }
        if (copy) {
            drop(&history->past[i]);
        } else {
            history->past[kept++] = history->past[i];
        }
    }
    history->count = kept;
}

/* A folder, or an archive, that somebody named. */
static fx_status add_place(fx_archives *history, const char *place, fx_error *err) {
    struct stat info;
    FX_FAIL_IF(stat(place, &info), err, FX_BAD_INPUT, "%.200s: %s", place,
               errno == ENOENT || errno == ENOTDIR ? "no such file or folder" : strerror(errno));
    if (S_ISDIR(info.st_mode)) {
        return access(place, R_OK | X_OK)
                   ? fx_fail(err, FX_BAD_INPUT, "%.200s: can't be read: %s", place, strerror(errno))
                   : walk(history, place, DEEPEST, err);
    }
    const size_t before = history->count;
    if (S_ISREG(info.st_mode)) {
        add(history, place, &info);
    }
    FX_FAIL_IF(history->count == before, err, FX_BAD_INPUT,
               "%.200s: this is not a gpufx archive; name archives, or a folder that has some", place);
    return FX_OK;
}

fx_status fx_archives_of_places(const char *const *places, size_t count, bool named, fx_archives **out, fx_error *err) {
    FX_OWNED(fx_archives_close_at) fx_archives *history = fx_new(1, sizeof *history);
    const time_t tomorrow = time(NULL) + 24 * 60 * 60;
    struct tm utc;
    (void)strftime(history->tomorrow, sizeof history->tomorrow, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&tomorrow, &utc));
    for (size_t i = 0; i < count; i++) {
        FX_TRY(named ? add_place(history, places[i], err) : walk(history, places[i], DEEPEST, err));
    }
    if (history->count) {
        qsort(history->past, history->count, sizeof *history->past, newest_first);
        drop_copies(history);
    }
    *out = history;
    history = NULL; /* handed over */
    return FX_OK;
}

/* Mark those whose file, wherever it lies, is named as the reference of its chip. */
static void mark_references(fx_archives *history, const char *results) {
    char file[PATH_MAX];
    (void)snprintf(file, sizeof file, "%.*s/reference.json", (int)sizeof file - 32, results);
    json_auto_t *named = json_load_file(file, 0, NULL);
    json_t *value;
    const char *chip, *name, *other;
    json_object_foreach(named, chip, value) {
        fx_archive_entry reference = {.path = (char *)(uintptr_t)json_string_value(value)};
        const size_t length = reference.path ? stem(&reference, &name) : 0;
        for (size_t i = 0; i < history->count && length; i++) {
            history->past[i].reference |= stem(&history->past[i], &other) == length && !strncmp(name, other, length);
        }
    }
}

fx_status fx_archives_of_project(const char *root, bool kept_only, fx_archives **out, fx_error *err) {
    char came[PATH_MAX], home[PATH_MAX], results[PATH_MAX], other[PATH_MAX];
    FX_TRY(fx_home(root, home, err));
    FX_FAIL_IF(snprintf(came, sizeof came, "%s/results", root) >= PATH_MAX ||
                   snprintf(results, sizeof results, "%s/results", home) >= PATH_MAX ||
                   snprintf(other, sizeof other, "%s/out", home) >= PATH_MAX,
               err, FX_BAD_INPUT, "the path %.100s... is too long; choose a shorter one", home);
    /* Those that came with the program, of an installed one, and the user's own. */
    const char *const folders[] = {came, results, other};
    const size_t first = strcmp(came, results) ? 0 : 1;
    FX_TRY(fx_archives_of_places(folders + first, (kept_only ? 2 : 3) - first, false, out, err));
    mark_references(*out, came);
    return FX_OK;
}

void fx_archives_close(fx_archives *history) {
    for (size_t i = 0; history && i < history->count; i++) {
        drop(&history->past[i]);
    }
    if (history) {
        free(history->past);
        free(history);
    }
}

bool fx_archive_entry_complete(fx_archive_entry *past) {
    if (past->complete < 0) {
        const fx_predictor *read;
        past->complete = fx_predictor_open(past->path, &read, NULL) == FX_OK && !read->incomplete;
    }
    return past->complete;
}

bool fx_archive_entry_has(const fx_archive_entry *past, const char *probe) {
    return json_object_get(json_object_get(past->run, "probes"), probe) != NULL;
}

static bool is_near(const fx_archive_entry *past, const fx_archive_query *wish, fx_archive_match reach) {
    const bool device = wish->slug && !strcmp(past->slug, wish->slug);
    const bool arch = wish->arch && !strcmp(past->arch, wish->arch);
    const fx_archive_match found = device ? FX_SAME_DEVICE : arch ? FX_SAME_ARCH : FX_ANY_DEVICE;
    return found == reach;
}

static bool fits(const fx_archive_entry *past, const fx_archive_query *wish, fx_archive_match reach, bool quick) {
    const char *probe;
    json_t *ignored;
    char real[PATH_MAX];
    if (past->profiled || past->synthetic || past->quick != quick || !is_near(past, wish, reach)) {
        return false;
    }
    if (wish->except && realpath(past->path, real) && !strcmp(real, wish->except)) {
        return false;
    }
    json_object_foreach((json_t *)(uintptr_t)wish->probes, probe, ignored) {
        if (!fx_archive_entry_has(past, probe)) {
            return false;
        }
    }
    return true;
}

/* *at counts through (reach, complete or not, of another device a reference or not, --quick or not, archive), the last
 * fastest. */
fx_archive_entry *fx_archives_next(const fx_archives *history, const fx_archive_query *wish, size_t *at,
                                   fx_archive_match *reach) {
    const size_t kinds = wish->quick ? 2 : 1;
    while (history->count && *at < 4 * kinds * history->count * ((size_t)wish->farthest + 1)) {
        const size_t i = *at % history->count, rank = *at / history->count;
        fx_archive_entry *past = &history->past[i];
        ++*at;
        *reach = (fx_archive_match)(rank / kinds / 4);
        const bool complete = rank / kinds / 2 % 2 == 0, quick = wish->quick && rank % kinds == 0,
                   first = rank / kinds % 2 == 0;
        if ((past->reference && *reach > FX_SAME_DEVICE) == first && fits(past, wish, *reach, quick) &&
            fx_archive_entry_complete(past) == complete) {
            return past;
        }
    }
    return NULL;
}

const char *fx_archive_match_words(fx_archive_match reach, const fx_archive_entry *past, const char *uuid, char *text,
                                   size_t size) {
    static const char *const words[] = {"the same model", "the same architecture", "another architecture"};
    const char *other = fx_json_text(json_object_get(past->run, "device"), "uuid");
    const bool cards = reach == FX_SAME_DEVICE && *uuid && *other;
    (void)snprintf(text, size, "%s, %s%s", past->device,
                   !cards                ? words[reach]
                   : strcmp(uuid, other) ? "another card of this model"
                                         : "this card, an earlier run",
                   past->complete ? "" : ", cut off");
    return text;
}

bool fx_nearest_archive(const char *root, const char *self, char path[PATH_MAX], char *words, size_t size,
                        bool *whole) {
    char real[PATH_MAX];
    fx_error ignored = {0};
    FX_OWNED(fx_archives_close_at) fx_archives *history = NULL;
    json_auto_t *run = NULL;
    if (!realpath(self, real) || fx_archive_head(self, &run, &ignored) ||
        fx_archives_of_project(root, true, &history, &ignored)) {
        return false;
    }
    const json_t *device = json_object_get(run, "device");
    const fx_archive_query wish = {.slug = fx_json_text(device, "slug"),
                                   .arch = fx_json_text(device, "arch"),
                                   .farthest = FX_ANY_DEVICE,
                                   .quick = json_is_true(json_object_get(run, "quick")),
                                   .probes = json_object_get(run, "probes"),
                                   .except = real};
    const bool invented = !strcmp(fx_json_text(run, "provenance"), "synthetic");
    size_t at = 0;
    fx_archive_match reach;
    const fx_archive_entry *found;
    do { /* a synthetic device is compared with synthetic ones only */
        found = fx_archives_next(history, &wish, &at, &reach);
    } while (found && invented && strcmp(found->device, fx_json_text(device, "name")) != 0);
    if (found) {
        (void)snprintf(path, PATH_MAX, "%s", found->path);
        (void)fx_archive_match_words(reach, found, fx_json_text(device, "uuid"), words, size);
        *whole = wish.quick && !found->quick;
    }
    return found;
}
