/* The answer for people: a drawing, what it costs at each level, cures. */

#include "call/message.h"
#include "core/text.h"
#include "pattern.h"

/* Lines of global memory in a drawing; where texts begin behind their words. */
enum { MOST_LINES = 16, TEXT_AT = 13 };

/* 0 is a dot, 1 to 9 digits, then letters: a is 10. */
static char digit(unsigned value) {
    return value == 0 ? '.' : value < 10 ? (char)('0' + value) : value < 36 ? (char)('a' + value - 10) : '*';
}

static void draw_banks(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern) {
    const fx_geometry *g = &cost->facts.geometry;
    const bool atomic = fx_pattern_is_atomic(kind), load = kind->does == FX_LOADS;
    const unsigned phase = load ? fx_law_load_phase_lanes(g, &pattern->lanes, pattern->width_bytes)
                                : fx_law_phase_lanes(g, pattern->width_bytes);
    unsigned banks[FX_MAX_BANKS];
    fprintf(to, "\n  bank         ");
    for (unsigned bank = 0; bank <= (g->banks - 1) / 10 * 10; bank++) {
        fputc(bank % 10 ? ' ' : (char)('0' + bank / 10 % 10), to);
    }
    fprintf(to, "\n               ");
    for (unsigned bank = 0; bank < g->banks; bank++) {
        fputc((char)('0' + bank % 10), to);
    }
    fputc('\n', to);
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        const unsigned end = begin + phase < FX_WARP ? begin + phase : FX_WARP;
        const unsigned busiest = (atomic ? fx_law_bank_visits : fx_law_bank_words)(g, &pattern->lanes, begin, end,
                                                                                   pattern->width_bytes, banks);
        fprintf(to, "  lanes %2u-%-2u  ", begin, end - 1);
        for (unsigned bank = 0; bank < g->banks; bank++) {
            fputc(digit(banks[bank]), to);
        }
        fprintf(to, "  %u\n", busiest);
    }
    fx_print_wrapped(to, 3, "  (%s; . is 0, a is 10, w is 32; right column: the busiest bank)",
                     atomic ? "lanes that each bank must serve" : "words that each bank must serve");
}

/* Lanes that touch [from, from + bytes). */
static unsigned lanes_in(const fx_pattern *pattern, int64_t from, unsigned bytes) {
    unsigned count = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l];
        count += offset >= 0 && offset < from + bytes && offset + pattern->width_bytes > from;
    }
    return count;
}

/* The first line from `from` on that a lane touches; -1: there is none. */
static int64_t next_line(const fx_pattern *pattern, int64_t from, int64_t line_bytes) {
    int64_t best = -1;
    for (unsigned l = 0; l < FX_WARP; l++) {
        const int64_t offset = pattern->lanes.offset[l], first = offset / line_bytes,
                      last = (offset + pattern->width_bytes - 1) / line_bytes, line = first > from ? first : from;
        if (offset >= 0 && line <= last && (best < 0 || line < best)) {
            best = line;
        }
    }
    return best;
}

static void draw_lines(FILE *to, const fx_geometry *g, const fx_pattern *pattern) {
    unsigned lines = 0;
    fprintf(to, "\n  line at byte  lanes in each sector of %u bytes\n", g->sector_bytes);
    for (int64_t line = 0; (line = next_line(pattern, line, g->line_bytes)) >= 0; line++, lines++) {
        if (lines >= MOST_LINES) {
            continue;
        }
        fprintf(to, "  %12lld  ", (long long)(line * g->line_bytes));
        for (unsigned at = 0; at < g->line_bytes; at += g->sector_bytes) {
            const unsigned lanes = lanes_in(pattern, line * g->line_bytes + at, g->sector_bytes);
            fprintf(to, lanes ? " %3u" : "   .", lanes);
        }
        fputc('\n', to);
    }
    if (lines > MOST_LINES) {
        fprintf(to, "  ... and %u more\n", lines - MOST_LINES);
    }
}

