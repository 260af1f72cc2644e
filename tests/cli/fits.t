The fits of an archive, and how well they predict another: the truth is planted.

  $ export COLUMNS=200
  $ cat >devices.py <<'END'
  > import json, os
  > known = json.load(open(os.environ["GPUFX_ROOT"] + "/harness/core/synthetic/generic.json"))
  > known["models"] = [{"a": 1.1, "b": 3}]
  > json.dump(known, open("known.json", "w"))
  > # The same chip, but what comes from the L2 by 4-byte lanes in runs takes half as long again, and so does what is
  > # stored by 8-byte lanes in runs.
  > wrong = {"a": 1.65, "b": 4.5}
  > known["models"] = [{"probe": "pattern", "match": {"memory": "l2", "op": "load", "width": 4, "family": "runs"}, **wrong},
  >                    {"probe": "pattern", "match": {"memory": "shared", "op": "store", "width": 8, "family": "runs"}, **wrong},
  >                    {"a": 1.1, "b": 3}]
  > json.dump(known, open("other.json", "w"))
  > END
  $ "$GPUFX_PYTHON" devices.py
  $ gpufx run pattern --filter 'memory:(shared/op:(load|store)|l2/op:load)' --device synthetic:./known.json --out root/results/sm_90/known >/dev/null
  $ gpufx run pattern --filter 'memory:(shared/op:(load|store)|l2/op:load)' --axis seed=1:10 --device synthetic:./other.json --out new >/dev/null
  $ gpufx fits root/results/sm_90/known --probe pattern | sed 's/^fits of .*jsonl[.gz]*/fits of ARCHIVE/; s/, 20.*//'
  fits of ARCHIVE: Synthetic generic GPU, sm_90
  
  probe             group                                     cases  fit                                             spread   farthest  law
  pattern           memory:l2 op:load width:1                    18  cycles = 1.1 + 3 x l2_load                      0.00 %     0.00 %  holds
  pattern           memory:l2 op:load width:2                    18  cycles = 1.1 + 3 x l2_load                      0.00 %     0.00 %  holds
  pattern           memory:l2 op:load width:4                    18  cycles = 1.1 + 3 x l2_load                      0.00 %     0.00 %  holds
  pattern           memory:l2 op:load width:8                    18  cycles = 1.1 + 3 x l2_load                      0.00 %     0.00 %  holds
  pattern           memory:l2 op:load width:16                   18  cycles = 1.1 + 3 x l2_load                      0.00 %     0.00 %  holds
  pattern           memory:shared op:load width:1                18  cycles = 1.1 + 3 x shared_load                  0.00 %     0.00 %  holds
  pattern           memory:shared op:load width:2                18  cycles = 1.1 + 3 x shared_load                  0.00 %     0.00 %  holds
  pattern           memory:shared op:load width:4                18  cycles = 1.1 + 3 x shared_load                  0.00 %     0.00 %  holds
  pattern           memory:shared op:load width:8                18  cycles = 1.1 + 3 x shared_load                  0.00 %     0.00 %  holds
  pattern           memory:shared op:load width:16               18  cycles = 1.1 + 3 x shared_load                  0.00 %     0.00 %  holds
  pattern           memory:shared op:store width:1               18  cycles = 1.1 + 3 x shared_store                 0.00 %     0.00 %  holds
  pattern           memory:shared op:store width:2               18  cycles = 1.1 + 3 x shared_store                 0.00 %     0.00 %  holds
  pattern           memory:shared op:store width:4               18  cycles = 1.1 + 3 x shared_store                 0.00 %     0.00 %  holds
  pattern           memory:shared op:store width:8               18  cycles = 1.1 + 3 x shared_store                 0.00 %     0.00 %  holds
  pattern           memory:shared op:store width:16              18  cycles = 1.1 + 3 x shared_store                 0.00 %     0.00 %  holds
  $ gpufx fits root/results/sm_90/known --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > fit = next(f for f in told["fits"] if f["group"] == {"memory": "l2", "op": "load", "width": 4})
  > print(told["provenance"], told["device"]["slug"], told["processes"], fit["law"], fit["unit"], fit["n"], round(fit["a"], 6), round(fit["b"], 6), fit["holds"], fit["usable"])'
  synthetic synthetic-generic-gpu 1 l2_load cycles 18 1.1 3.0 True True

