"""What others have published of the same chip and of its siblings, beside what an archive shows: results/published.

Each figure there has its source, how it was found and how far to trust it; `ours` names the quantity of this program
that it is of. A sibling is a chip of the same compute capability. A published figure without an error is taken to be
sure to half of its last digit. It differs from ours where no value lies in both."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from ..call.grouped import grouped
from ..call.program import root
from ..call.text import fields_of
from .quantity import Quantity
from .quantity_text import amount, bare, value_text

FOLDER = "results/published"
DIGITS = 4
SHORT = 10  # a title before a colon that is no longer is the name of a tool


class Source(msgspec.Struct):
    authors: str
    title: str
    year: int
    where: str
    url: str


class Figure(msgspec.Struct):
    """A line of published.jsonl."""

    id: str
    quantity: str
    value: int | float | str | list[float]
    unit: str
    gpu: str
    compute_capability: str
    kind: str
    trust: str
    source: Source
    note: str = ""
    ours: str = ""
    clock_mhz: float = 0  # that a peak is for; ours is for the highest

    @property
    def ends(self) -> tuple[float, float] | None:
        """In the unit as printed, half of the last digit on either side; None: it is no number."""
        if isinstance(self.value, str):
            return None
        if isinstance(self.value, list):
            return min(self.value), max(self.value)
        digits = len(repr(self.value).partition(".")[2]) if isinstance(self.value, float) else 0
        half = 0 if self.unit == "B" else 0.5 * 10**-digits
        return self.value - half, self.value + half

    @property
    def by(self) -> str:
        """Who and when, in a few words."""
        tool, colon, _ = self.source.title.partition(":")
        if colon and len(tool) <= SHORT:
            return f"{tool} {self.source.year}"
        return f"{self.source.authors.split(',')[0].split(' (')[0].removesuffix(' et al.')} {self.source.year}"


@dataclass(frozen=True)
class Published:
    """A figure in the unit of ours."""

    figure: Figure
    low: float
    high: float
    same_chip: bool

    def differs(self, quantity: Quantity) -> bool:
        """By more than both are unsure of. From a peak anything does."""
        if not quantity.estimate or self.figure.quantity.endswith(".theoretical"):
            return False
        low, high = quantity.estimate.ends
        return self.high < low or high < self.low


@cache
def figures(top: Path) -> tuple[dict[str, list[Figure]], dict[str, str], dict[str, tuple[str, int | float]]]:
    """Those that say whose they are, by quantity, what chips are called here and by their drivers, and of their units
    which of ours each is, and how many of it. None where the folder is not as it should be."""
    try:
        lines = (top / FOLDER / "published.jsonl").read_bytes().splitlines()
        found = [msgspec.json.decode(line, type=Figure) for line in lines if b'"ours"' in line]
        names = msgspec.json.decode((top / FOLDER / "chips.json").read_bytes(), type=dict[str, str])
        units = (top / FOLDER / "units.json").read_bytes()
        units = msgspec.json.decode(units, type=dict[str, tuple[str, int | float]])
    except (OSError, msgspec.DecodeError):
        return {}, {}, {}
    return grouped(found, lambda figure: figure.ours), names, units


def published(run: dict, quantity: Quantity) -> list[Published]:
    """Of this chip first, then of its siblings."""
    if run.get("provenance") != "measured":
        return []
    device = run.get("device", {})
    capability = f"{device.get('compute_major')}.{device.get('compute_minor')}"
    all_figures, names, units = figures(root())
    name, found = str(device.get("name", "")), []
    chip = names.get(name, name.removeprefix("NVIDIA "))  # what published figures call it
    for figure in all_figures.get(quantity.id, ()):
        if figure.compute_capability != capability:
            continue
        ends, (unit, factor) = figure.ends, units.get(figure.unit, (figure.unit, 1))
        if figure.unit == "B" and quantity.unit == "B":
            unit = "B"
        if ends and unit == quantity.unit:
            here = figure.gpu in (chip, f"any cc {capability}")
            found.append(Published(figure, ends[0] * factor, ends[1] * factor, here))
    return sorted(found, key=lambda p: (not p.same_chip, p.figure.gpu, p.figure.source.year, p.figure.id))


def as_json(quantity: Quantity, found: list[Published]) -> list[dict]:
    return [
        {
            **fields_of(p.figure, "id gpu"),
            "same_chip": p.same_chip,
            **fields_of(p.figure, "value unit clock_mhz"),
            **fields_of(p, "low high"),
            "differs": p.differs(quantity) if quantity.determined else None,
            "how": p.figure.kind,
            "trust": p.figure.trust,
            "note": p.figure.note or None,
            "source": msgspec.to_builtins(p.figure.source),
        }
        for p in found
    ]


def brief(run: dict, quantity: Quantity) -> tuple[str, str]:
    """Of this chip: 3200 GB/s (Luo 2024); 2750 GB/s DIFFERS (nvbandwidth 2025). And where these are from."""
    found = [p for p in published(run, quantity) if p.same_chip]
    told = "; ".join(f"{_told(run, p, quantity)} ({_by(p)})" for p in found)
    sources = {p.figure.by: p.figure.source for p in found}
    return told, "; ".join(f"{by}: {of.title}, {of.url}" for by, of in sources.items())


HEAD = ("quantity", "here", "published", "by")


def rows(run: dict, quantities: list[Quantity]) -> list[tuple[str, ...]]:
    """Each figure of this chip, and those of its siblings in one row."""
    found = []
    for q in quantities:
        everything = published(run, q)
        own, siblings = ([p for p in everything if p.same_chip is same] for same in (True, False))
        cells = [(_told(run, p, q), _by(p)) for p in own]
        cells += [_together(siblings, q)] if siblings else []
        here = value_text(q) if q.determined else "not determined"
        found += [(q.id if not i else "", here if not i else "", *cell) for i, cell in enumerate(cells)]
    return found


def _amount(p: Published, q: Quantity) -> str:
    """In the unit of ours, without what half of a digit may add."""
    value = p.figure.value
    if not isinstance(value, list):
        return amount((p.low + p.high) / 2, q.unit, DIGITS)
    return f"{amount(p.low, q.unit, DIGITS).removesuffix(' ' + q.unit)}..{amount(p.high, q.unit, DIGITS)}"


def _told(run: dict, p: Published, q: Quantity) -> str:
    """A peak with its clock, and ours at that clock."""
    text, clock = _amount(p, q) + " DIFFERS" * p.differs(q), p.figure.clock_mhz
    highest = run.get("environment", {}).get("sm_max_clock_MHz")
    if not (clock and highest and q.estimate and q.estimate.value):
        return text
    return f"{text} at {clock:g} MHz, here {bare(amount(q.estimate.value * clock / highest, q.unit, DIGITS), q.unit)}"


def _by(p: Published) -> str:
    kind, trust = p.figure.kind, p.figure.trust
    return ", ".join([p.figure.by, *[kind] * (kind != "measured"), *[f"{trust} trust"] * (trust != "high")])


def _together(siblings: list[Published], q: Quantity) -> tuple[str, str]:
    ends = [_amount(side(siblings, key=lambda p: p.low + p.high), q) for side in (min, max)]
    chips = ", ".join(dict.fromkeys(p.figure.gpu for p in siblings))
    low = ends[0].partition("..")[0].removesuffix(f" {q.unit}")
    return ends[1] if ends[0] == ends[1] else f"{low} to {ends[1].rpartition('..')[2]}", f"siblings: {chips}"
