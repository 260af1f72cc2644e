/* NVML through dlopen. The prototypes are NVML's documented C ABI; only what is called here is declared. */
#include "gpu/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/cuda.h"

typedef void *nvml_device;
typedef int (*query_uint)(nvml_device, unsigned *);
typedef int (*query_text)(nvml_device, char *, unsigned size);

/* nvmlProcessInfo_v2_t, of nvmlDeviceGetComputeRunningProcesses_v3. */
typedef struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;

enum { NVML_OK = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2, MOST_PROGRAMS = 64 };

struct fx_nvml {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
    int (*clock)(nvml_device, int type, unsigned *MHz);
    int (*max_clock)(nvml_device, int type, unsigned *MHz);
    int (*throttle)(nvml_device, unsigned long long *reasons);
    int (*temperature)(nvml_device, int sensor, unsigned *celsius);
    int (*energy)(nvml_device, unsigned long long *mJ);
    int (*programs)(nvml_device, unsigned *count, process_info *);
    query_uint power_mW, link_generation, link_width;
};

static query_uint find_query(const fx_nvml *nvml, const char *name) {
    query_uint query;
    *(void **)&query = dlsym(nvml->library, name);
    return query;
}

fx_nvml *fx_nvml_open(const char *pci_bus_id) {
    fx_nvml *nvml = calloc(1, sizeof *nvml);
    int (*init)(void);
    int (*by_pci)(const char *, nvml_device *);
    if (!nvml) {
        return NULL;
    }
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library) {
        goto fail;
    }
    *(void **)&init = dlsym(nvml->library, "nvmlInit_v2");
    *(void **)&by_pci = dlsym(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&nvml->shutdown = dlsym(nvml->library, "nvmlShutdown");
    *(void **)&nvml->clock = dlsym(nvml->library, "nvmlDeviceGetClockInfo");
    *(void **)&nvml->max_clock = dlsym(nvml->library, "nvmlDeviceGetMaxClockInfo");
    *(void **)&nvml->throttle = dlsym(nvml->library, "nvmlDeviceGetCurrentClocksEventReasons"); /* the newer name */
    if (!nvml->throttle) {
        *(void **)&nvml->throttle = dlsym(nvml->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
    *(void **)&nvml->temperature = dlsym(nvml->library, "nvmlDeviceGetTemperature");
    *(void **)&nvml->energy = dlsym(nvml->library, "nvmlDeviceGetTotalEnergyConsumption");
    *(void **)&nvml->programs = dlsym(nvml->library, "nvmlDeviceGetComputeRunningProcesses_v3");
    nvml->power_mW = find_query(nvml, "nvmlDeviceGetPowerUsage");
    nvml->link_generation = find_query(nvml, "nvmlDeviceGetCurrPcieLinkGeneration");
    nvml->link_width = find_query(nvml, "nvmlDeviceGetCurrPcieLinkWidth");
    if (!init || !by_pci || !nvml->shutdown || init() != NVML_OK) {
        nvml->shutdown = NULL;
        goto fail;
    }
    if (by_pci(pci_bus_id, &nvml->device) != NVML_OK) {
        goto fail;
    }
    return nvml;
fail:
    fx_nvml_close(nvml);
    return NULL;
}

void fx_nvml_close(fx_nvml *nvml) {
    if (!nvml) {
        return;
    }
    if (nvml->shutdown) {
        nvml->shutdown();
    }
    if (nvml->library) {
        dlclose(nvml->library);
    }
    free(nvml);
}

static double ask(query_uint query, nvml_device device) {
    unsigned value;
    return query && query(device, &value) == NVML_OK ? value : (double)NAN;
}

static double ask_clock(int (*query)(nvml_device, int, unsigned *), nvml_device device, int type) {
    unsigned value;
    return query && query(device, type, &value) == NVML_OK ? value : (double)NAN;
}

/* Programs with a compute context beside this one. The pid can't always tell: a container has its own. An empty
 * list shows nobody, not even this process, so nothing is known. The parent and children of this process, which
 * an effect may start as its neighbours, are not among the others. */
static bool is_family(unsigned pid) {
    char path[32], text[512];
    if (pid == (unsigned)getppid()) {
        return true;
    }
    (void)snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) {
        (void)fclose(file);
    }
    text[length] = '\0';
    const char *end = strrchr(text, ')'); /* of the program's name; then come the state and the parent */
    unsigned parent = 0;
    return end && sscanf(end, ") %*c %u", &parent) == 1 && parent == (unsigned)getpid();
}

static int other_programs(const fx_nvml *nvml) {
    process_info programs[MOST_PROGRAMS];
    unsigned count = MOST_PROGRAMS;
    if (!nvml->programs || nvml->programs(nvml->device, &count, programs) != NVML_OK || count == 0) {
        return -1;
    }
    int others = (int)count - 1;
    for (unsigned i = 0; i < count; i++) {
        others -= others > 0 && is_family(programs[i].pid);
    }
    return others;
}

void fx_nvml_clocks(fx_nvml *nvml, fx_clocks *out) {
    *out = (fx_clocks){.sm_MHz = NAN, .memory_MHz = NAN, .temperature_C = NAN, .power_W = NAN, .other_programs = -1};
    if (!nvml) {
        return;
    }
    out->known = true;
    out->sm_MHz = ask_clock(nvml->clock, nvml->device, CLOCK_SM);
    out->memory_MHz = ask_clock(nvml->clock, nvml->device, CLOCK_MEMORY);
    out->temperature_C = ask_clock(nvml->temperature, nvml->device, 0);
    out->power_W = ask(nvml->power_mW, nvml->device) / 1e3;
    out->other_programs = other_programs(nvml);
    out->throttle_known = nvml->throttle && nvml->throttle(nvml->device, &out->throttle_reasons) == NVML_OK;
    out->throttle_reasons = out->throttle_known ? out->throttle_reasons : 0;
}

bool fx_gpu_link(fx_gpu *gpu, unsigned *generation, unsigned *width) {
    const fx_nvml *nvml = gpu->nvml;
    return nvml && nvml->link_generation && nvml->link_width &&
           nvml->link_generation(nvml->device, generation) == NVML_OK &&
           nvml->link_width(nvml->device, width) == NVML_OK;
}

bool fx_gpu_energy_mJ(fx_gpu *gpu, uint64_t *energy_mJ) {
    fx_nvml *nvml = gpu->nvml;
    unsigned long long value;
    if (!nvml || !nvml->energy || nvml->energy(nvml->device, &value) != NVML_OK) {
        return false;
    }
    *energy_mJ = value;
    return true;
}

/* nvmlGpuTopologyLevel_t. */
static const char *path_name(int level) {
    static const struct {
        int level;
        const char *name;
    } names[] = {{0, "board"},        {10, "switch"},    {20, "switches"},
                 {30, "host_bridge"}, {40, "numa_node"}, {50, "system"}};
    for (size_t i = 0; i < FX_COUNT(names); i++) {
        if (names[i].level == level) {
            return names[i].name;
        }
    }
    return NULL;
}

/* nvmlNvlinkVersion_t. */
static const char *nvlink_name(unsigned version) {
    static const char *const names[] = {NULL, "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0"};
    return version < FX_COUNT(names) ? names[version] : NULL;
}

static void describe_nvlinks(fx_nvml *nvml, nvml_device device, json_t *object) {
    enum { MOST_LINKS = 36 };
    int (*state)(nvml_device, unsigned link, unsigned *up);
    int (*version)(nvml_device, unsigned link, unsigned *version);
    unsigned up = 0, value = 0;
    bool known = false;
    *(void **)&state = dlsym(nvml->library, "nvmlDeviceGetNvLinkState");
    *(void **)&version = dlsym(nvml->library, "nvmlDeviceGetNvLinkVersion");
    for (unsigned link = 0; state && link < MOST_LINKS && state(device, link, &value) == NVML_OK; link++) {
        known = true;
        if (value && up++ == 0 && version && version(device, link, &value) == NVML_OK && nvlink_name(value)) {
            json_object_set_new(object, "nvlink_version", json_string(nvlink_name(value)));
        }
    }
    if (known) {
        json_object_set_new(object, "nvlinks", json_integer(up));
    }
}

void fx_nvml_describe_way(fx_nvml *nvml, const char *from_bus, const char *to_bus, json_t *object) {
    enum { BY_NVLINK = 2 /* nvmlGpuP2PCapsIndex_t */ };
    int (*by_pci)(const char *, nvml_device *);
    int (*p2p)(nvml_device, nvml_device, int caps, int *status);
    int (*ancestor)(nvml_device, nvml_device, int *level);
    nvml_device from, to;
    int value = 0;
    if (!nvml) {
        return;
    }
    *(void **)&by_pci = dlsym(nvml->library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&p2p = dlsym(nvml->library, "nvmlDeviceGetP2PStatus");
    *(void **)&ancestor = dlsym(nvml->library, "nvmlDeviceGetTopologyCommonAncestor");
    if (!by_pci || by_pci(from_bus, &from) != NVML_OK || by_pci(to_bus, &to) != NVML_OK) {
        return;
    }
    if (p2p && p2p(from, to, BY_NVLINK, &value) == NVML_OK) {
        json_object_set_new(object, "nvlink", json_boolean(value == NVML_OK));
    }
    if (ancestor && ancestor(from, to, &value) == NVML_OK && path_name(value)) {
        json_object_set_new(object, "path", json_string(path_name(value)));
    }
    describe_nvlinks(nvml, from, object);
}

static void add_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, isfinite(value) ? json_integer((json_int_t)value) : json_null());
}

