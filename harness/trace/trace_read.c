/* Frame by frame into memory; what points from one to another is checked at the end, since a frame may follow what
 * names it. Then the records are put in order: by launch and block. */
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

#include "trace_stream.h"

enum {
    MOST_GAP = 1024,   /* ids may be missing, but few of them: else a number would claim memory */
    MOST_VALUES = 256, /* of a frame that is kept */
    MOST_BULK_BYTES = 1 << 20,
};

/* Memory for the frames that are kept, as JSON: so much, and so much more for each byte of the file, up to a limit.
 * What a value takes is an upper limit of jansson's. */
enum { VALUE_BYTES = 128, LEAST_MEMORY = 1 << 26, PER_BYTE = 1024, MOST_MEMORY = 1 << 30 };

static const char *const spaces[] = {"global", "shared", "local", "remote"};
static const char *const ops[] = {"load",      "store",      "atomic",      "reduction",   "cas",
                                  "count",     "async_load", "async_store", "matrix_load", "matrix_store",
                                  "bulk_load", "bulk_store", "bulk_reduce", "wgmma",       "prefetch"};
_Static_assert(sizeof spaces / sizeof *spaces == FX_TRACE_OTHER_SPACE, "a word for each space");
_Static_assert(sizeof ops / sizeof *ops == FX_TRACE_OTHER_OP, "a word for each op");

typedef struct part {
    uint32_t launch;
    size_t first, count; /* of records as they came */
} part;

typedef struct reading {
    fx_trace *trace;
    fx_trace_stream *stream;
    const char *path;
    size_t frame;       /* from 1 */
    size_t line_bytes;  /* of the present frame */
    uint64_t memory;    /* of frames that are kept */
    size_t loose_bytes; /* of the lines of notes and calls, which no id bounds */
    part *parts;        /* of records */
    size_t part_count, part_room, kernel_room, instruction_room, launch_room, pattern_room, record_room;
} reading;

static unsigned index_of(const char *word, const char *const *words, unsigned count) {
    unsigned i = 0;
    while (i < count && (!word || strcmp(word, words[i]) != 0)) {
        i++;
    }
    return i;
}

const char *fx_trace_space_name(fx_trace_space space) {
    return space < FX_TRACE_OTHER_SPACE ? spaces[space] : "other";
}

const char *fx_trace_op_name(fx_trace_op op) {
    return op < FX_TRACE_OTHER_OP ? ops[op] : "other";
}

static fx_status bad(const reading *r, fx_error *err, const char *what) {
    return fx_fail(err, FX_BAD_INPUT, "'%s', frame %zu: %s; gpufx can't read this trace", r->path, r->frame, what);
}

static fx_status no_memory(const reading *r, fx_error *err) {
    return fx_fail(err, FX_NO_MEMORY, "out of memory while reading the trace '%s'; record fewer blocks", r->path);
}

/* Room for `count` elements, zeroed. */
static fx_status grow(const reading *r, void **array, size_t *room, size_t count, size_t size, fx_error *err) {
    if (count > *room) {
        const size_t more = count > 2 * *room ? count : 2 * *room;
        char *larger = realloc(*array, more * size);
        if (!larger) {
            return no_memory(r, err);
        }
        memset(larger + *room * size, 0, (more - *room) * size);
        *array = larger;
        *room = more;
    }
    return FX_OK;
}

