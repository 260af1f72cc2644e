Wrong options: nothing is run, nothing is written, exit status 2.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run --proceses 3
  gpufx: unknown option --proceses; did you mean --processes?
  [2]
  $ gpufx run --frobnicate
  gpufx: unknown option --frobnicate; `gpufx run --help` lists them
  [2]
  $ gpufx run -o x; gpufx plot h200 --out x
  gpufx: unknown option -o; did you mean --out?
  gpufx: unknown option --out; did you mean --output?
  [2]
  $ gpufx run --processes
  gpufx: --processes needs a value: --processes K
  [2]
  $ gpufx run --processes 0
  gpufx: --processes 0: out of range, 1 to 1000 processes
  [2]
  $ gpufx run --processes 1001
  gpufx: --processes 1001: out of range, 1 to 1000 processes
  [2]
  $ gpufx run bank_conflict --axis 'stride=1 width=4' --device $device
  gpufx: --axis 'stride=1 width=4': give one axis without blanks; repeat --axis for more
  [2]
  $ gpufx run --launches 3
  gpufx: --launches is now --processes
  [2]
  $ gpufx selfcheck --launches=3
  gpufx: --launches is now --processes
  [2]
  $ gpufx run --processes three
  gpufx: --processes three: not a whole number, nor auto
  [2]
  $ gpufx run --processes=
  gpufx: --processes needs a value: --processes K
  [2]
  $ gpufx run --seed -1
  gpufx: --seed -1: out of range, 0 to 9007199254740992
  [2]
  $ gpufx run --seed 9007199254740993
  gpufx: --seed 9007199254740993: out of range, 0 to 9007199254740992
  [2]
  $ gpufx run --seed 99999999999999999999
  gpufx: --seed 99999999999999999999: out of range, 0 to 9007199254740992
  [2]
  $ gpufx run --max-time 0
  gpufx: --max-time 0: out of range, 0.001 to 3600 seconds per case
  [2]
  $ gpufx run --max-time nan
  gpufx: --max-time nan: not a decimal number
  [2]
  $ gpufx run --precision 101
  gpufx: --precision 101: out of range, 0.001 to 100 % of the median
  [2]
  $ gpufx run --precision 1%
  gpufx: --precision 1%: not a decimal number
  [2]
  $ gpufx run --out ''
  gpufx: --out needs a value: --out DIR
  [2]
  $ gpufx run --quick=1
  gpufx: --quick takes no value
  [2]
  $ gpufx characterize --no-archive
  gpufx: unknown option --no-archive; `gpufx characterize --help` lists them
  [2]

A long value is cut, so that the advice stays.

  $ long=$(printf 'x%.0s' $(seq 1001))
  $ gpufx run --processes $long
  gpufx: --processes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: not a whole number, nor auto
  [2]
  $ gpufx run $long --device $device | cat
  gpufx: unknown probe 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; `gpufx list` lists them
  $ gpufx run null --filter $long --device $device
  gpufx: --filter: the expression has 1001 bytes, more than 1000; write a shorter one
  [2]

What is quoted can't command the terminal or feign a second line.

  $ gpufx run "$(printf 'null\nto\033[2Jday')" --device $device
  gpufx: unknown probe 'null?to?[2Jday'; `gpufx list` lists them
  [2]
  $ printf '{"schema": 1, "na\\nme\\u001b[2J": 2, "sm_clock_MHz": 1, "name": "x", "facts": {}, "models": []}' >escape.json
  $ gpufx run null --device synthetic:./escape.json
  gpufx: ./escape.json: unknown key "na?me?[2J"; known are name, * (glob)
  [2]
  $ rm escape.json

