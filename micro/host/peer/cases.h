/* What the values of peer's axes mean. */
#pragma once

enum { TASK, MOVER, TRAFFIC, FROM_GPU, TO_GPU, SIZE };
enum { MOVE, CHASE };
enum { PUSH, PULL, STORE, LOAD, ATOMIC, STAGED };
enum { ALONE, BOTH, ONE_TO_ALL, ALL_TO_ONE, ALL_PAIRS };
enum { MOVE_NS, ACCESS_CYCLES };
enum { EXTRA_PAIR, EXTRA_SUM, EXTRA_LEAST };
enum { PAIR_BYTES = 256 << 20, CHASE_BYTES = 64 << 10 };
enum { LEAST_FITTED_BYTES = 4 << 10 };
