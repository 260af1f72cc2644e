/* Lane tables as text, "0,4,8,-,12": what is accepted has no offset below -1 and reads back the same when it is
 * printed; what is refused says why. */
#include "core/pattern_text.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_lanes lanes, again;
    char *text = fuzz_text(data, size);
    const fx_status status = fx_lanes_parse(text, &lanes, &err);
    if (status == FX_OK) {
        char printed[FX_WARP * 12 + 1] = "";
        size_t length = 0;
        for (size_t l = 0; l < FX_WARP; l++) {
            fuzz_require(lanes.offset[l] >= -1);
            length +=
                (size_t)(lanes.offset[l] < 0 ? snprintf(printed + length, sizeof printed - length, "%s-", l ? "," : "")
                                             : snprintf(printed + length, sizeof printed - length, "%s%d", l ? "," : "",
                                                        (int)lanes.offset[l]));
        }
        if (fx_lanes_parse(printed, &again, &err) != FX_OK) {
            fprintf(stderr, "%s: %s\n", printed, err.text);
        }
        fuzz_require(!err.status && !memcmp(&lanes, &again, sizeof lanes));
    } else {
        fuzz_require_reason(status, &err);
    }
    free(text);
    return 0;
}
