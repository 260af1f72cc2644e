/* Keys are hashes of 128 bits: that two of some ten thousand agree by chance will not be seen. */
#include "archive_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/stats.h"

/* What rounding to 9 digits may do to a median and to the samples it comes from. */
static const double TOLERANCE = 1.001e-8;

/* Of all samples: what is computed from them stays finite. */
static const double LARGEST = 1e300;

typedef struct key {
    uint64_t a, b;
} key;

/* FNV-1a in one half, the generator of random.h in the other. */
static key with_bytes(key k, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        k.a = (k.a ^ at[i]) * 0x100000001b3u;
        k.b = fx_random_at(k.b, at[i]);
    }
    return k;
}

/* Its terminating zero counts, so that "a", "bc" is not "ab", "c". */
static key with_text(key k, const char *text) {
    return with_bytes(k, text, strlen(text) + 1);
}

static key with_number(key k, int64_t number) {
    return with_bytes(k, &number, sizeof number);
}

static key key_of(const char *text) {
    return with_text((key){0xcbf29ce484222325u, 0}, text);
}

static fx_status add(fx_rowset *set, key k, bool *added, fx_error *err) {
    int64_t row[2];
    memcpy(row, &k, sizeof row);
    set->width = 2;
    return fx_rowset_add(set, row, added) ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory for its keys");
}

/* The first value that is seen beside `base` is the only one. */
static fx_status is_constant(fx_rowset *set, key base, key valued, bool *same, fx_error *err) {
    bool first = false, other = false;
    fx_status status = add(set, base, &first, err);
    if (status == FX_OK) {
        status = add(set, valued, &other, err);
    }
    *same = first || !other;
    return status;
}

static const char *text_of(const json_t *object, const char *name) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int compare_numbers(const void *a, const void *b) {
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static fx_status check_interval(const json_t *object, double least, double most, fx_error *err) {
    const json_t *ci95 = json_object_get(object, "ci95");
    if (!ci95 || json_is_null(ci95)) {
        return FX_OK;
    }
    const double low = json_number_value(json_array_get(ci95, 0)), high = json_number_value(json_array_get(ci95, 1));
    const double slack = TOLERANCE * fmax(fabs(least), fabs(most));
    if (json_array_size(ci95) != 2 || !(low <= high) || low < least - slack || high > most + slack) {
        return fx_fail(err, FX_BAD_INPUT, "ci95 is not within its samples, which lie from %.9g to %.9g", least, most);
    }
    return FX_OK;
}

static fx_status check_over_sms(const json_t *object, size_t n, double least, double most, fx_error *err) {
    const json_t *over = json_object_get(object, "over_sms");
    const double low = json_number_value(json_object_get(over, "low"));
    const double high = json_number_value(json_object_get(over, "high"));
    if (over &&
        (json_array_size(json_object_get(over, "sample_sms")) != n || !(low <= high) || low < least || high > most)) {
        return fx_fail(err, FX_BAD_INPUT, "over_sms does not fit the samples");
    }
    return FX_OK;
}

static fx_status check_samples(const json_t *object, fx_error *err) {
    const json_t *samples = json_object_get(object, "samples"), *n = json_object_get(object, "n");
    const size_t count = json_array_size(samples);
    if (!json_is_integer(n) || json_integer_value(n) != (json_int_t)count || count == 0) {
        return fx_fail(err, FX_BAD_INPUT, "n is %" JSON_INTEGER_FORMAT ", and there are %zu samples",
                       json_integer_value(n), count);
    }
    double *values = malloc(count * sizeof *values);
    if (!values) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory for its samples");
    }
    bool numbers = json_is_number(json_object_get(object, "median"));
    for (size_t i = 0; i < count; i++) {
        const json_t *sample = json_array_get(samples, i);
        numbers = numbers && json_is_number(sample);
        values[i] = json_number_value(sample);
    }
    qsort(values, count, sizeof *values, compare_numbers);
    const double low = values[(count - 1) / 2], high = values[count / 2], median = (low + high) / 2;
    const double least = values[0], most = values[count - 1];
    const double told = json_number_value(json_object_get(object, "median"));
    free(values);
    if (least < -LARGEST || most > LARGEST) {
        return fx_fail(err, FX_BAD_INPUT, "a sample is beyond %g", LARGEST);
    }
    if (!numbers) {
        return fx_fail(err, FX_BAD_INPUT, "the median or a sample is not a number");
    }
    if (!(fabs(told - median) <= TOLERANCE * fmax(fabs(low), fabs(high)))) {
        return fx_fail(err, FX_BAD_INPUT, "the median is %.9g, and that of its samples is %.9g", told, median);
    }
    const fx_status status = check_over_sms(object, count, least, most, err);
    return status == FX_OK ? check_interval(object, least, most, err) : status;
}

