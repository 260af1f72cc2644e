/* gpufx_trace.h: records the memory accesses that you mark, as a trace for `gpufx explain`, `gpufx trace` and
 * `gpufx pattern --file`. For those who can't run their program under the recorder. One file, for CUDA C++ (from
 * compute capability 7.0 on); nothing else is needed.
 *
 *     #define GPUFX_TRACE            // without it the marks are the pointers themselves, and the calls do nothing
 *     #include "gpufx_trace.h"
 *
 *     __global__ void transpose(float *out, const float *in, int n) {
 *         ...
 *         *GPUFX_WRITE(&out[x * n + y]) = *GPUFX_READ(&in[y * n + x]);
 *     }
 *
 *     gpufx_trace_open("app.fxtrace");                // returns 0, or -1 where the file can't be written
 *     gpufx_trace_launch("transpose", grid, block);   // before each launch that is to be recorded; waits for the last
 *     transpose<<<grid, block>>>(out, in, n);
 *     gpufx_trace_close();                            // the same
 *
 * A mark evaluates its pointer once and is the pointer; the width of the access is that of what it points to. Recorded
 * are about GPUFX_TRACE_BLOCKS blocks of a grid (64), the first and the last among them, and of a launch at
 * most GPUFX_TRACE_ACCESSES accesses of warps (262,144, 280 bytes of the GPU's memory each); both can be defined
 * before. What does not fit is counted, and the trace says so. Marks and calls must be in one source file. A compiler
 * may merge, move or widen the accesses that you mark: the trace has what the source says, the recorder what the
 * machine does.
 *
 * docs/trace.md has the file's format, which is written here uncompressed. */
#ifndef GPUFX_TRACE_H
#define GPUFX_TRACE_H

#ifndef GPUFX_TRACE
#define GPUFX_READ(pointer)     (pointer)
#define GPUFX_WRITE(pointer)    (pointer)
#define gpufx_trace_open(path)  0
#define gpufx_trace_launch(...) ((void)0)
#define gpufx_trace_close()     0
#else

#ifndef __CUDACC__
#error "gpufx_trace.h records kernels: compile this file with nvcc, or leave GPUFX_TRACE undefined"
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GPUFX_TRACE_BLOCKS
#define GPUFX_TRACE_BLOCKS 64
#endif
#ifndef GPUFX_TRACE_ACCESSES
#define GPUFX_TRACE_ACCESSES (1 << 18)
#endif

enum { GPUFX_TRACE_SITES = 1024, GPUFX_TRACE_NAMES = 256, GPUFX_TRACE_FILE_BYTES = 104 };

/* A mark in the source. space: 0 global, 1 shared, 2 local. */
typedef struct gpufx_trace_site_ {
    uint32_t line, op, bytes, space;
    char file[GPUFX_TRACE_FILE_BYTES];
} gpufx_trace_site_;

typedef struct gpufx_trace_access_ {
    uint32_t site, block, warp, mask;
    uint64_t address[32];
} gpufx_trace_access_;

typedef struct gpufx_trace_pattern_ {
    uint32_t mask, bytes;
    int32_t offset[32];
} gpufx_trace_pattern_;

typedef struct gpufx_trace_record_ {
    uint32_t instruction, pattern;
    uint64_t base;
    uint32_t block;
    uint16_t warp, times;
} gpufx_trace_record_;

typedef struct gpufx_trace_host_ {
    FILE *file;
    gpufx_trace_access_ *accesses; /* GPUFX_TRACE_ACCESSES */
    gpufx_trace_site_ sites[GPUFX_TRACE_SITES];
    char names[GPUFX_TRACE_NAMES][64];
    uint32_t name_count, instruction_count, launch_count, kernel;
    uint32_t *instructions;         /* + 1, by kernel and site */
    gpufx_trace_pattern_ *patterns; /* all so far */
    uint32_t *pattern_table;        /* + 1, by hash; a power of two */
    uint32_t pattern_count, pattern_room;
    uint32_t grid[3], threads[3];
    uint64_t seen; /* accesses of the launch */
    int open_launch, failed;
} gpufx_trace_host_;

static gpufx_trace_host_ gpufx_trace_h_;

#define GPUFX_TRACE_FN_   static inline __attribute__((unused))
#define GPUFX_TRACE_BOTH_ static inline __host__ __device__ __attribute__((unused))

