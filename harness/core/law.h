/* Laws: what an access must cost, counted from the lane addresses alone.
 *
 * A law is a count (wavefronts, sectors, lines, distinct words). It needs the geometry of the memory, which fx_facts
 * carries, and no latency or rate: those come out of the fit measured = a + b * count. Each function says where its
 * rule is from. Counts are 0 when no lane is active, or the width or the geometry is unknown (0). */
#pragma once

#include "lanes.h"

FX_C_BEGIN

enum { FX_MAX_BANKS = 256 };

enum { FX_TAG_BANKS = 4, FX_TAG_BITS = 11 };

/* Raised whenever a law below counts something else than before; fx_law_name says which versions' fits predict. (4:
 * DRAM reads by a root; tag banks of the L1 beyond 64 KiB, for which no archive has a case. 5: atomics that return
 * values, by sectors; the second line and lone lines of loads from the L2. 6: atomics of the L2 by the parts of the
 * warp that bring their operands; loads of lines 4 KiB apart; a store to one sector. 7: loads from the L2 whose phases
 * want the same lines; stores to few sectors by several phases, and of narrow lanes that meet in a bank. 8: those loads
 * by what the L1 looks up for the whole access. 9: stores of 16 bytes per lane by the tags of their lines. 10: atomics
 * of several lines by what the L1 looks up.) */
enum { FX_LAW_VERSION = 10 };

/* What is known of a law by the name that cases and fits carry. */
typedef struct fx_law_name {
    const char *name;
    const char *one, *many; /* a unit of its count: "pair of sectors", "pairs of sectors" */
    int since;              /* the first FX_LAW_VERSION that counts as today */
    int priced;             /* the first whose fits price its steps: they predict by today's counts */
    int drawn_pct; /* how far it has been off in patterns that were drawn after it was made; 0: less than in fits */
} fx_law_name;

enum { FX_LAWS = 13 };
extern const fx_law_name fx_laws[FX_LAWS];

/* NULL for a law that a probe brings itself: the probe's method_version says when that changed. */
const fx_law_name *fx_law_named(const char *name);

/* Of the L1 and the L2 of every compute capability that is known. */
enum { FX_SECTOR_BYTES = 32, FX_LINE_BYTES = 128 };

/* Geometry that no query reports. The CUDA device fills in the values of compute capability 5.0 and later; a synthetic
 * device may invent others. */
typedef struct fx_geometry {
    unsigned banks;        /* 32; at most FX_MAX_BANKS */
    unsigned bank_bytes;   /* 4 */
    unsigned sector_bytes; /* FX_SECTOR_BYTES */
    unsigned line_bytes;   /* FX_LINE_BYTES */
    /* L1 tag banks (0 to 3) that each bit of a line's index flips, lowest bit first; all 0: not known */
    unsigned char tag_bank[FX_TAG_BITS];
    /* The first level of the constant cache: line n lies in set n modulo the sets; all 0: not known */
    unsigned constant_sets, constant_ways, constant_line_bytes;
} fx_geometry;

/* The geometry of a compute capability: 32 banks of 4 bytes, sectors of 32 and lines of 128 for 5.0 and later; the L1's
 * tag banks and the sets of the constant cache where somebody has found them out (sm_90: see the
 * pages in micro/global and micro/cached). */
fx_geometry fx_geometry_of(int compute_major, int compute_minor);

/* Shared-memory wavefronts of one warp-level load.
 *
 * The warp is served in phases of 32, 16 or 8 lanes for accesses of up to 4, of 8 and of 16 bytes; a phase takes as
 * many wavefronts as the busiest bank has distinct words, none where no lane of it is active. Neighbouring phases merge
 * (0 with 1, 2 with 3) where throughout the warp lanes i and i^1, or throughout the warp lanes i and i^2, share their
 * addresses; an inactive lane shares any. Other geometries: a phase holds the lanes that one row of all banks can
 * serve, banks * bank_bytes / width, and an access wider than a bank counts in each bank it covers. Source: CUDA C++
 * Programming Guide, "Shared Memory" of compute capability 5.x to 9.0, and NVIDIA's answers on vectorised accesses;
 * that the condition of merging spans the warp was measured on sm_90 (micro/instrument), and the counter
 * l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld agrees. fx_law_shared_load is what such a load costs. */
