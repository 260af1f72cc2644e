/* The parser over the table, and the two other forms of a command line: normal for Python, shown in an archive. */
#include "parse.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/nearest.h"
#include "core/probe.h"
#include "option_table.h"

enum { MOST_CHOICES = 16 };

static void *field(fx_options *options, const fx_option *o) {
    return (char *)options + o->field;
}

/* Decimal, without blanks and words. */
static bool is_number(const char *text, bool real) {
    char *end;
    (void)strtod(text, &end);
    return end > text && !*end && *text != '+' && !text[strspn(text, real ? "0123456789-+.eE" : "0123456789-")];
}

static fx_status out_of_range(const fx_option *o, const char *text, fx_error *err) {
    return fx_fail(err, FX_BAD_INPUT, "%s %.60s: out of range, %.10g to %.16g%s%s", o->name, text, o->min, o->max,
                   o->unit ? " " : "", o->unit ? o->unit : "");
}

static fx_status set_integer(fx_options *options, const fx_option *o, const char *text, fx_error *err) {
    errno = 0;
    const bool word = o->word && !strcmp(text, o->word);
    const long long integer = word ? -1 : strtoll(text, NULL, 10);
    FX_FAIL_IF(!word && !is_number(text, false), err, FX_BAD_INPUT, "%s %.60s: not a whole number%s%s", o->name, text,
               o->word ? ", nor " : "", o->word ? o->word : "");
    /* Not as doubles: these would round what is a little too large. */
    if (!word && (errno || integer < (long long)o->min || integer > (long long)o->max)) {
        return out_of_range(o, text, err);
    }
    *(int64_t *)field(options, o) = integer;
    return FX_OK;
}

static fx_status set_real(fx_options *options, const fx_option *o, const char *text, fx_error *err) {
    const double number = strtod(text, NULL);
    FX_FAIL_IF(!is_number(text, true), err, FX_BAD_INPUT, "%s %.60s: not a decimal number", o->name, text);
    if (number < o->min || number > o->max) {
        return out_of_range(o, text, err);
    }
    *(double *)field(options, o) = number;
    return FX_OK;
}

static fx_status check_choice(const fx_option *o, const char *text, fx_error *err) {
    char copy[256], list[256], *rest = NULL;
    const char *known[MOST_CHOICES];
    size_t count = 0;
    (void)snprintf(copy, sizeof copy, "%s", o->choices);
    for (char *word = strtok_r(copy, " ", &rest); word && count < MOST_CHOICES; word = strtok_r(NULL, " ", &rest)) {
        known[count++] = word;
    }
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(text, known[i])) {
            return FX_OK;
        }
    }
    return fx_fail(err, FX_BAD_INPUT, "%s %.60s: '%.60s' is not one of %s", o->name, text, text,
                   fx_nearest_list(text, known, count, list, sizeof list));
}

static fx_status set(fx_options *options, const fx_option *o, const char *text, fx_error *err) {
    switch (o->kind) {
    case SWITCH:
        *(bool *)field(options, o) = true;
        return FX_OK;
    case INTEGER:
        return set_integer(options, o, text, err);
    case REAL:
        return set_real(options, o, text, err);
    case LIST:
        fx_text_list_add(field(options, o), text);
        return FX_OK;
    case CHOICE:
        FX_TRY(check_choice(o, text, err));
        break;
    case TEXT:
    case PATH:
    case ARCHIVE:
    case ARCHIVES:
        break;
    }
    *(const char **)field(options, o) = text;
    return FX_OK;
}

/* The row of an option of the verb by its long or short name; NULL: there is none. */
static const fx_option *find(const char *verb, const char *name, size_t length) {
    for (size_t i = 0; i < fx_option_count; i++) {
        const fx_option *o = &fx_option_table[i];
        const bool named = strlen(o->name) == length && !memcmp(o->name, name, length);
        const bool short_named = o->also && strlen(o->also) == length && !memcmp(o->also, name, length);
        if ((named || short_named) && fx_option_of(o, verb)) {
            return o;
        }
    }
    return NULL;
}

