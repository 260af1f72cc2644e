/* Integer expressions of lane and step: `lane * 33 * 4 + t`, as a user writes an address pattern.
 *
 * The grammar is that of C's integer expressions: decimal, octal (0...) and hexadecimal (0x...) numbers, `lane` (also
 * written `threadIdx.x` and `tid`), `t`, in a block `threadIdx.y`, `blockDim.x` and the like, parentheses, ! ~ - + * /
 * % << >> < <= > >= == != & ^ | && || ?:, with C's precedences. Values are 64 bits wide and signed; the conditional
 * operators evaluate only what C would. What C leaves undefined is an error: overflow, division by zero, a shift by
 * less than 0 or more than 63. >> keeps the sign. */
#pragma once

#include "error.h"
#include "lanes.h"

enum { FX_EXPRESSION_DEPTH = 32 }; /* parentheses inside each other */

/* Threads of a block in x, y and z; all 1 or more. Lanes are counted as the hardware does: x first. */
typedef struct fx_block {
    int64_t size[3];
    int64_t first; /* the thread that is lane 0 of the warp */
} fx_block;

/* The value in each lane of a warp of a block, in step t: threadIdx.x is the thread's place in x; block NULL: of
 * one warp in x. FX_BAD_INPUT names the column of what is no expression, else the operation, the lane and t where the
 * value is not defined. out NULL: no lane asks for a value, so that only what is no expression is refused. */
fx_status fx_expression_values(const char *text, const fx_block *block, int64_t t, int64_t out[FX_WARP], fx_error *err);
