From what a person types to an archive: one rule, whichever verb is asked.

  $ export COLUMNS=200
  $ cat >place.py <<'END'
  > import os, sys
  > from pathlib import Path
  > sys.path.insert(0, os.environ["GPUFX_ROOT"] + "/plot/tests")
  > from invent import run_line, sealed, write
  > def place(path, name, arch, provenance, started, run_id, *words):
  >     run = run_line(1, name=name, arch=arch, provenance=provenance, run_id=run_id, started_utc=started, driver={},
  >                    profiled="profiled" in words, arguments=["run", *["--only", "..."] * ("listed" in words)])
  >     run["device"] |= {"uuid": word[5:] for word in words if word.startswith("card=")}
  >     write(Path(path), [run] if "cut" in words else sealed([run]))
  > if len(sys.argv) > 1:
  >     place(*sys.argv[1:])
  >     sys.exit()
  > for path, name, arch, provenance, day, run_id in (
  >     ("results/sm_90/nvidia-h200/a.jsonl", "NVIDIA H200", "sm_90", "measured", "2021-11-01", "aaaa0001"),
  >     ("results/sm_90/nvidia-h200/b.jsonl.gz", "NVIDIA H200", "sm_90", "measured", "2021-11-03", "bbbb0002"),
  >     ("results/sm_90/nvidia-h100-pcie/c.jsonl", "NVIDIA H100 PCIe", "sm_90", "measured", "2021-11-04", "cccc0003"),
  >     ("results/sm_89/nvidia-l4/d.jsonl", "NVIDIA L4", "sm_89", "measured", "2021-10-01", "dddd0004"),
  >     ("out/synthetic/e.jsonl", "Synthetic H200", "sm_90", "synthetic", "2021-11-05", "eeee0005"),
  >     ("out/toy/f.jsonl", "Toy 16", "sm_00", "synthetic", "2021-09-05", "ffff0006")):
  >     place(path, name, arch, provenance, day + "T00:00:00Z", run_id)
  > END
  $ mkdir -p root/results/published root/results/sm_90/nvidia-h200 root/results/sm_90/nvidia-h100-pcie root/results/sm_89/nvidia-l4 root/out/synthetic root/out/toy
  $ ln -s "$GPUFX_ROOT/plot" "$GPUFX_ROOT/harness" root; ln -s "$GPUFX_ROOT/results/schema" root/results; cd root && touch CMakeLists.txt && "$GPUFX_PYTHON" ../place.py && cd out && GPUFX_ROOT=$(dirname $PWD); export GPUFX_ROOT
  $ echo '{"gpu":"H200"}' >../results/published/published.jsonl; printf '\377\n' >../results/strange.jsonl
  $ printf '#!/bin/sh\nshift $(($# - 1)); echo "$1"\n' >../shown; chmod +x ../shown
  $ named() { for name in "$@"; do GPUFX_PYTHON=$GPUFX_ROOT/shown gpufx claims "$name" 2>&1 | sed -e /^note/d -e "s|^$GPUFX_ROOT/||"; done; }
  $ noted() { GPUFX_PYTHON=true gpufx claims "$1" 2>&1; } # what is said before Python would start
  $ place() { "$GPUFX_PYTHON" ../../place.py "$@"; }

Device, architecture, id, file, folder; ~N for the one before, of a folder too. Who names a device, or what was measured
last, means the device, not its likeness, which has names of its own.

  $ named latest latest~1 synthetic-h200 h200 H200 h200~1 nvidia-h200 sm_90 sm_90~1 sm_89 toy aaaa eeee0005 toy/f.jsonl ../results ../results/sm_90/nvidia-h200 ../results/sm_90/nvidia-h200~1 toy~1
  results/sm_90/nvidia-h100-pcie/c.jsonl
  gpufx: 'latest~1': latest is results/sm_90/nvidia-h100-pcie/c.jsonl, whose card has 1 archive; 1 newer is synthetic; name one by its id (`gpufx archive list`)
  out/synthetic/e.jsonl
  results/sm_90/nvidia-h200/b.jsonl.gz
  results/sm_90/nvidia-h200/b.jsonl.gz
  results/sm_90/nvidia-h200/a.jsonl
  results/sm_90/nvidia-h200/b.jsonl.gz
  results/sm_90/nvidia-h100-pcie/c.jsonl
  gpufx: 'sm_90~1': sm_90 is results/sm_90/nvidia-h100-pcie/c.jsonl, whose card has 1 archive; name one by its id (`gpufx archive list`)
  results/sm_89/nvidia-l4/d.jsonl
  toy/f.jsonl
  results/sm_90/nvidia-h200/a.jsonl
  out/synthetic/e.jsonl
  toy/f.jsonl
  ../results/sm_90/nvidia-h100-pcie/c.jsonl
  ../results/sm_90/nvidia-h200/b.jsonl.gz
  ../results/sm_90/nvidia-h200/a.jsonl
  gpufx: 'toy~1': toy is toy/f.jsonl, whose card has 1 archive; name one by its id (`gpufx archive list`)