/* A whole number from 0 to `most` into *out, which keeps its value where the key is absent or null. */
static bool take_number(const json_t *object, const char *key, uint64_t most, uint64_t *out) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value)) {
        return true;
    }
    if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > most) {
        return false;
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

static bool has_number(const json_t *object, const char *key, uint64_t most, uint64_t *out) {
    return json_is_integer(json_object_get(object, key)) && take_number(object, key, most, out);
}

static uint64_t values_in(const json_t *value) {
    uint64_t count = 1;
    size_t i;
    const char *key;
    json_t *inner;
    json_object_foreach((json_t *)(uintptr_t)value, key, inner) {
        count += values_in(inner);
    }
    json_array_foreach(value, i, inner) {
        count += values_in(inner);
    }
    return count;
}

/* Takes account of a frame that is kept. */
static fx_status keep(reading *r, const json_t *object, uint64_t most_values, fx_error *err) {
    const uint64_t values = values_in(object), bytes = fx_trace_stream_offset(r->stream);
    const uint64_t room = bytes < MOST_MEMORY / PER_BYTE ? LEAST_MEMORY + bytes * PER_BYTE : MOST_MEMORY;
    r->memory += r->line_bytes + values * VALUE_BYTES;
    if (values > most_values) {
        return bad(r, err, "it has more values than such a frame can have");
    }
    return r->memory <= room ? FX_OK : bad(r, err, "its frames would take more memory than such a file can need");
}

/* The place of the object's id in an array; NULL with an error. */
static void *place(reading *r, json_t *object, void **array, size_t *count, size_t *room, size_t size, fx_error *err) {
    uint64_t id = 0;
    if (!has_number(object, "id", FX_TRACE_MOST_IDS - 1, &id) || id > 2 * *count + MOST_GAP) {
        (void)bad(r, err, "its id is missing or too large");
        return NULL;
    }
    if (keep(r, object, MOST_VALUES, err)) {
        return NULL;
    }
    if (grow(r, array, room, id + 1, size, err)) {
        return NULL;
    }
    if (id >= *count) {
        *count = id + 1;
    }
    void *at = (char *)*array + id * size;
    json_t **frame = at; /* all three begin with it */
    if (*frame) {
        (void)bad(r, err, "another frame has the same id");
        return NULL;
    }
    *frame = json_incref(object);
    return at;
}

static fx_status take_kernel(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    fx_trace_kernel *kernel =
        place(r, object, (void **)&t->kernels, &t->kernel_count, &r->kernel_room, sizeof *kernel, err);
    uint64_t blocks = 0;
    if (!kernel) {
        return err->status;
    }
    kernel->name = json_string_value(json_object_get(object, "name"));
    kernel->shown = json_string_value(json_object_get(object, "shown"));
    if (!kernel->name) {
        return bad(r, err, "a kernel without a name");
    }
    if (!take_number(object, "shared_bytes", 1 << 24, &kernel->shared_bytes) ||
        !take_number(object, "max_blocks_per_sm", 1024, &blocks)) {
        return bad(r, err, "a kernel's shared_bytes or max_blocks_per_sm is not a valid number");
    }
    kernel->max_blocks_per_sm = (unsigned)blocks;
    if (!take_number(object, "registers", 1024, &blocks)) {
        return bad(r, err, "a kernel's registers are not a valid number");
    }
    kernel->registers = json_object_get(object, "registers") ? (unsigned)blocks : 0;
    return FX_OK;
}

static fx_status take_instruction(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    fx_trace_instruction *instruction = place(r, object, (void **)&t->instructions, &t->instruction_count,
                                              &r->instruction_room, sizeof *instruction, err);
    uint64_t kernel;
    if (!instruction) {
        return err->status;
    }
    if (!has_number(object, "kernel", FX_TRACE_MOST_IDS, &kernel)) {
        return bad(r, err, "an instruction without a kernel");
    }
    instruction->kernel = (uint32_t)kernel;
    instruction->space =
        (fx_trace_space)index_of(json_string_value(json_object_get(object, "space")), spaces, FX_TRACE_OTHER_SPACE);
    instruction->op = (fx_trace_op)index_of(json_string_value(json_object_get(object, "op")), ops, FX_TRACE_OTHER_OP);
    const char *sass = json_string_value(json_object_get(object, "sass"));
    instruction->through_l1 = !sass || !strstr(sass, ".STRONG");
    return take_number(object, "pc", INT32_MAX, &instruction->pc) ? FX_OK
                                                                  : bad(r, err, "an instruction's pc is not valid");
}

/* x * y * z, of sizes from 1 on; 1 where the key is absent. False: it is no such array. */
static bool take_volume(const json_t *object, const char *key, uint64_t *out) {
    const json_t *sizes = json_object_get(object, key);
    *out = 1;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_t *size = json_array_get(sizes, i);
        const json_int_t value = json_integer_value(size);
        if (!json_is_integer(size) || value < 1 || value > INT32_MAX ||
            __builtin_mul_overflow(*out, (uint64_t)value, out)) {
            return false;
        }
    }
    return !sizes || json_array_size(sizes) == 3;
}