GPUFX_TRACE_BOTH_ uint64_t gpufx_trace_mix_(uint64_t h, uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Whole blocks are recorded: all of a small grid, else the first, the last, and others by a hash with a fixed seed. */
GPUFX_TRACE_BOTH_ int gpufx_trace_wanted_(uint64_t block, uint64_t blocks) {
    return blocks <= GPUFX_TRACE_BLOCKS || block == 0 || block == blocks - 1 ||
           gpufx_trace_mix_(7, block) % blocks < GPUFX_TRACE_BLOCKS - 2;
}

GPUFX_TRACE_BOTH_ uint64_t gpufx_trace_key_(const char *file, uint32_t line, uint32_t op, uint32_t bytes,
                                            uint32_t space) {
    uint64_t h = gpufx_trace_mix_(gpufx_trace_mix_(line, op << 2 | space), bytes);
    for (; *file; file++) {
        h = gpufx_trace_mix_(h, (unsigned char)*file);
    }
    return h ? h : 1;
}

GPUFX_TRACE_BOTH_ void gpufx_trace_name_site_(gpufx_trace_site_ *site, const char *file, uint32_t line, uint32_t op,
                                              uint32_t bytes, uint32_t space) {
    int i = 0;
    for (; file[i] && i < GPUFX_TRACE_FILE_BYTES - 1; i++) {
        site->file[i] = file[i];
    }
    site->file[i] = 0;
    site->line = line;
    site->op = op;
    site->bytes = bytes;
    site->space = space;
}

/* A text without what JSON can't hold. */
GPUFX_TRACE_FN_ void gpufx_trace_text_(const char *text) {
    for (; *text; text++) {
        fputc((unsigned char)*text < 0x20 || *text == '"' || *text == '\\' || (unsigned char)*text > 0x7e ? '?' : *text,
              gpufx_trace_h_.file);
    }
}

GPUFX_TRACE_FN_ void gpufx_trace_binary_(const void *data, size_t size) {
    fwrite(data, 1, size, gpufx_trace_h_.file);
    fputc('\n', gpufx_trace_h_.file);
}

/* Returns -1 where memory runs out. */
GPUFX_TRACE_FN_ int gpufx_trace_grow_patterns_(void) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    const uint32_t room = h->pattern_room ? 2 * h->pattern_room : 1024;
    gpufx_trace_pattern_ *larger =
        (gpufx_trace_pattern_ *)realloc(h->patterns, room * sizeof *larger); /* a cast, for C++ */
    uint32_t *table = (uint32_t *)calloc(2 * (size_t)room, sizeof *table);
    if (larger) {
        h->patterns = larger;
    }
    if (!larger || !table) {
        free(table);
        return -1;
    }
    for (uint32_t i = 0; i < h->pattern_count; i++) {
        uint64_t at = gpufx_trace_mix_(h->patterns[i].mask, h->patterns[i].bytes);
        for (int l = 0; l < 32; l++) {
            at = gpufx_trace_mix_(at, (uint32_t)h->patterns[i].offset[l]);
        }
        for (at %= 2 * (uint64_t)room; table[at]; at = (at + 1) % (2 * (uint64_t)room)) {
        }
        table[at] = i + 1;
    }
    free(h->pattern_table);
    h->pattern_table = table;
    h->pattern_room = room;
    return 0;
}

/* The number of an equal pattern; UINT32_MAX where memory runs out. */
GPUFX_TRACE_FN_ uint32_t gpufx_trace_number_(const gpufx_trace_pattern_ *pattern) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    if (h->pattern_count == h->pattern_room && gpufx_trace_grow_patterns_()) {
        return UINT32_MAX;
    }
    uint64_t at = gpufx_trace_mix_(pattern->mask, pattern->bytes);
    for (int l = 0; l < 32; l++) {
        at = gpufx_trace_mix_(at, (uint32_t)pattern->offset[l]);
    }
    for (at %= 2 * (uint64_t)h->pattern_room; h->pattern_table[at]; at = (at + 1) % (2 * (uint64_t)h->pattern_room)) {
        const uint32_t i = h->pattern_table[at] - 1;
        if (!memcmp(&h->patterns[i], pattern, sizeof *pattern)) {
            return i;
        }
    }
    h->patterns[h->pattern_count] = *pattern;
    return (h->pattern_table[at] = ++h->pattern_count) - 1;
}

/* The instruction of a site in the kernel at hand, with its frame when it is new. */
GPUFX_TRACE_FN_ uint32_t gpufx_trace_instruction_(uint32_t site) {
    static const char *const spaces[] = {"global", "shared", "local"};
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    uint32_t *known = &h->instructions[h->kernel * (uint32_t)GPUFX_TRACE_SITES + site];
    if (!*known) {
        const gpufx_trace_site_ *s = &h->sites[site];
        *known = ++h->instruction_count;
        fprintf(h->file,
                "{\"instruction\":{\"id\":%u,\"kernel\":%u,\"pc\":%u,\"space\":\"%s\",\"op\":\"%s\",\"width\":%u,",
                *known - 1, h->kernel, 16 * site, spaces[s->space], s->op ? "store" : "load", s->bytes);
        fputs("\"file\":\"", h->file);
        gpufx_trace_text_(s->file);
        fprintf(h->file, "\",\"line\":%u}}\n", s->line);
    }
    return *known - 1;
}

