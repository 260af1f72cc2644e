A device compared with itself. One that is steady is the same; ten processes in turns of two sides, one archive.

  $ gpufx selfcheck bank_conflict --axis op=load --axis mode=throughput --quick --device synthetic:generic --out a >told; echo $?
  3
  $ tail -n 11 told
  archive: */a/*.jsonl.gz (glob)
  Synthetic generic GPU (sm_90), driver synthetic, *, 10 processes, SYNTHETIC (glob)
  */a/*.jsonl.gz (glob)
  processes A: 0 3 4 7 8, B: 1 2 5 6 9
  
  probe          cases  SAME  UNSURE  unsure  intervals that exclude 0  false alarms
  bank_conflict * 0 * 0.00 % * 0 (glob)
  all * 0 * 0.00 % * 0 (glob)
  
  undecided: 0 false alarms in * cases at a margin of 1 %; to be sure that fewer than 1 % are, take more cases. (glob)
  * % of the 95 % intervals exclude zero; 5 % should. (glob)
  $ archive a/* | sed 's/case=[0-9]* //'
  synthetic waived=0 failed=0 fit=11 processes=10 complete
  $ zcat a/* | head -n 1 | grep -o '"arguments":[^]]*]'
  "arguments":["selfcheck","bank_conflict","--axis","op=load","--axis","mode=throughput","--quick","--device","synthetic:generic","--out","..."]

With enough cases the answer is yes; --json prints it for programs, and nothing else.

  $ gpufx selfcheck bank_conflict --axis op=load --axis mode=throughput --device synthetic:generic --out b --processes 2 --json 2>log >b.json; echo $?
  0
  $ python3 -c 'import json; d = json.load(open("b.json"))["answer"]; print(d["answer"], d["processes"], d["margin"], d["all"]["false_alarms"], d["all"]["cases"] > 299)'
  yes 4 0.01 0 True
  $ grep -c '^archive: ' log
  1

A case that fails is a no; where nothing could be run, there is no answer.

  $ gpufx selfcheck bank_conflict --filter 'mode:throughput/op:load/width:4/pattern:stride/stride:6[23]$' --device synthetic:$TESTDIR/tools/device.json --out d >told 2>&1; echo $?
  1
  $ tail -n 2 told | head -n 1 | cut -d: -f1
  undecided
  $ probe=$(gpufx list | grep '^[a-z]' | cut -d: -f1 | grep -v -x -e null -e bank_conflict | head -n 1)
  $ gpufx selfcheck $probe --quick --device synthetic:$TESTDIR/tools/device.json --out e >told
  [77]

Wrong use. A place that can't be written is told before anything is measured.

  $ gpufx selfcheck null --device synthetic:generic --out f -o no/where; ls f
  gpufx: cannot write 'no/where': No such file or directory; the folder or the file does not exist; make it or choose another
  ls: cannot access 'f': No such file or directory
  [2]
  $ gpufx selfcheck --processes 1
  gpufx: --processes 1: out of range, 2 to 500 processes
  [2]
  $ gpufx selfcheck --margin 51 null
  gpufx: --margin 51: out of range, 0 to 50 %
  [2]
  $ gpufx selfcheck nul
  gpufx: * (glob)
  [2]
  $ gpufx selfcheck --no-archive
  gpufx: unknown option --no-archive; `gpufx selfcheck --help` lists them
  [2]
