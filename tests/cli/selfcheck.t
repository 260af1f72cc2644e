A device compared with itself. One that is steady is the same; ten processes in turns of two sides, one archive.

  $ gpufx selfcheck bank_conflict --axis op=load --axis mode=throughput --quick --device synthetic:generic --out a >told; echo $?
  3
  $ tail -n 11 told
  archive: */a/*.jsonl.gz (glob)
  Synthetic generic GPU (sm_90), driver synthetic, *, 10 processes, SYNTHETIC (glob)
  */a/*.jsonl.gz (glob)
  processes A: 0 3 4 7 8, B: 1 2 5 6 9
  
  probe          cases  SAME  UNSURE  unsure  intervals that exclude 0  false alarms
  bank_conflict * 0 * 0.00 % * 0 (glob)
  all * 0 * 0.00 % * 0 (glob)
  
  undecided: 0 false alarms in * cases at a margin of 1 %; to be sure that fewer than 1 % are, take more cases. (glob)
  * % of the 95 % intervals exclude zero; 5 % should. (glob)
  $ archive a/* | sed 's/case=[0-9]* //'
  synthetic waived=0 failed=0 fit=11 processes=10 complete
  $ zcat a/* | head -n 1 | grep -o '"arguments":[^]]*]'
  "arguments":["run","--axis","op=load","--axis","mode=throughput","--quick","--device","synthetic:generic","--out","...","--processes","10","--","bank_conflict"]

With enough cases the answer is yes; --json prints it for programs, and nothing else.

  $ gpufx selfcheck bank_conflict --axis op=load --axis mode=throughput --device synthetic:generic --out b --processes 2 --json 2>log >b.json; echo $?
  0
  $ python3 -c 'import json; d = json.load(open("b.json"))["answer"]; print(d["answer"], d["processes"], d["margin"], d["all"]["false_alarms"], d["all"]["cases"] > 299)'
  yes 4 0.01 0 True
  $ grep -c '^archive: ' log
  1

Two populations of processes: in half of them a case takes 20 % longer. That is a property of the machine, and no
difference between the sides; but it leaves little that can be decided.

  $ python3 - <<'END'
  > import json, os
  > device = json.load(open(os.environ["TESTDIR"] + "/tools/device.json"))
  > two = {"probability": 0.5, "factor": 1.2}
  > device["models"] = [{"a": 3, "b": 2, "noise_pct": 0.01, "second_population": two}]
  > json.dump(device, open("two.json", "w"))
  > END
  $ gpufx selfcheck bank_conflict --axis op=load --axis mode=throughput --device synthetic:./two.json --out c --json 2>log >c.json; echo $?
  0
  $ python3 -c 'import json; d = json.load(open("c.json"))["answer"]; print(d["answer"], d["all"]["false_alarms"], d["all"]["unsure_rate"] > 0.9)'
  yes 0 True

All probes, transfer too, with spreads between processes as large as a tenth of an H200's cases have them or larger, and
states in some. What is then planted in one side alone, 20 % in every tenth case, is a no.

  $ python3 - <<'END'
  > import json, os
  > device = json.load(open(os.environ["GPUFX_ROOT"] + "/harness/core/synthetic/generic.json"))
  > spread = {"bank_conflict": 0.03, "pattern": 0.07, "constant": 0.06, "divergence": 0.05, "local_memory": 0.02,
  >           "coalescing": 0.7, "readonly": 1.3, "occupancy": 0.6, "null": 8, "transfer": 2.7, "memory_latency": 2.7}
  > states = {"transfer": (0.11, 1.045), "memory_latency": (0.03, 1.081), "dram_locality": (0.04, 1.083)}
  > device["models"] = [
  >     {"probe": probe, "a": 100, "b": 2, "noise_pct": 0.3, "process_spread_pct": spread.get(probe, 0.45)}
  >     | ({"second_population": dict(zip(("probability", "factor"), states[probe]))} if probe in states else {})
  >     for probe in {**spread, **states}
  > ] + [{"a": 100, "b": 2, "noise_pct": 0.3, "process_spread_pct": 0.45}]
  > json.dump(device, open("spreads.json", "w"))
  > END
  $ gpufx selfcheck --quick --device synthetic:./spreads.json --out all --json 2>log >all.json; echo $?
  0
  $ python3 -c 'import json; d = json.load(open("all.json"))["answer"]; print(d["answer"], d["all"]["false_alarms"], len(d["probes"]) > 20, "transfer" in d["probes"])'
  yes 0 True True
  $ python3 - <<'END'
  > import glob, gzip, json
  > lines = [json.loads(line) for line in gzip.open(glob.glob("all/*")[0])]
  > names = sorted({line["name"] for line in lines if line["type"] == "case"})[::10]
  > for line in lines:
  >     if line["type"] == "case" and line["name"] in names and "ABBA"[line["process"] % 4] == "B":
  >         line["samples"], line["median"] = [1.2 * x for x in line["samples"]], 1.2 * line["median"]
  >         line["ci95"] = line["ci95"] and [1.2 * x for x in line["ci95"]]
  > open("planted.jsonl", "w").write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
  > json.dump(names, open("names.json", "w"))
  > END
  $ reseal planted.jsonl resealed.jsonl ''
  $ PYTHONPATH=$GPUFX_ROOT/plot "$GPUFX_PYTHON" -m gpufx_plot selfcheck resealed.jsonl --margin 1 --json >planted.json; echo $?
  1
  $ python3 - <<'END'
  > import json
  > told, names = json.load(open("planted.json")), json.load(open("names.json"))
  > alarms = [alarm["case"] for alarm in told["alarms"]]
  > print(told["answer"], len(alarms) >= 0.9 * len(names), set(alarms) <= set(names))
  > END
  no True True

A case that fails is a no; where nothing could be run, there is no answer.

  $ gpufx selfcheck bank_conflict --filter 'mode:throughput/op:load/width:4/pattern:stride/stride:6[23]$' --device synthetic:$TESTDIR/tools/device.json --out d >told 2>&1; echo $?
  1
  $ tail -n 2 told | head -n 1 | cut -d: -f1
  undecided
  $ probe=$(gpufx list | grep '^[a-z]' | cut -d: -f1 | grep -v -x -e null -e bank_conflict | head -n 1)
  $ gpufx selfcheck $probe --quick --device synthetic:$TESTDIR/tools/device.json --out e >told
  [77]

Wrong use.

  $ gpufx selfcheck --processes 1
  gpufx: --processes 1: out of range, 2 to 500 processes
  [2]
  $ gpufx selfcheck --margin 51 null
  gpufx: --margin 51: out of range, 0 to 50 %
  [2]
  $ gpufx selfcheck nul
  gpufx: * (glob)
  [2]
  $ gpufx selfcheck --no-archive
  gpufx: unknown option --no-archive; `gpufx selfcheck --help` lists them
  [2]
