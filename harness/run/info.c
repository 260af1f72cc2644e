/* `info`: the objects that an archive would carry, printed key by key. The keys name their units. */
#include <fnmatch.h>
#include <glob.h>

#include "call/message.h"
#include "call/places.h"
#include "call/verb.h"
#include "core/text.h"
#include "gpu/gpu.h"
#include "provenance.h"
#include "select.h"

FX_OWNER(fx_device_destroy, fx_device)

static void print_value(const json_t *value) {
    if (json_is_string(value)) {
        FX_FREED char *text = fx_given(strdup(json_string_value(value)));
        fputs(fx_text_safe(text), stdout);
    } else if (json_is_null(value)) {
        fputs("unknown", stdout);
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "yes" : "no", stdout);
    } else if (json_is_real(value)) {
        printf("%.10g", json_real_value(value));
    } else if (json_is_integer(value)) {
        printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    } else if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++) {
            fputs(i ? ", " : "", stdout);
            print_value(json_array_get(value, i));
        }
    }
}

static void print_object(const char *title, json_t *object, int indent) {
    const char *key;
    json_t *value;
    if (json_object_size(object) == 0) {
        return;
    }
    fx_print_line(stdout, "%*s%s", indent, "", title);
    json_object_foreach(object, key, value) {
        if (json_is_object(value)) {
            print_object(key, value, indent + 2);
            continue;
        }
        printf("%*s%-*s ", indent + 2, "", 30 - indent, key); /* a word of this program */
        print_value(value);
        putchar('\n');
    }
}

static json_t *device_json(fx_device *device) {
    return json_pack("{so so so}", "device", device->describe_device(device), "driver", device->describe_driver(device),
                     "environment", device->describe_environment(device));
}

/* Whether Linux lists an NVIDIA GPU on the PCI bus, whatever the driver says. */
static bool on_the_bus(void) {
    const char *folder = getenv("GPUFX_PCI_DEVICES");
    char pattern[PATH_MAX], line[128];
    bool found = false;
    FX_OWNED(globfree) glob_t files = {0};
    (void)snprintf(pattern, sizeof pattern, "%s/*/modalias", folder ? folder : "/sys/bus/pci/devices");
    const size_t count = glob(pattern, 0, NULL, &files) ? 0 : files.gl_pathc;
    for (size_t i = 0; i < count && !found; i++) {
        FX_OWNED(fx_close_at) FILE *file = fopen(files.gl_pathv[i], "re");
        found = file && fgets(line, sizeof line, file) && !fnmatch("pci:v000010DE*bc03*", line, 0);
    }
    return found;
}

/* Why a GPU that is there can't be used, as a sentence; "" if there is none, or it was not to be. */
static void broken(const char *no_cuda, const fx_error *not_opened, char *text, size_t size) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const bool hidden = visible && (!*visible || *visible == '-' || !strcmp(visible, "NoDevFiles"));
    *text = '\0';
    if (not_opened->status) {
        (void)snprintf(text, size, "the device can't be used now: %s", not_opened->text);
    } else if (*no_cuda && strcmp(no_cuda, FX_WITHOUT_CUDA) && !hidden && on_the_bus()) {
        (void)snprintf(text, size,
                       "the driver is broken or not loaded: the PCI bus has an NVIDIA GPU, and CUDA reports: %s; check "
                       "nvidia-smi and `dmesg | grep -i nvrm`",
                       no_cuda);
    }
}

static json_t *laws_json(void) {
    json_t *laws = json_object();
    for (size_t i = 0; i < FX_LAWS; i++) {
        json_object_set_new(laws, fx_laws[i].name, json_pack("[ii]", fx_laws[i].since, fx_laws[i].priced));
    }
    return laws;
}

/* Everything about this machine as one object: "program", "law_version", "laws" (of each the first version that counts
 * as today, and the first whose fits predict), "host", "cuda_devices", "no_cuda_device" (why there is none, or null),
 * "opened" (what the device of --device, the first one or the synthetic stand-in tells, or null), "not_opened" (why it
 * can't be opened, or null), "broken" (why a GPU that is there can't be used, or null), "synthetic_devices". */
static fx_status gather(const fx_options *options, const char *root, json_t **out, fx_error *err) {
    char why[256] = "", notice[FX_NOTICE_BYTES], sentence[1024];
    json_t *list = NULL;
    FX_OWNED(fx_device_destroy_at) fx_device *device = NULL;
    fx_error problem = {0};
    size_t count = fx_cuda_device_count(why, sizeof why);
    FX_TRY(fx_cuda_device_list(&list, err));
    (void)fx_select_device(options, root, 0, &device, notice, &problem);
    if (problem.status && options->device) {
        json_decref(list);
        return fx_fail(err, problem.status, "%s", problem.text);
    }
    broken(why, &problem, sentence, sizeof sentence);
    *out = json_pack("{so si so so so so so so so so}", "program", fx_program_json(), "law_version", FX_LAW_VERSION,
                     "laws", laws_json(), "host", fx_host_json(), "cuda_devices", list, "no_cuda_device",
                     count ? json_null() : json_string(why), "opened", device ? device_json(device) : json_null(),
                     "not_opened", problem.status ? json_string(problem.text) : json_null(), "broken",
                     *sentence ? json_string(sentence) : json_null(), "synthetic_devices", fx_synthetic_names(root));
    return *out ? FX_OK : fx_fail(err, FX_NO_MEMORY, "out of memory while describing this machine");
}

static void print(const json_t *all) {
    const char *key;
    json_t *value;
    const json_t *why = json_object_get(all, "no_cuda_device"), *list = json_object_get(all, "cuda_devices");
    const json_t *synthetic = json_object_get(all, "synthetic_devices");
    if (json_is_string(why)) {
        fx_print_wrapped(stdout, 2,
                         "No CUDA device (%s). Everything but measuring works; --device synthetic:NAME simulates one.",
                         json_string_value(why));
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        print_object("cuda_device", json_array_get(list, i), 0);
    }
    json_object_foreach(json_object_get(all, "opened"), key, value) print_object(key, value, 0);
    print_object("program", json_object_get(all, "program"), 0);
    print_object("host", json_object_get(all, "host"), 0);
    puts("synthetic_devices");
    for (size_t i = 0; i < json_array_size(synthetic); i++) {
        fx_print_line(stdout, "  synthetic:%s", json_string_value(json_array_get(synthetic, i)));
    }
}

int fx_verb_info(fx_call *call) {
    fx_error err = {0};
    char root[PATH_MAX];
    json_auto_t *all = NULL;
    if (fx_root(root, &err) || gather(&call->options, root, &all, &err)) {
        return fx_exit_for(&err);
    }
    if (call->options.json) {
        (void)fx_text_print_json(stdout, all, 2);
    } else {
        print(all);
    }
    const json_t *problem = json_object_get(all, "broken");
    const int status = json_is_string(problem) ? FX_EXIT_NOTHING : FX_EXIT_OK;
    if (status) {
        fx_warn("%s", json_string_value(problem));
    }
    return status;
}
