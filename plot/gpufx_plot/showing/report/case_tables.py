"""Every case as tables of rows, a table per probe, and its samples, packed."""

import base64
import hashlib
import json
import zlib
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from ...archive.load import Archive
from ...archive.params import ordered
from ...archive.points import Point
from ...call.number_text import number
from ..charts.scales import binary

FINE = 1e4  # a sample is written as its distance from the median of its process, in so many parts of that
MOST_SAMPLES = 900_000  # numbers in a page; of more, every second is left out, and so on
FAR = 10**6  # a distance that is not written out


@dataclass
class Table:
    """The cases of one probe, of all archives side by side."""

    probe: str
    question: str
    head: list[str]
    keys: int  # leading columns that name the case
    rows: list[list[str]] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)  # of the rows: the same for a case in any page
    chips: list[int | None] = field(default_factory=list)  # whose each column is
    packed: str = ""  # base64 of deflated JSON: for each row, archive and process the median and the distances


def cases_of(archives: list[Archive]) -> list[Table]:
    by_probe: dict[str, list[dict[tuple, Point]]] = {}
    for index, archive in enumerate(archives):
        for point in archive.points:
            sides = by_probe.setdefault(point.probe, [{} for _ in archives])
            sides[index][point.key] = point
    step = _step(archives)
    return [_table(archives, probe, by_probe[probe], step) for probe in sorted(by_probe)]


def _step(archives: list[Archive]) -> int:
    count = sum(len(part) for archive in archives for point in archive.points for part in point.samples)
    step = 1
    while count > MOST_SAMPLES * step:
        step *= 2
    return step


def _table(archives: list[Archive], probe: str, sides: list[dict[tuple, Point]], step: int) -> Table:
    keys = list(dict.fromkeys(key for side in sides for key in side))
    firsts = [next(side[key] for side in sides if key in side) for key in keys]
    names = dict.fromkeys(axis for point in firsts for axis in point.params)
    axes = [axis for axis in names if len(ordered(point.params.get(axis, "") for point in firsts)) > 1]
    metrics = ordered(point.metric for point in firsts)
    counted = any(point.count is not None for point in firsts)
    rated = any(point.gbps for point in firsts)
    head = axes + (["metric"] if len(metrics) > 1 else [])
    keys_count = len(head)
    head += ["count"] * counted
    chips: list = [None] * len(head)
    for index, archive in enumerate(archives):
        mark = f" {_short(archives, archive)}" if len(archives) > 1 else ""
        unit = firsts[0].unit if len(metrics) == 1 else "value"
        head += [f"{unit}{mark}", f"\u00b1 %{mark}"] + [f"GB/s{mark}"] * rated
        chips += [index] * (len(head) - len(chips))
    if len(archives) > 1:
        head.append("first / second")
        chips.append(None)
    declared = next((a.run["probes"][probe] for a in archives if a.run["probes"].get(probe)), {})
    table = Table(probe, declared.get("question") or "", head, keys_count, chips=chips)
    samples = []
    for key, first in zip(keys, firsts, strict=True):
        points = [side.get(key) for side in sides]
        row = [_axis(first, axis) for axis in axes] + ([first.metric] if len(metrics) > 1 else [])
        row += [number(first.count, 4) if first.count is not None else ""] * counted
        for point in points:
            row += [number(point.value), _spread(point)] if point else ["", ""]
            row += [number(point.gbps, 4) if point and point.gbps else ""] * rated
        if len(archives) > 1:
            row.append(_ratio(points))
        table.rows.append(row)
        table.ids.append("c" + hashlib.blake2s(f"{first.name} {first.metric}".encode(), digest_size=5).hexdigest())
        samples.append([[_distances(part, step) for part in point.samples] if point else [] for point in points])
    if any(part for row in samples for part in row):
        content = json.dumps({"step": step, "rows": samples}, separators=(",", ":")).encode()
        table.packed = base64.b64encode(zlib.compress(content, 6)).decode()
    return table


def _short(archives: list[Archive], archive: Archive) -> str:
    """A word that tells an archive from the others."""
    names = [a.run["device"]["name"] for a in archives]
    return archive.run["device"]["name"] if len(set(names)) == len(names) else archive.run["id"]


def _axis(point: Point, axis: str) -> str:
    value = point.params.get(axis, "")
    return binary(value) if axis in point.byte_axes and isinstance(value, int) else str(value)


def _spread(point: Point) -> str:
    low, high = point.spread
    value = point.value
    return f"{50 * (high - low) / value:.2g}" if value > 0 else ""


def _ratio(points: list[Point | None]) -> str:
    first, second = points[:2]
    if not first or not second or first.metric != second.metric or second.value <= 0:
        return ""
    return number(first.value / second.value, 4)


def _distances(samples, step: int) -> list:
    """The median, and how far each sample is from it."""
    middle, values = median(samples), np.asarray(samples[::step])
    if not middle:
        return [0.0, *[0] * len(values)]
    far = np.rint(FINE * (values / middle - 1)).clip(-FAR, FAR)
    return [float(f"{middle:.6g}"), *far.astype(int).tolist()]
