/* The synthetic device: a parameter file behind the table of functions that a real GPU has. */
#include "synthetic.h"

#include <glob.h>

#include "json_fields.h"
#include "synthetic_model.h"

enum { FILE_SCHEMA = 1 };

typedef struct synthetic {
    fx_device device;
    json_t *document; /* the models borrow from it */
    char *origin;
    uint64_t seed;
    double sm_clock_MHz, memory_clock_MHz;
    unsigned sm_groups; /* on which what one SM does is timed in turn */
    fx_model *models;
    size_t model_count;
    uint64_t snapshots;
    double slower; /* by how much the latest sample of the open case was throttled; 1: not */
} synthetic;

/* An open case. */
typedef struct session {
    const fx_model *model;
    uint64_t index; /* of the next sample */
} session;

static json_t *describe_device(fx_device *device) {
    return fx_device_facts(device);
}

static json_t *describe_driver(fx_device *device) {
    const synthetic *self = device->self;
    const char *slash = strrchr(self->origin, '/');
    return json_pack("{ss ss si}", "name", "synthetic", "parameters", slash ? slash + 1 : self->origin,
                     "parameters_schema", FILE_SCHEMA);
}

static json_t *describe_environment(fx_device *device) {
    const synthetic *self = device->self;
    return json_pack("{sf sf}", "sm_clock_MHz", self->sm_clock_MHz, "memory_clock_MHz", self->memory_clock_MHz);
}

static fx_status warm_up(fx_device *device, double seconds, fx_error *err) {
    return FX_OK;
}

static fx_status open_case(fx_device *device, const fx_case *c, void **state, fx_error *err) {
    synthetic *self = device->self;
    const fx_model *model = NULL;
    for (size_t i = 0; i < self->model_count && !model; i++) {
        if (fx_model_matches(&self->models[i], c)) {
            model = &self->models[i];
        }
    }
    FX_FAIL_IF(!model, err, FX_UNSUPPORTED, "the synthetic device '%s' has no model for %s: add one to its file",
               self->origin, c->name);
    double count;
    FX_FAIL_IF(!fx_model_count(model, c, &count), err, FX_BAD_INPUT,
               "%s: the model of %s follows the count \"%s\", which the case does not have; `gpufx list --json "
               "--cases` prints the counts",
               self->origin, c->name, model->count);
    session *opened = fx_new(1, sizeof *opened);
    opened->model = model;
    *state = opened;
    return FX_OK;
}

static size_t round_of(fx_device *device, const fx_case *c, void *state) {
    const synthetic *self = device->self;
    return c->probe->metrics[c->prediction.metric].timebase == FX_SM_CYCLES && !device->one_sm ? self->sm_groups : 1;
}

static fx_status sample_case(fx_device *device, const fx_case *c, void *state, uint64_t seed, fx_sample *out,
                             fx_error *err) {
    synthetic *self = device->self;
    session *opened = state;
    self->slower = fx_model_throttled(opened->model, opened->index) ? opened->model->throttle.factor : 1;
    const size_t round = round_of(device, c, state);
    const int sm = round > 1 ? (int)(opened->index % round) : -1;
    fx_model_sample(opened->model, c, self->seed, seed, opened->index++, sm, self->sm_clock_MHz, out);
    return FX_OK;
}

static void close_case(fx_device *device, const fx_case *c, void *state) {
    synthetic *self = device->self;
    self->slower = 1;
    free(state);
}

static void read_clocks(fx_device *device, bool fresh, fx_clocks *out) {
    synthetic *self = device->self;
    const unsigned long long sw_thermal_slowdown = 1u << 5;
    *out = (fx_clocks){
        .sm_MHz = self->sm_clock_MHz / self->slower,
        .memory_MHz = self->memory_clock_MHz,
        .temperature_C = NAN,
        .power_W = NAN,
        .throttle_known = true,
        .throttle_reasons = self->slower > 1 ? sw_thermal_slowdown : 0,
        .number = ++self->snapshots,
        .known = true,
    };
}

