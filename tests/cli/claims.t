What guides claim: the sentences, and what an archive makes of them.

  $ gpufx list readonly --claims
  readonly: Are read-only, texture or constant loads faster?
    "texture is faster for read-only data" (textbook)
        cost of mode=throughput path=tex walk=line footprint=16Ki,1Mi against path=plain: at most 0.97 times; 2 pairs
    "__ldg, the read-only load, is faster than a plain load" (blog)
        cost of mode=throughput path=nc walk=line footprint=16Ki,1Mi against path=plain: at most 0.97 times; 2 pairs
    "textures win where reads are local in two dimensions" (vendor guide)
        cost of mode=throughput path=tex2d_array walk=tiles,columns footprint=64Ki,2Mi against path=plain: at most 0.97 times; 4 pairs
  $ gpufx list null --claims
  $ gpufx list bank_conflict --claims --quick | sed -n '1,3p'
  bank_conflict: What does a shared-memory access cost when lanes of a warp hit the same bank?
    "a 32-way bank conflict costs 4 times an access without one" (lecture)
        cost of mode=throughput,latency op=load width=4 pattern=stride stride=32 offset=0 against stride=1: 3 to 5 times; 2 pairs
  $ gpufx list readonly --claims --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > claim = json.load(sys.stdin)[0]["claims"][1]
  > print({k: v for k, v in claim.items() if k != "pairs"})
  > print(claim["pairs"][0])'
  {'text': '__ldg, the read-only load, is faster than a plain load', 'source': 'blog', 'where': 'mode=throughput path=nc walk=line footprint=16Ki,1Mi', 'against': 'path=plain', 'quantity': 'cost', 'low': 0.0, 'high': 0.97}
  {'tested': {'mode': 'throughput', 'path': 'nc', 'walk': 'line', 'footprint': 16384}, 'base': {'mode': 'throughput', 'path': 'plain', 'walk': 'line', 'footprint': 16384}}
  $ gpufx run readonly constant --device synthetic:generic --processes 2 --out here > /dev/null 2> /dev/null
  $ gpufx claims here --probe readonly | sed -e 1d -e 's/(95 %.*)/(95 %)/'
  
  readonly
    DOES NOT HOLD  texture is faster for read-only data (textbook)
                   1.63 to 2 times, claimed 0.97 or less; within in 0 of 2
                   decides: mode:throughput/path:tex/walk:line/footprint:16384: cost 3.996 cycles against 2 cycles at path:plain, 1.998 times (95 %)
    DOES NOT HOLD  __ldg, the read-only load, is faster than a plain load (blog)
                   1 times, claimed 0.97 or less; within in 0 of 2
                   decides: mode:throughput/path:nc/walk:line/footprint:1048576: cost 2.454 cycles against 2.451 cycles at path:plain, 1.001 times (95 %)
    HOLDS IN PART  textures win where reads are local in two dimensions (vendor guide)
                   0.25 to 2 times, claimed 0.97 or less; within in 2 of 4
                   decides: mode:throughput/path:tex2d_array/walk:tiles/footprint:2097152: cost 8.001 cycles against 3.994 cycles at path:plain, 2.003 times (95 %)
  
  3 claims: 1 HOLDS IN PART, 2 DOES NOT HOLD
  $ gpufx claims here --format markdown | grep -c '^| constant | '
  4
  $ gpufx claims here --format json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)
  > print(told["archive"]["provenance"], len(told["claims"]), *sorted({c["verdict"] for c in told["claims"]}), sep=", ")'
  synthetic, 7, DOES NOT HOLD, HOLDS, HOLDS IN PART

What was not measured is said, with the reason.

  $ gpufx run constant --axis space=shared --device synthetic:generic --out some > /dev/null 2> /dev/null
  $ gpufx claims some | tail -n 4
    NOT MEASURED   where all lanes want one word, constant memory is faster than global memory (vendor guide)
                   not among the archive's cases
  
  4 claims: 4 NOT MEASURED

Bad input.

  $ gpufx claims
  gpufx: an argument is missing; write gpufx claims ARCHIVE [OPTION...]
  [2]
  $ gpufx claims nowhere.jsonl
  gpufx: 'nowhere.jsonl': there is no such file or folder
  [2]
  $ gpufx claims here --probe reedonly
  gpufx claims: no case of a probe 'reedonly' in these archives; they have: constant, readonly
  [2]
