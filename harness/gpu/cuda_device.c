/* The CUDA device behind fx_device: facts from the runtime, clocks from NVML, cases through the probes' own hooks. */
#include <nvtx3/nvToolsExt.h>

#include "core/text.h"
#include "gpu/cuda.h"
#include "gpu/gpu.h"
#include "gpu/gpus.h"
#include "gpu/host_memory.h"
#include "gpu/numa.h"
#include "gpu/nvml.h"
#include "gpu/pool.h"
#include "gpu/rig.h"
#include "kernel_hash.h"

typedef struct cuda_device {
    fx_gpu gpu;
    char pci_bus_id[32], uuid[64];
    fx_clocks clocks; /* the last snapshot */
    double clocks_ns; /* when it was taken */
    uint64_t snapshots;
} cuda_device;

/* Each case is in an NVTX range of its own name, which Nsight Systems and Nsight Compute show. The domain is NULL where
 * no profiler is in the process, and then the calls do nothing. */
static nvtxDomainHandle_t domain(void) {
    static nvtxDomainHandle_t handle;
    if (!handle) {
        handle = nvtxDomainCreateA("gpufx");
    }
    return handle;
}

/* Ranges nest, and end in the thread that began them. `name` is copied. */
static void nvtx_begin(const char *name) {
    const nvtxEventAttributes_t event = {
        .version = NVTX_VERSION,
        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
        .messageType = NVTX_MESSAGE_TYPE_ASCII,
        .message = {.ascii = name},
    };
    nvtxDomainRangePushEx(domain(), &event);
}

static void nvtx_end(void) {
    nvtxDomainRangePop(domain());
}

static void format_uuid(const struct cudaDeviceProp *properties, char *text, size_t size) {
    const unsigned char *b = (const unsigned char *)properties->uuid.bytes;
    snprintf(text, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
             b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

size_t fx_cuda_device_count(char *why, size_t size) {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count > 0) {
        return (size_t)count;
    }
    cudaGetLastError();
    snprintf(why, size, "%s",
             code == cudaErrorInsufficientDriver
                 ? "no NVIDIA driver is installed, or it is older than this CUDA runtime"
             : code == cudaErrorNoDevice || code == cudaSuccess ? "the driver sees no CUDA device"
                                                                : cudaGetErrorString(code));
    return 0;
}

fx_status fx_cuda_device_list(json_t **out, fx_error *err) {
    char why[128];
    json_auto_t *list = json_array();
    const size_t count = fx_cuda_device_count(why, sizeof why);
    for (size_t i = 0; i < count; i++) {
        struct cudaDeviceProp properties;
        char uuid[64], arch[16];
        FX_TRY_CUDA(cudaGetDeviceProperties(&properties, (int)i));
        format_uuid(&properties, uuid, sizeof uuid);
        snprintf(arch, sizeof arch, "sm_%d%d", properties.major, properties.minor);
        json_array_append_new(list,
                              json_pack("{s:i s:s s:s s:s s:I}", "ordinal", (int)i, "name", properties.name, "uuid",
                                        uuid, "arch", arch, "memory_bytes", (json_int_t)properties.totalGlobalMem));
    }
    *out = json_incref(list);
    return FX_OK;
}

static uint64_t attribute(int ordinal, enum cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess && value > 0 ? (uint64_t)value : 0;
}

static void read_facts(const struct cudaDeviceProp *p, int ordinal, fx_facts *facts) {
    const double memory_kHz = (double)attribute(ordinal, cudaDevAttrMemoryClockRate);
    *facts = (fx_facts){
        .geometry = fx_geometry_of(p->major, p->minor),
        .compute_major = p->major,
        .compute_minor = p->minor,
        .sm_count = p->multiProcessorCount,
        .warps_per_sm = p->maxThreadsPerMultiProcessor / p->warpSize,
        .shared_per_block_bytes = p->sharedMemPerBlockOptin,
        .shared_per_sm_bytes = p->sharedMemPerMultiprocessor,
        .constant_bytes = p->totalConstMem,
        .l2_bytes = (uint64_t)p->l2CacheSize,
        .memory_bytes = p->totalGlobalMem,
        /* two transfers per clock on every memory CUDA devices of today have */
        .memory_peak_GBps = 2 * memory_kHz * 1e3 * (p->memoryBusWidth / 8.0) / 1e9,
        .managed_memory = p->concurrentManagedAccess != 0,
        .pageable_access = p->pageableMemoryAccess != 0,
        .integrated = p->integrated != 0,
    };
    fx_gpus_in_reach(facts);
}

static json_t *describe_device(fx_device *device) {
    const cuda_device *self = device->self;
    json_t *object = fx_device_facts(device);
    const int gpu = self->gpu.ordinal, node = self->gpu.numa_node;
    (void)json_object_update_new(
        object,
        json_pack("{sI sI ss}", "memory_clock_MHz", (json_int_t)(attribute(gpu, cudaDevAttrMemoryClockRate) / 1000),
                  "memory_bus_bits", (json_int_t)attribute(gpu, cudaDevAttrGlobalMemoryBusWidth), "uuid", self->uuid));
    fx_nvml_describe_board(self->gpu.nvml, object);
    (void)json_object_update_new(object, json_pack("{ss sI so}", "pci_bus_id", self->pci_bus_id, "copy_engines",
                                                   (json_int_t)attribute(gpu, cudaDevAttrAsyncEngineCount), "numa_node",
                                                   node >= 0 ? json_integer(node) : json_null()));
    return object;
}

/* Of one GPU to another: what the driver says of mapping its memory. */
static json_t *describe_way(const cuda_device *self, int from, int to) {
    int native_atomics = 0, rank = -1;
    json_t *way = json_pack("{si sb}", "to", to, "access", self->gpu.facts.reaches[from] >> to & 1);
    if (cudaDeviceGetP2PAttribute(&native_atomics, cudaDevP2PAttrNativeAtomicSupported, from, to) == cudaSuccess) {
        json_object_set_new(way, "native_atomics", json_boolean(native_atomics));
    }
    if (cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, from, to) == cudaSuccess) {
        json_object_set_new(way, "performance_rank", json_integer(rank));
    }
    cudaGetLastError();
    return way;
}

