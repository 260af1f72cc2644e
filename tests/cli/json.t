One envelope for all verbs: --json, and --output for what they answer.

  $ cat >envelope <<'END'
  > #!/bin/sh
  > # envelope VERB...: calls it, checks what it prints, and shows what the envelope says.
  > gpufx "$@" --json >told 2>errors; status=$?
  > "$GPUFX_PYTHON" - $status <<'CODE' || cat told errors
  > import json, os, sys
  > import jsonschema
  > told = json.load(open("told"))
  > schema = json.load(open(os.environ["GPUFX_ROOT"] + "/results/schema/envelope-1.schema.json"))
  > jsonschema.Draft202012Validator(schema).validate(told)
  > assert told["status"] == int(sys.argv[1]), told["status"]
  > print(told["verb"], told["status"], len(told["archives"]), told["incomplete"])
  > with open("seen", "a") as seen:
  >     print(told["verb"], file=seen)
  > CODE
  > END
  $ chmod +x envelope; PATH=$PWD:$PATH
  $ for name in a b; do gpufx run readonly reduction --quick --device synthetic:generic --out $name --quiet >/dev/null; done
  $ trace=$GPUFX_ROOT/results/traces/pairs.fxtrace
  $ GPUFX_ROOT=$(references); export GPUFX_ROOT
  $ envelope run null --quick --device synthetic:generic --no-archive; grep -o '"measured":[0-9]*,"waived":0,"failed":0' told
  run 0 0 False
  "measured":1,"waived":0,"failed":0
  $ envelope characterize readonly --quick --device synthetic:generic --out c -q; cat errors; grep -o '"compared_with":null,"charts":"c/charts/' told
  characterize 0 0 False
  "compared_with":null,"charts":"c/charts/
  $ envelope export a; gpufx export a --by case --json -o export.json; grep -c '"name": ' export.json
  export 0 1 False
  26
  $ gpufx run null --json --device all; gpufx run null --json --benchmark_list_tests
  gpufx: --json covers one device; name one, or read the archives
  gpufx: --json and --benchmark_list_tests both print to standard output; leave out one
  [2]
  $ envelope accept a --against b
  accept 3 1 False
  $ envelope archive list a
  archive list 0 0 False
  $ envelope archive verify a
  archive verify 0 0 False
  $ mkdir cut; zcat -f a/*.jsonl* | sed '$s/"complete":true,"reason":null/"complete":false,"reason":"SIGTERM"/' >cut/a.jsonl
  $ envelope archive verify cut; envelope fleet report cut
  archive verify 0 0 True
  fleet report 0 0 True
  $ gpufx archive verify h200 h20x
  gpufx archive verify: h20x: no such file or folder
  [2]
  $ gpufx export a b --format parquet -o two | head -n 1
  2 archives
  $ envelope ask padding; envelope ask xyzzy
  ask 0 0 False
  ask 1 0 False
  $ envelope claims a; envelope compare a b
  claims 0 1 False
  compare 0 2 False
  $ envelope explain $trace --archive h200
  explain 0 1 False
  $ envelope fleet report two
  fleet report 0 0 False
  $ envelope sheet a
  sheet 0 1 False
  $ envelope info; envelope list; envelope pattern --expr 'lane*4 + t*4' t=0:2
  info 0 0 False
  list 0 0 False
  pattern 0 0 False
  $ envelope plot a --probe readonly --format svg -o charts; envelope report a -o page.html
  plot 0 1 False
  report 0 1 False
  $ envelope summary a; envelope validate --counters
  summary 0 1 False
  validate 77 0 False

Every verb that has --json is among these.

  $ gpufx help | sed -n 's/^    \([a-z].\{13\}\) .*/\1/p' | while read -r verb; do
  >   ! gpufx help $verb | grep -q -e --json || echo "$verb"
  > done | sort >have; sort -u seen >were; diff have were

A run that did not come to its end is one of an incomplete archive.

  $ gzip -dc a/*.jsonl.gz | sed '$d' >cut.jsonl; envelope sheet cut.jsonl
  sheet 0 1 True

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
