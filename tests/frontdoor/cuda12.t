Where no nvcc 12.x can be had, its stage of the tests is left out with one sentence, and the log says why.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ GPUFX_TEST_NVCC=; export GPUFX_TEST_NVCC; unset GPUFX_CUDA12
  $ checkout x
  $ mkdir -p x/.venv/bin x/build/test
  $ for tool in apt-get pip; do ln -s "$TESTDIR/stand_in" fake/bin/$tool; done
  $ ln -s "$TESTDIR/stand_in" x/.venv/bin/python
  $ cat >stage <<'END'
  > set -u
  > GPUFX_ROOT=$PWD/x GPUFX_PYTHON=$PWD/x/.venv/bin/python build=$PWD/x/build venv=$PWD/x/.venv results=$PWD/x/build/test
  > cuda=${CUDA:-ON} summary= failures= wanted=
  > for part in setup test cuda12; do . "$GPUFX_ROOT/setup/$part.sh"; done
  > test_cuda12
  > echo "failed:$failures"
  > END

Without network, without a mirror, without the package:

  $ FAKE_FAILS=python inside sh stage
  gpufx: skipped cuda12              there is no nvcc 12.x here, and Debian's can't be had (*/build/test/cuda12.log); GPUFX_CUDA12 names a toolkit (glob)
  failed:
  $ inside sh stage 2>&1 | grep -c 'skipped cuda12'
  1
  $ tail -n 1 x/build/test/cuda12.log
  apt-get names no mirror for * (glob)
  $ FAKE_URI="'http://mirror.example/debian/dists/$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)/InRelease' name 0" \
  >     inside sh stage 2>&1 | grep -c 'skipped cuda12'
  1
  $ cut -d ' ' -f 3 x/.venv/cuda12/apt/sources.list
  http://mirror.example/debian
  $ grep download fake/log
  apt-get download nvidia-cuda-toolkit=12.4.131*

Without CUDA:

  $ CUDA=OFF inside sh stage
  gpufx: skipped cuda12              built without CUDA
  failed:

With an nvcc 12.x in the machine nothing is downloaded, and a file that it refuses fails the stage:

  $ ln -s "$TESTDIR/stand_in" fake/bin/nvcc
  $ mkdir -p x/tests/compile
  $ printf '#!/bin/sh\necho "FAILED a.cu"; exit 1\n' >x/tests/compile/cuda12; chmod +x x/tests/compile/cuda12
  $ : >fake/log
  $ FAKE_NVCC=12.4 inside sh stage 2>&1 | tail -n 1
  failed: cuda12
  $ grep -c download fake/log
  0
  [1]
