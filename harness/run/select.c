/* Each selection that comes out empty says what would fill it. */
#include "select.h"

#include <regex.h>
#include <strings.h>
#include <sys/stat.h>

#include "call/message.h"
#include "call/places.h"
#include "core/nearest.h"
#include "core/synthetic.h"
#include "devices.h"
#include "gpu/gpu.h"

static fx_status open_synthetic(const char *root, const char *name, uint64_t seed, fx_device **out, fx_error *err) {
    char folder[PATH_MAX], list[256];
    const char *known[64];
    size_t count = 0, length = strlen(name);
    FX_TRY(fx_synthetic_folder(root, folder, err));
    fx_status status = fx_synthetic_load(folder, name, seed, out, err);
    if (status != FX_BAD_INPUT || strchr(name, '/') || (length > 5 && !strcmp(name + length - 5, ".json"))) {
        return status;
    }
    /* Not a path: was it a name at all? */
    json_auto_t *names = fx_synthetic_names(root);
    bool is_known = false;
    for (; count < json_array_size(names) && count < FX_COUNT(known); count++) {
        known[count] = json_string_value(json_array_get(names, count));
        is_known = is_known || !strcmp(known[count], name);
    }
    FX_FAIL_IF(!count, err, FX_BAD_INPUT,
               "%.200s does not hold gpufx's synthetic devices (harness/core/synthetic/*.json); unset GPUFX_ROOT, or "
               "set it to gpufx's folder",
               root);
    FX_FAIL_IF(!is_known, err, FX_BAD_INPUT, "unknown synthetic device '%.60s'; known: %s; or name a .json file", name,
               fx_nearest_list(name, known, count, list, sizeof list));
    return status;
}

/* CUDA shows a process one MIG instance at most, and that by the environment, as device 0; the UUID that it reports for
 * it may be that of the whole GPU. So the name says nothing but that this instance, and no other, is meant. */
static fx_status check_mig(const char *which, fx_error *err) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    FX_FAIL_IF(!visible || strcmp(visible, which), err, FX_BAD_INPUT,
               "--device %.60s: a MIG instance must be chosen through the environment, because CUDA shows a process "
               "only one; set CUDA_VISIBLE_DEVICES=%.60s and leave out --device",
               which, which);
    return FX_OK;
}

static fx_status open_named(const char *which, const char *why, fx_device **out, fx_error *err) {
    json_auto_t *known = NULL;
    const json_t *one = NULL;
    FX_TRY(fx_cuda_device_list(&known, err));
    FX_TRY(fx_devices_find(which, known, why, &one, err));
    return fx_cuda_device_open((int)json_integer_value(json_object_get(one, "ordinal")), out, err);
}

fx_status fx_select_device(const fx_options *options, const char *root, uint64_t seed, fx_device **out,
                           char notice[FX_NOTICE_BYTES], fx_error *err) {
    static const char prefix[] = "synthetic:";
    const char *which = options->device;
    char why[256] = "";
    notice[0] = '\0';
    if (which && !strncmp(which, prefix, sizeof prefix - 1)) {
        return open_synthetic(root, which + sizeof prefix - 1, seed, out, err);
    }
    const bool mig = which && !strncasecmp(which, "MIG-", 4);
    FX_TRY(mig ? check_mig(which, err) : FX_OK);
    const size_t count = fx_cuda_device_count(why, sizeof why);
    FX_FAIL_IF(!count && which && !strncmp(which, "synth", 5), err, FX_BAD_INPUT,
               "--device %.60s: did you mean --device synthetic:%s?", which, FX_DEFAULT_SYNTHETIC);
    if (which && !(mig && count)) {
        return open_named(which, why, out, err);
    }
    if (count) {
        return fx_cuda_device_open(0, out, err);
    }
    (void)snprintf(notice, FX_NOTICE_BYTES,
                   "no CUDA device (%s): running on the synthetic device '%s', whose numbers are made up", why,
                   FX_DEFAULT_SYNTHETIC);
    return open_synthetic(root, FX_DEFAULT_SYNTHETIC, seed, out, err);
}

