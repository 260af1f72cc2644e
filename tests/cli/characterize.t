The whole way, in a project folder of its own so that the pictures stay in it: measure, archive, compare, draw.

  $ mkdir -p root/results; ln -s $GPUFX_ROOT/plot $GPUFX_ROOT/harness root; ln -s $GPUFX_ROOT/results/schema root/results
  $ GPUFX_ROOT=$PWD/root; export GPUFX_ROOT
  $ filter='null|mode:throughput/op:load/width:4/pattern:stride/stride:(1|2|32)$'

The first archive has nothing to be compared with.

  $ gpufx characterize null bank_conflict --filter "$filter" --quick >first 2>told; echo $?
  0
  $ cat told
  gpufx: No CUDA device (*): running on the synthetic device 'generic'; its numbers are invented. (glob)
  gpufx: No CUDA device (*): running on the synthetic device 'generic'; its numbers are invented. (glob)
  $ head -n 3 first
  device
    name                           Synthetic generic GPU
    slug                           synthetic-generic-gpu
  $ grep '^compared with' first
  compared with nothing: results/ holds no other complete archive with these probes, --quick or not as this one.
  $ tail -n 2 first
  archive: out/sm_90/synthetic-generic-gpu/*.jsonl (glob)
  charts:  out/charts/* (glob)
  $ archive root/out/sm_90/*/*
  synthetic case=4 waived=0 failed=0 fit=1 launches=1 complete
  $ find root/out/charts -name '*.png' | wc -l | tr 1-9 N
  N

Later ones have: the same device, else the same architecture, else the latest; complete ones alone.

  $ place() { mkdir -p root/results/$1; sed '1s/"synthetic"/"measured"/' root/out/sm_90/*/* >root/results/$1/$2; }
  $ compared() { gpufx characterize null --quick --out again 2>/dev/null | grep '^compared with'; }
  $ place sm_80/one 20260101T000000Z-00000001.jsonl
  $ place sm_80/two 20260102T000000Z-00000002.jsonl
  $ compared
  compared with: results/sm_80/two/20260102T000000Z-00000002.jsonl
  $ place sm_90/three 20250101T000000Z-00000003.jsonl
  $ compared
  compared with: results/sm_90/three/20250101T000000Z-00000003.jsonl
  $ slug=$(basename root/out/sm_90/*)
  $ place sm_70/$slug 20240101T000000Z-00000004.jsonl
  $ compared | sed "s/$slug/SLUG/"
  compared with: results/sm_70/SLUG/20240101T000000Z-00000004.jsonl
  $ sed -i '$d' root/results/sm_70/$slug/*; compared
  compared with: results/sm_90/three/20250101T000000Z-00000003.jsonl

Not with an archive of another thoroughness, nor with one that lacks a probe or that was taken under a profiler; of one
second, the one written last.

  $ sed '1s/"quick":true/"quick":false/' root/results/sm_90/three/* >root/results/sm_90/three/20250201T000000Z-00000005.jsonl
  $ sed '/"type":"case".*"probe":"null"/d' root/results/sm_90/three/20250101* >root/results/sm_90/three/20250301T000000Z-00000006.jsonl
  $ sed '1s/"quick":true/"quick":true,"profiled":true/' root/results/sm_90/three/20250101* >root/results/sm_90/three/20250401T000000Z-00000007.jsonl
  $ compared
  compared with: results/sm_90/three/20250101T000000Z-00000003.jsonl
  $ place sm_90/three 20250101T000000Z-00000001.jsonl; touch -d 2025-01-02 root/results/sm_90/three/*3.jsonl; compared
  compared with: results/sm_90/three/20250101T000000Z-00000001.jsonl
  $ touch -d 2025-01-02 root/results/sm_90/three/*1.jsonl; touch root/results/sm_90/three/*3.jsonl; compared
  compared with: results/sm_90/three/20250101T000000Z-00000003.jsonl
  $ ls again | wc -l
  7

Nothing to draw with: the archive is there all the same.

  $ GPUFX_PYTHON=/frobnicate gpufx characterize null --quick --out alone >first 2>told; echo $?
  2
  $ cat told
  gpufx: No CUDA device (*): running on the synthetic device 'generic'; its numbers are invented. (glob)
  gpufx: Python can't be started as /frobnicate: No such file or directory. ./gpufx sets it up; or set GPUFX_PYTHON to a Python that has the packages of plot/requirements.txt.
  gpufx: No CUDA device (*): running on the synthetic device 'generic'; its numbers are invented. (glob)
  $ grep archive: first
  archive: */alone/*.jsonl (glob)
  $ archive alone/*
  synthetic case=1 waived=0 failed=0 fit=0 launches=1 complete

A signal to it alone reaches Python as well.

  $ printf '#!/bin/sh\n>begun\nexec sleep 600\n' >slow; chmod +x slow
  $ GPUFX_PYTHON=$PWD/slow gpufx characterize null --quick --out stopped >/dev/null 2>&1 & pid=$!
  $ while ! test -e begun; do sleep 0.02; done; kill -TERM $pid; wait $pid
  [143]
