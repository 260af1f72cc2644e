Where there is no nvcc 12.x, the test that compiles by one is skipped, with a sentence.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ GPUFX_TEST_NVCC=; export GPUFX_TEST_NVCC; unset GPUFX_CUDA12
  $ checkout x
  $ inside sh "$TESTDIR/../compile/cuda12" out
  there is no nvcc 12.x; GPUFX_CUDA12 names a toolkit
  [77]
  $ GPUFX_CUDA12=/nowhere inside sh "$TESTDIR/../compile/cuda12" out
  there is no nvcc 12.x in /nowhere/bin; GPUFX_CUDA12 names a toolkit
  [77]

A toolkit is found by its release:

  $ ln -s "$TESTDIR/stand_in" fake/bin/nvcc; mkdir -p micro harness
  $ FAKE_NVCC=12.4 inside sh "$TESTDIR/../compile/cuda12" out 2>&1 | head -n 1 | grep -c 'no nvcc'
  0
  [1]
