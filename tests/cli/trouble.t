What goes wrong during a run costs no more than the case it goes wrong in.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ staircase='mode:throughput/op:load/width:4/pattern:stride/stride:'

A failed case is a line of the archive and a warning; the others go on.

  $ gpufx run bank_conflict --filter "$staircase(1|2|32|63)\$" --device $device --out a
  gpufx: bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:63 failed: a sample was -1000 cycles instead of a finite number above 0, so the case is discarded; run it again, and report it if it persists
  bank_conflict: 3 measured, 1 failed in *.* s; 1 fit* (glob)
  3 measured, 0 waived, 1 failed in *.* s; overhead *.* ms per case (own work *, reading clocks *) (glob)
  archive: */a/*.jsonl.gz (glob)
  [1]
  $ archive a/*
  synthetic case=3 waived=0 failed=1 fit=2 processes=1 complete

Ctrl-C and SIGTERM: a valid archive, marked incomplete.

  $ gpufx run bank_conflict --device $device --out b --benchmark_repetitions=30 >/dev/null 2>told & pid=$!
  $ wait_for_lines b 100; kill -TERM $pid; wait $pid
  [143]
  $ cat told
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  $ archive b/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted
  $ gpufx run bank_conflict --device $device --out c --processes 1000 >/dev/null 2>told & pid=$!
  $ wait_for_lines c 100; kill -TERM $pid; wait $pid
  [143]
  $ grep -v ' failed: a sample' told
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  $ archive c/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted

SIGINT, as the terminal sends it; a shell would start a background job with it ignored.

  $ cat >interrupted.py <<END
  > import os, signal, subprocess, sys, time
  > signal.signal(signal.SIGINT, signal.default_int_handler)
  > run = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
  > while sum(open(f"{sys.argv[1]}/{name}").read().count("\n") for name in
  >           (os.listdir(sys.argv[1]) if os.path.isdir(sys.argv[1]) else [])) < 100:
  >     time.sleep(0.02)
  > run.send_signal(signal.SIGINT)
  > print(run.wait())
  > END
  $ "$GPUFX_PYTHON" interrupted.py d gpufx run bank_conflict --device $device --out d --benchmark_repetitions=30
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  130
  $ archive d/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted

A verb that only reads says that it was stopped, here while it waits for an archive.

  $ mkfifo pipe; gpufx summary pipe 2>told & pid=$!
  $ exec 3>pipe; kill -TERM $pid; wait $pid
  [143]
  $ exec 3>&-; cat told
  gpufx summary: stopped

kill -9: no last line, and every line before it is good. A process that dies does not end the others.

  $ gpufx run bank_conflict --device $device --out e --benchmark_repetitions=30 >/dev/null 2>&1 & pid=$!
  $ wait_for_lines e 100; kill -KILL $pid; wait $pid 2>/dev/null
  [137]
  $ archive e/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N no end line
  $ gpufx run bank_conflict --device $device --out f --processes 2 --benchmark_repetitions=6 >/dev/null 2>told & pid=$!
  $ wait_for_lines f 100; kill -KILL $(cat /proc/$pid/task/$pid/children); wait $pid
  [1]
  $ grep -v ' failed: a sample' told
  gpufx: process 1 of 2 was killed by signal 9 (Killed); its results are kept, the others continue
  $ archive f/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: process_failed

As many processes as a case needs: what one that died did not come to is measured in a third.

  $ gpufx run bank_conflict --quick --device $device --out fa --processes auto --benchmark_repetitions=40 >/dev/null 2>told & pid=$!
  $ wait_for_lines fa 100; kill -KILL $(cat /proc/$pid/task/$pid/children); wait $pid
  [1]
  $ cat told
  gpufx: process 1 of 5 was killed by signal 9 (Killed); its results are kept, the others continue
  $ archive fa/* | sed 's/=[0-9][0-9]*\([0-9]\)/=N/'
  synthetic case=N waived=0 failed=0 fit=6 processes=3 incomplete: process_failed

Two runs at once write two archives.

  $ gpufx run bank_conflict --filter "$staircase" --device $device --out g >/dev/null 2>one & pid=$!
  $ gpufx run bank_conflict --filter "$staircase" --device $device --out g >/dev/null 2>two; wait $pid
  [1]
  $ cmp one two; cut -c 1-90 one
  gpufx: bank_conflict/mode:throughput/op:load/width:4/pattern:stride/stride:63 failed: a sa
  $ archive g/* | sed 's/case=[0-9]*/case=N/'
  synthetic case=N waived=0 failed=1 fit=2 processes=1 complete
  synthetic case=N waived=0 failed=1 fit=2 processes=1 complete

