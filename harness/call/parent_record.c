/* The record as one JSON object. One table says which fields there are, what they are called and what their defaults
 * are; writing, reading and freeing go through it, so that no field can be forgotten by one of them. */
#include "parent_record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { VERSION = 1 };

typedef enum kind { FLAG, NUMBER, DESCRIPTOR, SECONDS, OWNED_TEXT } kind;

typedef struct field {
    const char *name;
    kind kind;
    size_t offset;
    int64_t fallback; /* of a number, and of a descriptor */
} field;

#define FIELD(member) #member, .offset = offsetof(fx_parent_record, member)

static const field fields[] = {
    {FIELD(child), .kind = FLAG},
    {FIELD(process), .kind = NUMBER, .fallback = 0},
    {FIELD(events_fd), .kind = DESCRIPTOR, .fallback = -1},
    {FIELD(began_s), .kind = SECONDS},
    {FIELD(usual), .kind = FLAG},
    {FIELD(seed), .kind = NUMBER, .fallback = -1},
    {FIELD(device), .kind = OWNED_TEXT},
    {FIELD(append), .kind = OWNED_TEXT},
    {FIELD(chosen), .kind = OWNED_TEXT},
    {FIELD(archive_fd), .kind = DESCRIPTOR, .fallback = -1},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static void *at(fx_parent_record *record, const field *f) {
    return (char *)record + f->offset;
}

fx_parent_record fx_parent_record_none(void) {
    fx_parent_record record = {.child = false};
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].kind == NUMBER || fields[i].kind == DESCRIPTOR) {
            *(int64_t *)at(&record, &fields[i]) = fields[i].fallback;
        }
    }
    return record;
}

/* Only what differs from its default. Paths may hold any byte but NUL, so a text is written as an array of bytes. */
static json_t *value_of(const fx_parent_record *record, const field *f) {
    const void *member = (const char *)record + f->offset;
    int64_t number;
    double seconds;
    char *text;
    json_t *bytes = NULL;
    switch (f->kind) {
    case FLAG:
        return *(const bool *)member ? json_true() : NULL;
    case NUMBER:
    case DESCRIPTOR:
        memcpy(&number, member, sizeof number);
        return number == f->fallback ? NULL : json_integer((json_int_t)number);
    case SECONDS:
        memcpy(&seconds, member, sizeof seconds);
        return fpclassify(seconds) == FP_ZERO ? NULL : json_real(seconds);
    case OWNED_TEXT:
        memcpy(&text, member, sizeof text);
        bytes = text ? json_array() : NULL;
        for (; bytes && *text; text++) {
            (void)json_array_append_new(bytes, json_integer((unsigned char)*text));
        }
        return bytes;
    }
    return NULL;
}

static bool take_text(const json_t *value, char **text) {
    const size_t length = json_array_size(value);
    if (!json_is_array(value) || !(*text = calloc(length + 1, 1))) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        (*text)[i] = (char)(unsigned char)json_integer_value(json_array_get(value, i));
    }
    return strlen(*text) == length;
}

/* False if the value is not of the field's kind. */
static bool take_field(fx_parent_record *record, const field *f, const json_t *value) {
    const int64_t number = json_integer_value(value);
    switch (f->kind) {
    case FLAG:
        *(bool *)at(record, f) = json_is_true(value);
        return json_is_boolean(value);
    case NUMBER:
        *(int64_t *)at(record, f) = number;
        return json_is_integer(value) && number >= 0;
    case DESCRIPTOR:
        *(int64_t *)at(record, f) = number;
        return json_is_integer(value) && number > STDERR_FILENO && number <= INT32_MAX &&
               fcntl((int)number, F_GETFD) >= 0;
    case SECONDS:
        *(double *)at(record, f) = json_real_value(value);
        return json_is_real(value);
    case OWNED_TEXT:
        return take_text(value, at(record, f));
    }
    return false;
}

fx_status fx_parent_record_hand(const fx_parent_record *record, fx_parent_handover *out, fx_error *err) {
    json_t *json = json_pack("{si sI}", "version", VERSION, "parent", (json_int_t)getpid());
    *out = (fx_parent_handover){.fd = memfd_create(FX_PARENT_RECORD, 0)};
    (void)snprintf(out->word, sizeof out->word, "%s=%d", FX_PARENT_RECORD, out->fd);
    for (size_t i = 0; json && i < FIELDS; i++) {
        json_t *value = value_of(record, &fields[i]);
        if (value && json_object_set_new(json, fields[i].name, value)) {
            json_decref(json);
            json = NULL;
        }
    }
    const bool written = json && out->fd >= 0 && !json_dumpfd(json, out->fd, JSON_COMPACT);
    json_decref(json);
    return written ? FX_OK : fx_fail(err, FX_IO, "a process can't be started: %s", strerror(errno));
}

void fx_parent_handover_close(fx_parent_handover *handover) {
    if (handover->fd >= 0) {
        (void)close(handover->fd);
    }
    handover->fd = -1;
}

/* Reads what the descriptor holds; NULL if that is not a record by the parent of this process. */
static json_t *read_record(int fd) {
    char link[64], name[64] = "";
    static const char wanted[] = "/memfd:" FX_PARENT_RECORD;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, name, sizeof name - 1) < 0 || strncmp(name, wanted, sizeof wanted - 1) != 0 ||
        lseek(fd, 0, SEEK_SET) < 0) {
        return NULL;
    }
    json_t *json = json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL);
    if (json_integer_value(json_object_get(json, "version")) != VERSION ||
        json_integer_value(json_object_get(json, "parent")) != (json_int_t)getppid()) {
        json_decref(json);
        return NULL;
    }
    return json;
}

fx_status fx_parent_record_take(fx_parent_record *out, fx_error *err) {
    const char *word = getenv(FX_PARENT_RECORD);
    char *end = NULL;
    size_t taken = 2; /* version and parent */
    *out = fx_parent_record_none();
    if (!word) {
        return FX_OK;
    }
    const long fd = strtol(word, &end, 10);
    json_t *json = end != word && !*end && fd > STDERR_FILENO && fd <= INT32_MAX ? read_record((int)fd) : NULL;
    bool good = json != NULL;
    for (size_t i = 0; good && i < FIELDS; i++) {
        const json_t *value = json_object_get(json, fields[i].name);
        good = !value || take_field(out, &fields[i], value);
        taken += value != NULL;
    }
    good = good && json_object_size(json) == taken;
    if (good) {
        (void)close((int)fd);
    }
    json_decref(json);
    (void)unsetenv(FX_PARENT_RECORD);
    return good ? FX_OK
                : fx_fail(err, FX_BAD_INPUT,
                          "the environment variable %s is for processes that gpufx itself starts; unset it",
                          FX_PARENT_RECORD);
}

void fx_parent_record_free(fx_parent_record *record) {
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].kind == OWNED_TEXT) {
            char **text = at(record, &fields[i]);
            free(*text);
            *text = NULL;
        }
    }
}
