"""Accesses that nvcc (13.0) makes one: of neighbours in shared memory, and on both sides of an `if`. Where it is not
proven that it does, and the verdict depends on it, there is none."""

import contextlib
import itertools
import math
import re
from dataclasses import replace
from statistics import fmean

from clang.cindex import CursorKind as Kind

from .. import UserError
from . import cursors
from .blocks import AXES, SpentError
from .front_end import BODY
from .memory import LANES, MOST_UNROLLED, passes
from .settled import CONDITIONS, GIVEN, targets, variable_of
from .values import ARRAYS

LEAVING = (Kind.RETURN_STMT, Kind.BREAK_STMT, Kind.CONTINUE_STMT)
UNROLL = re.compile(r"\b(no)?unroll\b[ \t]*\(?[ \t]*(\w*)")
PLAIN = re.compile(  # functions of one instruction, or a few
    r"f?(min|max|abs)f?|u?(ll)?(min|max)|l?labs|fmaf?|(floor|ceil|trunc|rint)f?|__ld(g|c\w)|__st\w\w|make_\w+|operator.*"
    r"|__f(add|sub|mul|maf?)_r[nzud]|__h(add|sub|mul|fma|max|min)2?|__(low|high|half|float|int|uint|bfloat)\w*2\w+"
    r"|__(float|int|uint)_as_\w+|__u?mul(24|hi)|__popc|__ffs|__brev|__clz|__byte_perm|__dp[24]a|__expf|__cvta\w*"
)
MOST_OPERATORS = 128  # of a round that nvcc (13.0) unrolls by 4 or more: 122 it does, 142 not
MIXES = ("^", "&", "%", "|", "/", ">>", "<<")  # of what changes from round to round nvcc may see no neighbours then


def names_set(arms: list) -> frozenset | None:
    """Variables, but elements of arrays; None: a statement branches, leaves or calls a function of the text."""
    parts = [part for arm in arms for part in arm.walk_preorder()]
    if any(part.kind in (*CONDITIONS, *LEAVING, Kind.ASM_STMT) or (
            part.kind == Kind.CALL_EXPR and cursors.definition(part)) for part in parts):  # fmt: skip
        return None
    changed = [item for part in parts for item in ([part] if part.kind == Kind.VAR_DECL else targets(part))]
    return frozenset(item.spelling for item in changed if item.type.get_canonical().kind not in ARRAYS)


