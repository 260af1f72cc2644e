/* Groups of SMs, each of one cluster of the chip (GPC), to which work of one SM is sent in turn: SMs differ in what
 * they reach beyond their own caches, and left to itself the driver puts a single block always on the same one.
 *
 * A group is a stream of a green context, which owns these SMs; a block launched there lands on one of them. Kernels
 * are as elsewhere. Source: CUDA driver API, 6.35 Green Contexts. */
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "core/error.h"

FX_C_BEGIN

enum { FX_MAX_SM_GROUPS = 16 };

typedef struct fx_sm_groups {
    size_t count; /* a power of two; 0: the driver, the chip or this build has none */
    cudaStream_t stream[FX_MAX_SM_GROUPS];
    void *context[FX_MAX_SM_GROUPS]; /* CUgreenCtx */
} fx_sm_groups;

/* Finds as many groups as there are, up to FX_MAX_SM_GROUPS, spread evenly over the SMs. Where green contexts can't be
 * had, the count is 0: that is no failure. */
void fx_sm_groups_open(int ordinal, fx_sm_groups *groups);
/* Two groups instead, about one half of the SMs each; sms[i]: of group i. False where there are none. */
bool fx_sm_halves_open(int ordinal, fx_sm_groups *halves, unsigned sms[2]);
void fx_sm_groups_close(fx_sm_groups *groups);

/* The groups into which one cluster of this kernel fits, in an order that is the same for all cases: a power of two of
 * them, their indices in `out`. Returns how many; 0 or 1 means that there is no choice. */
size_t fx_sm_groups_for(const fx_sm_groups *groups, const void *kernel, unsigned cluster, unsigned threads,
                        size_t shared_bytes, unsigned char out[FX_MAX_SM_GROUPS]);

FX_C_END
