Archives come and go in results/ and out/: another card of a known chip, an unknown chip, an unknown architecture, an
invented device. No page becomes stale, and the verbs that look through results/ go on.

  $ root=$PWD/root; mkdir -p root/results root/out
  $ for entry in "$GPUFX_ROOT"/*; do case ${entry##*/} in results | out) ;; *) ln -s "$entry" root ;; esac; done
  $ for entry in "$GPUFX_ROOT"/results/*; do case ${entry##*/} in sm_*) ;; *) ln -s "$entry" root/results ;; esac; done
  $ cat >strangers.py <<'END'
  > import gzip, json, os, sys, zlib
  > from pathlib import Path
  > source, root = Path(os.environ["GPUFX_ROOT"]), Path("root")
  > reference = json.loads((source / "results/reference.json").read_text())
  > for path in reference.values():
  >     (root / "results" / path).parent.mkdir(parents=True, exist_ok=True)
  >     (root / "results" / path).symlink_to(source / "results" / path)
  > def stranger(number, arch, slug, place="results", provenance="measured"):
  >     first, *lines = gzip.decompress((source / "results" / reference["h200"]).read_bytes()).splitlines(True)
  >     run = json.loads(first)
  >     run |= {"id": f"0000000{number}", "started_utc": "2036-01-01T00:00:00Z", "provenance": provenance}
  >     run["device"] |= {"arch": arch, "slug": slug, "uuid": f"GPU-{number}"}
  >     lines = [json.dumps(run).encode() + b"\n", *lines]
  >     end = json.loads(lines[-1]) | {"crc32": f"{zlib.crc32(b''.join(lines[:-1])):08x}"}
  >     folder = root / place / arch / slug
  >     folder.mkdir(parents=True, exist_ok=True)
  >     name = f"20360101T000000Z-{run['id']}.jsonl.gz"
  >     (folder / name).write_bytes(gzip.compress(b"".join([*lines[:-1], json.dumps(end).encode() + b"\n"]), 1))
  > for which in sys.argv[1:]:
  >     stranger(*which.split(","))
  > END
  $ pages() { GPUFX_ROOT=$root PYTHONPATH=$GPUFX_ROOT/plot "$GPUFX_PYTHON" -m gpufx_plot.showing.pages --check; }

Without them:

  $ "$GPUFX_PYTHON" strangers.py
  $ pages

With them (the list has two lines for each):

  $ rm -r root/results/sm_*; "$GPUFX_PYTHON" strangers.py 1,sm_90,nvidia-h200 2,sm_90,nvidia-x1 3,sm_123,nvidia-y9 4,sm_90,no-gpu,out,synthetic
  $ pages
  $ GPUFX_ROOT=$root gpufx archive list | grep -c 2036
  8
  $ GPUFX_ROOT=$root gpufx archive verify root/results/*/*/*.gz root/out/*/*/*.gz
  6 archives whole, 0 not
  $ GPUFX_ROOT=$root gpufx summary nvidia-y9 | head -n 1
  NVIDIA H200 (sm_123): 132 SMs, L2 60 MiB, DRAM 140 GiB, peak 4814 GB/s
  $ GPUFX_ROOT=$root gpufx pattern --space shared --expr 'lane*128' --arch sm_123 | grep -c nvidia-y9
  1
