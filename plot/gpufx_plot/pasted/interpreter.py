"""Runs the pasted text as one warp does: every value is that of 32 lanes, and a mask says which take part.

Integers have the widths of their types. A pointer is an array and a byte offset; what is read from memory, and what
nobody declared, is unknown, and an address that needs it is refused with its column."""

import operator
import re
from dataclasses import dataclass, field
from typing import ClassVar

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from .. import UserError
from . import front_end, prelude

LANES = range(32)
MOST_ACCESSES = 20_000
WIDEST = 16

INTEGERS = {
    TypeKind.BOOL: (1, False),
    TypeKind.CHAR_U: (8, False),
    TypeKind.UCHAR: (8, False),
    TypeKind.CHAR_S: (8, True),
    TypeKind.SCHAR: (8, True),
    TypeKind.USHORT: (16, False),
    TypeKind.SHORT: (16, True),
    TypeKind.UINT: (32, False),
    TypeKind.INT: (32, True),
    TypeKind.ULONG: (64, False),
    TypeKind.LONG: (64, True),
    TypeKind.ULONGLONG: (64, False),
    TypeKind.LONGLONG: (64, True),
}
CASTS = (
    Kind.CSTYLE_CAST_EXPR,
    Kind.CXX_STATIC_CAST_EXPR,
    Kind.CXX_REINTERPRET_CAST_EXPR,
    Kind.CXX_CONST_CAST_EXPR,
    Kind.CXX_FUNCTIONAL_CAST_EXPR,
)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


if not any(known is not None and known.value == 32 for known in TypeKind._kinds[:40]):
    TypeKind(32)
    TypeKind(39)

ARITHMETIC = {
    "*": operator.mul,
    "+": operator.add,
    "-": operator.sub,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&": operator.and_,
    "^": operator.xor,
    "|": operator.or_,
    "/": quotient,
    "%": lambda a, b: a - quotient(a, b) * b,
}


@dataclass(frozen=True)
class Unknown:
    why: str
    where: str = ""


@dataclass(frozen=True)
class Pointer:
    array: "Array"
    offset: int


@dataclass(eq=False)
class Array:
    """What an address lies in."""

    name: str
    space: str
    bytes: int  # 0: not known
    element: str
    element_bytes: int
    sizes: list[int]


@dataclass
class Access:
    """One instruction of the text, and the lanes' offsets in each of its executions."""

    array: Array
    text: str
    op: str
    width: int
    steps: list = field(default_factory=list)


