/* What may go wrong in a case's life: wrong results, refusals, any call of the runtime. Each case says so, and leaves
 * nothing behind. */
#include "unit.h"

#include <math.h>

#include "scratch.h"

static void refused(int64_t way, int64_t place, fx_status status, const char *text) {
    const fx_case c = case_of(way, place);
    fx_error err = {0};
    if (run(&c, 1, NULL, NULL, &err) != status || !strstr(err.text, text)) {
        fail_msg("status %d: %s", (int)err.status, err.text);
    }
}

RIG_TEST(test_wrong_results_are_no_numbers) {
    fault.unwritten = true;
    refused(CHAIN, 0, FX_WRONG_RESULT, "wrote no record for 1 of its 1 warps");
    fault.unwritten = false;
    fault.wrong_lane = true;
    refused(RATE, 0, FX_WRONG_RESULT, "1 lanes of 1024 differ");
    fault.lost_word = true;
    refused(READ, 0, FX_WRONG_RESULT, "the sum of the values read differs from the sum of the values written (");
    fault.unstored = true;
    refused(WRITE, 0, FX_WRONG_RESULT, "memory does not contain what the kernel stored (00000001 instead of 00000000)");
}

RIG_TEST(test_refusals) {
    fault.fail_arrange = 1;
    refused(CHAIN, 0, FX_UNSUPPORTED, "not today");
    fault.fail_arrange = 2;
    refused(RATE, 0, FX_UNSUPPORTED, "not today either");
    assert_int_equal(fault.given_back, 1);
    fault.fail_arrange = 0;
    refused(READ, 1, FX_UNSUPPORTED, "no kernel of probe scratch serves this case");
    refused(BARE, 1, FX_BAD_INPUT, "a case without a kernel sets rig->launch or rig->sample");
    refused(OWN, 1, FX_BAD_INPUT, "a case without a kernel sets rig->launch or rig->sample");
    fake.local_bytes = 8;
    refused(CHAIN, 0, FX_WRONG_RESULT, "8 bytes of local memory per thread");
    fake.local_bytes = 0;
    gpu.facts.l2_bytes = 1 << 20;
    refused(READ, 0, FX_NO_MEMORY, "1048576 bytes of free device memory are too few to exceed the L2");
}

/* Every call fails once, at opening and in the second sample; the case says so, and leaves nothing behind. */
RIG_TEST(test_each_call_may_fail) {
    for (int64_t way = CHAIN; way <= OWN; way++) {
        const fx_case c = case_of(way, 0);
        unsigned failed = 0;
        for (;;) {
            fx_error err = {0};
            fx_pool_close(&gpu);
            fresh_device(NULL);
            fake.failing_call = ++failed;
            const fx_status status = run(&c, way == OWN ? 1 : 2, NULL, NULL, &err);
            if (fake.calls < failed) {
                assert_int_equal(status, FX_OK);
                break;
            }
            if (status != FX_NO_MEMORY || !strstr(err.text, "out of memory")) {
                fail_msg("way %d, call %u: status %d, '%s'", (int)way, failed, (int)status, err.text);
            }
            fx_pool_close(&gpu);
            if (fake.live > 0) {
                fail_msg("way %d: %u pieces are left after call %u failed", (int)way, fake.live, failed);
            }
        }
        assert_true(failed > (way == OWN ? 3 : 8));
    }
}

RIG_TEST(test_a_lost_device_is_said) {
    fake.failure = cudaErrorIllegalAddress;
    fake.failing_call = 3;
    refused(CHAIN, 0, FX_DEVICE_LOST, "the device is lost to this process");
}

UNIT_MAIN(NULL, NULL)
