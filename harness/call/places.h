/* Where things are: the project's folder, the Python with the packages of plot/, the folders of archives. */
#pragma once

#include <limits.h>

#include "core/device.h"

/* $GPUFX_ROOT, else the nearest folder above the program that holds results/schema, itself or in share/gpufx. */
fx_status fx_root(char root[PATH_MAX], fx_error *err);

/* The folder in which results/ and out/ of this user lie: $GPUFX_HOME, else the project's folder if it is a checkout,
 * else, of an installed program, $XDG_DATA_HOME/gpufx or ~/.local/share/gpufx, which need not be there yet. */
fx_status fx_home(const char *root, char home[PATH_MAX], fx_error *err);

/* $GPUFX_PYTHON, else root/.venv/bin/python, else "python3". */
void fx_python(const char *root, char python[PATH_MAX]);

/* The parameter files of synthetic devices. */
fx_status fx_synthetic_folder(const char *root, char folder[PATH_MAX], fx_error *err);

/* A new array of the names of the synthetic devices. */
json_t *fx_synthetic_names(const char *root);

/* The folder of a new archive: `out` (--out) if given, else results/ or, for a synthetic device, out/ of fx_home.
 * Refuses a synthetic archive under results/, whatever links lead there (FX_BAD_INPUT). */
fx_status fx_archive_folder(const char *root, const char *out, const fx_device *device, char folder[PATH_MAX],
                            fx_error *err);

/* "ROOT/a/b" -> "a/b", for messages; other paths as they are. */
const char *fx_short_path(const char *root, const char *path);

/* The same for what was just written and may be opened from here: short only where this folder is root. */
const char *fx_path_from_here(const char *root, const char *path);
