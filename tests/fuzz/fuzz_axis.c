/* The language of --axis: what is selected lies within the limits, holds nothing twice and reads back the same when it
 * is printed; what is refused leaves nothing to free. */
#include "core/axis.h"
#include "fuzz.h"

enum { OP, WIDTH, STRIDE, SIZE, ANY, AXES };
enum { LARGEST_TEXT = 1000 }; /* values that are printed and read again: more would only be slow */

static const fx_axis axes[AXES] = {
    {.name = "op", .unit = "", .choices = "load store  atomic"},
    {.name = "width", .unit = "bytes", .min = 1, .max = 16, .fallback = 4},
    {.name = "stride", .unit = "elements", .min = -8, .max = 64, .fallback = 1},
    {.name = "size", .unit = "bytes", .min = 0, .max = INT64_C(1) << 40, .fallback = 0},
    {.name = "any", .min = INT64_MIN, .max = INT64_MAX, .fallback = 0},
};

static int by_value(const void *a, const void *b) {
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static void check_values(const fx_axis *axis, const fx_selection *s) {
    fuzz_require(s->named && s->values && s->count > 0 && s->count <= 100000);
    char text[64];
    int64_t choices = 0;
    while (fx_axis_choice(axis, choices, text, sizeof text)) {
        choices++;
    }
    int64_t *sorted = malloc(s->count * sizeof *sorted);
    fuzz_require(sorted);
    memcpy(sorted, s->values, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, by_value);
    for (size_t i = 0; i < s->count; i++) {
        fuzz_require(sorted[i] >= (choices ? 0 : axis->min) && sorted[i] <= (choices ? choices - 1 : axis->max));
        fuzz_require(i == 0 || sorted[i] != sorted[i - 1]);
    }
    free(sorted);
}

static void check_round_trip(const fx_axis *axis, const fx_selection *s) {
    fx_error err = {0};
    fx_selection again = {0};
    char *text = NULL, value[64];
    size_t size = 0;
    if (s->count > LARGEST_TEXT) {
        return;
    }
    FILE *to = open_memstream(&text, &size);
    fuzz_require(to);
    for (size_t i = 0; i < s->count; i++) {
        fprintf(to, "%s%s", i ? "," : "", fx_axis_format(axis, s->values[i], value, sizeof value));
    }
    fclose(to);
    fuzz_require(fx_axis_parse(axis, text, &again, &err) == FX_OK);
    fuzz_require(again.count == s->count && !memcmp(again.values, s->values, s->count * sizeof *s->values));
    fx_selections_free(&again, 1);
    free(text);
}

/* First byte: which axis the rest is a selection of; above those, the rest is a selection of several axes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const unsigned which = data[0] % (AXES + 2);
    char *text = fuzz_text(data + 1, size - 1);
    fx_error err = {0};
    fx_selection selections[AXES];
    if (which < AXES) {
        const fx_status status = fx_axis_parse(&axes[which], text, &selections[0], &err);
        if (status == FX_OK) {
            check_values(&axes[which], &selections[0]);
            check_round_trip(&axes[which], &selections[0]);
            fx_selections_free(selections, 1);
        } else {
            fuzz_require_reason(status, &err);
            fuzz_require(!selections[0].values && !selections[0].named);
        }
    } else {
        const fx_status status = fx_axes_parse(axes, AXES, text, selections, &err);
        if (status != FX_OK) {
            fuzz_require_reason(status, &err);
        }
        for (size_t i = 0; i < AXES; i++) {
            fuzz_require(status == FX_OK || !selections[i].named);
            if (selections[i].named) {
                check_values(&axes[i], &selections[i]);
            } else {
                fuzz_require(!selections[i].values && selections[i].count == 0);
            }
        }
        fx_selections_free(selections, AXES);
    }
    free(text);
    return 0;
}
