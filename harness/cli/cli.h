/* What the verbs share: the table of verbs. */
#ifndef FX_CLI_H
#define FX_CLI_H

#include "core/error.h"
#include "options.h"
#include "say.h"

/* The synthetic device that stands in where there is no GPU. */
#define FX_DEFAULT_SYNTHETIC "generic"

/* Exit status of the verb; argv starts behind the verb's name. */
typedef int fx_verb_run(int argc, char **argv);

typedef struct fx_verb {
    fx_verb_id id;
    const char *name, *arguments;
    const char *summary; /* one line, for `gpufx help` */
    /* For `gpufx VERB --help`; lines broken as they shall appear. */
    const char *text, *examples, *exit_status;
    fx_verb_run *run;
} fx_verb;

const fx_verb *fx_verbs(size_t *count);
const fx_verb *fx_verb_of(fx_verb_id id);

/* The whole page of a verb, or its end alone: examples and exit statuses. */
void fx_verb_help(FILE *to, const fx_verb *verb);
void fx_verb_examples(FILE *to, const fx_verb *verb);

fx_verb_run fx_verb_pattern_run, fx_verb_help_run, fx_verb_list_run, fx_verb_info_run, fx_verb_run_run,
    fx_verb_characterize_run, fx_verb_compare_run, fx_verb_plot_run, fx_verb_validate_run, fx_verb_test_run,
    fx_verb_selfcheck_run, fx_verb_claims_run, fx_verb_setup_run;

/* Parses the options of a verb that has no others' options. Returns true if the verb shall go on; else *exit_status is
 * what to exit with: a bad option was reported, or --help was answered. The caller frees `options` in any case. */
bool fx_options_ready(fx_verb_id verb, int argc, char **argv, fx_options *options, int *exit_status);

#endif
