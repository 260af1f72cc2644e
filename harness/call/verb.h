/* A verb is one row of one list (verbs.c). It is done by a function, a module in Python, or the script ./gpufx. */
#pragma once

#include "options.h"

struct fx_verb;

/* One call of a verb. */
typedef struct fx_call {
    const struct fx_verb *verb;
    const char *const *arguments; /* the program's, from the verb's name on */
    size_t argument_count;
    fx_options options; /* parsed; as many words as the verb takes */
} fx_call;

/* Returns the exit status. */
typedef int fx_verb_function(fx_call *call);

typedef struct fx_verb {
    const char *group;            /* heading of `gpufx help`; rows of a group are neighbours */
    const char *name, *arguments; /* name: a word, or two: "fleet report"; in the table of options "fleet-report" */
    size_t least, most;           /* of words */
    const char *summary;          /* one line, for `gpufx help`: what it does */
    /* For `gpufx VERB --help`; lines broken as they shall appear. */
    const char *text, *examples, *exit_status;
    /* NULL both: the script's */
    fx_verb_function *run;
    const char *module;
    size_t archives; /* from which word on they name archives: 1 all of them, 2 all but the first; 0: none does */
    bool apart;      /* each further archive is compared with the first, and must be another one */
} fx_verb;

enum { FX_ANY_NUMBER = 1000000 };

extern const fx_verb fx_verbs[];
extern const size_t fx_verb_count;

/* The verb that these words begin with, also one that no help lists; NULL: none. *taken: words of its name. */
const fx_verb *fx_verb_find(const char *const *words, size_t count, size_t *taken);

/* The functions, each in the file of its verb. */
fx_verb_function fx_verb_archive_list, fx_verb_characterize, fx_verb_help, fx_verb_info, fx_verb_list, fx_verb_pattern,
    fx_verb_run, fx_verb_trace_cost;

/* `gpufx VERB --help`. */
void fx_help_page(FILE *to, const fx_verb *verb);

/* What a word and perhaps another one, NULL, that are no verb's name may mean: with --help the pages of the verbs whose
 * name it begins ("fleet"). Returns the exit status. */
int fx_help_family(const char *first, const char *second);