Wrong selections.

  $ gpufx run nul --device $device
  gpufx: unknown probe 'nul'; did you mean 'null'?
  [2]
  $ gpufx run -- --null --device $device
  gpufx: unknown probe '--null'; did you mean 'null'?
  [2]
  $ gpufx run null --filter frobnicate --device $device
  gpufx: the selection is empty: --filter frobnicate matches none of 1 case names; `gpufx list --cases` prints them
  [2]
  $ gpufx run null --filter '[' --device $device
  gpufx: --filter [ is not an extended regular expression: Invalid regular expression
  [2]
  $ gpufx run null --axis x=1 --device $device
  gpufx: --axis x=1: the probe 'null' has no axis
  [2]
  $ gpufx run bank_conflict --axis strde=1 --device $device
  gpufx: --axis strde=1: no selected probe has an axis 'strde'; did you mean 'stride'?
  [2]
  $ gpufx run bank_conflict --axis stride=65 --device $device
  gpufx: probe bank_conflict: axis stride: 65 is outside its limits 0..64 elements
  [2]
  $ gpufx run bank_conflict --axis stride= --device $device
  gpufx: probe bank_conflict: axis stride: empty value in ""; write stride=VALUE[,VALUE...]
  [2]

Wrong flags of Google Benchmark.

  $ gpufx run null --benchmark_frobnicate=1 --device $device
  gpufx: Google Benchmark: --benchmark_frobnicate: there is no such flag
  [2]
  $ gpufx run null --benchmark_filter=frobnicate --device $device
  gpufx: --benchmark_filter matches none of 1 case names; its names end in /iterations:1/manual_time (--benchmark_list_tests prints them), and --filter uses the plain ones
  [2]
  $ gpufx run null --benchmark_filter=[ --device $device
  gpufx: --benchmark_filter can't be used: the filter '[' is not a regular expression: Unexpected character within '[...]' in regular expression
  [2]
  $ gpufx run null --benchmark_format=json --processes 2 --device $device
  gpufx: --benchmark_format=json covers one process; leave out --processes, or read the archive
  [2]
  $ gpufx run null --benchmark_out=x.json --processes 2 --device $device
  gpufx: --benchmark_out=x.json covers one process; leave out --processes, or read the archive
  [2]

Wrong devices.

  $ gpufx run null --device 0
  gpufx: --device 0: there is no CUDA device (*); `gpufx info` says more, --device synthetic:generic needs none (glob)
  [77]
  $ gpufx run null --device MIG-2c3a
  gpufx: --device MIG-2c3a: a MIG instance must be chosen through the environment, because CUDA shows a process only one; set CUDA_VISIBLE_DEVICES=MIG-2c3a and leave out --device
  [2]
  $ CUDA_VISIBLE_DEVICES=MIG-2c3a gpufx run null --device MIG-2c3a
  gpufx: --device MIG-2c3a: there is no CUDA device (*); `gpufx info` says more, --device synthetic:generic needs none (glob)
  [77]
  $ gpufx run null --device synth:generic
  gpufx: --device synth:generic: did you mean --device synthetic:generic?
  [2]
  $ gpufx run null --device synthetic:frobnicate
  gpufx: unknown synthetic device 'frobnicate'; known: generic, planted; or name a .json file
  [2]
  $ echo '{' >broken.json
  $ gpufx run null --device synthetic:./broken.json
  gpufx: ./broken.json, line 2: string or '}' expected near end of file; correct the file
  [2]

Wrong folders. What a synthetic device says can't be kept with what was measured, by whatever way.

  $ gpufx run null --device $device --out $GPUFX_ROOT/results
  gpufx: --out */results: an archive of a synthetic device can't be kept under results/, which only holds measured numbers; choose another folder (glob)
  [2]
  $ ln -s $GPUFX_ROOT/results link
  $ gpufx run null --device $device --out link/sm_90/x
  gpufx: --out link/sm_90/x: an archive of a synthetic device can't be kept under results/, which only holds measured numbers; choose another folder
  [2]
  $ gpufx run null --device $device --out missing/../link
  gpufx: missing/../link leaves a folder that does not exist; write it without '..'
  [2]
  $ mkdir gone; (cd gone; rmdir ../gone; gpufx run null --device $device --out sub)
  gpufx: sub: the current folder no longer exists; change to one that does, or give --out an absolute path
  [2]
  $ touch file
  $ gpufx run null --device $device --out file
  gpufx: cannot make the folder '*/file': File exists; a part of that path is a file, not a folder; choose another (glob)
  [2]
  $ gpufx run null --device $device --out file/folder
  gpufx: file/folder: Not a directory; choose another folder with --out
  [2]
  $ gpufx run null --device $device --out /proc/frobnicate
  gpufx: cannot make the folder '/proc/frobnicate': No such file or directory; the folder or the file does not exist; make it or choose another
  [2]

What gpufx hands to its child processes is not for others, and nothing but an archive is appended to.

  $ gpufx run null --device $device --append file
  gpufx: unknown option --append; * (glob)
  [2]
  $ GPUFX_PARENT_RECORD=1 gpufx run null --device $device
  gpufx: the environment variable GPUFX_PARENT_RECORD is for processes that gpufx itself starts; unset it
  [2]
  $ echo '{"version": 1, "parent": 1}' >record; GPUFX_PARENT_RECORD=5 gpufx run null --device $device 5<record
  gpufx: the environment variable GPUFX_PARENT_RECORD is for processes that gpufx itself starts; unset it
  [2]
  $ echo keep me >file; as_child '{"child": true, "process": 0, "append": "file"}' gpufx run null --device $device
  warning 'file' is not a gpufx archive: its first line is not a JSON object
  [2]
  $ cat file
  keep me
  $ ls
  broken.json
  file
  link
  record

The project's folder and Python.

  $ GPUFX_ROOT=/frobnicate gpufx list
  gpufx: GPUFX_ROOT=/frobnicate: No such file or directory; unset it, or name the project's folder
  [2]
  $ GPUFX_ROOT=/proc gpufx run null
  gpufx: /proc does not hold gpufx's synthetic devices (harness/core/synthetic/*.json); unset GPUFX_ROOT, or set it to gpufx's folder
  [2]
  $ GPUFX_PYTHON=/frobnicate gpufx summary file
  gpufx: Python can't be started as /frobnicate: No such file or directory; ./gpufx setup installs it, or set GPUFX_PYTHON to a Python that has the packages of plot/requirements.txt
  [2]
  $ GPUFX_PYTHON=/frobnicate gpufx plot file -o b
  gpufx: Python can't be started as /frobnicate: No such file or directory; ./gpufx setup installs it, or set GPUFX_PYTHON to a Python that has the packages of plot/requirements.txt
  [2]
