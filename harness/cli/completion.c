/* `help --completion SHELL`: the script is written from the list of verbs and the table of options. */
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

static void bash(const fx_verb *verbs, size_t count) {
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
        for (size_t o = 0; o < fx_option_count; o++) {
            if (offered(&fx_option_table[o], &verbs[i]) && fx_option_table[o].choices) {
                printf("        '%s %s%s') words='%s' ;;\n", verbs[i].name, strchr(verbs[i].name, ' ') ? "" : "'*' ",
                       fx_option_table[o].name, fx_option_table[o].choices);
            }
        }
    }
    fputs("        esac\n    fi\n    if [[ -z $words && $word == -* ]]; then\n"
          "        case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("        '%s'%s) words='", verbs[i].name, strchr(verbs[i].name, ' ') ? "" : "' '*");
        for (size_t o = 0; o < fx_option_count; o++) {
            if (offered(&fx_option_table[o], &verbs[i])) {
                printf("%s ", fx_option_table[o].name);
            }
        }
        fputs("' ;;\n", stdout);
    }
    fputs("        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}\n"
          "complete -o default -F _gpufx gpufx ./gpufx\n",
          stdout);
}

void fx_completion(const char *shell, const fx_verb *verbs, size_t count) {
    const bool zsh = !strcmp(shell, "zsh");
    printf("# source <(gpufx help --completion %s)\n", shell);
    fputs(zsh ? "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" : "", stdout);
    bash(verbs, count);
}
