The lines of a program by what their accesses cost. What is missing is said before the program is started.

  $ GPUFX_ROOT=$(references)
  $ export GPUFX_RECORDER=$PWD/none GPUFX_SANITIZER=$PWD/none
  $ gpufx explain -- echo started
  gpufx explain: there is no recorder here: `./gpufx setup` builds it, with CUDA and the headers of NVIDIA's Compute Sanitizer, for a machine with a GPU; a trace needs neither that nor a GPU: gpufx explain */results/traces/pairs.fxtrace (glob)
  [77]
  $ touch recorder; export GPUFX_RECORDER=$PWD/recorder
  $ gpufx explain -- echo started
  gpufx explain: there is no libsanitizer-public.so, by which accesses are recorded: it comes with CUDA's toolkit (compute-sanitizer) and with NVIDIA's Python package nvidia-cuda-sanitizer-api; install one, or name the file in GPUFX_SANITIZER; a trace needs neither that nor a GPU: gpufx explain */results/traces/pairs.fxtrace (glob)
  [77]

A program that starts no kernel. Its options are its own.

  $ touch library; export GPUFX_SANITIZER=$PWD/library
  $ CUDA_VISIBLE_DEVICES= gpufx explain -- sh -c 'echo started --json "$@"; exit 3' sh --kernel -- x
  started --json --kernel -- x
  gpufx explain: no launch was recorded: *; use --record FILE where there is a GPU, and explain that trace here (glob)
  [3]
  $ CUDA_VISIBLE_DEVICES= gpufx explain --list -- true
  gpufx explain: no launch was recorded: *; use --record FILE where there is a GPU, and explain that trace here (glob)
  [77]

The program has the environment that gpufx had, and its input.

  $ printf 'one\ntwo\n' | PYTHONPATH=mine gpufx explain -- sh -c 'cat; echo $PYTHONPATH $OPENBLAS_NUM_THREADS' 2>/dev/null
  one
  two
  mine
  [77]

A trace answers without a GPU: a transpose through memory, and one through a tile of shared memory without padding.

  $ make_trace $TESTDIR/tools/transposes.json a.fxtrace
  $ gpufx explain a.fxtrace --archive h200 | sed 's/µ/u/g' >told; sed -n '1,15p; /^the other/,$p' told
  tiled takes the longest, 17 launches of 70.6 us, not explained; most to save:
    app.cu:12, at most 54 % (38.4 us of 70.6 us)
  ./app on NVIDIA H200 \(sm_90\), costs from run [0-9a-f]{8} (re)
  2 kernels, 18 launches (2 recorded, 8 of their 32,768 blocks: all alike)
  
  kernel  launches  predicted    ideal  bound by
  tiled         17    70.6 us  32.1 us  not explained
  naive          1     227 us  29.3 us  not explained
  
  1. app.cu:12, tiled: saves at most 54 % (38.4 us of 70.6 us)
     shared load of 4 bytes, 524,288 times a launch, all lanes active
     32 wavefronts per access, best 1; 32 cycles, best 1; 84 % of the kernel's
       memory cycles
     cure: padding: 4 bytes after every 128, float tile[32][32 + 1] (1 cycle
       instead of 32)
  the other 4 lines are ideal
  note: tiled is not explained: the trace has no machine code of it
  note: naive is not explained: the trace has no machine code of it
  note: what the L1 and the L2 serve is modelled: an L1 that the blocks of an SM
    share, and an L2 with what earlier recorded launches left
  note: lines that recorded blocks share with other blocks are not modelled as
    shared, so the share of DRAM may be too high
  $ awk 'length > 80' told
  $ gpufx explain a.fxtrace --archive h200 --fail-on 'saved>60%' >/dev/null
  gpufx explain: --fail-on 'saved>60%' can't be decided: a kernel that is not explained, or predicted more than a third off its measured time, is no evidence: tiled, naive; choose others with --kernel
  [3]
  $ gpufx explain a.fxtrace --archive h200 --kernel tiled --json | python3 -c "import json, sys; print([k['name'] for k in json.load(sys.stdin)['answer']['kernels']])"
  ['tiled(float*, float const*, int)']
  $ gpufx explain a.fxtrace --archive h200 --fail-on 'saved>60%' --kernel '^tiled' >/dev/null
  gpufx explain: --fail-on 'saved>60%' can't be decided: a kernel that is not explained, or predicted more than a third off its measured time, is no evidence: tiled; choose others with --kernel
  [3]
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --fail-on 'saved>60%' --kernel padded >/dev/null
  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --fail-on 'saved>20%' --kernel fort_native 2>/dev/null | sed 's/µ/u/g; s/…/.../' | sed -n '1,/^python3/p'
  cudnn_genera...1_kernel0_0 takes the longest, 26.5 us measured and 75.2 us
    predicted, not explained; what another access pattern would save is not known
  python3 tests/studies/explain/torch_ops.py --size 4096 on NVIDIA H200 (sm_90),
  $ gpufx explain a.fxtrace --archive h200 --kernel 'tiled|nosuch' --fail-on 'saved>99%' >out
  gpufx explain: --fail-on 'saved>99%' can't be decided: no kernel matches --kernel 'nosuch'; there are naive, tiled
  [3]

