/* A run that measures only what is missing: cases that archives of a folder hold already are left out. */
#ifndef FX_MEASURED_H
#define FX_MEASURED_H

#include "core/cases.h"
#include "core/device.h"

/* Takes out of the list what archives of this very device (its UUID; without one, its name) in `folder` hold, measured
 * or waived, in `processes` processes or more (usual: what fx_probe.once names in one), `repetitions` (1 or more) times
 * in each. Archives that can't be read are left aside with a warning. *left_out receives how many cases went. A folder
 * that is not there holds nothing; `except`, NULL or an archive's path, is none of its archives. */
fx_status fx_measured_leave_out(const char *folder, const char *except, const fx_device *device, size_t processes,
                                bool usual, size_t repetitions, fx_case_list *cases, size_t *left_out, fx_error *err);

#endif
