/* The parser of axis selections. Numbers are decimal: a leading zero means nothing, so that 010 is ten. */
#include "axis.h"

#include <ctype.h>
#include <inttypes.h>

#include "hash_table.h"
#include "nearest.h"
#include "text.h"

enum { max_values = 100000, max_listed = 64 };

static const char *const blanks = " \t\r\n";

bool fx_axis_choice(const fx_axis *axis, int64_t index, char *text, size_t size) {
    return index >= 0 && fx_word(axis->choices, (size_t)index, text, size);
}

const char *fx_axis_format(const fx_axis *axis, int64_t value, char *text, size_t size) {
    if (!fx_axis_choice(axis, value, text, size)) {
        snprintf(text, size, "%" PRId64, value);
    }
    return text;
}

static fx_status unknown_choice(const fx_axis *axis, const char *item, fx_error *err) {
    char copy[512], list[256];
    const char *known[max_listed];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", axis->choices);
    char *rest = NULL;
    for (char *word = strtok_r(copy, blanks, &rest); word && count < max_listed; word = strtok_r(NULL, blanks, &rest)) {
        known[count++] = word;
    }
    fx_nearest_list(item, known, count, list, sizeof list);
    const char *nearest = fx_nearest(item, known, count);
    return fx_fail(err, FX_BAD_INPUT, "axis %s: unknown choice \"%.60s\"%s%s%s; known: %s, or all", axis->name, item,
                   nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", list);
}

static fx_status add(const fx_axis *axis, fx_hash_table *values, int64_t value, fx_error *err) {
    bool fresh;
    (void)fx_hash_put(values, &value, &fresh);
    FX_FAIL_IF(values->count > max_values, err, FX_BAD_INPUT,
               "axis %s: more than %d values; use a wider step or A:B:*F", axis->name, max_values);
    return FX_OK;
}

static fx_status parse_choice(const fx_axis *axis, const char *item, fx_hash_table *values, fx_error *err) {
    const size_t length = strlen(item);
    const bool all = strcmp(item, "all") == 0;
    int64_t index = 0;
    bool found = false;
    for (const char *at = axis->choices; *(at += strspn(at, blanks)); at += strcspn(at, blanks), index++) {
        if (all || (strcspn(at, blanks) == length && memcmp(at, item, length) == 0)) {
            found = true;
            FX_TRY(add(axis, values, index, err));
        }
    }
    return found ? FX_OK : unknown_choice(axis, item, err);
}

typedef enum { number_ok, number_none, number_too_large } number_result;

/* Reads [sign]digits[Ki|Mi|Gi] at *at and moves *at past it. */
static number_result scan_number(const char **at, int64_t *value) {
    const char *digits = *at + (**at == '-' || **at == '+');
    if (!isdigit((unsigned char)*digits)) {
        return number_none;
    }
    char *end = NULL;
    errno = 0;
    const long long plain = strtoll(*at, &end, 10);
    if (errno == ERANGE) {
        return number_too_large;
    }
    int64_t unit = 1;
    if (*end && end[1] == 'i') {
        unit = *end == 'K' ? INT64_C(1) << 10 : *end == 'M' ? INT64_C(1) << 20 : *end == 'G' ? INT64_C(1) << 30 : 1;
    }
    *at = unit > 1 ? end + 2 : end;
    return __builtin_mul_overflow((int64_t)plain, unit, value) ? number_too_large : number_ok;
}

/* A number item before it is expanded: first to last by +step or *step. */
typedef struct range {
    int64_t first, last, step;
    bool times;
} range;

static number_result scan_range(const char *item, range *out) {
    const char *at = item;
    number_result result = scan_number(&at, &out->first);
    out->last = out->first;
    out->step = 1;
    out->times = false;
    if (result == number_ok && *at == ':') {
        at++;
        result = scan_number(&at, &out->last);
        if (result == number_ok && *at == ':') {
            at++;
            out->times = *at == '*';
            at += out->times;
            result = scan_number(&at, &out->step);
        }
    }
    return result == number_ok && *at ? number_none : result;
}

static fx_status check_limits(const fx_axis *axis, int64_t value, fx_error *err) {
    FX_FAIL_IF(value < axis->min || value > axis->max, err, FX_BAD_INPUT,
               "axis %s: %" PRId64 " is outside its limits %" PRId64 "..%" PRId64 "%s%s", axis->name, value, axis->min,
               axis->max, axis->unit && *axis->unit ? " " : "", axis->unit ? axis->unit : "");
    return FX_OK;
}

static fx_status check_range(const fx_axis *axis, const char *item, const range *r, fx_error *err) {
    FX_FAIL_IF(r->first > r->last, err, FX_BAD_INPUT,
               "axis %s: range \"%.60s\" runs downwards; write the smaller end first", axis->name, item);
    FX_TRY(check_limits(axis, r->first, err));
    FX_TRY(check_limits(axis, r->last, err));
    FX_FAIL_IF(!r->times && r->step < 1, err, FX_BAD_INPUT, "axis %s: the step of \"%.60s\" must be 1 or more",
               axis->name, item);
    FX_FAIL_IF(r->times && (r->step < 2 || r->first < 1), err, FX_BAD_INPUT,
               "axis %s: \"%.60s\" must start at 1 or more and have a factor of 2 or more", axis->name, item);
    FX_FAIL_IF(!r->times && ((uint64_t)r->last - (uint64_t)r->first) / (uint64_t)r->step >= max_values, err,
               FX_BAD_INPUT, "axis %s: \"%.60s\" has more than %d values; use a wider step or A:B:*F", axis->name, item,
               max_values);
    return FX_OK;
}

static fx_status parse_number(const fx_axis *axis, const char *item, fx_hash_table *values, fx_error *err) {
    range r;
    switch (scan_range(item, &r)) {
    case number_none:
        return fx_fail(err, FX_BAD_INPUT,
                       "axis %s: \"%.60s\" is not a number or a range; write 3, 4Ki, A:B, A:B:STEP or A:B:*FACTOR "
                       "within %" PRId64 "..%" PRId64,
                       axis->name, item, axis->min, axis->max);
    case number_too_large:
        return fx_fail(err, FX_BAD_INPUT, "axis %s: \"%.60s\" is too large; the limits are %" PRId64 "..%" PRId64,
                       axis->name, item, axis->min, axis->max);
    case number_ok:
        break;
    }
    FX_TRY(check_range(axis, item, &r, err));
    for (int64_t value = r.first; value <= r.last;) {
        FX_TRY(add(axis, values, value, err));
        if (r.times ? __builtin_mul_overflow(value, r.step, &value) : __builtin_add_overflow(value, r.step, &value)) {
            break;
        }
    }
    return FX_OK;
}

fx_status fx_axis_parse(const fx_axis *axis, const char *text, fx_selection *out, fx_error *err) {
    *out = (fx_selection){0};
    FX_OWNED(fx_hash_free) fx_hash_table values = {.size = sizeof(int64_t), .key = sizeof(int64_t)};
    FX_FREED char *copy = fx_given(strdup(text));
    for (char *rest = copy, *item; (item = strsep(&rest, ","));) {
        FX_FAIL_IF(!*item, err, FX_BAD_INPUT, "axis %s: empty value in \"%.60s\"; write %s=VALUE[,VALUE...]",
                   axis->name, text, axis->name);
        FX_TRY((axis->choices ? parse_choice : parse_number)(axis, item, &values, err));
    }
    *out = (fx_selection){.named = true, .values = values.items, .count = values.count};
    values.items = NULL; /* handed over */
    return FX_OK;
}

static fx_status unknown_axis(const fx_axis *axes, size_t axis_count, const char *name, fx_error *err) {
    char list[256];
    const char *known[max_listed];
    size_t count = 0;
    for (; count < axis_count && count < max_listed; count++) {
        known[count] = axes[count].name;
    }
    FX_FAIL_IF(count == 0, err, FX_BAD_INPUT, "unknown axis \"%.60s\": this probe has no axes; leave it out", name);
    return fx_fail(err, FX_BAD_INPUT, "unknown axis \"%.60s\"; known, nearest first: %s", name,
                   fx_nearest_list(name, known, count, list, sizeof list));
}

/* One NAME=VALUES, cut in two in place. */
static fx_status parse_term(const fx_axis *axes, size_t axis_count, char *term, fx_selection *selections,
                            fx_error *err) {
    char *equals = strchr(term, '=');
    FX_FAIL_IF(!equals, err, FX_BAD_INPUT, "\"%.60s\" is not an axis selection; write NAME=VALUE[,VALUE...]", term);
    *equals = '\0';
    for (size_t i = 0; i < axis_count; i++) {
        if (strcmp(axes[i].name, term) == 0) {
            FX_FAIL_IF(selections[i].named, err, FX_BAD_INPUT, "axis %s is given twice; join its values with a comma",
                       term);
            return fx_axis_parse(&axes[i], equals + 1, &selections[i], err);
        }
    }
    return unknown_axis(axes, axis_count, term, err);
}

fx_status fx_axes_parse(const fx_axis *axes, size_t axis_count, const char *text, fx_selection *selections,
                        fx_error *err) {
    for (size_t i = 0; i < axis_count; i++) {
        selections[i] = (fx_selection){0};
    }
    FX_FREED char *copy = fx_given(strdup(text ? text : ""));
    char *rest = NULL;
    fx_status status = FX_OK;
    for (char *term = strtok_r(copy, blanks, &rest); term && status == FX_OK; term = strtok_r(NULL, blanks, &rest)) {
        status = parse_term(axes, axis_count, term, selections, err);
    }
    if (status != FX_OK) {
        fx_selections_free(selections, axis_count);
    }
    return status;
}

bool fx_selection_holds(const fx_selection *selection, int64_t value) {
    for (size_t i = 0; i < selection->count; i++) {
        if (selection->values[i] == value) {
            return true;
        }
    }
    return !selection->named;
}

bool fx_selections_hold(const fx_selection *selections, const fx_params *params, size_t axis_count) {
    for (size_t i = 0; i < axis_count; i++) {
        if (!fx_selection_holds(&selections[i], params->value[i])) {
            return false;
        }
    }
    return true;
}

void fx_selections_free(fx_selection *selections, size_t axis_count) {
    for (size_t i = 0; selections && i < axis_count; i++) {
        free(selections[i].values);
        selections[i] = (fx_selection){0};
    }
}

bool fx_axis_listed(const char *words, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = words; length && at && (at = strstr(at, name)); at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}
