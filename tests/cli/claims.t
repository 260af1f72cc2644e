What guides claim: the sentences with their sources, and what an archive makes of them.

  $ export COLUMNS=200
  $ gpufx list readonly --claims
  readonly: Are read-only, texture or constant loads faster?
    "texture is faster for read-only data" (common advice)
        cost of path=tex vs path=plain: at most 0.97x
    "__ldg, the read-only load, is faster than a plain load" (common advice)
        cost of path=nc vs path=plain: at most 0.97x
    "textures are faster if the lanes of a warp read nearby points in 2-D" (CUDA C++ Best Practices Guide 13, 10.2.5 Texture Memory)
        cost of path=tex2d_array,tex2d_pitch walk=tiles,columns vs path=plain: at most 0.97x
  $ gpufx list null --claims
  $ gpufx list bank_conflict --claims --quick | sed -n '1,3p'
  bank_conflict: What does a shared-memory access cost when lanes of a warp hit the same bank?
    "a 32-way conflict leaves 1/32 of the bandwidth, because the access is split into 32" (CUDA C++ Best Practices Guide 13, 10.2.3.1 Shared Memory and Memory Banks)
        cost of mode=throughput op=load,store width=4 pattern=stride stride=32,64; mode=throughput op=load,store width=4 pattern=column vs stride=1; pattern=stride stride=1: 29 to 35x
  $ gpufx list transfer --claims | grep -A 3 'from write-combined memory'
    "H2D copies from write-combined memory are up to 40 % faster than from other pinned memory" (CUDA C++ Programming Guide 12.6, Write-Combining Memory)
        rate of task=copy kind=write_combined direction=h2d size=64Mi,256Mi,1Gi vs kind=pinned: 1.03 to 1.45x
        given: host_memory, cost of task=host_read kind=write_combined vs kind=pinned: at least 3x; else this host returns ordinary pages for write-combined ones: it reads them as fast as others
    "one large copy beats many small ones" (CUDA C++ Best Practices Guide 13, 10.1 Data Transfer Between Host and Device)
  $ gpufx list constant --claims | tail -n 2
    "words that share a line of the constant cache are served together" (common advice)
        cost of mode=throughput space=constant distinct=4:32 spacing=4 vs spacing=64: 0.03 to 0.5x
  $ gpufx list readonly --claims --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > print(json.load(sys.stdin)["answer"][0]["claims"][1])'
  {'text': '__ldg, the read-only load, is faster than a plain load', 'source': 'common advice', 'where': 'path=nc', 'against': 'path=plain', 'quantity': 'cost', 'low': 0.0, 'high': 0.97, 'given': None}

What an archive makes of them.

  $ gpufx run readonly constant --device synthetic:generic --processes 3 --out here > /dev/null 2> /dev/null
  $ COLUMNS=80 gpufx claims here --probe readonly | sed -n '/claims: \|advice: /,$p'
  1 claim: 1 DEPENDS; 2 of common advice: 2 DOES NOT HOLD
  Claims as recorded in the archive.
  
  DEPENDS (1)
    readonly: textures are faster if the lanes of a warp read nearby points in
      2-D: on walk, 0.250x to 2.00x
  
  DOES NOT HOLD (2)
    readonly: texture is faster for read-only data: 1.19x to 2.50x
    readonly: __ldg, the read-only load, is faster than a plain load: 0.998x to
      1.00x
  
  sources, numbers and deciding cases: --full
  $ COLUMNS=200 gpufx claims here --probe readonly --full | sed -n -e 's/(95 %.*)/(95 %)/' -e '/^DEPENDS/,$p'
  DEPENDS (1)
    readonly: textures are faster if the lanes of a warp read nearby points in 2-D: on walk, 0.250x to 2.00x, claimed at most 0.97x
        source: CUDA C++ Best Practices Guide 13, 10.2.5 Texture Memory
        4 of 8 pairs inside the bounds, 4 outside
        holds at walk=columns; not at walk=tiles
        deciding case: mode:throughput/path:tex2d_array/walk:tiles/footprint:2097152: cost 8.003 cycles vs 3.999 cycles at path:plain: 2.001x (95 %)
  
  DOES NOT HOLD (2)
    readonly: texture is faster for read-only data: 1.19x to 2.50x, claimed at most 0.97x
        source: common advice
        0 of 18 pairs inside the bounds, 18 outside
        deciding case: mode:latency/path:tex/walk:line/footprint:4096: cost 90.01 cycles vs 35.99 cycles at path:plain: 2.501x (95 %)
    readonly: __ldg, the read-only load, is faster than a plain load: 0.998x to 1.00x, claimed at most 0.97x
        source: common advice
        0 of 18 pairs inside the bounds, 18 outside
        deciding case: mode:latency/path:nc/walk:line/footprint:327680: cost 262.2 cycles vs 261.8 cycles at path:plain: 1.001x (95 %)
  $ gpufx claims here --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > print(told["archive"]["provenance"], told["claims_of"], len(told["claims"]), *sorted({c["verdict"] for c in told["claims"]}), sep=", ")'
  synthetic, archive, 5, DEPENDS, DOES NOT HOLD

Bad input.

  $ gpufx claims here --probe reedonly
  gpufx claims: no case of a probe 'reedonly' in these archives; did you mean 'readonly'?
  [2]
