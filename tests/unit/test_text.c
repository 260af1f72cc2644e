/* What is harmful becomes '?', all else stays: the cases of vectors/text.json, which gpufx_plot is held to as well, and
 * every code point there is. */
#include "unit.h"

#include "core/text.h"

#include "vectors.h"

static char printed[256];

static const char *print(void (*how)(FILE *, const char *), const char *text) {
    printed[0] = '\0';
    FILE *to = fmemopen(printed, sizeof printed, "w");
    assert_non_null(to);
    how(to, text);
    assert_int_equal(fclose(to), 0);
    return printed;
}

TEST(the_cases_of_the_file) {
    json_t *cases = vectors("text.json");
    assert_true(json_array_size(cases) > 10);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const char *bytes = json_string_value(json_object_get(json_array_get(cases, i), "bytes"));
        const char *wanted = json_string_value(json_object_get(json_array_get(cases, i), "text"));
        char text[128] = "";
        for (size_t k = 0; bytes[2 * k]; k++) {
            const char digits[] = {bytes[2 * k], bytes[2 * k + 1], '\0'};
            text[k] = (char)strtoul(digits, NULL, 16);
        }
        assert_string_equal(fx_text_safe(text), wanted);
    }
    json_decref(cases);
}

TEST(messages_of_github) {
    json_t *cases = vectors("github.json");
    assert_true(json_array_size(cases) > 0);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        assert_string_equal(print(fx_text_print_github, fx_json_text(one, "text")), fx_json_text(one, "message"));
    }
    json_decref(cases);
}

static size_t encode(uint32_t point, char out[5]) {
    const size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = length; k-- > 0; point >>= 6) {
        out[k] = (char)(k ? 0x80 | (point & 0x3f) : lead[length] | point);
    }
    out[length] = '\0';
    return length;
}

/* Written out once more, so that a slip in the table is seen. */
static bool is_harmful(uint32_t p) {
    return p < 0x20 || (p >= 0x7f && p < 0xa0) || p == 0x61c || p == 0x200e || p == 0x200f || p == 0x2028 ||
           p == 0x2029 || (p >= 0x202a && p <= 0x202e) || (p >= 0x2066 && p <= 0x2069) || p == 0xfffe || p == 0xffff;
}

TEST(every_code_point) {
    for (uint32_t point = 1; point <= 0x10ffff; point++) {
        char text[5], before[5];
        (void)encode(point, text);
        memcpy(before, text, sizeof text);
        const char *wanted = point >= 0xd800 && point < 0xe000 ? "???" : is_harmful(point) ? "?" : before;
        if (strcmp(fx_text_safe(text), wanted) != 0) {
            fail_msg("U+%04X became \"%s\"", point, text);
        }
    }
}

static void print_json(FILE *to, const char *text) {
    json_t *value = json_pack("[s]", text);
    assert_int_equal(fx_text_print_json(to, value, 0), 0);
    json_decref(value);
}

TEST(json) {
    assert_string_equal(print(print_json, "\x1b\x7f\x7f \xc3\xbc \xe2\x80\xae"),
                        "[\"\\u001B\\u007f\\u007f \\u00FC \\u202E\"]");
}

UNIT_MAIN(NULL, NULL)
