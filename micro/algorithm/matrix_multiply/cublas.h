/* cuBLAS, looked for at run time: the toolkit's library is the reference, and nothing that gpufx needs. The prototypes
 * and values are those of its documentation; only what is called here is declared. */
#pragma once

#include <dlfcn.h>

#include "gpu/rig.h"

enum { CUBLAS_N = 0 /* CUBLAS_OP_N */, CUBLAS_ANY = -1 /* CUBLAS_GEMM_DEFAULT */ };
enum { CUBLAS_32F = 0, CUBLAS_16F = 2 }; /* cudaDataType_t: CUDA_R_32F, CUDA_R_16F */
enum { CUBLAS_COMPUTE_32F = 68, CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_32F_FAST_TF32 = 77 };

typedef int cublas_create(void **handle);
typedef int cublas_destroy(void *handle);
typedef int cublas_set_stream(void *handle, cudaStream_t stream);
typedef int cublas_gemm(void *handle, int a_op, int b_op, int m, int n, int k, const void *alpha, const void *a,
                        int a_type, int a_pitch, const void *b, int b_type, int b_pitch, const void *beta, void *c,
                        int c_type, int c_pitch, int compute, int algorithm);

typedef struct cublas {
    cublas_create *create;
    cublas_destroy *destroy;
    cublas_set_stream *set_stream;
    cublas_gemm *gemm;
} cublas;

/* The library stays loaded: to load it takes longer than to use it. NULL: there is none. */
static const cublas *cublas_find(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"};
    static cublas found;
    static bool looked;
    void *library = NULL;
    for (size_t i = 0; i < FX_COUNT(names) && !looked && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    looked = true;
    if (library) {
        found.create = (cublas_create *)dlsym(library, "cublasCreate_v2");
        found.destroy = (cublas_destroy *)dlsym(library, "cublasDestroy_v2");
        found.set_stream = (cublas_set_stream *)dlsym(library, "cublasSetStream_v2");
        found.gemm = (cublas_gemm *)dlsym(library, "cublasGemmEx");
    }
    return found.create && found.destroy && found.set_stream && found.gemm ? &found : NULL;
}

static void cublas_give_back(fx_rig *rig, void *handle, size_t bytes) {
    cublas_find()->destroy(handle);
}

/* A handle on the rig's stream, which the rig gives back. FX_UNSUPPORTED, which waives the case, where there is no
 * library or it does not take the device. */
static fx_status cublas_open(fx_rig *rig, void **handle, fx_error *err) {
    const cublas *library = cublas_find();
    FX_FAIL_IF(!library, err, FX_UNSUPPORTED,
               "cuBLAS was not found: install the toolkit's libcublas, or put the folder with libcublas.so.13 "
               "or .12 (of the Python package nvidia-cublas, say) into LD_LIBRARY_PATH");
    int code = library->create(handle);
    FX_FAIL_IF(code != 0, err, FX_UNSUPPORTED, "cublasCreate returned %d: this cuBLAS does not work with this driver",
               code);
    const fx_status status = fx_rig_keep(rig, *handle, cublas_give_back, err);
    code = status == FX_OK ? library->set_stream(*handle, rig->gpu->stream) : 0;
    return code != 0 ? fx_fail(err, FX_DEVICE, "cublasSetStream returned %d", code) : status;
}

/* C = A x B, all by rows: to cuBLAS, which has columns, these are the transposed ones, and C' = B' x A'. */
static fx_status cublas_multiply(void *handle, const void *a, const void *b, float *c, uint32_t n, int type,
                                 int compute, fx_error *err) {
    const float one = 1, zero = 0;
    const int side = (int)n;
    const int code = cublas_find()->gemm(handle, CUBLAS_N, CUBLAS_N, side, side, side, &one, b, type, side, a, type,
                                         side, &zero, c, CUBLAS_32F, side, compute, CUBLAS_ANY);
    return code != 0 ? fx_fail(err, FX_DEVICE, "cublasGemmEx returned %d: see the list of cuBLAS status values", code)
                     : FX_OK;
}
