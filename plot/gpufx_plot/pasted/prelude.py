"""What CUDA declares by itself, as far as addresses need it: C++ that the front end reads before the text."""

VECTORS = {
    "char": "signed char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
    "uint": "unsigned", "long": "long", "ulong": "unsigned long", "longlong": "long long",
    "ulonglong": "unsigned long long", "float": "float", "double": "double",
}  # fmt: skip
WIDTHS = {"char": 1, "short": 2, "int": 4, "float": 4, "unsigned": 4, "long": 8, "double": 8}
ATOMICS = ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "And", "Or", "Xor", "CAS")

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
#define alignAs _Alignas
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
typedef signed char int8_t; typedef unsigned char uint8_t, uchar; typedef short int16_t;
typedef unsigned short uint16_t, ushort; typedef int int32_t; typedef unsigned uint32_t, uint;
typedef long int64_t; typedef unsigned long uint64_t, size_t, uintptr_t, ulong; typedef long ptrdiff_t, intptr_t;
typedef _Float16 half, __half, half_t; typedef __bf16 __nv_bfloat16, nv_bfloat16, bfloat16;
struct alignas(8) cuComplex { float x, y; }; typedef cuComplex cuFloatComplex;
struct alignas(16) cuDoubleComplex { double x, y; };
typedef unsigned char __nv_fp8_storage_t; typedef unsigned short __nv_fp8x2_storage_t; typedef long clock_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
#ifdef __CUDA__
struct dim3 { unsigned x, y, z; constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {} };
#else
struct dim3 { unsigned x, y, z; };
#endif
extern const dim3 threadIdx, blockIdx, blockDim, gridDim;
constexpr int warpSize = 32;
#define FLT_MAX 3.4e38f
#define INFINITY 3.4e38f
#define INT_MAX 2147483647
void __syncthreads(); void __syncwarp(unsigned = 0); void __threadfence();
struct gpufx_any {
    template <class T> operator T() const;
    template <class T> gpufx_any &operator=(const T &);
    template <class T> gpufx_any &operator[](const T &); gpufx_any operator-() const;
#ifdef __CUDA__
    gpufx_any(); gpufx_any(const gpufx_any &); template <class... T> explicit gpufx_any(T &&...);
    template <class... T> gpufx_any operator()(T &&...) const; gpufx_any *begin() const, *end() const;
    gpufx_any data() const, size() const, get() const, stream() const;
#endif
};
namespace cooperative_groups {
struct thread_group { unsigned thread_rank() const, size() const, num_threads() const; void sync() const; };
typedef thread_group coalesced_group;
struct thread_block : thread_group {
    unsigned thread_rank() const { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    unsigned num_threads() const { return size(); }
    dim3 group_index() const { return blockIdx; } dim3 thread_index() const { return threadIdx; }
};
struct grid_group : thread_group {
    unsigned block_rank() const { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    unsigned thread_rank() const { return block_rank() * thread_block().size() + thread_block().thread_rank(); }
    unsigned size() const { return gridDim.x * gridDim.y * gridDim.z * thread_block().size(); }
};
struct cluster_group : thread_group {
    dim3 block_index() const, dim_blocks() const, dim_threads() const, thread_index() const;
    unsigned block_rank() const, num_blocks() const; void barrier_arrive() const, barrier_wait() const;
    template <class T> T *map_shared_rank(T *, unsigned) const; unsigned query_shared_rank(const void *) const;
};
template <unsigned N, class T = void> struct thread_block_tile : thread_group {
    unsigned thread_rank() const { return thread_block().thread_rank() % N; }
    unsigned size() const { return N; } unsigned num_threads() const { return N; }
    unsigned meta_group_rank() const { return thread_block().thread_rank() / N; }
    unsigned meta_group_size() const { return (thread_block().size() + N - 1) / N; }
    template <class V> V shfl(V, int) const; template <class V> V shfl_up(V, int) const;
    template <class V> V shfl_down(V, int) const; template <class V> V shfl_xor(V, int) const;
};
thread_block this_thread_block(); grid_group this_grid(); cluster_group this_cluster();
coalesced_group coalesced_threads(); void sync(const thread_group &);
thread_group tiled_partition(const thread_group &, unsigned);
template <unsigned N, class G> thread_block_tile<N> tiled_partition(const G &);
template <class T> struct plus {}; template <class T> struct less {}; template <class T> struct greater {};
template <class G, class V, class O> V reduce(const G &, V, O);
template <class... T> void memcpy_async(T...); template <class G> void wait(const G &);
}
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <thread_scope S> struct barrier { typedef gpufx_any arrival_token; gpufx_any arrive(long = 1);
    void arrive_and_wait(); void wait(const gpufx_any &); };
template <thread_scope S> void init(barrier<S> *, long); template <class... T> gpufx_any memcpy_async(T &&...);
template <size_t N> struct aligned_size_t { explicit aligned_size_t(size_t); };
}
namespace nvcuda { namespace wmma {
struct matrix_a; struct matrix_b; struct accumulator; struct row_major; struct col_major;
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    enum { num_elements = M * N / 32 }; T x[num_elements];
};
template <class F, class T> void load_matrix_sync(F &, const T *, unsigned, layout_t = mem_row_major);
template <class F, class T> void store_matrix_sync(T *, const F &, unsigned, layout_t);
template <class F, class T> void fill_fragment(F &, T);
template <class D, class A, class B, class C> void mma_sync(D &, const A &, const B &, const C &);
} }
template <class T, class U> auto min(T a, U b) -> decltype(a + b);
template <class T, class U> auto max(T a, U b) -> decltype(a + b);
namespace std { using ::min; using ::max; }
#ifndef __CUDA__
namespace std { template <class T> void swap(T &a, T &b) { T c = a; a = b; b = c; } }
#endif
int abs(int); int __mul24(int, int); unsigned __umul24(unsigned, unsigned);
int __popc(unsigned); int __ffs(int); int __clz(int); unsigned __brev(unsigned);
template <class T> T __ldg(const T *p); template <class T> T __ldcs(const T *p);
template <class T> T __ldcg(const T *p); template <class T> T __ldca(const T *p);
template <class T, class U> void __stcs(T *p, U v); template <class T, class U> void __stcg(T *p, U v);
size_t __cvta_generic_to_shared(const void *);
void __pipeline_memcpy_async(void *, const void *, size_t, size_t = 0);
"""

PAIR = """struct alignas(4) @2 { @ x, y; @2() = default; @2(@, @); };
@2 operator+(@2, @2); @2 operator-(@2, @2); @2 operator*(@2, @2);"""
FP8 = """struct alignas(@1) @ {
    __nv_fp8@2_storage_t __x; @() = default;
    template <class... T> explicit @(T...); template <class T> explicit operator T() const;
};"""
ALIASES = "typedef half2 __half2; typedef __nv_bfloat162 nv_bfloat162;"

BINARY = """gpufx_any operator@(const gpufx_any &, const gpufx_any &);
template <class T> gpufx_any operator@(const gpufx_any &, const T &);
template <class T> gpufx_any operator@(const T &, const gpufx_any &);"""
COMPOUND = """gpufx_any &operator@=(gpufx_any &, const gpufx_any &);
template <class T> gpufx_any &operator@=(gpufx_any &, const T &);
template <class T> T &operator@=(T &, const gpufx_any &);"""
CHANGING, COMPARING = "+ - * / % << >> & | ^", "< > <= >= == != && ||"


HOST = """
#undef __global__
#undef __device__
#undef __host__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define NULL 0
typedef int cudaError_t, cudaMemcpyKind; typedef void *cudaStream_t, *cudaEvent_t;
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim; size_t dynamicSmemBytes; cudaStream_t stream; void *attrs; unsigned numAttrs;
};
int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t = 0, void * = 0);
template <class F> int cudaLaunchKernel(F *, dim3, dim3, void **, size_t = 0, void * = 0);
template <class F> int cudaLaunchCooperativeKernel(F *, dim3, dim3, void **, size_t = 0, void * = 0);
template <class F, class... T> int cudaLaunchKernelEx(const cudaLaunchConfig_t *, F, T &&...);
template <class F> int cudaLaunchKernelExC(const cudaLaunchConfig_t *, F *, void **);
template <class... T> int printf(T...); template <class T> gpufx_any operator>>(const gpufx_any &, T &);
"""
"""What the host's side of a program needs, where clang reads it as CUDA."""


