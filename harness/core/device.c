/* What devices of both kinds share: names, the facts as the archive spells them, the end of their life. */
#include "device.h"

#include "text.h"

void fx_device_destroy(fx_device *device) {
    if (device) {
        device->destroy(device);
    }
}

void fx_slug(const char *name, char *slug, size_t size) {
    size_t length = 0;
    for (const char *from = name; *from && length + 1 < size; from++) {
        char letter = *from >= 'A' && *from <= 'Z' ? (char)(*from - 'A' + 'a') : *from;
        if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) {
            slug[length++] = letter;
        } else if (length > 0 && slug[length - 1] != '-') {
            slug[length++] = '-';
        }
    }
    while (length > 0 && slug[length - 1] == '-') {
        length--;
    }
    slug[length] = '\0';
    if (length == 0 && size > strlen("unknown")) {
        strcpy(slug, "unknown");
    }
}

json_t *fx_device_facts(const fx_device *device) {
    const fx_facts *facts = &device->facts;
    json_t *peak = facts->memory_peak_GBps > 0 ? json_real(facts->memory_peak_GBps) : json_null();
    json_t *tag_bank = FX_JSON_LIST(bit, FX_TAG_BITS, json_integer(facts->geometry.tag_bank[bit]));
    return json_pack("{ss ss ss si si si si sI sI sI sI sI so sb sb sb si s{sI sI sI sI so}}", "name", device->name,
                     "slug", device->slug, "arch", device->arch, "compute_major", facts->compute_major, "compute_minor",
                     facts->compute_minor, "sm_count", facts->sm_count, "warps_per_sm", facts->warps_per_sm,
                     "shared_per_block_bytes", (json_int_t)facts->shared_per_block_bytes, "shared_per_sm_bytes",
                     (json_int_t)facts->shared_per_sm_bytes, "constant_bytes", (json_int_t)facts->constant_bytes,
                     "l2_bytes", (json_int_t)facts->l2_bytes, "memory_bytes", (json_int_t)facts->memory_bytes,
                     "memory_peak_GBps", peak, "managed_memory", facts->managed_memory, "pageable_access",
                     facts->pageable_access, "integrated", facts->integrated, "gpu_count", facts->gpu_count, "geometry",
                     "banks", (json_int_t)facts->geometry.banks, "bank_bytes", (json_int_t)facts->geometry.bank_bytes,
                     "sector_bytes", (json_int_t)facts->geometry.sector_bytes, "line_bytes",
                     (json_int_t)facts->geometry.line_bytes, "tag_bank", tag_bank);
}

const char *fx_throttle_name(unsigned bit) {
    /* nvmlClocksEventReason* in nvml.h, in order of their bits. */
    static const char *const names[] = {
        "gpu_idle",
        "applications_clocks_setting",
        "sw_power_cap",
        "hw_slowdown",
        "sync_boost",
        "sw_thermal_slowdown",
        "hw_thermal_slowdown",
        "hw_power_brake_slowdown",
        "display_clock_setting",
    };
    return bit < FX_COUNT(names) ? names[bit] : NULL;
}
