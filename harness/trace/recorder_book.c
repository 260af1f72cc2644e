/* Records wait until there are many, and are put in order then: by launch and block, each block's as they happened, but
 * for a few of a warp that go together: of RUN accesses that caches serve, and those of shared memory between them,
 * whose order among warps changes nothing, it takes one to tell when they were. That is a third of the file. */
#include "recorder_book.h"

#include "core/hash_table.h"

enum { MOST_NAME = 8192, SIZED_WIDTH = 16, MOST_BYTES = 1 << 20, RUN = 4 }; /* MOST_BYTES: of a lane */

#define FX_WORDS(name, space, operation, sized) [FX_##name] = {space, operation, sized},
static const struct {
    const char *space, *operation;
    bool sized;
} kinds[] = {FX_KINDS_OF_ACCESS(FX_WORDS)};

typedef struct instruction {
    fx_hash function; /* of its name; 0: the kernel's own */
    uint64_t pc;
    uint32_t kernel, kind;
} instruction;

typedef struct waiting {
    fx_trace_record record;
    uint32_t launch, number, next; /* next: of the same warp of the block; UINT32_MAX: none */
    bool shared, taken;
} waiting;

struct fx_book {
    fx_trace_writer *to;
    fx_hash_table instructions, patterns;
    size_t patterns_written, records_written, count;
    char line[MOST_NAME];
    waiting waits[FX_TRACE_MOST_COLUMNS];
    uint32_t order[FX_TRACE_MOST_COLUMNS];
    fx_trace_record sorted[FX_TRACE_MOST_COLUMNS];
};

fx_book *fx_book_create(fx_trace_writer *to) {
    fx_book *book = calloc(1, sizeof *book);
    if (book) {
        book->to = to;
        book->instructions = (fx_hash_table){.size = sizeof(instruction), .key = sizeof(instruction)};
        book->patterns = (fx_hash_table){.size = sizeof(fx_trace_pattern), .key = sizeof(fx_trace_pattern)};
    }
    return book;
}

void fx_book_free(fx_book *book) {
    fx_hash_free(&book->instructions);
    fx_hash_free(&book->patterns);
    free(book);
}

static fx_status instruction_of(fx_book *book, const fx_book_place *place, uint32_t kind, uint32_t bytes, uint32_t *id,
                                fx_error *err) {
    const instruction key = {.function = place->function ? fx_hash_of(place->function, strlen(place->function))
                                                         : (fx_hash){{0}},
                             .pc = place->pc,
                             .kernel = place->kernel,
                             .kind = kind};
    bool fresh = false;
    *id = fx_hash_add(&book->instructions, &key, &fresh);
    FX_FAIL_IF(*id == FX_HASH_FULL, err, FX_NO_MEMORY, "out of memory for the trace");
    if (!fresh) {
        return FX_OK;
    }
    return fx_trace_frame(
        book->to, err,
        "{\"instruction\":{\"id\":%u,\"kernel\":%u,\"pc\":%llu,\"space\":\"%s\",\"op\":\"%s\",\"width\":%u%s%s}}", *id,
        key.kernel, (unsigned long long)key.pc, kinds[kind].space, kinds[kind].operation,
        kinds[kind].sized ? SIZED_WIDTH : bytes, place->function ? ",\"function\":" : "",
        place->function ? fx_trace_quoted(place->function, book->line, sizeof book->line) : "");
}

static int order(const void *left, const void *right) {
    const waiting *a = left, *b = right;
    const uint64_t first = (uint64_t)a->launch << 32 | a->record.block,
                   second = (uint64_t)b->launch << 32 | b->record.block;
    if (first != second) {
        return first < second ? -1 : 1;
    }
    return a->number < b->number ? -1 : 1;
}

static bool are_alike(const fx_trace_record *a, const fx_trace_record *b) {
    return a->instruction == b->instruction && a->pattern == b->pattern && a->base == b->base && a->block == b->block &&
           a->warp == b->warp;
}

/* Puts those of one block into the order in which they are told. */
static void gather(fx_book *book, size_t first, size_t end) {
    uint32_t ahead[FX_TRACE_MOST_WARPS];
    memset(ahead, 0xff, sizeof ahead);
    for (size_t i = end; i-- > first;) {
        book->waits[i].next = ahead[book->waits[i].record.warp];
        ahead[book->waits[i].record.warp] = (uint32_t)i;
    }
    for (size_t i = first, to = first; i < end; i++) {
        unsigned cached = 0;
        for (uint32_t k = (uint32_t)i; k != UINT32_MAX && !book->waits[k].taken && cached < RUN;
             k = book->waits[k].next) {
            book->waits[k].taken = true;
            book->order[to++] = k;
            cached += !book->waits[k].shared;
        }
    }
}

