/* An archive is read only if it is what was written: whatever is cut off, lost, doubled or changed in it is refused, or
 * leaves it incomplete, or changes nothing that is read. That its lines agree with each other is checked in Python. */
#include "unit.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/archive.h"
#include "core/random.h"

#include "archived.h"

static char given[128];

/* A small complete archive, as text and as gzip. */
static char *text, *packed;
static size_t text_size, packed_size;

static fx_case case_of(int64_t size) {
    fx_case c = full_case();
    c.params.value[1] = size;
    snprintf(c.name, sizeof c.name, "copy/op:store/size:%d", (int)size);
    c.prediction.count = (double)size;
    return c;
}

static void put_case(fx_archive *archive, unsigned process, size_t place, int64_t size) {
    fx_error err = {0};
    const fx_case c = case_of(size);
    double samples[] = {10.5, 9.75, 11, 10, 10.25, 9.5, 10.125};
    fx_result result = {.samples = samples,
                        .n = 7,
                        .summary = {.n = 7, .ci_low = 9.5, .ci_high = 11},
                        .sm_clock_MHz = 1980,
                        .ran = {.registers = -1, .shared_bytes = -1}};
    for (size_t i = 0; i < 7; i++) {
        samples[i] *= (double)size + 0.01 * (double)process;
    }
    fx_summarise(samples, 7, &result.summary, &err);
    const fx_run_position turn = {.process = process, .place = place, .began_s = 0.5};
    assert_ok(fx_archive_case(archive, &turn, &c, &result, &(fx_facts){0}, &err));
}

static void read_whole(const char *path, char **out, size_t *size) {
    struct stat info;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    *size = (size_t)info.st_size;
    *out = malloc(*size + 1);
    assert_int_equal(fread(*out, 1, *size, file), *size);
    (*out)[*size] = '\0';
    fclose(file);
}

static int make_archive(void **state) {
    fx_error err = {0};
    fx_archive *archive = NULL;
    fx_fit fit = {.n = 3, .a = 1, .b = 2, .r_squared = 1, .residual_sd_pct = 0.1, .largest_residual_pct = 0.2};
    if (make_folder(state)) {
        return -1;
    }
    snprintf(given, sizeof given, "%s/given", folder);
    json_t *run = json_pack("{ss s[s] si}", "provenance", "synthetic", "arguments", "run", "processes", 2);
    json_t *group = json_pack("{ss}", "op", "store");
    assert_ok(fx_archive_create(folder, run, &archive, &err));
    for (unsigned process = 0; process < 2; process++) {
        for (size_t place = 0; place < 3; place++) {
            put_case(archive, process, place, (int64_t)1 << place);
        }
        const fx_case c = case_of(7);
        const fx_run_position turn = {.process = process, .place = 3};
        const fx_error cause = {FX_WRONG_RESULT, "word 5 is wrong"};
        assert_ok(fx_archive_skipped(archive, &turn, &c, FX_UNSUPPORTED, "too small", &err));
        assert_ok(fx_archive_skipped(archive, &turn, &c, cause.status, cause.text, &err));
        assert_ok(fx_archive_fit(archive, (int)process, &probe, group, "bytes", "copy_ns", &fit, "copy/x", &err));
    }
    assert_ok(fx_archive_fit(archive, FX_POOLED, &probe, group, "bytes", "copy_ns", &fit, "copy/x", &err));
    fx_counts counts = {6, 2, 2};
    assert_ok(fx_archive_end(archive, NULL, &counts, 4.5, &err));
    json_decref(group);
    json_decref(run);
    read_whole(fx_archive_path(archive), &text, &text_size);
    assert_ok(fx_archive_compress(archive, &err));
    read_whole(fx_archive_path(archive), &packed, &packed_size);
    fx_archive_close(archive);
    return 0;
}

static int remove_archive(void **state) {
    free(text);
    free(packed);
    return remove_folder(state);
}

