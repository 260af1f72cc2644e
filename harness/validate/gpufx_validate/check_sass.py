"""Proves on machine code that the timed loop of each probe holds what the probe declares (fx_kernel in core/probe.h).

    python -m gpufx_validate.check_sass --gpufx build/bin/gpufx OBJECT...

An object file belongs to the probe of its name, and probe.cu's to that of its folder. Exit status: 0 all hold, 1 one
does not, 2 wrong use, 77 there is no cuobjdump. What is looked at, per kernel and architecture: the pass loop is the
innermost loop around a clock read; the timed loop is the innermost loop in it that holds the declared opcode. A kernel
without clock reads is timed from outside, so for it the whole code counts."""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, repeat, zip_longest
from pathlib import Path

from gpufx_plot.call.grouped import grouped
from gpufx_plot.explain.recording import nvidia_file

from . import disassembly

_MEMORY = re.compile(r"(U?LD|ST|ATOM|RED(?!UX)|TEX|TLD|SULD|SUST|CCTL)")
_LOCAL = ("LDL", "STL")
_BRANCHES = ("BRA", "BRX", "JMP", "BSSY")
_DIVISION = {"CALL", "MUFU", "I2F", "F2I", "I2FP", "UI2F", "UF2I", "IDIV"}
_SAME = {"CTA": "SM"}  # Turing's word for the scope of ld.ca
_LEFT_OUT = {
    "LDS": {"U"},
    "TEX": {"SCR", "LL", "LZ"},
    "TLD": {"SCR", "LL", "LZ"},
    "BSSY": {"RECONVERGENT"},
    "BRA": {"U"},
}
NO_CUOBJDUMP = "SKIPPED: there is no cuobjdump on PATH or beside this Python; ./gpufx test installs it"
_BANK = re.compile(r"c\[(\d)\]")


def modifiers(opcode):
    """Opcode and modifiers as a set, without those that differ between architectures for one and the same access: the
    scope that Turing writes on weak accesses, its LDS.U, and how a texture fetch states its level of detail. REDG, from
    Hopper on, is RED in global memory; Blackwell says which BSSY waits for all, and which BRA is uniform."""
    base, *rest = opcode.split(".")
    base = "RED" if base == "REDG" else base
    words = {_SAME.get(word, word) for word in rest}
    if "STRONG" not in words:
        words.discard("SYS")
    return {base} | words - _LEFT_OUT.get(base, set())


def constant_bank(instruction):
    """The constant bank that an instruction reads, or None."""
    found = re.search(r"c\[0x(\w+)\]", instruction.operands)
    return int(found[1], 16) if found else None


def amount(instruction, opcode):
    """How much of the declared opcode this instruction is: 0 or 1, and for "c[3]" words of that constant bank."""
    bank = _BANK.fullmatch(opcode)
    if not bank:
        return int(modifiers(instruction.opcode) == modifiers(opcode) and constant_bank(instruction) != 0)
    if constant_bank(instruction) != int(bank[1]):
        return 0
    width = re.search(r"\.(64|128)\b", instruction.opcode)
    return int(width[1]) // 32 if width else 1


def is_variant(instruction, opcode):
    """True for the declared opcode and for its variants of another width or path. SYNCS is all that a barrier in shared
    memory does, and its next word says what: a poll is no arrival."""
    words = 2 if opcode.startswith("SYNCS.") else 1
    return bool(amount(instruction, opcode)) or (
        instruction.opcode.split(".")[:words] == opcode.split(".")[:words] and constant_bank(instruction) != 0
    )


def total(code, opcode):
    return sum(amount(i, opcode) for i in code)


def undeclared(code, wanted):
    """Memory accesses in code that nobody declared. Kernel parameters, in constant bank 0, are none, and neither is
    what never runs: sm_90 has three @!PT LDS before an LDGSTS."""
    return Counter(
        i.opcode
        for i in code
        if _MEMORY.match(i.base)
        and constant_bank(i) != 0
        and i.guard != "@!PT"
        and not any(amount(i, d["opcode"]) for d in wanted)
    )


def listed(counter):
    return ", ".join(f"{count} {opcode}" for opcode, count in counter.items())


def find_timed(kernel, wanted):
    """(pass loop, timed loop, None) or (loops to show, None, what is wrong). A declared branch is allowed and no more:
    a loop that polls, within the timed one, holds nothing else."""
    wanted = [d for d in wanted if d["opcode"].split(".")[0] not in _BRANCHES] or wanted
    loops = disassembly.loops(kernel.code)
    clocked = [loop for loop in loops if any(i.reads_clock for i in loop.code)]
    holding = [
        loop
        for loop in loops
        if any(loop.blocks <= c.blocks for c in clocked)
        and any(is_variant(i, d["opcode"]) for i in loop.code for d in wanted)
    ]
    timed = [loop for loop in holding if not any(inner.blocks < loop.blocks for inner in holding)]
    names = " or ".join(d["opcode"] for d in wanted)
    if len(timed) > 1:
        return timed, None, f"{len(timed)} loops between the clock reads hold {names}"
    around = [c for c in clocked if timed and timed[0].blocks < c.blocks]
    if not around:
        return clocked, None, f"hoisted or folded: no loop between the clock reads holds {names}"
    return min(around, key=lambda loop: len(loop.blocks)), timed[0], None