/* One record; -1 for lanes that are more than 2 GiB apart, or memory that runs out. */
GPUFX_TRACE_FN_ int gpufx_trace_record_of_(const gpufx_trace_access_ *access, gpufx_trace_record_ *out) {
    gpufx_trace_pattern_ pattern;
    uint64_t base = UINT64_MAX;
    memset(&pattern, 0, sizeof pattern);
    pattern.mask = access->mask;
    pattern.bytes = gpufx_trace_h_.sites[access->site].bytes;
    for (int l = 0; l < 32; l++) {
        if (access->mask >> l & 1 && access->address[l] < base) {
            base = access->address[l];
        }
    }
    base -= base % 128;
    for (int l = 0; l < 32; l++) {
        if (access->mask >> l & 1) {
            if (access->address[l] - base > INT32_MAX - (uint64_t)pattern.bytes) {
                return -1;
            }
            pattern.offset[l] = (int32_t)(access->address[l] - base);
        }
    }
    memset(out, 0, sizeof *out);
    out->instruction = gpufx_trace_instruction_(access->site);
    out->pattern = gpufx_trace_number_(&pattern);
    out->base = base;
    out->block = access->block;
    out->warp = (uint16_t)access->warp;
    out->times = 1;
    return out->pattern == UINT32_MAX ? -1 : 0;
}

/* Writes the launch that was open, of whose accesses `count` were kept. */
GPUFX_TRACE_FN_ void gpufx_trace_write_launch_(uint64_t count) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    const uint32_t first = h->pattern_count;
    const uint64_t blocks = (uint64_t)h->grid[0] * h->grid[1] * h->grid[2];
    gpufx_trace_record_ *records = (gpufx_trace_record_ *)malloc((size_t)(count + 1) * sizeof *records);
    uint64_t recorded = 0, kept = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        recorded += (uint64_t)gpufx_trace_wanted_(b, blocks);
    }
    for (uint64_t i = 0; records && i < count; i++) {
        kept += gpufx_trace_record_of_(&h->accesses[i], &records[kept]) == 0;
    }
    if (h->pattern_count > first) {
        const size_t size = (h->pattern_count - first) * sizeof *h->patterns;
        fprintf(h->file, "{\"patterns\":{\"first\":%u,\"count\":%u},\"bytes\":%zu}\n", first, h->pattern_count - first,
                size);
        gpufx_trace_binary_(h->patterns + first, size);
    }
    fprintf(h->file,
            "{\"launch\":{\"id\":%u,\"kernel\":%u,\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"cluster\":[1,1,1],"
            "\"blocks\":{\"total\":%llu,\"recorded\":%llu},\"accesses\":{\"seen\":%llu,\"kept\":%llu}}}\n",
            h->launch_count, h->kernel, h->grid[0], h->grid[1], h->grid[2], h->threads[0], h->threads[1], h->threads[2],
            (unsigned long long)blocks, (unsigned long long)recorded, (unsigned long long)h->seen,
            (unsigned long long)kept);
    if (kept) {
        const size_t size = (size_t)kept * sizeof *records;
        fprintf(h->file, "{\"records\":{\"launch\":%u,\"count\":%llu},\"bytes\":%zu}\n", h->launch_count,
                (unsigned long long)kept, size);
        gpufx_trace_binary_(records, size);
    }
    free(records);
    h->launch_count++;
    h->open_launch = 0;
}

typedef struct gpufx_trace_device_ {
    gpufx_trace_access_ *accesses; /* NULL: nothing is recorded */
    unsigned long long count;
    unsigned long long keys[GPUFX_TRACE_SITES];
    gpufx_trace_site_ sites[GPUFX_TRACE_SITES];
} gpufx_trace_device_;

static __device__ gpufx_trace_device_ gpufx_trace_d_;

