/* `archive list`: the archives of the project, those that a name means, or those of files and folders, by their first
 * lines. What else is done with archives is done in Python. */
#include <limits.h>

#include <jansson.h>

#include "archive_folder.h"
#include "archive_name.h"
#include "call/message.h"
#include "call/places.h"
#include "call/verb.h"
#include "core/probe.h"
#include "core/text.h"

static bool listed(const fx_options *options, const fx_archive_entry *past) {
    return !past->profiled && (!options->probe || fx_archive_entry_has(past, options->probe));
}

/* That were meant. */
static long long processes_of(const fx_archive_entry *past) {
    return json_integer_value(json_object_get(past->run, "processes"));
}

static json_t *archive_json(const fx_archive_entry *past) {
    return json_pack("{ss ss ss ss sO ss sI sb sb}", "path", past->path, "id", past->id, "started_utc", past->utc,
                     "provenance", past->synthetic ? "synthetic" : "measured", "device",
                     json_object_get(past->run, "device"), "driver",
                     fx_json_text(json_object_get(past->run, "driver"), "version"), "processes",
                     (json_int_t)processes_of(past), "quick", past->quick, "reference", past->reference);
}

/* Without seconds, so that all but the path fit into 80 columns. */
static void print_archive(const char *root, const fx_archive_entry *past) {
    const bool whole = strlen(past->utc) == sizeof "2026-11-20T19:05:33Z" - 1;
    char started[32];
    (void)snprintf(started, sizeof started, whole ? "%.16sZ" : "%s", past->utc);
    fx_print_wrapped(stdout, 4, "%-17s  %-8s  %-24s  %-6s %-10s  %5lld  %s%s", started, past->id, past->slug,
                     past->arch, fx_json_text(json_object_get(past->run, "driver"), "version"), processes_of(past),
                     fx_short_path(root, past->path), past->quick ? " (quick)" : "");
}

static fx_status list_archives(const fx_options *options, fx_error *err) {
    const fx_text_list *words = &options->words;
    const char *name = words->count == 1 && fx_archive_is_a_name(words->text[0]) ? words->text[0] : NULL;
    char root[PATH_MAX];
    FX_OWNED(fx_archives_close_at) fx_archives *history = NULL;
    FX_FREED fx_archive_entry **meant = NULL;
    size_t count = 0;
    FX_FAIL_IF(options->probe && !fx_probe_find(options->probe), err, FX_BAD_INPUT,
               "unknown probe '%.60s'; `gpufx list` lists them", options->probe);
    FX_TRY(fx_root(root, err));
    FX_TRY(words->count && !name ? fx_archives_of_places(words->text, words->count, true, &history, err)
                                 : fx_archives_of_project(root, false, &history, err));
    FX_TRY(name ? fx_archives_meant(history, name, &meant, &count, err) : FX_OK);
    count = meant ? count : history->count;
    json_auto_t *all = options->json ? json_array() : NULL;
    if (!all) {
        printf("%-17s  %-8s  %-24s  %-6s %-10s  %5s  %s\n", "started", "id", "device", "arch", "driver", "proc.",
               "archive");
    }
    for (size_t i = 0; i < count; i++) {
        const fx_archive_entry *past = meant ? meant[i] : &history->past[i];
        if (listed(options, past) && all) {
            (void)json_array_append_new(all, archive_json(past));
        } else if (listed(options, past)) {
            print_archive(root, past);
        }
    }
    if (all) {
        (void)fx_text_print_json(stdout, all, 2);
    }
    return FX_OK;
}

int fx_verb_archive_list(fx_call *call) {
    fx_error err = {0};
    return list_archives(&call->options, &err) ? fx_exit_for(&err) : FX_EXIT_OK;
}
