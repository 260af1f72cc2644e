A run, and the archive that it leaves.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run null --device $device --out a
  null: 1 measured in *.* s (glob)
  1 measured, 0 waived, 0 failed in *.* s (glob)
  archive: */a/*.jsonl.gz (glob)
  $ archive a/*
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete
  $ staircase='mode:throughput/op:load/width:4/pattern:stride/stride:'
  $ gpufx run bank_conflict null --filter "$staircase(1|2|32|63)\$|null" --device $device --out b
  gpufx: bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:63 failed: a sample was -1000 cycles instead of a finite number above 0, so the case is discarded; run it again, and report it if it persists
  bank_conflict: 3 measured, 1 failed in *.* s; 1 fit* (glob)
  null: 1 measured in *.* s (glob)
  4 measured, 0 waived, 1 failed in *.* s (glob)
  archive: */b/*.jsonl.gz (glob)
  [1]
  $ archive b/*
  synthetic case=4 waived=0 failed=1 fit=2 processes=1 complete
  $ zcat b/* | grep -o '"process":[^,]*,"probe":"bank_conflict","group".*"law":"wavefronts","metric":"access_cycles","n":[0-9]*'
  "process":0,"probe":"bank_conflict","group":{"mode":"throughput","op":"load"},"law":"wavefronts","metric":"access_cycles","n":3
  "process":null,"probe":"bank_conflict","group":{"mode":"throughput","op":"load"},"law":"wavefronts","metric":"access_cycles","n":3
  $ gpufx run bank_conflict --quick --device $device --no-archive --axis stride=1,2 --axis op=load --filter "$staircase"
  bank_conflict: 2 measured in *.* s (glob)
  2 measured, 0 waived, 0 failed in *.* s (glob)
  $ ls
  a
  b

Without a GPU and without --device the synthetic device stands in, and says so once; --quiet says nothing.

  $ gpufx run null --out quiet -q; ls quiet | wc -l
  1
  $ gpufx run null --out c >/dev/null; archive c/*
  gpufx: no CUDA device (*): running on the synthetic device 'generic', whose numbers are made up (glob)
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete

Every case waived: nothing could be run. A probe without a model has nothing to say on this device.

  $ probe=$(gpufx list | grep '^[a-z]' | cut -d: -f1 | grep -v -x -e null -e bank_conflict | head -n 1)
  $ case_name=$(gpufx list $probe --quick --cases | tail -n 1 | tr -d ' ')
  $ gpufx run $probe --quick --filter "^$case_name$" --device $device --out d | sed "s/$probe/PROBE/; 2,3d"; archive d/*
  PROBE: 0 measured, 1 waived in *.* s (glob)
  synthetic case=0 waived=1 failed=0 fit=0 processes=1 complete
  $ gpufx run $probe --quick --filter "^$case_name$" --device $device --no-archive >/dev/null
  [77]

Processes of their own, one archive.

  $ gpufx run bank_conflict --filter "$staircase(1|2|32)\$" --device $device --out e --processes 3 | sed 's/ in .* s//' | uniq -c | head -n 2; archive e/*
        3 bank_conflict: 3 measured; 1 fit
        1 9 measured, 0 waived, 0 failed
  synthetic case=9 waived=0 failed=0 fit=4 processes=3 complete
A probe that was named and has no such case is not left out in silence.
  $ gpufx run null bank_conflict --axis stride=3 --axis offset=16 --axis mode=latency --device synthetic:generic --processes 2 --no-archive >/dev/null
  gpufx: no sweep of bank_conflict has these values, so it is skipped; `gpufx list bank_conflict` prints the sweeps

As many processes as a case needs: two of everything, and up to five of what differs between them. A case that is waived or
fails in both is not run again. One line is fitted over all processes; a process of some cases alone draws none.

  $ altered test 'models.insert(0, {"probe": "bank_conflict", "match": {"stride": 32}, "a": 3, "b": 2, "noise_pct": 0.01,
  >   "process_spread_pct": 4})' >noisy.json
  $ gpufx run bank_conflict --filter "$staircase([1-9]|32|63)\$" --device synthetic:./noisy.json --out need --processes auto 2>warned | sed 's/ in .* s//' | uniq -c | head -n 2; archive need/*
        2 bank_conflict: 10 measured, 1 failed; 1 fit
        3 bank_conflict: 1 measured
  synthetic case=23 waived=0 failed=2 fit=3 processes=5 complete

Google Benchmark's own report.

  $ gpufx run null --device $device --out g --benchmark_out=told >progress; "$GPUFX_PYTHON" -c '
  > import json
  > run, = json.load(open("told"))["benchmarks"]
  > print(run["name"], run["iterations"], run["label"], run["samples"])'
  null/iterations:1/manual_time 1 precision 32.0
  $ cut -d ' ' -f 1-3 progress
  null: 1 measured
  1 measured, 0
  archive: */g/*.jsonl.gz (glob)
  $ gpufx run bank_conflict --filter "$staircase(1|2)\$" --device $device --no-archive --benchmark_out=told --benchmark_out_format=csv >/dev/null
  $ grep -c '^"bank_conflict' told
  2
  $ gpufx run bank_conflict --quick --device $device --benchmark_list_tests | head -n 2
  bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:0/iterations:1/manual_time
  bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:1/iterations:1/manual_time
  $ gpufx run null --device $device --out h --benchmark_repetitions=3 >/dev/null; archive h/*
  synthetic case=3 waived=0 failed=0 fit=0 processes=1 complete

As one object of JSON.

  $ gpufx run null --quick --device synthetic:generic --json -q --out json | grep -c '"verb": "run"'
  1

Exactly as many samples as asked, the first one included.

  $ gpufx run null --device $device --samples 1 --out i >/dev/null
  $ zcat i/* | grep -o '"n":.*"stop":"[a-z_]*"'; zcat i/* | grep -o '"samples":.*'; zcat i/* | grep -o '"profiled":[a-z]*'
  "n":1,"median":*,"ci95":null,"outliers":0,"lag1":0,"intercept":null,"stop":"max_samples" (glob)
  "samples":[*]} (glob)
  "profiled":false
  $ gpufx run null --device $device --samples 250 --processes 2 --out j >/dev/null; zcat j/* | grep -o '"n":[0-9]*'
  "n":250
  "n":250

Under a profiler: said by the option, or by what Nsight leaves in the environment.

  $ gpufx run null --device $device --profiled --out k >/dev/null; zcat k/* | grep -c '"profiled":true'; archive k/*
  1
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete
  $ for name in NV_NSIGHT_INJECTION_PORT_BASE NSYS_PROFILING_SESSION_ID CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH; do
  >   env $name=1 gpufx run null --device $device --out l$name >/dev/null; zcat l$name/* | grep -q '"profiled":true' || echo $name
  > done

Where files are kept is nobody's business: the words after --out, and other paths, are not in the archive.

  $ cp "${device#synthetic:}" mine.json
  $ gpufx run null --device=synthetic:./mine.json --out where/i/live --benchmark_out=/tmp/../$PWD/x.json >/dev/null
  $ zcat where/i/live/* | head -n 1 | grep -o '"arguments":[^]]*'
  "arguments":["run","null","--device=synthetic:...","--out","...","--benchmark_out=..."
  $ zcat where/i/live/* | grep -c -e i/live -e /tmp
  0
  [1]
  $ gpufx run bank_conflict --device $device --filter "$staircase(1|2)\$" --out o >/dev/null
  $ zcat o/* | head -n 1 | grep -o "$staircase.*\"," | cut -d, -f1
  mode:throughput/op:load/width:4/pattern:stride/stride:(1|2)$"

Words of one's own.

  $ gpufx run null --device $device --label node=a7 --label when="after lunch" --out p >/dev/null
  $ zcat p/* | grep -o '"labels":{[^}]*}'
  "labels":{"node":"a7","when":"after lunch"}

Each process has an order of its own, which its seed gives; a probe stays together.

  $ gpufx run bank_conflict null --quick --device $device --out r --processes 2 --seed 7 >/dev/null
  $ gpufx run bank_conflict null --quick --device $device --out s --processes 2 --seed 7 >/dev/null
  $ order() { zcat $1/* | grep "\"case\",\"process\":$2," | grep -o '"place":.*"probe"' | cut -d, -f1,2; }
  $ order r 0 >r0; order r 1 >r1; order s 1 >s1; wc -l <r0; cmp r1 s1; cmp -s r0 r1
  70
  [1]
  $ sort r0 -t: -k3 | cut -d: -f3- >one; sort r1 -t: -k3 | cut -d: -f3- >two; cmp one two
  $ seq 0 69 >places; cut -d: -f2 r0 | cut -d, -f1 | cmp - places
  $ cut -d'"' -f6 r0 | cut -d/ -f1 | uniq | wc -l
  2

The sources of every probe, and of the harness, have a hash; the machine code of a device that is none has not.

  $ gpufx run null bank_conflict --quick --device $device --out t >/dev/null
  $ zcat t/* | head -n 1 | grep -c '"harness_hash":"[0-9a-f]\{16\}"'
  1
  $ zcat t/* | head -n 1 | grep -o '"source_hash":"[0-9a-f]\{16\}"' | sort -u | wc -l
  2
  $ zcat t/* | grep -c '"code":null,"memory":null,"sms":null,"lengths":null'
  70
