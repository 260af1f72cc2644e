/* What shells and man know of the command line, written from the list of verbs and the table of options: `help
 * --completion SHELL` and `help --man`. Nothing is typed a second time, so nothing can be forgotten. */
#include "completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "call/option_table.h"

static bool offered(const fx_option *option, const fx_verb *verb) {
    return option->help && fx_option_of(option, verb->name);
}

/* The first word of each verb, each once. */
static bool first_of_family(const fx_verb *verbs, size_t at) {
    const size_t length = strcspn(verbs[at].name, " ");
    for (size_t i = 0; i < at; i++) {
        if (strcspn(verbs[i].name, " ") == length && !strncmp(verbs[i].name, verbs[at].name, length)) {
            return false;
        }
    }
    return true;
}

static void print_first_words(const fx_verb *verbs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (first_of_family(verbs, i)) {
            printf("%s%.*s", i ? " " : "", (int)strcspn(verbs[i].name, " "), verbs[i].name);
        }
    }
}

/* Second words of a verb's family; nothing for a verb of one word. */
static void print_second_words(const fx_verb *verbs, size_t count, size_t of) {
    const size_t length = strcspn(verbs[of].name, " ");
    for (size_t i = 0; i < count; i++) {
        if (!strncmp(verbs[i].name, verbs[of].name, length) && verbs[i].name[length] == ' ') {
            printf(" %s", verbs[i].name + length + 1);
        }
    }
}

static void bash(const fx_verb *verbs, size_t count, const fx_option *options, size_t option_count) {
    fputs("_gpufx() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n        words='",
          stdout);
    print_first_words(verbs, count);
    fputs("'\n    elif [[ $COMP_CWORD -eq 2 && $word != -* ]]; then\n        case ${COMP_WORDS[1]} in\n", stdout);
    for (size_t i = 0; i < count; i++) {
        if (strchr(verbs[i].name, ' ') && first_of_family(verbs, i)) {
            printf("        %.*s) words='", (int)strcspn(verbs[i].name, " "), verbs[i].name);
            print_second_words(verbs, count, i);
            fputs("' ;;\n", stdout);
        }
    }
    fputs("        esac\n    else\n        case \"${COMP_WORDS[1]} ${COMP_WORDS[2]} $before\" in\n", stdout);
    for (size_t i = 0; i < count; i++) {
        for (size_t o = 0; o < option_count; o++) {
            if (offered(&options[o], &verbs[i]) && options[o].choices) {
                printf("        '%s %s%s') words='%s' ;;\n", verbs[i].name, strchr(verbs[i].name, ' ') ? "" : "'*' ",
                       options[o].name, options[o].choices);
            }
        }
    }
    fputs("        esac\n    fi\n    if [[ -z $words && $word == -* ]]; then\n"
          "        case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("        '%s'%s) words='", verbs[i].name, strchr(verbs[i].name, ' ') ? "" : "' '*");
        for (size_t o = 0; o < option_count; o++) {
            if (offered(&options[o], &verbs[i])) {
                printf("%s ", options[o].name);
            }
        }
        fputs("' ;;\n", stdout);
    }
    fputs("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
          "complete -o default -F _gpufx gpufx ./gpufx\n",
          stdout);
}

/* In single quotes of fish. */
static void print_quoted(const char *text) {
    putchar('\'');
    for (; *text; text++) {
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    }
    putchar('\'');
}

static void fish(const fx_verb *verbs, size_t count, const fx_option *options, size_t option_count) {
    for (size_t i = 0; i < count; i++) {
        const char *blank = strchr(verbs[i].name, ' ');
        const int length = (int)strcspn(verbs[i].name, " ");
        if (first_of_family(verbs, i)) {
            printf("complete -c gpufx -f -n 'test (count (commandline -opc)) -eq 1' -a %.*s -d ", length,
                   verbs[i].name);
            print_quoted(blank ? "a family of verbs" : verbs[i].summary);
            putchar('\n');
        }
        if (blank) {
            printf("complete -c gpufx -f -n 'set -l w (commandline -opc); test \"$w[2..]\" = %.*s' -a %s -d ", length,
                   verbs[i].name, blank + 1);
            print_quoted(verbs[i].summary);
            putchar('\n');
        }
        for (size_t o = 0; o < option_count; o++) {
            if (!offered(&options[o], &verbs[i])) {
                continue;
            }
            printf("complete -c gpufx -n 'set -l w (commandline -opc); test \"$w[2..%d]\" = \"%s\"' -l %s",
                   blank ? 3 : 2, verbs[i].name, options[o].name + 2);
            if (options[o].also) {
                printf(" -s %s", options[o].also + 1);
            }
            if (options[o].choices) {
                printf(" -x -a '%s'", options[o].choices);
            } else if (options[o].value) {
                fputs(options[o].kind == PATH || options[o].kind == ARCHIVE ? " -r" : " -x", stdout);
            }
            fputs(" -d ", stdout);
            print_quoted(options[o].help);
            putchar('\n');
        }
    }
}

