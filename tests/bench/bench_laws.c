/* How fast the laws are: predictions of random patterns a second, beside sorting the same tables with the C library in
 * the same run, so that a figure means something on any machine. No test: `build/bin/bench_laws` prints. */
#include <stdio.h>
#include <stdlib.h>

#include "core/families.h"
#include "core/law.h"
#include "gbench/gbench_c.h"

enum { TABLES = 4096 };

typedef unsigned law(const fx_geometry *geometry, const fx_lanes *lanes, unsigned width_bytes);

typedef struct subject {
    const char *name;
    law *count; /* NULL: the sort */
    unsigned width_bytes;
} subject;

static fx_geometry geometry;
static fx_lanes tables[5][TABLES]; /* of 1, 2, 4, 8 and 16 bytes a lane */

static int ascending(const void *a, const void *b) {
    const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

static unsigned sorted_least(fx_lanes lanes) {
    qsort(lanes.offset, FX_WARP, sizeof lanes.offset[0], ascending);
    return (unsigned)lanes.offset[0];
}

static void run(gb_state *state, void *context) {
    const subject *s = context;
    const fx_lanes *table = tables[s->width_bytes == 4 ? 2 : s->width_bytes == 8 ? 3 : 4];
    unsigned at = 0, sum = 0;
    while (gb_keep_running(state)) {
        sum += s->count ? s->count(&geometry, &table[at], s->width_bytes) : sorted_least(table[at]);
        at = (at + 1) % TABLES;
    }
    gb_set_counter(state, "checksum", sum); /* so that nothing is left out */
    gb_set_items_processed(state, gb_iterations(state));
}

static unsigned l2_store(const fx_geometry *of, const fx_lanes *lanes, unsigned width_bytes) {
    return (unsigned)fx_law_l2_store(of, lanes, width_bytes);
}

static unsigned l2_load(const fx_geometry *of, const fx_lanes *lanes, unsigned width_bytes) {
    return (unsigned)fx_law_l2_load(of, lanes, width_bytes);
}

int main(int argc, char **argv) {
    static subject subjects[] = {{"qsort_of_the_table/width:4", NULL, 4},
                                 {"shared_load/width:4", fx_law_shared_load, 4},
                                 {"shared_load/width:8", fx_law_shared_load, 8},
                                 {"shared_load/width:16", fx_law_shared_load, 16},
                                 {"shared_atomic/width:4", fx_law_shared_atomic, 4},
                                 {"l1_load/width:4", fx_law_l1_load, 4},
                                 {"l2_store/width:4", l2_store, 4},
                                 {"l2_load/width:4", l2_load, 4},
                                 {"l2_load/width:16", l2_load, 16}};
    gb_status status = gb_initialize(&argc, argv);
    geometry = fx_geometry_of(9, 0);
    for (unsigned w = 0; w < 5; w++) {
        for (unsigned i = 0; i < TABLES; i++) {
            fx_lanes_family(&tables[w][i], (fx_family)(i % FX_FAMILY_COUNT), 1u << w, 32768u >> w,
                            i / FX_FAMILY_COUNT % 2, i);
        }
    }
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0] && !status; i++) {
        status = gb_register(&(gb_benchmark){.name = subjects[i].name, .run = run, .context = &subjects[i]});
    }
    if (!status) {
        status = gb_run_benchmarks(false);
    }
    if (status) {
        fprintf(stderr, "bench_laws: %s\n", gb_last_error());
    }
    (void)gb_shutdown();
    return status ? 2 : 0;
}
