/* A file is made without a name (O_TMPFILE): nobody else can open it, no name can be foreseen, and a kill leaves
 * nothing. It gets its name by linkat, which takes no place that is taken; to replace a file it gets a random hidden
 * name first, then renameat. Where the file system has no O_TMPFILE (NFS, FAT), it has such a hidden name from the
 * start (O_EXCL, 0600): there a kill leaves it, and the next output into the folder removes it. A lock tells such a
 * leftover from the file of a process that still writes. */
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX ".gpufx-"
enum { HIDDEN_BYTES = sizeof PREFIX + 16, TRIES = 100, FD_PATH_BYTES = 32 };

struct fx_output {
    char *path;       /* as the user wrote it */
    const char *name; /* its last part */
    int folder;       /* that holds it; -1: written as it is */
    FILE *stream;
    char hidden[HIDDEN_BYTES]; /* "": the file has no name */
    bool replaces;             /* there was a regular file */
    mode_t mode;
};

/* Reads the umask, for which there is no other call; the threads of this program make no files. */
static mode_t new_file_mode(void) {
    const mode_t mask = umask(077);
    (void)umask(mask);
    return 0666 & ~mask;
}

static fx_status random_name(char name[HIDDEN_BYTES], const char *path, fx_error *err) {
    uint64_t number;
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
        return fx_fail_io(err, "name a temporary file for", path, errno);
    }
    (void)snprintf(name, HIDDEN_BYTES, PREFIX "%016" PRIx64, number);
    return FX_OK;
}

/* Removes what killed processes of this user left in the folder. */
static void remove_leftovers(int folder) {
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list) {
        if (again >= 0) {
            (void)close(again);
        }
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list));) {
        struct stat info;
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0 || strlen(entry->d_name) != HIDDEN_BYTES - 1) {
            continue;
        }
        const int file = openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0) {
            continue;
        }
        if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
            flock(file, LOCK_EX | LOCK_NB) == 0) {
            (void)unlinkat(folder, entry->d_name, 0);
        }
        (void)close(file);
    }
    (void)closedir(list);
}

/* A file system without locks has one writer at a time: that is all that is safe there. */
static void lock(int file) {
    while (flock(file, LOCK_EX) != 0 && errno == EINTR)
        ;
}

/* A locked file of a hidden name; -1 with errno. Between its making and its lock it may have been taken for a leftover.
 */
static int open_hidden(fx_output *output, fx_error *err) {
    remove_leftovers(output->folder);
    for (int try = 0; try < TRIES; try++) {
        struct stat info;
        if (random_name(output->hidden, output->path, err)) {
            return -1;
        }
        const int file = openat(output->folder, output->hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) {
            output->hidden[0] = '\0';
            if (errno != EEXIST) {
                return -1;
            }
            continue;
        }
        lock(file);
        if (fstat(file, &info) != 0 || info.st_nlink > 0) {
            return file;
        }
        (void)close(file);
    }
    output->hidden[0] = '\0';
    errno = EEXIST;
    return -1;
}

static void fd_path(char text[FD_PATH_BYTES], int file) {
    (void)snprintf(text, FD_PATH_BYTES, "/proc/self/fd/%d", file);
}

