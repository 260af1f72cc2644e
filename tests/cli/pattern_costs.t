What one access pattern costs, without a GPU: by the laws alone.

  $ export COLUMNS=200
  $ gpufx pattern --expr 0,128,256 --arch sm_75 | sed -n 5,8p
    bank         0         1         2         3
                 01234567890123456789012345678901
    lanes  0-31  3...............................  3
    (words that each bank must serve; . is 0, a is 10, w is 32; right column: the busiest bank)
  $ gpufx pattern --expr 'lane*132' --arch sm_75 --format jsonl
  {"id":"t=0","access":null,"line":null,"warp":null,"gate":null,"space":"shared","op":"load","width":4,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":32,"lanes":[0,132,264,396,528,660,792,924,1056,1188,1320,1452,1584,1716,1848,1980,2112,2244,2376,2508,2640,2772,2904,3036,3168,3300,3432,3564,3696,3828,3960,4092],"costs":[{"level":null,"law":"shared_load","count":1,"claimed":true,"unit":"cycles","predicted":null,"best":null,"times":1,"measured":null,"law_missed_pct":null,"law_holds":null,"fits":null}],"verdict":"no bank conflict: 1.00x.","cures":[],"law_version":10}
  $ gpufx pattern --space global --expr 'lane*12 + 8' --arch sm_75 | grep -E '^12|^  law'
  12 sectors per access instead of 4: L2 2.9x, DRAM 2.7x. Cure: one array per field, lanes side by side (L2 1.00x, DRAM 1.00x)
    law        L1: 1 unit of L1 work (ideal 1); L2: 3.07 units of L2 work (ideal 1.05); DRAM: 6.71 units of DRAM work (ideal 2.5)
  $ gpufx pattern --space constant --expr 'lane % 3 * 4' --arch sm_75 | grep -E '^3|^  (law|cure)'
  3 addresses of constant memory instead of 1: 3.0x. Cure: the table in shared memory
    law        3 distinct addresses (ideal 1)
    cure       the table in shared memory (1 wavefront for these lanes), or a plain const array, read through the L1
  $ gpufx pattern --op atomic --expr 'lane < 8 ? 0 : -1' --arch sm_75 | grep '^  law'
    law        8 steps (lanes of the busiest bank, at least one per phase) (ideal 1)
  $ gpufx pattern --space global --op atomic --expr 'lane*4' --arch sm_75 | grep '^  law'
    law        5 units of L2 work (ideal 5)
  $ for op in atomic fetch cas; do gpufx pattern --space global --op $op --expr 'lane*128' --arch sm_90 --format jsonl | grep -o '"count":[0-9.]*,"claimed":[a-z]*'; done
  "count":32,"claimed":true
  "count":64,"claimed":true
  "count":64,"claimed":true

The measured number of a synthetic device.

  $ GPUFX_ROOT=$(references) gpufx pattern --expr 'lane*4' --device synthetic:generic --format jsonl | sed -E 's/"(predicted|best|measured|law_missed_pct)":[0-9.]+/"\1":N/g; s/results[^ ]*/ARCHIVE/'
  {"id":"t=0","access":null,"line":null,"warp":null,"gate":null,"space":"shared","op":"load","width":4,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":32,"lanes":[0,4,8,12,16,20,24,28,32,36,40,44,48,52,56,60,64,68,72,76,80,84,88,92,96,100,104,108,112,116,120,124],"costs":[{"level":null,"law":"shared_load","count":1,"claimed":true,"unit":"cycles","predicted":N,"best":N,"times":1,"measured":N,"law_missed_pct":N,"law_holds":true,"fits":"ARCHIVE (NVIDIA H200, the same architecture)"}],"verdict":"no bank conflict: 1.00x.","cures":[],"law_version":10}

Where a law is not claimed, it counts the least, and says so.

  $ gpufx pattern --space constant --expr 'lane*256' --arch sm_90 --format jsonl | grep -o '"count":32,"claimed":false\|"predicted":null,"at_least":[^,]*\|"times":null'
  "count":32,"claimed":false
  "predicted":null,"at_least":null
  "times":null
  $ gpufx pattern --space constant --expr 'lane*256' --arch sm_90 | grep -E '^  (constant|law|at least)'
    constant      >=32x
    law        >=32 distinct addresses (ideal 1)
    at least   the lines of one set of the first constant cache are more than its ways

Cycles are predicted from the fits of an archive: here one of a device whose truth is known, 1.1 + 3 cycles a wavefront.

  $ mkdir -p root/results/schema
  $ altered generic 'facts.update(compute_major=7, compute_minor=5); models[:] = [{"a": 1.1, "b": 3}]' >known.json
  $ gpufx run pattern --filter memory:shared/op:load --device synthetic:./known.json --out root/results/sm_75/known >/dev/null
  $ truth() { # as if it had been measured: an invented archive predicts nothing
  >   for f in root/results/sm_75/known/*; do
  >     reseal $f plain '1s/"synthetic"/"measured"/'; rm $f; mv plain ${f%%.jsonl*}.jsonl
  >   done
  > }
  $ truth
  $ GPUFX_ROOT=$PWD/root gpufx pattern --expr 'lane*16' --arch sm_75 --format jsonl | sed 's/_pct":[^,]*/_pct":N/; s/results[^ ]*/ARCHIVE/'
  {"id":"t=0","access":null,"line":null,"warp":null,"gate":null,"space":"shared","op":"load","width":4,"wavefronts":4,"sectors":null,"lines":null,"distinct_words":32,"lanes":[0,16,32,48,64,80,96,112,128,144,160,176,192,208,224,240,256,272,288,304,320,336,352,368,384,400,416,432,448,464,480,496],"costs":[{"level":null,"law":"shared_load","count":4,"claimed":true,"unit":"cycles","predicted":13.1,"best":4.1,"times":3.19512,"measured":null,"law_missed_pct":N,"law_holds":true,"fits":"ARCHIVE (Synthetic generic GPU, the same architecture)"}],"verdict":"4-way bank conflict: 3.2x. Cure: 1 unused element (4 bytes) after every 32, index i + i / 32 (1.00x)","cures":[{"cure":"1 unused element (4 bytes) after every 32, index i + i / 32","how":"padding: 4 bytes after every 128, index i + i / 32","replaces":1,"count":1.0},{"cure":"index i ^ i / 32 % 32, Swizzle<5,0,5>","how":"swizzle: index i ^ i / 32 % 32, Swizzle<5,0,5>","replaces":1,"count":1.0}],"law_version":10}
  $ GPUFX_ROOT=$PWD/root gpufx pattern --expr 'lane*16' --arch sm_75 | grep -E '^  (shared|law)|fits|cure' | sed 's/of .*jsonl/of ARCHIVE/'
    shared      13.10 cycles    4.10 cycles      3.2x  under 0.01 %
    law        4 steps (wavefronts, at least one per phase)
    fits of ARCHIVE (Synthetic generic GPU, the same architecture)
    cure       padding: 4 bytes after every 128, index i + i / 32: 1 instead of 4 (4.10 cycles) by the same law
  $ GPUFX_ROOT=$PWD/root gpufx pattern --op store --expr 'lane*16' --arch sm_75 | grep 'no cost'
    no cost    no archive of this architecture has measured such accesses under the current laws

Global accesses: a row for each level that can serve them, with the same lanes side by side. The planted truth: the L1
and the L2 take 1.1 + 3 cycles a step, DRAM 0.01 + 0.02 ns for a pair of sectors.

  $ altered known.json 'models.insert(0, {"match": {"level": "dram"}, "probe": "coalescing", "a": 0.01, "b": 0.02})' >levels.json
  $ rm root/results/sm_75/known/*
  $ gpufx run pattern coalescing --filter 'memory:l|level:dram/op:load' --device synthetic:./levels.json --out root/results/sm_75/known >/dev/null
  $ truth
  $ predicts() { GPUFX_ROOT=$PWD/root gpufx pattern --space global "$@" --arch sm_75 | sed 's/ results.*jsonl/ ARCHIVE/'; }
  $ predicts --expr 'threadIdx.x*12' | sed -n '5,13p; /^  times/,$p'
    line at byte  lanes in each sector of 32 bytes
               0     3   3   2   3
             128     3   2   3   3
             256     2   3   3   2
  
    served by      predicted          ideal  slowdown  model error
    L1           4.10 cycles    4.10 cycles      1.0x  under 0.01 %
    L2          10.32 cycles    4.25 cycles      2.4x  17 %
    DRAM            0.144 ns      0.0600 ns      2.4x  under 0.01 %
    times      per access of a warp; L2: cycles of one SM while the others are idle (all at once: gpufx ask L2 requests); DRAM: ns of the whole chip
    slowdown   at most 2.4x for a kernel that does nothing else; less if other work hides it, or if other warps use the same sectors, as in a stream
    fits of    ARCHIVE (Synthetic generic GPU, the same architecture)
    cure       structure of arrays: one array per field, so that the elements of neighbouring lanes lie side by side (x[i] and y[i] instead of p[i].x and p[i].y): L2 1.05 instead of 3.07 (4.25 cycles),
               DRAM 2.5 instead of 6.71 (0.0600 ns) by the same laws
  $ predicts --expr 'lane*128 + t*4' t=0:31 | sed -n '/^all 32/,/^  *$/p'
  all 32 steps:
    served by      predicted          ideal  slowdown  model error
    L1         3107.20 cycles  131.20 cycles     23.7x  under 0.01 %
    L2         3225.52 cycles  136.00 cycles    3..24x  17 %
    DRAM             1.92 ns        1.92 ns      1.0x  under 0.01 %
    law        L1: 1024 units of L1 work; L2: 1063.44 units of L2 work; DRAM: 80 units of DRAM work
    cure       swap the index order, or threadIdx.x and .y, so that neighbouring lanes access neighbouring elements of a row; if the algorithm needs columns, stage a tile[32][33] in shared memory: L1 32
               instead of 1024 (131.20 cycles), L2 33.6 instead of 1063.44 (136.00 cycles) by the same laws
  $ predicts --width 1 --expr 'lane' | grep -A 1 'no claim'
    no claim   DRAM: limited by latency: too few bytes are in flight

The device's own archive goes before a later one of another chip of the architecture; of one device the complete one, and
what a profiler or an invented device gave never.

  $ place() { # FOLDER STARTED SLUG NAME
  >   mkdir -p root/results/sm_75/$1
  >   sed -e "1s/\"started_utc\":\"[^\"]*\"/\"started_utc\":\"$2\"/" -e "1s/synthetic-generic-gpu/$3/" \
  >       -e "1s/Synthetic generic GPU/$4/" root/results/sm_75/known/* >root/results/sm_75/$1/$1.jsonl
  >   reseal root/results/sm_75/$1/$1.jsonl root/results/sm_75/$1/$1.jsonl ''
  > }
  $ place own 2025-01-01T00:00:00Z synthetic-generic-gpu 'Own chip'
  $ place other 2026-01-01T00:00:00Z other-chip 'Other chip'
  $ place torn 2026-02-01T00:00:00Z synthetic-generic-gpu 'Own chip, torn'; sed -i '$d' root/results/sm_75/torn/*
  $ rm -r root/results/sm_75/known
  $ fits() { GPUFX_ROOT=$PWD/root gpufx pattern --space global --expr lane*4 "$@" 2>&1 | grep fits; }
  $ fits --device synthetic:./levels.json
    fits of    results/sm_75/own/own.jsonl (Own chip, the same model)
  $ fits --arch sm_75
    fits of    results/sm_75/other/other.jsonl (Other chip, the same architecture)
  $ (cd root/results; echo "{\"own\": \"$(find * -name own.jsonl)\"}" >reference.json); fits --arch sm_75; rm root/results/reference.json
    fits of    results/sm_75/own/own.jsonl (Own chip, the same architecture)
  $ rm -r root/results/sm_75/own; fits --device synthetic:./levels.json
    fits of    results/sm_75/torn/torn.jsonl (Own chip, torn, the same model, cut off)
  $ sed -i '1s/"profiled":false/"profiled":true/' root/results/sm_75/torn/*; fits --device synthetic:./levels.json
    fits of    results/sm_75/other/other.jsonl (Other chip, the same architecture)
  $ sed -i '1s/"provenance":"measured"/"provenance":"synthetic"/' root/results/sm_75/other/*; fits --device synthetic:./levels.json
  [1]

The first line as a gate of continuous integration: 1 if a condition is met, 3 if nothing decides it.

  $ verdicts --arch sm_75 <<'END'
  > No bank conflict: 1.00x.|--expr 'lane*132' --fail-on 'ways>1'
  > gpufx: --fail-on sectors>4 is met: t=0 has 32 sectors|--space global --expr 'lane*128' --fail-on 'ways>1,sectors>4'
  > 4 sectors per access, as few as possible: 1.00x.|--space global --expr 'lane*4' --fail-on 'ways>1'
  > gpufx: --fail-on sectors>1x is met: t=0 has 4x sectors, as few as possible being 1x; 16 sectors per access instead of 4: L1 4.0x, L2 3.9x, DRAM 3.4x. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x)|--space global --expr lane*16 --fail-on 'ways>1,sectors>1x'
  > 16 sectors per access, as few as possible: 1.00x.|--space global --width 16 --expr lane*16 --fail-on 'ways>1,sectors>1x'
  > END

Sectors that several accesses of one array use come from L2 and DRAM once; what none of them uses is lost:

  $ verdicts --arch sm_90 <<'END'
  > p[t].x: 12 sectors per access instead of 4, which other accesses use too: 1.00x.; p[t].y: 12 sectors per access instead of 4, which other accesses use too: 1.00x.; p[t].z: 12 sectors per access instead of 4, which other accesses use too: 1.00x.|--code 'float3 *p; int t = threadIdx.x; float a = p[t].x + p[t].y + p[t].z;'
  > p[t].x: 12 sectors per access instead of 4, which other accesses use too: L2 1.5x, DRAM 1.5x. Cure: one array per field, lanes side by side (L2 1.00x, DRAM 1.00x); p[t].z: 12 sectors per access instead of 4, which other accesses use too: L2 1.5x, DRAM 1.5x. Cure: one array per field, lanes side by side (L2 1.00x, DRAM 1.00x)|--code 'float3 *p; int t = threadIdx.x; float a = p[t].x + p[t].z;'
  > END

A sector is shared if it stays until its next use, however long the loop: two halves of a sector one after the other, and
the fields of one loop; not those of two loops. The L2 keeps more for a warp than the L1, which cp.async.cg passes by.
Where a row crosses a column, one sector of 32 is shared, and the others cost what they cost alone; neighbours and the
halves of a tile share all that matters. Scattered sectors that accesses share are brought once, and cost what scattered
ones do; each access still has its lines. Of accesses that share none nothing is taken off.

  $ verdicts --arch sm_90 --block 256 <<'END'
  > 16 sectors per access instead of 8, which other steps use too: L1 2.0x, 16 steps.|--code 'float *c; float2 v; int t = threadIdx.x; for (int m = 0; m < 8; m++) for (int n = 0; n < 4; n += 2) v = *(float2 *)&c[(t / 16 * 8 + m) * 4096 + t % 16 * 4 + n];'
  > p[k * 32 + t].x: 8 sectors per access instead of 4, which other accesses use too: L1 2.0x, 99 steps. Cure: one array per field, lanes side by side (L1 1.00x); p[k * 32 + t].y: 8 sectors per access instead of 4, which other accesses use too: L1 2.0x, 99 steps. Cure: one array per field, lanes side by side (L1 1.00x)|--code 'struct P { float x, y; } *p; int t = threadIdx.x; for (int k = 0; k < 99; k++) y += p[k * 32 + t].x + p[k * 32 + t].y;'
  > p[k * 32 + t].x: 8 sectors per access instead of 4: L1 2.0x, L2 1.9x, DRAM 1.7x, 99 steps. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x); p[k * 32 + t].y: 8 sectors per access instead of 4: L1 2.0x, L2 1.9x, DRAM 1.7x, 99 steps. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x)|--code 'float2 *p; int t = threadIdx.x; for (int k = 0; k < 99; k++) y += p[k * 32 + t].x; for (int k = 0; k < 99; k++) y += p[k * 32 + t].y;'
  > 8 sectors per access instead of 4: L2 1.9x, DRAM 1.7x. Cure: neighbouring lanes access neighbouring elements (L2 1.00x, DRAM 1.00x)|--code 'float *a; float y = __ldcg(&a[2 * threadIdx.x]);'
  > A[y * n + x] (load): 4 sectors per access, as few as possible: 1.00x.; A[x * n + y] (load): 32 sectors per access instead of 4, 1 of 32 also used by other accesses: L1 32.0x, L2 29.6x, DRAM 22.4x. Cure: neighbouring lanes access neighbouring elements, or a shared tile[32][33] (L1 1.00x, L2 1.00x, DRAM 1.00x); A[y * n + x] (store): 4 sectors per access, as few as possible: 1.00x.; A[x * n + y] (store): 32 sectors per access instead of 4, 1 of 32 also used by other accesses: L2 16.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements, or a shared tile[32][33] (L2 1.00x, DRAM 1.00x)|--code 'float *A; int x = threadIdx.x, y = blockIdx.y; float a = A[y * n + x], b = A[x * n + y]; A[y * n + x] = b; A[x * n + y] = a;' n=1024 blockIdx.y=31
  > a[i - 1]: 5 sectors per access instead of 4, 4 of 5 also used by other accesses: 1.00x|--code 'float *a; int i = threadIdx.x + 64; y = a[i - 1] + a[i] + a[i + 1];'
  > *(float2 *)&a[t * 4]: 16 sectors per access instead of 8, which other accesses use too: L1 2.0x|--code 'float *a; int t = threadIdx.x; float2 u = *(float2 *)&a[t * 4], v = *(float2 *)&a[t * 4 + 2];'
  > 6 sectors per access instead of 1: L1 6.0x, L2 5.7x, DRAM 6.0x|--code 'float *A; int t = threadIdx.x; if (t < 6) x = A[t * 1024 + 1];'
  > A[t * 1024 + 1]: 6 sectors per access instead of 1, which other accesses use too: L1 6.0x, L2 2.9x, DRAM 3.0x|--code 'float *A; int t = threadIdx.x; if (t < 6) x = A[t * 1024 + 1] + A[t * 1024 + 2];'
  > a[i + 4096]: 4 sectors per access; a[i*2 + k*2]: 8.75 sectors per access instead of 4, which other steps use too: L1 2.0x, L2 1.8x, DRAM 1.8x, 4 steps. Cure|--code 'float *a; int i = threadIdx.x; a[i + 4096]; for (int k = 0; k < 4; k++) a[i*2 + k*2];'
  > END

Whether lines stay in the L1 depends on the warps that share it, and waits for a word on other blocks: no gate decides.

  $ export rows='float *a; for (int k = 0; k < 64; k++) y += a[(blockIdx.x * blockDim.x + threadIdx.x) * 256 + k];'
  $ verdicts --arch sm_90 <<'END'
  > 32 sectors per access instead of 4, which other steps use too: L1 32.0x, L2 4.6x to 36.9x, DRAM 1.4x to 23.1x, if 1 to 64 warps per SM share the L1, 64 steps.|--code "$rows"
  > 32 sectors per access instead of 4, which other steps use too: L1 32.0x, L2 4.6x to 36.9x, DRAM 1.4x to 23.1x, if 2 to 64 warps per SM share the L1, 64 steps.|--code "$rows" --block 64
  > a[(blockIdx.x * blockDim.x + threadIdx.x) * 256 + k]: 32 sectors per access instead of 4, which other steps use too: L1 32.0x, L2 4.6x, DRAM 1.4x, 64 steps.|--code "$rows __shared__ char all[60000]; all[threadIdx.x] = 0;" --block 32
  > gpufx: --fail-on can't be decided: a warp's part|--code "$rows" --block 64 --fail-on 'slowdown>33'
  > gpufx: --fail-on can't be decided: waits for|--code 'int *c; if (tid == 0) atomicAdd(c + blockIdx.x % 8, 1);' --fail-on 'slowdown>2'
  > gpufx: --fail-on slowdown>31 is met: a[|--code "$rows" --block 64 --fail-on 'slowdown>31'
  > 32 sectors per access instead of 4, which other steps use too: L1 32.0x, L2 4.6x, DRAM 1.4x, 64 steps.|--code "float *a; for (int k = 0; k < 64; k++) y += a[threadIdx.x * 256 + k];" --block 32,8
  > END

The fewest sectors and lines are those that hold the bytes which lanes want, whatever the width; an element that takes
several instructions is judged as a whole; lanes that wait for each other are counted.

  $ verdicts --arch sm_90 --fail-on "'sectors>1x,lines>1x'" <<'END'
  > gpufx: --fail-on sectors>1x is met: a[threadIdx.x*4] has 4x sectors, as few as possible being 1x; 4 sectors per access instead of 1: DRAM 1.00x to 1.4x by bytes in flight. Cure: neighbouring lanes access neighbouring elements (DRAM 1.00x)|--code 'unsigned char *a; unsigned char v = a[threadIdx.x*4];'
  > gpufx: --fail-on sectors>1x is met: t=0 has 16x sectors, as few as possible being 1x; gpufx: --fail-on lines>1x is met: t=0 has 16x lines; 32 sectors per access instead of 2: L2 24.8x, DRAM 1.00x or more by what the L2 joins. Cure: one array per field, lanes side by side (L2 1.00x, DRAM 1.00x)|--space global --op store --width 2 --expr 'lane*64'
  > gpufx: --fail-on lines>1x is met: t=0 has 4x lines, as few as possible being 1x; 16 lines per access instead of 4, sectors as few as possible (16): L1 4.0x, L2 4.0x, DRAM 2.3x.|--space global --width 16 --expr 'lane%2*16 + lane/2*128'
  > 16 sectors per access, as few as possible, but with bank conflicts: L1 4.0x, L2 3.9x.|--code 'float4 *a; float4 v = a[threadIdx.x%4*8 + threadIdx.x/4];'
  > 12 sectors per access, as few as possible: 1.00x, 3 instructions.|--code 'float3 *t; float3 v = t[threadIdx.x];'
  > 1 sector per access, as few as possible, 8 lanes on one word, which other threads update, too, and waits for them (gpufx ask contention) are not counted: at least L2 3.2x.|--code 'int *h; atomicAdd(&h[threadIdx.x%4], 1);'
  > END

An addition of 1 in shared memory counts the lanes of one word at once from sm_80 on; a loop of compare-and-swaps is not
judged.

  $ verdicts <<'END'
  > 32 steps instead of 1, where lanes meet in a bank, 32 lanes on one word|--arch sm_75 --code '__shared__ int h[32]; atomicAdd(&h[0], 1);'
  > gpufx: --fail-on can't be decided: asm("red.shared.add.f32 [%0], %1;" :: "r"(a), "f"(1.f)); Not judged, since it compiles to a compare-and-swap loop: `gpufx plot h200 --probe=atomics` has its cost|--arch sm_90 --code '__shared__ float h[32]; unsigned a = __cvta_generic_to_shared(h); asm("red.shared.add.f32 [%0], %1;" :: "r"(a), "f"(1.f));' --fail-on 'ways>1'
  > gpufx: --fail-on can't be decided: --code; Not judged: lane 0 of blockIdx.x=1 accesses a beyond the end of the array|--block 256 --fail-on 'ways>1' --code '__device__ float a[256]; a[blockIdx.x * 256 + threadIdx.x] = 0;'
  > END

What stands between __global__ and the name hides no kernel, and one that stays hidden lets no gate pass.

  $ hidden() { { echo '__global__ void good(float *o) { o[threadIdx.x] = 0; }'; cat; } >hidden.cu
  >     gpufx pattern -q --arch sm_90 --block 32 --file hidden.cu --fail-on 'sectors>1x' 2>&1 >/dev/null; }
  $ for head in 'void __cluster_dims__(2, 1, 1)' '__launch_bounds__(128, 1) void __maxnreg__(64)' 'static void __block_size__((9, 1, 1))' \
  >         '[[gnu::used]] inline void MINE(128, (1)) OURS'; do
  >     echo "__global__ $head bad(float *o) { o[threadIdx.x * 32] = 0; }" | hidden
  > done | sort | uniq -c
        4 gpufx: --fail-on sectors>1x is met: hidden.cu:2: bad: o[threadIdx.x * 32] has 8x sectors, as few as possible being 1x
  $ hidden <<'END'
  > __global__ void declared(float *o); // __global__ void comment(float *o) {}
  > const char *text = "__global__ void string(float *o) {";
  > #if 0
  > __global__ void off(float *o) { o[threadIdx.x * 32] = 0; }
  > #endif
  > END
  $ hidden <<'END'
  > #include "lacking.cuh"
  > template <int N, bool B = (N > 3)> __global__ void second(float *o) { o[threadIdx.x * 32] = 0; }
  > #define KERNEL(name, T) __global__ void name(T *o) { o[threadIdx.x * 32] = 0; }
  > KERNEL(third, lacking<T>)
  > LACKING_API void host(Thing t) { run(t); }
  > LACKING_KERNEL void fourth(float *o) { o[threadIdx.x * 32] = 0; }
  > END
  gpufx: --fail-on can't be decided: good: lacking.cuh not found: CPATH=FOLDER in front names its folder; third: lacking.cuh not found: CPATH=FOLDER in front names its folder; no template named 'lacking' at line 5, column 1; second: lacking.cuh not found: CPATH=FOLDER in front names its folder; expected unqualified-id at line 3, column 32; fourth: lacking.cuh not found: CPATH=FOLDER in front names its folder; unknown type name 'LACKING_KERNEL' at line 7, column 1
  [3]
  $ gpufx pattern -q --arch sm_90 --block 32 --file hidden.cu 2>&1 | grep -c 'second.*not judged\|cu:[0-9]*: second: lacking.cuh not found'
  2
  $ gpufx pattern --json --arch sm_90 --block 32 --file hidden.cu 2>/dev/null | grep -o '"access":"second".*"not_judged":"[a-z]*'
  "access":"second","line":3,"warp":null,"gate":null,"not_judged":"lacking

The same offsets have the same cures, however they are written; all steps of a loop have one.

  $ cures() { gpufx pattern "$@" --arch sm_75 | grep -E '^[0-9A-Z]|^  (cure|or) '; }
  $ cures --op store --block 16,2 --tile 'float[16][65]' --expr 't[threadIdx.y][threadIdx.x*4]' >tile
  $ cures --op store --expr '((tid/16)*65 + (tid%16)*4)*4' | tee bytes; cmp tile bytes
  2-way bank conflict: 2.0x. Cure: 2 unused elements (8 bytes) after every 32, index i + i / 32 * 2 (1.00x)
    cure       padding: 8 bytes after every 128, index i + i / 32 * 2: 1 instead of 2 by the same law
    or         swizzle: index i ^ i / 32 % 32, Swizzle<5,0,5>: 1 instead of 2 by the same law
  $ verdicts --arch sm_75 <<'END'
  > t[threadIdx.y][threadIdx.x]: 2-way bank conflict: 2.0x. Cure: float t[16][16], column ^ row, Swizzle<4,0,4> (1.00x); t[threadIdx.x][threadIdx.y]: 2-way bank conflict: 2.0x. Cure: float t[16][16], column ^ row, Swizzle<4,0,4> (1.00x)|--block 16,16 --code '__shared__ float t[16][17]; t[threadIdx.y][threadIdx.x] = v; y = t[threadIdx.x][threadIdx.y];'
  > t[threadIdx.y][threadIdx.x]: 2-way bank conflict: 2.0x. No cure: float t[16][48] would help here and slow down another access of the array.; t[threadIdx.x][threadIdx.y]: 4-way bank conflict: 4.0x. Cure: float t[16][26] (1.00x)|--block 16,16 --code '__shared__ float t[16][24]; t[threadIdx.y][threadIdx.x] = v; y = t[threadIdx.x][threadIdx.y];'
  > 2-way bank conflict: 2.0x. Cure: 1 unused element (16 bytes) after every 8, index i + i / 8 (1.00x)|--width 16 --expr '8*(tid%16)*4'
  > No bank conflict: 1.00x.|--width 16 --expr '4*(tid%16)*4'
  > Bank conflict, 80 wavefronts instead of 4: 20.0x, 4 steps. Cure: float tile[32][33] (1.50x)|--expr 'lane*128 + (lane%2)*t*4' t=0:3
  > 4-way bank conflict: 4.0x. Cure: one array per field, lanes side by side (1.00x)|--code '__shared__ float4 s[64]; v = s[threadIdx.x ^ 5].y;'
  > 16-way bank conflict: 16.0x. Cure: 1 unused double element (8 bytes) after every 16, index i + i / 16 (1.00x)|--code '__device__ void f(double *s) { s[threadIdx.x * 16] = 0; } __global__ void k() { extern __shared__ unsigned char raw[]; f(reinterpret_cast<double *>(raw)); }'
  > 16 sectors per access instead of 4: L2 8.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements, or a shared tile[16][16] at column ^ row (L2|--block 16,16 --code 'float *a; a[threadIdx.x * n + threadIdx.y] = 0;' n=1024
  > 24 sectors per access instead of 8: L2 6.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements, or a shared tile[24][25] (L2|--block 24,8 --code 'double *a; a[threadIdx.x * n + threadIdx.y] = 0;' n=1024
  > o[threadIdx.x * 1024 + t]: 32 sectors per access instead of 4, which other steps use too: L2 16.0x, 32 steps. Cure|--block 32 --code 'float *o; __shared__ char all[60000]; all[threadIdx.x] = 0; o[threadIdx.x * 1024 + t] = 1.f;' t=0:31
  > o[threadIdx.x * 1024 + t]: 32 sectors per access instead of 4, which other steps use too: L2 16.0x, DRAM 1.00x or more by what the L2 joins, 4 steps. Cure|--block 32 --code 'float *o; __shared__ char all[60000]; all[threadIdx.x] = 0; o[threadIdx.x * 1024 + t] = 1.f;' t=0:24:8
  > 32-way bank conflict: 32.0x. Cure: float4 s[32][33] (4.00x)|--code '__shared__ float4 s[32][32]; v = s[threadIdx.x][0].y;'
  > END

A cure costs every warp what it says: this one has 2 ways in the first warp, and padding after 33 would give others 16.

  $ for at in 'i' 'i + i / 512 * 16'; do
  >   printf '%s\n' '__global__ void k(float *o) { __shared__ float t[1040]; int x = threadIdx.x, y = threadIdx.y, i;' \
  >     "i = y * 32 + (x ^ (y & 15)); t[$at] = 0; i = x * 32 + (y ^ (x & 15)); o[y * 32 + x] = t[$at]; }" >half.cu
  >   gpufx pattern -q --arch sm_75 --block 32,32 --file half.cu | tr '\n' ' '; echo
  >   gpufx pattern -q --arch sm_75 --block 32,32 --file half.cu --fail-on 'ways>1' 2>&1 >/dev/null
  > done
  gpufx: judged: warp 0 of 32; --fail-on judges every warp
  half.cu:2: t[i] (load): 2-way bank conflict: 2.0x. Cure: 16 unused float elements (64 bytes) after every 512, index i + i / 512 * 16 (1.00x) half.cu:2: t[i] (store): no bank conflict: 1.00x. half.cu:2: o[y * 32 + x]: 4 sectors per access, as few as possible: 1.00x. 
  gpufx: --fail-on ways>1 is met: half.cu:2: t[i] (load) of warp 0 has 2 ways
  gpufx: judged: warp 0 of 32; --fail-on judges every warp
  half.cu:2: t[i + i / 512 * 16] (store): no bank conflict: 1.00x. half.cu:2: t[i + i / 512 * 16] (load): no bank conflict: 1.00x. half.cu:2: o[y * 32 + x]: 4 sectors per access, as few as possible: 1.00x. 

One array has one cure: of a scan, whose order is the algorithm's, padding; what leaves the 16 bytes aligned that the
compiler may read at once goes first.

  $ cat >scan.cu <<'END'
  > __global__ void scan(int d) {
  >     __shared__ float s[512];
  >     for (int k = 1; k < 256; k *= 2) if (threadIdx.x * 2 * k < 512) s[threadIdx.x * 2 * k] = 0;
  >     for (int k = 256; k > 0; k /= 2) if (threadIdx.x * 2 * k < 512) s[threadIdx.x * 2 * k] = 1;
  > }
  > __global__ void tile(int c, int r) {
  >     __shared__ float a[1024];
  >     a[threadIdx.x % 2 * 512 + threadIdx.x / 2] = 0;
  >     __syncthreads();
  >     for (int i = 0; i < 8; i++) r += a[threadIdx.x / 16 * 8 + i];
  > }
  > END
  $ for kernel in scan tile; do gpufx pattern -q --arch sm_90 --file scan.cu:$kernel --block 256 2>/dev/null; done
  scan.cu:3: s[threadIdx.x * 2 * k]: bank conflict, 60 wavefronts instead of 8: 7.5x, 8 steps. Cure: 1 unused float element (4 bytes) after every 32, index i + i / 32 (1.00x)
  scan.cu:4: s[threadIdx.x * 2 * k]: bank conflict, 61 wavefronts instead of 9: 6.8x, 9 steps. Cure: 1 unused float element (4 bytes) after every 32, index i + i / 32 (1.00x)
  scan.cu:8: a[threadIdx.x % 2 * 512 + threadIdx.x / 2]: 2-way bank conflict: 2.0x. Cure: 4 unused float elements (16 bytes) after every 128, index i + i / 128 * 4 (1.00x)
  scan.cu:10: a[threadIdx.x / 16 * 8 + i]: no bank conflict: 1.00x, 2 steps. nvcc makes one access of 16 bytes of neighbours of 4.
What is laid out in whole elements: a field of a structure has no padding of its own, lanes that skip elements of a
plain array should not, and nothing that fits better than side by side is an ideal.

  $ gpufx pattern --code '__shared__ float4 s[64]; v = s[threadIdx.x].y;' --format jsonl | grep -oE '"lanes":.[0-9]*,[0-9]*|"cure":"[^"]*' | paste -s -d ' '
  "lanes":[4,20 "cure":"one array per field, lanes side by side
  $ cures --block 128 --code '__shared__ float s[1024]; for (int k = 1; k < 64; k *= 2) { int i = 2 * k * threadIdx.x; if (i < 1024) s[i] = 0; }'
  gpufx: 'i < 1024' at line 1: branch by lane, 16 of 32 lanes active; what divergence costs is not priced (gpufx ask divergence)
  Bank conflict, 78 wavefronts instead of 6: 13.0x, 6 steps. Cure: sequential addressing, as for (s = blockDim.x / 2; s > 0; s >>= 1) if (tid < s) a[tid] += a[tid + s] (1.00x)
    cure       sequential addressing, as for (s = blockDim.x / 2; s > 0; s >>= 1) if (tid < s) a[tid] += a[tid + s] in a reduction: neighbouring lanes access neighbouring elements: 6 instead of 78 by
    or         padding: 4 bytes after every 128, index i + i / 32: 6 instead of 78 by the same law
    or         swizzle: index i ^ i / 32 % 32, Swizzle<5,0,5>: 6 instead of 78 by the same law
  $ cures --code 'half *a; half v = a[threadIdx.x*2];' | sed 2d
  4 sectors per access instead of 2: DRAM 1.00x to 1.4x by bytes in flight. Cure: neighbouring lanes access neighbouring elements (DRAM 1.00x)
    or         vector access: one access of 4 bytes per lane instead of 2 accesses, if its neighbours are accessed, too: L1 1 instead of 2, L2 1.05 instead of 4, DRAM 2.5 instead of 5 by the same laws

Sectors that the steps of a loop share come once from what is behind the L1, and are written once to DRAM; one wide
access serves the steps that it has the fields of.

  $ cures --space global --expr 'lane*16 + t*4' t=0:3
  16 sectors per access instead of 4, which other steps use too: L1 4.0x, 4 steps. Cure: one access of 16 bytes instead of 4 (L1 1.00x, L2 1.00x, DRAM 1.00x)
    cure       vector access: one access of 16 bytes per lane instead of 4 accesses: L1 4 instead of 16, L2 4.11 instead of 4.2, DRAM 8.54 instead of 10 by the same laws
    or         structure of arrays: one array per field, so that the elements of neighbouring lanes lie side by side (x[i] and y[i] instead of p[i].x and p[i].y): L1 4 instead of 16 by the same laws
  $ cures --space global --op store --expr 'lane*16 + t*4' t=0:3 | head -n 1
  16 sectors per access instead of 4, which other steps use too: L2 5.0x, 4 steps. Cure: one access of 16 bytes instead of 4 (L2 1.00x)
  $ cures --space global --expr 'lane*16 + t*4' t=0:1 | sed 2d
  16 sectors per access instead of 4, which other steps use too: L1 4.0x, L2 2.0x, DRAM 2.0x, 2 steps. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x)
    or         vector access: one access of 16 bytes per lane instead of 4 accesses, if its neighbours are accessed, too: L1 4 instead of 16, L2 4.11 instead of 8.4, DRAM 8.54 instead of 20 by the same

A tile that is stored with a swizzle.

  $ for bits in 5 1; do cures --tile 'float[32][32]' --swizzle $bits,0,5 --expr 'tile[lane][t]' t=0:31 | head -n 1; done
  No bank conflict: 1.00x, 32 steps.
  16-way bank conflict: 16.0x, 32 steps. Cure: column ^ row, Swizzle<5,0,5> (1.00x)
  $ cures --tile 'half[64][128]' --swizzle 3,3,3 --op ldmatrix --expr 't[lane%16][lane/16*8]'
  2-way bank conflict: 2.0x. Cure: column ^ row % 8 * 8, Swizzle<3,3,4> (1.00x)
    cure       swizzle: column ^ row % 8 * 8, rows of 256 bytes, Swizzle<3,3,4>: 4 instead of 8 by the same law
    or         padding: 16 bytes after every 256, half tile[64][128 + 8], without the swizzle: 4 instead of 8 by the same law

A tile as C has it, and blocks of two dimensions.

  $ gpufx pattern --tile 'float[32][32]' --expr 'tile[lane][t]' --arch sm_75 | grep -E '^(shared load|  (shared|law|cure) )'
  shared load, 4 bytes per lane, 32 of 32 lanes active, sm_75
    shared        32.0x
    law        32 steps (wavefronts, at least one per phase) (ideal 1)
    cure       padding: 4 bytes after every 128, float tile[32][32 + 1]: 1 instead of 32 by the same law
  $ gpufx pattern --expr 'lane*128' --arch sm_75 | tail -n +2 >by_bytes; gpufx pattern --tile 'float[32][32]' --expr 'tile[lane][0]' --arch sm_75 | tail -n +2 | grep -v '^  judged ' | diff by_bytes - && echo the same
  the same
  $ while read -r tile; do gpufx pattern --tile "$tile" --expr 'tile[threadIdx.x][0]' --arch sm_75 2>&1 | grep -E '^(  cure|gpufx)'; done <<'END'
  > float[64][64]
  > half[32][32]
  > long long m[32][16]
  > half[32][48]
  > unsigned char[32][32]
  > END
    cure       padding: 4 bytes after every 256, float tile[64][64 + 1]: 1 instead of 32 by the same law
    cure       padding: 4 bytes after every 64, half tile[32][32 + 2]: 1 instead of 16 by the same law
    cure       padding: 8 bytes after every 128, long long m[32][16 + 1]: 2 instead of 32 by the same law
    cure       padding: 4 bytes after every 96, half tile[32][48 + 2]: 1 instead of 8 by the same law
    cure       padding: 4 bytes after every 32, unsigned char tile[32][32 + 4]: 1 instead of 8 by the same law
  $ gpufx pattern --tile 'float[32][32]' --op store --expr 'tile[threadIdx.x][threadIdx.y]' --block 8,4 --arch sm_75 | grep -E '^shared|  lanes'
  shared store, 4 bytes per lane, 32 of 32 lanes active, sm_75
    lanes  0-31  8888............................  8
  $ gpufx pattern --tile 'double2[4][8][9]' --expr 'a[lane/8][lane%8][0]' --arch sm_75 --format jsonl | grep -o '"width":[0-9]*,"wavefronts":[0-9]*'
  "width":16,"wavefronts":4
  $ gpufx pattern --block 8x2 --expr 'threadIdx.x*4 + threadIdx.y*blockDim.x*4' --arch sm_75 | sed -n 2p
  shared load, 4 bytes per lane, 16 of 32 lanes active, sm_75

Elements, lists, matrices, and CuTe's swizzles.

  $ verdicts --arch sm_90 <<'END'
  > 3-way bank conflict: 3.0x. Cure: float tile[3][33] (1.00x)|--index '0,32,-,64'
  > No bank conflict: 1.00x.|--index lane --width 8
  > 8-way bank conflict: 8.0x. Cure: half tile[64][72] (1.00x)|--tile 'half[64][64]' --expr 't[lane%16][lane/16*8]' --op ldmatrix
  > 8-way bank conflict: 8.0x. Cure: float4 tile[8][9] (1.00x)|--expr 'lane < 8 ? lane*128 : -1' --op stmatrix
  > END

The chip of an archive: its architecture and its fits.

  $ chip=$(ls root/results/sm_75/torn/*)
  $ sed -i '1s/"profiled":true/"profiled":false/' $chip
  $ gpufx pattern --space global --expr 'lane*4' --archive $chip | grep -E '^global|fits'
  global load, 4 bytes per lane, 32 of 32 lanes active, sm_75
    fits of    root/results/sm_75/torn/torn.jsonl (Own chip, torn)
  $ gpufx pattern --space global --expr 'lane*4' --archive $chip --device synthetic:generic | grep -E '^  (served|fits|measured)'
    served by      predicted       measured          ideal  slowdown  model error
    fits of    root/results/sm_75/torn/torn.jsonl (Own chip, torn)
    measured   on Synthetic generic GPU, which is synthetic: the numbers are made up

Chips with few banks, down to one, where a row of all banks is shorter than an access.

  $ for banks in 1 8 64; do sed "s/\"banks\": 32/\"banks\": $banks/" $GPUFX_ROOT/harness/core/synthetic/generic.json >few.json
  > for width in 4 16; do gpufx pattern --expr 'lane*64' --width $width --device synthetic:./few.json | grep -E cure; done; done
    cure       padding: 4 bytes after every 64, float tile[32][16 + 1]: 4 instead of 32 by the same law
    cure       padding: 16 bytes after every 64, float4 tile[32][4 + 1]: 16 instead of 32 by the same law
    cure       padding: 4 bytes after every 256, index i + i / 64: 1 instead of 8 by the same law
    cure       padding: 16 bytes after every 256, index i + i / 16: 2 instead of 8 by the same law

For a program every step says which warp makes it, and what the gate makes of it; also what was not judged.

  $ gated() { gpufx pattern --arch sm_90 --block 32,2 --format jsonl --code '__shared__ float s[64 * 32]; float *q; s[threadIdx.x * (1 + threadIdx.y)] = q[(int)s[0]];' "$@" 2>/dev/null | cut -d , -f 2-6; }
  $ gated --fail-on 'ways>1'
  "access":"s[0]","line":null,"warp":"warp 0","gate":"passed","space":"shared"
  "access":"s[threadIdx.x * (1 + threadIdx.y)]","line":null,"warp":"warp 0","gate":"passed","space":"shared"
  "access":"s[threadIdx.x * (1 + threadIdx.y)]","line":null,"warp":"warp 1","gate":"met","space":"shared"
  "access":"q[(int)s[0]]","line":null,"warp":null,"gate":"passed","not_judged":"not judged
  "gate":"met","fail_on":["--fail-on ways>1 is met: s[threadIdx.x * (1 + threadIdx.y)], warp 1 has 2 ways"],"judged":["2 of 3 accesses judged"],"not_judged":[{"access":"q[(int)s[0]]"
  $ gated --fail-on 'lines>9' | tail -n 2 | cut -c 1-110
  "access":"q[(int)s[0]]","line":null,"warp":null,"gate":"undecided","not_judged":"not judged
  "gate":"undecided","fail_on":["--fail-on can't be decided: q[(int)s[0]]: not judged, since its address at colu
  $ gated
  "access":"s[0]","line":null,"warp":"warp 0","gate":null,"space":"shared"
  "access":"s[threadIdx.x * (1 + threadIdx.y)]","line":null,"warp":"warp 0","gate":null,"space":"shared"
  "access":"q[(int)s[0]]","line":null,"warp":null,"gate":null,"not_judged":"not judged

A cure keeps the wider accesses of the array aligned, or is refused.

  $ for width in int4:40:half float4:32:float; do echo "__shared__ ${width##*:} a[64][$(echo $width | cut -d : -f 2)]; *(${width%%:*} *)&a[threadIdx.x][0] = v; y = a[threadIdx.x][3];"; done | while read -r code; do gpufx pattern --arch sm_90 --code "$code" -q | sed -n 's/^a.*: \(.*\)/\1/p'; done
  half a[64][42] would help here and misalign another access of the array.
  float a[64][36] (4.00x), in multiples of 16 bytes, which keep another access aligned

Annotations of GitHub stand at each place of an access.

  $ cat >rows.cu <<'END'
  > #include <some/library.hpp>
  > __global__ void rows(float *o, const float *r, int n) {
  >     float sum = 0;
  >     for (int c = threadIdx.x; c < n; c += 32) sum += r[blockIdx.x * n + c];
  >     for (int c = threadIdx.x; c < n; c += 32) o[blockIdx.x * n + c] = r[blockIdx.x * n + c] / sum;
  > }
  > __global__ void wrong(float *o) { some::Tile<1, 2> tile{1 > {2}}; o[0] = 1; }
  > END
  $ gpufx pattern -q --file rows.cu:rows n=101 --block 32 --arch sm_90 --fail-on 'sectors>1x' --format github 2>/dev/null
  ::error file=rows.cu,line=4,title=gpufx pattern::r[blockIdx.x * n + c] (2 times), step 2 of 4, warp 0 of blockIdx.x=2: 5 sectors per access instead of 4: L1 2.0x, L2 1.9x, DRAM 1.7x. Cure: a base or row at the start of a line (L1 1.00x, L2 1.00x, DRAM 1.00x). In a stream, whose warps share the sectors, it hardly costs: gpufx ask misaligned
  ::error file=rows.cu,line=5,title=gpufx pattern::r[blockIdx.x * n + c] (2 times), step 2 of 4, warp 0 of blockIdx.x=2: 5 sectors per access instead of 4: L1 2.0x, L2 1.9x, DRAM 1.7x. Cure: a base or row at the start of a line (L1 1.00x, L2 1.00x, DRAM 1.00x). In a stream, whose warps share the sectors, it hardly costs: gpufx ask misaligned
  ::error file=rows.cu,line=5,title=gpufx pattern::o[blockIdx.x * n + c], step 4 of 4, warp 0 of blockIdx.x=3: 2 sectors per access instead of 1: L2 1.5x, DRAM 1.00x to 2.0x by what the L2 joins. Cure: a base or row at the start of a line (L2 1.00x, DRAM 1.00x)
  [1]
  $ gpufx pattern --file rows.cu:wrong
  gpufx: --file rows.cu:wrong: some/library.hpp not found: CPATH=FOLDER in front names its folder; 'some' is not a class, namespace, or enumeration at line 7, column 35
  [2]
  $ gpufx pattern --file rows.cu:wrong --fail-on 'ways>1' --format github 2>/dev/null | cut -d, -f -3
  ::warning title=gpufx pattern::--fail-on can't be decided: wrong: not judged: some/library.hpp not found: CPATH=FOLDER in front names its folder; 'some' is not a class, namespace, or enumeration at line 7
  ::warning file=rows.cu,line=7,title=gpufx pattern::wrong: not judged: some/library.hpp not found: CPATH=FOLDER in front names its folder; 'some' is not a class
  $ printf 'template <class F> __global__ void each(F f) { f(threadIdx.x); }\nvoid go(float *p) { each<<<1, 32>>>([=] __device__ (int i) { p[i] = 0; }); }\n' >lambda.cu
  $ gpufx pattern --file lambda.cu --fail-on 'ways>1' 2>/dev/null
  Not judged: each gets a lambda, whose type has no name: write a functor, or give its body as --code
  [3]
  $ gpufx pattern --file lambda.cu:nobody --fail-on 'ways>1' --format github 2>/dev/null
  ::error title=gpufx pattern::--file lambda.cu:nobody: no kernel has this name (each: line 1)
  [2]
