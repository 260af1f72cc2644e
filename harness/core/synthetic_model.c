/* Models of a synthetic device.
 *
 * A model is a planted truth: a + b * law, with noise, drift, outliers and throttling laid over it in known amounts, so
 * that whatever the program infers from the samples can be held against what was put in. */
#include "synthetic_model.h"

#include "json_fields.h"
#include "random.h"
#include "text.h"

enum { DRIFT_SAMPLES = 100, TEXT_BYTES = 64 };

/* ---- Reading ---- */

static const fx_axis *find_axis(const fx_probe *probe, const char *name, size_t *index) {
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (strcmp(probe->axes[i].name, name) == 0) {
            *index = i;
            return &probe->axes[i];
        }
    }
    return NULL;
}

/* One value or a list of values that are all strings or numbers. */
static bool is_value(const json_t *term) {
    return json_is_string(term) || json_is_number(term);
}

static fx_status check_form(const char *key, const json_t *term, const char *where, fx_error *err) {
    if (json_is_object(term)) {
        double min = -INFINITY, max = INFINITY;
        const fx_field fields[] = {
            {"min", FX_FIELD_NUMBER, &min, false, -INFINITY, INFINITY},
            {"max", FX_FIELD_NUMBER, &max, false, -INFINITY, INFINITY},
        };
        char inner[256];
        snprintf(inner, sizeof inner, "%s.%s", where, key);
        fx_status status = fx_fields_read(term, inner, fields, FX_COUNT(fields), err);
        FX_FAIL_IF(status == FX_OK && (min > max || json_object_size(term) == 0), err, FX_BAD_INPUT,
                   "%s: a range needs \"min\" or \"max\", and min must not exceed max", inner);
        return status;
    }
    bool good = is_value(term) || json_array_size(term) > 0;
    for (size_t i = 0; i < json_array_size(term); i++) {
        good = good && is_value(json_array_get(term, i));
    }
    FX_FAIL_IF(!good, err, FX_BAD_INPUT, "%s.%s must be a name, a number, a list of those, or {\"min\": , \"max\": }",
               where, key);
    return FX_OK;
}

/* Whether the registered probe can ever have this value under this key. */
static bool is_possible(const fx_probe *probe, const char *key, const json_t *value) {
    size_t index;
    const char *text = json_string_value(value);
    const fx_axis *axis = find_axis(probe, key, &index);
    if (axis) {
        return axis->choices ? text && fx_axis_listed(axis->choices, text) : json_is_number(value);
    }
    const bool metric = strcmp(key, "metric") == 0;
    bool known = false;
    for (size_t i = 0; text && i < (metric ? probe->metrics_count : probe->sweeps_count); i++) {
        known = known || strcmp(metric ? probe->metrics[i].name : probe->sweeps[i].name, text) == 0;
    }
    return known;
}

static fx_status check_against(const fx_probe *probe, const char *key, const json_t *term, const char *where,
                               fx_error *err) {
    size_t index;
    const fx_axis *axis = find_axis(probe, key, &index);
    FX_FAIL_IF(!axis && strcmp(key, "metric") != 0 && strcmp(key, "sweep") != 0, err, FX_BAD_INPUT,
               "%s: \"%s\" is neither an axis of the probe %s nor \"metric\" or \"sweep\"", where, key, probe->name);
    bool possible = !json_is_object(term) || (axis && !axis->choices);
    if (is_value(term)) {
        possible = is_possible(probe, key, term);
    }
    for (size_t i = 0; possible && i < json_array_size(term); i++) {
        possible = is_possible(probe, key, json_array_get(term, i));
    }
    FX_FAIL_IF(!possible, err, FX_BAD_INPUT, "%s.%s: the probe %s has no such value%s%s; see `gpufx list %s`", where,
               key, probe->name, axis && axis->choices ? ", its choices are " : "",
               axis && axis->choices ? axis->choices : "", probe->name);
    return FX_OK;
}

static fx_status check_match(const fx_model *model, const fx_probe *probe, const char *where, fx_error *err) {
    const char *key;
    json_t *term;
    char inner[200];
    snprintf(inner, sizeof inner, "%s.match", where);
    json_object_foreach((json_t *)(uintptr_t)model->match, key, term) {
        FX_TRY(check_form(key, term, inner, err));
        if (probe) {
            FX_TRY(check_against(probe, key, term, inner, err));
        }
    }
    return FX_OK;
}

