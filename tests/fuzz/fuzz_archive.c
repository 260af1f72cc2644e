/* The archive reader: any file is either read to its last whole line or refused with a reason; what it looks past is
 * no line of a run; whatever a kill cuts off an archive leaves an archive; and what can be read can be appended to. */
#include "archive/archive.h"
#include "fuzz.h"

typedef struct reading {
    size_t lines, last, stop_after; /* stop_after 0: never */
    bool ended;                     /* the last line is an "end" line */
    fx_counts counts;
} reading;

static fx_status see(void *context, const json_t *object, size_t number, fx_error *err) {
    reading *r = context;
    fuzz_require(number > r->last);
    r->last = number;
    r->lines++;
    const char *type = json_string_value(json_object_get(object, "type"));
    fuzz_require(type);
    if (number == 1) {
        const json_int_t schema = json_integer_value(json_object_get(object, "schema"));
        fuzz_require(!strcmp(type, "run") && schema == FX_ARCHIVE_SCHEMA);
    }
    r->ended = !strcmp(type, "end");
    r->counts.cases += !strcmp(type, "case");
    r->counts.waived += !strcmp(type, "waived");
    r->counts.failed += !strcmp(type, "failed");
    return r->lines == r->stop_after ? FX_INTERRUPTED : FX_OK;
}

static size_t count_lines(const uint8_t *data, size_t size) {
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += data[i] == '\n';
    }
    return lines;
}

static bool begins(const uint8_t *line, size_t size, const char *text) {
    return size >= strlen(text) && memcmp(line, text, strlen(text)) == 0;
}

/* Whether every whole line is one that a run writes before its end line, with its type first. */
static bool of_a_run(const uint8_t *data, size_t size) {
    static const char *const types[] = {"{\"type\":\"case\"", "{\"type\":\"waived\"", "{\"type\":\"failed\"",
                                        "{\"type\":\"fit\""};
    const uint8_t *line = data, *newline;
    bool written = true;
    for (; (newline = memchr(line, '\n', size - (size_t)(line - data))) != NULL; line = newline + 1) {
        const size_t length = (size_t)(newline - line);
        bool known = line == data && begins(line, length, "{\"type\":\"run\"");
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            known = known || begins(line, length, types[i]);
        }
        written = written && known;
    }
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    reading all = {0};
    bool incomplete = false;
    fuzz_put(data, size);
    const fx_status status = fx_archive_read(fuzz_path, "", see, &all, &incomplete, &err);
    if (status != FX_OK) {
        fuzz_require_reason(status, &err);
        return 0;
    }
    if (size > 2 && data[0] == 0x1f && data[1] == 0x8b) { /* gzip: its lines are not these bytes */
        return 0;
    }
    fuzz_require(all.lines > 0 && all.lines <= count_lines(data, size));
    fuzz_require(!of_a_run(data, size) || all.lines == count_lines(data, size));
    fuzz_require(incomplete || (all.ended && data[size - 1] == '\n'));

    /* A callback that has seen enough ends the reading. */
    reading some = {.stop_after = 1 + size % all.lines};
    fuzz_require(fx_archive_read(fuzz_path, "", see, &some, NULL, &err) == FX_INTERRUPTED &&
                 some.lines == some.stop_after);

    /* A kill, here behind any byte of what follows the first line. */
    const uint8_t *first_end = memchr(data, '\n', size);
    const size_t first = (size_t)(first_end - data) + 1, kept = first + (size * 7919) % (size - first + 1);
    reading cut = {0};
    fuzz_put(data, kept);
    fuzz_require(fx_archive_read(fuzz_path, "", see, &cut, &incomplete, &err) == FX_OK);
    fuzz_require(cut.lines <= count_lines(data, kept) && (incomplete || data[kept - 1] == '\n'));

    /* An end line takes the place of the half line, or is refused behind a line that no run writes before its end:
     * another end line, or one whose type does not stand first. */
    fx_archive *archive = NULL;
    reading more = {0};
    fx_counts counts = {0};
    fuzz_require(fx_archive_append_to(fuzz_path, &archive, &err) == FX_OK);
    const fx_status ended = fx_archive_end(archive, "interrupted", &counts, 0.5, &err);
    fx_archive_close(archive);
    fuzz_require((ended == FX_OK) == of_a_run(data, kept));
    if (ended != FX_OK) {
        fuzz_require_reason(ended, &err);
        return 0;
    }
    fuzz_require(memcmp(&counts, &cut.counts, sizeof counts) == 0);
    fuzz_require(fx_archive_read(fuzz_path, "", see, &more, &incomplete, &err) == FX_OK);
    fuzz_require(more.lines == cut.lines + 1 && more.ended && incomplete);
    return 0;
}
