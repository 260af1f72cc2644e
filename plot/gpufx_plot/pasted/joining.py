"""Accesses that nvcc (13.0) makes one: of neighbours in shared memory, and on both sides of an `if`."""

import contextlib
import itertools
import re
from dataclasses import replace

from clang.cindex import CursorKind as Kind

from .. import UserError
from . import cursors
from .blocks import SpentError
from .front_end import BODY
from .memory import LANES
from .settled import CONDITIONS, targets
from .values import ARRAYS

LEAVING = (Kind.RETURN_STMT, Kind.BREAK_STMT, Kind.CONTINUE_STMT)


def names_set(arms: list) -> frozenset | None:
    """Variables, but elements of arrays; None: a statement branches, leaves or calls a function of the text."""
    parts = [part for arm in arms for part in arm.walk_preorder()]
    if any(part.kind in (*CONDITIONS, *LEAVING, Kind.ASM_STMT) or (
            part.kind == Kind.CALL_EXPR and cursors.definition(part)) for part in parts):  # fmt: skip
        return None
    changed = [item for part in parts for item in ([part] if part.kind == Kind.VAR_DECL else targets(part))]
    return frozenset(item.spelling for item in changed if item.type.get_canonical().kind not in ARRAYS)


def mergeable(accesses: dict, unrolls: dict) -> dict:
    """By place, bytes of the one access that nvcc (13.0) makes of neighbours in shared memory, of these, and their
    places: aligned, with no store of the array among loads, all steps of each, in loops that it unrolls."""
    found = {}
    for width in (8, 16):
        parts, merged = {}, {}
        for place, access in accesses.items():
            unit = access.width
            is_plain = access.array.space == "shared" and access.op in ("load", "store") and 4 <= unit < width
            whole = itertools.product(access.steps.items(), range(0, access.size, unit)) if is_plain else ()
            for (key, step), by in whole:
                within, lanes = {(at + by) % width for at in step.values()}, [*step]
                lanes += ((at + by) // width for at in step.values())
                rounds = [key[at] // unrolls[loop] for at, loop in access.loops if loop in unrolls]
                if len(within) == 1:
                    words = (access.array, access.op, unit, access.turns[key], *lanes, *rounds)
                    parts.setdefault(words, {}).setdefault(within.pop(), []).append(place)
        for places in ([*itertools.chain(*of.values())] for words, of in parts.items() if len(of) * words[2] == width):
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
    def merges(self, settings: list[dict[str, int]], found: dict) -> dict:
        """What is mergeable in the first warp, the second and the last one, whose rows may begin elsewhere, whatever
        parameters are: with 1, an offset or a pitch is not aligned, and a loop or a condition shows one neighbour."""
        wide, self.effort = mergeable(found["warp 0"], self.unrolls), 0
        names = {item.spelling for item in self.parsed.body.get_children() if item.kind == Kind.PARM_DECL}
        of_lines = self.given if self.parsed.body.spelling == BODY else ()  # may be no constants there
        fixed = {name for name in of_lines if len({given.get(name) for given in settings}) == 1}
        wide = {at: of for at, of in wide.items() if fixed.isdisjoint(re.findall(r"\w+", found["warp 0"][at].text))}
        ones = [given | dict.fromkeys(names & given.keys(), 1) for given in settings]
        others = {min(1, self.last_warp), self.last_warp} - {0}
        for given, warp in [*((settings, warp) for warp in others), (ones, 0)] if wide else ():
            if (accesses := found.get(f"warp {warp}" if given is settings else "")) is None:
                with self.unchanged(), contextlib.suppress(UserError, SpentError):
                    self.run_to_end(given, LANES * warp)
                    accesses = self.accesses
            alike = mergeable(accesses or {}, self.unrolls)
            wide = {place: of for place, of in wide.items() if place not in (accesses or {}) or alike.get(place) == of}
        return {place: of for place, of in wide.items() if wide.keys() >= {*of[2:]}}

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
