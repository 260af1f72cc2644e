/* Names of keys, clocks, and probes that were split since. */
#include "archive_migrate.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "migrate_1.h" /* from embed.cmake: fx_migrate_1_text */

fx_status fx_migration_load(const char *text, json_t **out, fx_error *err) {
    json_error_t problem;
    *out = json_loads(text ? text : fx_migrate_1_text, JSON_REJECT_DUPLICATES, &problem);
    return *out ? FX_OK
                : fx_fail(err, FX_BAD_INPUT, "results/schema/migrate-1.json, line %d: %s", problem.line, problem.text);
}

/* jansson's iteration takes a plain pointer but changes nothing. */
static json_t *plain(const json_t *object) {
    return (json_t *)(uintptr_t)object;
}

static void rename_key(json_t *line, const char *from, const char *to) {
    json_t *value = json_object_get(line, from);
    if (value) {
        (void)json_object_set(line, to, value);
        (void)json_object_del(line, from);
    }
}

static void set_default(json_t *line, const char *key, json_t *value_taken) {
    if (json_object_get(line, key)) {
        json_decref(value_taken);
    } else {
        (void)json_object_set_new(line, key, value_taken);
    }
}

static void set_nulls(json_t *line, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        set_default(line, keys[i], json_null());
    }
}

/* Whether `params` has all that a rule of "split" asks for. */
static bool fits(const json_t *where, const json_t *params) {
    const char *axis;
    json_t *value;
    json_object_foreach(plain(where), axis, value) {
        if (!json_equal(json_object_get(params, axis), value)) {
            return false;
        }
    }
    return true;
}

static bool is_listed(const json_t *list, const char *text, size_t size) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word && strlen(word) == size && memcmp(word, text, size) == 0) {
            return true;
        }
    }
    return false;
}

/* "transfer/task:pin/size:4" -> "pinning/size:4". */
static json_t *renamed(const char *name, const char *to, const json_t *drop) {
    char *text = malloc(strlen(to) + strlen(name) + 1);
    if (!text) {
        return NULL;
    }
    char *end = stpcpy(text, to);
    for (const char *at = strchr(name, '/'), *next; at; at = next) {
        next = strchr(at + 1, '/');
        const size_t size = next ? (size_t)(next - at) : strlen(at);
        if (!is_listed(drop, at + 1, strcspn(at + 1, ":/"))) {
            memcpy(end, at, size);
            end += size;
        }
    }
    *end = '\0';
    json_t *string = json_string(text);
    free(text);
    return string;
}

/* The axes of a name as params; for lines that have the name alone. */
static json_t *params_of_name(const char *name) {
    json_t *params = json_object();
    for (const char *at = strchr(name, '/'); params && at; at = strchr(at + 1, '/')) {
        const size_t size = strcspn(at + 1, "/"), axis = strcspn(at + 1, ":/");
        char key[64];
        if (axis < size && axis < sizeof key) {
            memcpy(key, at + 1, axis);
            key[axis] = '\0';
            (void)json_object_set_new(params, key, json_stringn(at + 1 + axis + 1, size - axis - 1));
        }
    }
    return params;
}

static void rename_case(json_t *line, const char *key, const char *to, const json_t *drop) {
    const char *name = json_string_value(json_object_get(line, key));
    json_t *string = name ? renamed(name, to, drop) : NULL;
    if (string) {
        (void)json_object_set_new(line, key, string);
    }
}

