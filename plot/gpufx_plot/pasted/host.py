"""What the host's code computes, as far as it says: numbers, and dim3s by their members, at a place in clang's tree.

A variable has the value that statements give to it one after another, in blocks that the place is in. One that a
branch or a loop changes, that anything may change by a reference or an address, or that the tree lacks a use of, since
clang left out a statement with an error, is unknown. A parameter is what all calls give alike."""

import contextlib
import itertools
import re
from typing import NamedTuple

from .cursors import LOOPS, THROUGH, Kind, binary, constant, definition, extent_of, initializer, is_step, same, unary
from .values import ARITHMETIC, INTEGERS, PREFIXES, REFERENCES, TypeKind, pointee_size

MOST_SHIFT = 31
CONFIGURE = "__cudaPushCallConfiguration"
BY_NAME = {"cudaLaunchKernel": True, "cudaLaunchCooperativeKernel": True, "cudaLaunchKernelEx": False,
           "cudaLaunchKernelExC": False}  # fmt: skip
"""True: it takes the kernel, the grid and the block; False: a struct of these two, and the kernel."""
READS = (Kind.VAR_DECL, Kind.INIT_LIST_EXPR, Kind.RETURN_STMT, Kind.BINARY_OPERATOR, Kind.CONDITIONAL_OPERATOR,
         Kind.ARRAY_SUBSCRIPT_EXPR, Kind.CXX_UNARY_EXPR, Kind.COMPOUND_STMT)  # fmt: skip
OUTSIDE = (Kind.TRANSLATION_UNIT, Kind.NAMESPACE, Kind.LINKAGE_SPEC)
HOLDERS, HOLDING = (Kind.VAR_DECL, Kind.PARM_DECL, Kind.FIELD_DECL), (Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR)


class Change(NamedTuple):
    offset: int
    path: tuple[str, ...]  # members
    value: object  # the expression; None: unknown
    sign: str  # of what is done with the value before; "": it is set
    block: range  # around the statement; empty: it may not be executed
    loops: list[range]
    is_lent: bool


def reads(use, around, children: list, calls: list[str]) -> bool:
    """True if what is around the use of a variable can't change it."""
    if use.kind == Kind.MEMBER_REF_EXPR and use.referenced and use.referenced.kind == Kind.CXX_METHOD:
        return use.referenced.is_const_method()
    if around.kind == Kind.VAR_DECL and around.type.kind in REFERENCES:
        return around.type.get_pointee().is_const_qualified()
    names = {item.spelling or (item.referenced and item.referenced.spelling) for item in (around, *children)}
    is_launch = around.kind == Kind.CALL_EXPR and bool(names & {CONFIGURE, "operator<<"})  # or it prints
    is_value = around.kind in READS or same(around)
    return is_launch or is_value or calls[-1:] in [[name] for name in BY_NAME]


def change_of(chain: tuple) -> Change | None:
    """What the use of a variable does with it; None: it reads. chain: the use, and the chain of what is around it."""
    use, chain = chain
    outer, path = [], ()
    while chain:
        around, chain = chain
        outer.append(around)
    while outer[0].kind in (Kind.PAREN_EXPR, Kind.MEMBER_REF_EXPR):
        use = outer.pop(0)
        path += (use.spelling,) * (use.kind == Kind.MEMBER_REF_EXPR)
    around, children = outer[0], list(outer[0].get_children())
    is_set = around.kind == Kind.BINARY_OPERATOR and binary(around) == "="
    is_set = (is_set or (around.kind == Kind.CALL_EXPR and around.spelling == "operator=")) and children[0] == use
    calls = [item.spelling for item in reversed(outer) if item.kind == Kind.CALL_EXPR]
    if not is_set and reads(use, around, children, calls):
        return None
    statement, *rest = [item for item in outer[1:] if item.kind not in THROUGH] or outer  # at file scope
    sign = "" if is_set else unary(around)[-2:] if is_step(around) else binary(around)[:-1]
    is_own = is_set or is_step(around) or around.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR
    is_sure = is_own and statement.kind == Kind.COMPOUND_STMT and rest[0].kind != Kind.SWITCH_STMT
    loops = [extent_of(item) for item in outer if item.kind in (*LOOPS, Kind.CXX_FOR_RANGE_STMT)]
    return Change(around.extent.end.offset, path, children[-1] if is_own else None, sign,
                  extent_of(statement) if is_sure else range(0), loops, not is_own)  # fmt: skip


