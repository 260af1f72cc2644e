/* The answer in one line: what is wrong, what it costs, what would cure it at what is left. */

#include "core/text.h"
#include "pattern.h"

#define add(text, ...) fx_text_add(text, FX_PATTERN_VERDICT_BYTES, __VA_ARGS__)

/* "32.0x", "1.00x" where nothing is lost; ">=32.0x" of a bound; "1.00x to 32.0x" of a range. */
static void add_times(char *text, const fx_pattern_cost_at *at) {
    if (isinf(fx_pattern_most(at))) {
        add(text, "%.2fx or more", fmax(at->least, 1));
        return;
    }
    if (at->least > 0) {
        add(text, at->least < 1.05 ? "%.2fx to " : "%.1fx to ", fmax(at->least, 1));
    }
    add(text, at->times < 1.05 ? "%s%.2fx" : "%s%.1fx", fx_pattern_is_bound(at) ? ">=" : "", fmax(at->times, 1));
}

/* An element may take several instructions. `all`: with those that they stand for. */
static double accesses_of(const fx_pattern_use *use, bool all) {
    double count = 0;
    for (size_t i = 0; i < use->count; i++) {
        count += use->patterns[i].whole_bytes > 0 ? all ? fx_pattern_weight(&use->patterns[i]) : 1 : 0;
    }
    return count;
}

static void add_contended(char *text, const fx_pattern_use *use) {
    const unsigned most = fx_pattern_on_a_word(use->kind, use->patterns, use->count);
    if (most > 1) {
        add(text, ", %u lanes on one word", most);
    }
}

static void of_shared(char *text, const fx_pattern_use *use, const fx_pattern_cost_at *at) {
    const double ways = at->prediction.count / at->best_count;
    const bool atomic = fx_pattern_is_atomic(use->kind);
    bool even = fabs(ways - round(ways)) < 1e-9; /* and so is each step */
    for (const fx_pattern *p = use->patterns; even && p < use->patterns + use->count; p++) {
        fx_pattern_cost_at one;
        fx_pattern_cost_level(use->cost, 0, &p->lanes, p->width_bytes, &one);
        even = fabs(one.prediction.count - ways * one.best_count) < 1e-9;
    }
    if (ways <= 1) {
        add(text, atomic ? "no two lanes meet in a bank: "
                  : strcmp(use->kind->op, FX_PATTERN_COUNTS) == 0
                      ? "no bank conflict, ATOMS.POPC.INC counts the lanes of a word at once (it adds 1, result "
                        "unused: gpufx ask histogram): "
                      : "no bank conflict: ");
    } else if (atomic) {
        add(text, "%g steps instead of %g, where lanes meet in a bank", at->prediction.count, at->best_count);
        add_contended(text, use);
        add(text, ": ");
    } else if (even) {
        add(text, "%g-way bank conflict: ", ways);
    } else {
        add(text, "bank conflict, %g wavefronts instead of %g: ", at->prediction.count, at->best_count);
    }
    add_times(text, at);
}

static void of_constant(char *text, const fx_pattern_use *use, const fx_pattern_cost_at *at) {
    const double each = at->prediction.count / accesses_of(use, true);
    if (each <= 1) {
        add(text, "one address of constant memory for all lanes: ");
    } else {
        add(text, "%.3g addresses of constant memory instead of 1: ", each);
    }
    add_times(text, at);
}

/* Sectors per access, and where their number, or lines, cost time. */
static void of_global(char *text, const fx_pattern_use *use, const fx_pattern_answer *sum) {
    const fx_geometry *g = &use->cost->facts.geometry;
    const double count = accesses_of(use, true);
    double sectors = 0, least = 0, lines = 0, least_lines = 0;
    unsigned wavefronts = 0, phases = 0;
    for (const fx_pattern *p = use->patterns; p < use->patterns + use->count; p++) {
        const double weight = fx_pattern_weight(p);
        sectors += weight * fx_law_blocks(&p->lanes, p->whole_bytes, g->sector_bytes);
        least += weight * fx_pattern_least_of(&p->lanes, p->whole_bytes, g->sector_bytes);
        lines += weight * fx_law_blocks(&p->lanes, p->whole_bytes, g->line_bytes);
        least_lines += weight * fx_pattern_least_of(&p->lanes, p->whole_bytes, g->line_bytes);
        wavefronts += fx_pattern_wavefronts(use->cost, &p->lanes, p->width_bytes);
        phases += FX_WARP / fx_law_phase_lanes(g, p->width_bytes);
    }
    if (sectors > least) {
        add(text, "%.3g sectors per access instead of %.3g", sectors / count, least / count);
        if (sum->lone) {
            const unsigned long long shared = sum->shared, all = shared + sum->lone;
            add(text, ", %llu of %llu also used by other accesses", shared, all);
        } else if (sum->spared) {
            add(text, ", which other %s %s", sum->spared, sum->past_l1 ? "find in the L2 alone" : "use too");
        }
    } else if (lines > least_lines) {
        add(text, "%.3g lines per access instead of %.3g, sectors as few as possible (%.3g)", lines / count,
            least_lines / count, sectors / count);
    } else {
        const fx_lane_rows rows = fx_lanes_rows(&use->patterns[0].lanes);
        add(text, "%.3g sector%s per access, as few as possible", sectors / count, sectors == count ? "" : "s");
        add(text,
            rows.lanes == FX_WARP && !rows.stride && use->kind->does == FX_LOADS ? " (all lanes at one address)" : "");
        if (wavefronts > phases && sum->at[0].times >= 1.05 && !fx_pattern_is_atomic(use->kind)) {
            add(text, ", but with bank conflicts");
        }
    }
    add_contended(text, use);
    const bool contended = use->kind->words == FX_CONTENDED_WORDS, is_atomic = fx_pattern_is_atomic(use->kind);
    if (contended) {
        add(text, ", which other threads update, too, and waits for them (gpufx ask contention) are not counted");
    } else if (is_atomic && use->kind->words == FX_UNKNOWN_WORDS) {
        add(text, ", if no other warp updates the same words (gpufx ask contention)");
    }
    const char *between = contended ? ": at least " : ": ", *none = between;
    bool varies = sum->past_l1;
    for (size_t i = 0; i < sum->count; i++) {
        const fx_pattern_cost_at *at = &sum->at[i];
        varies = varies || (at->least > 0 && !at->open);
        if (at->prediction.law && isfinite(at->times) && at->times >= 1.05) {
            add(text, "%s%s ", between, use->kind->level[i].name);
            add_times(text, at);
            add(text, !at->open ? "" : use->kind->does == FX_LOADS ? " by bytes in flight" : " by what the L2 joins");
            between = ", ";
        }
    }
    if (between == none) {
        add(text, "%s1.00x", none);
    }
    if (varies) { /* by what */
        const bool of_l1 = use->kind->level[1].by == FX_LEVEL_L2 && (sum->past_l1 || sum->at[1].least > 0);
        add(text, sum->warps[0] < sum->warps[1] ? ", if %llu to " : ", if ", (unsigned long long)sum->warps[0]);
        add(text, "%llu warps per SM share the %s", (unsigned long long)sum->warps[1], of_l1 ? "L1" : "L2");
    }
}

