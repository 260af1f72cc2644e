#include "predictions.h"

#include <math.h>

#include "archive.h"
#include "fit_lines.h"

typedef struct saying {
    fx_predictor *fits;
    json_t *costs;
} saying;

static fx_status take(void *context, const json_t *line, size_t number, fx_error *err) {
    saying *s = context;
    const char *name = json_string_value(json_object_get(line, "name"));
    const json_t *count = json_object_get(json_object_get(line, "law"), "count");
    if (number == 1 || !name || !json_is_number(count) || json_object_get(s->costs, name)) {
        return FX_OK;
    }
    const double cost = fx_predict(fx_predictor_find_line(s->fits, line), json_number_value(count));
    if (isfinite(cost) && json_object_set_new(s->costs, name, json_real(cost))) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while predicting cases");
    }
    return FX_OK;
}

fx_status fx_predictions(const char *path, json_t **out, fx_error *err) {
    saying s = {.costs = json_object()};
    fx_status status = fx_predictor_open_archived(path, &s.fits, err);
    if (!status) {
        status = fx_archive_pick_again(path, "case", take, &s, err);
    }
    fx_predictor_close(s.fits);
    if (status) {
        json_decref(s.costs);
        return status;
    }
    *out = s.costs;
    return FX_OK;
}
