/* The machine code of a kernel as a trace has it: what each instruction waits for, by the bits that the compiler put
 * into it, what it occupies, and where control may go. Which instructions a warp executed between two recorded accesses
 * is the shortest path between them: every access on the way that is not predicated would have been recorded. */
#pragma once

#include "core/error.h"

/* What executes an instruction. Those up to FX_UNIT_TENSOR are of each scheduler. */
typedef enum fx_unit {
    FX_UNIT_NONE, /* nothing but an issue slot */
    FX_UNIT_FMA,
    FX_UNIT_IMAD, /* the half of the FMA unit that multiplies integers */
    FX_UNIT_ALU,
    FX_UNIT_FP64,
    FX_UNIT_SPECIAL,
    FX_UNIT_UNIFORM,
    FX_UNIT_TENSOR,
    FX_UNIT_MEMORY,   /* an access that a recorder sees */
    FX_UNIT_SHUFFLE,  /* goes the way of shared memory */
    FX_UNIT_CONSTANT, /* LDC, and registers that S2R reads */
    FX_UNIT_TEXTURE,
    FX_UNITS
} fx_unit;

typedef enum fx_flow {
    FX_FLOW_ON,
    FX_FLOW_JUMP,
    FX_FLOW_EXIT,
    FX_FLOW_BARRIER,
    FX_FLOW_MEET,
    FX_FLOW_BACK,
    FX_FLOW_UNKNOWN
} fx_flow;

enum { FX_NO_SCOREBOARD = 7, FX_SCOREBOARDS = 6, FX_INSTRUCTION_BYTES = 16 };

typedef struct fx_code_step {
    uint8_t stall, writes, reads, waits; /* cycles; scoreboards that it releases; a mask of those that it waits for */
    uint8_t unit, flow;                  /* fx_unit, fx_flow */
    /* floats: adds them; divides: a jump that may part lanes; wide: an IMAD of the high or of 64 bits; constant: loads
     * one; operand: has one */
    bool predicated, store, shared, floats, divides, calls, wide, constant, operand;
    bool repeats;       /* within a loop that has neither an access nor a barrier, and of which no number is known: */
    uint32_t rounds;    /* of its jump back; 0: not known */
    int32_t target;     /* of a jump or call; -1: none */
    int32_t file, line; /* of the kernel's list of files; -1: not known */
} fx_code_step;

typedef struct fx_machine_code {
    fx_code_step *steps;
    size_t count;
} fx_machine_code;

/* `text`: lines "control file line opcode operands", one for each instruction from the start of the function; control:
 * bits 105 to 125 of the instruction, in hex; file and line: -1 where they are not known; ",rounds=N" ends a jump back
 * whose loop is known to run N rounds. Free with fx_machine_code_free. */
void fx_machine_code_parse(const char *text, size_t size, fx_machine_code *out);
/* Code of which nothing is known but that any instruction up to the last one may be an access, and no way to it. */
void fx_machine_code_bare(uint64_t last, fx_machine_code *out);
void fx_machine_code_free(fx_machine_code *code);

/* Instructions executed, in order: behind the one before, up to and with the last. */
typedef struct fx_path {
    uint32_t *step;
    uint32_t count, barriers;
    bool found; /* false: the code has no such way, and the path has the last instruction alone */
} fx_path;

typedef struct fx_paths fx_paths;
enum { FX_PATH_ENTRY = -1, FX_PATH_EXIT = -1, FX_PATH_BACK = -2 }; /* -1 - N: the entry at N; back from a call */
fx_paths *fx_paths_new(const fx_machine_code *code);
void fx_paths_free(fx_paths *paths);
/* From an instruction (or the entry) to another (or any exit), through `barriers` more of them than the least. NULL: no
 * such way where barriers > 0. The same arguments give the same pointer. */
const fx_path *fx_paths_find(fx_paths *paths, int32_t from, int32_t to, uint32_t barriers);
/* The same of two accesses that no lane has made both of: where the way to one ahead would go back through a loop,
 * lanes that parted took turns instead. */
const fx_path *fx_paths_apart(fx_paths *paths, int32_t from, int32_t to);
