/* What serves an access: a model of the L1 and the L2, by sectors.
 *
 * L1: of each block alone, as large as its share: what the blocks that fit on an SM leave of the array that shared
 * memory and the L1 are made of, in equal parts. Lines of 128 bytes with four sectors, the line used longest ago makes
 * room. Loads allocate; stores go through, and change nothing. Each block finds it empty.
 *
 * L2: empty where a launch begins. A sector that was there is there still if since its last use no more came in than
 * the L2 holds: within a block what this block brought in, times the blocks that run at once, and else what all
 * recorded blocks did, times the blocks that each of them stands for. A sector that is written is written to DRAM once.
 *
 * What it can't know: how blocks that run at once take turns and share lines in an L1 (it says too little is found
 * there), lines that a block shares with one that was not recorded (it says too much comes from DRAM), what earlier
 * launches left in the L2, hashing and policies of the real caches, and that an H100's L2 has two halves. */
#ifndef FX_CACHE_MODEL_H
#define FX_CACHE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

typedef struct fx_cache_model fx_cache_model;

typedef struct fx_cache_sizes {
    uint64_t l1_bytes; /* of the block's share */
    uint64_t l2_bytes;
    double blocks_at_once;    /* on the chip */
    double blocks_per_record; /* that each recorded block stands for */
} fx_cache_sizes;

/* Sectors of one access by what serves them. */
typedef struct fx_served {
    unsigned l1, l2, dram;
} fx_served;

/* Four sectors at most of one line, line = address / 128; bits of sectors, and of the bytes of each. */
typedef struct fx_cache_line {
    uint64_t line;
    unsigned sectors;
    uint32_t bytes[4];
} fx_cache_line;

/* Sectors that loads of one kind brought into the L1, and how many of their bytes anybody wanted while they were there.
 */
typedef struct fx_brought {
    uint64_t sectors, bytes;
} fx_brought;

fx_status fx_cache_model_new(fx_cache_model **out, fx_error *err);
void fx_cache_model_free(fx_cache_model *model); /* NULL is fine */

/* Both caches empty; at the next block the L1 alone. */
fx_status fx_cache_model_launch(fx_cache_model *model, const fx_cache_sizes *sizes, fx_error *err);
void fx_cache_model_block(fx_cache_model *model, uint32_t block);

size_t fx_cache_model_l1_lines(const fx_cache_model *model); /* that the L1 holds now */

/* `through_l1`: false for atomics, stores and bulk copies. `brought`: where what it brings into the L1 is added, kept
 * until the next block or launch; NULL: nowhere. Adds to *out. */
fx_status fx_cache_model_load(fx_cache_model *model, fx_cache_line line, bool through_l1, fx_brought *brought,
                              fx_served *out, fx_error *err);
fx_status fx_cache_model_store(fx_cache_model *model, fx_cache_line line, fx_served *out, fx_error *err);

/* Local memory: what is written stays in the L1 until others push it out, and is in the L2 then, since the blocks that
 * follow on an SM use the same memory again. */
void fx_cache_model_local(fx_cache_model *model, fx_cache_line line, bool write, fx_served *out);

#endif
