/* The process of a rank that measures: started by the rank, ended by its limit at the latest. So a kernel that hangs,
 * or a driver, takes nothing with it but its own row. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/error.h"

typedef struct fx_fleet_child {
    const char *const *arguments; /* from the verb on */
    size_t argument_count;
    const char *log; /* file that takes what it prints */
    double limit_s;
    const atomic_int *stop;      /* set by a signal */
    bool gated;                  /* waits before each case until `pass` returns */
    const char *missing_from;    /* what the archives of this folder hold is not measured again; NULL: none */
    void (*pass)(void *context); /* all others are here, or are waited for no longer */
    void *context;
    /* Out: */
    bool timed_out, gone; /* gone: it could not even be killed */
    int status;           /* of waitpid; meaningless where it is gone */
    double elapsed_s;
} fx_fleet_child;

/* Returns once it has ended. FX_IO if it can't be started. After `limit_s`, and after a signal, it is asked to stop,
 * which keeps what it measured; then it is killed. */
fx_status fx_fleet_child_run(fx_fleet_child *child, fx_error *err);
