/* Archives of schema 1, brought up to schema 2 line by line while they are read; the files stay as they are. What this
 * takes beside the lines is data: results/schema/migrate-1.json, which the build puts into the program. */
#ifndef FX_ARCHIVE_MIGRATE_H
#define FX_ARCHIVE_MIGRATE_H

#include <jansson.h>

#include "core/error.h"

/* Parses the data; NULL stands for the program's own. Free with json_decref. */
fx_status fx_migration_load(const char *text, json_t **out, fx_error *err);

/* Changes `line`, an object of schema 1, into one of schema 2. What schema 1 did not say is null, or missing where that
 * says the same. */
fx_status fx_migrate_1(const json_t *migration, json_t *line, fx_error *err);

#endif
