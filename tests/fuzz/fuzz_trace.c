/* The reader of traces: any file is read, to its end or to where it was cut, or refused with a reason; what it hands
 * out can be used without a further look. */
#include "fuzz.h"
#include "trace/trace_read.h"

static void launches_hold(const fx_trace *trace) {
    size_t records = 0;
    for (size_t i = 0; i < trace->launch_count; i++) {
        const fx_trace_launch *launch = &trace->launches[i];
        fuzz_require(launch->first == records && (launch->frame || !launch->count));
        fuzz_require(!launch->frame || trace->kernels[launch->kernel].name);
        fuzz_require(launch->recorded <= launch->blocks);
        records += launch->count;
        for (size_t r = launch->first; r < records; r++) {
            const fx_trace_record *one = &trace->records[r];
            fuzz_require(one->block < launch->blocks && (r == launch->first || one[-1].block <= one->block));
            fuzz_require(one->pattern < trace->pattern_count && one->times > 0);
            fuzz_require(trace->instructions[one->instruction].frame);
            fuzz_require(trace->kernels[trace->instructions[one->instruction].kernel].frame);
        }
    }
    fuzz_require(records == trace->record_count);
}

static void patterns_hold(const fx_trace *trace) {
    for (size_t i = 0; i < trace->pattern_count; i++) {
        fx_lanes lanes;
        fx_trace_lanes(&trace->patterns[i], &lanes);
        for (unsigned l = 0; l < FX_WARP; l++) {
            fuzz_require((lanes.offset[l] >= 0) == (trace->patterns[i].mask >> l & 1));
            fuzz_require(lanes.offset[l] < 0 || (int64_t)lanes.offset[l] + trace->patterns[i].bytes <= INT32_MAX);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fx_error err = {0};
    fx_trace *trace = NULL;
    fuzz_put(data, size);
    const fx_status status = fx_trace_read(fuzz_path, &trace, &err);
    if (status != FX_OK) {
        fuzz_require(!trace);
        fuzz_require_reason(status, &err);
        return 0;
    }
    fuzz_require(json_is_object(trace->header) && json_is_array(trace->notes) && json_is_array(trace->calls));
    launches_hold(trace);
    patterns_hold(trace);
    fx_trace_free(trace);
    return 0;
}