static bool is_value(const json_t *value, const char *text, size_t size) {
    char number[32];
    const char *own = json_string_value(value);
    if (json_is_integer(value)) {
        (void)snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        own = number;
    }
    return own && strlen(own) == size && memcmp(own, text, size) == 0;
}

/* True if `name` has a part "/axis:". */
static bool names(const char *name, const char *axis) {
    const size_t length = strlen(axis);
    for (const char *at = strchr(name, '/'); at; at = strchr(at + 1, '/')) {
        if (strncmp(at + 1, axis, length) == 0 && at[1 + length] == ':') {
            return true;
        }
    }
    return false;
}

/* A name is the probe and some axes, each "/axis:value"; an axis that is left out has one and the same value in all
 * cases of the probe. */
static fx_status check_name(fx_archive_check *check, const json_t *object, fx_error *err) {
    const char *name = text_of(object, "name"), *probe = text_of(object, "probe"), *axis;
    const json_t *params = json_object_get(object, "params");
    const json_t *value;
    const size_t length = strlen(probe);
    bool fits = length > 0 && strncmp(name, probe, length) == 0 && json_is_object(params);
    const char *at = fits ? name + length : "";
    while (fits && *at == '/') {
        const size_t size = strcspn(at + 1, "/"), named = strcspn(at + 1, ":/");
        char key_text[64];
        fits = named < size && named < sizeof key_text;
        if (fits) {
            (void)snprintf(key_text, sizeof key_text, "%.*s", (int)named, at + 1);
            fits = is_value(json_object_get(params, key_text), at + 1 + named + 1, size - named - 1);
        }
        at += 1 + size;
    }
    if (!fits || *at) {
        return fx_fail(err, FX_BAD_INPUT, "the name '%.100s' does not fit its probe and params", name);
    }
    /* jansson's iteration takes a plain pointer but changes nothing. */
    for (void *i = json_object_iter((json_t *)(uintptr_t)params); i;
         i = json_object_iter_next((json_t *)(uintptr_t)params, i)) {
        bool same = true;
        axis = json_object_iter_key(i);
        value = json_object_iter_value(i);
        if (names(name, axis)) {
            continue;
        }
        const key base = with_text(key_of(probe), axis);
        const char *text = json_string_value(value);
        const key valued = text ? with_text(base, text) : with_number(base, json_integer_value(value));
        const fx_status status = is_constant(&check->constants, base, valued, &same, err);
        if (status != FX_OK) {
            return status;
        }
        if (!same) {
            return fx_fail(err, FX_BAD_INPUT, "the name '%.100s' leaves out %.60s, which is not the same in all cases",
                           name, axis);
        }
    }
    return FX_OK;
}

static fx_status check_process(const fx_archive_check *check, const json_t *object, fx_error *err) {
    const json_t *process = json_object_get(object, "process");
    const json_int_t number = json_integer_value(process);
    if (!json_is_integer(process) || number < 0) {
        return fx_fail(err, FX_BAD_INPUT, "there is no process");
    }
    if (check->processes && number >= check->processes) {
        return fx_fail(err, FX_BAD_INPUT, "process %" JSON_INTEGER_FORMAT " is beyond the run's %" PRId64, number,
                       check->processes);
    }
    return FX_OK;
}

