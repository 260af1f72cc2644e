"""What the host's code computes, as far as it says: numbers, and dim3s by their members, at a place in clang's tree;
and how far it moves a pointer before a launch gets it.

A variable has the value that statements give to it one after another, in blocks that the place is in. One that a
branch or a loop changes, that anything may change by a reference or an address, or that the tree lacks a use of, since
clang left out a statement with an error, is unknown. A parameter is what all calls give alike.

A pointer that nothing moves begins its array, whether it comes from cudaMalloc, a library or a caller that the text
lacks. One that something may move on a way that it comes by (an initializer, an assignment, an argument, a result, a
field, another name) is followed as a number of bytes is; where that can't be followed, it is not known."""

import contextlib
import itertools
import re
from typing import NamedTuple

from . import cursors
from .cursors import CASTS, LOOPS, THROUGH, Kind, binary, constant, definition, extent_of, is_step, kind_of, same, unary
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
AROUND = (Kind.ARRAY_SUBSCRIPT_EXPR, Kind.MEMBER_REF_EXPR, Kind.UNARY_OPERATOR, *THROUGH, *CASTS)
"""What may be between a variable and the assignment that sets it, or a part of it."""
CARRIES = re.compile("cast|data|get|ptr|address|begin|forward|move")
"""Functions of libraries that give what they get, of whatever type that is."""
MOVING, SWAPPING = re.compile(r"next|prev|advance|operator[-+]=?$"), re.compile("swap|exchange|tie")


def is_pointer(cursor) -> bool:
    """Or may be one, of a type that nobody declares."""
    return kind_of(cursor) in (TypeKind.POINTER, TypeKind.DEPENDENT)


def is_element(cursor) -> bool:
    return cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR or cursor.spelling == "operator[]"


def parts(cursor):
    """Of an expression, those that an address may come from."""
    if kind_of(cursor) in INTEGERS:
        return
    yield cursor
    children, arguments = list(cursor.get_children()), list(cursor.get_arguments())
    is_new = cursor.referenced is not None and cursor.referenced.kind == Kind.CONSTRUCTOR
    carries = is_new or definition(cursor) or CARRIES.search(cursor.spelling) or MOVING.match(cursor.spelling)
    for child in children:
        if carries or child not in arguments or is_pointer(child):
            yield from parts(child)


