A card against others of its chip, on invented devices as noisy as real ones. Measured or judged afterwards, the answer
is the same, and each quantity that is declared is told.

  $ altered generic 'noise = {"async_copy": {"process_spread_pct": 2}}
  > probes = ("async_copy", "bank_conflict", "divergence", "memory_latency")
  > models[:] = [model | noise.get(probe, {}) for probe in probes for model in models_of(probe)]
  > models.append({"a": 40, "b": 2, "noise_pct": 0.2})' >noisy.json
  $ device=synthetic:./noisy.json probes='async_copy bank_conflict divergence memory_latency'
  $ for seed in 1 2 3 4 5; do gpufx run $probes --device $device --seed $seed --out base >/dev/null; done
  $ gpufx accept --device $device --against base --out new --format json >live; echo $?; ls new | wc -l
  0
  1
  $ sed -i 1,7d live; gpufx accept new/*.jsonl.gz --against base --format json | sed 1,7d | cmp - live
  $ grep -c '"verdict": "PASS"' live | test $(cat) -gt 15; echo $?; grep -B 2 'not determined' live | grep id
  0
        "id": "chip.sm_ratio",
        "id": "shared.sm_ratio",
  $ gpufx accept new --against base >told; head -n 1 told | cut -d: -f2; grep -c 'SYNTHETIC' told
   * of * quantities judged, all match 5* (glob)
  1
  $ gpufx accept --device synthetic:generic --against base --out hurry --minutes 0.1 2>&1 | tr '\n' ' ' | grep -coE \
  >   'finish \(--minutes 0.1 ran out|--minutes gives ran out before anything was measured'
  1

A card whose shared memory takes a tenth longer.

  $ altered noisy.json 'slower = lambda model: model | {"a": 1.1 * model["a"], "b": 1.1 * model.get("b", 0)}
  > models[:] = [slower(model) if model.get("probe") == "bank_conflict" else model for model in models]' >slow.json
  $ gpufx accept --device synthetic:./slow.json --against base --out slow --minutes 1 >told; echo $?
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
  $ GPUFX_ROOT=$(references) env -u COLUMNS gpufx accept new --against h200 | head -n 1  # a pipe wraps no answer
  UNSURE * the base has 0 other cards of this chip, but 4 are needed (glob)
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