static fx_status take_launch(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    fx_trace_launch *launch =
        place(r, object, (void **)&t->launches, &t->launch_count, &r->launch_room, sizeof *launch, err);
    const json_t *blocks = json_object_get(object, "blocks");
    uint64_t kernel;
    if (!launch) {
        return err->status;
    }
    if (!has_number(object, "kernel", FX_TRACE_MOST_IDS, &kernel)) {
        return bad(r, err, "a launch without a kernel");
    }
    launch->kernel = (uint32_t)kernel;
    if (!take_volume(object, "grid", &launch->blocks) || !take_volume(object, "block", &launch->threads)) {
        return bad(r, err, "grid and block must be three sizes each");
    }
    if (!take_number(blocks, "total", (uint64_t)1 << 62, &launch->blocks) ||
        !take_number(blocks, "recorded", launch->blocks, &launch->recorded) ||
        !take_number(object, "shared_bytes", 1 << 24, &launch->shared_bytes)) {
        return bad(r, err, "a launch's blocks or shared_bytes are not valid numbers");
    }
    const json_t *accesses = json_object_get(object, "accesses"); /* of older recorders, whose memory could be full */
    if (json_integer_value(json_object_get(accesses, "seen")) > json_integer_value(json_object_get(accesses, "kept"))) {
        return bad(r, err, "an older recorder lost accesses of a launch: record it again");
    }
    return FX_OK;
}

/* Elements of a binary frame, in parts, so that a number alone claims no memory. */
static fx_status take_elements(reading *r, void **array, size_t *count, size_t *room, size_t size, uint64_t wanted,
                               fx_error *err) {
    enum { PART = 1 << 14 };
    while (wanted > 0) {
        const size_t some = wanted < PART ? (size_t)wanted : PART;
        FX_TRY(grow(r, array, room, *count + some, size, err));
        const size_t got = fx_trace_stream_take(r->stream, (char *)*array + *count * size, some * size) / size;
        *count += got;
        wanted -= some;
        if (got < some) {
            return FX_OK; /* the stream says that it was cut */
        }
    }
    return FX_OK;
}

static fx_status take_patterns(reading *r, const json_t *object, uint64_t bytes, fx_error *err) {
    fx_trace *t = r->trace;
    uint64_t first = 0, count = 0;
    if (!has_number(object, "first", FX_TRACE_MOST_PATTERNS, &first) || first != t->pattern_count ||
        !has_number(object, "count", FX_TRACE_MOST_PATTERNS - first, &count) ||
        bytes != count * sizeof(fx_trace_pattern)) {
        return bad(r, err, "patterns must be numbered consecutively and match their bytes");
    }
    return take_elements(r, (void **)&t->patterns, &t->pattern_count, &r->pattern_room, sizeof *t->patterns, count,
                         err);
}

static fx_status take_records(reading *r, const json_t *object, uint64_t bytes, fx_error *err) {
    fx_trace *t = r->trace;
    uint64_t launch, count;
    if (!has_number(object, "launch", FX_TRACE_MOST_IDS - 1, &launch) ||
        !has_number(object, "count", FX_TRACE_MOST_RECORDS - t->record_count, &count) ||
        bytes != count * sizeof(fx_trace_record)) {
        return bad(r, err, "the number of records does not match their bytes, or is too large: record fewer blocks");
    }
    FX_TRY(grow(r, (void **)&r->parts, &r->part_room, r->part_count + 1, sizeof *r->parts, err));
    part *one = &r->parts[r->part_count++];
    *one = (part){.launch = (uint32_t)launch, .first = t->record_count};
    const fx_status status =
        take_elements(r, (void **)&t->records, &t->record_count, &r->record_room, sizeof *t->records, count, err);
    one->count = t->record_count - one->first;
    return status;
}

