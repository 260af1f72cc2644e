/* Names of the recorder's kinds of access, as the trace file spells them. */
#pragma once

#include <stdbool.h>

#include "recorder_words.h"

typedef struct fx_kind_names {
    const char *space, *operation;
    bool sized; /* each access has a size of its own: bulk copies, operands of an MMA */
} fx_kind_names;

/* NULL: no such kind. */
const fx_kind_names *fx_kind_named(unsigned kind);
