"""Machine code of object files and fatbins: instructions, and the loops of a kernel.

nvdisasm takes a quarter of a second to start, so it reads the code of one chip from all files in one call.

Loops are natural loops of the control-flow graph, found by dominators, and not stretches of addresses: the assembler
puts seldom taken parts of a loop behind the kernel's end, and code that is no part of a loop between its lines."""

import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from io import BytesIO
from itertools import zip_longest
from pathlib import Path

from elftools.elf.elffile import ELFFile
from gpufx_plot.explain.demangled import demangled

_LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+\{?\s*(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*([^;]*);")
_JUMPS = {"BRA", "JMP", "JMX", "BRX", "RET", "EXIT", "BPT", "KILL"}
# A call is taken as a branch: in long loops the assembler also uses it for the way back to the head.
_NAMED_TARGET = {"BRA", "JMP", "CALL"}


@dataclass
class Instruction:
    address: int
    guard: str
    opcode: str
    operands: str

    @property
    def base(self):
        return self.opcode.split(".")[0]

    @property
    def reads_clock(self):
        return "SR_CLOCK" in self.operands

    @property
    def target(self):
        """Where a branch goes, or None where the code does not say."""
        found = re.search(r"0x([0-9a-f]+)\s*$", self.operands)
        return int(found[1], 16) if found and self.base in _NAMED_TARGET else None

    @property
    def always_leaves(self):
        """True for a jump without a condition. A condition is a guard or a further operand: BRA.U UP0, 0x40."""
        return (
            self.base in _JUMPS
            and not self.guard
            and "," not in self.operands
            and not self.opcode.startswith(("BRA.DIV", "BRA.CONV"))
        )

    def __str__(self):
        return " ".join(f"{self.address:04x}  {self.guard} {self.opcode} {self.operands}".split())


@dataclass
class Loop:
    head: int  # block
    blocks: set
    code: list = field(repr=False)


@dataclass
class Kernel:
    architecture: int  # 90
    name: str  # demangled, with its parameters
    code: list = field(repr=False)

    @property
    def short_name(self):
        """Up to the parameters and without the type that templates return: "chase<0, 4, 1>"."""
        return self.name.split("(")[0].removeprefix("void ")


def flow(code):
    """Splits code into basic blocks: lists of instructions, and for each the blocks that can follow it."""
    starts = {code[0].address}
    for here, after in zip_longest(code, code[1:]):
        if here.target is not None:
            starts.add(here.target)
        if after and (here.target is not None or here.base in _JUMPS):
            starts.add(after.address)
    blocks = []
    for i in code:
        if i.address in starts:
            blocks.append([])
        blocks[-1].append(i)
    index = {block[0].address: n for n, block in enumerate(blocks)}
    after = []
    for n, block in enumerate(blocks):
        follow = set()
        if block[-1].target is not None:
            follow.add(index[block[-1].target])
        if not block[-1].always_leaves and n + 1 < len(blocks):
            follow.add(n + 1)
        after.append(follow)
    # Where an indirect branch goes stands in a table, not in the listing: to the next block, and to all that nothing
    # else leads to.
    reached = {0}.union(*after)
    for next_one, (block, follow) in enumerate(zip(blocks, after, strict=True), 1):
        if block[-1].base == "BRX":
            follow.update({n for n in range(len(blocks)) if n not in reached} | {next_one} & set(range(len(blocks))))
    return blocks, after


def _reached(edges, start, without):
    """The blocks that ways from one lead to, and the one that none of them passes."""
    found, ahead = {without}, [start]
    while ahead:
        block = ahead.pop()
        if block not in found:
            found.add(block)
            ahead.extend(edges[block])
    return found


def loops(code):
    """The loops of a kernel: each block that lies on all ways to one before it, and the blocks between these two."""
    blocks, after = flow(code)
    reached = _reached(after, 0, None)
    found = []
    before = [{n for n in reached - {None} if head in after[n]} for head in range(len(blocks))]
    for head, ahead in enumerate(before):
        around = _reached(after, 0, head) - {head} if ahead else ahead
        body = set().union(*(_reached(before, n, head) for n in ahead - around))
        if body:
            found.append(Loop(head, body, [i for n in sorted(body) for i in blocks[n]]))
    return found


def sections(elf):
    """{what stands behind ".text.": bytes}: the code of each function in a cubin."""
    parts = ELFFile(BytesIO(elf)).iter_sections()
    return {part.name.removeprefix(".text."): part.data() for part in parts if part.name.startswith(".text.")}


def machine_code(cuobjdump, path):
    """{chip, such as "90a": {mangled name: code}} of an object file or a fatbin."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="gpufx-cubins-") as folder:
        words = [cuobjdump, "-xelf", "all", str(Path(path).resolve())]
        run = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if run.returncode:
            raise RuntimeError(f"{cuobjdump} cannot read {path}: {run.stderr.strip()}")
        for cubin in sorted(Path(folder).iterdir()):
            chip = re.search(r"\.sm_(\w+)\.cubin$", cubin.name)[1]
            found.setdefault(chip, {}).update(sections(cubin.read_bytes()))
    return found


def kernels(cuobjdump, chip, parts):
    """The kernels of each of `parts`, {mangled name: code} of one chip. Addresses count on from kernel to kernel."""
    found = [[Kernel(int(chip.rstrip("af")), demangled(name), []) for name in part] for part in parts]
    image = b"".join(code for part in parts for code in part.values())
    if not image:
        return found
    with tempfile.NamedTemporaryFile(prefix="gpufx-code-") as file:
        file.write(image)
        file.flush()
        words = [str(Path(cuobjdump).with_name("nvdisasm")), "-b", f"SM{chip}", file.name]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"nvdisasm cannot read code for sm_{chip}: {run.stderr.strip()}")
    ahead = zip((k for part in found for k in part), (code for part in parts for code in part.values()), strict=True)
    end = 0
    for address, guard, opcode, operands in _LINE.findall(run.stdout):
        while int(address, 16) >= end:
            kernel, code = next(ahead)
            end += len(code)
        kernel.code.append(Instruction(int(address, 16), guard, opcode, operands))
    return found
