/* `fits`: the pooled fits of an archive, and how well they predict another. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "archive_folder.h"
#include "call/message.h"
#include "call/places.h"
#include "call/verb.h"
#include "core/text.h"
#include "held_out.h"
#include "judge.h"
#include "predictions.h"

/* Columns of the tables: of fits beside that of the groups, of aims, of laws held out. What is wider than the screen
 * has its figures below the name. */
enum { TABLE = 120, AIMS = 130, HELD_OUT = 190 };

typedef struct showing {
    const fx_options *options;
    char root[PATH_MAX];
    fx_predictor *fits;
    char near[256]; /* how near an archive that was searched for is; "" where it was named */
    fx_reach reach;
    fx_judged *judged;
    size_t judged_count;
    json_t *failed;
} showing;

static bool wanted(const showing *s, const fx_known_fit *fit) {
    return !s->options->probe || !strcmp(s->options->probe, fit->probe);
}

/* True if some fit of a probe that `run` was meant to have may predict. */
static bool speaks_of(const fx_predictor *fits, const json_t *probes) {
    size_t count;
    const fx_known_fit *fit = fx_predictor_fits(fits, &count);
    for (size_t i = 0; i < count; i++) {
        if (!*fit[i].why_not && (!json_object_size(probes) || json_object_get(probes, fit[i].probe))) {
            return true;
        }
    }
    return false;
}

/* The nearest archive of another's device, else of its architecture, whose fits speak of its probes. */
static fx_status search(showing *s, fx_error *err) {
    char real[PATH_MAX];
    fx_history *history = NULL;
    json_t *run = NULL;
    if (fx_archive_can_be_read_again(s->options->on, err) || fx_archive_head(s->options->on, &run, err)) {
        return err->status;
    }
    json_t *probes = fx_history_probes(run);
    const json_t *device = json_object_get(run, "device");
    const fx_wish wish = {.slug = json_string_value(json_object_get(device, "slug")),
                          .arch = json_string_value(json_object_get(device, "arch")),
                          .farthest = FX_SAME_ARCH,
                          .probes = probes,
                          .except = realpath(s->options->on, real)};
    fx_status status = fx_history_of_project(s->root, true, &history, err);
    size_t at = 0;
    for (fx_past *past; !status && !s->fits && (past = fx_history_next(history, &wish, &at, &s->reach));) {
        fx_error cause = {0};
        if (fx_predictor_open(past->path, &s->fits, &cause)) {
            fx_warn("%s", cause.text);
        } else if (!speaks_of(s->fits, probes)) {
            fx_predictor_close(s->fits);
            s->fits = NULL;
        } else {
            (void)fx_reach_words(s->reach, past, s->near, sizeof s->near);
        }
    }
    if (!status && !s->fits) {
        status = fx_fail(err, FX_UNSUPPORTED,
                         "no archive of this device or architecture under results/ has fits of these probes; run "
                         "`gpufx characterize` first");
    }
    fx_history_close(history);
    json_decref(probes);
    json_decref(run);
    return status;
}

static fx_status gather(showing *s, fx_error *err) {
    const fx_options *o = s->options;
    if (!o->words.count && !o->on) {
        return fx_fail(err, FX_BAD_INPUT, "an archive is missing: gpufx fits ARCHIVE");
    }
    if (fx_root(s->root, err) ||
        (o->words.count ? fx_predictor_open(o->words.text[0], &s->fits, err) : search(s, err))) {
        return err->status;
    }
    return o->on ? fx_judge(s->fits, s->options->on, &s->judged, &s->judged_count, s->failed, err) : FX_OK;
}