/* What verdicts rest on, of all lines. */
typedef struct outcome {
    fx_status status;
    fx_error err;
    char *relevant;
    size_t relevant_size;
    bool complete;
} outcome;

static void note(FILE *to, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (value) {
        char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
        fprintf(to, "%s=%s ", key, dump);
        free(dump);
    }
}

typedef struct reader {
    FILE *to;
    bool complete;
} reader;

static fx_status look(void *context, const json_t *object, size_t number, fx_error *err) {
    static const char *const keys[] = {
        "type",  "process", "repetition", "name",  "probe",   "method_version", "params",       "metric",
        "n",     "median",  "ci95",       "law",   "samples", "flags",          "useful_bytes", "reason",
        "group", "a",       "b",          "holds", "schema",  "device",         "provenance",   "quick",
    };
    reader *r = context;
    const char *type = json_string_value(json_object_get(object, "type"));
    r->complete = !strcmp(type, "end") && json_is_true(json_object_get(object, "complete"));
    for (size_t i = 0; i < FX_COUNT(keys) && strcmp(type, "end") != 0; i++) {
        note(r->to, object, keys[i]);
    }
    fputc('\n', r->to);
    return FX_OK;
}

static outcome read_given(void) {
    outcome out = {.complete = false};
    reader r = {.to = open_memstream(&out.relevant, &out.relevant_size)};
    bool incomplete = false;
    out.status = fx_archive_read(given, "", look, &r, &incomplete, &out.err);
    fclose(r.to);
    out.complete = out.status == FX_OK && !incomplete;
    if (out.status != FX_OK) {
        assert_int_equal(out.status, FX_BAD_INPUT);
        assert_says(out.err.text, given);
    }
    return out;
}

static outcome read_bytes(const char *bytes, size_t size) {
    write_text(given, bytes, size);
    return read_given();
}

static void expect_refused(const char *bytes, size_t size, const char *what) {
    outcome o = read_bytes(bytes, size);
    if (o.status == FX_OK) {
        fail_msg("taken, although it should say: %s", what);
    }
    assert_says(o.err.text, what);
    free(o.relevant);
}

TEST(both_forms_say_the_same) {
    outcome plain = read_bytes(text, text_size), small = read_bytes(packed, packed_size);
    assert_true(plain.complete && small.complete);
    assert_string_equal(plain.relevant, small.relevant);
    assert_true(packed_size < text_size / 4);
    /* Neither a name nor a time: equal lines make equal files. */
    assert_int_equal((unsigned char)packed[0], 0x1f);
    assert_memory_equal(packed + 3, "\0\0\0\0\0", 5);
    free(plain.relevant);
    free(small.relevant);
}

static fx_status count_lines(void *context, const json_t *object, size_t number, fx_error *err) {
    size_t *count = context;
    *count += number > 1;
    return FX_OK;
}

TEST(lines_without_the_word_are_passed_over) {
    char path[160];
    size_t all = 0, some = 0, none = 0;
    snprintf(path, sizeof path, "%s/word", folder);
    write_text(path, text, text_size);
    assert_ok(fx_archive_read_with(path, "case", NULL, count_lines, &all, NULL, &err));
    assert_ok(fx_archive_read_with(path, "case", "\"process\":0", count_lines, &some, NULL, &err));
    assert_ok(fx_archive_read_with(path, "case", "\"nowhere\"", count_lines, &none, NULL, &err));
    assert_true(all > 0);
    assert_true(some > 0 && some <= all);
    assert_int_equal(none, 0);
    unlink(path);
}

