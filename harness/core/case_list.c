/* Expansion of sweeps. The overrides of --axis are one more selection in the language of axis.h; a sweep meets it axis
 * by axis, and what is left is counted out like the digits of an odometer, the last axis turning fastest. */
#include "case_list.h"

#include "hash_table.h"

/* Far beyond any sweep that can be run; guards memory against a product of wide overrides. */
enum { max_points = 100000 };

typedef struct expansion {
    const fx_probe *probe;
    const fx_facts *facts;
    fx_selection wanted[FX_MAX_AXES]; /* from the overrides */
    fx_hash_table seen;               /* values of params */
    fx_case_list *list;
    fx_error *err;
} expansion;

const char *fx_probe_override(const fx_probe *probe, const char *text) {
    const size_t own = strlen(probe->name);
    const size_t dot = strcspn(text, ".=");
    if (text[dot] == '.') {
        if (dot != own || memcmp(text, probe->name, own) != 0) {
            return NULL;
        }
        text += dot + 1;
    }
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < probe->axes_count; i++) {
        const char *name = probe->axes[i].name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) {
            return text;
        }
    }
    return NULL;
}

void fx_case_list_keep(fx_case_list *list, const char *chosen) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (chosen[i] == '1' && kept++ != i) {
            list->cases[kept - 1] = list->cases[i];
        }
    }
    list->count = kept;
}

void fx_case_list_free(fx_case_list *list) {
    if (list) {
        free(list->cases);
        *list = (fx_case_list){0};
    }
}

static fx_status parse_overrides(expansion *e, const char *const *overrides, size_t count) {
    size_t size = 1;
    for (size_t i = 0; i < count; i++) {
        size += strlen(overrides[i]) + 1;
    }
    FX_FREED char *joined = fx_new(size, 1);
    char *end = joined;
    for (size_t i = 0; i < count; i++) {
        const char *own = fx_probe_override(e->probe, overrides[i]);
        end = own ? stpcpy(stpcpy(end, own), " ") : end;
    }
    return fx_axes_parse(e->probe->axes, e->probe->axes_count, joined, e->wanted, e->err);
}

/* Meets the sweep's selections with the overrides; false if nothing of the sweep is left. */
static bool narrow(const expansion *e, fx_selection *selections) {
    bool kept = true;
    for (size_t i = 0; i < e->probe->axes_count && kept; i++) {
        const fx_selection *wanted = &e->wanted[i];
        fx_selection *own = &selections[i];
        if (!wanted->named) {
            continue;
        }
        if (!own->named) {
            /* Choices are narrowed, and a case at one of those wanted is within. Numbers say what to sweep over:
             * one that a sweep does not vary, such as the stride of a pattern that has none, is no answer to that. */
            kept = e->probe->axes[i].choices && fx_selection_holds(wanted, e->probe->axes[i].fallback);
        } else if (e->probe->axes[i].choices) {
            size_t left = 0;
            for (size_t v = 0; v < own->count; v++) {
                if (fx_selection_holds(wanted, own->values[v])) {
                    own->values[left++] = own->values[v];
                }
            }
            own->count = left;
            kept = left > 0;
        } else {
            free(own->values);
            own->count = wanted->count;
            own->values = fx_new(own->count, sizeof *own->values);
            memcpy(own->values, wanted->values, own->count * sizeof *own->values);
        }
    }
    return kept;
}

static fx_status write_name(fx_case *c, fx_error *err) {
    const fx_probe *probe = c->probe;
    int length = snprintf(c->name, sizeof c->name, "%s", probe->name);
    for (size_t i = 0; i < probe->axes_count && (size_t)length < sizeof c->name; i++) {
        if (c->params.named[i]) {
            char value[FX_NAME_BYTES];
            fx_axis_format(&probe->axes[i], c->params.value[i], value, sizeof value);
            length += snprintf(c->name + length, sizeof c->name - (size_t)length, "/%s:%s", probe->axes[i].name, value);
        }
    }
    FX_FAIL_IF((size_t)length >= sizeof c->name, err, FX_BAD_INPUT,
               "probe %s, sweep %s: a case name is longer than %d bytes (\"%.80s...\"); shorten the axes' names "
               "or name fewer of them",
               probe->name, c->sweep->name, FX_NAME_BYTES - 1, c->name);
    return FX_OK;
}

fx_status fx_case_make(const fx_probe *probe, const fx_facts *facts, const fx_sweep *sweep, const fx_params *params,
                       fx_case *out, fx_error *err) {
    *out = (fx_case){.probe = probe, .sweep = sweep, .params = *params};
    FX_TRY(write_name(out, err));
    out->has_lanes = probe->lanes && probe->lanes(params, &out->lanes);
    if (!out->has_lanes) {
        memset(out->lanes.offset, -1, sizeof out->lanes.offset); /* all lanes inactive */
    }
    probe->law(facts, params, out->has_lanes ? &out->lanes : NULL, &out->prediction);
    out->waived = probe->supported ? probe->supported(facts, params) : NULL;
    return FX_OK;
}