On another chip; on one that no archive knows; before and after a change.

  $ gpufx explain a.fxtrace --archive h100,h200 | sed -n 's/µ/u/g; s/, run .*//; 2,7p'
  1: NVIDIA H100 80GB HBM3
  2: NVIDIA H200
  
  kernel  measured     on 1  bound on 1        on 2  bound on 2
  tiled          -  70.9 us  not explained  70.6 us  not explained
  naive          -   267 us  not explained   227 us  not explained
  $ gpufx explain a.fxtrace --arch sm_75 | sed -n '1,3p'
  ./app on NVIDIA H200 (sm_90)
  no archive has fits for this chip, so there are counts but no cycles; name one
    with --archive
  $ sed 's/warp \* 128 + lane \* 4/warp * 132 + lane * 4/; s/lane \* 128 + warp \* 4/lane * 132 + warp * 4/' $TESTDIR/tools/transposes.json >padded.json
  $ make_trace padded.json b.fxtrace
  $ gpufx explain b.fxtrace --against a.fxtrace --archive h200 --fail-on 'slower>1%' | grep -A 3 now/before | sed 's/µ/u/g'
  gpufx explain: --fail-on 'slower>1%' can't be decided: a kernel that is not explained, or predicted more than a third off its measured time, is no evidence: tiled, naive; choose others with --kernel
  predicted of a launch, and an access     before      now  now/before
  tiled                                   70.6 us  32.1 us        0.46
    app.cu:12, shared load              32 cycles  1 cycle        0.03
  and 1 kernel that did not change: --all
  $ gpufx explain a.fxtrace --against b.fxtrace --archive h200 --fail-on 'slower>1%' >/dev/null
  gpufx explain: --fail-on 'slower>1%' is met: tiled takes 120 % longer
  [1]

What ends in the middle.

  $ make_trace --cut 700 $TESTDIR/tools/transposes.json cut.fxtrace
  $ gpufx explain cut.fxtrace --archive h200 --fail-on 'saved>99%' | grep ends
  gpufx explain: --fail-on 'saved>99%' can't be decided: the trace ends before its program did
  the trace ends before its program did; this is what was recorded until then
  $ head -c 3000 $GPUFX_ROOT/results/traces/pairs.fxtrace >begun.fxtrace
  $ gpufx explain begun.fxtrace --archive h200 | grep recorded$
  no access was recorded
  $ gpufx explain -q begun.fxtrace --archive h200 >/dev/null
  [77]
  $ head -c 276000 $GPUFX_ROOT/results/traces/pairs.fxtrace >in_the_middle.fxtrace
  $ gpufx explain in_the_middle.fxtrace --archive h200 --json | grep '"unknown": "'
        "unknown": "its records end before it did",
  $ zcat <$GPUFX_ROOT/results/traces/pairs.fxtrace | LC_ALL=C sed 's/"recorded":16}/"recorded":160}/' >uneven.fxtrace
  $ gpufx explain uneven.fxtrace --archive h200 --kernel hidden_p | grep -A 1 -E '^hidden_padded +8|is not explained' | sed 's/µ/u/g'
  hidden_padded         8    580 us      83 us  83 us  not explained
  
  --
  note: hidden_padded is not explained: its blocks do too different work for a
    sample: record more --blocks

