/* An archive is named by the time of its run: a clock that has left the four-digit years is refused, and no file is
 * made. The clock is a wrapper around time(). */
#include "unit.h"

#include <time.h>
#include <unistd.h>

#include "archive/archive.h"

static time_t now;

time_t __wrap_time(time_t *out);
time_t __wrap_time(time_t *out) {
    if (out) {
        *out = now;
    }
    return now;
}

TEST(years) {
    char folder[] = "/tmp/gpufx-test-XXXXXX";
    fx_archive *archive;
    fx_error err = {0};
    assert_non_null(mkdtemp(folder));
    json_t *run = json_object();
    now = 253402300800; /* 10000-01-01 */
    assert_int_equal(fx_archive_create(folder, run, &archive, &err), FX_IO);
    assert_non_null(strstr(err.text, "the clock shows the year 10000; set it"));
    assert_int_equal(rmdir(folder), 0);

    assert_non_null(mkdtemp(strcpy(folder, "/tmp/gpufx-test-XXXXXX")));
    now--;
    assert_ok(fx_archive_create(folder, run, &archive, &err));
    assert_non_null(strstr(fx_archive_path(archive), "/99991231T235959Z-"));
    assert_int_equal(unlink(fx_archive_path(archive)), 0);
    fx_archive_close(archive);
    assert_int_equal(rmdir(folder), 0);
    json_decref(run);
}

UNIT_MAIN(NULL, NULL)
