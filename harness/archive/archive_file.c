/* The file under an archive.
 *
 * Each line is one write(2) to an O_APPEND descriptor. A process killed inside that call, or a full disk, may leave
 * part of a line: the part is cut off before anything else is written, so that what follows is never glued to it. What
 * looks like such a part may be a line that another process is writing, so both are done under a lock. A new file gets
 * its name only with its first line in it: a kill before that leaves no archive, not an empty one. */
#include "archive_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

FX_OWNER(fx_archive_close, fx_archive)

/* mkdir -p. */
static fx_status make_folders(const char *folder, fx_error *err) {
    char path[PATH_MAX];
    struct stat info;
    FX_FAIL_IF(snprintf(path, sizeof path, "%s", folder) >= PATH_MAX, err, FX_IO,
               "the path '%.100s...' is too long; choose a shorter one", folder);
    for (char *end = path, kept = '/'; kept; *end = kept) {
        end += 1 + strcspn(end + 1, "/");
        kept = *end;
        *end = '\0';
        if (mkdir(path, 0777) != 0) {
            const int code = errno;
            if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
                return fx_fail_io(err, "make the folder", path, code);
            }
        }
    }
    return FX_OK;
}

/* Cuts a last line that has no newline. Does nothing to anything but a regular file. */
static void drop_partial_line(const fx_archive *archive) {
    struct stat info;
    if (fstat(archive->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    off_t end = info.st_size;
    char block[4096];
    while (end > 0) {
        size_t want = end < (off_t)sizeof block ? (size_t)end : sizeof block;
        if (pread(archive->file, block, want, end - (off_t)want) != (ssize_t)want) {
            return;
        }
        const char *newline = memrchr(block, '\n', want);
        if (newline) {
            end -= (off_t)want - (newline - block) - 1;
            break;
        }
        end -= (off_t)want;
    }
    /* Should the cut fail, the reader still reports the damaged line by its number. */
    if (end < info.st_size && ftruncate(archive->file, end) != 0) {
        return;
    }
}

/* FX_IO where the file holds less than it held after the last look: somebody emptied it or cut it. */
static fx_status check_size(fx_archive *archive, fx_error *err) {
    struct stat info;
    if (fstat(archive->file, &info) != 0 || !S_ISREG(info.st_mode)) {
        return FX_OK;
    }
    FX_FAIL_IF(info.st_size < archive->least, err, FX_IO,
               "the archive '%s' was truncated during the run, and its contents are lost; run again, into a "
               "folder that nobody changes",
               archive->path);
    archive->least = info.st_size;
    return FX_OK;
}

fx_status fx_archive_check_whole(fx_archive *archive, fx_error *err) {
    struct stat info;
    FX_FAIL_IO_IF(fstat(archive->file, &info) != 0, err, "look at", archive->path);
    FX_FAIL_IF(info.st_nlink == 0, err, FX_IO,
               "the archive '%s' was deleted during the run; choose a folder that nobody changes", archive->path);
    drop_partial_line(archive);
    return check_size(archive, err);
}

/* Of a disk that fills, each line but the last leaves room for the last. A file system that reserves nothing may end
 * without it. */
static bool has_room(const fx_archive *archive, size_t size, bool is_last) {
    enum { LAST_BYTES = 1024 };
    const off_t end = lseek(archive->file, 0, SEEK_END);
    return is_last || end < 0 || fallocate(archive->file, FALLOC_FL_KEEP_SIZE, end, (off_t)size + LAST_BYTES) == 0 ||
           errno != ENOSPC;
}

static fx_status write_fully(fx_archive *archive, const char *bytes, size_t size, bool is_last, fx_error *err) {
    FX_TRY(fx_archive_check_whole(archive, err));
    const bool empty = lseek(archive->file, 0, SEEK_END) <= 0;
    const off_t whole = archive->least + (off_t)size;
    while (size > 0) {
        ssize_t written = has_room(archive, size, is_last) ? write(archive->file, bytes, size) : 0;
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            int code = written < 0 ? errno : ENOSPC;
            drop_partial_line(archive);
            fx_error cause;
            (void)fx_fail_io(&cause, "write to", archive->path, code);
            return fx_fail(err, FX_IO, "%s; %s", cause.text,
                           empty ? "nothing was written" : "the lines written so far are kept");
        }
        bytes += written;
        size -= (size_t)written;
    }
    archive->least = whole;
    /* Cut between the first look and the write: what was written stands alone then. */
    return check_size(archive, err);
}

/* A file system without locks leaves nothing to be done: there one writer at a time is all that is safe. */
static void lock(const fx_archive *archive, int operation) {
    while (flock(archive->file, operation) != 0 && errno == EINTR)
        ;
}

fx_status fx_archive_put_take(fx_archive *archive, json_t *object, fx_error *err) {
    /* 9 digits are more than any clock here resolves; whole numbers are stored as integers and keep all of theirs. */
    FX_FREED char *text = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const char *type = json_string_value(json_object_get(object, "type"));
    const bool is_last = type && !strcmp(type, "end");
    json_decref(object);
    FX_FAIL_IF(!text, err, FX_NO_MEMORY, "no memory for a line of the archive '%s'", archive->path);
    size_t size = strlen(text);
    text[size] = '\n'; /* in the place of the terminating zero: one write, no copy */
    lock(archive, LOCK_EX);
    fx_status status = write_fully(archive, text, size + 1, is_last, err);
    lock(archive, LOCK_UN);
    return status;
}

json_t *fx_archive_text(const char *text) {
    json_t *string = json_string(text);
    if (string) {
        return string;
    }
    FX_FREED char *copy = fx_given(strdup(text));
    for (char *at = copy; *at; at++) {
        if ((unsigned char)*at >= 0x80) {
            *at = '?';
        }
    }
    return json_string(copy);
}

/* Opens a file that did not exist before under a hidden name; its id and the time of its name come back. No other
 * process can hold or come to hold the name that is in the archive: it would need the hidden one first. */
static fx_status create_file(const char *folder, fx_archive *archive, char hidden[PATH_MAX], char id[9], struct tm *utc,
                             fx_error *err) {
    enum { TRIES = 100 };
    for (int try = 0; try < TRIES; try++) {
        uint32_t number;
        time_t now = time(NULL);
        FX_FAIL_IO_IF(getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number || !gmtime_r(&now, utc), err,
                      "name an archive in", folder);
        FX_FAIL_IF(utc->tm_year > 9999 - 1900, err, FX_IO,
                   "the clock shows the year %d; set it, because archives are named by their time",
                   utc->tm_year + 1900);
        char stamp[32];
        strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", utc);
        snprintf(id, 9, "%08x", (unsigned)number);
        FX_FAIL_IF(snprintf(hidden, PATH_MAX, "%s/.%s-%s.jsonl.new", folder, stamp, id) >= PATH_MAX, err, FX_IO,
                   "the path '%.100s...' is too long; choose a shorter one", folder);
        snprintf(archive->path, PATH_MAX, "%s/%s-%s.jsonl", folder, stamp, id);
        archive->file = open(hidden, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        FX_FAIL_IO_IF(archive->file < 0 && errno != EEXIST, err, "create an archive in", folder);
        if (archive->file >= 0 && access(archive->path, F_OK) != 0) {
            return FX_OK;
        }
        if (archive->file >= 0) {
            unlink(hidden);
            close(archive->file);
            archive->file = -1;
        }
    }
    return fx_fail(err, FX_IO, "cannot find a free file name in '%s': choose another folder", folder);
}

fx_status fx_archive_create(const char *folder, json_t *run, fx_archive **out, fx_error *err) {
    char id[9], started[32], hidden[PATH_MAX] = "";
    struct tm utc;
    *out = NULL;
    folder = folder[0] ? folder : ".";
    FX_TRY(make_folders(folder, err));
    FX_OWNED(fx_archive_close_at) fx_archive *archive = fx_new(1, sizeof *archive);
    archive->file = -1;
    FX_TRY(create_file(folder, archive, hidden, id, &utc, err));
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);

    /* These four come first, so that the head of the file says what it is. */
    json_t *line =
        json_pack("{ss si ss ss}", "type", "run", "schema", FX_ARCHIVE_SCHEMA, "id", id, "started_utc", started);
    if (line && (json_object_update(run, line) != 0 || json_object_update(line, run) != 0)) {
        json_decref(line);
        line = NULL;
    }
    fx_status status = fx_archive_put_take(archive, line, err);
    if (status == FX_OK && rename(hidden, archive->path) != 0) {
        status = fx_fail_io(err, "create", archive->path, errno);
    }
    if (status != FX_OK) {
        unlink(hidden);
        return status;
    }
    *out = archive;
    archive = NULL; /* handed over */
    return FX_OK;
}

/* The file may have been replaced since it was named: nothing is cut from or appended to what is not an archive. */
fx_status fx_archive_append_to(const char *path, fx_archive **out, fx_error *err) {
    json_auto_t *head = NULL;
    *out = NULL;
    FX_TRY(fx_archive_head(path, &head, err));
    FX_OWNED(fx_archive_close_at) fx_archive *archive = fx_new(1, sizeof *archive);
    (void)snprintf(archive->path, PATH_MAX, "%s", path);
    archive->file = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    FX_FAIL_IO_IF(archive->file < 0, err, "append to", path);
    FX_TRY(fx_archive_in_place(archive, err));
    *out = archive;
    archive = NULL; /* handed over */
    return FX_OK;
}

fx_status fx_archive_in_place(fx_archive *archive, fx_error *err) {
    struct stat ours, named;
    FX_FAIL_IO_IF(stat(archive->path, &named) != 0, err, "find", archive->path);
    FX_FAIL_IO_IF(fstat(archive->file, &ours) != 0, err, "look at", archive->path);
    FX_FAIL_IF(ours.st_dev != named.st_dev || ours.st_ino != named.st_ino, err, FX_IO,
               "the archive '%s' was replaced by another file during the run; leave it alone while a run writes it",
               archive->path);
    lock(archive, LOCK_EX);
    const fx_status status = fx_archive_check_whole(archive, err);
    lock(archive, LOCK_UN);
    return status;
}

const char *fx_archive_path(const fx_archive *archive) {
    return archive->path;
}

void fx_archive_close(fx_archive *archive) {
    if (!archive) {
        return;
    }
    if (archive->file >= 0) {
        close(archive->file);
    }
    free(archive);
}
