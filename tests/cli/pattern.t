What one access pattern costs as a program has it: kernels of files, gates, what is refused.

  $ export COLUMNS=200

In a file, each kernel has shared memory of its own type, and one that clang does not understand stops no other.

  $ cat >dynamic.cu <<'END'
  > __global__ void a(float *o) { extern __shared__ half sm[]; o[threadIdx.x] = sm[threadIdx.x * 2]; }
  > __global__ void b(float *o) { extern __shared__ __align__(16) char sm[]; o[threadIdx.x] = sm[threadIdx.x * 8]; }
  > template <int N> __global__ void c(float *o) { float r[N] = {0}; o[threadIdx.x] = r[0]; }
  > END
  $ gpufx pattern -q --arch sm_90 --block 32 --file dynamic.cu --fail-on 'ways>2' 2>&1 | cut -d '[' -f -2 | cut -c -120
  dynamic.cu:2: b: sm[threadIdx.x * 8]: 2-way bank conflict: 2.0x. Cure: neighbouring lanes access neighbouring elements (
  dynamic.cu:3: c: variable-sized object may not be initialized at line 3, column 56; give N=VALUE
  dynamic.cu:1: a: sm[threadIdx.x * 2]: no bank conflict: 1.00x.
  dynamic.cu:1: a: o[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.
  dynamic.cu:2: b: o[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.
  gpufx: --fail-on can't be decided: c: variable-sized object may not be initialized at line 3, column 56; give N=VALUE

What copies or multiplies whole tiles has no law: no gate passes it, and nothing is taken for a copy of each lane.

  $ cat >bulk.cu <<'END'
  > __global__ void bulk(const __grid_constant__ CUtensorMap map, const float *g, float *o) {
  >     __shared__ alignas(128) float s[1024]; __shared__ uint64_t bar; uint32_t a = __cvta_generic_to_shared(s);
  >     asm("cp.async.bulk.shared::cluster.global.mbarrier [%0], [%1], 256, [%2];" ::"r"(a), "l"(g), "r"(a));
  >     asm("cp.async.bulk.tensor.2d.shared::cluster.global [%0], [%1, {0, 0}], [%2];" ::"r"(a), "l"(&map), "r"(a));
  >     asm("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; wgmma.fence.sync.aligned;");
  >     asm("wgmma.mma_async.sync.aligned %0;" ::"l"((a & 0x3FFFFul) >> 4)); asm("new.mma %0;" ::"l"(a >> 4));
  >     cuda::memcpy_async(s, g, cuda::aligned_size_t<16>(4096), bar); __pipeline_memcpy_async(s, g, threadIdx.x);
  >     cooperative_groups::memcpy_async(cooperative_groups::this_thread_block(), s, g, 4096);
  >     asm("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(a + threadIdx.x * 4), "l"(g + threadIdx.x));
  > }
  > END
  $ gpufx pattern -q --arch sm_90 --block 32 --file bulk.cu --fail-on 'ways>1, sectors>1x' 2>&1 >not_judged |
  >     sed 's/: asm.*/: .../'
  gpufx: --fail-on can't be decided: ...
  $ tr '\n' ' ' <not_judged | tr -s ' ' | grep -o 'judged, since [^:]*' | sed 's/ $//' | uniq -c
        2 judged, since cp.async.bulk has no law
        1 judged, since wgmma has no law
        1 judged, since the address that asm gets is not known
        3 judged, since it may copy other than 4, 8 or 16 bytes of each lane bulk.cu

Of neighbours of 4 or 8 bytes in shared memory nvcc makes one access, which decides a gate. It takes all of them, aligned
whatever parameters are, in unrolled loops, without a condition, a barrier or a store among them (SASS of 13.0, sm_90). Cures are in elements of the
type that the index counts.

  $ verdicts --arch sm_90 --fail-on "'ways>1'" <<'END'
  > gpufx: --fail-on ways>1 is met: ((float4 *)s; 32-way bank conflict: 32.0x. Cure: 1 unused float4 element (16 bytes) after every 8, index i + i / 8 (4.00x)|--code 'extern __shared__ float s[]; y = ((float4 *)s)[threadIdx.x * 8].x;'
  > gpufx: --fail-on can't be decided: s[; Not judged, since nvcc may make one access of 16 bytes|--code '__shared__ float s[512]; for (int i = 0; i < 4; i++) y += sinf(s[lane * 4 + i]);'
  > gpufx: --fail-on can't be decided: s[; Not judged, since nvcc may make one access of 16 bytes|--code '__shared__ float s[512]; for (int i = 0; i < 4; i++) y += s[(lane * 4) ^ i];'
  > gpufx: --fail-on ways>1 is met: s[; 32-way bank conflict|--code '__shared__ float s[1024]; for (int i = 0; i < 4; i++) y += sinf(s[lane * 32 + i]);'
  > gpufx: --fail-on ways>1 is met: *(volatile float *)&s[; 4-way bank conflict: 4.0x, 4 steps.|--code '__shared__ float s[512]; for (int i = 0; i < 4; i++) y += *(volatile float *)&s[lane * 4 + i];'
  > No bank conflict: 1.00x. nvcc makes one access of 16 bytes of neighbours of 4.|--code '__shared__ float s[512]; for (int i = 0; i < 4; i++) y += s[lane * 4 + i];'
  > gpufx: --fail-on ways>1 is met: s[threadIdx.x / 32; 4-way bank conflict: 4.0x, 4 steps. Cure:|--block 64 --code '__shared__ float s[266]; for (int i = 0; i < 4; i++) s[threadIdx.x / 32 * 133 + threadIdx.x % 32 * 4 + i] = v;'
  > gpufx: --fail-on ways>1 is met: s[lane * 8], s[lane * 8 + 1] has 4 ways; 4-way bank conflict: 4.0x. nvcc makes one access of 8 bytes of neighbours of 4. Cure: neighbouring lanes access neighbouring elements (1.00x)|--code '__shared__ float s[512]; s[lane * 8] = x; s[lane * 8 + 1] = y;'
  > END
  $ for text in 'for (int i = 0; i < 2; i++) s[lane * 2 + i] += 1;' 'y = s[lane * 2]; __syncthreads(); y += s[lane * 2 + 1];' \
  >     'y = s[lane * 2 + 1] + s[lane * 2 + 2];' 'y = s[lane * 4] + s[lane * 4 + 2];' \
  >     '__shared__ short h[512]; for (int i = 0; i < 4; i++) y += h[lane * 4 + i];' \
  >     'for (int i = 0; i < 4; i++) if (s[i]) y += s[lane * 4 + i];'; do
  >     gpufx pattern -q --arch sm_90 --code "__shared__ float s[512]; $text"; done | grep 'nvcc makes'
  [1]
  $ cat >merged.cu <<'END'
  > #define K(name) __global__ void name(float *o, int n) { __shared__ float s[4096]; float y = 0; int t = threadIdx.x;
  > K(pitch) for (int i = 0; i < 4; i++) y += s[t * n + i]; o[t] = y; }
  > K(offset) for (int i = 0; i < 4; i++) y += s[t * 4 + n + i]; o[t] = y; }
  > K(bound) for (int i = 0; i < n; i++) y += s[t * 4 + i]; o[t] = y; }
  > K(guard) for (int i = 0; i < 4; i++) if (i < n) y += s[t * 4 + i]; o[t] = y; }
  > K(rolled)
  > #pragma unroll 1
  >   for (int i = 0; i < 4; i++) y += s[t * 4 + i]; o[t] = y + n; }
  > K(halves)
  > #pragma unroll 2
  >   for (int i = 0; i < 8; i++) y += s[t * 8 + i]; o[t] = y + n; }
  > K(outer) for (int k = 0; k < n; k++) for (int i = 0; i < 4; i++) y += s[k * 128 + t * 4 + i]; o[t] = y; }
  > K(launch) for (int i = 0; i < 4; i++) y += s[t * 4 + blockDim.x + i]; o[t] = y + n; }
  > K(block) for (int i = 0; i < 4; i++) y += s[t * 4 + blockIdx.x + i]; o[t] = y + n; }
  > __global__ void base(float *o, int n) { __shared__ float a, s[512]; a = n; o[n] = a + s[threadIdx.x * 2] + s[threadIdx.x * 2 + 1]; }
  > __global__ void behind(float *o, int n) { __shared__ float s[512], a; a = n; o[n] = a + s[threadIdx.x * 2] + s[threadIdx.x * 2 + 1]; }
  > __global__ void global(float *o, int n) { o[threadIdx.x * n] = 0; }
  > END
  $ gpufx pattern --arch sm_90 --block 32 --fail-on 'ways>1' --file merged.cu:global 2>&1 | grep ways
  gpufx: ways>1: nothing to judge, since nothing accesses shared memory
  $ for name in pitch offset bound guard rolled halves outer launch block base behind; do
  >     echo $name $(gpufx pattern -q --arch sm_90 --file merged.cu:$name n=4 2>&1 | tr '\n' ' ' | grep -o 'one access of *[0-9]*'); done | grep access
  halves one access of 8
  outer one access of 16
  behind one access of 8

Of a copy nvcc loads the fields that the text uses, and it makes one access of fields of one aligned struct, unless a
branch, a barrier or a store that may be to them lies between (13.0, sm_90).

  $ verdicts --arch sm_90 <<'END'
  > __ldg(&v[i]) (field x): 16 sectors per access instead of 4; p[i + 32] (field z[1]): 32 sectors per access instead of 4; s[i] (field y): 4-way; *reinterpret_cast<const float4 *>(o + 4 * i + 512) (fields x, y): 16 sectors per access instead of 8; v[i + 512]: 16 sectors per access, as few as possible; w[i]: 8 sectors per access, as few as possible; p[i] (field m): 32 sectors per access instead of 4; o[i]: 4 sectors; o[i + 64]: 4 sectors; out[i]: 16 sectors per access, as few as possible|--code 'struct P { float x, y, z[5], m; }; __device__ float mass(P p) { return p.m; } __global__ void copy(const P *p, const float4 *v, const float2 *w, float *o, float4 *out, int k) { __shared__ float4 s[64]; int i = threadIdx.x; auto a = __ldg(&v[i]), b = a; const P c = p[i + 32]; float4 t = s[i]; float4 d = *reinterpret_cast<const float4 *>(o + 4 * i + 512), e = v[i + 512]; float2 g = w[i]; o[i] = b.x + mass(p[i]) + c.z[1] + d.x + d.y + t.y; if (k) o[i + 64] = g.x; else o[i + 96] = g.y; out[i] = e; }' k=1
  > a[lane] (fields x, y): 16 sectors per access instead of 8|--code 'float4 *a; float f[4], y = 0; *(float4 *)f = a[lane]; for (int i = 0; i < 2; i++) y += f[i]; float *o; o[lane] = y;'
  > a[i].x, a[i].y, a[i].z, a[i].w: 16 sectors per access, as few as possible; g[i].x, g[i].y: 8 sectors per access, as few as possible; r[i].x: 16 sectors per access instead of 4; r[i].z: 16 sectors per access instead of 4; n[i].x: 16 sectors per access instead of 4; o[i]: 4 sectors; n[i].y: 16 sectors per access instead of 4; o[i + 32]: 4 sectors; t[i].x, t[i].y: no bank conflict|--code '__global__ void join(const float4 *a, float2 *g, const float4 *__restrict__ r, float4 *n, float *o) { int i = threadIdx.x; float x = a[i].x + a[i].y + a[i].z + a[i].w; g[i].x = x; g[i].y = r[i].x + r[i].z; o[i] = n[i].x; o[i + 32] = n[i].y; __shared__ float2 t[32]; t[i].x = x; t[i].y = x; }'
  > END

