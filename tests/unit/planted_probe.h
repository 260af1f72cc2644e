/* A probe of no GPU's: its law counts the width. Registered, so that the reader of synthetic devices checks the words
 * of their models. */
#pragma once

#include <stdio.h>

#include "core/probe.h"

enum { MODE, WIDTH };

static const fx_axis axes[] = {
    {.name = "mode", .unit = "", .choices = "latency throughput"},
    {.name = "width", .unit = "bytes", .min = 4, .max = 16, .fallback = 4},
};
static const fx_metric metrics[] = {
    {"access_cycles", "cycles", FX_SM_CYCLES, false, "access"},
    {"copy_ns", "ns", FX_GPU_NS, false, "access"},
    {"call_ns", "ns", FX_HOST_NS, false, "access"},
};
static const fx_sweep sweeps[] = {{"narrow", "width=4", NULL}, {"wide", "width=16", NULL}};

static void law(const fx_facts *facts, const fx_params *params, const fx_lanes *lanes, fx_prediction *out) {
    out->law = "wavefronts";
    out->count = (double)params->value[WIDTH];
}

static const fx_probe planted = {
    .name = "planted",
    .question = "Is what was planted found?",
    .method_version = 1,
    FX_TABLES,
    .extras = "link_GBps wait_ns",
    .law = law,
};
FX_REGISTER(planted)

static fx_case case_of(int64_t mode, int64_t width, size_t metric) {
    fx_case c = {.probe = &planted, .sweep = &sweeps[width == 16]};
    c.params.value[MODE] = mode;
    c.params.value[WIDTH] = width;
    law(NULL, &c.params, NULL, &c.prediction);
    c.prediction.metric = metric;
    (void)snprintf(c.name, sizeof c.name, "planted/mode:%d/width:%d", (int)mode, (int)width);
    return c;
}
