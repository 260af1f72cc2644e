/* Completion of the command line, and the pages of man, from the tables. To standard output. */
#ifndef FX_COMPLETION_H
#define FX_COMPLETION_H

#include "call/verb.h"

/* shell: bash, zsh or fish. */
void fx_completion(const char *shell, const fx_verb *verbs, size_t count);
void fx_man_page(const fx_verb *verbs, size_t count); /* gpufx(1): all verbs */
void fx_man_page_of(const fx_verb *verb);             /* such as gpufx-fleet-report(1) */

#endif
