/* Progress of a run. On a terminal: one status line on stderr with percentage, current case and time left, out of the
 * way before anything else is printed. In a pipe: the result lines alone. A child process of --processes hands its
 * events to its parent instead, which shows them all as one run. A program has one status line: this is one object. */
#pragma once

#include "archive/archive.h"

typedef enum fx_outcome { FX_MEASURED, FX_WAIVED, FX_FAILED } fx_outcome;

/* Starts the clock; warnings go the same way from now on. `cases`: of the first process; all others measure `spared` of
 * them less. `results`: where result lines go. `events_fd`: the parent's pipe, -1 without one. */
void fx_progress_begin(size_t cases, size_t processes, size_t spared, FILE *results, int events_fd);

/* So many cases more than was said at the beginning, or fewer. */
void fx_progress_more(ptrdiff_t cases);

/* Of several processes this one runs now, from 1. */
void fx_progress_process(size_t number);
void fx_progress_case(const char *name);    /* this case starts */
void fx_progress_done(fx_outcome outcome);  /* one case has ended */
void fx_progress_result(const char *line);  /* a line about a finished probe */
void fx_progress_ended(const char *reason); /* the process stopped early: "interrupted", "device_lost" */

/* Handles one line written by a child's fx_progress_* into its pipe (no newline). Returns the reason if it was that of
 * an early end (borrowed from `line`), else NULL. */
const char *fx_progress_event(char *line);

/* "12.3 s"; of what took no time to speak of, such as a run on a synthetic device, "0.004 s". Returns `to`. */
enum { FX_TOOK = 32 };
const char *fx_progress_took(char to[FX_TOOK], double seconds);

/* What has ended so far, children's cases included. */
fx_counts fx_progress_tally(void);

/* Removes the status line for good. */
void fx_progress_end(void);
