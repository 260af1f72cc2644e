"""Runs the text lane by lane: cursors become closures once, and each lane calls them with its own variables.

What lanes execute at the same place in the same round of the same loops is one access of the warp. What is read from
memory, and what nobody declared, is unknown, and an access whose address needs it is left out and named with its
column; an unknown condition is taken to hold for the warp."""

import contextlib

from clang.cindex import CursorKind as Kind

from . import front_end
from .expressions import REFERENCES, Expressions
from .front_end import Parsed
from .memory import LANES, MOST_ACCESSES
from .settled import Settled
from .values import Pointer, Unknown, holds, wrap

MOST_ROUNDS, MOST_CALLS = 1_000_000, 8  # rounds: of all loops and lanes
FEW_BLOCKS = 4  # that are judged along a dimension, and the last


class BreakError(Exception):
    pass


class ContinueError(Exception):
    pass


class ReturnError(Exception):
    pass


LEAVING = {Kind.RETURN_STMT: ReturnError, Kind.BREAK_STMT: BreakError, Kind.CONTINUE_STMT: ContinueError}


def leave(how, *values):
    raise how(*values)


def is_leaving(statement) -> bool:
    while statement.kind == Kind.COMPOUND_STMT and len(children := list(statement.get_children())) == 1:
        statement = children[0]
    return statement.kind in LEAVING


def body_of(function):
    return next(item for item in function.get_children() if item.kind == Kind.COMPOUND_STMT)


def parts_of_loop(cursor, children):
    """What begins it, the condition, what follows a round, the body; None: it has none."""
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
    parts = [None, None, None]
    for child in children[:-1]:
        parts[sum(child.extent.start.offset > end for end in ends)] = child
    return *parts, children[-1]


