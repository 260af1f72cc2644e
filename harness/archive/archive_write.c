/* The lines of an archive, as results/schema/archive-2.schema.json describes them. */
#include <inttypes.h>
#include <unistd.h>

#include "archive_file.h"
#include "core/text.h"

/* A number in the archive: whole ones exactly, others as reals, what is not a number as null. */
static json_t *number(double value) {
    if (!isfinite(value)) {
        return json_null();
    }
    if (fabs(value) < 0x1p53 && value == trunc(value)) {
        return json_integer((json_int_t)value);
    }
    return json_real(value);
}

/* The same of what the device reports, null where it is not above `least`. */
static json_t *known(double value, double least) {
    return number(value > least ? value : NAN);
}

static void put_if_finite(json_t *object, const char *key, double value) {
    if (isfinite(value)) {
        json_object_set_new(object, key, number(value));
    }
}

static json_t *array_of(const double *values, size_t n) {
    return FX_JSON_LIST(i, n, number(values[i]));
}

static json_t *interval_of(double low, double high) {
    return isfinite(low) && isfinite(high) ? array_of((double[]){low, high}, 2) : json_null();
}

json_t *fx_params_json(const fx_case *c, const char *names) {
    json_t *b = json_object();
    for (size_t i = 0; i < c->probe->axes_count; i++) {
        const fx_axis *axis = &c->probe->axes[i];
        char choice[64];
        if (names && !fx_axis_listed(names, axis->name)) {
            continue;
        }
        json_object_set_new(b, axis->name,
                            axis->choices
                                ? fx_archive_text(fx_axis_format(axis, c->params.value[i], choice, sizeof choice))
                                : json_integer(c->params.value[i]));
    }
    return b;
}

static json_t *integers_of(const int *values, size_t n) {
    return FX_JSON_LIST(i, n, json_integer(values[i]));
}

const char *const fx_timebase_names[] = {
    [FX_SM_CYCLES] = "sm_cycles", [FX_GPU_NS] = "gpu_ns", [FX_HOST_NS] = "host_ns"};

json_t *fx_metric_json(const fx_metric *metric) {
    return json_pack("{ss ss ss ss}", "name", metric->name, "unit", metric->unit, "timebase",
                     fx_timebase_names[metric->timebase], "better", metric->higher_is_better ? "higher" : "lower");
}

static json_t *law_of(const fx_prediction *prediction) {
    if (!prediction->law) {
        return json_null();
    }
    json_t *counts = json_object();
    for (size_t i = 0; i < prediction->count_count; i++) {
        put_if_finite(counts, prediction->counts[i].name, prediction->counts[i].value);
    }
    return json_pack("{so so sb so so}", "name", fx_archive_text(prediction->law), "count", number(prediction->count),
                     "in_fit", !prediction->why_not, "why_not",
                     prediction->why_not ? fx_archive_text(prediction->why_not) : json_null(), "counts", counts);
}

static json_t *derived_of(const fx_case *c, const fx_result *result, const fx_facts *facts) {
    const fx_metric *metric = &c->probe->metrics[c->prediction.metric];
    double useful = c->prediction.useful_bytes;
    double moved = c->prediction.moved_bytes > 0 ? c->prediction.moved_bytes : useful;
    json_t *b = json_object();
    /* A metric that grows as things get better is no time, and bytes over it would mean nothing. */
    if (useful > 0 && !metric->higher_is_better) {
        bool cycles = metric->timebase == FX_SM_CYCLES;
        put_if_finite(b, cycles ? "useful_bytes_per_cycle" : "useful_GBps", useful / result->summary.median);
        put_if_finite(b, cycles ? "moved_bytes_per_cycle" : "moved_GBps", moved / result->summary.median);
    }
    put_if_finite(b, "peak_pct", fx_peak_pct(c, result, facts));
    return b;
}

static json_t *extras_of(const fx_case *c, const fx_result *result) {
    json_t *b = json_object();
    char name[64];
    for (size_t i = 0; i < FX_MAX_EXTRAS && fx_word(c->probe->extras, i, name, sizeof name); i++) {
        put_if_finite(b, name, result->extra[i]);
    }
    return b;
}

static json_t *flags_of(uint32_t flags) {
    return FX_JSON_LIST(bit, 32, json_string(flags >> bit & 1 ? fx_flag_name(UINT32_C(1) << bit) : NULL));
}

