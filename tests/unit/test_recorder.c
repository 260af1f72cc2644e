/* The recorder's host half, as far as it needs neither NVIDIA's headers nor a GPU: which blocks are sampled, what the
 * device's words become in the file, names, hashes, options. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/recorder_book.h"
#include "trace/recorder_calls.h"
#include "trace/recorder_elf.h"
#include "trace/recorder_kinds.h"
#include "trace/recorder_options.h"
#include "trace/recorder_sample.h"
#include "trace/recorder_sha256.h"

static bool is_chosen(const fx_track *track, uint32_t block) {
    return fx_is_chosen(track->scale, track->last_run, track->last_block, block);
}

static void blocks_are_spread_and_counted(void **state) {
    (void)state;
    static const uint32_t totals[] = {65, 66, 100, 127, 128, 1000, 4096, 16384, 99991, 1000003};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
        fx_track track = {0};
        const uint32_t total = totals[i], told = fx_sample_blocks(total, 64, &track);
        uint32_t found = 0, last = 0, widest = 0, narrowest = total;
        for (uint32_t block = 0; block < total; block++) {
            if (is_chosen(&track, block)) {
                widest = block - last > widest ? block - last : widest;
                narrowest = found && block - last < narrowest ? block - last : narrowest;
                last = block;
                found++;
            }
        }
        assert_int_equal(found, told);
        assert_true(told >= 63 && told <= 64);
        assert_true(is_chosen(&track, 0));
        assert_true(is_chosen(&track, total - 1));
        assert_true(widest <= 2 * (total / 63 + 1));
        assert_true(total < 1000 || 4 * narrowest < 3 * widest); /* no stride */
    }
}

static void largest_grid_has_its_last_block(void **state) {
    (void)state;
    fx_track track = {0};
    const uint32_t told = fx_sample_blocks(UINT32_MAX, 64, &track);
    assert_true(told >= 63 && told <= 64);
    assert_true(is_chosen(&track, UINT32_MAX - 1));
    assert_true(is_chosen(&track, 0));
    assert_false(is_chosen(&track, 1));
}

static void few_blocks_are_all_recorded(void **state) {
    (void)state;
    fx_track track = {.scale = 7};
    assert_int_equal(fx_sample_blocks(64, 64, &track), 64);
    assert_int_equal(track.scale, 0);
    assert_int_equal(fx_sample_blocks(1000, 0, &track), 1000);
}

/* FIPS 180-4's examples, and one that is longer than a chunk by one byte. */
static void hashes_are_those_of_the_standard(void **state) {
    (void)state;
    char text[FX_SHA256_TEXT], a[65];
    memset(a, 'a', sizeof a);
    fx_sha256("abc", 3, text);
    assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    fx_sha256("", 0, text);
    assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    fx_sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, text);
    assert_string_equal(text, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    fx_sha256(a, sizeof a, text);
    assert_string_equal(text, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0");
}

static void every_kind_has_names(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < FX_KINDS; kind++) {
        assert_non_null(fx_kind_named(kind)->space);
        assert_non_null(fx_kind_named(kind)->operation);
    }
    assert_null(fx_kind_named(FX_KINDS));
}

/* An access of the lanes of `mask`, lane l at base + stride * l. Returns its words. */
static size_t put(uint64_t *to, fx_kind kind, uint64_t pc, uint32_t bytes, uint32_t mask, uint32_t block, uint16_t warp,
                  uint64_t base, uint64_t stride) {
    size_t n = FX_HEAD_WORDS;
    to[0] = pc | (uint64_t)kind << FX_KIND_SHIFT;
    to[1] = (uint64_t)bytes << 32 | mask;
    to[2] = (uint64_t)block << 32 | warp;
    for (unsigned lane = 0; lane < FX_WARP; lane++) {
        if (mask >> lane & 1) {
            to[n++] = base + stride * lane;
        }
    }
    return n;
}

static const char file[] = "recorder.fxtrace";

