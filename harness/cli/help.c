/* `help`, and the page of every verb, from the list of verbs and the table of options. */

#include "call/message.h"
#include "call/option_table.h"
#include "call/verb.h"
#include "core/nearest.h"
#include "core/probe.h"
#include "core/text.h"

enum { INDENT = 23, MOST_COLUMNS = 100 };

/* Longer lines are hard to read. */
static int columns(void) {
    const int width = fx_columns();
    return width < MOST_COLUMNS ? width : MOST_COLUMNS;
}

/* The column where a line of a table continues: below the text after the first two blanks between words. */
static int column_of_text(const char *line) {
    const size_t begin = strspn(line, " ");
    for (size_t i = begin; line[i]; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ') {
            i += strspn(line + i, " ");
            return i < INDENT + 2 ? (int)i : (int)begin + 4;
        }
    }
    return (int)begin + 4;
}

/* A line is a paragraph, or with a blank at its begin one of a table. */
static void print_paragraphs(FILE *to, const char *text) {
    char line[4096];
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        (void)snprintf(line, sizeof line, "%.*s", (int)length, text);
        fx_print_text(to, columns(), *text == ' ' ? column_of_text(line) : 0, length ? line : " ");
    }
}

/* An option, and what it is from column INDENT on. */
static void print_described(FILE *to, const char *left, const char *text) {
    char line[1024];
    (void)snprintf(line, sizeof line, "  %-*s %s", INDENT - 3, left, text);
    fx_print_text(to, columns(), INDENT, line);
}

static void print_option(FILE *to, const fx_option *o) {
    char left[64], word[64], computed[128];
    FX_FREED char *text = NULL;
    size_t size;
    const bool number = o->kind == INTEGER || o->kind == REAL;
    const char *fallback = o->fallback_text ? o->fallback_text(computed, sizeof computed)
                           : o->said        ? o->said
                                            : o->fallback;
    (void)snprintf(left, sizeof left, "%s%s%s%s%s", o->also ? o->also : "", o->also ? ", " : "", o->name,
                   o->value ? " " : "", o->value ? o->value : "");
    FILE *line = fx_given(open_memstream(&text, &size));
    fputs(o->help, line);
    if (number) {
        fprintf(line, " [%.10g to %.16g%s%s%s%s", o->min, o->max, o->unit ? " " : "", o->unit ? o->unit : "",
                o->word ? ", or " : "", o->word ? o->word : "");
    }
    for (size_t i = 0; o->choices && fx_word(o->choices, i, word, sizeof word); i++) {
        fprintf(line, "%s%s", i ? ", " : " [", word);
    }
    if (fallback) {
        fprintf(line, "%sdefault %s", number || o->choices ? "; " : " [", fallback);
    }
    fputs(number || o->choices || fallback ? "]" : "", line);
    (void)fclose(line);
    print_described(to, left, text);
}

void fx_help_page(FILE *to, const fx_verb *verb) {
    char usage[256];
    (void)snprintf(usage, sizeof usage, "Usage: gpufx %s%s%s", verb->name, *verb->arguments ? " " : "",
                   verb->arguments);
    fx_print_text(to, columns(), 4, usage);
    fputc('\n', to);
    print_paragraphs(to, verb->text);
    fputs("\nOptions:\n", to);
    for (size_t i = 0; i < fx_option_count; i++) {
        if (fx_option_table[i].help && fx_option_of(&fx_option_table[i], verb->name)) {
            print_option(to, &fx_option_table[i]);
        }
    }
    if (fx_option_benchmark(verb->name)) {
        print_described(to, "--benchmark_*",
                        "a flag of Google Benchmark: list_tests, filter, repetitions, out or out_format, such as "
                        "--benchmark_out=FILE");
    }
    fputs("\nExamples:\n", to);
    print_paragraphs(to, verb->examples);
    char status[1024];
    (void)snprintf(status, sizeof status, "\nExit status: %s", verb->exit_status);
    print_paragraphs(to, status);
}

/* "unknown verb 'lst'; did you mean 'list'?" Returns the exit status. */
static int unknown_verb(const char *name) {
    const char *known[64];
    size_t named = 0;
    for (; named < fx_verb_count && named < FX_COUNT(known); named++) {
        known[named] = fx_verbs[named].name;
    }
    const bool option = *name == '-';
    const char *near = option ? name : fx_nearest(name, known, named);
    fx_warn(option ? "'%s' stands before the verb; options follow it: gpufx VERB %s"
            : near ? "unknown verb '%s'; did you mean '%s'?"
                   : "unknown verb '%s'; `gpufx help` lists them",
            name, near);
    return FX_EXIT_USE;
}

