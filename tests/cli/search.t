What is searched is said.

  $ gpufx list constant | grep -A 1 '^  search'
    search footprint    the end of the first plateau, to 64 or 1 %: mode=latency
                        space=constant distinct=1 spacing=64
  $ gpufx list constant --quick | sed -n '/^  search/p'

Adaptive search: the first process adds cases where a cost changes, and the others measure the same ones.

  $ device() { # with a first level of constant memory of $1 bytes
  >   sed "s/\"models\": \[/&{\"match\": {\"footprint\": {\"min\": 1, \"max\": $1}}, \"a\": 29, \"noise_pct\": 0.1},\
  >     {\"match\": {\"footprint\": {\"min\": 1}}, \"a\": 96, \"noise_pct\": 0.1}, {\"a\": 40, \"noise_pct\": 0.1},/" \
  >     $TESTDIR/tools/device.json > device.json
  > }
  $ added() { # process, and what was added
  >   zcat $1/*.gz | sed -n 's/.*"process":\([0-9]*\),.*"footprint":\([0-9]*\)},"searched":true.*/\1 \2/p' | sort -n -k 1,1 -k 2,2 | paste -s -d ' ' -
  > }
  $ device 5000
  $ gpufx run constant --device synthetic:./device.json --out one >said; added one; archive one/*
  0 4608 0 4864 0 4992 0 5056 0 5120
  synthetic case=* waived=0 failed=0 fit=* processes=1 complete (glob)
  $ gpufx run constant --device synthetic:./device.json --out three --processes 3 >said; added three
  0 4608 0 4864 0 4992 0 5056 0 5120 1 4608 1 4864 1 4992 1 5056 1 5120 2 4608 2 4864 2 4992 2 5056 2 5120
  $ gpufx run constant --device synthetic:./device.json --out need --processes auto >said; added need | cut -d ' ' -f 1-20
  0 4608 0 4864 0 4992 0 5056 0 5120 1 4608 1 4864 1 4992 1 5056 1 5120

Nothing is added where a user has chosen the cases, nor with --quick, nor where nothing is kept.

  $ gpufx run constant --axis footprint=256,512,1Ki,4Ki,8Ki,16Ki --device synthetic:./device.json --out axis >said; added axis
  
  $ gpufx run constant --axis distinct=1 --device synthetic:./device.json --out other >said; added other
  0 4608 0 4864 0 4992 0 5056 0 5120
  $ gpufx run constant --filter footprint --device synthetic:./device.json --out filter >said; added filter
  
  $ gpufx run constant --benchmark_filter=footprint --device synthetic:./device.json --out filter2 >said; added filter2
  
  $ gpufx run constant --quick --device synthetic:./device.json --out quick >said; added quick
  
  $ gpufx run constant --device synthetic:./device.json --no-archive | grep -c '^constant: 449 measured'
  1

Two archives with other points are not called different for these.

  $ device 6000
  $ gpufx run constant --device synthetic:./device.json --out moved >said; added moved
  0 5120 0 5632 0 5888 0 5952 0 6016
  $ COLUMNS=200 gpufx compare one/* moved/* | grep -E 'MISSING|NEW|search'
  note: 8 cases in one archive only: added by a search between the values of its sweeps.