def neighbours(accesses: dict, unrolls: dict, width: int, of_turns: slice) -> dict:
    """By what steps in shared memory must share to be parts of one access of this width: by where in it they are, their
    places and keys."""
    found = {}
    for place, access in accesses.items():
        unit = access.width
        is_plain = access.array.space == "shared" and access.op in ("load", "store") and not access.is_volatile
        parts = range(0, access.size, unit) if is_plain and 4 <= unit < width else ()
        for (key, step), by in itertools.product(access.steps.items(), parts):
            within, lanes = {(at + by) % width for at in step.values()}, [*step]
            lanes += ((at + by) // width for at in step.values())
            rounds = [key[at] // unrolls[loop] for at, loop in access.loops if loop in unrolls]
            if len(within) == 1:
                words = (access.array, access.op, unit, access.turns[key][of_turns], *lanes, *rounds)
                found.setdefault(words, {}).setdefault(within.pop(), []).append((place, key))
    return found


def may_merge(accesses: dict, unrolls: dict) -> dict:
    """By place, most passes of its accesses as they are and with the wide ones that nvcc (13.0) may make of them, where
    these differ; of how many bytes these are, of two neighbours or of three or four, and where in them each step is."""
    found, single = {}, {place: access for place, access in accesses.items() if access.width == access.size}
    for width, least in ((8, 2), (16, 3)):
        parts, wide, within = neighbours(single, unrolls, width, slice(1)), {}, {}
        for of in (of for words, of in parts.items() if least <= len(of) <= width // words[2]):
            for start, (place, key) in ((start, at) for start, places in of.items() for at in places):
                step = {lane: at - start for lane, at in accesses[place].steps[key].items()}
                wide.setdefault(place, {})[key] = fmean(passes(step, width))
                within.setdefault(place, {})[key] = start
        for place, of in wide.items():
            ones = {key: fmean(passes(step, accesses[place].width)) for key, step in accesses[place].steps.items()}
            if (one := max(ones.values())) != (most := max((ones | of).values())):
                found[place] = (one, most, width, accesses[place].width, within[place])
    return found


def operators(cursor, counts: dict) -> int:
    """That it executes, but for those of indexes and heads of loops."""
    if cursor.kind == Kind.ARRAY_SUBSCRIPT_EXPR:
        return 0
    if cursor.kind in cursors.LOOPS:
        body = list(cursor.get_children())[0 if cursor.kind == Kind.DO_STMT else -1]
        return operators(body, counts) * max(counts.get(cursor.hash, ()), default=1)
    function = cursors.definition(cursor) if cursor.kind == Kind.CALL_EXPR else None
    parts = [*cursor.get_children(), *(function.get_children() if function else ())]
    is_one = cursors.binary(cursor) not in ("", "=") or cursor.kind == Kind.CALL_EXPR
    return is_one + sum(operators(part, counts) for part in parts)


def mergeable(accesses: dict, unrolls: dict, of_turns=slice(None)) -> dict:
    """By place, bytes of the one access that nvcc (13.0) makes of neighbours in shared memory, of these, and their
    places: aligned, with no store of the array among loads, all steps of each, in loops that it unrolls."""
    found = {}
    for width in (8, 16):
        parts, merged = neighbours(accesses, unrolls, width, of_turns), {}
        for of in (of for words, of in parts.items() if len(of) * words[2] == width):
            places = [place for place, _ in itertools.chain(*of.values())]
            for place in places:
                merged.setdefault(place, []).append(places)
        whole = {place: of for place, of in accesses.items()
                 if len(merged.get(place, ())) * of.width == len(of.steps) * of.size}  # fmt: skip
        merged = {place: (width, of.width, *dict.fromkeys(itertools.chain(*merged[place])))
                  for place, of in whole.items()}  # fmt: skip
        found |= {place: of for place, of in merged.items() if merged.keys() >= {*of[2:]}}
    return found


def widened(accesses: dict, wide: dict) -> dict:
    """With one access in place of those that are mergeable."""
    found = {}
    for place, access in accesses.items():
        width, _, *places = wide.get(place, (1, 0))
        steps = {key: step for key, step in access.steps.items() if not any(at % width for at in step.values())}
        text = ", ".join(dict.fromkeys(accesses[other].text for other in places if other in accesses))
        members = {key: access.members[key] for key in steps}
        new = replace(access, text=text, size=width, width=width, steps=steps, members=members) if places else access
        found |= {place: new} if steps else {}
    return found


class Joining:
    def doubt(self) -> None:
        self.doubts += 1

    def moves_past(self, call) -> bool:
        """Whether nvcc surely sees what is behind a call as if it were not there."""
        function, name = cursors.definition(call), call.spelling
        if function is not None:
            return "noinline" not in self.parsed.text(function).split("(")[0]
        is_made = call.referenced is not None and call.referenced.kind in (Kind.CONSTRUCTOR, Kind.CONVERSION_FUNCTION)
        return is_made or PLAIN.fullmatch(name) is not None

    def find_unrolled(self, loop, condition) -> None:
        """How far a pragma in front of it says to unroll it, and whether it is certain that nvcc unrolls all of it."""
        path, line = self.parsed.at(loop.extent.start)
        before = self.parsed.lines_of(path)[max(line - 3, 0) : line] if line else []
        text = "\n".join([*before[:-1], *(item[: loop.extent.start.column - 1] for item in before[-1:])])
        text = re.split(r"[;{}]", text)[-1]
        text += "".join(map(self.parsed.definition, re.findall(r"[A-Za-z_]\w*", text)))
        if few := UNROLL.search(text):
            named = (
                few[2] if few[2].isdigit() or not few[2] else self.parsed.definition(few[2]).split(few[2])[-1].strip()
            )
            is_known = not few[1] and (named.isdigit() or not few[2])
            self.unrolls |= {loop.hash: int(named or 0) or math.inf} if is_known else {}
            self.doubted |= set() if is_known else {loop.hash}
        parts, changed = [*loop.walk_preorder()], {item.hash for part in loop.walk_preorder() for item in targets(part)}
        mixed = (of for part in parts if cursors.binary(part).removesuffix("=") in MIXES for of in part.walk_preorder())
        is_mixed = any(item.hash in changed for item in filter(None, map(variable_of, mixed)))
        ends = [] if condition is None else [*condition.walk_preorder()]
        is_fixed = bool(ends) and not any(part.kind == Kind.CALL_EXPR or (
            part.kind == Kind.MEMBER_REF_EXPR and cursors.constant(part) is None) for part in ends)  # fmt: skip
        is_fixed = is_fixed and all(self.is_unrolled(item, ()) for item in filter(None, map(variable_of, ends)))
        self.loops[loop.hash] = loop
        if is_mixed or not is_fixed or any(part.kind in (*LEAVING, Kind.GOTO_STMT, Kind.ASM_STMT) for part in parts):
            self.doubted.add(loop.hash)

    def merges(self, settings: list[dict[str, int]], found: dict) -> tuple[dict, dict]:
        """What is mergeable in the first warp, the second and the last one, whose rows may begin elsewhere, whatever
        parameters and the launch are: with 1, an offset or a pitch is not aligned, and a loop or a condition shows one
        neighbour. And of what else nvcc may merge the verdicts that differ."""
        self.doubted |= {loop for loop, of in self.counts.items() if max(of, default=0) > MOST_UNROLLED}
        self.doubted |= {at for at, of in self.loops.items() if operators(of, self.counts | {at: {1}}) > MOST_OPERATORS}
        proven, first = self.unrolls | dict.fromkeys(self.doubted, 1), found["warp 0"]
        wide, self.effort = mergeable(first, proven), 0
        wider, unsure = mergeable(first, self.unrolls, slice(1)), may_merge(first, self.unrolls)
        of_lines = self.given if self.parsed.body.spelling == BODY else ()  # may be no constants there
        fixed = {name for name in of_lines if len({given.get(name) for given in settings}) == 1}
        wide = {at: of for at, of in wide.items() if wider.get(at, of)[0] == of[0] and self.is_aligned(
            first[at].array, of[0]) and fixed.isdisjoint(re.findall(r"\w+", first[at].text))}  # fmt: skip
        unsure = {at: of for at, of in unsure.items() if self.is_aligned(first[at].array, of[2]) is not False}
        names = {item.spelling for item in self.parsed.body.get_children() if item.kind == Kind.PARM_DECL}
        new = dict.fromkeys(names & settings[0].keys(), 1)
        new |= {name: abs(size - 1) or 2 for name, size in (self.known | dict.fromkeys(AXES, 0)).items()
                if name in self.used and name[:-2] in ("blockIdx", *GIVEN)}  # fmt: skip
        busy = [at for at in range(1, self.last_warp + 1) if wide.keys() & found.get(f"warp {at}", {}).keys()]
        warps = {min(1, self.last_warp), self.last_warp, *busy[:1], *busy[-1:]} - {0}
        others = [new, *({name: to} for name, to in new.items() if len(new) > 1)]  # a sum may be aligned
        pairs = [*itertools.product([{}], warps), *itertools.product(others, (0, *warps))]
        for other, warp in pairs if wide or unsure else ():
            if (accesses := found.get("" if other else f"warp {warp}")) is None:
                with self.unchanged(), contextlib.suppress(UserError, SpentError):
                    self.run_to_end([{of: other.get(of, was) for of, was in given.items()} for given in settings],
                                    LANES * warp, other)  # fmt: skip
                    accesses = self.accesses
            alike, also = mergeable(accesses or {}, proven), may_merge(accesses or {}, self.unrolls)
            wide = {place: of for place, of in wide.items() if place not in (accesses or {}) or alike.get(place) == of}
            if accesses is not None:  # of a loop whose rounds are a parameter one step may be left
                unsure = {place: of for place, of in unsure.items() if place not in accesses or (
                    place in also and all(of[4].get(key, at) == at for key, at in also[place][4].items())
                    ) or (other and len(accesses[place].steps) < 2 <= len(of[4]))}  # fmt: skip
        wide = {place: of for place, of in wide.items() if wide.keys() >= {*of[2:]}}
        return wide, {place: of for place, of in unsure.items() if place not in wide}

    def is_aligned(self, array, width: int) -> bool | None:
        """Whether it begins at a multiple in shared memory, in the order of declarations; None: that is not known."""
        shared = {key: of for key, of in self.arrays.items() if of.space == "shared" and type(key) is int}
        if not array.bytes or not any(of.bytes % width for of in shared.values() if of is not array):
            return True
        before = [*itertools.takewhile(lambda of: of is not array, shared.values())]
        own = {item.hash for item in self.parsed.body.walk_preorder()}
        is_plain = not before or "align" not in self.parsed.text(self.parsed.body)
        is_known = is_plain and shared.keys() <= own and len({of.element_bytes for of in (*before, array)}) < 2
        return sum(of.bytes for of in before) % width == 0 if is_known else None

    def say_unsure(self, unsure: dict, everything: list, every: bool) -> None:
        """A gate can't pass on what is one or several accesses; else these are taken as they are written."""
        for place, access in everything:
            if (of := unsure.get(place)) is not None:
                (one, wide), (width, unit) = (f"{ways:.3g}-way" if ways > 1 else "free" for ways in of[:2]), of[2:4]
                may = f"since nvcc may make one access of {width} bytes of neighbours of {unit}"
                look = f"look for {'LDS' if access.op == 'load' else 'STS'}.{8 * width} in the SASS"
                why = f"{may}: as single accesses {one}, as one {wide} ({look}, or write a float{width // 4})"
                if every and min(of[:2]) <= self.limit:
                    self.lost[place[:3]] = (access.text, access.at, f"not judged, {why}", "shared")
                else:
                    self.merged |= {f"{access.text}: judged as single accesses, {why.removeprefix('since ')}": 0}

    def merge_sides(self) -> None:
        """Makes one access of two on the sides of an `if` that nvcc makes one: loads with no store before them, and the
        last stores. (13.0, sm_90.)"""
        sides, used = {}, set()
        for place, access in self.accesses.items():
            sides.setdefault(access.side, []).append(place)
        for side in [side for side in sides if side and side[-1] and (*side[:-1], False) in sides]:
            both = sides[side], sides[*side[:-1], False]
            loads = (itertools.takewhile(lambda place: place[2] == "load", places) for places in both)
            last = itertools.takewhile(self.is_alike, zip(*map(reversed, both), strict=False))
            for pair in [*last, *itertools.product(*loads)]:
                if used.isdisjoint(pair) and self.is_alike(pair):
                    one, other = self.accesses[pair[0]], self.accesses.pop(pair[1])
                    used |= {*pair}
                    for key, step in other.steps.items():
                        one.steps[key] = dict(sorted((one.steps.get(key, {}) | step).items()))
                    one.turns, one.members = other.turns | one.turns, other.members | one.members
                    one.used |= other.used
                    self.merged |= {f"{one.text}: one access on both sides of '{side[1]}', as nvcc makes it": 0}

    def is_alike(self, pair) -> bool:
        first, second = map(self.accesses.get, pair)
        one, other = ((item.array, item.op, item.size, *re.findall(r"\w+|\S", item.text)) for item in (first, second))
        return one == other and first.side[2].isdisjoint(one)
