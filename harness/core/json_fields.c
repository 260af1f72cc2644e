/* Strict reading of JSON objects, driven by a table of fields. */
#include "json_fields.h"

#include "nearest.h"

#define ONE(type) (1u << (type))

/* What a value must be, in words and as a set of jansson's types. */
static const struct {
    const char *words;
    unsigned types;
} kinds[] = {
    [FX_FIELD_NUMBER] = {"a number", ONE(JSON_INTEGER) | ONE(JSON_REAL)},
    [FX_FIELD_INT] = {"a whole number", ONE(JSON_INTEGER)},
    [FX_FIELD_UNSIGNED] = {"a whole number", ONE(JSON_INTEGER)},
    [FX_FIELD_U64] = {"a whole number", ONE(JSON_INTEGER)},
    [FX_FIELD_BOOL] = {"true or false", ONE(JSON_TRUE) | ONE(JSON_FALSE)},
    [FX_FIELD_TEXT] = {"a string", ONE(JSON_STRING)},
    [FX_FIELD_OBJECT] = {"an object {...}", ONE(JSON_OBJECT)},
    [FX_FIELD_ARRAY] = {"an array [...]", ONE(JSON_ARRAY)},
};

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
    FX_FAIL_IF(!(kinds[field->type].types & ONE(json_typeof(value))), err, FX_BAD_INPUT, "%s: \"%s\" must be %s", where,
               field->key, kinds[field->type].words);
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
    count = count < MOST_KEYS ? count : MOST_KEYS;
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