Two processes at once on one archive, which nothing but a mistake would start, lose no line to each other.

  $ gpufx run null --device $device --out m >/dev/null; zcat m/* | head -n 1 >two.jsonl
  $ for i in 0 1; do
  >   as_child '{"child": true, "process": '$i', "append": "two.jsonl"}' gpufx run bank_conflict --quick --device $device --benchmark_repetitions=20 >told.$i &
  > done; wait
  $ cat told.0 told.1 | grep -c done
  2760
  $ archive two.jsonl
  synthetic case=2760 waived=0 failed=0 fit=6 processes=2 no end line

A disk that fills up, here by a limit on the size of files; an archive deleted during the run. Whether the end line has
room hangs on how long the line is that had none.

  $ (ulimit -f 24; gpufx run bank_conflict --quick --device $device --out h >/dev/null)
  gpufx: cannot write to '*/h/*.jsonl': File too large; the file size limit (ulimit -f) is reached; raise it; the lines written so far are kept (glob)
  [2]
  $ archive h/* | sed 's/=[0-9]*/=N/g; s/no end line/incomplete: io/'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: io
  $ sh -c 'ulimit -f 0; exec gpufx run null --device $0 --out h0' $device 2>&1 | sed 's/.*; raise/raise/'; ls h0
  raise it; nothing was written
  $ gpufx run bank_conflict --device $device --out i --benchmark_repetitions=30 >/dev/null 2>told & pid=$!
  $ wait_for_lines i 100; rm -r i; wait $pid
  [2]
  $ cat told
  gpufx: the archive '*/i/*.jsonl' was deleted during the run; choose a folder that nobody changes (glob)

