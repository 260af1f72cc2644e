/* The kernel table is dispatch and machine-code check at once, so what is wrong with it shows without a GPU; so does
 * what is wrong with the table of counters, whenever the probe is listed. */
#include "kernel.h"

#include "text.h"

fx_status fx_kernel_serves(const fx_probe *probe, const fx_kernel *row, const fx_params *params, bool *out,
                           fx_error *err) {
    FX_OWNED(fx_selections_free_all) fx_selection wanted[FX_MAX_AXES] = {0};
    fx_error cause = {0};
    if (fx_axes_parse(probe->axes, probe->axes_count, row->where, wanted, &cause) != FX_OK) {
        char name[FX_NAME_BYTES];
        return fx_fail(err, FX_BAD_INPUT, "probe %s: kernel %s: %s", probe->name,
                       fx_kernel_name(row, name, sizeof name), cause.text);
    }
    *out = fx_selections_hold(wanted, params, probe->axes_count);
    return FX_OK;
}

fx_status fx_kernel_find(const fx_probe *probe, const fx_params *params, fx_role role, const char *name,
                         const fx_kernel **out, fx_error *err) {
    *out = NULL;
    for (size_t i = 0; i < probe->kernels_count; i++) {
        const fx_kernel *row = &probe->kernels[i];
        bool selected = false;
        if (row->role != role || (name && strcmp(row->entry.name, name) != 0)) {
            continue;
        }
        FX_TRY(fx_kernel_serves(probe, row, params, &selected, err));
        FX_FAIL_IF(selected && *out, err, FX_BAD_INPUT,
                   "probe %s: two rows of its kernel table select this case: '%s' and '%s'", probe->name, (*out)->where,
                   row->where);
        *out = selected ? row : *out;
    }
    return FX_OK;
}

const char *fx_kernel_name(const fx_kernel *kernel, char *text, size_t size) {
    const fx_entry *entry = &kernel->entry;
    (void)snprintf(text, size, "%s", entry->name);
    for (size_t i = 0; i < entry->count; i++) {
        fx_text_add(text, size, "%s%d%s", i == 0 ? "<" : ", ", entry->arguments[i], i + 1 == entry->count ? ">" : "");
    }
    return text;
}

bool fx_kernel_is_repeated(const fx_probe *probe, const fx_kernel *kernel) {
    char name[FX_NAME_BYTES], other[FX_NAME_BYTES];
    fx_kernel_name(kernel, name, sizeof name);
    for (const fx_kernel *row = probe->kernels; row < kernel; row++) {
        if (strcmp(fx_kernel_name(row, other, sizeof other), name) == 0) {
            return true;
        }
    }
    return false;
}

fx_status fx_counter_expect(const fx_case *c, const fx_counter *counter, bool *applies, double *count, fx_error *err) {
    const fx_probe *probe = c->probe;
    FX_OWNED(fx_selections_free_all) fx_selection wanted[FX_MAX_AXES] = {0};
    fx_error cause = {0};
    *applies = true;
    FX_FAIL_IF(fx_axes_parse(probe->axes, probe->axes_count, counter->where, wanted, &cause) != FX_OK, err,
               cause.status, "probe %s: counter %s: %.300s", probe->name, counter->metric, cause.text);
    for (size_t i = 0; i < probe->axes_count; i++) {
        FX_FAIL_IF(wanted[i].named && !probe->axes[i].choices, err, FX_BAD_INPUT,
                   "probe %s: counter %s: its selection names %s, which is not a choice", probe->name, counter->metric,
                   probe->axes[i].name);
        *applies = *applies && fx_selection_holds(&wanted[i], c->params.value[i]);
    }
    const double *found = fx_prediction_find(&c->prediction, counter->count);
    FX_FAIL_IF(*applies && !found, err, FX_BAD_INPUT, "probe %s: counter %s: %s predicts no count '%s'", probe->name,
               counter->metric, c->name, counter->count ? counter->count : "of its law");
    *count = found ? *found : 0;
    return FX_OK;
}
