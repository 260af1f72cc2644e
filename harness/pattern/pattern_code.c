/* --code, or a line of a source file: Python has the front end of a compiler and runs the lines for one warp
 * (gpufx_plot/pasted); it answers with a line of JSON for each access, and here it becomes a set of patterns like any
 * other. */
#include "call/message.h"
#include "call/places.h"
#include "call/python.h"
#include "core/pattern_text.h"
#include "core/text.h"
#include "pattern.h"

enum { MOST_SETS = 256 };

static fx_status question_of(const fx_options *options, char **out, fx_error *err) {
    const fx_pattern_options *o = &options->pattern;
    fx_block block;
    FX_TRY(fx_pattern_block(o->block, &block, err));
    json_t *words = FX_JSON_LIST(i, options->words.count, json_string(options->words.text[i]));
    json_auto_t *question =
        json_pack("{s:s?, s:s, s:[I,I,I], s:b, s:o, s:s, s:b, s:s}", "code", o->code, "file", o->file ? o->file : "",
                  "block", (json_int_t)block.size[0], (json_int_t)block.size[1], (json_int_t)block.size[2],
                  "block_given", o->block != NULL, "words", words, "space", o->space, "every_warp", o->fail_on != NULL,
                  "fail_on", o->fail_on ? o->fail_on : "");
    *out = question ? json_dumps(question, JSON_COMPACT) : NULL;
    return *out ? FX_OK : fx_fail(err, FX_BAD_INPUT, "--code: the text is no UTF-8");
}

/* What is declared, as far as a cure can name it. */
static void declare(const json_t *line, fx_pattern_array *out) {
    const json_t *sizes = json_object_get(line, "sizes");
    const char *type = json_string_value(json_object_get(line, "element")),
               *name = json_string_value(json_object_get(line, "array"));
    *out = (fx_pattern_array){.type = type,
                              .type_length = (int)strlen(type),
                              .name = name,
                              .name_length = (int)strlen(name),
                              .kernel = json_string_value(json_object_get(line, "kernel")),
                              .bytes = json_integer_value(json_object_get(line, "element_bytes"))};
    for (size_t i = 0; json_array_size(sizes) <= FX_PATTERN_DIMENSIONS && i < json_array_size(sizes); i++) {
        out->size[out->dimensions++] = json_integer_value(json_array_get(sizes, i));
    }
}

/* The next instruction of the same element. False: it lies beyond what an offset can be. */
static bool advance(fx_lanes *lanes, unsigned bytes) {
    bool overflow = false;
    for (unsigned l = 0; l < FX_WARP; l++) {
        int32_t *offset = &lanes->offset[l];
        overflow = overflow || (*offset >= 0 && __builtin_add_overflow(*offset, (int32_t)bytes, offset));
    }
    return !overflow;
}

/* Adds the steps of a line, each with its lanes: every instruction of it by the same id, which is the line's text where
 * it has none. */
static fx_status add_steps(const json_t *line, const char *key, fx_pattern_set *out, fx_error *err) {
    const json_t *steps = json_object_get(line, key);
    const char *text = fx_json_text(line, "text");
    const unsigned width = (unsigned)json_integer_value(json_object_get(line, "width")),
                   whole = (unsigned)json_integer_value(json_object_get(line, "size"));
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        json_t *id = json_object_get(step, "id");
        fx_pattern pattern = {.warp = json_string_value(json_object_get(step, "warp")),
                              .width_bytes = width,
                              .whole_bytes = whole,
                              .weight = json_number_value(json_object_get(step, "weight"))};
        fx_error cause = {0};
        FX_FAIL_IF(fx_lanes_of_json(json_object_get(step, "lanes"), &pattern.lanes, &cause) ||
                       fx_lanes_check(&pattern.lanes, width, &cause),
                   err, FX_BAD_INPUT, "%s: %s", text, cause.text);
        unsigned at = 0;
        do {
            pattern.id = id ? json_incref(id) : json_string(text);
            fx_pattern_set_add_take(out, &pattern);
            pattern.whole_bytes = 0;
            at += width;
        } while (at < whole && advance(&pattern.lanes, width));
    }
    return FX_OK;
}

