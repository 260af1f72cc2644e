/* `fits`: Python shows and judges them. Which archive predicts another where none is named is chosen here: the nearest
 * whose fits may. */
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "archive_folder.h"
#include "call/message.h"
#include "call/parse.h"
#include "call/places.h"
#include "call/python.h"
#include "call/verb.h"
#include "fit_lines.h"

/* True if some fit of the archive for one of these probes may predict. */
static bool speaks_of(const char *path, const json_t *probes) {
    fx_error err = {0};
    fx_predictor *predictor = NULL;
    size_t count = 0;
    if (fx_predictor_open(path, &predictor, NULL, &err)) {
        fx_warn("%s", err.text);
        return false;
    }
    bool any = false;
    const fx_archived_fit *fit = fx_predictor_fits(predictor, &count);
    for (size_t i = 0; i < count && !any; i++) {
        any = fit[i].usable && json_object_get(probes, fit[i].probe);
    }
    fx_predictor_close(predictor);
    return any;
}

/* Adds to the words the nearest archive of the device of --on, else of its architecture, and which of both it is. */
static fx_status name_nearest(fx_options *options, fx_error *err) {
    static const char *const reaches[] = {"device", "architecture"};
    char root[PATH_MAX], real[PATH_MAX];
    fx_archives *history = NULL;
    json_t *run = NULL;
    if (fx_root(root, err) || fx_archive_can_be_read_again(options->on, err) ||
        fx_archive_head(options->on, &run, err)) {
        return err->status;
    }
    const json_t *device = json_object_get(run, "device"), *probes = json_object_get(run, "probes");
    const fx_archive_query wish = {.slug = json_string_value(json_object_get(device, "slug")),
                                   .arch = json_string_value(json_object_get(device, "arch")),
                                   .farthest = FX_SAME_ARCH,
                                   .probes = probes,
                                   .except = realpath(options->on, real)};
    fx_status status = fx_archives_of_project(root, true, &history, err);
    size_t at = 0;
    fx_archive_match reach = FX_ANY_DEVICE;
    const fx_archive_entry *past = NULL;
    while (!status && (past = fx_archives_next(history, &wish, &at, &reach)) && !speaks_of(past->path, probes)) {
    }
    if (!status && !past) {
        status = fx_fail(err, FX_UNSUPPORTED,
                         "no archive of this device or architecture under results/ has fits of these probes; run "
                         "`gpufx characterize` first");
    }
    char *path = past ? strdup(past->path) : NULL;
    if (!status && (!path || fx_text_list_add(&options->owned, path, err))) {
        free(path);
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while looking for an archive");
    }
    if (!status &&
        (fx_text_list_add(&options->words, path, err) || fx_text_list_add(&options->words, reaches[reach], err))) {
        status = err->status;
    }
    fx_archives_close(history);
    json_decref(run);
    return status;
}

int fx_verb_fits(fx_call *call) {
    fx_error err = {0};
    const fx_options *o = &call->options;
    if (!o->words.count && o->on && !o->held_out && !o->cases && name_nearest(&call->options, &err)) {
        return fx_exit_for(&err);
    }
    return fx_python_verb(FX_PLOT_MODULE, call->verb->name, o);
}
