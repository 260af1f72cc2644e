"""The blocks that are judged: the first ones of each dimension, and those around which a condition changes.

In blocks that lie ever farther apart, threads note what they compare or divide. Where the larger operand is another one
in two of these, blocks in between are tried, until two neighbours differ, which are judged. The first and the last of
the threads in which a comparison depends on the block are enough. Then blocks of several dimensions are compared."""

import collections
import contextlib
import copy
import functools
import itertools
import math
from dataclasses import replace

from clang.cindex import CursorKind as Kind

from .. import UserError
from . import cursors
from .memory import LANES, LINE, PERIOD
from .mixing import Mixing, where_of
from .rounds import COMPARED, distance, outlasts
from .values import ARITHMETIC, Pointer, quotient

AXES = ("blockIdx.x", "blockIdx.y", "blockIdx.z")
FEW_BLOCKS = 4  # that are judged along a dimension, and the last
MOST_TURNS, TRIED, FARTHEST = 16, 12, 21  # blocks around conditions; the first ones that are tried; of a power of 2
MOST_ALL = 256  # blocks of a grid that are all tried where they choose entries of a table
MOST_TRIED, MOST_JOINED = 1 << 14, 64  # blocks of several dimensions times threads that ask; of those, judged
MOST_NOTED = 400  # rounds and accesses of a lane, before loops are cut, to compare blocks or where some are cut already
MOST_WORK = 4096  # rounds and accesses of a lane
TOO_LONG = "loops of too many rounds"
MOST_EFFORT = 96 * MOST_WORK  # of all lanes of all runs, which take some ten seconds
APART = (1, 2, 4, 8)  # warps, between which others may lie
LEAST_ROUNDS = 4  # of a loop, where all of them are too many
QUOTIENTS = {"/": lambda a, b: quotient(a, b or 1), ">>": lambda a, b: a >> min(max(b, 0), 63)}
CROSSING = ("<", ">", "<=", ">=", "==", "!=", "min", "max")
TURNING = (*COMPARED, *QUOTIENTS, "[")
STATE = (dict, set, list, tuple, str, int, bool, type(None))


def apart(sign: str, a: int, b: int) -> int:
    """Of a comparison, how much larger its first operand is; of a division, the quotient; of an entry of a table, where
    it is."""
    return a if sign == "[" else QUOTIENTS[sign](a, b) if sign in QUOTIENTS else a - b


def order(was: tuple) -> int:
    far = apart(*was)
    return far if was[0] == "[" else (far > 0) - (far < 0)


