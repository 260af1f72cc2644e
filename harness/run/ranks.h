/* Ranks: the like processes that a launcher (mpirun, srun, any that sets the variables of a PMI) has started on the
 * nodes of a cluster. Who this one is comes from its environment, so that no library is needed for it. That all of them
 * come to one point at one time needs MPI (GPUFX_MPI=ON); it is waited for with a limit, so that a rank that hangs or
 * has died holds nobody up for longer. Nothing else goes from rank to rank: results go to files. */
#pragma once

#include <stdbool.h>

#include "core/error.h"

typedef struct fx_ranks {
    int rank, size;       /* 0 and 1 where no launcher has started this process */
    int local;            /* among the ranks of this node */
    const char *launcher; /* static: "Open MPI", "Slurm", ...; NULL: none */
    char job[128]; /* what all ranks of this start have in common, and no other start has; "" where nobody says */
    bool meeting;  /* fx_ranks_meet waits for others */
} fx_ranks;

/* By the environment alone. FX_BAD_INPUT where it contradicts itself: rank 4 of 4. */
fx_status fx_ranks_read(fx_ranks *out, fx_error *err);

/* Prepares for meetings, which is the first one. FX_UNSUPPORTED in a build without MPI, FX_IO where MPI fails or not
 * all ranks came within `limit_s` seconds. */
fx_status fx_ranks_begin(fx_ranks *ranks, double limit_s, fx_error *err);

/* Returns true once all ranks have called it; false after `limit_s` seconds, and from then on always, at once:
 * this rank goes on alone. */
bool fx_ranks_meet(fx_ranks *ranks, double limit_s);

/* Gives MPI back, which waits for the other ranks. Where one of them did not come to a meeting it might wait for ever:
 * then rank 0, which ends last, ends all of them with `exit_status`. */
void fx_ranks_end(fx_ranks *ranks, int exit_status);
