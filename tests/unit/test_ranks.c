/* Who a rank is, by what each launcher sets, and by what one launcher leaves in the environment of another. */
#include "unit.h"

#include "run/ranks.h"

/* NAME=VALUE, ended by NULL. */
typedef const char *variables[12];

static void set_all(variables all) {
    clearenv();
    for (size_t i = 0; all[i]; i++) {
        char text[128];
        char *value;
        (void)snprintf(text, sizeof text, "%s", all[i]);
        value = strchr(text, '=');
        *value = '\0';
        (void)setenv(text, value + 1, 1);
    }
}

static const struct {
    variables set;
    int rank, size, local;
    const char *launcher, *job;
} starts[] = {
    {{"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1", "PMIX_NAMESPACE=99"},
     5,
     8,
     1,
     "Open MPI",
     "99"},
    {{"FLUX_TASK_RANK=5", "FLUX_JOB_SIZE=8", "FLUX_TASK_LOCAL_ID=1", "FLUX_JOB_ID=f2"}, 5, 8, 1, "Flux", "f2"},
    {{"PALS_RANKID=5", "PMI_RANK=5", "PMI_SIZE=8", "PALS_LOCAL_RANKID=1", "PALS_APID=a"}, 5, 8, 1, "PALS", "a"},
    {{"PMI_RANK=5", "PMI_SIZE=8", "MPI_LOCALRANKID=1"}, 5, 8, 1, "Hydra", ""},
    {{"PMI_RANK=5", "PMI_SIZE=8", "MPI_LOCALRANKID=1", "GPUFX_JOB=mine"}, 5, 8, 1, "Hydra", "mine"},
    {{"SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "SLURM_LOCALID=1", "SLURM_JOB_ID=7", "SLURM_STEP_ID=2"},
     5,
     8,
     1,
     "Slurm",
     "7.2"},
    /* A restarted job is another start. */
    {{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "SLURM_LOCALID=0", "SLURM_JOB_ID=7", "SLURM_STEP_ID=2",
      "SLURM_RESTART_COUNT=1"},
     0,
     1,
     0,
     "Slurm",
     "7.2.1"},
    /* srun --mpi=pmi2, whose PMI has no number within the node. */
    {{"PMI_RANK=5", "PMI_SIZE=8", "SLURM_PROCID=5", "SLURM_STEP_NUM_TASKS=8", "SLURM_LOCALID=1", "SLURM_JOB_ID=7"},
     5,
     8,
     1,
     "Slurm",
     "7"},
    /* mpirun within a Slurm job: Slurm's are those of mpirun's daemon. */
    {{"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1", "PMIX_NAMESPACE=99",
      "SLURM_PROCID=1", "SLURM_STEP_NUM_TASKS=2", "SLURM_LOCALID=0", "SLURM_JOB_ID=7"},
     5,
     8,
     1,
     "Open MPI",
     "99"},
    {{"GPUFX_RANK=5", "GPUFX_SIZE=8", "GPUFX_LOCAL_RANK=1", "GPUFX_JOB=one"}, 5, 8, 1, "GPUFX_RANK", "one"},
};

TEST(each_launcher_is_understood) {
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        fx_error err = {0};
        fx_ranks ranks;
        set_all((const char **)(uintptr_t)starts[i].set);
        assert_ok(fx_ranks_read(&ranks, &err));
        assert_string_equal(ranks.launcher, starts[i].launcher);
        assert_int_equal(ranks.rank, starts[i].rank);
        assert_int_equal(ranks.size, starts[i].size);
        assert_int_equal(ranks.local, starts[i].local);
        assert_string_equal(ranks.job, starts[i].job);
        assert_false(ranks.meeting);
    }
}

TEST(without_a_launcher_it_is_alone) {
    static variables nearly[] = {
        {NULL}, {"SLURM_PROCID=0", "SLURM_LOCALID=0", "SLURM_JOB_ID=7"}, /* a batch script */
    };
    for (size_t i = 0; i < sizeof nearly / sizeof *nearly; i++) {
        fx_error err = {0};
        fx_ranks ranks;
        set_all(nearly[i]);
        assert_ok(fx_ranks_read(&ranks, &err));
        assert_null(ranks.launcher);
        assert_int_equal(ranks.rank, 0);
        assert_int_equal(ranks.size, 1);
        assert_int_equal(ranks.local, 0);
        assert_int_equal(strncmp(ranks.job, "alone.", 6), 0);
    }
}

TEST(contradictions_are_refused) {
    static variables wrong[] = {
        {"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_SIZE=x", "OMPI_COMM_WORLD_LOCAL_RANK=1"},
        {"OMPI_COMM_WORLD_RANK=-1", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1"},
        {"OMPI_COMM_WORLD_RANK=99999999999", "OMPI_COMM_WORLD_SIZE=8", "OMPI_COMM_WORLD_LOCAL_RANK=1"},
        {"GPUFX_RANK=4", "GPUFX_SIZE=4", "GPUFX_LOCAL_RANK=0"},
        {"GPUFX_RANK=0", "GPUFX_SIZE=0", "GPUFX_LOCAL_RANK=0"},
        {"GPUFX_RANK=0", "GPUFX_SIZE=4", "GPUFX_LOCAL_RANK=4"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fx_error err = {0};
        fx_ranks ranks;
        set_all(wrong[i]);
        assert_int_equal(fx_ranks_read(&ranks, &err), FX_BAD_INPUT);
        assert_non_null(strstr(err.text, "_SIZE"));
    }
}

UNIT_MAIN(NULL, NULL)
