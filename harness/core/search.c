/* Flat parts are those of the best piecewise constant line through the logarithms, found among all by dynamic
 * programming (Jackson et al. 2005, doi:10.1109/LSP.2001.838216) with Schwarz's criterion as the price of a step (Yao
 * 1988, doi:10.1016/0167-7152(88)90118-6): as plot/gpufx_plot/statistics/steps.py has them, which reads the same change
 * from the archive. An error here costs a case that tells little, there a false value. */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT = 0.01;      /* standard deviation within a flat part, beside the cases' own errors */
static const double TOLERANCE = 0.03; /* of a level: less is no step */
static const double NARROW = 0.01;    /* of where a change lies: a gap that needs no halving */
static const double NORMAL_95 = 1.959964;
enum { FEWEST = 3 }; /* cases of a flat part */

typedef struct point {
    int64_t x;
    double log, error;
    const fx_case *c;
} point;

typedef struct part {
    size_t first, end; /* points first..end - 1 */
    double log;
} part;

/* What one search has before it. */
typedef struct walk {
    const fx_probe *probe;
    const fx_search *search;
    size_t axis;
    const fx_found *found;
    size_t found_count;
    fx_selection where[FX_MAX_AXES], against[FX_MAX_AXES];
    bool *selected; /* one for each of found */
    point *points;  /* of the walk that is looked at, in order */
    size_t count, added;
} walk;

const char *fx_change_text(fx_change change) {
    static const char *const texts[] = {"where the first flat part ends", "where the last flat part begins",
                                        "from where on it costs less"};
    return texts[change];
}

static bool same_but_for(const fx_params *a, const fx_params *b, size_t axes, size_t axis) {
    for (size_t i = 0; i < axes; i++) {
        if (i != axis && a->value[i] != b->value[i]) {
            return false;
        }
    }
    return true;
}

/* What ran at these params; NULL: nothing did. */
static const fx_found *at(const walk *w, const fx_params *params) {
    for (size_t i = 0; i < w->found_count; i++) {
        if (!memcmp(w->found[i].c->params.value, params->value, w->probe->axes_count * sizeof *params->value)) {
            return &w->found[i];
        }
    }
    return NULL;
}

/* The params of the other family. */
static fx_params opposite(const walk *w, const fx_params *params) {
    fx_params other = *params;
    for (size_t a = 0; a < w->probe->axes_count; a++) {
        if (w->against[a].named) {
            other.value[a] = w->against[a].values[0];
        }
    }
    return other;
}

static double error_of(const fx_found *f) {
    return f->low > 0 && f->high >= f->low ? log(f->high / f->low) / 2 / NORMAL_95 : 0;
}

static int compare_points(const void *a, const void *b) {
    const point *left = a, *right = b;
    return (left->x > right->x) - (left->x < right->x);
}

/* The walk that the case belongs to. */
static void gather(walk *w, const fx_case *c) {
    w->count = w->added = 0;
    for (size_t i = 0; i < w->found_count; i++) {
        const fx_found *f = &w->found[i];
        if (!w->selected[i] || !same_but_for(&f->c->params, &c->params, w->probe->axes_count, w->axis)) {
            continue;
        }
        w->added += f->c->searched;
        point p = {.x = f->c->params.value[w->axis], .c = f->c};
        if (w->search->against) {
            const fx_params other = opposite(w, &f->c->params);
            const fx_found *held = at(w, &other);
            if (!(f->median > 0) || !held || !(held->median > 0)) {
                continue;
            }
            p.log = log(f->median / held->median);
        } else if (f->median > 0) {
            p.log = log(f->median);
            p.error = error_of(f);
        } else {
            continue;
        }
        w->points[w->count++] = p;
    }
    qsort(w->points, w->count, sizeof *w->points, compare_points);
}

/* What points from..to - 1 lie away from their mean, in squares of what they may. */
static double misfit(const point *points, size_t from, size_t to, double *mean) {
    double weights = 0, sum = 0, squares = 0;
    for (size_t i = from; i < to; i++) {
        const double weight = 1 / (FLAT * FLAT + points[i].error * points[i].error);
        weights += weight;
        sum += weight * points[i].log;
    }
    *mean = sum / weights;
    for (size_t i = from; i < to; i++) {
        const double away = points[i].log - *mean;
        squares += away * away / (FLAT * FLAT + points[i].error * points[i].error);
    }
    return squares;
}