static fx_status unknown_probe(const char *name, const fx_probe *const *all, size_t count, fx_error *err) {
    const char *names[256];
    size_t named = 0;
    for (; named < count && named < FX_COUNT(names); named++) {
        names[named] = all[named]->name;
    }
    const char *near = fx_nearest(name, names, named);
    return near ? fx_fail(err, FX_BAD_INPUT, "unknown probe '%.60s'; did you mean '%s'?", name, near)
                : fx_fail(err, FX_BAD_INPUT, "unknown probe '%.60s'; `gpufx list` lists them", name);
}

fx_status fx_select_probes(const fx_options *options, const fx_probe ***out, size_t *count, fx_error *err) {
    size_t all_count, chosen = 0;
    const fx_probe *const *all = fx_probes(&all_count);
    size_t room = all_count > options->words.count ? all_count : options->words.count;
    FX_FREED const fx_probe **probes = fx_new(room, sizeof *probes);
    for (size_t w = 0; w < options->words.count; w++) {
        const fx_probe *probe = fx_probe_find(options->words.text[w]);
        if (!probe) {
            return unknown_probe(options->words.text[w], all, all_count, err);
        }
        bool twice = false;
        for (size_t i = 0; i < chosen; i++) {
            twice = twice || probes[i] == probe;
        }
        if (!twice) {
            probes[chosen++] = probe;
        }
    }
    for (size_t i = 0; i < all_count && !options->words.count; i++) {
        probes[chosen++] = all[i];
    }
    *out = probes;
    probes = NULL; /* handed over */
    *count = chosen;
    return FX_OK;
}

