/* launch: what is said about it, and the cases that decide. */
#include "core/claim.h"

#include "../../sources.h"

static const fx_claim claims[] = {
    {.text =
         "data is better left on the device than sent to the host and back, even where its code runs no faster there",
     .source = BEST_PRACTICES "10.1 Data Transfer Between Host and Device",
     .where = "task=left",
     .against = "task=round_trip",
     .quantity = "cost",
     .high = 1},
    {.text = "a launch takes the host on the order of microseconds",
     .source = "GPU Glossary (Modal), CUDA Graph, 2026",
     .where = "task=issue way=stream parameter_bytes=0 kernels=64",
     .quantity = "cost",
     .low = 1000,
     .high = 10000},
    {.text = "a graph costs the host less than launches into a stream, because much of the set-up is done in advance",
     .source = PROGRAMMING_GUIDE_13 "4.2 CUDA Graphs",
     .where = "task=issue way=graph kernels=64",
     .against = "way=stream",
     .quantity = "cost",
     .high = 1},
    {.text = "the launches of short kernels are a part of the time from end to end that a graph pays only once",
     .source = PROGRAMMING_GUIDE_13 "4.2 CUDA Graphs",
     .where = "task=latency way=graph kernels=16,64,256",
     .against = "way=stream",
     .quantity = "cost",
     .high = 1},
    {.text = "programmatic dependent launch hides the start of a kernel behind the one before it",
     .source = PROGRAMMING_GUIDE_13 "4.5 Programmatic Dependent Launch and Synchronization",
     .where = "task=gap way=programmatic kernels=64",
     .against = "way=stream",
     .quantity = "cost",
     .high = 0.9},
    {.text = "to spin makes the wait shorter than to yield the processor to others",
     .source = "CUDA Runtime API 13, cudaSetDeviceFlags",
     .where = "task=latency waits=stream,device schedule=spin",
     .against = "schedule=yield",
     .quantity = "cost",
     .high = 0.98},
};

FX_CLAIMS(launch, claims)