static int open_nameless(const fx_output *output) {
    char self[FD_PATH_BYTES];
    const int file = openat(output->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    fd_path(self, file);
    if (file >= 0 && access(self, F_OK) != 0) { /* without /proc it could get no name */
        (void)close(file);
        return -1;
    }
    if (file >= 0) {
        lock(file);
    }
    return file;
}

static fx_status open_beside(fx_output *output, int *file, fx_error *err) {
    char *slash = strrchr(output->path, '/');
    const char *folder = !slash ? "." : slash == output->path ? "/" : output->path;
    output->name = slash ? slash + 1 : output->path;
    if (slash && slash != output->path) {
        *slash = '\0';
    }
    output->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int code = errno;
    if (slash) {
        *slash = '/';
    }
    if (output->folder < 0) {
        return fx_fail_io(err, "write", output->path, code);
    }
    *file = open_nameless(output);
    if (*file < 0) {
        *file = open_hidden(output, err);
    }
    return *file < 0 ? fx_fail_io(err, "write", output->path, errno) : FX_OK;
}

/* Without O_CREAT, and only if it still is not a regular file: nothing is made or cut here. */
static fx_status open_as_is(const fx_output *output, int *file, fx_error *err) {
    struct stat info;
    *file = open(output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (*file < 0) {
        return fx_fail_io(err, "write", output->path, errno);
    }
    if (fstat(*file, &info) != 0 || S_ISREG(info.st_mode)) {
        (void)close(*file);
        *file = -1;
        return fx_fail(err, FX_IO, "'%s' was replaced while it was being opened; try again", output->path);
    }
    return FX_OK;
}

static bool is_special(mode_t mode) {
    return !S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode);
}

/* Decides between the rows of the table in output.h. */
static fx_status open_path(fx_output *output, int *file, fx_error *err) {
    const char *path = output->path;
    struct stat info, target;
    const size_t length = strlen(path);
    if (!length) {
        return fx_fail(err, FX_BAD_INPUT, "the output file name is empty; name a file");
    }
    if (lstat(path, &info) != 0) {
        if (errno != ENOENT) {
            return fx_fail_io(err, "write", path, errno);
        }
        if (path[length - 1] == '/') {
            return fx_fail(err, FX_BAD_INPUT, "'%s' is a folder; name a file", path);
        }
        output->mode = new_file_mode();
        return open_beside(output, file, err);
    }
    if (S_ISLNK(info.st_mode)) {
        if (stat(path, &target) == 0 && is_special(target.st_mode)) {
            return open_as_is(output, file, err);
        }
        return fx_fail(err, FX_BAD_INPUT, "'%s' is a link; name the file that it points to", path);
    }
    if (is_special(info.st_mode)) {
        return open_as_is(output, file, err);
    }
    if (S_ISDIR(info.st_mode)) {
        return fx_fail(err, FX_BAD_INPUT, "'%s' is a folder; name a file", path);
    }
    if (access(path, W_OK) != 0) { /* the folder would let it be replaced all the same */
        return fx_fail_io(err, "write", path, errno);
    }
    output->replaces = true;
    output->mode = info.st_mode & 0777;
    return open_beside(output, file, err);
}

fx_status fx_output_open(const char *path, fx_output **out, fx_error *err) {
    int file = -1;
    *out = NULL;
    fx_output *output = calloc(1, sizeof *output);
    if (output) {
        output->folder = -1;
        output->path = strdup(path);
    }
    if (!output || !output->path) {
        free(output);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while opening '%s'", path);
    }
    fx_status status = open_path(output, &file, err);
    if (status == FX_OK && !(output->stream = fdopen(file, "w"))) {
        status = fx_fail_io(err, "write", path, errno);
        (void)close(file);
    }
    if (status != FX_OK) {
        fx_output_abort(output);
        return status;
    }
    *out = output;
    return FX_OK;
}

FILE *fx_output_stream(fx_output *output) {
    return output->stream;
}

static bool gives_a_name(const fx_output *output, const char *name) {
    char self[FD_PATH_BYTES];
    fd_path(self, fileno(output->stream));
    return linkat(AT_FDCWD, self, output->folder, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Where nothing stood, a file that has come meanwhile is replaced like one that was there; anything but a file is not.
 */
static fx_status put_in_place(fx_output *output, fx_error *err) {
    struct stat info;
    if (!output->replaces && !output->hidden[0]) {
        if (gives_a_name(output, output->name)) {
            return FX_OK;
        }
        if (errno != EEXIST) {
            return fx_fail_io(err, "write", output->path, errno);
        }
    }
    if (fstatat(output->folder, output->name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(info.st_mode)) {
        return fx_fail(err, FX_IO, "'%s' is no longer a regular file and was left unchanged", output->path);
    }
    if (!output->hidden[0]) {
        char name[HIDDEN_BYTES];
        remove_leftovers(output->folder);
        if (random_name(name, output->path, err)) {
            return err->status;
        }
        if (!gives_a_name(output, name)) {
            return fx_fail_io(err, "write", output->path, errno);
        }
        memcpy(output->hidden, name, sizeof name);
    }
    if (renameat(output->folder, output->hidden, output->folder, output->name) != 0) {
        return fx_fail_io(err, "write", output->path, errno);
    }
    output->hidden[0] = '\0';
    return FX_OK;
}

fx_status fx_output_commit(fx_output *output, fx_error *err) {
    const int file = fileno(output->stream);
    fx_status status = FX_OK;
    errno = 0;
    if (fflush(output->stream) != 0 || ferror(output->stream)) {
        status = fx_fail_io(err, "write", output->path, errno ? errno : EIO);
    } else if (output->folder >= 0 && (fchmod(file, output->mode) != 0 || fsync(file) != 0)) {
        status = fx_fail_io(err, "write", output->path, errno);
    } else if (output->folder >= 0) {
        status = put_in_place(output, err);
        (void)fsync(output->folder); /* the name, too; not all file systems can */
    }
    fx_output_abort(output);
    return status;
}

void fx_output_abort(fx_output *output) {
    if (!output) {
        return;
    }
    if (output->hidden[0] && output->folder >= 0) {
        (void)unlinkat(output->folder, output->hidden, 0);
    }
    if (output->stream) {
        (void)fclose(output->stream);
    }
    if (output->folder >= 0) {
        (void)close(output->folder);
    }
    free(output->path);
    free(output);
}
