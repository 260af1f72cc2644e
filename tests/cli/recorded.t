Traces that the recorder wrote on a GPU (tests/traces): every instruction and every access is there.

  $ cat >held.py <<'END'
  > import collections, json, sys
  > answer = json.load(sys.stdin)
  > names = {k["id"]: k.get("shown") or k["name"] for k in answer["kernels"]}
  > executed = collections.Counter()
  > for row in answer["rows"]:
  >     executed[row["launch"]] += row["executed"]
  > print(*answer["trace"]["program"], answer["trace"]["device"]["name"], "complete" if answer["complete"] else "failed")
  > for one in answer["launches"]:
  >     print(one["id"], one["blocks"]["total"], one["blocks"]["recorded"], executed[one["id"]], names[one["kernel"]])
  > kinds = {row["instruction"]["id"]: (row["instruction"]["space"], row["instruction"]["op"]) for row in answer["rows"]}
  > print(*(f"{count} {space} {op}" for (space, op), count in sorted(collections.Counter(kinds.values()).items())), sep=", ")
  > END
  $ gpufx trace-cost $TESTDIR/../traces/transposes_h200.fxtrace | python3 held.py
  ./app NVIDIA H200 complete
  0 16384 16 1024 _Z5naivePfPKfi
  1 16384 16 2048 _Z5tiledPfPKfi
  8 global load, 8 global store, 4 shared load, 4 shared store
  $ gpufx trace-cost $TESTDIR/../traces/planted_h200.fxtrace | python3 held.py
  ./planted NVIDIA H200 failed
  0 2 2 8 _Z4copyIcEvPT_PKS0_i
  1 2 2 8 _Z4copyIsEvPT_PKS0_i
  2 2 2 8 _Z4copyIjEvPT_PKS0_i
  3 2 2 8 _Z4copyI5uint2EvPT_PKS1_i
  4 2 2 8 _Z4copyI5uint4EvPT_PKS1_i
  5 1 1 6 _Z7atomicsPjS_
  6 1 1 5 _Z12shared_kindsPj
  7 1 1 5 _Z9divergentPj
  8 1 1 4 _Z15generic_pointerPji
  9 1 1 132 _Z11local_arrayPji
  10 1 1 3 _Z11calls_otherPjPKj
  11 1 1 70 _Z6matrixPj
  12 1 1 10 _Z10async_copyPjPKc
  13 1 1 6 _Z4bulkPcPKc
  14 4 4 28 _Z6remotePj
  15 1 1 3 _Z8prefetchPjPKj
  16 1 1 48 _Z5wgmmaPf
  17 10 10 11 _Z5earlyPji
  18 1 1 1 _Z9far_apartPcS_
  4 global async_load, 2 global atomic, 1 global bulk_load, 1 global bulk_reduce, 1 global bulk_store, 8 global load, 2 global prefetch, 20 global store, 1 local load, 64 local store, 1 remote async_store, 1 remote atomic, 1 remote load, 4 shared async_store, 1 shared atomic, 2 shared bulk_load, 1 shared bulk_store, 6 shared load, 3 shared matrix_load, 1 shared matrix_store, 17 shared store, 2 shared wgmma
