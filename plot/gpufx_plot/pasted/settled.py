"""Conditions that the call alone decides: what they pass by is no part of the program, as a template's parameter or the
size of the block has it. And loops that can end early without a trace."""

import functools
import itertools

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from . import cursors
from .cursors import CASTS, THROUGH, is_pointer, is_step, kind_of
from .memory import VARIABLES, element_of, fields_of, is_memory
from .values import ARRAYS, FUNCTIONS, INTEGERS, POINTERS, REFERENCES

PARTED = "parted"
GIVEN, VARYING = ("blockDim", "gridDim", "warpSize"), ("threadIdx", "blockIdx", "lane", "tid")
CONDITIONS = {Kind.IF_STMT: slice(1), Kind.SWITCH_STMT: slice(1), Kind.CONDITIONAL_OPERATOR: slice(1),
              Kind.WHILE_STMT: slice(1), Kind.DO_STMT: slice(1, 2), Kind.FOR_STMT: slice(-1)}  # fmt: skip
"""What decides, of the children."""


def targets(cursor) -> list:
    """Variables that it sets, or lends to what may: an argument as it is, without a conversion to its value."""
    children, kind = list(cursor.get_children()), cursor.kind
    if kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR or is_step(cursor) or cursors.binary(cursor) == "=":
        place = children[0]
        while place.kind in (Kind.ARRAY_SUBSCRIPT_EXPR, *THROUGH):
            place = next(place.get_children())
        through = place != children[0] and is_pointer(place)
        return [place.referenced] if place.referenced is not None and not through else []
    lent = children if cursors.unary(cursor) == "&" else cursor.get_arguments() if kind == Kind.CALL_EXPR else ()
    return [item.referenced for item in lent if item.kind == Kind.DECL_REF_EXPR]


def variable_of(part):
    kinds = (*VARIABLES, Kind.UNEXPOSED_DECL)  # of auto [x, y]
    is_variable = part.kind == Kind.DECL_REF_EXPR and part.referenced is not None and part.referenced.kind in kinds
    return part.referenced if is_variable else None


def is_number(call) -> bool:
    """Of a call: a function without a body makes one of others."""
    kinds = [kind_of(item) for item in call.get_arguments()]
    is_plain = bool(kinds) and "sync" not in call.spelling and not cursors.definition(call)
    return call.spelling in FUNCTIONS or (is_plain and not {TypeKind.RECORD, *POINTERS, *ARRAYS}.intersection(kinds))


def decides_addresses(variable) -> bool:
    """True of a number or an address, of arrays of them, and of another name of these."""
    kind = variable.type.get_canonical()
    kind = kind.get_pointee().get_canonical() if kind.kind in REFERENCES else kind
    return element_of(kind)[0].kind in (*INTEGERS, TypeKind.ENUM, TypeKind.POINTER)


def find_sources(cursor, conditions: list, found: dict) -> None:
    children = list(cursor.get_children())
    first = cursors.initializer(cursor) if cursor.kind == Kind.VAR_DECL else None
    if first is not None:
        found.setdefault(cursor.hash, []).append(first)
    for variable in targets(cursor):
        found.setdefault(variable.hash, []).extend([cursor, *conditions])
    inner = [*conditions, *children[CONDITIONS.get(cursor.kind, slice(0))]]
    for child in children:
        find_sources(child, inner, found)


def base_of(place) -> tuple:
    """The variable that A[i] or *(float4 *)&A[i] goes through, and other expressions in it; None: it may be several."""
    others = []
    while (inner := list(place.get_children())) and cursors.binary(place) in ("", "+"):
        place, *rest = reversed(inner) if place.kind in CASTS else inner
        others += rest
    return variable_of(place), others


def mentions(cursor, moved: set) -> bool:
    """Whether the block is used in it, or what it has moved."""
    parts = [*cursor.walk_preorder()]
    called = filter(None, (cursors.definition(part) for part in parts if part.kind == Kind.CALL_EXPR))
    variables = filter(None, map(variable_of, parts))
    is_used = any(item.spelling == "blockIdx" or item.hash in moved for item in variables)
    return is_used or any(mentions(function, moved) for function in called)


