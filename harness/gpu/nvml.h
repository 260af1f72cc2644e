/* NVML, loaded at run time: clocks, throttle reasons, link state, modes. Works without it: then all is unknown. */
#pragma once

#include <jansson.h>

#include "core/device.h"

typedef struct fx_nvml fx_nvml;

/* Opens NVML for the device at this PCI address ("00000000:3B:00.0"). NULL where library or device is missing. */
fx_nvml *fx_nvml_open(const char *pci_bus_id);
void fx_nvml_close(fx_nvml *nvml); /* NULL is fine */

/* A snapshot; out->known is false without NVML. */
void fx_nvml_clocks(fx_nvml *nvml, fx_clocks *out);

/* Adds "board_part_number", "vbios" and "inforom" to `object` (borrowed), null where unknown. Cards of one name can be
 * of several kinds, and the part number tells them apart. NULL is fine. */
void fx_nvml_describe_board(fx_nvml *nvml, json_t *object);

/* Adds what the driver tells of modes, limits, link, the memory's health and other programs to `object` (borrowed); a
 * query that is refused becomes null. */
void fx_nvml_describe(fx_nvml *nvml, json_t *object);
