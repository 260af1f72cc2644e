What one access pattern costs, without a GPU: by the laws alone.

  $ gpufx pattern --lanes 0,128,256 --arch sm_75
  shared load, 4 bytes per lane, 3 of 32 lanes active, sm_75
  
    bank         0         1         2         3
                 01234567890123456789012345678901
    lanes  0-31  3...............................  3
    (words that each bank must serve; . is 0, a is 10, w is 32; at the right the busiest bank)
    bank 0: 3 words, for lanes 0 1 2
  
    law        3 (steps: wavefronts, at least one a phase)
    touches    distinct words: 3
    predicted  no cycles: there is no archive of this architecture with the probe 'pattern'
    cure       padding: 4 bytes after every 128: 1 instead of 3 by the same law
    or         swizzle: column ^ row, columns of 4 bytes, rows of 128: 1 instead of 3 by the same law
  $ gpufx pattern --expr 'lane*128 + t*4' t=0:2 --arch 75
  pattern           width     law  sectors  lines  predicted   measured
  t=0                   4      32       32     32          -          -
  t=1                   4      32       32     32          -          -
  t=2                   4      32       32     32          -          -
  
  the worst, t=0: shared load, 4 bytes per lane, 32 of 32 lanes active, sm_75
  
    bank         0         1         2         3
                 01234567890123456789012345678901
    lanes  0-31  w...............................  32
    (words that each bank must serve; . is 0, a is 10, w is 32; at the right the busiest bank)
    bank 0: 32 words, for lanes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
  
    law        32 (steps: wavefronts, at least one a phase)
    touches    distinct words: 32
    predicted  no cycles: there is no archive of this architecture with the probe 'pattern'
    cure       padding: 4 bytes after every 128: 1 instead of 32 by the same law
    or         swizzle: column ^ row, columns of 4 bytes, rows of 128: 1 instead of 32 by the same law
  $ gpufx pattern --expr 'lane*132' --arch sm_75 --json
  {"id":"t=0","space":"shared","op":"load","width":4,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":32,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  $ gpufx pattern --space global --expr 'lane*12 + 8' --arch sm_75
  global load at l1, 4 bytes per lane, 32 of 32 lanes active, sm_75
  
    line at byte  lanes in each sector of 32 bytes
               0     2   3   3   2
             128     3   3   2   3
             256     3   2   3   3
  
    law        1 (steps of the L1)
    touches    distinct words: 32; sectors: 12, where 4 would hold them; lines: 3
    predicted  no cycles: there is no archive of this architecture with the probe 'pattern'
  $ gpufx pattern --space constant --expr 'lane % 3 * 4' --arch sm_75
  constant load, 4 bytes per lane, 32 of 32 lanes active, sm_75
  
    law        3 (distinct addresses)
    touches    distinct words: 3
    predicted  no cycles: there is no archive of this architecture with the probe 'pattern'
  $ gpufx pattern --op atomic --expr 'lane < 8 ? 0 : -1' --arch sm_75 | grep law
    law        8 (steps: lanes of the busiest bank, at least one a phase)
  $ gpufx pattern --space global --op atomic --expr 'lane*4' --arch sm_75 | grep law
    law        none is known for this access

A file: one answer a line, in order; widths and ids are the file's.

  $ cat >patterns.jsonl <<'END'
  > {"id":"a b","width":8,"lanes":[0,8,16]}
  > 
  > {"lanes":[0,-1,128,256]}
  > {"id":7,"width":1,"lanes":[0,1,2,3,4]}
  > END
  $ gpufx pattern --file patterns.jsonl --arch sm_75 --json
  {"id":"a b","space":"shared","op":"load","width":8,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":6,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  {"id":3,"space":"shared","op":"load","width":4,"level":null,"wavefronts":3,"sectors":null,"lines":null,"distinct_words":3,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  {"id":7,"space":"shared","op":"load","width":1,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":2,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  $ gpufx pattern --file - --arch sm_75 <patterns.jsonl | head -n 6
  pattern           width     law  sectors  lines  predicted   measured
  a b                   8       2        1      1          -          -
  3                     4       3        3      3          -          -
  7                     1       1        1      1          -          -
  
  the worst, 3: shared load, 4 bytes per lane, 3 of 32 lanes active, sm_75
  $ gpufx pattern --file - --arch sm_75 --json <patterns.jsonl | head -n 1
  {"id":"a b","space":"shared","op":"load","width":8,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":6,"predicted_cycles":null,"measured_cycles":null,"law_version":2}

A picture; the measured number of a synthetic device.

  $ gpufx pattern --expr 'lane*64' --arch sm_75 --svg bank.svg >/dev/null
  $ "$GPUFX_PYTHON" -c 'import xml.dom.minidom as m; d = m.parse("bank.svg"); print(len(d.getElementsByTagName("rect")))'
  33
  $ gpufx pattern --expr 'lane*4' --device synthetic:generic --json | sed 's/_cycles":[0-9.]*/_cycles":N/g'
  {"id":"t=0","space":"shared","op":"load","width":4,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":32,"predicted_cycles":N,"measured_cycles":N,"law_version":2}
  $ gpufx pattern --measure --space global --op atomic --expr 'lane*4' --device synthetic:generic --json
  gpufx: not measured: atomics are measured in shared memory here.
  {"id":"t=0","space":"global","op":"atomic","width":4,"level":"l2","wavefronts":null,"sectors":4,"lines":1,"distinct_words":32,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  gpufx: Nothing was measured: atomics are measured in shared memory here.
  [77]

What can't be an access, each in one sentence.

  $ gpufx pattern
  gpufx: A pattern is missing: give exactly one of --lanes LIST, --expr EXPRESSION and --file FILE. `gpufx pattern --help` has examples.
  [2]
  $ gpufx pattern --lanes 0 --expr lane
  gpufx: Too many patterns: give exactly one of --lanes LIST, --expr EXPRESSION and --file FILE. `gpufx pattern --help` has examples.
  [2]
  $ gpufx pattern --lanes 0,3 --arch sm_75
  gpufx: --lanes: lane 1: the offset 3 is no multiple of the width, 4 bytes.
  [2]
  $ gpufx pattern --lanes 0,x --arch sm_75
  gpufx: --lanes: lane 1: 'x' is no byte offset (a number from 0, or - for an inactive lane).
  [2]
  $ gpufx pattern --lanes -,- --arch sm_75
  gpufx: --lanes: no lane is active: give at least one a byte offset.
  [2]
  $ gpufx pattern --lanes 4294967296 --arch sm_75
  gpufx: --lanes: lane 0: the offset 4294967296 is above 2147483647.
  [2]
  $ gpufx pattern --expr 'lane*(4' --arch sm_75
  gpufx: --expr: the expression 'lane*(4': a ')' is missing at column 8.
  [2]
  $ gpufx pattern --expr '4/lane*0' --arch sm_75
  gpufx: --expr, t = 0: the expression has a division by zero at lane 0, t 0.
  [2]
  $ gpufx pattern --expr 'x*4' --arch sm_75
  gpufx: --expr: the expression 'x*4': only 'lane' and 't' have values; there is another word at column 1.
  [2]
  $ gpufx pattern --expr 'lane' t=1:2:0 --arch sm_75
  gpufx: axis t: the step of "1:2:0" must be 1 or more
  [2]
  $ gpufx pattern --lanes 0 t=0:3 --arch sm_75
  gpufx: 't=0:3' is no option. Steps, t=FIRST:LAST, belong to --expr alone.
  [2]
  $ gpufx pattern --lanes 0 --width 3
  gpufx: --width 3: an access is 1, 2, 4, 8 or 16 bytes wide.
  [2]
  $ gpufx pattern --lanes 0 --space registers
  gpufx: --space registers: it must be one of constant, shared, global.
  [2]
  $ gpufx pattern --lanes 0 --space constant --op store
  gpufx: --op store: constant memory can only be read.
  [2]
  $ gpufx pattern --lanes 0 --space global --op store --level l1
  gpufx: --level l1: a store goes through the L1 to the L2; leave --level out.
  [2]
  $ gpufx pattern --lanes 0 --level l2
  gpufx: --level belongs to --space global; shared memory has one level here.
  [2]
  $ gpufx pattern --lanes 0 --arch volta
  gpufx: --arch volta: it must be an architecture, such as sm_90.
  [2]
  $ gpufx pattern --lanes 0 --arch sm_75 --measure
  gpufx: --measure is about the device at hand: leave out --arch.
  [2]
  $ gpufx pattern --lanes 0 --predict --measure
  gpufx: --predict and --measure exclude each other; without either, both are done.
  [2]
  $ gpufx pattern --lanes 0 --space global --svg a.svg --arch sm_75
  gpufx: --svg draws patterns of shared memory; this one is of global memory.
  [2]
  $ gpufx pattern --file nowhere.jsonl --arch sm_75
  gpufx: --file nowhere.jsonl: No such file or directory.
  [2]
  $ gpufx pattern --file /dev/null --arch sm_75
  gpufx: --file /dev/null holds no pattern.
  [2]
  $ printf '{"lanes":[0]}\n{"lanes":[0,2]}\n' | gpufx pattern --file - --arch sm_75 --json
  {"id":1,"space":"shared","op":"load","width":4,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":1,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  gpufx: standard input, line 2: lane 1: the offset 2 is no multiple of the width, 4 bytes.
  [2]
  $ echo '{"lanes":"0"}' | gpufx pattern --file - --arch sm_75
  gpufx: standard input, line 1: "lanes" must be an array of up to 32 integers.
  [2]
  $ echo '[1]' | gpufx pattern --file - --arch sm_75
  gpufx: standard input, line 1: no JSON object (it is something else).
  [2]
  $ echo '{"lanes":[0],"width":5}' | gpufx pattern --file - --arch sm_75
  gpufx: standard input, line 1: "width" must be 1, 2, 4, 8 or 16.
  [2]

Cycles are predicted by the fits of an archive: here one of a device whose truth is known, 1.1 + 3 cycles a wavefront.

  $ mkdir -p root/results/schema && "$GPUFX_PYTHON" - <<'END'
  > import json, os
  > known = json.load(open(os.environ["GPUFX_ROOT"] + "/harness/core/synthetic/generic.json"))
  > known["facts"].update(compute_major=7, compute_minor=5)
  > known["models"] = [{"a": 1.1, "b": 3}]
  > json.dump(known, open("known.json", "w"))
  > END
  $ gpufx run pattern --filter memory:shared/op:load --device synthetic:./known.json --out root/results/sm_75/known >/dev/null
  $ GPUFX_ROOT=$PWD/root gpufx pattern --expr 'lane*16' --arch sm_75 --json
  {"id":"t=0","space":"shared","op":"load","width":4,"level":null,"wavefronts":4,"sectors":null,"lines":null,"distinct_words":32,"predicted_cycles":13.1000,"measured_cycles":null,"law_version":2}
  $ GPUFX_ROOT=$PWD/root gpufx pattern --expr 'lane*16' --arch sm_75 | grep -E 'predicted|cure' | sed 's/of .*jsonl/of ARCHIVE/'
    predicted  13.10 cycles of ARCHIVE
    cure       padding: 4 bytes after every 128: 1 instead of 4 by the same law, 4.10 cycles
  $ GPUFX_ROOT=$PWD/root gpufx pattern --op store --expr 'lane*16' --arch sm_75 | grep predicted
    predicted  no cycles: the archive has no fit for this access

What would be misunderstood in silence is refused; a warp without an active lane costs nothing and stops nothing.

  $ echo '{"lanes":[0],"widht":8}' | gpufx pattern --file - --arch sm_75
  gpufx: standard input, line 1: a pattern has "id", "width" and "lanes", and no "widht"; space, op and level are options.
  [2]
  $ gpufx pattern --op atomic --width 16 --lanes 0,16 --arch sm_75
  gpufx: Pattern lanes: atomics are 4 or 8 bytes wide; an addition of 8 bytes in shared memory is a loop, not an instruction.
  [2]
  $ gpufx pattern --space constant --lanes 0,65536 --arch sm_75
  gpufx: Pattern lanes: the pattern spans 65540 bytes; constant memory has 65536 here.
  [2]
  $ gpufx pattern --expr 'lane < t ? lane*4 : -1' t=0:1 --arch sm_75 --json
  {"id":"t=0","space":"shared","op":"load","width":4,"level":null,"wavefronts":0,"sectors":null,"lines":null,"distinct_words":0,"predicted_cycles":null,"measured_cycles":null,"law_version":2}
  {"id":"t=1","space":"shared","op":"load","width":4,"level":null,"wavefronts":1,"sectors":null,"lines":null,"distinct_words":1,"predicted_cycles":null,"measured_cycles":null,"law_version":2}

Padding and swizzle look for the row; terminals are told nothing that they would obey.

  $ gpufx pattern --expr 'lane*256' --width 8 --arch sm_75 | grep -E 'cure|or  '
    cure       padding: 8 bytes after every 256: 2 instead of 32 by the same law
    or         swizzle: column ^ row, columns of 8 bytes, rows of 256: 2 instead of 32 by the same law
  $ gpufx pattern --expr 'lane*192' --arch sm_75 | grep -E 'cure|or  '
    cure       padding: 4 bytes after every 192: 1 instead of 16 by the same law
    or         swizzle: column ^ row, columns of 4 bytes, rows of 128: 2 instead of 16 by the same law
  $ gpufx pattern --expr '(lane%4)*128 + lane/4*16' --width 16 --arch sm_75 | grep -E 'cure|or  '
    cure       padding: 32 bytes after every 128: 4 instead of 16 by the same law
    or         swizzle: column ^ row, columns of 16 bytes, rows of 128: 8 instead of 16 by the same law
  $ printf '{"id":"\\u001b[31m","lanes":[0]}\n' | gpufx pattern --file - --arch sm_75 | sed -n 2p
  \u001B[31m            4       1        1      1          -          -

A picture that can't be written leaves the one that is there; an answer comes before the next question.

  $ echo old >keep.svg; (ulimit -f 0; gpufx pattern --expr 'lane*64' --arch sm_75 --svg keep.svg >/dev/null); cat keep.svg; ls keep.svg*
  gpufx: --svg: cannot write 'keep.svg': File too large; the file size limit (ulimit -f) is reached; raise it
  old
  keep.svg

What is no file is never replaced by one, and nobody else chooses the file.

  $ mkfifo pipe; cat pipe >got & gpufx pattern --expr 'lane*64' --arch sm_75 --svg pipe >/dev/null; wait; tail -1 got; stat -c %F pipe
  </svg>
  fifo
  $ echo precious >victim; ln -s victim link.svg; ln -s victim p.svg.new
  $ gpufx pattern --expr 'lane*64' --arch sm_75 --svg link.svg >/dev/null
  gpufx: --svg: 'link.svg' is a link; name the file that it leads to
  [2]
  $ gpufx pattern --expr 'lane*64' --arch sm_75 --svg p.svg >/dev/null; stat -c %F p.svg link.svg; cat victim
  regular file
  symbolic link
  precious
  $ mkfifo questions; gpufx pattern --file questions --json --arch sm_75 >answers & exec 9>questions
  $ echo '{"lanes":[0]}' >&9; while ! test -s answers; do sleep 0.05; done; cut -c 1-20 answers
  {"id":1,"space":"sha
  $ exec 9>&-; wait

Chips with few banks, down to one, where a row of all banks is shorter than an access.

  $ for banks in 1 8 64; do sed "s/\"banks\": 32/\"banks\": $banks/" $GPUFX_ROOT/harness/core/synthetic/generic.json >few.json
  > for width in 4 16; do gpufx pattern --expr 'lane*64' --width $width --device synthetic:./few.json | grep -E ' law|cure'; done; done
    law        32 (steps: wavefronts, at least one a phase)
    law        128 (steps: wavefronts, at least one a phase)
    law        32 (steps: wavefronts, at least one a phase)
    cure       padding: 4 bytes after every 64: 4 instead of 32 by the same law
    or         swizzle: column ^ row, columns of 4 bytes, rows of 64: 4 instead of 32 by the same law
    law        32 (steps: wavefronts, at least one a phase)
    cure       padding: 16 bytes after every 64: 16 instead of 32 by the same law
    or         swizzle: column ^ row, columns of 16 bytes, rows of 64: 16 instead of 32 by the same law
    law        8 (steps: wavefronts, at least one a phase)
    cure       padding: 4 bytes after every 256: 1 instead of 8 by the same law
    or         swizzle: column ^ row, columns of 4 bytes, rows of 256: 1 instead of 8 by the same law
    law        8 (steps: wavefronts, at least one a phase)
    cure       padding: 16 bytes after every 256: 2 instead of 8 by the same law
    or         swizzle: column ^ row, columns of 16 bytes, rows of 256: 2 instead of 8 by the same law

The status says that nothing was measured only where no pattern was.

  $ printf '{"lanes":[0]}\n{"lanes":[0,128,-1]}\n{"lanes":[-1]}\n' | gpufx pattern --file - --measure --json --device synthetic:generic >/dev/null
  gpufx: not measured: no lane is active.
  $ echo '{"lanes":[-1]}' | gpufx pattern --file - --measure --json --device synthetic:generic >/dev/null
  gpufx: not measured: no lane is active.
  gpufx: Nothing was measured: no lane is active.
  [77]
