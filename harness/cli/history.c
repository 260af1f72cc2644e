/* The nearest archive: what a new one is compared with. Archives sort by name, since a name begins with its UTC time.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "places.h"

/* True if the last line of the file is an `end` line that says complete. Only the file's end is read: an archive of
 * all samples is long. */
static bool complete(const char *path) {
    char tail[4096];
    bool yes = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    off_t size = lseek(fd, 0, SEEK_END);
    off_t from = size > (off_t)sizeof tail - 1 ? size - (off_t)sizeof tail + 1 : 0;
    ssize_t got = size > 0 ? pread(fd, tail, sizeof tail - 1, from) : 0;
    (void)close(fd);
    if (got < 2 || tail[got - 1] != '\n')
        return false;
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

/* Takes the latest complete archive of `folder` into `path` if it is later than the one there. */
static void consider(const char *folder, const char *self, char path[PATH_MAX]) {
    struct dirent **files;
    int count = scandir(folder, &files, is_archive, alphasort);
    bool found = false;
    for (int i = count - 1; i >= 0; i--) {
        char candidate[PATH_MAX];
        const char *best = strrchr(path, '/');
        bool later = !best || strcmp(files[i]->d_name, best + 1) > 0;
        if (!found && later && snprintf(candidate, PATH_MAX, "%s/%s", folder, files[i]->d_name) < PATH_MAX &&
            strcmp(candidate, self) && complete(candidate)) {
            memcpy(path, candidate, PATH_MAX);
            found = true;
        }
        free(files[i]);
    }
    if (count >= 0)
        free(files);
}

/* Considers results/<arch>/<slug>/ for every arch and slug; NULL stands for any. */
static void search(const char *results, const char *arch, const char *slug, const char *self, char path[PATH_MAX]) {
    struct dirent **arches;
    int arch_count = scandir(results, &arches, is_visible, alphasort);
    for (int a = 0; a < arch_count; a++) {
        char folder[PATH_MAX];
        struct dirent **slugs;
        int slug_count = -1;
        if ((!arch || !strcmp(arch, arches[a]->d_name)) &&
            snprintf(folder, sizeof folder, "%s/%s", results, arches[a]->d_name) < PATH_MAX)
            slug_count = scandir(folder, &slugs, is_visible, alphasort);
        for (int s = 0; s < slug_count; s++) {
            char inner[PATH_MAX];
            if ((!slug || !strcmp(slug, slugs[s]->d_name)) &&
                snprintf(inner, sizeof inner, "%s/%s", folder, slugs[s]->d_name) < PATH_MAX)
                consider(inner, self, path);
            free(slugs[s]);
        }
        if (slug_count >= 0)
            free(slugs);
        free(arches[a]);
    }
    if (arch_count >= 0)
        free(arches);
}

bool fx_nearest_archive(const char *root, const char *self, const char *slug, const char *arch, char path[PATH_MAX]) {
    char results[PATH_MAX], real_self[PATH_MAX] = "";
    path[0] = '\0';
    if (snprintf(results, sizeof results, "%s/results", root) >= PATH_MAX || !realpath(self, real_self))
        return false;
    const char *ways[3][2] = {{NULL, slug}, {arch, NULL}, {NULL, NULL}};
    for (int way = 0; way < 3 && !path[0]; way++)
        search(results, ways[way][0], ways[way][1], real_self, path);
    return path[0] != '\0';
}