/* What is left at the level that gains most: "float tile[32][33] (1.00x)". */
static void add_cure(char *text, const fx_pattern_use *use, const fx_pattern_answer *sum, const fx_pattern_cure *cure) {
    const char *between = " (";
    double left = 1;
    add(text, " Cure: %s", cure->brief);
    for (size_t i = 0; i < sum->count; i++) {
        const fx_pattern_cost_at *at = &sum->at[i];
        const double after = fx_pattern_cured(use, i, cure) / (at->best * cure->replaces),
                     counted = cure->count[i] / (at->best_count * cure->replaces);
        left = fmax(left, counted);
        if (at->prediction.law && cure->count[i] < at->prediction.count * cure->replaces &&
            use->kind->level[i].by != FX_LEVEL_CONSTANT) {
            add(text, "%s%s%s%.2fx", between, sum->count > 1 ? use->kind->level[i].name : "", sum->count > 1 ? " " : "",
                fmax(isfinite(after) ? after : counted, 1));
            between = ", ";
        }
    }
    add(text, strcmp(between, ", ") ? "" : ")");
    if (cure->keeps && left > 1) {
        add(text, ", in multiples of %u bytes, which keep another access aligned", cure->keeps);
    }
    if (cure->costs_others > 0) {
        add(text, ", though another access of the array costs %.3gx", cure->costs_others);
    }
}

void fx_pattern_verdict(fx_pattern_found *found, const fx_pattern_use *use, const fx_pattern_answer *sum) {
    const fx_pattern_cure *cures = found->cures, *refused = &found->refused;
    char *text = found->verdict;
    bool active = false;
    for (size_t i = 0; i < use->count && !active; i++) {
        active = fx_pattern_active(&use->patterns[i].lanes);
    }
    const double accesses = accesses_of(use, false), all = accesses_of(use, true);
    const bool shared = !strcmp(use->kind->space, "shared");
    const fx_pattern_cost_at *at = &sum->at[0];
    if (!active) {
        add(text, "no lane is active");
    } else if (!strcmp(use->kind->space, "global")) {
        of_global(text, use, sum);
    } else if (!at->prediction.law) {
        add(text, "no law for this access");
    } else {
        (shared ? of_shared : of_constant)(text, use, at);
    }
    if (accesses > 1 && all > accesses) {
        add(text, ", %.0f of %.0f steps judged", accesses, all);
    } else if (accesses > 1) {
        add(text, ", %.0f steps", accesses);
    }
    if ((double)use->count > accesses) {
        add(text, ", %.0f instructions%s", (double)use->count / accesses, accesses > 1 ? " each" : "");
    }
    add(text, ".");
    if (use->kind->part_bytes) {
        add(text, " nvcc makes one access of %u bytes of neighbours of %u.", use->patterns[0].width_bytes,
            use->kind->part_bytes);
    }
    if (active && found->count) {
        add_cure(text, use, sum, &cures[0]);
        add(text, "%s",
            cures[0].moves && use->kind->does == FX_LOADS
                ? ". In a stream, whose warps share the sectors, it hardly costs: gpufx ask misaligned"
                : "");
    } else if (refused->costs_others > 0) {
        add(text, " No cure: %s would help here and %s another access of the array.", refused->brief,
            isinf(refused->costs_others) ? "misalign" : "slow down");
    } else if (*refused->brief) {
        add(text, " No cure: the layout that is best for all accesses of the array does not help this one.");
    } else if (use->kind->no_cure && at->prediction.count > at->best_count) {
        add(text, " No cure is judged: %s.", use->kind->no_cure);
    } else if (active && strcmp(use->kind->op, "cas") &&
               fx_pattern_on_a_word(use->kind, use->patterns, use->count) > 1) {
        add(text,
            " Cure: combine what a warp adds to one word (shuffles, of integers __reduce_*_sync), then one atomic.");
    } else if (shared && at->prediction.count > at->best_count) {
        add(text, " No padding or swizzle of these rows cures it.");
    }
}