Two names of one archive can't be compared; a device that has a reference means that one, whatever was measured since.

  $ GPUFX_PYTHON=$GPUFX_ROOT/shown gpufx compare h100 latest
  gpufx: 'h100' and 'latest' are the same archive, results/sm_90/nvidia-h100-pcie/c.jsonl; name another one, such as the one before, latest~1
  note: latest: taking results/sm_90/nvidia-h100-pcie/c.jsonl (nvidia-h100-pcie, 2021-11-04T00:00:00Z); skipped 1 newer synthetic (name the device or the id to use one)
  [2]
  $ printf '#!/bin/sh\nprintenv GPUFX_LATEST GPUFX_INVENTED' >handed; chmod +x handed
  $ GPUFX_PYTHON=$PWD/handed gpufx compare -q h200 latest | sed "s|^$GPUFX_ROOT/||"
  results/sm_90/nvidia-h100-pcie/c.jsonl
  out/synthetic/e.jsonl
  $ place ../results/sm_90/nvidia-h200/z.jsonl "NVIDIA H200" sm_90 measured 2021-12-01T00:00:00Z 99990009
  $ GPUFX_PYTHON=$GPUFX_ROOT/shown gpufx compare h200 latest
  gpufx: 'h200' and 'latest' are the same archive, results/sm_90/nvidia-h200/z.jsonl; name another one, such as the one before, latest~1
  note: latest: taking results/sm_90/nvidia-h200/z.jsonl (nvidia-h200, 2021-12-01T00:00:00Z)
  [2]
  $ echo '{"h200": "sm_90/nvidia-h200/b.jsonl.gz"}' >../results/reference.json; noted h200
  note: h200: taking results/sm_90/nvidia-h200/b.jsonl.gz (nvidia-h200, 2021-11-03T00:00:00Z), the reference; 1 newer: name one by its id, or latest
  $ named h200 h200~1 nvidia latest 9999; gpufx archive list h200 | cut -c 20-27; gpufx archive list h200 --json | grep -c '"reference": true'
  results/sm_90/nvidia-h200/b.jsonl.gz
  results/sm_90/nvidia-h200/a.jsonl
  results/sm_90/nvidia-h200/b.jsonl.gz
  results/sm_90/nvidia-h200/z.jsonl
  results/sm_90/nvidia-h200/z.jsonl
  id      
  99990009
  bbbb0002
  aaaa0001
  1
  $ rm ../results/reference.json ../results/sm_90/nvidia-h200/z.jsonl

The one before is of the same card; another card has to be asked for.

  $ day() { place $1.jsonl "NVIDIA X1" sm_90 measured 2021-11-1$2T00:00:00Z 7777000$2 card=$3; }
  $ day a 1 GPU-1; day b 2 GPU-2; day c 3 GPU-3; day d 4 GPU-1
  $ for name in latest~1 latest~2 x1~1; do noted "$name" | grep -v taking; named "$name"; done
  out/a.jsonl
  gpufx: 'latest~2': latest is out/d.jsonl, whose card has 2 archives; name one by its id (`gpufx archive list`)
  gpufx: 'latest~2': latest is out/d.jsonl, whose card has 2 archives; name one by its id (`gpufx archive list`)
  out/a.jsonl
  $ place e.jsonl "NVIDIA X1" sm_90 measured 2021-11-15T00:00:00Z 77770005 card=GPU-1 listed  # as accept's are
  $ named latest latest~1 7777 .; rm e.jsonl
  out/d.jsonl
  out/a.jsonl
  out/e.jsonl
  ./e.jsonl
  $ rm d.jsonl; for name in latest~1; do noted "$name" | grep -v taking; named "$name"; done; rm [abc].jsonl
  gpufx: 'latest~1': latest is out/c.jsonl, whose card has 1 archive; name one by its id (`gpufx archive list`)
  gpufx: 'latest~1': latest is out/c.jsonl, whose card has 1 archive; name one by its id (`gpufx archive list`)

