/* Chains, windows and progress: see window.h for why the sample is what it is. */
#include "window.h"

enum { CHAIN_PASSES = 3, SETTLED = 1 /* the pass that ends with all warps at work */ };

fx_timed fx_window_plan(unsigned warps_per_block, uint32_t trips, uint32_t warm_trips) {
    const bool chain = warps_per_block == 1;
    fx_timed timed = {.passes = chain ? CHAIN_PASSES : FX_MAX_PASSES, .barriers = chain ? CHAIN_PASSES : SETTLED + 1};
    for (uint32_t p = 0; p < timed.passes; p++) {
        timed.trips[p] = trips;
    }
    timed.trips[0] = warm_trips > trips ? warm_trips : trips;
    if (chain) {
        timed.trips[2] = 2 * trips;
    }
    return timed;
}

uint32_t fx_window_trips(double cycles, double cycles_per_trip) {
    const double trips = cycles / cycles_per_trip;
    return trips < 2 ? 2 : trips > 65536 ? 65536 : (uint32_t)trips;
}

uint32_t fx_timed_total_trips(const fx_timed *timed) {
    uint32_t total = 0;
    for (uint32_t p = 0; p < timed->passes; p++) {
        total += timed->trips[p];
    }
    return total;
}

uint64_t fx_timed_steps(fx_timed *timed, uint32_t steps, uint32_t ring) {
    for (uint32_t i = 0; i < ring && (uint64_t)fx_timed_total_trips(timed) * steps % ring == 0; i++) {
        timed->trips[0]++;
    }
    return (uint64_t)fx_timed_total_trips(timed) * steps;
}

/* Adds what the chain took to t_n and intercept. */
static double chain_value(const fx_timed_warp *warp, const fx_timed *timed, double accesses, fx_window *out) {
    const double once = (double)(warp->stop[1] - warp->stop[0]), twice = (double)(warp->stop[2] - warp->stop[1]);
    out->t_n += once;
    out->intercept += 2 * once - twice;
    if (twice <= once) {
        out->disturbed = true;
        return twice / (timed->trips[2] * accesses);
    }
    return (twice - once) / (timed->trips[1] * accesses);
}

/* Trips that a warp has done since it settled, at time `at`, between the ends of that pass and of its last. */
static double progress(const fx_timed_warp *warp, const fx_timed *timed, uint64_t at) {
    double done = 0;
    for (uint32_t p = SETTLED + 1; p < timed->passes; p++) {
        if (at <= warp->stop[p]) {
            const double length = (double)(warp->stop[p] - warp->stop[p - 1]);
            return done + (length > 0 ? (double)(at - warp->stop[p - 1]) / length * timed->trips[p] : 0);
        }
        done += timed->trips[p];
    }
    return done;
}

/* All passes begin together, so the block takes as long as the last warp of each. */
static double together_value(const fx_timed_warp *warps, unsigned count, const fx_timed *timed, double accesses) {
    uint64_t from = 0, to = 0;
    double trips = 0;
    for (unsigned w = 0; w < count; w++) {
        const uint64_t first = warps[w].stop[SETTLED], last = warps[w].stop[timed->passes - 1];
        from = first > from ? first : from;
        to = last > to ? last : to;
    }
    for (uint32_t p = SETTLED + 1; p < timed->passes; p++) {
        trips += (double)timed->trips[p] * count;
    }
    return (double)(to - from) / (trips * accesses);
}

/* NAN where one warp was done before another had begun: no number, and the sampler will say so. */
static double rate_value(const fx_timed_warp *warps, unsigned count, const fx_timed *timed, double accesses) {
    uint64_t from = 0, to = UINT64_MAX;
    double trips = 0;
    for (unsigned w = 0; w < count; w++) {
        const uint64_t first = warps[w].stop[SETTLED], last = warps[w].stop[timed->passes - 2];
        from = first > from ? first : from;
        to = last < to ? last : to;
    }
    if (to <= from) {
        return (double)NAN;
    }
    for (unsigned w = 0; w < count; w++) {
        trips += progress(&warps[w], timed, to) - progress(&warps[w], timed, from);
    }
    return (double)(to - from) / (trips * accesses);
}

fx_window fx_window_of(const fx_timed *timed, const fx_timed_warp *records, unsigned warps_per_block, unsigned blocks,
                       double accesses, double tick_ns) {
    const bool chain = warps_per_block == 1;
    const fx_timed_warp *seen = NULL;
    fx_window out = {.sm_clock_MHz = (double)NAN};
    for (unsigned b = 0; b < blocks; b++) {
        const fx_timed_warp *warps = &records[(size_t)b * warps_per_block];
        if (warps->stop[timed->passes - 1] == 0) {
            continue;
        }
        out.value += chain                             ? chain_value(warps, timed, accesses, &out)
                     : timed->barriers < timed->passes ? rate_value(warps, warps_per_block, timed, accesses)
                                                       : together_value(warps, warps_per_block, timed, accesses);
        seen = seen ? seen : warps;
        out.busy++;
    }
    out.value = seen ? out.value / out.busy : (double)NAN;
    out.t_n = chain && seen ? out.t_n / out.busy : (double)NAN;
    out.intercept = chain && seen ? out.intercept / out.busy : (double)NAN;
    if (!seen) {
        return out;
    }
    const double ns = (double)(seen->last_ns - seen->first_ns);
    out.coarse = ns < FX_LEAST_TICKS * tick_ns;
    if (!out.coarse) {
        out.sm_clock_MHz = 1e3 * (double)(seen->last_cycles - seen->first_cycles) / ns;
    }
    return out;
}
