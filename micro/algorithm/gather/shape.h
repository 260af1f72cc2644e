/* What the host and the kernels of the gather must agree on. Plain C. */
#pragma once

#include "core/probe.h"
#include "core/random.h"

enum { PLAIN, READONLY, TEXTURE, SORTED, TOGETHER };
enum { VARIANT, ELEMENT, FOOTPRINT, WINDOW };
enum { THREADS = 256, MOST_PART = 16, INDEX_BYTES = 4, TABLE_SEED = 11 };
enum { GATHERED = 4 << 20 /* elements of one run */ };

/* Loads of one lane for one element. */
FX_HOST_DEVICE static inline int parts_of(int element) {
    return element <= MOST_PART ? 1 : element / MOST_PART;
}

/* Elements of a thread: four loads in flight, or those of one element. */
FX_HOST_DEVICE static inline int unroll_of(int element) {
    return parts_of(element) >= 4 ? 1 : 4 / parts_of(element);
}
