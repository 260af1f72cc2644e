/* Each object file of nvcc's registers its fatbin and then its kernels before main, by two functions of the CUDA
 * runtime that the linker leads through here (--wrap, see CMakeLists.txt). Names alone would not do: kernels of one
 * name in two probes are not the same. */
#include "kernel_hash.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/code_hash.h"

/* What nvcc emits: a record that leads to the fatbin, whose first 16 bytes say how long it is. */
typedef struct fatbin_record {
    int magic, version;
    const void *fatbin;
    void *unused;
} fatbin_record;

typedef struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* behind the header */
} fatbin_header;

enum { RECORD_MAGIC = 0x466243b1 };
static const uint32_t FATBIN_MAGIC = 0xba55ed50;

typedef struct registered {
    const void *kernel;
    const char *mangled;
    const void *fatbin;
} registered;

static registered *table;
static size_t count, room;
static const void *latest; /* the fatbin of the object file that registers its kernels now */

void **__real___cudaRegisterFatBinary(void *record);
void **__wrap___cudaRegisterFatBinary(void *record);
void __real___cudaRegisterFunction(void **handle, const char *kernel, char *device_function, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp_size);
void __wrap___cudaRegisterFunction(void **handle, const char *kernel, char *device_function, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp_size);

void **__wrap___cudaRegisterFatBinary(void *record) {
    const fatbin_record *known = record;
    latest = known->magic == RECORD_MAGIC ? known->fatbin : NULL;
    return __real___cudaRegisterFatBinary(record);
}

void __wrap___cudaRegisterFunction(void **handle, const char *kernel, char *device_function, const char *name,
                                   int thread_limit, void *tid, void *bid, void *block, void *grid, int *warp_size) {
    if (count == room) {
        const size_t more = room ? 2 * room : 1024;
        registered *larger = realloc(table, more * sizeof *table);
        room = larger ? more : room;
        table = larger ? larger : table;
    }
    if (count < room) {
        table[count++] = (registered){kernel, name, latest};
    }
    __real___cudaRegisterFunction(handle, kernel, device_function, name, thread_limit, tid, bid, block, grid,
                                  warp_size);
}

bool fx_kernel_hash(const void *kernel, char hash[17]) {
    struct cudaFuncAttributes attributes;
    fatbin_header header = {0};
    uint64_t sum;
    size_t i = 0;
    while (i < count && table[i].kernel != kernel) {
        i++;
    }
    if (i == count || !table[i].fatbin) {
        return false;
    }
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    memcpy(&header, table[i].fatbin, sizeof header);
    if (header.magic != FATBIN_MAGIC || !fx_code_hash(table[i].fatbin, header.header_bytes + (size_t)header.bytes,
                                                      (unsigned)attributes.binaryVersion, table[i].mangled, &sum)) {
        return false;
    }
    (void)snprintf(hash, 17, "%016" PRIx64, sum);
    return true;
}
