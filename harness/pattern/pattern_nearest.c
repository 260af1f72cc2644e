/* One archive for accesses of every kind, where each kind alone might find another one. */
#include <string.h>

#include "archive/archive_folder.h"
#include "pattern.h"

/* The probes that speak of an access with any lane table, as keys. NULL: no memory. */
static json_t *probes_of_accesses(void) {
    size_t count;
    const fx_probe *const *probes = fx_probes(&count);
    json_t *wanted = json_object();
    for (size_t i = 0; i < count; i++) {
        if (probes[i]->access) {
            json_object_set_new(wanted, probes[i]->name, json_true());
        }
    }
    return wanted;
}

bool fx_pattern_nearest(const char *root, const char *slug, const char *arch, char path[PATH_MAX],
                        fx_predictor **kept) {
    fx_archives *history = NULL;
    json_t *wanted = probes_of_accesses();
    const fx_archive_query wish = {
        .slug = *slug ? slug : NULL, .arch = arch, .farthest = FX_SAME_ARCH, .probes = wanted};
    fx_archive_match reach;
    size_t at = 0;
    const fx_archive_entry *past = NULL;
    if (!fx_archives_of_project(root, true, &history, NULL)) {
        past = fx_archives_next(history, &wish, &at, &reach);
    }
    if (past) {
        fx_error ignored = {0};
        (void)snprintf(path, PATH_MAX, "%s", past->path);
        (void)fx_predictor_open(path, kept, NULL, &ignored);
    }
    fx_archives_close(history);
    json_decref(wanted);
    return past != NULL;
}
