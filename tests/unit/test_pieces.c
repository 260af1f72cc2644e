/* What the rig gives back: memory, with what is freed waited for, textures, latches, and what a probe brings itself. */
#include "unit.h"

#include <math.h>

#include "gpu/rig_objects.h"
#include "scratch.h"

/* Room for 48 pieces: the next is refused, and still given back. */
RIG_TEST(test_pieces_are_counted) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    void *memory;
    rig->gpu = &gpu;
    for (int i = 0; i < FX_RIG_PIECES; i++) {
        const unsigned kinds[] = {FX_DEVICE_MEMORY, FX_PINNED_MEMORY, FX_HOST_MEMORY};
        assert_ok(fx_rig_memory(rig, &memory, kinds[i % 3], 100, 0, &err));
    }
    assert_int_equal(fx_rig_keep(rig, &fault, give_back_token, &err), FX_BAD_INPUT);
    assert_int_equal(fault.given_back, 1);
    assert_int_equal(fx_rig_memory(rig, &memory, FX_HOST_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    assert_non_null(strstr(err.text, "more than 48 resources"));
    fx_rig_close(rig);
    fx_rig_close(NULL);
}

/* A texture of two rows of four floats. */
static struct cudaResourceDesc rows_of(void *memory) {
    struct cudaResourceDesc resource = {.resType = cudaResourceTypePitch2D};
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 2;
    return resource;
}

/* They read elements as they are, and go before the memory that was there first. */
RIG_TEST(test_textures) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    cudaTextureObject_t texture;
    void *memory;
    rig->gpu = &gpu;
    assert_ok(fx_rig_memory(rig, &memory, FX_DEVICE_MEMORY, 32, 0, &err));
    const struct cudaResourceDesc resource = rows_of(memory);
    assert_ok(fx_rig_texture(rig, &resource, &texture, &err));
    assert_ptr_equal(fake.resource.res.pitch2D.devPtr, memory);
    assert_int_equal(fake.texture.readMode, cudaReadModeElementType);
    assert_int_equal(fake.texture.filterMode, cudaFilterModePoint);
    assert_int_equal(fake.texture.addressMode[0], cudaAddressModeClamp);
    assert_int_equal(fake.texture.addressMode[1], cudaAddressModeClamp);
    assert_false(fake.texture.normalizedCoords);
    fake.failing_call = fake.calls + 1;
    assert_int_equal(fx_rig_texture(rig, &resource, &texture, &err), FX_NO_MEMORY);
    assert_int_equal(rig->piece_count, 2);
    fx_rig_close(rig);
    assert_false(fake.torn); /* the texture went first */
}

/* Closed with the case, and at once where the rig has no room. */
RIG_TEST(test_latches) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    fx_latch latch = {0};
    const unsigned live = fake.live;
    fake.failing_call = fake.calls + 1;
    assert_int_equal(fx_rig_latch(rig, &latch, &err), FX_NO_MEMORY);
    assert_int_equal(rig->piece_count, 0);
    assert_ok(fx_rig_latch(rig, &latch, &err));
    assert_non_null(latch.host);
    assert_int_equal(rig->piece_count, 1);
    rig->piece_count = FX_RIG_PIECES;
    fx_latch other;
    assert_int_equal(fx_rig_latch(rig, &other, &err), FX_BAD_INPUT);
    assert_null(other.host);
    rig->piece_count = 1;
    fx_rig_close(rig);
    assert_null(latch.host);
    assert_int_equal(fake.live, live);
}

RIG_TEST(test_the_pool_lends_one_buffer) {
    fx_rig *rig = calloc(1, sizeof *rig);
    fx_error err = {0};
    void *one, *two;
    rig->gpu = &gpu;
    assert_ok(fx_rig_memory(rig, &one, FX_POOL_MEMORY, 100, 0, &err));
    assert_int_equal(fx_rig_memory(rig, &two, FX_POOL_MEMORY, 100, 0, &err), FX_BAD_INPUT);
    fx_rig_close(rig);
    assert_int_equal(fake.live, 1 + 2 /* events */); /* the pool keeps it ... */
    assert_ok(fx_pool_borrow(&gpu, 50, &two, &err));
    assert_ptr_equal(two, one); /* ... and lends it again */
    size_t room;
    assert_ok(fx_pool_room(&gpu, &room, &err));
    assert_int_equal(room, fake.free_bytes + 100);
}

/* After much was freed the next pair waits until memory is as fast again as it was at rest, and not for a known time.
 */
RIG_TEST(test_clearing_is_waited_for) {
    const fx_case c = case_of(READ, 0);
    uint32_t flags = 0;
    fx_error err = {0};
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
    assert_int_equal(fake.flushes, 0); /* nothing was freed */
    fx_memory_free(&gpu, NULL, 1 << 30);
    fx_memory_free(&gpu, calloc(1, 10), 10);
    fake.live++;
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
    assert_int_equal(fake.flushes, 0); /* too little to see */
    fake.live++;
    fx_memory_free(&gpu, calloc(1, 10), 1 << 30);
    fake.slow_flushes = 500;
    run_fine(&c, 1, NULL, NULL);
    assert_int_equal(fake.slow_flushes, 0);
    assert_in_range(fake.flushes, 524, 540);
    fake.flushes = 0;
    run_fine(&c, 1, NULL, NULL);
    assert_int_equal(fake.flushes, 2); /* once */
    fake.live++;
    fx_memory_free(&gpu, calloc(1, 10), 1 << 30);
    assert_int_equal(flags, 0);
    fake.flush_ns *= 2; /* a device that clocked down: it is no waiting for that */
    assert_ok(fx_memory_settle(&gpu, &flags, &err));
    assert_int_equal(flags, FX_SAMPLE_UNSETTLED);
    run_fine(&c, 1, NULL, NULL);
}

UNIT_MAIN(NULL, NULL)
