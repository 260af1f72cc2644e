/* The registry. Probes arrive from constructors before main, so it is static storage that needs no initialising, and
 * what is wrong with a probe is kept as text until the program can say it. */
#include "probe.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { max_probes = 512 };

static const fx_probe *registered[max_probes];
static size_t registered_count;
static char problems[2048];

static void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void refuse(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t length = strlen(problems);
    snprintf(problems + length, sizeof problems - length, "%s%s", length > 0 ? "; " : "", text);
}

#define REFUSE_IF(condition, ...)                                                                                      \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            refuse(__VA_ARGS__);                                                                                       \
            return false;                                                                                              \
        }                                                                                                              \
    } while (0)

static bool acceptable(const fx_probe *probe) {
    const char *name = probe->name && *probe->name ? probe->name : NULL;
    REFUSE_IF(!name, "a probe has no name: set .name (its question: %s)",
              probe->question ? probe->question : "none either");
    REFUSE_IF(!probe->law, "probe %s has no law: set .law", name);
    REFUSE_IF(probe->axes_count > FX_MAX_AXES, "probe %s has %zu axes: at most %d fit", name, probe->axes_count,
              FX_MAX_AXES);
    REFUSE_IF(fx_probe_find(name), "probe %s is there twice: give one of them another name", name);
    REFUSE_IF(registered_count == max_probes, "probe %s is one too many: at most %d fit", name, max_probes);
    return true;
}

void fx_probe_register(const fx_probe *probe) {
    if (!acceptable(probe)) {
        return;
    }
    size_t at = registered_count++;
    for (; at > 0 && strcmp(registered[at - 1]->name, probe->name) > 0; at--) {
        registered[at] = registered[at - 1];
    }
    registered[at] = probe;
}

const fx_probe *const *fx_probes(size_t *count) {
    *count = registered_count;
    return registered;
}

const fx_probe *fx_probe_find(const char *name) {
    for (size_t i = 0; name && i < registered_count; i++) {
        if (strcmp(registered[i]->name, name) == 0) {
            return registered[i];
        }
    }
    return NULL;
}

const char *fx_probe_problem(void) {
    return problems[0] ? problems : NULL;
}

void fx_prediction_count(fx_prediction *prediction, const char *name, double value) {
    if (prediction->count_count < FX_MAX_COUNTS) {
        prediction->counts[prediction->count_count++] = (fx_count){.name = name, .value = value};
    } else {
        prediction->counts_lost = true;
    }
}