typedef struct fixture {
    fx_trace_writer *to;
    fx_book *book;
    uint64_t words[4096];
    size_t count;
    char text[1 << 16]; /* of the file, with its binary */
    size_t size;
} fixture;

static fx_book_place other_function(void *from, uint64_t pc) {
    (void)from;
    return pc >= 0x9000 && pc < 0x9100 ? (fx_book_place){"_Z5otherv", 0x9000} : (fx_book_place){NULL, 0};
}

static void open_book(fixture *f) {
    fx_error err = {0};
    *f = (fixture){.count = 0};
    assert_int_equal(fx_trace_create(file, false, &f->to, &err), FX_OK);
    f->book = fx_book_create(f->to);
    assert_non_null(f->book);
}

static void close_book(fixture *f) {
    fx_error err = {0};
    assert_int_equal(fx_trace_close(f->to, &err), FX_OK);
    fx_book_free(f->book);
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    f->size = fread(f->text, 1, sizeof f->text - 1, in);
    assert_int_equal(fclose(in), 0);
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

static const fx_book_launch launch = {
    .kernel = 0, .launch = 3, .start = 0x1000, .bytes = 0x400, .find = other_function};

static void words_become_frames(void **state) {
    (void)state;
    static fixture f;
    fx_error err = {0};
    uint32_t id = 9;
    open_book(&f);
    const fx_book_kernel kernel = {"_Z3\"app", "ab", 1024, 20, -1, 8};
    assert_int_equal(fx_book_add_kernel(f.book, &kernel, &id, &err), FX_OK);
    assert_int_equal(id, 0);
    assert_int_equal(fx_book_add_kernel(f.book, &kernel, &id, &err), FX_OK);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x1010, 4, ~0u, 5, 2, 0x7f0000000080, 4);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x1010, 4, ~0u, 5, 2, 0x7f0000000080, 4);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x1010, 4, ~0u, 5, 3, 0x7f0000000100, 4);
    f.count += put(f.words + f.count, FX_SHARED_STORE, 0x1020, 8, 0xf0, 6, 0, 0x404, 8);
    f.count += put(f.words + f.count, FX_BULK_GLOBAL_LOAD, 0x9010, 2048, 1, 6, 0, 0x7f0000000000, 0);
    assert_int_equal(fx_book_count(&launch, f.words, f.count), 5);
    assert_int_equal(fx_book_write(f.book, &launch, f.words, f.count, &err), FX_OK);
    close_book(&f);
    assert_memory_equal(line(&f, "{\"kernel\":", 0),
                        "{\"id\":0,\"name\":\"_Z3\\\"app\",\"module\":\"ab\",\"code_bytes\":1024,\"registers\":20,"
                        "\"max_blocks_per_sm\":8}}\n",
                        96);
    assert_null(line(&f, "{\"kernel\":", 1));
    assert_non_null(line(&f,
                         "{\"instruction\":{\"id\":0,\"kernel\":0,\"pc\":16,\"space\":\"global\",\"op\":\"load\","
                         "\"width\":4}}\n",
                         0));
    assert_non_null(line(&f,
                         "{\"instruction\":{\"id\":1,\"kernel\":0,\"pc\":32,\"space\":\"shared\",\"op\":\"store\","
                         "\"width\":8}}\n",
                         0));
    assert_non_null(line(&f,
                         "{\"instruction\":{\"id\":2,\"kernel\":0,\"pc\":16,\"space\":\"global\",\"op\":\"bulk_load\","
                         "\"width\":16,\"function\":\"_Z5otherv\"}}\n",
                         0));
    fx_trace_pattern patterns[3];
    memcpy(patterns, binary(&f, "{\"patterns\":{\"first\":0,\"count\":3}"), sizeof patterns);
    assert_int_equal(patterns[0].mask, ~0u);
    assert_int_equal(patterns[0].offset[31], 124);
    assert_int_equal(patterns[1].mask, 0xf0);
    assert_int_equal(patterns[1].offset[4], 0x424 - 0x400);
    assert_int_equal(patterns[1].offset[0], 0);
    assert_int_equal(patterns[2].bytes, 2048);
    fx_trace_record records[4];
    memcpy(records, binary(&f, "{\"records\":{\"launch\":3,\"count\":4}"), sizeof records);
    const fx_trace_record wanted[4] = {
        {0, 0, 0x7f0000000080, 5, 2, 2}, /* twice in a row */
        {0, 0, 0x7f0000000100, 5, 3, 1},
        {1, 1, 0x400, 6, 0, 1},
        {2, 2, 0x7f0000000000, 6, 0, 1},
    };
    assert_memory_equal(records, wanted, sizeof wanted);
}

