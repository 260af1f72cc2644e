/* Meetings in a build without MPI: there are none. */
#include "ranks.h"

fx_status fx_ranks_begin(fx_ranks *ranks, double limit_s, fx_error *err) {
    return fx_fail(err, FX_UNSUPPORTED,
                   "this gpufx was built without MPI, which --together needs; build it with -DGPUFX_MPI=ON, or leave "
                   "out --together");
}

bool fx_ranks_meet(fx_ranks *ranks, double limit_s) {
    return false;
}

void fx_ranks_end(fx_ranks *ranks, int exit_status) {}
