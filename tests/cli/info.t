Facts of this machine. It sees no GPU, and says why.

  $ export COLUMNS=200
  $ gpufx info | head -n 3
  No CUDA device (*). Everything but measuring works; --device synthetic:NAME simulates one. (glob)
  device
    name                           Synthetic generic GPU
  $ gpufx info | grep -A 1 program
  program
    name                           gpufx
  $ gpufx info | grep -A 2 synthetic_devices
  synthetic_devices
    synthetic:generic
    synthetic:planted
  $ gpufx info --device synthetic:$TESTDIR/tools/device.json | sed -n '2,10p'
  device
    name                           Synthetic test GPU
    slug                           synthetic-test-gpu
    arch                           sm_90
    compute_major                  9
    compute_minor                  0
    sm_count                       4
    warps_per_sm                   64
    shared_per_block_bytes         232448
  $ gpufx info --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > facts = json.load(sys.stdin)["answer"]
  > print(*facts)
  > print(*facts["program"])
  > print(*facts["host"])'
  program law_version laws host cuda_devices no_cuda_device opened not_opened broken synthetic_devices
  name version commit dirty build_type c_compiler cuda_compiler cuda_architectures google_benchmark harness_hash
  cpu logical_cpus memory_bytes os kernel machine virtualised
  $ gpufx info 0
  gpufx: unexpected argument '0'; write gpufx info [OPTION...]
  [2]

A GPU that is in the machine and that CUDA does not see is an error, unless it is hidden, or the build is without CUDA.

  $ mkdir -p pci/0000:3b:00.0; echo 0x10de >pci/0000:3b:00.0/vendor; echo 0x030200 >pci/0000:3b:00.0/class
  $ GPUFX_PCI_DEVICES=$PWD/pci gpufx info >/dev/null
  $ unset CUDA_VISIBLE_DEVICES; export GPUFX_PCI_DEVICES=$PWD/pci
  $ expected() { gpufx info --json 2>/dev/null | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > print(0 if told["cuda_devices"] or told["no_cuda_device"] == "built without CUDA" else 77)'; }
  $ gpufx info >/dev/null 2>said; test $? = $(expected) && echo as expected
  as expected
  $ test $(expected) = 0 || grep -c '^gpufx: the driver is broken or not loaded: 1 NVIDIA GPU is on the PCI bus (0000:3b:00.0), and CUDA reports: ' said >/dev/null
