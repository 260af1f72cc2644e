Words of others, here the name and the driver of a device, can't command the terminal on any way out.

  $ altered test 'device["name"] = "\x1b]52;c;aGk=\x07 \x9b31m \u202eevil\u2066 \u2028 \x7f <b>\nno fault"' >evil.json
  $ cat >harmless <<'END'
  > import sys
  > text = sys.stdin.buffer.read().decode()
  > bad = sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and (not c.isprintable() or c in "\u202e\u2066\u2028")})
  > print(text.count("fault"), "fault" in [line.split(" ")[-1] for line in text.splitlines() if line.startswith("no")], *bad)
  > END
  $ device=synthetic:evil.json
  $ while read -r words; do eval "gpufx $words" 2>&1 | python3 harmless; done <<'END' | uniq -c
  > info --device $device
  > info --device $device --json
  > list null --device $device
  > pattern --expr 0,4 --device $device
  > run null --device $device --out $'a\e[1m'
  > run null --device $device --processes 2 --out $'a\xc2\x9b'
  > run $'nu\e[1mll'
  > run null --device $device --benchmark_out=/dev/stdout --no-archive
  > run null --device $device --benchmark_out=/dev/stdout --benchmark_out_format=console --no-archive
  > END
        2 2 False
        5 0 False
        2 1 False

No verb runs what lies in the present folder, whoever put it there: neither as Python's modules nor through PYTHONPATH.

  $ device=synthetic:$TESTDIR/tools/device.json
  $ gpufx run bank_conflict --quick --device $device --out a >/dev/null
  $ for name in gpufx_plot gpufx_validate numpy json argparse matplotlib fastjsonschema pathlib re sitecustomize; do
  >     echo 'print(__name__, file=open("ran", "a")); raise SystemExit(0)' >$name.py
  > done
  $ hostile() { rm -f ran; "$@" >told 2>&1; echo "$1 $2: $?"; [ ! -e ran ] || sed 's/^/ran /' ran; }

They would be run:

  $ hostile "$GPUFX_PYTHON" -c 'import json' | sed 's/.*python/python/'
  python -c: 0
  ran json

The same of every verb that starts Python, and with every PYTHONPATH that means the present folder.

  $ for PYTHONPATH in '' : :: . "$GPUFX_ROOT:" "$PWD"; do
  >     export PYTHONPATH
  >     hostile gpufx compare --help
  > done | uniq -c | sed 's/^ *//'
  6 gpufx compare: 0
  $ PYTHONPATH=:; export PYTHONPATH
  $ hostile gpufx claims a
  gpufx claims: 0
  $ hostile gpufx compare a a
  gpufx compare: 2
  $ hostile gpufx validate --counters --device $device
  gpufx validate: 77
  $ hostile gpufx plot a -o ours
  gpufx plot: 0
  $ hostile gpufx characterize null --quick --device $device --out b
  gpufx characterize: 0

Nor does another Python's home keep ours from being found.

  $ PYTHONHOME=/nope gpufx claims a --json | head -c 1
  { (no-eol)

Nor do a folder's settings of matplotlib change a figure, and what matplotlib keeps it keeps in the checkout.

  $ printf 'lines.linewidth: 20\naxes.linewidth: 9\nfont.size: 30\n' >matplotlibrc
  $ HOME=$PWD/home hostile gpufx plot a -o theirs
  gpufx plot: 0
  $ diff -r ours theirs && ls home
  ls: cannot access 'home': No such file or directory
  [2]
  $ ls -d "$GPUFX_ROOT/build/matplotlib" | sed 's/.*build/build/'
  build/matplotlib

Where the home folder can't be written, matplotlib's words about its list of fonts are not ours (megSAP/issues/332).

  $ GPUFX_HOME=$PWD HOME=/proc gpufx plot a -o quiet 2>&1 | grep -v ^quiet/
  [1]

Status 1 is an answer: a Python, or a library in it, that dies with 1 gave none. Nor did one that found no memory.

  $ printf '#!/bin/sh\necho "library: giving up" >&2\nexit 1\n' >dies; chmod +x dies
  $ (unset PYTHONPATH; GPUFX_PYTHON=$PWD/dies gpufx accept a --against a); echo $?
  library: giving up
  gpufx: accept: Python ended without an answer, perhaps for lack of memory
  2
  $ printf '#!/bin/sh\nkill -ABRT $$\n' >dies
  $ GPUFX_PYTHON=$PWD/dies gpufx accept a --against a; echo $?
  134
  $ (ulimit -v 100000; gpufx accept a --against a) >told 2>&1; echo $?
  2
  $ gpufx ask 'xyzzy plugh' 2>told; echo $?
  1
