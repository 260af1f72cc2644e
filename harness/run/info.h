/* The facts of a device as text: the whole of `info` for it, and the head of `characterize`. */
#pragma once

#include <stdio.h>

#include "core/device.h"

void fx_info_device(FILE *to, fx_device *device);
