Set-up, once: what runs as root is printed before it runs, and pip takes only files whose hashes are pinned.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ checkout x
  $ for tool in apt-get id python3 nvcc cuobjdump nvidia-smi; do ln -s "$TESTDIR/stand_in" fake/bin/$tool; done

Without the right to install:

  $ FAKE_UID=1000 inside x/gpufx run null
  gpufx: these packages are missing and you have no right to install them here: cmake ninja-build gcc g++ pkg-config libbenchmark-dev libjansson-dev zlib1g-dev libcmocka-dev python3-venv
  gpufx: this command, run by somebody who has, will do; then call again:
      sudo sh -c "apt-get update && apt-get install -y --no-install-recommends cmake ninja-build gcc g++ pkg-config libbenchmark-dev libjansson-dev zlib1g-dev libcmocka-dev python3-venv"
  [2]
  $ grep apt-get fake/log
  [1]

A compiler that was named and is not there is no package:

  $ CC=nonsense inside x/gpufx run null
  gpufx: there is no compiler 'nonsense' (CC, CXX): name one that is installed, or unset them
  [2]

As root, in one call of a verb that measures:

  $ inside x/gpufx run null
  gpufx: as root: apt-get update; apt-get install -y --no-install-recommends -oDPkg::Lock::Timeout=300 cmake ninja-build gcc g++ pkg-config libbenchmark-dev libjansson-dev zlib1g-dev libcmocka-dev python3-venv
  gpufx: installing cmake ninja-build gcc g++ pkg-config libbenchmark-dev libjansson-dev zlib1g-dev libcmocka-dev python3-venv
  gpufx: making a Python environment in .venv
  gpufx: installing [0-9]+ Python packages of plot/requirements.txt into .venv (re)
  gpufx: listing the fonts for charts
  gpufx: installing 1 Python package of setup/sanitizer.txt into .venv
  gpufx: configuring the build, CUDA ON for sm_90 with */fake/bin/nvcc (glob)
  gpufx: building
  ran run null
  $ grep 'pip install' fake/log
  python -I -m pip install .* --require-hashes --only-binary :all: -r .*/x/plot/requirements.txt (re)
  python -I -m pip install .* --require-hashes --only-binary :all: -r .*/x/setup/sanitizer.txt (re)

Afterwards a call runs the program, and none of the tools.

  $ : >fake/log
  $ for verb in run help list info compare; do inside x/gpufx $verb; done | paste -s -d ' '
  ran run ran help ran list ran info ran compare
  $ cat fake/log

`setup` looks at everything again and says that it is done.

  $ inside x/gpufx setup
  gpufx: building
  gpufx: ready: ./gpufx characterize measures this machine
  $ inside x/gpufx setup now
  gpufx: setup has no option or argument 'now': ./gpufx setup --help says what it does
  [2]

A step that fails shows why, and the next call repeats it.

  $ echo '# another' >>x/plot/requirements.txt
  $ FAKE_FAILS=python inside x/gpufx run null
  gpufx: installing [0-9]+ Python packages of plot/requirements.txt into .venv (re)
  gpufx: this failed: installing [0-9]+ Python packages of plot/requirements.txt into .venv (re)
      python: something is wrong
  gpufx: nothing was run. The whole log is */x/build/setup.log (glob)
  [2]
  $ inside x/gpufx list
  gpufx: the build or the Python packages are out of date: ./gpufx setup updates them
  ran list
  $ inside x/gpufx run null
  gpufx: installing [0-9]+ Python packages of plot/requirements.txt into .venv (re)
  gpufx: building
  ran run null

A path that breaks compilers is refused before anything else is done.

  $ for path in "it's" 'a"b' 'a#b' 'a$b' 'a,b' 'a:b' 'a;b' 'a<b' 'a>b' 'a[b' 'a]b' 'a\b' 'a`b' 'a|b' "a$(printf '\002')b"; do
  >     checkout "$path"; inside "$path/gpufx" run null 2>&1; echo "$?"
  > done | sed 's/, which compilers.*//; s/.*holds//' | tr '\n' ' '
   ' 2  " 2  # 2  $ 2  , 2  : 2  ; 2  < 2  > 2  [ 2  ] 2  \ 2  ` 2  | 2  a control character 2  (no-eol)
  $ checkout 'ü x* (1) + @ 50%' && inside 'ü x* (1) + @ 50%/gpufx' run null 2>/dev/null
  ran run null

So is a PATH without tools.

  $ (PATH=; x/gpufx list)
  gpufx: PATH names no folder that has readlink and the other usual tools; set it, such as to /usr/bin:/bin
  [2]

Every pinned package has its hashes, no file names an index, and the verbs of docs/verbs.md are those of the program.

  $ cd "$GPUFX_ROOT"
  $ for file in plot/requirements.txt setup/*.txt; do
  >     awk '/^#/ { next } /^[^ ]*==[^ ]* \\$/ { if (want) print "no hash:", want; want = $1; next }
  >         /^    --hash=sha256:[0-9a-f]+( \\)?$/ && length($1) == 78 { want = ""; next } { print "what is", $0 }
  >         END { if (want) print "no hash:", want }' "$file"
  > done
  $ grep -E 'https?:|index-url|find-links' plot/requirements.txt setup/*.txt setup/*.sh
  [1]
  $ one_line() { tr -s ' \n' '\n\n' | sed '/^$/d'; }
  $ gpufx help | sed '1,/^Verbs:/d; /^$/,$d' | one_line >"$FAKE/program"
  $ (. setup/look.sh; verbs) | one_line | diff "$FAKE/program" - && grep -c fleet "$FAKE/program"
  1
