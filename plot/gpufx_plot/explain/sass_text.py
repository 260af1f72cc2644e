"""The machine code of kernels and the source lines that it is from, by nvdisasm: what kind of atomic an instruction is,
its text, and what the recorder can't see."""

import math
import re
import subprocess
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from .recording import nvidia_file

WORD = 16  # bytes of an instruction, since Volta
NOT_SEEN = (  # by the beginning of an opcode
    (("TEX", "TLD", "TMML", "TXQ", "TXD"), "textures"),
    (("SULD", "SUST", "SURED", "SUATOM"), "surfaces"),
    (("LDC", "LDCU"), "indexed constant memory"),
    (("UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"), "memory by tensor maps"),
    (("UBLKPF",), "memory by bulk prefetches"),
    (("LDGMC", "REDGMC"), "several GPUs' memory (multimem)"),
)
# Lines of nvdisasm's text.
SECTION = re.compile(r"\.text\.(.+):")
LABEL = re.compile(r"(\S+):")
FUNCTION = re.compile(r"\s*\.type\s+(\S+),@function")
PLACE = re.compile(r'\s*//## File "(.*?)", line (\d+)( inlined at)?')
INSTRUCTION = re.compile(
    r"\s*/\*([0-9a-f]+)\*/\s+(?:(@\S+) )?\s*([^\s;]+)\s*(.*?)\s*(?:\(\*.*\*\)\s*)?;\s*/\* 0x[0-9a-f]+ \*/"
)
SECOND_WORD = re.compile(r"\s*/\* 0x([0-9a-f]+) \*/")
NAMED = re.compile(r"`\((.+?)\)")  # a label, or a function

Place = tuple[str, int]  # file and line


@dataclass
class Instruction:
    """control: bits 105 to 125, how long it stalls, and which scoreboards it waits for and releases. places: the
    innermost first, then through which calls it was inlined; empty without a line table."""

    opcode: str
    operands: str = ""
    predicate: str = ""
    control: int = 0
    places: tuple[Place, ...] = ()

    @property
    def text(self) -> str:
        """'LDG.E R2, desc[UR4][R2.64]'."""
        return f"{self.opcode} {self.operands}".rstrip()


Code = dict[int, Instruction]  # by the offset in the function


def nvdisasm() -> Path | None:
    return nvidia_file("nvdisasm")


def instructions(cubin: Path, names: Collection[str]) -> dict[str, Code]:
    """By the function's name, those that it calls among it, which lie behind it. Empty where there is no nvdisasm, or
    the file is none that it reads."""
    tool = nvdisasm()
    indexes = _indexes(cubin, names) if tool else []
    if not indexes:
        return {}
    words = [tool, "-c", "-gi", "-hex", "-fun", ",".join(map(str, indexes)), str(cubin)]
    try:
        text = subprocess.run(words, capture_output=True, check=True).stdout.decode("utf-8", "backslashreplace")
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(_parsed(text))


def _indexes(cubin: Path, names: Collection[str]) -> list[int]:
    """Of the symbols of these functions."""
    from elftools.elf.elffile import ELFFile  # takes longer to import than a trace to read

    try:
        symbols = ELFFile(BytesIO(cubin.read_bytes())).get_section_by_name(".symtab")
        return [i for i, symbol in enumerate(symbols.iter_symbols()) if symbol.name in names]
    except Exception:  # whatever reading a broken file raises
        return []


def _parsed(text: str) -> Iterator[tuple[str, Code]]:
    """The functions of nvdisasm's text."""
    kernel, code, labels, called, places, whole = "", {}, {}, [], (), True
    for line in [*text.splitlines(), ".text.end:"]:
        if found := INSTRUCTION.match(line):
            at, whole = int(found[1], 16), True
            code[at] = Instruction(found[3], found[4], found[2] or "", 0, places)
        elif found := SECOND_WORD.match(line):
            code[at].control = int(found[1], 16) >> 41 & (1 << 21) - 1
        elif found := PLACE.match(line):
            places = (*(() if whole else places), (found[1], int(found[2])))
            whole = not found[3]
        elif found := SECTION.fullmatch(line):
            if kernel:
                yield from _functions(kernel, code, labels, called)
            kernel, code, labels, called, places, whole = found[1], {}, {}, [], (), True
        elif found := FUNCTION.match(line):
            called.append(found[1])
        elif found := LABEL.fullmatch(line):
            labels[found[1]] = max(code, default=-WORD) + WORD


def _functions(kernel: str, code: Code, labels: dict[str, int], called: list[str]) -> Iterator[tuple[str, Code]]:
    """A kernel's with the copies of functions that it calls, and each of those. Jumps, and calls of what
    remains in it, name where they go to."""

    def target(found: re.Match) -> str:
        own = found[1].startswith((".L", "$")) and found[1] in labels
        return f"0x{labels[found[1]]:x}" if own else found[1]

    for i in code.values():
        i.operands = NAMED.sub(target, i.operands)
    begins = sorted((labels[name], name) for name in called if name in labels and name != kernel)
    for (begin, name), (end, _) in pairwise([*begins, (math.inf, "")]):
        own = {at - begin: i for at, i in code.items() if begin <= at < end}
        yield name, own
        if not name.startswith("$"):  # else it is a part of the kernel
            code = {at: i for at, i in code.items() if not begin <= at < end}
    yield kernel, code


def refined(op: str, sass: str) -> str:
    """What the recorder calls an atomic may be a reduction, which returns nothing, compare and swap, or the addition of
    one to shared memory, whose lanes of one word are counted first and added at once."""
    opcode = sass.split(" ", maxsplit=1)[0]
    if op != "atomic" or not opcode:
        return op
    kinds = ((".CAS" in opcode, "cas"), (".POPC" in opcode, "count"), (opcode.startswith("RED"), "reduction"))
    return next((kind for found, kind in kinds if found), op)


def not_seen(code: Code) -> Counter:
    """Accesses whose addresses the recorder is not told, by their kind. Constants at an address that the instruction
    names are broadcasts, and cost nothing that could be cured; the last index of c[bank][index] is not one of those."""
    found = Counter()
    for i in code.values():
        first = i.opcode.split(".")[0]
        for names, kind in NOT_SEEN:
            index = i.operands.rpartition("[")[2]
            if first in names and (not first.startswith("LDC") or (index[:1] in "RU" and not index.startswith("RZ"))):
                found[kind] += 1
    return found
