"""Words beside marks, where they cover neither marks nor other series nor each other, and lie nearer to their own mark
than to any other series: of such places each text takes the one that covers least. A text that must stand apart from
its mark is led to it; one without such a place is left out."""

from itertools import pairwise

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from .look import TEXT, wide
from .pen import BLANK, Pen

# Directions around a mark, the most usual first, and distances in sizes of the text.
UPRIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
AROUND = (*UPRIGHT, *((x, y) for y in (1, -1) for x in (0.5, -0.5)), *((x, y) for y in (1, -1) for x in (1, -1)))
BEGINS = 0.15  # of its width: where a text that is half aside has its mark
NEAR, FAR = (0.55, 1.1), (1.6, 2.6)
STEP, TURN = 1.0, 0.15  # what the next distance costs, and the next direction
LINE, HALF = 0.35, 0.3  # and a place of a line; half of a mark, in sizes of the text
EVERY = 3  # dots: a line is looked at in as many places
CORNER = 2.0  # what a place may cost: a corner of a line
EDGE = 0.2  # sizes of the text: closer to the axis below, words would cover it


def place_words(pen: Pen, figure: Figure, write: bool) -> bool:
    """Whether names of series and words at guides have places; of the latter those without one go to the notes. write:
    makes the texts at marks; where they stand decides the layout."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    dot = figure.dpi / 72
    size = pen.sheet.small * dot
    inner = pen.ax.get_window_extent()
    bounds = (inner.x0, inner.y0 + EDGE * size, inner.x1, inner.y1 + EDGE * size)
    marks, series = _marks(pen.ax.lines), [(line, _marks([line])) for line in pen.drawn]
    guides = {words for words, *_ in pen.guides}
    taken = [t.get_window_extent(renderer).extents for t in pen.ax.texts if t.get_text() and t not in guides]
    all_named = True
    for word in sorted(pen.words, key=lambda word: not word.shape):
        at = pen.ax.transData.transform((word.x, word.y))
        lines = word.text.split("\n")
        width, height = max(wide(line, pen.sheet.small) for line in lines) * figure.dpi, 1.2 * size * len(lines)
        through = [np.hypot(*(of[:, :2] - at).T).min(initial=np.inf) < 1 for _, of in series]
        mine = [on and word.colour in (line.get_color(), TEXT) for on, (line, _) in zip(through, series, strict=True)]
        others = [of for own, (_, of) in zip(mine, series, strict=True) if not own]
        best = None
        for distance, gap in enumerate((*NEAR, *FAR)):
            for turn, (dx, dy) in enumerate(AROUND):
                box = _box(at, dx, dy, gap * size, width, height)
                covered = _covered(box, marks, size)
                fits = covered < CORNER and _is_free(box, _gap(box, at[None]), others, taken, bounds)
                found = not fits, STEP * distance * distance + TURN * turn + covered, box, distance >= len(NEAR)
                best = min(best or found, found, key=lambda of: of[:2])
        covers, _, box, apart = best
        all_named &= not (covers and word.shape)
        if not covers or word.shape:
            taken.append(box)
            if write:
                _write(pen, word, at, box, apart)
    for guide in [*pen.guides]:
        if not _place_guide(*guide[:2], marks, [of for _, of in series], taken, bounds, size, renderer):
            pen.guides.remove(guide)
            pen.notes.append(f"{guide[2]}: {guide[0].get_text()}")
            guide[0].remove()
            all_named = False
    return all_named


def _gap(box, places: np.ndarray) -> float:
    """Dots from a box to the nearest place."""
    x, y = places.T[:2]
    across, up = np.maximum(box[0] - x, x - box[2]), np.maximum(box[1] - y, y - box[3])
    return float(np.hypot(np.maximum(across, 0), np.maximum(up, 0)).min(initial=np.inf))


def _is_free(box, near: float, others, taken, bounds) -> bool:
    """Whether a box lies in the panel, covers no words, and is farther than `near` from all other series."""
    x0, y0, x1, y1 = box
    inside = x0 >= bounds[0] and x1 <= bounds[2] and y0 >= bounds[1] and y1 <= bounds[3]
    upon = any(min(x1, o[2]) > max(x0, o[0]) and min(y1, o[3]) > max(y0, o[1]) for o in taken)
    return inside and not upon and all(_gap(box, of) > near for of in others)


def _place_guide(words: Annotation, places: list[tuple], marks, series, taken, bounds, size: float, renderer) -> bool:
    """On that side of the guide, and at that end, where the words cover least; whether they cover no series."""

    def price(place: tuple) -> tuple[bool, float]:
        words.xy, (ha, va), words.xyann = place
        words.set(ha=ha, va=va)
        extent = words.get_window_extent(renderer)
        covered = _covered(extent.padded(0.3 * size).extents, marks, size)
        return not _is_free(extent.extents, 0, series, taken, bounds), covered

    covers, _ = price(min(places, key=price))
    if not covers:
        taken.append(words.get_window_extent(renderer).extents)
    return not covers


def _box(at, dx, dy, gap, width, height) -> tuple[float, float, float, float]:
    beside = {0: -width / 2, 1: gap, -1: -gap - width, 0.5: -BEGINS * width, -0.5: (BEGINS - 1) * width}
    x0 = at[0] + beside[dx]
    y0 = at[1] - height / 2 if dy == 0 else at[1] + gap if dy > 0 else at[1] - gap - height
    return x0, y0, x0 + width, y0 + height


def _covered(box, marks, size) -> float:
    """What marks and lines below a box cost."""
    x0, y0, x1, y1 = box
    x, y, cost = marks.T
    half = HALF * size * (cost > LINE)
    return float(cost[(x > x0 - half) & (x < x1 + half) & (y > y0 - half) & (y < y1 + half)].sum())


def _marks(lines) -> np.ndarray:
    """Places of what is drawn, and what it costs to cover them."""
    found = [np.zeros((0, 3))]
    for line in lines:
        xy = np.asarray(line.get_xydata(), float)
        places = line.get_transform().transform(xy.reshape(-1, 2))
        places = places[np.isfinite(places).all(axis=1)]
        if line.get_marker() not in ("None", None, "", " "):
            found.append(np.column_stack([places, np.full(len(places), 6.0)]))
        if line.get_linestyle() not in ("None", "none", "", " ") and len(places) > 1:
            for a, b in pairwise(places):
                count = max(2, int(np.hypot(*(b - a)) / EVERY))
                along = np.linspace(0, 1, count)[:, None]
                found.append(np.column_stack([a + along * (b - a), np.full(count, LINE)]))
    return np.vstack(found)


def _write(pen: Pen, word, at, box, apart: bool) -> None:
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    place = pen.ax.transAxes.inverted().transform(middle)
    style = {"ha": "center", "va": "center", "fontsize": pen.sheet.small, "color": word.colour, "bbox": BLANK}
    text = pen.ax.text(*place, word.text, transform=pen.ax.transAxes, linespacing=1.2, zorder=5, **style)
    text.set_in_layout(False)
    if apart:
        ends = pen.ax.transAxes.inverted().transform([at, np.clip(at, box[:2], box[2:])])
        pen.lead(*ends.T, word.colour)