/* A second launch writes no instruction and no pattern again. */
static void known_things_are_written_once(void **state) {
    (void)state;
    static fixture f;
    fx_error err = {0};
    open_book(&f);
    f.count = put(f.words, FX_GLOBAL_STORE, 0x1010, 4, ~0u, 0, 0, 0x1000, 4);
    assert_int_equal(fx_book_write(f.book, &launch, f.words, f.count, &err), FX_OK);
    assert_int_equal(fx_book_write(f.book, &launch, f.words, f.count, &err), FX_OK);
    close_book(&f);
    assert_null(line(&f, "{\"instruction\":", 1));
    assert_null(line(&f, "{\"patterns\":", 1));
    assert_non_null(line(&f, "{\"records\":", 1));
}

/* No pattern is wider than 2 GiB: lanes further away become a record of their own. */
static void lanes_far_apart_are_two_records(void **state) {
    (void)state;
    static fixture f;
    fx_error err = {0};
    open_book(&f);
    f.count = put(f.words, FX_GLOBAL_LOAD, 0x1010, 4, 3, 0, 0, 0x7f0000000000, (uint64_t)5 << 30);
    assert_int_equal(fx_book_write(f.book, &launch, f.words, f.count, &err), FX_OK);
    close_book(&f);
    fx_trace_pattern patterns[2];
    memcpy(patterns, binary(&f, "{\"patterns\":{\"first\":0,\"count\":2}"), sizeof patterns);
    assert_int_equal(patterns[0].mask, 1);
    assert_int_equal(patterns[1].mask, 2);
    fx_trace_record records[2];
    memcpy(records, binary(&f, "{\"records\":{\"launch\":3,\"count\":2}"), sizeof records);
    assert_true(records[1].base - records[0].base == (uint64_t)5 << 30);
}

/* In a graph, other kernels write to the same buffer. */
static void code_of_others_is_left_out(void **state) {
    (void)state;
    static fixture f;
    fx_error err = {0};
    fx_book_launch graph = launch;
    graph.only_kernel = true;
    open_book(&f);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x9010, 4, ~0u, 0, 0, 0x1000, 4);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x13f0, 4, ~0u, 0, 0, 0x1000, 4);
    f.count += put(f.words + f.count, FX_GLOBAL_LOAD, 0x1400, 4, ~0u, 0, 0, 0x1000, 4);
    assert_int_equal(fx_book_count(&graph, f.words, f.count), 1);
    assert_int_equal(fx_book_write(f.book, &graph, f.words, f.count, &err), FX_OK);
    close_book(&f);
    assert_non_null(line(&f, "{\"records\":{\"launch\":3,\"count\":1}", 0));
}

