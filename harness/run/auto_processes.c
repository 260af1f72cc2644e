/* The parent reads the archive, as everybody can, so that nothing is measured that the archive does not hold. */
#include "auto_processes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "needed_processes.h"

typedef struct entry {
    const char *name; /* borrowed */
    size_t index;
} entry;

typedef struct reading {
    entry *by_name; /* sorted */
    size_t count;
    fx_repeated *repeated; /* in the order of the case list */
    double *took_s;        /* by all processes together */
} reading;

static int compare_names(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static double number_at(const json_t *array, size_t index) {
    const json_t *value = json_array_get(array, index);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A case, or one that was waived or failed: these have no median. */
static fx_status take_line(void *context, const json_t *object, size_t number, fx_error *err) {
    reading *r = context;
    (void)err;
    const char *name = json_string_value(json_object_get(object, "name"));
    const double median = json_number_value(json_object_get(object, "median"));
    const json_t *ends = json_object_get(object, "ci95");
    if (number == 1 || !name || json_object_get(object, "repetition")) {
        return FX_OK;
    }
    const entry *found = bsearch(&(entry){.name = name}, r->by_name, r->count, sizeof *r->by_name, compare_names);
    if (found) {
        r->repeated[found->index].unmet = false;
        if (median > 0) {
            fx_repeated_add(&r->repeated[found->index], median, number_at(ends, 0), number_at(ends, 1));
            r->took_s[found->index] += json_number_value(json_object_get(object, "elapsed_s"));
        }
    }
    return FX_OK;
}

fx_status fx_by_need(const fx_archive *archive, const fx_case_list *cases, double precision, double longest_s, bool all,
                     bool *more, size_t *wanted, fx_error *err) {
    static const char *const types[] = {"case", "waived", "failed"};
    fx_status status = FX_OK;
    reading r = {.by_name = calloc(cases->count + 1, sizeof *r.by_name),
                 .count = cases->count,
                 .repeated = calloc(cases->count + 1, sizeof *r.repeated),
                 .took_s = calloc(cases->count + 1, sizeof *r.took_s)};
    if (!r.by_name || !r.repeated || !r.took_s) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while choosing the cases of the next process");
        goto cleanup;
    }
    for (size_t i = 0, group = 0; i < cases->count; i++) {
        /* Cases of a probe are neighbours in the list. */
        group += i > 0 && cases->cases[i].probe != cases->cases[i - 1].probe;
        r.by_name[i] = (entry){cases->cases[i].name, i};
        r.repeated[i] = (fx_repeated){.group = group, .unmet = all};
    }
    qsort(r.by_name, r.count, sizeof *r.by_name, compare_names);
    for (size_t i = 0; i < FX_COUNT(types) && status == FX_OK; i++) {
        status = fx_archive_read(fx_archive_path(archive), types[i], take_line, &r, NULL, err);
    }
    if (status == FX_OK) {
        status = fx_processes_wanted(r.repeated, r.count, precision, more, wanted, err);
    }
    for (size_t i = 0; status == FX_OK && i < r.count; i++) {
        if (more[i] && r.took_s[i] > longest_s) {
            more[i] = false;
            --*wanted;
        }
    }
cleanup:
    free(r.by_name);
    free(r.took_s);
    free(r.repeated);
    return status;
}

fx_status fx_by_need_hand(const bool *more, size_t count, char **chosen, fx_error *err) {
    if (!(*chosen = calloc(count + 1, 1))) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while choosing the cases of the next process");
    }
    for (size_t i = 0; i < count; i++) {
        (*chosen)[i] = more[i] ? '1' : '0';
    }
    return FX_OK;
}

fx_status fx_by_need_take(const char *chosen, fx_case_list *cases, fx_error *err) {
    bool *keep = calloc(cases->count + 1, sizeof *keep);
    if (!keep) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading the choice of cases");
    }
    const bool same = strlen(chosen) == cases->count;
    for (size_t i = 0; same && i < cases->count; i++) {
        keep[i] = chosen[i] == '1';
    }
    if (same) {
        fx_case_list_keep(cases, keep);
    }
    free(keep);
    return same ? FX_OK
                : fx_fail(err, FX_BAD_INPUT, "the parent of this process chose from %zu cases, and there are %zu",
                          strlen(chosen), cases->count);
}
