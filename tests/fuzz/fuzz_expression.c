/* Expressions in `lane` and `t`: an expression that was accepted has the same value, or the same refusal, each time it
 * is evaluated, and keeps it in brackets and with nothing added to it; one that was refused says why. */
#include "core/expression.h"
#include "fuzz.h"

enum { SHORT = 24, STEPS = 4 }; /* bytes: far from any limit of depth, so that brackets around it must be accepted */

static const int64_t steps[STEPS] = {0, 3, INT64_MAX, INT64_MIN};

typedef struct answer {
    fx_status status[STEPS];
    int64_t lanes[STEPS][FX_WARP];
} answer;

static answer evaluate(const char *text) {
    answer a = {0};
    for (size_t i = 0; i < STEPS; i++) {
        fx_error err = {0};
        a.status[i] = fx_expression_values(text, NULL, steps[i], a.lanes[i], &err);
        if (a.status[i] != FX_OK) {
            fuzz_require_reason(a.status[i], &err);
            memset(a.lanes[i], 0, sizeof a.lanes[i]);
        }
    }
    return a;
}

/* The same expression between two texts. */
static void check_same_inside(const answer *wanted, const char *before, const char *text, const char *after) {
    char longer[SHORT + 32];
    (void)snprintf(longer, sizeof longer, "%s%s%s", before, text, after);
    const answer got = evaluate(longer);
    if (memcmp(&got, wanted, sizeof got) != 0) {
        fprintf(stderr, "%s: not as %s\n", longer, text);
    }
    fuzz_require(memcmp(&got, wanted, sizeof got) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    char *text = fuzz_text(data, size);
    const fx_status status = fx_expression_values(text, NULL, 0, NULL, &err);
    if (status == FX_OK) {
        const answer a = evaluate(text), again = evaluate(text);
        fuzz_require(memcmp(&a, &again, sizeof a) == 0);
        if (strlen(text) < SHORT) {
            check_same_inside(&a, "(", text, ")");
            check_same_inside(&a, "0 + (", text, ")");
            check_same_inside(&a, "(", text, ") * 1");
            check_same_inside(&a, "~~(", text, ")");
        }
    } else {
        fuzz_require_reason(status, &err);
    }
    free(text);
    return 0;
}