static fx_status unknown(const char *verb, const char *name, size_t length, fx_error *err) {
    static const char *const others[][3] = {/* that no spelling is near: what is typed, the option, what to type */
                                            {"--launches", "--processes", "--processes"},
                                            {"-o", "--out", "--out"},
                                            {"--out", "--output", "--output"}};
    size_t known_count = 0;
    const char *known[128];
    char text[64];
    (void)snprintf(text, sizeof text, "%.*s", length > 60 ? 60 : (int)length, name);
    FX_FAIL_IF(!strcmp(text, "--archive"), err, FX_BAD_INPUT,
               "unknown option --archive; an archive is an argument of its own here: `gpufx %s --help` shows where",
               verb);
    for (size_t i = 0; i < fx_option_count; i++) {
        if (fx_option_table[i].help && fx_option_of(&fx_option_table[i], verb) && known_count < FX_COUNT(known)) {
            known[known_count++] = fx_option_table[i].name;
        }
    }
    const char *near = NULL;
    for (size_t i = 0; i < FX_COUNT(others) && !near; i++) {
        near = !strcmp(text, others[i][0]) && find(verb, others[i][1], strlen(others[i][1])) ? others[i][2] : NULL;
    }
    near = near ? near : fx_nearest(text, known, known_count);
    return near ? fx_fail(err, FX_BAD_INPUT, "unknown option %s; did you mean %s?", text, near)
                : fx_fail(err, FX_BAD_INPUT, "unknown option %s; `gpufx %s --help` lists them", text, verb);
}

/* Of an unquoted `--fail-on slower>5%` the shell makes the condition `slower` and a file "5%" for the answer. */
static fx_status check_quoted(const fx_option *o, const char *text, fx_error *err) {
    char target[PATH_MAX] = "";
    struct stat info;
    if (strcmp(o->name, "--fail-on") != 0 || strpbrk(text, "<>") || fstat(1, &info) || !S_ISREG(info.st_mode) ||
        readlink("/proc/self/fd/1", target, sizeof target - 1) < 0) {
        return FX_OK;
    }
    const char *slash = strrchr(target, '/'), *file = slash ? slash + 1 : "";
    const size_t digits = strspn(file, "0123456789.");
    FX_FAIL_IF(digits > 0 && (!file[digits] || !strcmp(file + digits, "%") || !strcmp(file + digits, "x")), err,
               FX_BAD_INPUT,
               "--fail-on '%.60s': the shell took the rest as the name of a file, '%.20s'; quote the "
               "condition: --fail-on '%.60s>%.20s'",
               text, file, text, file);
    return FX_OK;
}

/* An argument that is an option; *next is what follows it, or NULL, and becomes NULL where it was its value. */
static fx_status take(const char *verb, const char *arg, const char **next, fx_options *out, fx_error *err) {
    const size_t length = strcspn(arg, "=");
    const char *value = arg[length] ? arg + length + 1 : NULL;
    const fx_option *o = find(verb, arg, length);
    if (!o) {
        return unknown(verb, arg, length, err);
    }
    FX_FAIL_IF(o->kind == SWITCH && value, err, FX_BAD_INPUT, "%s takes no value", o->name);
    if (o->kind != SWITCH && !value) {
        value = *next;
        *next = NULL;
    }
    FX_FAIL_IF(o->kind != SWITCH && (!value || !*value), err, FX_BAD_INPUT, "%s needs a value: %s %s", o->name, o->name,
               o->value);
    const char **given = &out->given[o - fx_option_table];
    FX_FAIL_IF(*given && o->kind != LIST, err, FX_BAD_INPUT, "%s is given twice; %s", o->name,
               strcmp(o->name, "--file")
                   ? "leave one of them out"
                   : "one file a call, such as s=0; for f in *.cu; do gpufx pattern --file $f || s=1; done; exit $s");
    *given = value ? value : "";
    FX_TRY(check_quoted(o, *given, err));
    return set(out, o, value, err);
}

/* --json is --format json where a verb has that: one is put in the place of the other. */
static fx_status settle_form(const char *verb, fx_options *o, fx_error *err) {
    const fx_option *format = find(verb, "--format", strlen("--format"));
    if (!format || !strstr(format->choices, "json")) {
        return FX_OK;
    }
    const char **given = &o->given[format - fx_option_table];
    FX_FAIL_IF(o->json && *given && strcmp(*given, "json") != 0, err, FX_BAD_INPUT,
               "--json and --format %s exclude each other; leave one out", *given);
    o->json = o->json || (*given && !strcmp(*given, "json"));
    *given = o->json ? "json" : *given;
    return FX_OK;
}

static fx_status check(const char *verb, fx_options *o, fx_error *err) {
    FX_TRY(settle_form(verb, o, err));
    FX_FAIL_IF(o->quiet && o->verbose, err, FX_BAD_INPUT, "--quiet and --verbose exclude each other; leave one out");
    const char *needless = isfinite(o->run.max_time_s)      ? "--max-time"
                           : isfinite(o->run.precision_pct) ? "--precision"
                                                            : NULL;
    FX_FAIL_IF(o->run.samples && needless, err, FX_BAD_INPUT,
               "--samples already fixes the number of samples; leave out %s or --samples", needless);
    if (o->run.processes < 0) {
        o->run.by_need = true;
        o->run.processes = FX_MOST_PROCESSES;
    }
    FX_FAIL_IF(o->run.by_need && o->run.no_archive, err, FX_BAD_INPUT,
               "--processes auto needs an archive; leave out --no-archive, or give a number");
    return FX_OK;
}

