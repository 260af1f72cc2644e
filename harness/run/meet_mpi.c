/* Meetings through MPI. A blocking barrier would wait for a dead rank for ever: ours is begun, and looked at until all
 * are there or the time is over. After that this rank goes to no meeting any more, for it can't know what the others
 * still do. */
#include <mpi.h>
#include <time.h>

#include "ranks.h"

static bool missed; /* a rank did not come to a meeting */

static double now_s(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* All are here. Looks without a pause first: those who meet shall leave at one time. */
static bool met(double limit_s) {
    const struct timespec pause = {.tv_nsec = 100000};
    const double from = now_s();
    MPI_Request request;
    int done = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) != MPI_SUCCESS) {
        return false;
    }
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        const double waited_s = now_s() - from;
        if (waited_s > limit_s) {
            return false;
        }
        if (waited_s > 0.05) {
            (void)nanosleep(&pause, NULL);
        }
    }
    return done;
}

fx_status fx_ranks_begin(fx_ranks *ranks, double limit_s, fx_error *err) {
    int initialized = 0, rank = 0, size = 1;
    FX_FAIL_IF(MPI_Initialized(&initialized) != MPI_SUCCESS || (!initialized && MPI_Init(NULL, NULL) != MPI_SUCCESS),
               err, FX_IO, "MPI can't be initialised; start gpufx with mpirun or srun --mpi=...");
    (void)MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &size);
    FX_FAIL_IF(rank != ranks->rank || size != ranks->size, err, FX_IO,
               "MPI reports rank %d of %d, but the environment %d of %d; use the launcher of the MPI that "
               "gpufx was built with",
               rank, size, ranks->rank, ranks->size);
    if (!met(limit_s)) {
        missed = true;
        return fx_fail(err, FX_IO, "not all %d ranks arrived within %.0f s", size, limit_s);
    }
    ranks->meeting = true;
    return FX_OK;
}

bool fx_ranks_meet(fx_ranks *ranks, double limit_s) {
    if (ranks->meeting) {
        ranks->meeting = met(limit_s);
        missed = missed || !ranks->meeting;
    }
    return ranks->meeting;
}

void fx_ranks_end(fx_ranks *ranks, int exit_status) {
    int initialized = 0;
    if (MPI_Initialized(&initialized) != MPI_SUCCESS || !initialized) {
        return;
    }
    if (missed && ranks->rank == 0) {
        (void)MPI_Abort(MPI_COMM_WORLD, exit_status);
    }
    (void)MPI_Finalize();
}
