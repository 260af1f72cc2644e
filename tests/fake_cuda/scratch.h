/* A probe with a kernel for each way of timing, whose truth and whose faults are planted, and a device to run it on. */
#pragma once

#include "fake_cuda.h"
#include "gpu/rig.h"

enum { CHAIN, RATE, READ, WRITE, BARE, OWN }; /* ways */
enum { WORDS = 1024, UNIT_NS = 10, LAUNCH_NS = 3000, COST = 30, ACCESSES = 61 };

/* Faults that a test plants. */
typedef struct scratch_faults {
    bool unwritten, wrong_lane, lost_word, unstored;
    unsigned sms;
    int fail_arrange; /* 1: before, 2: after it has memory */
    unsigned given_back;
    double later_ns, launches; /* READ: each launch takes so much longer than the one before */
} scratch_faults;

extern scratch_faults fault;
extern fx_gpu gpu;

fx_case case_of(int64_t way, int64_t place);

/* Before and after each test. Nothing of a case may be left, and of the device only what the pool holds. */
int fresh_device(void **state);
int nothing_is_left(void **state);
#define RIG_TEST(name) TEST_WITH(name, fresh_device, nothing_is_left)

fx_sample nothing_known(void);

/* Opens the case, takes `samples` samples and closes it; *ran and *out may be NULL. */
fx_status run(const fx_case *c, unsigned samples, fx_sample *out, fx_launched *ran, fx_error *err);
void run_fine(const fx_case *c, unsigned samples, fx_sample *out, fx_launched *ran); /* or the test fails */

/* Something for the rig to keep, &fault: counted in fault.given_back. */
void give_back_token(fx_rig *rig, void *what, size_t bytes);