/* "3.26 cycles", "0.0879 ns"; "-" where it is not known. */
static const char *value_text(const fx_pattern_cost_at *at, double value, char *text, size_t size) {
    if (!isfinite(value)) {
        (void)snprintf(text, size, "-");
    } else {
        (void)snprintf(text, size, strcmp(at->unit, "cycles") ? "%#.3g %s" : "%.2f %s", value, at->unit);
    }
    return text;
}

/* The same of what is predicted, or, where the law is not claimed, of the least it can be: ">=3.3 cycles". */
static const char *predicted_text(const fx_pattern_cost_at *at, double value, char *text, size_t size) {
    if (!fx_pattern_is_bound(at) || !isfinite(value)) {
        return value_text(at, at->open ? NAN : value, text, size);
    }
    (void)snprintf(text, size, strcmp(at->unit, "cycles") ? ">=%.2g %s" : ">=%.1f %s", value, at->unit);
    return text;
}

/* To two digits behind the point: laws may count parts of a step. */
static double rounded(double count) {
    return round(100 * count) / 100;
}

/* The count, and beside it the best one where no cost says how they compare. */
static const char *count_text(const fx_pattern_cost_at *at, char *text, size_t size) {
    const fx_prediction *p = &at->prediction;
    const fx_law_name *law = fx_law_named(p->law);
    if (!p->law) {
        (void)snprintf(text, size, "no law for this access");
    } else {
        (void)snprintf(text, size, "%s%g %s", fx_pattern_is_bound(at) ? ">=" : "", rounded(p->count),
                       !law            ? "wavefronts" /* of matrices */
                       : p->count == 1 ? law->one
                                       : law->many);
        if (!isfinite(at->best)) {
            fx_text_add(text, size, " (ideal %g)", rounded(at->best_count));
        }
    }
    return text;
}

/* How far the law has been off in any case that it was fitted to, of whatever width. */
static const char *missed_text(const fx_pattern_cost_at *at, double missed, char *text, size_t size) {
    if (!isfinite(missed)) {
        (void)snprintf(text, size, "-");
    } else if (missed < 0.01) {
        (void)snprintf(text, size, "under 0.01 %%");
    } else {
        (void)snprintf(text, size, "%.2g %%%s", missed, at->fit->law_holds ? "" : ", rough");
    }
    return text;
}

static const char *times_text(const fx_pattern_cost_at *at, double times, char *text, size_t size) {
    (void)snprintf(text, size, !isfinite(times) ? "-" : fx_pattern_is_bound(at) ? ">=%.3gx" : "%.1fx", times);
    if (at->least > 0 && times >= 1.05) {
        (void)snprintf(text, size, isinf(fx_pattern_most(at)) ? ">=%.2gx" : "%.2g..%.2gx", at->least, times);
    }
    return text;
}

/* The columns of the table of levels; those of predictions where there is one, that of measurements where one was. */
enum { PREDICTED, MEASURED, ALWAYS };
static const struct {
    int when, width;
    const char *title;
    const char *(*text)(const fx_pattern_cost_at *, double, char *, size_t);
} columns[] = {{PREDICTED, 13, "predicted", predicted_text},
               {MEASURED, 13, "measured", value_text},
               {PREDICTED, 13, "ideal", value_text},
               {ALWAYS, 8, "slowdown", times_text},
               {PREDICTED, -13, "model error", missed_text}};