fx_status fx_options_parse(const char *verb, int argc, char **argv, fx_options *out, fx_error *err) {
    *out =
        (fx_options){.seed = -1, .run = {.max_time_s = NAN, .precision_pct = NAN}, .parent = fx_parent_record_none()};
    for (size_t i = 0; i < fx_option_count; i++) {
        const fx_option *o = &fx_option_table[i];
        if (o->fallback && fx_option_of(o, verb)) {
            FX_TRY(set(out, o, o->fallback, err));
        }
    }
    out->given = fx_new(fx_option_count, sizeof *out->given);
    bool words_only = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (words_only || arg[0] != '-' || !arg[1]) {
            fx_text_list_add(&out->words, arg);
        } else if (!strncmp(arg, "-D", 2) && !strcmp(verb, "pattern")) { /* as compilers have it */
            const char *defined = arg[2] ? arg + 2 : next;
            FX_FAIL_IF(!defined || *defined == '-', err, FX_BAD_INPUT, "-D needs a name, such as -D N=1024");
            fx_text_list_add(&out->words, defined);
            i += !arg[2];
        } else if (!strcmp(arg, "--")) {
            words_only = out->divided = true;
            out->before = out->words.count;
        } else if (!strncmp(arg, "--benchmark_", 12) && fx_option_benchmark(verb)) {
            FX_FAIL_IF(!strcmp(arg, "--benchmark_out="), err, FX_BAD_INPUT,
                       "--benchmark_out needs a value: --benchmark_out=FILE");
            fx_text_list_add(&out->run.benchmark, arg);
        } else {
            const bool followed = next != NULL;
            FX_TRY(take(verb, arg, &next, out, err));
            i += followed && !next;
        }
    }
    return check(verb, out, err);
}

void fx_options_free(fx_options *options) {
    if (!options) {
        return;
    }
    fx_parent_record_free(&options->parent);
    free(options->axes.text);
    free(options->run.labels.text);
    free(options->words.text);
    free(options->run.benchmark.text);
    free(options->given);
    fx_text_list_free(&options->owned);
    free(options->archives.text);
}

const char *fx_options_given(const fx_options *options, const char *verb, const char *name) {
    const fx_option *o = options->given ? find(verb, name, strlen(name)) : NULL;
    return o ? options->given[o - fx_option_table] : NULL;
}

void fx_options_normal(const char *verb, const fx_options *options, fx_text_list *out) {
    fx_text_list_add(out, verb);
    for (size_t i = 0; i < fx_option_count; i++) {
        const fx_option *o = &fx_option_table[i];
        const char *value = options->given[i] ? options->given[i] : o->fallback;
        const bool ours = !o->verbs || o->field == offsetof(fx_options, output) ||
                          (options->json && o->field == offsetof(fx_options, output_of_json));
        if (!value || ours || o->kind == LIST || !fx_option_of(o, verb)) {
            continue;
        }
        fx_text_list_add(out, o->name);
        fx_text_list_add(out, o->kind == SWITCH ? "yes" : value);
    }
    for (size_t i = 0; i <= options->words.count; i++) {
        if (options->divided && i == options->before) {
            fx_text_list_add(out, "--");
        }
        if (i < options->words.count) {
            fx_text_list_add(out, options->words.text[i]);
        }
    }
}

char *fx_options_shown(const char *verb, const char *const *arguments, size_t i) {
    static const char device[] = "synthetic:";
    const char *argument = arguments[i];
    const size_t length = strcspn(argument, "=");
    const fx_option *o = find(verb, argument, length);
    const char *value = argument + length + (argument[length] != '\0');
    const fx_option *before = !o && i > 0 ? find(verb, arguments[i - 1], strlen(arguments[i - 1])) : NULL;
    if (before && before->kind != SWITCH) {
        o = before;
        value = argument;
    }
    const size_t kept = (size_t)(value - argument);
    const bool file =
        o ? o->kind >= PATH && o->kind <= ARCHIVES : !strncmp(argument, "--benchmark_out=", strlen("--benchmark_out="));
    if (*value && file) {
        return fx_printed("%.*s...", (int)kept, argument);
    }
    return o && !strcmp(o->name, "--device") && strchr(value, '/')
               ? fx_printed("%.*s%s...", (int)kept, argument, strncmp(value, device, strlen(device)) ? "" : device)
               : fx_given(strdup(argument));
}

void fx_text_list_free(fx_text_list *texts) {
    for (size_t i = 0; i < texts->count; i++) {
        free((char *)(uintptr_t)texts->text[i]);
    }
    free(texts->text);
    *texts = (fx_text_list){0};
}

void fx_text_list_add(fx_text_list *texts, const char *text) {
    fx_grow(&texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
}
