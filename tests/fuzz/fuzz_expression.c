/* Expressions in `lane` and `t`: an expression that was accepted has the same value, or the same refusal, each time it
 * is evaluated, and keeps it in brackets and with nothing added to it; one that was refused says why. */
#include "core/expression.h"
#include "fuzz.h"

enum { SHORT = 24 }; /* bytes: far from any limit of length or depth, so that brackets around it must be accepted */

static const int64_t points[][2] = {{0, 0}, {1, 0}, {31, 0}, {7, 3}, {31, INT64_MAX}, {0, INT64_MIN}};

typedef struct value {
    fx_status status;
    int64_t number;
} value;

static value evaluate(const fx_expression *e, size_t point) {
    fx_error err = {0};
    value v = {0};
    v.status = fx_expression_eval(e, points[point][0], points[point][1], &v.number, &err);
    if (v.status != FX_OK) {
        fuzz_require_reason(v.status, &err);
        v.number = 0;
    }
    return v;
}

/* The same expression between two texts. */
static void check_same_inside(const fx_expression *e, const char *before, const char *text, const char *after) {
    fx_error err = {0};
    fx_expression *wrapped = NULL;
    char longer[SHORT + 32];
    (void)snprintf(longer, sizeof longer, "%s%s%s", before, text, after);
    if (fx_expression_parse(longer, NULL, &wrapped, &err) != FX_OK) {
        fprintf(stderr, "%s: %s\n", longer, err.text);
    }
    fuzz_require(wrapped);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const value a = evaluate(e, i), b = evaluate(wrapped, i);
        fuzz_require(a.status == b.status && a.number == b.number);
    }
    fx_expression_free(wrapped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_expression *e = NULL;
    char *text = fuzz_text(data, size);
    const fx_status status = fx_expression_parse(text, NULL, &e, &err);
    if (status == FX_OK) {
        fuzz_require(e);
        for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
            const value a = evaluate(e, i), b = evaluate(e, i);
            fuzz_require(a.status == b.status && a.number == b.number);
        }
        if (strlen(text) < SHORT) {
            check_same_inside(e, "(", text, ")");
            check_same_inside(e, "0 + (", text, ")");
            check_same_inside(e, "(", text, ") * 1");
            check_same_inside(e, "~~(", text, ")");
        }
        fx_expression_free(e);
    } else {
        fuzz_require(!e);
        fuzz_require_reason(status, &err);
    }
    free(text);
    return 0;
}
