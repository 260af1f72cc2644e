/* Flat parts are those of the best piecewise constant line through the logarithms, found among all by dynamic
 * programming (Jackson et al. 2005, doi:10.1109/LSP.2001.838216) with Schwarz's criterion as the price of a step (Yao
 * 1988, doi:10.1016/0167-7152(88)90118-6). */
#include "flat_parts.h"

#include "grow.h"

static const double FLAT = 0.01;      /* standard deviation within a flat part, beside the levels' own errors */
static const double TOLERANCE = 0.03; /* of a level: less is no step */
enum { FEWEST = 3 };                  /* levels of a flat part */

/* What levels from..to - 1 lie away from their mean, in squares of what they may. */
static double misfit(const fx_level *levels, size_t from, size_t to, double *mean) {
    double weights = 0, sum = 0, squares = 0;
    for (size_t i = from; i < to; i++) {
        const double weight = 1 / (FLAT * FLAT + levels[i].error * levels[i].error);
        weights += weight;
        sum += weight * levels[i].log;
    }
    *mean = sum / weights;
    for (size_t i = from; i < to; i++) {
        const double away = levels[i].log - *mean;
        squares += away * away / (FLAT * FLAT + levels[i].error * levels[i].error);
    }
    return squares;
}

/* start[to]: where the last part of the best line through levels 0..to - 1 begins. best: room for n + 1 costs. */
static void best_starts(const fx_level *levels, size_t n, double *best, size_t *start) {
    const double price = 2 * log((double)(n > 2 ? n : 2));
    double mean;
    best[0] = -price;
    start[0] = 0;
    for (size_t to = 1; to <= n; to++) {
        best[to] = INFINITY;
        for (size_t from = 0; from < to; from++) {
            const double cost = best[from] + misfit(levels, from, to, &mean) + price;
            if (cost < best[to]) {
                best[to] = cost;
                start[to] = from;
            }
        }
    }
}

size_t fx_parts(const fx_level *levels, size_t n, fx_part *parts) {
    FX_FREED double *best = fx_new(n + 1, sizeof *best);
    FX_FREED size_t *start = fx_new(n + 1, sizeof *start);
    size_t cuts = 0, count = 0;
    best_starts(levels, n, best, start);
    for (size_t to = n; to > 0; to = start[to]) {
        parts[cuts++] = (fx_part){.first = start[to], .end = to};
    }
    for (size_t i = 0; i < cuts / 2; i++) {
        const fx_part kept = parts[i];
        parts[i] = parts[cuts - 1 - i];
        parts[cuts - 1 - i] = kept;
    }
    for (size_t i = 0; i < cuts; i++) {
        fx_part one = parts[i];
        (void)misfit(levels, one.first, one.end, &one.log);
        if (count && fabs(one.log - parts[count - 1].log) < log1p(TOLERANCE)) {
            one.first = parts[--count].first;
            (void)misfit(levels, one.first, one.end, &one.log);
        }
        parts[count++] = one;
    }
    return count;
}

static double limit_of(double tolerance) {
    return log1p(tolerance > 0 ? tolerance : TOLERANCE);
}

size_t fx_first_ends(const fx_level *levels, size_t n, double tolerance) {
    FX_FREED fx_part *parts = fx_new(n + 1, sizeof *parts);
    const size_t count = fx_parts(levels, n, parts);
    size_t flat = 0;
    while (flat < count && parts[flat].end - parts[flat].first < FEWEST) {
        flat++;
    }
    size_t i = flat < count ? parts[flat].first : n;
    while (i < n && levels[i].log <= parts[flat].log + limit_of(tolerance)) {
        i++;
    }
    return i < n && i > parts[flat].first ? i : 0;
}

size_t fx_last_begins(const fx_level *levels, size_t n, double tolerance) {
    FX_FREED fx_part *parts = fx_new(n + 1, sizeof *parts);
    const size_t count = fx_parts(levels, n, parts);
    size_t i = n;
    while (count && n - parts[count - 1].first >= FEWEST && i > 0 &&
           levels[i - 1].log >= parts[count - 1].log - limit_of(tolerance)) {
        i--;
    }
    return i < n ? i : 0;
}
