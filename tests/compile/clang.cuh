/* What nvcc's headers declare and clang's do not. */
#ifndef FX_CLANG_CUH
#define FX_CLANG_CUH

#if defined(__clang__) && defined(__CUDA__)
template <class TYPE_> static __device__ __forceinline__ TYPE_ __ldcg(const TYPE_ *from) {
    TYPE_ value;
    unsigned *word = (unsigned *)&value;
    for (unsigned i = 0; i < sizeof value / sizeof *word; i++) {
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word[i]) : "l"((const unsigned *)from + i));
    }
    return value;
}
#endif

#endif
