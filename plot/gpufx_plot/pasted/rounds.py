"""Loops of many rounds, of which those are passed over that can't differ from the ones before.

A lane notes what does not move along with its operands: comparisons, divisions, masks, and the addresses of accesses.
Where all variables move by the same from one run of some rounds to the next, and from that to the one after it, so do
all numbers that are sums of them; where what is noted moves so that it keeps its outcome (i < n until a known round,
i % 4 by a multiple of 4, an address by a multiple of 128 bytes, in all lanes alike), every further run is such a run,
up to the first one in which a condition has another value."""

import itertools
import math

from .values import Pointer, Unknown, moved

PERIODS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # rounds that make a run
WARM_UP = 2  # first rounds, which may be others
MOST = 2 * PERIODS[-1] + WARM_UP
COMPARED = ("<", ">", "<=", ">=", "==", "!=", "?", "min", "max", "abs")
BESIDE = {"<": 1, ">=": 1, ">": -1, "<=": -1}  # of twice a difference: these tell 0 from one side alone
STEPS = {"<<": lambda _: 1, ">>": lambda bits: 1 << bits, "@": lambda _: 128}  # bytes of a line, a period of the banks


def distance(new, old):
    """How far it moved; None: it is something else."""
    if type(new) is int and type(old) is int:
        return new - old
    if new is old or (isinstance(new, Unknown) and isinstance(old, Unknown)):
        return 0
    if isinstance(new, Pointer) and isinstance(old, Pointer):
        return new.offset - old.offset if new.array is old.array else None
    return 0 if new == old else None


def runs_until(value, by) -> float:
    """Runs for which its sign stays."""
    return math.inf if by == 0 or value * by > 0 else (abs(value) - 1) // abs(by) if value else 0


def stays(sign: str, first, second, by) -> float:
    """Runs for which what is noted keeps its outcome; below 0: it has another one already. by: how far both moved."""
    if sign in COMPARED:
        apart, change = 2 * (first - second) + BESIDE.get(sign, 0), 2 * (by[0] - by[1])
        was = apart - change
        return runs_until(apart, change) if (apart > 0) - (apart < 0) == (was > 0) - (was < 0) else -1
    if sign in ("/", "%"):
        stays_positive = not by[1] and second and by[0] % second == 0 and first - by[0] >= 0
        return runs_until(first, by[0]) if stays_positive else -1
    if sign in ("&", "|", "^"):
        kept = second if by[0] else first
        is_alike = not all(by) and sum(by) % (1 << max(kept, ~kept).bit_length()) == 0
    else:
        is_alike = not all(by) if sign == "*" else not by[1] and sign in STEPS and by[0] % STEPS[sign](second) == 0
    return math.inf if is_alike else -1


def outlasts(sign: str, old: list, new: list) -> float:
    """For how many more runs what is noted has the outcome that it has in these two; below 0: not even here."""
    by = [distance(*pair) for pair in zip(new, old, strict=True)]
    if None in by or not any(by):
        return -1 if None in by else math.inf
    first, second = (item.offset if isinstance(item, Pointer) else item for item in new)
    if type(first) is int and type(second) is int:
        return stays(sign, first, second, by)
    return math.inf if sign in COMPARED else -1  # of what is not known, nor is the outcome


class Rounds:
    """Of one loop that one lane runs, at a place in keys of steps. plan: see Leaps."""

    def __init__(self, warp, plan: dict, loop, around: tuple):
        self.warp, self.plan, self.loop, self.around = warp, plan, loop, around
        self.begin()

    def begin(self) -> None:
        self.states, self.notes = [dict(self.warp.registers)], []  # at the start of each round; of each round
        self.start = len(self.warp.noted)

    def end(self) -> None:
        if len(self.notes) < MOST:
            self.states.append(dict(self.warp.registers))
            self.notes.append(self.warp.noted[self.start :])
            self.start = len(self.warp.noted)

    def find(self, period: int):
        """Runs of this many rounds that may be passed over, by how much variables move in each, and accesses."""
        (a, b, c), moves, shifts, count = self.states[-1 - 2 * period :: period], {}, {}, math.inf
        if not a.keys() == b.keys() == c.keys():
            return None
        for key, value in c.items():
            if value is b[key] is a[key]:
                continue
            by = distance(value, b[key])
            if by is None or by != distance(b[key], a[key]):
                return None
            moves |= {key: by} if by else {}
        for before, after in zip(self.notes[-2 * period : -period], self.notes[-period:], strict=True):
            if len(before) != len(after):
                return None
            for was, now in zip(before, after, strict=True):
                if was[1] == "." or (was == now and was[1] != "@"):  # ".": what leads to an access
                    continue
                (site, sign, *old), (other, _, *new) = was, now
                count = min(count, outlasts(sign, old, new) if site == other else -1)
                if count < 1 or (sign == "@" and shifts.setdefault(site, new[0] - old[0]) != new[0] - old[0]):
                    return None
        return (count, moves, shifts) if count < math.inf else None

    def leap(self, at: int) -> int:
        """Passes over rounds; returns how many."""
        period, is_odd = divmod(len(self.notes) - WARM_UP, 2)
        if is_odd or period not in PERIODS or self.plan.get(at, (1,))[0] == 0:
            return 0
        count, moves, shifts = self.find(period) or (0, {}, {})
        planned, shifted = self.plan.setdefault(at, (count, shifts))
        if planned and (count < planned or any(shifted.get(site, by) != by for site, by in shifts.items())):
            planned, self.warp.replan = count if count < planned else 0, True
        self.plan[at] = planned, shifted | shifts
        for key, by in moves.items() if planned else ():
            value, total = self.warp.registers[key], by * planned
            self.warp.registers[key] = moved(value, total, 1) if isinstance(value, Pointer) else value + total
        if planned:
            self.warp.note("leap", "=", planned * period)
            before, last = (itertools.chain(*self.notes[end:][:period]) for end in (-2 * period, -period))
            for was, now in zip(before, last, strict=True):  # the last run, so that a loop around it sees both ends
                ends = [b + planned * (b - a) if type(a) is type(b) is int else b
                        for a, b in zip(was[2:], now[2:], strict=True)]  # fmt: skip
                self.warp.noted.append((*now[:2], *ends))
            self.warp.weights |= {(self.loop, *self.around, i): planned + 1 for i in range(at - period, at)}
            self.begin()
        return planned * period


class Leaps:
    """What all lanes of a warp do alike. plans: of each loop, by what is around it: by round, runs to pass over, and
    how far accesses move in each; a lane that can't pass over as many lowers that, and the warp has to run again."""

    def __init__(self):
        self.leaps, self.plans, self.replan = False, {}, False
        self.noted = self.kept = None  # kept: of all rounds, for what asks how blocks differ
        self.log = []  # of a lane: accesses, and None where nvcc moves none across

    def note(self, site, sign: str, first, second=0) -> None:
        if sign in ("?", "=="):
            self.log.append(None)
        if self.noted is not None:
            self.noted.append((site, sign, first, second))

    def rounds_of(self, loop) -> Rounds | None:
        return Rounds(self, self.plans.setdefault(loop, {}), *loop[1:]) if self.leaps and self.kept is None else None