void fx_nvml_describe_board(fx_nvml *nvml, json_t *object) {
    static const struct {
        const char *key, *function;
    } texts[] = {{"board_part_number", "nvmlDeviceGetBoardPartNumber"},
                 {"vbios", "nvmlDeviceGetVbiosVersion"},
                 {"inforom", "nvmlDeviceGetInforomImageVersion"}};
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        char text[96] = "";
        query_text query = NULL;
        if (nvml) {
            *(void **)&query = dlsym(nvml->library, texts[i].function);
        }
        const bool known = query && query(nvml->device, text, sizeof text) == NVML_OK && text[0];
        json_object_set_new(object, texts[i].key, known ? json_string(text) : json_null());
    }
}

/* "remapped_rows": those that took another's place after errors, and whether one waits for a reset or failed. */
static json_t *remapped_rows(const fx_nvml *nvml) {
    int (*rows)(nvml_device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed);
    unsigned corrected, uncorrected, pending, failed;
    *(void **)&rows = dlsym(nvml->library, "nvmlDeviceGetRemappedRows");
    if (!rows || rows(nvml->device, &corrected, &uncorrected, &pending, &failed) != NVML_OK) {
        return json_null();
    }
    return json_pack("{si si sb sb}", "corrected", (int)corrected, "uncorrected", (int)uncorrected, "pending",
                     pending != 0, "failed", failed != 0);
}

