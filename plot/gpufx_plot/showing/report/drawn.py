"""Draws the SVG of the templates with matplotlib, for PDF and PNG. Knows no more of SVG and CSS than these use."""

import re
from itertools import chain
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.patheffects import Stroke

from ..charts import Drawing
from ..charts.look import settings, sheet_of, wide

RULE, NUMBER, PAIR = re.compile(r"^(.+) \{ (.*) \}$", re.M), re.compile(r"-?[\d.]+"), re.compile("([a-z-]+): ([^;]+)")
CHIP = 424  # of the SVG, as wide as a chip: one alone has the letters of two
ANCHORS = {None: "left", "middle": "center", "end": "right"}


def drawn(svg: str, sheet: str) -> Drawing:
    root, rules = ElementTree.fromstring(svg), RULE.findall(svg.partition("@media")[0])
    across, down = map(float, root.get("viewBox").split()[2:])
    unit = sheet_of(sheet).width / max(across, CHIP * sheet_of(sheet).columns)
    figure = Figure((unit * across, unit * down), sheet_of(sheet).dpi)
    FigureCanvasAgg(figure)
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, across), ylim=(down, 0))
    ax.set_axis_off()

    def draw(node, left: float, top: float, within: frozenset, look: dict) -> float:
        """Returns where its words end, which a tspan goes on from."""
        own = {(kind := node.tag.rpartition("}")[2]), *(f".{name}" for name in node.get("class", "").split())}
        within |= own
        mine = (text for what, text in rules if what.split()[-1] in own and within.issuperset(what.split()))
        get = (look := look | dict(chain.from_iterable(map(PAIR.findall, [*mine, node.get("style", "")])))).get
        x, y, *turned = map(float, NUMBER.findall(node.get("transform", "0 0")))
        left, top, width = left + x, top + y, float(NUMBER.match(get("stroke-width", "1"))[0])
        x, y, w, h = (float(node.get(at, 0)) for at in ("x", "y", "width", "height"))
        corners = [f"{x},{y}", f"{x + w},{y}", f"{x + w},{y + h}", f"{x},{y + h}"] * (kind == "rect")
        corners += [f"{node.get('x1')},{node.get('y1')}", f"{node.get('x2')},{node.get('y2')}"] * (kind == "line")
        if corners := corners or node.get("points", "").split():
            dashes = [float(length) / width for length in get("stroke-dasharray", "").split()]
            style = {"ls": (0, dashes) if dashes else "-", "lw": 72 * unit * width, "ec": get("stroke", "none")}
            style["fc"] = get("fill", "none"), float(get("fill-opacity", 1))
            places = [(left + float(x), top + float(y)) for x, y in (corner.split(",") for corner in corners)]
            ax.add_patch(Polygon(places, closed=kind != "line", **style))
        if kind in ("text", "tspan"):
            words, weight = node.text or "", "bold" if get("font-weight", "400") > "400" else "normal"
            size = 72 * unit * float(NUMBER.match(get("font-size", get("font")))[0])
            halo = [Stroke(linewidth=72 * width * unit, foreground=get("stroke"))] if get("stroke") else None
            style = {"color": get("fill"), "weight": weight, "fontsize": size, "path_effects": halo}
            style |= {"ha": ANCHORS[get("text-anchor")], "rotation": -sum(turned), "rotation_mode": "anchor"}
            ax.text(left + x, top + y, words, **style)
            left, top = left + x + wide(words, size, weight) / unit, top + y
        for child in node:
            end = draw(child, left, top, within, look if kind == "text" else {})
            left = end if kind == "text" else left
        return left

    with mpl.rc_context(settings(sheet_of(sheet))):
        for part in root:
            draw(part, 0, 0, frozenset({".hierarchy"}), {})
    return Drawing(figure, [], {}, "", "", "", 1)
