/* Completion scripts for shells, written to standard output from the list of verbs and the table of options. */
#pragma once

#include "call/verb.h"

/* shell: bash or zsh. */
void fx_completion(const char *shell, const fx_verb *verbs, size_t count);
