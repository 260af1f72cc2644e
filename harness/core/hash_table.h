/* A set of items of one size, found by their first bytes: open addressing over a growing array. An item's id is its
 * place in the array, in the order of arrival; no item is removed. */
#pragma once

#include "grow.h"

enum { FX_HASH_FULL = UINT32_MAX };

typedef struct fx_hash_table {
    size_t size, key;   /* bytes of an item, and of its key at its beginning: set by the user, padding cleared */
    void *items;        /* moves as the table grows */
    size_t count, room; /* items; slots, a power of two */
    uint32_t *slots;    /* id + 1; 0: free */
} fx_hash_table;

/* Two words of a text or of bytes, which stand for it. */
typedef struct fx_hash {
    uint64_t word[2];
} fx_hash;

static inline fx_hash fx_hash_of(const void *data, size_t size) {
    const unsigned char *at = data;
    fx_hash h = {{0x9e3779b97f4a7c15u ^ size, 0xc2b2ae3d27d4eb4fu + size}};
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, size - i < 8 ? size - i : 8);
        h.word[0] = (h.word[0] ^ word) * 0xff51afd7ed558ccdu;
        h.word[0] ^= h.word[0] >> 32;
        h.word[1] = (h.word[1] + word) * 0xc4ceb9fe1a85ec53u;
        h.word[1] ^= h.word[1] >> 29;
    }
    return h;
}

static inline void *fx_hash_item(const fx_hash_table *t, uint32_t id) {
    return (char *)t->items + (size_t)id * t->size;
}

static inline size_t fx_hash_slot(const fx_hash_table *t, const void *key) {
    size_t at = fx_hash_of(key, t->key).word[0] & (t->room - 1);
    while (t->slots[at] && memcmp(fx_hash_item(t, t->slots[at] - 1), key, t->key) != 0) {
        at = (at + 1) & (t->room - 1);
    }
    return at;
}

static inline bool fx_hash_grow(fx_hash_table *t) {
    fx_hash_table larger = *t;
    larger.room = t->room ? 2 * t->room : 64;
    larger.items = realloc(t->items, larger.room / 2 * t->size);
    t->items = larger.items ? larger.items : t->items;
    larger.slots = larger.items ? calloc(larger.room, sizeof *larger.slots) : NULL;
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < t->count; i++) {
        larger.slots[fx_hash_slot(&larger, fx_hash_item(t, (uint32_t)i))] = (uint32_t)i + 1;
    }
    free(t->slots);
    *t = larger;
    return true;
}

/* The item with this key, NULL: there is none. Borrowed until the table grows. */
static inline void *fx_hash_find(const fx_hash_table *t, const void *key) {
    const uint32_t id = t->room ? t->slots[fx_hash_slot(t, key)] : 0;
    return id ? fx_hash_item(t, id - 1) : NULL;
}

/* The id of the item with the key of this one, which is copied where there is none; FX_HASH_FULL: no memory. */
static inline uint32_t fx_hash_add(fx_hash_table *t, const void *item, bool *fresh) {
    *fresh = false;
    if (2 * t->count >= t->room && !fx_hash_grow(t)) {
        return FX_HASH_FULL;
    }
    const size_t at = fx_hash_slot(t, item);
    if (!t->slots[at]) {
        memcpy(fx_hash_item(t, (uint32_t)t->count), item, t->size);
        t->slots[at] = (uint32_t)++t->count;
        *fresh = true;
    }
    return t->slots[at] - 1;
}

/* The same, but where there is no memory the program ends (grow.h): not for a library in somebody else's program. */
static inline uint32_t fx_hash_put(fx_hash_table *t, const void *item, bool *fresh) {
    const uint32_t id = fx_hash_add(t, item, fresh);
    (void)fx_given(id == FX_HASH_FULL ? NULL : t->slots);
    return id;
}

static inline void fx_hash_free(fx_hash_table *t) {
    free(t->items);
    free(t->slots);
    *t = (fx_hash_table){.size = t->size, .key = t->key};
}
