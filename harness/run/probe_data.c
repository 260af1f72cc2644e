/* Looks up a probe's claims and quantities in the JSON text that the build embeds. */
#include "probe_data.h"

#include "core/text.h"
#include "probe_data_text.h"

/* Owned by the caller; NULL if there is none. */
static json_t *list_of(const fx_probe *probe, const char *kind) {
    json_auto_t *data = json_loads(fx_probe_data_text, 0, NULL);
    return json_incref(json_object_get(json_object_get(data, probe->name), kind));
}

json_t *fx_quantities_of(const fx_probe *probe) {
    return list_of(probe, "quantities");
}

static json_t *low_of(const json_t *terms) {
    return json_real(json_number_value(json_object_get(terms, "low")));
}

/* null: no bound, of terms that select cases. */
static json_t *high_of(const json_t *terms) {
    const json_t *high = json_object_get(terms, "high");
    return high || !json_object_get(terms, "where") ? json_real(json_number_value(high)) : json_null();
}

static json_t *text_of(const json_t *terms, const char *key) {
    json_t *text = json_object_get(terms, key);
    return text ? json_incref(text) : json_string("");
}

static json_t *whole_given(const json_t *given) {
    return given ? json_pack("{sO? sO? sO? so so so so}", "probe", json_object_get(given, "probe"), "where",
                             json_object_get(given, "where"), "against", json_object_get(given, "against"), "quantity",
                             text_of(given, "quantity"), "low", low_of(given), "high", high_of(given), "otherwise",
                             text_of(given, "otherwise"))
                 : json_null();
}

static json_t *whole_claim(const json_t *claim) {
    return json_pack("{so so so sO? so so so so}", "text", text_of(claim, "text"), "source", text_of(claim, "source"),
                     "where", text_of(claim, "where"), "against", json_object_get(claim, "against"), "quantity",
                     text_of(claim, "quantity"), "low", low_of(claim), "high", high_of(claim), "given",
                     whole_given(json_object_get(claim, "given")));
}

json_t *fx_claims_of(const fx_probe *probe) {
    json_auto_t *list = list_of(probe, "claims");
    return FX_JSON_LIST(i, json_array_size(list), whole_claim(json_array_get(list, i)));
}