A name that leaves something open says what it took. Complete archives go before those that were cut off.

  $ noted nvidia
  note: nvidia: taking results/sm_90/nvidia-h100-pcie/c.jsonl (nvidia-h100-pcie, 2021-11-04T00:00:00Z)
  $ noted latest; noted l4
  note: latest: taking results/sm_90/nvidia-h100-pcie/c.jsonl (nvidia-h100-pcie, 2021-11-04T00:00:00Z); skipped 1 newer synthetic (name the device or the id to use one)
  $ place g.jsonl.gz 'NVIDIA L40S' sm_89 measured 2021-11-08T00:00:00Z 99990000; place h.jsonl 'NVIDIA L40S' sm_89 measured 2021-11-09T00:00:00Z 99990001 cut
  $ noted l40s; noted l4; named latest l40s l40s~1 9999 99990001 .
  note: l40s: taking out/g.jsonl.gz (nvidia-l40s, 2021-11-08T00:00:00Z), skipping 1 newer that was truncated
  out/g.jsonl.gz
  out/g.jsonl.gz
  out/h.jsonl
  out/g.jsonl.gz
  out/h.jsonl
  ./g.jsonl.gz
  $ place h.jsonl 'NVIDIA L40S' sm_89 measured 2021-11-09T00:00:00Z 99990001; named l40s; rm g.* h.*
  out/h.jsonl

What is no archive is passed over, however it is made, and refused by name; a pipe is meant, and read.

  $ mkfifo pipe.jsonl; ln -s /dev/zero zero.jsonl; ln -s ../.. circle
  $ place huge.jsonl 'NVIDIA L4' sm_89 measured 2021-11-07T00:00:00Z 66660000 cut; truncate -s 1T huge.jsonl
  $ "$GPUFX_PYTHON" -c 'open("deep.jsonl", "w").write("[" * 100000); open("long.jsonl", "w").write(" " * (2 << 20) + "{}\n")'
  $ place p.jsonl 'NVIDIA L4' sm_89 measured 2021-11-07T00:00:00Z 77770000 profiled
  $ named latest 7777 zero.jsonl
  results/sm_90/nvidia-h100-pcie/c.jsonl
  gpufx: no archive is named '7777': `gpufx archive list` lists them; `gpufx characterize` measures a GPU
  gpufx: 'zero.jsonl': neither a file nor a pipe, so not an archive
  $ cat toy/f.jsonl >pipe.jsonl & gpufx sheet pipe.jsonl | head -n 1; wait
  Toy 16 (sm_00), driver unknown, 2021-09-05T00:00:00Z, run ffff0006, 0 processes, SYNTHETIC
  $ rm pipe.jsonl zero.jsonl circle huge.jsonl deep.jsonl long.jsonl p.jsonl

A date that is still to come is not the latest; an archive and its compressed copy are one; of one second, the last that
was written is the later.

  $ place y.jsonl 'Toy 16' sm_00 measured 2021-11-06T00:00:00Z 88880000; place z.jsonl 'Toy 16' sm_00 measured 2999-12-31T00:00:00Z 88889999
  $ gzip -k y.jsonl; named latest latest~1 88889999 | sed 's/\.gz$//'; rm y.* z.*
  out/y.jsonl
  out/z.jsonl
  out/z.jsonl
  $ for name in z a m; do place $name.jsonl 'Toy 16' sm_00 measured 2021-12-01T00:00:00Z 0000000$((count += 1)); sleep 0.02; done
  $ named latest latest~1 latest~2
  out/m.jsonl
  out/a.jsonl
  out/z.jsonl

