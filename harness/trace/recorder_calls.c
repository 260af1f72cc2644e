#include "recorder_calls.h"

#include <stdlib.h>
#include <string.h>

static size_t place(const fx_calls *calls, const void *function, uint64_t module, const fx_shape *shape) {
    uint64_t h = (uint64_t)(uintptr_t)function ^ module << 48;
    for (size_t i = 0; i < 3; i++) {
        h = (h ^ shape->grid[i]) * 0xff51afd7ed558ccdu;
        h = (h ^ h >> 32 ^ shape->block[i]) * 0xc4ceb9fe1a85ec53u;
    }
    size_t at = (h ^ h >> 29) & (calls->room - 1);
    while (calls->slots[at]) {
        const fx_call *call = &calls->items[calls->slots[at] - 1];
        if (call->function == function && call->module == module && memcmp(&call->shape, shape, sizeof *shape) == 0) {
            break;
        }
        at = (at + 1) & (calls->room - 1);
    }
    return at;
}

static bool grow(fx_calls *calls) {
    const size_t room = calls->room ? 2 * calls->room : 256;
    fx_call *items = realloc(calls->items, room / 2 * sizeof *items);
    uint32_t *slots = calloc(room, sizeof *slots);
    calls->items = items ? items : calls->items;
    if (!items || !slots) {
        free(slots);
        return false;
    }
    free(calls->slots);
    calls->slots = slots;
    calls->room = room;
    for (size_t i = 0; i < calls->count; i++) {
        slots[place(calls, items[i].function, items[i].module, &items[i].shape)] = (uint32_t)i + 1;
    }
    return true;
}

fx_call *fx_calls_find(fx_calls *calls, const void *function, uint64_t module, const fx_shape *shape) {
    if (2 * calls->count >= calls->room && !grow(calls)) {
        return NULL;
    }
    const size_t at = place(calls, function, module, shape);
    if (!calls->slots[at]) {
        calls->items[calls->count] = (fx_call){.function = function, .module = module, .shape = *shape};
        calls->slots[at] = (uint32_t)++calls->count;
    }
    return &calls->items[calls->slots[at] - 1];
}

void fx_calls_free(fx_calls *calls) {
    free(calls->items);
    free(calls->slots);
    *calls = (fx_calls){0};
}
