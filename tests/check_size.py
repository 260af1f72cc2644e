#!/usr/bin/env python3
"""The tracked files are 35 MB at most (CONTRIBUTING.md, "What enters git"). Usage: check_size.py ROOT; exit status 1,
with the largest files, where they are more, 77 where there is no git to ask."""

import subprocess
import sys
from pathlib import Path

MOST = 35_000_000


def main(root: Path) -> int:
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print("skipped: this is no git checkout")
        return 77
    names = [name for name in listed.decode().split("\0") if name and (root / name).exists()]
    sizes = {name: (root / name).lstat().st_size for name in names}
    total = sum(sizes.values())
    print(f"{len(sizes)} tracked files, {total / 1e6:.1f} of {MOST / 1e6:.0f} MB")
    if total <= MOST:
        return 0
    for name in sorted(sizes, key=sizes.get, reverse=True)[:10]:
        print(f"{sizes[name] / 1e6:8.1f} MB  {name}")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
