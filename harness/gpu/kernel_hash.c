/* Each object file of nvcc's registers its fatbin and then its kernels before main, by two functions of the CUDA
 * runtime that the linker leads through here (--wrap, see CMakeLists.txt). Names alone would not do: kernels of one
 * name in two probes are not the same. */
#include "kernel_hash.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <link.h>

#include "core/grow.h"
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
static size_t count;
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
    fx_grow(&table, count, sizeof *table);
    table[count++] = (registered){kernel, name, latest};
    __real___cudaRegisterFunction(handle, kernel, device_function, name, thread_limit, tid, bid, block, grid,
                                  warp_size);
}

/* Returns the entry of a kernel with a fatbin whose size is known, or NULL. */
static const registered *find_kernel(const void *kernel, size_t *bytes) {
    fatbin_header header = {0};
    size_t i = 0;
    while (i < count && table[i].kernel != kernel) {
        i++;
    }
    if (i == count || !table[i].fatbin) {
        return NULL;
    }
    memcpy(&header, table[i].fatbin, sizeof header);
    *bytes = header.header_bytes + (size_t)header.bytes;
    return header.magic == FATBIN_MAGIC ? &table[i] : NULL;
}

bool fx_kernel_hash(const void *kernel, char hash[17]) {
    struct cudaFuncAttributes attributes;
    size_t bytes;
    uint64_t sum;
    const registered *known = find_kernel(kernel, &bytes);
    if (!known) {
        return false;
    }
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    if (!fx_code_hash(known->fatbin, bytes, (unsigned)attributes.binaryVersion, known->mangled, &sum)) {
        return false;
    }
    (void)snprintf(hash, 17, "%016" PRIx64, sum);
    return true;
}

typedef struct wanted {
    uintptr_t address;
    size_t *offset;
} wanted;

/* Looks through the first object alone, which is the program. Returns 2 where the address was found, else 1. */
static int find_offset(struct dl_phdr_info *object, size_t size, void *data) {
    const wanted *w = data;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (object->dlpi_phdr[i].p_type == PT_LOAD && w->address >= start &&
            w->address - start < object->dlpi_phdr[i].p_filesz) {
            *w->offset = w->address - start + object->dlpi_phdr[i].p_offset;
            return 2;
        }
    }
    return 1;
}

bool fx_kernel_fatbin(const void *kernel, size_t *offset, size_t *bytes) {
    const registered *known = find_kernel(kernel, bytes);
    wanted w = {known ? (uintptr_t)known->fatbin : 0, offset};
    return known && dl_iterate_phdr(find_offset, &w) == 2;
}
