"""Two traces of a program, before and after a change: the same kernels by name, and the same lines by what they are,
since numbers of lines move."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import PurePath

from .answer import Answer, Kernel, Line


@dataclass(frozen=True)
class Pair:
    """A kernel that both traces have, or one of them."""

    before: Kernel | None
    now: Kernel | None

    @property
    def name(self) -> str:
        return (self.now or self.before).name

    @property
    def ratio(self) -> float | None:
        """Of the predicted times of a launch."""
        times = [
            kernel.predicted_ns / kernel.launches if kernel and kernel.predicted_ns is not None else None
            for kernel in (self.before, self.now)
        ]
        return times[1] / times[0] if None not in times and times[0] else None


def pairs(before: Answer, now: Answer) -> list[Pair]:
    """In the order of now; what is gone comes last."""
    old = {kernel.name: kernel for kernel in before.kernels}
    names = {kernel.name for kernel in now.kernels}
    found = [Pair(old.get(kernel.name), kernel) for kernel in now.kernels]
    return found + [Pair(kernel, None) for kernel in before.kernels if kernel.name not in names]


def lines(pair: Pair) -> list[tuple[Line | None, Line | None]]:
    """Lines of a file that do the same are told apart by their order."""
    sides: list[dict[tuple, list[Line]]] = []
    for kernel in (pair.before, pair.now):
        found: dict[tuple, list[Line]] = defaultdict(list)
        for line in sorted(kernel.lines if kernel else [], key=lambda one: (one.file or "", one.line or one.pc)):
            found[PurePath(line.file or "").name, line.space, line.op, line.width].append(line)
        sides.append(found)
    result = []
    for key in dict.fromkeys([*sides[1], *sides[0]]):
        old, new = sides[0].get(key, []), sides[1].get(key, [])
        for i in range(max(len(old), len(new))):
            result.append((old[i] if i < len(old) else None, new[i] if i < len(new) else None))
    return result
