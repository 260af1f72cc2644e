/* What the laws share. Private to law*.c. */
#pragma once

#include "law.h"

/* Writes the active offsets of lanes [begin, end) in ascending order; returns how many. */
unsigned fx_law_sort(const fx_lanes *lanes, unsigned begin, unsigned end, uint32_t sorted[FX_WARP]);

/* The bank in which the L1 keeps the tag of a line: an exclusive or over bits of the line's index. */
unsigned fx_law_tag_bank(const fx_geometry *geometry, uint32_t line);
bool fx_law_tag_banks_known(const fx_geometry *geometry);
