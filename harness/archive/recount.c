/* A case is its params and its lanes; all else of it follows. */
#include "recount.h"

#include <stdio.h>
#include <string.h>

static uint64_t whole(const json_t *object, const char *key) {
    const json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

fx_facts fx_facts_of_run(const json_t *run) {
    const json_t *device = json_object_get(run, "device"), *geometry = json_object_get(device, "geometry");
    const json_t *tag_bank = json_object_get(geometry, "tag_bank");
    const char *provenance = json_string_value(json_object_get(run, "provenance"));
    fx_facts facts = {.compute_major = (int)whole(device, "compute_major"),
                      .compute_minor = (int)whole(device, "compute_minor"),
                      .sm_count = (int)whole(device, "sm_count"),
                      .warps_per_sm = (int)whole(device, "warps_per_sm"),
                      .shared_per_block_bytes = whole(device, "shared_per_block_bytes"),
                      .shared_per_sm_bytes = whole(device, "shared_per_sm_bytes"),
                      .constant_bytes = whole(device, "constant_bytes"),
                      .l2_bytes = whole(device, "l2_bytes"),
                      .memory_bytes = whole(device, "memory_bytes"),
                      .memory_peak_GBps = json_number_value(json_object_get(device, "memory_peak_GBps")),
                      .managed_memory = json_is_true(json_object_get(device, "managed_memory")),
                      .pageable_access = json_is_true(json_object_get(device, "pageable_access")),
                      .integrated = json_is_true(json_object_get(device, "integrated")),
                      .gpu_count = (int)whole(device, "gpu_count")};
    facts.geometry = fx_geometry_of(facts.compute_major, facts.compute_minor);
    if (provenance && strcmp(provenance, "measured") != 0) {
        facts.geometry = (fx_geometry){.banks = (unsigned)whole(geometry, "banks"),
                                       .bank_bytes = (unsigned)whole(geometry, "bank_bytes"),
                                       .sector_bytes = (unsigned)whole(geometry, "sector_bytes"),
                                       .line_bytes = (unsigned)whole(geometry, "line_bytes"),
                                       .constant_sets = (unsigned)whole(geometry, "constant_sets"),
                                       .constant_ways = (unsigned)whole(geometry, "constant_ways"),
                                       .constant_line_bytes = (unsigned)whole(geometry, "constant_line_bytes")};
        for (size_t bit = 0; bit < FX_TAG_BITS; bit++) {
            facts.geometry.tag_bank[bit] = (unsigned char)json_integer_value(json_array_get(tag_bank, bit));
        }
    }
    return facts;
}

static bool read_value(const fx_axis *axis, const json_t *value, int64_t *out) {
    const char *wanted = json_string_value(value);
    char text[64];
    if (!axis->choices) {
        *out = json_integer_value(value);
        return json_is_integer(value);
    }
    for (*out = 0; wanted && fx_axis_choice(axis, *out, text, sizeof text); ++*out) {
        if (!strcmp(text, wanted)) {
            return true;
        }
    }
    return false;
}

bool fx_params_read(const fx_probe *probe, const json_t *params, fx_params *out) {
    *out = (fx_params){0};
    for (size_t i = 0; i < probe->axes_count; i++) {
        if (!read_value(&probe->axes[i], json_object_get(params, probe->axes[i].name), &out->value[i])) {
            return false;
        }
    }
    return true;
}

bool fx_recount(const fx_facts *facts, const json_t *line, fx_case *out) {
    const json_t *offsets = json_object_get(line, "lanes");
    const char *name = json_string_value(json_object_get(line, "name"));
    out->probe = fx_probe_find(json_string_value(json_object_get(line, "probe")));
    /* a case with other axes is of another method */
    if (!out->probe || !out->probe->law || !out->probe->fit_by || !name ||
        json_object_size(json_object_get(line, "params")) != out->probe->axes_count ||
        !fx_params_read(out->probe, json_object_get(line, "params"), &out->params)) {
        return false;
    }
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    out->has_lanes = json_array_size(offsets) == FX_WARP;
    for (size_t l = 0; l < FX_WARP && out->has_lanes; l++) {
        out->lanes.offset[l] = (int32_t)json_integer_value(json_array_get(offsets, l));
    }
    fx_lanes wanted;
    if (!out->has_lanes && out->probe->lanes && out->probe->lanes(&out->params, &wanted)) {
        return false;
    }
    out->probe->law(facts, &out->params, out->has_lanes ? &out->lanes : NULL, &out->prediction);
    const json_t *metric = json_object_get(json_object_get(line, "metric"), "name");
    return out->prediction.law && json_is_string(metric) &&
           !strcmp(json_string_value(metric), out->probe->metrics[out->prediction.metric].name);
}