On a narrow screen the figures stand below the name.

  $ COLUMNS=80 gpufx fits root/results/sm_90/known --probe pattern | sed -n '4,7p'
  pattern: memory:l2 op:load width:1
      cycles = 1.1 + 3 x l2_load; 18 cases, largest residual 0.00 %, holds
  pattern: memory:l2 op:load width:2
      cycles = 1.1 + 3 x l2_load; 18 cases, largest residual 0.00 %, holds
  $ COLUMNS=80 gpufx fits root/results/sm_90/known | wc -L
  78
  $ COLUMNS=80 gpufx fits root/results/sm_90/known --held-out | sed -n '1,2p'
  pattern: l2_load, access_cycles: 90 predicted, 0 without a claim
      within 2 %: 100.0 %, 5 %: 100.0 %, 10 %: 100.0 %; measured/predicted 1.000
  $ COLUMNS=80 gpufx fits root/results/sm_90/known --on new | sed -n '4,5p'
  pattern: memory=shared op=load
      within 2 %: 900 right, 0 off, 0 not claimed, 0 without a fit: agrees

A long group widens its column: all fits stand below their heading.

  $ gpufx run transfer atomics --device synthetic:./known.json --out wide >/dev/null
  $ gpufx fits wide | tail -n +3 | awk '{ print (match($0, /  (cycles = |ns = |fit  )/) > 60) }' | sort -u
  1
  $ gpufx fits wide | tail -n +3 | awk '{ print match($0, /  (cycles = |ns = |fit  )/) }' | sort -u | wc -l
  1

Laws by predictions of cases that had no part in the fits: what counts the same is left out, or all of another archive.

  $ gpufx fits root/results/sm_90/known --held-out | sed 's, *pattern/memory.*,,'
  probe             law               metric          predicted  within 2 %      5 %     10 %  no claim  measured/predicted  farthest
  pattern           l2_load           access_cycles          90     100.0 %  100.0 %  100.0 %         0  1.000 to 1.000
  pattern           shared_load       access_cycles          90     100.0 %  100.0 %  100.0 %         0  1.000 to 1.000
  pattern           shared_store      access_cycles          90     100.0 %  100.0 %  100.0 %         0  1.000 to 1.000
  $ gpufx fits root/results/sm_90/known --held-out --on new --probe pattern | sed 's, *pattern/memory.*,,'
  probe             law               metric          predicted  within 2 %      5 %     10 %  no claim  measured/predicted  farthest
  pattern           l2_load           access_cycles         900      97.8 %   97.8 %   97.8 %         0  1.000 to 1.500
  pattern           shared_load       access_cycles         900     100.0 %  100.0 %  100.0 %         0  1.000 to 1.000
  pattern           shared_store      access_cycles         900      97.8 %   97.8 %   97.8 %         0  1.000 to 1.500
  $ gpufx fits root/results/sm_90/known --held-out --on new --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > law = next(x for x in json.load(sys.stdin)["answer"]["laws"] if x["law"] == "shared_store")
  > print(law["probe"], law["metric"], law["predicted"], law["within_2_pct"], law["within_10_pct"], law["not_claimed"], round(law["most"]["ratio"], 4))'
  pattern access_cycles 900 880 880 0 1.5
