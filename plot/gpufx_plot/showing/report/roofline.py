"""The roofline of a chip as a picture: measured rates of memories as slopes, peaks of its arithmetic as levels, both
axes logarithmic, all chips at the same scales. Beside a level what a matrix product reaches."""

import math
from collections.abc import Collection
from pathlib import Path

from ...archive.load import Archive
from ...call.output import write
from ...chip.quantities import infer
from ...chip.quantity_text import value_text
from ..charts import Wanted, content
from ..charts.look import sheet_of
from ..sheet import caption_file
from ..side import TYPES, Side, chip_names
from . import hierarchy
from .drawn import drawn

LEFT, RIGHT, TOP, BOTTOM = 40, 390, 62, 330  # of the panel
FIRST, LAST = -4, 18  # powers of two of FLOP per byte, so many that words at levels are right of slopes, and
LOW, HIGH = -2, 12  # of TFLOP/s
RIDGES = ("FP32", "FP16")  # types whose ridge is marked
STEEP = (BOTTOM - TOP) / (HIGH - LOW) / ((RIGHT - LEFT) / (LAST - FIRST))  # of a slope, in the picture
BESIDE, ABOVE, BELOW = 14, 5, 17  # where its words begin; those of the slowest stand below it, further along
NEAR = 1.03  # rates that differ by less share a line


def across(flops_per_byte: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * (math.log2(flops_per_byte) - FIRST) / (LAST - FIRST), 1)


def up(tflops: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * (math.log2(tflops) - LOW) / (HIGH - LOW), 1)


Roof = tuple[str, float, str]  # name, rate, its number in words


def _together(rates: list[Roof]) -> list[list[Roof]]:
    """Rates that are as good as equal stand at one line, that of the first."""
    found: list[list[Roof]] = []
    for one in sorted(rates, key=lambda of: of[1]):
        if found and one[1] < NEAR * found[-1][0][1]:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _slopes(side: Side) -> list[list[Roof]]:
    """TB/s of each memory that is read at a measured rate, by all SMs."""
    rates = [(m.name, max((r for r in m.rates if r.whole and r.gbps), key=lambda r: r.gbps, default=None))
             for m in hierarchy.memories(side) if m.part != "host"]  # fmt: skip
    return _together([(name, r.gbps / 1000, f"{r.text} {r.unit}") for name, r in rates if r])


def _roofs(side: Side) -> list[list[Roof]]:
    """The peak of each type, in words with what a matrix product reaches."""
    peaks, reached = (side.arithmetic().get(row, {}) for row in ("peak", "reached"))
    texts = {name: f", reached {value_text(reached[name], False)}" if name in reached else "" for name in peaks}
    return _together([(name, peaks[name].estimate.value, value_text(peaks[name], False) + texts[name]) for name in TYPES
                      if name in peaks])  # fmt: skip


def layout(side: Side, index: int) -> dict:
    """Where everything stands; nothing where no level or no slope was measured."""
    found, slopes = side.arithmetic(), _slopes(side)
    peaks = {name: q.estimate.value for name, q in found.get("peak", {}).items()}
    if not peaks or not slopes:
        return {}
    slowest, top = slopes[0][0][1], max(peaks.values())
    lines = []
    for roofs in slopes:
        rate = roofs[0][1]
        start = max(FIRST, math.ceil(LOW - math.log2(rate)))
        ends = 2.0**start, top / rate
        x, y = across(ends[0]), up(rate * ends[0])
        texts = [f"{name} {text}" for name, _, text in roofs]
        beside, down = (3 * BESIDE, BELOW) if rate == slowest else (BESIDE, -ABOVE)
        place = {"x": x + beside, "y": round(y - beside * STEEP + down, 1)}  # of the words
        lines.append(place | {"x1": x, "y1": y, "x2": across(ends[1]), "y2": up(top), "text": ", ".join(texts)})
    levels = [{"x1": across(roofs[0][1] / slopes[-1][0][1]), "y": up(roofs[0][1]),
               "texts": [f"{name} {text}".replace(" tensor", " TC") for name, _, text in roofs]}
              for roofs in _roofs(side)]  # fmt: skip
    ridges = [{"x": across(peaks[name] / slowest), "y": up(peaks[name]), "text": f"{peaks[name] / slowest:.3g}"}
              for name in RIDGES if name in peaks]  # fmt: skip
    device = side.archive.run["device"]["name"]
    said = [text for level in levels for text in level["texts"]]
    words = f"{device}, roofline: {'; '.join([*(line['text'] for line in lines), *said])} TFLOP/s"
    marks = [(across(2.0**p), f"{2.0**p:g}") for p in range(FIRST, LAST + 1, 4)]
    heights = [(up(4.0**p), f"{4.0**p:g}") for p in range(LOW // 2 + 1, HIGH // 2 + 1)]
    angle = -math.degrees(math.atan(STEEP))
    box = {"left": LEFT, "right": RIGHT, "top": TOP, "bottom": BOTTOM, "angle": round(angle, 2)}
    return box | {"name": device, "index": index, "words": words, "lines": lines, "levels": levels, "ridges": ridges,
                  "marks": marks, "heights": heights, "height": BOTTOM + 44}  # fmt: skip


def pictures(sides: list[Side]) -> list[dict]:
    """Of each chip its own, with the others' lines thin behind it."""
    names = chip_names([side.archive for side in sides])
    found = [
        p | {"chip": name} for i, (side, name) in enumerate(zip(sides, names, strict=True)) if (p := layout(side, i))
    ]
    return [p | {"others": [other for other in found if other is not p]} for p in found]


# What draws each, its template, and what a caption says before where the numbers are from.
SIZES = "Memory hierarchy. Width of a box: size, logarithmic; of an arrow: rate, linear."
ROOFS = "Roofline: peak rates of arithmetic over measured rates of reads; reached: by a matrix product."
PICTURES = {"hierarchy": (hierarchy.pictures, "chip.svg", SIZES), "roofline": (pictures, "roofline.svg", ROOFS)}


def files_of(archives: list[Archive], folder: Path, names: Collection[str], formats, wanted: Wanted) -> list[Path]:
    """Writes the pictures of these names, if there is something to draw: on paper as many chips as stand side by side
    in each file."""
    sides, files = [Side(archive, infer(archive)) for archive in archives], {}
    for name in names:
        draws, shape, caption = PICTURES[name]
        every = draws(sides)
        most = len(every) or 1 if wanted.sheet == "page" else sheet_of(wanted.sheet).columns
        for at in range(0, len(every), most):
            stem = name + f"-{wanted.sheet}" * (wanted.sheet != "page") + f"-{at // most + 1}" * (at > 0)
            of = every[at : at + most]
            svg = hierarchy.standalone(sides, wanted.sheet, wanted.heads, of, shape)
            for kind in formats:
                drawing = svg.encode() if kind == "svg" else content(drawn(svg, wanted.sheet), kind)
                files[folder / f"{stem}.{kind}"] = drawing
            if not wanted.heads:
                lines = caption, *(p["words"] for p in of), *hierarchy.sources(sides, of)
                file, text = caption_file(stem, lines, formats)
                files[folder / file] = text
    for path, text in files.items():
        write(path, text)
    return [*files]
