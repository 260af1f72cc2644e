#include "replay.h"

/* Numbers by their names, in the order of the struct. */
fx_status fx_rates_read(json_t *all, fx_rates *out, fx_error *err) {
    json_error_t problem;
    *out = (fx_rates){0};
    double *unit = out->unit;
    const bool whole = !json_unpack_ex(
        all, &problem, 0,
        "{sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF"
        "sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF sF}",
        "ghz", &out->ghz, "sms", &out->sms, "fma", &unit[FX_UNIT_FMA], "imad", &unit[FX_UNIT_IMAD], "alu",
        &unit[FX_UNIT_ALU], "fp64", &unit[FX_UNIT_FP64], "special", &unit[FX_UNIT_SPECIAL], "uniform",
        &unit[FX_UNIT_UNIFORM], "tensor", &unit[FX_UNIT_TENSOR], "shuffle", &unit[FX_UNIT_SHUFFLE], "shared_latency",
        &out->shared_latency, "l1_latency", &out->l1_latency, "copy_latency", &out->copy_latency, "near_latency",
        &out->near_latency, "far_latency", &out->far_latency, "dram_latency", &out->dram_latency, "atomic_latency",
        &out->atomic_latency, "constant_latency", &out->constant_latency, "constant_far", &out->constant_far,
        "special_latency", &out->special_latency, "barrier", &out->barrier, "block", &out->block, "off", &out->off,
        "dram_read", &out->dram_read, "dram_write", &out->dram_write, "dram_copy", &out->dram_copy, "l2", &out->l2,
        "l2_request", &out->l2_request, "l2_store", &out->l2_store, "l2_atomic", &out->l2_atomic, "same_line",
        &out->same_line, "same_word", &out->same_word[0], "same_float", &out->same_word[1], "start_ns", &out->start_ns,
        "dram_pairs_16mi", &out->dram_pairs[0], "dram_pairs_128mi", &out->dram_pairs[1], "dram_pairs",
        &out->dram_pairs[2]);
    FX_FAIL_IF(!whole, err, FX_BAD_INPUT, "the chip's rates can't be read: %s", problem.text);
    return out->ghz > 0 && out->sms >= 1 ? FX_OK : fx_fail(err, FX_BAD_INPUT, "the chip's rates lack ghz or sms");
}
