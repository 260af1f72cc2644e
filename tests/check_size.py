#!/usr/bin/env python3
"""The tracked files without archives are 12 MB at most (CONTRIBUTING.md, "What enters git").
Usage: check_size.py ROOT; exit status 1, with the largest files, where it is more; 77 where there is no git to ask."""

import re
import subprocess
import sys
from pathlib import Path

MOST = 12_000_000


def main(root: Path) -> int:
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        print("skipped: this is no git checkout")
        return 77
    names = [name for name in listed.decode().split("\0") if not re.fullmatch(r"results/.*\.jsonl\.gz", name)]
    sizes = {name: (root / name).lstat().st_size for name in names if name and (root / name).exists()}
    print(f"{len(sizes)} tracked files without archives, {sum(sizes.values()) / 1e6:.1f} of {MOST / 1e6:.0f} MB")
    if sum(sizes.values()) <= MOST:
        return 0
    for name in sorted(sizes, key=sizes.get, reverse=True)[:10]:
        print(f"{sizes[name] / 1e6:8.1f} MB  {name}")
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