An archive that is emptied during the run; by one process or by three.

  $ gpufx run bank_conflict --device $device --out n --benchmark_repetitions=30 >/dev/null 2>told & pid=$!
  $ wait_for_lines n 100; : >$(echo n/*.jsonl); wait $pid
  [2]
  $ grep -m 1 'a folder that nobody changes' told
  gpufx: the archive '.*/n/.*jsonl' (was truncated during the run, and its contents are lost|lost lines during the run); run again, into a folder that nobody changes (re)
  $ gpufx run bank_conflict --device $device --out o --benchmark_repetitions=10 --processes 3 >/dev/null 2>told & pid=$!
  $ wait_for_lines o 100; : >$(echo o/*.jsonl); wait $pid
  [2]
  $ grep -m 1 'a folder that nobody changes' told
  gpufx: the archive '.*/o/.*jsonl' (was truncated during the run, and its contents are lost|lost lines during the run); run again, into a folder that nobody changes (re)

Somebody else writes into the archive during the run: no reader takes it, so the run says so; by one process or by three.

  $ gpufx run bank_conflict --device $device --out p --benchmark_repetitions=8 >/dev/null 2>told & pid=$!
  $ wait_for_lines p 100; echo junk >>$(echo p/*.jsonl); wait $pid
  [2]
  $ grep -v ' failed: a sample' told
  gpufx: line [0-9]+ of the archive '.*/p/.*jsonl' was written by another program during the run, so readers would refuse it; delete that line, or run again (re)
  $ sed -i /junk/d p/*.jsonl; archive p/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N no end line
  $ gpufx run bank_conflict --device $device --out q --benchmark_repetitions=4 --processes 3 >/dev/null 2>told & pid=$!
  $ wait_for_lines q 100; echo junk >>$(echo q/*.jsonl); wait $pid
  [2]
  $ grep -c 'was written by another program during the run' told
  1

A reader that goes away in the middle of a run, and one that is gone before; with more than one process, too.

  $ { gpufx run bank_conflict --quick --device $device --out l --processes 3 2>told; echo $? >ended; } | head -n 1 >/dev/null
  $ { gpufx run bank_conflict --quick --device $device --out l 2>told; echo $? >>ended; } | true
  $ { gpufx run bank_conflict --quick --device $device --out l 2>&1; echo $? >>ended; } | true
  $ cat ended
  0
  0
  0
  $ archive l/* | sort
  synthetic case=207 waived=0 failed=0 fit=12 processes=3 complete
  synthetic case=69 waived=0 failed=0 fit=6 processes=1 complete
  synthetic case=69 waived=0 failed=0 fit=6 processes=1 complete

Output that nobody reads is no reason to lose a run; output that can't be written is an error, and one that is closed
is found out before.

  $ gpufx run null --device $device --out j >&-
  gpufx: standard output is closed; open it, or send it to /dev/null
  [2]
  $ gpufx run null --device $device --out j >&- 2>&- <&-
  [2]
  $ gpufx run null --device $device --out j >/dev/null 2>&- <&-
  $ archive j/*
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete
  $ gpufx list --json --cases | head -n 1
  {
  $ gpufx list >/dev/full
  gpufx: standard output could not be written completely; check the disk
  [2]
  $ gpufx run null --device $device --out k >/dev/full
  gpufx: standard output could not be written completely; check the disk
  [2]
  $ archive k/*
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete

What is closed can't be written to; what is sent nowhere on purpose can.

  $ for verb in list info help "run null --device synthetic:$TESTDIR/tools/device.json --out closed"; do gpufx $verb >&- 2>told; echo $? $(cat told); done; ! ls closed 2>/dev/null
  2 gpufx: standard output is closed; open it, or send it to /dev/null
  2 gpufx: standard output is closed; open it, or send it to /dev/null
  2 gpufx: standard output is closed; open it, or send it to /dev/null
  2 gpufx: standard output is closed; open it, or send it to /dev/null
  $ gpufx list >/dev/null

A terminal that goes away ends a run as SIGTERM does, unless nohup stands before it.

  $ gpufx run bank_conflict --device $device --out hup --processes 1000 >/dev/null 2>told & pid=$!
  $ wait_for_lines hup 20; kill -HUP $pid; wait $pid
  [129]
  $ tail -n 1 told; archive hup/* | sed 's/=[0-9]*/=N/g'
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted
  $ nohup gpufx run bank_conflict --quick --device $device --out nohup --processes 20 >/dev/null 2>told & pid=$!
  $ wait_for_lines nohup 2; kill -HUP $pid; wait $pid
  $ archive nohup/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N complete

What an archive keeps of the command line names no file or folder.

  $ cp $TESTDIR/tools/device.json d.json
  $ gpufx run null --device=synthetic:$PWD/d.json --out=$PWD/private --benchmark_out=$PWD/x.json --benchmark_out_format=json >/dev/null 2>&1
  $ zcat private/* | head -n 1 | grep -o '"arguments":[^]]*'
  "arguments":["run","null","--device=synthetic:...","--out=...","--benchmark_out=...","--benchmark_out_format=json"

An archive of more than ten thousand lines is written, read by the program itself, which counts again what a killed
process left, and read by everything behind it.

  $ device=synthetic:$GPUFX_ROOT/tests/abuse/device.json
  $ gpufx run bank_conflict --quick --device $device --out la --processes 2 --benchmark_repetitions=80 >/dev/null 2>told & pid=$!
  $ wait_for_lines la 5660; kill -KILL $(cat /proc/$pid/task/$pid/children); wait $pid
  [1]
  $ cat told
  gpufx: process 2 of 2 was killed by signal 9 (Killed); its results are kept, the others continue
  $ gpufx run bank_conflict --quick --device $device --out lb --processes 2 --benchmark_repetitions=80 >/dev/null
  $ archive lb/*
  synthetic case=11040 waived=0 failed=0 fit=9 processes=2 complete
  $ archive la/* | sed 's/case=[0-9]*/case=N/; s/fit=[0-9]*/fit=N/'
  synthetic case=N waived=0 failed=0 fit=N processes=2 incomplete: process_failed
  $ COLUMNS=120 gpufx compare la lb --all | grep -A 1 '^new / base' | tail -n 1 | cut -c 1-20
  bank_conflict     69
  $ gpufx plot lb -o charts --format svg | sed 's/.*charts/charts/'
  charts/bank_conflict.svg