static json_t *real_or_null(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(double low, double high) {
    return isfinite(low) && isfinite(high) ? json_pack("[ff]", low, high) : json_null();
}

static json_t *fit_json(const fx_known_fit *f) {
    return json_pack(
        "{ss sO ss ss ss sI so so so so so so so ss sb sI sI sb sb so}", "probe", f->probe, "group",
        (json_t *)(uintptr_t)f->group, "law", f->law, "metric", f->metric, "unit", f->unit, "n", (json_int_t)f->fit.n,
        "a", real_or_null(f->fit.a), "b", real_or_null(f->fit.b), "a_ci95", interval(f->fit.a_low, f->fit.a_high),
        "b_ci95", interval(f->fit.b_low, f->fit.b_high), "r_squared", real_or_null(f->fit.r_squared), "residual_sd_pct",
        real_or_null(f->fit.residual_sd_pct), "largest_residual_pct", real_or_null(f->fit.largest_residual_pct),
        "worst_case", f->worst_case, "holds", f->holds, "processes", (json_int_t)f->processes, "holds_in",
        (json_int_t)f->holds_in, "recounted", f->recounted, "usable", !*f->why_not, "why_not",
        *f->why_not ? json_string(f->why_not) : json_null());
}

static json_t *aim_json(const fx_judged *j) {
    json_t *farthest = json_array();
    for (size_t i = 0; i < j->farthest_count; i++) {
        const fx_far *far = &j->farthest[i];
        (void)json_array_append_new(farthest, json_pack("{ss sf sf sf}", "name", far->name, "measured", far->measured,
                                                        "predicted", far->predicted, "off_pct", far->off_pct));
    }
    return json_pack("{ss ss sf so sI sI sI sI ss so}", "probe", j->probe->name, "where", j->aim->where,
                     "tolerance_pct", j->aim->tolerance_pct, "share_pct", real_or_null(j->aim->share_pct), "right",
                     (json_int_t)j->right, "off", (json_int_t)j->off, "unpredicted", (json_int_t)j->unpredicted,
                     "not_claimed", (json_int_t)j->not_claimed, "verdict", fx_judged_verdict(j), "farthest", farthest);
}

static fx_status print_json(const showing *s, fx_error *err) {
    static const char *const reaches[] = {"device", "architecture"};
    const fx_fit_origin *from = fx_predictor_origin(s->fits);
    json_t *fits = json_array(), *aims = json_array();
    size_t count;
    const fx_known_fit *fit = fx_predictor_fits(s->fits, &count);
    for (size_t i = 0; i < count; i++) {
        if (wanted(s, &fit[i])) {
            (void)json_array_append_new(fits, fit_json(&fit[i]));
        }
    }
    for (size_t i = 0; i < s->judged_count; i++) {
        (void)json_array_append_new(aims, aim_json(&s->judged[i]));
    }
    json_t *all = json_pack("{ss ss ss sb so ss s{ss ss ss} sI so}", "archive", from->path, "id", from->id,
                            "started_utc", from->started_utc, "complete", !from->incomplete, "law_version",
                            from->law_version ? json_integer(from->law_version) : json_null(), "provenance",
                            from->synthetic ? "synthetic" : "measured", "device", "name", from->device, "slug",
                            from->slug, "arch", from->arch, "processes", (json_int_t)from->processes, "fits", fits);
    if (all && s->options->on) {
        (void)json_object_set_new(all, "same", *s->near ? json_string(reaches[s->reach]) : json_null());
        (void)json_object_set(all, "failed", s->failed);
        (void)json_object_set(all, "aims", aims);
    }
    json_decref(aims);
    if (!all) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while printing fits");
    }
    (void)fx_text_print_json(stdout, all, 2);
    putchar('\n');
    json_decref(all);
    return FX_OK;
}

/* "level:dram op:load"; "all cases" where nothing separates the fits. */
static const char *group_text(const json_t *group, char *text, size_t size) {
    const char *axis;
    json_t *value;
    int at = 0;
    (void)snprintf(text, size, "all cases");
    json_object_foreach((json_t *)(uintptr_t)group, axis, value) {
        if (at < 0 || (size_t)at >= size) {
            break;
        }
        at += json_is_string(value)
                  ? snprintf(text + at, size - (size_t)at, "%s%s:%s", at ? " " : "", axis, json_string_value(value))
                  : snprintf(text + at, size - (size_t)at, "%s%s:%lld", at ? " " : "", axis,
                             (long long)json_integer_value(value));
    }
    return text;
}

