What makes a build stale, and what does not.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ checkout x
  $ for tool in apt-get id python3 nvcc cuobjdump nvidia-smi cmake ninja gcc g++ pkg-config; do
  >     ln -s "$TESTDIR/stand_in" fake/bin/$tool
  > done
  $ touch fake/has-libbenchmark-dev fake/has-libjansson-dev fake/has-zlib1g-dev fake/has-libcmocka-dev fake/has-python3-venv
  $ inside x/gpufx run 2>/dev/null; inside x/gpufx run
  ran run
  ran run

An edited source does, and only verbs that measure build.

  $ touch -d '-1 hour' x/build/stamp; touch x/micro/probe.cu
  $ inside x/gpufx list
  gpufx: the build or the Python packages are out of date: ./gpufx setup updates them
  ran list
  $ for call in help 'run --help' --version; do inside x/gpufx $call; done | paste -s -d ' '
  ran help ran run --help ran --version
  $ inside x/gpufx run
  gpufx: building
  ran run
  $ inside x/gpufx list
  ran list

A program that a full disk left empty is built again.

  $ : >x/build/bin/gpufx
  $ inside x/gpufx list 2>&1 | head -n 1 | cut -c 1-20
  gpufx: not built yet
  $ inside x/gpufx run
  gpufx: building
  ran run

A source dated in the future is said once; an edit of it counts.

  $ touch -d 2060-01-01 x/micro/probe.cu
  $ inside x/gpufx run
  gpufx: dated in the future, and rebuilt when that comes: micro/probe.cu (of 1); 'touch' ends that
  gpufx: building
  ran run
  $ inside x/gpufx run
  ran run
  $ touch x/micro/probe.cu
  $ inside x/gpufx run
  gpufx: building
  ran run

The choice of a build without CUDA stays until another is made; so do the compilers.

  $ GPUFX_CUDA=OFF CC=gcc inside x/gpufx run
  gpufx: configuring the build, CUDA OFF
  gpufx: building
  ran run
  $ inside x/gpufx run
  ran run
  $ GPUFX_CUDA=ON inside x/gpufx run
  gpufx: configuring the build, CUDA ON for sm_90 with */fake/bin/nvcc (glob)
  gpufx: building
  ran run
  $ grep -c '^CC=gcc' x/build/settings
  1
  $ CC= inside x/gpufx run 2>&1 | tail -n 1; inside x/gpufx run; grep '^CC=' x/build/settings
  ran run
  ran run
  CC=

Another GPU matters only where the program has no code for it; what it has, it keeps.

  $ GPUFX_TEST_GPUS=$PWD/gpus; export GPUFX_TEST_GPUS
  $ gpu() { rm -rf gpus; mkdir -p gpus/0; echo "Model:  $1" >gpus/0/information; FAKE_GPUS=$2; export FAKE_GPUS; }
  $ gpu 'NVIDIA H200' 9.0
  $ : >fake/log; inside x/gpufx run; inside x/gpufx run; cut -d ' ' -f 1 fake/log
  ran run
  ran run
  nvcc
  nvidia-smi
  $ gpu 'NVIDIA A100' 8.0
  $ inside x/gpufx list
  ran list
  $ inside x/gpufx run; inside x/gpufx run
  gpufx: configuring the build, CUDA ON for sm_80, sm_90 with */fake/bin/nvcc (glob)
  gpufx: building
  ran run
  ran run
  $ : >fake/log; gpu 'NVIDIA H200' 9.0; inside x/gpufx run; cat fake/log
  ran run
  $ gpu 'NVIDIA A30' 8.0; inside x/gpufx run; cut -d ' ' -f 1 fake/log
  ran run
  nvcc
  nvidia-smi