class Warp(Expressions, Settled):
    def __init__(self, parsed: Parsed, block: list[int], space: str, given: set[str]):
        super().__init__(parsed, space)
        self.given, self.void = given, set()  # void: texts whose given value nothing asks for
        for text, item in parsed.values.items():
            self.values[text] = self.told(text, self.value(front_end.initializer(item)))
        self.rounds, self.guessed = 0, {}  # guessed: why a condition that accesses depend on is not known
        self.judged = {}  # blocks beside the first, by dimension
        self.block, self.statements = block, set()
        self.program = [*(self.declared(item) for item in parsed.outside), self.statement(body_of(parsed.body))]

    def told(self, text: str, value):
        """A value that the caller gives, which may not be used."""
        self.void.add(text)
        return lambda: (self.void.discard(text), value())[1]

    def warps(self, settings: list[dict[str, int]], every: bool) -> dict[str, dict]:
        """The accesses of the first warp of block 0 by their place; or of every warp of it, and of others along each
        dimension that the text uses."""
        x, y, z = self.block
        found, others = {}, {}
        for axis in "xyz" if every else "":
            axis_name, count = f"blockIdx.{axis}", settings[0].get(f"gridDim.{axis}", FEW_BLOCKS)
            others[axis_name] = sorted({*range(1, min(FEW_BLOCKS, count)), count - 1} - {0})
        for block, number in ((None, 0), *((axis, number) for axis, numbers in others.items() for number in numbers)):
            if block and (block in settings[0] or not self.used & {block, "blockIdx"}):
                continue
            for warp in range((x * y * z + LANES - 1) // LANES if every else 1):
                self.accesses, self.rounds, self.count = {}, 0, 0
                self.of_block = f" of {block}={number}" if block else ""
                for given in settings:
                    self.run(given, LANES * warp, {block: number} if block else {})
                found[f"warp {warp}{self.of_block}"] = self.accesses
            if block:
                self.judged.setdefault(block, []).append(number)
        return {name: {place: access for place, access in accesses.items() if place[0] not in self.lost}
                for name, accesses in found.items()}  # fmt: skip

    def run(self, given: dict[str, int], first: int, block: dict[str, int]) -> None:
        """Adds the steps of this setting. first: the warp's first thread."""
        x, y, z = self.block
        sizes = {"blockDim.x": x, "blockDim.y": y, "blockDim.z": z, "blockIdx.x": 0, "blockIdx.y": 0, "blockIdx.z": 0}
        for thread in range(first, min(first + LANES, x * y * z)):
            places = {"threadIdx.x": thread % x, "threadIdx.y": thread // x % y, "threadIdx.z": thread // x // y}
            self.lane = thread - first
            self.known = {"lane": self.lane, "tid": thread} | places | sizes | block | given
            self.registers, self.round = {}, tuple(given.values())
            with contextlib.suppress(ReturnError):
                for item in self.program:
                    item()

    def statement(self, cursor):  # noqa: PLR0911
        kind, children = cursor.kind, list(cursor.get_children())
        if kind in (Kind.COMPOUND_STMT, Kind.UNEXPOSED_STMT, Kind.DECL_STMT, Kind.LABEL_STMT):
            return self.sequence([self.statement(child) for child in children])
        method = {
            Kind.IF_STMT: self.branch, Kind.SWITCH_STMT: self.switch, Kind.FOR_STMT: self.loop,
            Kind.WHILE_STMT: self.loop, Kind.DO_STMT: self.loop,
        }.get(kind)  # fmt: skip
        if method:
            return method(cursor, children)
        if kind == Kind.VAR_DECL:
            return self.declared(cursor)
        if kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            return self.statement(children[-1])
        if kind == Kind.ASM_STMT:
            text = self.parsed.text(cursor)
            text += self.parsed.definition(text.partition("(")[0])
            return self.of_warp(cursor, text, [self.value(item) for item in children]) or self.sequence([])
        if kind in LEAVING:
            inner = [self.value(item) for item in children]
            return lambda: leave(LEAVING[kind], *[item() for item in inner])
        if kind == Kind.GOTO_STMT:
            self.refuse(cursor, "goto is not followed")
        self.statements.add(cursor.hash)
        return self.value(cursor) if kind.is_expression() else self.sequence([])

    @staticmethod
    def sequence(inner):
        return lambda: [item() for item in inner]

    def declared(self, declaration):
        first, array = front_end.initializer(declaration), self.array_of(declaration)
        is_default = first is not None and first.kind == Kind.CALL_EXPR and not list(first.get_children())
        if first is None or is_default or (array.space and array.sizes):
            return self.sequence([])
        return self.bound(declaration, self.value(first), first)

    def bound(self, declaration, inner, argument):
        """Sets a variable; a reference stands for the place of what it is bound to."""
        kind, start = declaration.type.get_canonical().kind, Pointer(self.array_of(declaration), 0)
        inner = self.place(argument) if kind in REFERENCES else inner

        def run():
            self.latest[declaration.spelling] = start
            self.store(declaration, start, wrap(inner(), kind), declaration.type)

        return run

    def branch(self, cursor, children):
        if children[0].kind.is_statement():  # if (int i = ...; i < n)
            begin, rest = self.statement(children[0]), self.branch(cursor, children[1:])
            return self.sequence([begin, rest])
        if (always := front_end.constant(children[0])) is not None:  # the other branch is no part of the program
            return self.sequence([self.statement(item) for item in (children[1:2] if always else children[2:])])
        condition, (yes, of_yes) = self.value(children[0]), self.with_elements(self.statement, children[1])
        no, of_no = self.with_elements(self.statement, children[2]) if len(children) > 2 else (self.sequence([]), set())
        settles = self.is_settled(children[0])
        guess = not is_leaving(children[1])  # a bound that is not known holds for the warp
        text = self.parsed.text(children[0])

        def run():
            asked = condition()
            if isinstance(asked, Unknown) and (not guess or self.within or self.has_wanted(cursor)):
                self.guessed[f"'{text}' is taken {'' if guess else 'not '}to hold for every lane"] = asked.why
            elif settles:
                self.reached |= of_no if asked else of_yes
            return yes() if holds(asked, guess) else no()

        return run

    def switch(self, cursor, children):
        condition, parts, places, where = self.value(children[0]), [], {}, self.parsed.where(cursor)
        for part in children[1].get_children():
            inner = part
            while inner.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
                first, *_, last = (
                    inner.get_children() if inner.kind == Kind.CASE_STMT else (None, *inner.get_children())
                )
                places[first and front_end.constant(first)] = len(parts)
                inner = last
            parts.append(self.statement(part))

        def run():
            asked = condition()
            if isinstance(asked, Unknown):
                return self.lose(children[0], f"since the value at {where} is not known", asked, "the cases of '{}'")
            with contextlib.suppress(BreakError):
                for item in parts[places.get(asked, places.get(None, len(parts))) :]:
                    item()
            return None

        return run

    def loop(self, cursor, children):
        begin, condition, after, body = parts_of_loop(cursor, children)
        begin, after = (self.sequence([]) if item is None else self.statement(item) for item in (begin, after))
        test = self.value(condition) if condition is not None else lambda: 1
        run_body, of_body = self.with_elements(self.statement, body)
        is_do, has_wanted = cursor.kind == Kind.DO_STMT, self.has_wanted(cursor)
        settles = condition is not None and self.is_settled(condition)
        where = condition is not None and self.parsed.where(condition)

        def run():
            begin()
            before, rounds = self.round, 0
            with contextlib.suppress(BreakError):
                while True:
                    asked = 1 if is_do and not rounds else test()
                    if isinstance(asked, Unknown) and has_wanted:
                        problem = f"from the {'next' if rounds else 'second'} on, since the end at {where} is not known"
                        self.lose(condition, problem, asked, "rounds of '{}'")
                    if not asked or (isinstance(asked, Unknown) and rounds):
                        break
                    self.round, rounds, self.rounds = (*before, rounds), rounds + 1, self.rounds + 1
                    if rounds > MOST_ACCESSES or self.rounds > MOST_ROUNDS:
                        self.refuse(cursor, "a loop without an end, or loops of too many rounds: give smaller values,")
                    with contextlib.suppress(ContinueError):
                        run_body()
                    after()
            if settles and not rounds:
                self.reached |= of_body
            self.round = before

        return run

    def has_wanted(self, cursor) -> bool:
        """Whether it may have an access that is asked for; the end of another loop may stay unknown."""
        lines = self.parsed.line(cursor.extent.start), self.parsed.line(cursor.extent.end)
        return not self.parsed.wanted or lines[0] <= self.parsed.wanted <= lines[1] or self.is_in_wanted()

    def inlined(self, cursor, function, inner):
        if len(self.calls) > MOST_CALLS:
            self.refuse(cursor, f"{function.spelling} calls itself")
        wanted = self.is_wanted(cursor)
        self.calls.append((wanted, cursor.hash))
        parameters = [item for item in function.get_children() if item.kind == Kind.PARM_DECL]
        given = zip(parameters, inner, cursor.get_arguments(), strict=False)
        program = self.sequence([*(self.bound(*item) for item in given), self.statement(body_of(function))])
        self.calls.pop()
        nothing, at = self.unknown(cursor, f"{function.spelling} returns nothing"), cursor.location.offset

        def run():
            before, self.round = (self.round, self.within), (*self.round, at)
            self.within = self.within or wanted
            try:
                program()
            except ReturnError as result:
                return result.args[0] if result.args else nothing
            finally:
                self.round, self.within = before
            return nothing

        return run
