/* The product on the tensor cores, by the documented warp-level operations: ldmatrix and mma.sync, fed by cp.async. */
#pragma once

#include <cuda_fp16.h>

#include "blocked.cuh"
#include "gpu/matrix.cuh"

/* sum += a x b: 16 x 8 elements, over 16 of type FP16 or 8 of type TF32. */
template <int BYTES_>
__device__ __forceinline__ void multiply_add(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    if (BYTES_ == FP16_BYTES) {
        asm FX_MMA("m16n8k16.row.col.f32.f16.f16.f32", sum, a, b0, b1);
    } else {
        asm FX_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", sum, a, b0, b1);
    }
}

/* This thread's part of the next tile: 4 pieces of 16 bytes of A, 4 of B. */
template <int BYTES_>
__device__ __forceinline__ void bring_tile(const char *a, const char *b, uint32_t pitch, uint32_t to) {
    constexpr uint32_t B_PIECES = TENSOR_SIDE * BYTES_ / 16 /* of a row */, B_PITCH = TENSOR_B_PITCH * BYTES_;
    const uint32_t lane = threadIdx.x % FX_WARP, warp = threadIdx.x / FX_WARP;
    const uint32_t a_row = warp * 32 + lane % 8, a_piece = lane / 8 * 16;
    const uint32_t b_row = threadIdx.x / B_PIECES, b_piece = threadIdx.x % B_PIECES * 16;
    FX_UNROLL for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = a_row + i * 8;
        fx_copy_async<16>(to + row * TENSOR_A_PITCH + a_piece, a + row * pitch + a_piece);
    }
    FX_UNROLL for (uint32_t i = 0; i < 4; i++) {
        const uint32_t row = b_row + i * (TENSOR_THREADS / B_PIECES);
        fx_copy_async<16>(to + TENSOR_A_BYTES + row * B_PITCH + b_piece, b + row * pitch + b_piece);
    }
}

/* What a warp multiplies at once: 64 rows of A, 64 columns of B, and 16 halves or 8 words of each. */
typedef struct fragments {
    uint32_t a[4][4], b[4][4];
} fragments;

template <int BYTES_> __device__ __forceinline__ void load_step(fragments &f, uint32_t of_a, uint32_t of_b) {
    constexpr uint32_t B_PITCH = TENSOR_B_PITCH * BYTES_;
    FX_UNROLL for (int i = 0; i < 4; i++) {
        fx_load_matrices<4, false>(f.a[i], of_a + i * 16 * TENSOR_A_PITCH);
    }
    FX_UNROLL for (int j = 0; j < 4; j++) {
        if (BYTES_ == FP16_BYTES) {
            fx_load_matrices<4, true>(f.b[j], of_b + j * 32);
        } else {
            FX_UNROLL for (int word = 0; word < 4;
                           word++) { /* k = lane % 4, + 4; columns of this fragment, and of the next */
                const uint32_t at = of_b + word % 2 * 4 * B_PITCH + (j * 2 + word / 2) * 32;
                asm volatile("ld.shared.b32 %0, [%1];" : "=r"(f.b[j][word]) : "r"(at) : "memory");
            }
        }
    }
}

/* 64 x 64 elements of C: 4 x 8 fragments. */
template <int BYTES_> __device__ __forceinline__ void add_step(float (&sum)[4][8][4], const fragments &f) {
    FX_UNROLL for (int i = 0; i < 4; i++) {
        FX_UNROLL for (int j = 0; j < 8; j++) {
            multiply_add<BYTES_>(sum[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
        }
    }
}

template <int BYTES_>
__global__ static void __launch_bounds__(TENSOR_THREADS, 2) tensor(const __grid_constant__ task t) {
    extern __shared__ __align__(128) float words[];
    constexpr uint32_t DEPTH = TENSOR_ROW_BYTES / BYTES_, STAGE = TENSOR_STAGE_BYTES, B_PITCH = TENSOR_B_PITCH * BYTES_;
    const uint32_t shared = (uint32_t)__cvta_generic_to_shared(words), tiles = t.n / DEPTH;
    const uint32_t lane = threadIdx.x % FX_WARP, warp = threadIdx.x / FX_WARP, pitch = t.n * BYTES_;
    const uint32_t row = warp / 2 * 64, column = warp % 2 * 64;
    uint32_t down, along;
    place_of(t, t.n / TENSOR_SIDE, &down, &along);
    const char *a = (const char *)t.a + (size_t)down * TENSOR_SIDE * pitch;
    const char *b = (const char *)t.b + along * TENSOR_SIDE * BYTES_;
    const uint64_t b_step = (uint64_t)DEPTH * pitch;
    /* Lane l of ldmatrix names a row of a matrix: rows l % 16, and half of the step for lanes 16 on. */
    const uint32_t of_a = (row + lane % 16) * TENSOR_A_PITCH + lane / 16 * 16;
    const uint32_t of_b =
        TENSOR_A_BYTES + column * BYTES_ +
        (BYTES_ == FP16_BYTES ? lane % 16 * B_PITCH + lane / 16 * 16 : lane % 4 * B_PITCH + lane / 4 * 4);
    float sum[4][8][4] = {{{0}}};
    uint32_t to = 0;
    const auto next = [&](bool more) {
        if (more) {
            bring_tile<BYTES_>(a, b, pitch, shared + to);
            a += TENSOR_ROW_BYTES;
            b += b_step;
        }
        to = to == (TENSOR_STAGES - 1) * STAGE ? 0 : to + STAGE;
        fx_close_group();
    };
    FX_UNROLL for (uint32_t stage = 0; stage + 1 < TENSOR_STAGES; stage++) {
        next(stage < tiles);
    }
    /* The first half of each tile is loaded while the second half of the one before is multiplied. */
    fragments first, second;
    uint32_t from = shared;
    fx_wait_groups<TENSOR_STAGES - 2>();
    __syncthreads();
    load_step<BYTES_>(first, from + of_a, from + of_b);
    FX_NO_UNROLL for (uint32_t tile = 0; tile < tiles; tile++) {
        load_step<BYTES_>(second, from + of_a + 32, from + of_b + DEPTH / 2 * B_PITCH);
        next(tile + TENSOR_STAGES - 1 < tiles); /* into the slot of the tile before, which all are through with */
        add_step<BYTES_>(sum, first);
        from = from == shared + (TENSOR_STAGES - 1) * STAGE ? shared : from + STAGE;
        fx_wait_groups<TENSOR_STAGES - 2>();
        __syncthreads();
        load_step<BYTES_>(first, from + of_a, from + of_b); /* after the last tile: what nobody needs */
        add_step<BYTES_>(sum, second);
    }
    float *c = t.c + (down * TENSOR_SIDE + row + lane / 4) * t.n + along * TENSOR_SIDE + column + lane % 4 * 2;
    FX_UNROLL for (int i = 0; i < 4; i++) {
        FX_UNROLL for (int j = 0; j < 8; j++) {
            float *at = c + i * 16 * t.n + j * 8;
            *(float2 *)at = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(at + 8 * t.n) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
