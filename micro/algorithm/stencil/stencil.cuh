/* The kernels of the stencil: out = c[0] x the point + the sum over k of c[k] x its four neighbours at distance k. What
 * lies around the field is there to be read, so no kernel has a branch for its edges. Loads of a thread come before
 * its stores, since the compiler may not move one past the other. */
#pragma once

#include "gpu/cuda_half.cuh"

typedef struct field {
    const float *in; /* the first point of the field */
    float *out;
    cudaTextureObject_t texture; /* of all that `in` has, from its first row and column on */
    uint32_t pitch;
    uint32_t blocks_bits; /* log2 of how many blocks lie side by side */
    float c[MOST_RADIUS + 1];
} field;

/* Where this block begins. */
__device__ __forceinline__ uint32_t block_column(const field &f, uint32_t across) {
    return (blockIdx.x & ((1u << f.blocks_bits) - 1)) * across;
}

__device__ __forceinline__ uint32_t block_row(const field &f, uint32_t down) {
    return (blockIdx.x >> f.blocks_bits) * down;
}

template <int PATH_> __device__ __forceinline__ float point(const field &f, uint32_t x, uint32_t y, int dx, int dy) {
    if constexpr (PATH_ == TEXTURE) {
        return tex2D<float>(f.texture, (float)(x + SIDE) + ((float)dx + 0.5f),
                            (float)(y + MOST_RADIUS) + ((float)dy + 0.5f));
    } else {
        const float *at = f.in + ((int)(y * f.pitch + x) + dy * (int)f.pitch + dx);
        return PATH_ == READONLY ? __ldg(at) : *at;
    }
}

/* One point per thread. */
template <int PATH_, int RADIUS_> __global__ void __launch_bounds__(THREADS) points(const __grid_constant__ field f) {
    constexpr uint32_t lanes = PATH_ == COLUMNS ? FX_WARP : ACROSS;
    constexpr uint32_t across = PATH_ == COLUMNS ? THREADS / FX_WARP : ACROSS;
    const uint32_t along = threadIdx.x % lanes, other = threadIdx.x / lanes;
    const uint32_t x = block_column(f, across) + (PATH_ == COLUMNS ? other : along);
    const uint32_t y = block_row(f, THREADS / across) + (PATH_ == COLUMNS ? along : other);
    float sum = f.c[0] * point<PATH_>(f, x, y, 0, 0);
    FX_UNROLL for (int k = 1; k <= RADIUS_; k++) {
        sum += f.c[k] * ((point<PATH_>(f, x, y, 0, -k) + point<PATH_>(f, x, y, 0, k)) +
                         (point<PATH_>(f, x, y, -k, 0) + point<PATH_>(f, x, y, k, 0)));
    }
    f.out[y * f.pitch + x] = sum;
}

/* Tiles. All widths are loaded by float4, so a row begins four elements to the left, whatever the radius. */
template <int RADIUS_> struct tile {
    static constexpr int rows = TILE_DOWN + 2 * RADIUS_, row_quads = TILE_PITCH / QUAD, quads = rows * row_quads;
    static constexpr int each = (quads + THREADS - 1) / THREADS;
    float at[rows][TILE_PITCH];
};

/* Quad q of the tile whose first point is at `first`. */
template <int RADIUS_> __device__ __forceinline__ const float4 *tile_source(const field &f, uint32_t first, int q) {
    constexpr int row_quads = tile<RADIUS_>::row_quads;
    const int row = q / row_quads - RADIUS_, column = q % row_quads * QUAD - QUAD;
    return (const float4 *)(f.in + ((int)first + row * (int)f.pitch + column));
}

template <int RADIUS_>
__device__ __forceinline__ void tile_points(const field &f, const tile<RADIUS_> &t, uint32_t first) {
    const int x = threadIdx.x % ACROSS + QUAD, row = threadIdx.x / ACROSS;
    FX_UNROLL for (int down = 0; down < TILE_DOWN; down += DOWN) {
        const int y = row + down + RADIUS_;
        float sum = f.c[0] * t.at[y][x];
        FX_UNROLL for (int k = 1; k <= RADIUS_; k++) {
            sum += f.c[k] * ((t.at[y - k][x] + t.at[y + k][x]) + (t.at[y][x - k] + t.at[y][x + k]));
        }
        f.out[first + (uint32_t)(row + down) * f.pitch + threadIdx.x % ACROSS] = sum;
    }
}

