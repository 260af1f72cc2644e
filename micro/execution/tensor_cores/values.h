/* The operands of tensor_cores: where their values lie, and what they are. C, and used by kernels. */
#pragma once

#include <stdint.h>

enum { FP16, BF16, TF32, E4M3, E5M2, INT8, FP16_SPARSE, FP16_MMA };
enum { A_SHARED, A_REGISTERS };
enum { GROUP = 128 /* threads */, ROWS = 64, K_BYTES = 32, MOST_COLUMNS = 256 };

/* Without swizzle a matrix lies in pieces of 8 rows of 16 bytes, those of further k one after another. A sparse A keeps
 * two of four elements, so B has twice its k. */
enum { PIECE_BYTES = 128, A_BYTES = ROWS * K_BYTES, B_BYTES = MOST_COLUMNS * 2 * K_BYTES };
