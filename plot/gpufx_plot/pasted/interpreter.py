"""Runs the text lane by lane: cursors become closures once, and each lane calls them with its own variables.

What lanes execute at the same place in the same round of the same loops is one access of the warp. What is read from
memory, and what nobody declared, is unknown, and an access whose address needs it is left out and named with its
column; an unknown condition is taken to hold for the warp."""

import contextlib
import itertools
import math
import re

from clang.cindex import CursorKind as Kind
from clang.cindex import TypeKind

from .. import UserError
from . import cursors
from .blocks import LEAST_ROUNDS, MOST_EFFORT, MOST_WORK, TOO_LONG, Blocks, SpentError, TooLongError, is_like
from .cursors import LOOPS
from .expressions import Expressions, is_reference
from .fields import WIDEST, joined, narrowed
from .front_end import Parsed
from .joining import Joining, names_set, widened
from .memory import LANES, begin_at_0, by_element, fields_of, holds_address, parts_of
from .rounds import COMPARED
from .settled import Settled, decides_addresses, targets, variable_of
from .values import ARITHMETIC, ARRAYS, REFERENCES, Loaded, Pointer, Unknown, moved, wrap

MOST_CALLS, MOST_ENDLESS, ROUNDS = 8, 100, "rounds of the loop"  # endless: for (;;)
MOST_PLAIN = 512  # of those, before rounds like earlier ones are passed over
MOST_ROUNDS = 2048  # of a loop, where all of them are too many
IDLE_ROUNDS = 2  # then, where nothing is in it
SLOW = re.compile(r"\b(?:sin|cos|tan|sincos|pow|[lt]gamma|erfc?|remquo|fmod)f?\s*\(")
MOST_OF_WORK = 64  # parts of a text that take as long as a round or an access
MOST_SURVEY = 8 * MOST_WORK  # rounds and accesses of the one thread
MOST_OTHERWISE = 16  # runs with other answers to conditions that are not known
LEAST_BETWEEN = 3  # threads apart, of which those between may need no run
MOST_OF_UNROLLED = 72  # accesses, and rounds of inner loops, of a round that nvcc (13.0) unrolls: 66 it does, 104 not


class BreakError(Exception):
    pass


class ContinueError(Exception):
    pass


class ReturnError(Exception):
    pass


FORMS = {Kind.IF_STMT: "branch", Kind.SWITCH_STMT: "switch", Kind.ASM_STMT: "of_asm", **dict.fromkeys(LOOPS, "loop")}
LEAVING = {Kind.RETURN_STMT: ReturnError, Kind.BREAK_STMT: BreakError, Kind.CONTINUE_STMT: ContinueError}


def leave(how, *values):
    raise how(*values)


def is_leaving(statement) -> bool:
    while statement.kind == Kind.COMPOUND_STMT and len(children := list(statement.get_children())) == 1:
        statement = children[0]
    return statement.kind in LEAVING


def is_in(place: tuple, lost: dict) -> bool:
    """Whether this access, or all that its cursor does, is lost."""
    return place[:3] in lost or (*place[:2], "") in lost


def arms_of(cursor) -> tuple[set, set]:
    """Numbers and addresses that it sets, and variables that it sets or uses; None: those of an expression."""
    parts = [part for arm in list(cursor.get_children())[1:] for part in arm.walk_preorder()]
    sets = {item.hash for part in parts for item in targets(part) if decides_addresses(item)}
    is_value = cursor.kind == Kind.CONDITIONAL_OPERATOR and decides_addresses(cursor)
    return sets | ({None} if is_value else set()), sets | {item.hash for item in filter(None, map(variable_of, parts))}


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
    if len(children) == 4:  # also those that a macro writes
        return tuple(children)
    parts = [None, None, None]
    for child in children[:-1]:
        parts[sum(child.extent.start.offset > end for end in ends)] = child
    return *parts, children[-1]


