"""Words beside marks, where they cover neither marks nor lines nor each other: of several places around its mark each
text takes the one that covers least. A text that must stand apart from its mark is led to it."""

from itertools import pairwise

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from .look import wide
from .pen import BLANK, Pen

# Directions around a mark, the most usual first, and distances in sizes of the text.
UPRIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
AROUND = (*UPRIGHT, *((x, y) for y in (1, -1) for x in (0.5, -0.5)), *((x, y) for y in (1, -1) for x in (1, -1)))
BEGINS = 0.15  # of its width: where a text that is half aside has its mark
NEAR, FAR = (0.55, 1.1), (1.6, 2.6)
OTHER_TEXT, OUTSIDE, STEP, TURN = 40.0, 60.0, 1.0, 0.15  # what covering words costs beside a mark, leaving the panel...
LINE, HALF = 0.35, 0.3  # and a place of a line; half of a mark, in sizes of the text
EVERY = 3  # dots: a line is looked at in as many places


def place_words(pen: Pen, figure: Figure) -> None:
    renderer = FigureCanvasAgg(figure).get_renderer()
    dot = figure.dpi / 72
    size = pen.small * dot
    inner = pen.ax.get_window_extent()
    bounds = (inner.x0, inner.y0, inner.x1, inner.y1)
    marks = _marks(pen)
    guides = {words for words, _ in pen.guides}
    taken = [t.get_window_extent(renderer).extents for t in pen.ax.texts if t.get_text() and t not in guides]
    for words, places in pen.guides:
        _place_guide(words, places, marks, taken, bounds, size, renderer)
    for word in pen.words:
        at = pen.ax.transData.transform((word.x, word.y))
        lines = word.text.split("\n")
        width, height = max(wide(line, pen.small) for line in lines) * figure.dpi, 1.2 * size * len(lines)
        best = None
        for distance, gap in enumerate((*NEAR, *FAR)):
            for turn, (dx, dy) in enumerate(AROUND):
                box = _box(at, dx, dy, gap * size, width, height)
                price = STEP * distance * distance + TURN * turn + _covered(box, marks, taken, bounds, size)
                if best is None or price < best[0]:
                    best = (price, box, distance >= len(NEAR))
        _, box, apart = best
        taken.append(box)
        _write(pen, word, at, box, apart)


def _place_guide(words: Annotation, places: list[tuple], marks, taken, bounds, size: float, renderer) -> None:
    """On that side of the guide, and at that end, where the words cover least."""

    def price(place: tuple) -> float:
        words.xy, (ha, va), words.xyann = place
        words.set(ha=ha, va=va)
        return _covered(words.get_window_extent(renderer).padded(0.3 * size).extents, marks, taken, bounds, size)

    price(min(places, key=price))
    taken.append(words.get_window_extent(renderer).extents)


def _box(at, dx, dy, gap, width, height) -> tuple[float, float, float, float]:
    beside = {0: -width / 2, 1: gap, -1: -gap - width, 0.5: -BEGINS * width, -0.5: (BEGINS - 1) * width}
    x0 = at[0] + beside[dx]
    y0 = at[1] - height / 2 if dy == 0 else at[1] + gap if dy > 0 else at[1] - gap - height
    return x0, y0, x0 + width, y0 + height


def _covered(box, marks, taken, bounds, size) -> float:
    x0, y0, x1, y1 = box
    x, y, cost = marks.T
    half = HALF * size * (cost > LINE)
    price = float(cost[(x > x0 - half) & (x < x1 + half) & (y > y0 - half) & (y < y1 + half)].sum())
    for other in taken:
        across = min(x1, other[2]) - max(x0, other[0])
        up = min(y1, other[3]) - max(y0, other[1])
        if across > 0 and up > 0:
            price += OTHER_TEXT * min(1.0, across * up / (size * size))
    beyond = max(bounds[0] - x0, 0) + max(x1 - bounds[2], 0) + max(bounds[1] - y0, 0) + max(y1 - bounds[3] - size, 0)
    return price + OUTSIDE * beyond / size


def _marks(pen: Pen) -> np.ndarray:
    """Places of what is drawn, and what it costs to cover them."""
    found = [np.zeros((0, 3))]
    for line in pen.ax.lines:
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
    style = {"ha": "center", "va": "center", "fontsize": pen.small, "color": word.colour, "bbox": BLANK, "zorder": 5}
    text = pen.ax.text(*place, word.text, transform=pen.ax.transAxes, linespacing=1.2, **style)
    text.set_in_layout(False)
    if apart:
        ends = pen.ax.transAxes.inverted().transform([at, np.clip(at, box[:2], box[2:])])
        pen.lead(*ends.T, word.colour)