Every verb asks here.

  $ mkdir empty; mkdir -p nothing/results/schema; touch nothing/CMakeLists.txt
  $ echo '{"type":"run","schema":1,"id":"01234567"}' >old.jsonl
  $ refused gpufx <<'END'
  > no archive is named 'h20o': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|summary h20o
  > no archive is named 'h20o': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|claims h20o
  > no archive is named 'h20o': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|plot h20o
  > no archive is named 'h20o': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|compare --quiet latest h20o
  > no archive is named 'sm_91': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|claims sm_91
  > h200~7': h200 is results/sm_90/nvidia-h200/b.jsonl.gz, whose card has 2 archives|claims h200~7
  > no archive is named 'v': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|claims v
  > 'no/such.jsonl': no such file or folder|claims no/such.jsonl
  > 'such.jsonl.gz': no such file or folder|claims such.jsonl.gz
  > no archive is named 'such': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|claims such~1
  > an empty name means no archive; give a file, or a name such as latest|claims ''
  > 'empty': there is no archive in this folder|plot empty
  > has schema 1, of development versions before 0.1.0; this gpufx reads schema 2: measure again|pattern --archive old.jsonl --expr 'lane*4'
  > no archive is named 'h300': `gpufx archive list` lists them; `gpufx characterize` measures a GPU|archive list h300
  > ./h200: no such file or folder|archive list ./h200
  > unknown probe 'nul'; `gpufx list` lists them|archive list --probe nul
  > END
  $ GPUFX_ROOT=$PWD/nothing gpufx summary latest
  gpufx: 'latest': there is no archive under results/ or out/ yet; run `gpufx characterize` first
  [2]
  $ rm -r empty nothing old.jsonl

One list says what there is, newest first.

  $ gpufx archive list
  started            id        device                    arch   driver      proc.  archive
  2021-12-01T00:00Z  00000003  toy-16                    sm_00                  1  out/m.jsonl
  2021-12-01T00:00Z  00000002  toy-16                    sm_00                  1  out/a.jsonl
  2021-12-01T00:00Z  00000001  toy-16                    sm_00                  1  out/z.jsonl
  2021-11-05T00:00Z  eeee0005  synthetic-h200            sm_90                  1  out/synthetic/e.jsonl
  2021-11-04T00:00Z  cccc0003  nvidia-h100-pcie          sm_90                  1  results/sm_90/nvidia-h100-pcie/c.jsonl
  2021-11-03T00:00Z  bbbb0002  nvidia-h200               sm_90                  1  results/sm_90/nvidia-h200/b.jsonl.gz
  2021-11-01T00:00Z  aaaa0001  nvidia-h200               sm_90                  1  results/sm_90/nvidia-h200/a.jsonl
  2021-10-01T00:00Z  dddd0004  nvidia-l4                 sm_89                  1  results/sm_89/nvidia-l4/d.jsonl
  2021-09-05T00:00Z  ffff0006  toy-16                    sm_00                  1  out/toy/f.jsonl
  $ gpufx archive list --probe null --json | "$GPUFX_PYTHON" -c 'import json, sys; told = json.load(sys.stdin)["answer"]; print(len(told), sorted(told[0]), told[4]["device"])'
  9 ['device', 'driver', 'id', 'path', 'processes', 'provenance', 'quick', 'reference', 'started_utc'] {'name': 'NVIDIA H100 PCIe', 'slug': 'nvidia-h100-pcie', 'arch': 'sm_90', 'sm_count': 132, 'l2_bytes': 62914560, 'memory_bytes': 150754820096, 'memory_peak_GBps': 4916.2}
  $ cp toy/f.jsonl ../results; gpufx archive list | grep ffff0006; rm ../results/f.jsonl
  2021-09-05T00:00Z  ffff0006  toy-16                    sm_00                  1  results/f.jsonl
  $ gpufx archive list h200 | cut -c 20-27
  id      
  bbbb0002
  aaaa0001
  $ gpufx archive list sm_90 --json | grep -c '"id"'
  3
  $ rm ../out/[azm].jsonl; rm -r ../results/sm_*; named latest latest~1; mkdir ../results/sm_90 ../results/sm_89; touch ../out/m.jsonl
  out/synthetic/e.jsonl
  gpufx: 'latest~1': latest is out/synthetic/e.jsonl, whose card has 1 archive; name one by its id (`gpufx archive list`)
  $ rm -r ../out/toy ../out/synthetic ../out/*.jsonl ../results/sm_90 ../results/sm_89; gpufx archive list; gpufx archive list --json | tail -2 | head -1
  started            id        device                    arch   driver      proc.  archive
  "answer": []
