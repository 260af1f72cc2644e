/* A folder for archives that is gone after the tests, and a case and a result with every field set. */
#pragma once

#include "archive/archive.h"

extern char folder[64];
extern const fx_probe probe; /* of the case */

/* Before and after all tests. */
int make_folder(void **state);
int remove_folder(void **state);

void in_folder(char path[200], const char *name);
void write_text(const char *path, const char *text, size_t size);

/* The caller frees nothing. */
fx_case full_case(void);
fx_result full_result(void);

json_t *run_line(void);
fx_archive *create(const char *where); /* or the test fails */

/* Collects copies of all lines in a JSON array; read_all has the test fail where they can't be read. */
fx_status collect(void *context, const json_t *object, size_t number, fx_error *err);
json_t *read_all(const char *path, bool *incomplete);

void expect_json(const json_t *object, const char *key, const char *expected);
