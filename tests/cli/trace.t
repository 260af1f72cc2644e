What a trace holds, and what its accesses cost: a transpose through memory and one through a tile of shared memory.

  $ make_trace $TESTDIR/tools/transposes.json transposes.fxtrace
  $ gpufx trace show transposes.fxtrace
  program  ./app
  device   NVIDIA H200, sm_90
  recorded 2026-11-23T20:00:00Z, complete
  holds    768 records with 65 patterns of lanes
  
  launch       blocks     recorded       accesses  kernel
       0        16384            4            256  naive(float*, float const*, int)
       1        16384            4            512  tiled(float*, float const*, int)
  
  instructions
       2  global load
       2  global store
       1  shared load
       1  shared store

  $ cat >columns.py <<'END'
  > import json, sys
  > answer = json.load(sys.stdin)
  > print(answer["chip"], answer["arch"], "complete" if answer["complete"] else "incomplete")
  > for row in answer["rows"]:
  >     i = row["instruction"]
  >     cycles = "-" if row["cycles"] is None else f"{row['cycles']:.0f} {row['best_cycles']:.0f}"
  >     served = ",".join(f"{level} {share:.3g}" for level, share in row["served"].items() if share)
  >     print(f"{i['file']}:{i['line']} {i['space']} {i['op']}: {row['executed']} {row['sectors']} {row['wavefronts']};",
  >           f"{cycles}; {served}")
  >     for cure in row["cures"]:
  >         print("   ", cure["text"], f"{cure['count']:.0f}", "-" if cure["cycles"] is None else f"{cure['cycles']:.0f}")
  > for note in answer["notes"]:
  >     print(note["code"])
  > END
  $ GPUFX_ROOT=$(references) gpufx trace cost transposes.fxtrace | python3 columns.py
  NVIDIA H200 sm_90 complete
  app.cu:4 global load: 128 512 128; 133 133; dram 1
  app.cu:4 global store: 128 4096 4096; 8111 513; l2 0.875,dram 0.125
      other index order: neighbouring lanes take neighbours of a row, by way of a tile in shared memory where the algorithm wants columns 512 513
  app.cu:10 global load: 128 512 128; 133 133; dram 1
  app.cu:10 shared store: 128 None 128; 128 128; shared 1
  app.cu:12 shared load: 128 None 4096; 4092 128; shared 1
      padding: 4 bytes after every 128, float tile[32][32 + 1] 128 128
      swizzle: column ^ row, columns of 4 bytes, rows of 128 128 128
  app.cu:12 global store: 128 512 128; 513 513; dram 1
  caches
  sharing

On a chip of which there is no archive it counts.

  $ gpufx trace cost transposes.fxtrace --arch sm_80 --kernel 'tiled\(' | python3 columns.py
  sm_80 sm_80 complete
  app.cu:10 global load: 128 512 128; -; dram 1
  app.cu:10 shared store: 128 None 128; -; shared 1
  app.cu:12 shared load: 128 None 4096; -; shared 1
      padding: 4 bytes after every 128, float tile[32][32 + 1] 128 -
      swizzle: column ^ row, columns of 4 bytes, rows of 128 128 -
  app.cu:12 global store: 128 512 128; -; dram 1
  caches
  sharing
  l1
  no_archive

A trace whose end is missing is counted as far as it goes, whether it is packed or not.

  $ make_trace $TESTDIR/tools/transposes.json cut.plain --cut 100
  $ gpufx trace show cut.plain | sed -n 3,4p
  recorded 2026-11-23T20:00:00Z, cut off: the file ends within a frame
  holds    768 records with 65 patterns of lanes
  $ make_trace $TESTDIR/tools/transposes.json cut.fxtrace --cut 2000
  $ gpufx trace show cut.fxtrace | sed -n 3p
  recorded 2026-11-23T20:00:00Z, cut off: the file ends within a frame
  $ gpufx trace cost cut.fxtrace | python3 columns.py | grep incomplete
  NVIDIA H200 sm_90 incomplete
  incomplete

What is no trace is refused, and so is wrong use.

  $ cp columns.py other.fxtrace
  $ gpufx trace show other.fxtrace
  gpufx: 'other.fxtrace' is no trace: it does not begin with {"gpufx_trace":1,...
  [2]
  $ gpufx trace show .
  gpufx: '.' is not a file: name a trace, as `gpufx explain --record` writes it
  [2]
  $ gpufx trace cost nowhere.fxtrace
  gpufx: cannot read the trace 'nowhere.fxtrace': No such file or directory; check its name
  [2]
  $ gpufx trace cost transposes.fxtrace --kernel '('
  gpufx: --kernel (: not an extended regular expression
  [2]
  $ gpufx trace cost transposes.fxtrace --archive nothing
  gpufx: 'nothing': there is no archive under results/ or out/ yet; run `gpufx characterize` first
  [2]
  $ gpufx trace cost
  gpufx: an argument is missing; write gpufx trace cost TRACE [OPTION...]
  [2]
  $ echo '{"gpufx_trace":2}' | gpufx trace show -
  gpufx: 'standard input' is a trace of version 2, and this program reads 1: use a newer one
  [2]
