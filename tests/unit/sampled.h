/* A device with a planted behaviour, to be sampled. */
#pragma once

#include "core/sampler.h"

/* A device whose sample is a function of the index, and that counts what is done to it. */
typedef struct fake {
    fx_device device;
    double (*value)(uint64_t index, uint64_t seed);
    double (*clock_MHz)(uint64_t index);
    uint64_t fail_at; /* index of the sample that fails; UINT64_MAX: none */
    fx_status failure;
    uint64_t interrupt_at;
    atomic_int stop;
    unsigned long long reasons_after;
    uint32_t sample_flags;
    uint64_t index, first_seed;
    int opened, closed, clock_reads;
    bool cannot_open, fresh, has_t_n;
    size_t round; /* SMs that take turns; 0: one */
} fake;

void fake_init(fake *self, double (*value)(uint64_t index, uint64_t seed));

/* What its samples may be made of: noise of that width, and about 100 with little of it; and clocks. */
double noise(uint64_t seed, double width);
double quiet(uint64_t index, uint64_t seed);
double steady_clock(uint64_t index);

/* Its probe's metrics are in cycles, in ns and a rate; `plain` is a case of the first. */
extern const fx_probe probe;
extern const fx_case plain;

/* Runs the sampler, which must open and close the case once, or the test fails. */
fx_result run(fake *self, const fx_case *c, const fx_sampling *sampling);
