/* `gpufx trace-cost`, an internal verb: `gpufx explain` asks it what the accesses of a trace cost. */
#include "call/message.h"
#include "call/verb.h"
#include "trace_cost.h"

int fx_verb_trace_cost(fx_call *call) {
    const fx_options *options = &call->options;
    fx_error err = {0};
    fx_trace *trace = NULL;
    fx_trace_cost *cost = NULL;
    fx_status status = fx_trace_read(options->words.text[0], &trace, &err);
    if (!status) {
        status = fx_trace_cost_new(options, options->pattern.kernel, trace, &cost, &err);
    }
    if (!status) {
        const char *rates = getenv("GPUFX_RATES"); /* of who wants times instead: plot/gpufx_plot/explain/played.py */
        status = rates ? fx_launch_times_print(stdout, cost, rates, &err) : fx_trace_cost_print(stdout, cost, &err);
    }
    fx_trace_cost_free(cost);
    fx_trace_free(trace);
    return status ? fx_exit_for(&err) : FX_EXIT_OK;
}
