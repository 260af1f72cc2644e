/* What becomes of an archive when its run has ended: its lines are counted and summed up, and it is compressed.
 *
 * gzip, since it is what every reader has: Python's standard library, pandas, DuckDB, zcat | jq. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "archive_file.h"
#include "call/output.h"
#include "core/grow.h"

enum { BLOCK = 256 << 10 };

/* The first bytes of a line, which tell the types apart. */
typedef struct line_start {
    char text[16];
    size_t size;
} line_start;

static bool is_of(const line_start *line, const char *beginning) {
    const size_t size = strlen(beginning);
    return line->size >= size && memcmp(line->text, beginning, size) == 0;
}

/* The lines of an archive that has not ended yet. */
typedef struct tally {
    fx_counts counts;
    size_t lines, foreign; /* foreign: the number of the first line that no gpufx writes; 0: none */
} tally;

static void count_line(const line_start *line, tally *t) {
    const bool is_case = is_of(line, "{\"type\":\"case\""), waived = is_of(line, "{\"type\":\"waived\"");
    const bool failed = is_of(line, "{\"type\":\"failed\""), run = is_of(line, "{\"type\":\"run\"");
    t->lines++;
    t->counts.cases += is_case;
    t->counts.waived += waived;
    t->counts.failed += failed;
    if (!t->foreign && !is_case && !waived && !failed && !is_of(line, "{\"type\":\"fit\"") && !(run && t->lines == 1)) {
        t->foreign = t->lines;
    }
}

static void see(const char *block, size_t size, line_start *line, tally *counts) {
    for (const char *at = block, *end = block + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t part = (size_t)((newline ? newline : end) - at);
        const size_t room = sizeof line->text - line->size, taken = part < room ? part : room;
        memcpy(line->text + line->size, at, taken);
        line->size += taken;
        if (newline) {
            count_line(line, counts);
            line->size = 0;
        }
        at += part + (newline ? 1 : 0);
    }
}

/* The next block of the archive from *offset on; *size 0 at its end. */
static fx_status read_block(const fx_archive *archive, char *block, off_t *offset, size_t *size, fx_error *err) {
    ssize_t got;
    do {
        got = pread(archive->file, block, BLOCK, *offset);
    } while (got < 0 && errno == EINTR);
    FX_FAIL_IO_IF(got < 0, err, "read", archive->path);
    *size = (size_t)got;
    *offset += got;
    return FX_OK;
}

fx_status fx_archive_sum(fx_archive *archive, fx_counts *counts, uint32_t *crc, fx_error *err) {
    uLong sum = crc32(0, NULL, 0);
    line_start line = {.size = 0};
    tally seen = {.lines = 0};
    off_t offset = 0;
    size_t size = 0;
    fx_status status;
    FX_TRY(fx_archive_check_whole(archive, err));
    char *block = fx_new(BLOCK, 1);
    while ((status = read_block(archive, block, &offset, &size, err)) == FX_OK && size > 0) {
        sum = crc32_z(sum, (const Bytef *)block, size);
        see(block, size, &line, &seen);
    }
    free(block);
    *counts = seen.counts;
    *crc = (uint32_t)sum;
    FX_FAIL_IF(status == FX_OK && seen.foreign, err, FX_IO,
               "line %zu of the archive '%s' was written by another program during the run, so readers would "
               "refuse it; delete that line, or run again",
               seen.foreign, archive->path);
    return status;
}

/* No name and no time go into the head, so that equal lines make equal files. */
static fx_status compress_into(const fx_archive *archive, FILE *to, const char *path, fx_error *err) {
    off_t offset = 0;
    size_t size = 1;
    const int file = dup(fileno(to));
    FX_FAIL_IO_IF(file < 0, err, "write", path);
    gzFile packed = fx_given(gzdopen(file, "wb6"));
    char *block = fx_new(BLOCK, 1);
    fx_status status = FX_OK;
    while (status == FX_OK && size > 0) {
        status = read_block(archive, block, &offset, &size, err);
        if (status == FX_OK && offset > archive->least) {
            status = fx_fail(err, FX_BAD_INPUT,
                             "another program wrote after the last line of the archive '%s', so readers would refuse "
                             "it; delete what follows the \"end\" line",
                             archive->path);
        } else if (status == FX_OK && size > 0 && !gzwrite(packed, block, (unsigned)size)) {
            status = fx_fail_io(err, "write", path, errno ? errno : EIO);
        }
    }
    if (gzclose(packed) != Z_OK && status == FX_OK) {
        status = fx_fail_io(err, "write", path, errno ? errno : EIO);
    }
    free(block);
    return status;
}

fx_status fx_archive_compress(fx_archive *archive, fx_error *err) {
    fx_output *output = NULL;
    char path[PATH_MAX + sizeof ".gz"];
    (void)snprintf(path, sizeof path, "%s.gz", archive->path);
    FX_TRY(fx_output_open(path, &output, err));
    const fx_status status = compress_into(archive, fx_output_stream(output), path, err);
    if (status != FX_OK) {
        fx_output_abort(output);
        return status;
    }
    FX_TRY(fx_output_commit(output, err));
    /* Should it stay, there are two of one and the same archive. */
    const int failed = unlink(archive->path) != 0 ? errno : 0;
    const fx_status removed = failed ? fx_fail_io(err, "remove", archive->path, failed) : FX_OK;
    (void)snprintf(archive->path, sizeof archive->path, "%.*s", PATH_MAX - 1, path);
    return removed;
}
