Traces that the recorder wrote on a GPU (tests/traces): every instruction and every access is there.

  $ gpufx trace show $TESTDIR/../traces/transposes_h200.fxtrace
  program  ./app
  device   NVIDIA H200, sm_90
  recorded 2026-11-23T21:59:49Z, complete
  holds    3072 records with 65 lane patterns
  
  launch       blocks     recorded       accesses  kernel
       0        16384           16           1024  _Z5naivePfPKfi
       1        16384           16           2048  _Z5tiledPfPKfi
  
  instructions
       8  global load
       8  global store
       4  shared load
       4  shared store
  $ gpufx trace show $TESTDIR/../traces/planted_h200.fxtrace
  program  ./planted
  device   NVIDIA H200, sm_90
  recorded 2026-11-23T21:59:59Z, complete
  holds    372 records with 69 lane patterns
  
  launch       blocks     recorded       accesses  kernel
       0            2            2              8  _Z4copyIcEvPT_PKS0_i
       1            2            2              8  _Z4copyIsEvPT_PKS0_i
       2            2            2              8  _Z4copyIjEvPT_PKS0_i
       3            2            2              8  _Z4copyI5uint2EvPT_PKS1_i
       4            2            2              8  _Z4copyI5uint4EvPT_PKS1_i
       5            1            1              6  _Z7atomicsPjS_
       6            1            1              5  _Z12shared_kindsPj
       7            1            1              5  _Z9divergentPj
       8            1            1              4  _Z15generic_pointerPji
       9            1            1            132  _Z11local_arrayPji
      10            1            1              3  _Z11calls_otherPjPKj
      11            1            1             70  _Z6matrixPj
      12            1            1             10  _Z10async_copyPjPKc
      13            1            1              6  _Z4bulkPcPKc
      14            4            4             28  _Z6remotePj
      15            1            1              3  _Z8prefetchPjPKj
      16            1            1             48  _Z5wgmmaPf
      17           10            6             11  _Z5earlyPji
      18            1            1              1  _Z9far_apartPcS_
  
  instructions
       8  global load
      20  global store
       2  global atomic
       4  global async_load
       1  global bulk_load
       1  global bulk_store
       1  global bulk_reduce
       2  global prefetch
       6  shared load
      17  shared store
       1  shared atomic
       4  shared async_store
       3  shared matrix_load
       1  shared matrix_store
       2  shared bulk_load
       1  shared bulk_store
       2  shared wgmma
       1  local load
      64  local store
       1  remote load
       1  remote atomic
       1  remote async_store