class Warp(Expressions, Settled, Blocks, Joining):
    def __init__(self, parsed: Parsed, block: list[int], space: str, given: set[str]):
        super().__init__(parsed, space)
        self.given, self.void = given, set()  # names that the caller gives a value; texts whose value nothing asks for
        for text, item in parsed.values.items():
            self.values[text] = self.told(text, self.value(cursors.initializer(item)))
        self.guessed = {}  # why a condition that accesses depend on is not known
        self.arms = {}  # of such a condition, as of arms_of
        self.undecided, self.otherwise = {}, ()  # such a condition is taken to hold; those that are taken otherwise
        self.sides, self.parted = {}, {}  # what lanes take at each condition; where they part, of its rounds
        self.cancelled = set()  # what has no value, and is multiplied by 0
        self.mixed, self.counted = set(), set()  # that data decide: they may differ between lanes or rounds; rounds
        self.not_judged = {}  # accesses, where such a condition is otherwise, with their memory; 0: any
        self.most_rounds, self.cut = None, {}  # of a loop, when all are too many; loops that had more
        self.passed = {}  # loops of which rounds like earlier ones were passed over
        self.chosen = {}  # by condition that given values decide: what it was
        self.settled, self.signs = {}, {}  # of Settled
        self.skips = self.surveys = False  # loops are passed by, of which no access follows; but now
        self.ends = set()  # conditions of loops, as notes have them
        self.judged, self.effort = {}, 0  # blocks beside the first, by dimension; work of all runs
        self.ran = {}  # accesses and notes, by warp and block
        self.stays = None  # why a loop is not known to be left
        self.limit = math.inf  # ways that the gate allows
        self.block, self.statements, self.last_warp = block, set(), (math.prod(block) - 1) // LANES  # a warp
        self.chained, self.merged = set(), {}  # `if`s in an else; accesses of both sides
        self.this, self.returned = None, self.value  # a method's object; what a return statement evaluates
        self.size = 1 + len([*parsed.body.walk_preorder()]) // MOST_OF_WORK
        self.program = [*(self.declared(item) for item in parsed.outside), self.statement(body_of(parsed.body))]
        for text, at, error in parsed.dropped(parsed.body):
            if not parsed.wanted or self.first <= at[1] <= self.last:
                self.lost[(), text, ""] = (text, at, f"not judged, since clang leaves it out: {error}", "")
                self.paths[text] = {(): 0}

    def told(self, text: str, value):
        """A value that the caller gives, which may not be used."""
        self.void.add(text)
        return lambda: (self.void.discard(text), value())[1]

    def warps(self, settings: list[dict[str, int]], every: bool) -> dict[str, dict]:
        """The accesses of the first warp of block 0 by their place; or of every warp of it, and of others along each
        dimension that the text uses. The first warp and the last one show which rounds the others need."""
        found, used = {}, {}
        if self.skips:
            self.survey(settings)
        self.is_whole = self.judge_all(settings, found, every) or len(found) > self.last_warp  # of block 0
        self.own_lines = self.find_own_lines(settings, found)
        for place, access in (item for accesses in found.values() for item in accesses.items()):
            (all_used := used.setdefault(place, access.used)).update(access.used)
            access.used = all_used
        found = {name: joined(narrowed(accesses)) for name, accesses in found.items()}
        everything = [item for accesses in found.values() for item in accesses.items()]
        for place, access in everything:
            access.text, access.at = self.named(*place[:2], access.text, access.at)
        begin_at_0([access for _, access in everything])
        self.lose_large()
        self.wide, unsure = self.merges(settings, found)
        found = {name: widened(accesses, self.wide) for name, accesses in found.items()}
        everything = [item for accesses in found.values() for item in accesses.items()]
        for _, access in everything:
            access.no_cure = "a bulk copy fills the array as it lies" if access.array in self.bulk else access.no_cure
            access.to_member()
        self.parts = parts_of([access for _, access in everything], self.pointees)
        by_element([access for _, access in everything])
        self.lost = {key: (*self.named(*key[:2], *was[:2]), *was[2:]) for key, was in self.lost.items()}
        self.say_unsure(unsure, everything, every)
        for place, access in everything:
            if problem := access.misaligned():
                self.lost[place[:3]] = (access.text, access.at, problem, access.array.space)
            if place[:3] in self.lost:
                self.also_loses(place[:3], access.array.space)
        return {name: {place: access for place, access in found[name].items()
                       if not is_in(place, self.lost)} for name in found}  # fmt: skip

    def survey(self, settings: list[dict[str, int]]) -> None:
        """Lets thread 0 run what no access follows from, too, for lose_large."""
        self.surveys, self.leaps, self.most_work = True, True, MOST_SURVEY
        self.run_to_end(settings[:1], 0)
        self.surveys, self.leaps, self.most_rounds = False, False, None
        self.cut, self.passed, self.undecided = {}, {}, {}

    def judge_otherwise(self, settings: list[dict[str, int]], found: dict, warps: list[int]) -> None:
        """Adds what these warps do where a condition that is not known is otherwise, and what is then asked, too."""
        places, lost = {place[:3] for accesses in found.values() for place in accesses}, self.lost
        self.most_rounds = None
        waiting = [(text,) for text in self.undecided]
        waiting += [of for count in (2, 3) for of in itertools.combinations(self.undecided, count)
                    if all(self.meet_in(*pair) for pair in itertools.combinations(of, 2))]  # fmt: skip
        self.most_work = MOST_WORK
        first = {}
        for warp in warps if self.counted else ():
            self.run_to_end(settings, LANES * warp)
            first[warp] = self.outcomes()
        for self.otherwise in waiting:
            words = (f"'{text}' is {'false' if self.undecided[text] else 'true'}" for text in self.otherwise)
            self.of_block, known = f" where {' and '.join(words)}", [*self.undecided]
            if len(waiting) > MOST_OTHERWISE and self.otherwise == waiting[MOST_OTHERWISE]:
                self.not_judged[f"not judged, since too many conditions are not known: what is done{self.of_block}"] = 0
                break
            for warp in warps:
                self.lost = {}
                try:
                    self.run_to_end(settings, LANES * warp)
                except UserError as problem:
                    self.not_judged[f"{problem}{self.of_block}"] = 0
                    continue
                new = {key: was for key, was in self.lost.items() if key not in lost}
                lost |= {key: was for key, was in new.items() if key not in places}
                self.not_judged |= {f"{new[key][0]}{self.of_block}: {new[key][2]}": new[key][3]
                                    for key in new if key in places}  # fmt: skip
                if self.otherwise[-1] in self.counted and first:
                    now, was = self.outcomes(), first[warp]
                    if any(now[at] - was[at] and was[at] - now[at] for at in now.keys() & was):
                        self.not_judged[f"not judged: what depends on how often '{self.otherwise[-1]}' is true"] = 0
                done = {place: access for place, access in self.accesses.items() if not is_in(place, new)}
                for place in [at for at in done if self.otherwise[-1] in self.mixed and at in found[f"warp {warp}"]]:
                    steps, access = found[f"warp {warp}"][place].steps, done[place]
                    if any(steps.get(key, step)[lane] != at for key, step in access.steps.items()
                           for lane, at in step.items() if lane in steps.get(key, step)):  # fmt: skip
                        why = f"where '{self.otherwise[-1]}', which data decide, is not the same for all: not judged"
                        self.not_judged[f"{access.text} {why}"] = access.array.space
                found[f"warp {warp}{self.of_block}"] = done
            waiting += [(*self.otherwise, text) for text in self.undecided if text not in known]
        self.lost = lost

    def meet_in(self, one: str, other: str) -> bool:
        """Whether what an access follows from may depend on both of these conditions at once."""
        (sets, uses), (also_sets, also_uses) = self.arms[one], self.arms[other]
        return bool(sets & also_uses or also_sets & uses or (None in sets | also_sets and sets and also_sets))

    def outcomes(self) -> dict:
        """What each place in the text compares and computes, in any lane and round of the latest warp."""
        found = {}
        for site, sign, *operands in itertools.chain(*self.noted_by.values()):
            if (sign in COMPARED or sign in ARITHMETIC) and all(type(item) is int for item in operands):
                found.setdefault(site, set()).add((*operands,))
        return found

    def run_to_end(self, settings: list[dict[str, int]], first: int, block: dict[str, int] | None = None) -> None:
        self.plans = {}
        while not self.run_warp(settings, first, block or {}):
            if self.leaps:
                self.most_rounds = self.most_rounds // 2 if self.most_rounds else MOST_ROUNDS
            self.leaps = True
        self.merge_sides()

    def run_warp(self, settings: list[dict[str, int]], first: int, block: dict[str, int]) -> bool:
        """False: it takes too long."""
        self.replan = False
        self.begin_warp()
        with contextlib.suppress(TooLongError):
            for given in settings:
                last = min(first + (1 if self.surveys else LANES), math.prod(self.block)) - 1
                self.run_lanes(given, first, last, block, {})
            for step in (step for access in self.accesses.values() for step in access.steps.values()):
                lanes = sorted(step.items())
                step.clear()
                step.update(lanes)
            return self.run_warp(settings, first, block) if self.replan else True
        return False

    def run_lanes(self, given: dict[str, int], first: int, last: int, block: dict[str, int], ran: dict) -> None:
        """Runs these threads; but where the first two and the last do the same, and all that they compute moves by the
        same from each to the next, so it does in those between, which need not run. ran: notes of those that have."""
        if self.replan:
            return
        is_short = last - first < LEAST_BETWEEN or bool(self.counted)
        for thread in range(first, last + 1) if is_short else (first, first + 1, last):
            if thread not in ran:
                self.run_thread(given, thread, block)
                ran[thread] = self.noted
        if is_short:
            return
        if is_like(*({0: ran[thread]} for thread in (first, first + 1, last)), last - first) and not self.bases:
            self.fill(first, last)
        else:
            middle = (first + last) // 2
            self.run_lanes(given, first, middle, block, ran)
            self.run_lanes(given, middle + 1, last, block, ran)

    def fill(self, first: int, last: int) -> None:
        """Lets the threads between these do what they do."""
        begin, near, end = first % LANES, first % LANES + 1, last % LANES
        for place, access in self.accesses.items():
            for step in access.steps.values():
                if begin in step and near in step and near + 1 not in step:
                    by = step[near] - step[begin]
                    step.update({lane: step[begin] + (lane - begin) * by for lane in range(near + 1, end)})
                    for lane in range(near + 1, end):
                        self.meets(place, Pointer(access.array, step[lane]), first - begin + lane)
        for takes in self.sides.values():
            if begin in takes:
                takes.update(dict.fromkeys(range(near + 1, end), takes[begin]))

    def works(self, cursor, size=1) -> None:
        """Counts a round or an access of a lane."""
        self.work += 1
        self.effort += size
        if self.effort > MOST_EFFORT:
            raise SpentError
        most = self.most_work if self.leaps else min(MOST_PLAIN, self.most_work)
        if self.work > max(most, MOST_WORK * (self.most_rounds == LEAST_ROUNDS)) * self.runs:
            if self.most_rounds != LEAST_ROUNDS:
                raise TooLongError
            self.refuse(cursor, f"{TOO_LONG}: give smaller values,")

    def begin_warp(self, notes: list | None = None) -> None:
        self.accesses, self.array_at, self.of_lane_0, self.work, self.runs, self.weights = {}, {}, {}, 0, 0, {}
        self.kept, self.noted_by, self.sides = notes, {}, {}

    def run_thread(self, given: dict[str, int], thread: int, block: dict[str, int]) -> None:
        """Adds the steps of this setting."""
        x, y, z = self.block
        sizes = {"blockDim.x": x, "blockDim.y": y, "blockDim.z": z, "blockIdx.x": 0, "blockIdx.y": 0, "blockIdx.z": 0}
        self.noted = [] if self.kept is None else self.kept
        self.noted_by[thread % LANES, tuple(given.values())] = self.noted
        self.lane, self.invented, self.turn, self.does, self.log = thread % LANES, False, 0, {}, []
        self.doubts = 0
        places = {"threadIdx.x": thread % x, "threadIdx.y": thread // x % y, "threadIdx.z": thread // x // y}
        for name, at in places.items():
            self.note(name, "@", at)
        self.known = {"lane": self.lane, "tid": thread} | places | sizes | block | given
        self.registers, self.round, self.inside, self.path, self.side = {}, tuple(given.values()), (), (), None
        self.runs += 1
        self.effort += self.size
        with contextlib.suppress(ReturnError):
            for item in self.program:
                item()
        self.use_unread()

    def statement(self, cursor):  # noqa: PLR0911
        kind, children = cursor.kind, list(cursor.get_children())
        if kind in (Kind.COMPOUND_STMT, Kind.UNEXPOSED_STMT, Kind.DECL_STMT, Kind.LABEL_STMT):
            return self.sequence([self.statement(child) for child in children])
        if kind in FORMS:
            return getattr(self, FORMS[kind])(cursor, children)
        if kind == Kind.VAR_DECL:
            return self.declared(cursor)
        if kind == Kind.UNEXPOSED_DECL:  # auto [x, y] = p[i]
            return self.unpacked(cursor) or self.anything(cursor, children)
        if kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
            return self.statement(children[-1])
        if kind in LEAVING:
            inner = [self.returned(item) for item in children]
            return lambda: leave(LEAVING[kind], *[item() for item in inner])
        if kind.is_statement() and kind != Kind.NULL_STMT:
            self.refuse(cursor, f"this '{next(cursor.get_tokens()).spelling}' is not followed")
        self.statements.add(cursor.hash)
        return self.value(cursor) if kind.is_expression() else self.sequence([])

    @staticmethod
    def sequence(inner):
        return lambda: [item() for item in inner]

    def declared(self, declaration):
        first, array = cursors.initializer(declaration), self.array_of(declaration)
        is_default = first is not None and first.kind == Kind.CALL_EXPR and not list(first.get_children())
        is_default = is_default and cursors.definition(first) is None
        if any(item.kind == Kind.DESTRUCTOR and not item.is_default_method() and holds_address(declaration.type)
               for item in declaration.type.get_canonical().get_declaration().get_children()):  # fmt: skip
            self.refuse(declaration, f"the destructor of {declaration.spelling} is not evaluated")
        is_before = declaration in self.parsed.outside and (array.space or cursors.notes(declaration))
        levels = [declaration.type]
        while levels[-1].kind in ARRAYS:
            levels.append(levels[-1].get_array_element_type())
        is_set = re.search(rf"Symbol\w*\(.*\b{declaration.spelling}\b", "\n".join(self.parsed.lines))  # by the host
        is_kept = (array.space == "constant" and not is_set) or any(item.is_const_qualified() for item in levels)
        if is_before and array.sizes and first is not None and is_kept:
            inner, start = self.value(first), Pointer(array, 0)  # it is read from memory, and known
            return lambda: self.registers.update({moved(start, at, 1): item for at, item in inner().items()})
        if first is None or is_default or is_before or (array.space and array.sizes):
            return self.sequence([])
        return self.assigned([self.bound(declaration, first)])

    def unpacked(self, declaration):
        """Sets a struct or array, of which each name is a part; None: it is another type, or has bases."""
        whole, first = declaration.type.get_canonical(), cursors.initializer(declaration)
        kind = whole.get_pointee().get_canonical() if whole.kind in REFERENCES else whole
        names = [item for item in declaration.get_children() if item.kind == Kind.UNEXPOSED_DECL]
        size, fields = kind.get_array_element_type().get_size(), fields_of(kind)
        window = min(kind.get_align(), WIDEST)
        parts = [(declaration, item.get_field_offsetof() // 8, (window, item.hash)) for item in fields] or [
            (declaration, size * i, (0, None)) for i in range(len(names))]  # fmt: skip
        if first is None or len(parts) != len(names) or kind.kind not in (TypeKind.RECORD, TypeKind.CONSTANTARRAY):
            return None
        if not fields and whole.kind not in REFERENCES:  # of a copy clang has the array, and loops
            first = next(first.get_children(), first)
        self.bindings |= {item.hash: part for item, part in zip(names, parts, strict=True)}
        return self.assigned([self.bound(declaration, first, is_place=not fields)])

    @staticmethod
    def assigned(given):
        """All values before the first is set: f(a, f(b, c)) sets its parameters last."""
        return lambda: [put() for put in [evaluate() for evaluate in given]]

    def bound(self, declaration, argument, is_place=False):
        """Evaluates it, to what sets the variable; a reference stands for the place of what it is bound to."""
        kind, start = declaration.type.get_canonical().kind, Pointer(self.array_of(declaration), 0)
        inner = (self.place if is_place or kind in REFERENCES else self.value)(argument)
        fields = fields_of(declaration.type.get_canonical())

        def put(value):
            self.latest[declaration.spelling] = start
            self.store(declaration, start, value, declaration.type, fields)

        def run():
            value = wrap(inner(), kind)
            return lambda: put(value)

        return run

    def branch(self, cursor, children):
        if children[0].kind.is_statement():  # if (int i = ...; i < n)
            begin, rest = self.statement(children[0]), self.branch(cursor, children[1:])
            return self.sequence([begin, rest])
        if (always := cursors.constant(children[0])) is not None:  # the other branch is no part of the program
            return self.sequence([self.statement(item) for item in (children[1:2] if always else children[2:])])
        condition, (yes, of_yes) = self.value(children[0]), self.with_elements(self.statement, children[1])
        text, where, has_two = self.parsed.text(children[0]), self.parsed.where(children[0]), len(children) > 2
        names = names_set(children[1:]) if has_two and cursor.hash not in self.chained else None
        has_wanted = self.has_wanted(cursor)
        self.chained |= {item.hash for item in children[2:]}
        no, of_no = self.with_elements(self.statement, children[2]) if has_two else (self.sequence([]), set())
        settles = self.is_settled(children[0])
        guess = not is_leaving(children[1])  # a bound that is not known holds for the warp
        asks_given = not self.given.isdisjoint(item.spelling for item in children[0].walk_preorder())

        def run():
            asked = condition()
            if isinstance(asked, Unknown) and (not guess or self.within or has_wanted):
                self.stays = self.stays if guess else asked
                self.guessed[f"'{text}' is taken {'' if guess else 'not '}to hold for every lane"] = asked.why
            if settles and not isinstance(asked, Unknown):
                self.reached |= (passed := of_no if asked else of_yes)
                if asks_given and passed:
                    self.chosen.setdefault(f"'{text}' at {where}", set()).add(bool(asked))
            self.turn += not settles and guess
            self.doubts += not settles
            takes = self.takes(cursor, text, asked, guess)
            if has_two or of_yes:
                self.part_ways(cursor, text, takes, has_two)
            self.side = (cursor.hash, text, names, self.path, takes) if names is not None else None
            (yes if takes else no)()
            self.side = None
            self.log.append(None)

        return run

    def switch(self, cursor, children):
        condition, parts, places, where = self.value(children[0]), [], {}, self.parsed.where(cursor)
        text = f"switch ({self.parsed.text(children[0])})"
        for part in children[1].get_children():
            inner = part
            while inner.kind in (Kind.CASE_STMT, Kind.DEFAULT_STMT):
                label = list(inner.get_children())
                places[cursors.constant(label[0]) if inner.kind == Kind.CASE_STMT else None] = len(parts)
                inner = label[-1]
            parts.append(self.statement(part))

        def run():
            asked = condition()
            for at in (at for at in places if at is not None):
                self.note((id(cursor), at), "==", asked, at)
            self.part_ways(cursor, text, places.get(asked), True)
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
        self.ends.add(id(condition))
        run_body, of_body = self.with_elements(self.statement, body)
        is_do, has_wanted = cursor.kind == Kind.DO_STMT, self.has_wanted(cursor)
        size = 1 + len([*body.walk_preorder()]) // MOST_OF_WORK
        settles = condition is not None and self.is_settled(condition)
        where, number = self.parsed.where(cursor if condition is None else condition), cursor.hash
        endless, outside = condition is None or cursors.constant(condition), self.set_by(cursor)
        is_idle = not of_body and not self.has_effects(cursor) and not any(map(decides_addresses, outside))
        what = f"'{self.parsed.text(condition or cursor)}' at {where}"
        self.find_unrolled(cursor, condition)
        self.slow |= {number} if SLOW.search(self.parsed.text(body)) else set()

        def run():
            begin()
            before, rounds, around = self.round, 0, self.inside
            self.inside, done = (*around, (len(before), number)), 0
            history = self.rounds_of((self.path, number, before))
            with contextlib.suppress(BreakError):
                while True:
                    rounds += history.leap(rounds) if history else 0
                    self.note(number, "?", asked := 1 if is_do and not rounds else test())
                    if isinstance(asked, Unknown) and has_wanted:
                        problem = f"from the {'next' if rounds else 'second'} on, since the end at {where} is not known"
                        self.lose(condition, problem, asked, "rounds of '{}'")
                    if not asked or (isinstance(asked, Unknown) and rounds):
                        break
                    if done == (IDLE_ROUNDS if is_idle and self.most_rounds else self.most_rounds):
                        self.cut |= {} if is_idle else {what: done}
                        self.forget(cursor, outside)
                        break
                    self.round, rounds, done = (*before, rounds), rounds + 1, done + 1
                    self.works(cursor, size)
                    if endless and done > MOST_ENDLESS:
                        self.lose(cursor, f"from number {rounds} on: without an end, or too many", form=ROUNDS)
                        break
                    self.run_round(number, run_body)
                    if endless and self.stays is not None:
                        self.lose(cursor, "from the second on, since its end is not known", self.stays, ROUNDS)
                        break
                    after()
                    if history:
                        history.end()
            self.counts.setdefault(number, set()).update([] if self.known["tid"] or self.of_block else [rounds])
            self.reached |= of_body if settles and not rounds else set()
            is_new = what not in self.passed or not (self.known["tid"] or self.of_block)
            self.passed |= {what: 0} if rounds > done and is_new else {}
            self.round, self.inside = before, around

        return self.skipped(cursor, outside, run) if is_idle and self.is_skipped(cursor) else run

    def skipped(self, loop, outside: list, run):
        """Runs it in a survey alone, or where it may use a field of a copy."""
        self.skips, reads = True, {*map(self.array_of, filter(None, map(variable_of, loop.walk_preorder())))}

        def skip():
            places = (self.registers.get(Pointer(array, 0)) for array in reads)  # of references
            bound = {at.array for at in places if type(at) is Pointer}
            fields = any(isinstance(was, Loaded) for at, was in self.registers.items() if at.array in reads | bound)
            self.doubts += 1
            return run() if self.surveys or fields else self.forget(loop, outside)

        return skip

    def run_round(self, number, body) -> None:
        self.stays, before = None, self.work
        with contextlib.suppress(ContinueError):
            body()
        if self.work - before > MOST_OF_UNROLLED:
            self.unrolls.setdefault(number, 1)

    def forget(self, cursor, variables: list) -> None:
        """What a loop sets is not known where its last rounds are left out."""
        lost = self.unknown(cursor, "it is set by a loop whose last rounds are left out")
        structs = {item.semantic_parent.spelling for item in variables if item.kind == Kind.FIELD_DECL}
        arrays = [self.array_of(item) for item in variables if item.kind != Kind.FIELD_DECL]
        for place in [at for at in self.registers if at.array in arrays or at.array.element in structs]:
            self.registers[place] = lost

    def takes(self, cursor, text: str, asked, guess=True) -> bool:
        """Whether the condition holds; of one that is not known, what is guessed, and in another run the opposite."""
        self.note(id(cursor), "?", asked)
        if isinstance(asked, Unknown):
            is_data = re.search(" is read from memory| is not evaluated", asked.why)
            self.counted |= {text} if is_data and self.inside else set()
            if is_data and (self.inside or not self.is_uniform(next(cursor.get_children()))):
                self.mixed.add(text)
            self.arms[text] = self.arms.get(text) or arms_of(cursor)
            return self.undecided.setdefault(text, guess) != (text in self.otherwise)
        return bool(asked)

    def part_ways(self, cursor, text: str, takes, has_two: bool) -> None:
        """Notes where lanes of a warp take several ways, or may do so."""
        may = " (as data decide)" if text in self.mixed and has_two else ""
        of_lanes = self.sides.setdefault(key := (cursor.hash, self.path, self.round), {})
        of_lanes[self.lane] = takes
        if may or len({*of_lanes.values()}) > 1:
            label = f"'{text}' at line {self.parsed.line(cursor.location)}{may}"
            self.parted.setdefault((label, has_two), {})[key] = of_lanes

    def has_wanted(self, cursor) -> bool:
        """Whether it may have an access that is asked for; the end of another loop may stay unknown."""
        return not self.parsed.wanted or self.parsed.wanted in self.parsed.rows(cursor) or self.is_in_wanted()

    def initialised(self, function):
        """What a constructor sets in front of its body."""
        for member, first in itertools.pairwise(function.get_children()):
            if member.kind == Kind.MEMBER_REF and first.kind.is_expression():
                yield self.set_member(member.referenced, self.value(first))
            elif first.kind == Kind.CALL_EXPR:
                yield self.value(first)  # of a base

    def set_member(self, member, inner):
        kind, offset = member.type.get_canonical().kind, member.get_field_offsetof() // 8
        return lambda: self.store(member, moved(self.this, offset, 1), wrap(inner(), kind), member.type)

    def inlined(self, cursor, function, arguments, this):
        """this: to the place of a method's object."""
        if len(self.calls) > MOST_CALLS:
            self.refuse(cursor, f"{function.spelling} calls itself")
        wanted = self.is_wanted(cursor)
        self.calls.append((wanted, number := cursor.hash))
        self.cursors[number] = cursor
        parameters = [item for item in function.get_children() if item.kind == Kind.PARM_DECL]
        for item, to in zip(parameters, arguments, strict=False):
            self.bound_to.setdefault(item.hash, []).append(to)
        set_parameters = self.assigned([self.bound(*pair) for pair in zip(parameters, arguments, strict=False)])
        around, self.returned = self.returned, self.place if is_reference(function) else self.value
        program = self.sequence([*self.initialised(function), self.statement(body_of(function))])
        self.returned = around
        self.calls.pop()
        nothing, at = self.unknown(cursor, f"{function.spelling} returns nothing"), cursor.location.offset

        def run():
            before = self.round, self.within, self.inside, self.this, self.path
            of_method = this()
            set_parameters()
            self.this, self.within = of_method, self.within or wanted
            self.path, self.round = (*self.path, number), (*self.round, at)
            try:
                program()
            except ReturnError as result:
                return result.args[0] if result.args else nothing
            finally:
                self.round, self.within, self.inside, self.this, self.path = before
            return nothing

        return run