/* Since the driver was loaded. `type` is nvmlMemoryErrorType_t: 0 corrected, 1 uncorrected. */
static json_t *ecc_errors(const fx_nvml *nvml, int type) {
    int (*errors)(nvml_device, int type, int counter, unsigned long long *count);
    unsigned long long count;
    *(void **)&errors = dlsym(nvml->library, "nvmlDeviceGetTotalEccErrors");
    return errors && errors(nvml->device, type, 0, &count) == NVML_OK ? json_integer((json_int_t)count) : json_null();
}

static json_t *memory_temperature(const fx_nvml *nvml) {
    struct { /* nvmlFieldValue_t */
        unsigned field, scope;
        long long timestamp, latency_us;
        int type, status;
        union {
            double real;
            unsigned whole;
            unsigned long long wide;
        } value;
    } asked = {.field = 82 /* NVML_FI_DEV_MEMORY_TEMP */};
    int (*fields)(nvml_device, int count, void *values);
    *(void **)&fields = dlsym(nvml->library, "nvmlDeviceGetFieldValues");
    const bool known = fields && fields(nvml->device, 1, &asked) == NVML_OK && asked.status == NVML_OK;
    return known ? json_integer((json_int_t)asked.value.whole) : json_null();
}

void fx_nvml_describe(fx_nvml *nvml, json_t *object) {
    static const struct {
        const char *key, *function;
    } queries[] = {
        {"persistence_mode", "nvmlDeviceGetPersistenceMode"},
        {"compute_mode", "nvmlDeviceGetComputeMode"},
        {"power_limit_mW", "nvmlDeviceGetEnforcedPowerLimit"},
        {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
        {"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"},
        {"pcie_max_generation", "nvmlDeviceGetMaxPcieLinkGeneration"},
        {"pcie_max_width", "nvmlDeviceGetMaxPcieLinkWidth"},
    };
    static const struct {
        const char *key, *function;
    } modes[] = {{"ecc", "nvmlDeviceGetEccMode"}, {"mig", "nvmlDeviceGetMigMode"}};
    json_object_set_new(object, "nvml", json_boolean(nvml != NULL));
    if (!nvml) {
        return;
    }
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        add_number(object, queries[i].key, ask(find_query(nvml, queries[i].function), nvml->device));
    }
    for (size_t i = 0; i < FX_COUNT(modes); i++) {
        int (*mode)(nvml_device, unsigned *, unsigned *);
        unsigned now, pending;
        *(void **)&mode = dlsym(nvml->library, modes[i].function);
        const bool known = mode && mode(nvml->device, &now, &pending) == NVML_OK;
        json_object_set_new(object, modes[i].key, known ? json_boolean(now != 0) : json_null());
    }
    add_number(object, "sm_max_clock_MHz", ask_clock(nvml->max_clock, nvml->device, CLOCK_SM));
    add_number(object, "memory_max_clock_MHz", ask_clock(nvml->max_clock, nvml->device, CLOCK_MEMORY));
    json_object_set_new(object, "memory_temperature_C", memory_temperature(nvml));
    json_object_set_new(object, "ecc_corrected", ecc_errors(nvml, 0));
    json_object_set_new(object, "ecc_uncorrected", ecc_errors(nvml, 1));
    json_object_set_new(object, "remapped_rows", remapped_rows(nvml));
    const int others = other_programs(nvml);
    json_object_set_new(object, "other_programs", others >= 0 ? json_integer(others) : json_null());
}
