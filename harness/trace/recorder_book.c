/* Tables by hash with open addressing over growing arrays: an item's id is its place in its array. */
#include "recorder_book.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder_kinds.h"

enum { RECORDS_AT_ONCE = 1 << 14, MOST_NAME = 8192, SIZED_WIDTH = 16 };

typedef struct table {
    void *items;
    size_t size, count, room; /* bytes of an item; items; of `slots`, a power of two */
    uint32_t *slots;          /* id + 1; 0: free */
} table;

typedef struct instruction {
    const char *function; /* NULL: the kernel's own. Of book->functions, so equal names are equal pointers */
    uint64_t pc;
    uint32_t kernel, kind;
} instruction;

typedef struct kernel {
    char *name;
    char module[65];
} kernel;

struct fx_book {
    fx_trace_writer *to;
    table instructions, patterns;
    kernel *kernels;
    size_t kernel_count;
    char **functions;
    size_t function_count, patterns_written, records_written;
    char line[MOST_NAME];
    fx_trace_record records[RECORDS_AT_ONCE];
};

static uint64_t hash(const void *data, size_t size) {
    const unsigned char *at = data;
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

static bool grow(table *t) {
    const size_t room = t->room ? 2 * t->room : 1024;
    uint32_t *slots = calloc(room, sizeof *slots);
    void *items = realloc(t->items, room / 2 * t->size);
    t->items = items ? items : t->items;
    if (!slots || !items) {
        free(slots);
        return false;
    }
    for (size_t i = 0; i < t->count; i++) {
        size_t at = hash((char *)t->items + i * t->size, t->size) & (room - 1);
        while (slots[at]) {
            at = (at + 1) & (room - 1);
        }
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->room = room;
    return true;
}

/* The id of an item that equals this one, byte by byte; UINT32_MAX: no memory. *fresh: it was not there. */
static uint32_t find(table *t, const void *item, bool *fresh) {
    if (2 * t->count >= t->room && !grow(t)) {
        return UINT32_MAX;
    }
    size_t at = hash(item, t->size) & (t->room - 1);
    for (; t->slots[at]; at = (at + 1) & (t->room - 1)) {
        if (memcmp((char *)t->items + (size_t)(t->slots[at] - 1) * t->size, item, t->size) == 0) {
            *fresh = false;
            return t->slots[at] - 1;
        }
    }
    memcpy((char *)t->items + t->count * t->size, item, t->size);
    t->slots[at] = (uint32_t)++t->count;
    *fresh = true;
    return (uint32_t)t->count - 1;
}

fx_book *fx_book_create(fx_trace_writer *to) {
    fx_book *book = calloc(1, sizeof *book);
    if (book) {
        book->to = to;
        book->instructions.size = sizeof(instruction);
        book->patterns.size = sizeof(fx_trace_pattern);
    }
    return book;
}

void fx_book_free(fx_book *book) {
    if (!book) {
        return;
    }
    for (size_t i = 0; i < book->kernel_count; i++) {
        free(book->kernels[i].name);
    }
    for (size_t i = 0; i < book->function_count; i++) {
        free(book->functions[i]);
    }
    free(book->kernels);
    free((void *)book->functions);
    free(book->instructions.items);
    free(book->instructions.slots);
    free(book->patterns.items);
    free(book->patterns.slots);
    free(book);
}

static fx_status no_memory(fx_error *err) {
    return fx_fail(err, FX_NO_MEMORY, "out of memory for the trace");
}

fx_status fx_book_add_kernel(fx_book *book, const fx_book_kernel *k, uint32_t *id, fx_error *err) {
    for (size_t i = 0; i < book->kernel_count; i++) {
        if (strcmp(book->kernels[i].name, k->name) == 0 && strcmp(book->kernels[i].module, k->module) == 0) {
            *id = (uint32_t)i;
            return FX_OK;
        }
    }
    kernel *grown = realloc(book->kernels, (book->kernel_count + 1) * sizeof *grown);
    char *name = strdup(k->name);
    book->kernels = grown ? grown : book->kernels;
    if (!grown || !name) {
        free(name);
        return no_memory(err);
    }
    *id = (uint32_t)book->kernel_count;
    kernel *fresh = &grown[book->kernel_count++];
    *fresh = (kernel){.name = name};
    (void)strncpy(fresh->module, k->module, sizeof fresh->module - 1);
    char more[160] = "";
    size_t at = 0;
    const struct {
        const char *key;
        int value;
    } known[] = {
        {"registers", k->registers}, {"shared_bytes", k->shared_bytes}, {"max_blocks_per_sm", k->max_blocks_per_sm}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].value >= 0) {
            at += (size_t)snprintf(more + at, sizeof more - at, ",\"%s\":%d", known[i].key, known[i].value);
        }
    }
    return fx_trace_frame(book->to, err, "{\"kernel\":{\"id\":%u,\"name\":%s,\"module\":\"%s\",\"code_bytes\":%llu%s}}",
                          *id, fx_trace_quoted(k->name, book->line, sizeof book->line), fresh->module,
                          (unsigned long long)k->code_bytes, more);
}

