#include "replay.h"

#include <jansson.h>
#include <stddef.h>

#define RATE(key)       {#key, offsetof(fx_rates, key)}
#define UNIT(key, name) {#key, offsetof(fx_rates, unit) + FX_UNIT_##name * sizeof(double)}
static const struct {
    const char *key;
    size_t at;
} keys[] = {
    RATE(ghz),
    RATE(sms),
    UNIT(fma, FMA),
    UNIT(imad, IMAD),
    UNIT(alu, ALU),
    UNIT(fp64, FP64),
    UNIT(special, SPECIAL),
    UNIT(uniform, UNIFORM),
    UNIT(tensor, TENSOR),
    UNIT(shuffle, SHUFFLE),
    RATE(shared_latency),
    RATE(l1_latency),
    RATE(copy_latency),
    RATE(near_latency),
    RATE(far_latency),
    RATE(dram_latency),
    RATE(atomic_latency),
    RATE(constant_latency),
    RATE(special_latency),
    RATE(barrier),
    RATE(block),
    RATE(off),
    RATE(dram_read),
    RATE(dram_write),
    RATE(dram_copy),
    RATE(l2),
    RATE(l2_request),
    RATE(l2_store),
    RATE(l2_atomic),
    RATE(same_word),
    RATE(start_ns),
};

fx_status fx_rates_read(const char *json, fx_rates *out, fx_error *err) {
    json_error_t problem;
    json_t *all = json ? json_loads(json, 0, &problem) : NULL;
    const char *lacks = all ? NULL : "all of them";
    *out = (fx_rates){0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !lacks; i++) {
        const json_t *value = json_object_get(all, keys[i].key);
        *(double *)(void *)((char *)out + keys[i].at) = json_number_value(value);
        lacks = json_is_number(value) && json_number_value(value) >= 0 ? NULL : keys[i].key;
    }
    json_decref(all);
    return !lacks && out->ghz > 0 && out->sms >= 1
               ? FX_OK
               : fx_fail(err, FX_BAD_INPUT, "the chip's rates lack %s", lacks ? lacks : "ghz");
}