static fx_status check_extras(const fx_model *model, const fx_probe *probe, const char *where, fx_error *err) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)model->extras, key, value) {
        FX_FAIL_IF(!json_is_number(value), err, FX_BAD_INPUT, "%s.extras.%s must be a number", where, key);
        FX_FAIL_IF(probe && !fx_axis_listed(probe->extras, key), err, FX_BAD_INPUT,
                   "%s.extras: the probe %s has no \"%s\"; it has: %s", where, probe->name, key,
                   probe->extras ? probe->extras : "none");
    }
    return FX_OK;
}

/* An object inside a model; NULL: the model has none. */
static fx_status read_part(const json_t *object, const char *where, const char *key, const fx_field *fields,
                           size_t count, fx_error *err) {
    char inner[200];
    snprintf(inner, sizeof inner, "%s.%s", where, key);
    return object ? fx_fields_read(object, inner, fields, count, err) : FX_OK;
}

fx_status fx_model_read(const json_t *object, const char *where, fx_model *out, fx_error *err) {
    *out = (fx_model){.outlier_factor = 2, .intercept = NAN, .second_population = {0, 1}};
    const json_t *throttle = NULL, *population = NULL;
    /* Noise stays far enough from 100 % that no sample can come out negative. */
    const fx_field fields[] = {
        {"description", FX_FIELD_TEXT, NULL, false, 0, 0},
        {"probe", FX_FIELD_TEXT, &out->probe, false, 0, 0},
        {"match", FX_FIELD_OBJECT, &out->match, false, 0, 0},
        {"a", FX_FIELD_NUMBER, &out->a, true, -1e12, 1e12},
        {"b", FX_FIELD_NUMBER, &out->b, false, -1e12, 1e12},
        {"count", FX_FIELD_TEXT, &out->count, false, 0, 0},
        {"noise_pct", FX_FIELD_NUMBER, &out->noise_pct, false, 0, 10},
        {"sm_spread_pct", FX_FIELD_NUMBER, &out->sm_spread_pct, false, 0, 10},
        {"process_spread_pct", FX_FIELD_NUMBER, &out->process_spread_pct, false, 0, 10},
        {"drift_pct", FX_FIELD_NUMBER, &out->drift_pct, false, -50, 100},
        {"outlier_probability", FX_FIELD_NUMBER, &out->outlier_probability, false, 0, 1},
        {"outlier_factor", FX_FIELD_NUMBER, &out->outlier_factor, false, 0.01, 1000},
        {"intercept", FX_FIELD_NUMBER, &out->intercept, false, -1e12, 1e12},
        {"throttle", FX_FIELD_OBJECT, &throttle, false, 0, 0},
        {"second_population", FX_FIELD_OBJECT, &population, false, 0, 0},
        {"extras", FX_FIELD_OBJECT, &out->extras, false, 0, 0},
    };
    const fx_field throttle_fields[] = {
        {"after_samples", FX_FIELD_U64, &out->throttle.after_samples, true, 0, 1e9},
        {"for_samples", FX_FIELD_U64, &out->throttle.for_samples, true, 1, 1e9},
        {"factor", FX_FIELD_NUMBER, &out->throttle.factor, true, 1, 100},
    };
    const fx_field population_fields[] = {
        {"probability", FX_FIELD_NUMBER, &out->second_population.probability, true, 0, 1},
        {"factor", FX_FIELD_NUMBER, &out->second_population.factor, true, 0.01, 100},
    };
    FX_TRY(fx_fields_read(object, where, fields, FX_COUNT(fields), err));
    FX_TRY(read_part(throttle, where, "throttle", throttle_fields, FX_COUNT(throttle_fields), err));
    FX_TRY(read_part(population, where, "second_population", population_fields, FX_COUNT(population_fields), err));
    /* A probe that this build lacks may have any axis: its models are kept for the builds that have it. */
    const fx_probe *probe = fx_probe_find(out->probe);
    FX_TRY(check_match(out, probe, where, err));
    return check_extras(out, probe, where, err);
}

/* ---- Matching ---- */

static bool equals(const json_t *value, const char *text, double number) {
    if (json_is_string(value)) {
        return text && strcmp(json_string_value(value), text) == 0;
    }
    double wanted = json_number_value(value);
    return !text && !(wanted < number) && !(wanted > number);
}

/* `text` is the case's choice or name; NULL: the case has `number` there. */
static bool term_matches(const json_t *term, const char *text, double number) {
    if (json_is_object(term)) {
        const json_t *min = json_object_get(term, "min"), *max = json_object_get(term, "max");
        return !text && (!min || number >= json_number_value(min)) && (!max || number <= json_number_value(max));
    }
    for (size_t i = 0; i < json_array_size(term); i++) {
        if (equals(json_array_get(term, i), text, number)) {
            return true;
        }
    }
    return is_value(term) && equals(term, text, number);
}