A gate passes on no kernel that only one of the traces has, no program that failed, and no copy.

  $ pairs=$GPUFX_ROOT/results/traces/pairs.fxtrace
  $ zcat <$pairs | LC_ALL=C sed 's/transpose_padded/transpose_paddex/g' >renamed.fxtrace
  $ zcat <$pairs | LC_ALL=C sed 's/{"status":0,"signal":null/{"status":0,"signal":11/' >killed.fxtrace
  $ zcat <$pairs >copy.fxtrace
  $ gate() { gpufx explain $1 --archive h200 --against $2 --kernel 'transpose_[dp]' --fail-on 'slower > 5' --format github 2>/dev/null | cut -c1-142; }
  $ gate $pairs renamed.fxtrace; gate $pairs copy.fxtrace
  ::warning title=gpufx explain::--fail-on 'slower>5%25' can't be decided: not in both traces: transpose_padded is new, transpose_paddex is gone
  ::warning title=gpufx explain::--fail-on 'slower>5%25' can't be decided: both traces are of one recording
  $ gpufx explain killed.fxtrace --archive h200 --kernel transpose_padded --fail-on 'saved>99.9' | grep signal
  gpufx explain: --fail-on 'saved>99.9%' can't be decided: the program was killed by signal 11
  the program was killed by signal 11; this is what was recorded until then

The pages of findings, savings and ladders have what the traces say.

  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --json | python3 $GPUFX_ROOT/tests/studies/explain/tables.py findings | grep -vxFf $GPUFX_ROOT/docs/explain_pytorch.md
  [1]
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --json | python3 $GPUFX_ROOT/tests/studies/explain/tables.py savings | grep -vxFf $GPUFX_ROOT/docs/explain.md
  [1]
  $ python3 $GPUFX_ROOT/tests/studies/explain/tables.py ladders < $GPUFX_ROOT/results/traces/times.txt | grep -vxFf $GPUFX_ROOT/docs/explain_ladders.md
  [1]
  $ grep -m 5 -E '^(judged|looked at)' $GPUFX_ROOT/results/traces/times.txt | sed 's/^/    /' | grep -vxFf $GPUFX_ROOT/docs/explain.md
  [1]

