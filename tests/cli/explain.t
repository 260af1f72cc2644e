The lines of a program by what their accesses cost. What is missing is said before the program is started.

  $ GPUFX_ROOT=$(references)
  $ export GPUFX_RECORDER=$PWD/none GPUFX_SANITIZER=$PWD/none
  $ gpufx explain -- echo started
  gpufx explain: this build has no recorder, since it was made where the headers of NVIDIA's Compute Sanitizer are not; `./gpufx setup` installs and builds it, on a machine where CUDA is wanted
  [77]
  $ touch recorder; export GPUFX_RECORDER=$PWD/recorder
  $ gpufx explain -- echo started
  gpufx explain: there is no libsanitizer-public.so, by which accesses are recorded: it comes with CUDA's toolkit (compute-sanitizer) and with NVIDIA's Python package nvidia-cuda-sanitizer-api; install one, or name the file in GPUFX_SANITIZER
  [77]

A program that starts no kernel, or is none. Its options are its own.

  $ touch library; export GPUFX_SANITIZER=$PWD/library
  $ gpufx explain -- sh -c 'echo started --json "$@"; exit 3' sh --kernel -- x
  started --json --kernel -- x
  gpufx explain: no launch was recorded: the program started no CUDA kernel
  [3]
  $ gpufx explain -- ./nothing
  gpufx explain: './nothing' can't be started: No such file or directory
  [2]
  $ gpufx explain ./nothing
  gpufx explain: './nothing' can't be read: No such file or directory
  [2]
  $ gpufx explain library
  gpufx explain: 'library' is no trace; to run a program, write: gpufx explain -- library
  [2]
  $ gpufx explain echo --trace
  gpufx: unknown option --trace; `gpufx explain --help` lists them
  [2]

The program has the environment that gpufx had, and its input.

  $ printf 'one\ntwo\n' | PYTHONPATH=mine gpufx explain -- sh -c 'cat; echo $PYTHONPATH $OPENBLAS_NUM_THREADS' 2>/dev/null
  one
  two
  mine
  [77]
  $ CUDA_INJECTION64_PATH=other gpufx explain -- true
  gpufx explain: CUDA_INJECTION64_PATH is set, and another tool records through it; unset it
  [2]
