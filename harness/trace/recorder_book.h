/* The book that the recorder keeps of a trace: which instructions and patterns it has written, so that each is written
 * once. It turns the words of the device (recorder_words.h) into frames. */
#pragma once

#include "recorder_words.h"
#include "trace_write.h"

typedef struct fx_book fx_book;

/* Whose an access is: ids in the trace, and the instruction. */
typedef struct fx_book_place {
    uint32_t kernel, launch;
    uint64_t pc;          /* from the start of the kernel, or of the function: */
    const char *function; /* that the kernel calls; NULL: none */
} fx_book_place;

/* The writer is borrowed. NULL: no memory. */
fx_book *fx_book_create(fx_trace_writer *to);
void fx_book_free(fx_book *book);

/* Adds the access that is these words, whose kind and mask are sound; some are kept until fx_book_flush. FX_BAD_INPUT:
 * words that are no access, or the trace is as large as it can be. */
fx_status fx_book_add(fx_book *book, const fx_book_place *place, const uint64_t *words, fx_error *err);

/* Writes patterns and records that wait. */
fx_status fx_book_flush(fx_book *book, fx_error *err);
