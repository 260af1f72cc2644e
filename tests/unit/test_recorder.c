/* The recorder's host half, as far as it needs neither NVIDIA's headers nor a GPU: which blocks are sampled, what the
 * device's words become in the file, names, options. */
#include "unit.h"

#include <elf.h>
#include <unistd.h>

#include <zlib.h>

#include "trace/recorder_book.h"
#include "trace/recorder_elf.h"
#include "trace/recorder_options.h"
#include "trace/trace_read.h"

TEST(blocks_are_spread_and_counted) {
    static const uint32_t totals[] = {65, 66, 100, 127, 128, 1000, 4096, 16384, 99991, 1000003};
    static const uint32_t samples[] = {1, 2, 32, 64, 1000};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
            const uint32_t total = totals[i], sampled = samples[s];
            uint32_t found = 0, last = 0, widest = 0, narrowest = total;
            for (uint32_t block = 0; block < total; block++) {
                if (fx_is_chosen(sampled, total, block)) {
                    widest = block - last > widest ? block - last : widest;
                    narrowest = found && block - last < narrowest ? block - last : narrowest;
                    last = block;
                    found++;
                }
            }
            assert_int_equal(found, fx_sample_count(sampled, total));
            assert_true(fx_is_chosen(sampled, total, total - 1));
            if (sampled == 64) {
                assert_in_range(found, 62, 66);
                assert_true(fx_is_chosen(sampled, total, 0));
                assert_true(widest <= 3 * (total / 63 + 1));
                assert_true(total < 1000 || 4 * narrowest < 3 * widest); /* no stride */
            }
        }
    }
}

TEST(ends_of_the_range) {
    assert_in_range(fx_sample_count(64, UINT32_MAX), 62, 66);
    assert_true(fx_is_chosen(64, UINT32_MAX, UINT32_MAX - 1));
    assert_true(fx_is_chosen(64, UINT32_MAX, 0));
    assert_false(fx_is_chosen(64, UINT32_MAX, 1));
    assert_int_equal(fx_sample_count(64, 64), 64); /* few are all recorded */
    assert_int_equal(fx_sample_count(0, 1000), 1000);
    assert_true(fx_is_chosen(0, 1000, 77));
    assert_true(fx_is_chosen(64, 64, 7));
}

/* Shapes that a program's kernels have beside each other: transposed grids, blocks of as many threads. */
TEST(shapes_have_hashes_of_their_own) {
    assert_int_not_equal(fx_shape_hash(4, 1, 1, 32, 1, 1), fx_shape_hash(1, 4, 1, 32, 1, 1));
    assert_int_not_equal(fx_shape_hash(4, 1, 1, 32, 2, 1), fx_shape_hash(4, 1, 1, 64, 1, 1));
    uint32_t alike = 0;
    for (uint32_t grid = 1; grid <= 64; grid++) {
        alike += fx_shape_hash(grid, 1, 1, 256, 1, 1) == fx_shape_hash(65, 1, 1, 256, 1, 1);
        assert_true(fx_shape_hash(grid, 1, 1, 256, 1, 1) < 1 << 11);
    }
    assert_in_range(alike, 0, 1);
}

/* An access of the lanes of `mask`, lane l at base + stride * l, as the device writes it. */
static void put(uint64_t to[FX_RECORD_WORDS], fx_kind kind, uint32_t bytes, uint32_t mask, uint32_t block,
                uint32_t warp, uint64_t base, uint64_t stride) {
    size_t n = FX_HEAD_WORDS;
    to[0] = (uint64_t)kind << FX_KIND_SHIFT | FX_WRITTEN;
    to[1] = (uint64_t)bytes << 32 | mask;
    to[2] = (uint64_t)block << 32 | 1 << FX_EPOCH_SHIFT | warp;
    for (unsigned lane = 0; lane < FX_WARP; lane++) {
        if (mask >> lane & 1) {
            to[n++] = (base + stride * lane) | FX_WRITTEN;
        }
    }
}

static const char file[] = "recorder.fxtrace";

typedef struct fixture {
    fx_trace_writer *to;
    fx_book *book;
    char text[1 << 16]; /* of the file, with its binary */
    size_t size;
} fixture;

static void open_book(fixture *f) {
    fx_error err = {0};
    *f = (fixture){.size = 0};
    assert_ok(fx_trace_create(file, &f->to, &err));
    f->book = fx_book_create(f->to);
    assert_non_null(f->book);
}