void fx_case_list_add(fx_case_list *list, const fx_case *c) {
    size_t at = list->count;
    fx_grow(&list->cases, list->count, sizeof *list->cases);
    while (at > 0 && list->cases[at - 1].probe != c->probe) {
        at--;
    }
    at = at ? at : list->count;
    memmove(&list->cases[at + 1], &list->cases[at], (list->count - at) * sizeof *list->cases);
    list->cases[at] = *c;
    list->count++;
}

static fx_status append(const expansion *e, const fx_sweep *sweep, const fx_params *params) {
    if (e->probe->present && !e->probe->present(e->facts, params)) {
        return FX_OK;
    }
    fx_grow(&e->list->cases, e->list->count, sizeof *e->list->cases);
    FX_TRY(fx_case_make(e->probe, e->facts, sweep, params, &e->list->cases[e->list->count], e->err));
    e->list->count++;
    return FX_OK;
}

/* Number of points of the product, or 0 if it is over max_points. */
static size_t count_points(const fx_selection *selections, size_t axis_count) {
    size_t points = 1;
    for (size_t i = 0; i < axis_count; i++) {
        if (selections[i].named &&
            (__builtin_mul_overflow(points, selections[i].count, &points) || points > max_points)) {
            return 0;
        }
    }
    return points;
}

static fx_status expand_product(expansion *e, const fx_sweep *sweep, const fx_selection *selections) {
    const size_t axis_count = e->probe->axes_count;
    const size_t points = count_points(selections, axis_count);
    FX_FAIL_IF(points == 0, e->err, FX_BAD_INPUT,
               "probe %s, sweep %s: more than %d cases; select fewer values with --axis", e->probe->name, sweep->name,
               max_points);
    for (size_t point = 0; point < points; point++) {
        fx_params params = {0};
        size_t rest = point;
        for (size_t i = axis_count; i-- > 0;) {
            const fx_selection *selection = &selections[i];
            params.named[i] = selection->named;
            params.value[i] = e->probe->axes[i].fallback;
            if (selection->named) {
                params.value[i] = selection->values[rest % selection->count];
                rest /= selection->count;
            }
        }
        bool fresh;
        (void)fx_hash_put(&e->seen, params.value, &fresh);
        FX_TRY(fresh ? append(e, sweep, &params) : FX_OK);
    }
    return FX_OK;
}

static fx_status expand_sweep(expansion *e, const fx_sweep *sweep, const char *text) {
    FX_OWNED(fx_selections_free_all) fx_selection selections[FX_MAX_AXES] = {0};
    const fx_status status = fx_axes_parse(e->probe->axes, e->probe->axes_count, text, selections, e->err);
    FX_FAIL_IF(status != FX_OK, e->err, status, "probe %s, sweep %s: %s", e->probe->name, sweep->name,
               e->err ? e->err->text : "");
    return narrow(e, selections) ? expand_product(e, sweep, selections) : FX_OK;
}

fx_status fx_cases_expand(const fx_probe *probe, const fx_facts *facts, bool quick, const char *const *overrides,
                          size_t count, fx_case_list *list, fx_error *err) {
    const size_t before = list->count;
    const size_t size = sizeof((fx_params *)0)->value;
    expansion e = {.probe = probe, .facts = facts, .seen = {.size = size, .key = size}, .list = list, .err = err};
    fx_status status = parse_overrides(&e, overrides, count);
    FX_FAIL_IF(status != FX_OK, err, status, "probe %s: %s", probe->name, err ? err->text : "");
    for (size_t i = 0; i < probe->sweeps_count && status == FX_OK; i++) {
        const char *text = quick ? probe->sweeps[i].quick : probe->sweeps[i].axes;
        if (text) {
            status = expand_sweep(&e, &probe->sweeps[i], text);
        }
    }
    if (status != FX_OK) {
        list->count = before;
    }
    fx_hash_free(&e.seen);
    fx_selections_free(e.wanted, probe->axes_count);
    return status;
}

static int compare_names(const void *a, const void *b) {
    const fx_case *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static int compare_name(const void *name, const void *c) {
    const fx_case *const *one = c;
    return strcmp(name, (*one)->name);
}

fx_case_index fx_case_index_make(const fx_case_list *list) {
    fx_case_index out = {.sorted = fx_new(list->count, sizeof *out.sorted)};
    for (; out.count < list->count; out.count++) {
        out.sorted[out.count] = &list->cases[out.count];
    }
    qsort(out.sorted, out.count, sizeof *out.sorted, compare_names);
    return out;
}

size_t fx_case_index_find(const fx_case_index *index, const fx_case_list *list, const char *name) {
    const fx_case *const *found = bsearch(name, index->sorted, index->count, sizeof *index->sorted, compare_name);
    return found ? (size_t)(*found - list->cases) : SIZE_MAX;
}
