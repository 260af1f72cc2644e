/* The stand-in's device: its memory is the host's, its clock moves as kernels say, and any call can be made to fail. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda_runtime_api.h"

/* A kernel is a function of this type; it runs when it is launched. */
typedef struct fake_launch {
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes;
    cudaStream_t stream;
    unsigned cluster; /* 0: launched without the attribute */
} fake_launch;
typedef void fake_kernel(const fake_launch *launch);

typedef struct fake_device {
    double clock_ns; /* kernels add what they take */
    double tick_ns;  /* of the events' clock */
    size_t free_bytes;
    size_t local_bytes;    /* that each kernel uses */
    double flush_ns;       /* what reading the flush buffer takes ... */
    unsigned slow_flushes; /* ... but for so many more readings, which take half as long again */
    unsigned flushes;
    double sm_MHz;         /* of the clock that SMs read */
    unsigned stamps;       /* so often have all SMs read it ... */
    unsigned strange_sms;  /* ... and after each time blocks run on SMs whose numbers are higher by so much */
    unsigned live;         /* allocations and events */
    int carveout_pct;      /* as last set */
    unsigned calls;        /* of the runtime, but for those that free */
    unsigned failing_call; /* this one fails; 0: none does */
    cudaError_t failure;   /* with this code */
} fake_device;

extern fake_device fake;

#endif
