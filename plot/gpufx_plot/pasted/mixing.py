"""Blocks whose number reaches an address otherwise than by sums and multiples: through a quotient, bits of it, or a
function. Every block of a known grid is tried by some threads, and those are judged in which an access has lanes that
lie, or cost, as in none before; where that takes too long, blocks in which first quotients and remainders are small or
the largest, if sums of them are all that follows."""

import contextlib
import math

from .. import UserError
from .memory import LANES, LINE, PERIOD, passes
from .rounds import COMPARED
from .values import ARITHMETIC

SUMS = ("+", "-", *COMPARED, "[", "=", "@", ".")  # which other blocks are found by, or which move by the same
SECTOR, PROBES = 32, (0, 1, 2, 4, 8, 16, 31)  # lanes, one for each bit, of the first warp
LEAST = 4  # values of a quotient, and rounds of a loop, that show how it goes on
MOST_UNKNOWN = 256  # blocks of a grid that is not known, and powers of two
MOST_ADDED = 64


def is_mix(sign: str, old: list, new: list) -> bool:
    """True if the block moves what is not a sum or a multiple of it: of products, both factors."""
    moves = [a != b for a, b in zip(old, new, strict=True)]
    return all(moves) if sign == "*" else moves[1] if sign == "<<" else any(moves) and sign not in SUMS


