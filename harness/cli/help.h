/* The pages of help. */
#pragma once

#include "call/verb.h"

/* `gpufx VERB --help`. */
void fx_help_page(FILE *to, const fx_verb *verb);

/* What a word and perhaps another one, NULL, that are no verb's name may mean: with none or --help the list of verbs
 * whose name it begins ("fleet"). Returns the exit status. */
int fx_help_family(const char *first, const char *second, const fx_verb *verbs, size_t count);