def of_all_parts(rule):
    """Whether it holds for each part of an expression. seen: variables that are set to what this is a part of."""
    return lambda self, cursor, seen=(): all(rule(self, part, seen) for part in cursor.walk_preorder())


class Settled:
    @functools.cached_property
    def sources(self) -> dict:
        """What every variable is set to, and the conditions of that."""
        found = {}
        for function in (self.parsed.body, *self.parsed.outside):
            find_sources(function, [], found)
        return found

    @of_all_parts
    def is_settled(self, part, _seen) -> bool:
        """True if it is the same for every thread of the grid, and no memory is read for it."""
        if part.kind == Kind.CALL_EXPR:
            return part.spelling in FUNCTIONS
        if part.kind == Kind.ARRAY_SUBSCRIPT_EXPR or cursors.unary(part) in ("*", "&"):
            return False
        if (variable := variable_of(part)) is None:
            return True
        name = variable.spelling
        if name in VARYING or name in GIVEN or name in self.given:
            return name not in VARYING
        if variable.hash not in self.settled:
            self.settled[variable.hash] = True  # as far as it depends on itself, in a loop
            sources = self.sources.get(variable.hash)
            self.settled[variable.hash] = bool(sources) and all(self.is_settled(item) for item in sources)
        return self.settled[variable.hash]

    @of_all_parts
    def is_uniform(self, part, seen) -> bool:
        """True if nvcc, too, sees that all threads of a block have the same: threadIdx.x / 32 is another's."""
        if part.kind == Kind.CALL_EXPR:
            return part.spelling in FUNCTIONS or part.spelling.startswith("operator")
        if part.kind in (Kind.CXX_THIS_EXPR, Kind.MEMBER_REF_EXPR):
            return part.kind == Kind.MEMBER_REF_EXPR and any(part.get_children())
        variable = variable_of(part)
        if variable is None or variable.hash in seen:
            return True
        if variable.spelling in (*VARYING, *GIVEN):
            return variable.spelling in ("blockIdx", *GIVEN)
        is_array = kind_of(variable) in ARRAYS
        if variable.kind == Kind.VAR_DECL and (is_array or cursors.notes(variable)):
            return True  # it has one address, and what lies there is the same for all who load it
        sources = self.sources.get(variable.hash, []) + self.bound_to.get(variable.hash, [])
        is_start = variable.semantic_parent == self.parsed.body or variable.kind == Kind.VAR_DECL
        is_known = bool(sources) or (is_start and (variable.kind == Kind.PARM_DECL or is_memory(variable)))
        return is_known and all(self.is_uniform(item, (*seen, variable.hash)) for item in sources)

    def note_entry(self, site, cursor, where) -> None:
        """Of an array of known values."""
        if self.noted is not None:
            if self.kept is not None and id(cursor) not in self.signs:
                self.signs[id(cursor)] = "[" if self.is_by_block(cursor, ()) else "="
            sign = self.signs.get(id(cursor), "=") if self.kept is not None else "="
            self.note(site, sign, where.offset, where.array.bytes // max(where.array.element_bytes, 1))

    @of_all_parts
    def is_fixed(self, part, seen) -> bool:
        """True of sums and products of what is the same for all threads of a block."""
        if (variable := variable_of(part)) is None:
            kinds = (Kind.INTEGER_LITERAL, Kind.MEMBER_REF_EXPR, *THROUGH)
            return part.kind in kinds or cursors.binary(part) in ("+", "-", "*")
        if variable.spelling in (*VARYING, *GIVEN):
            return variable.spelling in ("blockIdx", *GIVEN)
        if variable.hash in seen or fields_of(variable.type.get_canonical()):
            return False
        sources = self.sources.get(variable.hash, []) + self.bound_to.get(variable.hash, [])
        is_known = bool(sources) or variable.semantic_parent == self.parsed.body
        return is_known and all(self.is_fixed(item, (*seen, variable.hash)) for item in sources)

    @functools.cached_property
    def asks_block(self) -> bool:
        """Whether blocks may differ by more than what each adds to addresses of all threads, before a return."""
        *_, body = self.parsed.body.get_children()
        parts = self.parsed.body.walk_preorder()
        is_lent = any(
            part.type.kind in REFERENCES or part.kind in (Kind.BREAK_STMT, Kind.CONTINUE_STMT) for part in parts
        )
        before, moved = None, set()  # a loop may use what it moves only below
        while before != (moved := {item for item in moved if type(item) is int}):
            before = set(moved)
            is_lent = is_lent or self.is_asked(body, moved)
        return bool(self.values) or is_lent

    def is_asked(self, cursor, moved: set) -> bool:
        """Whether the block, or what it has moved, is used but for an access, or to move something on. moved: such
        variables, which this adds to; None: some threads may have returned; PARTED: others may be here."""
        children = list(cursor.get_children())
        if cursor.kind == Kind.VAR_DECL and decides_addresses(cursor) and (first := cursors.initializer(cursor)):
            moved |= {cursor.hash} if mentions(first, moved) else set()
            return cursor.hash in moved and (not moved.isdisjoint((None, PARTED)) or not self.is_shift(first, moved))
        if cursor.kind == Kind.CALL_EXPR and (function := cursors.definition(cursor)):
            given = list(zip(function.get_arguments(), cursor.get_arguments(), strict=False))
            key = (function.hash, *(of.hash for of, to in given if mentions(to, moved)))
            is_lent = any(of.type.get_canonical().kind in REFERENCES for of, _ in given)
            is_lent = is_lent or (function.kind != Kind.FUNCTION_DECL and mentions(cursor, moved))
            is_other = is_lent or not all(self.is_shift(to, moved) for _, to in given)
            if is_new := key not in moved:
                find_sources(function, [], self.sources)
            before, _ = {None} - moved, moved.update([key, *key[1:]])
            is_asked = is_other or (is_new and self.is_asked(function, moved))
            moved -= before  # it returns to here
            return is_asked
        if cursors.binary(cursor) == "+=" and (variable := variable_of(children[0])):
            if mentions(children[1], moved):
                moved.add(variable.hash)
                return not moved.isdisjoint((None, PARTED)) or not self.is_shift(children[1], moved)
            children = children[1:]
        if cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR or cursors.unary(cursor) == "*":
            base, others = base_of(cursor)
            if base is not None and (is_pointer(base) or "shared" in cursors.notes(base)):
                return not all(self.is_shift(item, moved) for item in others)
        if variable := variable_of(cursor):
            return variable.spelling == "blockIdx" or variable.hash in moved
        joins = cursors.binary(cursor) in ("&&", "||")
        is_same = all(map(self.is_uniform, children[slice(1) if joins else CONDITIONS.get(cursor.kind, slice(0))]))
        is_end = not is_same and PARTED not in moved
        moved |= ({PARTED} if is_end else set()) | ({None} if cursor.kind == Kind.RETURN_STMT else set())
        is_asked = any(self.is_asked(item, moved) for item in children)
        moved -= {PARTED} if is_end else set()
        return is_asked

    def is_shift(self, cursor, moved: set) -> bool:
        """Whether the block adds the same to it for all threads."""
        if not mentions(cursor, moved) or variable_of(cursor):
            return True
        children, sign = list(cursor.get_children()), cursors.binary(cursor)
        if sign == "*":
            return any(self.is_shift(one, moved) and self.is_fixed(other) and not mentions(other, moved)
                       for one, other in (children, children[::-1]))  # fmt: skip
        is_plain = sign in ("+", "-") or cursor.kind in (*THROUGH, *CASTS, Kind.MEMBER_REF_EXPR)
        return is_plain and all(self.is_shift(item, moved) for item in children)

    def is_by_block(self, cursor, seen) -> bool:
        """True if the block may choose it."""
        for variable in filter(None, map(variable_of, cursor.walk_preorder())):
            if variable.hash not in seen and kind_of(variable) not in ARRAYS:
                first, seen = cursors.initializer(variable), (*seen, variable.hash)
                sources = self.sources.get(variable.hash, [first] * bool(first)) + self.bound_to.get(variable.hash, [])
                if variable.spelling == "blockIdx" or any(self.is_by_block(item, seen) for item in sources):
                    return True
        return False

    def local_because(self, cursor) -> str | None:
        """Why an array of the thread has no registers because of it; "": it may have; None: it is not asked for."""
        variables = [*filter(None, map(variable_of, cursor.walk_preorder()))]
        is_asked = self.is_wanted(cursor) or self.is_in_wanted()
        if kind_of(cursor) in ARRAYS or not is_asked or any(map(self.is_left_out, variables[:1])):
            return None
        kind = variables and kind_of(variables[0])
        if kind in POINTERS and len(self.sources.get(variables[0].hash, ())) > 1:
            return "a pointer moves through it"
        calls = [cursors.definition(self.cursors[number]) for _, number in self.calls]
        if kind in (*POINTERS, *REFERENCES) and any("noinline" in self.parsed.text(of).split("(")[0] for of in calls):
            return "a function that is not inlined gets its address"
        chosen_by = variables[kind in REFERENCES or kind not in (*INTEGERS, *POINTERS) :]
        return "" if all(self.is_unrolled(item, ()) for item in chosen_by) else "its index is no constant"

    def is_unrolled(self, variable, seen) -> bool:
        """True if nvcc knows its value once loops of constant bounds are unrolled."""
        if variable.spelling in (*VARYING, *GIVEN) or cursors.notes(variable):
            return variable.hash in seen
        first, begin = cursors.initializer(variable), variable.location.offset
        sources = [item for item in self.sources.get(variable.hash, [first] * bool(first))
                   if item.extent.end.offset > begin] + self.bound_to.get(variable.hash, [])  # fmt: skip
        parts = filter(None, map(variable_of, itertools.chain(*(item.walk_preorder() for item in sources))))
        if variable.hash in seen or not sources:
            return variable.hash in seen
        return all(self.is_unrolled(item, (*seen, variable.hash)) for item in parts)

    def set_by(self, loop) -> list:
        """Variables and fields that can be used behind it, and arrays that its pointers are to."""
        inside = cursors.extent_of(loop)
        variables = {item.hash: item for part in loop.walk_preorder() for item in targets(part)}.values()
        pointers = filter(None, map(variable_of, loop.walk_preorder()))
        own = itertools.chain(*(self.registers_of(item) for item in pointers if item.kind == Kind.PARM_DECL))
        found = [item for item in variables if not cursors.notes(item) and item.location.offset not in inside]
        return [*found, *own]

    def registers_of(self, variable) -> list:
        """Arrays of the thread that it is, or that all calls give for it; []: it may be something else."""
        if variable.kind == Kind.VAR_DECL:
            is_own = kind_of(variable) in ARRAYS and not self.array_of(variable).space
            return [variable] * is_own
        given = self.bound_to.get(variable.hash, []) if variable.kind == Kind.PARM_DECL else []
        while any(item.kind in THROUGH for item in given):
            given = [next(item.get_children()) if item.kind in THROUGH else item for item in given]
        found = [self.registers_of(item.referenced) if item.kind == Kind.DECL_REF_EXPR else [] for item in given]
        return [*itertools.chain(*found)] if all(found) else []

    def is_left_out(self, variable) -> bool:
        """Whether it is of global memory while shared memory alone is asked for."""
        is_lent = self.parsed.only_shared and variable.hash in self.in_constant and is_pointer(variable)
        return is_lent and not any(cursors.binary(item) == "=" for item in self.sources.get(variable.hash, ()))

    def has_effects(self, body) -> bool:
        """True if it does more than to set variables: it leaves, waits, calls a function, but of numbers alone, or uses
        memory by a name."""
        parts = list(body.walk_preorder())
        is_more = any(part.kind in (Kind.RETURN_STMT, Kind.ASM_STMT) or (
            part.kind == Kind.CALL_EXPR and not is_number(part)) for part in parts)  # fmt: skip
        used = filter(None, map(variable_of, parts))
        is_other = (is_memory(item) and not (self.registers_of(item) or self.is_left_out(item)) for item in used)
        return is_more or any(is_other)

    def is_skipped(self, loop) -> bool:
        """Whether what it leaves behind is unknown, whatever it does. Of a struct the fields that it uses matter, of a
        branch whether lanes part."""
        branches = (Kind.IF_STMT, Kind.SWITCH_STMT, Kind.CONDITIONAL_OPERATOR)
        return not any(kind_of(part) == TypeKind.RECORD or part.kind in branches or (
            part.kind == Kind.ARRAY_SUBSCRIPT_EXPR and self.local_because(part))
            for part in loop.walk_preorder())  # fmt: skip
