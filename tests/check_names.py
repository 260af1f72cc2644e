#!/usr/bin/env python3
"""Nothing in harness/ or plot/ names an effect: what it needs to know of one, the effect's folder says. Folders of
micro/*/ are the names; sources are searched for them where they can only mean a probe:

  - as a whole string, "NAME" or 'NAME', or in backticks; as what a probe is looked up by
  - behind the word probe or probes, in prose
  - anywhere, if the name has an underscore and is no term of CUDA's

Examples in help texts, which begin with "  gpufx ", may name them. Usage: check_names.py ROOT; exit status 1 for each
finding printed. It begins by finding planted ones."""

import re
import sys
from pathlib import Path

SOURCES = ("harness/**/*.c", "harness/**/*.h", "harness/**/*.cu", "harness/**/*.cuh", "harness/**/*.cc",
           "plot/gpufx_plot/**/*.py")  # fmt: skip
# Words that are something else as well, and what.
ELSE = {
    ("constant", "string"): "a memory space",
    ("pattern", "string"): "a verb, and the head of its table",
    ("null", "string"): "JSON's",
    ("launch", "string"): "a process, in an archive",
    ("alignment", "string"): "a parameter",
    ("cluster", "string"): "a parameter",
    ("managed_memory", "anywhere"): "what a device can do",
    ("managed_memory", "string"): "what a device can do",
    ("local_memory", "anywhere"): "a memory space",
    ("host_memory", "anywhere"): "a memory space",
}


def findings(text: str, names: set[str]):
    """(line number, name, how) of every place."""
    some = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    looks = {
        "string": re.compile(rf"""(["'`])({some})\1"""),
        "prose": re.compile(rf"""\bprobes?\W{{1,3}}(?:\w+(?:,| and) )*?['"`]?({some})\b"""),
        "lookup": re.compile(rf"""probe_find\(["']({some})"""),
        "anywhere": re.compile(rf"\b({'|'.join(n for n in names if '_' in n) or '(?!)'})\b"),
    }
    for number, line in enumerate(text.splitlines(), 1):
        if '"  gpufx ' in line:
            continue
        for how, look in looks.items():
            for match in look.finditer(line):
                name = match.groups()[-1]
                if (name, how) not in ELSE:
                    yield number, name, how


def planted() -> bool:
    names = {"bank_walk", "shuffle"}
    seen = {(number, name) for number, name, _ in findings(
        'fx_probe_find("shuffle")\n/* the probe shuffle measures it */\n// as in bank_walk/README.md\n'
        "/* probes many and shuffle */\n/* `shuffle` */\n"
        '"  gpufx run bank_walk"\n/* shuffled, a shuffle */\n/* probes are registered */', names)}  # fmt: skip
    return seen == {(1, "shuffle"), (2, "shuffle"), (3, "bank_walk"), (4, "shuffle"), (5, "shuffle")}


def main(root: Path) -> int:
    names = {folder.name for folder in root.glob("micro/*/*/") if (folder / "probe.cu").exists()}
    if not planted() or len(names) < 2:
        print("check_names.py does not find what it looks for")
        return 2
    found = [
        f"{path.relative_to(root)}:{number}: {name} ({how})"
        for pattern in SOURCES
        for path in sorted(root.glob(pattern))
        for number, name, how in findings(path.read_text(encoding="utf-8"), names)
    ]
    print("\n".join(dict.fromkeys(found)) or "no effect is named")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
