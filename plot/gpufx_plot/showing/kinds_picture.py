"""The picture of the kinds of cards: a mark per card for each quantity that parts them, by the same code that parts the
cards for `accept` (chip/kinds.py), from results/spreads.json."""

import io
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from ..cards.kinds_page import Model, models
from .charts.look import GREY, GRID, MARKERS, SERIES, SHEETS, settings, wide

FILE = "docs/figures/kinds.svg"
ROW, HEAD, FOOT = 0.3, 0.85, 0.6  # inches: a quantity, the words above, and those below


def picture(top: Path) -> str:
    """Of the first model whose kinds the part number tells apart; nothing where there is none."""
    model = next((one for one in models(top) if one.found.numbered), None)
    return _drawn(model) if model else ""


def _drawn(model: Model) -> str:
    sheet = SHEETS["page"]
    rows = model.quantities
    file = io.StringIO()
    with mpl.rc_context():
        mpl.rcParams.update(settings(sheet))
        high = HEAD + ROW * len(rows) + FOOT
        figure = Figure((sheet.width, high))
        left = max(wide(name, sheet.small) for name, *_ in rows) + 0.35
        ax = figure.add_axes((left / sheet.width, FOOT / high, 1 - (left + 0.25) / sheet.width, ROW * len(rows) / high))
        for place, (_, q, _) in enumerate(rows):
            base = np.median(model.values(q, False))
            for side in (False, True):
                times = 100 * (model.values(q, side) / base - 1)
                style = {"color": SERIES[side], "marker": MARKERS[side], "linestyle": "none", "alpha": 0.75}
                ax.plot(times, np.full(len(times), place), markersize=0.6 * sheet.size, **style)
        ax.axvline(0, color=GREY, linewidth=0.8, zorder=1)
        ax.set_yticks(range(len(rows)), [name for name, *_ in rows])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.grid(color=GRID)
        ax.set_xlabel(f"% over the median of the cards of {model.heads[0].partition(' (')[0]}")
        title = f"{model.name}: two kinds of card, which the board part number tells apart"
        at = 0.15 / sheet.width
        figure.text(at, 1 - 0.12 / high, title, va="top", fontsize=1.3 * sheet.size, fontweight="bold")
        for side in (False, True):
            text = f"\u25a0 {model.heads[side]}"
            figure.text(at, 1 - 0.5 / high, text, va="top", fontsize=sheet.small, color=SERIES[side])
            at += (wide(text, sheet.small) + 0.3) / sheet.width
        FigureCanvasSVG(figure).print_svg(file, metadata={"Date": None, "Creator": "gpufx"})
    return file.getvalue()
