/* How often each kernel was launched with each grid and block, and how many of these launches were recorded. */
#ifndef FX_RECORDER_CALLS_H
#define FX_RECORDER_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fx_shape {
    uint32_t grid[3], block[3];
} fx_shape;

typedef struct fx_call {
    const void *function;
    uint64_t module; /* a number: a function's handle may be another's once its module is gone */
    fx_shape shape;
    bool wanted, named; /* asked for by its name; `kernel` is known */
    uint32_t kernel;    /* its id in the trace */
    uint64_t launches, recorded;
} fx_call;

typedef struct fx_calls {
    fx_call *items;
    uint32_t *slots;
    size_t count, room;
} fx_calls;

/* The call, new ones with launches of 0; NULL: no memory. Borrowed until the next call. */
fx_call *fx_calls_find(fx_calls *calls, const void *function, uint64_t module, const fx_shape *shape);
void fx_calls_free(fx_calls *calls);

#endif
