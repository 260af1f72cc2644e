/* The stand-in's device: its memory is the host's, its clock moves as kernels say, and any call can be made to fail.
 * There may be several: a stream belongs to the device on which it was made, and what is queued on it from another one
 * fails. Such a stream has a clock of its own, which copies between devices move. */
#pragma once

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
    double clock_ns;               /* kernels add what they take */
    double tick_ns;                /* of the events' clock */
    size_t free_bytes, used_bytes; /* of its memory; what is allocated does not change them */
    size_t asked_bytes;            /* by the latest cudaMalloc */
    size_t local_bytes;            /* that each kernel uses */
    double flush_ns;               /* what reading the flush buffer takes ... */
    unsigned slow_flushes;         /* ... but for so many more readings, which take half as long again */
    unsigned flushes;
    double sm_MHz;        /* of the clock that SMs read */
    unsigned stamps;      /* so often have all SMs read it ... */
    unsigned strange_sms; /* ... and after each time blocks run on SMs whose numbers are higher by so much */
    unsigned live;        /* allocations and events */
    int carveout_pct;     /* as last set */
    struct cudaResourceDesc resource; /* of the latest texture ... */
    struct cudaTextureDesc texture;   /* ... and how it is read */
    bool textured, torn;              /* there is one; its memory was freed before it */
    int devices;                      /* 0: as 1 */
    unsigned char mapped[8];          /* bit d of mapped[s]: s has mapped d */
    unsigned char barred[8];          /* bit d of barred[s]: s can't map d */
    double link_ns_per_byte; /* what a copy takes; between devices that have not mapped each other 8 times that */
    double crowded;          /* and so many times as long where more than one stream was held */
    unsigned held;           /* streams, by the latch */
    bool late;               /* the latch gives up by itself */
    unsigned calls;          /* of the runtime, but for those that free */
    unsigned failing_call;   /* this one fails; 0: none does */
    cudaError_t failure;     /* with this code */
} fake_device;

extern fake_device fake;
extern _Thread_local int fake_current; /* device of the thread */

/* A kernel on a stream that was made here took so long, or longer where it is crowded. */
void fake_busy(cudaStream_t stream, double ns);
