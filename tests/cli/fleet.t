Many archives: exported, listed, reported.

  $ export COLUMNS=80
  $ gpufx run null --device synthetic:generic --samples 3 --seed 1 --label rack=r1 --out in >/dev/null 2>&1
  $ gpufx run constant --quick --device synthetic:generic --samples 3 --seed 2 --out in >/dev/null 2>&1
  $ printf '{"type":"run"}\n' >in/bad.jsonl
  $ gpufx export in --format parquet -o set
  2 archives, 1 left out
  Parquet: set (archives, quantities, cases, fits)
  note: in/bad.jsonl:1: not a gpufx archive: the first line must be a "run" line with a schema number
  [1]
  $ gpufx export in/bad.jsonl --format parquet -o none; gpufx archive list in/bad.jsonl; ls -A none
  gpufx export: no archive could be read: in/bad.jsonl:1: not a gpufx archive: the first line must be a "run" line with a schema number
  gpufx: in/bad.jsonl: this is not a gpufx archive; name archives, or a folder that has some
  ls: cannot access 'none': No such file or directory
  [2]
  $ gpufx fleet report in --format json 2>/dev/null | grep '"path"'
     "path": "in/bad.jsonl",
  $ rm in/bad.jsonl; gpufx archive list in | grep -o 'synthetic-generic-gpu  *sm_90'
  synthetic-generic-gpu     sm_90
  synthetic-generic-gpu     sm_90
  $ gpufx fleet report set | head -n 1; gpufx fleet report in | head -n 1
  Synthetic generic GPU (SYNTHETIC: invented numbers): 2 cards, too few to find a
  Synthetic generic GPU (SYNTHETIC: invented numbers): 2 cards, too few to find a
  $ gpufx fleet report set -o x.txt; gpufx fleet report set in; gpufx fleet report nowhere
  gpufx fleet report: set: a folder of Parquet tables can only be named alone
  gpufx fleet report: nowhere: no such file or folder
  [2]
  $ gpufx fleet report set --fail-on sick
  Synthetic generic GPU (SYNTHETIC: invented numbers): 2 cards, too few to find a
  sick one: 4 are needed; 1 file unreadable
  2 archives, 3 quantities, sm_90, ????-??-?? (glob)
  
  note: 1 archive taken with --quick: compared here, but left out of the base of
        `gpufx accept`
  note: in/bad.jsonl:1: not a gpufx archive: the first line must be a "run" line
        with a schema number
  gpufx fleet report: --fail-on sick: can't be decided: 1 archive could not be read
  [3]

Ctrl-C while Python is loading, before anything of ours could hear it: no traceback.

  $ cat >stopped.py <<END
  > import os, signal, sys
  > os.kill(os.getpid(), signal.SIGINT)
  > os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
  > END
  $ printf '#!/bin/sh\nexec "%s" -P stopped.py "$@"\n' "$GPUFX_PYTHON" >python; chmod +x python
  $ "$GPUFX_PYTHON" -P -c 'import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.default_int_handler); print(subprocess.call(sys.argv[1:]))' env GPUFX_PYTHON=./python gpufx fleet report set
  gpufx fleet report: interrupted
  130
