#include "skip_measured.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"
#include "call/message.h"

typedef struct taking {
    const fx_case_list *cases;
    const char *card; /* of the device at hand */
    size_t *times;    /* how often each case is in the archives */
    size_t waived;    /* how often one counts that is waived, which is said once for all repetitions */
    bool other;       /* the present archive is that of another card */
} taking;

/* What names a card: its UUID, else its name. */
static const char *card_of(const json_t *device) {
    const char *uuid = json_string_value(json_object_get(device, "uuid"));
    return uuid ? uuid : json_string_value(json_object_get(device, "name"));
}

static fx_status take_line(void *context, const json_t *object, size_t number, fx_error *err) {
    taking *t = context;
    (void)err;
    if (number == 1) {
        const char *card = card_of(json_object_get(object, "device"));
        t->other = !card || strcmp(card, t->card) != 0;
        return FX_OK;
    }
    const char *name = json_string_value(json_object_get(object, "name"));
    const char *type = json_string_value(json_object_get(object, "type"));
    for (size_t i = 0; !t->other && name && i < t->cases->count; i++) {
        if (!strcmp(t->cases->cases[i].name, name)) {
            t->times[i] += type && !strcmp(type, "waived") ? t->waived : 1;
            break;
        }
    }
    return FX_OK;
}

static void take_archive(const char *path, taking *t) {
    static const char *const types[] = {"case", "waived"};
    for (size_t i = 0; i < FX_COUNT(types); i++) {
        fx_error problem = {0};
        if (fx_archive_read(path, types[i], take_line, t, NULL, &problem)) {
            fx_warn("%s; it is ignored", problem.text);
            return;
        }
    }
}

static bool is_wanted(const char *name, const char *except) {
    const char *last = except ? strrchr(except, '/') : NULL;
    const char *left_out = last ? last + 1 : except ? except : "";
    return fx_archive_is_named(name) && strcmp(name, left_out) != 0;
}

fx_status fx_measured_leave_out(const char *folder, const char *except, const fx_device *device, size_t processes,
                                bool usual, size_t repetitions, fx_case_list *cases, size_t *left_out, fx_error *err) {
    char path[PATH_MAX];
    json_t *described = device->describe_device((fx_device *)(uintptr_t)device);
    taking t = {.cases = cases,
                .card = card_of(described),
                .times = calloc(cases->count + 1, sizeof *t.times),
                .waived = repetitions};
    bool *keep = calloc(cases->count + 1, sizeof *keep);
    const size_t before = cases->count;
    fx_status status = FX_OK;
    DIR *entries = opendir(folder);
    if (!t.times || !keep || !described) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while looking for what is measured already");
    } else if (!entries && errno != ENOENT) {
        status = fx_fail_io(err, "read", folder, errno);
    }
    for (const struct dirent *e; status == FX_OK && entries && t.card && (e = readdir(entries));) {
        if (is_wanted(e->d_name, except) &&
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path) {
            take_archive(path, &t);
        }
    }
    if (entries) {
        (void)closedir(entries);
    }
    if (status == FX_OK) {
        for (size_t i = 0; i < cases->count; i++) {
            const size_t wanted = usual && cases->cases[i].probe->once ? 1 : processes;
            keep[i] = t.times[i] < wanted * repetitions;
        }
        fx_case_list_keep(cases, keep);
        *left_out = before - cases->count;
    }
    json_decref(described);
    free(t.times);
    free(keep);
    return status;
}
