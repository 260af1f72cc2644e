/* Frame by frame into memory; what points to another is checked at the end, since it may follow. */
#include "trace_read.h"

#include <sys/stat.h>
#include <zlib.h>

enum {
    MOST_GAP = 1024,   /* ids may be missing, but few of them: else a number would claim memory */
    MOST_VALUES = 256, /* of a frame that is kept */
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

/* ---- What was read of a trace is held against itself, and its records are put in order ---- */

/* Records of a frame, as they came. */
typedef struct trace_part {
    uint32_t launch;
    size_t first, count;
} trace_part;

enum { MOST_BULK_BYTES = 1 << 20, FIRST_LINE_BYTES = 1 << 16 };

static bool has_kernel(const fx_trace *t, uint32_t kernel) {
    return kernel < t->kernel_count && t->kernels[kernel].frame;
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

/* A bulk copy has one lane, which names all that it moves. */
static bool is_too_large(const fx_trace_instruction *instruction, const fx_trace_pattern *pattern) {
    const fx_trace_op op = instruction->op;
    const bool is_bulk = op == FX_TRACE_BULK_LOAD || op == FX_TRACE_BULK_STORE || op == FX_TRACE_BULK_REDUCE;
    return is_bulk && ((pattern->mask & (pattern->mask - 1)) != 0 || pattern->bytes > MOST_BULK_BYTES);
}

static fx_status check_records(const fx_trace *t, const trace_part *part, const char *name, fx_error *err) {
    for (size_t i = part->first; i < part->first + part->count; i++) {
        const fx_trace_record *one = &t->records[i];
        FX_FAIL_IF(one->instruction >= t->instruction_count || !t->instructions[one->instruction].frame ||
                       one->pattern >= t->pattern_count || one->times == 0 || one->base % FX_TRACE_BASE_BYTES != 0 ||
                       one->base > FX_TRACE_MOST_BASE || one->block >= t->launches[part->launch].blocks,
                   err, FX_BAD_INPUT,
                   "'%s': record %zu names an instruction, a pattern or a block that is nowhere, or a base that is not "
                   "a multiple of %d",
                   name, i, FX_TRACE_BASE_BYTES);
        FX_FAIL_IF(is_too_large(&t->instructions[one->instruction], &t->patterns[one->pattern]), err, FX_BAD_INPUT,
                   "'%s': record %zu is a bulk copy of several lanes, or of more than %d bytes", name, i,
                   MOST_BULK_BYTES);
    }
    return FX_OK;
}

/* FX_BAD_INPUT: frames or records name what is not in the trace. Parts of launches that are not in it, which a program
 * that was killed may leave, are dropped. `name`: of the file. */
static fx_status check_trace(const fx_trace *t, trace_part *parts, size_t count, const char *name, fx_error *err) {
    for (size_t i = 0; i < t->instruction_count; i++) {
        FX_FAIL_IF(t->instructions[i].frame && !has_kernel(t, t->instructions[i].kernel), err, FX_BAD_INPUT,
                   "'%s': instruction %zu is of a kernel that has no frame", name, i);
    }
    for (size_t i = 0; i < t->launch_count; i++) {
        FX_FAIL_IF(t->launches[i].frame && !has_kernel(t, t->launches[i].kernel), err, FX_BAD_INPUT,
                   "'%s': launch %zu is of a kernel that has no frame", name, i);
    }
    for (size_t i = 0; i < t->pattern_count; i++) {
        FX_FAIL_IF(!is_sound(&t->patterns[i]), err, FX_BAD_INPUT,
                   "'%s': pattern %zu has an offset that is below 0 or too large", name, i);
    }
    for (size_t p = 0; p < count; p++) {
        const bool known = parts[p].launch < t->launch_count && t->launches[parts[p].launch].frame;
        FX_FAIL_IF(!known && t->end, err, FX_BAD_INPUT, "'%s': records are of launch %u, which has no frame", name,
                   parts[p].launch);
        parts[p].count = known ? parts[p].count : 0;
        FX_TRY(check_records(t, &parts[p], name, err));
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

/* By launch and block, those of a block as they came: of sound parts. */
static void order_trace(fx_trace *t, const trace_part *parts, size_t count) {
    fx_trace_record *sorted = fx_new(t->record_count, sizeof *sorted);
    size_t end = 0;
    for (size_t p = 0; p < count; p++) {
        if (parts[p].count) {
            t->launches[parts[p].launch].first += parts[p].count;
        }
    }
    for (size_t i = 0; i < t->launch_count; i++) { /* from how many records it has to where they begin */
        const size_t own = t->launches[i].first;
        t->launches[i].first = end;
        end += own;
    }
    for (size_t p = 0; p < count; p++) {
        if (parts[p].count) {
            fx_trace_launch *launch = &t->launches[parts[p].launch];
            memcpy(sorted + launch->first + launch->count, t->records + parts[p].first,
                   parts[p].count * sizeof *sorted);
            launch->count += parts[p].count;
        }
    }
    for (size_t i = 0; i < t->launch_count; i++) {
        sort_by_block(sorted + t->launches[i].first, t->records, t->launches[i].count);
    }
    free(t->records);
    t->records = sorted;
    t->record_count = end;
}

/* An array that grows. */
typedef struct list {
    void **items;
    size_t *count, room, size; /* size: of an item */
} list;

typedef struct reading {
    fx_trace *trace;
    gzFile file; /* zlib tells gzip from plain, and hands out what stands before the place where a file was cut */
    const char *path;
    char *line; /* with its newline and a zero; borrowed for bytes that are passed over */
    size_t line_room;
    size_t frame;       /* from 1 */
    size_t line_bytes;  /* of the present frame */
    uint64_t left;      /* bytes behind its line that are not read; */
    bool in_columns;    /* which are records in columns */
    const char *wrong;  /* the first key of it that has no valid number */
    uint64_t memory;    /* of frames that are kept */
    size_t loose_bytes; /* of the lines of notes and calls, which no id bounds */
    trace_part *part_items;
    size_t part_count;
    void *raw; /* FX_TRACE_MOST_COLUMNS records, once there are some */
    list kernels, instructions, launches, patterns, records, parts;
} reading;

static unsigned index_of(const json_t *word, const char *const *words, unsigned count) {
    unsigned i = 0;
    while (i < count && (!json_is_string(word) || strcmp(json_string_value(word), words[i]) != 0)) {
        i++;
    }
    return i;
}

static fx_status bad(const reading *r, fx_error *err, const char *what) {
    return fx_fail(err, FX_BAD_INPUT, "'%s', frame %zu: %s; gpufx can't read this trace", r->path, r->frame, what);
}

#define BAD_IF(condition, what) FX_TRY((condition) ? bad(r, err, what) : FX_OK)

/* Room for `count` items, zeroed: a file's frames come in parts, so that it holds what it makes room for. */
static void grow(list *to, size_t count) {
    if (count > to->room) {
        const size_t more = count > 2 * to->room ? count : 2 * to->room;
        *to->items = fx_given(reallocarray(*to->items, more, to->size));
        memset((char *)*to->items + to->room * to->size, 0, (more - to->room) * to->size);
        to->room = more;
    }
}

/* A whole number from 0 to `most`; 0, and the key is `wrong`, for anything else. */
static uint64_t number(reading *r, const json_t *object, const char *key, uint64_t most) {
    const json_t *value = json_object_get(object, key);
    const json_int_t got = json_integer_value(value);
    const bool valid = json_is_integer(value) && got >= 0 && (uint64_t)got <= most;
    r->wrong = valid || r->wrong ? r->wrong : key;
    return valid ? (uint64_t)got : 0;
}

/* The same, or `fallback` where the key is absent or null. */
static uint64_t number_or(reading *r, const json_t *object, const char *key, uint64_t most, uint64_t fallback) {
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value) ? number(r, object, key, most) : fallback;
}

static fx_status check_numbers(const reading *r, fx_error *err) {
    char text[64];
    (void)snprintf(text, sizeof text, "its \"%s\" is not a valid number", r->wrong ? r->wrong : "");
    return r->wrong ? bad(r, err, text) : FX_OK;
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
    const z_off_t at = gzoffset(r->file); /* -1: it is not known */
    const uint64_t values = values_in(object), bytes = at < 0 ? MOST_MEMORY : (uint64_t)at;
    const uint64_t room = bytes < MOST_MEMORY / PER_BYTE ? LEAST_MEMORY + bytes * PER_BYTE : MOST_MEMORY;
    r->memory += r->line_bytes + values * VALUE_BYTES;
    BAD_IF(values > most_values, "it has more values than such a frame can have");
    BAD_IF(r->memory > room, "its frames would take more memory than such a file can need");
    return FX_OK;
}

/* The place of the object's id, which begins with a frame: with this one from now on. */
static fx_status place(reading *r, json_t *object, list *of, void *out, fx_error *err) {
    const uint64_t id = number(r, object, "id", FX_TRACE_MOST_IDS - 1);
    BAD_IF(r->wrong || id > 2 * *of->count + MOST_GAP, "its id is missing or too large");
    FX_TRY(keep(r, object, MOST_VALUES, err));
    grow(of, id + 1);
    *of->count = id >= *of->count ? id + 1 : *of->count;
    json_t **frame = (void *)((char *)*of->items + id * of->size);
    BAD_IF(*frame, "another frame has the same id");
    *frame = json_incref(object);
    memcpy(out, &frame, sizeof frame);
    return FX_OK;
}

static fx_status take_kernel(reading *r, json_t *object, fx_error *err) {
    fx_trace_kernel *kernel;
    FX_TRY(place(r, object, &r->kernels, &kernel, err));
    kernel->name = json_string_value(json_object_get(object, "name"));
    kernel->shown = json_string_value(json_object_get(object, "shown"));
    kernel->shared_bytes = number_or(r, object, "shared_bytes", 1 << 24, 0);
    kernel->registers = (unsigned)number_or(r, object, "registers", 1024, 0);
    BAD_IF(!kernel->name, "a kernel without a name");
    return FX_OK;
}

static fx_status take_instruction(reading *r, json_t *object, fx_error *err) {
    fx_trace_instruction *instruction;
    FX_TRY(place(r, object, &r->instructions, &instruction, err));
    instruction->kernel = (uint32_t)number(r, object, "kernel", FX_TRACE_MOST_IDS);
    instruction->pc = number_or(r, object, "pc", INT32_MAX, 0);
    instruction->space = (fx_trace_space)index_of(json_object_get(object, "space"), spaces, FX_TRACE_OTHER_SPACE);
    instruction->op = (fx_trace_op)index_of(json_object_get(object, "op"), ops, FX_TRACE_OTHER_OP);
    const char *sass = json_string_value(json_object_get(object, "sass"));
    instruction->through_l1 = !sass || !strstr(sass, ".STRONG") || strstr(sass, ".STRONG.SM"); /* an SM has one L1 */
    return FX_OK;
}

/* x * y * z, of sizes from 1 on; 1 where the key is absent. */
static uint64_t volume(reading *r, const json_t *object, const char *key) {
    const json_t *sizes = json_object_get(object, key);
    uint64_t product = 1;
    bool valid = !sizes || json_array_size(sizes) == 3;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_int_t size = json_integer_value(json_array_get(sizes, i));
        valid = valid && size >= 1 && size <= INT32_MAX && !__builtin_mul_overflow(product, (uint64_t)size, &product);
    }
    r->wrong = valid || r->wrong ? r->wrong : key;
    return product;
}

static fx_status take_launch(reading *r, json_t *object, fx_error *err) {
    const json_t *blocks = json_object_get(object, "blocks"), *accesses = json_object_get(object, "accesses");
    fx_trace_launch *launch;
    FX_TRY(place(r, object, &r->launches, &launch, err));
    launch->kernel = (uint32_t)number(r, object, "kernel", FX_TRACE_MOST_IDS);
    launch->threads = volume(r, object, "block");
    launch->blocks = volume(r, object, "grid");
    launch->blocks = number_or(r, blocks, "total", (uint64_t)1 << 62, launch->blocks);
    launch->recorded = number_or(r, blocks, "recorded", launch->blocks, 0);
    launch->shared_bytes = number_or(r, object, "shared_bytes", 1 << 24, 0);
    BAD_IF(json_integer_value(json_object_get(accesses, "seen")) >
               json_integer_value(json_object_get(accesses, "kept")),
           "an older recorder lost accesses of a launch: record it again");
    return FX_OK;
}

/* Bytes of the frame, as many as are there. */
static size_t take_bytes(reading *r, void *to, size_t size) {
    const size_t got = gzfread(to, 1, size, r->file);
    r->trace->cut = r->trace->cut || got < size;
    r->left -= size;
    return got;
}

/* Items of a binary frame, in parts, so that a number alone claims no memory. */
static void take_items(reading *r, list *to) {
    enum { PART = 1 << 21 };
    for (size_t got = 1, some; r->left > 0 && got > 0;) {
        some = (r->left < PART ? (size_t)r->left : PART) / to->size;
        grow(to, *to->count + some);
        got = take_bytes(r, (char *)*to->items + *to->count * to->size, some * to->size) / to->size;
        *to->count += got;
    }
}

static fx_status take_patterns(reading *r, json_t *object, fx_error *err) {
    const uint64_t first = number(r, object, "first", FX_TRACE_MOST_PATTERNS),
                   count = number(r, object, "count", FX_TRACE_MOST_PATTERNS - first);
    BAD_IF(r->wrong || first != r->trace->pattern_count || r->left != count * sizeof(fx_trace_pattern),
           "patterns must be numbered consecutively and match their bytes");
    take_items(r, &r->patterns);
    return FX_OK;
}

static size_t take_columns(reading *r) {
    r->raw = r->raw ? r->raw : fx_new(FX_TRACE_MOST_COLUMNS, sizeof(fx_trace_record));
    return take_bytes(r, r->raw, r->left);
}

static fx_status take_records(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    const size_t left = FX_TRACE_MOST_RECORDS - t->record_count, most = FX_TRACE_MOST_COLUMNS;
    const uint64_t launch = number(r, object, "launch", FX_TRACE_MOST_IDS - 1),
                   count = number(r, object, "count", r->in_columns && most < left ? most : left);
    BAD_IF(r->wrong || r->left != count * sizeof(fx_trace_record),
           "the number of records does not match their bytes, or is too large: record fewer blocks");
    grow(&r->parts, r->part_count + 1);
    trace_part *part = &r->part_items[r->part_count++];
    *part = (trace_part){.launch = (uint32_t)launch, .first = t->record_count};
    if (!r->in_columns) {
        take_items(r, &r->records);
    } else if (count && take_columns(r) == count * sizeof(fx_trace_record)) {
        grow(&r->records, t->record_count + count);
        BAD_IF(!fx_trace_columns_read(r->raw, count, t->records + t->record_count),
               "a warp of its records is too high");
        t->record_count += count;
    }
    part->count = t->record_count - part->first;
    return FX_OK;
}

static fx_status take_code(reading *r, json_t *object, fx_error *err) {
    fx_trace *t = r->trace;
    const uint64_t kernel = number(r, object, "kernel", FX_TRACE_MOST_IDS - 1);
    BAD_IF(r->wrong || kernel >= t->kernel_count || !t->kernels[kernel].frame || t->kernels[kernel].code,
           "code must be of a kernel that has a frame, and once");
    fx_trace_kernel *of = &t->kernels[kernel];
    list text = {(void **)&of->code, &of->code_bytes, 0, 1};
    take_items(r, &text);
    FX_TRY(keep(r, object, UINT64_MAX, err));
    of->files = json_incref(json_object_get(object, "files"));
    return FX_OK;
}

/* A note, or calls: kept as they stand, and all together no more than some. */
static fx_status keep_loose(reading *r, const json_t *object, fx_error *err) {
    r->loose_bytes += r->line_bytes;
    FX_TRY(keep(r, object, UINT64_MAX, err));
    BAD_IF(r->loose_bytes > FX_TRACE_MOST_LOOSE_BYTES, "its notes and calls are more than can be kept");
    return FX_OK;
}

static fx_status take_calls(reading *r, json_t *list_, fx_error *err) {
    FX_TRY(keep_loose(r, list_, err));
    BAD_IF(json_array_extend(r->trace->calls, list_), "its calls are not a list");
    return FX_OK;
}

static fx_status take_note(reading *r, json_t *object, fx_error *err) {
    FX_TRY(keep_loose(r, object, err));
    (void)json_array_append(r->trace->notes, object);
    return FX_OK;
}

static fx_status take_end(reading *r, json_t *object, fx_error *err) {
    FX_TRY(keep(r, object, MOST_VALUES, err));
    r->trace->end = r->trace->end ? r->trace->end : json_incref(object);
    return FX_OK;
}

static const struct {
    const char *key;
    fx_status (*take)(reading *r, json_t *object, fx_error *err);
} kinds[] = {{"patterns", take_patterns}, {"records", take_records},
             {"columns", take_records},   {"code", take_code},
             {"kernel", take_kernel},     {"instruction", take_instruction},
             {"launch", take_launch},     {"calls", take_calls},
             {"note", take_note},         {"end", take_end}};

static fx_status take_frame(reading *r, json_t *object, fx_error *err) {
    r->wrong = NULL;
    r->left = number_or(r, object, "bytes", (uint64_t)1 << 40, 0);
    FX_TRY(check_numbers(r, err));
    const bool binary = r->left > 0;
    r->in_columns = json_object_get(object, "columns");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        json_t *inner = json_object_get(object, kinds[i].key);
        if (inner) {
            FX_TRY(kinds[i].take(r, inner, err));
            FX_TRY(check_numbers(r, err));
            break;
        }
    }
    char byte;
    while (r->left > 0 && !r->trace->cut) { /* of a kind that is not known; the line has been parsed */
        (void)take_bytes(r, r->line, r->left < r->line_room ? r->left : r->line_room);
    }
    const bool whole = !binary || r->trace->cut || !take_bytes(r, &byte, 1) || byte == '\n';
    BAD_IF(!whole, "its bytes are not as many as it says");
    return FX_OK;
}

/* A line without its newline; none at the end. Damage ends the file as its end does, but is remembered. */
static fx_status next_line(reading *r, bool *any, fx_error *err) {
    int code = Z_OK;
    size_t size = 0;
    bool some = false;
    do {
        if (size + 1 >= r->line_room) {
            r->line_room = r->line_room ? 2 * r->line_room : FIRST_LINE_BYTES;
            r->line = fx_given(realloc(r->line, r->line_room));
        }
        if (gzgets(r->file, r->line + size, (int)(r->line_room - size))) {
            some = true;
            size += strlen(r->line + size);
        }
        *any = size && r->line[size - 1] == '\n';
    } while (!*any && size + 1 == r->line_room && size <= FX_TRACE_LINE_BYTES);
    r->line_bytes = *any ? size - 1 : 0;
    FX_FAIL_IF(size > (size_t)FX_TRACE_LINE_BYTES + *any, err, FX_BAD_INPUT,
               "'%s' has a line of more than %d bytes: not a trace", r->path, FX_TRACE_LINE_BYTES);
    (void)gzerror(r->file, &code);
    r->trace->cut = r->trace->cut || (!*any && (some || code != Z_OK));
    return FX_OK;
}

/* The next object of the file; NULL at its end. */
static fx_status next_object(reading *r, json_t **out, fx_error *err) {
    bool any;
    *out = NULL;
    r->frame++;
    FX_TRY(next_line(r, &any, err));
    if (!any) {
        return FX_OK;
    }
    *out = json_loadb(r->line, r->line_bytes, 0, NULL);
    if (json_is_object(*out)) {
        return FX_OK;
    }
    json_decref(*out);
    *out = NULL;
    return bad(r, err, "it is not a JSON object");
}

static fx_status take_header(reading *r, fx_error *err) {
    const fx_status status = next_object(r, &r->trace->header, err);
    const uint64_t version = number(r, r->trace->header, "gpufx_trace", INT32_MAX);
    FX_FAIL_IF(status || r->wrong, err, FX_BAD_INPUT,
               "'%s' is not a trace: it does not begin with {\"gpufx_trace\":%d,...", r->path, FX_TRACE_VERSION);
    FX_FAIL_IF(version != FX_TRACE_VERSION, err, FX_BAD_INPUT,
               "'%s' is a trace of version %llu, and this program reads %d: use a newer one", r->path,
               (unsigned long long)version, FX_TRACE_VERSION);
    return FX_OK;
}

static fx_status take_all(reading *r, fx_error *err) {
    json_t *object;
    FX_TRY(take_header(r, err));
    while (!next_object(r, &object, err) && object) {
        const fx_status status = take_frame(r, object, err);
        json_decref(object);
        FX_TRY(status);
    }
    return err->status;
}

static fx_status begin(reading *r, fx_error *err) {
    struct stat info;
    fx_trace *t = r->trace = fx_new(1, sizeof *t);
    const bool folder = stat(r->path, &info) == 0 && !S_ISREG(info.st_mode);
    FX_FAIL_IF(folder, err, FX_BAD_INPUT, "'%s' is not a file: name a trace, as `gpufx explain --record` writes it",
               r->path);
    r->file = gzopen(r->path, "rbe");
    FX_FAIL_IF(!r->file, err, FX_IO, "cannot read the trace '%s': %s; check its name", r->path, strerror(errno));
    t->notes = fx_given(json_array());
    t->calls = fx_given(json_array());
    r->kernels = (list){(void **)&t->kernels, &t->kernel_count, 0, sizeof *t->kernels};
    r->instructions = (list){(void **)&t->instructions, &t->instruction_count, 0, sizeof *t->instructions};
    r->launches = (list){(void **)&t->launches, &t->launch_count, 0, sizeof *t->launches};
    r->patterns = (list){(void **)&t->patterns, &t->pattern_count, 0, sizeof *t->patterns};
    r->records = (list){(void **)&t->records, &t->record_count, 0, sizeof *t->records};
    r->parts = (list){(void **)&r->part_items, &r->part_count, 0, sizeof *r->part_items};
    return FX_OK;
}

fx_status fx_trace_read(const char *path, fx_trace **out, fx_error *err) {
    fx_error cause = {0};
    reading r = {.path = path};
    fx_status status;
    *out = NULL;
    FX_GO(begin(&r, &cause));
    FX_GO(take_all(&r, &cause));
    FX_GO(check_trace(r.trace, r.part_items, r.part_count, r.path, &cause));
    order_trace(r.trace, r.part_items, r.part_count);
    *out = r.trace;
    r.trace = NULL;
cleanup:
    (void)gzclose(r.file);
    fx_trace_free(r.trace);
    free(r.part_items);
    free(r.raw);
    free(r.line);
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

void fx_trace_lanes(const fx_trace_pattern *pattern, fx_lanes *out) {
    for (unsigned l = 0; l < FX_WARP; l++) {
        out->offset[l] = pattern->mask >> l & 1 ? pattern->offset[l] : -1;
    }
}
