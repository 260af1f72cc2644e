What goes wrong during a run costs no more than the case it goes wrong in.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ staircase='mode:throughput/op:load/width:4/pattern:stride/stride:'

SIGTERM: a valid archive, marked incomplete. (Ctrl-C is typed in tests/terminal/test_keys.py.)

  $ gpufx run bank_conflict --device $device --out b --benchmark_repetitions=30 >/dev/null 2>told & pid=$!
  $ wait_for_lines b 100; kill -TERM $pid; wait $pid
  [143]
  $ cat told
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  $ gpufx run bank_conflict --device $device --out c --processes 1000 >/dev/null 2>told & pid=$!
  $ wait_for_lines c 100; kill -TERM $pid; wait $pid
  [143]
  $ grep -v ' failed: a sample' told
  gpufx: interrupted; the archive has the results so far and is marked incomplete
  $ archive b/* c/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted
  synthetic case=N waived=N failed=N fit=N processes=N incomplete: interrupted

A verb that only reads says that it was stopped, here while it waits for an archive.

  $ mkfifo pipe; gpufx summary pipe 2>told & pid=$!
  $ exec 3>pipe; kill -TERM $pid; wait $pid
  [143]
  $ exec 3>&-; cat told
  gpufx summary: interrupted

A process that dies does not end the others (tests/abuse/kill.py kills them at any time).
With as many processes as a case needs, what it did not come to is measured in a third.

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

An archive that is emptied during the run, or written to by somebody else, so that no reader takes it: the run says so;
by one process or by three.

  $ disturbed() { # FOLDER REPETITIONS PROCESSES: a run, to be disturbed as `disturb` does; its sentence, and the status
  >   gpufx run bank_conflict --device $device --out $1 --benchmark_repetitions=$2 --processes $3 >/dev/null 2>told & pid=$!
  >   wait_for_lines $1 100; disturb $(echo $1/*.jsonl); wait $pid; echo $? $(grep -m 1 -e 'a folder that nobody changes' -e 'delete that line' told)
  > }
  $ disturb() { : >"$1"; }; disturbed n 30 1; disturbed o 10 3
  2 gpufx: the archive '.*/n/.*jsonl' (was truncated during the run, and its contents are lost|lost lines during the run); run again, into a folder that nobody changes (re)
  2 gpufx: the archive '.*/o/.*jsonl' (was truncated during the run, and its contents are lost|lost lines during the run); run again, into a folder that nobody changes (re)
  $ disturb() { echo junk >>"$1"; }; disturbed p 3 1; disturbed q 2 3
  2 gpufx: line [0-9]+ of the archive '.*/p/.*jsonl' was written by another program during the run, so readers would refuse it; delete that line, or run again (re)
  2 gpufx: line [0-9]+ of the archive '.*/q/.*jsonl' was written by another program during the run, so readers would refuse it; delete that line, or run again (re)
  $ sed -i /junk/d p/*.jsonl; archive p/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N no end line

A reader that goes away in the middle of a run, and one that is gone before; with more than one process, too.

  $ { gpufx run bank_conflict --quick --device $device --out l --processes 3 2>told; echo $? >ended; } | head -n 1 >/dev/null
  $ { gpufx run bank_conflict --quick --device $device --out l 2>&1; echo $? >>ended; } | true
  $ paste -s ended; archive l/* | sort
  0	0
  synthetic case=207 waived=0 failed=0 fit=12 processes=3 complete
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
  $ gpufx list >/dev/full
  gpufx: standard output could not be written completely; check the disk
  [2]
  $ gpufx list --cases -o /dev/full
  gpufx: cannot write '/dev/full': No space left on device; free some space or choose a folder on another disk
  [2]
  $ gpufx run null --device $device --out k >/dev/full
  gpufx: standard output could not be written completely; check the disk
  [2]
  $ archive k/*
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete

nohup keeps a run from the terminal that goes away.

  $ nohup gpufx run bank_conflict --quick --device $device --out nohup --processes 20 >/dev/null 2>told & pid=$!
  $ wait_for_lines nohup 2; kill -HUP $pid; wait $pid
  $ archive nohup/* | sed 's/=[0-9]*/=N/g'
  synthetic case=N waived=N failed=N fit=N processes=N complete
