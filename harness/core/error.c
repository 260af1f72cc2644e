/* Status names, and the one way to write an error's sentence. */
#include "error.h"

#include <errno.h>
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

fx_status fx_fail_io(fx_error *err, const char *what, const char *path, int code) {
    const char *advice = "check the disk and the folder";
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        advice = "free some space or choose a folder on another disk";
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        advice = "choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions";
        break;
    case ENOENT:
        advice = "the folder or the file does not exist; make it or choose another";
        break;
    case ENOTDIR:
    case EEXIST:
        advice = "a part of that path is a file, not a folder; choose another";
        break;
    case EFBIG:
        advice = "the file size limit (ulimit -f) is reached; raise it";
        break;
    case ENXIO:
        advice = "nobody listens there; choose a file";
        break;
    default:
        break;
    }
    return fx_fail(err, FX_IO, "cannot %s '%s': %s; %s", what, path, strerror(code), advice);
}

const char *fx_status_name(fx_status status) {
    static const char *const names[] = {
        [FX_OK] = "ok",
        [FX_BAD_INPUT] = "bad_input",
        [FX_IO] = "io",
        [FX_NO_MEMORY] = "no_memory",
        [FX_UNSUPPORTED] = "unsupported",
        [FX_DEVICE] = "device",
        [FX_DEVICE_LOST] = "device_lost",
        [FX_WRONG_RESULT] = "wrong_result",
        [FX_INTERRUPTED] = "interrupted",
    };
    return names[status];
}
