Wrong use of the verbs in Python is refused like that of all others, before Python is started.

  $ python=$GPUFX_PYTHON; GPUFX_PYTHON=/nowhere
  $ gpufx compare
  gpufx: an argument is missing; write gpufx compare BASE ARCHIVE... [OPTION...]
  [2]
  $ gpufx compare one
  gpufx: an argument is missing; write gpufx compare BASE ARCHIVE... [OPTION...]
  [2]
  $ gpufx claims
  gpufx: an argument is missing; write gpufx claims ARCHIVE [OPTION...]
  [2]
  $ gpufx claims a b
  gpufx: unexpected argument 'b'; write gpufx claims ARCHIVE [OPTION...]
  [2]
  $ gpufx plot -o charts
  gpufx: an argument is missing; write gpufx plot ARCHIVE... [-o DIR] [OPTION...]
  [2]
  $ gpufx compare a b --margin nan
  gpufx: --margin nan: not a decimal number
  [2]
  $ gpufx compare a b --margin -1
  gpufx: --margin -1: out of range, 0 to 50 %
  [2]
  $ gpufx compare a b --margin ' 1'
  gpufx: --margin  1: not a decimal number
  [2]
  $ gpufx compare a b --margin 1 --margin 2
  gpufx: --margin is given twice; leave one of them out
  [2]
  $ gpufx compare a b --format pdf
  gpufx: --format pdf: 'pdf' is not one of csv, text, json, markdown
  [2]
  $ gpufx compare a b --level card
  gpufx: --level card: 'card' is not one of board, process
  [2]
  $ gpufx compare a b --frobnicate
  gpufx: unknown option --frobnicate; `gpufx compare --help` lists them
  [2]
  $ gpufx plot a --output ''
  gpufx: --output needs a value: --output DIR
  [2]
  $ gpufx ask a --archive
  gpufx: --archive needs a value: --archive ARCHIVE
  [2]
  $ gpufx validate --patern
  gpufx: unknown option --patern; did you mean --patterns?
  [2]
  $ gpufx summary "$TESTDIR/use.t"
  gpufx: Python can't be started as /nowhere: No such file or directory; ./gpufx setup installs it, or set GPUFX_PYTHON to a Python that has the packages of plot/requirements.txt
  [2]

What is closed can't be written to; what is sent nowhere on purpose can.

  $ GPUFX_PYTHON=$python
  $ for verb in list info help "run null --device synthetic:$TESTDIR/tools/device.json --out closed"; do gpufx $verb >&-; echo $?; done; ls
  gpufx: standard output is closed; open it, or send it to /dev/null
  2
  gpufx: standard output is closed; open it, or send it to /dev/null
  2
  gpufx: standard output is closed; open it, or send it to /dev/null
  2
  gpufx: standard output is closed; open it, or send it to /dev/null
  2
  $ gpufx list >/dev/null

A terminal that goes away ends a run as SIGTERM does, unless nohup stands before it.

  $ device=synthetic:$TESTDIR/tools/device.json
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
