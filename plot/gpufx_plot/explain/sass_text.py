"""The machine code of kernels, by nvdisasm where there is one: what kind of atomic an instruction is, its text, and
what the recorder can't see."""

import json
import subprocess
from collections import Counter
from pathlib import Path

from . import nvidia

WORD = 16  # bytes of an instruction, since Volta
NOT_SEEN = (  # by the beginning of an opcode
    (("TEX", "TLD", "TMML", "TXQ", "TXD"), "textures"),
    (("SULD", "SUST", "SURED", "SUATOM"), "surfaces"),
    (("LDC", "LDCU"), "indexed constant memory"),
    (("UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"), "memory by tensor maps"),
    (("UBLKPF",), "memory by bulk prefetches"),
    (("LDGMC", "REDGMC"), "several GPUs' memory (multimem)"),
)


def nvdisasm() -> Path | None:
    return nvidia.find("nvdisasm")


Code = dict[int, tuple[str, str, str]]  # opcode, operands and predicate, by the offset in the function


def instructions(cubin: Path, functions: list[int]) -> dict[str, Code]:
    """By the function's name, those that it calls among it; functions: indexes of their symbols. Empty where there is
    no nvdisasm, or none that prints JSON."""
    tool = nvdisasm()
    if not tool or not functions:
        return {}
    words = [tool, "--emit-json", "-fun", ",".join(map(str, functions)), str(cubin)]
    try:
        told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
        found = {f["function-name"]: (f["start"], _code(f)) for f in told[1]}
        called = {name: [of for key, of in found.items() if key.startswith(f"${name}$")] for name in found}
        return {
            name: {at - begin: i for _, code in [(begin, own), *called[name]] for at, i in code.items()}
            for name, (begin, own) in found.items()
        }
    except (OSError, subprocess.CalledProcessError, ValueError, LookupError, TypeError):
        return {}


def _code(function: dict) -> Code:
    return {
        function["start"] + WORD * n: (i["opcode"], i.get("operands", ""), i.get("predicate", ""))
        for n, i in enumerate(function["sass-instructions"])
    }


def text_at(code: Code, pc: int) -> str:
    """'LDG.E R2, desc[UR4][R2.64]'; empty where the code has no such place."""
    return " ".join(filter(None, (code[pc][0], code[pc][1].replace(",", ", ")))) if pc in code else ""


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
    for opcode, operands, _ in code.values():
        first = opcode.split(".")[0]
        for names, kind in NOT_SEEN:
            index = operands.rpartition("[")[2]
            if first in names and (not first.startswith("LDC") or (index[:1] in "RU" and not index.startswith("RZ"))):
                found[kind] += 1
    return found
