/* The archive: one JSON Lines file per run, append-only, flushed line by line, compressed when the run has ended.
 *
 * results/schema/archive-2.schema.json is the format. The writer owns one file that it created itself (O_EXCL), or
 * appends to one of its parent process. A killed run loses at most the case it was in, and two writers lose nothing. */
#pragma once

#include "core/device.h"
#include "core/fit.h"
#include "core/sampler.h"

enum { FX_ARCHIVE_SCHEMA = 2, FX_POOLED = -1 };

typedef struct fx_archive fx_archive;

/* Creates <folder>/<UTC>-<id>.jsonl, making folders as needed, and writes `run` as its first line after adding "type",
 * "schema", "id" and "started_utc" (`run` is borrowed and changed). On failure no file is left behind, and a kill
 * leaves at most a hidden one, .<UTC>-<id>.jsonl.new, that no reader takes for an archive. */
fx_status fx_archive_create(const char *folder, json_t *run, fx_archive **out, fx_error *err);

/* Opens an archive that another process of this run created, for appending. FX_BAD_INPUT, and nothing is changed, if
 * fx_archive_head refuses the file. */
fx_status fx_archive_append_to(const char *path, fx_archive **out, fx_error *err);

/* FX_IO unless the archive's path still leads to the file that was opened, and nothing is gone from it: before another
 * process is sent there. */
fx_status fx_archive_in_place(fx_archive *archive, fx_error *err);

const char *fx_archive_path(const fx_archive *archive); /* borrowed */

/* Whose turn it was, and when. */
typedef struct fx_run_position {
    unsigned process;    /* from 0 */
    size_t place;        /* in the order of this process, from 0 */
    unsigned repetition; /* of Google Benchmark's, from 0 */
    double began_s;      /* since the run began */
} fx_run_position;

/* Each writes one line. */
fx_status fx_archive_case(fx_archive *archive, const fx_run_position *turn, const fx_case *c, const fx_result *result,
                          const fx_facts *facts, fx_error *err);
/* status: FX_UNSUPPORTED: the case is waived; else it failed. */
fx_status fx_archive_skipped(fx_archive *archive, const fx_run_position *turn, const fx_case *c, fx_status status,
                             const char *reason, fx_error *err);
/* process: FX_POOLED for a fit over the medians of all. `group` (axis name: value) is borrowed. */
fx_status fx_archive_fit(fx_archive *archive, int process, const fx_probe *probe, json_t *group, const char *law,
                         const char *metric, const fx_fit *fit, const char *worst_case, fx_error *err);

/* The `metric` object of a case, and its `params`, those of the named axes alone ("mode op"; NULL: all). New
 * references, NULL if memory ran out. */
extern const char *const fx_timebase_names[]; /* of each fx_timebase */
json_t *fx_metric_json(const fx_metric *metric);
json_t *fx_params_json(const fx_case *c, const char *names);

typedef struct fx_counts {
    size_t cases, waived, failed;
} fx_counts;

/* Counts and sums up the lines, writes the `end` line and syncs. reason: NULL when complete, else "interrupted",
 * "device_lost", ... *counts: in, how many there must be at least, else FX_IO; out, how many there are. */
fx_status fx_archive_end(fx_archive *archive, const char *reason, fx_counts *counts, double elapsed_s, fx_error *err);

/* Puts <name>.jsonl.gz in the place of <name>.jsonl; fx_archive_path is then its path. After a failure the text file
 * stands as it was. FX_BAD_INPUT: somebody wrote behind the end line. */
fx_status fx_archive_compress(fx_archive *archive, fx_error *err);

/* Closes the descriptor; NULL is fine. */
void fx_archive_close(fx_archive *archive);

/* Reads of an archive the first line and those whose type begins with `type` ("": all, the end line too): what a later
 * process of a run, another run and `pattern` need. Whether an archive is whole is checked in Python; here only that it
 * is one of schema FX_ARCHIVE_SCHEMA, that its lines have the sum of its end line and that nothing follows that,
 * else FX_BAD_INPUT. `line` is called with each parsed object (borrowed) and its 1-based line number; a non-FX_OK
 * return ends the reading and is returned. A last line without its newline is skipped. *incomplete (may be NULL): the
 * run did not come to its end, or half a line follows it. */
typedef fx_status (*fx_archive_line)(void *context, const json_t *object, size_t number, fx_error *err);
#define fx_archive_read(path, type, line, context, incomplete, err)                                                    \
    fx_archive_read_with(path, type, NULL, line, context, incomplete, err)

/* The same of the lines alone that hold the word, such as "\"searched\":true": the others are not parsed. */
fx_status fx_archive_read_with(const char *path, const char *type, const char *word, fx_archive_line line,
                               void *context, bool *incomplete, fx_error *err);

/* The first line alone, whose objects and arrays of the third level are empty: it has the names of its probes, and
 * nothing of them. Free with json_decref. */
fx_status fx_archive_head(const char *path, json_t **run, fx_error *err);

/* FX_BAD_INPUT for a pipe, which would never answer a second time. */
fx_status fx_archive_can_be_read_again(const char *path, fx_error *err);

/* Whether a name is longer than `end` and ends in it. */
bool fx_ends_in(const char *name, const char *end);
