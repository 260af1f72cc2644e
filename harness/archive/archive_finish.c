/* What becomes of an archive when its run has ended: its lines are counted and summed up, and it is compressed.
 *
 * gzip, since it is what every reader has: Python's standard library, pandas, DuckDB, zcat | jq. */
#include <unistd.h>
#include <zlib.h>

#include "archive_file.h"
#include "call/output.h"

/* Counts a line of an archive that has not ended yet; false: no gpufx writes it. */
static bool count_line(const fx_line *line, fx_counts *counts) {
    const bool is_case = fx_line_begins(line, "{\"type\":\"case\""),
               waived = fx_line_begins(line, "{\"type\":\"waived\"");
    const bool failed = fx_line_begins(line, "{\"type\":\"failed\"");
    counts->cases += is_case;
    counts->waived += waived;
    counts->failed += failed;
    return is_case || waived || failed || fx_line_begins(line, "{\"type\":\"fit\"") ||
           (line->number == 1 && fx_line_begins(line, "{\"type\":\"run\""));
}

/* The archive's lines from the first one on; of the file that is open, whatever its name leads to by now. */
static fx_status reread(const fx_archive *archive, fx_lines **out, fx_error *err) {
    const int file = dup(archive->file);
    FX_FAIL_IO_IF(file < 0 || lseek(file, 0, SEEK_SET) < 0, err, "read", archive->path);
    *out = fx_lines_of(file, archive->path);
    return FX_OK;
}

fx_status fx_archive_sum(fx_archive *archive, fx_counts *counts, uint32_t *crc, fx_error *err) {
    FX_OWNED(fx_lines_close_at) fx_lines *lines = NULL;
    fx_line line;
    size_t foreign = 0;
    *counts = (fx_counts){0};
    FX_TRY(fx_archive_check_whole(archive, err));
    FX_TRY(reread(archive, &lines, err));
    do {
        FX_TRY(fx_lines_next(lines, &line, err));
        foreign = !line.text || line.cut || count_line(&line, counts) || foreign ? foreign : line.number;
    } while (line.text);
    *crc = line.crc32;
    FX_FAIL_IF(foreign, err, FX_IO,
               "line %zu of the archive '%s' was written by another program during the run, so readers would "
               "refuse it; delete that line, or run again",
               foreign, archive->path);
    return FX_OK;
}

/* No name and no time go into the head, so that equal lines make equal files. */
static fx_status compress_into(const fx_archive *archive, FILE *to, const char *path, fx_error *err) {
    fx_lines *lines;
    fx_line line;
    off_t size = 0;
    FX_TRY(reread(archive, &lines, err));
    gzFile packed = fx_given(gzdopen(dup(fileno(to)), "wb6"));
    fx_status status;
    while ((status = fx_lines_next(lines, &line, err)) == FX_OK && line.text) {
        size += (off_t)line.size;
        if (size > archive->least) {
            status = fx_fail(err, FX_BAD_INPUT,
                             "another program wrote after the last line of the archive '%s', so readers would refuse "
                             "it; delete what follows the \"end\" line",
                             archive->path);
        } else if (!gzwrite(packed, line.text, (unsigned)line.size)) {
            status = fx_fail_io(err, "write", path, errno ? errno : EIO);
        }
        if (status != FX_OK) {
            break;
        }
    }
    if (gzclose(packed) != Z_OK && status == FX_OK) {
        status = fx_fail_io(err, "write", path, errno ? errno : EIO);
    }
    fx_lines_close(lines);
    return status;
}

fx_status fx_archive_compress(fx_archive *archive, fx_error *err) {
    fx_output *output = NULL;
    char path[PATH_MAX + sizeof ".gz"];
    (void)snprintf(path, sizeof path, "%s.gz", archive->path);
    FX_TRY(fx_output_open(path, &output, err));
    if (compress_into(archive, fx_output_stream(output), path, err)) {
        fx_output_abort(output);
        return err->status;
    }
    FX_TRY(fx_output_commit(output, err));
    /* Should it stay, there are two of one and the same archive. */
    const int failed = unlink(archive->path) != 0 ? errno : 0;
    const fx_status removed = failed ? fx_fail_io(err, "remove", archive->path, failed) : FX_OK;
    (void)snprintf(archive->path, sizeof archive->path, "%.*s", PATH_MAX - 1, path);
    return removed;
}
