/* The record as one JSON object. What is not in it has its default. */
#include "parent_record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/json_fields.h"
#include "core/probe.h"

enum { VERSION = 1 };

fx_parent_record fx_parent_record_none(void) {
    return (fx_parent_record){.events_fd = -1, .seed = -1, .archive_fd = -1};
}

/* Paths may hold any byte but NUL, so a text is written as an array of bytes. */
static json_t *bytes_of(const char *text) {
    json_t *bytes = json_array();
    for (; *text; text++) {
        (void)json_array_append_new(bytes, json_integer((unsigned char)*text));
    }
    return bytes;
}

static bool take_text(const json_t *bytes, char **text) {
    const size_t length = json_array_size(bytes);
    if (bytes && (*text = calloc(length + 1, 1))) {
        for (size_t i = 0; i < length; i++) {
            (*text)[i] = (char)(unsigned char)json_integer_value(json_array_get(bytes, i));
        }
    }
    return !bytes || (*text && strlen(*text) == length);
}

static json_t *json_of(const fx_parent_record *record) {
    const struct {
        const char *key;
        int64_t value; /* below 0: its default */
    } numbers[] = {{"events_fd", record->events_fd}, {"seed", record->seed}, {"archive_fd", record->archive_fd}};
    const struct {
        const char *key, *value;
    } texts[] = {{"device", record->device}, {"append", record->append}, {"chosen", record->chosen}};
    json_t *json =
        json_pack("{si si sb sI sf sb}", "version", VERSION, "parent", (int)getpid(), "child", record->child, "process",
                  (json_int_t)record->process, "began_s", record->began_s, "usual", record->usual);
    for (size_t i = 0; i < FX_COUNT(numbers); i++) {
        if (numbers[i].value >= 0) {
            (void)json_object_set_new(json, numbers[i].key, json_integer((json_int_t)numbers[i].value));
        }
    }
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        if (texts[i].value) {
            (void)json_object_set_new(json, texts[i].key, bytes_of(texts[i].value));
        }
    }
    return json;
}

fx_status fx_parent_record_hand(const fx_parent_record *record, fx_parent_handover *out, fx_error *err) {
    json_t *json = json_of(record);
    *out = (fx_parent_handover){.fd = memfd_create(FX_PARENT_RECORD, 0)};
    (void)snprintf(out->word, sizeof out->word, "%s=%d", FX_PARENT_RECORD, out->fd);
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

/* Reads what the descriptor holds; NULL if that is not a file of records. */
static json_t *read_json(int fd) {
    char link[64], name[64] = "";
    static const char wanted[] = "/memfd:" FX_PARENT_RECORD;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, name, sizeof name - 1) >= 0 && !strncmp(name, wanted, sizeof wanted - 1) &&
                   lseek(fd, 0, SEEK_SET) == 0
               ? json_loadfd(fd, JSON_REJECT_DUPLICATES, NULL)
               : NULL;
}

static bool is_open(int64_t fd) {
    return fd < 0 || fcntl((int)fd, F_GETFD) >= 0;
}

/* False if it is no record by the parent of this process. */
static bool take(const json_t *json, fx_parent_record *out) {
    const json_t *device = NULL, *append = NULL, *chosen = NULL;
    const double least_fd = STDERR_FILENO + 1;
    const fx_field fields[] = {
        {"version", FX_FIELD_INT, NULL, true, VERSION, VERSION},
        {"parent", FX_FIELD_INT, NULL, true, getppid(), getppid()},
        {"child", FX_FIELD_BOOL, &out->child, false, 0, 0},
        {"process", FX_FIELD_U64, &out->process, false, 0, INT32_MAX},
        {"events_fd", FX_FIELD_U64, &out->events_fd, false, least_fd, INT32_MAX},
        {"began_s", FX_FIELD_NUMBER, &out->began_s, false, -INFINITY, INFINITY},
        {"usual", FX_FIELD_BOOL, &out->usual, false, 0, 0},
        {"seed", FX_FIELD_U64, &out->seed, false, 0, 0x1p53},
        {"archive_fd", FX_FIELD_U64, &out->archive_fd, false, least_fd, INT32_MAX},
        {"device", FX_FIELD_ARRAY, &device, false, 0, 0},
        {"append", FX_FIELD_ARRAY, &append, false, 0, 0},
        {"chosen", FX_FIELD_ARRAY, &chosen, false, 0, 0},
    };
    return !fx_fields_read(json, FX_PARENT_RECORD, fields, FX_COUNT(fields), NULL) && is_open(out->events_fd) &&
           is_open(out->archive_fd) && take_text(device, &out->device) && take_text(append, &out->append) &&
           take_text(chosen, &out->chosen);
}

fx_status fx_parent_record_take(fx_parent_record *out, fx_error *err) {
    const char *word = getenv(FX_PARENT_RECORD);
    char *end = NULL;
    *out = fx_parent_record_none();
    if (!word) {
        return FX_OK;
    }
    const long fd = strtol(word, &end, 10);
    json_t *json = end != word && !*end && fd > STDERR_FILENO && fd <= INT32_MAX ? read_json((int)fd) : NULL;
    const bool good = json && take(json, out);
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
    free(record->device);
    free(record->append);
    free(record->chosen);
    record->device = record->append = record->chosen = NULL;
}
