"""Transposing B: the time of a product by the order in which B and A are read, relative to B as it is."""

from functools import partial

from gpufx_plot.charts.series import pick, values
from gpufx_plot.charts.style import BLANK, GREY, canvas, decorate, finish, from_zero, shade, tiled
from gpufx_plot.model import number

TITLE = "Does it pay to transpose B before a matrix product?"
STORED = {"plain": "B as it is", "transposed": "B already transposed", "first": "B transposed before each product"}
LANES = ("columns", "rows")
MOST_PANELS = 6


def _base(source, n):
    """What the others are measured by: B as it is, lanes along the columns."""
    found = pick(source.points, n=n, b="plain", lanes="columns")
    return found[0].value if found and found[0].value > 0 else None


def _scale(sources, n):
    """Times as long as the base, where every source has one; else milliseconds."""
    relative = all(_base(s, n) for s in sources if pick(s.points, n=n))
    return relative, "times as long as the first bar" if relative else "ms per product"


def _panel(c, ax, n):
    every = [p for s in c.sources for p in pick(s.points, n=n)]
    relative, unit = _scale(c.sources, n)
    groups = [lanes for lanes in LANES if pick(every, lanes=lanes)]
    stored = [b for b in STORED if pick(every, b=b)]
    sources = [s for s in c.sources if pick(s.points, n=n)]
    width, tops = 0.84 / (len(stored) * len(sources)), []
    for s, source in enumerate(sources):
        unit_ns = _base(source, n) if relative else 1e6
        for p in pick(source.points, n=n):
            slot = stored.index(p.params["b"]) * len(sources) + s
            x = groups.index(p.params["lanes"]) - 0.42 + width * (slot + 0.5)
            look = {"color": shade(source.colour, list(STORED).index(p.params["b"]), len(STORED))}
            hatch = {"hatch": "///", "edgecolor": "white", "linewidth": 0} if source is not c.sources[0] else {}
            ax.bar(x, p.value / unit_ns, width=0.92 * width, **look, **hatch)
            low, high = p.spread
            if high - low > 0.03 * abs(p.value):
                ax.plot([x, x], [low / unit_ns, high / unit_ns], color=GREY, linewidth=1)
            at = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center", "va": "bottom"}
            text = number(p.value / unit_ns, 3)
            ax.annotate(text, (x, p.value / unit_ns), fontsize=7 if len(sources) == 1 else 6, bbox=BLANK, **at)
            c.key(STORED[p.params["b"]], color=look["color"], linewidth=6)
            tops.append(p.value / unit_ns)
    alone = relative and len(sources) == 1
    base = f" (1 = {number(_base(sources[0], n) / 1e6, 3)} ms)" if alone else ""
    decorate(ax, f"n = {n}{base}", "", unit)
    ax.set_xticks(range(len(groups)), [f"lanes along the {lanes} of C" for lanes in groups])
    ax.tick_params(axis="x", length=0)
    ax.grid(visible=False, axis="x")
    from_zero(ax, [1.05 * top for top in tops])
    if relative:
        ax.axhline(1, color=GREY, linewidth=0.9, zorder=0.9)
        c.note("1: B as it is, lanes along the columns")


def draw(sources):
    sizes = values([p for s in sources for p in s.points], "n")
    if not sizes:
        return None
    c = canvas(sources, 13, 3.2)
    if len(sizes) > MOST_PANELS:
        c.note(f"the first {MOST_PANELS} of {len(sizes)} values of n are drawn")
    sizes = sizes[:MOST_PANELS]
    columns = min(3, len(sizes))
    c.figure.set_size_inches(13 if len(sizes) > 1 else 7.5, 3.2 * -(-len(sizes) // columns))
    tiled(c, [partial(_panel, c, n=n) for n in sizes], columns)
    c.note("bars: medians over the processes")
    return finish(c, TITLE)
