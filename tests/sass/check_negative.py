#!/usr/bin/env python3
"""Proves that check_sass.py finds what it is for: each kernel of negative/wrong_loops.cu is spoilt in another way.

    check_negative.py OBJECT

Exit status as of check_sass.py."""

import re
import sys

from gpufx_plot.explain.recording import nvidia_file
from gpufx_validate import check_sass, disassembly

# Kernel: the opcode declared for it, and what must be found, or None.
EXPECTED = {
    "sound": ("LDS", None),
    "folded": ("LDG.E", "^hoisted or folded"),
    "narrowed": ("LDS.128", "^0 LDS.128 where 64 .* not declared: 64 LDS"),
    "spilled": ("LDS", "^local memory"),
    "yielding": ("LDS", "YIELD in the timed loop"),
    "divided": ("LDS", "a division or a call"),
    "accompanied": ("LDS", "not declared: 64 STG"),
    "branching": ("ATOMS.CAS", "^[0-9]+ branches"),
    "clocked": ("LDS", "a clock read in the timed loop"),
    "undeclared": (None, "no row of the kernel table"),
}


def main():
    cuobjdump = nvidia_file("cuobjdump")
    if not cuobjdump:
        print(check_sass.NO_CUOBJDUMP)
        return 77
    code = disassembly.machine_code(cuobjdump, sys.argv[1])
    kernels = [k for chip in code for k in disassembly.kernels(cuobjdump, chip, [code[chip]])[0]]
    names = {k.short_name for k in kernels}
    bad = [f"there is no kernel {name}" for name in EXPECTED if name not in names]
    for kernel in kernels:
        opcode, reason = EXPECTED[kernel.short_name]
        wanted = [{"opcode": opcode, "count": 64, "min_compute": 0}] if opcode else []
        found = "; ".join(check_sass.check_kernel(kernel, wanted)[0])
        if found if reason is None else not re.search(reason, found):
            bad.append(f"{kernel.short_name} on sm_{kernel.architecture}: expected '{reason}', found '{found}'")
    print("\n".join(bad) or f"{len(kernels)} kernels: every fault was found")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
