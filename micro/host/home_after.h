/* Back on the home GPU, whatever became of the work on others; the status of that work, or of the way back. */
#pragma once

#include "gpu/multi_gpu.h"

static inline fx_status home_after(const fx_gpus *gpus, fx_status status, fx_error *err) {
    const fx_status home = fx_gpus_home(gpus, status == FX_OK ? err : NULL);
    return status == FX_OK ? home : status;
}
