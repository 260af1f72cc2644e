/* Reading JSON objects that people write: a table of the keys allowed there, with types and limits. What is not
 * in the table is an error that names the key, so that a typo can't silently fall back to a default. */
#pragma once

#include <jansson.h>

#include "error.h"

typedef enum fx_field_type {
    FX_FIELD_NUMBER,   /* double */
    FX_FIELD_INT,      /* int */
    FX_FIELD_UNSIGNED, /* unsigned */
    FX_FIELD_U64,      /* uint64_t */
    FX_FIELD_BOOL,     /* bool */
    FX_FIELD_TEXT,     /* const char *, borrowed from the document */
    FX_FIELD_OBJECT,   /* json_t *, borrowed */
    FX_FIELD_ARRAY,    /* json_t *, borrowed */
} fx_field_type;

typedef struct fx_field {
    const char *key;
    fx_field_type type;
    void *target; /* NULL: the key is allowed and not used (a description) */
    bool required;
    double min, max; /* of numbers, inclusive */
} fx_field;

/* Reads `object` into the targets; those of keys that are absent stay as they are. `where` opens the error sentence
 * ("device.json: models[3]"). FX_BAD_INPUT names the key and what is allowed there. */
fx_status fx_fields_read(const json_t *object, const char *where, const fx_field *fields, size_t count, fx_error *err);