static void close_book(fixture *f) {
    fx_error err = {0};
    assert_ok(fx_book_flush(f->book, &err));
    assert_ok(fx_trace_close(f->to, &err));
    fx_book_free(f->book);
    gzFile in = gzopen(file, "rb");
    assert_non_null(in);
    f->size = gzfread(f->text, 1, sizeof f->text - 1, in);
    assert_int_equal(gzclose(in), Z_OK);
    assert_int_equal(unlink(file), 0);
}

/* What comes behind the line that begins so; `skip` such lines are passed over. NULL: there is none. */
static const char *line(const fixture *f, const char *begins, unsigned skip) {
    for (const char *at = f->text; (at = memmem(at, (size_t)(f->text + f->size - at), begins, strlen(begins)));
         at += strlen(begins)) {
        if (skip-- == 0) {
            return at + strlen(begins);
        }
    }
    return NULL;
}

static const void *binary(const fixture *f, const char *begins) {
    const char *found = line(f, begins, 0);
    assert_non_null(found);
    return strchr(found, '\n') + 1;
}

static const fx_book_place place = {.kernel = 0, .launch = 3, .pc = 0x10};

static void add(fixture *f, const fx_book_place *at, fx_kind kind, uint32_t bytes, uint32_t mask, uint32_t block,
                uint32_t warp, uint64_t base, uint64_t stride) {
    uint64_t words[FX_RECORD_WORDS];
    fx_error err = {0};
    put(words, kind, bytes, mask, block, warp, base, stride);
    assert_ok(fx_book_add(f->book, at, words, &err));
}

/* The records of a frame of columns that begins so. */
static void columns(const fixture *f, const char *begins, fx_trace_record *out, size_t count) {
    void *aligned = malloc(count * sizeof *out);
    assert_non_null(aligned);
    memcpy(aligned, binary(f, begins), count * sizeof *out);
    assert_true(fx_trace_columns_read(aligned, count, out));
    free(aligned);
}

/* A second flush writes no instruction and no pattern again. */
TEST(every_kind_has_names_which_are_written_once) {
    static fixture f;
    open_book(&f);
    for (unsigned i = 0; i < 2 * FX_KINDS; i++) {
        add(&f, &place, i % FX_KINDS, 4, 1, 0, 0, 0x100, 4);
        assert_ok(i == FX_KINDS - 1 ? fx_book_flush(f.book, &err) : FX_OK);
    }
    close_book(&f);
    assert_non_null(line(&f, "{\"columns\":", 1));
    assert_non_null(line(&f, "{\"instruction\":", FX_KINDS - 1));
    assert_null(line(&f, "{\"instruction\":", FX_KINDS));
    assert_null(line(&f, "{\"patterns\":", 1));
    assert_null(line(&f, "(null)", 0));
}

#define INSTRUCTION(id, pc, space, op, width)                                                                          \
    "{\"instruction\":{\"id\":" id ",\"kernel\":0,\"pc\":" pc ",\"space\":\"" space "\",\"op\":\"" op                  \
    "\",\"width\":" width