def check_counts(code, outside, wanted):
    """What is wrong with the count of each declared opcode in `code`; `outside` may hold what was taken out of it. A
    declared count of 0 asks for one at least."""
    for d in wanted:
        count, left = total(code, d["opcode"]), total(outside, d["opcode"])
        if d["count"] == 0 and count == 0:
            yield f"no {d['opcode']}, which is declared"
        if d["count"] not in (0, count):
            hoisted = f", hoisted: {left} stand before or behind the timed loop" if left else ""
            yield f"{count} {d['opcode']} where {d['count']} are declared{hoisted}"


def check_kernel(kernel, wanted):
    """(what is wrong, loops to show): sentences, none if all holds."""
    clocks = any(i.reads_clock for i in kernel.code)
    if not wanted:
        return [
            "it reads the clock, and no row of the kernel table declares what its loop holds: add one"
        ] if clocks else [], []
    wrong = []
    named = {d["opcode"].split(".")[0] for d in wanted}
    local = Counter(i.opcode for i in kernel.code if i.base in _LOCAL)
    if local and not named.intersection(_LOCAL):
        wrong.append(f"local memory: {listed(local)}")
    if not clocks:
        wrong += check_counts(kernel.code, [], wanted)
        others = Counter(
            i.opcode
            for i in kernel.code
            if i.guard != "@!PT"
            and any(is_variant(i, d["opcode"]) for d in wanted)
            and not any(amount(i, d["opcode"]) for d in wanted)
        )
        if others:
            wrong.append(f"another width or path: {listed(others)}")
        return wrong, []

    around, timed, problem = find_timed(kernel, wanted)
    if problem:
        return [*wrong, problem], around
    within = {i.address for i in timed.code}
    outside = [i for i in around.code if i.address not in within]
    wrong += check_counts(timed.code, outside, wanted)
    others = undeclared(timed.code, wanted)
    if others:
        wrong.append(f"memory accesses that are not declared: {listed(others)}")
    branches = [i for i in timed.code if i.base in _BRANCHES]
    if len(branches) != 1 and not named.intersection(_BRANCHES):
        wrong.append(f"{len(branches)} branches in the timed loop where there should be its own alone")
    clocks = [i for i in outside if i.reads_clock]
    if len(clocks) != 1:
        wrong.append(f"{len(clocks)} clock reads in the pass loop where there should be one")
    if any(i.reads_clock for i in timed.code):
        wrong.append("a clock read in the timed loop")
    if any(i.base not in ("CS2R", "CS2UR") for i in clocks):
        wrong.append("the clock is read by " + clocks[0].opcode + ", which waits: read clock64 as a whole")
    if any(i.base == "YIELD" for i in around.code):
        wrong.append("YIELD in the " + ("timed" if any(i.base == "YIELD" for i in timed.code) else "pass") + " loop")
    # A call over the next instruction leaves a long loop, or one around an indirect branch, on sm_80 to sm_89.
    calls = [i for i in timed.code if i.base in _DIVISION - named]
    division = Counter(i.opcode for i in calls if i.base != "CALL" or i.target != i.address + 0x20)
    if division:
        wrong.append(f"a division or a call: {listed(division)}")
    return wrong, [timed]


def shown(loop):
    """The loop's code, runs of one opcode as one line."""
    run = 0
    for here, after in zip_longest(loop.code, loop.code[1:]):
        run += 1
        if after is None or after.opcode != here.opcode:
            yield f"        {here}" + (f"  (the last of {run})" if run > 1 else "")
            run = 0


@dataclass
class Finding:
    """What was found out about one kernel on one architecture."""

    probe: str
    kernel: str
    architecture: int
    verdict: str  # agree, waived, failed
    reason: str | None = None
    loops: list = field(default_factory=list)

    def __str__(self):
        word = {"failed": "FAILED ", "waived": "skipped"}.get(self.verdict, self.verdict)
        lines = [f"{word} {self.probe}: {self.kernel} on sm_{self.architecture}: {self.reason}"]
        for loop in self.loops:
            lines += ["      loop:", *shown(loop)]
        return "\n".join(lines)