A run that did not come to its end is named, and a compressed file that is cut off is refused.

  $ zcat root/results/sm_90/known/*.gz | sed '$d' >cut.jsonl; gpufx fits cut.jsonl >/dev/null
  gpufx fits: the run of this archive did not finish; these are the fits that it wrote
  $ gpufx fits cut.jsonl --json | grep '^  "complete"'
    "complete": false,
  $ head -c 1000 root/results/sm_90/known/*.gz >cut.jsonl.gz; gpufx fits cut.jsonl.gz
  gpufx fits: cut.jsonl.gz: the compressed file is truncated; copy it again
  [2]
  $ (cat root/results/sm_90/known/*.gz; echo junk) >junk.jsonl.gz; gpufx fits junk.jsonl.gz
  gpufx fits: junk.jsonl.gz: the compressed file is damaged (Not a gzipped file (b'ju')): copy it again
  [2]
  $ (cat root/results/sm_90/known/*.gz; head -c 100 /dev/zero) >padded.jsonl.gz; gpufx fits padded.jsonl.gz >/dev/null

Without an end line, which has the sum of all lines, the cases are looked at one by one.

  $ sed '9s/"median":/"median":9/' cut.jsonl >other.jsonl; gpufx fits other.jsonl
  gpufx fits: other.jsonl:9: bad case line: its median is 94.1, but that of its samples is 4.1
  [2]

What holds no line, or one beyond all lines, is no archive, compressed or not.

  $ : >none.jsonl; gzip <none.jsonl >none.jsonl.gz; printf '\037' >byte.jsonl.gz; head -c 1000 /dev/zero | gzip >zeros.jsonl.gz
  $ for file in none.jsonl none.jsonl.gz byte.jsonl.gz zeros.jsonl.gz; do gpufx fits $file; echo $?; done
  gpufx fits: none.jsonl: the file is empty; its run wrote nothing
  2
  gpufx fits: none.jsonl.gz: the file is empty; its run wrote nothing
  2
  gpufx fits: byte.jsonl.gz: the compressed file is damaged (Not a gzipped file (b'\x1f')): copy it again
  2
  gpufx fits: zeros.jsonl.gz:1: not JSON (Expecting value: line 1 column 1 (char 0)): this is not a gpufx archive
  2
  $ (head -n 1 cut.jsonl; head -c 70000000 /dev/zero | tr '\0' ' ') | gzip -1 >long.jsonl.gz; gpufx fits long.jsonl.gz
  gpufx fits: long.jsonl.gz:2: the line is too long for an archive
  [2]
  $ mkfifo pipe.jsonl; cat cut.jsonl >pipe.jsonl & timeout 60 gpufx fits pipe.jsonl --cases | wc -l; timeout 60 gpufx fits --on pipe.jsonl; rm pipe.jsonl
  270
  gpufx: 'pipe.jsonl' is a pipe, and this archive must be read twice; save it as a file
  $ gpufx fits cut.jsonl --probe coalesing; gpufx fits cut.jsonl --held-out --probe coalesing
  gpufx fits: --probe coalesing: unknown probe; `gpufx list` lists them
  gpufx fits: --probe coalesing: unknown probe; `gpufx list` lists them
  [2]

The summary says the same of each law: it is computed twice, here and in Python.

  $ gpufx fits new --held-out --json >laws.json; "$GPUFX_PYTHON" -c '
  > import json, os, pathlib, sys
  > sys.path.insert(0, os.environ["GPUFX_ROOT"] + "/plot")
  > from gpufx_plot.archive.load import load
  > from gpufx_plot.statistics.leave_one_out import together
  > fits = load(next(pathlib.Path("new").iterdir())).merged_fits
  > for law in json.load(open("laws.json"))["answer"]["laws"]:
  >     told = together([f.held_out for f in fits if (f.probe, f.law, f.metric) == (law["probe"], law["law"], law["metric"])])
  >     same = (told.predicted, told.right) == (law["predicted"], law["within_2_pct"])
  >     far = max(abs(told.least - law["least"]["ratio"]), abs(told.most - law["most"]["ratio"]))
  >     print(law["law"], told.predicted, told.right, same and far < 1e-9)'
  l2_load 900 762 True
  shared_load 900 900 True
  shared_store 900 762 True
  $ gpufx fits --held-out
  gpufx fits: name an archive: gpufx fits ARCHIVE --held-out
  [2]
  $ gpufx fits root/results/sm_90/known --held-out --probe coalescing | wc -l
  1

A prediction that is wrong is off, whether an aim is missed by it or none is set; what has no fit, or no
claim, is counted as neither.

  $ on() { gpufx fits "$@" --on new | sed 's/^fits of .*jsonl[.gz]*/fits of ARCHIVE/; s/, 20.*//'; }
  $ on root/results/sm_90/known >told; grep -v '^ ' told; grep -c '+50.0 %' told
  fits of ARCHIVE: Synthetic generic GPU, sm_90
  
  probe             where                                                within    right      off  not claimed   no fit  verdict
  pattern           memory=shared op=load                                   2 %      900        0            0        0  agrees
  pattern           memory=shared op=store                                  2 %      880       20            0        0  OFF
  pattern           memory=l2 op=load                                       5 %      880       20            0        0  agrees
  10
  $ gpufx run pattern --filter 'memory:shared/op:load' --device synthetic:./known.json --out loads >/dev/null; on loads | head -n 6
  fits of ARCHIVE: Synthetic generic GPU, sm_90
  
  probe             where                                                within    right      off  not claimed   no fit  verdict
  pattern           memory=shared op=load                                   2 %      900        0            0        0  agrees
  pattern           memory=shared op=store                                  2 %        0        0            0      900  waived
  pattern           memory=l2 op=load                                       5 %        0        0            0      900  waived
  $ gpufx fits root/results/sm_90/known --on new --json | "$GPUFX_PYTHON" -c '
  > import json, sys
  > told = json.load(sys.stdin)["answer"]
  > for a in told["aims"]:
  >     print(a["where"], a["tolerance_pct"], a["share_pct"], a["right"], a["off"], a["unpredicted"], a["verdict"], [round(f["off_pct"], 3) for f in a["farthest"]][:1])
  > print(told["failed"], told["same"])'
  memory=shared op=load 2.0 99.9 900 0 0 agrees [0.0]
  memory=shared op=store 2.0 99.0 880 20 0 OFF [50.0]
  memory=l2 op=load 5.0 95.0 880 20 0 agrees [50.0]
  {} None

