/* cuBLAS, looked for at run time: the toolkit's library is the reference, and nothing that gpufx needs. The prototypes
 * and values are those of its documentation; only what is called here is declared. */
#pragma once

#include <dlfcn.h>

#include "gpu/rig.h"

enum { CUBLAS_N, CUBLAS_T /* CUBLAS_OP_N, CUBLAS_OP_T */, CUBLAS_ANY = -1 /* CUBLAS_GEMM_DEFAULT */ };
enum {
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
enum { CUBLASLT_TRANSA = 3, CUBLASLT_FAST_ACCUM = 25 }; /* CUBLASLT_MATMUL_DESC_* */

typedef int cublas_create(void **handle);
typedef int cublas_destroy(void *handle);
typedef int cublas_set_stream(void *handle, cudaStream_t stream);
typedef int cublas_gemm(void *handle, int a_op, int b_op, int m, int n, int k, const void *alpha, const void *a,
                        int a_type, int a_pitch, const void *b, int b_type, int b_pitch, const void *beta, void *c,
                        int c_type, int c_pitch, int compute, int algorithm);
typedef int cublaslt_matmul(void *handle, uint64_t *operation, const void *alpha, const void *a, uint64_t *a_layout,
                            const void *b, uint64_t *b_layout, const void *beta, const void *c, uint64_t *c_layout,
                            void *d, uint64_t *d_layout, const void *algorithm, void *workspace, size_t bytes,
                            cudaStream_t stream);
typedef int cublaslt_operation(uint64_t *operation, size_t bytes, int compute, int scale_type);
typedef int cublaslt_set(uint64_t *operation, int attribute, const void *value, size_t bytes);
typedef int cublaslt_layout(uint64_t *layout, size_t bytes, int type, uint64_t rows, uint64_t columns, int64_t pitch);

typedef struct cublas {
    cublas_create *create;
    cublas_destroy *destroy;
    cublas_set_stream *set_stream;
    cublas_gemm *gemm;
    cublaslt_matmul *matmul; /* this and the following: NULL before CUDA 11.8, which knows no FP8 */
    cublaslt_operation *operation;
    cublaslt_set *set;
    cublaslt_layout *layout;
} cublas;

/* A product as cuBLAS names it: types of A and B, of C, and of sums, and whether B is stored by columns. */
typedef struct cublas_product {
    int type, c_type, compute, b_op;
} cublas_product;

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
        found.matmul = (cublaslt_matmul *)dlsym(library, "cublasLtMatmul"); /* of a library that cuBLAS loads */
        found.operation = (cublaslt_operation *)dlsym(library, "cublasLtMatmulDescInit_internal");
        found.set = (cublaslt_set *)dlsym(library, "cublasLtMatmulDescSetAttribute");
        found.layout = (cublaslt_layout *)dlsym(library, "cublasLtMatrixLayoutInit_internal");
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

/* FP8 by cuBLASLt, which takes no other layout than this: B by columns. Sums are kept as the tensor cores have them
 * ("fast accumulation"), as libraries of inference do. */
static int cublas_fp8(const cublas *library, void *handle, const void *a, const void *b, void *c, uint32_t n,
                      cudaStream_t stream) {
    const float one = 1, zero = 0;
    const int turn = CUBLAS_T;
    const int8_t fast = 1;
    uint64_t operation[32], inputs[8], output[8];
    int code = library->operation(operation, sizeof operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    code = code ? code : library->set(operation, CUBLASLT_TRANSA, &turn, sizeof turn);
    code = code ? code : library->set(operation, CUBLASLT_FAST_ACCUM, &fast, sizeof fast);
    code = code ? code : library->layout(inputs, sizeof inputs, CUDA_R_8F_E4M3, n, n, n);
    code = code ? code : library->layout(output, sizeof output, CUDA_R_32F, n, n, n);
    return code ? code
                : library->matmul(handle, operation, &one, b, inputs, a, inputs, &zero, c, output, c, output, NULL,
                                  NULL, 0, stream);
}

/* C = A x B, all by rows: to cuBLAS, which has columns, these are the transposed ones, and C' = B' x A'. With CUBLAS_T
 * B is stored by columns. */
static fx_status cublas_multiply(void *handle, const cublas_product *p, const void *a, const void *b, void *c,
                                 uint32_t n, cudaStream_t stream, fx_error *err) {
    const cublas *library = cublas_find();
    static const float one = 1, zero = 0;
    static const double whole = 1, none = 0;
    static const int32_t once = 1, never = 0;
    const bool wide = p->compute == CUBLAS_COMPUTE_64F, counts = p->compute == CUBLAS_COMPUTE_32I;
    const void *alpha = wide ? (const void *)&whole : counts ? (const void *)&once : &one;
    const void *beta = wide ? (const void *)&none : counts ? (const void *)&never : &zero;
    const int side = (int)n;
    if (p->type == CUDA_R_8F_E4M3 && !(library->matmul && library->operation && library->set && library->layout)) {
        return fx_fail(err, FX_UNSUPPORTED, "this cuBLAS has no FP8: it needs CUDA 11.8 or newer");
    }
    const int code = p->type == CUDA_R_8F_E4M3
                         ? cublas_fp8(library, handle, a, b, c, n, stream)
                         : library->gemm(handle, p->b_op, CUBLAS_N, side, side, side, alpha, b, p->type, side, a,
                                         p->type, side, beta, c, p->c_type, side, p->compute, CUBLAS_ANY);
    return code != 0 ? fx_fail(err, FX_DEVICE, "cuBLAS returned %d: see the list of its status values", code) : FX_OK;
}