def check_kernels(kernels, probe):
    """One finding for each kernel that the probe declares, on each architecture that the kernels are there for, and one
    for each kernel that it should have declared."""
    declared, findings = grouped(probe["sass"], lambda d: d["kernel"]), []
    found = {(k.short_name, k.architecture): k for k in kernels}
    for architecture in sorted({k.architecture for k in kernels}):
        for name, wanted in declared.items():
            # 90: sm_90 and later ones, -90: sm_90 alone
            applies = [d for d in wanted if -architecture == d["min_compute"] or 0 <= d["min_compute"] <= architecture]
            kernel = found.pop((name, architecture), None)
            if not applies:
                first = min(d["min_compute"] for d in wanted)
                reason = f"declared from sm_{first} on" if first >= 0 else f"declared for sm_{-first} alone"
                findings.append(Finding(probe["name"], name, architecture, "waived", reason))
                continue
            wrong, loops = check_kernel(kernel, applies) if kernel else (["declared, but there is no such kernel"], [])
            verdict, reason = ("failed", "; ".join(wrong)) if wrong else ("agree", None)
            findings.append(Finding(probe["name"], name, architecture, verdict, reason, loops if wrong else []))
    for (name, architecture), kernel in found.items():
        findings += [Finding(probe["name"], name, architecture, "failed", s) for s in check_kernel(kernel, [])[0]]
    return findings


def check_chip(cuobjdump, chip, parts, probes):
    """The findings of one chip: for each probe its part of the machine code."""
    found = zip(disassembly.kernels(cuobjdump, chip, parts), probes, strict=True)
    return [check_kernels(kernels, probe) for kernels, probe in found]


def check_objects(cuobjdump, paths, probes):
    """For each probe, and the object file or fatbin that is its own, the findings."""
    codes = [disassembly.machine_code(cuobjdump, path) for path in paths]
    chips = sorted({chip for code in codes for chip in code}, key=lambda chip: int(chip.rstrip("af")))
    with ProcessPoolExecutor() as pool:
        parts = [[code.get(chip, {}) for code in codes] for chip in chips]
        of_chips = list(pool.map(check_chip, repeat(cuobjdump), chips, parts, repeat(probes)))
    findings = [list(chain(*of_one)) for of_one in zip(*of_chips, strict=True)] or [[] for _ in probes]
    for probe, path, code, found in zip(probes, paths, codes, findings, strict=True):
        if probe["sass"] and not any(code.values()):
            found.append(Finding(probe["name"], "all", 0, "failed", f"there is no machine code in {path}"))
    return findings


def sum_of(path, probe, cuobjdump):
    """Of what the answer follows from: object file, declarations, this package, and the disassembler."""
    files = [path, *sorted(Path(__file__).parent.glob("*.py")), cuobjdump, Path(cuobjdump).with_name("nvdisasm")]
    parts = [Path(file).read_bytes() for file in files] + [json.dumps(probe).encode()]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--gpufx", required=True, help="the program, whose list tells the declarations")
    options.add_argument("--kept", type=Path, help="remembers there which objects held, until anything of them changes")
    options.add_argument("objects", nargs="+", metavar="OBJECT")
    arguments = options.parse_args()
    cuobjdump = nvidia_file("cuobjdump")
    if not cuobjdump:
        print(NO_CUOBJDUMP)
        return 77
    listing = subprocess.run([arguments.gpufx, "list", "--json"], capture_output=True, text=True, check=True).stdout
    probes = {probe["name"]: probe for probe in json.loads(listing)["answer"]}
    kept = arguments.kept.read_text().split() if arguments.kept and arguments.kept.is_file() else []
    held, changed = [], []
    for path in map(Path, arguments.objects):
        name = path.parent.name if path.name.startswith("probe.") else path.name.split(".")[0]
        probe = probes.get(name, {"name": name, "sass": []})
        now = sum_of(path, probe, cuobjdump)
        held.append(now) if now in kept else changed.append((path, probe, now))
    paths, declared, sums = zip(*changed, strict=True) if changed else ((), (), ())
    for findings, probe, now in zip(check_objects(cuobjdump, paths, declared), declared, sums, strict=True):
        count = Counter(finding.verdict for finding in findings)
        checked = count["agree"] + count["failed"]
        lines = [str(finding) for finding in findings if finding.verdict != "agree"]
        lines.append(f"{probe['name']}: {checked} checked, {count['waived']} skipped, {count['failed']} failed")
        print(*lines, sep="\n")
        if not count["failed"]:
            held.append(now)
    print(f"{len(held)} of {len(arguments.objects)} objects hold; {len(changed)} were looked at")
    if arguments.kept:
        arguments.kept.write_text("\n".join(held))
    return int(len(held) < len(arguments.objects))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"check_sass.py: {error}", file=sys.stderr)
        sys.exit(2)
