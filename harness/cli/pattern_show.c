/* The answer for people, as a row of a table, and as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "core/text.h"
#include "pattern.h"

enum { MOST_LINES = 16 }; /* of global memory, in a drawing */

void fx_pattern_id(const fx_pattern *pattern, char *text, size_t size) {
    char *json = json_dumps(pattern->id, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    const size_t length = json ? strlen(json) : 0;
    const bool quoted = length > 1 && json[0] == '"';
    (void)snprintf(text, size, "%.*s", (int)(quoted ? length - 2 : length), json ? json + quoted : "?");
    free(json);
}

static double count_named(const fx_prediction *prediction, const char *name) {
    for (size_t i = 0; i < prediction->count_count; i++) {
        if (!strcmp(prediction->counts[i].name, name)) {
            return prediction->counts[i].value;
        }
    }
    return NAN;
}

/* 0 is a dot, 1 to 9 digits, then letters: a is 10. */
static char digit(unsigned value) {
    return value == 0 ? '.' : value < 10 ? (char)('0' + value) : value < 36 ? (char)('a' + value - 10) : '*';
}

/* The lanes of [begin, end) that want a word of this bank, as "0 1 2". */
static void print_lanes_of_bank(FILE *to, const fx_geometry *g, const fx_pattern *pattern, unsigned begin, unsigned end,
                                unsigned bank) {
    for (unsigned l = begin; l < end; l++) {
        const int32_t offset = pattern->lanes.offset[l];
        if (offset < 0) {
            continue;
        }
        const uint32_t first = (uint32_t)offset / g->bank_bytes;
        const uint32_t last = ((uint32_t)offset + pattern->width_bytes - 1) / g->bank_bytes;
        for (uint32_t word = first; word <= last; word++) {
            if (word % g->banks == bank) {
                fprintf(to, " %u", l);
                break;
            }
        }
    }
}

static void draw_banks(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern) {
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    const bool atomic = !strcmp(kind->op, "atomic"), load = !strcmp(kind->op, "load");
    const unsigned phase = load ? fx_law_load_phase_lanes(g, &pattern->lanes, pattern->width_bytes)
                                : fx_law_phase_lanes(g, pattern->width_bytes);
    unsigned banks[FX_MAX_BANKS], worst = 0, worst_begin = 0, worst_bank = 0;
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
            if (banks[bank] > worst) {
                worst = banks[bank];
                worst_begin = begin;
                worst_bank = bank;
            }
        }
        fprintf(to, "  %u\n", busiest);
    }
    fprintf(to, "  (%s; . is 0, a is 10, w is 32; at the right the busiest bank)\n",
            atomic ? "lanes that each bank must serve" : "words that each bank must serve");
    if (worst > 1) {
        const unsigned end = worst_begin + phase < FX_WARP ? worst_begin + phase : FX_WARP;
        fprintf(to, "  bank %u: %u %s, for lanes", worst_bank, worst, atomic ? "lanes" : "words");
        print_lanes_of_bank(to, g, pattern, worst_begin, end, worst_bank);
        fputc('\n', to);
    }
}

