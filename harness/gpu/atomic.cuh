/* One atomic of one lane on a word of shared or of global memory, as the instruction that PTX has for it. */
#pragma once

#include <stdint.h>
#include <type_traits>

enum { FX_ADD, FX_INC /* adds the constant 1 */, FX_MAX, FX_EXCH, FX_CAS };
enum { FX_INT32, FX_INT64, FX_FLOAT32 }; /* integers are unsigned; floats can be added alone */

template <int TYPE_>
using fx_word_of =
    std::conditional_t<TYPE_ == FX_INT64, uint64_t, std::conditional_t<TYPE_ == FX_FLOAT32, float, uint32_t>>;

#define FX_ATOMIC(instruction, at, kind)                                                                               \
    if constexpr (RETURNS_) {                                                                                          \
        asm volatile("atom." instruction " %0, [%1], %2;" : "=" kind(old) : at(address), kind(operand) : "memory");    \
    } else {                                                                                                           \
        asm volatile("red." instruction " [%0], %1;" ::at(address), kind(operand) : "memory");                         \
    }
#define FX_INTEGER(space, at, type, bits, kind)                                                                        \
    if constexpr (OP_ == FX_INC) {                                                                                     \
        asm volatile("red." space ".add." type " [%0], 1;" ::at(address) : "memory");                                  \
    } else if constexpr (OP_ == FX_ADD) {                                                                              \
        FX_ATOMIC(space ".add." type, at, kind)                                                                        \
    } else if constexpr (OP_ == FX_MAX) {                                                                              \
        FX_ATOMIC(space ".max." type, at, kind)                                                                        \
    } else if constexpr (OP_ == FX_EXCH) {                                                                             \
        FX_ATOMIC(space ".exch." bits, at, kind)                                                                       \
    } else {                                                                                                           \
        asm volatile("atom." space ".cas." bits " %0, [%1], %2, %3;"                                                   \
                     : "=" kind(old)                                                                                   \
                     : at(address), kind(operand), kind(desired)                                                       \
                     : "memory");                                                                                      \
    }
#define FX_OPERATION(space, at)                                                                                        \
    if constexpr (TYPE_ == FX_FLOAT32) {                                                                               \
        FX_ATOMIC(space ".add.f32", at, "f")                                                                           \
    } else if constexpr (TYPE_ == FX_INT64) {                                                                          \
        FX_INTEGER(space, at, "u64", "b64", "l")                                                                       \
    } else {                                                                                                           \
        FX_INTEGER(space, at, "u32", "b32", "r")                                                                       \
    }

/* Returns the old value where RETURNS_ says so. ADDRESS_: uint32_t in shared memory, else a pointer. `desired` is what
 * a compare-and-swap writes where it finds `operand`. */
template <int OP_, int TYPE_, bool RETURNS_, typename ADDRESS_>
__device__ __forceinline__ fx_word_of<TYPE_> fx_atomic(ADDRESS_ address, fx_word_of<TYPE_> operand,
                                                       fx_word_of<TYPE_> desired) {
    fx_word_of<TYPE_> old = 0;
    if constexpr (sizeof(ADDRESS_) == 4) {
        FX_OPERATION("shared", "r")
    } else {
        FX_OPERATION("global", "l")
    }
    return old;
}
