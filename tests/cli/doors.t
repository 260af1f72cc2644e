Tables for other tools.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run bank_conflict --quick --device $device --out a >/dev/null; archive=$(ls a/*)
  $ gpufx export $archive --format csv | cut -d, -f4,6,8,10 | head -n 2
  provenance,device,driver,quantity
  synthetic,*,*,* (glob)
  $ gpufx export $archive --by case --format csv | wc -l
  70
  $ gpufx export $archive --by fit --format csv | cut -d, -f11-13,20-23 | sed -n 1,2p
  group,law,metric,level_pct,cases,processes,holds
  mode=throughput op=atomic_add,bank_lanes,access_cycles,95.0,4,1,True
  $ gpufx summary $archive --full --json | "$GPUFX_PYTHON" -c 'import json, sys
  > fit = json.load(sys.stdin)["answer"]["archives"][0]["fits"][0]; print(fit["a_low"] < fit["a"], fit["b"] < fit["b_high"], fit["processes"])'
  True True 1
  $ gpufx export a $archive --format parquet -o tables; ls tables; head -c 4 tables/cases.parquet
  1 archive
  Parquet: tables (archives, quantities, cases, fits)
  archives.parquet
  cases.parquet
  fits.parquet
  quantities.parquet
  PAR1 (no-eol)

What is missing is said, and nothing is written.

  $ gpufx export $archive
  gpufx export: --format is missing; choose a format; gpufx export --help lists them
  [2]
  $ gpufx export $archive --format parquet
  gpufx export: --format parquet writes four files; name a folder with --output
  [2]
  $ gpufx export $archive --format csv -o /nowhere/x.csv
  gpufx export: '/nowhere/x.csv' can't be written: No such file or directory; choose another place
  [2]

A search for words, with the values of what it finds.

  $ gpufx run readonly bank_conflict --quick --device synthetic:generic --out here >/dev/null 2>&1
  $ COLUMNS=200 gpufx ask ldg --archive here | sed 's,here/[^ ]*,FILE,; s/run [0-9a-f]* of .*/run ID of DAY/; s/^[0-9.]*x  *[0-9.]*/Nx  INTERVAL/' | grep -c -e 'Nx  INTERVAL .*SYNTHETIC' -e 'gpufx sheet FILE --probe readonly' -e '^Synthetic generic GPU: run ID'
  3

Without an archive there are meanings and commands still.

  $ mkdir -p root/results/schema root/docs root/harness/core && cp -r "$GPUFX_ROOT"/harness/core/synthetic root/harness/core && cp -r "$GPUFX_ROOT"/micro root
  $ ln -s "$GPUFX_ROOT"/plot root/plot && touch root/CMakeLists.txt
  $ GPUFX_ROOT=$PWD/root gpufx ask TLB reach | sed -n '1p;3p'
  no archive yet: gpufx characterize
  -
