/* What a parent tells its child: each field arrives, one that was not set has its default, and nothing but a record
 * that this process's parent wrote is taken. */
#include "unit.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "call/parent_record.h"

/* Runs `look` in a child that was given the record; its exit status. */
static int in_a_child(const fx_parent_record *record, int (*look)(const fx_parent_record *taken)) {
    fx_error err = {0};
    int status = 0, fd;
    assert_ok(fx_parent_record_write(record, &fd, &err));
    const pid_t child = fork();
    if (child == 0) {
        fx_parent_record taken;
        const fx_status got = fx_parent_record_give(fd) ? FX_IO : fx_parent_record_take(&taken, &err);
        const int answer = got || getenv(FX_PARENT_RECORD) ? 99 : look(&taken);
        fx_parent_record_free(&taken);
        _exit(answer);
    }
    (void)close(fd);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int pipe_end; /* open in both */

static int all_of_it(const fx_parent_record *r) {
    const bool numbers = r->child && r->usual && r->process == 3 && r->seed == 7 && r->began_s > 12 && r->began_s < 13;
    const bool texts =
        !strcmp(r->device, "synthetic:a") && !strcmp(r->append, "/tmp/\xff\x01/a \"b\"") && !strcmp(r->chosen, "0110");
    return numbers && r->events_fd == pipe_end && texts ? 0 : 1;
}

TEST(every_field_arrives) {
    const fx_parent_record record = {.child = true,
                                     .process = 3,
                                     .events_fd = pipe_end,
                                     .began_s = 12.5,
                                     .usual = true,
                                     .seed = 7,
                                     .device = (char[]){"synthetic:a"},
                                     .append = (char[]){"/tmp/\xff\x01/a \"b\""},
                                     .chosen = (char[]){"0110"}};
    assert_int_equal(in_a_child(&record, all_of_it), 0);
}

static int nothing(const fx_parent_record *r) {
    const fx_parent_record none = fx_parent_record_none();
    const bool numbers = r->child == none.child && r->usual == none.usual && r->process == none.process &&
                         r->began_s == none.began_s && r->seed == none.seed;
    return numbers && r->events_fd == none.events_fd && !r->device && !r->append && !r->chosen ? 0 : 1;
}

TEST(a_default_stays) {
    const fx_parent_record none = fx_parent_record_none();
    assert_int_equal(in_a_child(&none, nothing), 0);
    assert_true(none.events_fd < 0 && none.seed < 0);
    assert_false(none.child);
}

static void refused(const char *value) {
    fx_parent_record record;
    fx_error err = {0};
    assert_int_equal(setenv(FX_PARENT_RECORD, value, 1), 0);
    assert_int_equal(fx_parent_record_take(&record, &err), FX_BAD_INPUT);
    assert_null(getenv(FX_PARENT_RECORD));
    fx_parent_record_free(&record);
}

/* A file without a name that holds these bytes is refused. */
static void refused_bytes(const char *name, const void *bytes, size_t size) {
    char number[16];
    const int fd = memfd_create(name, 0);
    assert_int_equal(write(fd, bytes, size), size);
    (void)snprintf(number, sizeof number, "%d", fd);
    refused(number);
    (void)close(fd);
}

/* Tried in the child, whose parent wrote the record: not the record of another process's parent, of another name, cut,
 * or longer; nor one with a descriptor that is not open, or a standard one. */
TEST(nothing_else_is_taken) {
    static const char *const words[] = {"", "0", "1", "2", "-1", "x", "3x", "1000000", "99999999999999999999"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        refused(words[i]);
    }
    fx_parent_record records[] = {fx_parent_record_none(), fx_parent_record_none(), fx_parent_record_none()};
    records[1].events_fd = 2;
    records[2].events_fd = 77777;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char bytes[512];
        int status = 0, fd;
        assert_ok(fx_parent_record_write(&records[i], &fd, &err));
        const ssize_t size = pread(fd, bytes, sizeof bytes, 0);
        assert_in_range(size, 4, sizeof bytes - 1);
        assert_int_equal(fx_parent_record_give(fd), 0);
        refused(getenv(FX_PARENT_RECORD)); /* this process is not its child */
        const pid_t child = fork();
        if (child == 0) {
            if (i) {
                refused_bytes(FX_PARENT_RECORD, bytes, (size_t)size);
            } else {
                refused_bytes("another", bytes, (size_t)size);
                refused_bytes(FX_PARENT_RECORD, bytes, (size_t)size + 1);
                for (ssize_t cut = 0; cut < size; cut++) {
                    refused_bytes(FX_PARENT_RECORD, bytes, (size_t)cut);
                }
            }
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        (void)close(fd);
    }
}

TEST(without_a_parent_there_are_defaults) {
    fx_parent_record record;
    assert_int_equal(unsetenv(FX_PARENT_RECORD), 0);
    assert_ok(fx_parent_record_take(&record, &err));
    assert_int_equal(nothing(&record), 0);
}

int main(void) {
    int ends[2];
    if (pipe(ends)) {
        return 1;
    }
    pipe_end = ends[1];
    return UNIT_RUN(NULL, NULL);
}
