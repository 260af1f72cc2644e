/* Archives in trouble: a full disk is reported, and whatever ends or disturbs a writer, no line is ever glued to half
 * of another. (Folders that can't be written to, an archive that is deleted: tests/cli/refusals.t and trouble.t.) */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "archived.h"

/* Each writer looks for half a line before it writes: the other's line, while it is being written, must not be taken
 * for one. The lines are longer than a page, and the kernel makes a file longer page by page. */
TEST(two_writers_on_one_archive) {
    enum { LINES = 1000, WRITERS = 2, LONG = 20000 };
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    pid_t children[WRITERS];
    for (unsigned w = 0; w < WRITERS; w++) {
        children[w] = fork();
        if (children[w] == 0) {
            fx_archive *own = NULL;
            char *reason = malloc(LONG + 1);
            memset(reason, 'a' + (int)w, LONG);
            reason[LONG] = '\0';
            bool good = fx_archive_append_to(fx_archive_path(archive), &own, &err) == FX_OK;
            for (int i = 0; i < LINES && good; i++) {
                good = fx_archive_skipped(own, &(fx_run_position){.process = w}, &c, FX_UNSUPPORTED, reason, &err) ==
                       FX_OK;
            }
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        int status;
        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_int_equal(status, 0);
    }
    json_t *lines = read_all(fx_archive_path(archive), NULL);
    assert_int_equal(json_array_size(lines), 1 + WRITERS * LINES);
    json_decref(lines);
    fx_archive_close(archive);
}

static int is_archive(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && !strcmp(dot, ".jsonl");
}

/* A signal that ends the process in the middle of its first line, as a kill may: no archive without one is left. */
TEST(a_kill_in_the_first_line) {
    char where[200];
    in_folder(where, "killed");
    pid_t child = fork();
    if (child == 0) {
        fx_archive *archive = NULL;
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){20, 20});
        signal(SIGXFSZ, SIG_DFL);
        (void)fx_archive_create(where, run_line(), &archive, &err);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    struct dirent **found = NULL;
    assert_int_equal(scandir(where, &found, is_archive, NULL), 0);
    free(found);
}

TEST(a_full_disk) {
    fx_case c = full_case();
    int full = open("/dev/full", O_RDWR), next = dup(full);
    close(next);
    fx_archive *archive = create(folder);
    /* The archive's descriptor is the lowest that was free. */
    assert_int_equal(dup2(full, next), next);
    close(full);
    assert_int_equal(fx_archive_skipped(archive, &(fx_run_position){.process = 0}, &c, FX_UNSUPPORTED, "x", &err),
                     FX_IO);
    assert_says(err.text, "No space left on device; free some space");
    fx_archive_close(archive);
}

/* Not even the line without an end, which would be cut from an archive. */
TEST(what_is_no_archive_is_not_appended_to) {
    static const char *const texts[] = {"", "half", "{\"type\":\"case\"}\nhalf", "text\nhalf", "{\"type\":\"run\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fx_archive *archive = create(folder), *other = NULL;
        struct stat after;
        assert_ok(fx_archive_in_place(archive, &err));
        assert_int_equal(unlink(fx_archive_path(archive)), 0);
        FILE *file = fopen(fx_archive_path(archive), "w");
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(fx_archive_append_to(fx_archive_path(archive), &other, &err), FX_BAD_INPUT);
        assert_null(other);
        assert_int_equal(stat(fx_archive_path(archive), &after), 0);
        assert_int_equal(after.st_size, strlen(texts[i]));
        assert_int_equal(fx_archive_in_place(archive, &err), FX_IO);
        assert_says(err.text, "replaced");
        unlink(fx_archive_path(archive));
        fx_archive_close(archive);
    }
    fx_archive *archive = NULL;
    assert_int_equal(fx_archive_append_to("/dev/full", &archive, &err), FX_BAD_INPUT);
    assert_int_equal(fx_archive_append_to("/tmp/gpufx/not/there", &archive, &err), FX_IO);
    assert_null(archive);
}

/* A file size limit stops a write in mid-line, as a disk that fills up does. */
TEST(half_a_line_is_taken_back) {
    fx_case c = full_case();
    fx_archive *archive = create(folder);
    struct stat before, after;
    stat(fx_archive_path(archive), &before);
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)before.st_size + 50, old.rlim_max});
    fx_status status = fx_archive_skipped(archive, &(fx_run_position){.process = 0}, &c, FX_UNSUPPORTED, "x", &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, FX_IO);
    assert_says(err.text, "ulimit -f");
    stat(fx_archive_path(archive), &after);
    assert_int_equal(after.st_size, before.st_size);
    fx_archive_close(archive);
}

static time_t planted_time; /* 0: the clock's own */

time_t __real_time(time_t *out);
time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out) {
    return planted_time ? planted_time : __real_time(out);
}

/* An archive is named by the time of its run: a clock that has left the four-digit years is refused. */
TEST(a_clock_beyond_its_years) {
    planted_time = 253402300800; /* 10000-01-01 */
    fx_archive *archive = NULL;
    json_t *run = run_line();
    assert_int_equal(fx_archive_create(folder, run, &archive, &err), FX_IO);
    json_decref(run);
    assert_null(archive);
    assert_says(err.text, "the clock shows the year 10000; set it");
    planted_time--;
    archive = create(folder);
    assert_says(fx_archive_path(archive), "/99991231T235959Z-");
    fx_archive_close(archive);
    planted_time = 0;
}

UNIT_MAIN(make_folder, remove_folder)