/* The machine code of a kernel that has a frame: text, in parts, so that a number alone claims no memory. */
static fx_status take_code(reading *r, json_t *object, uint64_t bytes, fx_error *err) {
    fx_trace *t = r->trace;
    uint64_t kernel;
    if (!has_number(object, "kernel", FX_TRACE_MOST_IDS - 1, &kernel) || kernel >= t->kernel_count ||
        !t->kernels[kernel].frame || t->kernels[kernel].code) {
        return bad(r, err, "code must be of a kernel that has a frame, and once");
    }
    fx_trace_kernel *of = &t->kernels[kernel];
    size_t room = 0;
    FX_TRY(take_elements(r, (void **)&of->code, &of->code_bytes, &room, 1, bytes, err));
    FX_TRY(keep(r, object, UINT64_MAX, err));
    of->files = json_incref(json_object_get(object, "files"));
    return FX_OK;
}

static uint16_t warp_at(const char *columns, size_t count, size_t i) {
    uint16_t warp;
    memcpy(&warp, columns + 20 * count + 2 * i, 2);
    return warp;
}

static uint32_t block_at(const char *columns, size_t count, size_t i) {
    uint32_t block;
    memcpy(&block, columns + 16 * count + 4 * i, 4);
    return block;
}

/* Warps stand in the order of time, the other fields in that of warps: so the first mention of a warp in a block is
 * that of the first of its records there. */
bool fx_trace_columns_read(const char *columns, size_t count, fx_trace_record *out) {
    static uint64_t bases[FX_TRACE_MOST_COLUMNS];
    uint64_t last[FX_TRACE_BASES] = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t instruction;
        uint64_t step;
        memcpy(&instruction, columns + 4 * i, 4);
        memcpy(&step, columns + 8 * count + 8 * i, 8);
        bases[i] = last[instruction % FX_TRACE_BASES] += step;
    }
    for (size_t first = 0, end = 0; first < count; first = end) {
        const uint32_t block = block_at(columns, count, first);
        size_t place[FX_TRACE_MOST_WARPS + 1] = {first};
        for (; end < count && block_at(columns, count, end) == block; end++) {
            const uint16_t warp = warp_at(columns, count, end);
            if (warp >= FX_TRACE_MOST_WARPS) {
                return false;
            }
            place[warp + 1]++;
        }
        for (size_t w = 0; w < FX_TRACE_MOST_WARPS; w++) {
            place[w + 1] += place[w];
        }
        for (size_t i = first; i < end; i++) {
            const uint16_t warp = warp_at(columns, count, i);
            const size_t from = place[warp]++;
            out[i] = (fx_trace_record){.base = bases[from], .block = block, .warp = warp};
            memcpy(&out[i].instruction, columns + 4 * from, 4);
            memcpy(&out[i].pattern, columns + 4 * count + 4 * from, 4);
            memcpy(&out[i].times, columns + 22 * count + 2 * from, 2);
        }
    }
    return true;
}

/* Records whose fields stand side by side (docs/trace.md). */
static fx_status take_columns(reading *r, const json_t *object, uint64_t bytes, fx_error *err) {
    static char columns[FX_TRACE_MOST_COLUMNS * sizeof(fx_trace_record)];
    fx_trace *t = r->trace;
    uint64_t launch, count;
    if (!has_number(object, "launch", FX_TRACE_MOST_IDS - 1, &launch) ||
        !has_number(object, "count", FX_TRACE_MOST_COLUMNS, &count) || bytes != count * sizeof(fx_trace_record) ||
        count > FX_TRACE_MOST_RECORDS - t->record_count) {
        return bad(r, err, "the number of records does not match their bytes, or is too large: record fewer blocks");
    }
    if (fx_trace_stream_take(r->stream, columns, bytes) < bytes || !count) {
        return FX_OK; /* the stream says that it was cut */
    }
    FX_TRY(grow(r, (void **)&r->parts, &r->part_room, r->part_count + 1, sizeof *r->parts, err));
    FX_TRY(grow(r, (void **)&t->records, &r->record_room, t->record_count + count, sizeof *t->records, err));
    if (!fx_trace_columns_read(columns, count, t->records + t->record_count)) {
        return bad(r, err, "a warp of its records is too high");
    }
    r->parts[r->part_count++] = (part){.launch = (uint32_t)launch, .first = t->record_count, .count = count};
    t->record_count += count;
    return FX_OK;
}

