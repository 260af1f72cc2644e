"""How far the host moves a pointer before a launch gets it.

One that nothing moves begins its array, whether it comes from cudaMalloc, a library or a caller that the text lacks.
One that something may move on a way that it comes by (an initializer, an assignment, an argument, a result, a field,
another name) is followed as a number of bytes is; where that can't be followed, it is not known."""

import re

from .cursors import CASTS, THROUGH, Kind, binary, definition, is_step, kind_of, same, unary
from .host import HOLDERS, HOLDING, Host
from .values import INTEGERS, REFERENCES, TypeKind, pointee_size

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


class Pointers(Host):
    def number(self, cursor, path: tuple[str, ...] = ()) -> int | None:
        """Of a pointer: bytes from the beginning of its array."""
        if path or kind_of(cursor) != TypeKind.POINTER or cursor.kind in HOLDING or same(cursor) or definition(cursor):
            return super().number(cursor, path)
        children, sign = list(cursor.get_children()), binary(cursor)
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
            waiting += self.begins(target)
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
