/* A device that counts the time spent in the device behind it, so that what is left of a run is the harness's own. */
#pragma once

#include "core/device.h"

typedef struct fx_overhead_meter {
    fx_device face; /* hand this one to the sampler */
    fx_device *behind;
    double inside_s; /* in open, sample and close so far */
    double clocks_s; /* in clocks, which the driver answers */
} fx_overhead_meter;

/* `behind` is borrowed; `meter` must stay where it is while its face is used, and needs no freeing. */
void fx_overhead_meter_on(fx_overhead_meter *meter, fx_device *behind);

double fx_now_s(void); /* monotonic */