/* All parts in order, through `parts` (room for one per point); neighbours within TOLERANCE are one. */
static fx_status divide(const point *points, size_t n, part *parts, size_t *count, fx_error *err) {
    const double price = 2 * log((double)(n > 2 ? n : 2));
    double *best = malloc((n + 1) * sizeof *best), mean;
    size_t *start = malloc((n + 1) * sizeof *start), cuts = 0;
    if (!best || !start) {
        free(best);
        free(start);
        return fx_fail(err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
    }
    best[0] = -price;
    start[0] = 0;
    for (size_t to = 1; to <= n; to++) {
        best[to] = INFINITY;
        for (size_t from = 0; from < to; from++) {
            const double cost = best[from] + misfit(points, from, to, &mean) + price;
            if (cost < best[to]) {
                best[to] = cost;
                start[to] = from;
            }
        }
    }
    for (size_t to = n; to > 0; to = start[to]) {
        parts[cuts++] = (part){.first = start[to], .end = to};
    }
    *count = 0;
    for (size_t i = 0; i < cuts / 2; i++) {
        const part kept = parts[i];
        parts[i] = parts[cuts - 1 - i];
        parts[cuts - 1 - i] = kept;
    }
    for (size_t i = 0; i < cuts; i++) {
        part one = parts[i];
        (void)misfit(points, one.first, one.end, &one.log);
        if (*count && fabs(one.log - parts[*count - 1].log) < log1p(TOLERANCE)) {
            one.first = parts[--*count].first;
            (void)misfit(points, one.first, one.end, &one.log);
        }
        parts[(*count)++] = one;
    }
    free(best);
    free(start);
    return FX_OK;
}

/* Sets *above to the index of the first point behind the change; 0: there is none. */
static fx_status find_change(const walk *w, size_t *above, fx_error *err) {
    const double tolerance = log1p(w->search->tolerance > 0 ? w->search->tolerance : TOLERANCE);
    const point *points = w->points;
    const size_t n = w->count;
    size_t count = 0, i;
    *above = 0;
    if (w->search->change == FX_COSTS_LESS) {
        for (i = n; i > 0 && points[i - 1].log < 0; i--) {
        }
        *above = i < n ? i : 0;
        return FX_OK;
    }
    part *parts = malloc((n + 1) * sizeof *parts);
    if (!parts) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
    }
    const fx_status status = divide(points, n, parts, &count, err);
    if (status == FX_OK && w->search->change == FX_FIRST_ENDS) {
        size_t first = 0;
        while (first < count && parts[first].end - parts[first].first < FEWEST) {
            first++;
        }
        if (first < count) {
            for (i = parts[first].first; i < n && points[i].log <= parts[first].log + tolerance; i++) {
            }
            *above = i < n && i > parts[first].first ? i : 0;
        }
    } else if (status == FX_OK && count && n - parts[count - 1].first >= FEWEST) {
        for (i = n; i > 0 && points[i - 1].log >= parts[count - 1].log - tolerance; i--) {
        }
        *above = i < n ? i : 0;
    }
    free(parts);
    return status;
}

/* Halves the gap below points[above], if that is to be. */
static void halve(const walk *w, size_t above, fx_step *out) {
    const int64_t granule = w->search->granule, low = w->points[above - 1].x, high = w->points[above].x;
    const int64_t middle = (low + (high - low) / 2) / granule * granule;
    if (middle <= low || (double)(high - low) <= NARROW * (double)high) {
        return;
    }
    const fx_case *beside = w->points[above - 1].c;
    fx_params params = beside->params;
    params.value[w->axis] = middle;
    if (at(w, &params)) {
        return; /* it has no cost, or it would be among the points */
    }
    out->sweep = beside->sweep;
    out->params[out->count++] = params;
    if (w->search->against) {
        const fx_params other = opposite(w, &params);
        if (!at(w, &other)) {
            out->params[out->count++] = other;
        }
    }
}

static fx_status search(walk *w, fx_step *out, fx_error *err) {
    for (size_t i = 0; i < w->found_count; i++) {
        w->selected[i] = fx_selections_hold(w->where, &w->found[i].c->params, w->probe->axes_count);
    }
    for (size_t i = 0; i < w->found_count && !out->count; i++) {
        bool seen = !w->selected[i]; /* a walk is looked at from its first case */
        for (size_t k = 0; k < i && !seen; k++) {
            seen = w->selected[k] &&
                   same_but_for(&w->found[k].c->params, &w->found[i].c->params, w->probe->axes_count, w->axis);
        }
        if (seen) {
            continue;
        }
        gather(w, w->found[i].c);
        size_t above = 0;
        if (w->count > 1 && w->added < FX_MOST_SEARCHED) {
            FX_TRY(find_change(w, &above, err));
        }
        if (above) {
            halve(w, above, out);
        }
    }
    return FX_OK;
}

fx_status fx_search_next(const fx_probe *probe, const bool *fixed, const fx_found *found, size_t count, fx_step *out,
                         fx_error *err) {
    fx_status status = FX_OK;
    walk w = {.probe = probe,
              .found = found,
              .found_count = count,
              .selected = calloc(count + 1, sizeof *w.selected),
              .points = calloc(count + 1, sizeof *w.points)};
    *out = (fx_step){0};
    if (!w.selected || !w.points) {
        status = fx_fail(err, FX_NO_MEMORY, "out of memory while searching where a cost changes");
    }
    for (size_t s = 0; s < probe->searches_count && status == FX_OK && !out->count; s++) {
        w.search = &probe->searches[s];
        for (w.axis = 0; w.axis < probe->axes_count && strcmp(probe->axes[w.axis].name, w.search->axis) != 0;
             w.axis++) {
        }
        if (w.axis == probe->axes_count) {
            status = fx_fail(err, FX_BAD_INPUT, "probe %s searches along an axis '%s' that it does not have",
                             probe->name, w.search->axis);
        } else if (fixed[w.axis]) {
            continue;
        } else if (fx_axes_parse(probe->axes, probe->axes_count, w.search->where, w.where, err) == FX_OK) {
            status = fx_axes_parse(probe->axes, probe->axes_count, w.search->against, w.against, err);
            status = status == FX_OK ? search(&w, out, err) : status;
            fx_selections_free(w.where, probe->axes_count);
            fx_selections_free(w.against, probe->axes_count);
        } else {
            status = err ? err->status : FX_BAD_INPUT;
        }
    }
    free(w.selected);
    free(w.points);
    return status;
}
