The whole way, in a project folder of its own so that the pictures stay in it: measure, archive, compare, draw.

  $ mkdir -p root/results; ln -s $GPUFX_ROOT/plot $GPUFX_ROOT/harness $GPUFX_ROOT/micro root; ln -s $GPUFX_ROOT/results/schema root/results; touch root/CMakeLists.txt
  $ GPUFX_ROOT=$PWD/root; export GPUFX_ROOT
  $ filter='null|mode:throughput/op:load/width:4/pattern:stride/stride:(1|2|32)$'

The first archive has nothing to be compared with.

  $ gpufx characterize null bank_conflict --filter "$filter" --quick >first
  gpufx: no CUDA device (*): running on the synthetic device 'generic', whose numbers are made up (glob)
  $ head -n 4 first
  Synthetic generic GPU (sm_90)
  measuring 4 cases of 2 probes in 1 process
  null: 1 measured in *.* s (glob)
  bank_conflict: 3 measured in *.* s; 1 fit (glob)
  $ grep -e 'to compare with' -e '^charts' -e '^archive ' first
  no archive to compare with: a synthetic device is not compared with a real one
  charts: root/out/charts/* (glob)
  archive root/out/sm_90/synthetic-generic-gpu/*.jsonl.gz (glob)
  $ (cd root; rm $(gpufx run null --device synthetic:generic | sed -n 's/^archive: out/out/p'))
  $ tail -n 6 first
  No GPU was measured: the probes ran on a synthetic device, whose numbers are
  made up. They show what gpufx prints, not what a GPU does.
  next  gpufx info          why no GPU can be used here
        gpufx characterize  again, on a machine with an NVIDIA GPU
        gpufx archive list  measured GPUs, for summary, report, compare and ask
        gpufx pattern       what an access pattern costs, without a GPU
  $ archive root/out/sm_90/*/*
  synthetic case=4 waived=0 failed=0 fit=2 processes=1 complete
  $ find root/out/charts -name '*.svg' | wc -l | tr 1-9 N
  N

Later ones have: the same device, else the same architecture, else the latest (tests/vectors/nearest_archive.json has the
rest). What it took is said, whatever Python then does.

  $ place() { # FOLDER STARTED
  >   mkdir -p root/results/$1
  >   zcat -f root/out/sm_90/*/* | sed -e '1s/"synthetic"/"measured"/' -e "1s/\"started_utc\":\"[^\"]*\"/\"started_utc\":\"$2\"/" \
  >       -e "1s/sm_90/$(dirname $1)/" -e "1s/\"$slug\"/\"$(basename $1)\"/" >root/results/$1/$2.jsonl
  >   reseal root/results/$1/$2.jsonl root/results/$1/$2.jsonl ''
  > }
  $ slug=$(basename root/out/sm_90/*)
  $ compared() { GPUFX_PYTHON=true gpufx characterize null --quick --out again 2>/dev/null | grep '^nearest archive' | sed "s/$slug/SLUG/"; }
  $ place sm_80/one 2026-01-01T00:00:00Z; sed -i '1s/Synthetic generic GPU/NVIDIA H200/' root/results/sm_80/one/*; compared
  $ place sm_80/one 2026-01-01T00:00:00Z
  $ place sm_80/two 2026-01-02T00:00:00Z
  $ compared
  nearest archive: results/sm_80/two/2026-01-02T00:00:00Z.jsonl (Synthetic generic GPU, another architecture)
  $ place sm_90/three 2025-01-01T00:00:00Z
  $ compared
  nearest archive: results/sm_90/three/2025-01-01T00:00:00Z.jsonl (Synthetic generic GPU, the same architecture)
  $ place sm_70/$slug 2024-01-01T00:00:00Z
  $ compared
  nearest archive: results/sm_70/SLUG/2024-01-01T00:00:00Z.jsonl (Synthetic generic GPU, the same model)
  $ rm -r root/results/sm_70

Near a quick one is a quick one, or else with a full one, whose cases nearly all of its own are among; not with
one of other probes or one that was taken under a profiler.

  $ place sm_90/quick 2025-02-01T00:00:00Z; past=$(echo root/results/sm_90/quick/*); reseal "$past" "$past" '1s/"quick":true/"quick":false/'
  $ place sm_90/others 2025-03-01T00:00:00Z; sed -i '1s/"characterize","null","bank/"characterize","bank/; 1s/"null":{"method/"void":{"method/' root/results/sm_90/others/*
  $ place sm_90/profiled 2025-04-01T00:00:00Z; sed -i '1s/"profiled":false/"profiled":true/' root/results/sm_90/profiled/*
  $ compared
  nearest archive: results/sm_90/three/2025-01-01T00:00:00Z.jsonl (Synthetic generic GPU, the same architecture)
  $ rm root/results/sm_90/three/*; compared
  nearest archive: results/sm_90/quick/2025-02-01T00:00:00Z.jsonl (Synthetic generic GPU, the same architecture, of a full run: by the cases that both have)
  $ gpufx characterize null --out again 2>/dev/null | grep '^nearest archive'
  nearest archive: results/sm_90/quick/2025-02-01T00:00:00Z.jsonl (Synthetic generic GPU, the same architecture)

Charts show both, but of a quick run beside a full one, which takes long to draw, its own cases alone.

  $ drawn() { gpufx characterize null bank_conflict --filter "$filter" "$@" --out drawn >told 2>&1
  >   grep -o 'archive [0-9a-f]*' "$(sed -n 's/^charts: \(.*\) (.*/\1/p' told)"/bank_conflict.svg | wc -l; }
  $ drawn --quick; drawn
  1
  2
  $ rm root/results/sm_90/quick/*; gpufx characterize null --out again 2>/dev/null | grep 'to compare with'
  no archive to compare with: a synthetic device is not compared with a real one

Nothing to draw with: the archive is there all the same.

  $ GPUFX_PYTHON=/frobnicate gpufx characterize null --quick --device synthetic:generic --out alone >first
  gpufx: Python can't be started as /frobnicate: No such file or directory; ./gpufx setup installs it, or set GPUFX_PYTHON to a Python that has the packages of plot/requirements.txt
  [2]
  $ archive alone/*
  synthetic case=1 waived=0 failed=0 fit=0 processes=1 complete

A signal to it alone reaches Python as well.

  $ printf '#!/bin/sh\n>begun\nexec sleep 600\n' >slow; chmod +x slow
  $ GPUFX_PYTHON=$PWD/slow gpufx characterize null --quick --out stopped >/dev/null 2>&1 & pid=$!
  $ while ! test -e begun; do sleep 0.02; done; kill -TERM $pid; wait $pid
  [143]

An interruption while charts are drawn says what there is, and what to do.

  $ printf '#!/bin/sh\nkill -TERM $$\n' >cut; chmod +x cut
  $ GPUFX_PYTHON=$PWD/cut gpufx characterize null --quick --device synthetic:generic --out drawing >/dev/null
  gpufx: interrupted while charts were drawn; the archive is complete: gpufx plot */drawing/*.jsonl.gz draws them (glob)
  [143]
