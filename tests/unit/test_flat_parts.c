/* Flat parts and where they change, as tests/vectors/flat_parts.json says. */
#include "unit.h"

#include <math.h>

#include "core/flat_parts.h"
#include "vectors.h"

enum { MOST = 16 };

/* Index that a vector names; null is 0, as for a walk without the change. */
static size_t index_at(const json_t *one, const char *key) {
    return (size_t)json_integer_value(json_object_get(one, key));
}

static void assert_parts(const json_t *one, const fx_part *parts, size_t count) {
    const char *what = json_string_value(json_object_get(one, "what"));
    const json_t *wanted = json_object_get(one, "parts"), *part;
    size_t i;
    if (json_array_size(wanted) != count) {
        fail_msg("%s: %zu parts", what, count);
    }
    json_array_foreach(wanted, i, part) {
        const double cost = json_number_value(json_array_get(part, 2));
        if (json_integer_value(json_array_get(part, 0)) != (json_int_t)parts[i].first ||
            json_integer_value(json_array_get(part, 1)) != (json_int_t)parts[i].end - 1 ||
            !(fabs(exp(parts[i].log) - cost) <= 1e-9 * cost)) {
            fail_msg("%s: part %zu is %zu..%zu at %.12g", what, i, parts[i].first, parts[i].end - 1, exp(parts[i].log));
        }
    }
}

static void assert_change(const json_t *one, const char *key, size_t found) {
    if (index_at(one, key) != found) {
        fail_msg("%s: %s is %zu", json_string_value(json_object_get(one, "what")), key, found);
    }
}

TEST(the_cases_of_the_file) {
    json_t *file = vectors("flat_parts.json");
    const json_t *cases = json_object_get(file, "cases"), *one, *level;
    size_t index, i;
    assert_true(json_array_size(cases) > 10);
    json_array_foreach(cases, index, one) {
        const json_t *walk = json_object_get(one, "levels");
        const size_t n = json_array_size(walk);
        const double tolerance = number_at(one, "tolerance");
        fx_level levels[MOST];
        fx_part parts[MOST];
        assert_in_range(n, 1, MOST);
        json_array_foreach(walk, i, level) {
            levels[i] = (fx_level){.log = log(json_number_value(json_array_get(level, 0))),
                                   .error = json_number_value(json_array_get(level, 1))};
        }
        assert_parts(one, parts, fx_parts(levels, n, parts));
        assert_change(one, "first_ends", fx_first_ends(levels, n, tolerance));
        assert_change(one, "last_begins", fx_last_begins(levels, n, tolerance));
    }
    json_decref(file);
}

UNIT_MAIN(NULL, NULL)
