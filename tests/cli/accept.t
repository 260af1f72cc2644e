A card against others of its chip, on invented devices.

  $ device=synthetic:generic
  $ for seed in 1 2 3 4 5 6; do gpufx run bank_conflict divergence --device $device --seed $seed --out base >/dev/null; done
  $ gpufx accept --device $device --against base --out new --minutes 1 >told; echo $?
  0
  $ head -n 1 told | cut -d: -f2; grep -c 'SYNTHETIC' told; ls new | wc -l
   * of * quantities judged, all match 6* (glob)
  1
  1
  $ gpufx run coalescing alignment bank_conflict divergence --device $device --out wide >/dev/null
  $ for seed in 2 3 4; do gpufx run coalescing alignment bank_conflict divergence --device $device --seed $seed --out wide >/dev/null; done
  $ gpufx accept --device $device --against wide --out hurry --minutes 0.1 | tr '\n' ' ' | grep -o 'finish (.*ran out)'
  finish (--minutes 0.1 ran out)

Measured or judged afterwards, the answer is the same, of a device as noisy as a real one, too, and each quantity that
is declared is told.

  $ altered generic 'noise = {"async_copy": {"process_spread_pct": 2}}
  > probes = ("async_copy", "bank_conflict", "divergence", "memory_latency")
  > models[:] = [model | noise.get(probe, {}) for probe in probes for model in models_of(probe)]
  > models.append({"a": 40, "b": 2, "noise_pct": 0.2})' >noisy.json
  $ probes='async_copy bank_conflict divergence memory_latency'
  $ for seed in 1 2 3 4 5; do gpufx run $probes --device synthetic:./noisy.json --seed $seed --out noisy >/dev/null; done
  $ gpufx accept --device synthetic:./noisy.json --against noisy --out again --format json >live; echo $?
  0
  $ sed -i 1,7d live; gpufx accept again/*.jsonl.gz --against noisy --format json | sed 1,7d | cmp - live
  $ grep -c '"verdict": "PASS"' live | test $(cat) -gt 15; echo $?; grep -B 2 'not determined' live | grep id
  0
        "id": "chip.sm_ratio",

A card whose shared memory takes a tenth longer.

  $ altered generic 'slower = lambda model: model | {"a": 1.1 * model["a"], "b": 1.1 * model.get("b", 0)}
  > models[:] = [*map(slower, models_of("bank_conflict")), {"a": 40, "b": 2, "noise_pct": 0.2}]' >slow.json
  $ gpufx accept --device synthetic:./slow.json --against base --out slow >told; echo $?
  1
  $ head -n 1 told | cut -c1-4; grep -c '^FAIL  shared' told | test $(cat) -gt 1; echo $?
  FAIL
  0
  $ gpufx accept slow --against base --format json | grep -c '"verdict": "FAIL"' | test $(cat) -gt 2; echo $?
  0

Who can't be held against whom.

  $ mkdir small; cp $(ls base/* | head -n 3) small/; gpufx accept new --against small >told || { head -n 3 told; (exit 3); }
  UNSURE * the base has 3 other cards of * (glob)
  chip, but 4 are needed
  
  [3]
  $ GPUFX_ROOT=$(references) gpufx accept new --against h200 | head -n 1
  UNSURE * the base has 0 other cards of * (glob)
  $ gpufx accept --device synthetic:planted --against base
  gpufx accept: UNSURE: the base has 0 other cards of Synthetic planted GPU, but 4 are needed; measure healthy cards with gpufx characterize, without --quick, and name their archives with --against
  [3]
  $ echo '{"type":"run"}' >base/bad.jsonl; gpufx accept new --against base 2>&1 >/dev/null | cut -c1-40
  note: not in the base: base/bad.jsonl:1:
  $ gpufx accept --against base
  gpufx accept: there is no NVIDIA GPU here (gpufx info prints why); name a device with --device
  [77]
  $ gpufx accept --device 7 --against base
  gpufx accept: *there is no CUDA device* (glob)
  [77]

Cases by name.

  $ gpufx list bank_conflict --cases --device $device | grep -o 'bank_conflict/[^ ]*' | head -n 3 >names; wc -l <names
  3
  $ gpufx run bank_conflict --only names --device $device --out only | tail -n 2 | head -n 1 | cut -d' ' -f1-2
  3 measured,
  $ cp names more; echo bank_conflict/none >>more; : >none; mkdir empty; export device
  $ refused gpufx <<'END'
  > --only more, line 4: no selected case is named 'bank_conflict/none'|run bank_conflict --only more --device $device
  > --only none names no case|run bank_conflict --only none --device $device
  > --against nowhere is not a file or folder, and no archive is named 'nowhere'|accept new --against nowhere
  > --against empty holds no archive (*.jsonl.gz)|accept new --against empty
  > END
