"""What CUDA declares by itself, as far as addresses need it: C++ that the front end reads before the pasted text."""

VECTORS = (
    ("char", "signed char", (1, 2, 1, 4)),
    ("uchar", "unsigned char", (1, 2, 1, 4)),
    ("short", "short", (2, 4, 2, 8)),
    ("ushort", "unsigned short", (2, 4, 2, 8)),
    ("int", "int", (4, 8, 4, 16)),
    ("uint", "unsigned", (4, 8, 4, 16)),
    ("long", "long", (8, 16, 8, 16)),
    ("ulong", "unsigned long", (8, 16, 8, 16)),
    ("longlong", "long long", (8, 16, 8, 16)),
    ("ulonglong", "unsigned long long", (8, 16, 8, 16)),
    ("float", "float", (4, 8, 4, 16)),
    ("double", "double", (8, 16, 8, 16)),
)
"""Name, element, alignment of the types of 1 to 4 elements, as vector_types.h has them."""

ATOMICS = ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "CAS")
SMALL = {"min": min, "max": max, "abs": abs, "__mul24": lambda a, b: a * b, "__umul24": lambda a, b: a * b}
"""Functions of integers that indexes use."""

PLAIN = """
#define __shared__ __attribute__((annotate("shared")))
#define __constant__ __attribute__((annotate("constant")))
#define __device__ __attribute__((annotate("device")))
#define __global__ __attribute__((annotate("global")))
#define __host__
#define __managed__
#define __forceinline__
#define __noinline__
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
typedef signed char int8_t; typedef unsigned char uint8_t, uchar; typedef short int16_t;
typedef unsigned short uint16_t, ushort; typedef int int32_t; typedef unsigned uint32_t, uint;
typedef long int64_t; typedef unsigned long uint64_t, size_t, uintptr_t, ulong; typedef long ptrdiff_t, intptr_t;
typedef _Float16 half, __half, nv_bfloat16, __nv_bfloat16, bfloat16, half_t;
struct alignas(4) half2 { half x, y; }; typedef half2 __half2, nv_bfloat162, __nv_bfloat162;
struct alignas(8) cuComplex { float x, y; }; typedef cuComplex cuFloatComplex;
struct alignas(16) cuDoubleComplex { double x, y; };
typedef unsigned char __nv_fp8_e4m3, __nv_fp8_e5m2;
struct uint3; struct dim3 { unsigned x, y, z; };
extern const dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;
void __syncthreads(); void __syncwarp(unsigned = 0); void __threadfence();
struct gpufx_any {
    gpufx_any(); template <class T> gpufx_any(const T &); template <class T> operator T() const;
    template <class T> gpufx_any &operator=(const T &); template <class T> gpufx_any &operator+=(const T &);
};
template <class T, class U> auto min(T a, U b) -> decltype(a + b);
template <class T, class U> auto max(T a, U b) -> decltype(a + b);
int abs(int); int __mul24(int, int); unsigned __umul24(unsigned, unsigned);
template <class T> T __ldg(const T *p); template <class T> T __ldcs(const T *p);
template <class T> T __ldcg(const T *p);
template <class T, class U> void __stcs(T *p, U v); template <class T, class U> void __stcg(T *p, U v);
"""


def text() -> str:
    """The prelude, without the pasted text."""
    lines = [PLAIN]
    for name, element, alignments in VECTORS:
        for count, alignment in enumerate(alignments, 1):
            fields = ", ".join("xyzw"[:count])
            lines.append(f"struct alignas({alignment}) {name}{count} {{ {element} {fields}; }};")
            arguments = ", ".join(f"{element} {field}" for field in "xyzw"[:count])
            lines.append(f"{name}{count} make_{name}{count}({arguments});")
    for name in ATOMICS:
        lines.append(f"template <class T, class... U> T atomic{name}(T *p, U... v);")
    return "\n".join(lines)
