/* Where things are: the project's folder, the Python with the packages of plot/, the folders of archives. */
#ifndef FX_PLACES_H
#define FX_PLACES_H

#include <limits.h>
#include <stdbool.h>

#include "core/device.h"

/* $GPUFX_ROOT, else the nearest folder above the program that holds results/schema. */
fx_status fx_root(char root[PATH_MAX], fx_error *err);

/* $GPUFX_PYTHON, else root/.venv/bin/python, else "python3". */
void fx_python(const char *root, char python[PATH_MAX]);

/* The parameter files of synthetic devices. */
fx_status fx_synthetic_folder(const char *root, char folder[PATH_MAX], fx_error *err);

/* A new array of the names of the synthetic devices. */
json_t *fx_synthetic_names(const char *root);

/* The folder of a new archive: `out` (--out) if given, else results/ or, for a synthetic device, out/. Refuses a
 * synthetic archive under results/, whatever links lead there (FX_BAD_INPUT). */
fx_status fx_archive_folder(const char *root, const char *out, const fx_device *device, char folder[PATH_MAX],
                            fx_error *err);

/* The archive to compare with: the latest one of the same device (by slug), else of the same architecture, else of any
 * device under root/results. It is complete, was not taken under a profiler, has cases of every probe that
 * `self` has cases of, and is --quick where `self` is. Never `self`. Returns false if there is none. */
bool fx_nearest_archive(const char *root, const char *self, const char *slug, const char *arch, char path[PATH_MAX]);

/* The latest complete archive, --quick ones left out, that has cases of `probe`: of the device `slug` (NULL: skip this
 * step), else of the architecture. Returns false if there is none. */
bool fx_latest_archive(const char *root, const char *slug, const char *arch, const char *probe, char path[PATH_MAX]);

/* "ROOT/a/b" -> "a/b", for messages; other paths as they are. */
const char *fx_short_path(const char *root, const char *path);

#endif
