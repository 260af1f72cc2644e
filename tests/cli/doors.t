Other tools' forms, out and in.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run bank_conflict --quick --device $device --out a >/dev/null; archive=$(ls a/*)
  $ gpufx export $archive --format csv | cut -d, -f1,2,4- | cut -d, -f1,2,4,7,8 | head -n 2
  provenance,tool,device,driver,id
  synthetic,gpufx,*,*,* (glob)
  $ gpufx export $archive --by case --format csv | wc -l
  68
  $ gpufx export $archive --format prometheus | grep -c '^gpufx_shared_size_bytes{.*provenance="synthetic".*bound="value"} 233472.0$'
  1
  $ gpufx export a $archive --format parquet -o tables; ls tables; head -c 4 tables/cases.parquet
  1 archive
  Parquet: tables (archives, quantities, cases)
  archives.parquet
  cases.parquet
  quantities.parquet
  PAR1 (no-eol)
  $ gpufx export $archive --by case --format google-benchmark -o gb.json; grep -c '"run_name"' gb.json
  67

What is missing is said, and nothing is written.

  $ gpufx export $archive
  gpufx export: --format is missing; choose a format; gpufx export --help lists them
  [2]
  $ gpufx export $archive --format xml
  gpufx: --format xml: 'xml' is not one of csv, json, parquet, prometheus, google-benchmark
  [2]
  $ gpufx export $archive --format parquet
  gpufx export: --format parquet writes three files; name a folder with --output
  [2]
  $ gpufx export $archive --format csv -o /nowhere/x.csv
  gpufx export: '/nowhere/x.csv' can't be written: No such file or directory; choose another place
  [2]

Foreign archives: marked, never under results/, and refused where cases are wanted.

  $ data=$GPUFX_ROOT/plot/tests/data
  $ gpufx import $data/mt4g.json --from mt4g -o mt4g.jsonl
  NVIDIA H100 80GB HBM3, measured by mt4g: 18 quantities of 37 figures
  foreign archive: mt4g.jsonl
  $ gpufx import $data/nvbandwidth.json --from nvbandwidth --gpu 1 -o nv.jsonl
  NVIDIA Two, measured by nvbandwidth: 2 quantities of 3 figures
  foreign archive: nv.jsonl
  $ gpufx sheet mt4g.jsonl | grep -c foreign
  18
  $ gpufx compare $archive mt4g.jsonl --by quantity | grep '^shared.size' | grep -o foreign
  foreign
  $ gpufx compare $archive mt4g.jsonl
  gpufx compare: mt4g.jsonl: a foreign archive has no cases; gpufx sheet, gpufx compare --by quantity and gpufx export take it
  [2]
  $ gpufx claims mt4g.jsonl
  gpufx claims: mt4g.jsonl: a foreign archive has no cases; gpufx sheet, gpufx compare --by quantity and gpufx export take it
  [2]
  $ gpufx import $data/mt4g.json --from nvbandwidth -o x.jsonl
  gpufx import: */mt4g.json: there is no 'nvbandwidth', which this tool writes; check --from (glob)
  [2]
  $ printf '{"general": 1,\n"meta": }' >bad.json; gpufx import bad.json --from mt4g -o x.jsonl
  gpufx import: bad.json:2: not JSON (Expecting value)
  [2]
  $ gpufx import $data/mt4g.json --from mt4g -o "$GPUFX_ROOT/results/x.jsonl"
  gpufx import: --output */results/x.jsonl: a foreign archive can't be kept under results/, where gpufx measured every number; choose another folder, such as out/ (glob)
  [2]
  $ gpufx import $data/mt4g.json -o x.jsonl; ls x.jsonl
  gpufx import: --from is missing; name the tool that wrote the file; gpufx import --help lists them
  ls: cannot access 'x.jsonl': No such file or directory
  [2]