A trace with machine code has times by a replay: two kernels of one run, annotations, a file for code scanning.

  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --kernel 'columns|hidden_p' --against-kernel columns_conflicting:columns_padded | sed 's/µ/u/g' | sed -n '1,/^the/p'
  columns_padded instead of columns_conflicting: measured 550 us instead of
    16.5 ms, predicted 542 us instead of 16 ms
  
  predicted of a launch, and an access     before      now  now/before
  columns_padded                            16 ms   542 us        0.03
    pairs.cu:103, shared load           32 cycles  1 cycle        0.03
  the whole report: --all
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --kernel columns_c | grep 'cure:'
     cure: padding: 4 bytes after every 128, float tile[32][32 + 1] (1 cycle
  $ gpufx explain -q $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h100 --kernel columns | grep -o 'costs from run'
  costs from run
  $ gpufx explain -q $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h100 --kernel columns --against-kernel columns_c:columns_p | grep -o ' on .*s instead .*'
   on NVIDIA H200, predicted 520 µs instead of 16.9 ms on NVIDIA H100
  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --kernel im2col --all | grep -A2 ', 1 %$' | tail -n 3
    +0x16f0, 1 %
    spread over 243 other instructions, 71 %: issue slots 41 %, dependent
      arithmetic 16 %, arithmetic units 9 %
  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --kernel softmax
  gpufx explain: no kernel matches --kernel 'softmax'; only the case of letters differs from cunn_SoftMaxForwardReg<float, …SoftMaxForwardEpilogue, long…
  [2]
  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --kernel 'fort_native|rows_kernel' | grep 'lines: compile'
  note: 1 kernel without source lines: compile with nvcc -lineinfo
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --kernel columns --format github --fail-on 'saved>99%, saved>9%' 2>/dev/null | cut -c1-119
  ::error file=/usr/src/gpufx/tests/studies/explain/pairs.cu,line=103,title=gpufx explain::--fail-on 'saved>9%25' is met:
  ::warning file=/usr/src/gpufx/tests/studies/explain/pairs.cu,line=103,title=gpufx explain::columns_conflicting: saves a
  $ mkdir -p checkout/.git checkout/explain && touch checkout/explain/pairs.cu && (cd checkout/explain && gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --kernel columns --format github | cut -c1-36)
  ::warning file=explain/pairs.cu,line
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --format sarif --fail-on 'saved>50%' 2>met | grep '"level"' | sort | uniq -c
        3           "level": "error",
        2           "level": "warning",
  $ gpufx explain $GPUFX_ROOT/results/traces/pairs.fxtrace --archive h200 --against-kernel transpose_padded:transpose_direct --format sarif --fail-on 'slower>5%, slower>900%' 2>/dev/null | grep -A 9 'is met' | grep -o 'is met.*longer\|"startLine.*'
  is met: transpose_direct takes 501 % longer
  "startLine": 27
  $ gpufx explain $GPUFX_ROOT/results/traces/pytorch.fxtrace --archive h200 --format sarif --fail-on 'saved>90%' 2>/dev/null | grep -o '"executionSuccessful.*\|can.t be decided'
  "executionSuccessful": false,
  can't be decided
  $ grep -o 'is met.*pairs.cu:.*' met | sed 's/.*pairs.cu://'
  103 in columns_conflicting could save 96 %
  30 in transpose_direct could save 84 %
  69 in copy_rows could save 80 %

What is refused, a stranger's traces among it.

  $ head -c 300 a.fxtrace >short.fxtrace; printf '\037\213 no trace' >bad
  $ printf '{"gpufx_trace":1}\n{"records":{"launch":9,"count":9},"bytes":1}\nx\n' >worse
  $ refused gpufx explain <<'END'
  > './nothing' can't be started: No such file or directory|-- ./nothing
  > './nothing' can't be read: No such file or directory|./nothing
  > 'library' is not a trace; to run a program, write: gpufx explain -- library|library
  > 'short.fxtrace' is not a trace: it does not begin with {"gpufx_trace":1,...|short.fxtrace --archive h200
  > 'bad' is not a trace: it does not begin with {"gpufx_trace":1,...|bad
  > 'worse', frame 2: the number of records does not match their bytes, or is too large|worse
  > no archive is named 'nowhere'|a.fxtrace --archive nowhere
  > no kernel matches --kernel 'nosuch'; there are naive, tiled|a.fxtrace --archive h200 --kernel nosuch --fail-on 'saved>20%'
  > must be part of one of these names: columns_conflicting, columns_padded|$GPUFX_ROOT/results/traces/pairs.fxtrace --against-kernel columns:x
  > --list only applies to a program after --; leave it out|--list a.fxtrace
  > --list and --json exclude each other; leave one out|--list --json -- ./app
  > --format and --json exclude each other; leave one out|$GPUFX_ROOT/results/traces/pairs.fxtrace --format sarif --json
  > END
  $ CUDA_INJECTION64_PATH=other gpufx explain -- true
  gpufx explain: CUDA_INJECTION64_PATH is set, so another tool uses the injection; unset it
  [2]
