/* The facts of a device as text: the whole of `info` for it, and the head of `characterize`. */
#ifndef FX_INFO_H
#define FX_INFO_H

#include <stdio.h>

#include "core/device.h"

void fx_info_device(FILE *to, fx_device *device);

#endif
