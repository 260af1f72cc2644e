"""The roofline of a chip as a picture: measured rates of memories as slopes, peaks of its arithmetic as levels, both
axes logarithmic, all chips at the same scales. Beside a level what a matrix product reaches."""

import math
from pathlib import Path

from ...archive.load import Archive
from ...call.output import write
from ...chip.quantities import infer
from ...chip.quantity_text import short_text
from ..side import TYPES, Side
from . import hierarchy

HIERARCHY, ROOFLINE = "hierarchy.svg", "roofline.svg"
LEFT, RIGHT, TOP, BOTTOM = 40, 390, 62, 330  # of the panel
FIRST, LAST = -4, 16  # powers of two of FLOP per byte, and
LOW, HIGH = -2, 12  # of TFLOP/s
RIDGES = ("FP32", "FP16")  # types whose ridge is marked
STEEP = (BOTTOM - TOP) / (HIGH - LOW) / ((RIGHT - LEFT) / (LAST - FIRST))  # of a slope, in the picture
BESIDE, ABOVE = 14, 5  # where its words begin
NEAR = 1.03  # rates that differ by less share a line


def across(flops_per_byte: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * (math.log2(flops_per_byte) - FIRST) / (LAST - FIRST), 1)


def up(tflops: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (math.log2(tflops) - LOW) / (HIGH - LOW), 1)


def _together(rates: list[tuple[str, float, str]]) -> list[tuple[str, float, str]]:
    """Names of rates that are as good as equal stand at one line. Each: name, rate, words."""
    found: list[tuple[str, float, str]] = []
    for name, rate, text in sorted(rates, key=lambda of: of[1]):
        if found and rate < NEAR * found[-1][1]:
            found[-1] = (f"{found[-1][0]}, {name}", *found[-1][1:])
        else:
            found.append((name, rate, text))
    return found


def _slopes(side: Side) -> list[tuple[str, float, str]]:
    """TB/s of each memory that is read at a measured rate."""
    rates = [(m.name, max((r.gbps for r in m.rates if r.flow == "in" and r.gbps), default=0.0) / 1000)
             for m in hierarchy.memories(side) if m.part != "host"]  # fmt: skip
    return _together([(name, rate, f"{rate:.3g} TB/s") for name, rate in rates if rate])


def _reached(side: Side, names: str) -> str:
    """What a matrix product reaches of the types at a level, in their order; where some have not run, by name."""
    found, types = side.arithmetic().get("reached", {}), names.split(", ")
    texts = {name: short_text(found[name], False) for name in types if name in found}
    if len(texts) == len(types):
        return f", reached {' and '.join(texts.values())}"
    return f", reached {', '.join(f'{name} {text}' for name, text in texts.items())}" if texts else ""


def layout(side: Side, index: int) -> dict:
    """Where everything stands; nothing where no level or no slope was measured."""
    found, slopes = side.arithmetic(), _slopes(side)
    peaks = {name: q.estimate.value for name, q in found.get("peak", {}).items()}
    if not peaks or not slopes:
        return {}
    slowest, top = slopes[0][1], max(peaks.values())
    lines = []
    for name, rate, text in slopes:
        start = max(FIRST, math.ceil(LOW - math.log2(rate)))
        ends = 2.0**start, top / rate
        x, y = across(ends[0]), up(rate * ends[0])
        place = {"x": x + BESIDE, "y": round(y - BESIDE * STEEP - ABOVE, 1)}  # of the words, above the line
        lines.append(place | {"x1": x, "y1": y, "x2": across(ends[1]), "y2": up(top), "text": f"{name} {text}"})
    named = [(name, peaks[name], short_text(found["peak"][name], False)) for name in TYPES if name in peaks]
    levels = [{"x1": across(rate / slopes[-1][1]), "y": up(rate),
               "text": f"{names} {text}{_reached(side, names)}".replace(" tensor", " TC")}
              for names, rate, text in _together(named)]  # fmt: skip
    ridges = [{"x": across(peaks[name] / slowest), "y": up(peaks[name]), "text": f"{peaks[name] / slowest:.3g}"}
              for name in RIDGES if name in peaks]  # fmt: skip
    device = side.archive.run["device"]["name"]
    words = f"{device}, roofline: {', '.join(text['text'] for text in [*lines, *levels])} TFLOP/s"
    marks = [(across(2.0**p), f"{2.0**p:g}") for p in range(FIRST, LAST + 1, 4)]
    heights = [(up(4.0**p), f"{4.0**p:g}") for p in range(LOW // 2 + 1, HIGH // 2 + 1)]
    angle = -math.degrees(math.atan(STEEP))
    box = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM, "angle": round(angle, 2)}
    return box | {"name": device, "index": index, "words": words, "lines": lines, "levels": levels, "ridges": ridges,
                  "marks": marks, "heights": heights, "height": BOTTOM + 44}  # fmt: skip


def pictures(sides: list[Side]) -> list[dict]:
    return [p for index, side in enumerate(sides) if (p := layout(side, index))]


def standalone(sides: list[Side]) -> str:
    return hierarchy.standalone(sides, pictures(sides), ROOFLINE)


def files_of(archives: list[Archive], folder: Path) -> list[Path]:
    """Writes both pictures beside the figures, if there is something to draw."""
    sides = [Side(archive, infer(archive)) for archive in archives]
    drawn = {HIERARCHY: hierarchy.standalone(sides), ROOFLINE: standalone(sides)}
    files = {folder / name: text.encode() for name, text in drawn.items() if text}
    for path, content in files.items():
        write(path, content)
    return [*files]
