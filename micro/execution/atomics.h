/* What the effects of atomics have in common: the words of their axes, in the order of the choices, and counts of lanes
 * that share words. Plain C; the kernels are in atomics.cuh, what arranges them in atomics_arrange.cuh. */
#pragma once

#include "core/probe.h"
#include "core/random.h"

enum { SHARED, GLOBAL };
enum { ADD, INC, MAX, EXCH, CAS, STORE };
enum { INT32, INT64, FLOAT32 };
enum { UNUSED, USED };
enum { PLAIN, SHUFFLE, REDUX, COMPILER };
enum { BY_WARP, BY_BLOCK, BY_GRID };
enum { LINE_BYTES = 128, WARPS = 32, BLOCK_THREADS = 512, SHARES = 8 /* words of a thread, on the whole device */ };
enum { ACCESSES = 32, GATHERED = 8 /* of five shuffles each */ }; /* of a trip on one SM */

/* Axes and rows of the effects that time the whole device; a maximum leaves as much as an exchange. */
#define CROWD_AXES                                                                                                     \
    {"op",                                                                                                             \
     "",                                                                                                               \
     "operation: add a value, add the constant 1, maximum, exchange, or compare and swap",                             \
     "add inc max exch cas",                                                                                           \
     0,                                                                                                                \
     0,                                                                                                                \
     ADD},                                                                                                             \
        {"type", "", "type of the word", "int32 int64 float32", 0, 0, INT32}, {                                        \
        "result", "", "use of the old value by the program", "unused used", 0, 0, UNUSED                               \
    }
#define CROWD(where, space, op, type, result, opcode)                                                                  \
    FX_TIMED(where, FX_K(crowd, space, op, type, result), {opcode, SHARES})
#define CROWD_ROWS(where)                                                                                              \
    CROWD(where "op=add type=int32 result=unused", GLOBAL, ADD, INT32, UNUSED, "RED.E.ADD.STRONG.GPU"),                \
        CROWD(where "op=add type=int32 result=used", GLOBAL, ADD, INT32, USED, "ATOMG.E.ADD.STRONG.GPU"),              \
        CROWD(where "op=exch type=int32 result=used", GLOBAL, EXCH, INT32, USED, "ATOMG.E.EXCH.STRONG.GPU"),           \
        CROWD(where "op=cas type=int32 result=used", GLOBAL, CAS, INT32, USED, "ATOMG.E.CAS.STRONG.GPU"),              \
        CROWD(where "op=add type=float32 result=unused", GLOBAL, ADD, FLOAT32, UNUSED,                                 \
              "RED.E.ADD.F32.FTZ.RN.STRONG.GPU"),                                                                      \
        FX_AIDED("type=int32", FX_K(lay_words, INT32)), FX_AIDED("type=float32", FX_K(lay_words, FLOAT32)),            \
        FX_AIDED("type=int32,float32", FX_K(count_adds, INT32)),                                                       \
        FX_AIDED("op=add type=int32", FX_K(check_words, ADD, INT32)),                                                  \
        FX_AIDED("op=add type=float32", FX_K(check_words, ADD, FLOAT32)),                                              \
        FX_AIDED("op=cas", FX_K(check_words, CAS, INT32)), FX_AIDED("op=max,exch", FX_K(check_words, EXCH, INT32))

/* On one SM. What is a loop is named with the load before its compare-and-swap. */
#define RATE(where, space, op, type, result, opcode)                                                                   \
    FX_TIMED("mode=throughput " where, FX_K(rate, space, op, type, result), {opcode, ACCESSES})
#define RATE_OF_LOOP(where, op, type, load, swap, ...)                                                                 \
    FX_TIMED("mode=throughput " where, FX_K(rate, SHARED, op, type, UNUSED), {load, 1}, {swap, 1}, ##__VA_ARGS__)

static inline unsigned word_bytes(int64_t type) {
    return type == INT64 ? 8 : 4;
}

/* These are loops around a compare-and-swap, on every architecture so far. */
FX_HOST_DEVICE static inline bool is_loop(int64_t space, int64_t op, int64_t type) {
    return space == SHARED && (type == FLOAT32 || (type == INT64 && (op == ADD || op == MAX)));
}

/* Bytes from one owner's words to the next one's. */
static inline uint64_t pitch_of(int64_t distinct, int64_t spacing) {
    return (uint64_t)(distinct * spacing + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Lanes that want the word that lane l wants. */
static inline unsigned sharers(const fx_lanes *table, unsigned l) {
    unsigned count = 0;
    for (unsigned k = 0; k < FX_WARP; k++) {
        count += table->offset[k] == table->offset[l];
    }
    return count;
}

/* The largest number of lanes on one word, added up over the aligned blocks of that many bytes: how often blocks must
 * be visited, if a visit serves one lane for each word of a block. */
static inline unsigned rounds(const fx_lanes *table, int32_t block_bytes) {
    unsigned sum = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int32_t block = table->offset[l] / block_bytes;
        bool counted = table->offset[l] < 0;
        unsigned most = 0;
        for (unsigned k = 0; k < FX_WARP; k++) {
            if (table->offset[k] >= 0 && table->offset[k] / block_bytes == block) {
                const unsigned here = sharers(table, k);
                counted = counted || k < l;
                most = here > most ? here : most;
            }
        }
        sum += counted ? 0 : most;
    }
    return sum;
}