static json_t *describe_gpus(fx_device *device) {
    const cuda_device *self = device->self;
    json_t *gpus = json_array();
    for (int i = 0; i < self->gpu.facts.gpu_count; i++) {
        struct cudaDeviceProp properties;
        char uuid[64], bus[32] = "";
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess ||
            cudaDeviceGetPCIBusId(bus, sizeof bus, i) != cudaSuccess) {
            cudaGetLastError();
            json_array_append_new(gpus, json_null());
            continue;
        }
        json_t *others =
            FX_JSON_LIST(to, (size_t)self->gpu.facts.gpu_count, (int)to != i ? describe_way(self, i, (int)to) : NULL);
        format_uuid(&properties, uuid, sizeof uuid);
        const int node = fx_numa_node_of(bus);
        json_array_append_new(gpus, json_pack("{si sb ss ss ss so so}", "index", i, "this", i == self->gpu.ordinal,
                                              "name", properties.name, "uuid", uuid, "pci_bus_id", bus, "numa_node",
                                              node >= 0 ? json_integer(node) : json_null(), "others", others));
    }
    return gpus;
}

static json_t *describe_driver(fx_device *device) {
    int driver = 0, runtime = 0;
    char version[80] = "";
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    FX_OWNED(fx_close_at) FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file && fgets(version, sizeof version, file)) {
        version[strcspn(version, "\n")] = '\0';
    }
    return json_pack("{s:o s:i s:i}", "version", version[0] ? json_string(version) : json_null(), "cuda_driver", driver,
                     "cuda_runtime", runtime);
}

static json_t *describe_environment(fx_device *device) {
    const cuda_device *self = device->self;
    json_t *object = json_object();
    fx_nvml_describe(self->gpu.nvml, object);
    (void)json_object_update_new(object, json_pack("{sI sf ss?}", "sm_groups", (json_int_t)self->gpu.sm_groups.count,
                                                   "globaltimer_tick_ns", self->gpu.timer_tick_ns,
                                                   "cuda_visible_devices", getenv("CUDA_VISIBLE_DEVICES")));
    return object;
}

static void take_snapshot(cuda_device *self) {
    fx_nvml_clocks(self->gpu.nvml, &self->clocks);
    self->clocks_ns = fx_now_ns();
    self->snapshots++;
}

static fx_status warm_up(fx_device *device, double seconds, fx_error *err) {
    cuda_device *self = device->self;
    const double end = fx_now_ns() + seconds * 1e9;
    while (fx_now_ns() < end) {
        for (int i = 0; i < 50; i++) {
            FX_TRY(fx_gpu_flush_l2(&self->gpu, err));
        }
        FX_TRY(fx_gpu_wait(&self->gpu, err));
    }
    take_snapshot(self); /* its first call is slow, and no case should pay for it */
    return FX_OK;
}

static fx_status open_case(fx_device *device, const fx_case *c, void **state, fx_error *err) {
    cuda_device *self = device->self;
    FX_FAIL_IF(!c->probe->arrange, err, FX_UNSUPPORTED, "this build has no kernels");
    nvtx_begin(c->name);
    self->gpu.stretch = device->stretch;
    self->gpu.one_sm = device->one_sm || device->stretch > 0;
    const fx_status status = fx_rig_open(&self->gpu, c, state, err);
    if (status != FX_OK) {
        nvtx_end(); /* there will be no close */
    }
    return status;
}

