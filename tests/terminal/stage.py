"""A project's folder in which a reader types: the tree by links, the reference archives as the only ones, the script
./gpufx itself, and the files that the pages take for granted. No GPU is seen."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from commands import TREE

sys.path.insert(0, str(TREE / "plot/tests"))
from other_cards import planted

PROGRAM = Path(os.environ.get("GPUFX_BUILD", TREE / "build")) / "bin"
PYTHON = Path(os.environ.get("GPUFX_PYTHON", TREE / ".venv/bin/python"))


def environment(folder: Path) -> dict[str, str]:
    """A person's: few variables. TERM is what the system's own terminals say."""
    cache = PROGRAM.parent
    return {
        "PATH": f"{folder}/build/bin:{PYTHON.parent}:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GPUFX_ROOT": str(folder),
        "GPUFX_PYTHON": str(PYTHON),
        "GPUFX_CUDA": "OFF",
        "CUDA_VISIBLE_DEVICES": "",
        "XDG_CACHE_HOME": str(cache / "cache"),
        "MPLCONFIGDIR": str(cache / "matplotlib"),
        "PYTHONPYCACHEPREFIX": str(cache / "pycache"),
    }


def make(folder: Path) -> None:
    """What ./gpufx looks at says that nothing is missing or stale."""
    folder.mkdir(parents=True)
    subprocess.run([TREE / "tests/cli/tools/linked_tree", folder, "references"], check=True)
    (folder / "gpufx").unlink()
    shutil.copy2(TREE / "gpufx", folder / "gpufx")
    (folder / "build").unlink(missing_ok=True)
    (folder / "build").mkdir()
    (folder / "build/bin").symlink_to(PROGRAM)
    settings = ("GPUFX_ARCHITECTURES", "CUDACXX", "CC", "CXX")
    wanted = [f"root: {folder.resolve()}", "GPUFX_CUDA=OFF", *(f"{name}=" for name in settings)]
    (folder / ".venv").mkdir()
    for entry in PYTHON.parents[1].iterdir():
        if entry.name != "stamp":
            (folder / ".venv" / entry.name).symlink_to(entry)
    needed = [TREE / "plot/requirements.txt", *sorted((TREE / "setup").glob("*.txt"))]
    python = str((folder / ".venv/bin/python").resolve())
    (folder / ".venv/stamp").write_text(python + "\n" + "".join(path.read_text() for path in needed))
    (folder / "build/stamp").write_text("\n".join(wanted))
    later = time.time() + 1e6
    os.utime(folder / "build/stamp", (later, later))


def run_again(folder: Path) -> None:
    """Another archive of the H200's card: `latest` has one before it."""
    known = folder / "results" / json.loads((folder / "results/reference.json").read_text())["h200"]
    later = {"started_utc": "2036-01-01T00:00:00Z"}
    planted(known, known.parent, lambda case: None, "00000001", of_run=lambda run: run.update(later))


def furnish(folder: Path) -> None:
    """The reader's own files."""
    run_again(folder)
    here = environment(folder)
    gpufx = PROGRAM / "gpufx"

    def run(*words: str, **settings: str) -> None:
        subprocess.run([gpufx, *words], cwd=folder, env=here | settings, check=True, capture_output=True)

    for name in ("a", "b", "before", "app"):
        shutil.copy(folder / "results/traces/pairs.fxtrace", folder / f"{name}.fxtrace")
    for name, seed in (("old", "1"), ("new", "2")):
        run("run", "--quick", "--device", "synthetic:generic", "--seed", seed, "--out", "made")
        (archive,) = (folder / "made").glob("*.jsonl*")
        text = subprocess.run(["zcat", "-f", archive], capture_output=True, check=True).stdout
        (folder / f"{name}.jsonl").write_bytes(text)
        archive.unlink()
    (folder / "shared").mkdir()
    shutil.copytree(folder / "results/sm_90", folder / "shared/gpufx/sm_90", symlinks=False)
    run("export", "shared/gpufx", "--format", "parquet", "-o", "fleet")


def copied(made: Path, to: Path) -> Path:
    """A furnished folder once more."""
    shutil.copytree(made, to, symlinks=True)
    wanted = (to / "build/stamp").read_text().splitlines()
    (to / "build/stamp").write_text("\n".join([f"root: {to.resolve()}", *wanted[1:]]))
    later = time.time() + 1e6
    os.utime(to / "build/stamp", (later, later))
    return to