int fx_help_family(const char *first, const char *second) {
    const bool asked = second && (!strcmp(second, "--help") || !strcmp(second, "-h"));
    const size_t length = strlen(first);
    char both[64];
    size_t members = 0;
    for (size_t i = 0; i < fx_verb_count; i++) {
        if (!strncmp(fx_verbs[i].name, first, length) && fx_verbs[i].name[length] == ' ') {
            members++;
            if (asked) {
                fputs(members > 1 ? "\n" : "", stdout);
                fx_help_page(stdout, &fx_verbs[i]);
            }
        }
    }
    if (!members || (second && !asked)) {
        (void)snprintf(both, sizeof both, "%s %s", first, second ? second : "");
        return unknown_verb(members ? both : first);
    }
    if (!asked) {
        fx_warn("'%s' takes a second word; `gpufx %s --help` describes them", first, first);
    }
    return asked ? FX_EXIT_OK : FX_EXIT_USE;
}

static void print_overview(void) {
    char line[160];
    print_paragraphs(
        stdout,
        "gpufx measures what GPU hardware effects cost: bank conflicts, uncoalesced access, divergent branches, "
        "atomics, latencies, transfers and more (`gpufx list`). It compares the measured cost with the cost that the "
        "rules of the hardware predict, archives every sample, compares archives and plots them.\n\n"
        "Usage: gpufx VERB [ARGUMENT...]\n\nVerbs:\n");
    for (size_t i = 0; i < fx_verb_count; i++) {
        if (!i || strcmp(fx_verbs[i].group, fx_verbs[i - 1].group)) {
            printf("  %s:\n", fx_verbs[i].group);
        }
        (void)snprintf(line, sizeof line, "    %-14s %s", fx_verbs[i].name, fx_verbs[i].summary);
        fx_print_text(stdout, columns(), 19, line);
    }
    print_paragraphs(
        stdout,
        "\n`gpufx VERB --help` prints the options, examples and exit statuses of a verb. docs/glossary.md explains "
        "the terms.\n\n"
        "Exit status:\n"
        "  0    success\n"
        "  1    the answer is no: a case or a check failed, or a comparison met --fail-on\n"
        "  2    usage error, bad input, or a file that can't be written\n"
        "  3    undecided, where a decision was required\n"
        "  77   nothing could run: no such device, every case waived, or not built yet\n"
        "  130  interrupted by Ctrl-C (143: SIGTERM, 129: SIGHUP)\n\n"
        "Environment of the script ./gpufx, which sets up, builds and then runs this program; a build keeps its "
        "values until others are given, and an empty value restores the default:\n"
        "  GPUFX_CUDA=OFF       build without CUDA; synthetic devices, archives, compare and plot still work\n"
        "  GPUFX_ARCHITECTURES  GPU architectures to compile for, such as \"90\" or \"80;90\"; default: those of the "
        "GPUs that nvidia-smi reports, else 90\n"
        "  CUDACXX              the nvcc to use, 12.0 or newer; default: the one on PATH, else "
        "/usr/local/cuda/bin/nvcc, else CUDA from NVIDIA's Python wheels in .venv\n"
        "  CC, CXX              the C and C++ compilers; default: the system's\n"
        "Environment of this program when it is started without the script:\n"
        "  COLUMNS              maximum width of text, at least 80; default: the terminal, 80 in a pipe\n"
        "  GPUFX_ROOT           the folder of the project; default: found from the location of the program\n"
        "  GPUFX_HOME           folder of archives and charts; default: the folder of the project, or for an "
        "installed program $XDG_DATA_HOME/gpufx, else ~/.local/share/gpufx\n"
        "  GPUFX_PYTHON         a Python with the packages of plot/; default: .venv/bin/python, else python3\n"
        "  XDG_CACHE_HOME       results computed from archives are cached in its folder gpufx; default: ~/.cache\n");
}

int fx_verb_help(fx_call *call) {
    const fx_text_list *words = &call->options.words;
    if (!words->count) {
        print_overview();
    }
    for (size_t w = 0; w < words->count;) {
        size_t taken;
        const fx_verb *verb = fx_verb_find(words->text + w, words->count - w, &taken);
        if (!verb || !verb->group) { /* an internal one has no group */
            return fx_help_family(words->text[w], w + 1 < words->count ? words->text[w + 1] : "--help");
        }
        fx_help_page(stdout, verb);
        w += taken;
    }
    return FX_EXIT_OK;
}