static fx_status sample_case(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    return fx_rig_sample(state, seed, out, err);
}

static size_t round_of(fx_device *device, const fx_case *c, void *state) {
    const fx_rig *rig = state;
    return rig->group_count > 1 ? rig->group_count : 1;
}

static void ran(fx_device *device, const fx_case *c, void *state, fx_launched *out) {
    const fx_rig *rig = state;
    fx_rig_ran(rig, out);
    (void)fx_kernel_hash(rig->work->entry.address, out->code_hash);
}

static void close_case(fx_device *device, const fx_case *c, void *state) {
    fx_rig_close(state);
    nvtx_end();
}

/* NVML answers in tenths of a millisecond to several milliseconds, as long as many a case takes: a snapshot of the last
 * 50 ms is new enough for clocks that the driver itself moves more slowly. */
static void clocks(fx_device *device, bool fresh, fx_clocks *out) {
    cuda_device *self = device->self;
    if (fresh || self->clocks_ns == 0 || fx_now_ns() - self->clocks_ns > 50e6) {
        take_snapshot(self);
    }
    *out = self->clocks;
    out->age_ms = (fx_now_ns() - self->clocks_ns) / 1e6;
    out->number = self->snapshots;
}

static void destroy(fx_device *device) {
    cuda_device *self = device->self;
    fx_sm_groups_close(&self->gpu.sm_groups);
    cudaFree(self->gpu.flush);
    cudaFree(self->gpu.scratch);
    fx_stream_drop(self->gpu.stream);
    fx_stream_drop(self->gpu.other_stream);
    fx_nvml_close(self->gpu.nvml);
    fx_host_memory_drop(&self->gpu);
    fx_pool_close(&self->gpu);
    cudaDeviceReset(); /* a child process may need the device for itself */
    free(self);
    free(device);
}

FX_OWNER(fx_device_destroy, fx_device)

fx_status fx_cuda_device_open(int ordinal, fx_device **out, fx_error *err) {
    struct cudaDeviceProp properties;
    FX_OWNED(fx_device_destroy_at) fx_device *device = fx_new(1, sizeof *device);
    cuda_device *self = fx_new(1, sizeof *self);

    setenv("CUDA_MODULE_LOADING", "EAGER", 0); /* lazy loading can deadlock behind a spinning latch */
    *device = (fx_device){
        .self = self,
        .describe_device = describe_device,
        .describe_driver = describe_driver,
        .describe_environment = describe_environment,
        .describe_gpus = describe_gpus,
        .warm_up = warm_up,
        .open = open_case,
        .sample = sample_case,
        .close = close_case,
        .round = round_of,
        .ran = ran,
        .clocks = clocks,
        .destroy = destroy,
    };
    FX_TRY_CUDA(cudaSetDevice(ordinal));
    FX_TRY_CUDA(cudaGetDeviceProperties(&properties, ordinal));
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof device->name - 1, properties.name);
    fx_slug(device->name, device->slug, sizeof device->slug);
    snprintf(device->arch, sizeof device->arch, "sm_%d%d", properties.major, properties.minor);
    format_uuid(&properties, self->uuid, sizeof self->uuid);
    FX_TRY_CUDA(cudaDeviceGetPCIBusId(self->pci_bus_id, sizeof self->pci_bus_id, ordinal));
    self->gpu.nvml = fx_nvml_open(self->pci_bus_id);
    self->gpu.numa_node = fx_numa_node_of(self->pci_bus_id);
    read_facts(&properties, ordinal, &device->facts);
    self->gpu.ordinal = ordinal;
    self->gpu.facts = device->facts;
    FX_TRY_CUDA(cudaStreamCreateWithFlags(&self->gpu.stream, cudaStreamNonBlocking));
    FX_TRY_CUDA(cudaStreamCreateWithFlags(&self->gpu.other_stream, cudaStreamNonBlocking));
    self->gpu.flush_bytes = device->facts.l2_bytes > 0 ? 2 * device->facts.l2_bytes : (size_t)64 << 20;
    FX_TRY_CUDA(cudaMalloc(&self->gpu.flush, self->gpu.flush_bytes));
    FX_TRY_CUDA(cudaMalloc((void **)&self->gpu.scratch, sizeof *self->gpu.scratch));
    FX_TRY(fx_gpu_fill(&self->gpu, self->gpu.flush, self->gpu.flush_bytes / 4, 1, err));
    FX_TRY(fx_gpu_timer_tick(&self->gpu, &self->gpu.timer_tick_ns, err));
    FX_TRY(fx_event_tick(&self->gpu, &self->gpu.event_tick_ns, err));
    FX_TRY(fx_pool_open(&self->gpu, err));
    fx_sm_groups_open(ordinal, &self->gpu.sm_groups);
    *out = device;
    device = NULL; /* handed over */
    return FX_OK;
}
