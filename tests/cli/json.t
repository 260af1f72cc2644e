One envelope for all verbs: --json, and --output for what they answer.

  $ envelope() { gpufx "$@" --json >told 2>errors; printf '{"exit": %d, "told": %s}\n' $? "$(tr '\n' ' ' <told)" >>all; }
  $ for name in a b; do gpufx run readonly reduction --quick --device synthetic:generic --out $name --quiet >/dev/null; done
  $ trace=$GPUFX_ROOT/results/traces/pairs.fxtrace
  $ GPUFX_ROOT=$(references); export GPUFX_ROOT
  $ envelope run null --quick --device synthetic:generic --no-archive; grep -o '"measured":[0-9]*,"waived":0,"failed":0' told
  "measured":1,"waived":0,"failed":0
  $ envelope characterize readonly --quick --device synthetic:generic --out c -q; cat errors; grep -o '"compared_with":null,"charts":"c/charts/' told
  "compared_with":null,"charts":"c/charts/
  $ envelope export a; gpufx export a --by case --json -o export.json; grep -c '"name": ' export.json
  26
  $ gpufx run null --json --device all; gpufx run null --json --benchmark_list_tests
  gpufx: --json covers one device; name one, or read the archives
  gpufx: --json and --benchmark_list_tests both print to standard output; leave out one
  [2]
  $ envelope accept a --against b
  $ envelope archive list a
  $ mkdir cut; zcat -f a/*.jsonl* | sed '$s/"complete":true,"reason":null/"complete":false,"reason":"SIGTERM"/' >cut/a.jsonl
  $ envelope fleet report cut
  $ gpufx fleet report h200 h20x
  gpufx fleet report: h20x: no such file or folder
  [2]
  $ gpufx export a b --format parquet -o two | head -n 1
  2 archives
  $ envelope ask padding; envelope ask xyzzy
  $ envelope claims a; envelope compare a b
  $ envelope explain $trace --archive h200
  $ envelope fleet report two
  $ envelope sheet a
  $ envelope info; envelope list; envelope pattern --expr 'lane*4 + t*4' t=0:2
  $ envelope plot a --probe readonly --format svg -o charts; envelope report a -o page.html
  $ envelope summary a; envelope validate --counters

A run that did not come to its end is one of an incomplete archive.

  $ gzip -dc a/*.jsonl.gz | sed '$d' >cut.jsonl; envelope sheet cut.jsonl

Each keeps to the schema, and says the status with which the program ended. Every verb that has --json is among these.

  $ "$GPUFX_PYTHON" - <<'END' | tee seen
  > import json, os
  > import jsonschema
  > schema = json.load(open(os.environ["GPUFX_ROOT"] + "/results/schema/envelope-1.schema.json"))
  > for line in open("all"):
  >     one = json.loads(line)
  >     told = one["told"]
  >     jsonschema.Draft202012Validator(schema).validate(told)
  >     assert told["status"] == one["exit"], (told["verb"], told["status"], one["exit"])
  >     print(told["verb"], told["status"], len(told["archives"]), told["incomplete"])
  > END
  run 0 0 False
  characterize 0 0 False
  export 0 1 False
  accept 3 1 False
  archive list 0 0 False
  fleet report 0 0 True
  ask 0 0 False
  ask 1 0 False
  claims 0 1 False
  compare 0 2 False
  explain 0 1 False
  fleet report 0 0 False
  sheet 0 1 False
  info 0 0 False
  list 0 0 False
  pattern 0 0 False
  plot 0 1 False
  report 0 1 False
  summary 0 1 False
  validate 77 0 False
  sheet 0 1 True
  $ gpufx help | sed -n 's/^    \([a-z].\{13\}\) .*/\1/p' | while read -r verb; do
  >   ! gpufx help $verb | grep -q -e --json || echo "$verb"
  > done | sort >have; sed 's/ [0-9].*//' seen | sort -u >were; diff have were

--format json is the same; two forms are one too many, and nothing is written for wrong use.

  $ gpufx sheet a --json >told; gpufx sheet a --format json | cmp - told
  $ gpufx sheet nowhere.jsonl --json -o none; ls none 2>/dev/null
  gpufx: 'nowhere.jsonl': no such file or folder
  [2]

--output takes text, too, and is written as a whole or not at all.

  $ gpufx sheet a >text; gpufx sheet a -o file; cmp text file
  $ gpufx info --json --output info.json; grep -c '"verb": "info"' info.json
  1
  $ gpufx ask padding --archive a --json -o ask.json && grep -c '"found": true' ask.json
  1

--quiet leaves out notes, --verbose says what is read and how long it takes.

  $ GPUFX_PYTHON=true gpufx claims latest --quiet
  $ GPUFX_PYTHON=true gpufx claims latest 2>&1 | cut -d : -f 1,2
  note: latest
  $ gpufx claims latest --verbose 2>&1 >/dev/null | sed 's,/.*,FILE,; s/[0-9]*\.[0-9]* s/N s/' | sort -u
  gpufx: 'latest' is FILE
  gpufx: claims ended with status 0 after N s
  gpufx: reading FILE
  note: latest: taking resultsFILE
