/* The command line: what is accepted reads back the same when it is written in another order; what is refused says
 * why. */
#include <stdarg.h>

#include "call/option_table.h"
#include "call/parse.h"
#include "fuzz.h"

enum { MOST_ARGUMENTS = 80 };

static const char *const verbs[] = {"help", "list", "info",    "run",      "characterize", "compare",
                                    "plot", "test", "pattern", "validate", "claims",       "summary"};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

typedef struct line {
    char *text[MOST_ARGUMENTS];
    size_t count;
} line;

static void add(line *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(line *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fuzz_require(to->count < MOST_ARGUMENTS);
    fuzz_require(vasprintf(&to->text[to->count++], format, arguments) >= 0);
    va_end(arguments);
}

static void line_free(line *of) {
    while (of->count) {
        free(of->text[--of->count]);
    }
}

/* The first byte is the verb, and a newline ends an argument. */
static line split(const uint8_t *data, size_t size) {
    line out = {0};
    while (size > 0 && out.count < MOST_ARGUMENTS / 2) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        out.text[out.count++] = fuzz_text(data, length);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    return out;
}

/* What was understood, written out in an order and a form of its own. */
static line write_out(const char *verb, const fx_options *o) {
    line out = {0};
    for (size_t i = 0; i < o->axes.count; i++) {
        add(&out, "--axis=%s", o->axes.text[i]);
    }
    for (size_t i = fx_option_count; i-- > 0;) {
        if (!o->given[i] || fx_option_table[i].kind == LIST) {
            continue;
        }
        fuzz_require(fx_option_of(&fx_option_table[i], verb));
        if (fx_option_table[i].kind == SWITCH) {
            add(&out, "%s", fx_option_table[i].also ? fx_option_table[i].also : fx_option_table[i].name);
        } else if (i % 2) {
            add(&out, "%s=%s", fx_option_table[i].name, o->given[i]);
        } else {
            add(&out, "%s", fx_option_table[i].name);
            add(&out, "%s", o->given[i]);
        }
    }
    for (size_t i = 0; i < o->run.benchmark.count; i++) {
        add(&out, "%s", o->run.benchmark.text[i]);
    }
    add(&out, "--");
    for (size_t i = 0; i < o->words.count; i++) {
        add(&out, "%s", o->words.text[i]);
    }
    return out;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static void check_same(const fx_options *a, const fx_options *b) {
    const fx_text_list *const lists[][2] = {
        {&a->axes, &b->axes}, {&a->words, &b->words}, {&a->run.benchmark, &b->run.benchmark}};
    for (size_t i = 0; i < fx_option_count; i++) {
        fuzz_require(fx_option_table[i].kind == LIST || same_text(a->given[i], b->given[i]));
    }
    for (size_t l = 0; l < 3; l++) {
        fuzz_require(lists[l][0]->count == lists[l][1]->count);
        for (size_t i = 0; i < lists[l][0]->count; i++) {
            fuzz_require(!strcmp(lists[l][0]->text[i], lists[l][1]->text[i]));
        }
    }
    fuzz_require(!a->parent.child && a->parent.events_fd < 0 && a->parent.archive_fd < 0);
}

/* The forms for Python and for an archive: every argument has one; options come in pairs, and then the words, with "--"
 * where it was. */
static void check_forms(const char *verb, const fx_options *o, const line *arguments) {
    fx_text_list normal = {0};
    size_t i = 1;
    fuzz_require(fx_options_normal(verb, o, &normal, NULL) == FX_OK && !strcmp(normal.text[0], verb));
    while (i < normal.count && !strncmp(normal.text[i], "--", 2) && normal.text[i][2]) {
        fuzz_require(i + 1 < normal.count && *normal.text[i + 1]);
        i += 2;
    }
    fuzz_require(normal.count - i == o->words.count + o->divided);
    fuzz_require(!o->divided || (o->before <= o->words.count && !strcmp(normal.text[i + o->before], "--")));
    free(normal.text);
    for (size_t a = 0; a < arguments->count; a++) {
        char *shown = fx_options_shown(verb, (const char *const *)arguments->text, a);
        fuzz_require(shown);
        free(shown);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const char *verb = verbs[data[0] % VERBS];
    line arguments = split(data + 1, size - 1);
    fx_error err = {0};
    fx_options options, again;
    const fx_status status = fx_options_parse(verb, (int)arguments.count, arguments.text, &options, &err);
    if (status == FX_OK) {
        line other = write_out(verb, &options);
        if (fx_options_parse(verb, (int)other.count, other.text, &again, &err) != FX_OK) {
            fprintf(stderr, "%s\n", err.text);
        }
        fuzz_require(!err.status);
        check_same(&options, &again);
        check_forms(verb, &options, &arguments);
        fx_options_free(&again);
        line_free(&other);
    } else {
        fuzz_require_reason(status, &err);
    }
    fx_options_free(&options);
    line_free(&arguments);
    return 0;
}