template <int RADIUS_> __global__ void __launch_bounds__(THREADS) tiled(const __grid_constant__ field f) {
    __shared__ __align__(16) tile<RADIUS_> t;
    const uint32_t first = block_row(f, TILE_DOWN) * f.pitch + block_column(f, ACROSS);
    float4 part[tile<RADIUS_>::each];
    FX_UNROLL for (int i = 0; i < tile<RADIUS_>::each; i++) {
        const int q = threadIdx.x + i * THREADS;
        if (q < tile<RADIUS_>::quads) {
            part[i] = *tile_source<RADIUS_>(f, first, q);
        }
    }
    FX_UNROLL for (int i = 0; i < tile<RADIUS_>::each; i++) {
        const int q = threadIdx.x + i * THREADS;
        if (q < tile<RADIUS_>::quads) {
            ((float4 *)&t)[q] = part[i];
        }
    }
    __syncthreads();
    tile_points<RADIUS_>(f, t, first);
}

/* TILES tiles, one below the other: the next one is on its way while this one is worked on. */
template <int RADIUS_> __device__ __forceinline__ void tile_fetch(const field &f, tile<RADIUS_> &t, uint32_t first) {
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(&t);
    FX_UNROLL for (int i = 0; i < tile<RADIUS_>::each; i++) {
        const int q = threadIdx.x + i * THREADS;
        if (q < tile<RADIUS_>::quads) {
            fx_copy_async<16>(to + q * 16, (const char *)tile_source<RADIUS_>(f, first, q));
        }
    }
    fx_close_group();
}

template <int RADIUS_> __global__ void __launch_bounds__(THREADS) tiled_async(const __grid_constant__ field f) {
    __shared__ __align__(16) tile<RADIUS_> t[2];
    const uint32_t step = TILE_DOWN * f.pitch;
    uint32_t first = block_row(f, TILES * TILE_DOWN) * f.pitch + block_column(f, ACROSS);
    tile_fetch<RADIUS_>(f, t[0], first);
    FX_NO_UNROLL for (uint32_t i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            tile_fetch<RADIUS_>(f, t[(i + 1) % 2], first + step);
            fx_wait_groups<1>();
        } else {
            fx_wait_groups<0>();
        }
        __syncthreads();
        tile_points<RADIUS_>(f, t[i % 2], first);
        __syncthreads(); /* before the tile after the next one is fetched into it */
        first += step;
    }
}

/* A column per thread, whose values above and below stay in registers. Those to the sides come from the L1, where the
 * neighbours brought them. */
template <int RADIUS_> __global__ void __launch_bounds__(THREADS) march(const __grid_constant__ field f) {
    const uint32_t first = block_row(f, MARCH_DOWN) * f.pitch + block_column(f, THREADS) + threadIdx.x;
    const float *in = f.in + first;
    float *out = f.out + first;
    float queue[2 * RADIUS_ + MARCH_GROUP];
    FX_UNROLL for (int k = 0; k < 2 * RADIUS_; k++) {
        queue[k] = in[(k - RADIUS_) * (int)f.pitch];
    }
    FX_NO_UNROLL for (int y = 0; y < MARCH_DOWN; y += MARCH_GROUP) {
        float side[MARCH_GROUP][RADIUS_][2];
        FX_UNROLL for (int g = 0; g < MARCH_GROUP; g++) {
            queue[2 * RADIUS_ + g] = in[(RADIUS_ + g) * (int)f.pitch];
            FX_UNROLL for (int k = 0; k < RADIUS_; k++) {
                side[g][k][0] = in[g * (int)f.pitch - 1 - k];
                side[g][k][1] = in[g * (int)f.pitch + 1 + k];
            }
        }
        FX_UNROLL for (int g = 0; g < MARCH_GROUP; g++) {
            float sum = f.c[0] * queue[RADIUS_ + g];
            FX_UNROLL for (int k = 1; k <= RADIUS_; k++) {
                sum += f.c[k] *
                       ((queue[RADIUS_ + g - k] + queue[RADIUS_ + g + k]) + (side[g][k - 1][0] + side[g][k - 1][1]));
            }
            out[g * (int)f.pitch] = sum;
        }
        FX_UNROLL for (int k = 0; k < 2 * RADIUS_; k++) {
            queue[k] = queue[k + MARCH_GROUP];
        }
        in += MARCH_GROUP * f.pitch;
        out += MARCH_GROUP * f.pitch;
    }
}

/* Four points side by side per thread. row: the twelve elements around them. */
__device__ __forceinline__ void unpack(float *to, float4 from) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z, to[3] = from.w;
}

