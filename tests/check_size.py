#!/usr/bin/env python3
"""The tracked files are 35 MB at most, and 12 without archives (CONTRIBUTING.md, "What enters git").
Usage: check_size.py ROOT; exit status 1, with the largest files, where it is more than 12. Archives come and go,
and fail nobody's test: where they are what is too much, the status is 77, and the oldest are named. It is 77 as well
where there is no git to ask."""

import subprocess
import sys
from pathlib import Path

MOST, MOST_OF_OURS = 35_000_000, 12_000_000


def main(root: Path) -> int:
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print("skipped: this is no git checkout")
        return 77
    names = [name for name in listed.decode().split("\0") if name and (root / name).exists()]
    sizes = {name: (root / name).lstat().st_size for name in names}
    archives = {name for name in sizes if name.startswith("results/") and name.endswith(".jsonl.gz")}
    total = sum(sizes.values())
    ours = total - sum(sizes[name] for name in archives)
    print(f"{len(sizes)} tracked files, {total / 1e6:.1f} of {MOST / 1e6:.0f} MB")
    print(f"without archives {ours / 1e6:.1f} of {MOST_OF_OURS / 1e6:.0f} MB")
    if ours > MOST_OF_OURS:
        shown, status = sorted(sizes.keys() - archives, key=sizes.get, reverse=True), 1
    elif total > MOST:
        print("skipped: some archives are to leave before a release; the oldest are")
        shown, status = sorted(archives, key=lambda name: Path(name).name), 77
    else:
        return 0
    for name in shown[:10]:
        print(f"{sizes[name] / 1e6:8.1f} MB  {name}")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
