"""The memory hierarchy of a chip as a picture, to scale, from the measured quantities of its first screen.

Boxes: their width is the size, on a logarithmic scale. Arrows: their width is the rate, on a linear one; those of an SM
are all SMs together at the clock that was measured. Several chips are drawn at the same scales. Which row of the screen
lies where, and which rate is an arrow, is data of the quantities (definitions.Screen)."""

import math
import re
from dataclasses import dataclass, field
from textwrap import wrap

from ...archive.cases import driver_text
from ...call.number_text import size_text, time_text
from ...chip.quantity import Quantity
from ...chip.quantity_text import value_text
from ..charts.look import device_colours, sheet_of
from ..side import TYPES, Side, listed
from . import render

PER_SM = "B/cycle per SM"
LEFT, RIGHT = 16, 384  # of its widest box
ARROW = 96  # width of the fastest arrow
HAIR = 1.2  # what would be narrower is a line
TOP, INNER, BOX, GAP, HOST, FOOT = 104, 35, 44, 64, 30, 62  # heights, from the title to the scales
THREADS, CLIMB = 46, 60  # of the SM: its head with the threads, and the arrow to them
ARITHMETIC = ("peak", "reached")
ACROSS = 60  # characters of the smallest text beside each other below one chip
STEP = 5  # doublings between two marks of the scale of sizes


@dataclass
class Rate:
    label: str  # read
    text: str  # 4648
    unit: str
    flow: str  # in: towards the threads; out; nothing: no arrow
    gbps: float | None = None
    whole: bool = False  # reads by all SMs


@dataclass
class Memory:
    """A row of the first screen."""

    name: str
    part: str
    latency: str = ""
    far: str = ""  # the latency as time
    size: str = ""
    low: float | None = None  # bytes that it surely holds
    high: float | None = None  # and that it surely does not pass
    rates: list[Rate] = field(default_factory=list)
    y: float = 0.0  # in the picture
    box: float = 0.0  # the width of what is sure
    edge: float = 0.0  # and of what may be


class Chip:
    """One archive in the picture."""

    def __init__(self, side: Side, index: int):
        device = side.archive.run["device"]
        self.side, self.index, self.name, self.sms = side, index, device["name"], device["sm_count"]
        self.mhz, self.memories = side.clock(), [m for m in memories(side) if m.part]

    def of(self, *parts: str) -> list[Memory]:
        return [m for m in self.memories if m.part in parts]


def _rate(q: Quantity, sms: int, mhz: float | None) -> Rate:
    screen = q.definition.screen
    if q.estimate.bracket:
        return Rate(screen.label, value_text(q, False), q.unit, "")
    value, text = q.estimate.value, value_text(q, False)
    if q.unit == PER_SM:
        value = value * sms * mhz / 1000 if mhz else None
    elif q.unit == "TB/s":
        value *= 1000
    whole = q.unit == "TB/s" or (screen.flow == "in" and q.unit != PER_SM)
    return Rate(screen.label, text, q.unit, screen.flow, value if value and value > 0 else None, whole)


def memories(side: Side) -> list[Memory]:
    """The rows of the first screen, nearest first."""
    mhz = side.clock()
    sms = side.archive.run["device"]["sm_count"]
    found = []
    for row, cells in side.rows().items():
        every = [q for column in cells.values() for q in column]
        memory = Memory(row, next((q.definition.screen.part for q in every if q.definition.screen.part), ""))
        latency, holds = (next((q for q in cells.get(c, []) if q.estimate), None) for c in ("latency", "holds"))
        if latency:
            memory.latency = value_text(latency)
            if latency.unit == "cycles" and mhz:
                memory.far = time_text(1000 * latency.estimate.value / mhz)
        if holds:
            memory.size, e = value_text(holds), holds.estimate
            memory.low, memory.high = (e.low, e.high) if e.bracket else (e.value, e.value)
        rates = sorted(cells.get("rate", []), key=lambda q: q.definition.place)
        memory.rates = [_rate(q, sms, mhz) for q in rates if q.estimate]
        found.append(memory)
    return found


