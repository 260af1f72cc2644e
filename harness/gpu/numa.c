/* NUMA placement through the kernel's own calls (mbind, move_pages), so that no libnuma is needed. */
#include "gpu/numa.h"

#include <ctype.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/random.h"

enum { POLICY_PREFERRED = 1, PAGES_CHECKED = 64 };

int fx_numa_node_of(const char *pci_bus_id) {
    char path[128], address[32];
    int node;
    size_t i = 0;
    for (; pci_bus_id[i] && i + 1 < sizeof address; i++) {
        address[i] = (char)tolower((unsigned char)pci_bus_id[i]);
    }
    address[i] = '\0';
    /* CUDA gives the domain four digits, NVML eight; sysfs has four */
    const char *domain = strlen(address) > 12 ? address + strlen(address) - 12 : address;
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/numa_node", domain);
    FX_OWNED(fx_close_at) FILE *file = fopen(path, "r");
    return file && fscanf(file, "%d", &node) == 1 ? node : -1;
}

void fx_host_fill(void *memory, size_t size, unsigned long long seed) {
    uint64_t *words = memory;
    for (size_t i = 0; i < size / 8; i++) {
        words[i] = fx_random_at(seed, i);
    }
    const uint64_t last = fx_random_at(seed, size / 8);
    memcpy((char *)memory + size / 8 * 8, &last, size % 8);
}

fx_status fx_numa_alloc(size_t size, int node, void **out, fx_error *err) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FX_FAIL_IF(memory == MAP_FAILED, err, FX_NO_MEMORY, "no %zu bytes of host memory for a transfer buffer", size);
    if (node >= 0 && node < 64) {
        const unsigned long mask = 1ul << node;
        syscall(SYS_mbind, memory, size, POLICY_PREFERRED, &mask, 64ul, 0u);
    }
    *out = memory;
    return FX_OK;
}

void fx_numa_free(void *memory, size_t size) {
    if (memory) {
        munmap(memory, size);
    }
}

bool fx_numa_is_on_node(const void *memory, size_t size, int node) {
    void *pages[PAGES_CHECKED];
    int where[PAGES_CHECKED];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t count = size / page < PAGES_CHECKED ? size / page : PAGES_CHECKED;
    if (node < 0 || count == 0) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        const uintptr_t address = (uintptr_t)memory + size / count * i;
        pages[i] = (void *)(address / page * page);
    }
    if (syscall(SYS_move_pages, 0, (unsigned long)count, pages, NULL, where, 0) != 0) {
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (where[i] >= 0 && where[i] != node) {
            return false;
        }
    }
    return true;
}
