Where there is no nvcc 12.x, its stage of the tests is left out with one sentence.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ GPUFX_TEST_NVCC=; export GPUFX_TEST_NVCC; unset GPUFX_CUDA12
  $ checkout x
  $ mkdir -p x/build/test
  $ cat >stage <<'END'
  > set -u
  > GPUFX_ROOT=$PWD/x build=$PWD/x/build results=$PWD/x/build/test
  > cuda=${CUDA:-ON} summary= failures=
  > for part in setup test; do . "$GPUFX_ROOT/setup/$part.sh"; done
  > test_cuda12
  > echo "failed:$failures"
  > END

  $ inside sh stage
  gpufx: skipped cuda12              there is no nvcc 12.x; GPUFX_CUDA12 names a toolkit
  failed:
  $ GPUFX_CUDA12=/nowhere inside sh stage 2>&1 | head -n 1
  gpufx: skipped cuda12              there is no nvcc 12.x in /nowhere/bin; GPUFX_CUDA12 names a toolkit

Without CUDA:

  $ CUDA=OFF inside sh stage
  gpufx: skipped cuda12              built without CUDA
  failed:

A file that an nvcc 12.x refuses fails the stage:

  $ ln -s "$TESTDIR/stand_in" fake/bin/nvcc
  $ mkdir -p x/tests/compile
  $ printf '#!/bin/sh\necho "FAILED a.cu"; exit 1\n' >x/tests/compile/cuda12; chmod +x x/tests/compile/cuda12
  $ FAKE_NVCC=12.4 inside sh stage 2>&1 | tail -n 1
  failed: cuda12
