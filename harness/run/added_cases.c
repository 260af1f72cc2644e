/* The archive knows them, as it knows everything that was measured. */
#include "added_cases.h"

#include <string.h>

#include "archive/archive.h"

typedef struct taking {
    const fx_facts *facts;
    fx_case_list *cases;
    size_t count;
} taking;

static bool read_value(const fx_axis *axis, const json_t *value, int64_t *out) {
    const char *wanted = json_string_value(value);
    char text[64];
    if (!axis->choices) {
        *out = json_integer_value(value);
        return json_is_integer(value);
    }
    for (*out = 0; wanted && fx_axis_choice(axis, *out, text, sizeof text); ++*out) {
        if (!strcmp(text, wanted)) {
            return true;
        }
    }
    return false;
}

/* The params of a case line as those of the probe; false where a value is missing or none of its axis. */
static bool read_params(const fx_probe *probe, const json_t *params, fx_params *out) {
    *out = (fx_params){0};
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (!read_value(&probe->axes[i], json_object_get(params, probe->axes[i].name), &out->value[i])) {
            return false;
        }
    }
    return true;
}

static fx_status take_line(void *context, const json_t *object, size_t number, fx_error *err) {
    taking *t = context;
    const char *probe = json_string_value(json_object_get(object, "probe"));
    const char *sweep = json_string_value(json_object_get(object, "sweep"));
    const fx_case *beside = NULL;
    fx_params params;
    fx_case c;
    if (number == 1 || !probe || !sweep || !json_is_true(json_object_get(object, "searched")) ||
        json_integer_value(json_object_get(object, "process")) != 0) {
        return FX_OK;
    }
    for (size_t i = 0; i < t->cases->count && !beside; i++) {
        const fx_case *one = &t->cases->cases[i];
        beside = !strcmp(one->probe->name, probe) && one->sweep && !strcmp(one->sweep->name, sweep) ? one : NULL;
    }
    if (!beside || !read_params(beside->probe, json_object_get(object, "params"), &params)) {
        return FX_OK;
    }
    memcpy(params.named, beside->params.named, sizeof params.named);
    if (fx_case_make(beside->probe, t->facts, beside->sweep, &params, &c, err)) {
        return err->status;
    }
    for (size_t i = 0; i < t->cases->count; i++) {
        if (!strcmp(t->cases->cases[i].name, c.name)) {
            return FX_OK;
        }
    }
    c.searched = true;
    t->count++;
    return fx_case_list_add(t->cases, &c, err);
}

fx_status fx_added_take(const char *path, const fx_facts *facts, fx_case_list *cases, size_t *count, fx_error *err) {
    static const char *const types[] = {"case", "failed"};
    taking t = {.facts = facts, .cases = cases};
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        FX_TRY(fx_archive_read_with(path, types[i], "\"searched\":true", take_line, &t, NULL, err));
    }
    if (count) {
        *count = t.count;
    }
    return FX_OK;
}