class Warp:
    def __init__(self, parsed, block, given, space):
        self.parsed, self.block, self.given, self.default_space = parsed, block, given, space
        threads = block[0] * block[1] * block[2]
        self.mask = [lane < threads for lane in LANES]
        self.variables, self.arrays, self.accesses = {}, {}, {}
        self.taken, self.count, self.returned, self.result = [], 0, [False] * 32, None
        self.statements = set()
        x, y, _ = block
        rest = [Unknown(f"gridDim.{axis} is not known: give gridDim.{axis}=VALUE") for axis in "xyz"]
        places = zip(*((lane % x, lane // x % y, lane // x // y) for lane in LANES), strict=True)
        self.builtin = {
            "threadIdx": [list(place) for place in places],
            "blockDim": [[size] * 32 for size in block],
            "blockIdx": [[given.get(f"blockIdx.{axis}", 0)] * 32 for axis in "xyz"],
            "gridDim": [
                [given.get(f"gridDim.{axis}", unknown)] * 32 for axis, unknown in zip("xyz", rest, strict=True)
            ],
        }

    # ---- what is said of a place in the text
    def refuse(self, cursor, problem):
        raise UserError(f"--code: {problem} at {self.parsed.where(cursor)}")

    def unknown(self, cursor, why):
        return [Unknown(why, self.parsed.where(cursor))] * 32

    # ---- memory
    def array_of(self, declaration):
        key = declaration.hash
        if key not in self.arrays:
            self.arrays[key] = self.new_array(declaration)
        return self.arrays[key]

    def new_array(self, declaration):
        """None: registers."""
        kind, found = declaration.type.get_canonical(), front_end.notes(declaration)
        space = next(
            (name for name in ("shared", "constant") if name in found), "global" if "device" in found else None
        )
        if kind.kind == TypeKind.POINTER:
            if space:
                return None
            pointee = declaration.type.get_canonical().get_pointee()
            return self.of_pointer(declaration.spelling, pointee)
        if kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            sizes, element = [], kind
            while element.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
                sizes.append(element.element_count if element.kind == TypeKind.CONSTANTARRAY else 0)
                element = element.get_array_element_type()
            if declaration.kind == Kind.PARM_DECL:
                space = "global"
            if not space and self.qualified:  # a plain array is one of registers beside memory that says so itself
                return None
            whole = kind.get_size() if sizes[0] else 0
            written = declaration.type.spelling.split("[")[0].strip()
            return Array(
                declaration.spelling,
                space or self.default_space,
                max(whole, 0),
                plain(written),
                element.get_size(),
                sizes,
            )
        if not space:
            return None
        return Array(declaration.spelling, space, kind.get_size(), plain(kind.spelling), kind.get_size(), [])

    @staticmethod
    def of_pointer(name, pointee):
        """What a pointer points to."""
        while pointee.kind == TypeKind.CONSTANTARRAY:
            pointee = pointee.get_array_element_type()
        return Array(name, "global", 0, plain(pointee.spelling), pointee.get_size(), [])

    def find_memory(self, cursor):
        """True if some declaration below has a qualifier of CUDA, or is a pointer."""
        for child in cursor.walk_preorder():
            if child.kind in (Kind.VAR_DECL, Kind.PARM_DECL) and (
                front_end.notes(child) - {"global"}
                or (child.type.get_canonical().kind == TypeKind.POINTER and front_end.initializer(child) is None)
            ):
                return True
        return False

    def record(self, cursor, op, pointers, kind):
        """One execution of an access of a type: as many instructions as it takes."""
        size, alignment = kind.get_size(), kind.get_align()
        if size <= 0:
            self.refuse(cursor, f"the size of {kind.spelling} is not known")
        width = size if size <= WIDEST and size & (size - 1) == 0 and alignment >= size else min(alignment, WIDEST)
        active = [(lane, pointers[lane]) for lane in LANES if self.mask[lane]]
        for _, pointer in active:
            if isinstance(pointer, Unknown):
                why = f"{pointer.why} ({pointer.where})" if pointer.where else pointer.why
                where = self.parsed.where(cursor)
                raise UserError(f"--code: the address of {self.parsed.text(cursor)} at {where} is not known: {why}")
        active = [(lane, pointer) for lane, pointer in active if isinstance(pointer, Pointer)]
        arrays = {id(pointer.array): pointer.array for _, pointer in active}
        if len(arrays) > 1:
            self.refuse(cursor, f"the lanes of {self.parsed.text(cursor)} access different arrays")
        for array in arrays.values():
            for lane, pointer in active:
                end = pointer.offset + size
                if pointer.offset < 0 or (array.bytes and end > array.bytes):
                    side = "before the start" if pointer.offset < 0 else "beyond the end"
                    self.refuse(
                        cursor, f"lane {lane} accesses {array.name} {side} of the array, at byte {pointer.offset},"
                    )
            access = self.accesses.get((cursor.hash, op))
            if not access:
                access = self.accesses[cursor.hash, op] = Access(array, self.parsed.text(cursor), op, width)
            for part in range(0, size, width):
                offsets = [-1] * 32
                for lane, pointer in active:
                    offsets[lane] = pointer.offset + part
                access.steps.append(offsets)
                self.count += 1
        if self.count > MOST_ACCESSES:
            self.refuse(cursor, f"more than {MOST_ACCESSES} accesses: shorten the loop")

    # ---- places: (kind of place, closure)
    def place(self, cursor):  # noqa: PLR0911
        """Where an lvalue lies: a closure to 32 pointers, or the declaration of a register."""
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind in (Kind.PAREN_EXPR, Kind.UNEXPOSED_EXPR) and len(children) == 1:
            return self.place(children[0])
        if kind in CASTS:
            return self.place(children[-1])
        if kind == Kind.DECL_REF_EXPR:
            declaration = cursor.referenced
            array = self.array_of(declaration) if declaration is not None else None
            if array is None or declaration.type.get_canonical().kind == TypeKind.POINTER:
                return declaration
            base = [Pointer(array, 0)] * 32
            return lambda: base
        if kind == Kind.ARRAY_SUBSCRIPT_EXPR:
            inner = children[0]
            if self.is_register_array(inner):
                index = self.value(children[1])
                return ("register", index)
            pointer, index, size = self.value(inner), self.value(children[1]), cursor.type.get_size()
            return lambda: self.add(pointer(), index(), size)
        if kind == Kind.MEMBER_REF_EXPR and children:
            field_bits = cursor.referenced.get_field_offsetof()
            arrow = children[0].type.get_canonical().kind == TypeKind.POINTER
            inner = self.value(children[0]) if arrow else self.place(children[0])
            if not callable(inner):
                return ("register", None)
            return lambda: self.add(inner(), [field_bits // 8] * 32, 1)
        if kind == Kind.UNARY_OPERATOR and front_end.unary(cursor) == "*":
            return self.value(children[0])
        return ("register", self.value(cursor) if kind == Kind.CALL_EXPR else None)

    def is_register_array(self, cursor):
        while cursor.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR, Kind.ARRAY_SUBSCRIPT_EXPR):
            cursor = next(iter(cursor.get_children()))
        if cursor.kind == Kind.MEMBER_REF_EXPR:
            children = list(cursor.get_children())
            return (
                bool(children)
                and not callable(self.place(cursor))
                and cursor.type.get_canonical().kind != TypeKind.POINTER
            )
        if cursor.kind != Kind.DECL_REF_EXPR:
            return False
        kind = cursor.referenced.type.get_canonical().kind
        return kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY) and self.array_of(cursor.referenced) is None

    def add(self, pointers, indexes, size):
        return [self.moved(p, i, size) for p, i in zip(pointers, indexes, strict=True)]

    @staticmethod
    def moved(pointer, index, size):
        if isinstance(pointer, Unknown):
            return pointer
        if isinstance(index, Unknown):
            return index
        if not isinstance(pointer, Pointer):
            return Unknown("it is no address of an array")
        return Pointer(pointer.array, pointer.offset + int(index) * size)

    def load(self, cursor, place):
        kind = cursor.type.get_canonical()
        if kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
            return place  # it decays
        result = self.unknown(cursor, f"{self.parsed.text(cursor)} is read from memory")

        def run():
            self.record(cursor, "load", place(), kind)
            return result

        return run

    # ---- values
    def value(self, cursor):
        """A closure to 32 values."""
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind in (Kind.PAREN_EXPR,) or (kind == Kind.UNEXPOSED_EXPR and len(children) == 1):
            return self.converted(self.value(children[0]), cursor.type)
        if kind in CASTS:
            if cursor.type.get_canonical().kind == TypeKind.LVALUEREFERENCE or self.is_reference_cast(cursor):
                return self.read(cursor)
            return self.converted(self.value(children[-1]), cursor.type)
        method = self.VALUES.get(kind)
        if method:
            return method(self, cursor, children)
        number = front_end.constant(cursor)
        if number is not None:
            return lambda: [number] * 32
        return self.anything(cursor, children)

    @staticmethod
    def is_reference_cast(cursor):
        """`reinterpret_cast<float4 &>(x)`: the type of the expression is float4, and it is a place."""
        child = list(cursor.get_children())[-1]
        source, target = child.type.get_canonical(), cursor.type.get_canonical()
        return (
            target.kind == TypeKind.RECORD
            and source.kind != TypeKind.RECORD
            and cursor.kind == Kind.CXX_REINTERPRET_CAST_EXPR
        )

    def anything(self, cursor, children):
        inner = [self.value(child) for child in children if child.kind.is_expression()]
        result = self.unknown(cursor, f"the value of {self.parsed.text(cursor)} is not evaluated")

        def run():
            for one in inner:
                one()
            return result

        return run

    def converted(self, inner, kind):
        kind = kind.get_canonical()
        if kind.kind == TypeKind.BOOL:
            return lambda: [v if isinstance(v, (Unknown, Pointer)) else int(bool(v)) for v in inner()]
        form = INTEGERS.get(kind.kind)
        if not form:
            return inner
        return lambda: [wrap(v, form) for v in inner()]

    def reference(self, cursor, children):
        declaration = cursor.referenced
        if declaration is None or declaration.kind in (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR):
            return lambda: self.unknown(cursor, "it is a function")
        if declaration.kind == Kind.ENUM_CONSTANT_DECL:
            return lambda: [declaration.enum_value] * 32
        if declaration.spelling in self.builtin:
            return lambda: self.unknown(cursor, f"{declaration.spelling} is not a number")
        return self.read(cursor)

    def read(self, cursor):
        place = self.place(cursor)
        if callable(place):
            return self.load(cursor, place)
        if isinstance(place, tuple):
            result = self.unknown(cursor, f"the value of {self.parsed.text(cursor)} is not followed")
            index = place[1]

            def run():
                if index:
                    index()
                return result

            return run
        return lambda: self.variable(place, cursor)

    def variable(self, declaration, cursor):
        if declaration is None:
            return self.unknown(cursor, f"{cursor.spelling} is not known")
        key = declaration.hash
        if key not in self.variables:
            name = declaration.spelling
            array = self.array_of(declaration)
            if array:  # a pointer that nobody set: it points to an array of its own
                self.variables[key] = [Pointer(array, 0)] * 32
            elif name in ("lane", "tid"):
                self.variables[key] = list(LANES)
            elif name in self.given:
                self.variables[key] = [self.given[name]] * 32
            elif declaration.type.get_canonical().is_const_qualified() and front_end.constant(cursor) is not None:
                self.variables[key] = [front_end.constant(cursor)] * 32
            else:
                self.variables[key] = self.unknown(cursor, f"{name} has no value: give {name}=VALUE")
        return self.variables[key]

    def member(self, cursor, children):
        inner = children[0] if children else None
        while inner is not None and inner.kind in (Kind.UNEXPOSED_EXPR, Kind.PAREN_EXPR):
            inner = next(iter(inner.get_children()), None)
        if inner is not None and inner.kind == Kind.DECL_REF_EXPR and inner.spelling in self.builtin:
            values = self.builtin[inner.spelling]["xyz".index(cursor.spelling)]
            return lambda: values
        return self.read(cursor)

    def binary(self, cursor, children):
        sign = front_end.binary(cursor)
        left, right = children
        if sign == "=":
            return self.assignment(cursor, left, self.value(right))
        if sign in ("&&", "||"):
            return self.logical(cursor, self.value(left), self.value(right), sign == "&&")
        if sign == ",":
            first, second = self.value(left), self.value(right)
            return lambda: (first(), second())[1]
        return self.arithmetic(cursor, sign, self.value(left), self.value(right), left.type, right.type, cursor.type)

    def arithmetic(self, cursor, sign, left, right, left_type, right_type, result_type):
        operation = ARITHMETIC.get(sign)
        sizes = [pointee_size(left_type), pointee_size(right_type)]
        form = INTEGERS.get(result_type.get_canonical().kind)

        def one(a, b):
            if isinstance(a, Unknown):
                return a
            if isinstance(b, Unknown):
                return b
            if isinstance(a, Pointer) or isinstance(b, Pointer):
                return self.pointer_arithmetic(sign, a, b, sizes)
            if sign in "/%" and b == 0:
                self.refuse(cursor, "a division by zero")
            if sign in ("<<", ">>") and not 0 <= b < 64:
                self.refuse(cursor, "a shift by less than 0 or more than 63")
            return wrap(operation(a, b), form) if form else operation(a, b)

        if operation is None:
            self.refuse(cursor, "an operator that is not known")

        def run():
            a, b = left(), right()
            return [one(x, y) if on else x for x, y, on in zip(a, b, self.mask, strict=True)]

        return run

    def pointer_arithmetic(self, sign, a, b, sizes):
        if isinstance(a, Pointer) and isinstance(b, Pointer):
            if sign == "-" and a.array is b.array:
                return (a.offset - b.offset) // max(sizes[0], 1)
            return Unknown("it compares addresses")
        if sign == "+" and isinstance(b, Pointer):
            return self.moved(b, a, sizes[1])
        if sign in "+-" and isinstance(a, Pointer):
            return self.moved(a, b if sign == "+" else -b, sizes[0])
        return Unknown("it is arithmetic with an address")

    def logical(self, cursor, left, right, is_and):
        def run():
            first = left()
            before = self.mask
            self.mask = [
                on and (isinstance(v, Unknown) or bool(v) == is_and) for on, v in zip(before, first, strict=True)
            ]
            second = right() if any(self.mask) else first
            needs, self.mask = self.mask, before
            return [both(a, b, is_and) if need else a for a, b, need in zip(first, second, needs, strict=True)]

        return run

    def assignment(self, cursor, left, right):
        place = self.place(left)
        kind = left.type.get_canonical()

        def run():
            values = right()
            self.store(left, place, values, kind)
            return values

        return run

    def store(self, cursor, place, values, kind):
        if callable(place):
            self.record(cursor, "store", place(), kind)
        elif isinstance(place, tuple):
            if place[1]:
                place[1]()
        elif place is not None:
            old = self.variables.get(place.hash, values)
            self.variables[place.hash] = [v if on else o for v, o, on in zip(values, old, self.mask, strict=True)]

    def compound(self, cursor, children):
        left, right = children
        sign = front_end.binary(cursor)[:-1]
        value = self.arithmetic(cursor, sign, self.value(left), self.value(right), left.type, right.type, left.type)
        return self.assignment(cursor, left, value)

    def unary(self, cursor, children):
        sign, child = front_end.unary(cursor), children[0]
        if sign == "&":
            place = self.place(child)
            return place if callable(place) else lambda: self.unknown(cursor, "it is the address of a register")
        if sign == "*":
            return self.read(cursor)
        if sign in ("++", "--", "p++", "p--"):
            ones = lambda: [1] * 32  # noqa: E731
            before = self.value(child)
            after = self.arithmetic(cursor, sign[-1], before, ones, child.type, child.type, child.type)
            place, kind = self.place(child), child.type.get_canonical()

            def step():
                old, new = before(), after()
                self.store(child, place, new, kind)
                return old if sign[0] == "p" else new

            return step
        form = INTEGERS.get(cursor.type.get_canonical().kind, (64, True))
        does = {"-": operator.neg, "~": operator.invert, "!": operator.not_, "+": operator.pos}.get(sign)
        inner = self.value(child)
        if does is None:
            return self.anything(cursor, children)
        return lambda: [v if isinstance(v, (Unknown, Pointer)) else wrap(int(does(v)), form) for v in inner()]

    def choice(self, cursor, children):
        condition, yes, no = (self.value(child) for child in children)

        def run():
            asked, before = condition(), self.mask
            result = list(asked)
            for branch, wanted in ((yes, True), (no, False)):
                self.mask = [
                    on and not isinstance(c, Unknown) and bool(c) == wanted for on, c in zip(before, asked, strict=True)
                ]
                if any(self.mask):
                    result = [n if on else r for n, r, on in zip(branch(), result, self.mask, strict=True)]
            self.mask = before
            return result

        return run

    def call(self, cursor, children):
        name = cursor.spelling
        arguments = list(cursor.get_arguments())
        if name == "operator=" and len(arguments) == 2:
            return self.assignment(cursor, arguments[0], self.value(arguments[1]))
        if name in prelude.SMALL:
            return self.small(cursor, prelude.SMALL[name], [self.value(one) for one in arguments])
        if name.startswith("atomic") and arguments:
            return self.atomic(cursor, name, arguments)
        if name in ("__ldg", "__ldcs", "__ldcg", "__stcs", "__stcg") and arguments:
            return self.through_pointer(cursor, "load" if name.startswith("__ld") else "store", arguments)
        function = cursor.referenced.get_definition() if cursor.referenced is not None else None
        if (
            function is not None
            and function.kind == Kind.FUNCTION_DECL
            and function.location.line >= self.parsed.first_line
        ):
            return self.inlined(cursor, function, [self.value(one) for one in arguments])
        return self.anything(cursor, arguments or children)

    def small(self, cursor, does, inner):
        def run():
            rows = zip(*(one() for one in inner), strict=True)
            return [next((v for v in row if isinstance(v, (Unknown, Pointer))), None) or does(*row) for row in rows]

        return self.converted(run, cursor.type)

    def atomic(self, cursor, name, arguments):
        pointer, rest = self.value(arguments[0]), [self.value(one) for one in arguments[1:]]
        kind = arguments[0].type.get_canonical().get_pointee().get_canonical()
        used = cursor.hash not in self.statements
        op = "cas" if name == "atomicCAS" else "fetch" if used else "atomic"
        result = self.unknown(cursor, f"{self.parsed.text(cursor)} is read from memory")

        def run():
            where = pointer()
            for one in rest:
                one()
            self.record(cursor, op, where, kind)
            return result

        return run

    def through_pointer(self, cursor, op, arguments):
        pointer, rest = self.value(arguments[0]), [self.value(one) for one in arguments[1:]]
        kind = arguments[0].type.get_canonical().get_pointee().get_canonical()
        result = self.unknown(cursor, f"{self.parsed.text(cursor)} is read from memory")

        def run():
            where = pointer()
            for one in rest:
                one()
            self.record(cursor, op, where, kind)
            return result

        return run

    def inlined(self, cursor, function, inner):
        if len(self.taken) > 8:
            self.refuse(cursor, f"{function.spelling} calls itself")
        self.taken.append(function.hash)
        parameters = [one for one in function.get_children() if one.kind == Kind.PARM_DECL]
        body = self.statement(next(one for one in function.get_children() if one.kind == Kind.COMPOUND_STMT))
        self.taken.pop()
        nothing = self.unknown(cursor, f"{function.spelling} returns nothing")

        def run():
            for parameter, one in zip(parameters, inner, strict=False):
                self.variables[parameter.hash] = one()
            before, mask = (self.returned, self.result), self.mask
            self.returned, self.result = [False] * 32, nothing
            body()
            result, self.mask = self.result, mask
            self.returned, self.result = before
            return result

        return run

    VALUES: ClassVar = {
        Kind.DECL_REF_EXPR: reference,
        Kind.MEMBER_REF_EXPR: member,
        Kind.BINARY_OPERATOR: binary,
        Kind.COMPOUND_ASSIGNMENT_OPERATOR: compound,
        Kind.UNARY_OPERATOR: unary,
        Kind.CONDITIONAL_OPERATOR: choice,
        Kind.CALL_EXPR: call,
        Kind.ARRAY_SUBSCRIPT_EXPR: lambda self, cursor, _: self.read(cursor),
    }

    # ---- statements
    def statement(self, cursor):  # noqa: PLR0911
        kind = cursor.kind
        children = list(cursor.get_children())
        if kind in (Kind.COMPOUND_STMT, Kind.UNEXPOSED_STMT):
            return self.sequence([self.statement(child) for child in children])
        if kind == Kind.DECL_STMT:
            return self.sequence([self.declared(one) for one in children if one.kind == Kind.VAR_DECL])
        if kind == Kind.IF_STMT:
            return self.branch(cursor, children)
        if kind in (Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT):
            return self.loop(cursor, children)
        if kind == Kind.RETURN_STMT:
            return self.leave(self.value(children[0]) if children else None)
        if kind == Kind.NULL_STMT:
            return lambda: None
        if kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT, Kind.SWITCH_STMT, Kind.GOTO_STMT):
            self.refuse(cursor, "break, continue, switch and goto are not followed")
        if kind.is_expression():
            self.statements.add(cursor.hash)
            return self.value(cursor)
        return lambda: None

    def sequence(self, inner):
        def run():
            for one in inner:
                if not any(self.mask):
                    return
                one()

        return run

    def declared(self, declaration):
        first = front_end.initializer(declaration)
        if first is None or self.array_of_memory(declaration):
            return lambda: None
        if declaration.type.get_canonical().kind == TypeKind.LVALUEREFERENCE:
            self.refuse(declaration, f"{declaration.spelling} is a reference: write what it stands for")
        inner = self.converted(self.value(first), declaration.type)

        def run():
            values, old = inner(), self.variables.get(declaration.hash)
            self.variables[declaration.hash] = (
                values if old is None else [v if on else o for v, o, on in zip(values, old, self.mask, strict=True)]
            )

        return run

    def array_of_memory(self, declaration):
        return declaration.type.get_canonical().kind != TypeKind.POINTER and self.array_of(declaration) is not None

    def leave(self, inner):
        def run():
            if inner:
                values = inner()
                old = self.result if self.result is not None else values
                self.result = [v if on else o for v, o, on in zip(values, old, self.mask, strict=True)]
            self.returned = [r or on for r, on in zip(self.returned, self.mask, strict=True)]
            self.mask = [False] * 32

        return run

    def under(self, mask, run):
        """Runs it for the lanes of the mask; the mask behind it is the one before, less those that have left."""
        before, self.mask = self.mask, mask
        if any(mask):
            run()
        self.mask = [on and not gone for on, gone in zip(before, self.returned, strict=True)]

    def branch(self, cursor, children):
        condition, yes = self.value(children[0]), self.statement(children[1])
        no = self.statement(children[2]) if len(children) > 2 else None
        guess = not is_return(children[1])  # a bound that is not known holds for the warp

        def run():
            asked, before = condition(), self.mask
            self.under(
                [on and (guess if isinstance(c, Unknown) else bool(c)) for on, c in zip(before, asked, strict=True)],
                yes,
            )
            if no:
                left = [
                    on and (not guess if isinstance(c, Unknown) else not c) for on, c in zip(before, asked, strict=True)
                ]
                self.under([on and not gone for on, gone in zip(left, self.returned, strict=True)], no)

        return run

    def loop(self, cursor, children):
        begin, condition, after, body = self.parts_of_loop(cursor, children)
        begin, after = (self.statement(one) if one is not None else None for one in (begin, after))
        test = self.value(condition) if condition is not None else None
        run_body, first_unasked = self.statement(body), cursor.kind == Kind.DO_STMT

        def run():
            if begin:
                begin()
            before, rounds = self.mask, 0
            while any(self.mask):
                if test and (rounds or not first_unasked):
                    asked = test()
                    unknown = next(
                        (c for c, on in zip(asked, self.mask, strict=True) if on and isinstance(c, Unknown)), None
                    )
                    if unknown:
                        self.refuse(condition, f"the end of the loop is not known: {unknown.why},")
                    self.mask = [on and bool(c) for on, c in zip(self.mask, asked, strict=True)]
                    if not any(self.mask):
                        break
                rounds += 1
                if rounds > MOST_ACCESSES:
                    self.refuse(cursor, "a loop without an end")
                run_body()
                if after and any(self.mask):
                    after()
            self.mask = [on and not gone for on, gone in zip(before, self.returned, strict=True)]

        return run

    def parts_of_loop(self, cursor, children):
        if cursor.kind == Kind.WHILE_STMT:
            return None, children[0], None, children[-1]
        if cursor.kind == Kind.DO_STMT:
            return None, children[1], None, children[0]
        ends, depth = [], 0
        for token in cursor.get_tokens():
            depth += (token.spelling in "([{") - (token.spelling in ")]}")
            if depth == 1 and token.spelling == ";":
                ends.append(token.extent.start.offset)
            if depth == 0 and ends:
                break
        parts = {0: None, 1: None, 2: None}
        for child in children[:-1]:
            parts[sum(child.extent.start.offset > end for end in ends)] = child
        return parts[0], parts[1], parts[2], children[-1]

    def run(self):
        self.qualified = self.find_memory(self.parsed.body) or any(map(self.find_memory, self.parsed.outside))
        for declaration in self.parsed.outside:
            self.declared(declaration)()
        body = next(one for one in self.parsed.body.get_children() if one.kind == Kind.COMPOUND_STMT)
        self.statement(body)()
        return list(self.accesses.values())


def is_return(statement):
    while statement.kind == Kind.COMPOUND_STMT and len(children := list(statement.get_children())) == 1:
        statement = children[0]
    return statement.kind == Kind.RETURN_STMT


def plain(spelling):
    """A type without qualifiers; a struct without a name has none."""
    return re.sub(r"\b(const|volatile)\b ?|\(unnamed.*|\(anonymous.*", "", spelling).strip()


def wrap(value, form):
    if isinstance(value, (Unknown, Pointer)):
        return value
    bits, signed = form
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def both(a, b, is_and):
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return a if isinstance(a, Unknown) else b
    return int(bool(a) and bool(b)) if is_and else int(bool(a) or bool(b))


def pointee_size(kind):
    kind = kind.get_canonical()
    if kind.kind == TypeKind.POINTER:
        return kind.get_pointee().get_size()
    if kind.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        return kind.get_array_element_type().get_size()
    return 1
