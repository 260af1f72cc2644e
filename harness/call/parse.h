/* The command line, by the one table of options (option_table.h). */
#pragma once

#include "core/error.h"
#include "options.h"

/* --quiet and --verbose, which processes that this one starts know, too: "quiet", "verbose" or nothing. */
#define FX_TALK "GPUFX_TALK"

/* For Python: what the word `latest` was taken for, a line each, and the newest run of all if it is synthetic. */
#define FX_LATEST   "GPUFX_LATEST"
#define FX_INVENTED "GPUFX_INVENTED"

/* Parses what follows the verb's name. Options may stand anywhere, as `--name value` or `--name=value`; `--` ends them;
 * only a list may be given twice. Errors (FX_BAD_INPUT) name the option, its range, and the nearest known option. Free
 * with fx_options_free, also on error. */
fx_status fx_options_parse(const char *verb, int argc, char **argv, fx_options *out, fx_error *err);
void fx_options_free(fx_options *options);

/* The checked command line as the Python half reads it: the verb, then the name and the value of every option that has
 * one, defaults included ("yes" for a switch), then the words, with "--" where it was. Texts are borrowed from
 * `options` and the table; the caller frees out->text. */
void fx_options_normal(const char *verb, const fx_options *options, fx_text_list *out);

/* What the command line of the verb gave the option, such as "--width"; "" for a switch, NULL where it did not. */
const char *fx_options_given(const fx_options *options, const char *verb, const char *name);

/* argument i of a command line as an archive keeps it: names of files and folders become "...", since they say nothing
 * of the numbers, and may say more of their user than an archive's reader should know. The caller frees it. */
char *fx_options_shown(const char *verb, const char *const *arguments, size_t i);
