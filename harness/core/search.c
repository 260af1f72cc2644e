/* Which case to measure next: one between the two neighbours at which a cost changes (flat_parts.h says where). */
#include "search.h"

#include "flat_parts.h"
#include "stats.h"

static const double NARROW = 0.01; /* of where a change lies: a gap that needs no halving */

typedef struct point {
    int64_t x;
    fx_level cost;
    const fx_case *c;
} point;

/* What one search has before it. */
typedef struct walk {
    const fx_probe *probe;
    const fx_search *search;
    size_t axis;
    const fx_searched_case *found;
    size_t found_count;
    const fx_selection *where, *against;
    bool *selected;  /* one for each of found */
    point *points;   /* of the walk that is looked at, in order */
    fx_level *costs; /* theirs */
    size_t count, added;
} walk;

const char *fx_change_text(fx_change change) {
    static const char *const texts[] = {"the end of the first plateau", "the start of the last plateau",
                                        "the value from which it costs less"};
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
static const fx_searched_case *at(const walk *w, const fx_params *params) {
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

static double error_of(const fx_searched_case *f) {
    return f->low > 0 && f->high >= f->low ? log(f->high / f->low) / 2 / FX_NORMAL_95 : 0;
}

static int compare_points(const void *a, const void *b) {
    const point *left = a, *right = b;
    return (left->x > right->x) - (left->x < right->x);
}

/* The walk that the case belongs to. */
static void gather(walk *w, const fx_case *c) {
    w->count = w->added = 0;
    for (size_t i = 0; i < w->found_count; i++) {
        const fx_searched_case *f = &w->found[i];
        if (!w->selected[i] || !same_but_for(&f->c->params, &c->params, w->probe->axes_count, w->axis)) {
            continue;
        }
        w->added += f->c->searched;
        point p = {.x = f->c->params.value[w->axis], .c = f->c};
        if (w->search->against) {
            const fx_params other = opposite(w, &f->c->params);
            const fx_searched_case *held = at(w, &other);
            if (!(f->median > 0) || !held || !(held->median > 0)) {
                continue;
            }
            p.cost.log = log(f->median / held->median);
        } else if (f->median > 0) {
            p.cost.log = log(f->median);
            p.cost.error = error_of(f);
        } else {
            continue;
        }
        w->points[w->count++] = p;
    }
    qsort(w->points, w->count, sizeof *w->points, compare_points);
}

/* The index of the first point behind the change; 0: there is none. */
static size_t find_change(const walk *w) {
    const fx_search *search = w->search;
    for (size_t i = 0; i < w->count; i++) {
        w->costs[i] = w->points[i].cost;
    }
    switch (search->change) {
    case FX_FIRST_ENDS:
        return fx_first_ends(w->costs, w->count, search->tolerance);
    case FX_LAST_BEGINS:
        return fx_last_begins(w->costs, w->count, search->tolerance);
    case FX_COSTS_LESS:
        break;
    }
    size_t i = w->count;
    while (i > 0 && w->costs[i - 1].log < 0) {
        i--;
    }
    return i < w->count ? i : 0;
}

/* Bisect the gap below points[above] unless it is already narrow enough. */
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

static void search(walk *w, fx_step *out) {
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
        const size_t above = w->count > 1 && w->added < FX_MOST_SEARCHED ? find_change(w) : 0;
        if (above) {
            halve(w, above, out);
        }
    }
}

fx_status fx_search_next(const fx_probe *probe, const bool *fixed, const fx_searched_case *found, size_t count,
                         fx_step *out, fx_error *err) {
    FX_FREED bool *selected = fx_new(count, sizeof *selected);
    FX_FREED point *points = fx_new(count, sizeof *points);
    FX_FREED fx_level *costs = fx_new(count, sizeof *costs);
    walk w = {probe, .found = found, .found_count = count, .selected = selected, .points = points, .costs = costs};
    *out = (fx_step){0};
    for (size_t s = 0; s < probe->searches_count && !out->count; s++) {
        FX_OWNED(fx_selections_free_all) fx_selection where[FX_MAX_AXES] = {0}, against[FX_MAX_AXES] = {0};
        w.search = &probe->searches[s];
        w.where = where;
        w.against = against;
        for (w.axis = 0; w.axis < probe->axes_count && strcmp(probe->axes[w.axis].name, w.search->axis) != 0;
             w.axis++) {
        }
        FX_FAIL_IF(w.axis == probe->axes_count, err, FX_BAD_INPUT,
                   "probe %s searches along an axis '%s' that it does not have", probe->name, w.search->axis);
        if (!fixed[w.axis]) {
            FX_TRY(fx_axes_parse(probe->axes, probe->axes_count, w.search->where, where, err));
            FX_TRY(fx_axes_parse(probe->axes, probe->axes_count, w.search->against, against, err));
            search(&w, out);
        }
    }
    return FX_OK;
}