void fx_pattern_print_levels(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                             const fx_pattern_answer *answer) {
    char text[128], laws[3 * sizeof text + 64] = "";
    bool shown[] = {false, cost->device != NULL, true};
    for (size_t i = 0; i < answer->count; i++) {
        const bool many = answer->count > 1;
        shown[PREDICTED] = shown[PREDICTED] || isfinite(answer->at[i].predicted);
        fx_text_add(laws, sizeof laws, "%s%s%s%s", i ? "; " : "", many ? kind->level[i].name : "", many ? ": " : "",
                    count_text(&answer->at[i], text, sizeof text));
    }
    fputc('\n', to);
    for (size_t row = 0; row <= answer->count; row++) {
        char line[256];
        const fx_pattern_cost_at *at = &answer->at[row ? row - 1 : 0];
        const double values[] = {at->predicted, at->measured, at->best, at->times,
                                 fx_pattern_is_judged(at) ? at->fit->law_missed_pct : NAN};
        (void)snprintf(line, sizeof line, "  %-9s", row ? kind->level[row - 1].name : "served by");
        for (size_t i = 0; i < FX_COUNT(columns); i++) {
            const bool constant = kind->level[0].by == FX_LEVEL_CONSTANT && !strcmp(columns[i].title, "ideal");
            if (shown[columns[i].when]) {
                fx_text_add(line, sizeof line, "  %*s", columns[i].width,
                            row        ? columns[i].text(at, values[i], text, sizeof text)
                            : constant ? "one address"
                                       : columns[i].title);
            }
        }
        fx_print_wrapped(to, 0, "%s", line); /* without blanks at its end */
    }
    fx_print_wrapped(to, TEXT_AT, "  law        %s", laws);
}

/* The same sentence for neighbouring levels is printed once: "L1, L2: ...". */
static void print_per_level(FILE *to, const char *label, const fx_pattern_kind *kind, size_t count,
                            const char *const *texts) {
    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1;
        if (!texts[i] || !*texts[i]) {
            continue;
        }
        while (end < count && texts[end] && !strcmp(texts[end], texts[i])) {
            end++;
        }
        char levels[64] = "";
        for (size_t k = i; k < end && (i > 0 || end < count); k++) {
            fx_text_add(levels, sizeof levels, "%s%s", kind->level[k].name, k + 1 < end ? ", " : ": ");
        }
        fx_print_wrapped(to, TEXT_AT, "  %-9s  %s%s", label, levels, texts[i]);
        i = end - 1;
    }
}

/* What the table leaves open: where the fits are from, and why a number is missing or not to be trusted. */
static void print_notes(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                        const fx_pattern_answer *answer) {
    static const char *const labels[] = {"fits of", "no cost", "at least", "no claim", "not taken"};
    const char *texts[FX_COUNT(labels)][FX_PATTERN_LEVELS] = {{0}};
    bool measured = false;
    for (size_t i = 0; i < answer->count; i++) {
        const fx_pattern_cost_at *at = &answer->at[i];
        texts[4][i] = at->why_not;
        measured = measured || isfinite(at->measured);
        if (at->prediction.law) {
            texts[at->fit ? 0 : 1][i] =
                at->fit          ? cost->fits[i]
                : *cost->fits[i] ? "the archive has not measured such accesses"
                                 : "no archive of this architecture has measured such accesses under the current laws";
            texts[at->open ? 3 : 2][i] = at->prediction.why_not;
        }
    }
    for (size_t l = 0; l < FX_COUNT(labels); l++) {
        print_per_level(to, labels[l], kind, answer->count, texts[l]);
    }
    if (measured) {
        fx_print_wrapped(to, TEXT_AT, "  measured   on %s%s", cost->device->name,
                         cost->device->synthetic ? ", which is synthetic: the numbers are made up" : "");
    }
}

double fx_pattern_cured(const fx_pattern_use *use, size_t level, const fx_pattern_cure *cure) {
    const double accesses = (double)use->count / cure->merges, each = cure->count[level] / accesses;
    return accesses * fx_pattern_predict(use->cost, level, each, cure->width_bytes);
}

