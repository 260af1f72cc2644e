Probes that must be caught, in a program of their own. Here on a synthetic device; check_gpu does it on a real one.

  $ gpufx_negative list | grep '^[a-z_]*:'
  never_runs: Is a kernel found out that was never launched? (32 cases)
  wrong_law: Is a law found out that does not hold? (32 cases)
  wrong_result: Is a kernel found out that does not do its work? (32 cases)

A chip that follows wavefronts, whatever the probe's law claims. The right law holds, and nothing is said.

  $ altered test 'models[:] = [{"a": 21, "b": 2, "count": "wavefronts", "noise_pct": 0.1}]' >chip.json
  $ altered chip.json 'models[0]["count"] = "wavefront"' >typo.json
  $ gpufx_negative run wrong_result --device synthetic:./chip.json --out right
  wrong_result: 32 measured in *.* s; 1 fit (glob)
  32 measured, 0 waived, 0 failed in *.* s (glob)
  archive: */right/*.jsonl.gz (glob)

The wrong law is found out by the run and by the summary. The measurements are right, so the run is no failure.

  $ gpufx_negative run wrong_law --device synthetic:./chip.json --out wrong
  wrong_law: 32 measured in *.* s; 1 fit (glob)
    LAW DOES NOT HOLD in 1 of them; the worst: over stride: * % off at wrong_law/stride:* (glob)
  32 measured, 0 waived, 0 failed in *.* s (glob)
  archive: */wrong/*.jsonl.gz (glob)
  $ gpufx_negative summary wrong --full | grep HOLD
    LAW DOES NOT HOLD: all cases over stride, * % off at stride:* (glob)
  $ gpufx_negative summary right --full | grep HOLD
  [1]
  $ zcat right/* wrong/* | grep '"fit"' | grep -c '"a_ci95":\[.*"b_ci95":\['
  4
  $ zcat right/* | grep -c '"holds":true'; zcat wrong/* | grep -c '"holds":false'
  2
  2

A count that no case has is an error of the parameter file.

  $ gpufx_negative run wrong_law --axis stride=1 --device synthetic:./typo.json --no-archive 2>&1 | head -n 1
  gpufx: wrong_law/stride:1 failed: ./typo.json: the model of * follows the count "wavefront", which the case does not have; `gpufx list --json --cases` prints the counts (glob)