static const char *holds_text(const fx_known_fit *f) {
    return *f->why_not ? f->why_not : f->holds ? "holds" : "DOES NOT HOLD";
}

/* Below the name what is said of it. */
static void print_narrow(const fx_known_fit *f) {
    char group[160];
    fx_print_wrapped(stdout, 4, "%s: %s", f->probe, group_text(f->group, group, sizeof group));
    fx_print_wrapped(stdout, 8, "    %s = %.4g + %.4g x %s; %zu cases, off by %.2f %% at most, %s%s", f->unit, f->fit.a,
                     f->fit.b, f->law, f->fit.n, fabs(f->fit.largest_residual_pct), holds_text(f),
                     f->recounted ? ", counted anew" : "");
}

static void print_fit(const fx_known_fit *f, int width) {
    char group[160], line[128], spread[32] = "-";
    (void)snprintf(line, sizeof line, "%s = %.4g + %.4g x %s", f->unit, f->fit.a, f->fit.b, f->law);
    if (isfinite(f->fit.residual_sd_pct)) {
        (void)snprintf(spread, sizeof spread, "%.2f %%", f->fit.residual_sd_pct);
    }
    fx_print_line(stdout, "%-16s  %-*s  %5zu  %-44s  %8s  %7.2f %%  %s%s", f->probe, width,
                  group_text(f->group, group, sizeof group), f->fit.n, line, spread, f->fit.largest_residual_pct,
                  holds_text(f), f->recounted ? ", counted anew" : "");
}

/* The column of the groups that are shown. */
static int group_width(const showing *s, const fx_known_fit *fit, size_t count) {
    char group[160];
    int width = 40;
    for (size_t i = 0; i < count; i++) {
        const int length = wanted(s, &fit[i]) ? (int)strlen(group_text(fit[i].group, group, sizeof group)) : 0;
        width = length > width ? length : width;
    }
    return width;
}

static void print_text(const showing *s) {
    const fx_fit_origin *from = fx_predictor_origin(s->fits);
    size_t count, shown = 0;
    const fx_known_fit *fit = fx_predictor_fits(s->fits, &count);
    const int width = group_width(s, fit, count);
    const bool narrow = width + TABLE > fx_columns();
    if (from->incomplete) {
        fx_warn("the run of this archive did not come to its end: these are the fits that it left");
    }
    fx_print_wrapped(stdout, 4, "fits of %s: %s, %s, %s", fx_short_path(s->root, from->path),
                     *s->near ? s->near : from->device, from->arch, from->started_utc);
    if (!s->options->on && narrow) {
        putchar('\n');
    } else if (!s->options->on) {
        printf("\n%-16s  %-*s  %5s  %-44s  %8s  %9s  %s\n", "probe", width, "group", "cases", "fit", "spread",
               "farthest", "law");
    }
    for (size_t i = 0; i < count && !s->options->on; i++) {
        if (wanted(s, &fit[i])) {
            if (narrow) {
                print_narrow(&fit[i]);
            } else {
                print_fit(&fit[i], width);
            }
            shown++;
        }
    }
    if (!s->options->on && !shown) {
        puts("none: a fit takes three cases of a law, and two counts");
    }
    if (s->options->on && !s->judged_count) {
        puts("no probe of that archive has an aim");
    } else if (s->options->on) {
        putchar('\n');
        if (AIMS <= fx_columns()) {
            printf("%-16s  %-50s  %7s  %7s  %7s  %11s  %7s  %s\n", "probe", "where", "within", "right", "off",
                   "not claimed", "no fit", "verdict");
        }
    }
    for (size_t i = 0; i < s->judged_count; i++) {
        const fx_judged *j = &s->judged[i];
        if (AIMS > fx_columns()) {
            fx_print_wrapped(stdout, 4, "%s: %s", j->probe->name, j->aim->where);
            fx_print_wrapped(stdout, 8, "    within %g %%: %zu right, %zu off, %zu not claimed, %zu without a fit: %s",
                             j->aim->tolerance_pct, j->right, j->off, j->not_claimed, j->unpredicted - j->not_claimed,
                             fx_judged_verdict(j));
            continue;
        }
        printf("%-16s  %-50s  %5g %%  %7zu  %7zu  %11zu  %7zu  %s\n", j->probe->name, j->aim->where,
               j->aim->tolerance_pct, j->right, j->off, j->not_claimed, j->unpredicted - j->not_claimed,
               fx_judged_verdict(j));
    }
    for (size_t i = 0; i < s->judged_count; i++) {
        const fx_judged *j = &s->judged[i];
        for (size_t k = 0; k < j->farthest_count && fabs(j->farthest[k].off_pct) > j->aim->tolerance_pct; k++) {
            fputs(k || i ? "" : "\n", stdout);
            fx_print_wrapped(stdout, 8, "%+7.1f %%  %.4g instead of %.4g  %s", j->farthest[k].off_pct,
                             j->farthest[k].measured, j->farthest[k].predicted, j->farthest[k].name);
        }
    }
}

