/* --config FILE: a site's own set of cases, as JSON.
 *
 *   {"probes": {"coalescing": {"stride": "1,2,4", "op": "load"}, "transfer": {}},
 *    "options": {"processes": 3, "quick": true, "label": ["rack=a7"], "max-time": 2}}
 *
 * It is what the command line could say as well, and becomes that before it is parsed: a probe is a word, an axis of it
 * --axis PROBE.NAME=VALUES. So archives, child processes and error sentences know nothing of files. Probes and options
 * that the command line names go before those of the file. */
#ifndef FX_CONFIG_H
#define FX_CONFIG_H

#include "call/options.h"
#include "core/error.h"

/* argv, from the verb's name on, without --config and with what the file says behind it; as it is where there is none.
 * FX_BAD_INPUT names the file and the line or the key. Free with fx_config_free, also on error. */
typedef struct fx_config {
    fx_text_list words; /* borrowed texts, owned array */
    fx_text_list owned;
} fx_config;

fx_status fx_config_expand(const char *verb, int argc, char **argv, fx_config *out, fx_error *err);
void fx_config_free(fx_config *config);

#endif
