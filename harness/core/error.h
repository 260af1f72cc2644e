/* Status codes and error text. Every function that can fail returns an fx_status and writes one sentence into the
 * caller's fx_error. The sentence names the file, line, option or CUDA expression and says what to do next; the CLI
 * prints it as it stands. */
#pragma once

/* What stands between FX_C_BEGIN and FX_C_END is C for sources in CUDA, too. */
#ifdef __cplusplus
#define FX_C_BEGIN extern "C" {
#define FX_C_END   }
#else
#include "grow.h" /* for all sources in C, with the headers of the C library */
#define FX_C_BEGIN
#define FX_C_END
#endif

FX_C_BEGIN

typedef enum fx_status {
    FX_OK = 0,
    FX_BAD_INPUT,    /* the user's option, axis, file or selection is wrong */
    FX_IO,           /* a file could not be read, written or synced */
    FX_NO_MEMORY,    /* host or device memory ran out */
    FX_UNSUPPORTED,  /* this chip, driver or build can't do it: becomes a waived row */
    FX_DEVICE,       /* a CUDA call failed; the next case may still work */
    FX_DEVICE_LOST,  /* a sticky CUDA error: no further case can run in this process */
    FX_WRONG_RESULT, /* the kernel ran, and its output is not what the oracle demands */
    FX_INTERRUPTED,  /* SIGINT or SIGTERM asked to stop */
} fx_status;

typedef struct fx_error {
    fx_status status;
    char text[512];
} fx_error;

/* Writes the sentence (printf style, cut at the size of `text`) and returns `status`. `err` may be NULL; its old
 * text may be among the arguments, which is how a caller adds context. */
fx_status fx_fail(fx_error *err, fx_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* FX_IO with "cannot WHAT 'PATH': what errno `code` means; what to do about it". */
fx_status fx_fail_io(fx_error *err, const char *what, const char *path, int code);

/* Returns the status of a call that failed. */
#define FX_TRY(call)                                                                                                   \
    do {                                                                                                               \
        const fx_status tried_ = (call);                                                                               \
        if (tried_ != FX_OK) {                                                                                         \
            return tried_;                                                                                             \
        }                                                                                                              \
    } while (0)

#define FX_RETURN_IF(condition, value)                                                                                 \
    do {                                                                                                               \
        if (condition) {                                                                                               \
            return (value);                                                                                            \
        }                                                                                                              \
    } while (0)

/* Returns fx_fail(err, status, ...), or fx_fail_io(err, what, path, errno), where the condition holds. */
#define FX_FAIL_IF(condition, err, ...)           FX_RETURN_IF(condition, fx_fail(err, __VA_ARGS__))
#define FX_FAIL_IO_IF(condition, err, what, path) FX_RETURN_IF(condition, fx_fail_io(err, what, path, errno))

/* Keeps the status of a call in the function's `status`, and goes to its label `cleanup` where the call failed. */
#define FX_GO(call)                                                                                                    \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status != FX_OK) {                                                                                         \
            goto cleanup;                                                                                              \
        }                                                                                                              \
    } while (0)

/* The status as the archive spells it: "bad_input", "device_lost", ... Never NULL. */
const char *fx_status_name(fx_status status);

FX_C_END