static json_t *ratio_json(double ratio, const char *name) {
    return json_pack("{sf ss}", "ratio", ratio, "name", name);
}

static fx_status print_held_out_json(const fx_options *o, const fx_held_out *rows, size_t count, fx_error *err) {
    json_t *laws = json_array();
    for (size_t i = 0; i < count; i++) {
        const fx_held_out *r = &rows[i];
        json_t *most = r->predicted ? ratio_json(r->most, r->most_name) : json_null();
        json_t *least = r->predicted ? ratio_json(r->least, r->least_name) : json_null();
        if (!o->probe || !strcmp(o->probe, r->probe->name)) {
            (void)json_array_append_new(
                laws, json_pack("{ss ss ss sI sI sI sI sI so so}", "probe", r->probe->name, "law", r->law, "metric",
                                r->probe->metrics[r->metric].name, "predicted", (json_int_t)r->predicted,
                                "within_2_pct", (json_int_t)r->within[0], "within_5_pct", (json_int_t)r->within[1],
                                "within_10_pct", (json_int_t)r->within[2], "not_claimed", (json_int_t)r->unclaimed,
                                "most", most, "least", least));
        } else {
            json_decref(most);
            json_decref(least);
        }
    }
    json_t *all = json_pack("{si so}", "law_version", FX_LAW_VERSION, "laws", laws);
    if (!all) {
        return fx_fail(err, FX_NO_MEMORY, "out of memory while printing laws");
    }
    (void)fx_text_print_json(stdout, all, 2);
    putchar('\n');
    json_decref(all);
    return FX_OK;
}

static void print_held_out(const fx_options *o, const fx_held_out *rows, size_t count) {
    const bool narrow = HELD_OUT > fx_columns();
    if (!narrow) {
        printf("%-16s  %-16s  %-14s  %9s  %10s  %7s  %7s  %8s  %-17s  %s\n", "probe", "law", "metric", "predicted",
               "within 2 %", "5 %", "10 %", "no claim", "measured/predicted", "farthest");
    }
    for (size_t i = 0; i < count; i++) {
        const fx_held_out *r = &rows[i];
        const char *metric = r->probe->metrics[r->metric].name;
        const char *farthest = !r->predicted ? "-" : r->most - 1 > 1 - r->least ? r->most_name : r->least_name;
        char range[32] = "-", share[FX_HELD_OUT_TOLERANCES][16] = {"-", "-", "-"};
        if (o->probe && strcmp(o->probe, r->probe->name) != 0) {
            continue;
        }
        for (size_t k = 0; r->predicted && k < FX_HELD_OUT_TOLERANCES; k++) {
            (void)snprintf(share[k], sizeof share[k], "%.1f %%", 100 * (double)r->within[k] / (double)r->predicted);
        }
        if (r->predicted) {
            (void)snprintf(range, sizeof range, "%.3f to %.3f", r->least, r->most);
        }
        if (narrow) {
            fx_print_wrapped(stdout, 4, "%s: %s, %s: %zu predicted, %zu without a claim", r->probe->name, r->law,
                             metric, r->predicted, r->unclaimed);
            fx_print_wrapped(stdout, 8, "    within 2 %%: %s, 5 %%: %s, 10 %%: %s; measured/predicted %s, farthest %s",
                             share[0], share[1], share[2], range, farthest);
        } else {
            fx_print_line(stdout, "%-16s  %-16s  %-14s  %9zu  %10s  %7s  %7s  %8zu  %-18s  %s", r->probe->name, r->law,
                          metric, r->predicted, share[0], share[1], share[2], r->unclaimed, range, farthest);
        }
    }
}

