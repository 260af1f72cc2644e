/* The laws by the names under which cases and fits carry them. Of accesses of the L2 later versions
 * count some otherwise, in the same steps: fits of versions 6 and 7 price loads as those of 8 would, within 2.1 %
 * (seven archives). */
#include <string.h>

#include "law.h"

const fx_law_name fx_laws[FX_LAWS] = {
    {"shared_load", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)", 4, 4},
    {"shared_store", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)", 4, 4},
    {"shared_atomic", "step (lanes of the busiest bank, at least one per phase)",
     "steps (lanes of the busiest bank, at least one per phase)", 4, 4},
    {"l1_load", "step of the L1", "steps of the L1", 4, 4},
    {"l2_load", "step of the L2", "steps of the L2", 8, 6},
    {"l2_store", "step of the L2", "steps of the L2", 9, 6},
    {"l2_reduction", "step of the L2", "steps of the L2", 10, 6},
    {"l2_atomic", "step of the L2", "steps of the L2", 10, 6},
    {"l2_cas", "step of the L2", "steps of the L2", 10, 6},
    {"dram_load", "step of the DRAM", "steps of the DRAM", 4, 4},
    {"pairs", "pair of sectors", "pairs of sectors", 4, 4},
    {"distinct", "distinct address", "distinct addresses", 4, 4},
    {"constant_load", "step (distinct addresses, and misses)", "steps (distinct addresses, and misses)", 8, 4},
};

const fx_law_name *fx_law_named(const char *name) {
    for (size_t i = 0; name && i < FX_LAWS; i++) {
        if (!strcmp(fx_laws[i].name, name)) {
            return &fx_laws[i];
        }
    }
    return NULL;
}