bool fx_model_matches(const fx_model *model, const fx_case *c) {
    if (model->probe && strcmp(model->probe, c->probe->name) != 0) {
        return false;
    }
    const char *key;
    json_t *term;
    json_object_foreach((json_t *)(uintptr_t)model->match, key, term) {
        size_t index;
        char choice[TEXT_BYTES];
        const fx_axis *axis = find_axis(c->probe, key, &index);
        bool matches = false;
        if (axis && axis->choices) {
            matches =
                fx_axis_choice(axis, c->params.value[index], choice, sizeof choice) && term_matches(term, choice, NAN);
        } else if (axis) {
            matches = term_matches(term, NULL, (double)c->params.value[index]);
        } else if (strcmp(key, "metric") == 0) {
            matches = term_matches(term, c->probe->metrics[c->prediction.metric].name, NAN);
        } else if (strcmp(key, "sweep") == 0) {
            matches = c->sweep && term_matches(term, c->sweep->name, NAN);
        }
        if (!matches) {
            return false;
        }
    }
    return true;
}

bool fx_model_count(const fx_model *model, const fx_case *c, double *count) {
    const double *found = fx_prediction_find(&c->prediction, model->count);
    *count = found ? *found : 0;
    return found || !model->count;
}

/* ---- Making samples ---- */

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *text) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *text; text++) {
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return h;
}

/* In (0, 1): 53 bits, never 0, so that its logarithm exists. */
static double uniform(uint64_t *state) {
    return ((double)(fx_random(state) >> 11) + 0.5) * 0x1p-53;
}

/* Standard normal, by Box and Muller (1958). */
static double normal(uint64_t *state) {
    const double tau = 6.283185307179586;
    double radius = sqrt(-2 * log(uniform(state))), angle = tau * uniform(state);
    return radius * cos(angle);
}

bool fx_model_throttled(const fx_model *model, uint64_t index) {
    const fx_throttle *throttle = &model->throttle;
    return index >= throttle->after_samples && index - throttle->after_samples < throttle->for_samples;
}

static void fill_extras(const fx_model *model, const fx_case *c, fx_sample *out) {
    char name[TEXT_BYTES];
    for (size_t i = 0; i < FX_MAX_EXTRAS; i++) {
        const bool named = fx_word(c->probe->extras, i, name, sizeof name);
        const json_t *value = named ? json_object_get(model->extras, name) : NULL;
        out->extra[i] = value ? json_number_value(value) : NAN;
    }
}

void fx_model_sample(const fx_model *model, const fx_case *c, uint64_t device_seed, uint64_t sample_seed,
                     uint64_t index, int sm, double sm_clock_MHz, fx_sample *out) {
    fx_timebase timebase = c->probe->metrics[c->prediction.metric].timebase;
    uint64_t process = fx_mix(fx_mix(device_seed) ^ hash(c->name));
    uint64_t noise = fx_mix(process ^ fx_mix(sample_seed));

    double count;
    (void)fx_model_count(model, c, &count); /* found when the case was opened */
    double value = model->a + model->b * count;
    value *= 1 + model->process_spread_pct / 100 * normal(&process);
    if (uniform(&process) < model->second_population.probability) {
        value *= model->second_population.factor;
    }
    if (sm >= 0) { /* a chip is the same in all processes */
        uint64_t place = fx_mix(hash(c->name) ^ fx_mix((uint64_t)sm));
        value *= 1 + model->sm_spread_pct / 100 * normal(&place);
    }
    value *= 1 + model->noise_pct / 100 * normal(&noise);
    value *= 1 + model->drift_pct / 100 * (double)index / DRIFT_SAMPLES;
    if (uniform(&noise) < model->outlier_probability) {
        value *= model->outlier_factor;
    }

    /* A lower clock makes a cycle longer, not more of them. */
    double slower = fx_model_throttled(model, index) ? model->throttle.factor : 1;
    if (timebase != FX_SM_CYCLES) {
        value *= slower;
    }
    *out = (fx_sample){.value = value, .intercept = model->intercept, .t_n = NAN, .sm_clock_MHz = NAN, .sm = sm};
    /* What the host waits for is no kernel with a clock to read. */
    if (timebase != FX_HOST_NS) {
        out->sm_clock_MHz = sm_clock_MHz / slower * (1 + 1e-4 * normal(&noise));
    }
    fill_extras(model, c, out);
}
