A fresh checkout: what only looks installs and builds nothing, says what is missing, and prints what it can.

  $ FAKE=$PWD/fake PATH=$TESTDIR:$PATH; export FAKE
  $ checkout x
  $ for tool in apt-get id python3 nvcc; do ln -s "$TESTDIR/stand_in" fake/bin/$tool; done
  $ inside x/gpufx --help | head -n 5
  gpufx: not built yet: ./gpufx setup, or any verb that measures or reads archives, installs and builds what is missing. On this machine:
  gpufx: with apt-get, as root: cmake ninja-build gcc g++ pkg-config libbenchmark-dev libjansson-dev zlib1g-dev libcmocka-dev python3-venv
  gpufx: with pip, into .venv: [0-9]+ Python packages (re)
  gpufx: with CMake, into build: the program
  gpufx measures what GPU hardware effects cost. Usage: ./gpufx VERB [ARGUMENT...]
  
  Verbs:
    Measure:
      characterize   measure this machine, compare it with the nearest archive, plot it
  $ inside x/gpufx --help 2>/dev/null | grep -e '^    sheet' -e ']('
      sheet          print the data sheet: every quantity with its interval
  $ inside x/gpufx >first 2>/dev/null; inside x/gpufx help 2>/dev/null | cmp - first
  $ for call in 'help run' list info 'run --help' 'compare -h' 'test --help' 'setup --help'; do
  >     inside x/gpufx $call >told 2>&1; echo "$? $(head -n 1 told | cut -c 1-40)"
  > done | uniq -c
        5 77 gpufx: not built yet: ./gpufx setup, or 
        1 0 usage: ./gpufx test [--quick]
        1 0 usage: ./gpufx setup
  $ inside x/gpufx "$(printf 'frob\033[31m')"
  gpufx: unknown verb 'frob??31m'; ./gpufx help lists them
  [2]

Nothing was installed or built; nothing but questions was asked.

  $ ls -A x | tr '\n' ' '
  CMakeLists.txt CMakePresets.json README.md docs gpufx harness micro plot setup  (no-eol)
  $ grep -v -e '^id' -e 'ensurepip' -e 'nvcc --version' -e cuDriverGetVersion fake/log
  [1]
