From words to the command that answers, and to figures.

  $ gpufx run readonly bank_conflict --quick --device synthetic:generic --out here >/dev/null 2>&1
  $ COLUMNS=200 gpufx ask ldg --archive here | sed 's/run [0-9a-f]*, [-0-9]*/run ID, DAY/; s/^[0-9.]*x ([0-9.]*, /Nx (INTERVAL, /; s/^[A-Z :]*\("__ldg.*":\).*/VERDICT \1/; s,here/[^ ]*,FILE,' | grep -v ^also
  Nx (INTERVAL, 99 % CI) on Synthetic generic GPU, SYNTHETIC (run ID, DAY)
    __ldg (ld.global.nc) vs a plain load
  VERDICT "__ldg, the read-only load, is faster than a plain load":
  
  Is `__ldg`, `const __restrict__` or a texture faster than a plain load?
  
  command  gpufx claims FILE --probe readonly
  measure  gpufx characterize readonly
  page     micro/cached/readonly/README.md
  $ gpufx ask padding --archive here | grep -E '^(command|measure|page)' | sed 's,here/[^ ]*,FILE,'
  command  gpufx pattern --tile 'float[32][33]' --read 'tile[lane][t]' t=0:31 --archive FILE
  measure  gpufx characterize bank_conflict
  page     micro/shared/bank_conflict/README.md
  $ gpufx ask last month\'s driver --archive here | grep command
  command  gpufx compare latest~1 latest
  $ gpufx ask paddding | sed -n 3,4p
  read as: padding
  Does padding a tile by one element free its columns from conflicts?
  $ gpufx ask xyzzy
  gpufx ask: nothing is known about 'xyzzy'; docs/answers.md lists all questions
  [1]
  $ gpufx ask
  gpufx: an argument is missing; write gpufx ask WORD... [OPTION...]
  [2]
  $ gpufx ask ldg --archive nowhere.jsonl
  gpufx: 'nowhere.jsonl': no such file or folder
  [2]

Without an archive there are questions and commands still.

  $ mkdir -p root/results/schema root/docs root/harness/core && cp -r "$GPUFX_ROOT"/harness/core/synthetic root/harness/core && cp -r "$GPUFX_ROOT"/micro root && cp "$GPUFX_ROOT"/docs/answers.md root/docs
  $ ln -s "$GPUFX_ROOT"/plot root/plot && touch root/CMakeLists.txt
  $ GPUFX_ROOT=$PWD/root gpufx ask TLB
  no archive yet: gpufx characterize
  
  How much memory do the TLBs reach?
  
  command  gpufx sheet latest
  measure  gpufx characterize memory_latency
  page     micro/cached/memory_latency/README.md
  also     What does a TLB miss cost? gpufx plot latest --probe memory_latency

Each command of the page that names a pattern is one that can be asked, and says what it is.

  $ grep -o '`gpufx pattern [^`]*`' "$GPUFX_ROOT"/docs/answers.md | tr -d '`' | sort -u | while read -r command; do
  >   echo "$command --arch sm_75" | sh >out 2>&1 || echo "$? $(cut -c 1-70 out)"
  > done
  2 gpufx: --expr, t = 0: lane 0: an access of 16 bytes at offset 4, which
