/* The book that the recorder keeps of a trace: which kernels, instructions and patterns it has written, so that each is
 * written once. It turns the words of the device (recorder_words.h) into frames. */
#ifndef FX_RECORDER_BOOK_H
#define FX_RECORDER_BOOK_H

#include "recorder_words.h"
#include "trace_write.h"

typedef struct fx_book fx_book;

typedef struct fx_book_kernel {
    const char *name, *module; /* the module's SHA-256 */
    uint64_t code_bytes;
    int registers, shared_bytes, max_blocks_per_sm; /* -1: not known */
} fx_book_kernel;

/* A function of the module in which an address lies. */
typedef struct fx_book_place {
    const char *function; /* NULL: none is known */
    uint64_t start;
} fx_book_place;

typedef struct fx_book_launch {
    uint32_t kernel, launch; /* ids in the trace */
    bool only_kernel;        /* what lies outside the kernel's code belongs to others, and is left out */
    uint64_t start, bytes;   /* of the kernel's code; else, what lies outside is looked up: */
    fx_book_place (*find)(void *from, uint64_t pc);
    void *from;
} fx_book_launch;

/* The writer is borrowed. NULL: no memory. */
fx_book *fx_book_create(fx_trace_writer *to);
void fx_book_free(fx_book *book);

/* The kernel's id; writes its frame when it is new. */
fx_status fx_book_add_kernel(fx_book *book, const fx_book_kernel *kernel, uint32_t *id, fx_error *err);

/* Accesses of a launch in the words. */
uint64_t fx_book_count(const fx_book_launch *launch, const uint64_t *words, uint64_t count);

/* Whether an access lies outside the kernel's code, so that fx_book_write looks it up. */
bool fx_book_leaves(const fx_book_launch *launch, const uint64_t *words, uint64_t count);

/* Writes instructions and patterns that are new, and the launch's records. FX_BAD_INPUT for words that are none; what
 * is before them is written. */
fx_status fx_book_write(fx_book *book, const fx_book_launch *launch, const uint64_t *words, uint64_t count,
                        fx_error *err);

#endif
