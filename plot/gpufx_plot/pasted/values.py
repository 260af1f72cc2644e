"""What a variable of the text can hold, for one lane: an int, an address, the fields of a struct, or the unknown."""

import operator
import re
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from clang.cindex import TypeKind

INTEGERS = {
    TypeKind.BOOL: (1, False), TypeKind.CHAR_U: (8, False), TypeKind.UCHAR: (8, False), TypeKind.CHAR_S: (8, True),
    TypeKind.SCHAR: (8, True), TypeKind.USHORT: (16, False), TypeKind.SHORT: (16, True), TypeKind.UINT: (32, False),
    TypeKind.INT: (32, True), TypeKind.ULONG: (64, False), TypeKind.LONG: (64, True),
    TypeKind.ULONGLONG: (64, False), TypeKind.LONGLONG: (64, True),
}  # fmt: skip
"""Bits, signed."""
ARRAYS = (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY, TypeKind.DEPENDENTSIZEDARRAY)

REFERENCES = (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)
POINTERS = (TypeKind.POINTER, *REFERENCES)


@cache
def wishes(problem: str) -> list[str]:
    return re.findall(r"'[^']*=VALUE'|[\w.]+=VALUE", problem.partition(": give ")[2])


@dataclass(frozen=True)
class Unknown:
    why: str  # and what to give, behind ": give "
    where: str = ""
    is_address: bool = False  # in an array, though not known where
    space: str = ""  # of that array, where it is known

    def with_other(self, other, keeps=True):
        """Itself, and what to give for the other, too. keeps: what is made of them is an address if one of them is."""
        is_address = keeps and (self.is_address or isinstance(other, Pointer) or getattr(other, "is_address", False))
        has = wishes(self.why)
        if not (has or is_address or self.is_address) and type(self) is Unknown:
            return self
        more = [wish for wish in wishes(other.why) if wish not in has] if has and isinstance(other, Unknown) else []
        spaces = {self.space, other.array.space if isinstance(other, Pointer) else getattr(other, "space", "")} - {""}
        space = spaces.pop() if is_address and len(spaces) == 1 else ""
        return Unknown(", ".join([self.why, *more]), self.where, is_address, space)


@dataclass(frozen=True)
class Loaded(Unknown):
    """Of a struct in memory: the access, and which of its bytes."""

    access: object = field(default=None, compare=False)
    at: int = 0
    bytes: int = 0


@dataclass(eq=False)
class Array:
    """What an address lies in; space "": registers."""

    name: str
    space: str
    bytes: int  # 0: not known
    element: str
    element_bytes: int
    sizes: list[int]
    start: int = 0  # the offset that a pointer to it has, so that lanes may access what lies before
    alone: bool = False  # by a pointer with __restrict__


class Pointer(NamedTuple):
    array: Array
    offset: int
    member: tuple | None = None  # an array in a struct of shared memory that it came from, and where this begins
    base: tuple = (0, 0)  # the place in memory that holds it, by number; how many such places lead to it


class Fields(dict):
    """Of a struct or array in registers: values by byte offset."""


def quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


ARITHMETIC = {
    "*": operator.mul, "+": operator.add, "-": operator.sub, "<<": operator.lshift, ">>": operator.rshift,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "&": operator.and_, "^": operator.xor, "|": operator.or_, "/": quotient,
    "%": lambda a, b: a - quotient(a, b) * b,
}  # fmt: skip
PREFIXES = {"-": operator.neg, "~": operator.invert, "!": operator.not_, "+": operator.pos}
FUNCTIONS = {
    "min": min, "max": max, "abs": abs, "__mul24": operator.mul, "__umul24": operator.mul,
    "__popc": lambda v: (v & 0xFFFFFFFF).bit_count(), "__ffs": lambda v: (v & -v).bit_length(),
    "__brev": lambda v: int(f"{v & 0xFFFFFFFF:032b}"[::-1], 2), "__clz": lambda v: 32 - (v & 0xFFFFFFFF).bit_length(),
}  # fmt: skip
"""Functions of integers that indexes use."""


def wrap(value, kind):
    """The value as an integer of this type, which any other type leaves alone."""
    form = INTEGERS.get(kind)
    if form is None or not isinstance(value, int):
        return value
    bits, signed = form
    if 0 <= value < 1 << bits - 1:
        return int(value)
    value = int(bool(value)) if kind == TypeKind.BOOL else int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def spread(pairs) -> Fields:
    """Nested fields as one."""
    found = Fields()
    for offset, value in pairs:
        for inner, item in value.items() if isinstance(value, Fields) else [(0, value)]:
            found[offset + inner] = item
    return found


def fields_of(kind) -> list:
    """Of a struct; what stands for an undeclared name has none."""
    return list(kind.get_fields()) if kind.kind == TypeKind.RECORD else []


def pointee_size(kind) -> int:
    kind = kind.get_canonical()
    if kind.kind == TypeKind.POINTER:
        return max(kind.get_pointee().get_size(), 1)
    return kind.get_array_element_type().get_size() if kind.kind in ARRAYS else 1


def moved(pointer, count, size):
    if type(pointer) is Pointer and type(count) is int:
        array, offset, member, base = pointer
        return Pointer(array, offset + count * size, member, base)
    for item, other in ((pointer, count), (count, pointer)):
        if isinstance(item, Unknown):
            return item.with_other(other)
    return Unknown("it is no address of an array")


def address_arithmetic(sign, a, b, sizes):
    if isinstance(a, Pointer) and isinstance(b, Pointer):
        if sign in ("-", "<", ">", "<=", ">=", "==", "!=") and (a.array, a.base) == (b.array, b.base):
            apart = ARITHMETIC[sign](a.offset, b.offset)
            return apart // max(sizes[0], 1) if sign == "-" else int(apart)
        return Unknown("it compares addresses")
    if sign == "+" and isinstance(b, Pointer):
        return moved(b, a, sizes[1])
    if sign in "+-" and isinstance(a, Pointer):
        return moved(a, b if sign == "+" else -b, sizes[0])
    return Unknown("it is arithmetic with an address", is_address=True)  # such as a descriptor of a tile
