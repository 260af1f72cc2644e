/* Files are written whole or not at all, and only over files: devices, FIFOs, sockets, links and folders stay what they
 * are. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/output.h"
#include "vectors.h"

static char folder[64];

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    return remove(path);
}

/* Every test has a folder of its own, which is the present one. */
static int enter_folder(void **state) {
    strcpy(folder, "/tmp/gpufx-test-XXXXXX");
    (void)umask(022);
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state) {
    return chdir("/") || nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static size_t entries(void) {
    size_t count = 0;
    DIR *list = opendir(".");
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    (void)closedir(list);
    return count;
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    char got[64] = "";
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    (void)fclose(file);
    assert_string_equal(got, text);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

static fx_status write_text(const char *path, const char *text, fx_error *err) {
    fx_output *output;
    fx_status status = fx_output_open(path, &output, err);
    if (status == FX_OK) {
        fputs(text, fx_output_stream(output));
        status = fx_output_commit(output, err);
    }
    return status;
}

static void assert_refused(const char *path, fx_status wanted, const char *because) {
    fx_error err = {0};
    assert_int_equal(write_text(path, "new", &err), wanted);
    if (!strstr(err.text, because)) {
        fail_msg("\"%s\" does not say \"%s\"", err.text, because);
    }
}

TEST_WITH(whole_files, enter_folder, leave_folder) {
    fx_output *output;
    assert_ok(write_text("a", "first", &err));
    assert_int_equal(mode_of("a"), S_IFREG | 0644);
    assert_ok(write_text("a", "second", &err));
    assert_holds("a", "second");
    assert_int_equal(entries(), 1);

    /* The old one stands until the new one is whole, and for ever if it does not come. */
    assert_ok(fx_output_open("a", &output, &err));
    fputs("third", fx_output_stream(output));
    (void)fflush(fx_output_stream(output));
    assert_holds("a", "second");
    fx_output_abort(output);
    assert_holds("a", "second");
    assert_int_equal(entries(), 1);

    /* Permissions: of the file that was there, else of the umask. */
    assert_int_equal(chmod("a", 0600), 0);
    assert_ok(write_text("a", "private", &err));
    assert_int_equal(mode_of("a"), S_IFREG | 0600);
    (void)umask(077);
    assert_ok(write_text("b", "private", &err));
    assert_int_equal(mode_of("b"), S_IFREG | 0600);

    /* A path with folders, and another writer that was quicker. */
    assert_int_equal(mkdir("d", 0755), 0);
    assert_ok(fx_output_open("d/c", &output, &err));
    put("d/c", "quicker");
    fputs("last", fx_output_stream(output));
    assert_ok(fx_output_commit(output, &err));
    assert_holds("d/c", "last");
    fx_output_abort(NULL);
}

TEST_WITH(what_stands_there_decides, enter_folder, leave_folder) {
    json_t *file = vectors("output.json"), *test;
    size_t i;
    put("file", "old");
    assert_int_equal(symlink("file", "link") | symlink("nowhere", "dangling") | mkdir("folder", 0755), 0);
    json_array_foreach(json_object_get(file, "cases"), i, test) {
        const char *path = json_string_value(json_object_get(test, "path"));
        const char *why = json_string_value(json_object_get(test, "refused"));
        const fx_status status = write_text(path, "new", &err);
        if ((status == FX_OK) != !why || (why && !strstr(err.text, why))) {
            fail_msg("'%s': %s", path, status == FX_OK ? "written" : err.text);
        }
        if (!why) {
            assert_holds(path, "new");
            put("file", "old");
        }
        assert_holds("link", "old");
        assert_int_equal(access("nowhere", F_OK) & access("nothing", F_OK), -1);
    }
    assert_int_equal(i, 10);
    json_decref(file);
}

TEST_WITH(read_only_files_stay, enter_folder, leave_folder) {
    int ended;
    put("a", "old");
    assert_int_equal(chmod("a", 0444) | chmod(".", 0777), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const uid_t nobody = 65534; /* root may write to everything */
        const bool ours = geteuid() != 0 || setuid(nobody) == 0;
        _exit(!(ours && write_text("a", "new", &err) == FX_IO && strstr(err.text, "may write to")));
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_holds("a", "old");
}

TEST_WITH(fifos_get_the_text, enter_folder, leave_folder) {
    char got[16] = "";
    int ended = 1;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(write_text("fifo", "through", NULL) != FX_OK);
    }
    const int file = open("fifo", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(file, got, sizeof got - 1), 7);
    assert_string_equal(got, "through");
    (void)close(file);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_true(S_ISFIFO(mode_of("fifo")));
    assert_int_equal(entries(), 1);
}

/* Nodes like /dev/null and /dev/full, made here, since a failure of this test replaces them. */
TEST_WITH(devices_stay, enter_folder, leave_folder) {
    if (mknod("null", S_IFCHR | 0666, makedev(1, 3)) != 0 || mknod("full", S_IFCHR | 0666, makedev(1, 7)) != 0) {
        print_message("no device nodes can be made here: %s\n", strerror(errno));
        skip();
    }
    const int file = open("null", O_WRONLY | O_CLOEXEC);
    if (file < 0) {
        print_message("no device nodes can be opened here: %s\n", strerror(errno));
        skip();
    }
    (void)close(file);
    assert_int_equal(symlink("null", "link"), 0);
    assert_ok(write_text("null", "gone", &err));
    assert_ok(write_text("link", "gone", &err));
    assert_refused("full", FX_IO, "No space left");
    assert_true(S_ISCHR(mode_of("null")));
    assert_true(S_ISCHR(mode_of("full")));
    assert_true(S_ISLNK(mode_of("link")));
    assert_int_equal(entries(), 3);
}

/* A file that becomes a FIFO while the output is made is not replaced either. */
TEST_WITH(the_place_is_looked_at_again, enter_folder, leave_folder) {
    fx_output *output;
    put("a", "old");
    assert_ok(fx_output_open("a", &output, &err));
    assert_int_equal(unlink("a"), 0);
    assert_int_equal(mkfifo("a", 0600), 0);
    assert_int_equal(fx_output_commit(output, &err), FX_IO);
    assert_non_null(strstr(err.text, "no longer a regular file"));
    assert_true(S_ISFIFO(mode_of("a")));
    assert_int_equal(entries(), 1);
}

static void kill_while_writing(const char *path) {
    fx_output *output;
    int ends[2], ended;
    char byte;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (fx_output_open(path, &output, NULL) == FX_OK && fputs("half", fx_output_stream(output)) >= 0 &&
            fflush(fx_output_stream(output)) == 0 && write(ends[1], "x", 1) == 1) {
            (void)pause();
        }
        _exit(1);
    }
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    (void)close(ends[0]);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &ended, 0), child);
}

TEST_WITH(a_kill_leaves_the_old_file, enter_folder, leave_folder) {
    put("a", "old");
    kill_while_writing("a");
    kill_while_writing("b");
    assert_holds("a", "old");
    assert_int_equal(access("b", F_OK), -1);
}

UNIT_MAIN(NULL, NULL)