unsigned fx_law_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Phases of that load, merged ones counted once, whether lanes of them are active or not: each after the first delays
 * the answer by one cycle more. */
unsigned fx_law_phases(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Wavefronts of one warp-level store to shared memory: as for a load, but no phases merge.
 * Source: measured on sm_90 (micro/shared). */
unsigned fx_law_store_wavefronts(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Lanes that meet in the busiest bank, summed over the phases: an atomic on shared memory serves
 * one lane of a bank at a time, so lanes that share a word cost as much as lanes that share only its bank. Source:
 * measured on sm_90 (micro/shared). */
unsigned fx_law_bank_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of a load, a store and an atomic on shared memory: max(count above, phases), with the phases that do not merge
 * for stores and atomics. The registers of all phases are moved, whether their lanes take part or not, but an empty
 * phase's turn also serves what another has left over: quarters of 2, 0, 0 and 2 wavefronts take 4 steps, and so do
 * quarters of 0, 1, 1 and 1. A step takes a cycle, of a compare-and-swap two. Source: measured on sm_90
 * (micro/instrument), where they are exact; all lanes active, they are the counts themselves. */
unsigned fx_law_shared_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
unsigned fx_law_shared_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
unsigned fx_law_shared_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Wavefronts of ldmatrix and stmatrix: the active lanes give the addresses of rows of 16 bytes, eight rows are a matrix
 * and a phase, which takes as many wavefronts as the busiest bank has distinct words. Source: PTX ISA, ldmatrix (each
 * phase of 8 lanes gives the rows of one matrix), and the phases of accesses of 16 bytes above. Measured on
 * sm_90, where it is exact for distinct rows; rows that coincide wait for it. */
unsigned fx_law_matrix(const fx_geometry *geometry, const fx_lanes *rows);

/* Lanes that one phase holds: as many as one row of all banks can serve. 0 where the geometry or the width is unknown.
 * For a load, two phases' lanes where they merge. */
unsigned fx_law_phase_lanes(const fx_geometry *geometry, unsigned width_bytes);
unsigned fx_law_load_phase_lanes(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* What each bank has to do for lanes [begin, end) of one phase: the distinct words that it serves, or the lanes that
 * visit it. Fill geometry->banks elements and return the largest. The geometry must be a known one. */
unsigned fx_law_bank_words(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                           unsigned width_bytes, unsigned words[FX_MAX_BANKS]);
unsigned fx_law_bank_visits(const fx_geometry *geometry, const fx_lanes *lanes, unsigned begin, unsigned end,
                            unsigned width_bytes, unsigned visits[FX_MAX_BANKS]);

/* Distinct lines whose tags lie in the busiest of the L1's four tag banks: it looks up one tag a bank at a time. The
 * offsets are taken as addresses: a base that is not a multiple of 256 KiB belongs to them. Where the geometry does not
 * know the banks: a quarter of the lines, rounded up, which is the least it can be. Source: measured on sm_90
 * (micro/global); there the counter l1tex__t_output_wavefronts agrees. */
unsigned fx_law_l1_tags(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of a global load that hits the L1: the larger of its steps as a store to shared memory, whose phases do not
 * merge either, and of its tags. Source: measured on sm_90 (micro/global, micro/instrument), where it is exact. */
unsigned fx_law_l1_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* NULL where that law is claimed. Else the reason, static text: of lines that lie in several blocks of 256 KiB nobody
 * knows which tag banks they share; the law then counts the least, a quarter of the lines. */
const char *fx_law_l1_load_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of a global load that one SM gets from the L2: a step per distinct line, since a request to the L2 asks for up
 * to four sectors of one line, and up to 0.1 for the distance of each from the line before it, in the order of the
 * lanes, and 0.12 from the one before that (of the second line from the first again): nothing side by side, all of it
 * from 512 bytes and from 2 KiB on (on the average per line). Where no two lines are nearer than 2.5 KiB (of up
 * to four lines: 4 KiB), these jumps cost nothing, but for two lines of lanes narrower than a bank. A line that no
 * other follows takes 1.05 steps. Or its steps as a store to shared memory where they are more; at least 2 where lanes
 * are narrower than a bank. That a line costs one cycle is a matter of the SM, the same on an H200 and an H100; why
 * such jumps cost is not known.
 *
 * The L1 looks up a line of each tag bank at a time, over the whole access in the order of its lanes, and serves each
 * phase once for each look. Where phases want the same lines, these bank steps can be more than the lines (the average
 * over bases, since the tag banks of lines change with the base). The counter of data wavefronts
 * (l1tex__data_pipe_lsu_wavefronts) is this cost.
 *
 * Fitted to patterns on an H200 and an H100 (micro/instrument/pattern/README.md has the shares). Strides of 4 lines
 * cost up to a twelfth less than this, and of 2.5 lines up to a seventh more. */
double fx_law_l2_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* NULL where that law is claimed. Else the reason, static text: where the tag banks of the L1 are not known, nothing is
 * known of phases that want the same lines. */
const char *fx_law_l2_load_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of a global store that one SM sends to the L2: a step per sector, one more per line with a sector that is
 * written in part (its byte mask), at least one more than phases; its steps as a store to shared memory where they are
 * more. Or, for 16 bytes per lane, where that is more: the lines in the busiest tag bank of each half of the warp, and
 * the bank steps of each look (as of loads, but over all phases at once) or the wavefronts beyond phases. Lanes of 1 or
 * 2 bytes with w bank steps, 3 or more and a quarter of the steps, add w (w - 1) / sectors x (0.22 + 0.09 for each line
 * that the busiest tag bank has above its quarter). Source: measured on sm_90. */
double fx_law_l2_store(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* NULL where that law is claimed. Else the reason, static text: of 16 bytes per lane, where the tag banks are not known
 * and phases want the same lines, or where phases without a lane would count. */
const char *fx_law_l2_store_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of a global atomic that one SM sends to the L2: a reduction, whose old value nobody wants; one that returns it;
 * a compare-and-swap.
 *
 * The L1 sends it in looks. In each, every tag bank looks up one line (of a compare-and-swap: one pair of sectors),
 * that of the first lane that waits for the bank, and a packet takes the lanes that want this line; a lane stays behind
 * where a lane before it waits for the same tag bank and the same word of a line, be it of this line or of another. So
 * lanes that share a word take as many packets as they are. A packet of several words takes a step for each sector and
 * one more (of a compare-and-swap two for each sector and one more), one of a single word takes one step, but as many
 * as with several words where another packet of its look holds several. All packets take at least one step more than
 * there are rows of operands, which are 128 bytes: 32 lanes of 4 bytes, 16 of 8; a compare-and-swap has two operands
 * and half the lanes. This is what is sent, on the average over bases where the tag banks of the lines change with the
 * base. It is the cost of a reduction, and of several lines that of the others, too, as long as no returned values
 * delay it, and else the least.
 *
 * When they do is estimated. Packets of a look that want the same word of a line wait for each other: 3 steps each, and
 * one for each further piece (a packet whose lanes lie in several rows is put together from as many), 2 if they hold
 * single words; a look of single words takes a step for each and 0.9 more where two rows bring its operands, 1.5 where
 * four do. Where these sums are more than 1.05 times what is sent, or a quarter of that belongs to looks of single
 * words, the laws are not claimed.
 *
 * Of a single line returned values are counted otherwise. A packet keeps each of its sectors busy for 3 steps, and for
 * 2 more with each further piece, or for 2 if it holds a single word. Sectors work beside each other: the cost is what
 * is sent, or what the busiest sector has to do, whichever is more. Packets of two sectors wait for each other, 0.7
 * steps a packet, 0.4 where a line has more than two, less half of the difference; several sectors in pieces wait for
 * 0.7. A packet of compare-and-swaps keeps its place in the pair of sectors busy for 3 steps, for 2 with a single word,
 * for 4 and 6 with two and three pieces, be they sent for one pair or for another. Other pairs hide a quarter of what
 * pieces add. Pieces of 8-byte words also delay the sending, by what two steps for each take longer.
 *
 * Source: one line, 240 accesses drawn at random and measured one by one on an H200 (tests/unit/test_law_measured.c has
 * the shares); several lines, 2,844 measurements of drawn accesses on an H100. */
double fx_law_l2_reduction(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
double fx_law_l2_atomic(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
double fx_law_l2_cas(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
/* NULL where those laws are claimed, else the reason, static text. */
const char *fx_law_l2_reduction_why_not(const fx_geometry *geometry, const fx_lanes *lanes);
const char *fx_law_l2_atomic_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes,
                                     bool swaps);

/* Steps of a global load that the whole chip gets from DRAM, of requests that share nothing: the root of p^2 + (3 b /
 * 2)^2 over the pairs of sectors p, by which DRAM is read, and the aligned blocks of two lines b in which they lie. So
 * bytes and the opening of blocks hide each other in part, and scattered halves of lines cost up to 1.8 times what the
 * same bytes cost side by side. Fitted to the 41 cases of coalescing on an H200, right within 10 % for all of them on
 * another and on two H100s. It says nothing of requests for one or two pairs: those are limited by the latency, as long
 * as a program has no more of them in flight. */
double fx_law_dram_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);
double fx_law_dram_steps(double pairs, double blocks); /* the same from the two counts */

/* Lines that the access reads of the busiest set of the first constant cache; 0 where its sets are not known. */
unsigned fx_law_constant_set_lines(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* NULL where all words of a constant read, made over and over, stay in the first constant cache: then the read costs
 * its distinct addresses, and else more, by an amount that depends on the order of the lanes and that no law counts.
 * They stay if no set has more of their lines than ways, and, where the sets are not known, within the 2 KiB that every
 * published first level holds. Else the reason, static text. Source: 566 patterns measured on sm_90, data of a unit
 * test. */
const char *fx_law_constant_why_not(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Steps of two cycles of a full SM, distinct addresses and misses, for a read of one set of the first constant cache
 * that overflows it; 0: no such read, or it reads other words, too, or not 4 bytes per lane: of those nobody has a law.
 * The steps are interpolated between numbers of lines that were measured; a unit test has others, within 2 %. */
double fx_law_constant_load(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Misses of the first constant cache per access of a lone warp whose lanes step along a random cycle of `distinct`
 * addresses, the mean over orders. 0 where its sets are not known. With 72 cycles a miss,
 * 94 % of 579 latencies of eight archives of H200 and H100 come out within 5 %. */
double fx_law_constant_walk_misses(const fx_geometry *geometry, unsigned distinct, unsigned spacing_bytes);

/* Aligned blocks of `block_bytes` that the active lanes touch: sectors with 32, lines with 128, words with 4. */
unsigned fx_law_blocks(const fx_lanes *lanes, unsigned width_bytes, unsigned block_bytes);

/* True if a store leaves gaps beside a stretch of bytes that fills no sector: nobody surely writes the rest of it, and
 * the L2 may have to read it first. */
bool fx_law_leaves_gaps(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

/* Distinct addresses (lane offsets) among the active lanes. */
unsigned fx_law_distinct(const fx_lanes *lanes);

/* Active lanes times width. */
unsigned fx_law_useful_bytes(const fx_lanes *lanes, unsigned width_bytes);

FX_C_END
