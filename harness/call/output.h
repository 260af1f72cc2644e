/* The one way in which this program writes a file that has a name of the user's: a chart, an answer, an archive at
 * rest.
 *
 *   - If there is nothing at the path, or a regular file: written beside its place, synced, then put there in one
 *     step. Nobody sees half of it, and after a failure or a kill the old file stands as it was.
 *   - A device, FIFO or socket: opened and written as it is, never replaced; so is what a link such as /dev/stdout
 *     leads to.
 *   - A link to a file or to nothing: refused, since through a link in /tmp somebody else would choose the file.
 *   - A folder, and a file without permission to write: refused.
 *
 * plot/gpufx_plot/call/output.py does the same in Python; both are held to tests/vectors/output.json. */
#pragma once

#include "core/error.h"

typedef struct fx_output fx_output;

/* FX_BAD_INPUT for what is refused, FX_IO for what fails; the sentence names the path and what to do. Waits for a
 * reader if the path is a FIFO. End *out with fx_output_commit or fx_output_abort. */
fx_status fx_output_open(const char *path, fx_output **out, fx_error *err);

/* Where to write. It belongs to the output, which closes it. */
FILE *fx_output_stream(fx_output *output);

/* Writes out what the stream holds, syncs and puts the file in its place: with the permissions of the file that it
 * replaces, else those of the umask. FX_IO if anything failed at any time, and then the old file still stands. `output`
 * is freed in any case. */
fx_status fx_output_commit(fx_output *output, fx_error *err);

/* Forgets what was written; a device or a FIFO keeps what it has got. NULL is fine. */
void fx_output_abort(fx_output *output);