void fx_completion(const char *shell, const fx_verb *verbs, size_t count) {
    size_t option_count;
    const fx_option *options = fx_option_table(&option_count);
    if (!strcmp(shell, "fish")) {
        puts("# gpufx help --completion fish >~/.config/fish/completions/gpufx.fish");
        fish(verbs, count, options, option_count);
        return;
    }
    const bool zsh = !strcmp(shell, "zsh");
    printf("# source <(gpufx help --completion %s)\n", shell);
    fputs(zsh ? "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" : "", stdout);
    bash(verbs, count, options, option_count);
}

/* Text of roff, whose lines must not begin like a request. */
static void print_roff(const char *text) {
    for (bool begins = true; *text; text++) {
        if (begins && (*text == '.' || *text == '\'')) {
            fputs("\\&", stdout);
        }
        if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            putchar(*text);
        }
        begins = *text == '\n';
    }
}

static void print_man_options(const fx_verb *verb) {
    size_t count;
    const fx_option *options = fx_option_table(&count);
    for (size_t o = 0; o < count; o++) {
        if (!offered(&options[o], verb)) {
            continue;
        }
        fputs(".TP\n.B ", stdout);
        print_roff(options[o].name);
        printf(" %s\n", options[o].value ? options[o].value : "");
        print_roff(options[o].help);
        if (options[o].choices) {
            fputs("; one of: ", stdout);
            print_roff(options[o].choices);
        }
        if (options[o].fallback) {
            fputs("; default: ", stdout);
            print_roff(options[o].fallback);
        }
        putchar('\n');
    }
}

static void print_synopsis(const fx_verb *verb) {
    printf("gpufx %s ", verb->name);
    print_roff(verb->arguments);
    putchar('\n');
}

void fx_man_page(const fx_verb *verbs, size_t count) {
    fputs(".TH GPUFX 1\n.SH NAME\ngpufx \\- measures what GPU hardware effects cost\n.SH SYNOPSIS\n.B gpufx\n"
          ".I VERB\n[ARGUMENT...] [OPTION...]\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        if (!i || strcmp(verbs[i].group, verbs[i - 1].group)) {
            printf(".SH VERBS: %s\n", verbs[i].group);
        }
        fputs(".SS ", stdout);
        print_synopsis(&verbs[i]);
        print_roff(verbs[i].text);
        print_man_options(&verbs[i]);
        fputs(".PP\n.nf\n", stdout);
        print_roff(verbs[i].examples);
        fputs(".fi\n.PP\nExit status: ", stdout);
        print_roff(verbs[i].exit_status);
    }
}

/* A page's name joins the words: `man gpufx fleet report` looks for gpufx-fleet-report. */
void fx_man_page_of(const fx_verb *verb) {
    char name[64];
    (void)snprintf(name, sizeof name, "gpufx-%s", verb->name);
    for (char *at = name; (at = strchr(at, ' '));) {
        *at = '-';
    }
    printf(".TH %s 1\n.SH NAME\n", name);
    print_roff(name);
    fputs(" \\- ", stdout);
    print_roff(verb->summary);
    fputs("\n.SH SYNOPSIS\n", stdout);
    print_synopsis(verb);
    fputs(".SH DESCRIPTION\n", stdout);
    print_roff(verb->text);
    fputs(".SH OPTIONS\n", stdout);
    print_man_options(verb);
    fputs(".SH EXAMPLES\n.nf\n", stdout);
    print_roff(verb->examples);
    fputs(".fi\n.SH EXIT STATUS\n", stdout);
    print_roff(verb->exit_status);
    fputs(".SH SEE ALSO\n.BR gpufx (1)\n", stdout);
}
