/* Vectors of a rule that C and Python both have: tests of both read tests/vectors/NAME. */
#pragma once

#include <jansson.h>

/* The caller frees with json_decref. */
static inline json_t *vectors(const char *name) {
    char path[512];
    json_error_t problem;
    (void)snprintf(path, sizeof path, "%s/%s", FX_VECTORS, name);
    json_t *file = json_load_file(path, 0, &problem);
    if (!file) {
        fail_msg("%s, line %d: %s", path, problem.line, problem.text);
    }
    return file;
}

static inline double number_at(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}
