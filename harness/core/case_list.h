/* From axes to cases: expands a probe's sweeps, narrowed by what the user asked for. */
#pragma once

#include "probe.h"

typedef struct fx_case_list {
    fx_case *cases; /* owned; grow.h */
    size_t count;
} fx_case_list;

/* Appends the cases of `probe` to `list`, sweep by sweep, the last axis of the probe varying fastest. Points that
 * differ in no value (fallbacks counted) appear once. `overrides` are `count` texts of --axis; those that are
 * of no axis of this probe are passed over. They keep the sweeps that name the axis: a choice is narrowed to the values
 * given, a number takes the values given. A sweep that leaves a choice at its default is kept, too, if that is among
 * the values. A sweep that ends with no value for an axis is dropped. Each case has its lanes, law and waived reason
 * filled in. An empty result is FX_OK with nothing appended. */
fx_status fx_cases_expand(const fx_probe *probe, const fx_facts *facts, bool quick, const char *const *overrides,
                          size_t count, fx_case_list *list, fx_error *err);

/* One case of the probe, at these params. */
fx_status fx_case_make(const fx_probe *probe, const fx_facts *facts, const fx_sweep *sweep, const fx_params *params,
                       fx_case *out, fx_error *err);

/* Puts a case behind the last one of its probe in the list. */
void fx_case_list_add(fx_case_list *list, const fx_case *c);

/* NAME=VALUES of an override "NAME=VALUES" or "PROBE.NAME=VALUES" that is about this probe; NULL: it is not. */
const char *fx_probe_override(const fx_probe *probe, const char *text);

/* Leaves those cases in the list for which chosen[i] is '1'. */
void fx_case_list_keep(fx_case_list *list, const char *chosen);

void fx_case_list_free(fx_case_list *list);

/* The cases of a list in the order of their names; borrowed, so it holds until the list changes. */
typedef struct fx_case_index {
    const fx_case **sorted; /* owned */
    size_t count;
} fx_case_index;

/* Free with free(index.sorted). */
fx_case_index fx_case_index_make(const fx_case_list *list);

/* The place in the list of the case of this name; SIZE_MAX: there is none. */
size_t fx_case_index_find(const fx_case_index *index, const fx_case_list *list, const char *name);
