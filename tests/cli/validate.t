The instrument checked: what this machine can't check is waived, with the reason.

  $ gpufx validate --sass null
  check  what  cases  agree  off  waived  failed  verdict
  sass   all       0      0    0       0       0  waived
  sass: * (glob)
  [77]
  $ COLUMNS=200 gpufx validate --counters
  check     what  cases  agree  off  waived  failed  verdict
  counters  all       0      0    0       0       0  waived
  counters: there is no CUDA device (*). (glob)
  [77]
  $ gpufx validate --counters --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > print(told["exit_status"], [(row["check"], row["verdict"]) for row in told["rows"]])'
  77 [('counters', 'waived')]

From here on a program that says it has a GPU, and an ncu that makes its counters from the laws.

  $ GPUFX_PRETENDER=$GPUFX_ROOT/harness/validate/tests/fake/pretender; export GPUFX_PRETENDER
  $ PATH=$GPUFX_ROOT/harness/validate/tests/fake:$PATH

Everything agrees.

  $ gpufx validate --counters bank_conflict null --quick --filter 'width:4/pattern:stride' 2>&1 | sed '/^ *law/,$d'
  gpufx validate: 16 cases of bank_conflict * op=load under ncu (glob)
  gpufx validate: 4 cases of bank_conflict op=atomic_add under ncu
  check     what * cases  agree  off  waived  failed  verdict (glob)
  counters  bank_conflict * op=load: wavefronts * 16     16    0       0       0  agrees (glob)
  counters  bank_conflict op=atomic_add: bank_lanes * 4      4    0       0       0  agrees (glob)
  

A counter that differs from the law.

  $ FAKE_NCU=differs gpufx validate --counters bank_conflict --filter 'pattern:stride/stride:[12]$' 2>/dev/null >told
  [1]
  $ grep -e 'store: ' -e DIFFERS told
  counters  bank_conflict * op=store: store_wavefronts * 6      3    0       0       3  FAILED (glob)
  bank_conflict * op=store: store_wavefronts = l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum per smsp__inst_executed_op_shared_st.sum (glob)
          1          2  DIFFERS  bank_conflict/mode:throughput/op:store/width:4/pattern:stride/stride:1
          2          3  DIFFERS  bank_conflict/mode:throughput/op:store/width:8/pattern:stride/stride:1
          4          5  DIFFERS  bank_conflict/mode:throughput/op:store/width:16/pattern:stride/stride:1

Random patterns: measured on a device that says it is real, predicted by the fits of its earlier archive, which is the same
device's.

  $ mkdir -p root/results/sm_90/own; for f in plot validate harness micro results/schema; do ln -s $GPUFX_ROOT/$f root/$f; done
  $ gpufx run pattern coalescing --out base >/dev/null 2>&1
  $ reseal base/* root/results/sm_90/own/base.jsonl '1s/"synthetic"/"measured"/'
  $ patterns() { GPUFX_ROOT=$PWD/root gpufx validate --patterns --quick --filter 'memory:(shared/op:load|l1|l2/op:load)/.*width:4/|level:dram' "$@" 2>/dev/null; }
  $ patterns | grep '^patterns  ' | tr -s ' '
  patterns level=dram op=load order=random: within 10 % of the law 5 5 0 0 0 agrees
  patterns memory=shared op=load: within 2 % of the law 18 18 0 0 0 agrees
  patterns memory=l1 op=load: within 5 % of the law 18 18 0 0 0 agrees
  patterns memory=l2 op=load: within 5 % of the law 18 18 0 0 0 agrees
  $ rm -r base root

No permission: said once.

  $ FAKE_NCU=denied gpufx validate --counters bank_conflict --quick | grep -v 'what ncu'
  gpufx validate: 63 cases of bank_conflict * op=load under ncu (glob)
  check     what * cases  agree  off  waived  failed  verdict (glob)
  counters  bank_conflict * op=load: wavefronts * 63      0    0      63       0  waived (glob)
  counters  bank_conflict op=atomic_add: bank_lanes * 4      0    0       4       0  waived (glob)
  counters: this user may not read the GPU's performance counters
    (ERR_NVGPUCTRPERM): run as root, or have the driver loaded with
    NVreg_RestrictProfilingToAdminUsers=0.
  
  $ FAKE_NCU=denied gpufx validate --counters bank_conflict --quick >/dev/null 2>&1
  [77]

Wrong use.

  $ refused gpufx validate <<'END'
  > unknown probe 'bank_conflit'; did you mean 'bank_conflict'?|bank_conflit
  > --filter [ is not an extended regular expression|--sass --filter '['
  > END