fx_status fx_book_flush(fx_book *book, fx_error *err) {
    const size_t first = book->patterns_written, fresh = book->patterns.count - first;
    book->patterns_written = book->patterns.count;
    if (fresh) {
        const size_t size = fresh * sizeof(fx_trace_pattern);
        FX_TRY(fx_trace_frame(book->to, err, "{\"patterns\":{\"first\":%zu,\"count\":%zu},\"bytes\":%zu}", first, fresh,
                              size));
        FX_TRY(fx_trace_binary(book->to, fx_hash_item(&book->patterns, (uint32_t)first), size, err));
    }
    const size_t count = book->count;
    book->count = 0;
    qsort(book->waits, count, sizeof *book->waits, order);
    for (size_t i = 0, end; i < count; i = end) {
        const waiting *one = &book->waits[i];
        for (end = i; end < count && one->launch == book->waits[end].launch &&
                      one->record.block == book->waits[end].record.block;
             end++) {
        }
        gather(book, i, end);
    }
    for (size_t i = 0; i < count;) {
        const uint32_t launch = book->waits[i].launch;
        size_t n = 0, before[FX_TRACE_MOST_WARPS] = {0}; /* of each warp: its last record, and 1 */
        for (; i < count && book->waits[i].launch == launch; i++) {
            const fx_trace_record *one = &book->waits[book->order[i]].record;
            fx_trace_record *last = before[one->warp] ? &book->sorted[before[one->warp] - 1] : NULL;
            if (last && last->times < UINT16_MAX && are_alike(last, one)) {
                last->times++;
            } else {
                book->sorted[n++] = *one;
                before[one->warp] = n;
            }
        }
        book->records_written += n;
        FX_TRY(fx_trace_columns(book->to, launch, book->sorted, n, err));
    }
    return FX_OK;
}

/* Makes a record of the lanes of `mask`. One that lies more than 2 GiB wide has no pattern: it is written as two, of
 * the lanes near the lowest and of the others. */
static fx_status add(fx_book *book, const fx_book_place *place, const uint64_t *words, uint32_t mask, fx_error *err) {
    const uint32_t kind = (uint32_t)(words[0] >> FX_KIND_SHIFT) & 0x7f;
    const uint32_t bytes = (uint32_t)(words[1] >> 32), all = (uint32_t)words[1];
    fx_trace_record record = {
        .block = (uint32_t)(words[2] >> 32), .warp = words[2] & ((1 << FX_EPOCH_SHIFT) - 1), .times = 1};
    uint64_t address[FX_WARP] = {0}, lowest = UINT64_MAX;
    for (size_t lane = 0, next = FX_HEAD_WORDS; lane < FX_WARP; lane++) {
        if (all >> lane & 1) {
            address[lane] = words[next++] & ~FX_WRITTEN;
            lowest = mask >> lane & 1 && address[lane] < lowest ? address[lane] : lowest;
        }
    }
    fx_trace_pattern pattern = {.bytes = bytes};
    bool fresh = false;
    record.base = lowest - lowest % FX_TRACE_BASE_BYTES;
    for (size_t lane = 0; lane < FX_WARP; lane++) {
        if (mask >> lane & 1 && address[lane] - record.base < INT32_MAX - MOST_BYTES) {
            pattern.mask |= (uint32_t)1 << lane;
            pattern.offset[lane] = (int32_t)(address[lane] - record.base);
        }
    }
    FX_TRY(instruction_of(book, place, kind, bytes, &record.instruction, err));
    FX_FAIL_IF(book->patterns.count == FX_TRACE_MOST_PATTERNS || book->instructions.count == FX_TRACE_MOST_IDS ||
                   book->records_written + book->count >= FX_TRACE_MOST_RECORDS,
               err, FX_BAD_INPUT, "the trace is as large as it can be: record fewer blocks or launches");
    record.pattern = fx_hash_add(&book->patterns, &pattern, &fresh);
    FX_FAIL_IF(record.pattern == FX_HASH_FULL, err, FX_NO_MEMORY, "out of memory for the trace");
    book->waits[book->count] = (waiting){.record = record,
                                         .launch = place->launch,
                                         .number = (uint32_t)book->count,
                                         .shared = kinds[kind].space[0] == 's'};
    if (++book->count == FX_TRACE_MOST_COLUMNS) {
        FX_TRY(fx_book_flush(book, err));
    }
    return mask == pattern.mask ? FX_OK : add(book, place, words, mask & ~pattern.mask, err);
}

fx_status fx_book_add(fx_book *book, const fx_book_place *place, const uint64_t *words, fx_error *err) {
    FX_FAIL_IF((words[0] >> FX_KIND_SHIFT & 0x7f) >= FX_KINDS || !(uint32_t)words[1], err, FX_BAD_INPUT,
               "the device has written words that are no access");
    return add(book, place, words, (uint32_t)words[1], err);
}