def turns(at, ends: list[int], judged: list[int], of_table: bool):
    """Blocks on both sides of a place in the text that compares otherwise than in all that are judged, also in another
    round; but those in which everything is as in one of these."""
    seen, known = [], set()

    def orders(number: int) -> dict:
        return {key: order(was) for key, was in at(number).items()}

    def is_new(number: int) -> bool:
        here = orders(number)
        known.update((*key[:2], sign) for key, sign in here.items())
        return here not in seen and not seen.append(here)

    def between(low: int, high: int):
        a, b = orders(low), orders(high)
        pairs = {(*key[:2], of[key]) for key in a.keys() & b for of in (a, b) if a[key] != b[key]}
        pairs |= {(*key[:2], 0) for key in a.keys() & b if at(low)[key][0] in ("==", "!=") and a[key] * b[key] < 0}
        if pairs <= known and not (of_table and high - low == 1):  # which may have two entries at once as none before
            return
        if (middle := (low + high) // 2) > low:
            yield from between(low, middle)
            yield from between(middle, high)
        else:
            yield from filter(is_new, (low, high))

    for number in judged:
        is_new(number)
    for low, high in itertools.pairwise(ends):
        yield from between(low, high)


def joins(key, at, points: list[tuple]) -> bool:
    """True if numbers there follow from several dimensions of the block, but truths, and products that are sums."""
    known = {block: was for block in points if (was := at(block).get(key))}
    lines = [{} for _ in points[0]]
    for block, was in known.items():
        for axis, line in enumerate(lines):
            line.setdefault((*block[:axis], *block[axis + 1 :]), set()).add(was)
    axes = [axis for axis, line in enumerate(lines) if any(len(of) > 1 for of in line.values())]
    if len(axes) < 2 or {item for was in known.values() for item in was[1:]} <= {0, 1}:
        return False
    first, (sign, *_) = next(iter(known.items()))
    if sign not in ("*", "<<"):
        return True
    value = {block: ARITHMETIC[sign](*was[1:]) for block, was in known.items()}
    return any(value[block] - value[other] != value[near] - value[first]
               for block in known for axis in axes
               if (near := (*first[:axis], block[axis], *first[axis + 1 :])) in known
               and (other := (*block[:axis], first[axis], *block[axis + 1 :])) in known)  # fmt: skip


def may_hide(at, ends: list[int], is_all: bool) -> bool:
    """True if a number that goes up and down from block to block may somewhere be equal to what it never was, or if no
    block chooses an entry of a table that others may."""
    entries = {}
    for key, was in itertools.chain.from_iterable(at(number).items() for number in ends):
        if was[0] == "[" and not is_all:
            entries.setdefault((key, was[2]), set()).add(was[1])
    if any(1 < len(where) < count for (_, count), where in entries.items()):
        return True
    asked = [key for key, was in at(0).items() if was[0] in ("==", "!=")]
    rows = [[apart(*at(number)[key]) for number in ends if key in at(number)] for key in asked]
    return any(0 not in row and sorted(row) not in (row, row[::-1]) for row in rows)


def far_blocks(row: list[int], by: int, rounds: int, count: int) -> list[int] | None:
    """Blocks in which a comparison changes in a later round than those of this row, of block 0. by: how far it moves to
    the next block. None: they are many, and not alike."""
    found, first = [], row[-1]
    steps = {after - before for before, after in itertools.pairwise(row)} - {0} if by else set()
    whole = [far // by for far in (item - row[0] for item in row[1:]) if by and far and far % by == 0]
    for step in steps:
        low, high = sorted((-first // by, -(first + rounds * step) // by))
        if high - low > FEW_BLOCKS and abs(step) < abs(by):  # each block has some rounds of its own
            low, high = sorted((-first // by, -first // by - (1 if step * by > 0 else -1)))
        elif high - low > FEW_BLOCKS and whole:  # a round of all blocks goes on where the one before ends
            low = high = -first // by % min(map(abs, whole))
        elif high - low > FEW_BLOCKS:
            return None
        found += [at for at in range(low - 1, high + 2) if 0 <= at < count]
    return found


def is_moved(old: list, new: list, sites: set) -> bool:
    """True if in two blocks each access of these threads is whole periods of the banks and lines farther on."""
    moves = {}
    for (_, before, is_whole), (_, after, is_other) in zip(old, new, strict=True):
        if not is_whole or not is_other or len(before) != len(after):
            return False
        for (site, sign, was, _), (other, _, now, _) in zip(before, after, strict=True):
            by = distance(now, was) if sign == "@" else 0
            if site != other or by is None or by % PERIOD or (sign == "@" and moves.setdefault(site, by) != by):
                return False
    return sites <= moves.keys()


def is_like(first: dict, second: dict, end: dict, count: int) -> bool:
    """True if all notes of these three warps, by lane, `count` steps between the first and the last, have one outcome,
    and so have those of the warps between them: what is noted moves by the same from each to the next. (That holds of
    threadIdx, too: three quotients or remainders on a line, of numbers on a line, have no others between them.)"""
    if not first.keys() == second.keys() == end.keys():
        return False
    for lanes in ((notes, second[lane], end[lane]) for lane, notes in first.items()):
        if len({*map(len, lanes)}) > 1:
            return False
        for notes in zip(*lanes, strict=True):
            if notes[0] == notes[1] == notes[2]:
                continue
            (site, sign, *was), (near, _, *now), (far, _, *then) = notes
            by, all_by = ([distance(*pair) for pair in zip(notes, was, strict=True)] for notes in (now, then))
            is_other = not site == near == far or None in by or all_by != [count * move for move in by]
            if is_other or (sign != "@" and outlasts(sign, was, now) < count - 1):
                return False
    return True


class TooLongError(Exception):
    """Of a lane, whose loops are cut then."""


class SpentError(Exception):
    """All runs together take too long."""


class Blocks(Mixing):
    def judge_all(self, settings: list[dict[str, int]], found: dict, every: bool) -> bool:
        """Adds every warp of block 0 and of others along each dimension that the text uses, or the first warp alone.
        False: there are more, which take too long."""
        last = self.last_warp if every else 0
        try:
            self.judge_block(settings, found, {}, last)
            if every:
                self.first_blocks(settings, found, last)
            self.turning_blocks(settings, found, last, every)
            if every:
                for base, axis in itertools.product(self.others, AXES):
                    if self.is_free(settings[0] | base, axis):
                        self.mixed_blocks(settings, found, last, base, axis, MOST_EFFORT // 3 // len(self.others))
                self.meet_others(settings[0])
                self.judge_otherwise(settings, found, sorted({0, last}))
        except SpentError:
            if not found:
                self.refuse(self.parsed.body, f"{TOO_LONG}: give smaller values,")
            self.not_judged[f"not judged, for {TOO_LONG}: all but {len(found)} of the warps (give smaller values)"] = 0
            return False
        return True

    def judge_block(self, settings: list[dict[str, int]], found: dict, block: dict, last: int) -> None:
        """Every warp up to the last."""
        self.of_block = " of " + " and ".join(f"{axis}={number}" for axis, number in block.items()) if block else ""
        these = {}

        def run(warp: int) -> tuple[dict, dict]:
            if (key := (warp, *block.items())) not in self.ran:
                self.most_work = MOST_NOTED if self.cut else MOST_WORK
                self.run_to_end(settings, LANES * warp, block)
                self.ran[key] = self.accesses, self.noted_by
            these[warp] = self.ran[key][0]
            return self.ran[key]

        try:
            for apart in APART if last else ():
                for first in range(min(apart, last + 1)):
                    self.judge_between(run, range(first, math.prod(self.block) // LANES, apart), these)
            for warp in range(last + 1):
                these[warp] = these.get(warp) or run(warp)[0]
        finally:
            found |= {f"warp {warp}{self.of_block}": these[warp] for warp in sorted(these)}

    def judge_between(self, run, warps: range, found: dict) -> None:
        """Adds accesses of warps that need not run: where the lanes of the first two of these and of the last do the
        same, and all that they compute moves by the same from each to the next, so it does in those between."""
        new, ends = [warp for warp in warps[2:-1] if warp not in found], [*warps[:2], *warps[-1:]]
        if not new or self.bases:
            return
        if not is_like(*(run(warp)[1] for warp in ends), len(warps) - 1):
            for half in (warps[: len(warps) // 2], warps[len(warps) // 2 :]) if warps.step == 1 else ():
                self.judge_between(run, half, found)
            return
        first, second, _ = (run(warp)[0] for warp in ends)
        for warp, (place, access) in itertools.product(new, first.items()):
            far, near = warps.index(warp), second[place].steps
            steps = {key: {lane: at + far * (near[key][lane] - at) for lane, at in step.items()}
                     for key, step in access.steps.items()}  # fmt: skip
            found.setdefault(warp, {})[place] = replace(access, steps=steps)
            for lane, at in itertools.chain(*(step.items() for step in steps.values())):
                self.meets(place, Pointer(access.array, at), LANES * warp + lane)

    @staticmethod
    def grid(given: dict[str, int], axis: str, otherwise: int = 1 << 31) -> int:
        return given.get(axis.replace("blockIdx", "gridDim"), otherwise)

    def is_free(self, given: dict[str, int], axis: str) -> bool:
        return axis not in given and bool(self.used & {axis, "blockIdx"})

    def first_blocks(self, settings: list[dict[str, int]], found: dict, last: int) -> None:
        for axis in (axis for axis in AXES if self.is_free(settings[0], axis)):
            count = self.grid(settings[0], axis, FEW_BLOCKS)
            self.judged[axis] = sorted({*range(1, min(count, FEW_BLOCKS)), count - 1} - {0})
            threads = {0, min(LANES, math.prod(self.block)) - 1, last * LANES}
            known, sites = [], {place[:3] for accesses in found.values() for place in accesses}
            for number in (0, *self.judged[axis]):
                with self.unchanged():
                    notes = [] if self.asks_block else self.notes_of(settings, {axis: number}, threads)
                if not any(is_moved(other, notes, sites) for other in known) or self.asks_block:
                    known.append(notes)
                    if number:
                        self.judge_block(settings, found, {axis: number}, last)

    def meet_others(self, given: dict[str, int]) -> None:
        """Lets those who update words of global memory do so in other blocks, too."""
        free = {name: value for name, value in given.items() if name not in AXES}
        for axis, number in itertools.product(AXES, (1 << i for i in range(FARTHEST))):
            count = self.grid(free, axis, 1 << FARTHEST if axis == AXES[0] or self.is_free(free, axis) else 1)
            if number < count and self.updating.keys() - self.contended:
                with self.unchanged():
                    self.notes_of([free], {axis: number}, {*self.updating.values()})
                    met = self.contended
                self.contended |= met

    def find_own_lines(self, settings: list[dict[str, int]], found: dict) -> dict:
        """By place: warps of a block that access lines of their own, as far as the first rounds of its last one say."""
        first, last = found["warp 0"], found.get(f"warp {self.last_warp}")
        if last is None and any(of.array.space == "global" and len(of.steps) > 1 for of in first.values()):
            with self.unchanged(), contextlib.suppress(UserError, SpentError):
                self.most_rounds, self.most_work, self.of_block, self.leaps = LEAST_ROUNDS, 0, "", False
                self.run_warp(settings, self.last_warp * LANES, {})
                last = self.accesses
        first, last = ({place[:3]: {at // LINE for at in next(iter(access.steps.values())).values()}
                        for place, access in accesses.items()} for accesses in (first, last or {}))  # fmt: skip
        return {place: 1 if first[place] == last[place] else self.last_warp + 1 for place in first.keys() & last.keys()}

    turns = False  # conditions depend on the block

    def turning_blocks(self, settings: list[dict[str, int]], found: dict, last: int, every: bool) -> None:
        """Adds those around a condition that changes; without `every`, as far as they reach what none does before."""
        known, waiting, asking = {place for accesses in found.values() for place in accesses}, [{}], set()
        for base, axis in ((base, axis) for base in waiting for axis in AXES):
            if not self.is_free(settings[0] | base, axis) or not (every or self.not_reached()) or not self.asks_block:
                continue
            label = where_of(axis, base)
            threads = sorted({LANES * warp + lane for (warp, *_), (_, ran) in self.ran.items() for lane, _ in ran})
            with self.unchanged():
                blocks, new, hides, few = self.blocks_around(settings, base, axis, threads)
            asking.update(few)
            self.turns = self.turns or bool(blocks) or hides
            if every and (hides or len(blocks) > MOST_TURNS):
                self.not_judged[f"a condition may change in other blocks along {label} than those that are judged"] = 0
            waiting += [{axis: number} for number in new if not base]
            for number in blocks[:MOST_TURNS]:
                before, these = len(self.reached), {}
                self.judge_block(settings, these, base | {axis: number}, last)
                if every or len(self.reached) > before:
                    found |= {name: {place: access for place, access in accesses.items() if every or place not in known}
                              for name, accesses in these.items()}  # fmt: skip
                    self.judged[label] = [] if not every else sorted([*self.judged.get(label, ()), number])
        self.others = waiting
        if every and asking:
            self.joining_blocks(settings, found, last, sorted(asking))

    def joining_blocks(self, settings: list[dict[str, int]], found: dict, last: int, threads: list) -> None:
        """Adds those that do along several dimensions at once what none does along one: of the blocks that are judged
        along each; where numbers that make a sum, a product or a comparison follow from two, of the whole grid."""
        axes = [axis for axis in AXES if self.is_free(settings[0], axis)]
        chosen = [{0}.union(*(at for label, at in self.judged.items() if label.startswith(axis))) for axis in axes]
        with self.unchanged():
            at = functools.cache(lambda block: self.compared(settings, dict(zip(axes, block, strict=True)), threads))
            points = [*itertools.product(*map(sorted, chosen))]
            joint = {key for key in set().union(*map(at, points)) if joins(key, at, points)}
            sizes = [self.grid(settings[0], axis) for axis in axes]
            if is_whole := bool(joint) and math.prod(sizes) * len(threads) <= MOST_TRIED:
                points = [*itertools.product(*map(range, sizes))]
            new, seen = [], []
            for block in sorted(points, key=lambda block: sum(map(bool, block))):
                does = {key: ARITHMETIC[was[0]](*was[1:]) if key in joint and was[0] in ARITHMETIC else order(was)
                        for key, was in at(block).items() if key in joint or was[0] in TURNING}  # fmt: skip
                if does not in seen and len(new) <= MOST_JOINED:
                    seen.append(does)
                    is_judged = sum(map(bool, block)) < 2 and all(map(set.__contains__, chosen, block))
                    new += [] if is_judged else [block]
        if (joint and not is_whole) or len(new) > MOST_JOINED:
            what = " and ".join(axes)
            self.not_judged[f"what {what} decide together may be otherwise in blocks that are not judged"] = 0
        for block in new[:MOST_JOINED]:
            (axis, number), *others = ((axis, i) for axis, i in zip(axes, block, strict=True) if i)
            label = " where ".join([axis, *[" and ".join(f"{other}={i}" for other, i in others)] * bool(others)])
            self.judged[label] = sorted({*self.judged.get(label, ()), number})
            self.judge_block(settings, found, {axis: number, **dict(others)}, last)

    @contextlib.contextmanager
    def unchanged(self):
        """What runs in it leaves nothing behind."""
        before = {name: copy.copy(value) for name, value in vars(self).items() if type(value) in STATE}
        try:
            yield
        finally:
            vars(self).update(before | {"effort": self.effort})

    def blocks_around(self, settings: list[dict[str, int]], base: dict, axis: str, threads) -> tuple:
        """Blocks; of those and the judged ones some that compare what block 0 doesn't; whether there may be others;
        threads whose numbers follow from the block."""
        old, new = (self.compared(settings, base | {axis: number}, threads, LEAST_ROUNDS) for number in (0, 1))
        asked, near = {}, {1 << i for i in range(FARTHEST)} | {at for at in settings[0].values() if type(at) is int}
        for key, was in old.items():
            if (now := new.get(key)) != was or was[0] == "[":
                asked.setdefault((was[0] in TURNING, *key[1:]), []).append(key[0][0])
            if now and was[0] in TURNING and (by := apart(*now) - apart(*was)):
                near.add(-apart(*was) // by)  # where it moves by as much from each block to the next
        few, asking = (sorted({thread for key, of in asked.items() if key[0] or is_any for thread in (of[0], of[-1])})
                       for is_any in (False, True))  # fmt: skip
        body = self.parsed.body.walk_preorder()
        near |= {cursors.constant(item) for item in body if item.kind == Kind.INTEGER_LITERAL}
        ends, judged = {at + by for at in near for by in (-1, 0, 1)}, [0, *([] if base else self.judged.get(axis, ()))]
        farthest = min(self.grid(settings[0], axis), 1 << FARTHEST)
        of_table = any(was[0] == "[" for was in old.values())
        is_all = of_table and farthest <= MOST_ALL
        tried = farthest if is_all else min(TRIED, farthest)
        ends = sorted({*range(tried), *(end for end in ends if 0 <= end < farthest), *judged})

        @functools.cache
        def notes_at(number: int) -> dict:
            return self.compared(settings, base | {axis: number}, few)

        def at(number: int) -> dict:
            return {key: was for key, was in notes_at(number).items() if was[0] in TURNING}

        found = list(itertools.islice(turns(at, ends, judged, of_table), MOST_TURNS + 1)) if few else []
        rounds, far = max(itertools.chain(*self.counts.values()), default=1), {}
        for key, was in old.items():
            if was[0] in CROSSING and key[1] not in self.ends and key[2] == 1:
                row = far_blocks(self.rows(old, key), apart(*new.get(key, was)) - apart(*was), rounds, farthest)
                far.setdefault(key[1], []).append(row)
        new_ones = {number for rows in far.values() for row in rows for number in row or ()}
        found += sorted(new_ones - {*found, *judged})
        is_open = any(not any(row is not None for row in rows) for rows in far.values())
        others = {frozenset(notes_at(i)): i for i in (*judged, *found) if not notes_at(i).keys() <= notes_at(0).keys()}
        hides = is_open or may_hide(at, sorted({*ends, *found}), is_all)
        return found, [*others.values()], hides, asking

    @staticmethod
    def rows(noted: dict, key: tuple) -> list[int]:
        """What it is in one round after the other."""
        keys = itertools.takewhile(noted.__contains__, ((*key[:2], count) for count in itertools.count(key[2])))
        return [apart(*noted[of]) for of in keys]

    def notes_of(self, settings: list[dict[str, int]], block: dict, threads, most_rounds: int | None = None) -> list:
        """Of each thread and setting, what it compares, divides and accesses; of loops with many rounds in the first
        ones; None: it can't be run. fewer: than those that were asked for."""
        found, self.most_work, self.of_block, self.fewer = [], MOST_NOTED, " ", False
        for thread, at in itertools.product(threads, (0, -1)[: len(settings)]):
            for self.most_rounds in dict.fromkeys((most_rounds, LEAST_ROUNDS)):
                notes, is_whole = [], False
                self.begin_warp(notes)
                with contextlib.suppress(UserError, TooLongError):
                    self.run_thread(settings[at], thread, block)
                    is_whole = True
                    break
            found.append(((thread, at), notes, is_whole))
            self.fewer |= not is_whole or self.most_rounds != most_rounds
        self.begin_warp()
        return found

    def compared(self, settings: list[dict[str, int]], block: dict, threads, most_rounds: int | None = None) -> dict:
        """Of each thread by the place in the text, and how often it was there before."""
        found = {}
        for who, notes, _ in self.notes_of(settings, block, threads, most_rounds):
            counts = collections.Counter()
            for site, sign, *operands in notes:
                counts[site] += 1
                if (sign in (*COMPARED, *ARITHMETIC, "[")) and all(type(item) is int for item in operands):
                    found[who, site, counts[site]] = (sign, *operands)
        return found
