/* Status names, and the one way to write an error's sentence. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fx_status fx_fail(fx_error *err, fx_status status, const char *format, ...) {
    if (!err) {
        return status;
    }
    /* A caller adds its own context to the sentence of a callee by passing err->text as an argument, so the new text
     * grows beside the old one. */
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) {
        text[0] = '\0';
    }
    va_end(arguments);
    memcpy(err->text, text, sizeof text);
    err->status = status;
    return status;
}

const char *fx_status_name(fx_status status) {
    switch (status) {
    case FX_OK:
        return "ok";
    case FX_BAD_INPUT:
        return "bad_input";
    case FX_IO:
        return "io";
    case FX_NO_MEMORY:
        return "no_memory";
    case FX_UNSUPPORTED:
        return "unsupported";
    case FX_DEVICE:
        return "device";
    case FX_DEVICE_LOST:
        return "device_lost";
    case FX_WRONG_RESULT:
        return "wrong_result";
    case FX_INTERRUPTED:
        return "interrupted";
    }
    return "unknown";
}
