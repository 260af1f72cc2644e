/* Memory by the driver's virtual memory management: physical memory, mapped into a reserved range of addresses. */
#pragma once

#include <cuda.h>
#include <stdlib.h>

#include "gpu/cuda.h"
#include "gpu/driver.h"

typedef struct driver {
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*give_range)(CUdeviceptr, size_t);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*allow)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
    CUresult (*properties)(CUmemAllocationProp *, CUmemGenericAllocationHandle);
} driver;

/* Memory in pieces, end to end. */
typedef struct mapped {
    CUdeviceptr at;
    size_t bytes, piece, count; /* count: pieces that are mapped */
    CUmemGenericAllocationHandle *handles;
} mapped;

static fx_status driver_open(driver *d, fx_error *err) {
    enum { SINCE = 10020 };
    const bool found =
        fx_driver_find("cuMemAddressReserve", SINCE, &d->reserve) &&
        fx_driver_find("cuMemAddressFree", SINCE, &d->give_range) && fx_driver_find("cuMemCreate", SINCE, &d->create) &&
        fx_driver_find("cuMemMap", SINCE, &d->map) && fx_driver_find("cuMemSetAccess", SINCE, &d->allow) &&
        fx_driver_find("cuMemUnmap", SINCE, &d->unmap) && fx_driver_find("cuMemRelease", SINCE, &d->release) &&
        fx_driver_find("cuMemGetAllocationGranularity", SINCE, &d->granularity) &&
        fx_driver_find("cuMemGetAllocationPropertiesFromHandle", SINCE, &d->properties);
    return found ? FX_OK : fx_fail(err, FX_UNSUPPORTED, "the driver has no virtual memory management");
}

static CUmemAllocationProp properties_of(const fx_gpu *gpu, bool compressible) {
    CUmemAllocationProp wanted = {};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.location.id = gpu->ordinal;
    wanted.allocFlags.compressionType = compressible ? CU_MEM_ALLOCATION_COMP_GENERIC : CU_MEM_ALLOCATION_COMP_NONE;
    return wanted;
}

static void mapped_free(const driver *d, mapped *m) {
    if (m->count > 0) {
        d->unmap(m->at, m->count * m->piece);
    }
    for (size_t i = 0; i < m->count; i++) {
        d->release(m->handles[i]);
    }
    if (m->at) {
        d->give_range(m->at, m->bytes);
    }
    free(m->handles);
    *m = (mapped){};
}

/* At least `bytes`, as one piece or in pieces of the granularity. Nothing is left after a failure. */
static fx_status mapped_open(const driver *d, const fx_gpu *gpu, size_t bytes, bool in_pieces, bool compressible,
                             mapped *m, fx_error *err) {
    const CUmemAllocationProp wanted = properties_of(gpu, compressible);
    CUmemAllocationProp got = {};
    CUmemAccessDesc access = {};
    size_t grain = 0;
    *m = (mapped){};
    FX_FAIL_IF(d->granularity(&grain, &wanted, CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS || grain == 0, err,
               FX_UNSUPPORTED, "the device has no virtual memory management");
    m->bytes = (bytes + grain - 1) / grain * grain;
    m->piece = in_pieces ? grain : m->bytes;
    m->handles = (CUmemGenericAllocationHandle *)calloc(m->bytes / m->piece, sizeof *m->handles);
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    bool fine = m->handles && d->reserve(&m->at, m->bytes, 0, 0, 0) == CUDA_SUCCESS;
    while (fine && m->count < m->bytes / m->piece) {
        fine = d->create(&m->handles[m->count], m->piece, &wanted, 0) == CUDA_SUCCESS;
        if (fine && d->map(m->at + m->count * m->piece, m->piece, 0, m->handles[m->count], 0) != CUDA_SUCCESS) {
            d->release(m->handles[m->count]);
            fine = false;
        }
        m->count += fine;
    }
    fine = fine && d->allow(m->at, m->bytes, &access, 1) == CUDA_SUCCESS;
    if (!fine) {
        mapped_free(d, m);
        return fx_fail(err, FX_NO_MEMORY, "%zu bytes of device memory can't be created and mapped", bytes);
    }
    if (compressible && (d->properties(&got, m->handles[0]) != CUDA_SUCCESS ||
                         got.allocFlags.compressionType != CU_MEM_ALLOCATION_COMP_GENERIC)) {
        mapped_free(d, m);
        return fx_fail(err, FX_UNSUPPORTED, "the driver offers no compressible memory here");
    }
    return FX_OK;
}