So is a vector that PTX loads, and what a structured binding names; not one that is volatile. (SASS of nvcc 13.0, sm_90:
LDS; LDS.64; LDS twice; LDS.128; LDS.128; LDG.64; LDG twice; STS; LDG.64 twice.)

  $ cat >ptx.cu <<'END'
  > #define LD4(a, at) asm volatile("ld.shared" ".v4.f32 {%0, %1, %2, %3}, " \
  >     "[%4];\n" : "=f"(a.x), "=f"(a.y), "=f"(a.z), "=f"(a.w) : "r"(at))
  > #define KERNEL(name, to, ...) __global__ void name(float *o, float4 *g, int n) { __shared__ float4 s[1024]; float4 v; \
  >     float r[4]; int i = threadIdx.x; unsigned a = __cvta_generic_to_shared(&s[i]); unsigned long long b; __VA_ARGS__; to; }
  > #define PTX "ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"(a)
  > KERNEL(one, o[i] = v.x, asm volatile(PTX))
  > KERNEL(two, o[i] = v.z + v.w, asm(PTX)) KERNEL(apart, o[i] = v.x + v.z, asm(PTX))
  > KERNEL(most, o[i] = v.x + v.y + v.w, LD4(v, a))
  > KERNEL(whole, g[i] = v, asm(PTX))
  > __global__ void forced(float *o, float4 *g) { float a, b; asm volatile("ld.volatile.global.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(g + threadIdx.x)); o[threadIdx.x] = a; }
  > __global__ void both(float *o, float4 *g) { float a, b; asm("{ ld.global.v2.f32 {%0, _}, [%2];\n\tld.global.f32 %1, [%2 + 16]; }" : "=f"(a), "=f"(b) : "l"(g + threadIdx.x)); o[threadIdx.x] = a + b; }
  > __global__ void lost(float *o, float4 *g) { float a; asm("{ .reg .f32 t; ld.global.v2.f32 {%0, t}, [%1]; }" : "=f"(a) : "l"(g)); o[threadIdx.x] = a; }
  > __global__ void hidden(float *o, float4 *g) { float a; asm("{ .reg .u64 t; add.u64 t, %1, 4; ld.global.f32 %0, [t]; }" : "=f"(a) : "l"(g)); o[threadIdx.x] = a; }
  > __global__ void to(float *, float4 *) { __shared__ float4 s[64]; unsigned a; asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(s)); asm("st.shared.f32 [%0], 0f00000000;" :: "r"(a + threadIdx.x * 32)); }
  > __global__ void named(float *o, float4 *g) { auto [x, y, z, w] = g[threadIdx.x]; const auto &[p, q, r, t] = g[threadIdx.x + 32]; o[threadIdx.x] = z + w + p + q; }
  > END
  $ gpufx pattern --arch sm_90 -q --block 32 --file ptx.cu --fail-on 'ways>9' --format jsonl 2>/dev/null | sed -nE \
  > 's/.*"access":"([^:]*): .*("op":"load"|red","op":"store").*"width":([0-9]*),"wavefronts":([0-9]*),"sectors":([^,]*),.*/\1 \3 \4 \5/p; s/.*"access":"([^:]*).*"not_judged":"(.*since [^",]*).*/\1: \2/p' | sort | uniq -c
        2 apart 4 4 null
        1 both 4 4 16
        1 both 4 4 17
        1 forced 8 4 16
        1 hidden: not judged, since asm is not evaluated and may access memory
        1 lost: not judged, since it loads registers of PTX
        1 most 16 4 null
        2 named 8 4 16
        1 one 4 4 null
        1 to 4 8 null
        1 two 8 4 null
        1 whole 16 4 null

Every warp of the block is judged: a row of 33 begins in the middle of a sector from the second one on, the worst is
named. A guard without a value is noted.

  $ gated="--arch sm_90 --block 32,8 --fail-on 'ways>1,sectors>1x'"
  $ verdicts "$gated" <<'END'
  > gpufx: --fail-on sectors>1x is met: warp 1 has 1.25x sectors, as few as possible being 1x|--space global --index 'threadIdx.y*33+threadIdx.x'
  > 4 sectors|--space global --index 'threadIdx.y*32+threadIdx.x'
  > No bank conflict|--expr 'threadIdx.y < 1 ? lane * 4 : -1'
  > gpufx: --fail-on ways>1 is met: t=0 has 32 ways|--expr $(seq -s, 0 128 3968)
  > gpufx: --fail-on ways>1 is met: s[p.at * p.by] has 32 ways; gpufx: --fail-on sectors>1x is met: a[lane + c - 1 + p.n] has 1.25x|--code 'struct P { int n, at, off, by; }; P p = {.at = lane, .by = 1}; int c = 32; __shared__ float s[1024]; float *a, *b = a + 1; std::swap(c, p.by); std::swap(a, b); s[p.at * p.by] = 0; a[lane + c - 1 + p.n] = 0; b[lane] = 0;'
  > gpufx: --fail-on ways>1 is met: s[threadIdx.y][threadIdx.x * (1 + k * (threadIdx.y == 5))], step 2 of 2, warp 5 has 2 ways|--code 'float *a; __shared__ float s[8][64]; if (threadIdx.y < n) a[threadIdx.x] = 0; for (int k = 0; k < 2; k++) s[threadIdx.y][threadIdx.x * (1 + k * (threadIdx.y == 5))] = 0;'
  > gpufx: --fail-on can't be decided: s[side][threadIdx.x] where 'in[threadIdx.x]', which data decide, is not the same|--code '__shared__ float s[2][48]; const int *in; int side = in[threadIdx.x] ? 1 : 0; s[side][threadIdx.x] = 0;'
  > END

A gate ends in some ten seconds, and does not hold on what no judged warp reaches, in a block of another size, nor by
block 0 alone.

  $ gpufx pattern -q --arch sm_90 --block 1024 --fail-on 'ways>1' --code 'float *a; __shared__ float s[1024]; int h = 1; for (int i = 0; i < 4096; i++) { h = (h * 1103515245 + 12345) & 1023; s[(h + tid) % 1024] = a[i * 256 + tid]; }' 2>&1 | tail -n 1 | cut -c 1-140
  gpufx: --fail-on can't be decided: not judged, for loops of too many rounds: all but 24 of the warps (give smaller values); of 'i < 4096' at

  $ cat >gated.cu <<'END'
  > __global__ void reduce(float *out, const float *in) {
  >     __shared__ float s[1024];
  >     s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  >     for (int k = 1; k < blockDim.x; k *= 2) {
  >         int index = 2 * k * threadIdx.x;
  >         if (index < blockDim.x) s[index] += s[index + k];
  >     }
  > }
  > __global__ void far(float *out, const float *in, int flag) {
  >     int i = blockIdx.x * 256 + threadIdx.x;
  >     if (i >= 4096) out[i] = in[i * 33];
  >     if (flag) out[i] = 1; else out[i * 32] = 2;
  > }
  > __global__ void rows(float *x, int cols) {
  >     if (threadIdx.x < cols) x[blockIdx.x * cols + threadIdx.x] = 0;
  > }
  > END
  $ (cat gated.cu; echo 'const int size = 256; void run() { reduce<<<4, size>>>(0, 0); }') >launched.cu
  $ gpufx pattern --arch sm_90 --file launched.cu:reduce 2>&1 | grep launches
  gpufx: block 256,1,1 as the program launches it; --block gives another
  $ verdicts --arch sm_90 --fail-on "'ways>4,sectors>1x'" <<'END'
  > gpufx: --block not given and no launch found: judged for --block 256; gpufx: --fail-on ways>4 is met: s[index] (load), step 3 of 8 has 8 ways; s[index] (store): bank conflict, 37 wavefronts instead of 8: 4.6x, 8 steps. Cure: sequential addressing, as for (s = blockDim.x / 2|--file gated.cu:reduce
  > gpufx: --fail-on ways>4 is met: s[index] (load), step 3 of 8 has 8 ways|--file gated.cu:reduce --block 256
  > gpufx: --fail-on ways>4 is met: s[index] (load), step 3 of 8 has 8 ways|--file launched.cu:reduce
  > gpufx: --fail-on ways>4 is met: s[i % 32 * (k == 701 && i / 32 == 3 ? 32 : 1)], step 702, warp 3 has 32 ways|--block 256 --code '__shared__ float s[1056]; int i = threadIdx.x; for (int k = 0; k < 3000; k++) s[i % 32 * (k == 701 && i / 32 == 3 ? 32 : 1)] = 0;'
  > gpufx: judged: every warp of the blocks 0, 1, 2, 3, 16, 17 along blockIdx.x; gpufx: --fail-on sectors>1x is met: in[i * 33] of warp 0 of blockIdx.x=16 has 8x sectors, as few as possible being 1x|--file gated.cu:far --block 256
  > gpufx: judged: every warp of the blocks 0, 1, 2, 3, 7, 8 along blockIdx.x; gpufx: --fail-on sectors>1x is met: p[i], warp 0 of blockIdx.x=7 and blockIdx.y=3|--code 'int *p, i = tid; if (blockIdx.x == 7 && blockIdx.y == 3) i *= 8; p[i] = 0;'
  > gpufx: judged: every warp of the blocks 0, 1, 2, 3, 13, 14, 15, 16 along blockIdx.x; gpufx: --fail-on sectors>1x is met: p[i], step 41 of 64, warp 0|--code 'int *p; for (int k = 0; k < 64; k++) { int i = tid; i *= blockIdx.x * 64 + k == 1000 ? 8 : 1; p[i] = 0; }'
  > gpufx: --fail-on sectors>1x is met: p[i / 32 == 90001 ? i * 3 : i], step 563, warp 1 of blockIdx.x=40 has 3x|--block 64 gridDim.x=80 --code 'int *p; for (int i = blockIdx.x * 64 + threadIdx.x; i < 1 << 24; i += 64 * gridDim.x) p[i / 32 == 90001 ? i * 3 : i] = 0;'
  > gpufx: judged: every warp of the blocks 0, 1, 2, 3 along blockIdx.x; gpufx: --fail-on can't be decided: a condition may change in other blocks|--code 'int *p; if (blockIdx.x * 2654435761u % 8191 == 5) p[0] = 0; p[tid] = 0;'
  > gpufx: judged: every warp of the blocks 0, 1, 2, 3, 4, 32, 128 along blockIdx.x; gpufx: --fail-on sectors>1x is met: p[blockIdx.x / 4 * 1001 + blockIdx.x % 4 * 64 + tid], warp 0 of blockIdx.x=4 has 1.25x sectors, as few as possible being 1x|--block 64 gridDim.x=129 --code 'int *p; p[blockIdx.x / 4 * 1001 + blockIdx.x % 4 * 64 + tid] = 0;'
  > gpufx: --fail-on ways>4 is met: s[(q == 16 ? 8 : 1) * tid], warp 0 of blockIdx.y=39 and blockIdx.x=16 has 8 ways|gridDim.x=40 gridDim.y=40 --code '__shared__ int s[256]; int q = blockIdx.y / 9 ? blockIdx.x & 24 : 0; s[(q == 16 ? 8 : 1) * tid] = 0;'
  > No bank conflict: 1.00x.|gridDim.x=1001 --code '__shared__ int s[64]; s[tid ^ blockIdx.x % 8] = 0;'
  > gpufx: --fail-on sectors>1x is met: in[i * 33], step 1 of 2, warp 0 has 8x sectors, as few as possible being 1x|--file gated.cu:far --block 256 blockIdx.x=16 flag=0:1
  > gpufx: --fail-on sectors>1x is met: x[blockIdx.x * cols + threadIdx.x], warp 0 of blockIdx.x=1 has 1.25x sectors, as few as possible being 1x|--file gated.cu:rows --block 256 cols=1001
  > 4 sectors|--file gated.cu:rows --block 256 cols=1024
  > END
  $ gpufx pattern --arch sm_90 --file gated.cu:far --block 256 flag=1 2>&1 | head -n 2
  gated.cu:11: in[i * 33] of warp 0 of blockIdx.x=16: 32 sectors per access instead of 4: L1 8.0x, L2 31.6x, DRAM 16.0x. Cure: neighbouring lanes access neighbouring elements, or a shared tile[32][33]
    (L1 1.00x, L2 1.00x, DRAM 1.00x)
  $ verdicts "$gated" <<'END'
  > gpufx: --fail-on can't be decided: no warp judged reaches (p + threadIdx.x * 32)->a|--code 'struct V { int a; }; V *p; __shared__ half s[2048]; p[threadIdx.x].a = 0; if (threadIdx.x > 99) { (p + threadIdx.x * 32)->a = 1; ldmatrix_x4(&s[threadIdx.x * 8]); }'
  > 4 sectors|--code 'float *a, r[4]; if (threadIdx.y > 99) r[0] = 1; if (sizeof(int) == 8) a[threadIdx.x * 2] = 0; a[threadIdx.x] = r[0];'
  > END
  $ gpufx pattern -q --arch sm_75 --fail-on 'sectors>1x' --file gated.cu:rows --block 64 cols=1001 2>/dev/null
  warp 0 of blockIdx.x=1: 5 sectors per access instead of 4: L2 1.8x, DRAM 1.00x to 1.5x by what the L2 joins. Cure: a base or row at the start of a line (L2 1.00x, DRAM 1.00x)
  [1]

What differs from block to block is found where one lane or a branch makes it, too: 33 floats are 4 bytes beyond a line.

  $ verdicts --arch sm_90 --block 32 --fail-on "'sectors>1x'" <<'END'
  > gpufx: --fail-on sectors>1x is met|--code 'float *p; int o = threadIdx.x > 3 && threadIdx.x < 9 ? blockIdx.x * 33 : 0; p[o + threadIdx.x] = 0;'
  > gpufx: --fail-on sectors>1x is met|--code 'float *p; if (threadIdx.x > 3 && threadIdx.x < 12) p[blockIdx.x * 36 + threadIdx.x - 4] = 0;'
  > gpufx: --fail-on sectors>1x is met: p[i * (last ? 2 : 1)], warp 0 of blockIdx.x=8 and blockIdx.y=6 has 2x|--code 'float *p; int i = tid; bool last = blockIdx.x == gridDim.x - 1 & blockIdx.y == gridDim.y - 1; p[i * (last ? 2 : 1)] = 0;' gridDim.x=9 gridDim.y=7
  > gpufx: --fail-on sectors>1x is met: p[i], warp 0 of blockIdx.x=9 and blockIdx.y=12 has 8x|--code 'float *p; int i = tid; i *= blockIdx.y * gridDim.x + blockIdx.x == 777 ? 8 : 1; p[i] = 0;' gridDim.x=64 gridDim.y=64
  > gpufx: --fail-on can't be decided: what blockIdx.x and blockIdx.y decide together may be otherwise|--code 'float *p; int i = tid; i *= blockIdx.x * blockIdx.y == 30 ? 8 : 1; p[i] = 0;'
  > gpufx: --fail-on sectors>1x is met|--code 'float *p; int b = 0; int &r = b; r = threadIdx.x == 5; p += blockIdx.x * b * 64; p[threadIdx.x] = 0;'
  > gpufx: --fail-on sectors>1x is met|--code 'float *p; float *q = p; p += blockIdx.x * 64; if (threadIdx.x == 5) q = p; q[threadIdx.x] = 0;'
  > gpufx: --fail-on sectors>1x is met|--code 'float *p; if (threadIdx.x == 0) return; p += blockIdx.x * 33; p[threadIdx.x] = 0;'
  > 4 sectors|--code 'float *p; p += blockIdx.x * 64; p[threadIdx.x] = 0;'
  > END

Helpers are judged with their arguments, templates with what they deduce, a struct's copy as the statement that it is;
what a function without a body does with an address is not judged, but of memcpy; given values choose a branch.

  $ cat >helpers.cu <<'END'
  > #include "lib.h"
  > struct P { float a, b; };
  > template <class T, int N = 1> __device__ T sum(T x) { for (int i = 0; i < N; i++) x += __shfl_down_sync(~0u, x, 1 << i); return x; }
  > __device__ float half_of(float x) { return x / 2; }
  > extern __device__ void other(float *, int), set(int *);
  > __global__ void followed(float *o, P *p, const float *in) {
  >     auto twice = [](float x) { return 2 * x; };
  >     o[threadIdx.x] = half_of(in[threadIdx.x]) + twice(in[threadIdx.x + 32]) + sum(in[threadIdx.x + 64]);
  >     o[threadIdx.x + 32] = sum<float, 5>(in[threadIdx.x + 96]);
  >     p[threadIdx.x] = p[threadIdx.x + 32];
  > }
  > __global__ void copied(float *o, const float *in, int n) {
  >     memcpy(&o[threadIdx.x * 32], &in[threadIdx.x], 4);
  >     memset(&o[threadIdx.x], 0, n);
  >     other(o, 1); other(o + (int)in[0], 1); printf("%f", in[0]);
  > }
  > __global__ void chosen(float *o, int t) {
  >     int m = 0; set(&m);
  >     if (t) o[threadIdx.x] = 1; else o[threadIdx.x * 32] = m;
  >     if (m) o[threadIdx.x + 32] = 1;
  > }
  > __global__ void absent(Particle *p) { p[threadIdx.x].x = 0; }
  > template <bool WIDE> __device__ void put(float *o) { o[threadIdx.x * (WIDE ? 2 : 1)] = 0; }
  > template <bool WIDE> __global__ void flagged(float *o) { put<WIDE>(o); }
  > END
  $ mkdir lib; touch lib/lib.h; helpers() { CPATH=lib gpufx pattern --format github --arch sm_90 --fail-on 'sectors>1x' --block 32 --file helpers.cu:"$@"; }
  $ helpers followed -q
  $ helpers flagged WIDE=false -q; helpers flagged WIDE=true 2>&1 | grep met
  gpufx: --fail-on sectors>1x is met: helpers.cu:23: o[threadIdx.x * (WIDE ? 2 : 1)] has 2x sectors, as few as possible being 1x
  $ gpufx pattern --file helpers.cu:followed --block 32 --arch sm_90 --format github
  ::warning file=helpers.cu,line=10,title=gpufx pattern::p[threadIdx.x]: 8 sectors per access, as few as possible, but with bank conflicts: L2 2.5x, 2 instructions. Cure: one access of 8 bytes instead of 2 (L2 1.00x)
  ::warning file=helpers.cu,line=10,title=gpufx pattern::p[threadIdx.x + 32]: 8 sectors per access, as few as possible, but with bank conflicts: L1 2.0x, 2 instructions. Cure: one access of 8 bytes instead of 2 (L1 1.00x, L2 1.00x, DRAM 1.00x)
  gpufx: lib.h not found: CPATH=FOLDER in front names its folder
  $ helpers copied
  ::error file=helpers.cu,line=13,title=gpufx pattern::memcpy(&o[threadIdx.x * 32], &in[threadIdx.x], 4) (store): 32 sectors per access instead of 4: L2 16.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements, or a shared tile[32][33] (L2 1.00x, DRAM 1.00x)
  ::warning file=helpers.cu,line=14,title=gpufx pattern::memset(&o[threadIdx.x], 0, n): not judged, since what memset does with an address of o is not known
  ::warning file=helpers.cu,line=15,title=gpufx pattern::other(o, 1): not judged, since what other does with an address of o is not known
  ::warning file=helpers.cu,line=15,title=gpufx pattern::other(o + (int)in[0], 1): not judged, since the address that other gets is not known: in[0] is read from memory (line 15, column 33): give 'in[0]=VALUE'
  gpufx: --fail-on sectors>1x is met: helpers.cu:13: memcpy(&o[threadIdx.x * 32], &in[threadIdx.x], 4) (store) has 8x sectors, as few as possible being 1x
  [1]
  $ helpers chosen -q
  ::error file=helpers.cu,line=19,title=gpufx pattern::o[threadIdx.x * 32] of warp 0 where 't' is false: 32 sectors per access instead of 4: L2 16.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements, or a shared tile[32][33] (L2 1.00x, DRAM 1.00x)
  gpufx: --fail-on sectors>1x is met: helpers.cu:19: o[threadIdx.x * 32] of warp 0 where 't' is false has 8x sectors, as few as possible being 1x
  [1]
  $ helpers chosen t=1
  gpufx: 'm' is taken to hold for every lane: set may set it: give m=VALUE
  gpufx: 't' at line 19, column 9 is decided by the values given: the other branch is not judged
  $ gpufx pattern --file helpers.cu:followed --block 32 --arch sm_90 --fail-on 'sectors>1x' -q 2>&1 | grep gpufx:
  gpufx: --fail-on can't be decided: lib.h not found: CPATH=FOLDER in front names its folder
  $ gpufx pattern --file helpers.cu:absent --arch sm_90
  gpufx: --file helpers.cu:absent: lib.h not found: CPATH=FOLDER in front names its folder; unknown type name 'Particle' at line 22, column 24; give Particle=TYPE, such as Particle=float
  [2]

Of a pointer that lanes load from different places nothing is known; who is called may be the object's choice; what a
variable of the program begins with is no access.

  $ cat >held.cu <<'END'
  > #include "cuda_runtime.h"
  > struct Node { float v; Node *next; };
  > struct B { __device__ virtual float get(const float *p, int i) const { return p[i]; } };
  > struct D final : B { __device__ float get(const float *p, int i) const override { return p[i * 32]; } };
  > __device__ int counter = 0;
  > static __device__ const int STRIDE = 32;
  > __global__ void uniform(float **a) { a[blockIdx.x][threadIdx.x] = a[1][threadIdx.x]; }
  > __global__ void lanes(float **a) { a[threadIdx.x][0] = 0; }
  > __global__ void chosen(float **a) { float *p = a[0]; for (int i = 0; i < 4; i++) if (i == threadIdx.x % 4) p = a[i]; p[threadIdx.x] = 0; }
  > __global__ void list(const Node *n, float *o) { for (n += threadIdx.x; n; n = n->next) o[threadIdx.x] += n->v; }
  > __global__ void hidden(float *o) { __shared__ float *s[32]; __shared__ float t[1024]; s[threadIdx.x] = t + threadIdx.x * 32; *s[threadIdx.x] = 0; }
  > __global__ void first(float **a) { __shared__ float *p; if (threadIdx.x == 0) p = a[0]; p[threadIdx.x] = 0; }
  > __global__ void base(const B *b, const float *in, float *o) { o[threadIdx.x] = b->get(in, threadIdx.x); }
  > __global__ void named(const B *b, const float *in, float *o) { o[threadIdx.x] = b->B::get(in, threadIdx.x); }
  > __global__ void own(const float *in, float *o) { D d; o[threadIdx.x] = d.get(in, threadIdx.x); }
  > __global__ void none(float *o) { __shared__ int s[1024]; s[threadIdx.x * STRIDE] = threadIdx.x; }
  > END
  $ held() { gpufx pattern --file held.cu:$1 --block 32 --arch sm_90 --fail-on "$2" -q 2>&1 | grep -E '^gpufx|n->v' || echo passes; }
  $ for kernel in uniform lanes chosen list hidden first base named own none; do echo "$kernel: $(held $kernel 'sectors>1x')"; done; held none 'ways>1'
  uniform: passes
  lanes: gpufx: --fail-on can't be decided: a[threadIdx.x][0]: not judged, since its lanes at line 8, column 36 have pointers from different places in memory
  chosen: gpufx: --fail-on can't be decided: p[threadIdx.x]: not judged, since its lanes at line 9, column 118 have pointers from different places in memory
  list: held.cu:10: n->v: not judged, since its lanes at line 10, column 109 have pointers from different places in memory
  gpufx: --fail-on can't be decided: rounds of 'n': not judged, from the next on, since the end at line 10, column 72 is not known: n->next follows more than 64 pointers that are in memory; n->v: not judged, since its lanes at line 10, column 109 have pointers from different places in memory; n->next: not judged, since its lanes at line 10, column 82 have pointers from different places in memory
  hidden: gpufx: --fail-on can't be decided: *s[threadIdx.x]: not judged, since its lanes at line 11, column 126 have pointers from different places in memory
  first: gpufx: --fail-on can't be decided: p[threadIdx.x]: not judged, since its lanes at line 12, column 89 access different arrays
  base: gpufx: --fail-on can't be decided: b->get(in, threadIdx.x): not judged, since get is not evaluated and may access memory
  named: gpufx: --fail-on can't be decided: b->B::get(in, threadIdx.x): not judged, since get is not evaluated and may access memory
  own: gpufx: --fail-on can't be decided: d.get(in, threadIdx.x): not judged, since get is not evaluated and may access memory
  none: passes
  gpufx: --fail-on ways>1 is met: held.cu:16: s[threadIdx.x * STRIDE] has 32 ways

A header's functions, constructors and operators are judged as those of the text; what is not evaluated and may access
memory is named, by an address in a struct, of its object or in a lambda, or if clang does not understand it.

  $ mkdir inc; cat >inc/view.h <<'END'
  > #include <cuda_runtime.h>
  > template <class T> struct View {
  >     T *p;
  >     int ld;
  >     __device__ View(T *q, int n) : p(q), ld(n) {}
  >     __device__ operator float() { return p[8 * lane]; }
  >     __device__ T &operator()(int r) { return p[r * ld]; }
  >     __device__ float none(), operator[](int);
  > };
  > __device__ float get(const float *p) { return expf(p[8 * lane]); }
  > __device__ float table[64];
  > __device__ float half_read(int i) { return unknown::load(i); }
  > END
  $ mkdir cuda; echo '#define lane 0' >cuda/cuda_runtime.h
  $ export CPATH=$PWD/inc:$PWD/cuda NONE='#include "none.h"
  > __global__ void k(float *a) { a[lane] = LOAD(lane); }' VIEW='#include "view.h"
  > __global__ void k(float *a) { View<float> v(a, 8); a[lane] ='
  $ verdicts --arch sm_90 --fail-on "'sectors>1x'" <<'END'
  > gpufx: --fail-on sectors>1x is met: v(lane) has 8x|--code "$VIEW v(lane); }"
  > gpufx: --fail-on sectors>1x is met: p[8 * lane] has 8x|--code "$VIEW v + 1; }"
  > gpufx: --fail-on sectors>1x is met: p[8 * lane] has 8x|--code "$VIEW get(a); }"
  > gpufx: --fail-on can't be decided: v.none()|--code "$VIEW v.none(); }"
  > gpufx: --fail-on can't be decided: v[lane]|--code "$VIEW v[lane]; }"
  > gpufx: --fail-on can't be decided: f(v)|--code "$VIEW f(v); }"
  > gpufx: --fail-on can't be decided: f([](int i) { table[i] = 0|--code "$VIEW f([](int i) { table[i] = 0; }); }"
  > gpufx: --fail-on can't be decided: half_read(3)|--code "$VIEW half_read(3); }"
  > gpufx: --fail-on can't be decided: none.h not found: CPATH=FOLDER in front|--code "$NONE"
  > gpufx: --fail-on sectors>1x is met: asm("red.add.u32 [%0], 1;" :: "l"(a + 8 * lane)) has 8x sectors|--code "$VIEW 0; asm(\"red.add.u32 [%0], 1;\" :: \"l\"(a + 8 * lane)); }"
  > gpufx: --fail-on can't be decided: b is not declared|--code "$VIEW b[8 * lane]; }"
  > 4 sectors per access, as few as possible|--code "$VIEW expf(lane); asm(\"bar.sync %0;\" :: \"r\"(lane)); }"
  > END
  $ unset CPATH

What a condition on the size of the block or a value passes by is no part of the program; blocks beyond the second are
judged, the last with the grid's size; what can't be judged is named, with what to give, and the gate does not hold.

  $ verdicts "$gated" <<'END'
  > s[i]: no bank conflict|--code '__shared__ float s[1024]; int i = threadIdx.y * 32 + threadIdx.x, n = blockDim.x * blockDim.y; s[i] = 0; if (n >= 512) s[i * 32] = 1; for (int k = n / 2; k > 128; k /= 2) s[i * 2 * k] = 2; s[n > 512 ? i * 32 : i] = 3;'
  > gpufx: --fail-on can't be decided: no warp judged reaches a[threadIdx.x * 32]|--code 'float *a; int far = 0; if (threadIdx.y == 9) far = 1; if (far) a[threadIdx.x * 32] = 0; a[threadIdx.x] = 1;'
  > gpufx: --fail-on can't be decided: what a quotient, bits or a function of blockIdx.x chooses may be|gridDim.x=1024 --code 'float *a; int m = blockIdx.x % 600; for (int i = 0; i < m; i++) { a[threadIdx.x * (1 + (i == 555))] = 0; } a[threadIdx.x] = 1;'
  > a[threadIdx.x]: 4 sectors|--code 'float *a; int x = 1; for (int k = 0; k < 9; k++) { a[threadIdx.x] = 0; x++; } a[threadIdx.x + (threadIdx.y == 3 ? x - 2 : 0)] = 1;'
  > gpufx: --fail-on sectors>1x is met: a[threadIdx.x + (k == 6 ? 8 + threadIdx.y % 7 : 0)], step 7 of 9, warp 1 has 1.25x sectors, as few as possible being 1x|--code 'float *a; for (int k = 0; k < 9; k++) a[threadIdx.x + (k == 6 ? 8 + threadIdx.y % 7 : 0)] = 0;'
  > END
  $ gpufx pattern --arch sm_90 --fail-on 'sectors>4' --code 'float *a; a[blockIdx.x / 64 * 33 + threadIdx.x] = 0;' gridDim.x=65 2>&1 >/dev/null | tail -n 2
  gpufx: judged: every warp of the blocks 0, 1, 2, 3, 64 along blockIdx.x
  gpufx: --fail-on sectors>4 is met: a[blockIdx.x / 64 * 33 + threadIdx.x], warp 0 of blockIdx.x=64 has 5 sectors
  $ cat >sparse.cu <<'END'
  > __global__ void multiply(int n, const int *row, const int *column, const float *x, float *y) {
  >     int i = threadIdx.x;
  >     float sum = 0;
  >     for (int j = row[i]; j < row[i + 1]; j++)
  >         sum += x[column[j]];
  >     y[i] = sum;
  > }
  > END
  $ gpufx pattern -q --arch sm_90 --file sparse.cu --fail-on 'sectors>5'
  sparse.cu:4: row[i + 1]: 5 sectors per access instead of 4, which other accesses use too: L2 1.00x to 1.9x, DRAM 1.00x to 1.3x, if 8 to 512 warps per SM share the L1, 2 steps. No cure: a base or row
    at the start of a line would help here and slow down another access of the array.
  sparse.cu:4: rounds of 'j < row[i + 1]': not judged, from the second on, since the end at line 4, column 26 is not known: row[i] is read from memory (line 4, column 18): give 'row[i]=VALUE', 'row[i +
    1]=VALUE'
  sparse.cu:5: column[j]: not judged, since its address at line 5, column 18 is not known: row[i] is read from memory (line 4, column 18): give 'row[i]=VALUE'
  sparse.cu:5: x[column[j]]: not judged, since its address at line 5, column 16 is not known: column[j] is read from memory (line 5, column 18): give 'column[j]=VALUE'
  sparse.cu:4: row[i]: 4 sectors per access, as few as possible: 1.00x.
  sparse.cu:6: y[i]: 4 sectors per access, as few as possible: 1.00x.
  gpufx: --block not given and no launch found: judged for --block 256; another may change the verdicts
  gpufx: --fail-on can't be decided: block 256 assumed, and verdicts depend on it: --block gives another; rounds of 'j < row[i + 1]': not judged, from the second on, since the end at line 4, column 26 is not known: row[i] is read from memory (line 4, column 18): give 'row[i]=VALUE', 'row[i + 1]=VALUE'; not judged: column[j]; x[column[j]]: not judged, since its address at line 5, column 16 is not known: column[j] is read from memory (line 5, column 18): give 'column[j]=VALUE'
  [3]
  $ gpufx pattern -q --arch sm_90 --code 'int *at; float *a; x = a[at[threadIdx.x]];' 'at[i]=i*8' | grep -o '32 sectors'
  32 sectors
  $ gpufx pattern -q --arch sm_90 --file sparse.cu --fail-on 'sectors>5' 'row[i]=i*5' 'row[i+1]=i*5+5' 'column[j]=j%7' | grep column
  gpufx: --block not given and no launch found: judged for --block 256; another may change the verdicts
  gpufx: --fail-on sectors>5 is met: sparse.cu:5: column[j], step 1 of 5, warp 0 has 20 sectors
  sparse.cu:5: column[j]: 20 sectors per access instead of 4, which other steps use too: L1 2.0x, L2 1.00x to 4.9x, DRAM 1.00x to 4.4x, if 8 to 512 warps per SM share the L1, 5 steps. Cure: neighbouring
  sparse.cu:5: x[column[j]]: 1 sector per access, as few as possible: 1.00x, 5 steps.
  $ gpufx pattern --arch sm_90 --file sparse.cu:6 --block 32 i=threadIdx.y 2>&1 | grep gpufx:
  gpufx: i has a value of its own: the one given is not used

Methods, operators and templates of classes are followed; steps of JSON name their access; a loop for ever ends.

  $ cat >classes.cu <<'END'
  > template <class T, int N> struct Tile {
  >     T data[N][N];
  >     __device__ T &operator()(int row, int column) { return data[row][column]; }
  >     __device__ T get(int row, int column) const { return this->data[row][column]; }
  > };
  > struct View { float *p; int pitch; __device__ float &at(int row, int column) const { return p[row * pitch + column]; } };
  > __device__ int counter;
  > template <class T> __global__ void move(View from, View to, const int4 *list) {
  >     __shared__ Tile<float, 32> tile;
  >     __shared__ int next;
  >     int4 v = list[threadIdx.x];
  >     for (;;) {
  >         next = atomicAdd(&counter, 1);
  >         if (next >= 9) break;
  >         tile(threadIdx.y, threadIdx.x) = from.at(threadIdx.y, threadIdx.x);
  >         to.at(__brev(threadIdx.x) >> 27, v.y) = tile.get(threadIdx.x, threadIdx.y);
  >     }
  > }
  > END
  $ gpufx pattern -q --arch sm_90 --file classes.cu --block 32,8 T=float from.pitch=64 to.pitch=96 2>/dev/null
  classes.cu:4: this->data[row][column]: 32-way bank conflict: 32.0x. Cure: float tile.data[32][33] (1.00x)
  classes.cu:11: list[threadIdx.x] (field y): 16 sectors per access instead of 4: L1 4.0x, L2 3.9x, DRAM 3.4x. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x)
  classes.cu:16: to.at(__brev(threadIdx.x) >> 27, v.y): not judged, since its address at line 16, column 9 is not known: list[threadIdx.x] is read from memory (line 11, column 14): give
    'list[threadIdx.x]=VALUE'
  classes.cu:12: rounds of the loop: not judged, from the second on, since its end is not known: next is read from memory (line 14, column 13): give 'next=VALUE'
  classes.cu:13: atomicAdd(&counter, 1): 1 sector per access, as few as possible, which other threads update, too, and waits for them (gpufx ask contention) are not counted: at least 1.00x.
  classes.cu:13: next (store): no bank conflict: 1.00x.
  classes.cu:14: next (load): no bank conflict: 1.00x.
  classes.cu:15: from.at(threadIdx.y, threadIdx.x): 4 sectors per access, as few as possible: 1.00x.
  classes.cu:15: tile(threadIdx.y, threadIdx.x): no bank conflict: 1.00x.
  $ gpufx pattern --arch sm_90 --file classes.cu --block 32,8 T=float from.pitch=64 to.pitch=96 next=3 v.y=0 --json | grep -o '"id":"step 100[^,]*","access":"t[^,]*","line":[0-9]*'
  gpufx: rounds of the loop: not judged, from number 101 on: without an end, or too many
  gpufx: judged: warp 0 of 8; --fail-on judges every warp
  gpufx: atomicAdd(&counter, 1): nvcc reduces the values of a warp first (gpufx ask warp reduction), and one lane does the atomic
  "id":"step 100 of 100","access":"this->data[row][column]","line":4

Lines as a program has them: libclang reads them, and the warp runs them. (More are in public_patterns.txt.)

  $ code() { gpufx pattern --arch sm_90 --code "$@" 2>&1 | sed -n '/^$/q;/^[a-z]* [a-z]*, /q;/^pattern /q;s/ Cure.*//;p'; }
  $ mixed='#define N 8
  > __device__ int mixed(int row, int column) { return column ^ row; }
  > __global__ void k(float *in, float *out, int n) {
  >     __shared__ float s[N][N];
  >     const unsigned row = threadIdx.x / N, column = threadIdx.x % N;
  >     if (row >= n) return;
  >     s[row][mixed(row, column)] = in[threadIdx.x];
  >     __syncthreads();
  >     for (int t = 0; t < 2; t++) out[threadIdx.x] += s[column][row] * sizeof(float);
  > }'; export mixed
  $ code '#define COPY(to, from) asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from))
  > __shared__ float s[128]; float *g; COPY((unsigned)__cvta_generic_to_shared(&s[tid * 4]), &g[tid * 8]);'
  COPY((unsigned)__cvta_generic_to_shared(&s[tid * 4]), &g[tid * 8]) (load): 32 sectors per access instead of 16: L2 2.0x, DRAM 2.0x.
    DRAM 1.00x)
  COPY((unsigned)__cvta_generic_to_shared(&s[tid * 4]), &g[tid * 8]) (store): no bank conflict: 1.00x.
  $ verdicts --arch sm_90 <<'END'
  > 2-way bank conflict: 2.0x. Cure: unsigned char s[32][36] (1.00x)|--block 32 --code '__shared__ unsigned char s[32][33]; y = s[threadIdx.x][5];'
  > wmma::load_matrix_sync(a, s, 16): 2-way bank conflict: 2.0x. Cure: half s[16][24], ld 24 (1.00x); wmma::load_matrix_sync(a, t, 24): no bank conflict: 1.00x.|--code '__global__ void w() { using namespace nvcuda; __shared__ half s[256], t[384]; wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a; wmma::load_matrix_sync(a, s, 16); wmma::load_matrix_sync(a, t, 24); }'
  > in[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.; s[row][mixed(row, column)]: no bank conflict: 1.00x.; out[threadIdx.x] (load): 4 sectors per access, as few as possible: 1.00x, 2 steps.; s[column][row]: 2-way bank conflict: 2.0x, 2 steps.; out[threadIdx.x] (store): 4 sectors per access, as few as possible: 1.00x, 2 steps.|--code "$mixed" --block 64
  > gpufx: --code: *reinterpret_cast<const float4 *>(&t[lane / 16][lane % 16 * 4]): lane 16: an access of 16 bytes at offset 260, which is not a multiple of 16|--code '__shared__ float t[16][65]; v = *reinterpret_cast<const float4 *>(&t[lane / 16][lane % 16 * 4]);'
  > 4 sectors per access, as few as possible: 1.00x.|--code 'const uchar4 *__restrict__ a; q = a[tid];'
  > 24 sectors per access, as few as possible: 1.00x, 3 instructions.|--code 'double3 *a; q = a[tid];'
  > atomicAdd(&h[min(threadIdx.x, 7)], 2): 25 steps instead of 1, where lanes meet in a bank, 25 lanes on one word: 25.0x. Cure: combine what a warp adds to one word (shuffles, of integers __reduce_*_sync), then one atomic.; atomicCAS(&h[(int)threadIdx.x], 0, 1): no two lanes meet in a bank: 1.00x.|--code '__shared__ int h[256]; atomicAdd(&h[min(threadIdx.x, 7)], 2); int before = atomicCAS(&h[(int)threadIdx.x], 0, 1);'
  > 32 steps instead of 1, where lanes meet in a bank, 32 lanes on one word: 32.0x. No padding|--code '__shared__ int h[2]; atomicCAS(&h[0], 0, 1);'
  > atomicAdd(&h[0], 1u): no bank conflict, ATOMS.POPC.INC counts the lanes of a word at once (it adds 1, result unused: gpufx ask histogram): 1.00x.; atomicAdd(&h[lane % 16 * 32], 1): 16-way bank conflict: 16.0x. Cure: 1 unused unsigned int element (4 bytes) after every 32, index i + i / 32 (1.00x); atomicInc(&h[2], ~0u): no bank; atomicSub(&h[3], 1): no two lanes meet; atomicAdd(&h[4], 1): no two lanes meet; atomicAdd(&h[5], n): no two lanes meet|--code '__shared__ unsigned h[512]; atomicAdd(&h[0], 1u); atomicAdd(&h[lane % 16 * 32], 1); atomicInc(&h[2], ~0u); atomicSub(&h[3], 1); v = atomicAdd(&h[4], 1); atomicAdd(&h[5], n);' n=1
  > atomicExch(&f[lane], 1.0f): no two lanes meet; atomicCAS(&u[lane], 0, 1): no two lanes meet; atomicAdd(&g[lane], 1.0f): 4 sectors; atomicAdd(&f[lane], 1.0f): not judged, since it compiles to a compare-and-swap loop: `gpufx plot h200 --probe=atomics` has its cost; atomicMax(&u[lane], 1): not judged|--code '__shared__ float f[32]; __shared__ unsigned long long u[32]; float *g; atomicExch(&f[lane], 1.0f); atomicCAS(&u[lane], 0, 1); atomicAdd(&g[lane], 1.0f); atomicAdd(&f[lane], 1.0f); atomicMax(&u[lane], 1);'
  > data[lane]: 4 sectors; atomicAdd(&h[data[lane]], 2): 32 steps instead of 1, where lanes meet in a bank: 32.0x. No cure is judged: the addresses follow from a value that was given.|--code '__shared__ int h[1024]; const int *data; atomicAdd(&h[data[lane]], 2);' 'data[lane]=lane*32'
  > p[3]: 32-way bank conflict: 32.0x.; reinterpret_cast<float2 *>(s)[lane]: no bank conflict: 1.00x.|--code 'extern __shared__ float s[]; float *p = s + threadIdx.x * 32; y = p[3]; reinterpret_cast<float2 *>(s)[lane] = z;'
  > tile[lane][1]: no bank conflict: 1.00x.; tile[j][0]: no bank conflict: 1.00x.|--code '__shared__ float tile[32][33]; out[row] = tile[lane][1]; if (int j = lane * 2; j < n) tile[j][0] = 1;' n=32
  > r (load): 2-way bank conflict: 2.0x, 2 steps.; r (store): 2-way bank conflict: 2.0x, 2 steps.|--code '__shared__ int s[64]; for (int i = 0; i < 9; i++) { if (i == 1) continue; if (i > 2) break; int &r = s[lane * 2]; r += i; }'
  > s[off[0]]: no bank conflict: 1.00x.; s[off[1] + lane]: no bank conflict: 1.00x.|--code 'int off[] = {0, 64}; __shared__ half s[9999]; switch (lane / 16) { case 0: y = s[off[0]]; break; default: y = s[off[1] + lane]; }'
  > 8-way bank conflict: 8.0x.|--code '__shared__ half a[16][64]; unsigned p = __cvta_generic_to_shared(&a[lane % 16][0]); asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(p));'
  > __pipeline_memcpy_async(&s[tid][0], &g[tid], 4) (store): 32-way bank conflict: 32.0x. Cure: float s[32][33] (1.00x)|--code '__shared__ float s[32][32]; float *g; __pipeline_memcpy_async(&s[tid][0], &g[tid], 4);'
  > o[threadIdx.x]: 4 sectors; s[threadIdx.x % 2][0]: not judged, since its address at column 88 is not known: the size of float[N + (M ? 1 : 0)] is not known (column 88): give N=VALUE, M=VALUE|--code '__global__ void k(float *o) { __shared__ float s[2][N + (M ? 1 : 0)]; o[threadIdx.x] = s[threadIdx.x % 2][0]; }'
  > cp_async_cg_16(&s[tid * 4], &g[tid * 4]) (store): no bank conflict: 1.00x.; cp_async_cg_16(&s[tid * 4], &g[tid * 4]) (load): 16 sectors per access, as few as possible: 1.00x.|--code '__shared__ float s[128]; float *g; cp_async_cg_16(&s[tid * 4], &g[tid * 4]);'
  > 2-way bank conflict: 2.0x.|--code 'namespace cg = cooperative_groups; auto b = cg::this_thread_block(); __shared__ int s[99]; i = b.thread_rank() + 1; y = s[(i + 1) * 2];'
  > No bank conflict: 1.00x, 32 steps.|--code '__shared__ float tile[32][33]; tile[lane][t]' t=0:31
  > 4 sectors per access, as few as possible: 1.00x.|--code 'const float *in; auto idx = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x; y = in[idx];'
  > idx[lane]: 4 sectors per access, as few as possible: 1.00x.; a[idx[lane]]: not judged, since its address at column 25 is not known: idx[lane] is read from memory (column 27): give 'idx[lane]=VALUE'|--code 'int *idx; float *a; y = a[idx[lane]];'
  > a[k]: 1 sector per access, as few as possible (all lanes at one address): 1.00x.; rounds of 'k < K': not judged, from the second on, since the end at column 27 is not known: K has no value (column 31): give K=VALUE|--code 'float *a; for (int k = 0; k < K; k++) y += a[k];'
  > data[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.; h[data[threadIdx.x]]: 8-way bank conflict: 8.0x. No cure is judged: the addresses follow from a value that was given.|--code 'int *data; __shared__ int h[256]; y = h[data[threadIdx.x]];' 'data[threadIdx.x]=threadIdx.x*8'
  > 16-way bank conflict: 16.0x, 16 steps. nvcc makes one access of 8 bytes of neighbours of 4. Cure: float s.B[32][34] (1.00x)|--code 'struct S { float A[2]; float B[32][32]; }; __shared__ S s; v = s.B[lane][t];' t=0:31
  > 8-way bank conflict: 8.0x. Cure: half s.V[2][64][72] (1.00x)|--code 'struct S { union { half K[64][64], Q[9]; }; half V[2][64][64]; }; extern __shared__ char raw[]; S &s = *(S *)raw; ldmatrix_x4(&s.V[1][lane % 16][lane / 16 * 8]);'
  > u.A[lane]: no bank conflict: 1.00x.; u.B[lane][1]: 4-way bank conflict: 4.0x. Cure: float u.B[32][5] (1.00x)|--code '__shared__ union { float A[32]; float B[32][4]; } u; y = u.A[lane]; v = u.B[lane][1];'
  > s[t][i]: 8-way bank conflict: 8.0x, 16 steps. nvcc makes one access of 16 bytes of neighbours of 4. Cure: float s[64][68] (1.00x); s[i][t * 2]: 2-way bank conflict: 2.0x. No cure: the layout that is best for all accesses of the array does not help this one.|--code '__shared__ float s[64][64]; int t = threadIdx.x, i; for (i = 0; i < 64; i++) y += s[t][i]; i = 0; v = s[i][t * 2];'
  > sm[x]: 2-way bank conflict: 2.0x. Cure: 14 unused double elements (112 bytes) after every 10, index i + i / 10 * 14 (1.00x); sm[x - 1]: 2-way bank conflict: 2.0x. Cure: 14 unused double elements (112 bytes) after every 10, index i + i / 10 * 14 (1.00x); sm[x + 100]: 2-way bank conflict: 2.0x. Cure: 14 unused double elements (112 bytes) after every 10, index i + i / 10 * 14 (1.00x)|--code 'extern __shared__ double sm[]; int x = (threadIdx.y + 1) * 10 + threadIdx.x + 1; sm[x] = v; y = sm[x - 1] + sm[x + 100];' --block 8,8
  > t[k / 20][k % 20]: no bank conflict: 1.00x.; t[threadIdx.y + d / 5][threadIdx.x + d % 5]: 2-way bank conflict: 2.0x, 25 steps. Cure: float t[20][48] (1.00x), though another access of the array costs 2x|--code '__shared__ float t[20][20]; int k = threadIdx.y * 16 + threadIdx.x; t[k / 20][k % 20] = 1; for (int d = 0; d < 25; d++) y += t[threadIdx.y + d / 5][threadIdx.x + d % 5];' --block 16,16
  > 4.88 sectors per access instead of 4, which other steps use too: L1 1.1x, 8 steps.|--code 'float *in; y = in[threadIdx.x + 33*k];' k=0:7
  > in[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.; in[threadIdx.x + 2049]: 5 sectors per access instead of 4: L2 1.9x, DRAM 1.3x. No cure: a base or row at the start of a line would help here and slow down another access of the array.|--code 'float *in; y = in[threadIdx.x] + in[threadIdx.x + 2049];'
  > 9 sectors per access instead of 4: L1 2.0x, L2 2.9x, DRAM 2.3x.|--code 'float2 *in; v = in[x].x;' x=threadIdx.x+1
  > END
  $ code '__shared__ float tile[32][33]; out[row] = tile[lane][1]; const float *in; y = in[blockDim.x * blockIdx.x];' | grep gpufx
  gpufx: --block not given: judged for --block 32; another may change the verdicts
  gpufx: out is not declared: its accesses are not priced; declare it, 'float *out;'

Equal accesses are one, and what one text reads and writes is told apart; the block is that of the slowest.

  $ gpufx pattern --arch sm_90 --code 'float2 *q; float *p; int i = threadIdx.x; p[i] = q[i].x + q[i].x; q[i].x += 1;' | grep -E '^[a-z]'
  q[i].x (store): 8 sectors per access instead of 4: L2 2.5x, DRAM 1.00x or more by what the L2 joins. Cure: one array per field, lanes side by side (L2 1.00x, DRAM 1.00x)
  q[i].x (load, 3 times): 8 sectors per access instead of 4: L1 2.0x, L2 1.9x, DRAM 1.7x. Cure: one array per field, lanes side by side (L1 1.00x, L2 1.00x, DRAM 1.00x)
  p[i]: 4 sectors per access, as few as possible: 1.00x.
  loses most time, q[i].x (store):
  global store, 4 bytes per lane, 32 of 32 lanes active, sm_90
  lane 1 is 8 bytes = 2 words after lane 0

What is missing is written out.

  $ refused gpufx pattern --arch sm_90 <<'END'
  > --code: a is not declared, so its accesses are not priced: write in front 'float *a;', with the types that you have|--code 'x = a[threadIdx.x*2];'
  > --code: out and in are not declared, so their accesses are not priced: write in front 'float *out; float *in;', with the types that you have|--code 'out[x*n+y] = in[y*n+x];'
  > write in front 'uchar3 *img;', with the types that you have|--code 'uchar3 p = img[y*w+x];' w=100 y=3
  > END

What lies before a pointer may be its array's, as where the host passes `in + radius`.

  $ code 'float *a; int i = blockIdx.x * blockDim.x + threadIdx.x; x = a[i - 1];' --block 64 | grep gpufx
  gpufx: a[i - 1]: lane 0 accesses a 4 bytes before its start: judged as if a pointed into an array; blockIdx.x=1 gives another block

Of a loop of too many rounds the first ones are judged; what it sets is not known behind it.

  $ code 'const float *a; float *b; int2 n = {0, 0}; for (int k = 0; k < 4096; k++) { y += a[k * k % 7]; n.x += 2; } b[threadIdx.x] = y; b[n.x] = y;'
  b[n.x]: not judged, since its address at column 128 is not known: it is set by a loop whose last rounds are left out (column 44)
  a[k * k % 7]: 1 sector per access, as few as possible (all lanes at one address): 1.00x, 1024 steps.
  b[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.
  gpufx: judged: of loops with too many rounds the first: 1024 of 'k < 4096' at column 60

A gate passes over rounds and lanes that can't differ from others; where they may, and are too many, it is open.

  $ rounds='__shared__ float s[2112]; float *o; int i = threadIdx.x; for (int k = 0; k < 3000; k++)'
  $ arms='__shared__ float s[1056]; float *o; int i = threadIdx.x;'; export rounds arms
  $ verdicts --arch sm_90 --block 32 --fail-on "'ways>1,sectors>1x'" <<'END'
  > 4 sectors per access, as few as possible: 1.00x, 4 of 3000 steps judged.|--code "$rounds o[k * 32 + i] = 0;"
  > gpufx: --fail-on sectors>1x is met: o[k < 2999 ? k * 32 + i : i * 32], step 3000 has 8x sectors, as few as possible being 1x|--code "$rounds o[k < 2999 ? k * 32 + i : i * 32] = 0;"
  > gpufx: --fail-on sectors>1x is met: o[k == 1717 ? i * 32 : i], step 1718 has 8x sectors, as few as possible being 1x|--code "$rounds o[k == 1717 ? i * 32 : i] = 0;"
  > No bank conflict: 1.00x, 9 of 3000 steps judged.|--code "$rounds s[k % 3 * 32 + i] = 0;"
  > gpufx: --fail-on ways>1 is met: s[(k & 1) * 1056 + i * (k >= i + 2900 ? 32 : 33)], step 2932 has 32 ways|--code "$rounds s[(k & 1) * 1056 + i * (k >= i + 2900 ? 32 : 33)] = 0;"
  > gpufx: --fail-on sectors>1x is met: o[k + i], step 2 has 1.25x sectors, as few as possible being 1x|--code "$rounds o[k + i] = 0;"
  > gpufx: --fail-on can't be decided: of 'k < 3000' at column 74 2048 rounds are judged, and others may differ: give values with fewer rounds; 4 sectors per access, as few as possible: 1.00x, 2048 steps.|--code "$rounds o[k * k % 7 * 32 + i] = 0;"
  > gpufx: --fail-on sectors>1x is met: o[k * 64 + j == 4050 ? i * 32 : k * 64 + j * 32 + i], step 64.19 has 8x sectors, as few as possible being 1x|--code "$rounds for (int j = 0; j < 64; j++) o[k * 64 + j == 4050 ? i * 32 : k * 64 + j * 32 + i] = 0;"
  > END
  $ gpufx pattern --block 16,16 --fail-on 'ways>1' --arch sm_90 M=1000 gridDim.x=63 gridDim.y=63 --code '__global__ void gemm(const float *A, const float *B, float *C, int M) { __shared__ float s[2][16][16]; int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y; float z = 0; for (int t = 0; t < (M + 15) / 16; t++) { s[0][y][x] = row < M && t * 16 + x < M ? A[row * M + t * 16 + x] : 0; s[1][y][x] = col < M && t * 16 + y < M ? B[(t * 16 + y) * M + col] : 0; __syncthreads(); for (int k = 0; k < 16; k++) z += s[0][y][k] * s[1][k][x]; __syncthreads(); } if (row < M && col < M) C[row * M + col] = z; }' >/dev/null 2>&1

Nothing hides from a gate behind another name, an array as a parameter, a quotient that is no integer, or in a block that
some lanes alone notice.

  $ verdicts --arch sm_90 --block 32 --fail-on "'ways>1,sectors>1x'" <<'END'
  > gpufx: --fail-on ways>1 is met: s[threadIdx.x * m] has 8 ways|--code '__device__ void grow(int &x) { for (int i = 0; i < 7; i++) x += 1; } __global__ void k(float *o) { __shared__ float s[256]; int m = 1; grow(m); s[threadIdx.x * m] = 0; }'
  > gpufx: --fail-on ways>1 is met: s[i * m] has 2 ways|--code "$arms int m = 1, z = 0; (i < 99 ? m : z) = 2; (m += 1) -= 1; s[i * m] = 0;"
  > gpufx: --fail-on ways>1 is met: s[threadIdx.x][0] has 32 ways; gpufx: --fail-on sectors>1x is met: o[x[0] * threadIdx.x] has 8x sectors|--code '__device__ void put(float s[][32], int x[1]) { x[0] = 8; s[threadIdx.x][0] = 0; } __global__ void k(float o[]) { __shared__ float s[32][32]; int x[1] = {1}; put(s, x); o[x[0] * threadIdx.x] = 0; }'
  > gpufx: --fail-on can't be decided: s[i * (int)(h / 2 * 4)]|--code "$arms float h = 3; s[i * (int)(h / 2 * 4)] = 0;"
  > a[threadIdx.x] (fields x, y)|--code '__device__ float sum(const float (&v)[4]) { float x = 0; for (int i = 0; i < 2; i++) x += v[i]; return x; } __global__ void k(float *o, float4 *a) { float f[4]; *(float4 *)f = a[threadIdx.x]; o[threadIdx.x] = sum(f); }'
  > warp 0 of blockIdx.x=3: 8 sectors|--code '__device__ void put(float *o, int m) { o[blockIdx.x * 64 + threadIdx.x + m * blockIdx.x] = 0; } __global__ void k(float *o) { put(o, min(threadIdx.x, 31 - threadIdx.x)); }'
  > warp 0 of blockIdx.x=1: 32 sectors|--code "$arms int x = i; for (int k = 0;; k++) { x += blockIdx.x * 64; if (k >= min(i, 31 - i)) break; } o[x] = 0;"
  > warp 0 of blockIdx.x=1: 6 sectors|--code '__device__ int far(int t) { return t > 3 && t < 9 ? blockIdx.x * 64 : 0; } __global__ void k(float *o) { o[threadIdx.x + far(threadIdx.x)] = 0; }'
  > warp 0 of blockIdx.x=35: 2-way|--code "$arms s[i * (1 + (blockIdx.x / 7 == 5))] = 0;" gridDim.x=64
  > step 3 of 3, warp 0 of blockIdx.x=9: 2-way|--code "$arms int x = 0, y = 0; for (int k = 0; k < 3; k++) { s[i * (1 + (y == 9))] = 0; y += x; x += blockIdx.x; }" gridDim.x=16
  > END

Both arms of a condition that is not known are judged, and one inside an arm, too; the gate is open where one needs a value.

  $ verdicts --arch sm_90 --block 32 --fail-on "'ways>1,sectors>1x'" <<'END'
  > gpufx: --fail-on ways>1 is met: s[i * (pad ? 33 : 32)], warp 0 where 'pad' is false has 32 ways|--code "$arms s[i * (pad ? 33 : 32)] = 0;"
  > No bank conflict: 1.00x.|--code "$arms s[i * (pad ? 33 : 32)] = 0;" pad=1
  > gpufx: --fail-on sectors>1x is met: o[i * m], warp 0 where 'a' is false and 'b' is false has 8x sectors|--code "$arms int m = a ? 1 : b ? 1 : 32; o[i * m] = 0;"
  > gpufx: --fail-on sectors>1x is met: o[i * m], warp 0 where 'o[0]' is false and 'o[1]' is false has 8x|--code "$arms int m = 32; if (o[0]) m = 1; if (o[1]) m = 1; o[i * m] = 0;"
  > gpufx: --fail-on can't be decided: not judged: what depends on how often 'o[k] > 0' is true|--code "$arms int c = 0; for (int k = 0; k < 5; k++) if (o[k] > 0) c++; o[c == 2 ? i * 8 : i] = 0;"
  > gpufx: --fail-on can't be decided: o[i < n ? i : n - 1] where 'i < n' is false: not judged, since its address at column 58 is not known: n has no value (column 72): give n=VALUE|--code "$arms o[i < n ? i : n - 1] = 0;"
  > o[i] (load): 4 sectors|--code "$arms float v = i < n ? o[i] : 0; if (v > 0) o[i] = v; else o[i] = -v;"
  > gpufx: --fail-on can't be decided: no warp judged reaches o[i]|--code "$arms switch (m) { case 0: o[i] = 0; break; default: o[i * 32] = 0; }"
  > END

A base that aligns one row of a warp alone is no cure; other steps use what the lanes of a chunk skip; a literal has its
value.

  $ gpufx pattern -q --arch sm_90 --block 16,16 --code 'float *a; a[threadIdx.y * 1026 + threadIdx.x + 1] = 0;' 2>/dev/null
  6 sectors per access instead of 4: L2 2.0x, DRAM 1.00x to 2.0x by what the L2 joins.
  $ gpufx pattern --arch sm_90 --code 'float *a; for (int k = 0; k < 16; k++) y += a[tid * 16 + k];' --block 256 | grep -o 'cure .*warp;'
  cure       neighbouring lanes access neighbouring elements: of a loop each step takes the next ones of the warp;
  $ code '__shared__ float s[64]; int j = lane * 1.5f; y = s[j];' 2>&1 | grep -o '1.5f.*'
  1.5f is not evaluated (column 40): give j=VALUE

A tile that lacks __shared__ is each thread's own, or is taken as shared where nothing in the text has a space. Its own
has no registers unless nvcc knows each index (13.0, sm_90: of these kernels l has 65 LDL and STL, r none).

  $ cat >local.cu <<'END'
  > struct F { float x[8]; }; __device__ float pick(const float (&v)[4], int i) { return v[i]; }
  > __global__ void l(const float *g, float *o, int m) { float a[64]; for (int i = 0; i < 64; ++i) a[(i * threadIdx.x) & 63] = g[i * 32 + threadIdx.x]; o[threadIdx.x] = a[m]; }
  > __global__ void r(const float *g, float *o, int n) { float a[4], b[4][4]; F f; int at[4] = {3, 2, 1, 0}; if (threadIdx.x < n) for (int i = 0; i < 4; ++i) { a[i] = g[i * 32 + threadIdx.x]; f.x[i + 4] = a[at[i]]; } for (int k = 0; k < n; k += 4) for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) b[i][j] = a[i] * a[j] + pick(a, 2); o[threadIdx.x] = b[1][2] + f.x[5]; }
  > END
  $ gpufx pattern --arch sm_90 --file local.cu:l --block 256 m=3 -q --fail-on 'ways>1,sectors>1x' >/dev/null
  gpufx: --fail-on can't be decided: a[(i * threadIdx.x) & 63]: not judged, since a (no __shared__?) may lie in local memory: its index is no constant; a[m]: not judged, since a (no __shared__?) may lie in local memory: its index is no constant
  [3]
  $ gpufx pattern --arch sm_90 --file local.cu:r --block 256 n=256 -q --fail-on 'ways>1,sectors>1x' >/dev/null
  $ code 'float *o, tile[4]; for (int k = 0; k < 2; k++) o[threadIdx.x] = tile[k];'
  4 sectors per access, as few as possible: 1.00x, 2 steps.
  $ code 'float tile[32][32]; y = tile[threadIdx.x][0];'
  32-way bank conflict: 32.0x.
  gpufx: tile: taken as __shared__

Rounds that most lanes pass by are no conflict.

  $ code '__shared__ int s[32]; for (int k = 1; k < 32; k *= 2) if (threadIdx.x % (2 * k) == 0) s[threadIdx.x] = k;'
  No bank conflict: 1.00x, 5 steps.
  gpufx: 'threadIdx.x % (2 * k) == 0' at line 1: branch by lane, 16, 8, 4, 2, 1 of 32 lanes active; what divergence costs is not priced (gpufx ask divergence)

A line of a source file, with what it needs of its function.

  $ cat >app.cu <<'END'
  > #include <cuda_runtime.h>
  > #include "missing.h"
  > namespace app {
  > template <typename T, int TILE = 32>
  > __global__ void transpose(T *out, const T *__restrict__ in, int width, int height) {
  >     __shared__ T tile[TILE][TILE];
  >     int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  >     for (int j = 0; j < TILE && y + j < height; j += 8) {
  >         tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  >     }
  >     __syncthreads();
  >     for (int j = 0; j < rounds; j++) {
  >         out[x] += j;
  >     }
  >     out[y * height + x] =
  >         tile[threadIdx.x][threadIdx.y];
  > }
  > }
  > int main() {
  >     app::transpose<float><<<dim3(1, 1), dim3(32, 8)>>>(a, b, 1024, 1024);
  > }
  > END
  $ printf '%s\n' '__global__ void k(half *o) { __shared__ half s[32][64];' '*(float4 *)&s[threadIdx.x / 8][threadIdx.x % 8 * 8] = z;' 'o[0] = s[threadIdx.x][0]; }' >beside.cu
  $ gpufx pattern -q --block 32 --arch sm_90 --file beside.cu:3 | grep s.thr
  beside.cu:3: s[threadIdx.x][0]: 32-way bank conflict: 32.0x. Cure: half s[32][72] (4.00x), in multiples of 16 bytes, which keep another access aligned
  $ line() { at=$1; shift; gpufx pattern --file "app.cu$at" --block 32,8 --arch sm_90 -DT=float width=1024 "$@" 2>&1 | sed -n '/^$/q;/ judged: /d;/ launches it/d;/^gpufx: missing.h/d;p'; }
  $ line :9; line :16 height=1024; line :13 rounds=2; line :13; line :14; line :20; line :99; line '' height=1024 rounds=1
  app.cu:9: in[(y + j) * width + x]: 4 sectors per access, as few as possible: 1.00x, 4 steps.
  app.cu:9: tile[threadIdx.y + j][threadIdx.x]: no bank conflict: 1.00x, 4 steps.
  app.cu:16: tile[threadIdx.x][threadIdx.y]: 32-way bank conflict: 32.0x. Cure: T tile[32][33] (1.00x)
  app.cu:15: out[y * height + x]: 4 sectors per access, as few as possible: 1.00x.
  app.cu:13: out[x] (load): 4 sectors per access, as few as possible: 1.00x, 2 steps.
  app.cu:13: out[x] (store): 4 sectors per access, as few as possible: 1.00x, 2 steps.
  app.cu:12: rounds of 'j < rounds': not judged, from the second on, since the end at line 12, column 21 is not known: rounds has no value (line 12, column 25): give rounds=VALUE
  app.cu:13: out[x] (load): 4 sectors per access, as few as possible: 1.00x.
  app.cu:13: out[x] (store): 4 sectors per access, as few as possible: 1.00x.
  gpufx: --file app.cu:14: missing.h not found: CPATH=FOLDER in front names its folder; rounds of 'j < rounds': not judged, from the second on, since the end at line 12, column 21 is not known: rounds has no value (line 12, column 25): give rounds=VALUE
  gpufx: --file app.cu:20: missing.h not found: CPATH=FOLDER in front names its folder; 'transpose' does not name a template but is followed by template arguments at line 20, column 10
  gpufx: --file app.cu:99: the file has 22 lines
  app.cu:16: tile[threadIdx.x][threadIdx.y]: 32-way bank conflict: 32.0x. Cure: T tile[32][33] (1.00x)
  app.cu:9: in[(y + j) * width + x]: 4 sectors per access, as few as possible: 1.00x, 4 steps.
  app.cu:9: tile[threadIdx.y + j][threadIdx.x]: no bank conflict: 1.00x, 4 steps.
  app.cu:13: out[x] (load): 4 sectors per access, as few as possible: 1.00x.
  app.cu:13: out[x] (store): 4 sectors per access, as few as possible: 1.00x.
  app.cu:15: out[y * height + x]: 4 sectors per access, as few as possible: 1.00x.
  $ sed 's/transpose/other/; /include/d' app.cu >two.cu; cat app.cu >>two.cu
  $ cat >kernels.cu <<'END'
  > __global__ void one(float *out, int n) { __shared__ float t[32][32]; out[n + threadIdx.x] = t[threadIdx.x][0]; }
  > __global__ void two(float *out) { __shared__ float t[32][33]; out[threadIdx.x * 4] = t[threadIdx.x][0]; }
  > template <class T> __global__ void three(T *out) { out[threadIdx.x] = 0; }
  > __global__ void warm_up() {}
  > END
  $ gpufx pattern -q --file kernels.cu --block 32 --arch sm_90 T=float --fail-on 'ways>32,sectors>16'
  kernels.cu:1: one: t[threadIdx.x][0]: 32-way bank conflict: 32.0x. Cure: float t[32][33] (1.00x)
  kernels.cu:2: two: out[threadIdx.x * 4]: 16 sectors per access instead of 4: L2 5.0x, DRAM 1.00x or more by what the L2 joins. Cure: neighbouring lanes access neighbouring elements (L2 1.00x, DRAM
    1.00x)
  kernels.cu:1: one: out[n + threadIdx.x]: not judged, since its address at line 1, column 70 is not known: n has no value (line 1, column 74): give n=VALUE
  kernels.cu:2: two: t[threadIdx.x][0]: no bank conflict: 1.00x.
  kernels.cu:3: three: out[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.
  gpufx: --fail-on can't be decided: one: out[n + threadIdx.x]: not judged, since its address at line 1, column 70 is not known: n has no value (line 1, column 74): give n=VALUE
  [3]
  $ gpufx pattern --file kernels.cu --block 32 --arch sm_90 T=float n=32 --fail-on 'ways>1' --format github
  ::error file=kernels.cu,line=1,title=gpufx pattern::one: t[threadIdx.x][0]: 32-way bank conflict: 32.0x. Cure: float t[32][33] (1.00x)
  gpufx: warm_up: no access to memory
  gpufx: --fail-on ways>1 is met: kernels.cu:1: one: t[threadIdx.x][0] has 32 ways
  [1]
  $ gpufx pattern -q --file two.cu:other --block 32,8 --arch sm_90 T=float width=1024 height=32 rounds=1 2>said | head -n 1; cat said
  two.cu:14: tile[threadIdx.x][threadIdx.y]: 32-way bank conflict: 32.0x. Cure: T tile[32][33] (1.00x)
  gpufx: judged: warp 0 of 8; --fail-on judges every warp

Types of few bits are types of their own. Without a word, clang leaves out what uses a declaration with an error: a gate
does not pass on it.

  $ cat >types.cu <<'END'
  > __device__ float f(half v) { return __half2float(v); }
  > __device__ float f(half2 v) { return __low2float(v); }
  > __device__ float f(__nv_bfloat16 v) { return __bfloat162float(v); }
  > __device__ float f(__nv_bfloat162 v) { return __low2float(v); }
  > __device__ float f(__nv_fp8_e4m3 v) { return float(v); }
  > __device__ float f(__nv_fp8_e5m2 v) { return float(v); }
  > __device__ float g(int a) { return a; }
  > __device__ float g(int b) { return b; }
  > #define ODD y[9 * threadIdx.x] = g(2)
  > #define AT(i) y[i] = g(i)
  > __global__ void pairs(const half2 *q, float *y) {
  >     __shared__ float s[32][32];
  >     s[threadIdx.x][0] = f(q[threadIdx.x * 32]);
  > }
  > __global__ void to(const __nv_fp8x4_e4m3 *q, float4 *y) { y[threadIdx.x] = float4(q[threadIdx.x * 2]); }
  > __global__ void from(const float4 *q, __nv_fp8x4_e4m3 *y) { y[threadIdx.x * 2] = __nv_fp8x4_e4m3(q[threadIdx.x]); }
  > __global__ void both(__nv_bfloat16 a, __nv_bfloat162 *y) { y[threadIdx.x * 2] = __nv_bfloat162(a, a); }
  > __global__ void bytes(const __nv_fp8_e5m2 *q, half2 *y) { y[threadIdx.x] = half2(f(q[threadIdx.x * 64]), 1); }
  > __global__ void twice(float *y) { y[threadIdx.x] = g(2); }
  > __global__ void one(float *y) { y[threadIdx.x] = 0; if (threadIdx.x < 9) { y[9 * threadIdx.x] = g(2); } }
  > __global__ void odd(float *y) { y[threadIdx.x] = 0; ODD; }
  > __global__ void at(float *y) { y[threadIdx.x] = 0; AT(9 * threadIdx.x); }
  > __global__ void fine(float *y) { float *z = y; z[threadIdx.x] = 0; }
  > END
  $ verdicts --arch sm_90 --block 32 --fail-on "'sectors>1x,ways>1'" <<'END'
  > gpufx: --fail-on sectors>1x is met: q[threadIdx.x * 32] has 8x sectors|--file types.cu:pairs
  > gpufx: --fail-on sectors>1x is met: q[threadIdx.x * 2] has 2x sectors|--file types.cu:to
  > gpufx: --fail-on sectors>1x is met: y[threadIdx.x * 2] has 2x sectors|--file types.cu:from
  > gpufx: --fail-on sectors>1x is met: y[threadIdx.x * 2] has 2x sectors|--file types.cu:both
  > gpufx: --fail-on sectors>1x is met: q[threadIdx.x * 64] has 32x sectors|--file types.cu:bytes
  > gpufx: --fail-on can't be decided: y[threadIdx.x] = g(2); Not judged, since clang leaves it out: redefinition of 'g' at line 8, column 18|--file types.cu:twice
  > gpufx: --fail-on can't be decided: y[9 * threadIdx.x] = g(2)|--file types.cu:one
  > gpufx: --fail-on can't be decided: ODD|--file types.cu:odd
  > gpufx: --fail-on can't be decided: AT(9 * threadIdx.x)|--file types.cu:at
  > 4 sectors per access, as few as possible: 1.00x.|--file types.cu:fine
  > gpufx: --fail-on ways>1 is met: s[threadIdx.x][0] has 8 ways|--code '__shared__ alignas(1024) int4 s[32][8]; s[threadIdx.x][0] = v;'
  > gpufx: --fail-on ways>1 is met: raw[threadIdx.x * 8] has 2 ways|--code 'extern __shared__ alignas(128) unsigned char raw[]; raw[threadIdx.x * 8] = 1;'
  > gpufx: --fail-on ways>1 is met; 8-way bank conflict: 8.0x. Cure: half s[][136] (1.00x)|--code 'extern __shared__ half s[][128]; v = *(float4 *)&s[threadIdx.x][0];'
  > 1 sector per access, as few as possible, 32 lanes on one word, which other threads update, too, and waits for them (gpufx ask contention) are not counted: at least L2 6.4x. Cure: combine what a warp adds to one word (shuffles, of integers __reduce_*_sync), then one atomic.|--code 'float *o; atomicAdd(o, v);'
  > END

As annotations of GitHub Actions: what meets a condition, without one what costs more than the ideal.

  $ for gate in '' '--fail-on sectors>1x' '--fail-on ways>1'; do gpufx pattern --file app.cu:16 --block 32,8 --arch sm_90 T=float height=1024 --format github $gate 2>/dev/null; done
  ::warning file=app.cu,line=16,title=gpufx pattern::tile[threadIdx.x][threadIdx.y]: 32-way bank conflict: 32.0x. Cure: T tile[32][33] (1.00x)
  ::warning file=app.cu,line=5,title=gpufx pattern::--fail-on can't be decided: missing.h not found: CPATH=FOLDER in front names its folder
  ::error file=app.cu,line=16,title=gpufx pattern::tile[threadIdx.x][threadIdx.y]: 32-way bank conflict: 32.0x. Cure: T tile[32][33] (1.00x)
  [1]
  $ gpufx pattern -q --file gated.cu:reduce --arch sm_90 --format github --fail-on 'ways>99' 2>/dev/null | grep fail-on
  ::warning file=gated.cu,line=1,title=gpufx pattern::--fail-on can't be decided: block 256 assumed, and verdicts depend on it: --block gives another

A name is known where the program has it: the parameter of a template, also where the line needs none, and neither a
comment, a text nor a header's name.

  $ printf '%s\n' '#include <n.h> // n' 'template <typename T> __global__ void k(float *a) { const char *s = "n"; a[threadIdx.x] = 0; }' >names.cu
  $ gpufx pattern --file names.cu:2 --arch sm_90 -q T=float
  4 sectors per access, as few as possible: 1.00x.
  gpufx: --block not given and no launch found: judged for --block 256; another may change the verdicts

What is refused: of each command a part of its one sentence, as a rule what to do.

  $ printf '%s\n' '#define _M 8' '#ifndef N' '#define N 8' '#endif' '__global__ void k(float *a) { a[threadIdx.x * N] = _M; }' >define.cu
  $ gpufx pattern -q --arch sm_90 --file define.cu -D N=1
  4 sectors per access, as few as possible: 1.00x.
  gpufx: --block not given and no launch found: judged for --block 256; another may change the verdicts
  $ gpufx pattern --arch sm_90 --block 32,32 --code 'float *a, *b; a[threadIdx.y * w + threadIdx.x] = b[threadIdx.x * n];' 2>&1 | grep -o 'no value is.*'
  no value is given of w, which warp 0 multiplies by 0 and other warps may not
  $ printf '%s\n' '#ifdef WIDE' '#define PITCH 64' '#endif' '#ifndef PITCH' '#define PITCH 33' '#endif' '#define OWN 1' '#include "pad.h"' >pitch.h
  $ printf '%s\n' '#ifdef USE_PAD' '#define P EDGE' '#else' '#define P 0' '#endif' >pad.h
  $ printf '%s\n' '#include "pitch.h"' 'template <int Q = PITCH> __global__ void k() {' '__shared__ float s[32][Q + P];' 's[threadIdx.x][0] = 0; }' >dash.cu
  $ verdicts --arch sm_90 <<'END'
  > No bank conflict: 1.00x.|--file dash.cu
  > 32-way bank conflict: 32.0x. Cure: float s[32][33] (1.00x)|--file dash.cu -D PITCH=32
  > 32-way bank conflict: 32.0x. Cure: float s[32][33] (1.00x)|--file dash.cu -D PITCH=31 USE_PAD EDGE=1
  > No bank conflict: 1.00x.|--file dash.cu -D PITCH=32 USE_PAD=1 EDGE=1
  > END
  $ head -c 9 /dev/zero >binary.cu; export chip; refused gpufx pattern --quiet <<'END'
  > a pattern is missing: give --code CODE, --expr EXPRESSION, --index EXPRESSION or --file SOURCE:LINE|
  > lane 1: '4x' is not a byte offset (a number from 0, or - for an inactive lane)|--expr 0,4x --arch sm_75
  > no lane is active; give at least one a byte offset|--expr -,- --arch sm_75
  > there are more than 32 lanes|--expr $(seq -s, 0 4 128) --arch sm_75
  > no lane is active; give at least one a byte offset|--expr 0-1 --arch sm_75
  > lane 0: the offset 4294967296 is above 2147483647|--expr '4294967296,-' --arch sm_75
  > lane 0: an access of 16 bytes at offset 4, which is not a multiple of 16, faults on the GPU (misaligned address): take a width of 4, or a base 4 bytes lower; --expr counts bytes|--space global --width 16 --expr 'lane*16 + 4'
  > faults on the GPU (misaligned address): take a width of 2; --expr|--space global --width 8 --expr 0,12,2
  > the expression has a division by zero at lane 0, t 0|--expr '4/lane*0' --arch sm_75
  > the expression 'lane*(4': a ')' is missing at column 8|--expr 'lane*(4' --arch sm_75
  > unknown name 'x' at column 1; use lane (threadIdx.x, tid) or t, or --code|--expr 'x*4' --arch sm_75
  > --width 3: an access is 1, 2, 4, 8 or 16 bytes wide|--expr '0,-' --width 3
  > --width 32: accesses of 32 bytes, of sm_100 and newer, are not modelled|--width 32 --expr lane*32 --arch sm_100
  > --space registers: 'registers' is not one of constant, shared, global|--expr '0,-' --space registers
  > --op store: constant memory can only be read|--expr '0,-' --space constant --op store
  > atomics are 4 or 8 bytes wide; an addition of 8 bytes in shared memory is a loop|--op atomic --width 16 --expr 0,16 --arch sm_75
  > spans 65540 bytes, but constant memory has 65536|--space constant --expr 0,65536 --arch sm_75
  > --arch volta: it must be an architecture, such as sm_90|--expr '0,-' --arch volta
  > a condition is ways>N, sectors>N, sectors>Nx, lines>N, lines>Nx or slowdown>N|--expr 'lane*4' --fail-on 'ways>1,words>4' --arch sm_75
  > write the name and an index for each size of the tile, such as 'tile[lane][t]'|--tile 'float[32][32]' --expr 'tile[lane]'
  > write the name and an index for each size of the tile, such as 'tile[lane][t]'|--tile 'float[32][32]' --expr 'tile[lane][3] + 1'
  > unknown name 'lan' at column 1|--tile 'float[32]' --expr 'tile[lan]'
  > --tile float: it has no size; write a C type and its sizes|--tile float --expr 'tile[lane]'
  > its type is not known here (--code takes any declaration)|--tile 'floot[3]' --expr 'tile[lane]'
  > a size is not a positive number, or the tile is too large|--tile 'float[0]' --expr 'tile[lane]'
  > a size is not a positive number, or the tile is too large|--tile 'float[99999][99999]' --expr 'tile[lane][0]'
  > a size is not a positive number, or the tile is too large|--tile 'float[lane+1]' --expr 'tile[lane]'
  > lane 3: its element is beyond the end of the tile|--tile 'float[3]' --expr 'a[lane]'
  > --tile TYPE[N]... goes with --expr ELEMENT|--tile 'float[3]'
  > threadIdx.y and .z need the size of the block: --block X,Y at column 1|--expr threadIdx.y
  > blockDim needs the size of the block: --block X,Y at column 1|--expr blockDim.x
  > --block 0: give the block size in x, y and z, such as 16,16|--expr threadIdx.y --block 0
  > --block 16,128: give the block size in x, y and z, such as 16,16, with at most 1024 threads|--expr threadIdx.y --block 16,128
  > give B,M,S of Swizzle<B,M,S>, such as 3,3,3|--swizzle 3,3 --expr lane*4
  > S is less than B|--swizzle 3,3,2 --expr lane*4
  > matrices are loaded from and stored to shared memory|--op ldmatrix --space global --expr lane*16
  > a lane of --op ldmatrix or stmatrix names a row of 16 bytes|--op ldmatrix --width 4 --expr lane*16
  > --expr and --index exclude each other: it counts bytes; leave one out|--index lane --expr lane
  > --index and --tile exclude each other: it counts elements of --width; leave one out|--index lane --tile 'float[32]'
  > --file and --expr exclude each other: the source says it for each access|--file a.cu:3 --expr lane
  > --code and --width exclude each other: the text says it for each access|--code 'float a[32]; a[lane]' --width 4
  > --code and --expr exclude each other: the text says it for each access|--code 'float a[32]; a[lane]' --expr lane
  > --arch and --device exclude each other: a chip has one architecture|--arch sm_90 --device 0 --expr lane*4
  > --arch and --archive exclude each other: a chip has one architecture|--expr 'lane*4' --archive app.cu --arch sm_75
  > 'nowhere.jsonl': no such file or folder|--expr 'lane*4' --archive nowhere.jsonl
  > a[lanee]: not judged, since its address at column 14 is not known: lanee has no value (column 16): give lanee=VALUE|--code 'float a[32]; a[lanee]'
  > expected ']' at the end|--code 'float a[32]; a[lane'
  > lane 31 of block 32, which is assumed (--block gives another, such as --block 16,16), accesses a beyond the end of the array, at byte 128, at column 18|--code 'float a[32]; y = a[lane + 1];'
  > at column 32 is not known: idx[lane] is not evaluated (column 34): give 'idx[lane]=VALUE'|--code '__constant__ float c[256]; r = c[idx[lane]];'
  > 'N=' is not NAME=VALUE or NAME=FIRST:LAST|--code 'float *a; y = a[lane];' N=
  > 't=1:2:0' is not NAME=VALUE or NAME=FIRST:LAST|--code 'float *a; y = a[lane];' t=1:2:0
  > no access to memory: give a declaration and a statement|--code 'int y = 3;'
  > 'n' is given a value, and no such name is in it|--code 'float *in; x = in[2*tid];' n=4
  > 'n=4': --expr and --index take t=FIRST:LAST alone; --code takes values of other names|--index lane n=4
  > it has at[tid]|--code 'int *at; float *a; x = a[at[tid]];' 'at[3]=0'
  > 'n' is given a value, and no such name is in it|--file names.cu:2 --arch sm_90 n=1
  > '_M' is given a value, and has its own: #define _M 8; change it there|--file define.cu _M=4
  > 'OWN' is given a value, and has its own: #define OWN 1 (pitch.h)|--file dash.cu -D OWN=2
  > 'PITCH' is given a value, and has its own: #define PITCH 64 (./pitch.h)|--file dash.cu -D WIDE PITCH=32
  > 'PITCH=banana' does not compile (use of undeclared identifier 'banana')|--file dash.cu -D PITCH=banana
  > 'PITCH' is the preprocessor's: give it one value|--file dash.cu -D PITCH=32:33
  > 's' is not NAME=VALUE|--file dash.cu -D s
  > 'USE_PADS' is given a value, and no such name is in it|--file dash.cu -D USE_PADS
  > --code takes the text itself; of a file: --file app.cu|--code @app.cu
  > x[n*lane+m] and 1 more: not judged, since values are missing: give n=VALUE, m=VALUE, k=VALUE|--code 'float *x; x[n*lane+m] = x[lane*k];'
  > declare v|--code 'struct V { int a; }; V *p; v = p[threadIdx.x];'
  > --file /dev/null: no kernel (__global__) in it|--file /dev/null --arch sm_75
  > --file binary.cu: it is not a text|--file binary.cu --arch sm_75
  > --file nowhere.cu: No such file or directory|--file nowhere.cu --arch sm_75
  > a trace has more to say: gpufx explain a.fxtrace|--file a.fxtrace --arch sm_75
  > give one line or kernel, such as app.cu:12 or app.cu:transpose|--file app.cu:4-14 --arch sm_90 T=float
  > give one line or kernel, such as app.cu:12 or app.cu:transpose|--file app.cu:0 --arch sm_90 T=float
  > no kernel has this name (transpose: line 5)|--file app.cu:absent --arch sm_90 T=float
  > 2 kernels: give one (a: line 1, b: line 1)|--code '__global__ void a(float *p) { p[0] = 0; } __global__ void b(float *p) { p[0] = 0; }'
  > tile is not declared, so its accesses are not priced: write in front '__shared__ float tile[32][32];'|--code 'tile[threadIdx.x][threadIdx.y] = 0;'
  > a shuffle uses registers: no bank conflict|--code 'v += __shfl_down_sync(~0, v, 1);'
  > tex2D<float>(t, u, 1.f): not judged, since textures and surfaces have no law|--code 'x = tex2D<float>(t, u, 1.f);'
  > unknown type name 'flaot' at column 1; did you mean float?|--code 'flaot *a; a[threadIdx.x] = 0;'
  > threadIdx.y=8: the block has 8 in y; --block gives it another size|--file app.cu:16 --block 32,8 --arch sm_90 T=float threadIdx.y=8
  > the kernel returns before any access, or passes all by: line 15|--file gated.cu:rows --block 256 --arch sm_90 cols=0
  > END
  $ gpufx pattern --expr 'lane < t ? lane*4 : -1' t=0:1 --arch sm_75 --format jsonl | grep -oE '"wavefronts":.|"distinct_words":.|"times":[^,]*' | paste -s -d ' '
  "wavefronts":0 "distinct_words":0 "times":null "wavefronts":1 "distinct_words":1 "times":1

Parts of one array of shared memory are arrays of their own, unless one reaches into another.

  $ verdicts --arch sm_90 <<'END'
  > As[threadIdx.x][0]: 32-way bank conflict: 32.0x. Cure: float As[][33] (1.00x)|--code 'extern __shared__ char pool[]; float (*As)[32] = (float (*)[32])pool; half *Bs = (half *)(pool + 4096); x = As[threadIdx.x][0]; y = Bs[threadIdx.x];'
  > As[threadIdx.x * 32]: 32-way bank conflict: 32.0x. Cure: 1 unused float element (4 bytes) after every 32, index i + i / 32|--code '__shared__ float pool[2048]; float *As = pool, *Bs = pool + 512; x = As[threadIdx.x * 32]; y = Bs[threadIdx.x];'
  > 2 sectors per access instead of 1: L2 2.0x, DRAM 1.00x to 1.4x by bytes in flight. Cure: a block 32 threads wide (--block 32,8), one row per warp (L2 1.00x|--block 16,16 --code 'float *A; x = A[threadIdx.y * 99];'
  > 2 sectors per access instead of 1: L2 2.0x, DRAM 1.00x to 1.4x by bytes in flight.|--block 16,16 --code 'float *A; x = A[(threadIdx.y * 16 + threadIdx.x) / 16 * 99];'
  > 32 sectors per access instead of 4: L1 8.0x, L2 32.9x, DRAM 23.1x.|--space global --index '(lane*66) ^ (lane/2)'
  > F4(z.s[threadIdx.x / 2][threadIdx.x % 2 * 32]): 2-way bank conflict: 2.0x. No cure: 16 unused float elements (64 bytes) after every 32, index i + i / 32 * 16 would help here and slow down another access of the array.|--block 128 -D 'F4(p)=(reinterpret_cast<float4*>(&(p))[0])' --code '__shared__ __align__(16) struct S { float s[64][68], m[64]; } z; int w = threadIdx.x / 32, l = threadIdx.x % 32; for (int c = l % 4; c < 64; c += 4) m += z.s[w * 16 + l / 4][c]; v = F4(z.s[threadIdx.x / 2][threadIdx.x % 2 * 32]);'
  > s[2 * k * tid] (load): bank conflict, 21 wavefronts instead of 7: 3.0x, 7 steps.|--block 128 --code '__shared__ float s[256]; for (int k = 1; k < 128; k *= 2) { if (2 * k * tid < 128) s[2 * k * tid] += s[2 * k * tid + k]; }'
  > 8 sectors per access instead of 4: L2 4.0x, DRAM 1.00x or more by what the L2 joins. Cure: one access of 8 bytes instead of 2, if its neighbours are accessed, too (L2|N=1024 --code 'float *C; C[(lane/4)*N + (lane%4)*2] = 0;'
  > gpufx: --code: 'N' is given a value, and has its own: constexpr int N = 32|-D N=33 --code 'constexpr int N = 32; __shared__ float t[N][N]; x = t[threadIdx.x][0];'
  > gpufx: --code: 'N' is given a value, and has its own: static constexpr int N = 32|N=33 --code 'static constexpr int N = 32; __global__ void k(float *a) { a[threadIdx.x * N] = 0; }'
  > END
  $ notes() { gpufx pattern --arch sm_90 "$@" 2>&1 | grep '^gpufx'; }
  $ notes --code '__shared__ float pool[2048]; float *Bs = pool + 1025; x = pool[threadIdx.x * 32]; y = Bs[threadIdx.x];'
  gpufx: pool, Bs: parts of pool, each judged as an array of its own; one that grows moves the next
  $ notes --code 'int n = 3; float *c; c[threadIdx.x * n] = 0; atomicAdd(c, v);' n=4
  gpufx: n has a value of its own: the one given is not used
  $ gpufx pattern --file /dev/null --fail-on 'ways>1'
  gpufx: no kernel in /dev/null: nothing to judge
  $ gpufx pattern --file app.cu --file app.cu
  gpufx: --file is given twice; one file a call, such as s=0; for f in *.cu; do gpufx pattern --file $f || s=1; done; exit $s
  [2]
  $ gpufx pattern --file app.cu app.cu
  gpufx: 'app.cu' is not NAME=VALUE: one file a call, such as s=0; for f in *.cu; do gpufx pattern --file $f || s=1; done; exit $s
  [2]

What a file says of itself: the block of each kernel, arguments of templates, also where another kernel has a parameter
of that name; blocks that a condition names; a fault is the answer, where the array's start can't mend it.

  $ cat >own.cu <<'END'
  > template <int N = 4> __global__ void a(float *p) { __shared__ float s[1024]; s[threadIdx.x * N] = 0; }
  > template <class T, int N = 1> requires (N > 0) __global__ void b(T *p) { p[threadIdx.x * N] = 0; }
  > template <int N> __global__ void c(int *p) { p[threadIdx.x * N] = 0; }
  > __global__ void __launch_bounds__(64) d(float *p) { auto f = [=] __device__ (int i) { p[2 * i] = 0; }; f(threadIdx.x + blockIdx.y); }
  > __global__ void e(float *p) { if (blockIdx.x == 9) p[threadIdx.x * 8] = 0; else p[threadIdx.x] = 0; }
  > __global__ void f(float *p) { __shared__ float s[99]; *(float4 *)&s[threadIdx.x] = v; *(float2 *)&p[1] = v; p[0] = 0; }
  > __device__ constexpr int rows[8] = {33, 33, 33, 33, 33, 32, 33, 33}; __constant__ float filter[64]; __device__ int table[2] = {1, 1};
  > __global__ void g(float *p) { __shared__ float s[1024]; const int t[2] = {1, rows[blockIdx.x >> 1 & 7]}; p[threadIdx.x] = s[threadIdx.x * t[blockIdx.x & 1] % 1024]; }
  > __global__ void h(float *p) { __shared__ float s[1024]; p[threadIdx.x] = s[threadIdx.x * table[1]]; }
  > template __global__ void b<double>(double *);
  > void run(float *p, int n) { a<<<1, 32>>>(p); b<double><<<1, 32>>>(0); c<2><<<1, 32>>>(0); c<3><<<1, 32>>>(0); e<<<n, 32>>>(p); g<<<n, 32>>>(p); h<<<1, 32>>>(p); }
  > END
  $ for kernel in a b c d e f g h; do echo -n "$kernel: "; gpufx pattern --arch sm_90 --fail-on 'slowdown>3' --file own.cu:$kernel --format jsonl 2>/dev/null | grep -o '"gate":[^,]*,"fail.*' | sed 's/,"judged".*"notes"//'; done
  a: "gate":"met","fail_on":["--fail-on slowdown>3 is met: own.cu:1: s[threadIdx.x * N] has 4 slowdown"]:["block 32,1,1 as the program launches it; --block gives another","a<4>, as the program has it; NAME=VALUE gives another","run's p: taken to begin a line, since its callers are not in this file"]}
  b: "gate":"passed","fail_on":[]:["block 32,1,1 as the program launches it; --block gives another","b<double>, as the program has it; NAME=VALUE gives another"]}
  c: "gate":"met","fail_on":["--fail-on slowdown>3 is met: own.cu:3: c<3>: p[threadIdx.x * N] has 3.75 slowdown"]:["c<2>, c<3>: block 32,1,1 as the program launches it; --block gives another","c<2>: c<2>, as the program has it; NAME=VALUE gives another","c<3>: c<3>, as the program has it; NAME=VALUE gives another"]}
  d: "gate":"undecided","fail_on":["--fail-on can't be decided: a warp's part of the L1 decides, by --block and gridDim.x=N, or what the L2 joins: own.cu:4: p[2 * i] of warp 0"]:["block 64,1,1 of __launch_bounds__; --block gives another","judged: every warp of the blocks 0, 1, 2, 3 along blockIdx.y"]}
  e: "gate":"met","fail_on":["--fail-on slowdown>3 is met: own.cu:5: p[threadIdx.x * 8] of warp 0 of blockIdx.x=9 has 10 slowdown"]:["block 32,1,1 as the program launches it; --block gives another","run's p: taken to begin a line, since its callers are not in this file","judged: every warp of the blocks 0, 1, 2, 3, 9, 10 along blockIdx.x"]}
  f: "gate":"met","fail_on":["--fail-on is met: *(float4 *)&s[threadIdx.x] faults on the GPU"]:["--block not given and no launch found: judged for --block 32; another may change the verdicts"]}
  g: "gate":"met","fail_on":["--fail-on slowdown>3 is met: own.cu:8: s[threadIdx.x * t[blockIdx.x & 1] % 1024], warp 0 of blockIdx.x=11 has 32 slowdown"]:["block 32,1,1 as the program launches it; --block gives another","run's p: taken to begin a line, since its callers are not in this file","judged: every warp of the blocks 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 along blockIdx.x"]}
  h: "gate":"undecided","fail_on":["--fail-on can't be decided: s[threadIdx.x * table[1]]: not judged, since its address at line 9, column 74 is not known: table[1] is read from memory (line 9, column 90): give 'table[1]=VALUE'"]:["block 32,1,1 as the program launches it; --block gives another","run's p: taken to begin a line, since its callers are not in this file"]}
  $ cat >same.cu <<'END'
  > template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }
  > template <> __global__ void k<double>(double *p) { p[threadIdx.x * 2] = 1; }
  > namespace n { __global__ void k(int *p) { p[threadIdx.x * 4] = 1; } }
  > void go(float *a, double *b) { k<<<1, 64>>>(a + 1); k<<<1, 64>>>(b); }
  > END
  $ printf '__global__ void l(float *a, int s) { a[threadIdx.x * s] = 0; }\nvoid go(float *a) { l<<<1, 32>>>(a, 1); l<<<1, 32>>>(a, 8); }\n' >literals.cu
  $ verdicts --arch sm_90 --fail-on "'sectors>1x'" <<'END'
  > gpufx: --fail-on sectors>1x is met: n::k: p[threadIdx.x * 4] has 4x|--file same.cu
  > gpufx: --fail-on sectors>1x is met: l with s=8: a[threadIdx.x * s] has 8x|--file literals.cu s=1
  > gpufx: --fail-on sectors>1x is met: p[threadIdx.x] of warp 0 has 1.25x|--file same.cu:1
  > gpufx: --fail-on sectors>1x is met: p[threadIdx.x * 2] has 2x|--file same.cu:2
  > gpufx: --fail-on sectors>1x is met: n::k: p[threadIdx.x * 4] has 4x|--file same.cu:n::k --block 64
  > gpufx: --file same.cu:m::k: no kernel has this name (k: line 1, k: line 2, n::k: line 3)|--file same.cu:m::k
  > END
  $ mkdir kernels; echo 'namespace n { __global__ void in_header(float *p) { p[threadIdx.x * 8] = 1; } }' >kernels/in.cuh
  $ printf '#include "kernels/in.cuh"\n__global__ void own(float *p) { p[threadIdx.x] = 1; }\nvoid go(float *p) { n::in_header<<<1, 32>>>(p); own<<<1, 32>>>(p); }\n' >launches.cu
  $ gpufx pattern --arch sm_90 --file launches.cu --fail-on 'sectors>1x' -q 2>&1 | grep gpufx:
  gpufx: --fail-on sectors>1x is met: in.cuh:1: in_header: p[threadIdx.x * 8] has 8x sectors, as few as possible being 1x
  $ echo 'inline void call(float *p) { n::in_header<<<1, 32>>>(p); }' >>kernels/in.cuh
  $ sed -i '3s/.*/void go(float *p) { call(p); own<<<1, 32>>>(p); }/' launches.cu
  $ gpufx pattern --arch sm_90 --file launches.cu --fail-on 'sectors>1x' -q 2>&1 | grep gpufx:
  gpufx: --fail-on sectors>1x is met: in.cuh:1: in_header: p[threadIdx.x * 8] has 8x sectors, as few as possible being 1x
  $ cat >wrapped.cu <<'END'
  > #define NONE(n) 0
  > enum class Order { Row, Column };
  > template <Order O> __device__ int at(int i, int n) { if constexpr (O == Order::Row) return i; else return i * n; }
  > template <Order O, class T> __global__ void m(T *p, int n) { p[at<O>(threadIdx.x + NONE(n), 2)] = 0; }
  > template <Order O> void call(double *p, Stream s) { dim3 b = dim3(32, 4); m<O><<<1, b, 0, s>>>(p, 8); }
  > void both(double *p) { call<Order::Row>(p, 0); call<Order::Column>(p, 0); }
  > END
  $ gpufx pattern --arch sm_90 -q --file wrapped.cu --fail-on 'sectors>1x' 2>/dev/null | sed -n 's/access.*/access/p'
  wrapped.cu:4: m<Order::Column, double>: p[at<O>(threadIdx.x + NONE(n), 2)]: 16 sectors per access
  wrapped.cu:4: m<Order::Row, double>: p[at<O>(threadIdx.x + NONE(n), 2)]: 8 sectors per access
  $ printf '#define EACH for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)\nvoid __global__ k(int *p, int n) { EACH p[i] = 0; }\nvoid __global__ q(int *p) { p[threadIdx.x * gridDim.x] = 0; }\nvoid run(int n) { k<<<9, 256>>>(0, 5); q<<<n, 256>>>(0); }\n' >stride.cu
  $ for kernel in k q; do gpufx pattern --arch sm_90 --file stride.cu:$kernel $(test $kernel = q || echo n=99999) --fail-on 'sectors>1x' -q 2>&1 | tail -n 2; done
  4 sectors per access, as few as possible: 1.00x, 44 steps.
  Not judged, since its address at line 3, column 29 is not known: gridDim.x has no value (line 3, column 53): give gridDim.x=VALUE
  gpufx: --fail-on can't be decided: p[threadIdx.x * gridDim.x]: not judged, since its address at line 3, column 29 is not known: gridDim.x has no value (line 3, column 53): give gridDim.x=VALUE
  $ printf '#include <cub/cub.cuh>\n__global__ void k(float *p) { cub::WarpReduce<float> w; p[threadIdx.x] = 0; }\n' >cub.cu
  $ gpufx pattern --arch sm_90 -q --file cub.cu --fail-on 'sectors>1x' 2>/dev/null
  Not judged: cub/cub.cuh is not read: 'cub' is not a class, namespace, or enumeration at line 2, column 31
  [3]