static __device__ inline uint32_t gpufx_trace_site_of_(const char *file, uint32_t line, uint32_t op, uint32_t bytes,
                                                       uint32_t space) {
    const unsigned long long key = gpufx_trace_key_(file, line, op, bytes, space);
    uint32_t at = (uint32_t)(key % GPUFX_TRACE_SITES);
    for (int tried = 0; tried < GPUFX_TRACE_SITES; tried++) {
        const unsigned long long old = atomicCAS(&gpufx_trace_d_.keys[at], 0ull, key);
        if (old == 0) {
            gpufx_trace_name_site_(&gpufx_trace_d_.sites[at], file, line, op, bytes, space);
        }
        if (old == 0 || old == key) {
            return at;
        }
        at = (at + 1) % GPUFX_TRACE_SITES;
    }
    return GPUFX_TRACE_SITES;
}

static __device__ inline void gpufx_trace_access_of_(const void *pointer, const char *file, uint32_t line, uint32_t op,
                                                     uint32_t bytes) {
    const uint64_t block = blockIdx.x + (uint64_t)gridDim.x * (blockIdx.y + (uint64_t)gridDim.y * blockIdx.z);
    const uint64_t blocks = (uint64_t)gridDim.x * gridDim.y * gridDim.z;
    if (!gpufx_trace_d_.accesses || !gpufx_trace_wanted_(block, blocks)) {
        return;
    }
    const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), lane = thread % 32;
    const uint32_t space = __isShared(pointer) ? 1 : __isLocal(pointer) ? 2 : 0;
    const uint32_t mask = __match_any_sync(__activemask(), space), leader = __ffs(mask) - 1;
    const uint64_t address = space == 1   ? __cvta_generic_to_shared(pointer)
                             : space == 2 ? __cvta_generic_to_local(pointer)
                                          : (uint64_t)pointer;
    uint32_t site = GPUFX_TRACE_SITES;
    unsigned long long slot = 0;
    if (lane == leader) {
        site = gpufx_trace_site_of_(file, line, op, bytes, space);
        slot = atomicAdd(&gpufx_trace_d_.count, 1ull);
    }
    site = __shfl_sync(mask, site, leader);
    slot = __shfl_sync(mask, slot, leader);
    if (slot < GPUFX_TRACE_ACCESSES) {
        gpufx_trace_access_ *to = &gpufx_trace_d_.accesses[slot];
        to->address[lane] = address;
        if (lane == leader) {
            to->site = site;
            to->block = (uint32_t)block;
            to->warp = thread / 32;
            to->mask = site < GPUFX_TRACE_SITES ? mask : 0;
        }
    }
}

template <class T>
static __device__ inline T *gpufx_trace_mark_(T *pointer, const char *file, uint32_t line, uint32_t op) {
    gpufx_trace_access_of_((const void *)pointer, file, line, op, (uint32_t)sizeof *pointer);
    return pointer;
}

#define GPUFX_READ(pointer)  gpufx_trace_mark_((pointer), __FILE__, __LINE__, 0)
#define GPUFX_WRITE(pointer) gpufx_trace_mark_((pointer), __FILE__, __LINE__, 1)

GPUFX_TRACE_FN_ void *gpufx_trace_address_(void) {
    void *address = NULL;
    return cudaGetSymbolAddress(&address, gpufx_trace_d_) == cudaSuccess ? address : NULL;
}

/* Waits for the launch, and writes what it left. */
GPUFX_TRACE_FN_ void gpufx_trace_collect_(void) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    char *device = (char *)gpufx_trace_address_();
    unsigned long long count = 0;
    gpufx_trace_access_ *from = NULL;
    if (!h->open_launch) {
        return;
    }
    if (!device || cudaDeviceSynchronize() != cudaSuccess ||
        cudaMemcpy(&count, device + offsetof(gpufx_trace_device_, count), sizeof count, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(&from, device + offsetof(gpufx_trace_device_, accesses), sizeof from, cudaMemcpyDeviceToHost) ||
        cudaMemcpy(h->sites, device + offsetof(gpufx_trace_device_, sites), sizeof h->sites, cudaMemcpyDeviceToHost)) {
        h->failed = 1;
        count = 0;
    }
    h->seen = count;
    count = count < GPUFX_TRACE_ACCESSES ? count : GPUFX_TRACE_ACCESSES;
    if (count && cudaMemcpy(h->accesses, from, count * sizeof *from, cudaMemcpyDeviceToHost)) {
        h->failed = 1;
        count = 0;
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (h->accesses[i].mask) {
            h->accesses[kept++] = h->accesses[i];
        }
    }
    gpufx_trace_write_launch_(kept);
    count = 0;
    if (device) {
        (void)cudaMemcpy(device + offsetof(gpufx_trace_device_, count), &count, sizeof count, cudaMemcpyHostToDevice);
    }
}

