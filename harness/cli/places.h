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

/* "ROOT/a/b" -> "a/b", for messages; other paths as they are. */
const char *fx_short_path(const char *root, const char *path);

/* The same for what was just written, which somebody may want to open from here: short only where this folder is root.
 */
const char *fx_path_from_here(const char *root, const char *path);

#endif
