/* What a person types, and the archive that it means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/nearest.h"
#include "core/probe.h"
#include "history.h"

enum { LEAST_ID = 4, MOST_KNOWN = 64 };

/* results/ and out/, newest first in each. */
typedef struct collection {
    fx_history *history[2];
    const fx_past **past; /* those that can be named, newest first */
    size_t count;
} collection;

static int newest_first(const void *a, const void *b) {
    return fx_past_order(*(const fx_past *const *)a, *(const fx_past *const *)b);
}

static fx_status collect(const char *root, collection *all, fx_error *err) {
    static const char *const folders[] = {"results", "out"};
    size_t most = 1;
    for (size_t f = 0; f < FX_COUNT(folders); f++) {
        char path[PATH_MAX];
        if (snprintf(path, sizeof path, "%s/%s", root, folders[f]) >= PATH_MAX ||
            fx_history_open(path, &all->history[f], err)) {
            return err->status;
        }
        most += fx_history_count(all->history[f]);
    }
    all->past = calloc(most, sizeof *all->past);
    if (!all->past) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while looking for an archive");
    }
    for (size_t f = 0; f < FX_COUNT(folders); f++) {
        for (size_t i = 0; i < fx_history_count(all->history[f]); i++) {
            const fx_past *past = fx_history_at(all->history[f], i);
            if (!past->profiled) {
                all->past[all->count++] = past;
            }
        }
    }
    qsort(all->past, all->count, sizeof *all->past, newest_first);
    return FX_OK;
}

static void drop(collection *all) {
    fx_history_close(all->history[0]);
    fx_history_close(all->history[1]);
    free(all->past);
}

/* From the surest meaning of a word to the loosest. */
enum { WHOLE, PART, BEGINNING, MEANINGS };

static bool means(const fx_past *past, const char *word, int meaning) {
    if (!strcmp(word, "latest")) {
        return true;
    }
    switch (meaning) {
    case WHOLE:
        return !strcasecmp(word, past->arch) || !strcasecmp(word, past->slug) || !strcasecmp(word, past->id);
    case PART:
        return strcasestr(past->slug, word) != NULL;
    default:
        return strlen(word) >= LEAST_ID && !strncasecmp(word, past->id, strlen(word));
    }
}

/* Those that the word means, in order, into `found`; returns how many. Who names a device means the device, and its
 * synthetic likeness only where nothing was measured. */
static size_t find(const collection *all, const char *word, const fx_past **found) {
    size_t count = 0;
    for (int meaning = 0; meaning < MEANINGS && !count; meaning++) {
        for (int invented = 0; invented < 2 && !count; invented++) {
            for (size_t i = 0; i < all->count; i++) {
                const bool counts = !strcmp(word, "latest") || all->past[i]->synthetic == invented;
                if (counts && means(all->past[i], word, meaning)) {
                    found[count++] = all->past[i];
                }
            }
        }
    }
    return count;
}

static void add_known(const char **known, size_t *count, const char *word) {
    for (size_t i = 0; i < *count; i++) {
        if (!strcmp(known[i], word)) {
            return;
        }
    }
    if (*count < MOST_KNOWN && *word) {
        known[(*count)++] = word;
    }
}

static fx_status unknown(const collection *all, const char *word, fx_error *err) {
    const char *known[MOST_KNOWN];
    char list[256];
    size_t count = 0;
    add_known(known, &count, "latest");
    for (size_t i = 0; i < all->count; i++) {
        add_known(known, &count, all->past[i]->slug);
        add_known(known, &count, all->past[i]->arch);
        add_known(known, &count, all->past[i]->id);
    }
    return fx_fail(err, FX_BAD_INPUT, "no archive is called '%.60s'; there are %s", word,
                   fx_nearest_list(word, known, count, list, sizeof list));
}

static fx_status by_name(const collection *all, const char *name, char path[PATH_MAX], fx_error *err) {
    const char *tilde = strrchr(name, '~');
    char *end = NULL;
    const long back = tilde && tilde[1] ? strtol(tilde + 1, &end, 10) : 0;
    const bool counted = tilde && tilde[1] && !*end && back >= 0 && tilde[1] != '-' && tilde[1] != '+';
    char word[256];
    (void)snprintf(word, sizeof word, "%.*s", counted ? (int)(tilde - name) : (int)sizeof word - 1, name);
    const fx_past **found = calloc(all->count + 1, sizeof *found);
    if (!found) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while looking for an archive");
    }
    const size_t count = find(all, word, found), index = counted ? (size_t)back : 0;
    fx_status status = FX_OK;
    if (!all->count) {
        status = fx_fail(err, FX_BAD_INPUT,
                         "'%.60s': there is no archive under results/ or out/ yet; run `gpufx "
                         "characterize` first",
                         name);
    } else if (!count) {
        status = unknown(all, word, err);
    } else if (index >= count) {
        status = fx_fail(err, FX_BAD_INPUT, "'%.60s': of that name there %s only %zu", name, count == 1 ? "is" : "are",
                         count);
    } else {
        (void)snprintf(path, PATH_MAX, "%s", found[index]->path);
    }
    free(found);
    return status;
}

static fx_status newest_in(const char *folder, char path[PATH_MAX], fx_error *err) {
    fx_history *history = NULL;
    if (fx_history_open(folder, &history, err)) {
        return err->status;
    }
    size_t i = 0;
    while (i < fx_history_count(history) && fx_history_at(history, i)->profiled) {
        i++;
    }
    const bool any = i < fx_history_count(history);
    if (any) {
        (void)snprintf(path, PATH_MAX, "%s", fx_history_at(history, i)->path);
    }
    fx_history_close(history);
    return any ? FX_OK : fx_fail(err, FX_BAD_INPUT, "'%.200s': there is no archive in this folder", folder);
}

fx_status fx_archive_named(const char *root, const char *name, char path[PATH_MAX], fx_error *err) {
    struct stat info;
    const size_t length = strlen(name);
    if (length >= PATH_MAX) {
        return fx_fail(err, FX_BAD_INPUT, "the name of an archive is too long: '%.60s...'", name);
    }
    if (!stat(name, &info)) {
        (void)snprintf(path, PATH_MAX, "%s", name);
        return S_ISDIR(info.st_mode) ? newest_in(name, path, err) : FX_OK;
    }
    if (strchr(name, '/') || (length > 6 && !strcmp(name + length - 6, ".jsonl")) ||
        (length > 3 && !strcmp(name + length - 3, ".gz"))) {
        return fx_fail(err, FX_BAD_INPUT, "'%.200s': there is no such file or folder", name);
    }
    collection all = {0};
    fx_status status = collect(root, &all, err);
    if (!status) {
        status = by_name(&all, name, path, err);
    }
    drop(&all);
    return status;
}
