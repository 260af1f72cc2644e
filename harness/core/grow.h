/* Host memory for the program's own books, its release, and arrays that grow by one item at a time. Where there is none
 * left, the program says so and ends. Memory whose size a file, a user or a probe names is asked for elsewhere, and
 * refused. The headers of the C library below come with this one, which comes with error.h: a file that includes either
 * of them does not repeat them. */
#pragma once

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FX_NO_MEMORY_EXIT = 77 }; /* FX_EXIT_NOTHING */

/* What an allocator gave, which is not NULL: else the program ends here. */
static inline void *fx_given(void *memory) {
    if (!memory) {
        (void)fputs("gpufx: out of memory\n", stderr);
        _Exit(FX_NO_MEMORY_EXIT);
    }
    return memory;
}

/* Zeroed memory for an array, also for one of no item; free it. */
static inline void *fx_new(size_t count, size_t size) {
    return fx_given(calloc(count ? count : 1, size));
}

/* What vprintf and printf print, as a text of its own; free it. */
__attribute__((format(printf, 1, 0))) static inline char *fx_vprinted(const char *format, va_list arguments) {
    char *text = NULL;
    return fx_given(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}

__attribute__((format(printf, 1, 2))) static inline char *fx_printed(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = fx_vprinted(format, arguments);
    va_end(arguments);
    return text;
}

/* A local variable that owns what it holds: `release` gets its address where its scope ends, on every path. FX_FREED:
 * memory. What jansson owns is a json_auto_t. FX_OWNER defines FUNCTION_at, the release of a pointer by FUNCTION. */
#define FX_OWNED(release) __attribute__((unused, cleanup(release)))
#define FX_FREED          FX_OWNED(fx_free_at)
#define FX_OWNER(function, type)                                                                                       \
    static inline void function##_at(type **variable) {                                                                \
        function(*variable);                                                                                           \
    }

static inline void fx_free_at(void *variable) {
    void *memory;
    memcpy(&memory, variable, sizeof memory);
    free(memory);
}

static inline void fx_close_at(FILE **variable) {
    if (*variable) {
        (void)fclose(*variable);
    }
}

/* Makes room for one item more in an array of `count` items of `size` bytes, which moves: `array` is the address of its
 * pointer. There is room up to the next power of two, so that the array needs no other count. */
static inline void fx_grow(void *array, size_t count, size_t size) {
    void *items;
    memcpy(&items, array, sizeof items); /* a pointer to any type */
    items = count & (count - 1) ? items : fx_given(reallocarray(items, count ? 2 * count : 1, size));
    memcpy(array, &items, sizeof items);
}
