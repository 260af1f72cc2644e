/* The synthetic device: samples made as a + b * law + seeded noise, from a parameter file.
 *
 * It lets the program do its whole job with no GPU, and it plants a truth that inferences must find again. The file is
 * JSON; results/schema/synthetic-1.schema.json describes it. Models are tried in order, the first that matches a case
 * makes its samples: {"probe": NAME, "match": {"mode": "latency", "width": {"min": 4, "max": 8}}, "a": 23, "b": 2}. An
 * item {"include": PATTERN} stands for the models of the files that match, relative to `folder`: each is a list that
 * belongs to the probe whose folder it lies in. A device archive made from it says "synthetic" in its first line. */
#pragma once

#include "device.h"

/* Loads a device. `name_or_path`: a path if it holds '/' or ends in ".json", else NAME for `folder`/NAME.json. The same
 * file, seed and case give the same samples; give each process a seed of its own. What the file says about a probe that
 * is registered is checked against its axes and choices. Free with fx_device_destroy. */
fx_status fx_synthetic_load(const char *folder, const char *name_or_path, uint64_t seed, fx_device **out,
                            fx_error *err);
