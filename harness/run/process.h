/* One process of a run: the selected cases as benchmarks of Google Benchmark. */
#pragma once

#include <stdatomic.h>

#include "archive/archive.h"
#include "call/options.h"
#include "core/case_list.h"
#include "core/error.h"
#include "gbench/gbench_c.h"

typedef struct fx_process fx_process;

/* How the samples of a case are taken, by the options. */
fx_sampling fx_process_sampling(const fx_options *options);

/* Registers the cases; `shuffled`: in the order of this process, by its seed. gb_initialize has been called; everything
 * handed in is borrowed until fx_process_free. `stop` is set by a signal. */
fx_status fx_process_new(const fx_options *options, fx_device *device, const fx_case_list *cases, bool shuffled,
                         const atomic_int *stop, fx_process **out, fx_error *err);

/* Warms the device up, runs the cases, writes case, waived, failed and fit lines. `archive` may be NULL. Progress must
 * have begun. A failed case does not end a process; what does is returned: FX_INTERRUPTED, FX_DEVICE_LOST, FX_IO (the
 * archive can't be written). */
fx_status fx_process_run(fx_process *process, fx_archive *archive, unsigned index, double began_s, fx_error *err);

void fx_process_free(fx_process *process);
