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

/* *has: there are some. */
static fx_status read_rates(fx_rates *rates, bool *has, fx_error *err) {
    enum { MOST = 1 << 16 };
    char text[MOST];
    const size_t length = fread(text, 1, sizeof text - 1, stdin);
    text[length] = '\0';
    *has = length > 0;
    return *has ? fx_rates_read(text, rates, err) : FX_OK;
}

int fx_verb_trace_cost(fx_call *call) {
    const fx_options *options = &call->options;
    const bool timed = getenv("GPUFX_RATES") != NULL;
    bool has = false;
    fx_rates rates;
    fx_error err = {0};
    fx_trace *trace = NULL;
    fx_access_costs *costs = NULL;
    fx_trace_cost *cost = NULL;
    fx_status status;
    FX_GO(fx_trace_read(options->words.text[0], &trace, &err));
    FX_GO(fx_access_costs_new(options, trace, &costs, &err));
    FX_GO(timed ? print_archive(costs, &err) : FX_OK);
    FX_GO(fx_trace_cost_new(costs, options->pattern.kernel, trace, &cost, &err));
    FX_GO(timed ? read_rates(&rates, &has, &err) : FX_OK);
    FX_GO(fx_trace_cost_print(stdout, cost, has ? &rates : NULL, &err));
cleanup:
    fx_trace_cost_free(cost);
    fx_access_costs_free(costs);
    fx_trace_free(trace);
    return status ? fx_exit_for(&err) : FX_EXIT_OK;
}