/* The same pointer for the same name; NULL: no memory. */
static const char *kept(fx_book *book, const char *name) {
    for (size_t i = book->function_count; i-- > 0;) {
        if (strcmp(book->functions[i], name) == 0) {
            return book->functions[i];
        }
    }
    char **grown = realloc((void *)book->functions, (book->function_count + 1) * sizeof *grown);
    char *copy = strdup(name);
    book->functions = grown ? grown : book->functions;
    if (!grown || !copy) {
        free(copy);
        return NULL;
    }
    grown[book->function_count++] = copy;
    return copy;
}

static fx_status instruction_of(fx_book *book, const fx_book_launch *launch, uint64_t pc, uint32_t kind, uint32_t bytes,
                                uint32_t *id, fx_error *err) {
    instruction key;
    memset(&key, 0, sizeof key); /* compared byte by byte */
    key.kernel = launch->kernel;
    key.kind = kind;
    key.pc = pc - launch->start;
    if (key.pc >= launch->bytes) {
        const fx_book_place place = launch->find ? launch->find(launch->from, pc) : (fx_book_place){NULL, 0};
        key.function = kept(book, place.function ? place.function : "");
        key.pc = pc - place.start;
        if (!key.function) {
            return no_memory(err);
        }
    }
    bool fresh = false;
    *id = find(&book->instructions, &key, &fresh);
    if (*id == UINT32_MAX) {
        return no_memory(err);
    }
    if (!fresh) {
        return FX_OK;
    }
    const fx_kind_names *names = fx_kind_named(kind);
    return fx_trace_frame(
        book->to, err,
        "{\"instruction\":{\"id\":%u,\"kernel\":%u,\"pc\":%llu,\"space\":\"%s\",\"op\":\"%s\",\"width\":%u%s%s}}", *id,
        key.kernel, (unsigned long long)key.pc, names->space, names->operation, names->sized ? SIZED_WIDTH : bytes,
        key.function ? ",\"function\":" : "",
        key.function ? fx_trace_quoted(key.function, book->line, sizeof book->line) : "");
}

static fx_status write_patterns(fx_book *book, fx_error *err) {
    const size_t first = book->patterns_written, count = book->patterns.count - first;
    book->patterns_written = book->patterns.count;
    return fx_trace_patterns(book->to, (uint32_t)first, (fx_trace_pattern *)book->patterns.items + first, count, err);
}

static fx_status write_records(fx_book *book, uint32_t launch, size_t *count, fx_error *err) {
    const size_t n = *count;
    *count = 0;
    book->records_written += n;
    FX_TRY(write_patterns(book, err));
    return fx_trace_records(book->to, launch, book->records, n, err);
}

/* Makes a record of the words at `at`; *count records are waiting. One that lies more than 2 GiB wide has no pattern:
 * it is written as two, of the lanes near the lowest and of the others. */
