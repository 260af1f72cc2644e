#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/option_table.h"
#include "call/parse.h"
#include "core/cases.h"
#include "core/json_fields.h"
#include "core/nearest.h"
#include "core/probe.h"
#include "select.h"

typedef struct reading {
    const char *verb, *path;
    const fx_options *line; /* what the command line says itself */
    fx_config *out;
} reading;

static fx_status add(reading *r, char *text, fx_error *err) {
    if (!text || fx_text_list_add(&r->out->owned, text, err)) {
        free(text);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while reading --config");
    }
    return fx_text_list_add(&r->out->words, text, err);
}

/* A number or a word as it would be typed, lists with commas; NULL: it is none of these. The caller frees it. */
static char *typed(const json_t *value) {
    char *text = NULL;
    if (json_is_string(value)) {
        return strdup(json_string_value(value));
    }
    if (json_is_integer(value)) {
        return asprintf(&text, "%lld", (long long)json_integer_value(value)) < 0 ? NULL : text;
    }
    if (json_is_real(value)) {
        return asprintf(&text, "%.15g", json_real_value(value)) < 0 ? NULL : text;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        char *one = typed(json_array_get(value, i)), *longer = NULL;
        const bool joined = one && asprintf(&longer, "%s%s%s", text ? text : "", text ? "," : "", one) >= 0;
        free(one);
        free(text);
        text = joined ? longer : NULL;
        if (!text) {
            return NULL;
        }
    }
    return text;
}

/* An option alone, so that its own sentence says what is wrong with it. */
static fx_status check_option(const reading *r, const char *key, char *word, fx_error *err) {
    fx_options options;
    fx_error why = {0};
    const fx_status status = fx_options_parse(r->verb, 1, &word, &options, &why);
    fx_options_free(&options);
    return status ? fx_fail(err, status, "%.200s, options.%.40s: %s", r->path, key, why.text) : FX_OK;
}

/* True if the command line gives it, or if it is one of `run` alone: `list` takes the same file. */
static bool is_needless(const reading *r, const char *key) {
    bool given = false, own = false, of_run = false;
    size_t count;
    const fx_option *table = fx_option_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(table[i].name + 2, key)) {
            given = given || r->line->given[i];
            own = own || fx_option_of(&table[i], r->verb);
            of_run = of_run || fx_option_of(&table[i], "run");
        }
    }
    return given || (of_run && !own);
}

static fx_status add_option(reading *r, const char *key, const json_t *value, fx_error *err) {
    const bool off = json_is_false(value) || json_is_null(value);
    const size_t times = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < times && !off && !is_needless(r, key); i++) {
        char *text = typed(json_is_array(value) ? json_array_get(value, i) : value), *word = NULL;
        if (!text && !json_is_true(value)) {
            return fx_fail(err, FX_BAD_INPUT, "%.200s, options.%.40s: write true, a number, a text or a list of texts",
                           r->path, key);
        }
        const int done = asprintf(&word, text ? "--%s=%s" : "--%s", key, text);
        free(text);
        FX_TRY(add(r, done < 0 ? NULL : word, err));
        FX_TRY(check_option(r, key, word, err));
    }
    return FX_OK;
}

static bool is_wanted(const reading *r, const char *probe) {
    for (size_t i = 0; i < r->line->words.count; i++) {
        if (!strcmp(r->line->words.text[i], probe)) {
            return true;
        }
    }
    return !r->line->words.count;
}

static fx_status add_axis(reading *r, const fx_probe *probe, const char *name, const json_t *value, fx_error *err) {
    const char *known[FX_MAX_AXES];
    const fx_axis *axis = NULL;
    fx_selection selection = {0};
    fx_error why = {0};
    char *text = typed(value), *word = NULL, list[256];
    for (size_t i = 0; i < probe->axes_count; i++) {
        known[i] = probe->axes[i].name;
        axis = !strcmp(known[i], name) ? &probe->axes[i] : axis;
    }
    if (!text || !axis) {
        free(text);
        return axis ? fx_fail(err, FX_BAD_INPUT,
                              "%.200s, probes.%s.%.40s: write values as for --axis, such as \"1,2,4:32:4\", or a list",
                              r->path, probe->name, name)
                    : fx_fail(err, FX_BAD_INPUT, "%.200s, probes.%s.%.40s: there is no such axis; known: %s", r->path,
                              probe->name, name, fx_nearest_list(name, known, probe->axes_count, list, sizeof list));
    }
    const fx_status status = fx_axis_parse(axis, text, &selection, &why);
    fx_selections_free(&selection, 1);
    const int done = asprintf(&word, "--axis=%s.%s=%s", probe->name, name, text);
    free(text);
    if (status) {
        free(word);
        return fx_fail(err, status, "%.200s, probes.%s.%.40s: %s", r->path, probe->name, name, why.text);
    }
    return add(r, done < 0 ? NULL : word, err);
}

