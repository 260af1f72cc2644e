/* --processes auto: which cases one more process of a run is to measure, and how it learns of them. */
#ifndef FX_AUTO_PROCESSES_H
#define FX_AUTO_PROCESSES_H

#include <stdbool.h>

#include "archive/archive.h"
#include "core/cases.h"

/* Sets more[i] where cases->cases[i] wants one more process, by what the archive, still being written, has of it:
 * see run/needed_processes.h. precision: 0.005 is half a per cent. longest_s: a case whose
 * processes took longer together wants none; INFINITY: no limit. all: whether the run was to have every
 * case of the list; else one that the archive does not mention is not one of its. */
fx_status fx_by_need(const fx_archive *archive, const fx_case_list *cases, double precision, double longest_s, bool all,
                     bool *more, size_t *wanted, fx_error *err);

/* The choice as a text for the parent's record, one '0' or '1' per case; the caller frees *chosen. */
fx_status fx_by_need_hand(const bool *more, size_t count, char **chosen, fx_error *err);

/* In the child: leaves the chosen cases in the list, which must be the one that the choice was made from. */
fx_status fx_by_need_take(const char *chosen, fx_case_list *cases, fx_error *err);

#endif
