/* Patterns as a command line has them, "0,4,8,-,12", and as a file has them, an object of JSON with "lanes": the first
 * read back the same when they are printed, the others can be counted by every law, whose counts keep to each other;
 * what is refused says why. */
#include "core/law.h"
#include "core/pattern_text.h"
#include "fuzz.h"

static void laws_keep_to_each_other(const fx_lanes *lanes, unsigned width) {
    const fx_geometry g = fx_geometry_of(9, 0);
    const unsigned words = fx_law_blocks(lanes, width, g.bank_bytes), lines = fx_law_blocks(lanes, width, g.line_bytes);
    const unsigned sectors = fx_law_blocks(lanes, width, g.sector_bytes);
    const unsigned load = fx_law_wavefronts(&g, lanes, width), store = fx_law_store_wavefronts(&g, lanes, width);
    fuzz_require(words <= FX_WARP * 4 && (words > 0) == (fx_law_distinct(lanes) > 0));
    fuzz_require(lines <= sectors && sectors <= words);
    fuzz_require(load <= store && store <= fx_law_bank_lanes(&g, lanes, width));
    fuzz_require(load * g.banks >= words && load <= words);
    fuzz_require(fx_law_shared_load(&g, lanes, width) >= fx_law_phases(&g, lanes, width));
    fuzz_require(fx_law_l1_tags(&g, lanes, width) <= lines && fx_law_l1_tags(&g, lanes, width) * FX_TAG_BANKS >= lines);
    fuzz_require(fx_law_l2_store(&g, lanes, width) <= sectors + lines + store + 2);
}

static void texts_read_back(const char *text) {
    fx_error err = {0};
    fx_lanes lanes, again;
    char printed[FX_WARP * 12 + 1] = "", *end = printed;
    const fx_status status = fx_lanes_parse(text, &lanes, &err);
    if (status != FX_OK) {
        fuzz_require_reason(status, &err);
        return;
    }
    for (size_t l = 0; l < FX_WARP; l++) {
        fuzz_require(lanes.offset[l] >= -1);
        end += lanes.offset[l] < 0 ? sprintf(end, "-,") : sprintf(end, "%d,", (int)lanes.offset[l]);
    }
    end[-1] = '\0';
    fuzz_require(fx_lanes_parse(printed, &again, &err) == FX_OK && !memcmp(&lanes, &again, sizeof lanes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_lanes lanes;
    char *text = fuzz_text(data, size);
    texts_read_back(text);
    free(text);
    json_t *object = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    const fx_status status = fx_lanes_of_json(json_object_get(object, "lanes"), &lanes, &err);
    if (status != FX_OK) {
        fuzz_require_reason(status, &err);
    } else {
        for (unsigned width = 1; width <= 16; width *= 2) {
            if (fx_lanes_check(&lanes, width, &err) == FX_OK) {
                laws_keep_to_each_other(&lanes, width);
            } else {
                fuzz_require_reason(FX_BAD_INPUT, &err);
            }
        }
    }
    json_decref(object);
    return 0;
}