/* Records come in the order of launch and block, and each block's as they happened. */
TEST(words_become_frames) {
    static fixture f;
    const fx_book_place shared = {0, 3, 0x20, NULL}, other = {0, 3, 0x10, "_Z5otherv"}, later = {0, 4, 0x10, NULL};
    open_book(&f);
    add(&f, &later, FX_GLOBAL_LOAD, 4, ~0u, 0, 0, 0x7f0000000080, 4);
    add(&f, &shared, FX_SHARED_STORE, 8, 0xf0, 6, 0, 0x404, 8);
    add(&f, &other, FX_BULK_GLOBAL_LOAD, 2048, 1, 6, 0, 0x7f0000000000, 0);
    add(&f, &place, FX_GLOBAL_LOAD, 4, ~0u, 5, 3, 0x7f0000000100, 4);
    add(&f, &place, FX_GLOBAL_LOAD, 4, ~0u, 5, 2, 0x7f0000000080, 4);
    add(&f, &place, FX_GLOBAL_LOAD, 4, ~0u, 5, 2, 0x7f0000000080, 4);
    close_book(&f);
    assert_non_null(line(&f, INSTRUCTION("0", "16", "global", "load", "4") "}}\n", 0));
    assert_non_null(line(&f, INSTRUCTION("1", "32", "shared", "store", "8") "}}\n", 0));
    assert_non_null(line(&f, INSTRUCTION("2", "16", "global", "bulk_load", "16") ",\"function\":\"_Z5otherv\"}}\n", 0));
    fx_trace_pattern patterns[3];
    memcpy(patterns, binary(&f, "{\"patterns\":{\"first\":0,\"count\":3}"), sizeof patterns);
    assert_int_equal(patterns[0].mask, ~0u);
    assert_int_equal(patterns[0].offset[31], 124);
    assert_int_equal(patterns[1].mask, 0xf0);
    assert_int_equal(patterns[1].offset[4], 0x424 - 0x400);
    assert_int_equal(patterns[1].offset[0], 0);
    assert_int_equal(patterns[2].bytes, 2048);
    fx_trace_record records[4];
    columns(&f, "{\"columns\":{\"launch\":3,\"count\":4}", records, 4);
    const fx_trace_record wanted[4] = {
        {0, 0, 0x7f0000000100, 5, 3, 1},
        {0, 0, 0x7f0000000080, 5, 2, 2}, /* twice */
        {1, 1, 0x400, 6, 0, 1},
        {2, 2, 0x7f0000000000, 6, 0, 1},
    };
    assert_memory_equal(records, wanted, sizeof wanted);
    columns(&f, "{\"columns\":{\"launch\":4,\"count\":1}", records, 1);
    assert_int_equal(records[0].base, 0x7f0000000080);
}

/* No pattern is wider than 2 GiB: lanes further away become a record of their own. */
TEST(lanes_far_apart_are_two_records) {
    static fixture f;
    open_book(&f);
    add(&f, &place, FX_GLOBAL_LOAD, 4, 3, 0, 0, 0x7f0000000000, (uint64_t)5 << 30);
    close_book(&f);
    fx_trace_pattern patterns[2];
    memcpy(patterns, binary(&f, "{\"patterns\":{\"first\":0,\"count\":2}"), sizeof patterns);
    assert_int_equal(patterns[0].mask, 1);
    assert_int_equal(patterns[1].mask, 2);
    fx_trace_record records[2];
    columns(&f, "{\"columns\":{\"launch\":3,\"count\":2}", records, 2);
    assert_true(records[1].base - records[0].base == (uint64_t)5 << 30);
}

TEST(words_that_are_no_access_are_refused) {
    static fixture f;
    uint64_t words[FX_RECORD_WORDS];
    open_book(&f);
    put(words, FX_KINDS, 4, ~0u, 0, 0, 0x1000, 4);
    assert_int_equal(fx_book_add(f.book, &place, words, &err), FX_BAD_INPUT);
    put(words, FX_GLOBAL_LOAD, 4, 0, 0, 0, 0x1000, 4);
    assert_int_equal(fx_book_add(f.book, &place, words, &err), FX_BAD_INPUT);
    assert_string_equal(err.text, "the device has written words that are no access");
    close_book(&f);
    assert_null(line(&f, "{\"columns\":", 0));
}

typedef struct names {
    size_t count, kernels;
    char last[64];
} names;

static void keep(void *to, const char *name, bool is_kernel) {
    names *n = to;
    n->count++;
    n->kernels += is_kernel;
    (void)snprintf(n->last, sizeof n->last, "%s", name);
}

/* A file of a header, a table of two symbols and their names; cut anywhere, nothing behind its end is read. */
TEST(functions_are_read_from_machine_code) {
    struct {
        Elf64_Ehdr head;
        Elf64_Shdr sections[3];
        Elf64_Sym symbols[2];
        char strings[16];
    } elf = {
        .head = {.e_shoff = offsetof(__typeof__(elf), sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3},
        .sections = {[1] = {.sh_type = SHT_SYMTAB,
                            .sh_link = 2,
                            .sh_offset = offsetof(__typeof__(elf), symbols),
                            .sh_size = sizeof elf.symbols},
                     [2] = {.sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(__typeof__(elf), strings),
                            .sh_size = sizeof elf.strings}},
        .symbols = {{.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)},
                    {.st_name = 6, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_other = 0x10}},
        .strings = "\0data\0_Z3appv",
    };
    memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
    elf.head.e_ident[EI_CLASS] = ELFCLASS64;
    elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
    names found = {0};
    fx_elf_functions(&elf, sizeof elf, keep, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.kernels, 1);
    assert_string_equal(found.last, "_Z3appv");
    for (size_t size = 0; size < sizeof elf; size++) {
        char *cut = malloc(size ? size : 1);
        assert_non_null(cut);
        memcpy(cut, &elf, size);
        found = (names){0};
        fx_elf_functions(cut, size, keep, &found);
        assert_int_equal(found.count, 0);
        free(cut);
    }
}

