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
        json_pack("{s:s?, s:s, s:[I,I,I], s:b, s:o, s:s, s:b}", "code", o->code, "file", o->file ? o->file : "",
                  "block", (json_int_t)block.size[0], (json_int_t)block.size[1], (json_int_t)block.size[2],
                  "block_given", o->block != NULL, "words", words, "space", o->space, "every_warp", o->fail_on != NULL);
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

/* Adds a step, whose lanes are a list of JSON, with its warp where that is not the line's: every instruction of it, by
 * the same id, which is taken. */
static fx_status add_step(const json_t *line, const json_t *step, json_t *id, const json_t *weight, fx_pattern_set *out,
                          fx_error *err) {
    const bool is_other = json_is_object(step); /* of a warp of its own */
    const json_t *lanes = is_other ? json_object_get(step, "lanes") : step;
    const unsigned width = (unsigned)json_integer_value(json_object_get(line, "width")),
                   whole = (unsigned)json_integer_value(json_object_get(line, "size"));
    fx_pattern pattern = {.id = id,
                          .warp = json_string_value(json_object_get(is_other ? step : line, "warp")),
                          .width_bytes = width,
                          .whole_bytes = whole,
                          .weight = json_number_value(weight)};
    fx_error cause = {0};
    if (fx_lanes_of_json(lanes, &pattern.lanes, &cause) || fx_lanes_check(&pattern.lanes, width, &cause)) {
        json_decref(id);
        return fx_fail(err, FX_BAD_INPUT, "%s: %s", json_string_value(json_object_get(line, "text")), cause.text);
    }
    fx_pattern_set_add_take(out, &pattern);
    for (unsigned at = width; at < whole && advance(&pattern.lanes, width); at += width) {
        pattern.whole_bytes = 0;
        pattern.id = json_incref(id);
        fx_pattern_set_add_take(out, &pattern);
    }
    return FX_OK;
}

static fx_status set_of(json_t *line, fx_pattern_set *out, fx_error *err) {
    const char *text = json_string_value(json_object_get(line, "text"));
    const json_t *steps = json_object_get(line, "steps"), *others = json_object_get(line, "others"),
                 *all = json_object_get(line, "all");
    out->owner = json_incref(line);
    out->name = fx_printed("%s", text);
    out->place = fx_printed("%s", json_string_value(json_object_get(line, "place")));
    out->label = json_string_value(json_object_get(line, "label"));
    out->why_not = json_string_value(json_object_get(line, "lost"));
    out->faults = json_is_true(json_object_get(line, "faults"));
    out->beside = json_is_true(json_object_get(line, "beside"));
    if (out->why_not) {
        return FX_OK;
    }
    const char *op = json_string_value(json_object_get(line, "op"));
    const bool counts = !strcmp(op, FX_PATTERN_COUNTS); /* the lanes of one word at once: its steps are a store's */
    FX_TRY(
        fx_pattern_kind_of(json_string_value(json_object_get(line, "space")), counts ? "store" : op, &out->kind, err));
    out->kind.op = counts ? FX_PATTERN_COUNTS : out->kind.op;
    out->kind.part_bytes = (unsigned)json_integer_value(json_object_get(line, "part"));
    out->kind.ld_bytes = json_integer_value(json_object_get(line, "ld")) ? 16 : 0;
    if (json_is_true(json_object_get(line, "past_l1")) && out->kind.level[0].by == FX_LEVEL_L1) {
        memmove(out->kind.level, out->kind.level + 1, --out->kind.count * sizeof *out->kind.level);
    }
    out->kind.loop = json_integer_value(json_object_get(line, "loop"));
    out->kind.words = (unsigned)json_integer_value(json_object_get(line, "words"));
    uint64_t *const launch[] = {&out->kind.launch.own, &out->kind.launch.threads, &out->kind.launch.shared_bytes,
                                &out->kind.launch.blocks, &out->kind.launch.width};
    for (size_t i = 0; i < FX_COUNT(launch); i++) {
        *launch[i] = (uint64_t)json_integer_value(json_array_get(json_object_get(line, "launch"), i));
    }
    out->kind.no_cure = json_string_value(json_object_get(line, "no_cure"));
    out->kind.no_cure = out->kind.no_cure && *out->kind.no_cure ? out->kind.no_cure : NULL;
    declare(line, &out->kind.array);
    out->all = json_array_size(all) ? fx_new(1, sizeof *out->all) : NULL;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *of = json_array_get(all, i);
        FX_TRY(add_step(line, of, json_null(), json_object_get(of, "weight"), out->all, err));
    }
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *named = json_array_get(json_object_get(line, "named"), i);
        json_t *id = json_array_size(steps) > 1 ? json_incref(json_array_get(named, 0)) : json_string(text);
        FX_TRY(add_step(line, json_array_get(steps, i), id, json_array_get(named, 1), out, err));
    }
    if (json_array_size(others)) {
        out->others = fx_new(1, sizeof *out->others);
        out->others->kind = out->kind;
    }
    for (size_t i = 0; i < json_array_size(others); i++) {
        const json_t *other = json_array_get(others, i);
        FX_TRY(add_step(line, other, json_incref(json_object_get(other, "id")), NULL, out->others, err));
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