static fx_status skip(reading *r, uint64_t bytes) {
    (void)fx_trace_stream_take(r->stream, NULL, bytes);
    return FX_OK;
}

/* A note, or calls: kept as they stand, and all together no more than some. */
static fx_status take_loose(reading *r, const json_t *object, fx_error *err) {
    r->loose_bytes += r->line_bytes;
    FX_TRY(keep(r, object, UINT64_MAX, err));
    return r->loose_bytes <= FX_TRACE_MOST_LOOSE_BYTES ? FX_OK
                                                       : bad(r, err, "its notes and calls are more than can be kept");
}

static fx_status take_frame(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    json_t *inner;
    uint64_t bytes = 0;
    if (!take_number(object, "bytes", (uint64_t)1 << 40, &bytes)) {
        return bad(r, err, "\"bytes\" is not a valid number");
    }
    if ((inner = json_object_get(object, "patterns"))) {
        FX_TRY(take_patterns(r, inner, bytes, err));
    } else if ((inner = json_object_get(object, "records"))) {
        FX_TRY(take_records(r, inner, bytes, err));
    } else if ((inner = json_object_get(object, "code"))) {
        FX_TRY(take_code(r, inner, bytes, err));
    } else if ((inner = json_object_get(object, "columns"))) {
        FX_TRY(take_columns(r, inner, bytes, err));
    } else {
        FX_TRY(skip(r, bytes));
    }
    if (bytes > 0 && !fx_trace_stream_cut(r->stream)) {
        char newline = '\n';
        (void)fx_trace_stream_take(r->stream, &newline, 1);
        if (newline != '\n') {
            return bad(r, err, "its bytes are not as many as it says");
        }
    }
    if ((inner = json_object_get(object, "kernel"))) {
        return take_kernel(r, inner, err);
    }
    if ((inner = json_object_get(object, "instruction"))) {
        return take_instruction(r, inner, err);
    }
    if ((inner = json_object_get(object, "launch"))) {
        return take_launch(r, inner, err);
    }
    if ((inner = json_object_get(object, "calls"))) {
        FX_TRY(take_loose(r, inner, err));
        return json_array_extend(t->calls, inner) ? bad(r, err, "its calls are not a list") : FX_OK;
    }
    if ((inner = json_object_get(object, "note"))) {
        FX_TRY(take_loose(r, inner, err));
        return json_array_append(t->notes, inner) ? no_memory(r, err) : FX_OK;
    }
    if ((inner = json_object_get(object, "end")) && !t->end) {
        FX_TRY(keep(r, inner, MOST_VALUES, err));
        t->end = json_incref(inner);
    }
    return FX_OK;
}

static bool problem_is_memory(const json_error_t *problem) {
    return json_error_code(problem) == json_error_out_of_memory;
}

/* The next object of the file; NULL at its end. */
static fx_status next_object(reading *r, json_t **out, fx_error *err) {
    const char *line;
    size_t size;
    json_error_t problem;
    *out = NULL;
    r->frame++;
    FX_TRY(fx_trace_stream_line(r->stream, &line, &size, err));
    if (!line) {
        return FX_OK;
    }
    r->line_bytes = size;
    *out = json_loadb(line, size, 0, &problem);
    if (!json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return problem_is_memory(&problem) ? no_memory(r, err) : bad(r, err, "it is not a JSON object");
    }
    return FX_OK;
}

static fx_status take_header(reading *r, fx_error *err) {
    uint64_t version;
    FX_FAIL_IF(next_object(r, &r->trace->header, err) || !r->trace->header ||
                   !has_number(r->trace->header, "gpufx_trace", INT32_MAX, &version),
               err, FX_BAD_INPUT, "'%s' is not a trace: it does not begin with {\"gpufx_trace\":%d,...", r->path,
               FX_TRACE_VERSION);
    return version == FX_TRACE_VERSION
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT,
                         "'%s' is a trace of version %llu, and this program reads %d: use a newer one", r->path,
                         (unsigned long long)version, FX_TRACE_VERSION);
}

static fx_status take_all(reading *r, fx_error *err) {
    json_t *object;
    FX_TRY(take_header(r, err));
    while (!next_object(r, &object, err) && object) {
        const fx_status status = take_frame(r, object, err);
        json_decref(object);
        if (status) {
            return status;
        }
    }
    r->trace->cut = fx_trace_stream_cut(r->stream);
    return err->status;
}