static fx_status split(const json_t *rules, json_t *line, fx_error *err) {
    const char *probe = json_string_value(json_object_get(line, "probe"));
    const char *name = json_string_value(json_object_get(line, "name"));
    json_t *params = json_object_get(line, "params");
    if (!params) {
        params = json_object_get(line, "group");
    }
    params = params ? json_incref(params) : params_of_name(name ? name : "");
    if (!params) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while migrating a line");
    }
    for (size_t i = 0; probe && i < json_array_size(rules); i++) {
        const json_t *rule = json_array_get(rules, i), *drop = json_object_get(rule, "drop");
        const char *from = json_string_value(json_object_get(rule, "probe"));
        const char *to = json_string_value(json_object_get(rule, "to"));
        if (!from || !to || strcmp(from, probe) != 0 || !fits(json_object_get(rule, "where"), params)) {
            continue;
        }
        rename_case(line, "name", to, drop);
        rename_case(line, "worst_case", to, drop);
        for (size_t k = 0; k < json_array_size(drop); k++) {
            (void)json_object_del(params, json_string_value(json_array_get(drop, k)));
        }
        (void)json_object_set_new(line, "probe", json_string(to));
        json_t *version = json_object_get(rule, "method_version");
        if (version && json_object_get(line, "method_version")) {
            (void)json_object_set(line, "method_version", version);
        }
        break;
    }
    json_decref(params);
    return FX_OK;
}

/* Two snapshots that are the same are one that begin and end of the case shared: NVML's figures move. */
static void migrate_clocks(json_t *clocks) {
    static const char *const ends[] = {"before", "after"};
    json_t *nvml = json_array();
    for (size_t i = 0; nvml && i < 2; i++) {
        json_t *snapshot = json_object_get(clocks, ends[i]);
        if (json_is_object(snapshot)) {
            set_default(snapshot, "age_ms", json_null());
            if (json_array_size(nvml) == 0 || !json_equal(json_array_get(nvml, 0), snapshot)) {
                (void)json_array_append(nvml, snapshot);
            }
        }
        (void)json_object_del(clocks, ends[i]);
    }
    (void)json_object_set_new(clocks, "nvml", nvml);
}

static void migrate_run(json_t *line) {
    static const char *const unknown[] = {"seed", "law_version", "sampler"};
    (void)json_object_set_new(line, "schema", json_integer(2));
    rename_key(line, "launches", "processes");
    set_default(line, "quick", json_false());
    set_default(line, "profiled", json_false());
    set_default(line, "labels", json_object());
    set_nulls(line, unknown, sizeof unknown / sizeof *unknown);
}

fx_status fx_migrate_1(const json_t *migration, json_t *line, fx_error *err) {
    static const char *const of_case[] = {"place", "code", "memory", "sms", "lengths", "began_s"};
    static const char *const of_fit[] = {"residual_sd_pct", "a_ci95", "b_ci95"};
    const char *type = json_string_value(json_object_get(line, "type"));
    const json_t *rules = json_object_get(migration, "split");
    if (!type || !strcmp(type, "end")) {
        return FX_OK;
    }
    if (!strcmp(type, "run")) {
        migrate_run(line);
        return FX_OK;
    }
    if (!strcmp(type, "counter")) { /* its "launches" are those of a kernel */
        return split(rules, line, err);
    }
    rename_key(line, "launch", "process");
    if (!strcmp(type, "case")) {
        json_t *law = json_object_get(line, "law");
        set_nulls(line, of_case, sizeof of_case / sizeof *of_case);
        if (json_is_object(law)) {
            set_default(law, "why_not", json_null());
        }
        if (json_is_object(json_object_get(line, "clocks"))) {
            migrate_clocks(json_object_get(line, "clocks"));
        }
    } else if (!strcmp(type, "fit")) {
        const double r_squared = json_number_value(json_object_get(line, "r_squared"));
        const double residual = json_number_value(json_object_get(line, "largest_residual_pct"));
        const json_t *limits = json_object_get(migration, "fit_holds");
        const bool poor = json_is_number(json_object_get(line, "r_squared")) &&
                          r_squared < json_number_value(json_object_get(limits, "least_r_squared"));
        const char *limit = poor ? "small_residual_pct" : "most_residual_pct";
        set_nulls(line, of_fit, sizeof of_fit / sizeof *of_fit);
        set_default(line, "holds", json_boolean(residual <= json_number_value(json_object_get(limits, limit))));
    } else {
        set_default(line, "place", json_null());
    }
    return split(rules, line, err);
}
