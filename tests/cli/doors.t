Tables for other tools.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run bank_conflict --quick --device $device --out a >/dev/null; archive=$(ls a/*)
  $ gpufx export $archive --format csv | cut -d, -f1,4,7,8 | head -n 2
  provenance,device,driver,id
  synthetic,*,*,* (glob)
  $ gpufx export $archive --by case --format csv | wc -l
  70
  $ gpufx export a $archive --format parquet -o tables; ls tables; head -c 4 tables/cases.parquet
  1 archive
  Parquet: tables (archives, quantities, cases)
  archives.parquet
  cases.parquet
  quantities.parquet
  PAR1 (no-eol)

What is missing is said, and nothing is written.

  $ gpufx export $archive
  gpufx export: --format is missing; choose a format; gpufx export --help lists them
  [2]
  $ gpufx export $archive --format xml
  gpufx: --format xml: 'xml' is not one of csv, json, parquet
  [2]
  $ gpufx export $archive --format parquet
  gpufx export: --format parquet writes three files; name a folder with --output
  [2]
  $ gpufx export $archive --format csv -o /nowhere/x.csv
  gpufx export: '/nowhere/x.csv' can't be written: No such file or directory; choose another place
  [2]
