Archives come and go in results/ and out/ (tools/strangers), and the verbs that look through results/ go on. Every
session that asks for the reference archives gets them in such a tree (tools/references) and prints nothing else for it.
There ./gpufx test runs pytest, too, which finds stale pages and holds each test that reads archives to those of
reference.json (plot/tests/conftest.py).

  $ root=$(references)
  $ GPUFX_ROOT=$root gpufx archive list | grep -c 2036
  8
  $ GPUFX_ROOT=$root gpufx export $root/results/*/*/*.gz $root/out/*/*/*.gz --format parquet -o tables | head -n 1
  6 archives
  $ GPUFX_ROOT=$root gpufx summary nvidia-y9 | head -n 1
  NVIDIA H200 (sm_123): 132 SMs, L2 60 MiB, DRAM 140 GiB, peak 4814 GB/s
  $ GPUFX_ROOT=$root gpufx pattern --space shared --expr 'lane*128' --arch sm_123 | grep -c nvidia-y9
  1

The notebook runs from its first cell to its last, without a display and without Jupyter.

  $ cat >cells.py <<'END'
  > import json, os, re, sys
  > os.environ["MPLBACKEND"] = "Agg"
  > import warnings
  > warnings.simplefilter("ignore")  # plt.show() has no window here
  > book = json.load(open(os.environ["TESTDIR"] + "/../../docs/gpufx.ipynb", encoding="utf-8"))
  > ids = [cell["id"] for cell in book["cells"]]
  > assert book["nbformat"] == 4 and len(ids) == len(set(ids)) and all(not c.get("outputs") for c in book["cells"])
  > names = {"__name__": "__main__"}
  > for cell in book["cells"]:
  >     if cell["cell_type"] == "code":
  >         exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
  > print("cells:", len(ids))
  > assert len(names["strides"]) > 20 and len(names["rates"]) > 10
  > END
  $ GPUFX_ROOT=$(references) "$GPUFX_PYTHON" cells.py | sed -E 's/ +[0-9.e+]+ (GB|cyc|tim|ns|us).*/ N/; s/^[0-9.]+ .*/N/; 7,/^cells/{/^cells/!d}'
  dram.read_rate N
  l2.latency N
  shared.conflict_ratio N
  launch.latency N
  N
      gpufx sheet * --probe coalescing (glob)
  cells: 10