What the fits say of the archive's own cases, as its figures show it: by the counts that stand in it.

  $ gpufx run constant --device synthetic:generic --filter 'mode:latency.*spacing:4$' --quick --out own >/dev/null
  $ gpufx fits own | grep '^constant'
  constant          mode:latency space:constant spacing:4         6  cycles = 19 + 10 x distinct                     0.03 %     0.04 %  holds
  $ gpufx fits own --cases | sort
         179.019  constant/mode:latency/space:constant/distinct:16/spacing:4
         29.0003  constant/mode:latency/space:constant/distinct:1/spacing:4
         339.039  constant/mode:latency/space:constant/distinct:32/spacing:4
         39.0016  constant/mode:latency/space:constant/distinct:2/spacing:4
         59.0041  constant/mode:latency/space:constant/distinct:4/spacing:4
         99.0091  constant/mode:latency/space:constant/distinct:8/spacing:4
  $ gpufx fits own --cases --json | "$GPUFX_PYTHON" -c 'import json, sys; print(min(json.load(sys.stdin)["answer"].items(), key=lambda pair: pair[1]))'
  ('constant/mode:latency/space:constant/distinct:1/spacing:4', 29.0003445)
  $ gpufx fits --cases
  gpufx fits: name an archive: gpufx fits ARCHIVE --cases
  [2]
  $ gpufx fits own --cases --probe constant
  gpufx fits: --cases can only be combined with --json; leave out the other options
  [2]

Without an archive the nearest one under results/ predicts, and it is said which: the device's own. An invented one never
does, and without any that could there is no answer.

  $ ln -s "$GPUFX_ROOT/plot" "$GPUFX_ROOT/harness" root; GPUFX_ROOT=$PWD/root; export GPUFX_ROOT; mkdir -p root/results/schema; touch root/CMakeLists.txt
  $ gpufx fits --on new
  gpufx: no archive of this device or architecture under results/ has fits of these probes; run `gpufx characterize` first
  [77]
  $ for f in root/results/sm_90/known/*; do reseal $f plain '1s/"synthetic"/"measured"/'; rm $f; mv plain root/results/sm_90/known/base.jsonl; done
  $ gpufx fits --on new | head -n 1 | sed 's/, 20.*//'
  fits of results/sm_90/known/base.jsonl: Synthetic generic GPU, this device, sm_90
  $ reseal root/results/sm_90/known/base.jsonl root/results/sm_90/other.jsonl '1s/synthetic-generic-gpu/other-chip/; 1s/"started_utc":"20/"started_utc":"30/'
  $ gpufx fits --on new --json | grep -e same -e '"archive"' | sed 's/\/.*root/ROOT/'
    "archive": "ROOT/results/sm_90/known/base.jsonl",
    "same": "device",
  $ rm -r root/results/sm_90/known; gpufx fits --on new --json | grep -e same -e '"archive"' | sed 's/\/.*root/ROOT/'
    "archive": "ROOT/results/sm_90/other.jsonl",
    "same": "architecture",

Names, and what is none.

  $ mkdir -p root/out && cp new/* root/out
  $ gpufx fits other | head -n 1 | sed 's/, 30.*//'
  fits of results/sm_90/other.jsonl: Synthetic generic GPU, sm_90
  $ gpufx fits sm_90~1 | head -n 1
  gpufx: 'sm_90~1': of that name there is only 1
  $ gpufx fits othr-chip
  gpufx: no archive is named 'othr-chip'; did you mean 'other-chip'?
  [2]
  $ gpufx fits nowhere.jsonl
  gpufx: 'nowhere.jsonl': no such file or folder
  [2]
  $ gpufx fits latest~7
  gpufx: 'latest~7': of that name there is only 1
  [2]
  $ gpufx fits
  gpufx fits: name an archive: gpufx fits ARCHIVE
  [2]
  $ mkdir empty; gpufx fits empty
  gpufx: 'empty': there is no archive in this folder
  [2]
  $ gpufx fits latest --probe null 2>/dev/null | tail -n 1
  none: a fit needs three cases of a law with two different counts
  $ echo '{"type":"case"}' >damaged.jsonl; gpufx fits damaged.jsonl
  gpufx fits: damaged.jsonl:1: not a gpufx archive: the first line must be a "run" line with a schema number
  [2]