static void words_that_are_no_access_end_the_launch(void **state) {
    (void)state;
    for (unsigned fault = 0; fault < 3; fault++) {
        static fixture f;
        fx_error err = {0};
        open_book(&f);
        const size_t whole = put(f.words, FX_GLOBAL_LOAD, 0x1010, 4, ~0u, 0, 0, 0x1000, 4);
        f.count = whole + put(f.words + whole, FX_GLOBAL_LOAD, 0x1010, 4, ~0u, 1, 0, 0x1000, 4);
        if (fault == 0) {
            f.count--; /* cut off */
        } else if (fault == 1) {
            f.words[whole + 1] = (uint64_t)4 << 32; /* no lane */
        } else {
            f.words[whole] = (uint64_t)FX_KINDS << FX_KIND_SHIFT;
        }
        assert_int_equal(fx_book_count(&launch, f.words, f.count), 1);
        assert_int_equal(fx_book_write(f.book, &launch, f.words, f.count, &err), FX_BAD_INPUT);
        assert_string_equal(err.text, fault ? "word 35 of 70 from the device begins no access"
                                            : "word 35 of 69 from the device begins no access");
        close_book(&f);
        assert_non_null(line(&f, "{\"records\":{\"launch\":3,\"count\":1}", 0));
    }
}

/* More patterns and records than tables begin with, all different: each is found again. */
static void tables_grow(void **state) {
    (void)state;
    static fixture f;
    enum { MANY = 5000 };
    uint64_t *words = malloc(MANY * 5 * sizeof *words);
    size_t count = 0;
    fx_error err = {0};
    assert_non_null(words);
    open_book(&f);
    for (unsigned i = 0; i < MANY; i++) {
        count += put(words + count, FX_GLOBAL_LOAD, 0x1010, 4, 3, i, 0, 0x1000, 8 * (i + 1));
    }
    assert_int_equal(fx_book_write(f.book, &launch, words, count, &err), FX_OK);
    assert_int_equal(fx_book_write(f.book, &launch, words, count, &err), FX_OK);
    free(words);
    fx_trace_writer *to = f.to;
    fx_book_free(f.book);
    assert_int_equal(fx_trace_close(to, &err), FX_OK);
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    const long size = ftell(in);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(unlink(file), 0);
    assert_in_range(size, MANY * (136 + 2 * 24), MANY * (136 + 2 * 24) + 1000); /* patterns once, records twice */
}

static void calls_are_told_apart(void **state) {
    (void)state;
    fx_calls calls = {0};
    enum { MANY = 1000 };
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < MANY; i++) {
            const fx_shape shape = {{i / 10 + 1, 1, 1}, {32, 1, 1}};
            fx_call *call = fx_calls_find(&calls, &calls + i % 5, i % 2, &shape);
            assert_non_null(call);
            assert_int_equal(call->launches++, round);
        }
    }
    assert_int_equal(calls.count, MANY);
    fx_calls_free(&calls);
}

typedef struct names {
    size_t count;
    char last[64];
} names;

static void keep(void *to, const char *name) {
    names *n = to;
    n->count++;
    (void)snprintf(n->last, sizeof n->last, "%s", name);
}

/* A file of a header, a table of two symbols and their names; cut anywhere, nothing behind its end is read. */
static void functions_are_read_from_machine_code(void **state) {
    (void)state;
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
                    {.st_name = 6, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)}},
        .strings = "\0data\0_Z3appv",
    };
    memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
    elf.head.e_ident[EI_CLASS] = ELFCLASS64;
    elf.head.e_ident[EI_DATA] = ELFDATA2LSB;
    names found = {0};
    fx_elf_functions(&elf, sizeof elf, keep, &found);
    assert_int_equal(found.count, 1);
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

static void clear_options(void) {
    static const char *const all[] = {"FILE", "SANITIZER", "CUBINS", "KERNEL", "LAUNCHES", "BLOCKS", "MEMORY", "TIME"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "GPUFX_TRACE_%s", all[i]);
        assert_int_equal(unsetenv(name), 0);
    }
}

