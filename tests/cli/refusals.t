What is wrong with a command line is found before anything is measured or written, and before Python is started: one
sentence and status 2. Of each command a part of its sentence, as a rule what to do. What the table of options alone
decides is in tests/unit/test_options.c. A long value is cut, so that the advice stays.

  $ device=synthetic:$TESTDIR/tools/device.json; archive=x.jsonl
  $ touch file; ln -s $GPUFX_ROOT/results link; echo '{' >broken.json; ls >../before
  $ python=$GPUFX_PYTHON; export GPUFX_PYTHON=/nowhere
  $ long=$(printf 'x%.0s' $(seq 1001)); export device archive long
  $ refused <<'END'
  > did you mean --output?|gpufx plot h200 --out x
  > repeat --axis for more|gpufx run bank_conflict --axis 'stride=1 width=4' --device $device
  > did you mean 'null'?|gpufx run nul --device $device
  > did you mean 'null'?|gpufx run -- --null --device $device
  > `gpufx list --cases` prints them|gpufx run null --filter frobnicate --device $device
  > an extended regular expression: Invalid regular expression|gpufx run null --filter '[' --device $device
  > no selected probe has an axis 'x'; `gpufx list null` prints its axes|gpufx run null --axis x=1 --device $device
  > did you mean 'stride'?|gpufx run bank_conflict --axis strde=1 --device $device
  > axis stride: 65 is outside its limits 0..64 elements|gpufx run bank_conflict --axis stride=65 --device $device
  > write stride=VALUE[,VALUE...]|gpufx run bank_conflict --axis stride= --device $device
  > Benchmark: --benchmark_frobnicate: not one of --benchmark_list_tests|gpufx run null --benchmark_frobnicate=1 --device $device
  > prints them), and --filter uses the plain ones|gpufx run null --benchmark_filter=frobnicate --device $device
  > Unexpected character within '[...]' in regular expression|gpufx run null --benchmark_filter=[ --device $device
  > leave out --processes, or read the archive|gpufx run null --benchmark_out=x.json --processes 2 --device $device
  > set CUDA_VISIBLE_DEVICES=MIG-2c3a and leave out --device|gpufx run null --device MIG-2c3a
  > synth:generic: did you mean --device synthetic:generic?|gpufx run null --device synth:generic
  > or name a .json file|gpufx run null --device synthetic:frobnicate
  > correct the file|gpufx run null --device synthetic:./broken.json
  > choose another folder|gpufx run null --device $device --out $GPUFX_ROOT/results
  > choose another folder|gpufx run null --device $device --out link/sm_90/x
  > write it without '..'|gpufx run null --device $device --out missing/../link
  > choose another|gpufx run null --device $device --out file
  > choose another folder with --out|gpufx run null --device $device --out file/folder
  > make it or choose another|gpufx run null --device $device --out /proc/frobnicate
  > is for processes that gpufx itself starts; unset it|GPUFX_PARENT_RECORD=1 gpufx run null --device $device
  > unset it, or name the project's folder|GPUFX_ROOT=/frobnicate gpufx list
  > unset GPUFX_ROOT, or set it to gpufx's folder|GPUFX_ROOT=/proc gpufx run null
  > to a Python that has the packages of plot/requirements.txt|GPUFX_PYTHON=/frobnicate gpufx summary file
  > `gpufx list` lists them|gpufx list frobnicate
  > --axis stride: write NAME=VALUES, such as --axis stride=0:64|gpufx list --axis stride
  > `gpufx list --cases` prints them|gpufx list null --filter -null
  > write gpufx compare BASE ARCHIVE... [OPTION...]|gpufx compare
  > write gpufx plot ARCHIVE... [-o DIR] [OPTION...]|gpufx plot -o charts
  > name one device, or read the archives|gpufx run null --device synthetic:generic,synthetic:planted --benchmark_out=x.json
  > leave one out|gpufx sheet a --json --format csv
  > make it or choose another|gpufx list -o nowhere/list
  > leave one out|gpufx list --quiet --verbose
  > --only /dev/zero is not a file of case names, one per line|gpufx run bank_conflict --only /dev/zero --device $device
  > --only nowhere can't be read: No such file or directory|gpufx run bank_conflict --only nowhere --device $device
  > did you mean 'list'?|gpufx lst
  > `gpufx help` lists them|gpufx frobnicate
  > did you mean 'list'?|gpufx help lst
  > script ./gpufx at the root of the project: run ./gpufx test|gpufx test
  > run `gpufx characterize` first|gpufx plot latest bank_conflict
  > argument of its own here: `gpufx plot --help` shows where|gpufx plot bank_conflict --archive latest
  > write gpufx info [OPTION...]|gpufx info 0
  > leave out --max-time or --samples|gpufx run null --samples 3 --max-time 1
  > it must be KEY=VALUE, the key of letters, digits and _.-|gpufx run null --device $device --label node --out q
  > 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; `gpufx list` lists them|gpufx run $long --device $device
  > --filter: the expression has 1001 bytes, more than 1000; write a shorter one|gpufx run null --filter $long --device $device
  > --label a=2: its key is given twice|gpufx run null --device $device --label a=1 --label a=2 --out q
  > END
  $ ls | cmp - ../before; export GPUFX_PYTHON=$python

What is quoted can't command the terminal or feign a second line.

  $ gpufx run "$(printf 'null\nto\033[2Jday')" --device $device
  gpufx: unknown probe 'null?to?[2Jday'; `gpufx list` lists them
  [2]
  $ printf '{"schema": 1, "na\\nme\\u001b[2J": 2, "sm_clock_MHz": 1, "name": "x", "facts": {}, "models": []}' >escape.json
  $ gpufx run null --device synthetic:./escape.json
  gpufx: ./escape.json: unknown key "na?me?[2J"; known are name, * (glob)
  [2]
  $ rm escape.json

What CUDA would have to say is not found out without it.

  $ gpufx run null --device 0 2>err; echo $?; CUDA_VISIBLE_DEVICES=MIG-2c3a gpufx run null --device MIG-2c3a 2>>err
  77
  [77]
  $ grep -c ': there is no CUDA device (.*); `gpufx info` says more, --device synthetic:generic needs none' err
  2
  $ mkdir gone; (cd gone; rmdir ../gone; gpufx run null --device $device --out sub)
  gpufx: sub: the current folder no longer exists; change to one that does, or give --out an absolute path
  [2]
