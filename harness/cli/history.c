/* The nearest archive: what a new one is compared with. Archives sort by name, since a name begins with its UTC time;
 * within one second the file that was written to last is the later one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/archive.h"
#include "places.h"

enum { UTC_LENGTH = 16 }; /* of "20261120T131956Z" */

/* What the new archive asks of one that it is compared with, and what of it has been found. */
typedef struct likeness {
    bool quick;
    json_t *wanted; /* the probes, as keys */
    json_t *found;  /* NULL while the new archive itself is read */
} likeness;

/* Ends the reading as soon as the answer is known: FX_INTERRUPTED for yes, FX_UNSUPPORTED for no. */
static fx_status look(void *context, const json_t *object, size_t number, fx_error *err) {
    likeness *like = context;
    const char *type = json_string_value(json_object_get(object, "type"));
    const char *probe = json_string_value(json_object_get(object, "probe"));
    bool quick = json_is_true(json_object_get(object, "quick"));
    (void)err;
    if (number == 1 && like->found && json_is_true(json_object_get(object, "profiled"))) {
        return FX_UNSUPPORTED;
    }
    if (number == 1 && !like->found) {
        like->quick = quick;
    } else if (number == 1 && quick != like->quick) {
        return FX_UNSUPPORTED;
    }
    if (type && probe && !strcmp(type, "case")) {
        if (!like->found) {
            (void)json_object_set_new(like->wanted, probe, json_true());
        } else if (json_object_get(like->wanted, probe)) {
            (void)json_object_set_new(like->found, probe, json_true());
        }
    }
    return like->found && json_object_size(like->found) == json_object_size(like->wanted) ? FX_INTERRUPTED : FX_OK;
}

static bool alike(const char *path, likeness *like) {
    fx_error ignored = {0};
    like->found = json_object();
    bool yes = like->found && fx_archive_read(path, look, like, NULL, &ignored) == FX_INTERRUPTED;
    json_decref(like->found);
    like->found = NULL;
    return yes;
}

/* True if the archive `path` is later than `best`, which may be none (""). */
static bool is_later(const char *path, const char *best) {
    struct stat mine, other;
    if (!*best) {
        return true;
    }
    const char *name = strrchr(path, '/') + 1, *best_name = strrchr(best, '/') + 1;
    int order = strncmp(name, best_name, UTC_LENGTH);
    if (!order && !stat(path, &mine) && !stat(best, &other)) {
        order = (mine.st_mtim.tv_sec > other.st_mtim.tv_sec) - (mine.st_mtim.tv_sec < other.st_mtim.tv_sec);
        if (!order) {
            order = (mine.st_mtim.tv_nsec > other.st_mtim.tv_nsec) - (mine.st_mtim.tv_nsec < other.st_mtim.tv_nsec);
        }
    }
    return order ? order > 0 : strcmp(name, best_name) > 0;
}

/* True if the last line of the file is an `end` line that says complete. Only the file's end is read: an archive of
 * all samples is long. */
static bool complete(const char *path) {
    char tail[4096];
    bool yes = false;
    struct stat info;
    if (stat(path, &info) || !S_ISREG(info.st_mode)) { /* a FIFO would keep us waiting */
        return false;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof tail - 1 ? size - (off_t)sizeof tail + 1 : 0;
    ssize_t got = size > 0 ? pread(fd, tail, sizeof tail - 1, from) : 0;
    (void)close(fd);
    if (got < 2 || tail[got - 1] != '\n') {
        return false;
    }
    tail[got - 1] = '\0';
    const char *line = strrchr(tail, '\n');
    json_t *end = json_loads(line ? line + 1 : tail, 0, NULL);
    const char *type = json_string_value(json_object_get(end, "type"));
    yes = type && !strcmp(type, "end") && json_is_true(json_object_get(end, "complete"));
    json_decref(end);
    return yes;
}

static int is_archive(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 6 && !strcmp(entry->d_name + length - 6, ".jsonl");
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* Takes the latest fitting archive of `folder` into `path` if it is later than the one there. */
static void consider(const char *folder, const char *self, likeness *like, char path[PATH_MAX]) {
    struct dirent **files;
    int count = scandir(folder, &files, is_archive, alphasort);
    for (int i = count - 1; i >= 0; i--) {
        char candidate[PATH_MAX];
        if (snprintf(candidate, PATH_MAX, "%s/%s", folder, files[i]->d_name) < PATH_MAX && strcmp(candidate, self) &&
            is_later(candidate, path) && complete(candidate) && alike(candidate, like)) {
            memcpy(path, candidate, PATH_MAX);
        }
        free(files[i]);
    }
    if (count >= 0) {
        free(files);
    }
}

/* Considers results/<arch>/<slug>/ for every arch and slug; NULL stands for any. */
static void search(const char *results, const char *arch, const char *slug, const char *self, likeness *like,
                   char path[PATH_MAX]) {
    struct dirent **arches;
    int arch_count = scandir(results, &arches, is_visible, alphasort);
    for (int a = 0; a < arch_count; a++) {
        char folder[PATH_MAX];
        struct dirent **slugs;
        int slug_count = -1;
        if ((!arch || !strcmp(arch, arches[a]->d_name)) &&
            snprintf(folder, sizeof folder, "%s/%s", results, arches[a]->d_name) < PATH_MAX) {
            slug_count = scandir(folder, &slugs, is_visible, alphasort);
        }
        for (int s = 0; s < slug_count; s++) {
            char inner[PATH_MAX];
            if ((!slug || !strcmp(slug, slugs[s]->d_name)) &&
                snprintf(inner, sizeof inner, "%s/%s", folder, slugs[s]->d_name) < PATH_MAX) {
                consider(inner, self, like, path);
            }
            free(slugs[s]);
        }
        if (slug_count >= 0) {
            free(slugs);
        }
        free(arches[a]);
    }
    if (arch_count >= 0) {
        free(arches);
    }
}

bool fx_nearest_archive(const char *root, const char *self, const char *slug, const char *arch, char path[PATH_MAX]) {
    char results[PATH_MAX], real_self[PATH_MAX] = "";
    likeness like = {.wanted = json_object()};
    fx_error ignored = {0};
    path[0] = '\0';
    if (!like.wanted || snprintf(results, sizeof results, "%s/results", root) >= PATH_MAX ||
        !realpath(self, real_self) || fx_archive_read(self, look, &like, NULL, &ignored)) {
        goto cleanup;
    }
    const char *ways[3][2] = {{NULL, slug}, {arch, NULL}, {NULL, NULL}};
    for (int way = 0; way < 3 && !path[0]; way++) {
        search(results, ways[way][0], ways[way][1], real_self, &like, path);
    }
cleanup:
    json_decref(like.wanted);
    return path[0] != '\0';
}

bool fx_latest_archive(const char *root, const char *slug, const char *arch, const char *probe, char path[PATH_MAX]) {
    char results[PATH_MAX];
    likeness like = {.wanted = json_pack("{sb}", probe, 1)};
    path[0] = '\0';
    if (like.wanted && snprintf(results, sizeof results, "%s/results", root) < PATH_MAX) {
        if (slug) {
            search(results, arch, slug, "", &like, path);
        }
        if (!path[0]) {
            search(results, arch, NULL, "", &like, path);
        }
    }
    json_decref(like.wanted);
    return path[0] != '\0';
}