An address that is not known is never that of an inactive lane, however it is written: of no lane, of some, of all.

  $ cat >spellings <<'END'
  > plain v = *p;
  > ldcs v = __ldcs(p);
  > memcpy memcpy(&s[threadIdx.x], p, 16);
  > pipeline __pipeline_memcpy_async(&s[threadIdx.x], p, 16);
  > to __pipeline_memcpy_async(&s[(ROW) * n], A, 16);
  > cuda cuda::memcpy_async(&s[threadIdx.x], p, 16, n);
  > cp_async cp_async_cg(&s[threadIdx.x], p);
  > ptx asm("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group;" :: "r"(d), "l"(p));
  > zfill asm("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(d), "l"(p), "n"(16));
  > guard asm("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.cg.shared.global [%1], [%2], 16; }" :: "r"(1), "r"(d), "l"(p));
  > named asm("ld.global.v4.f32 {%0, %1, %2, %3}, [%[at]];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : [at] "l"(p));
  > ld asm("ld.global.v4.f32 {%0, %1, %2, %3}, [%4 + 16];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p));
  > ldmatrix asm("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(x), "=r"(x), "=r"(x) : "r"(q));
  > number f(q);
  > END
  $ for lanes in none:0 some:threadIdx.x/8 all:threadIdx.x/8+1; do while read -r name code; do
  >   echo "__global__ void ${lanes%:*}_$name(float4 *A, int n) { __shared__ float4 s[32]; float4 v, *p = A + (ROW) * n; unsigned x,
  >         d = __cvta_generic_to_shared(s + threadIdx.x), q = __cvta_generic_to_shared(s + (ROW) * n); $code }" | sed "s|ROW|${lanes#*:}|g"
  > done <spellings; done >unknown.cu
  $ gpufx pattern --arch sm_90 -q --block 32 --file unknown.cu --fail-on 'sectors>1x' --format jsonl 2>/dev/null | sed -nE 's/.*"access":"([a-z]*)_([a-z_]*):.*"not_judged.*/\1 \2/p' | sort | awk '{ of[$1] = of[$1] " " $2 } END { for (i in of) print i ":" of[i] }' | sort
  all: cp_async cuda guard ld ldcs ldmatrix memcpy named number pipeline plain ptx to zfill
  none: number
  some: cp_async cuda guard ld ldcs ldmatrix memcpy named number pipeline plain ptx to zfill
  $ gpufx pattern --arch sm_90 -q --block 32 --code '__shared__ float4 s[32]; float4 *A; int z = threadIdx.x < 20 ? 0 : 16; __pipeline_memcpy_async(&s[threadIdx.x], A + threadIdx.x, 16, z);' | grep -o '[0-9]* sectors'
  10 sectors

Of the sides of an `if`, nvcc makes one access of a load without a store before it and of the last stores.

  $ cat >sides.cu <<'END'
  > __global__ void one(float *x, const float *y, int n) {
  >     int i = blockIdx.x * blockDim.x + threadIdx.x, lane = i % 32;
  >     if (i % 2 == 0) x[i] = sinf(x[i]); else { float v = x[i]; x[i] = cosf(v); }
  >     for (int k = 0; k < n; k++) x[i] += __shfl_sync(~0u, y[i + n * k], 0);
  > }
  > __global__ void two(float *x, float *y, int n, float *z) {
  >     int i = threadIdx.x; float a[4] = {};
  >     if (i % 2 == 0) { z[i] = 1; x[i] = 2; } else { x[i] = 4; y[i] = a[i % 4]; }
  > }
  > void run(float *x) { const int n = 1 << 5; one<<<9, 32>>>(x, x, n); one<<<9, 32>>>(x, x, 32); two<<<1, 32>>>(x, x, 3, x); }
  > END
  $ gpufx pattern --arch sm_90 --file sides.cu --fail-on 'slowdown>2' 2>&1 | grep -E '^(gpufx: [^ju]|sides.cu:8: two: x|.*met)' | grep -v 'callers\|block' | cut -c 1-150 | uniq
  sides.cu:8: two: x[i]: 4 sectors per access instead of 2, which other accesses use too: L2 2.5x.
  gpufx: one: x[i]: one access on both sides of 'i % 2 == 0', as nvcc makes it
  gpufx: one: 'i % 2 == 0' at line 3: lanes of a warp part, and one side runs after the other, which is not priced (gpufx ask divergence)
  gpufx: one: n=32 as the program launches it; NAME=VALUE gives another
  gpufx: two: 'i % 2 == 0' at line 8: lanes of a warp part, and one side runs after the other, which is not priced (gpufx ask divergence)
  gpufx: --fail-on slowdown>2 is met: sides.cu:8: two: z[i] has 2.5 slowdown
  $ for line in 2 3 4 7; do gpufx pattern --arch sm_90 -q --file sides.cu:$line 2>&1 | cut -c 1-120; done
  gpufx: --file sides.cu:2: the first warp makes no access to memory in this statement; line 3 has one
  sides.cu:3: x[i] (load): 4 sectors per access, as few as possible: 1.00x.
  sides.cu:3: x[i] (store): 4 sectors per access, as few as possible: 1.00x.
  sides.cu:4: x[i] (load): 4 sectors per access, as few as possible: 1.00x, 32 steps.
  sides.cu:4: y[i + n * k]: 4 sectors per access, as few as possible: 1.00x, 32 steps.
  sides.cu:4: x[i] (store): 4 sectors per access, as few as possible: 1.00x, 32 steps.
  gpufx: --file sides.cu:7: the first warp makes no access to memory in this statement; line 8 has one
  $ printf 'namespace %s { __global__ void k(int *p, int w) { p[threadIdx.x * w] = 1; } }\n' a n >alike.cu; echo 'void go(int *a) { a::k<<<1, 32>>>(a, 1); }' >>alike.cu
  $ gpufx pattern --arch sm_90 --file alike.cu:2 2>&1 | grep -o 'give.*'
  give w=VALUE
  $ gpufx pattern --arch sm_90 -q --file sides.cu:two | tail -n 1
  sides.cu:8: a[i % 4]: not judged, since a (no __shared__?) may lie in local memory: its index is no constant
  $ gpufx pattern --arch sm_90 sides.cu; gpufx pattern --arch sm_90 --code 'float *a; a[threadId.x] = 0;'; gpufx pattern --arch sm_90 --code 'if (threadIdx.x % 32 < 8) A(); else B();' 2>&1 | cut -d ';' -f 1
  gpufx: a pattern is missing: write --file sides.cu
  gpufx: --code: threadId is unknown; did you mean threadIdx?
  gpufx: --code: no access to memory: give a declaration and a statement, such as '__shared__ float tile[32][33]

A member of a type that nobody declares has no place; what is read for it has.

  $ printf '#include "a.h"\nstatic void f(float *a, nothing *p) {\n    p->count = a[threadIdx.x];\n}\n' >member.cu
  $ gpufx pattern --arch sm_90 -q --file member.cu 2>/dev/null | tail -n 1
  member.cu:3: a[threadIdx.x]: 4 sectors per access, as few as possible: 1.00x.

On a screen of 80 columns everything has its place.

  $ for columns in 80 100 130; do for words in '--expr lane*64' '--space global --expr lane*12' '--space global --expr lane*16+4*t t=0:2' '--space constant --expr lane*4'; do
  >   COLUMNS=$columns gpufx pattern $words --device synthetic:generic | wc -L | awk "{ print \$1 <= $columns }"
  > done; done | sort | uniq -c
       12 1
