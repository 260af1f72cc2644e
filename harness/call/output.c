/* A file is written under a random name beside its place (mkostemp: O_EXCL, 0600), synced, and renamed. After a failure
 * that name goes; a process that is killed in the middle leaves it. */
#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIDDEN ".gpufx-XXXXXX"

struct fx_output {
    char *path;   /* as the user wrote it */
    char *hidden; /* what is written; NULL: the path itself, as it is */
    FILE *stream;
    mode_t mode;
};

FX_OWNER(fx_output_abort, fx_output)

/* Reads the umask, for which there is no other call; the threads of this program make no files. */
static mode_t new_file_mode(void) {
    const mode_t mask = umask(077);
    (void)umask(mask);
    return 0666 & ~mask;
}

static fx_status open_beside(fx_output *output, int *file, fx_error *err) {
    const char *slash = strrchr(output->path, '/');
    output->hidden = fx_printed("%.*s%s", slash ? (int)(slash - output->path) + 1 : 0, output->path, HIDDEN);
    *file = mkostemp(output->hidden, O_CLOEXEC);
    if (*file < 0) {
        const int code = errno;
        free(output->hidden);
        output->hidden = NULL;
        return fx_fail_io(err, "write", output->path, code);
    }
    return FX_OK;
}

/* Without O_CREAT, and only if it still is not a regular file: nothing is made or cut here. */
static fx_status open_as_is(const fx_output *output, int *file, fx_error *err) {
    struct stat info;
    *file = open(output->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    FX_FAIL_IO_IF(*file < 0, err, "write", output->path);
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
    FX_FAIL_IF(!length, err, FX_BAD_INPUT, "the output file name is empty; name a file");
    if (lstat(path, &info) != 0) {
        FX_FAIL_IO_IF(errno != ENOENT, err, "write", path);
        FX_FAIL_IF(path[length - 1] == '/', err, FX_BAD_INPUT, "'%s' is a folder; name a file", path);
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
    FX_FAIL_IF(S_ISDIR(info.st_mode), err, FX_BAD_INPUT, "'%s' is a folder; name a file", path);
    FX_FAIL_IO_IF(access(path, W_OK) != 0, err, "write", path); /* the folder would let it be replaced all the same */
    output->mode = info.st_mode & 0777;
    return open_beside(output, file, err);
}

fx_status fx_output_open(const char *path, fx_output **out, fx_error *err) {
    int file = -1;
    *out = NULL;
    FX_OWNED(fx_output_abort_at) fx_output *output = fx_new(1, sizeof *output);
    output->path = fx_given(strdup(path));
    FX_TRY(open_path(output, &file, err));
    FX_FAIL_IO_IF(!(output->stream = fdopen(file, "w")), err, "write", path);
    *out = output;
    output = NULL; /* handed over */
    return FX_OK;
}

FILE *fx_output_stream(fx_output *output) {
    return output->stream;
}

/* A file that has appeared meanwhile is replaced like one that was there; anything but a file is not. */
static fx_status put_in_place(fx_output *output, fx_error *err) {
    struct stat info;
    FX_FAIL_IF(lstat(output->path, &info) == 0 && !S_ISREG(info.st_mode), err, FX_IO,
               "'%s' is no longer a regular file and was left unchanged", output->path);
    FX_FAIL_IO_IF(rename(output->hidden, output->path) != 0, err, "write", output->path);
    free(output->hidden);
    output->hidden = NULL;
    return FX_OK;
}

fx_status fx_output_commit(fx_output *output, fx_error *err) {
    FX_OWNED(fx_output_abort_at) fx_output *owned = output;
    const int file = fileno(output->stream);
    errno = 0;
    if (fflush(output->stream) != 0 || ferror(output->stream)) {
        if (!errno) { /* an earlier write has failed: another one fails for the same reason */
            (void)fputc('\n', output->stream);
            (void)fflush(output->stream);
        }
        return fx_fail_io(err, "write", output->path, errno ? errno : EIO);
    }
    FX_FAIL_IO_IF(output->hidden && (fchmod(file, output->mode) != 0 || fsync(file) != 0), err, "write", output->path);
    return output->hidden ? put_in_place(output, err) : FX_OK;
}

void fx_output_abort(fx_output *output) {
    if (!output) {
        return;
    }
    if (output->hidden) {
        (void)unlink(output->hidden);
    }
    if (output->stream) {
        (void)fclose(output->stream);
    }
    free(output->hidden);
    free(output->path);
    free(output);
}