void fx_pattern_print_cure(FILE *to, const char *label, const fx_pattern_use *use, const fx_pattern_answer *sum,
                           const fx_pattern_cure *cure) {
    const fx_pattern_kind *kind = use->kind;
    char what[768] = "";
    for (size_t i = 0; i < sum->count; i++) {
        const double before = sum->at[i].prediction.count * cure->replaces;
        const double value = fx_pattern_cured(use, i, cure);
        char text[64], costs[80] = "";
        if (!(cure->count[i] < before) || kind->level[i].by == FX_LEVEL_CONSTANT) {
            continue;
        }
        if (isfinite(value)) {
            (void)snprintf(costs, sizeof costs, " (%s)", value_text(&sum->at[i], value, text, sizeof text));
        }
        fx_text_add(what, sizeof what, "%s%s%s%g instead of %g%s", *what ? ", " : "",
                    sum->count > 1 ? kind->level[i].name : "", sum->count > 1 ? " " : "", rounded(cure->count[i]),
                    rounded(before), costs);
    }
    const char *by = !*what ? "" : sum->count > 1 ? " by the same laws" : " by the same law";
    fx_print_wrapped(to, TEXT_AT, "  %-9s  %s%s%s%s", label, cure->text, *what ? ": " : "", what, by);
}

/* What the figures of one SM mean for a kernel. */
static void print_bound(FILE *to, const fx_pattern_kind *kind, const fx_pattern_answer *answer) {
    const bool global = !strcmp(kind->space, "global");
    const double most = fx_pattern_slowdown(answer, false);
    for (size_t i = 0; i < answer->count; i++) {
        if (answer->at[i].prediction.why_not) {
            return; /* nobody knows the most */
        }
    }
    if (global && fx_pattern_is_atomic(kind)) {
        fx_print_wrapped(to, TEXT_AT,
                         "  slowdown   %.2gx for one warp; warps that update the same words wait for each "
                         "other, which may cost hundreds of times as much (gpufx ask atomic contention)",
                         fmax(most, 1));
    } else if (most > 1.05) {
        fx_print_wrapped(to, TEXT_AT,
                         "  slowdown   at most %.2gx for a kernel that does nothing else; less if other work hides "
                         "it%s",
                         most, global ? ", or if other warps use the same sectors, as in a stream" : "");
    }
}

/* So that who meant elements sees that bytes were counted. */
static void print_distance(FILE *to, const fx_pattern_cost *cost, const fx_pattern *pattern) {
    const int64_t first = pattern->lanes.offset[0], second = pattern->lanes.offset[1];
    const long long bytes = llabs((long long)(second - first)), word = cost->facts.geometry.bank_bytes;
    if (first < 0 || second < 0) {
        return;
    }
    fprintf(to, "lane 1 is %lld bytes", bytes);
    if (bytes % word == 0) {
        fprintf(to, " = %lld word%s", bytes / word, bytes == word ? "" : "s");
    }
    fprintf(to, " %s lane 0\n", second < first ? "before" : "after");
}

void fx_pattern_print(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      const fx_pattern_answer *answer) {
    const bool global = !strcmp(kind->space, "global");
    fx_print_wrapped(to, 2, "%s %s%s%s, %u byte%s per lane, %u of %d lanes active, %s", kind->space, kind->op,
                     global && kind->count == 1 ? " at " : "", global && kind->count == 1 ? kind->level[0].name : "",
                     pattern->width_bytes, pattern->width_bytes == 1 ? "" : "s", fx_pattern_active(&pattern->lanes),
                     FX_WARP, cost->arch);
    print_distance(to, cost, pattern);
    if (!strcmp(kind->space, "shared")) {
        draw_banks(to, cost, kind, pattern);
    } else if (global) {
        draw_lines(to, &cost->facts.geometry, pattern);
    }
    fx_pattern_print_levels(to, cost, kind, answer);
    if (global && isfinite(answer->at[0].predicted)) {
        fx_print_wrapped(to, TEXT_AT,
                         "  times      per access of a warp; L2: cycles of one SM while the others are idle (all at "
                         "once: gpufx ask L2 requests)%s; DRAM: ns of the whole chip",
                         kind->does == FX_STORES ? ", its work: sectors + lines written in part" : "");
    }
    print_bound(to, kind, answer);
    print_notes(to, cost, kind, answer);
}
