/* The picture of a pattern in shared memory: a row of banks for each phase, in each bank a box for each word that it
 * must serve, in the box the lanes that want the word. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "core/text.h"
#include "pattern.h"

enum { COLUMN = 30, BOX = 18, LEFT = 90, TOP = 64, GAP = 34 };

/* The words that lanes [begin, end) want of one bank, in order of the first lane that wants each; returns how many. */
static unsigned words_of_bank(const fx_geometry *g, const fx_pattern *pattern, unsigned begin, unsigned end,
                              unsigned bank, uint32_t words[FX_WARP], unsigned first_lane[FX_WARP],
                              unsigned lanes[FX_WARP]) {
    unsigned count = 0;
    for (unsigned l = begin; l < end; l++) {
        const int32_t offset = pattern->lanes.offset[l];
        if (offset < 0) {
            continue;
        }
        const uint32_t last = ((uint32_t)offset + pattern->width_bytes - 1) / g->bank_bytes;
        for (uint32_t word = (uint32_t)offset / g->bank_bytes; word <= last; word++) {
            unsigned i = 0;
            if (word % g->banks != bank) {
                continue;
            }
            while (i < count && words[i] != word) {
                i++;
            }
            if (i == count) {
                words[count] = word;
                first_lane[count] = l;
                lanes[count++] = 0;
            }
            lanes[i]++;
        }
    }
    return count;
}

static void write_banks(FILE *to, const fx_geometry *g, const fx_pattern *pattern, unsigned begin, unsigned end,
                        unsigned top, unsigned busiest) {
    for (unsigned bank = 0; bank < g->banks; bank++) {
        uint32_t words[FX_WARP];
        unsigned first_lane[FX_WARP], lanes[FX_WARP];
        const unsigned count = words_of_bank(g, pattern, begin, end, bank, words, first_lane, lanes);
        for (unsigned i = 0; i < count; i++) {
            const unsigned x = LEFT + bank * COLUMN, y = top + i * BOX;
            fprintf(to,
                    "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" class=\"%s\"/>"
                    "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%u%s</text>\n",
                    x + 1, y + 1, COLUMN - 2, BOX - 2, count == busiest && busiest > 1 ? "busy" : "word",
                    x + COLUMN / 2, y + 13, first_lane[i], lanes[i] > 1 ? "+" : "");
        }
    }
}

static void write_svg(FILE *to, const fx_pattern_cost *cost, const fx_pattern_kind *kind, const fx_pattern *pattern,
                      const fx_pattern_answer *answer) {
    const fx_geometry *g = &fx_pattern_facts(cost)->geometry;
    const unsigned phase = !strcmp(kind->op, "load") ? fx_law_load_phase_lanes(g, &pattern->lanes, pattern->width_bytes)
                                                     : fx_law_phase_lanes(g, pattern->width_bytes);
    unsigned banks[FX_MAX_BANKS], height = TOP;
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        height += fx_law_bank_words(g, &pattern->lanes, begin, begin + phase < FX_WARP ? begin + phase : FX_WARP,
                                    pattern->width_bytes, banks) *
                      BOX +
                  GAP;
    }
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<style>.word{fill:#cfe3f5}.busy{fill:#f2a08a}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"10\" y=\"20\" font-size=\"14\">shared %s, %u bytes per lane: %g by the law",
            LEFT + g->banks * COLUMN + 20, height, kind->op, pattern->width_bytes, answer->at[0].prediction.count);
    if (isfinite(answer->at[0].predicted)) {
        fprintf(to, ", %.2f cycles predicted on ", answer->at[0].predicted);
        fx_text_print_xml(to, fx_pattern_arch(cost));
    }
    if (isfinite(answer->at[0].measured)) {
        fprintf(to, ", %.2f measured", answer->at[0].measured);
    }
    fprintf(to,
            "</text>\n<text x=\"10\" y=\"38\" fill=\"#666\">A column is a bank, a box a word that it serves, with the "
            "first lane that wants it (+: more lanes share it).</text>\n<text x=\"10\" y=\"%u\">bank</text>\n",
            TOP - 6);
    for (unsigned bank = 0; bank < g->banks; bank++) {
        fprintf(to, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">%u</text>\n", LEFT + bank * COLUMN + COLUMN / 2,
                TOP - 6, bank);
    }
    unsigned top = TOP;
    for (unsigned begin = 0; begin < FX_WARP; begin += phase) {
        const unsigned end = begin + phase < FX_WARP ? begin + phase : FX_WARP;
        const unsigned busiest = fx_law_bank_words(g, &pattern->lanes, begin, end, pattern->width_bytes, banks);
        fprintf(to, "<text x=\"10\" y=\"%u\">lanes %u-%u</text>\n", top + 13, begin, end - 1);
        write_banks(to, g, pattern, begin, end, top, busiest);
        top += busiest * BOX + GAP;
        fprintf(to, "<line x1=\"10\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke=\"#ddd\"/>\n", LEFT + g->banks * COLUMN,
                top - GAP / 2, top - GAP / 2);
    }
    fputs("</svg>\n", to);
}

fx_status fx_pattern_svg(const char *path, const fx_pattern_cost *cost, const fx_pattern_kind *kind,
                         const fx_pattern *pattern, const fx_pattern_answer *answer, fx_error *err) {
    fx_output *output;
    fx_status status = fx_output_open(path, &output, err);
    if (status) {
        return fx_fail(err, status, "--svg: %s", err->text);
    }
    write_svg(fx_output_stream(output), cost, kind, pattern, answer);
    status = fx_output_commit(output, err);
    return status ? fx_fail(err, status, "--svg: %s", err->text) : FX_OK;
}