GPUFX_TRACE_FN_ void gpufx_trace_device_frame_(void) {
    struct cudaDeviceProp properties;
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess) {
        fprintf(gpufx_trace_h_.file, ",\"device\":{\"name\":\"");
        gpufx_trace_text_(properties.name);
        fprintf(gpufx_trace_h_.file, "\",\"arch\":\"sm_%d%d\",\"sms\":%d,\"l2_bytes\":%d}", properties.major,
                properties.minor, properties.multiProcessorCount, properties.l2CacheSize);
    }
}

GPUFX_TRACE_FN_ int gpufx_trace_start_(void) {
    void *buffer = NULL;
    char *device = (char *)gpufx_trace_address_();
    return !device || cudaMalloc(&buffer, (size_t)GPUFX_TRACE_ACCESSES * sizeof(gpufx_trace_access_)) != cudaSuccess ||
                   cudaMemcpy(device + offsetof(gpufx_trace_device_, accesses), &buffer, sizeof buffer,
                              cudaMemcpyHostToDevice) != cudaSuccess
               ? -1
               : 0;
}

GPUFX_TRACE_FN_ void gpufx_trace_stop_(void) {
    char *device = (char *)gpufx_trace_address_();
    void *buffer = NULL, *none = NULL;
    if (device && cudaMemcpy(&buffer, device + offsetof(gpufx_trace_device_, accesses), sizeof buffer,
                             cudaMemcpyDeviceToHost) == cudaSuccess) {
        (void)cudaMemcpy(device + offsetof(gpufx_trace_device_, accesses), &none, sizeof none, cudaMemcpyHostToDevice);
        (void)cudaFree(buffer);
    }
}

GPUFX_TRACE_FN_ void gpufx_trace_free_(void) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    gpufx_trace_stop_();
    free(h->accesses);
    free(h->instructions);
    free(h->patterns);
    free(h->pattern_table);
    memset(h, 0, sizeof *h);
}

GPUFX_TRACE_FN_ int gpufx_trace_open(const char *path) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    memset(h, 0, sizeof *h);
    h->accesses = (gpufx_trace_access_ *)malloc((size_t)GPUFX_TRACE_ACCESSES * sizeof *h->accesses);
    h->instructions = (uint32_t *)calloc((size_t)GPUFX_TRACE_NAMES * GPUFX_TRACE_SITES, sizeof *h->instructions);
    h->file = h->accesses && h->instructions && gpufx_trace_start_() == 0 ? fopen(path, "wb") : NULL;
    if (!h->file) {
        gpufx_trace_free_();
        return -1;
    }
    fprintf(h->file, "{\"gpufx_trace\":1,\"program\":[],\"recorder\":\"header\"");
    gpufx_trace_device_frame_();
    fprintf(h->file, "}\n");
    return 0;
}

GPUFX_TRACE_FN_ void gpufx_trace_begin_(const char *kernel, const uint32_t grid[3], const uint32_t threads[3]) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    if (!h->file) {
        return;
    }
    gpufx_trace_collect_();
    for (h->kernel = 0; h->kernel < h->name_count && strncmp(h->names[h->kernel], kernel, 63); h->kernel++) {
    }
    if (h->kernel == GPUFX_TRACE_NAMES) {
        return; /* too many kernels: this one is not recorded */
    }
    if (h->kernel == h->name_count) {
        strncpy(h->names[h->name_count++], kernel, 63);
        fprintf(h->file, "{\"kernel\":{\"id\":%u,\"name\":\"", h->kernel);
        gpufx_trace_text_(h->names[h->kernel]);
        fprintf(h->file, "\"}}\n");
    }
    memcpy(h->grid, grid, sizeof h->grid);
    memcpy(h->threads, threads, sizeof h->threads);
    h->seen = 0;
    h->open_launch = 1;
}

GPUFX_TRACE_FN_ void gpufx_trace_launch(const char *kernel, dim3 grid, dim3 block) {
    const uint32_t blocks[3] = {grid.x, grid.y, grid.z}, threads[3] = {block.x, block.y, block.z};
    gpufx_trace_begin_(kernel, blocks, threads);
}

/* Returns 0, or -1 where the trace could not be written. */
GPUFX_TRACE_FN_ int gpufx_trace_close(void) {
    gpufx_trace_host_ *h = &gpufx_trace_h_;
    if (!h->file) {
        return -1;
    }
    gpufx_trace_collect_();
    fprintf(h->file, "{\"end\":{\"status\":null,\"signal\":null,\"launches\":%u}}\n", h->launch_count);
    const int bad = ferror(h->file) | fclose(h->file) | h->failed;
    gpufx_trace_free_();
    return bad ? -1 : 0;
}

#endif
#endif