template <int RADIUS_> __global__ void __launch_bounds__(THREADS) vector(const __grid_constant__ field f) {
    const uint32_t x = block_column(f, QUAD * ACROSS) + threadIdx.x % ACROSS * QUAD;
    const uint32_t first = (block_row(f, DOWN) + threadIdx.x / ACROSS) * f.pitch + x;
    const float *in = f.in + first;
    float row[3 * QUAD], above[RADIUS_][QUAD], below[RADIUS_][QUAD], sum[QUAD];
    FX_UNROLL for (int i = 0; i < 3; i++) {
        unpack(row + i * QUAD, *(const float4 *)(in + (i - 1) * QUAD));
    }
    FX_UNROLL for (int k = 0; k < RADIUS_; k++) {
        unpack(above[k], *(const float4 *)(in - (k + 1) * (int)f.pitch));
        unpack(below[k], *(const float4 *)(in + (k + 1) * (int)f.pitch));
    }
    FX_UNROLL for (int i = 0; i < QUAD; i++) {
        sum[i] = f.c[0] * row[QUAD + i];
        FX_UNROLL for (int k = 1; k <= RADIUS_; k++) {
            sum[i] += f.c[k] * ((above[k - 1][i] + below[k - 1][i]) + (row[QUAD + i - k] + row[QUAD + i + k]));
        }
    }
    *(float4 *)(f.out + first) = make_float4(sum[0], sum[1], sum[2], sum[3]);
}

/* Both: four columns per thread, going down. */
template <int RADIUS_> __global__ void __launch_bounds__(VECTOR_THREADS) march_vector(const __grid_constant__ field f) {
    const uint32_t x = block_column(f, QUAD * VECTOR_THREADS) + threadIdx.x * QUAD;
    const uint32_t first = block_row(f, VECTOR_DOWN) * f.pitch + x;
    const float *in = f.in + first;
    float *out = f.out + first;
    constexpr int group = 2, rows = 2 * RADIUS_ + group;
    float queue[rows][QUAD];
    FX_UNROLL for (int k = 0; k < 2 * RADIUS_; k++) {
        unpack(queue[k], *(const float4 *)(in + (k - RADIUS_) * (int)f.pitch));
    }
    FX_NO_UNROLL for (int y = 0; y < VECTOR_DOWN; y += group) {
        float row[group][3 * QUAD];
        FX_UNROLL for (int g = 0; g < group; g++) {
            unpack(queue[2 * RADIUS_ + g], *(const float4 *)(in + (RADIUS_ + g) * (int)f.pitch));
            unpack(row[g], *(const float4 *)(in + g * (int)f.pitch - QUAD));
            unpack(row[g] + 2 * QUAD, *(const float4 *)(in + g * (int)f.pitch + QUAD));
        }
        FX_UNROLL for (int g = 0; g < group; g++) {
            float sum[QUAD];
            FX_UNROLL for (int i = 0; i < QUAD; i++) {
                row[g][QUAD + i] = queue[RADIUS_ + g][i];
            }
            FX_UNROLL for (int i = 0; i < QUAD; i++) {
                sum[i] = f.c[0] * row[g][QUAD + i];
                FX_UNROLL for (int k = 1; k <= RADIUS_; k++) {
                    sum[i] += f.c[k] * ((queue[RADIUS_ + g - k][i] + queue[RADIUS_ + g + k][i]) +
                                        (row[g][QUAD + i - k] + row[g][QUAD + i + k]));
                }
            }
            *(float4 *)(out + g * (int)f.pitch) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        }
        FX_UNROLL for (int k = 0; k < 2 * RADIUS_; k++) {
            FX_UNROLL for (int i = 0; i < QUAD; i++) {
                queue[k][i] = queue[k + group][i];
            }
        }
        in += group * f.pitch;
        out += group * f.pitch;
    }
}

/* Values from 0 to 1, below and around the field. */
__global__ static void lay_field(float *to, uint64_t count, uint64_t seed) {
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count / 2; i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t word = fx_random_at(seed, i);
        ((float2 *)to)[i] =
            make_float2((float)(uint32_t)(word >> 8 & 0xffffff) * 0x1p-24f, (float)(uint32_t)(word >> 40) * 0x1p-24f);
    }
}

/* The oracle: the same in double precision. Counts the points that are off by more than `tolerance`, and leaves none of
 * them behind for the next launch. */
template <int RADIUS_>
__global__ void check_field(const __grid_constant__ field f, uint32_t across_bits, uint32_t count, double tolerance,
                            unsigned long long *sums) {
    unsigned wrong = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint32_t at = (i >> across_bits) * f.pitch + (i & ((1u << across_bits) - 1));
        const float *in = f.in + at;
        double want = (double)f.c[0] * in[0];
        for (int k = 1; k <= RADIUS_; k++) {
            want +=
                (double)f.c[k] * (((double)in[-k] + in[k]) + ((double)in[-k * (int)f.pitch] + in[k * (int)f.pitch]));
        }
        wrong += !(fabs(f.out[at] - want) <= tolerance);
        f.out[at] = __int_as_float(0x7fffffff);
    }
    fx_sums_add(sums, wrong);
}
