/* NVML through dlopen. The prototypes are NVML's documented C ABI; only what is called here is declared. */
#include "gpu/nvml.h"

#include <dlfcn.h>
#include <unistd.h>

#include "gpu/cuda.h"

typedef void *nvml_device;

/* A key of the archive, and the function of NVML that has its value. */
typedef struct named_query {
    const char *key, *function;
} named_query;

/* nvmlProcessInfo_v2_t, of nvmlDeviceGetComputeRunningProcesses_v3. */
typedef struct process_info {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
} process_info;

enum { NVML_OK = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2, MOST_PROGRAMS = 64, MOST_LINKS = 64 };

struct fx_nvml {
    void *library;
    nvml_device device;
    int (*shutdown)(void);
};

/* *(F **)function is NVML's function of that name, NULL where there is none. */
static void find(const fx_nvml *nvml, const char *name, void *function) {
    void *found = nvml ? dlsym(nvml->library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

fx_nvml *fx_nvml_open(const char *pci_bus_id) {
    int (*init)(void), (*by_pci)(const char *, nvml_device *);
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        return NULL;
    }
    fx_nvml *nvml = fx_new(1, sizeof *nvml);
    nvml->library = library;
    find(nvml, "nvmlInit_v2", &init);
    find(nvml, "nvmlDeviceGetHandleByPciBusId_v2", &by_pci);
    if (init && by_pci && init() == NVML_OK) {
        find(nvml, "nvmlShutdown", &nvml->shutdown);
        if (by_pci(pci_bus_id, &nvml->device) == NVML_OK) {
            return nvml;
        }
    }
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
    dlclose(nvml->library);
    free(nvml);
}

/* NAN where the driver does not tell. */
static double ask(const fx_nvml *nvml, const char *name) {
    int (*query)(nvml_device, unsigned *);
    unsigned value;
    find(nvml, name, &query);
    return query && query(nvml->device, &value) == NVML_OK ? value : (double)NAN;
}

/* The same of a function with an argument, such as the kind of a clock. */
static double ask_of(const fx_nvml *nvml, const char *name, int which) {
    int (*query)(nvml_device, int, unsigned *);
    unsigned value;
    find(nvml, name, &query);
    return query && query(nvml->device, which, &value) == NVML_OK ? value : (double)NAN;
}

/* Of 64 bits; false where the driver does not tell. */
static bool ask_wide(const fx_nvml *nvml, const char *name, unsigned long long *value) {
    int (*query)(nvml_device, unsigned long long *);
    find(nvml, name, &query);
    return query && query(nvml->device, value) == NVML_OK;
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
    FX_OWNED(fx_close_at) FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    const char *end = strrchr(text, ')'); /* of the program's name; then come the state and the parent */
    unsigned parent = 0;
    return end && sscanf(end, ") %*c %u", &parent) == 1 && parent == (unsigned)getpid();
}

static int other_programs(const fx_nvml *nvml) {
    int (*running)(nvml_device, unsigned *count, process_info *);
    process_info programs[MOST_PROGRAMS];
    unsigned count = MOST_PROGRAMS;
    find(nvml, "nvmlDeviceGetComputeRunningProcesses_v3", &running);
    if (!running || running(nvml->device, &count, programs) != NVML_OK || count == 0) {
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
    out->sm_MHz = ask_of(nvml, "nvmlDeviceGetClockInfo", CLOCK_SM);
    out->memory_MHz = ask_of(nvml, "nvmlDeviceGetClockInfo", CLOCK_MEMORY);
    out->temperature_C = ask_of(nvml, "nvmlDeviceGetTemperature", 0);
    out->power_W = ask(nvml, "nvmlDeviceGetPowerUsage") / 1e3;
    out->other_programs = other_programs(nvml);
    out->throttle_known =
        ask_wide(nvml, "nvmlDeviceGetCurrentClocksEventReasons", &out->throttle_reasons) ||
        ask_wide(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", &out->throttle_reasons); /* older */
    out->throttle_reasons = out->throttle_known ? out->throttle_reasons : 0;
}

bool fx_gpu_link(fx_gpu *gpu, unsigned *generation, unsigned *width) {
    const double found = ask(gpu->nvml, "nvmlDeviceGetCurrPcieLinkGeneration");
    const double wide = ask(gpu->nvml, "nvmlDeviceGetCurrPcieLinkWidth");
    const bool known = isfinite(found) && isfinite(wide);
    *generation = known ? (unsigned)found : 0;
    *width = known ? (unsigned)wide : 0;
    return known;
}

bool fx_gpu_energy_mJ(fx_gpu *gpu, uint64_t *energy_mJ) {
    unsigned long long value = 0;
    const bool known = ask_wide(gpu->nvml, "nvmlDeviceGetTotalEnergyConsumption", &value);
    *energy_mJ = value;
    return known;
}

static void add_number(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, isfinite(value) ? json_integer((json_int_t)value) : json_null());
}

void fx_nvml_describe_board(fx_nvml *nvml, json_t *object) {
    static const named_query texts[] = {{"board_part_number", "nvmlDeviceGetBoardPartNumber"},
                                        {"vbios", "nvmlDeviceGetVbiosVersion"},
                                        {"inforom", "nvmlDeviceGetInforomImageVersion"}};
    for (size_t i = 0; i < FX_COUNT(texts); i++) {
        char text[96] = "";
        int (*query)(nvml_device, char *, unsigned size);
        find(nvml, texts[i].function, &query);
        const bool known = query && query(nvml->device, text, sizeof text) == NVML_OK && text[0];
        json_object_set_new(object, texts[i].key, known ? json_string(text) : json_null());
    }
}

/* "remapped_rows": those that took another's place after errors, and whether one waits for a reset or failed. */
static json_t *remapped_rows(const fx_nvml *nvml) {
    int (*rows)(nvml_device, unsigned *corrected, unsigned *uncorrected, unsigned *pending, unsigned *failed);
    unsigned corrected, uncorrected, pending, failed;
    find(nvml, "nvmlDeviceGetRemappedRows", &rows);
    if (!rows || rows(nvml->device, &corrected, &uncorrected, &pending, &failed) != NVML_OK) {
        return json_null();
    }
    return json_pack("{si si sb sb}", "corrected", (int)corrected, "uncorrected", (int)uncorrected, "pending",
                     pending != 0, "failed", failed != 0);
}

/* How many are up; NAN where the GPU has none, or the machine shows none. */
static double nvlinks(const fx_nvml *nvml) {
    double count = ask_of(nvml, "nvmlDeviceGetNvLinkState", 0);
    for (int link = 1; link < MOST_LINKS; link++) {
        const double up = ask_of(nvml, "nvmlDeviceGetNvLinkState", link);
        count += isfinite(up) ? up : 0;
    }
    return count;
}

/* Since the driver was loaded. `type` is nvmlMemoryErrorType_t: 0 corrected, 1 uncorrected. */
static json_t *ecc_errors(const fx_nvml *nvml, int type) {
    int (*errors)(nvml_device, int type, int counter, unsigned long long *count);
    unsigned long long count;
    find(nvml, "nvmlDeviceGetTotalEccErrors", &errors);
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
    find(nvml, "nvmlDeviceGetFieldValues", &fields);
    const bool known = fields && fields(nvml->device, 1, &asked) == NVML_OK && asked.status == NVML_OK;
    return known ? json_integer((json_int_t)asked.value.whole) : json_null();
}

void fx_nvml_describe(fx_nvml *nvml, json_t *object) {
    static const named_query queries[] = {
        {"persistence_mode", "nvmlDeviceGetPersistenceMode"},
        {"compute_mode", "nvmlDeviceGetComputeMode"},
        {"power_limit_mW", "nvmlDeviceGetEnforcedPowerLimit"},
        {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
        {"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"},
        {"pcie_max_generation", "nvmlDeviceGetMaxPcieLinkGeneration"},
        {"pcie_max_width", "nvmlDeviceGetMaxPcieLinkWidth"},
    };
    static const named_query modes[] = {{"ecc", "nvmlDeviceGetEccMode"}, {"mig", "nvmlDeviceGetMigMode"}};
    json_object_set_new(object, "nvml", json_boolean(nvml != NULL));
    if (!nvml) {
        return;
    }
    for (size_t i = 0; i < FX_COUNT(queries); i++) {
        add_number(object, queries[i].key, ask(nvml, queries[i].function));
    }
    for (size_t i = 0; i < FX_COUNT(modes); i++) {
        int (*mode)(nvml_device, unsigned *, unsigned *);
        unsigned now, pending;
        find(nvml, modes[i].function, &mode);
        const bool known = mode && mode(nvml->device, &now, &pending) == NVML_OK;
        json_object_set_new(object, modes[i].key, known ? json_boolean(now != 0) : json_null());
    }
    add_number(object, "sm_max_clock_MHz", ask_of(nvml, "nvmlDeviceGetMaxClockInfo", CLOCK_SM));
    add_number(object, "memory_max_clock_MHz", ask_of(nvml, "nvmlDeviceGetMaxClockInfo", CLOCK_MEMORY));
    json_object_set_new(object, "memory_temperature_C", memory_temperature(nvml));
    json_object_set_new(object, "ecc_corrected", ecc_errors(nvml, 0));
    json_object_set_new(object, "ecc_uncorrected", ecc_errors(nvml, 1));
    json_object_set_new(object, "remapped_rows", remapped_rows(nvml));
    add_number(object, "nvlinks", nvlinks(nvml));
    const int others = other_programs(nvml);
    json_object_set_new(object, "other_programs", others >= 0 ? json_integer(others) : json_null());
}
