/* Functions of the driver, of which some are too old for them. The tests' stand-in for the runtime has no driver. */
#pragma once

#include <stdbool.h>

#include "core/error.h"

FX_C_BEGIN

/* *(F **)function becomes the driver's function of that name, of its release `since`: gpufx does not link to the
 * driver. False: it has none. */
bool fx_driver_find(const char *name, unsigned since, void *function);

FX_C_END
