A site's own set of cases, in a file.

  $ echo '{"description": "ours", "probes": {"bank_conflict": {"stride": [1, 32], "op": "load", "mode": "throughput"}, "null": {}},
  >   "options": {"samples": 5, "label": ["rack=a7", "row=2"], "quick": true, "no-archive": false}}' >site.json
  $ gpufx list --config site.json --cases | grep -c /stride:
  6
  $ gpufx run --config site.json --device synthetic:generic --out a -q | sed 's/ in .*//'
  bank_conflict: 6 measured
  null: 1 measured
  7 measured, 0 waived, 0 failed
  archive: */a/*.jsonl.gz (glob)

The archive keeps what the file said, not its name; each process has the same.

  $ zcat a/*.gz | head -1 | grep -oE '"arguments":\[[^]]*\]'
  "arguments":["run","--device","synthetic:generic","--out","...","-q","bank_conflict","--axis=bank_conflict.stride=1,32","--axis=bank_conflict.op=load","--axis=bank_conflict.mode=throughput","null","--samples=5","--label=rack=a7","--label=row=2","--quick"]
  $ gpufx run --config=site.json --device synthetic:generic --out b --processes 2 --quiet | tail -2 | head -1 | cut -c 1-11
  14 measured

What the command line names goes before the file.

  $ gpufx run null --config site.json --samples 3 --device synthetic:generic --out c | grep measured | sed 's/ in .*//'
  null: 1 measured
  1 measured, 0 waived, 0 failed

An error names the file, and the line or the key.

  $ bad() { echo "$1" >bad.json; gpufx run --config bad.json --device synthetic:generic --out d; }
  $ bad '{"probes": {
  > "null": }}'
  gpufx: bad.json:2: unexpected token near '}'
  [2]
  $ bad '[]'; bad '{"prob": {}}'
  gpufx: --config bad.json: write an object with the keys probes and options
  gpufx: bad.json: unknown key "prob"; known are probes, options, description
  [2]
  $ bad '{"probes": {"nul": {}}}'; bad '{"probes": {"null": 3}}'
  gpufx: bad.json, probes: unknown probe 'nul'; did you mean 'null'?
  gpufx: bad.json, probes.null: write its axes as an object; {} for all cases
  [2]
  $ bad '{"probes": {"bank_conflict": {"strde": 1}}}'; bad '{"probes": {"bank_conflict": {"stride": "1,x"}}}'; bad '{"probes": {"bank_conflict": {"stride": null}}}'
  gpufx: bad.json, probes.bank_conflict.strde: there is no such axis; known: * (glob)
  gpufx: bad.json, probes.bank_conflict.stride: * (glob)
  gpufx: bad.json, probes.bank_conflict.stride: write values as for --axis, such as "1,2,4:32:4", or a list
  [2]
  $ bad '{"options": {"sample": 3}}'; bad '{"options": {"samples": 0}}'; bad '{"options": {"samples": {}}}'; bad '{"options": {"append": "x"}}'
  gpufx: bad.json, options.sample: unknown option --sample; did you mean --samples?
  gpufx: bad.json, options.samples: --samples 0: out of range, 1 to 1000000
  gpufx: bad.json, options.samples: write true, a number, a text or a list of texts
  gpufx: bad.json, options.append: --process, --append, --only-fd and --events-fd are internal options; leave them out
  [2]
  $ gpufx run --config; gpufx run --config nowhere.json; gpufx sheet a --config site.json
  gpufx: --config needs a value: --config FILE
  gpufx: --config nowhere.json: unable to open nowhere.json: No such file or directory
  gpufx: unknown option --config; `gpufx sheet --help` lists them
  [2]
  $ gpufx list bank_conflict --axis bank_conflict.stride=1 --axis null.stride=1
  gpufx: --axis null.stride=1: no selected probe has an axis 'null.stride'; known: * (glob)
  [2]
