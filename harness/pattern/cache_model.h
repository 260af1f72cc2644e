/* What serves an access: a model of the L1 and the L2, by sectors.
 *
 * L1: of one SM, whose blocks share it. Lines of 128 bytes with four sectors, the line used longest ago makes room.
 * Loads allocate; stores go through, and change nothing. Who asks gives the accesses in the order in which the blocks
 * of the SM make them, and empties it where the blocks of another SM begin.
 *
 * L2: empty where a launch begins, unless earlier ones left all that it wants. A line that was there is there still if
 * since its last use no more lines came in than the L2 holds: within a block what this block brought in, times the
 * blocks that run at once, and else what all recorded blocks did, times the blocks that each of them stands for. DRAM
 * sends sectors in pairs of 64 bytes (measured with hint=fetch). A sector that is written is written to DRAM once,
 * unless an earlier launch left it in the L2, and if nobody has written all of it or read it before, its pair is read
 * to fill it in; written alone it takes as long as its pair. Each half of the L2 keeps copies of what its SMs have
 * read, as measured: a line is near until lines of half of the L2's size have come in.
 *
 * What it can't know: how blocks that run at once take turns, lines that a block shares with one that was not recorded
 * (it says too much comes from DRAM), hashing and policies of the real caches. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fx_cache_model fx_cache_model;

/* Addresses that an earlier launch touched, and the bytes that launches have touched since then, its own among them. */
typedef struct fx_cache_left {
    uint64_t lowest, highest;
    double bytes;
} fx_cache_left;

typedef struct fx_cache_sizes {
    uint64_t l1_bytes; /* of the blocks that share it */
    uint64_t l2_bytes;
    double blocks_at_once;     /* on the chip */
    double blocks_per_record;  /* that each recorded block stands for */
    const fx_cache_left *left; /* the latest last; borrowed until the launch ends */
    size_t left_count;         /* 0: the L2 is empty */
    double lost;               /* the share of what the first of `left` has that loads do not find */
} fx_cache_sizes;

/* Sectors of one access by what serves them. near: those of l2 that the SM's own half has copies of. beside: those that
 * DRAM sends with what was asked for. recent: of those of l1 the line came from such a copy (1), from the L2 (2) or
 * from DRAM (3): another warp may have asked for it. pairs: that go from or to DRAM; lines: of which those are the
 * first. */
typedef struct fx_served {
    unsigned l1, l2, dram, near, beside, pairs, lines;
    uint8_t recent;
} fx_served;

/* Four sectors at most of one line, line = address / 128; bits of sectors, and of the bytes of each. */
typedef struct fx_cache_line {
    uint64_t line;
    unsigned sectors;
    uint32_t bytes[4];
} fx_cache_line;

/* Sectors that loads of one kind brought into the L1, and how many of their bytes anybody wanted while they were there;
 * sectors that DRAM takes beside those that stores of one kind wrote first: read to fill these in, or those of a pair
 * of which one was written. */
typedef struct fx_brought {
    uint64_t sectors, bytes, filled;
} fx_brought;

fx_cache_model *fx_cache_model_new(void);
void fx_cache_model_free(fx_cache_model *model); /* NULL is fine */

enum { FX_CACHE_PLACES = 32 }; /* blocks at once on an SM */

/* Both caches empty. */
void fx_cache_model_launch(fx_cache_model *model, const fx_cache_sizes *sizes);
/* What follows is of this block, which has this place on its SM. */
void fx_cache_model_block(fx_cache_model *model, uint32_t block, unsigned place);
void fx_cache_model_other_sm(fx_cache_model *model); /* the L1 is empty, and all places are free */
void fx_cache_model_end(fx_cache_model *model);      /* of the launch: whatever was brought is counted */

/* `through_l1`: false for atomics, stores and bulk copies. `brought`: where what it brings or leaves to be filled in is
 * added, kept until the launch ends; NULL: nowhere. Adds to *out. */
void fx_cache_model_load(fx_cache_model *model, fx_cache_line line, bool through_l1, fx_brought *brought,
                         fx_served *out);
void fx_cache_model_store(fx_cache_model *model, fx_cache_line line, fx_brought *brought, fx_served *out);

/* Local memory: what is written goes through the L1, and is in the L2, since the blocks that follow on an SM use the
 * same memory again. */
void fx_cache_model_local(fx_cache_model *model, fx_cache_line line, bool write, fx_served *out);
