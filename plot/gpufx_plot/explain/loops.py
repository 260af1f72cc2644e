"""How often a loop runs, where its machine code alone says so: what follows from numbers is computed from the start of
the function on and then round by round, as of the steps of a warp's reduction."""

import operator
import re
from ctypes import c_int32

from .sass_text import WORD, Code, Instruction

ALL = 0xFFFFFFFF
MOST_STEPS = 1 << 14
ALWAYS = {"RZ": 0, "URZ": 0, "SRZ": 0, "PT": 1, "UPT": 1}
WIDE = re.compile(r"LD[^CGLS]|LDSM|64|128|WIDE|MMA\.|^[CD]")  # what writes the next registers, too
KEPT = {f"R{n}" for n in range(16, 32)}  # by functions of other modules, such as that of a failed assert
# By the beginning of an opcode, of its sources; TypeError: one that it takes is not known.
GIVES = {
    "MOV": lambda a: a + 0,
    "IMAD": lambda a, b, c: a * b + c,
    "IADD3": lambda a, b, c: a + b + c,
    "VIADD": lambda a, b: a + b,
    "SHF.R.U32": lambda _, b, c: c >> (b & 31),
    "SHF.R.S32": lambda _, b, c: c_int32(c).value >> (b & 31),
    "LEA.HI": lambda a, b, c, d: b + ((c << 32 | a) << (d & 31) >> 32),
    "PLOP3": lambda a, b, c, d, how, _: a & b & c & d if how == 0x80 else None + 0,
}


def _value(state: dict[str, int], name: str) -> int | None:
    name = name.removesuffix(".reuse")
    if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", name):
        return int(name, 0) & ALL
    known = ALWAYS.get(name.lstrip("-"), state.get(name.lstrip("-")))
    return -known & ALL if known is not None and name.startswith("-") else known


def _result(state: dict[str, int], i: Instruction) -> int | None:
    opcode, (_, *names) = i.opcode.removeprefix("U"), re.split(r"[,\s]+", i.operands)
    values = [_value(state, name) for name in names]
    if i.predicate or re.search(r"X|WIDE|IMAD\.HI", opcode):
        return None
    try:
        if opcode.startswith("HFMA2") and names[2] == "0" and 0 <= float(names[3]) < 2**-14:
            return int(float(names[3]) * 2**24)  # it spells small numbers as halves
        if opcode.startswith("ISETP") and ".AND" in opcode and values[3] == 1:
            a, b = values[1:3] if ".U32" in opcode else (c_int32(value).value for value in values[1:3])
            return int(getattr(operator, opcode.split(".")[1].lower())(a, b))
        rule = next((rule for begins, rule in GIVES.items() if opcode.startswith(begins)), None)
        return rule(*values[-rule.__code__.co_argcount :]) & ALL if rule else None
    except (TypeError, ValueError, AttributeError, IndexError):
        return None


def _execute(state: dict[str, int], i: Instruction, result: int | None) -> None:
    to, other, *_ = [*re.split(r"[,\s]+", i.operands), ""]
    for name in (to, other) if "P" in to + other else (to,):  # a result and a predicate, in either order
        kind, number = re.fullmatch(r"(U?[RP])(\d+)|.*", name).groups()
        for place in range(int(number), int(number) + (4 if WIDE.search(i.opcode) else 1)) if number else ():
            state.pop(f"{kind}{place}", None)
    if result is not None:
        state[to] = result


def rounds(code: Code) -> dict[int, int]:
    """By the place of the jump back; those that are not known are left out."""
    jumps = {at: int(i.operands, 16) for at, i in code.items() if re.fullmatch(r"BRA 0x[0-9a-f]+", i.text)}
    asides = {int(i.operands.rpartition("0x")[2], 16) for i in code.values() if i.opcode.startswith("BRA.DIV")}
    begins = {next(at for at in jumps if at >= aside): aside for aside in asides if aside < max(jumps, default=0)}
    return {at: n for at, to in jumps.items() if to < at and (n := _rounds(code, jumps, begins, at))}


def _rounds(code: Code, jumps: dict[int, int], begins: dict[int, int], last: int) -> int | None:
    """begins: where the way of lanes that parted begins, which does what the others do, by its jump back."""
    predicate, state, at, found = code[last].predicate.removeprefix("@"), {}, 0, 0
    for _ in range(last // WORD + MOST_STEPS):
        if at == last:
            found += 1
            taken = _value(state, predicate.removeprefix("!"))
            if taken is None or taken == predicate.startswith("!"):
                return None if taken is None else found
            at = jumps[last]
        for other in (other for other, to in jumps.items() if to == at and other != last):
            for skipped in range(begins.get(other, min(other, at)), max(other, at), WORD):  # of another way
                _execute(state, code.get(skipped, Instruction("NOP")), None)
        i = code.get(at, Instruction("NOP"))
        if i.opcode.startswith("CALL"):
            state = {name: value for name, value in state.items() if name in KEPT and "ABS" in i.opcode}
        _execute(state, i, _result(state, i))
        at += WORD
    return None
