/* The one table of options, of verbs in C and in Python. Read by the parser (options.c) and the help (help.c). */
#pragma once

#include "options.h"

typedef enum fx_option_kind {
    SWITCH,
    TEXT,
    PATH,     /* a text that names a file or a folder: an archive does not keep it */
    ARCHIVE,  /* a PATH, or another name of an archive (named.h); its meaning replaces it */
    ARCHIVES, /* several of them, with commas between */
    CHOICE,
    INTEGER,
    REAL,
    LIST, /* may be repeated */
} fx_option_kind;

typedef struct fx_option {
    const char *name, *value; /* value: its placeholder in --help; NULL for a switch */
    fx_option_kind kind;
    const char *verbs; /* names, with blanks between; behind "!": all but these; NULL: all */
    size_t field;      /* of fx_options; FX_NO_FIELD: for Python alone */
    const char *help;  /* NULL: not for users */
    const char *also;  /* a short name; NULL: none */
    const char *choices;
    const char *unit;     /* NULL: none */
    double min, max;      /* of a number, inclusive */
    const char *word;     /* taken in place of an integer, as -1; NULL: none */
    const char *fallback; /* the default as the user would type it; NULL: none */
    /* Instead, where it is decided elsewhere: in words, or by a function that has the number. */
    const char *said, *(*fallback_text)(char *text, size_t size);
} fx_option;

#define FX_NO_FIELD offsetof(fx_options, unread)

/* In the order in which --help prints them. */
extern const fx_option fx_option_table[];
extern const size_t fx_option_count;

bool fx_option_of(const fx_option *option, const char *verb);

/* The verbs that take Google Benchmark's flags, --benchmark_*. */
bool fx_option_benchmark(const char *verb);
