Many archives: packed, listed, asked, reported.

  $ export COLUMNS=80
  $ gpufx run null --device synthetic:generic --samples 3 --seed 1 --label rack=r1 --out in >/dev/null 2>&1
  $ gpufx run constant --quick --device synthetic:generic --samples 3 --seed 2 --out in >/dev/null 2>&1
  $ printf '{"type":"run"}\n' >in/bad.jsonl
  $ gpufx archive pack in -o set
  2 archives packed, 1 not added
  dataset: set
  note: in/bad.jsonl: this is not a gpufx archive
  [1]
  $ gpufx archive pack in/bad.jsonl -o none; gpufx archive list in/bad.jsonl; ls none
  gpufx archive pack: in/bad.jsonl: this is not a gpufx archive; name archives, or a folder that has some
  gpufx archive list: in/bad.jsonl: this is not a gpufx archive; name archives, or a folder that has some
  ls: cannot access 'none': No such file or directory
  [2]
  $ rm in/bad.jsonl; gpufx archive pack in -o set
  0 archives packed, 2 already there
  dataset: set
  $ ls set; ls set/archives | wc -l
  archives
  cases
  gpufx-dataset.json
  quantities
  1
  $ gpufx archive list set | cut -c 1-22,33-76 | sed 's/^....-..-..T..:..:..Z/UTC/'
  started               device                 arch   processes  arc
  UTC  synthetic-generic-gpu  sm_90          1  in/
  UTC  synthetic-generic-gpu  sm_90          1  in/
  $ gpufx archive verify in
  2 archives intact, 0 not
  $ gpufx archive merge set -o both
  2 archives packed
  dataset: both
  $ gpufx query "SELECT probe, count(*) AS cases FROM cases GROUP BY probe ORDER BY probe" both
  probe     cases
  constant     41
  null          1
  $ gpufx query "SELECT labels->>'rack' AS rack, count(*) AS n FROM archives GROUP BY rack ORDER BY rack" set --format csv
  rack,n
  r1,1
  ,1
  $ gpufx query "COPY cases TO 'x.csv'" set; gpufx query 'SELECT * FROM casses' set; gpufx query 'SELECT 1' in/none; ls x.csv
  gpufx query: a dataset is read-only; give a SELECT
  gpufx query: table with name casses does not exist; docs/fleet.md has the columns
  gpufx query: in/none: no such folder; `gpufx archive pack FOLDER -o in/none` creates a dataset
  ls: cannot access 'x.csv': No such file or directory
  [2]
  $ gpufx fleet report set | head -n 1
  Synthetic generic GPU (SYNTHETIC: invented numbers): 2 cards, too few to find a
  $ gpufx history constant.address_cycles set | head -n 3; gpufx history constant.adress set
  constant.address_cycles of Synthetic generic GPU (SYNTHETIC): 1 card, 1 archive
  Each card was measured once, so changes can't be seen.
  
  gpufx history: the dataset has no quantity 'constant.adress'; did you mean 'constant.address_cycles'?
  [2]
  $ gpufx fleet report set -o x.txt

Ctrl-C while Python is loading, before anything of ours could hear it: no traceback.

  $ cat >stopped.py <<END
  > import os, signal, sys
  > os.kill(os.getpid(), signal.SIGINT)
  > os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
  > END
  $ printf '#!/bin/sh\nexec "%s" -P stopped.py "$@"\n' "$GPUFX_PYTHON" >python; chmod +x python
  $ "$GPUFX_PYTHON" -P -c 'import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.default_int_handler); print(subprocess.call(sys.argv[1:]))' env GPUFX_PYTHON=./python gpufx query 'SELECT 1' set
  130

Ctrl-C on a terminal while DuckDB works on a question, and `timeout`: it ends at once, and nothing stays of it.

  $ mkdir tmp; TMPDIR=$PWD/tmp; export TMPDIR
  $ cat >pressed.py <<END
  > import os, pathlib, pty, sys, time
  > child, terminal = pty.fork()
  > if not child: os.execvp(sys.argv[1], sys.argv[1:])
  > while not list(pathlib.Path("tmp").glob("gpufx-*/gpufx-*")): time.sleep(0.05)
  > time.sleep(0.5)
  > os.write(terminal, b"\\3")
  > print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.read(terminal, 100))
  > END
  $ "$GPUFX_PYTHON" -P pressed.py gpufx query "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))" set
  130 b'^C'
  $ timeout 2 gpufx query "SELECT levenshtein(repeat('ab', 200000), repeat('ba', 200000))" set
  [124]
  $ ls tmp
