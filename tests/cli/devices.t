Several devices: a process and an archive each, one after the other.

  $ both=synthetic:generic,synthetic:planted
  $ gpufx run null --device $both --label rack=7 --out turn >lines; grep -c '^device synthetic:generic: ' lines
  3
  $ grep -v '^device synthetic:[a-z]*: ' lines
  device synthetic:generic (1 of 2)
  
  device synthetic:planted (2 of 2)
  $ archive turn/* | sort | uniq -c | sed 's/^ *//'
  2 synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete

What each archive says of its own command line is what would measure it again; names of hosts are kept when asked for.

  $ head_of() { zcat turn/*.gz | grep '"type":"run"' | "$GPUFX_PYTHON" -c "import json, sys; [print($1) for r in map(json.loads, sys.stdin)]" | sort; }
  $ head_of 'r["arguments"][:4], r["labels"], r["host"].get("name")'
  ['run', 'null', '--device', 'synthetic:generic,synthetic:planted'] {'rack': '7'} None
  ['run', 'null', '--device', 'synthetic:generic,synthetic:planted'] {'rack': '7'} None

The exit status is the first one that says that something is wrong; the others are measured all the same.

  $ gpufx run bank_conflict --filter 'mode:throughput/op:load/width:4/pattern:stride/stride:(1|2|32|63)$' --out wrong \
  >     --device synthetic:$TESTDIR/tools/device.json,synthetic:generic >first 2>told; echo $?
  1
  $ ls wrong | wc -l
  2

A signal reaches the one that runs, and what was measured is kept; those that had not begun are not begun.

  $ gpufx run bank_conflict --device $both --benchmark_repetitions=200 --out d >/dev/null 2>told & pid=$!
  $ wait_for_lines d 100; kill -TERM $pid; wait $pid
  [143]
  $ grep -c '^gpufx: device synthetic:generic: interrupted; the archive has' told
  1
  $ archive d/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted

characterize shows each.

  $ mkdir -p root/results; ln -s $GPUFX_ROOT/plot $GPUFX_ROOT/harness root; ln -s $GPUFX_ROOT/results/schema root/results
  $ GPUFX_ROOT=$PWD/root GPUFX_HOME=$PWD/root gpufx characterize transfer --quick --device $both >first
  $ grep -c '^every probe\|^6 of\|quantities determined' first
  2

What one GPU alone can't have is said once, and counts as nothing that is missing.

  $ sed -e 's/"gpu_count": 4/"gpu_count": 1/' $GPUFX_ROOT/harness/core/synthetic/generic.json >alone.json
  $ gpufx run peer host_sharing --device synthetic:$PWD/alone.json --out one >first
  $ grep measured, first | sed 's/ in .*//'
  peer: 2 measured, 7 waived
  host_sharing: 10 measured, 1 waived
  12 measured, 8 waived, 0 failed
  $ gpufx sheet one/* | sed -n '/determined$/,$p' | tr -s ' '
  run *: * quantities determined (glob)
   3 values of host_sharing waived: the device is the only GPU that this process
   can use
   12 values of peer waived: the device is the only GPU that this process can use
   host.*: depends on the host, its driver and load as much as on the card

Without a GPU. (Mistakes in a list of devices: tests/unit/test_devices.c.)

  $ for d in all 0,1; do gpufx run null --device $d; echo $?; done
  gpufx: --device all: there is no CUDA device (*); `gpufx info` says more, --device synthetic:generic needs none (glob)
  77
  gpufx: --device 0: there is no CUDA device (*); `gpufx info` says more, --device synthetic:generic needs none (glob)
  77
  $ gpufx sheet turn/*.gz --format csv | head -n 1 | cut -d , -f 1-3
  run,device_name,quantity

Facts of this machine. It sees no GPU, and says why.

  $ export COLUMNS=200
  $ gpufx info | head -n 3
  No CUDA device (*). Everything but measuring works; --device synthetic:NAME simulates one. (glob)
  device
    name                           Synthetic generic GPU
  $ gpufx info | grep -A 2 synthetic_devices
  synthetic_devices
    synthetic:generic
    synthetic:planted
  $ gpufx info --device synthetic:$TESTDIR/tools/device.json | sed -n '2,3p; /shared_per_block/p'
  device
    name                           Synthetic test GPU
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

A GPU that is in the machine and that CUDA does not see is an error, unless it is hidden, or the build is without CUDA.

  $ bus() { mkdir -p pci/$1; echo pci:v0000$2d00002330sv000010DEsd000016C1bc$3sc02i00 >pci/$1/modalias; }
  $ bus 0000:00:02.0 8086 03; bus 0000:3b:00.1 10DE 04 # somebody else's display, the sound of a card
  $ export GPUFX_PCI_DEVICES=$PWD/pci; (unset CUDA_VISIBLE_DEVICES; gpufx info >/dev/null)
  $ bus 0000:3b:00.0 10DE 03; gpufx info >/dev/null
  $ unset CUDA_VISIBLE_DEVICES
  $ expected() { gpufx info --json 2>/dev/null | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > print(0 if told["cuda_devices"] or told["no_cuda_device"] == "built without CUDA" else 77)'; }
  $ gpufx info >/dev/null 2>said; test $? = $(expected) && echo as expected
  as expected
  $ test $(expected) = 0 || grep -c '^gpufx: the driver is broken or not loaded: the PCI bus has an NVIDIA GPU, and CUDA reports: ' said >/dev/null
