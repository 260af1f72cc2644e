#include "claim_json.h"

#include <math.h>

static const char *text_of(const char *text) {
    return text ? text : "";
}

static json_t *bound_json(double bound) {
    return isfinite(bound) ? json_real(bound) : json_null();
}

static json_t *given_json(const fx_claim_given *given) {
    if (!given->otherwise) {
        return json_null();
    }
    return json_pack("{ss? ss? ss? ss so so ss}", "probe", given->probe, "where", given->where, "against",
                     given->against, "quantity", text_of(given->quantity), "low", bound_json(given->low), "high",
                     bound_json(given->high), "otherwise", given->otherwise);
}

json_t *fx_claim_json(const fx_claim *claim) {
    const bool open = fx_claim_is_open(claim);
    return json_pack("{ss ss ss ss? ss so so so}", "text", claim->text, "source", claim->source, "where",
                     open ? "" : text_of(claim->where), "against", open ? NULL : claim->against, "quantity",
                     open ? "" : text_of(claim->quantity), "low", bound_json(claim->low), "high",
                     bound_json(claim->high), "given", given_json(&claim->given));
}
