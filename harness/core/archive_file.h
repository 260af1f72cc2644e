/* The file under an archive: whole lines in, nothing else. Private to archive_*.c. */
#ifndef FX_ARCHIVE_FILE_H
#define FX_ARCHIVE_FILE_H

#include "archive.h"

/* Writes `object` as one line and drops the reference. NULL stands for memory that ran out while it was built. */
fx_status fx_archive_put_take(fx_archive *archive, json_t *object, fx_error *err);

/* Waits until the file is on the disk. */
fx_status fx_archive_sync(fx_archive *archive, fx_error *err);

/* `text` as a JSON string; bytes that are no UTF-8 (a path's, a text cut in mid-letter) become '?'. */
json_t *fx_archive_text(const char *text);

#endif
