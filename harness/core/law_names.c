/* The laws by the names under which cases and fits carry them. */
#include <string.h>

#include "law.h"

static const fx_law_name known[] = {
    {"shared_load", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)"},
    {"shared_store", "step (wavefronts, at least one per phase)", "steps (wavefronts, at least one per phase)"},
    {"shared_atomic", "step (lanes of the busiest bank, at least one per phase)",
     "steps (lanes of the busiest bank, at least one per phase)"},
    {"l1_load", "step of the L1", "steps of the L1"},
    {"l2_load", "step of the L2", "steps of the L2"},
    {"l2_store", "step of the L2", "steps of the L2"},
    {"l2_reduction", "step of the L2", "steps of the L2"},
    {"l2_atomic", "step of the L2", "steps of the L2"},
    {"l2_cas", "step of the L2", "steps of the L2"},
    {"dram_load", "step of the DRAM", "steps of the DRAM"},
    {"pairs", "pair of sectors", "pairs of sectors"},
    {"distinct", "distinct address", "distinct addresses"},
};

const fx_law_name *fx_law_named(const char *name) {
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++) {
        if (!strcmp(known[i].name, name)) {
            return &known[i];
        }
    }
    return NULL;
}
