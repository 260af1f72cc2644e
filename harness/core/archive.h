/* The archive: one JSON Lines file per run, append-only, flushed line by line.
 *
 * results/schema/archive-1.schema.json is the format. The writer owns one file that it created itself (O_EXCL), or
 * appends to one that its parent process created (a further launch). Every line is one write(2) to an O_APPEND
 * descriptor, under a lock on the file: a killed run loses at most the case it was in, and two writers lose nothing. */
#ifndef FX_ARCHIVE_H
#define FX_ARCHIVE_H

#include "device.h"
#include "fit.h"
#include "sampler.h"

enum { FX_ARCHIVE_SCHEMA = 1 };

typedef struct fx_archive fx_archive;

/* Creates <folder>/<UTC>-<id>.jsonl, making folders as needed, and writes `run` as its first line after adding "type",
 * "schema", "id" and "started_utc" (`run` is borrowed and changed). On failure no file is left behind, and a kill
 * leaves at most a hidden one, .<UTC>-<id>.jsonl.new, that no reader takes for an archive. */
fx_status fx_archive_create(const char *folder, json_t *run, fx_archive **out, fx_error *err);

/* Opens an archive that another process of this run created, for appending. FX_BAD_INPUT, and nothing is changed, if
 * the file does not begin with a "run" line. */
fx_status fx_archive_append_to(const char *path, fx_archive **out, fx_error *err);

/* FX_IO unless the archive's path still leads to the file that was opened: before another process is sent there. */
fx_status fx_archive_in_place(const fx_archive *archive, fx_error *err);

const char *fx_archive_path(const fx_archive *archive); /* borrowed */

/* Each writes one line. `launch` counts from 0. */
fx_status fx_archive_case(fx_archive *archive, unsigned launch, const fx_case *c, const fx_result *result,
                          const fx_facts *facts, fx_error *err);
fx_status fx_archive_waived(fx_archive *archive, unsigned launch, const fx_case *c, const char *reason, fx_error *err);
fx_status fx_archive_failed(fx_archive *archive, unsigned launch, const fx_case *c, const fx_error *cause,
                            fx_error *err);
/* `group` (axis name: value) is borrowed. */
fx_status fx_archive_fit(fx_archive *archive, unsigned launch, const fx_probe *probe, json_t *group, const char *law,
                         const char *metric, const fx_fit *fit, const char *worst_case, fx_error *err);

/* Writes the `end` line and syncs. reason: NULL when complete, else "interrupted", "device_lost", ... */
fx_status fx_archive_end(fx_archive *archive, const char *reason, size_t cases, size_t waived, size_t failed,
                         double elapsed_s, fx_error *err);

/* Closes the descriptor; NULL is fine. */
void fx_archive_close(fx_archive *archive);

/* Reads an archive line by line. `line` is called with each parsed object (borrowed) and its 1-based line number; a
 * non-FX_OK return ends the reading and is returned. A last line without its newline is a truncated one: it is skipped
 * and *truncated (may be NULL) set. A file whose first line is no `run` line, or of a newer schema, is FX_BAD_INPUT. */
typedef fx_status (*fx_archive_line)(void *context, const json_t *object, size_t number, fx_error *err);
fx_status fx_archive_read(const char *path, fx_archive_line line, void *context, bool *truncated, fx_error *err);

#endif