static fx_status hold_out(const fx_options *o, fx_error *err) {
    fx_held_out *rows = NULL;
    size_t count = 0;
    if (!o->words.count) {
        return fx_fail(err, FX_BAD_INPUT, "an archive is missing: gpufx fits ARCHIVE --held-out");
    }
    if (fx_hold_out(o->words.text[0], o->on, &rows, &count, err)) {
        return err->status;
    }
    fx_status status = FX_OK;
    if (o->json) {
        status = print_held_out_json(o, rows, count, err);
    } else {
        print_held_out(o, rows, count);
    }
    free(rows);
    return status;
}

static fx_status print_cases(const fx_options *o, fx_error *err) {
    json_t *costs = NULL, *cost;
    const char *name;
    if (!o->words.count) {
        return fx_fail(err, FX_BAD_INPUT, "an archive is missing: gpufx fits ARCHIVE --cases");
    }
    if (o->on || o->held_out || o->probe) {
        return fx_fail(err, FX_BAD_INPUT, "--cases stands alone, or with --json; leave the other options out");
    }
    if (fx_predictions(o->words.text[0], &costs, err)) {
        return err->status;
    }
    if (o->json) {
        (void)fx_text_print_json(stdout, costs, 0);
        putchar('\n');
    } else {
        json_object_foreach(costs, name, cost) {
            fx_print_line(stdout, "%14.6g  %s", json_number_value(cost), name);
        }
    }
    json_decref(costs);
    return FX_OK;
}

/* A probe that neither this program nor the archive has is mistyped; one without a fit is no mistake. */
static fx_status check_probe(const fx_options *o, const fx_predictor *fits, fx_error *err) {
    size_t count = 0;
    const fx_known_fit *fit = fits ? fx_predictor_fits(fits, &count) : NULL;
    bool known = !o->probe || fx_probe_find(o->probe);
    for (size_t i = 0; i < count && !known; i++) {
        known = !strcmp(o->probe, fit[i].probe);
    }
    return known ? FX_OK
                 : fx_fail(err, FX_BAD_INPUT, "--probe %.60s: there is no such probe; `gpufx list` has the names",
                           o->probe);
}

int fx_verb_fits(fx_call *call) {
    if (call->options.cases) {
        fx_error cause = {0};
        return print_cases(&call->options, &cause) ? fx_exit_for(&cause) : FX_EXIT_OK;
    }
    if (call->options.held_out) {
        fx_error cause = {0};
        return check_probe(&call->options, NULL, &cause) || hold_out(&call->options, &cause) ? fx_exit_for(&cause)
                                                                                             : FX_EXIT_OK;
    }
    showing s = {.options = &call->options, .failed = json_object()};
    fx_error err = {0};
    fx_status status = gather(&s, &err);
    if (!status) {
        status = check_probe(&call->options, s.fits, &err);
    }
    if (!status && call->options.json) {
        status = print_json(&s, &err);
    } else if (!status) {
        print_text(&s);
    }
    fx_predictor_close(s.fits);
    free(s.judged);
    json_decref(s.failed);
    return status ? fx_exit_for(&err) : FX_EXIT_OK;
}