def stands_for(declaration) -> bool:
    """Whether it is another name of a pointer, or of a struct that has one."""
    kind = declaration.type.get_canonical()
    inner = kind.get_pointee().get_canonical().kind
    return kind.kind in REFERENCES or (kind.kind == TypeKind.POINTER and inner in (TypeKind.POINTER, TypeKind.RECORD))


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
    is_value = around.kind in READS or same(around) is not None
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
        self.only = {}  # of functions around a launch, by their hash, the one call that is followed
        self.taken = {}  # pointers that other files may move, by the function that gets them

    def number(self, cursor, path: tuple[str, ...] = ()) -> int | None:  # noqa: PLR0911
        """Of an expression, or of its member; of a pointer bytes from the beginning of its array."""
        kind, children = cursor.kind, list(cursor.get_children())
        if kind == Kind.DECL_REF_EXPR:
            return self.variable(cursor, path)
        if kind == Kind.MEMBER_REF_EXPR:
            return self.number(children[0], (cursor.spelling, *path)) if children else None
        if inner := same(cursor):
            return self.number(inner, path)
        if kind == Kind.CALL_EXPR and cursor.referenced and cursor.referenced.kind == Kind.CONSTRUCTOR:
            return self.constructed(cursor, path)
        if kind == Kind.CALL_EXPR and (function := definition(cursor)):
            return self.alike((function.hash, path), self.returns(function), path)
        if kind_of(cursor) == TypeKind.POINTER and not path:
            return self.bytes_to(cursor, children)
        sign = unary(cursor) or binary(cursor)
        if sign == "&" and len(children) == 1:
            return self.number(children[0], path)
        if kind == Kind.INIT_LIST_EXPR and path:
            found = {tuple(of.spelling for of in way): value for way, value in cursors.members_set(cursor)}
            way = next((path[:i] for i in range(1, len(path) + 1) if path[:i] in found), None)
            return self.number(found[way], path[len(way) :]) if way else None
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
        if path and variable is not None and kind_of(variable) in INTEGERS:
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
            return list(filter(None, [cursors.initializer(variable)]))
        function = variable.semantic_parent.get_definition() or variable.semantic_parent
        parameters, found = [item.hash for item in function.get_arguments()], []
        of = function.canonical.hash
        for call in [self.only[of]] if of in self.only else self.calls.get(of, ()):
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

    def bytes_to(self, cursor, children: list) -> int | None:
        sign = binary(cursor)
        if unary(cursor) == "&" and is_element(children[0]):
            sign, children = "+", list(children[0].get_children())
        if sign not in ("+", "-") or not (operands := [self.number(item) for item in children]):
            return None if self.is_moved(cursor)[0] else 0
        sizes = [1 if is_pointer(item) else pointee_size(cursor.type) for item in children]
        first, second = (None if of is None else of * size for of, size in zip(operands, sizes, strict=True))
        return None if None in (first, second) else first + second if sign == "+" else first - second

    def address(self, argument, path: tuple[str, ...] = ()) -> int | None:
        is_moved, is_plain = self.is_moved(argument)
        return (self.number(argument, path) if is_plain else None) if is_moved else 0

    def is_moved(self, argument) -> tuple[bool, bool]:
        """Whether something may move it on a way that it comes by; whether it has no other name on these."""
        waiting, seen, is_moved, is_plain = [argument], set(), False, True
        for part in (part for expression in waiting for part in parts(expression)):
            is_moved = is_moved or self.moves(part)
            target = part if part.kind in HOLDERS else part.referenced if part.kind in HOLDING else None
            function = definition(part) if part.kind == Kind.CALL_EXPR else None
            if function and function.hash not in seen:
                seen.add(function.hash)
                waiting += self.returns(function)
            if target is None or target.kind not in HOLDERS or target.hash in seen:
                continue
            seen.add(target.hash)
            waiting += (begun := self.begins(target))
            function = target.semantic_parent
            if target.kind == Kind.PARM_DECL and not begun and function.linkage.name == "EXTERNAL":
                self.taken.setdefault(function.spelling, {})[target.spelling] = None
            is_unseen = self.is_moved_unseen(target)
            is_moved, is_plain = is_moved or is_unseen, is_plain and not is_unseen
            for top, around in map(self.around, self.uses.get(target.hash, ())):
                children, arguments = list(around.get_children()), list(around.get_arguments())
                if around.kind == Kind.VAR_DECL and stands_for(around) and around.hash != target.hash:
                    others = [around]
                elif binary(around) == "=" or around.spelling == "operator=":
                    operands = arguments or children
                    waiting += operands[1:] if operands[0] == top else []
                    continue
                elif (is_step(around) or around.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR) and children[0] == top:
                    is_moved = is_moved or is_pointer(top)
                    continue
                else:
                    function = definition(around) if around.kind == Kind.CALL_EXPR else None
                    pairs = zip(arguments, function.get_arguments() if function else (), strict=False)
                    others = [of for item, of in pairs if item == top and stands_for(of)]
                    is_swapped = top in arguments and SWAPPING.search(around.spelling)
                    others += arguments if is_swapped else []
                waiting += others
                is_plain = is_plain and not others
        return is_moved, is_plain

    @staticmethod
    def around(chain: tuple) -> tuple:
        """Of a use, what it is a part or the address of, and what is around that."""
        top, (around, chain) = chain[0], chain[1]
        while chain and around.kind in AROUND and not is_step(around) and next(around.get_children()) == top:
            top, (around, chain) = around, chain
        return top, around

    def moves(self, part) -> bool:
        children = list(part.get_children())
        if unary(part) == "&" and is_element(children[0]):
            return self.number(list(children[0].get_children())[-1]) != 0
        if binary(part) in ("+", "-") and is_pointer(part):
            return any(self.number(item) != 0 for item in children if kind_of(item) in INTEGERS)
        is_own = is_step(part) or part.kind == Kind.COMPOUND_ASSIGNMENT_OPERATOR
        is_call = part.kind in (Kind.CALL_EXPR, Kind.OVERLOADED_DECL_REF)
        return (is_own and is_pointer(part)) or (is_call and bool(MOVING.match(part.spelling)))

    def is_moved_unseen(self, variable) -> bool:
        """By a statement that the tree lacks."""
        name = variable.spelling
        body = next((body for body in self.bodies if variable.location.offset in body), range(0))
        steps = rf"(?:\+\+|--)\s*{name}\b|(?<![\w.>]){name}\s*(?:\+\+|--|[-+]=)"
        sets = rf"(?<=[\s*&]){name}\s*=(?!=)(?:[^;()]|\([^;()]*\))*?(?:[-+](?!>)|\[)"
        for hit in re.compile(f"{steps}|{sets}").finditer(self.text, body.start, body.stop):
            first, *others = [hit.start() + word.start() for word in re.finditer(r"[A-Za-z_]\w*", hit[0])]
            if self.seen.isdisjoint(others or [first]):
                return True
        return False
