/* See settle.h. Ranks of a fleet that meet before each case run the same cases in the same order. */
#include "settle.h"

fx_settled fx_settle(fx_options *options, bool synthetic, bool look, uint64_t (*random)(void)) {
    fx_settled settled = {.new_seed = -1};
    if (options->processes == 0) {
        const bool together = fx_parent_record_gated(&options->parent);
        const bool once = look || together || synthetic || options->quick || options->no_archive;
        settled.usual = options->parent.usual || !once;
        options->processes = settled.usual ? FX_USUAL_PROCESSES : 1;
        options->by_need = settled.usual;
    }
    if (options->seed < 0) {
        const bool common = synthetic || fx_parent_record_gated(&options->parent);
        options->seed = common ? FX_SYNTHETIC_SEED : (int64_t)(random() >> 32);
        settled.new_seed = common ? -1 : options->seed;
    }
    return settled;
}

size_t fx_spared(const fx_settled *settled, const fx_case_list *cases, size_t selected) {
    size_t count = 0;
    for (size_t i = 0; settled->usual && i < cases->count; i++) {
        count += cases->cases[i].probe->once;
    }
    return selected == cases->count && count < cases->count ? count : 0;
}

size_t fx_spare(const fx_settled *settled, const fx_case_list *cases, size_t selected, bool *more) {
    const bool sparing = fx_spared(settled, cases, selected) > 0;
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        more[i] = more[i] && !(sparing && cases->cases[i].probe->once);
        count += more[i];
    }
    return count;
}