static fx_status set_of(json_t *line, fx_pattern_set *out, fx_error *err) {
    const char *text, *place, *op = "", *space = "", *no_cure = "";
    int past_l1 = 0, faults = 0, beside = 0;
    json_int_t part = 0, ld = 0, loop = 0, words = 0, own = 0, threads = 0, shared = 0, blocks = 0, rows = 0;
    const int bad =
        json_unpack(line, "{ss ss s?s s?s s?b s?b s?s s?s s?s s?b s?I s?I s?I s?I s?[IIIII]}", "text", &text, "place",
                    &place, "label", &out->label, "lost", &out->why_not, "faults", &faults, "beside", &beside, "op",
                    &op, "space", &space, "no_cure", &no_cure, "past_l1", &past_l1, "part", &part, "ld", &ld, "loop",
                    &loop, "words", &words, "launch", &own, &threads, &shared, &blocks, &rows);
    FX_FAIL_IF(bad, err, FX_BAD_INPUT, "no answer");
    out->owner = json_incref(line);
    out->name = fx_printed("%s", text);
    out->place = fx_printed("%s", place);
    out->faults = faults;
    out->beside = beside;
    if (out->why_not) {
        return FX_OK;
    }
    const bool counts = !strcmp(op, FX_PATTERN_COUNTS); /* the lanes of one word at once: its steps are a store's */
    fx_pattern_kind *kind = &out->kind;
    FX_TRY(fx_pattern_kind_of(space, counts ? "store" : op, kind, err));
    kind->op = counts ? FX_PATTERN_COUNTS : kind->op;
    kind->part_bytes = (unsigned)part;
    kind->ld_bytes = ld ? 16 : 0;
    if (past_l1 && kind->level[0].by == FX_LEVEL_L1) {
        memmove(kind->level, kind->level + 1, --kind->count * sizeof *kind->level);
    }
    kind->loop = loop;
    kind->words = (unsigned)words;
    kind->launch =
        (fx_pattern_launch){(uint64_t)threads, (uint64_t)own, (uint64_t)shared, (uint64_t)blocks, (uint64_t)rows};
    kind->no_cure = *no_cure ? no_cure : NULL;
    declare(line, &kind->array);
    FX_TRY(add_steps(line, "steps", out, err));
    static const char *const keys[] = {"others", "all"};
    fx_pattern_set **const more[] = {&out->others, &out->all};
    for (size_t i = 0; i < FX_COUNT(more); i++) {
        if (json_array_size(json_object_get(line, keys[i]))) {
            *more[i] = fx_new(1, sizeof **more[i]);
            (*more[i])->kind = *kind;
            FX_TRY(add_steps(line, keys[i], *more[i], err));
        }
    }
    return FX_OK;
}

static fx_status read_answer(const char *answer, fx_pattern_gate *gate, fx_pattern_set *sets, size_t *count,
                             fx_error *err) {
    json_error_t problem;
    for (const char *at = answer; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        json_auto_t *line = json_loads(at, JSON_DISABLE_EOF_CHECK, &problem);
        const char *refused = json_string_value(json_object_get(line, "error")),
                   *note = json_string_value(json_object_get(line, "note")),
                   *open = json_string_value(json_object_get(line, "open"));
        if (open && gate && gate->count) {
            const char *place = json_string_value(json_object_get(line, "place"));
            if (fx_pattern_gate_open(gate, json_string_value(json_object_get(line, "space")), "", open) &&
                !*gate->place && place) {
                (void)snprintf(gate->place, sizeof gate->place, "%s", place);
            }
        } else if (note || open) {
            if (gate) {
                gate->empty = json_is_true(json_object_get(line, "empty"));
            }
            if (gate && (json_is_true(json_object_get(line, "always")) || !fx_is_quiet())) {
                fx_pattern_gate_tell(&gate->notes, "%s", note ? note : open);
            }
        } else if (refused || !line || *count == MOST_SETS) {
            return fx_fail(err, FX_BAD_INPUT, "%s", refused ? refused : line ? "too many accesses" : "no answer");
        } else {
            FX_TRY(set_of(line, &sets[(*count)++], err));
        }
    }
    return FX_OK;
}

fx_status fx_pattern_code(const fx_options *options, fx_pattern_gate *gate, fx_pattern_set **sets, size_t *count,
                          fx_error *err) {
    char root[PATH_MAX], *FX_FREED question = NULL, *FX_FREED answer = NULL;
    *sets = fx_new(MOST_SETS, sizeof **sets);
    FX_TRY(fx_root(root, err));
    FX_TRY(question_of(options, &question, err));
    FX_TRY(fx_python_ask(root, FX_PASTED_MODULE, question, &answer, err));
    return read_answer(answer, gate, *sets, count, err);
}
