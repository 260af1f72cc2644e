#pragma once
template <typename T> __device__ __forceinline__ T get(const T *p, int i) {
    return p[i];
}