/* FILE=a LAUNCHES=1 ... in the environment, and no other option. */
static void set_options(const char *text) {
    static const char *const all[] = {"FILE", "SANITIZER", "CUBINS", "KERNEL", "LAUNCHES", "BLOCKS", "MEMORY", "TIME"};
    char words[256], name[64], *rest = words;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        (void)snprintf(name, sizeof name, "GPUFX_TRACE_%s", all[i]);
        assert_int_equal(unsetenv(name), 0);
    }
    (void)snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        (void)snprintf(name, sizeof name, "GPUFX_TRACE_%.*s", (int)strcspn(word, "="), word);
        assert_int_equal(setenv(name, strchr(word, '=') + 1, 1), 0);
    }
}

static void free_options(fx_recorder_options *options) {
    if (options->one_kernel) {
        regfree(&options->kernel);
    }
    free(options->file);
}

TEST(options_come_from_the_environment) {
    fx_recorder_options options;
    char first[64];
    set_options("");
    assert_int_equal(fx_recorder_read_options(&options, &err), FX_BAD_INPUT);
    set_options("FILE=a.XXXXXX LAUNCHES=1 BLOCKS=64 MEMORY=536870912");
    assert_ok(fx_recorder_read_options(&options, &err));
    (void)snprintf(first, sizeof first, "%s", options.file);
    free_options(&options);
    assert_ok(fx_recorder_read_options(&options, &err)); /* another program of the same process */
    assert_string_not_equal(options.file, first);
    assert_int_equal(unlink(first), 0);
    assert_int_equal(unlink(options.file), 0);
    assert_int_equal(options.launches, 1);
    assert_int_equal(options.blocks, 64);
    assert_int_equal(options.ring_words, 1 << 26);
    assert_false(options.time);
    assert_true(fx_recorder_wants(&options, "anything"));
    assert_false(fx_recorder_wants(&options, "_Z34ncclDevKernel_Broadcast_RING_LL24ncclDevKernelArgsStorageILm4096EE"));
    free_options(&options);
    set_options("FILE=a LAUNCHES=1 BLOCKS=all MEMORY=536870912 KERNEL=naive|^_Z5tiled");
    assert_ok(fx_recorder_read_options(&options, &err));
    assert_int_equal(options.blocks, 0);
    assert_true(fx_recorder_wants(&options, "_Z5naivePf"));
    assert_false(fx_recorder_wants(&options, "_Z6stiledPf"));
    free_options(&options);
}

TEST(wrong_options_are_named) {
    static const char *const wrong[][2] = {
        {"FILE=a LAUNCHES=1 BLOCKS=0", "GPUFX_TRACE_BLOCKS=0: give a whole number from 1 on"},
        {"FILE=a LAUNCHES=1 BLOCKS=some", "GPUFX_TRACE_BLOCKS=some: give a whole number from 1 on"},
        {"FILE=a LAUNCHES=-1 BLOCKS=1", "GPUFX_TRACE_LAUNCHES=-1: give a whole number from 1 on"},
        {"FILE=a LAUNCHES=1 BLOCKS=1 MEMORY=1k", "GPUFX_TRACE_MEMORY=1k: give a whole number from 1 on"},
        {"FILE=a LAUNCHES=1 BLOCKS=1 MEMORY=65536 KERNEL=(", "GPUFX_TRACE_KERNEL=(: "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fx_recorder_options options;
        set_options(wrong[i][0]);
        assert_int_equal(fx_recorder_read_options(&options, &err), FX_BAD_INPUT);
        assert_memory_equal(err.text, wrong[i][1], strlen(wrong[i][1]));
        free_options(&options);
    }
}

int main(void) {
    char folder[] = "/tmp/gpufx-recorder-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    const int failed = UNIT_RUN(NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
