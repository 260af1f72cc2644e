What guides claim: the sentences with their sources, and what an archive makes of them.

  $ export COLUMNS=200
  $ gpufx list readonly --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > print(json.load(sys.stdin)["answer"][0]["claims"][1])'
  {'text': '__ldg, the read-only load, is faster than a plain load', 'source': 'common advice', 'where': 'path=nc', 'against': 'path=plain', 'quantity': 'cost', 'low': 0.0, 'high': 0.97, 'given': None}

What an archive makes of them.

  $ gpufx run readonly constant --device synthetic:generic --processes 3 --out here > /dev/null 2> /dev/null
  $ COLUMNS=80 gpufx claims here --probe readonly | sed -n '/claims: \|advice: /,$p'
  1 claim with a source: 1 DEPENDS; 2 claims of common advice: 2 DOES NOT HOLD
  Claims as recorded in the archive.
  
  DEPENDS (1 with a source)
    readonly: textures are faster if the lanes of a warp read nearby points in
      2-D: on walk, 0.250x to 2.00x
  
  DOES NOT HOLD (2 of common advice)
    readonly: texture is faster for read-only data: 1.19x to 2.50x
    readonly: __ldg, the read-only load, is faster than a plain load: 0.998x to
      1.00x
  
  sources, numbers and deciding cases: --full
  $ COLUMNS=200 gpufx claims here --probe readonly --full | sed -n -e 's/(95 %.*)/(95 %)/' -e '/^DEPENDS/,/deciding/p'
  DEPENDS (1 with a source)
    readonly: textures are faster if the lanes of a warp read nearby points in 2-D: on walk, 0.250x to 2.00x, claimed at most 0.97x
        source: CUDA C++ Best Practices Guide 13, 10.2.5 Texture Memory
        4 of 8 pairs inside the bounds, 4 outside
        holds at walk=columns; not at walk=tiles
        deciding case: mode:throughput/path:tex2d_array/walk:tiles/footprint:2097152: cost 8.003 cycles vs 3.999 cycles at path:plain: 2.001x (95 %)
  $ gpufx claims here --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > print(told["archive"]["provenance"], told["claims_of"], len(told["claims"]), *sorted({c["verdict"] for c in told["claims"]}), sep=", ")'
  synthetic, archive, 5, DEPENDS, DOES NOT HOLD

Bad input.

  $ gpufx claims here --probe reedonly
  gpufx claims: no case of a probe 'reedonly' in these archives; did you mean 'readonly'?
  [2]
