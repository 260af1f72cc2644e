/* The record as bytes, since writer and reader are one and the same program: the struct, then its texts. */
#include "parent_record.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/probe.h"

/* What stands first. The texts follow in the order of the struct, each with its zero; "": NULL. */
typedef struct head {
    pid_t parent;
    fx_parent_record record;
} head;

fx_parent_record fx_parent_record_none(void) {
    return (fx_parent_record){.events_fd = -1, .seed = -1};
}

static struct iovec part_of(char *text) {
    static char none[] = "";
    text = text ? text : none;
    return (struct iovec){text, strlen(text) + 1};
}

fx_status fx_parent_record_write(const fx_parent_record *record, int *fd, fx_error *err) {
    head first = {.parent = getpid(), .record = *record};
    const struct iovec parts[] = {
        {&first, sizeof first}, part_of(record->device), part_of(record->append), part_of(record->chosen)};
    *fd = memfd_create(FX_PARENT_RECORD, 0);
    FX_FAIL_IF(*fd < 0 || writev(*fd, parts, FX_COUNT(parts)) < 0, err, FX_IO, "a process can't be started: %s",
               strerror(errno));
    return FX_OK;
}

int fx_parent_record_give(int fd) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", fd);
    return setenv(FX_PARENT_RECORD, number, 1);
}

/* All that the descriptor holds, which the caller frees; NULL if that is not a file of records. */
static char *read_file(int fd, size_t *size) {
    static const char wanted[] = "/memfd:" FX_PARENT_RECORD;
    char link[64], name[64] = "";
    struct stat info;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, name, sizeof name - 1) < 0 || strncmp(name, wanted, sizeof wanted - 1) || fstat(fd, &info)) {
        return NULL;
    }
    *size = (size_t)info.st_size;
    char *bytes = calloc(*size + 1, 1);
    if (bytes && pread(fd, bytes, *size, 0) != info.st_size) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

/* False if it is no record by the parent of this process. */
static bool take(const char *bytes, size_t size, fx_parent_record *out) {
    char **const texts[] = {&out->device, &out->append, &out->chosen};
    const char *at = bytes + sizeof(head), *end = bytes + size;
    head first;
    if (size <= sizeof first) {
        return false;
    }
    memcpy(&first, bytes, sizeof first);
    *out = first.record;
    out->device = out->append = out->chosen = NULL;
    size_t count = 0;
    for (; count < FX_COUNT(texts) && at < end; at += strlen(at) + 1) {
        *texts[count++] = *at ? strdup(at) : NULL;
    }
    const int64_t fd = out->events_fd;
    return first.parent == getppid() && count == FX_COUNT(texts) && at == end &&
           (fd < 0 || (fd > STDERR_FILENO && fcntl((int)fd, F_GETFD) >= 0));
}

fx_status fx_parent_record_take(fx_parent_record *out, fx_error *err) {
    const char *word = getenv(FX_PARENT_RECORD);
    char *end = NULL;
    size_t size;
    *out = fx_parent_record_none();
    if (!word) {
        return FX_OK;
    }
    const long fd = strtol(word, &end, 10);
    char *bytes = !*end && fd > STDERR_FILENO && fd <= INT32_MAX ? read_file((int)fd, &size) : NULL;
    const bool good = bytes && take(bytes, size, out);
    if (good) {
        (void)close((int)fd);
    }
    free(bytes);
    (void)unsetenv(FX_PARENT_RECORD);
    FX_FAIL_IF(!good, err, FX_BAD_INPUT,
               "the environment variable %s is for processes that gpufx itself starts; unset it", FX_PARENT_RECORD);
    return FX_OK;
}

void fx_parent_record_free(fx_parent_record *record) {
    free(record->device);
    free(record->append);
    free(record->chosen);
    record->device = record->append = record->chosen = NULL;
}
