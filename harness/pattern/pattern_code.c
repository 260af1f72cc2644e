/* --code: Python has the front end of a compiler and runs the lines for one warp (gpufx_plot/pasted); it answers with a
 * line of JSON for each access, and here it becomes a set of patterns like any other. */
#include <stdlib.h>
#include <string.h>

#include "call/parse.h"
#include "call/places.h"
#include "call/python.h"
#include "core/pattern_text.h"
#include "pattern.h"

enum { MOST_SETS = 256 };

static fx_status question_of(const fx_options *options, char **out, fx_error *err) {
    fx_block block = {{FX_WARP, 1, 1}};
    if (options->pattern.block) {
        FX_TRY(fx_pattern_block(options->pattern.block, &block, err));
    }
    json_t *words = json_array();
    for (size_t i = 0; i < options->words.count; i++) {
        json_array_append_new(words, json_string(options->words.text[i]));
    }
    json_t *question = json_pack("{s:s, s:[I,I,I], s:o, s:s?}", "code", options->pattern.code, "block",
                                 (json_int_t)block.size[0], (json_int_t)block.size[1], (json_int_t)block.size[2],
                                 "words", words, "space", options->pattern.space);
    *out = question ? json_dumps(question, JSON_COMPACT) : NULL;
    json_decref(question);
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
                              .bytes = json_integer_value(json_object_get(line, "element_bytes"))};
    for (size_t i = 0; json_array_size(sizes) <= FX_PATTERN_DIMENSIONS && i < json_array_size(sizes); i++) {
        out->size[out->dimensions++] = json_integer_value(json_array_get(sizes, i));
    }
}

static fx_status set_of(const fx_options *options, json_t *line, fx_pattern_set *out, fx_error *err) {
    const char *text = json_string_value(json_object_get(line, "text")),
               *op = json_string_value(json_object_get(line, "op"));
    const json_t *steps = json_object_get(line, "steps");
    fx_options as = *options;
    fx_error cause = {0};
    out->owner = json_incref(line);
    as.pattern.space = json_string_value(json_object_get(line, "space"));
    as.pattern.op = op;
    FX_TRY(fx_pattern_kind_of(&as, &out->kind, err));
    declare(line, &out->kind.array);
    out->name = strdup(text);
    for (size_t i = 0; i < json_array_size(steps); i++) {
        fx_pattern pattern = {.width_bytes = (unsigned)json_integer_value(json_object_get(line, "width"))};
        if (fx_lanes_of_json(json_array_get(steps, i), &pattern.lanes, &cause) ||
            fx_lanes_check(&pattern.lanes, pattern.width_bytes, &cause)) {
            return fx_fail(err, FX_BAD_INPUT, "--code: %s: %s", text, cause.text);
        }
        pattern.id = json_array_size(steps) > 1 ? json_sprintf("step %zu", i) : json_string(text);
        FX_TRY(fx_pattern_set_add_take(out, &pattern, err));
    }
    return out->name ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while reading patterns");
}

static fx_status read_answer(const fx_options *options, const char *answer, fx_pattern_set *sets, size_t *count,
                             fx_error *err) {
    json_error_t problem;
    for (const char *at = answer; *at;) {
        json_t *line = json_loads(at, JSON_DISABLE_EOF_CHECK, &problem);
        const char *refused = json_string_value(json_object_get(line, "error"));
        fx_status status = FX_OK;
        if (refused) {
            status = fx_fail(err, FX_BAD_INPUT, "%s", refused);
        } else if (!line || *count == MOST_SETS) {
            status =
                fx_fail(err, FX_BAD_INPUT, line ? "--code: more than %d accesses" : "--code: no answer", MOST_SETS);
        } else {
            status = set_of(options, line, &sets[(*count)++], err);
        }
        json_decref(line);
        FX_TRY(status);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return FX_OK;
}

fx_status fx_pattern_code(const fx_options *options, fx_pattern_set **sets, size_t *count, fx_error *err) {
    char root[PATH_MAX], *question = NULL, *answer = NULL;
    if (options->pattern.lanes || options->pattern.expression || options->pattern.tile) {
        return fx_fail(err, FX_BAD_INPUT, "--code holds the whole access; leave out --lanes, --expr and --tile");
    }
    static const char *const empty[] = {"--op", "--width", "--base", "--level"};
    for (size_t i = 0; i < FX_COUNT(empty); i++) {
        if (fx_options_given(options, "pattern", empty[i])) {
            return fx_fail(err, FX_BAD_INPUT, "--code says for each access what %s would say; leave it out", empty[i]);
        }
    }
    *sets = calloc(MOST_SETS, sizeof **sets);
    fx_status status = *sets ? fx_root(root, err) : fx_fail(err, FX_NO_MEMORY, "out of memory while reading code");
    if (!status) {
        status = question_of(options, &question, err);
    }
    if (!status) {
        status = fx_python_ask(root, FX_PASTED_MODULE, question, &answer, err);
    }
    if (!status) {
        status = read_answer(options, answer, *sets, count, err);
    }
    if (!status && *count == 1) { /* it needs no name among others */
        free((*sets)[0].name);
        (*sets)[0].name = NULL;
    }
    free(question);
    free(answer);
    return status;
}
