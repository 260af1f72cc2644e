"""Says whether the machine code of kernels has changed: instruction by instruction, with their encodings.

    python -m gpufx_validate.compare_sass BEFORE AFTER

Both are object files or fatbins, or folders of them, which are paired by name. Kernels are paired by their demangled
names up to the parameters, so that a parameter's type may be renamed. Exit status: 0 the same, 1 not, 2 wrong use, 77
there is no cuobjdump."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from . import disassembly
from .check_sass import NO_CUOBJDUMP, find_tool

_SECTION = re.compile(r"^\s*(?:arch = sm_(\d+)\w*|Function : (\S+))\s*$")
_CODE = re.compile(r"/\* ?0?x?[0-9a-f]{4,} ?\*/")
_WORDS = {"true": "1", "false": "0"}  # a template's bool may become a number


def short(names):
    """Mangled names to what stands before the parameters."""
    plain = [disassembly.Kernel(0, name, []).short_name for name in disassembly.demangled(names)] if names else []
    return {
        name: re.sub(r"\b(true|false)\b", lambda m: _WORDS[m[0]], line) for name, line in zip(names, plain, strict=True)
    }


def kernels(cuobjdump, path):
    """{(architecture, kernel): lines of its code, with their encodings}"""
    text = subprocess.run([cuobjdump, "-sass", str(path)], capture_output=True, text=True, check=True).stdout
    architecture, function, found = None, None, {}
    for line in text.splitlines():
        section = _SECTION.match(line)
        if section and section[1]:
            architecture, function = int(section[1]), None
        elif section:
            function = section[2]
            found[architecture, function] = []
        elif function and _CODE.search(line):
            found[architecture, function].append(" ".join(line.split()))
    plain = short(sorted({function for _, function in found}))
    return {(architecture, plain[function]): code for (architecture, function), code in found.items()}


def compare(before, after):
    """What differs, a line each."""
    for key in sorted(before.keys() | after.keys()):
        name = f"{key[1]} on sm_{key[0]}"
        if key not in after:
            yield f"{name}: gone"
        elif key not in before:
            yield f"{name}: new"
        elif before[key] != after[key]:
            differ = sum(a != b for a, b in zip(before[key], after[key], strict=False))
            yield f"{name}: {len(before[key])} lines of code before, {len(after[key])} after, {differ} differ"


def pairs(before, after):
    if before.is_dir() != after.is_dir():
        raise OSError(f"{before} and {after}: one is a folder, the other is none")
    if not before.is_dir():
        return [(before, after)]
    names = {p.name for p in before.iterdir()} & {p.name for p in after.iterdir()}
    if not names:
        raise OSError(f"{before} and {after} have no file of the same name")
    return [(before / name, after / name) for name in sorted(names)]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("before", type=Path)
    options.add_argument("after", type=Path)
    arguments = options.parse_args()
    cuobjdump = find_tool("cuobjdump")
    if not cuobjdump:
        print(NO_CUOBJDUMP)
        return 77
    differences = 0
    for before, after in pairs(arguments.before, arguments.after):
        old = kernels(cuobjdump, before)
        found = list(compare(old, kernels(cuobjdump, after)))
        differences += len(found)
        print(f"{before.name}: {len(old)} kernels, {len(found)} differ", *found, sep="\n  ")
    return 1 if differences else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"compare_sass.py: {error}", file=sys.stderr)
        sys.exit(2)