static fx_status check_case(fx_archive_check *check, const json_t *object, fx_error *err) {
    const char *name = text_of(object, "name");
    const json_t *metric = json_object_get(object, "metric");
    const int64_t process = json_integer_value(json_object_get(object, "process"));
    const int64_t repetition = json_integer_value(json_object_get(object, "repetition"));
    const key base = key_of(name);
    bool added = true, same = true;
    fx_status status = add(&check->points, with_number(with_number(base, process), repetition), &added, err);
    if (status != FX_OK) {
        return status;
    }
    if (!added && !check->repeated) {
        return fx_fail(err, FX_BAD_INPUT, "the case '%.100s' of process %" PRId64 " is there twice", name, process);
    }
    key method = with_number(base, json_integer_value(json_object_get(object, "method_version")));
    static const char *const parts[] = {"name", "unit", "timebase", "better"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        method = with_text(method, text_of(metric, parts[i]));
    }
    status = is_constant(&check->methods, base, method, &same, err);
    if (status == FX_OK && !same) {
        status = fx_fail(err, FX_BAD_INPUT, "method_version or metric of '%.100s' differs from an earlier line", name);
    }
    return status == FX_OK ? check_samples(object, err) : status;
}

static fx_status check_count(const json_t *object, const char *name, size_t count, fx_error *err) {
    const json_t *told = json_object_get(object, name);
    if (!json_is_integer(told) || json_integer_value(told) != (json_int_t)count) {
        return fx_fail(err, FX_BAD_INPUT, "the end line counts %" JSON_INTEGER_FORMAT " %s, and there are %zu",
                       json_integer_value(told), name, count);
    }
    return FX_OK;
}

fx_status fx_archive_check_sum(const fx_archive_check *check, const json_t *object, const fx_line *line,
                               fx_error *err) {
    char crc[16];
    (void)snprintf(crc, sizeof crc, "%08" PRIx32, line->crc32);
    if (check->schema > 1 && strcmp(text_of(object, "crc32"), crc) != 0) {
        return fx_fail(err, FX_BAD_INPUT, "the lines before the end line are not those that were written: crc32 is %s",
                       crc);
    }
    return FX_OK;
}

static fx_status check_end(fx_archive_check *check, const json_t *object, const fx_line *line, fx_error *err) {
    check->ended = true;
    if (check_count(object, "cases", check->cases, err) || check_count(object, "waived", check->waived, err) ||
        check_count(object, "failed", check->failed, err)) {
        return err->status;
    }
    return fx_archive_check_sum(check, object, line, err);
}

static void see_run(fx_archive_check *check, const json_t *object) {
    const json_t *arguments = json_object_get(object, "arguments");
    const char repetitions[] = "--benchmark_repetitions";
    check->processes = json_integer_value(json_object_get(object, "processes"));
    for (size_t i = 0; i < json_array_size(arguments) && check->schema == 1; i++) {
        const char *argument = json_string_value(json_array_get(arguments, i));
        check->repeated = check->repeated || (argument && !strncmp(argument, repetitions, sizeof repetitions - 1));
    }
}

fx_status fx_archive_behind_end(fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "it stands behind the end line");
}

fx_status fx_archive_check_line(fx_archive_check *check, const json_t *object, const fx_line *line, fx_error *err) {
    const char *type = text_of(object, "type");
    const bool is_case = !strcmp(type, "case"), waived = !strcmp(type, "waived"), failed = !strcmp(type, "failed");
    if (check->ended) {
        return fx_archive_behind_end(err);
    }
    if (!strcmp(type, "run")) {
        if (line->number > 1) {
            return fx_fail(err, FX_BAD_INPUT, "it is a second run line");
        }
        see_run(check, object);
        return FX_OK;
    }
    if (!strcmp(type, "end")) {
        return check_end(check, object, line, err);
    }
    if (!is_case && !waived && !failed) {
        return !strcmp(type, "fit") || !strcmp(type, "counter")
                   ? FX_OK
                   : fx_fail(err, FX_BAD_INPUT, "there is no line of the type '%.40s'", type);
    }
    check->cases += is_case;
    check->waived += waived;
    check->failed += failed;
    if (check_process(check, object, err) || check_name(check, object, err)) {
        return err->status;
    }
    return is_case ? check_case(check, object, err) : FX_OK;
}

void fx_archive_check_free(fx_archive_check *check) {
    fx_rowset_free(&check->points);
    fx_rowset_free(&check->methods);
    fx_rowset_free(&check->constants);
}
