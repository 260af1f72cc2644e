A search for words, with the values of what it finds.

  $ gpufx run readonly bank_conflict --quick --device synthetic:generic --out here >/dev/null 2>&1
  $ COLUMNS=200 gpufx ask ldg --archive here | sed 's,here/[^ ]*,FILE,; s/run [0-9a-f]* of .*/run ID of DAY/; s/^[0-9.]*x  *[0-9.]*/Nx  INTERVAL/' | sed -n '2,3p;$p'
  Nx  INTERVAL  __ldg (ld.global.nc) vs a plain load                                   Synthetic generic GPU, SYNTHETIC
                        gpufx sheet FILE --probe readonly
  Synthetic generic GPU: run ID of DAY
  $ COLUMNS=200 gpufx ask padding --archive here | grep -c 'gpufx sheet here/.* --probe bank_conflict'
  1
  $ gpufx ask paddding
  gpufx ask: nothing found; no match for: paddding (did you mean padding?)
  [1]
  $ gpufx ask xyzzy
  gpufx ask: nothing found; no match for: xyzzy
  [1]
  $ gpufx ask
  gpufx: an argument is missing; write gpufx ask WORD... [OPTION...]
  [2]
  $ gpufx ask ldg --archive nowhere.jsonl
  gpufx: 'nowhere.jsonl': no such file or folder
  [2]

Without an archive there are meanings and commands still.

  $ mkdir -p root/results/schema root/docs root/harness/core && cp -r "$GPUFX_ROOT"/harness/core/synthetic root/harness/core && cp -r "$GPUFX_ROOT"/micro root
  $ ln -s "$GPUFX_ROOT"/plot root/plot && touch root/CMakeLists.txt
  $ GPUFX_ROOT=$PWD/root gpufx ask TLB reach | sed -n '2,3p;$p'
  -               memory up to which one load per 32 MiB costs no more than
                  10 % above a TLB hit; without an upper end where the
  no archive yet: gpufx characterize
