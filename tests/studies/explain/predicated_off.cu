/* What an access costs whose predicate holds in no lane, in one, and in all: cycles of an SM for each, with 1, 4 and 32
 * warps in one block.
 *
 *     nvcc -std=c++17 -O3 -arch=sm_90 -o predicated_off tests/studies/explain/predicated_off.cu
 *
 * On an H200 (board 692-2G520-0282-001, driver 580), 32 warps; none, one, all:
 *     shared store   1.06 1.07 1.07      global load    0.93 0.93 0.93      global store   1.03 2.03 2.58
 *     shared atomic  2.04 4.04 2.04      global atomic  2.04 4.03 5.01
 * So a shared store that no lane makes takes a wavefront all the same; the replay counts one for each (OFF_WAVEFRONT).
 * Atomics are not predicated but jumped over (cuobjdump -sass). Shared loads depend on each other here and say nothing.
 */
#include <cstdint>
#include <cstdio>
template <int OP> __device__ void one(uint32_t s, float *g, int p, float &x) {
    if (OP == 0) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0; @q ld.shared.f32 %0, [%1];}" : "+f"(x) : "r"(s), "r"(p));
    }
    if (OP == 1) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0; @q st.shared.f32 [%1], %0;}" ::"f"(x), "r"(s), "r"(p));
    }
    if (OP == 2) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0; @q ld.global.f32 %0, [%1];}" : "+f"(x) : "l"(g), "r"(p));
    }
    if (OP == 3) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %2, 0; @q st.global.f32 [%1], %0;}" ::"f"(x), "l"(g), "r"(p));
    }
    if (OP == 4) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %1, 0; @q red.shared.add.u32 [%0], 1;}" ::"r"(s), "r"(p));
    }
    if (OP == 5) {
        asm volatile("{.reg .pred q; setp.ne.s32 q, %1, 0; @q red.global.add.u32 [%0], 1;}" ::"l"(g), "r"(p));
    }
}
template <int OP> __global__ void run(float *g, int mode, long long *out) {
    __shared__ float sh[1024];
    int lane = threadIdx.x & 31, p = mode == 0 ? 0 : mode == 1 ? (lane == 0 ? 65535 : 0) : 65535;
    sh[threadIdx.x] = lane;
    uint32_t s = (uint32_t)__cvta_generic_to_shared(&sh[threadIdx.x]);
    float x = lane;
    float *a = g + threadIdx.x;
    __syncthreads();
    long long t = clock64();
    for (int i = 0; i < 64; i++) {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            one<OP>(s, a, p >> k & 1, x);
        }
    }
    __syncthreads();
    t = clock64() - t;
    if (threadIdx.x == 0) {
        *out = t;
    }
    if (x == 1234567.f) {
        g[0] = x;
    }
}
template <int OP> void all(const char *name) {
    float *g;
    long long *o, h;
    cudaMalloc(&g, 1 << 16);
    cudaMalloc(&o, 8);
    for (int warps : {1, 4, 32}) {
        printf("%-16s %2d warps:", name, warps);
        for (int m = 0; m < 3; m++) {
            for (int r = 0; r < 3; r++) {
                run<OP><<<1, 32 * warps>>>(g, m, o);
            }
            cudaMemcpy(&h, o, 8, cudaMemcpyDeviceToHost);
            printf(" %8.3f", (double)h / (1024.0 * warps));
        }
        printf("\n");
    }
}
int main() {
    printf("cycles per access; lanes: none one all\n");
    all<0>("shared load");
    all<1>("shared store");
    all<2>("global load");
    all<3>("global store");
    all<4>("shared atomic");
    all<5>("global atomic");
}
