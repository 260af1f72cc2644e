Set-up takes the newest toolkit that the driver can run.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ GPUFX_TEST_NVCC=; export GPUFX_TEST_NVCC
  $ checkout x
  $ for tool in apt-get apt-cache id python3 cuobjdump nvidia-smi; do ln -s "$TESTDIR/stand_in" fake/bin/$tool; done
  $ inside apt-get install cmake gcc g++ pkg-config ninja-build libbenchmark-dev libjansson-dev zlib1g-dev \
  >     libcmocka-dev python3-venv
  $ anew() { rm -rf x/build x/.venv; : >fake/log; inside x/gpufx run null 2>&1 |
  >     grep -E '^gpufx: .*(nvcc|CUDA|cuda)'; }

An nvcc as new as the driver, older, or of another minor release of it; no driver at all:

  $ ln -s "$TESTDIR/stand_in" fake/bin/nvcc
  $ for versions in '13.0 13.0' '13.0 12.0' '12.2 12.9' ' 13.0'; do
  >   FAKE_DRIVER=${versions% *} FAKE_NVCC=${versions#* } anew
  > done | uniq -c
        4 gpufx: configuring the build, CUDA ON for sm_90 with */fake/bin/nvcc (glob)

Too new for the driver, with another one beside it, and too old for this project:

  $ mkdir other && printf '#!/bin/sh\nFAKE_NVCC=12.4 exec nvcc "$@"\n' >other/nvcc && chmod +x other/nvcc
  $ GPUFX_TEST_NVCC=$PWD/other/nvcc FAKE_DRIVER=12.4 anew
  gpufx: not using */fake/bin/nvcc: release 13.0, and the driver here runs CUDA up to 12.4 (glob)
  gpufx: configuring the build, CUDA ON for sm_90 with */other/nvcc (glob)
  $ FAKE_DRIVER=13.0 FAKE_NVCC=11.8 anew
  gpufx: not using */fake/bin/nvcc: release 11.8, and 12.0 is needed (glob)
  gpufx: installing 7 Python packages of setup/cuda.txt into .venv
  gpufx: configuring the build, CUDA ON for sm_90 with */x/.venv/cuda/bin/nvcc (glob)

None that the driver can run: the distribution's, if it has one and it may be installed.

  $ FAKE_DRIVER=12.4 FAKE_OFFER=13.1.80-1 anew
  gpufx: not using */fake/bin/nvcc: release 13.0, and the driver here runs CUDA up to 12.4 (glob)
  gpufx: the driver here runs CUDA up to 12.4: install a CUDA toolkit 12.x and name its nvcc by CUDACXX, or install a driver of 580 or newer, or build without CUDA by GPUFX_CUDA=OFF
  $ rm fake/bin/nvcc
  $ FAKE_DRIVER=12.4 FAKE_OFFER=12.4.131~12.4.1-2 FAKE_UID=1000 anew
  gpufx: the driver here runs CUDA up to 12.4: install a CUDA toolkit 12.x and name its nvcc by CUDACXX, or install a driver of 580 or newer, or build without CUDA by GPUFX_CUDA=OFF
  $ FAKE_DRIVER=11.4 anew
  gpufx: the driver here runs CUDA up to 11.4, and 12.0 is needed: install a driver of 525 or newer, or build without CUDA by GPUFX_CUDA=OFF
  $ FAKE_DRIVER=12.4 FAKE_OFFER=12.4.131~12.4.1-2 inside x/gpufx help 2>&1 | grep -m 1 CUDA
  gpufx: with apt-get, as root, if the distribution has it: a CUDA 12 compiler, for this driver
  $ FAKE_DRIVER=12.4 FAKE_NVCC=12.4 FAKE_OFFER=12.4.131~12.4.1-2 anew
  gpufx: as root: apt-get update; apt-get install -y --no-install-recommends -oDPkg::Lock::Timeout=300 nvidia-cuda-toolkit
  gpufx: installing nvidia-cuda-toolkit
  gpufx: configuring the build, CUDA ON for sm_90 with */fake/bin/nvcc (glob)

The headers that the recorder is built with come from a wheel where the toolkit, of CUDA 13, has none:

  $ mkdir -p kit/bin && ln -sf "$TESTDIR/stand_in" fake/bin/nvcc && printf '#!/bin/sh\nexec nvcc "$@"\n' >kit/bin/nvcc
  $ chmod +x kit/bin/nvcc
  $ headers() { CUDACXX=$PWD/kit/bin/nvcc anew >said; grep -c 'pip install.*setup/sanitizer.txt' fake/log
  >     grep -o 'DGPUFX_SANITIZER_INCLUDE=.*/x/.venv/cuda/include' fake/log | sed 's,=.*/x/,=,'; }
  $ FAKE_DRIVER=13.0 headers
  1
  DGPUFX_SANITIZER_INCLUDE=.venv/cuda/include
  $ FAKE_DRIVER=13.0 FAKE_NVCC=12.4 headers
  0
  $ mkdir -p kit/compute-sanitizer/include && touch kit/compute-sanitizer/include/sanitizer.h
  $ FAKE_DRIVER=13.0 headers
  0