static json_t *throttle_reason(unsigned bit) {
    const char *name = fx_throttle_name(bit);
    return name ? json_string(name) : json_sprintf("bit_%u", bit);
}

static json_t *throttle_reasons_of(unsigned long long reasons) {
    return FX_JSON_LIST(bit, 64, reasons >> bit & 1 ? throttle_reason((unsigned)bit) : NULL);
}

static json_t *snapshot_of(const fx_clocks *clocks) {
    return json_pack("{so so so so so so so}", "sm_MHz", known(clocks->sm_MHz, 0), "memory_MHz",
                     known(clocks->memory_MHz, 0), "temperature_C", known(clocks->temperature_C, 0), "power_W",
                     known(clocks->power_W, 0), "throttle_reasons",
                     clocks->throttle_known ? throttle_reasons_of(clocks->throttle_reasons) : json_null(),
                     "other_programs", known(clocks->other_programs, -1), "age_ms", number(clocks->age_ms));
}

/* None, one that begin and end of the case share, or two. */
static json_t *snapshots_of(const fx_result *result) {
    const fx_clocks *clocks[] = {&result->before, &result->after};
    const bool same = result->before.known && result->before.number == result->after.number;
    return FX_JSON_LIST(i, same ? 1u : 2u, clocks[i]->known ? snapshot_of(clocks[i]) : NULL);
}

static json_t *code_of(const fx_launched *ran) {
    return ran->kernel[0]
               ? json_pack("{so ss? so so so so}", "kernel", fx_archive_text(ran->kernel), "hash",
                           ran->code_hash[0] ? ran->code_hash : NULL, "registers", known(ran->registers, -1), "blocks",
                           known((double)ran->blocks, 0), "threads", known((double)ran->threads, 0), "shared_bytes",
                           known((double)ran->shared_bytes, -1))
               : json_null();
}

static json_t *memory_of(const fx_launched *ran) {
    if (ran->buffer_count == 0 && ran->dram_bytes == 0) {
        return json_null();
    }
    json_t *buffers = FX_JSON_LIST(i, ran->buffer_count,
                                   json_pack("{sI si}", "bytes", (json_int_t)ran->buffers[i].bytes, "address_low21",
                                             (int)ran->buffers[i].address_low21));
    return json_pack("{so so}", "buffers", buffers, "dram_bytes", known((double)ran->dram_bytes, 0));
}

static json_t *sms_of(const fx_launched *ran) {
    return ran->sm_count ? FX_JSON_LIST(i, ran->sm_count, json_integer(ran->sms[i])) : json_null();
}

static json_t *over_sms_of(const fx_result *result) {
    const fx_over_sms *over = &result->over_sms;
    return json_pack("{so so si si so}", "low", number(over->low), "high", number(over->high), "low_sm", over->low_sm,
                     "high_sm", over->high_sm, "sample_sms", integers_of(result->sms, result->n));
}

/* What case, waived and failed lines have in common. */
static json_t *case_head(const char *type, const fx_run_position *turn, const fx_case *c) {
    return json_pack("{ss sI sI so* so so sI so so so*}", "type", type, "process", (json_int_t)turn->process, "place",
                     (json_int_t)turn->place, "repetition", turn->repetition ? json_integer(turn->repetition) : NULL,
                     "name", fx_archive_text(c->name), "probe", fx_archive_text(c->probe->name), "method_version",
                     (json_int_t)c->probe->method_version, "sweep", fx_archive_text(c->sweep ? c->sweep->name : ""),
                     "params", fx_params_json(c, NULL), "searched", c->searched ? json_true() : NULL);
}

