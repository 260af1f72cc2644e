Archives come and go in results/ and out/ (tools/strangers), and the verbs that look through results/ go on. Every
session that asks for the reference archives gets them in such a tree (tools/references) and prints nothing else for it.
There ./gpufx test runs pytest, too, which finds stale pages and holds each test that reads archives to those of
reference.json (plot/tests/conftest.py).

  $ root=$(references)
  $ GPUFX_ROOT=$root gpufx archive list | grep -c 2036
  8
  $ GPUFX_ROOT=$root gpufx archive verify $root/results/*/*/*.gz $root/out/*/*/*.gz
  6 archives intact, 0 not
  $ GPUFX_ROOT=$root gpufx summary nvidia-y9 | head -n 1
  NVIDIA H200 (sm_123): 132 SMs, L2 60 MiB, DRAM 140 GiB, peak 4814 GB/s
  $ GPUFX_ROOT=$root gpufx pattern --space shared --expr 'lane*128' --arch sm_123 | grep -c nvidia-y9
  1