/* As Python's json.dumps writes: what is read by type, and completeness, are the same. */
TEST(spaces_after_colons_change_nothing) {
    char *bytes = malloc(2 * text_size), *end = bytes;
    size_t compact = 0, spaced = 0;
    bool incomplete = true;
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
        const bool is_end = !strncmp(at, "{\"type\":\"end\"", 13);
        const unsigned long crc = crc32(0, (const unsigned char *)bytes, (unsigned)(end - bytes));
        end += is_end ? sprintf(end, "{\"type\": \"end\", \"complete\": true, \"crc32\": \"%08lx\"}\n", crc)
                      : sprintf(end, "{ \"type\": %.*s", (int)strcspn(at + 8, "\n") + 1, at + 8);
    }
    write_text(given, text, text_size);
    assert_ok(fx_archive_read(given, "fit", count_lines, &compact, NULL, &err));
    write_text(given, bytes, (size_t)(end - bytes));
    assert_ok(fx_archive_read(given, "fit", count_lines, &spaced, &incomplete, &err));
    assert_true(compact > 0 && !incomplete);
    assert_int_equal(spaced, compact);
    free(bytes);
}

TEST(pipes_are_read) {
    char path[160];
    snprintf(path, sizeof path, "%s/pipe", folder);
    for (int form = 0; form < 2; form++) {
        assert_int_equal(mkfifo(path, 0600), 0);
        const pid_t child = fork();
        if (child == 0) {
            const int file = open(path, O_WRONLY);
            _exit(write(file, form ? packed : text, form ? packed_size : text_size) > 0 ? 0 : 1);
        }
        reader r = {.to = fopen("/dev/null", "w")};
        assert_ok(fx_archive_read(path, "", look, &r, NULL, &err));
        assert_true(r.complete);
        fclose(r.to);
        assert_int_equal(waitpid(child, NULL, 0), child);
        unlink(path);
    }
}

TEST(cut_anywhere) {
    size_t refused = 0;
    const char *first_end = strchr(text, '\n');
    for (size_t size = 0; size < text_size; size++) {
        outcome o = read_bytes(text, size);
        assert_false(o.complete);
        assert_int_equal(o.status == FX_OK, size > (size_t)(first_end - text));
        refused += o.status != FX_OK;
        free(o.relevant);
    }
    assert_true(refused > 0);
    /* A compressed file is whole or nothing: only text is written line by line. */
    for (size_t size = 0; size < packed_size; size++) {
        outcome o = read_bytes(packed, size);
        assert_int_equal(o.status, FX_BAD_INPUT);
        free(o.relevant);
    }
}

/* No run writes there: a line is refused, and half a line, which a kill may have left, makes it incomplete. */
TEST(nothing_stands_behind_the_end) {
    static const char *const behind[] = {
        "{\"type\":\"ca",        " ", "{\"type\":\"end\",\"complete\":true", "\n", "x\n", "{\"type\":\"fit\"}\n",
        "{\"type\":\"other\"}\n"};
    for (size_t i = 0; i < FX_COUNT(behind); i++) {
        const size_t size = text_size + strlen(behind[i]);
        char *bytes = malloc(size + 1);
        assert_non_null(bytes);
        snprintf(bytes, size + 1, "%s%s", text, behind[i]);
        outcome o = read_bytes(bytes, size);
        assert_false(o.complete);
        assert_int_equal(o.status, bytes[size - 1] == '\n' ? FX_BAD_INPUT : FX_OK);
        free(o.relevant);
        free(bytes);
    }
}

/* The archive with its line `which` left out (times 0) or doubled (times 2). */
static outcome with_line(size_t which, int times) {
    char *bytes = malloc(2 * text_size), *end = bytes;
    const char *at = text;
    for (size_t line = 0; *at; line++) {
        const size_t size = strcspn(at, "\n") + 1;
        for (int i = 0; i < (line == which ? times : 1); i++) {
            end = mempcpy(end, at, size);
        }
        at += size;
    }
    outcome o = read_bytes(bytes, (size_t)(end - bytes));
    free(bytes);
    return o;
}