@dataclass
class Scale:
    """Common to all chips of a picture."""

    first: int  # the power of two at the left edge
    last: int
    fastest: float  # GB/s

    @classmethod
    def of(cls, chips: list[Chip]) -> "Scale":
        sizes = [s for c in chips for m in c.memories for s in (m.low, m.high) if s and s > 0]
        rates = [r.gbps for c in chips for m in c.memories for r in m.rates if r.flow and r.gbps]
        first = math.floor(math.log2(min(sizes, default=2048))) - 1
        last = max(math.ceil(math.log2(max(sizes, default=2048)) - 1e-9), first + 2)
        return cls(first, last, max(rates, default=1.0))

    def x(self, size: float | None) -> float:
        """How wide a box of so many bytes is."""
        if not size or size <= 0:
            return 0.0
        return round((RIGHT - LEFT) * (math.log2(size) - self.first) / (self.last - self.first), 1)

    def width(self, gbps: float | None) -> float:
        return round(ARROW * gbps / self.fastest, 2) if gbps else 0.0

    @property
    def marks(self) -> list[tuple[float, str]]:
        powers = range(-(-self.first // STEP) * STEP, self.last + 1, STEP)
        return [(LEFT + self.x(2.0**p), size_text(2**p)) for p in powers]

    @property
    def key(self) -> tuple[float, str]:
        """A rate with a round figure, and how wide its arrow is."""
        rate = 10 ** math.floor(math.log10(self.fastest))
        return self.width(rate), f"{rate / 1000:g} TB/s" if rate >= 1000 else f"{rate:g} GB/s"


def arrow(x: float, top: float, bottom: float, width: float, up: bool) -> str:
    """The points of an arrow whose shaft is so wide, its left edge at x."""
    width = max(width, HAIR)
    tip, tail = (top, bottom) if up else (bottom, top)
    wing = 3 + 0.16 * width
    neck = tip + (1 if up else -1) * (6 + 0.18 * width)
    left, right, middle = x, x + width, x + width / 2
    corners = [(left, tail), (left, neck), (left - wing, neck), (middle, tip), (right + wing, neck), (right, neck)]
    return " ".join(f"{round(a, 2):g},{round(b, 2):g}" for a, b in [*corners, (right, tail)])


def arrows(memories: list[Memory], top: float, bottom: float, scale: Scale) -> list[str]:
    """Side by side; of memories that share one way to the threads the fastest."""
    best: dict[str, float] = {}
    for rate in (r for m in memories for r in m.rates if r.flow and r.gbps):
        best[rate.flow] = max(best.get(rate.flow, 0.0), rate.gbps)
    found, x = [], LEFT + 20.0
    for flow in sorted(best):
        width = scale.width(best[flow])
        found.append(arrow(x, top, bottom, width, flow == "in"))
        x += max(width, HAIR) + 14 + 0.32 * width
    return found


def rates_text(rates: list[Rate]) -> str:
    """read 4648, write 4726 GB/s: the unit once."""
    return f"{listed((rate.label, rate.text) for rate in rates)} {rates[-1].unit}" if rates else ""


def in_words(chip: Chip, sides: list[Side]) -> str:
    """The picture in words, for screen readers."""
    texts = []
    for m in chip.memories:
        parts = [m.size, f"latency {m.latency}" if m.latency else "", rates_text(m.rates)]
        texts.append(f"{m.name}: {', '.join(filter(None, parts)) or 'not determined'}")
    head, *rows = _arithmetic(chip.side, sides) or [()]
    texts += [f"{first}: {', '.join(map(' '.join, zip(head[1:], cells, strict=True)))}" for first, *cells in rows]
    return f"{chip.name}: {'; '.join(texts)}"


def _arithmetic(side: Side, sides: list[Side]) -> list[tuple[str, ...]]:
    """What the chip computes, as rows of a table: types that any chip has, peaks, and what a matrix product reaches."""
    found, known = side.arithmetic(), {name for of in sides for row in of.arithmetic().values() for name in row}
    names = [name for name in TYPES if name in known]
    cells = {row: [value_text(of[name], False) if name in of else side.untold(row, name) for name in names]
             for row in ARITHMETIC if (of := found.get(row))}  # fmt: skip
    rows = [(f"TFLOP/s {row}", *of) for row, of in cells.items()]
    return [("", *(name.replace("tensor", "TC") for name in names)), *rows] if rows else []


def _of_the_sms(chip: Chip) -> list[str]:
    """What a thread gets from its SM's own memories: per SM, and all SMs together."""
    known = [(m, r) for m in chip.of("SM") for r in m.rates if r.flow]
    if not known:
        return []
    each = ", ".join(f"{m.name} {r.text}" for m, r in known)
    whole = max((r for m, _ in known for r in m.rates if r.whole and r.gbps), key=lambda r: r.gbps, default=None)
    together = f"{whole.text} {whole.unit} in all {chip.sms} SMs" if whole else ""
    return [f"{each} {known[-1][1].unit.partition(' per ')[0]}", together]


def layout(chip: Chip, scale: Scale, sides: list[Side]) -> dict:
    """Where everything stands: what the template draws."""
    for memory in chip.memories:
        memory.box, memory.edge = scale.x(memory.low or memory.high), scale.x(memory.high or memory.low)
    own, outer, host = chip.of("SM"), chip.of("chip", "board"), chip.of("host")
    steps, y = [], TOP
    inner = {"y": y, "threads": y + 24, "climb": y + THREADS + CLIMB / 2 + 2, "lines": _of_the_sms(chip)}
    inner["arrows"] = arrows(own, y + THREADS + 1, y + THREADS + CLIMB - 4, scale)
    y += THREADS + CLIMB
    for memory in own:
        memory.y = y
        y += INNER
    y += 6
    inner["height"] = y - TOP
    for memory in [*outer, *host]:
        lines = [rates_text([r for r in memory.rates if r.flow]), rates_text([r for r in memory.rates if not r.flow])]
        far = f" ({memory.far})" if memory.far else ""
        latency = [f"latency {memory.latency}{far}"] if memory.latency else []
        texts = latency + [line for line in lines if line]
        steps.append({"middle": y + GAP / 2, "lines": texts, "arrows": arrows([memory], y + 3, y + GAP - 3, scale)})
        y += GAP
        memory.y = y
        y += HOST if memory in host else BOX
    thin = any(0 < scale.width(r.gbps) < HAIR for m in chip.memories for r in m.rates if r.flow)
    places = {"left": LEFT, "right": RIGHT, "beside": LEFT + ARROW + 42, "axis": y + 14, "height": y + FOOT}
    parts = {"arithmetic": _arithmetic(chip.side, sides), "own": own, "outer": outer, "host": host}
    return places | parts | {"chip": chip, "inner": inner, "steps": steps, "thin": thin, "scale": scale}


def pictures(sides: list[Side]) -> list[dict]:
    """One picture for each archive that has something to draw, at the same scales: its words and its layout."""
    chips = [chip for i, side in enumerate(sides) if (chip := Chip(side, i)).memories]
    scale = Scale.of(chips)
    found = [layout(c, scale, sides) | {"words": in_words(c, sides)} for c in chips]
    tallest = max((p["height"] for p in found), default=0)
    return [p | {"height": tallest} for p in found]


def sources(sides: list[Side], found: list[dict]) -> list[str]:
    """Where the numbers of these pictures are from."""
    runs = [side.archive.run for side in sides]
    drawn = {re.split("[:,]", p["words"])[0] for p in found}
    return [f"{name}: {driver_text(run)}, {run['started_utc'][:10]}, run {run['id']}"
            for run in runs if (name := run["device"]["name"]) in drawn]  # fmt: skip


def standalone(sides: list[Side], sheet: str = "page", heads: bool = True, found=None, shape: str = "chip.svg") -> str:
    """All chips as one SVG file that needs nothing else, beside each other where the sheet is as wide as two; empty if
    there is nothing to draw. heads: with the name of a chip alone, and where the numbers are from. found: pictures that
    are not of the hierarchy, as the template `shape` draws them."""
    found = pictures(sides) if found is None else found
    columns = len(found) if sheet == "page" else sheet_of(sheet).columns
    if not found:
        return ""
    words = ". ".join(p["words"] for p in found)
    synthetic = any(side.archive.synthetic for side in sides)
    lines = [line for text in sources(sides, found) for line in wrap(text, ACROSS * columns)] * heads
    # On white and on black, without variables of CSS, which few programs know: Inkscape and librsvg draw black.
    own = [*zip(*([(f".c{i}", c) for c in device_colours(s.archive.slug)] for i, s in enumerate(sides)), strict=True)]
    return render("hierarchy.svg", pictures=found, words=words, synthetic=synthetic, sources=lines, shape=shape,
                  own=own, columns=columns, sheet=sheet, titled=heads, heads=heads or len(sides) > 1)  # fmt: skip
