/* What an architecture has and older ones lack: text for the assembler, which is empty below it, and a condition
 * for `if constexpr`, which is true on the host. `supported` waives what would do nothing. */
#pragma once

#ifdef __CUDA_ARCH__
#define FX_RUNS_FROM(arch) (__CUDA_ARCH__ >= (arch))
#else
#define FX_RUNS_FROM(arch) true
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
#define FX_FROM_610(text) text
#else
#define FX_FROM_610(text) ""
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define FX_FROM_700(text) text
#else
#define FX_FROM_700(text) ""
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
#define FX_FROM_750(text) text
#else
#define FX_FROM_750(text) ""
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define FX_FROM_800(text) text
#else
#define FX_FROM_800(text) ""
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define FX_FROM_900(text) text
#else
#define FX_FROM_900(text) ""
#endif
