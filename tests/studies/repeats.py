"""What repeats: how far the cases of each probe differ between processes, cards, chips and SMs, by the archives of the
tree.

`repeats.py` prints the tables; nothing of it is a verdict. Two values of a
case differ by the larger over the smaller, less 1. Compared are cases of one method; between chips only those that are
counted in cycles of an SM.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from statistics import median

from gpufx_plot import UserError
from gpufx_plot.archive.cases import Point
from gpufx_plot.archive.load import Archive, load
from gpufx_plot.call.program import root
from gpufx_plot.call.terminal import complain

Pair = tuple[str, float]  # probe, and how far two values of one case are apart
WITHIN = 0.01
COLUMNS = (
    "processes of one run",
    "cards, one SM",
    "cards, SMs in turn",
    "chips, one SM",
    "chips, SMs in turn",
    "SMs of one chip",
)


def apart(one: float, other: float) -> float:
    return max(one, other) / min(one, other) - 1


def between_processes(archives: Iterable[Archive]) -> Iterator[Pair]:
    for archive in archives:
        for point in archive.points:
            for one, other in combinations(point.medians, 2):
                if min(one, other) > 0:
                    yield point.probe, apart(one, other)


def comparable(one: Point, other: Point) -> bool:
    alike = (one.method_version, one.metric) == (other.method_version, other.metric)
    return alike and min(one.value, other.value) > 0


def between_archives(pairs: Iterable[tuple[Archive, Archive]], cycles_only: bool) -> Iterator[Pair]:
    for one, other in pairs:
        theirs = {point.key: point for point in other.points}
        for point in one.points:
            found = theirs.get(point.key)
            if found and comparable(point, found) and (point.unit == "cycles" or not cycles_only):
                yield point.probe, apart(point.value, found.value)


def between_sms(archives: Iterable[Archive]) -> Iterator[Pair]:
    for archive in archives:
        for point in archive.points:
            if point.over_sms and point.over_sms[0] > 0:
                yield point.probe, apart(*point.over_sms)


def in_turn(archive: Archive) -> bool:
    """Whether what one SM does was timed on several: what leaves the SM differs by that alone."""
    return any(point.over_sms for point in archive.points)


def pairs_of(archives: list[Archive], turned: bool, chips: bool) -> list[tuple[Archive, Archive]]:
    """Two archives of different cards of one chip, or of two chips, that were taken in the same way."""
    pairs = combinations([archive for archive in archives if in_turn(archive) == turned], 2)
    if chips:
        return [(one, other) for one, other in pairs if one.slug != other.slug]
    return [(a, b) for a, b in pairs if a.slug == b.slug and a.run["device"]["uuid"] != b.run["device"]["uuid"]]


def columns(archives: list[Archive]) -> list[dict[str, list[float]]]:
    """For each of COLUMNS: how far apart, by probe."""
    found = [between_processes(archives)]
    for chips in (False, True):
        found += [between_archives(pairs_of(archives, turned, chips), cycles_only=chips) for turned in (False, True)]
    found.append(between_sms(archives))
    result = []
    for pairs in found:
        by_probe: dict[str, list[float]] = defaultdict(list)
        for probe, distance in pairs:
            by_probe[probe].append(distance)
        result.append(by_probe)
    return result


def cell(distances: list[float]) -> str:
    """The share within 1 %, and the median distance where that is less than all."""
    if not distances:
        return ""
    share = sum(d <= WITHIN for d in distances) / len(distances)
    shown = f"{100 * share:.0f} %"
    return shown if share > 0.995 else f"{shown} ({100 * median(distances):.2g} %)"


def table(archives: list[Archive]) -> str:
    found = columns(archives)
    lines = ["| probe | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    for probe in sorted({probe for column in found for probe in column}):
        lines.append(f"| {probe} | " + " | ".join(cell(column.get(probe, [])) for column in found) + " |")
    return "\n".join(lines)


def main() -> int:
    archives = []
    for path in sorted((root() / "results").glob("sm_*/*/*.jsonl.gz")):
        try:
            archives.append(load(path))
        except UserError as error:  # of counters, or damaged
            complain(f"note: left out: {error}")
    print(table([archive for archive in archives if not archive.run["quick"]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