static void destroy(fx_device *device) {
    synthetic *self = device->self;
    json_decref(self->document);
    free(self->models);
    free(self->origin);
    free(self);
}

static fx_status read_tag_bank(const json_t *array, const char *where, fx_geometry *out, fx_error *err) {
    FX_FAIL_IF(json_array_size(array) > FX_TAG_BITS, err, FX_BAD_INPUT,
               "%s: \"tag_bank\" may have up to %d numbers, one per bit of a line's index", where, FX_TAG_BITS);
    for (size_t bit = 0; bit < json_array_size(array); bit++) {
        const json_t *bank = json_array_get(array, bit);
        FX_FAIL_IF(!json_is_integer(bank) || json_integer_value(bank) < 0 || json_integer_value(bank) >= FX_TAG_BANKS,
                   err, FX_BAD_INPUT, "%s: \"tag_bank\" must hold whole numbers from 0 to %d", where, FX_TAG_BANKS - 1);
        out->tag_bank[bit] = (unsigned char)json_integer_value(bank);
    }
    return FX_OK;
}

static fx_status read_facts(const json_t *object, const char *where, fx_facts *facts, fx_error *err) {
    const json_t *geometry = NULL, *tag_bank = NULL;
    fx_geometry *g = &facts->geometry;
    facts->gpu_count = 1;
    memset(facts->reaches, 0xff, sizeof facts->reaches);
    memset(facts->adds, 0xff, sizeof facts->adds);
    *g = (fx_geometry){.banks = 32, .bank_bytes = 4, .sector_bytes = 32, .line_bytes = 128};
    const double most_bytes = 0x1p53;
    const fx_field fields[] = {
        {"geometry", FX_FIELD_OBJECT, &geometry, false, 0, 0},
        {"compute_major", FX_FIELD_INT, &facts->compute_major, true, 1, 99},
        {"compute_minor", FX_FIELD_INT, &facts->compute_minor, true, 0, 9},
        {"sm_count", FX_FIELD_INT, &facts->sm_count, true, 1, 1e6},
        {"warps_per_sm", FX_FIELD_INT, &facts->warps_per_sm, true, 1, 1e6},
        {"shared_per_block_bytes", FX_FIELD_U64, &facts->shared_per_block_bytes, true, 0, most_bytes},
        {"shared_per_sm_bytes", FX_FIELD_U64, &facts->shared_per_sm_bytes, true, 0, most_bytes},
        {"constant_bytes", FX_FIELD_U64, &facts->constant_bytes, true, 0, most_bytes},
        {"l2_bytes", FX_FIELD_U64, &facts->l2_bytes, true, 0, most_bytes},
        {"memory_bytes", FX_FIELD_U64, &facts->memory_bytes, true, 0, most_bytes},
        {"memory_peak_GBps", FX_FIELD_NUMBER, &facts->memory_peak_GBps, false, 0, 1e9},
        {"managed_memory", FX_FIELD_BOOL, &facts->managed_memory, false, 0, 0},
        {"pageable_access", FX_FIELD_BOOL, &facts->pageable_access, false, 0, 0},
        {"integrated", FX_FIELD_BOOL, &facts->integrated, false, 0, 0},
        {"gpu_count", FX_FIELD_INT, &facts->gpu_count, false, 1, FX_MOST_GPUS},
    };
    const fx_field geometry_fields[] = {
        {"banks", FX_FIELD_UNSIGNED, &g->banks, false, 1, FX_MAX_BANKS},
        {"bank_bytes", FX_FIELD_UNSIGNED, &g->bank_bytes, false, 1, 1024},
        {"sector_bytes", FX_FIELD_UNSIGNED, &g->sector_bytes, false, 1, 65536},
        {"line_bytes", FX_FIELD_UNSIGNED, &g->line_bytes, false, 1, 65536},
        {"tag_bank", FX_FIELD_ARRAY, &tag_bank, false, 0, 0},
        {"constant_sets", FX_FIELD_UNSIGNED, &g->constant_sets, false, 1, 1024},
        {"constant_ways", FX_FIELD_UNSIGNED, &g->constant_ways, false, 1, 1024},
        {"constant_line_bytes", FX_FIELD_UNSIGNED, &g->constant_line_bytes, false, 1, 65536},
    };
    char inner[200];
    snprintf(inner, sizeof inner, "%s: facts", where);
    FX_TRY(fx_fields_read(object, inner, fields, FX_COUNT(fields), err));
    snprintf(inner, sizeof inner, "%s: facts.geometry", where);
    if (geometry) {
        FX_TRY(fx_fields_read(geometry, inner, geometry_fields, FX_COUNT(geometry_fields), err));
    }
    FX_FAIL_IF(g->line_bytes % g->sector_bytes != 0, err, FX_BAD_INPUT,
               "%s: line_bytes %u is not a multiple of sector_bytes %u", inner, g->line_bytes, g->sector_bytes);
    FX_FAIL_IF((!g->constant_sets != !g->constant_ways || !g->constant_sets != !g->constant_line_bytes), err,
               FX_BAD_INPUT, "%s: give constant_sets, constant_ways and constant_line_bytes together, or none of them",
               inner);
    if (tag_bank) {
        FX_TRY(read_tag_bank(tag_bank, inner, g, err));
    }
    return FX_OK;
}

