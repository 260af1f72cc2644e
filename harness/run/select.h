/* From words to things: which device, which probes, which cases. */
#pragma once

#include "call/options.h"
#include "core/case_list.h"
#include "core/device.h"
#include "core/error.h"

enum { FX_NOTICE_BYTES = 512 };

/* Opens the device that --device names. Without --device: the first CUDA device; where there is none the synthetic
 * device FX_DEFAULT_SYNTHETIC, and `notice` receives the sentence that says so (else it is empty). Free with
 * fx_device_destroy. */
fx_status fx_select_device(const fx_options *options, const char *root, uint64_t seed, fx_device **out,
                           char notice[FX_NOTICE_BYTES], fx_error *err);

/* The probes that the command line names, in its order; all of them if it names none. *out is owned. An unknown name is
 * FX_BAD_INPUT and answered with the nearest. */
fx_status fx_select_probes(const fx_options *options, const fx_probe ***out, size_t *count, fx_error *err);

/* The cases of the probes under --axis, --quick, --only and --filter. FX_BAD_INPUT if an --axis belongs to no probe, if
 * a value or the filter can't be used, or if no case is left. Free with fx_case_list_free. */
fx_status fx_select_cases(const fx_options *options, const fx_probe *const *probes, size_t probe_count,
                          const fx_facts *facts, fx_case_list *out, fx_error *err);