TEST(each_line_lost_or_doubled) {
    size_t lines = 0;
    for (const char *at = text; *at; at++) {
        lines += *at == '\n';
    }
    for (size_t line = 0; line < lines; line++) {
        outcome lost = with_line(line, 0), doubled = with_line(line, 2);
        if (lost.complete || (lost.status == FX_OK && line + 1 < lines)) {
            fail_msg("line %zu may be left out", line + 1);
        }
        if (doubled.status == FX_OK) {
            fail_msg("line %zu may be there twice", line + 1);
        }
        free(lost.relevant);
        free(doubled.relevant);
    }
}

/* The archive with one text in the place of the first of another; in its n-th case line. */
static void refuses_change(int nth, const char *from, const char *to, const char *what) {
    const char *at = text;
    for (int i = 0; i < nth; i++) {
        at = strstr(at + 1, "{\"type\":\"case\"");
        assert_non_null(at);
    }
    at = strstr(at, from);
    if (!at) {
        fail_msg("there is no '%s'", from);
    }
    char *bytes = NULL;
    const int size = asprintf(&bytes, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    expect_refused(bytes, (size_t)size, what);
    free(bytes);
}

TEST(every_change_is_seen_by_the_sum) {
    refuses_change(1, "\"samples\":[1", "\"samples\":[2", "the lines before the end line have crc32 ");
    refuses_change(1, "\"median\":", "\"median\":1,\"median\":", "duplicate object key");
    refuses_change(0, "\"crc32\":\"", "\"crc32\":\"0", "have crc32 ");
    refuses_change(0, "\"crc32\"", "\"crc31\"", "have crc32 ");
    refuses_change(0, "\"a\":1,", "\"a\":2,", "the lines before the end line have crc32 ");
    refuses_change(0, "synthetic", "synthetiC", "the lines before the end line have crc32 ");
}

TEST(deep_nesting) {
    enum { DEEP = 3000 };
    char *bytes = malloc(text_size + 2 * DEEP + 100), *end = bytes;
    const char *driver = strstr(text, "\"provenance\"");
    end = mempcpy(end, text, (size_t)(driver - text));
    end = stpcpy(end, "\"driver\":");
    memset(end, '[', DEEP);
    memset(end + DEEP, ']', DEEP);
    end = stpcpy(stpcpy(end + 2 * DEEP, ","), driver);
    expect_refused(bytes, (size_t)(end - bytes), "its first line is not a JSON object");
    free(bytes);
}

/* What was measured is either seen to be damaged, or none of what a verdict rests on is. */
static void flip(const char *from, size_t size, uint64_t seed, const outcome *sound, size_t seen[3]) {
    uint64_t random = seed;
    char *bytes = malloc(size);
    memcpy(bytes, from, size);
    for (uint64_t bits = 1 + fx_random_below(&random, 8); bits > 0; bits--) {
        const uint64_t bit = fx_random_below(&random, 8 * size);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
    }
    outcome o = read_bytes(bytes, size);
    if (o.complete && strcmp(o.relevant, sound->relevant) != 0) {
        fail_msg("seed %llu changes a verdict unseen", (unsigned long long)seed);
    }
    seen[o.status != FX_OK ? 0 : o.complete ? 2 : 1]++;
    free(o.relevant);
    free(bytes);
}

TEST(flipped_bits) {
    enum { SEEDS = 1000 };
    size_t plain[3] = {0}, small[3] = {0}; /* refused, incomplete, the same */
    outcome sound = read_bytes(text, text_size);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        flip(text, text_size, seed, &sound, plain);
        flip(packed, packed_size, seed, &sound, small);
    }
    free(sound.relevant);
    print_message("of %d: text %zu refused, %zu incomplete, %zu the same; gzip %zu, %zu, %zu\n", SEEDS, plain[0],
                  plain[1], plain[2], small[0], small[1], small[2]);
    assert_true(plain[0] > 900);
    assert_true(small[0] + small[1] > 900);
}

UNIT_MAIN(make_archive, remove_archive)