static fx_status read_models(const json_t *array, synthetic *self, fx_error *err) {
    size_t count = json_array_size(array);
    FX_FAIL_IF(count == 0, err, FX_BAD_INPUT, "%s: \"models\" is empty; a device needs at least one", self->origin);
    self->models = fx_new(count, sizeof *self->models);
    for (; self->model_count < count; self->model_count++) {
        char where[160];
        snprintf(where, sizeof where, "%.120s: models[%zu]", self->origin, self->model_count);
        FX_TRY(fx_model_read(json_array_get(array, self->model_count), where, &self->models[self->model_count], err));
    }
    return FX_OK;
}

static fx_status read_document(synthetic *self, fx_error *err) {
    fx_device *device = &self->device;
    const char *name = NULL;
    const json_t *facts = NULL, *models = NULL;
    const fx_field fields[] = {
        {"schema", FX_FIELD_INT, NULL, true, FILE_SCHEMA, FILE_SCHEMA},
        {"name", FX_FIELD_TEXT, &name, true, 0, 0},
        {"description", FX_FIELD_TEXT, NULL, false, 0, 0},
        {"sm_clock_MHz", FX_FIELD_NUMBER, &self->sm_clock_MHz, true, 1, 1e6},
        {"memory_clock_MHz", FX_FIELD_NUMBER, &self->memory_clock_MHz, false, 1, 1e6},
        {"sm_groups", FX_FIELD_UNSIGNED, &self->sm_groups, false, 1, 16},
        {"facts", FX_FIELD_OBJECT, &facts, true, 0, 0},
        {"models", FX_FIELD_ARRAY, &models, true, 0, 0},
    };
    FX_TRY(fx_fields_read(self->document, self->origin, fields, FX_COUNT(fields), err));
    FX_FAIL_IF(strlen(name) == 0 || strlen(name) >= sizeof device->name, err, FX_BAD_INPUT,
               "%s: \"name\" must have 1 to %zu bytes", self->origin, sizeof device->name - 1);
    FX_TRY(read_facts(facts, self->origin, &device->facts, err));
    strcpy(device->name, name);
    fx_slug(name, device->slug, sizeof device->slug);
    snprintf(device->arch, sizeof device->arch, "sm_%d%d", device->facts.compute_major, device->facts.compute_minor);
    return read_models(models, self, err);
}

static fx_status read_file(const char *path, json_t **out, fx_error *err) {
    json_error_t problem;
    FX_OWNED(fx_close_at) FILE *file = fopen(path, "re");
    FX_FAIL_IF(!file, err, errno == ENOENT ? FX_BAD_INPUT : FX_IO,
               "cannot read the synthetic device '%s': %s; name a device or a .json file", path, strerror(errno));
    *out = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
    FX_FAIL_IF(ferror(file), err, FX_IO, "cannot read the synthetic device '%s'; name a .json file", path);
    return *out ? FX_OK
                : fx_fail(err, FX_BAD_INPUT, "%s, line %d: %s; correct the file", path, problem.line, problem.text);
}

