/* Status names, and the one way to write an error's sentence. */
#include "error.h"

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
    static const char space[] = "free some space or choose a folder on another disk";
    static const char permission[] =
        "choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions";
    static const char folder[] = "a part of that path is a file, not a folder; choose another";
    static const struct {
        int code;
        const char *text;
    } known[] = {{ENOSPC, space},
                 {EDQUOT, space},
                 {EACCES, permission},
                 {EPERM, permission},
                 {EROFS, permission},
                 {ENOENT, "the folder or the file does not exist; make it or choose another"},
                 {ENOTDIR, folder},
                 {EEXIST, folder},
                 {EFBIG, "the file size limit (ulimit -f) is reached; raise it"},
                 {ENXIO, "nobody listens there; choose a file"}};
    const char *advice = "check the disk and the folder";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        advice = known[i].code == code ? known[i].text : advice;
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
