/* --device with more than one: `all`, or a list. Each device is measured by a process of its own of this program, in
 * turn, and has its own archive. */
#pragma once

#include <jansson.h>

#include "call/verb.h"
#include "core/error.h"

/* Whether --device names more than one, or may. */
bool fx_devices_several(const char *device);

/* The one CUDA device of `known` (fx_cuda_device_list) that a word means: its index, its UUID, or the beginning of one.
 * `why` there are none. */
fx_status fx_devices_find(const char *word, const json_t *known, const char *why, const json_t **out, fx_error *err);

/* The devices of `known` that `text` means, each as --device takes it: an index, or synthetic:NAME. Texts are owned;
 * free with fx_text_list_free, also on error. */
fx_status fx_devices_resolve(const char *text, const json_t *known, const char *why, fx_text_list *out, fx_error *err);

/* Does the verb of the call for each device. Returns the exit status: the first that is not 0. */
int fx_devices_run(const fx_call *call);
