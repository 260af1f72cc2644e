What can be measured.

  $ export COLUMNS=200
  $ gpufx list null
  null: What does the harness itself cost per case?
    sweep  null         (one case)
    metric overhead_ns  in ns, by host_ns, lower is better
    1 case
  $ gpufx list bank_conflict --filter 'mode:throughput/op:load/width:4/pattern:stride/stride:(1|32)$' --cases |
  > grep -E -v 'sweep|axis   (mode|width|pattern|offset|words|seed)'
  bank_conflict: What does a shared-memory access cost when lanes of a warp hit the same bank?
    axis   op           load store atomic_add atomic_cas; instruction (default load)
    axis   stride       0 to 64 elements; distance between neighbouring lanes (default 1)
    metric access_cycles in cycles, by sm_cycles, lower is better
    2 cases
      bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:1
      bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:32
  $ gpufx list null --json --cases | "$GPUFX_PYTHON" -c '
  > import json, sys
  > probe, = json.load(sys.stdin)["answer"]
  > case, = probe.pop("cases")
  > print(*probe)
  > print(case)
  > print({k: v for k, v in probe.items() if k in ("question", "axes", "sweeps", "case_count", "sass", "code", "aims")})'
  name question method_version axes sweeps metrics extras sass counters case_count fatbin aims drawn_by sanitized claims
  {'name': 'null', 'sweep': 'null', 'params': {}, 'metric': 'overhead_ns', 'law': None, 'counts': {}, 'counters': [], 'lanes': None, 'waived': None, 'kernels': []}
  {'question': 'What does the harness itself cost per case?', 'axes': [], 'sweeps': [{'name': 'null', 'axes': '', 'quick': ''}], 'sass': [], 'case_count': 1, 'aims': []}
  $ gpufx list bank_conflict --axis stride=3 --axis op=load --filter stride:3 --json --cases | "$GPUFX_PYTHON" -c '
  > import json, sys
  > case = json.load(sys.stdin)["answer"][0]["cases"][0]
  > print(*(case[key] for key in ("name", "params", "law", "counts", "counters", "kernels")), case["lanes"][-2:])'
  bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:3 {'mode': 'throughput', 'op': 'load', 'width': 4, 'pattern': 'stride', 'stride': 3, 'offset': 0, 'words': 32, 'seed': 0} {'name': 'wavefronts', 'count': 1.0, 'in_fit': True} {'wavefronts': 1.0, 'store_wavefronts': 1.0, 'bank_lanes': 1.0, 'phases': 1.0, 'distinct': 32.0} [{'counter': 0, 'count': 1.0}] ['chase<0, 4, 4>'] [360, 372]
  $ gpufx list bank_conflict --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > print(json.load(sys.stdin)["answer"][0]["counters"][0])'
  {'where': '*', 'count': 'wavefronts', 'scale': 1.0, 'metric': 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum', 'over': 'smsp__inst_executed_op_shared_ld.sum', 'relative': 0.01, 'absolute': 0.02} (glob)
  $ gpufx list null null --cases | grep -c '^null'
  1

All probes in a line or two each; what is longer than the screen goes on at words, and long lists behind commas.

  $ COLUMNS=80 gpufx list | grep -A 1 "^atomics"
  atomics: What does an atomic operation cost on one SM, by memory, operation and
      contention? (230 cases)
  $ for columns in 80 200; do COLUMNS=$columns gpufx list --quick | wc -L | awk "\$1 > $columns"; done
  $ COLUMNS=200 gpufx list access_order --quick | grep 'sweep  size'
    sweep  size         order=chunked,interleaved,blocked blocks=0 width=4 size=256Mi
  $ COLUMNS=80 gpufx list access_order --quick | grep -A 1 'axis   order'
    axis   order        chunked interleaved blocked; assignment of elements to
                        threads (default interleaved)
