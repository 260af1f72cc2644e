An archive of more than ten thousand lines is written, read by the program itself, which counts again what a killed
process left, and read by everything behind it.

  $ device=synthetic:$GPUFX_ROOT/tests/abuse/device.json
  $ gpufx run bank_conflict --quick --device $device --out a --processes 2 --benchmark_repetitions=80 >/dev/null 2>told & pid=$!
  $ wait_for_lines a 5660; kill -KILL $(cat /proc/$pid/task/$pid/children); wait $pid
  [1]
  $ cat told
  gpufx: process 2 of 2 was killed by signal 9 (Killed); its results are kept, the others continue
  $ gpufx run bank_conflict --quick --device $device --out b --processes 2 --benchmark_repetitions=80 >/dev/null
  $ archive b/*
  synthetic case=11040 waived=0 failed=0 fit=9 processes=2 complete
  $ archive a/* | sed 's/case=[0-9]*/case=N/; s/fit=[0-9]*/fit=N/'
  synthetic case=N waived=0 failed=0 fit=N processes=2 incomplete: process_failed
  $ COLUMNS=120 gpufx compare a b --all | grep -A 1 '^new / base' | tail -n 1 | cut -c 1-20
  bank_conflict     69
  $ gpufx plot b -o charts --format svg | sed 's/.*charts/charts/'
  charts/bank_conflict.svg
