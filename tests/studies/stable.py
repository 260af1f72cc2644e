"""Which quantities repeat from board to board, by the archives there are.

Of each quantity the cards of one chip, measured in one way, are put together; where they fall into two clumps, each of
two cards or more and far apart (two kinds of card, as with the DRAM of the H200), each clump has a mean of its own.
What is left is the spread between archives, pooled over chips. A part of it is what processes of one archive differ by;
the rest is the board's.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from gpufx_plot.archive.load import Archive, load
from gpufx_plot.cards.board import Board, board_in
from gpufx_plot.cards.card_table import SIGNS
from gpufx_plot.statistics.spread import LEAST

APART = 6.0  # spreads within clumps, between two of them
STABLE = ((0.001, "to 0.1 %"), (0.01, "to 1 %"), (0.05, "to 5 %"), (math.inf, "by more"))


@dataclass(frozen=True)
class Stable:
    """One quantity: standard deviations of its logarithm, between archives of as many processes as these had, between
    processes, and between boards."""

    name: str
    better: int
    spread: float
    freedom: int
    process: float  # NaN: no archive has several
    board: float
    error: float  # what one archive is known to, within itself
    clumps: float  # how far two kinds of card are apart; 0: there is one kind
    boards: int

    @property
    def word(self) -> str:
        return next(word for most, word in STABLE if self.spread <= most)

    def of(self, processes: int) -> float:
        """Between archives of so many processes."""
        if math.isnan(self.process):
            return self.spread
        return math.sqrt(self.board**2 + self.process**2 / processes)


def _clumps(logs: np.ndarray) -> list[np.ndarray]:
    ordered = np.sort(logs)
    if len(ordered) < 4:
        return [ordered]
    at = int(np.argmax(np.diff(ordered[1:-1]))) + 2 if len(ordered) > 4 else 2
    parts = [ordered[:at], ordered[at:]]
    within = math.sqrt(sum(float(((p - p.mean()) ** 2).sum()) for p in parts) / max(len(ordered) - 2, 1))
    gap = float(parts[1][0] - parts[0][-1])
    return parts if gap > APART * max(within, LEAST) else [ordered]


def _between(archive: Archive) -> dict[str, tuple[float, int]]:
    """How far the processes of an archive differ, quantity by quantity: squares about their mean, degrees of
    freedom."""
    parts = [board_in(archive.part({process})).figures for process in archive.process_ids]
    found = {}
    for name in set().union(*parts):
        logs = np.array([part[name].log for part in parts if name in part])
        if len(logs) > 1:
            found[name] = (float(((logs - logs.mean()) ** 2).sum()), len(logs) - 1)
    return found


def stable(boards: Sequence[Board]) -> list[Stable]:
    """Of all quantities that two boards of a chip have; in order of name."""
    found = []
    names = sorted({name for board in boards for name in board.figures})
    within = [_between(load(board.path)) for board in boards if board.processes > 1]
    for name in names:
        groups: dict[tuple, dict[str, list]] = defaultdict(lambda: defaultdict(list))
        errors, better, shares = [], 0, []
        inside = [of[name] for of in within if name in of]
        for board in boards:
            if name in board.figures:
                figure = board.figures[name]
                groups[board.slug, figure.kind][board.card].append(figure.log)
                errors.append(figure.error)
                shares.append(1 / board.processes)
                better = SIGNS.get(board.definitions[name].better, 0)
        squares, freedom, apart, count = 0.0, 0, 0.0, 0
        for cards in groups.values():
            logs = np.array([np.mean(of) for of in cards.values()])
            count += len(logs)
            parts = _clumps(logs)
            squares += sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
            freedom += len(logs) - len(parts)
            if len(parts) > 1:
                apart = max(apart, float(parts[1].mean() - parts[0].mean()))
        if freedom > 0:
            error = float(np.nanmedian(errors)) if np.isfinite(errors).any() else 0.0
            spread = math.sqrt(squares / freedom + LEAST**2)
            degrees = sum(count for _, count in inside)
            process = math.sqrt(sum(part for part, _ in inside) / degrees) if degrees else math.nan
            left = spread**2 - (0.0 if math.isnan(process) else process**2 * float(np.mean(shares)))
            # Never nothing: a tenth of what is seen stays with the board.
            own = math.sqrt(max(left, 0.1 * spread**2))
            found.append(Stable(name, better, spread, freedom, process, own, error, apart, count))
    return found
