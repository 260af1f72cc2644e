/* The environment variables in which launchers report rank, size, local rank and job. */
#include "ranks.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Where each launcher puts the four; one counts only where it has set rank, size and local, since several set some of
 * another's: srun sets PMI_RANK and PMI_SIZE by --mpi=pmi2, and mpirun within a Slurm job leaves there those of its
 * daemon, so Slurm's come last. A batch script has no SLURM_STEP_NUM_TASKS, since it is no rank of a step. Ours come
 * first, for what has no launcher. */
static const struct {
    const char *launcher, *rank, *size, *local, *job;
} launchers[] = {
    {"GPUFX_RANK", "GPUFX_RANK", "GPUFX_SIZE", "GPUFX_LOCAL_RANK", NULL},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_NAMESPACE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_ID"},
    {"PALS", "PALS_RANKID", "PMI_SIZE", "PALS_LOCAL_RANKID", "PALS_APID"},
    {"Hydra", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", NULL},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_JOB_ID"},
};

/* -1: it is not set, or not a number. */
static int number_of(const char *variable) {
    const char *text = getenv(variable);
    char *end = NULL;
    errno = 0;
    const long value = text && *text ? strtol(text, &end, 10) : -1;
    return end && !*end && !errno && value >= 0 && value < INT_MAX ? (int)value : -1;
}

/* What the user says comes before what the launcher says. A step of a Slurm job has a number of its own, and so has a
 * restart of the job. */
static void read_job(const char *variable, char *job, size_t size) {
    static const char *const more[] = {"SLURM_STEP_ID", "SLURM_RESTART_COUNT"};
    const char *own = getenv("GPUFX_JOB"), *text = own || !variable ? own : getenv(variable);
    int at = snprintf(job, size, "%.84s", text ? text : "");
    for (size_t i = 0; !own && text && !strncmp(variable, "SLURM", 5) && i < sizeof more / sizeof *more; i++) {
        const char *part = getenv(more[i]);
        at += part ? snprintf(job + at, size - (size_t)at, ".%.20s", part) : 0;
    }
}

fx_status fx_ranks_read(fx_ranks *out, fx_error *err) {
    *out = (fx_ranks){.size = 1};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const int rank = number_of(launchers[i].rank), size = number_of(launchers[i].size);
        const int local = number_of(launchers[i].local);
        if (rank < 0 || size < 0 || local < 0) {
            FX_FAIL_IF(getenv(launchers[i].rank) && getenv(launchers[i].size) && getenv(launchers[i].local), err,
                       FX_BAD_INPUT,
                       "%s, %s and %s are not all numbers from 0; start each rank by a launcher, or unset them",
                       launchers[i].rank, launchers[i].size, launchers[i].local);
            continue;
        }
        FX_FAIL_IF(rank >= size || local >= size, err, FX_BAD_INPUT,
                   "%s=%d, %s=%d and %s=%d contradict each other; use one launcher", launchers[i].rank, rank,
                   launchers[i].size, size, launchers[i].local, local);
        out->rank = rank;
        out->size = size;
        out->local = local;
        out->launcher = launchers[i].launcher;
        read_job(launchers[i].job, out->job, sizeof out->job);
        return FX_OK;
    }
    (void)snprintf(out->job, sizeof out->job, "alone.%ld.%ld", (long)getpid(), (long)time(NULL));
    return FX_OK;
}
