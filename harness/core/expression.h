/* Integer expressions of lane and step: `lane * 33 * 4 + t`, as a user writes an address pattern.
 *
 * The grammar is that of C's integer expressions: decimal, octal (0...) and hexadecimal (0x...) numbers, `lane`
 * (also written `threadIdx.x` and `tid`), `t`, in a block `threadIdx.y`, `blockDim.x` and the like, parentheses, ! ~ -
 * + * / % << >> < <= > >= == != & ^ | && || ?:, with C's precedences. Values are 64 bits wide and signed; the
 * conditional operators evaluate only what C would. What C leaves undefined is an error: overflow, division by zero, a
 * shift by less than 0 or more than 63. >> keeps the sign.
 */
#pragma once

#include <stdint.h>

#include "error.h"

enum {
    FX_EXPRESSION_NODES = 256,
    FX_EXPRESSION_DEPTH = 64
}; /* operands and operators; parentheses inside each other */

typedef struct fx_expression fx_expression;

/* Threads of a block in x, y and z; all 1 or more. Lanes are counted as the hardware does: x first. */
typedef struct fx_block {
    int64_t size[3];
} fx_block;

/* Parses the whole text, for the first warp of a block: threadIdx.x is the lane's place in x; NULL: of one warp in x.
 * FX_BAD_INPUT names the column. The caller frees *out with fx_expression_free. */
fx_status fx_expression_parse(const char *text, const fx_block *block, fx_expression **out, fx_error *err);

/* FX_BAD_INPUT where the value is not defined; the sentence names the operation, the lane and t. */
fx_status fx_expression_eval(const fx_expression *expression, int64_t lane, int64_t t, int64_t *out, fx_error *err);

/* NULL is fine. */
void fx_expression_free(fx_expression *expression);