class Host:
    """uses: of each variable, by its hash, chains of cursors to a use; calls: of each function."""

    def __init__(self, given: dict[str, int]):
        self.given, self.uses, self.calls, self.lambdas = given, {}, {}, []
        self.known, self.initials = {}, {}  # changes of each variable; what it begins with, by member
        self.sets = {}  # of each field, what constructors and braces begin it with
        self.text, self.bodies, self.seen = "", [], set()  # extents of functions; where the tree has names

    def number(self, cursor, path: tuple[str, ...] = ()) -> int | None:  # noqa: PLR0911
        """Of an expression, or of its member."""
        kind, children = cursor.kind, list(cursor.get_children())
        if kind == Kind.DECL_REF_EXPR:
            return self.variable(cursor, path)
        if kind == Kind.MEMBER_REF_EXPR:
            return self.number(children[0], (cursor.spelling, *path)) if children else None
        sign = unary(cursor) or binary(cursor)
        if (inner := children[0] if unary(cursor) == "&" else same(cursor)) is not None:
            return self.number(inner, path)
        if kind == Kind.CALL_EXPR and cursor.referenced and cursor.referenced.kind == Kind.CONSTRUCTOR:
            return self.constructed(cursor, path)
        if kind == Kind.CALL_EXPR and (function := definition(cursor)):
            return self.alike((function.hash, path), self.returns(function), path)
        if kind == Kind.INIT_LIST_EXPR and path:
            fields = [item.spelling for item in cursor.type.get_canonical().get_fields()]
            items = [(name, item, list(item.get_children())) for name, item in zip(fields, children, strict=False)]
            found = {of[0].spelling if of and of[0].kind == Kind.MEMBER_REF else name: of[-1] if of and
                     of[0].kind == Kind.MEMBER_REF else item for name, item, of in items}  # fmt: skip
            return self.number(found[path[0]], path[1:]) if path[0] in found else None
        if path and path != ("x",):
            return 1 if path in (("y",), ("z",)) else None  # of a number that becomes a dim3
        if kind == Kind.CONDITIONAL_OPERATOR and (asked := self.number(children[0])) is not None:
            return self.number(children[1 if asked else 2])
        operation = (PREFIXES if len(children) == 1 else ARITHMETIC).get(sign)
        operands = [self.number(item) for item in children] if operation else [None]
        if None in operands or (sign == "<<" and operands[1] > MOST_SHIFT):
            return None if operation else constant(cursor)
        with contextlib.suppress(ArithmeticError, ValueError):
            return int(operation(*operands))
        return None

    def constructed(self, cursor, path: tuple[str, ...]) -> int | None:
        arguments, record = list(cursor.get_arguments()), cursor.referenced.semantic_parent
        if len(arguments) == 1 and arguments[0].type.get_canonical().get_declaration() == record:
            return self.number(arguments[0], path)  # a copy
        if cursor.spelling != "dim3" or len(path) != 1:
            return None
        given = dict(zip("xyz", arguments, strict=False)).get(path[0])
        return 1 if given is None else self.number(given)

    def variable(self, use, path: tuple[str, ...]) -> int | None:
        variable, at = use.referenced, use.extent.start.offset
        if path and variable is not None and variable.type.get_canonical().kind in INTEGERS:
            return self.variable(use, ()) if path == ("x",) else 1
        if variable is None or variable.kind not in (Kind.VAR_DECL, Kind.PARM_DECL):
            return constant(use) if path in ((), ("x",)) else 1  # of an enum, or a template's parameter
        if variable.spelling in self.given and not path:
            return self.given[variable.spelling]
        changes, start = self.changes(variable), variable.location.offset
        is_constant = variable.type.is_const_qualified()
        is_outside = variable.semantic_parent.kind in OUTSIDE or variable.storage_class.name == "STATIC"
        is_outside = is_outside or any(at in item and start not in item for item in self.lambdas)
        of = self.type_at(variable.type, path)
        is_address = of.kind == TypeKind.POINTER  # which cudaMalloc may set
        is_lent = (changes and is_outside) or (not is_address and any(item.is_lent for item in changes))
        if not is_constant and (is_lent or self.is_used_unseen(variable)):
            return None
        firsts = self.begins(variable)  # what it is initialized with, or calls give; not known of one that calls itself
        value = self.alike((variable.hash, path), firsts, path) if firsts or not is_address else 0
        for change in () if is_constant else changes:
            if change.path[: len(path)] != path[: len(change.path)]:
                continue
            if change.offset > at:
                if any(at in loop and start < loop.start for loop in change.loops):
                    return None
            elif is_address and change.is_lent:
                continue
            elif change.value is None or at not in change.block or len(change.path) > len(path):
                value = None
            elif change.sign:
                by = 1 if change.sign in ("++", "--") else self.number(change.value)
                operation = None if None in (value, by) else ARITHMETIC.get(change.sign[0])
                value = operation and operation(value, by * pointee_size(of))
            else:
                value = self.number(change.value, path[len(change.path) :])
        return constant(use) if is_constant and value is None and not path else value

    def alike(self, key: tuple, values: list, path: tuple[str, ...]) -> int | None:
        """What all of these are."""
        if key not in self.initials:
            self.initials[key] = None
            found = {self.number(item, path) for item in values}
            self.initials[key] = found.pop() if len(found) == 1 else None
        return self.initials[key]

    @staticmethod
    def returns(function) -> list:
        results = [part.get_children() for part in function.walk_preorder() if part.kind == Kind.RETURN_STMT]
        return [*itertools.chain(*results)]

    @staticmethod
    def type_at(kind, path: tuple[str, ...]):
        for name in path:
            kind = next((item.type for item in kind.get_canonical().get_fields() if item.spelling == name), kind)
        return kind.get_canonical()

    def begins(self, variable) -> list:
        """Its initializer, or what each call gives; of a field what constructors and braces do."""
        if variable.kind == Kind.FIELD_DECL:
            return self.sets.get(variable.hash, [])
        if variable.kind == Kind.VAR_DECL:
            return list(filter(None, [initializer(variable)]))
        function = variable.semantic_parent.get_definition() or variable.semantic_parent
        parameters, found = [item.hash for item in function.get_arguments()], []
        for call in self.calls.get(function.canonical.hash, ()):
            given = list(call.get_arguments())[call.spelling == "operator()" :]
            found += [value for of, value in zip(parameters, given, strict=False) if of == variable.hash]
        return found

    def changes(self, variable) -> list[Change]:
        """As the text has them."""
        if variable.hash not in self.known:
            found = filter(None, map(change_of, self.uses.get(variable.hash, ())))
            self.known[variable.hash] = sorted(found, key=lambda item: item.offset)
        return self.known[variable.hash]

    def is_used_unseen(self, variable) -> bool:
        """The text has a use that the tree lacks, or jumps over what changes it."""
        jumps = r"|\bgoto\b" * bool(self.changes(variable))
        name = re.compile(rf"(?<![\w.])(?<!->)(?<!::){variable.spelling}\b(?!\s*::){jumps}")
        body = next((body for body in self.bodies if variable.location.offset in body), range(0))
        return any(hit.start() not in self.seen for hit in name.finditer(self.text, body.start, body.stop))
