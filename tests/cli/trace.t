What the accesses of a trace cost, as `explain` asks it (trace-cost is an internal verb): a transpose through memory and one through a tile of shared memory.

  $ make_trace $TESTDIR/tools/transposes.json transposes.fxtrace
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
  $ GPUFX_ROOT=$(references) gpufx trace-cost transposes.fxtrace | python3 columns.py
  NVIDIA H200 sm_90 complete
  app.cu:4 global load: 128 512 128; 133 133; dram 1
  app.cu:4 global store: 128 4096 4096; 8106 514; l2 0.875,dram 0.125
      swap the index order, or threadIdx.x and .y, so that neighbouring lanes access neighbouring elements of a row; if the algorithm needs columns, stage a tile[32][33] in shared memory 512 514
  app.cu:10 global load: 128 512 128; 133 133; dram 1
  app.cu:10 shared store: 128 None 128; 128 128; shared 1
  app.cu:12 shared load: 128 None 4096; 4092 128; shared 1
      padding: 4 bytes after every 128, float tile[32][32 + 1] 128 128
      swizzle: column ^ row, rows of 128 bytes, Swizzle<5,0,5> 128 128
  app.cu:12 global store: 128 512 128; 514 514; dram 1
  caches
  sharing

On a chip of which there is no archive it counts.

  $ gpufx trace-cost transposes.fxtrace --arch sm_80 --kernel 'tiled\(' | python3 columns.py | sed -n '1p; /:12 shared/p; /^l1/,$p'
  sm_80 sm_80 complete
  app.cu:12 shared load: 128 None 4096; -; shared 1
  l1
  no_archive

What is no trace is refused, and so is wrong use.

  $ cp columns.py other.fxtrace
  $ sed 's/"blocks": {/"accesses": {"seen": 9, "kept": 8}, "blocks": {/' $TESTDIR/tools/transposes.json | make_trace - lost.fxtrace
  $ echo '{"gpufx_trace":2}' >new.fxtrace; for long in %01048577d '%01048576d\n'; do
  >   printf '{"gpufx_trace":1}\n'"$long" 0 >$(printf $long 0 | wc -l).fxtrace; done
  $ refused gpufx trace-cost <<'END'
  > 'other.fxtrace' is not a trace: it does not begin with {"gpufx_trace":1,...|other.fxtrace
  > '0.fxtrace' has a line of more than 1048576 bytes: not a trace|0.fxtrace
  > '1.fxtrace', frame 2: it is not a JSON object|1.fxtrace
  > '.' is not a file: name a trace, as `gpufx explain --record` writes it|.
  > cannot read the trace 'nowhere.fxtrace': No such file or directory; check its name|nowhere.fxtrace
  > --kernel (: not an extended regular expression|transposes.fxtrace --kernel '('
  > 'nothing': there is no archive under results/ or out/ yet|transposes.fxtrace --archive nothing
  > an argument is missing; write gpufx trace-cost TRACE|
  > 'new.fxtrace' is a trace of version 2, and this program reads 1: use a newer one|new.fxtrace
  > 'lost.fxtrace', frame 11: an older recorder lost accesses of a launch: record it again|lost.fxtrace
  > END

Every kind of access. The local array is interleaved and stays in the L1; the strided loop of line 4 lives there, too.

  $ make_trace $TESTDIR/tools/kinds.json kinds.fxtrace
  $ cat >kinds.py <<'END'
  > import json, sys
  > for row in json.load(sys.stdin)["rows"]:
  >     i = row["instruction"]
  >     served = ", ".join(f"{level} {share:.3f}" for level, share in row["served"].items() if share)
  >     print(i["line"], i["space"], i["op"], row["executed"], row["lanes"], row["bytes"], row["sectors"], row["wavefronts"], served,
  >           ",".join(row["laws"]), row["claimed"], *(row["cycles"] and [f"{row['cycles']:.0f}", f"{row['best_cycles']:.0f}"] or "-"))
  > END
  $ GPUFX_ROOT=$(references) gpufx trace-cost kinds.fxtrace | python3 kinds.py
  1 local store 256 32.0 32768 1024 256 l2 1.000 l2_store 0.0 1027 1027
  2 local load 256 32.0 32768 8192 256 l1 1.000 l1_load 1.0 512 256
  3 local load 128 32.0 32768 1024 256 l1 1.000 l1_load 0.0 256 256
  4 global load 64 32.0 8192 2048 2048 l1 0.875, l2 0.125 l1_load,l2_load 1.0 2056 64
  5 global reduction 8 32.0 1024 8 256 l2 1.000 l2_reduction 1.0 254 40
  6 global atomic 8 32.0 1024 32 8 l2 1.000 l2_atomic 1.0 40 40
  7 global cas 8 32.0 2048 64 16 l2 1.000 l2_cas 1.0 159 159
  8 shared atomic 8 32.0 1024 None 64 shared 1.000 shared_atomic 1.0 64 8
  9 shared cas 8 32.0 1024 None 64 shared 1.000 shared_atomic 1.0 128 16
  10 global async_load 8 32.0 4096 128 32 l2 1.000 l2_load 0.0 33 33
  11 shared async_store 8 32.0 4096 None 32 shared 1.000 shared_store 0.0 32 32
  12 shared matrix_load 8 32.0 4096 None 256 shared 1.000 matrix 1.0 255 32
  13 shared matrix_store 8 16.0 2048 None 16 shared 1.000 matrix 1.0 16 16
  14 global bulk_load 2 1.0 16384 512 None l2 1.000  1.0 -
  15 global bulk_store 2 1.0 16416 514 None l2 1.000  1.0 -
  16 shared wgmma 8 1.0 512 None None   1.0 -
  17 global prefetch 2 32.0 256 None None   1.0 -
  18 remote load 2 32.0 256 None None   1.0 -
  19 global load 200 16.0 12800 800 200 l1 0.995, l2 0.005 l1_load,l2_load 1.0 200 200
  20 shared count 8 32.0 1024 None 8 shared 1.000 shared_store 0.0 8 8
  21 shared matrix_load 8 32.0 4096 None 32 shared 1.000 matrix 0.0 32 32
