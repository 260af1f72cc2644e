Archives come and go in results/ and out/ (tools/strangers). No session that asks for the reference archives prints
anything else, and the verbs that look through results/ go on. In such a tree ./gpufx test runs pytest, which finds stale
pages and holds each test that reads archives to those of reference.json (plot/tests/conftest.py).

  $ root=$GPUFX_ROOT.strangers; strangers "$root"
  $ GPUFX_ROOT=$root gpufx archive list | grep -c 2036
  8
  $ GPUFX_ROOT=$root gpufx archive verify $root/results/*/*/*.gz $root/out/*/*/*.gz
  6 archives whole, 0 not
  $ GPUFX_ROOT=$root gpufx summary nvidia-y9 | head -n 1
  NVIDIA H200 (sm_123): 132 SMs, L2 60 MiB, DRAM 140 GiB, peak 4814 GB/s
  $ GPUFX_ROOT=$root gpufx pattern --space shared --expr 'lane*128' --arch sm_123 | grep -c nvidia-y9
  1
  $ for session in $(grep -l '(references)' "$TESTDIR"/*.t | grep -v strangers); do
  >     echo ran; GPUFX_STRANGERS=$root "$TESTDIR/run" "$(command -v gpufx)" "$session" >told || cat told
  > done | uniq -c | awk '$1 > 3 { $1 = "several" } 1'
  several ran
