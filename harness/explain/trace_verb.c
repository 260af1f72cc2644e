/* `gpufx trace-cost`, an internal verb: `gpufx explain` asks it what the accesses of a trace cost, and what its
 * launches take. GPUFX_RATES in the environment: whose archive it is, is printed first, and the rates of that chip are
 * read from standard input, as one object of JSON, when everything is counted (plot/gpufx_plot/explain/trace_costs.py).
 */
#include <stdlib.h>

#include "call/message.h"
#include "call/verb.h"
#include "core/text.h"
#include "trace_cost.h"

/* Tells the chip's archive, while the other side makes rates of it. */
static fx_status print_archive(const fx_access_costs *costs, fx_error *err) {
    const char *archive = fx_access_costs_chip(costs)->archive;
    json_t *out = json_object();
    json_object_set_new(out, "archive", archive ? json_string(archive) : json_null());
    const bool written = fx_text_print_json(stdout, out, 0) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(out);
    return written ? FX_OK : fx_fail(err, FX_IO, "the answer could not be written");
}

int fx_verb_trace_cost(fx_call *call) {
    const fx_options *options = &call->options;
    const bool timed = getenv("GPUFX_RATES") != NULL;
    fx_rates rates;
    json_t *told = NULL;
    fx_error err = {0};
    fx_trace *trace = NULL;
    fx_access_costs *costs = NULL;
    fx_trace_cost *cost = NULL;
    fx_status status;
    FX_GO(fx_trace_read(options->words.text[0], &trace, &err));
    FX_GO(fx_access_costs_new(options, trace, &costs, &err));
    FX_GO(timed ? print_archive(costs, &err) : FX_OK);
    FX_GO(fx_trace_cost_new(costs, options->pattern.kernel, trace, &cost, &err));
    told = timed ? json_loadf(stdin, 0, NULL) : NULL;
    FX_GO(told ? fx_rates_read(told, &rates, &err) : FX_OK);
    FX_GO(fx_trace_cost_print(stdout, cost, told ? &rates : NULL, &err));
cleanup:
    json_decref(told);
    fx_trace_cost_free(cost);
    fx_access_costs_free(costs);
    fx_trace_free(trace);
    return status ? fx_exit_for(&err) : FX_EXIT_OK;
}
