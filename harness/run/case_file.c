/* An expression for --filter that names some hundred cases would be longer than any command line should be. */
#include "case_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 22 }; /* 40 times as many names as there are */

typedef struct entry {
    const char *name; /* borrowed */
    size_t index;
} entry;

static int compare_names(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return strcmp(left->name, right->name);
}

/* The text of an ordinary file; the caller frees it. */
static fx_status read_text(const char *path, char **out, fx_error *err) {
    struct stat info;
    FILE *file = fopen(path, "re");
    FX_FAIL_IF(!file, err, FX_BAD_INPUT, "--only %.200s can't be read: %s", path, strerror(errno));
    if (fstat(fileno(file), &info) || !S_ISREG(info.st_mode) || info.st_size > MOST_BYTES) {
        (void)fclose(file);
        return fx_fail(err, FX_BAD_INPUT, "--only %.200s is not a file of case names, one per line", path);
    }
    const size_t size = (size_t)info.st_size;
    char *text = calloc(size + 1, 1);
    if (!text) {
        (void)fclose(file);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading --only");
    }
    const size_t length = fread(text, 1, size, file);
    text[length] = '\0';
    (void)fclose(file);
    *out = text;
    return FX_OK;
}

/* Sets keep[i] for each case that the text names. */
static fx_status mark(const char *path, char *text, const entry *by_name, size_t count, bool *keep, fx_error *err) {
    char *rest = text;
    size_t named = 0;
    for (size_t line = 1; rest; line++) {
        char *name = strsep(&rest, "\n");
        name[strcspn(name, "\r")] = '\0';
        if (!*name) {
            continue;
        }
        const entry *found = bsearch(&(entry){.name = name}, by_name, count, sizeof *by_name, compare_names);
        FX_FAIL_IF(!found, err, FX_BAD_INPUT,
                   "--only %.200s, line %zu: no selected case is named '%.100s'; `gpufx list --cases` prints the names",
                   path, line, name);
        keep[found->index] = true;
        named++;
    }
    return named ? FX_OK : fx_fail(err, FX_BAD_INPUT, "--only %.200s names no case", path);
}

fx_status fx_case_file_keep(const char *file, fx_case_list *list, fx_error *err) {
    char *text = NULL;
    entry *by_name = calloc(list->count + 1, sizeof *by_name);
    bool *keep = calloc(list->count + 1, sizeof *keep);
    fx_status status = FX_OK;
    if (!by_name || !keep) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while reading --only");
        goto cleanup;
    }
    for (size_t i = 0; i < list->count; i++) {
        by_name[i] = (entry){list->cases[i].name, i};
    }
    qsort(by_name, list->count, sizeof *by_name, compare_names);
    status = read_text(file, &text, err);
    if (status == FX_OK) {
        status = mark(file, text, by_name, list->count, keep, err);
    }
    if (status == FX_OK) {
        fx_case_list_keep(list, keep);
    }
cleanup:
    free(text);
    free(keep);
    free(by_name);
    return status;
}