static void options_come_from_the_environment(void **state) {
    (void)state;
    fx_recorder_options options;
    fx_error err = {0};
    char wanted[64];
    clear_options();
    assert_int_equal(fx_recorder_read_options(&options, &err), FX_BAD_INPUT);
    assert_int_equal(setenv("GPUFX_TRACE_FILE", "a.%p.fxtrace", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_LAUNCHES", "1", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_BLOCKS", "64", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_MEMORY", "536870912", 1), 0);
    assert_int_equal(fx_recorder_read_options(&options, &err), FX_OK);
    (void)snprintf(wanted, sizeof wanted, "a.%ld.fxtrace", (long)getpid());
    assert_string_equal(options.file, wanted);
    assert_int_equal(options.launches, 1);
    assert_int_equal(options.blocks, 64);
    assert_int_equal(options.memory_bytes, 1 << 29);
    assert_false(options.time);
    assert_true(fx_recorder_wants(&options, "anything"));
    assert_false(fx_recorder_wants(&options, "_Z34ncclDevKernel_Broadcast_RING_LL24ncclDevKernelArgsStorageILm4096EE"));
    fx_recorder_free_options(&options);
    assert_int_equal(setenv("GPUFX_TRACE_BLOCKS", "all", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_KERNEL", "naive|^_Z5tiled", 1), 0);
    assert_int_equal(fx_recorder_read_options(&options, &err), FX_OK);
    assert_int_equal(options.blocks, 0);
    assert_true(fx_recorder_wants(&options, "_Z5naivePf"));
    assert_false(fx_recorder_wants(&options, "_Z6stiledPf"));
    fx_recorder_free_options(&options);
}

static void wrong_options_are_named(void **state) {
    (void)state;
    static const struct {
        const char *name, *value, *text;
    } wrong[] = {
        {"GPUFX_TRACE_BLOCKS", "0", "GPUFX_TRACE_BLOCKS=0: give a whole number from 1 on"},
        {"GPUFX_TRACE_BLOCKS", "some", "GPUFX_TRACE_BLOCKS=some: give a whole number from 1 on"},
        {"GPUFX_TRACE_LAUNCHES", "-1", "GPUFX_TRACE_LAUNCHES=-1: give a whole number from 1 on"},
        {"GPUFX_TRACE_MEMORY", "1k", "GPUFX_TRACE_MEMORY=1k: give a whole number from 1 on"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fx_recorder_options options;
        fx_error err = {0};
        clear_options();
        assert_int_equal(setenv("GPUFX_TRACE_FILE", "a", 1), 0);
        assert_int_equal(setenv("GPUFX_TRACE_LAUNCHES", "1", 1), 0);
        assert_int_equal(setenv("GPUFX_TRACE_BLOCKS", "1", 1), 0);
        assert_int_equal(setenv(wrong[i].name, wrong[i].value, 1), 0);
        assert_int_equal(fx_recorder_read_options(&options, &err), FX_BAD_INPUT);
        assert_string_equal(err.text, wrong[i].text);
        fx_recorder_free_options(&options);
    }
    fx_recorder_options options;
    fx_error err = {0};
    clear_options();
    assert_int_equal(setenv("GPUFX_TRACE_FILE", "a", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_LAUNCHES", "1", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_BLOCKS", "1", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_MEMORY", "65536", 1), 0);
    assert_int_equal(setenv("GPUFX_TRACE_KERNEL", "(", 1), 0);
    assert_int_equal(fx_recorder_read_options(&options, &err), FX_BAD_INPUT);
    assert_memory_equal(err.text, "GPUFX_TRACE_KERNEL=(: ", 22);
    fx_recorder_free_options(&options);
}

int main(void) {
    char folder[] = "/tmp/gpufx-recorder-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_spread_and_counted),
        cmocka_unit_test(largest_grid_has_its_last_block),
        cmocka_unit_test(few_blocks_are_all_recorded),
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(every_kind_has_names),
        cmocka_unit_test(words_become_frames),
        cmocka_unit_test(known_things_are_written_once),
        cmocka_unit_test(lanes_far_apart_are_two_records),
        cmocka_unit_test(code_of_others_is_left_out),
        cmocka_unit_test(words_that_are_no_access_end_the_launch),
        cmocka_unit_test(tables_grow),
        cmocka_unit_test(calls_are_told_apart),
        cmocka_unit_test(functions_are_read_from_machine_code),
        cmocka_unit_test(options_come_from_the_environment),
        cmocka_unit_test(wrong_options_are_named),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
