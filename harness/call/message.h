/* How the program speaks, and with which exit status it ends. What others wrote, in a file, a device or an argument, is
 * made harmless on the way (core/text.h). */
#pragma once

#include "core/error.h"

/* Documented in `gpufx help`. */
enum {
    FX_EXIT_OK = 0,
    FX_EXIT_NO = 1,        /* the answer is no: a failed case, a failed check */
    FX_EXIT_USE = 2,       /* wrong use or bad input */
    FX_EXIT_UNDECIDED = 3, /* a comparison that must decide could not */
    FX_EXIT_NOTHING = 77,  /* nothing could be run */
};

/* "gpufx: ", one sentence and a line feed on stderr. */
void fx_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what is no error: a note, which --quiet leaves out, and a detail, which only --verbose has. */
#define fx_note(...)   (fx_is_quiet() ? (void)0 : fx_warn(__VA_ARGS__))
#define fx_detail(...) (fx_is_verbose() ? fx_warn(__VA_ARGS__) : (void)0)
bool fx_is_quiet(void);
bool fx_is_verbose(void);

/* From now on warnings and the lines of fx_print_line begin with "device NAME: ", which fx_message_prefix returns: one
 * of several is measured. Without a call the prefix is "". */
void fx_message_device(const char *device);
const char *fx_message_prefix(void);

/* `before` is called with every sentence from now on, and prints it elsewhere if it returns true; else it may clear the
 * line. NULL: not asked. */
void fx_warn_ask(bool (*before)(const char *sentence));

/* Prints the sentence of an error and returns the exit status that belongs to it. */
int fx_exit_for(const fx_error *err);

/* What COLUMNS says, else the width of the terminal that standard output is; at least 80, and elsewhere. */
int fx_columns(void);

/* Prints lines of at most `width` characters, line feeds included, broken at blanks; those after the first begin at
 * column `indent`. A longer word stays whole. _wrapped: with words of others, in fx_columns(). */
void fx_print_text(FILE *to, int width, int indent, const char *text);
void fx_print_wrapped(FILE *to, int indent, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints one line, line feed included, that holds words of others. */
void fx_print_line(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