/* No selected probe has the axis: name the nearest axis among theirs. */
static fx_status unknown_axis(const char *text, const fx_probe *const *probes, size_t probe_count, fx_error *err) {
    const char *known[256];
    char name[64];
    size_t count = 0;
    for (size_t p = 0; p < probe_count; p++) {
        for (size_t a = 0; a < probes[p]->axes_count && count < FX_COUNT(known); a++) {
            known[count++] = probes[p]->axes[a].name;
        }
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    const char *near = fx_nearest(name, known, count);
    FX_FAIL_IF(near, err, FX_BAD_INPUT, "--axis %.60s: no selected probe has an axis '%s'; did you mean '%s'?", text,
               name, near);
    return fx_fail(err, FX_BAD_INPUT,
                   "--axis %.60s: no selected probe has an axis '%s'; `gpufx list %s` prints its axes", text, name,
                   probes[0]->name);
}

static fx_status check_axes(const fx_text_list *axes, const fx_probe *const *probes, size_t probe_count,
                            fx_error *err) {
    for (size_t i = 0; i < axes->count; i++) {
        const char *text = axes->text[i];
        bool known = false;
        FX_FAIL_IF(!strchr(text, '='), err, FX_BAD_INPUT, "--axis %.60s: write NAME=VALUES, such as --axis stride=0:64",
                   text);
        FX_FAIL_IF(strpbrk(text, " \t\r\n"), err, FX_BAD_INPUT,
                   "--axis '%.60s': give one axis without blanks; repeat --axis for more", text);
        for (size_t p = 0; p < probe_count; p++) {
            known = known || fx_probe_override(probes[p], text);
        }
        if (!known) {
            return unknown_axis(text, probes, probe_count, err);
        }
    }
    return FX_OK;
}

/* --only FILE keeps the cases named in it, one on a line: as an expression for --filter, some hundred names would be
 * longer than any command line should be. */
static fx_status keep_named(const char *path, fx_case_list *list, fx_error *err) {
    struct stat info;
    const fx_case_index index = fx_case_index_make(list);
    FX_FREED void *owned = index.sorted;
    FX_FREED char *chosen = fx_new(list->count, 1);
    FX_FREED char *name = NULL;
    size_t named = 0, room = 0;
    FX_OWNED(fx_close_at) FILE *file = fopen(path, "re");
    FX_FAIL_IF(!file, err, FX_BAD_INPUT, "--only %.200s can't be read: %s", path, strerror(errno));
    FX_FAIL_IF(fstat(fileno(file), &info) || !S_ISREG(info.st_mode), err, FX_BAD_INPUT,
               "--only %.200s is not a file of case names, one per line", path);
    for (size_t line = 1; getline(&name, &room, file) >= 0; line++) {
        name[strcspn(name, "\r\n")] = '\0';
        const size_t at = *name ? fx_case_index_find(&index, list, name) : SIZE_MAX;
        FX_FAIL_IF(*name && at >= list->count, err, FX_BAD_INPUT,
                   "--only %.200s, line %zu: no selected case is named '%.100s'; `gpufx list --cases` prints the names",
                   path, line, name);
        if (*name) {
            chosen[at] = '1';
            named++;
        }
    }
    FX_FAIL_IF(!named, err, FX_BAD_INPUT, "--only %.200s names no case", path);
    fx_case_list_keep(list, chosen);
    return FX_OK;
}

enum { FILTER_BYTES = 1000 };

/* Keeps the cases whose name matches, or with a leading '-' those whose name does not, in their order. */
static fx_status filter(const char *pattern, fx_case_list *list, fx_error *err) {
    regex_t regex;
    char why[128];
    bool inverted = pattern[0] == '-';
    size_t all = list->count;
    /* regcomp calls itself for every parenthesis: enough of them overflow the stack. */
    FX_FAIL_IF(strlen(pattern) > FILTER_BYTES, err, FX_BAD_INPUT,
               "--filter: the expression has %zu bytes, more than %d; write a shorter one", strlen(pattern),
               FILTER_BYTES);
    int problem = regcomp(&regex, pattern + inverted, REG_EXTENDED | REG_NOSUB);
    if (problem) {
        (void)regerror(problem, &regex, why, sizeof why);
        return fx_fail(err, FX_BAD_INPUT, "--filter %.60s is not an extended regular expression: %s", pattern, why);
    }
    list->count = 0;
    for (size_t i = 0; i < all; i++) {
        if ((regexec(&regex, list->cases[i].name, 0, NULL, 0) == 0) != inverted) {
            list->cases[list->count++] = list->cases[i];
        }
    }
    regfree(&regex);
    FX_FAIL_IF(
        all && !list->count, err, FX_BAD_INPUT,
        "the selection is empty: --filter %.60s matches none of %zu case names; `gpufx list --cases` prints them",
        pattern, all);
    return FX_OK;
}

fx_status fx_select_cases(const fx_options *options, const fx_probe *const *probes, size_t probe_count,
                          const fx_facts *facts, fx_case_list *out, fx_error *err) {
    const fx_probe *empty = NULL;
    FX_FAIL_IF(!probe_count, err, FX_BAD_INPUT, "no probes: micro/ has none, or none were built");
    FX_TRY(check_axes(&options->axes, probes, probe_count, err));
    for (size_t p = 0; p < probe_count; p++) {
        const size_t before = out->count;
        FX_TRY(fx_cases_expand(probes[p], facts, options->quick, options->axes.text, options->axes.count, out, err));
        empty = out->count == before ? probes[p] : empty;
    }
    if (!out->count) {
        const char *one = probe_count == 1 ? probes[0]->name : NULL;
        return fx_fail(err, FX_BAD_INPUT,
                       "the selection is empty: no sweep%s of %s has these values; `gpufx list%s%s` prints the sweeps",
                       options->quick ? " under --quick" : "", one ? one : "these probes", one ? " " : "",
                       one ? one : "");
    }
    /* Who names a probe expects cases of it; the processes of a run need not say it again. */
    if (empty && options->words.count && !options->parent.child) {
        fx_warn("no sweep%s of %s has these values, so it is skipped; `gpufx list %s` prints the sweeps",
                options->quick ? " under --quick" : "", empty->name, empty->name);
    }
    FX_TRY(options->run.only ? keep_named(options->run.only, out, err) : FX_OK);
    return options->filter ? filter(options->filter, out, err) : FX_OK;
}
