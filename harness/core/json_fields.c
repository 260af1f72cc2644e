/* Strict reading of JSON objects, driven by a table of fields. */
#include "json_fields.h"

#include <stdint.h>
#include <string.h>

#include "nearest.h"

static const char *expected(fx_field_type type) {
    switch (type) {
    case FX_FIELD_NUMBER:
        return "a number";
    case FX_FIELD_INT:
    case FX_FIELD_UNSIGNED:
    case FX_FIELD_U64:
        return "a whole number";
    case FX_FIELD_BOOL:
        return "true or false";
    case FX_FIELD_TEXT:
        return "a string";
    case FX_FIELD_OBJECT:
        return "an object {...}";
    case FX_FIELD_ARRAY:
        return "an array [...]";
    }
    return "something else";
}

static bool has_type(const json_t *value, fx_field_type type) {
    switch (type) {
    case FX_FIELD_NUMBER:
        return json_is_number(value);
    case FX_FIELD_INT:
    case FX_FIELD_UNSIGNED:
    case FX_FIELD_U64:
        return json_is_integer(value);
    case FX_FIELD_BOOL:
        return json_is_boolean(value);
    case FX_FIELD_TEXT:
        return json_is_string(value);
    case FX_FIELD_OBJECT:
        return json_is_object(value);
    case FX_FIELD_ARRAY:
        return json_is_array(value);
    }
    return false;
}

static void store(const json_t *value, const fx_field *field) {
    switch (field->type) {
    case FX_FIELD_NUMBER:
        *(double *)field->target = json_number_value(value);
        break;
    case FX_FIELD_INT:
        *(int *)field->target = (int)json_integer_value(value);
        break;
    case FX_FIELD_UNSIGNED:
        *(unsigned *)field->target = (unsigned)json_integer_value(value);
        break;
    case FX_FIELD_U64:
        *(uint64_t *)field->target = (uint64_t)json_integer_value(value);
        break;
    case FX_FIELD_BOOL:
        *(bool *)field->target = json_is_true(value);
        break;
    case FX_FIELD_TEXT:
        *(const char **)field->target = json_string_value(value);
        break;
    case FX_FIELD_OBJECT:
    case FX_FIELD_ARRAY:
        *(const json_t **)field->target = value;
        break;
    }
}

static fx_status read_one(const json_t *value, const char *where, const fx_field *field, fx_error *err) {
    FX_FAIL_IF(!has_type(value, field->type), err, FX_BAD_INPUT, "%s: \"%s\" must be %s", where, field->key,
               expected(field->type));
    if (json_is_number(value)) {
        double number = json_number_value(value);
        FX_FAIL_IF(!(number >= field->min && number <= field->max), err, FX_BAD_INPUT,
                   "%s: \"%s\" is %.10g and must lie between %.10g and %.10g", where, field->key, number, field->min,
                   field->max);
    }
    if (field->target) {
        store(value, field);
    }
    return FX_OK;
}

static fx_status unknown_key(const char *key, const char *where, const fx_field *fields, size_t count, fx_error *err) {
    enum { MOST_KEYS = 32 };
    const char *known[MOST_KEYS];
    char list[300];
    if (count > MOST_KEYS) {
        count = MOST_KEYS;
    }
    for (size_t i = 0; i < count; i++) {
        known[i] = fields[i].key;
    }
    return fx_fail(err, FX_BAD_INPUT, "%s: unknown key \"%s\"; known are %s", where, key,
                   fx_nearest_list(key, known, count, list, sizeof list));
}

fx_status fx_fields_read(const json_t *object, const char *where, const fx_field *fields, size_t count, fx_error *err) {
    FX_FAIL_IF(!json_is_object(object), err, FX_BAD_INPUT, "%s must be an object {...}", where);
    for (size_t i = 0; i < count; i++) {
        FX_FAIL_IF(fields[i].required && !json_object_get(object, fields[i].key), err, FX_BAD_INPUT,
                   "%s: \"%s\" is missing; add it", where, fields[i].key);
    }
    const char *key;
    json_t *value;
    /* jansson's iteration takes a plain pointer but changes nothing. */
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        size_t i = 0;
        while (i < count && strcmp(key, fields[i].key) != 0) {
            i++;
        }
        if (i == count) {
            return unknown_key(key, where, fields, count, err);
        }
        FX_TRY(read_one(value, where, &fields[i], err));
    }
    return FX_OK;
}
