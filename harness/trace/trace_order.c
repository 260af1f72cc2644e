#include "trace_order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BULK_BYTES = 1 << 20 };

static bool has_kernel(const fx_trace *t, uint32_t kernel) {
    return kernel < t->kernel_count && t->kernels[kernel].frame;
}

static bool has_launch(const fx_trace *t, uint32_t launch) {
    return launch < t->launch_count && t->launches[launch].frame;
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

static fx_status check_records(const fx_trace *t, const fx_trace_part *part, const char *name, fx_error *err) {
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

fx_status fx_trace_check(const fx_trace *t, fx_trace_part *parts, size_t count, const char *name, fx_error *err) {
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
        const bool known = has_launch(t, parts[p].launch);
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

bool fx_trace_order(fx_trace *t, const fx_trace_part *parts, size_t count) {
    fx_trace_record *sorted = malloc((t->record_count + 1) * sizeof *sorted);
    size_t end = 0;
    if (!sorted) {
        return false;
    }
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
    return true;
}