static bool is_sound(const fx_trace_pattern *pattern) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        if (pattern->mask >> l & 1 &&
            (pattern->offset[l] < 0 || (int64_t)pattern->offset[l] + pattern->bytes > INT32_MAX)) {
            return false;
        }
    }
    return true;
}

/* A program that was killed may leave records whose launch is not in the file. */
static bool is_lost(const fx_trace *t, const part *records) {
    return !t->end && (records->launch >= t->launch_count || !t->launches[records->launch].frame);
}

/* A bulk copy has one lane, which names all that it moves. */
static bool is_too_large(const fx_trace_instruction *instruction, const fx_trace_pattern *pattern) {
    const fx_trace_op op = instruction->op;
    const bool is_bulk = op == FX_TRACE_BULK_LOAD || op == FX_TRACE_BULK_STORE || op == FX_TRACE_BULK_REDUCE;
    return is_bulk && ((pattern->mask & (pattern->mask - 1)) != 0 || pattern->bytes > MOST_BULK_BYTES);
}

/* What frames and records say of each other. */
static fx_status check(const reading *r, fx_error *err) {
    const fx_trace *t = r->trace;
    for (size_t i = 0; i < t->instruction_count; i++) {
        const fx_trace_instruction *one = &t->instructions[i];
        FX_FAIL_IF(one->frame && (one->kernel >= t->kernel_count || !t->kernels[one->kernel].frame), err, FX_BAD_INPUT,
                   "'%s': instruction %zu is of a kernel that has no frame", r->path, i);
    }
    for (size_t i = 0; i < t->launch_count; i++) {
        const fx_trace_launch *one = &t->launches[i];
        FX_FAIL_IF(one->frame && (one->kernel >= t->kernel_count || !t->kernels[one->kernel].frame), err, FX_BAD_INPUT,
                   "'%s': launch %zu is of a kernel that has no frame", r->path, i);
    }
    for (size_t i = 0; i < t->pattern_count; i++) {
        FX_FAIL_IF(!is_sound(&t->patterns[i]), err, FX_BAD_INPUT,
                   "'%s': pattern %zu has an offset that is below 0 or too large", r->path, i);
    }
    for (size_t p = 0; p < r->part_count; p++) {
        const part *one = &r->parts[p];
        if (is_lost(t, one)) {
            continue;
        }
        FX_FAIL_IF(one->launch >= t->launch_count || !t->launches[one->launch].frame, err, FX_BAD_INPUT,
                   "'%s': records are of launch %u, which has no frame", r->path, one->launch);
        for (size_t i = one->first; i < one->first + one->count; i++) {
            const fx_trace_record *record = &t->records[i];
            FX_FAIL_IF(record->instruction >= t->instruction_count || !t->instructions[record->instruction].frame ||
                           record->pattern >= t->pattern_count || record->times == 0 ||
                           record->base % FX_TRACE_BASE_BYTES != 0 || record->base > FX_TRACE_MOST_BASE ||
                           record->block >= t->launches[one->launch].blocks,
                       err, FX_BAD_INPUT,
                       "'%s': record %zu names an instruction, a pattern or a block that is nowhere, or a base "
                       "that is not a multiple of %d",
                       r->path, i, FX_TRACE_BASE_BYTES);
            FX_FAIL_IF(is_too_large(&t->instructions[record->instruction], &t->patterns[record->pattern]), err,
                       FX_BAD_INPUT, "'%s': record %zu is a bulk copy of several lanes, or of more than %d bytes",
                       r->path, i, MOST_BULK_BYTES);
        }
    }
    return FX_OK;
}

/* Stable, by block: one byte of it after the other, but for those that all records share. */
static void sort_by_block(fx_trace_record *records, fx_trace_record *other, size_t count) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        size_t at[257] = {0};
        for (size_t i = 0; i < count; i++) {
            at[(records[i].block >> shift & 255) + 1]++;
        }
        if (count == 0 || at[(records[0].block >> shift & 255) + 1] == count) {
            continue;
        }
        for (unsigned i = 0; i < 256; i++) {
            at[i + 1] += at[i];
        }
        for (size_t i = 0; i < count; i++) {
            other[at[records[i].block >> shift & 255]++] = records[i];
        }
        memcpy(records, other, count * sizeof *records);
    }
}