static fx_status add_probe(reading *r, const char *name, const json_t *axes, fx_error *err) {
    const fx_options alone = {.words = {.text = &name, .count = 1}};
    const fx_probe **probe = NULL;
    fx_error why = {0};
    size_t count;
    const char *axis;
    json_t *value;
    if (fx_select_probes(&alone, &probe, &count, &why)) {
        return fx_fail(err, why.status, "%.200s, probes: %s", r->path, why.text);
    }
    const fx_probe *found = *probe;
    free(probe);
    if (!json_is_object(axes)) {
        return fx_fail(err, FX_BAD_INPUT, "%.200s, probes.%.60s: write its axes as an object; {} for all cases",
                       r->path, name);
    }
    if (!r->line->words.count) {
        FX_TRY(add(r, strdup(name), err));
    }
    json_object_foreach((json_t *)(uintptr_t)axes, axis, value) {
        FX_TRY(is_wanted(r, name) ? add_axis(r, found, axis, value, err) : FX_OK);
    }
    return FX_OK;
}

static fx_status read_file(reading *r, fx_error *err) {
    json_error_t problem;
    json_t *file = json_load_file(r->path, JSON_REJECT_DUPLICATES, &problem), *probes = NULL, *options = NULL, *value;
    const char *key;
    const fx_field fields[] = {{"probes", FX_FIELD_OBJECT, &probes, false, 0, 0},
                               {"options", FX_FIELD_OBJECT, &options, false, 0, 0},
                               {"description", FX_FIELD_TEXT, NULL, false, 0, 0}};
    fx_status status = FX_OK;
    if (!json_is_object(file)) {
        status = file || problem.line < 1
                     ? fx_fail(err, FX_BAD_INPUT, "--config %.200s: %s", r->path,
                               file ? "write an object with the keys probes and options" : problem.text)
                     : fx_fail(err, FX_BAD_INPUT, "%.200s:%d: %s", r->path, problem.line, problem.text);
    } else {
        status = fx_fields_read(file, r->path, fields, FX_COUNT(fields), err);
    }
    if (!status) {
        json_object_foreach(probes, key, value) {
            status = status ? status : add_probe(r, key, value, err);
        }
        json_object_foreach(options, key, value) {
            status = status ? status : add_option(r, key, value, err);
        }
    }
    json_decref(file);
    return status;
}

fx_status fx_config_expand(const char *verb, int argc, char **argv, fx_config *out, fx_error *err) {
    static const char name[] = "--config";
    fx_options line;
    reading r = {.verb = verb, .line = &line, .out = out};
    int at = 1, taken = 0;
    const size_t length = strlen(name);
    fx_status status = FX_OK;
    *out = (fx_config){0};
    while (at < argc && strcmp(argv[at], "--") != 0 &&
           (strncmp(argv[at], name, length) != 0 || (argv[at][length] && argv[at][length] != '='))) {
        at++;
    }
    if (at < argc && argv[at][2]) {
        fx_error later = {0}; /* what is wrong with the command line is said when it is parsed as a whole */
        const bool fine = !fx_options_parse(verb, argc - 1, argv + 1, &line, &later);
        taken = !fine ? 0 : argv[at][length] ? 1 : 2;
        r.path = !fine ? NULL : taken == 1 ? argv[at] + length + 1 : argv[at + 1];
    }
    for (int i = 0; i < argc && !status; i++) {
        status = i >= at && i < at + taken ? FX_OK : fx_text_list_add(&out->words, argv[i], err);
    }
    if (r.path && !status) {
        status = read_file(&r, err);
    }
    if (at < argc && argv[at][2]) {
        fx_options_free(&line);
    }
    return status;
}

void fx_config_free(fx_config *config) {
    for (size_t i = 0; i < config->owned.count; i++) {
        free((char *)(uintptr_t)config->owned.text[i]);
    }
    free(config->owned.text);
    free(config->words.text);
}
