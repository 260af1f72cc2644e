Words of others, here the name and the driver of a device, can't command the terminal on any way out.

  $ python3 - $TESTDIR/tools/device.json <<'END'
  > import json, sys
  > evil = "\x1b]52;c;aGk=\x07 \x9b31m \u202eevil\u2066 \u2028 \x7f <b>\nno fault"
  > device = json.load(open(sys.argv[1])) | {"name": evil}
  > json.dump(device, open("evil.json", "w"))
  > END
  $ cat >harmless <<'END'
  > import sys
  > text = sys.stdin.buffer.read().decode()
  > bad = sorted({f"U+{ord(c):04X}" for c in text if c != "\n" and (not c.isprintable() or c in "\u202e\u2066\u2028")})
  > print(text.count("fault"), "fault" in [line.split(" ")[-1] for line in text.splitlines() if line.startswith("no")], *bad)
  > END
  $ device=synthetic:evil.json
  $ gpufx info --device $device 2>&1 | python3 harmless
  2 False
  $ gpufx info --device $device --json 2>&1 | python3 harmless
  2 False
  $ gpufx list null --device $device 2>&1 | python3 harmless
  0 False
  $ gpufx pattern --expr 0,4 --device $device 2>&1 | python3 harmless
  0 False
  $ gpufx run null --device $device --out $'a\e[1m' 2>&1 | python3 harmless
  0 False
  $ gpufx run null --device $device --processes 2 --out $'a\xc2\x9b' 2>&1 | python3 harmless
  0 False
  $ gpufx run null --device $device --benchmark_format=json --no-archive 2>&1 | python3 harmless
  1 False
  $ gpufx run null --device $device --benchmark_format=console --no-archive 2>&1 | python3 harmless
  1 False
  $ gpufx run $'nu\e[1mll' 2>&1 | python3 harmless
  0 False