def vector(name: str, element: str, count: int) -> str:
    """A vector type and its make_, with the alignment that vector_types.h gives it."""
    width = WIDTHS[element.rpartition(" ")[2]]
    alignment = width if count in (1, 3) else min(width * count, 16)
    fields = "xyzw"[:count]
    arguments = ", ".join(f"{element} {field}" for field in fields)
    return (
        f"struct alignas({alignment}) {name}{count} {{ {element} {', '.join(fields)}; }};"
        f" {name}{count} make_{name}{count}({arguments});"
    )


def text() -> str:
    vectors = [vector(name, element, count) for name, element in VECTORS.items() for count in (1, 2, 3, 4)]
    shuffles = [f"template <class T, class... U> T __shfl{how}_sync(unsigned, T, U...);"
                for how in ("", "_up", "_down", "_xor")]  # fmt: skip
    atomics = [f"template <class T, class... U> T atomic{name}(T *p, U... v);" for name in ATOMICS]
    operators = [form.replace("@", sign) for form in (BINARY, COMPOUND) for sign in CHANGING.split()]
    operators += [BINARY.replace("@", sign) for sign in COMPARING.split()]
    halves = [PAIR.replace("@", name) for name in ("half", "__nv_bfloat16")]
    bytes_of = [FP8.replace("@1", size).replace("@2", many).replace("@", f"__nv_fp8{many}_{name}")
                for name in ("e4m3", "e5m2") for size, many in (("1", ""), ("2", "x2"), ("4", "x4"))]  # fmt: skip
    return "\n".join([PLAIN, *operators, *vectors, *halves, ALIASES, *bytes_of, *shuffles, *atomics])