/* Appends the models of one effect's file, which are of the probe whose folder it lies in. */
static fx_status include_file(const char *path, json_t *models, fx_error *err) {
    char probe[64];
    json_auto_t *list = NULL;
    const char *end = strrchr(path, '/'), *begin = end;
    while (begin && begin > path && begin[-1] != '/') {
        begin--;
    }
    (void)snprintf(probe, sizeof probe, "%.*s", begin ? (int)(end - begin) : 0, begin ? begin : "");
    FX_TRY(read_file(path, &list, err));
    FX_FAIL_IF(!json_is_array(list), err, FX_BAD_INPUT, "%s must hold a list of models; correct the file", path);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *model = json_array_get(list, i);
        FX_FAIL_IF(json_object_set_new(model, "probe", json_string(probe)) || json_array_append(models, model), err,
                   FX_BAD_INPUT, "%s: item %zu is not a model; correct the file", path, i);
    }
    return FX_OK;
}

/* Replaces each {"include": PATTERN} among the models by those of the files that match the pattern, which is relative
 * to the folder of the devices that ship, so that a copied file means the same; in order of name. */
static fx_status include_models(json_t *document, const char *origin, const char *folder, fx_error *err) {
    const json_t *written = json_object_get(document, "models");
    json_auto_t *models = json_array();
    for (size_t i = 0; i < json_array_size(written); i++) {
        json_t *item = json_array_get(written, i);
        const char *pattern = json_string_value(json_object_get(item, "include"));
        FX_OWNED(globfree) glob_t found = {0};
        if (!pattern) {
            (void)json_array_append(models, item);
            continue;
        }
        FX_FREED char *path = fx_printed("%s/%s", folder, pattern);
        FX_FAIL_IF(glob(path, 0, NULL, &found), err, FX_BAD_INPUT,
                   "%s: no file matches the include '%s'; correct the pattern", origin, pattern);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            FX_TRY(include_file(found.gl_pathv[k], models, err));
        }
    }
    if (json_is_array(written)) { /* else read_document says what is wrong */
        (void)json_object_set(document, "models", models);
    }
    return FX_OK;
}

FX_OWNER(fx_device_destroy, fx_device)

/* Takes the document. */
static fx_status make(json_t *document, const char *origin, const char *folder, uint64_t seed, fx_device **out,
                      fx_error *err) {
    synthetic *self = fx_new(1, sizeof *self);
    self->origin = fx_given(strdup(origin));
    self->seed = seed;
    self->slower = 1;
    self->sm_groups = 1;
    self->device = (fx_device){
        .synthetic = true,
        .self = self,
        .describe_device = describe_device,
        .describe_driver = describe_driver,
        .describe_environment = describe_environment,
        .warm_up = warm_up,
        .open = open_case,
        .sample = sample_case,
        .close = close_case,
        .round = round_of,
        .clocks = read_clocks,
        .destroy = destroy,
    };
    self->document = document;
    FX_OWNED(fx_device_destroy_at) fx_device *device = &self->device;
    FX_TRY(include_models(document, origin, folder, err));
    FX_TRY(read_document(self, err));
    *out = device;
    device = NULL; /* handed over */
    return FX_OK;
}

fx_status fx_synthetic_load(const char *folder, const char *name_or_path, uint64_t seed, fx_device **out,
                            fx_error *err) {
    *out = NULL;
    const char *dot = strrchr(name_or_path, '.');
    bool is_path = strchr(name_or_path, '/') || (dot && strcmp(dot, ".json") == 0);
    FX_FREED char *path = is_path ? fx_printed("%s", name_or_path) : fx_printed("%s/%s.json", folder, name_or_path);
    json_t *document = NULL;
    FX_TRY(read_file(path, &document, err));
    return make(document, path, folder, seed, out, err);
}
