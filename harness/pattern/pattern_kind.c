/* What --space, --op and --level ask for, and what a pattern is called. */
#include <stdlib.h>
#include <string.h>

#include "core/nearest.h"
#include "pattern.h"

static fx_status choice_of(const char *option, const char *value, const char *const *known, size_t count, size_t *index,
                           fx_error *err) {
    char list[128];
    for (*index = 0; *index < count; ++*index) {
        if (!strcmp(value, known[*index])) {
            return FX_OK;
        }
    }
    return fx_fail(err, FX_BAD_INPUT, "%s %.40s: it must be one of %s", option, value,
                   fx_nearest_list(value, known, count, list, sizeof list));
}

const char *const fx_pattern_ops[FX_PATTERN_OPS] = {"load", "store", "atomic", "fetch", "cas"};

static void add(fx_pattern_kind *kind, const char *name, const char *key, fx_access_level by) {
    kind->level[kind->count++] = (fx_pattern_level){name, key, by};
}

/* A load may be served by any level, a store goes through the L1, and an atomic is done by the L2. */
static void add_global(fx_pattern_kind *kind, const char *wanted) {
    static const fx_pattern_level levels[] = {
        {"L1", "l1", FX_LEVEL_L1}, {"L2", "l2", FX_LEVEL_L2}, {"DRAM", "dram", FX_LEVEL_DRAM}};
    for (size_t i = 0; i < FX_COUNT(levels); i++) {
        const bool served = kind->does == FX_LOADS || levels[i].by == FX_LEVEL_L2 ||
                            (kind->does == FX_STORES && levels[i].by == FX_LEVEL_DRAM);
        if (served && (!wanted || !strcmp(wanted, levels[i].key))) {
            kind->level[kind->count++] = levels[i];
        }
    }
}

void fx_pattern_kind_for(const char *space, fx_access_kind does, fx_pattern_kind *out) {
    *out = (fx_pattern_kind){.space = space, .op = fx_pattern_ops[does], .does = does};
    if (!strcmp(space, "shared")) {
        add(out, "shared", NULL, FX_LEVEL_SHARED);
    } else {
        add_global(out, NULL);
    }
}

fx_status fx_pattern_kind_of(const fx_options *options, fx_pattern_kind *out, fx_error *err) {
    static const char *const spaces[] = {"shared", "global", "constant"}, *const levels[] = {"l1", "l2", "dram"};
    size_t space, op, level;
    if (choice_of("--space", options->pattern.space, spaces, FX_COUNT(spaces), &space, err) ||
        choice_of("--op", options->pattern.op, fx_pattern_ops, FX_PATTERN_OPS, &op, err) ||
        (options->pattern.level &&
         choice_of("--level", options->pattern.level, levels, FX_COUNT(levels), &level, err))) {
        return err->status;
    }
    *out = (fx_pattern_kind){.space = spaces[space],
                             .op = fx_pattern_ops[op],
                             .does = (fx_access_kind)op,
                             .base = options->pattern.base,
                             .array = fx_pattern_tile_array(options->pattern.tile)};
    if (options->pattern.level && space != 1) {
        return fx_fail(err, FX_BAD_INPUT, "--level needs --space global: %s memory has one level", spaces[space]);
    }
    if (space == 0) {
        add(out, "shared", NULL, FX_LEVEL_SHARED);
    } else if (space == 2) {
        add(out, "constant", NULL, FX_LEVEL_CONSTANT);
    } else {
        add_global(out, options->pattern.level);
    }
    if (op && space == 2) {
        return fx_fail(err, FX_BAD_INPUT, "--op %s: constant memory can only be read", fx_pattern_ops[op]);
    }
    if (!out->count) {
        return fx_fail(err, FX_BAD_INPUT, "--level %s: a global %s is never served there; leave out --level",
                       options->pattern.level, fx_pattern_ops[op]);
    }
    return FX_OK;
}

void fx_pattern_id(const fx_pattern *pattern, char *text, size_t size) {
    char *json = json_dumps(pattern->id, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    const size_t length = json ? strlen(json) : 0;
    const bool quoted = length > 1 && json[0] == '"';
    (void)snprintf(text, size, "%.*s", (int)(quoted ? length - 2 : length), json ? json + quoted : "?");
    free(json);
}