def costs(access) -> set:
    """Of each step: active lanes, sectors, lines, and words in the busiest bank."""
    found, total = set(), 0
    for step in access.instructions():
        parts = [range(at // by, (at + access.width - 1) // by + 1) for by in (SECTOR, LINE) for at in step.values()]
        sectors, lines = (len(set().union(*of)) for of in (parts[: len(step)], parts[len(step) :]))
        ways = sum(passes(step, access.width))
        found.add((len(step), sectors, lines, ways))
        total += ways if access.array.space == "shared" else sectors
    return found | {total}


def by_site(notes: list):
    """Each note with how often its place was there before."""
    counts = {}
    for site, sign, *operands in notes:
        counts[site] = counts.get(site, 0) + 1
        yield (site, counts[site]), sign, operands


def moving_of(notes: list) -> set:
    """What each comparison has in the rounds of a loop, if that changes from one to the next."""
    rows = {}
    for site, sign, *operands in notes:
        if sign in COMPARED:
            rows.setdefault(site, []).append(str(operands))
    return {(site, *row) for site, row in rows.items() if len({*row}) > 1}


def where_of(axis: str, base: dict[str, int]) -> str:
    return " where ".join([axis, *(f"{other}={number}" for other, number in base.items())])


class Mixing:
    """What of Blocks finds them."""

    def mixed_blocks(self, settings, found: dict, last: int, base: dict, axis: str, most: int) -> None:
        """Adds them along this axis. base: the others, if not 0; most: the work that a search of it may take."""
        count, label = self.grid(settings[0], axis), where_of(axis, base)
        judged, before = {0, *self.judged.get(label, ())}, self.effort
        if count < 2:
            return
        with self.unchanged():
            self.effort = 0
            new, is_open = self.find_mixed(settings, base, axis, count, judged, most)
        self.effort = before
        for number in new[:MOST_ADDED]:
            self.judge_block(settings, found, base | {axis: number}, last)
            self.judged[label], self.turns = sorted({*self.judged.get(label, ()), number}), True
        if is_open or len(new) > MOST_ADDED:
            what = f"what a quotient, bits or a function of {label} chooses"
            self.not_judged[f"{what} may be otherwise in blocks than in those that are judged"] = 0

    def find_mixed(self, settings, base: dict, axis: str, count: int, judged: set, most: int) -> tuple:
        """Blocks, and whether there may be others."""
        whole, cut, late, other = math.prod(self.block), set(), set(), set()  # cut: of which rounds some are not known
        ends = sorted({0, min(LANES, whole) - 1, (whole - 1) // LANES * LANES})

        def tried(number: int, threads, rounds: int | None) -> list:
            lanes = [notes for _, notes, _ in self.notes_of(settings, base | {axis: number}, threads, rounds)]
            moving = set().union(*map(moving_of, lanes)) if rounds else set()
            late.update(moving if number in judged else ())
            cut.update({rounds} if self.fewer else ())
            other.update({rounds} if not moving <= late else ())
            return [[*by_site(notes)] for notes in lanes]

        mixed = {}  # place in the text: of block 0 and 1, what it has
        for number in sorted(judged):
            begin = number if number + 1 < count else number - 1
            pair = [tried(at, ends, LEAST) for at in (begin, begin + 1)]
            for who, lanes in enumerate(zip(*pair, strict=True)):
                old, new = ({key: (sign, of) for key, sign, of in notes} for notes in lanes)
                mixed |= {(who, key): (number, sign, of, new[key][1]) for key, (sign, of) in old.items()
                          if key in new and is_mix(sign, of, new[key][1]) and (who, key) not in mixed}  # fmt: skip
        if not mixed or cut:
            return [], bool(cut)
        other.clear()
        blocks = range(count)
        if count >= 1 << 31:
            blocks = sorted({*range(MOST_UNKNOWN), *(1 << i for i in range(21)), *judged})
        before = self.effort
        full = {key[0] for notes in tried(0, ends[:1], None) for key, *_ in notes}
        unit = max(self.effort - before, 1)
        before = self.effort
        least = {key[0] for notes in tried(0, ends[:1], LEAST) for key, *_ in notes}
        least_unit = max(self.effort - before, 1)
        is_short = full <= least and all(at < LEAST for _, (_, at) in mixed)
        probes = sorted({*(at for at in PROBES if at < whole), *ends})
        for rounds, each in ((None, unit), (LEAST, least_unit))[: 1 + is_short]:
            new = len(blocks) * whole * each <= most and self.by_costs(settings, base, axis, blocks, judged, rounds)
            if new or new == []:
                return new, False
        for rounds, each in ((None, unit), (LEAST, least_unit))[: 1 + is_short]:
            if rounds not in cut | other and len(blocks) * len(probes) * each <= most:
                new = self.by_places(axis, blocks, judged, lambda at, rounds=rounds: tried(at, probes, rounds))
                if rounds not in cut | other:
                    return new, False
        few = self.simple_blocks(mixed, blocks) if is_short else []
        if not few or len(few) * len(probes) * least_unit > most:
            return [], True
        at = {number: tried(number, probes, LEAST) for number in sorted({*few, *judged})}
        is_open = LEAST in cut | other or not self.is_simple(mixed, at, ends, probes)
        return self.by_places(axis, [*at], judged, at.get), is_open

    def by_costs(self, settings, base: dict, axis: str, blocks, judged: set, rounds: int | None) -> list[int] | None:
        """Those in which an access costs what it does in none before. None: a warp can't be run to its end, or later
        rounds than these may do what they do in none that is judged."""
        seen, new, late = {}, [], set()
        for number in sorted(blocks, key=lambda at: (at not in judged, at)):
            is_new = False
            for warp in range(self.last_warp + 1):
                accesses = None
                with self.unchanged(), contextlib.suppress(UserError):
                    self.most_rounds, self.most_work, self.of_block, self.leaps = rounds, 1 << 31, " ", False
                    accesses = self.run_warp(settings, LANES * warp, base | {axis: number}) and self.accesses
                    moving = set().union(*map(moving_of, self.noted_by.values())) if rounds else set()
                late |= moving if accesses and number in judged else set()
                if not isinstance(accesses, dict) or not moving <= late:
                    return None
                for place, access in accesses.items():
                    these, known = costs(access), seen.setdefault(place[:3], set())
                    is_new = is_new or not these <= known
                    known |= these
            new += [number] if is_new and number not in judged else []
            if len(new) > MOST_ADDED:
                break
        return new

    @staticmethod
    def by_places(axis: str, blocks, judged: set, tried) -> list[int]:
        """Those in which threads access places that lie otherwise, to each other and in periods of banks and lines,
        than in any before; but what moves by the same from each block to the next."""
        first, second = ([{key: of[0] for key, sign, of in notes if sign == "@"} for notes in tried(at)]
                         for at in (0, 1))  # fmt: skip
        seen, new = {}, []
        for number in sorted(blocks, key=lambda at: (at not in judged, at)):
            is_new, bases = False, {}
            for who, notes in enumerate(tried(number)):
                for key, at in ((key, of[0]) for key, sign, of in notes if sign == "@"):
                    begin = bases.setdefault(key, at)
                    was, then = (of[who].get(key) for of in (first, second))
                    is_sum = None not in (was, then) and at == was + number * (then - was)
                    known, apart = seen.setdefault((who, key), set()), at - begin
                    is_new = is_new or (apart if is_sum else (apart, at % PERIOD)) not in known
                    known |= {apart, (apart, at % PERIOD)}
            new += [number] if is_new and number not in judged else []
            if len(new) > MOST_ADDED:
                break
        return new

    @staticmethod
    def simple_blocks(mixed: dict, blocks) -> list[int]:
        """One of each where all quotients and remainders of sums are small, or the largest. []: there are others."""
        results = {}
        for number, sign, old, new in mixed.values():
            is_low = sign == "&" and old[1] == new[1] and not old[1] & (old[1] + 1)
            if number or not (sign in ("/", "%", ">>") or is_low) or old[1] != new[1] or not old[1] or old[0] < 0:
                return []
            results[sign, old[0], new[0], old[1]] = [
                ARITHMETIC[sign](old[0] + at * (new[0] - old[0]), old[1]) for at in blocks
            ]
        rows = [[value if value < LEAST or value == max(row) else LEAST for value in row] for row in results.values()]
        first = {}
        for number, kind in zip(blocks, zip(*rows, strict=True), strict=True):
            first.setdefault(kind, number)
        return sorted(first.values())

    @staticmethod
    def is_simple(mixed: dict, at: dict, ends: list, probes: list) -> bool:
        """True if nothing else of these blocks is more than a sum of what they were chosen by."""
        of_key = {}
        for number, lanes in at.items():
            for who, notes in enumerate(lanes):
                for key, sign, of in notes:
                    of_key.setdefault((who, key, sign), {})[number] = of
        for (_, key, sign), row in of_key.items():
            if sign in ("@", ".", "=", "+", "-"):
                continue
            first, second = row.get(0), row.get(1)
            is_linear = first and second and all(
                a is b or (type(a) is type(b) is int and type(c) is int and c == a + number * (b - a))
                for number, of in row.items() for a, b, c in zip(first, second, of, strict=True))  # fmt: skip
            moves = [len({*map(repr, items)}) > 1 for items in zip(*row.values(), strict=True)]
            if sign in COMPARED:
                truths = {(of[0] > of[1]) - (of[0] < of[1]) if all(type(i) is int for i in of) else None
                          for of in row.values()}  # fmt: skip
                is_more = len(truths) > 1 and not is_linear
            elif sign in ("*", "<<"):
                is_more = all(moves) if sign == "*" else moves[1]
            else:
                is_more = any(moves) and not (is_linear and any(key == known for _, known in mixed))
            if is_more:
                return False
        return True