/* Puts the records in order, by launch and block. */
static fx_status put_in_order(reading *r, fx_error *err) {
    fx_trace *t = r->trace;
    fx_trace_record *sorted = malloc((t->record_count + 1) * sizeof *sorted);
    if (!sorted) {
        return no_memory(r, err);
    }
    for (size_t p = r->part_count; p-- > 0;) {
        if (is_lost(t, &r->parts[p])) {
            memmove(&r->parts[p], &r->parts[p + 1], (--r->part_count - p) * sizeof *r->parts);
        } else {
            t->launches[r->parts[p].launch].count += r->parts[p].count;
        }
    }
    for (size_t i = 1; i < t->launch_count; i++) {
        t->launches[i].first = t->launches[i - 1].first + t->launches[i - 1].count;
    }
    for (size_t p = 0; p < r->part_count; p++) {
        const part *one = &r->parts[p];
        fx_trace_launch *launch = &t->launches[one->launch];
        if (one->count > 0) {
            memcpy(sorted + launch->first, t->records + one->first, one->count * sizeof *sorted);
        }
        launch->first += one->count;
    }
    for (size_t i = 0; i < t->launch_count; i++) {
        fx_trace_launch *launch = &t->launches[i];
        launch->first -= launch->count;
        sort_by_block(sorted + launch->first, t->records, launch->count);
    }
    free(t->records);
    t->records = sorted;
    t->record_count = 0;
    for (size_t i = 0; i < t->launch_count; i++) {
        t->record_count += t->launches[i].count;
    }
    return FX_OK;
}

fx_status fx_trace_read(const char *path, fx_trace **out, fx_error *err) {
    fx_error cause = {0};
    reading r = {.path = !strcmp(path, "-") ? "standard input" : path};
    fx_status status;
    *out = NULL;
    FX_GO(fx_trace_stream_open(path, &r.stream, &cause));
    r.trace = calloc(1, sizeof *r.trace);
    if (r.trace) {
        r.trace->notes = json_array();
        r.trace->calls = json_array();
    }
    if (!r.trace || !r.trace->notes || !r.trace->calls) {
        FX_GO(no_memory(&r, &cause));
    }
    FX_GO(take_all(&r, &cause));
    FX_GO(check(&r, &cause));
    FX_GO(put_in_order(&r, &cause));
    *out = r.trace;
    r.trace = NULL;
cleanup:
    fx_trace_stream_close(r.stream);
    fx_trace_free(r.trace);
    free(r.parts);
    return status ? fx_fail(err, status, "%s", cause.text) : FX_OK;
}

void fx_trace_free(fx_trace *trace) {
    if (!trace) {
        return;
    }
    for (size_t i = 0; i < trace->kernel_count; i++) {
        json_decref(trace->kernels[i].frame);
        json_decref(trace->kernels[i].files);
        free(trace->kernels[i].code);
    }
    for (size_t i = 0; i < trace->instruction_count; i++) {
        json_decref(trace->instructions[i].frame);
    }
    for (size_t i = 0; i < trace->launch_count; i++) {
        json_decref(trace->launches[i].frame);
    }
    json_decref(trace->header);
    json_decref(trace->notes);
    json_decref(trace->calls);
    json_decref(trace->end);
    free(trace->kernels);
    free(trace->instructions);
    free(trace->launches);
    free(trace->patterns);
    free(trace->records);
    free(trace);
}

void fx_trace_lanes(const fx_trace_pattern *pattern, uint32_t base_bytes, fx_lanes *out) {
    bool fits = true;
    for (unsigned l = 0; l < FX_WARP; l++) {
        fits = fits &&
               (!(pattern->mask >> l & 1) || (int64_t)pattern->offset[l] + base_bytes + pattern->bytes <= INT32_MAX);
    }
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = pattern->mask >> l & 1 ? pattern->offset[l] + (fits ? (int32_t)base_bytes : 0) : -1;
    }
}