static int by_value(const void *a, const void *b) {
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
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

static void draw_lines(FILE *to, const fx_geometry *g, const fx_pattern *pattern) {
    int32_t sorted[FX_WARP];
    unsigned drawn = 0, lines = 0;
    int64_t next = 0;
    memcpy(sorted, pattern->lanes.offset, sizeof sorted);
    qsort(sorted, FX_WARP, sizeof sorted[0], by_value);
    fprintf(to, "\n  line at byte  lanes in each sector of %u bytes\n", g->sector_bytes);
    for (unsigned i = 0; i < FX_WARP; i++) {
        if (sorted[i] < 0) {
            continue;
        }
        int64_t line = sorted[i] / (int64_t)g->line_bytes;
        const int64_t last = (sorted[i] + (int64_t)pattern->width_bytes - 1) / g->line_bytes;
        for (line = line > next ? line : next; line <= last; line++, lines++) {
            next = line + 1;
            if (drawn == MOST_LINES) {
                continue;
            }
            drawn++;
            fprintf(to, "  %12lld  ", (long long)(line * g->line_bytes));
            for (unsigned sector = 0; sector < g->line_bytes / g->sector_bytes; sector++) {
                const unsigned lanes =
                    lanes_in(pattern, line * g->line_bytes + sector * g->sector_bytes, g->sector_bytes);
                if (lanes) {
                    fprintf(to, " %3u", lanes);
                } else {
                    fprintf(to, "   .");
                }
            }
            fputc('\n', to);
        }
    }
    if (lines > drawn) {
        fprintf(to, "  ... and %u more\n", lines - drawn);
    }
}

static unsigned active_lanes(const fx_pattern *pattern) {
    unsigned active = 0;
    for (unsigned l = 0; l < FX_WARP; l++) {
        active += pattern->lanes.offset[l] >= 0;
    }
    return active;
}

/* What a unit of the law's count is called. */
static const char *unit_of(const fx_prediction *prediction) {
    static const struct {
        const char *law, *unit;
    } units[] = {{"shared_load", "steps: wavefronts, at least one a phase"},
                 {"shared_store", "steps: wavefronts, at least one a phase"},
                 {"shared_atomic", "steps: lanes of the busiest bank, at least one a phase"},
                 {"l1_load", "steps of the L1"},
                 {"l2_load", "steps of the L2"},
                 {"l2_store", "steps of the L2"},
                 {"pairs", "pairs of sectors"},
                 {"distinct", "distinct addresses"}};
    for (size_t i = 0; i < FX_COUNT(units); i++) {
        if (prediction->law && !strcmp(units[i].law, prediction->law)) {
            return units[i].unit;
        }
    }
    return "";
}

static void print_costs(FILE *to, const fx_pattern_cost *cost, const fx_pattern_answer *answer, bool global) {
    const fx_prediction *p = &answer->prediction;
    if (p->law) {
        fprintf(to, "\n  law        %g (%s)\n", p->count, unit_of(p));
    } else {
        fprintf(to, "\n  law        none is known for this access\n");
    }
    const double words = count_named(p, "distinct_words");
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    if (global) {
        fprintf(to, "  touches    distinct words: %g; sectors: %g, where %g would hold them; lines: %g\n", words,
                count_named(p, "sectors"), ceil(words * g->bank_bytes / g->sector_bytes), count_named(p, "lines"));
    } else {
        fprintf(to, "  touches    distinct words: %g\n", words);
    }
    if (fx_pattern_only_measured(cost))
        ;
    else if (isfinite(answer->predicted_cycles)) {
        fx_print_line(to, "  predicted  %.2f cycles of one SM per access, by the fits of %s", answer->predicted_cycles,
                      strrchr(fx_pattern_fits(cost), '/') + 1);
    } else if (p->law) {
        fprintf(to, "  predicted  no cycles: %s\n",
                *fx_pattern_fits(cost) ? "the archive has no fit for this access"
                                       : "there is no archive of this architecture with the probe 'pattern'");
    }
    if (isfinite(answer->measured_cycles)) {
        fx_print_line(to, "  measured   %.2f cycles on %s%s", answer->measured_cycles, fx_pattern_measured_on(cost),
                      fx_pattern_invented(cost) ? ", which is invented, and so is the number" : "");
    } else if (*answer->why_not) {
        fx_print_line(to, "  measured   not: %s", answer->why_not);
    }
}

static void print_cures(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                        const fx_pattern_answer *answer) {
    fx_pattern_cure cures[FX_MAX_CURES];
    const size_t count = fx_pattern_cures(cost, kind, pattern, cures);
    for (size_t i = 0; i < count; i++) {
        const double cycles = fx_pattern_cycles(cost, cures[i].count, pattern->width_bytes);
        fprintf(to, "  %s  %s: %g instead of %g by the same law", i ? "or       " : "cure     ", cures[i].text,
                cures[i].count, answer->prediction.count);
        if (isfinite(cycles)) {
            fprintf(to, ", %.2f cycles", cycles);
        }
        fputc('\n', to);
    }
}

void fx_pattern_print(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      const fx_pattern_answer *answer) {
    fx_print_line(to, "%s %s%s%s, %u byte%s per lane, %u of %d lanes active, %s", kind->space, kind->op,
                  kind->level ? " at " : "", kind->level ? kind->level : "", pattern->width_bytes,
                  pattern->width_bytes == 1 ? "" : "s", active_lanes(pattern), FX_WARP, fx_pattern_arch(cost));
    if (!strcmp(kind->space, "shared")) {
        draw_banks(to, cost, kind, pattern);
    } else if (!strcmp(kind->space, "global")) {
        draw_lines(to, &fx_pattern_facts(cost)->geometry, pattern);
    }
    print_costs(to, cost, answer, !strcmp(kind->space, "global"));
    print_cures(to, cost, kind, pattern, answer);
}

static void print_cycles(FILE *to, double cycles) {
    if (isfinite(cycles)) {
        fprintf(to, "  %9.2f", cycles);
    } else {
        fprintf(to, "  %9s", "-");
    }
}

void fx_pattern_print_row(FILE *to, bool first, const fx_pattern *pattern, const fx_pattern_answer *answer) {
    const fx_prediction *p = &answer->prediction;
    char id[FX_PATTERN_ID_BYTES];
    fx_pattern_id(pattern, id, sizeof id);
    if (first) {
        fprintf(to, "%-16s  %5s  %6s  %7s  %5s  %9s  %9s\n", "pattern", "width", "law", "sectors", "lines", "predicted",
                "measured");
    }
    fprintf(to, "%-16s  %5u  %6g  %7g  %5g", id, pattern->width_bytes, p->count, count_named(p, "sectors"),
            count_named(p, "lines"));
    print_cycles(to, answer->predicted_cycles);
    print_cycles(to, answer->measured_cycles);
    fputc('\n', to);
}

static void print_integer(FILE *to, const char *key, double value, bool applies) {
    if (applies && isfinite(value)) {
        fprintf(to, "\"%s\":%lld,", key, (long long)value);
    } else {
        fprintf(to, "\"%s\":null,", key);
    }
}

static void print_real(FILE *to, const char *key, double value) {
    if (isfinite(value)) {
        fprintf(to, "\"%s\":%.4f,", key, value);
    } else {
        fprintf(to, "\"%s\":null,", key);
    }
}

/* Only the id can hold anything; the rest is numbers and words of this program, written directly for speed. */
fx_status fx_pattern_print_json(FILE *to, const fx_pattern_kind *kind, const fx_pattern *pattern,
                                const fx_pattern_answer *answer, fx_error *err) {
    const fx_prediction *p = &answer->prediction;
    const bool shared = !strcmp(kind->space, "shared"), global = !strcmp(kind->space, "global");
    fputs("{\"id\":", to);
    if (fx_text_print_json(to, pattern->id, 0)) {
        return fx_fail(err, FX_IO, "The answer could not be written.");
    }
    fprintf(to, ",\"space\":\"%s\",\"op\":\"%s\",\"width\":%u,", kind->space, kind->op, pattern->width_bytes);
    fprintf(to, kind->level ? "\"level\":\"%s\"," : "\"level\":null,", kind->level);
    print_integer(to, "wavefronts", count_named(p, "wavefronts"),
                  shared || (kind->level && !strcmp(kind->level, "l1")));
    print_integer(to, "sectors", count_named(p, "sectors"), global);
    print_integer(to, "lines", count_named(p, "lines"), global);
    print_integer(to, "distinct_words", count_named(p, "distinct_words"), true);
    print_real(to, "predicted_cycles", answer->predicted_cycles);
    print_real(to, "measured_cycles", answer->measured_cycles);
    fprintf(to, "\"law_version\":%d}\n", FX_LAW_VERSION);
    return FX_OK;
}
