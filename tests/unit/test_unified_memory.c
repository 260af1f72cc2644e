/* Unified memory on the stand-in for CUDA: each case gives back what it took, whatever call fails, and the ballast that
 * fills the device leaves the room that it must, or is not taken at all. */
#include "unit.h"

#include "fake_cuda.h"

/* What the stand-in lacks. */
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1, cudaMemLocationTypeHost };
struct cudaMemLocation {
    enum cudaMemLocationType type;
    int id;
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseSetAccessedBy = 5,
};

static struct {
    enum cudaMemoryAdvise advice;
    enum cudaMemLocationType side;
    unsigned prefetches, reads, drops;
    bool spoils; /* reading changes a word */
} seen;

static cudaError_t answer(void) {
    return ++fake.calls == fake.failing_call ? fake.failure : cudaSuccess;
}

static cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, struct cudaMemLocation where, unsigned flags,
                                        cudaStream_t stream) {
    seen.prefetches++;
    return answer();
}

static cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation where) {
    seen.advice = advice;
    seen.side = where.type;
    return answer();
}

#define FX_WITH_CUDA
#include "../../micro/host/managed_memory/probe.cu"

enum { BYTES = 64 << 10 };
static const size_t MIB = 1 << 20;

static fx_gpu gpu;
static uint32_t pool[BYTES / 4];

fx_status fx_host_memory_borrow(fx_gpu *of, fx_host_kind kind, size_t size, uint64_t seed, void **out, fx_error *err) {
    assert_int_equal(kind, FX_HOST_MANAGED);
    assert_true(size <= sizeof pool);
    *out = pool;
    return FX_OK;
}

void fx_host_memory_drop(fx_gpu *of) {
    seen.drops++;
}

fx_status fx_gpu_read(fx_gpu *of, const void *data, size_t bytes, fx_error *err) {
    seen.reads++;
    fake.clock_ns += (double)bytes;
    if (seen.spoils) {
        ((uint32_t *)(uintptr_t)data)[5] ^= 1;
    }
    return fx_cuda_check(answer(), "read", __FILE__, __LINE__, err);
}

static int set_up(void **state) {
    memset(&fake, 0, sizeof fake);
    memset(&seen, 0, sizeof seen);
    memset(&gpu, 0, sizeof gpu);
    fake.free_bytes = 2048 * MIB;
    fake.failure = cudaErrorUnknown;
    return 0;
}

static fx_case case_of(int64_t kind, int64_t direction) {
    fx_case c = {.probe = &probe_managed_memory};
    c.params.value[KIND] = kind;
    c.params.value[DIRECTION] = direction;
    c.params.value[SIZE] = BYTES;
    return c;
}

/* A case from begin to end, with two samples. */
static fx_status run(int64_t kind, int64_t direction, fx_sample *out, fx_error *err) {
    const fx_case c = case_of(kind, direction);
    fx_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    rig->gpu = &gpu;
    fx_status status = arrange(rig, &c, err);
    for (uint64_t seed = 5; seed < 7 && status == FX_OK; seed++) {
        status = rig->sample(rig, &c, seed, out, err);
    }
    fx_rig_close(rig);
    return status;
}

static bool is_case(int64_t kind, int64_t direction) {
    return kind != CROWDED || direction == H2D;
}

/* Each call fails once; where none does, the case is timed. */
TEST_WITH(all_is_given_back_whatever_fails, set_up, NULL) {
    for (int64_t kind = FAULT; kind <= CROWDED; kind++) {
        for (int64_t direction = H2D; direction <= D2H; direction++) {
            for (unsigned failing = 1; is_case(kind, direction); failing++) {
                fx_sample out = {0};
                set_up(unit_state);
                fake.failing_call = failing;
                const fx_status status = run(kind, direction, &out, &err);
                assert_int_equal(fake.live, 0);
                if (fake.calls < failing) {
                    assert_int_equal(status, FX_OK);
                    assert_true(out.value > 0 && out.extra[direction == H2D ? EXTRA_H2D : EXTRA_D2H] > 0);
                    break;
                }
                /* The ballast is tried again, smaller; fresh memory is waited for before it is freed. */
                assert_true(status != FX_OK || kind == CROWDED || kind == FIRST_TOUCH);
            }
        }
    }
}

TEST_WITH(what_does_not_arrive_is_found, set_up, NULL) {
    fx_sample out = {0};
    seen.spoils = true;
    assert_int_equal(run(FAULT, H2D, &out, &err), FX_WRONG_RESULT);
}

TEST_WITH(advice_is_that_of_the_case, set_up, NULL) {
    static const struct {
        int64_t kind, direction;
        enum cudaMemoryAdvise advice;
        enum cudaMemLocationType side;
    } expected[] = {
        {READ_MOSTLY, H2D, cudaMemAdviseSetReadMostly, cudaMemLocationTypeDevice},
        {PREFERRED, H2D, cudaMemAdviseSetPreferredLocation, cudaMemLocationTypeHost},
        {PREFERRED, D2H, cudaMemAdviseSetPreferredLocation, cudaMemLocationTypeDevice},
        {ACCESSED_BY, H2D, cudaMemAdviseSetAccessedBy, cudaMemLocationTypeDevice},
        {ACCESSED_BY, D2H, cudaMemAdviseSetAccessedBy, cudaMemLocationTypeHost},
    };
    for (size_t i = 0; i < FX_COUNT(expected); i++) {
        fx_sample out = {0};
        set_up(unit_state);
        assert_ok(run(expected[i].kind, expected[i].direction, &out, &err));
        assert_int_equal(seen.advice, expected[i].advice);
        assert_int_equal(seen.side, expected[i].side);
    }
}

TEST_WITH(the_ballast_leaves_its_room_and_is_made_smaller_to_fit, set_up, NULL) {
    fx_sample out = {0};
    fake.free_bytes = 2048 * MIB + 12345;
    assert_ok(run(CROWDED, H2D, &out, &err));
    assert_true(fake.free_bytes - fake.asked_bytes >= 256 * MIB);
    assert_true(fake.free_bytes - fake.asked_bytes < 273 * MIB);
    assert_int_equal(seen.reads, 4); /* twice in each sample */
    assert_int_equal(seen.drops, 1); /* of the pool, which may lie on the device */
    set_up(unit_state);
    fake.failing_call = 5; /* two events, the memory, what is free, and then it */
    assert_ok(run(CROWDED, H2D, &out, &err));
    assert_int_equal(fake.free_bytes - fake.asked_bytes, 272 * MIB);
    assert_int_equal(fake.live, 0);
}

TEST_WITH(memory_that_others_may_need_is_not_taken, set_up, NULL) {
    fx_sample out = {0};
    fake.used_bytes = 2049 * MIB;
    assert_int_equal(run(CROWDED, H2D, &out, &err), FX_UNSUPPORTED);
    assert_says(err.text, "other processes use device memory");
    assert_int_equal(fake.asked_bytes, 0);
    gpu.flush_bytes = 2 * MIB; /* which is this process's own */
    assert_ok(run(CROWDED, H2D, &out, &err));
    set_up(unit_state);
    fake.free_bytes = 1023 * MIB;
    assert_int_equal(run(CROWDED, H2D, &out, &err), FX_UNSUPPORTED);
    assert_int_equal(fake.asked_bytes, 0);
}

UNIT_MAIN(NULL, NULL)
