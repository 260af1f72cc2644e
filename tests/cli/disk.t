A disk that is full and one that can't be written to: real ones, in memory and in a name space of this session's own.
Where the kernel refuses that, as in many containers, the session is skipped.

  $ unshare -rm sh -c 'mkdir -p disk && mount -t tmpfs none disk' 2>/dev/null || exit 80
  $ device=synthetic:$GPUFX_ROOT/tests/abuse/device.json; export device
  $ cat >on_disk <<END
  > # on_disk OPTIONS SCRIPT: runs the script with a disk of these options mounted in the folder disk.
  > exec unshare -rm sh -c 'mount -t tmpfs -o "\$0" none disk && eval "\$1"' "\$@"
  > END

A run that fills the disk keeps its finished cases, gives up the half line, and has room for the line that says so.

  $ run="gpufx run bank_conflict --quick --device $device --out disk/a"
  $ sh on_disk size=64k "$run; echo \$?; archive disk/a/* | sed s/case=[0-9]*/case=N/; find disk -type f | wc -l"
  bank_conflict: * measured* in * (glob)
  * measured, 0 waived, 0 failed in * (glob)
  archive: */disk/a/*.jsonl (glob)
  gpufx: cannot write to '*/disk/a/*.jsonl': No space left on device; free some space or choose a folder on another disk; the lines written so far are kept (glob)
  2
  synthetic case=N waived=0 failed=0 fit=0 processes=1 incomplete: io
  1
  $ sh on_disk size=64k "$run --processes 3; echo \$?; archive disk/a/* | sed s/case=[0-9]*/case=N/"
  bank_conflict: * measured* in * (glob)
  gpufx: cannot write to '*/disk/a/*.jsonl': No space left on device; free some space or choose a folder on another disk; the lines written so far are kept (glob)
  * measured, 0 waived, 0 failed in * (glob)
  archive: */disk/a/*.jsonl (glob)
  gpufx: process 1 of 3 could not continue; the run ends here
  2
  synthetic case=N waived=0 failed=0 fit=0 processes=1 incomplete: io

Where not even the first line fits, nothing is left, not even a hidden file. A rerun on a disk with room completes.

  $ sh on_disk size=64k "mkdir disk/a; head -c 65k /dev/zero >disk/fill 2>/dev/null; $run; echo \$?; find disk -type f"
  gpufx: cannot write to '*/disk/a/*.jsonl': No space left on device; free some space or choose a folder on another disk; nothing was written (glob)
  2
  disk/fill
  $ sh on_disk size=1m "$run >/dev/null; echo \$?; archive disk/a/*"
  0
  synthetic case=69 waived=0 failed=0 fit=6 processes=1 complete

Read-only: this stops root as well.

  $ sh on_disk ro "gpufx run null --device $device --out disk; echo \$?"
  gpufx: cannot create an archive in '*/disk': Read-only file system; choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions (glob)
  2
  $ sh on_disk ro "gpufx run null --device $device --out disk/a; echo \$?"
  gpufx: cannot make the folder '*/disk/a': Read-only file system; choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions (glob)
  2

One that becomes read-only while a run measures: what is open can still be written, and nothing be made or appended to.
The run is stopped until then.

  $ cat >turns <<'END'
  > gpufx run bank_conflict --quick --device $device --benchmark_repetitions=100 --out disk/a "$@" 2>said &
  > mkdir -p disk/a; wait_for_lines disk/a 8 && kill -STOP $!
  > mount --bind disk disk && mount -o remount,bind,ro disk
  > kill -CONT $!; wait $!; echo $?; cat said; archive disk/a/* | sed s/case=[0-9]*/case=N/; ls -A disk/a
  > END
  $ sh on_disk size=64m "set --; . ./turns"
  bank_conflict: * measured* in * (glob)
  * measured, 0 waived, 0 failed in * (glob)
  archive: */disk/a/*.jsonl (glob)
  0
  gpufx: the archive stays uncompressed: cannot write '*.jsonl.gz': Read-only file system; choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions (glob)
  synthetic case=N waived=0 failed=0 fit=6 processes=1 complete
  *.jsonl (glob)
  $ sh on_disk size=64m "set -- --processes 3; . ./turns"
  bank_conflict: * measured* in * (glob)
  * measured, 0 waived, 0 failed in * (glob)
  archive: */disk/a/*.jsonl (glob)
  2
  gpufx: cannot append to '*.jsonl': Read-only file system; choose a folder that you may write to (-o or GPUFX_HOME), or change its permissions (glob)
  gpufx: process 2 of 3 could not continue; the run ends here
  synthetic case=N waived=0 failed=0 fit=3 processes=1 incomplete: io
  *.jsonl (glob)

Charts.

  $ gpufx run bank_conflict --quick --device $device --out kept >/dev/null
  $ sh on_disk size=16k "gpufx plot kept -o disk; echo \$?; find disk -name '.*'; find disk -type f -size 0"
  gpufx plot: 'disk/bank_conflict.*' can't be written: No space left on device; choose another place (glob)
  2
  $ sh on_disk ro "gpufx plot kept -o disk/charts; echo \$?"
  gpufx plot: 'disk/charts' can't be made: Read-only file system; choose another -o or GPUFX_HOME
  2
