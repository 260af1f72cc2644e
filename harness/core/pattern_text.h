/* Lane tables as text: what a user types or a file holds. */
#pragma once

#include <jansson.h>

#include "error.h"
#include "lanes.h"

/* "0,4,8,-,12": up to 32 byte offsets (decimal or 0x...), `-` for an inactive lane; lanes that are not named are
 * inactive. FX_BAD_INPUT names the lane; a table in which no lane is active is refused. */
fx_status fx_lanes_parse(const char *text, fx_lanes *out, fx_error *err);

/* A JSON array of up to 32 integers, negative ones inactive; all of them may be. */
fx_status fx_lanes_of_json(const json_t *array, fx_lanes *out, fx_error *err);

/* FX_BAD_INPUT if no lane is active. */
fx_status fx_lanes_some_active(const fx_lanes *lanes, fx_error *err);

/* FX_BAD_INPUT, naming the lane, unless every offset is a multiple of the width. */
fx_status fx_lanes_check(const fx_lanes *lanes, unsigned width_bytes, fx_error *err);