static fx_status add(fx_book *book, const fx_book_launch *launch, const uint64_t *at, uint32_t mask, size_t *count,
                     fx_error *err) {
    fx_trace_record record = {.block = (uint32_t)(at[2] >> 32), .warp = (uint16_t)at[2], .times = 1};
    const uint32_t kind = (uint32_t)(at[0] >> FX_KIND_SHIFT), bytes = (uint32_t)(at[1] >> 32), all = (uint32_t)at[1];
    uint64_t address[FX_WARP] = {0}, lowest = UINT64_MAX;
    for (size_t lane = 0, next = FX_HEAD_WORDS; lane < FX_WARP; lane++) {
        if (all >> lane & 1) {
            address[lane] = at[next++];
            lowest = mask >> lane & 1 && address[lane] < lowest ? address[lane] : lowest;
        }
    }
    uint32_t near = 0;
    for (size_t lane = 0; lane < FX_WARP; lane++) {
        near |= (uint32_t)(mask >> lane & 1 && address[lane] - lowest < INT32_MAX - FX_TRACE_BASE_BYTES) << lane;
    }
    fx_trace_pattern pattern;
    bool fresh = false;
    (void)fx_trace_pattern_of(address, near, bytes, &pattern, &record.base);
    FX_TRY(instruction_of(book, launch, at[0] & (((uint64_t)1 << FX_KIND_SHIFT) - 1), kind, bytes, &record.instruction,
                          err));
    if (book->patterns.count == FX_TRACE_MOST_PATTERNS || book->instructions.count == FX_TRACE_MOST_IDS ||
        book->records_written + *count == FX_TRACE_MOST_RECORDS) {
        return fx_fail(err, FX_BAD_INPUT, "the trace is as large as it can be: record fewer blocks or launches");
    }
    record.pattern = find(&book->patterns, &pattern, &fresh);
    if (record.pattern == UINT32_MAX) {
        return no_memory(err);
    }
    fx_trace_record *last = *count ? &book->records[*count - 1] : NULL;
    if (last && last->times < UINT16_MAX && last->instruction == record.instruction &&
        last->pattern == record.pattern && last->base == record.base && last->block == record.block &&
        last->warp == record.warp) {
        last->times++;
    } else {
        book->records[(*count)++] = record;
    }
    if (*count == RECORDS_AT_ONCE) {
        FX_TRY(write_records(book, launch->launch, count, err));
    }
    return mask == near ? FX_OK : add(book, launch, at, mask & ~near, count, err);
}

/* Words of the access at `at`; 0: there is none. */
static uint64_t access_words(const uint64_t *words, uint64_t count, uint64_t at) {
    const uint32_t mask = count - at > FX_HEAD_WORDS ? (uint32_t)words[at + 1] : 0;
    const uint64_t size = FX_HEAD_WORDS + (uint64_t)__builtin_popcount(mask);
    return mask && size <= count - at && fx_kind_named((unsigned)(words[at] >> FX_KIND_SHIFT)) ? size : 0;
}

static bool in_kernel(const fx_book_launch *launch, const uint64_t *access) {
    const uint64_t pc = access[0] & (((uint64_t)1 << FX_KIND_SHIFT) - 1);
    return pc - launch->start < launch->bytes;
}

static bool is_of(const fx_book_launch *launch, const uint64_t *access) {
    return !launch->only_kernel || in_kernel(launch, access);
}

bool fx_book_leaves(const fx_book_launch *launch, const uint64_t *words, uint64_t count) {
    bool leaves = false;
    for (uint64_t at = 0, size = 1; at < count && size && !launch->only_kernel && !leaves; at += size) {
        size = access_words(words, count, at);
        leaves = size && !in_kernel(launch, words + at);
    }
    return leaves;
}

uint64_t fx_book_count(const fx_book_launch *launch, const uint64_t *words, uint64_t count) {
    uint64_t accesses = 0;
    for (uint64_t at = 0, size = 1; at < count && size; at += size) {
        size = access_words(words, count, at);
        accesses += size && is_of(launch, words + at);
    }
    return accesses;
}

fx_status fx_book_write(fx_book *book, const fx_book_launch *launch, const uint64_t *words, uint64_t count,
                        fx_error *err) {
    size_t waiting = 0;
    fx_status status = FX_OK;
    for (uint64_t at = 0; status == FX_OK && at < count;) {
        const uint64_t size = access_words(words, count, at);
        if (size == 0) {
            status = fx_fail(err, FX_BAD_INPUT, "word %llu of %llu from the device begins no access",
                             (unsigned long long)at, (unsigned long long)count);
        } else if (is_of(launch, words + at)) {
            status = add(book, launch, words + at, (uint32_t)words[at + 1], &waiting, err);
        }
        at += size;
    }
    fx_error second = {0};
    const fx_status written = write_records(book, launch->launch, &waiting, status ? &second : err);
    return status ? status : written;
}