fx_status fx_archive_case(fx_archive *archive, const fx_run_position *turn, const fx_case *c, const fx_result *result,
                          const fx_facts *facts, fx_error *err) {
    const fx_summary *summary = &result->summary;
    const double useful = c->prediction.useful_bytes, moved = c->prediction.moved_bytes;
    json_t *b = case_head("case", turn, c);
    json_t *rest =
        json_pack("{so so sI so so sI so so ss so so* so* so so so sI so so so so so* so so so so}", "lanes",
                  c->has_lanes ? integers_of(c->lanes.offset, FX_WARP) : json_null(), "metric",
                  fx_metric_json(&c->probe->metrics[c->prediction.metric]), "n", (json_int_t)result->n, "median",
                  number(summary->median), "ci95", interval_of(summary->ci_low, summary->ci_high), "outliers",
                  (json_int_t)summary->outliers, "lag1", number(summary->lag1), "intercept", number(result->intercept),
                  "stop", fx_stop_name(result->stop), "law", law_of(&c->prediction), "useful_bytes",
                  useful > 0 ? number(useful) : NULL, "moved_bytes", moved > 0 ? number(moved) : NULL, "derived",
                  derived_of(c, result, facts), "extras", extras_of(c, result), "flags", flags_of(result->flags),
                  "clock_moved", (json_int_t)result->clock_moved, "clocks",
                  json_pack("{so so so so}", "sm_clock_MHz", number(result->sm_clock_MHz), "sm_clock_min_MHz",
                            number(result->sm_clock_min_MHz), "sm_clock_max_MHz", number(result->sm_clock_max_MHz),
                            "nvml", snapshots_of(result)),
                  "code", code_of(&result->ran), "memory", memory_of(&result->ran), "sms", sms_of(&result->ran),
                  "over_sms", result->over_sms.count > 0 ? over_sms_of(result) : NULL, "lengths",
                  result->t_n && result->ran.units_n > 0
                      ? json_pack("{so so}", "n", number(result->ran.units_n), "t_n", array_of(result->t_n, result->n))
                      : json_null(),
                  "began_s", number(turn->began_s), "elapsed_s", number(result->elapsed_s), "samples",
                  array_of(result->samples, result->n));
    if (json_object_update_new(b, rest)) {
        json_decref(b);
        b = NULL;
    }
    return fx_archive_put_take(archive, b, err);
}

fx_status fx_archive_skipped(fx_archive *archive, const fx_run_position *turn, const fx_case *c, fx_status status,
                             const char *reason, fx_error *err) {
    const bool waived = status == FX_UNSUPPORTED;
    json_t *b = case_head(waived ? "waived" : "failed", turn, c);
    if (!waived) {
        json_object_set_new(b, "status", json_string(fx_status_name(status)));
    }
    json_object_set_new(b, "reason", fx_archive_text(reason));
    return fx_archive_put_take(archive, b, err);
}

fx_status fx_archive_fit(fx_archive *archive, int process, const fx_probe *probe, json_t *group, const char *law,
                         const char *metric, const fx_fit *fit, const char *worst_case, fx_error *err) {
    json_t *line = json_pack(
        "{ss so so sO so so sI so so so so so so so so sb}", "type", "fit", "process",
        process == FX_POOLED ? json_null() : json_integer(process), "probe", fx_archive_text(probe->name), "group",
        group, "law", fx_archive_text(law), "metric", fx_archive_text(metric), "n", (json_int_t)fit->n, "a",
        number(fit->a), "b", number(fit->b), "a_ci95", interval_of(fit->a_low, fit->a_high), "b_ci95",
        interval_of(fit->b_low, fit->b_high), "r_squared", number(fit->r_squared), "residual_sd_pct",
        number(fit->residual_sd_pct), "largest_residual_pct", number(fit->largest_residual_pct), "worst_case",
        fx_archive_text(worst_case), "holds", fx_fit_holds(fit));
    return fx_archive_put_take(archive, line, err);
}

fx_status fx_archive_end(fx_archive *archive, const char *reason, fx_counts *counts, double elapsed_s, fx_error *err) {
    const fx_counts least = *counts;
    uint32_t crc;
    char text[9];
    FX_TRY(fx_archive_sum(archive, counts, &crc, err));
    FX_FAIL_IF(counts->cases < least.cases || counts->waived < least.waived || counts->failed < least.failed, err,
               FX_IO, "the archive '%s' lost lines during the run; run again, into a folder that nobody changes",
               fx_archive_path(archive));
    (void)snprintf(text, sizeof text, "%08" PRIx32, crc);
    json_t *line = json_pack("{ss sb ss? sI sI sI so ss}", "type", "end", "complete", !reason, "reason", reason,
                             "cases", (json_int_t)counts->cases, "waived", (json_int_t)counts->waived, "failed",
                             (json_int_t)counts->failed, "elapsed_s", number(elapsed_s), "crc32", text);
    FX_TRY(fx_archive_put_take(archive, line, err));
    /* EINVAL: not a file that can be synced, such as a pipe. */
    FX_FAIL_IO_IF(fsync(archive->file) != 0 && errno != EINVAL && errno != EROFS, err, "sync", archive->path);
    return FX_OK;
}
