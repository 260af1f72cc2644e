"""The SVG pictures of this package as PDF, by matplotlib, which figures come from, too: rectangles, lines, polygons and
texts with the classes of hierarchy.css. Nothing else is understood, since nothing else is drawn."""

import re
from xml.etree import ElementTree

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Polygon

from ..charts import content
from ..charts.look import wide

PIXELS, POINTS = 96, 72  # of an inch, on a screen and on paper
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
MOVE, TURN = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\)"), re.compile(r"rotate\(([-\d.]+)\)")
ALIGNED = {"start": "left", "middle": "center", "end": "right"}
Style = dict[str, str]


def _declared(text: str) -> Style:
    pairs = (part.partition(":") for part in text.split(";") if ":" in part)
    found = {name.strip(): value.strip() for name, _, value in pairs}
    if size := re.search(r"(\d+)px", found.pop("font", "")):
        found["font-size"] = size[0]
    return found


def _rules(root) -> list[tuple[list[str], Style]]:
    """Of the light theme, those that say more of an element last."""
    text = root.find("{*}style").text.partition("@media")[0]
    rules = [(of.split(), _declared(body)) for of, body in RULE.findall(text)]
    return sorted(rules, key=lambda rule: sum(part[0] == "." for part in rule[0]))


class _Drawn:
    """inches: of its width; None: as large as on a screen."""

    def __init__(self, root, inches: float | None = None):
        self.size = float(root.get("width")), float(root.get("height"))
        self.pixels = self.size[0] / inches if inches else PIXELS  # of an inch
        self.figure = Figure(tuple(length / self.pixels for length in self.size))
        self.axes = self.figure.add_axes((0, 0, 1, 1), xlim=(0, self.size[0]), ylim=(self.size[1], 0))
        self.axes.set_axis_off()
        self.rules = _rules(root)
        self.draw(root, (), (0.0, 0.0))

    def style(self, chain: tuple[set[str], ...], element) -> Style:
        found = {}
        for parts, declared in self.rules:
            if parts[-1] in chain[-1] and all(any(part in of for of in chain[:-1]) for part in parts[:-1]):
                found |= declared
        return found | _declared(element.get("style", ""))

    def draw(self, element, above: tuple[set[str], ...], at: tuple[float, float]) -> None:
        kind = element.tag.rpartition("}")[2]
        chain = (*above, {kind, *(f".{name}" for name in element.get("class", "").split())})
        if move := MOVE.search(element.get("transform", "")):
            at = at[0] + float(move[1]), at[1] + float(move[2])
        method = {"rect": self.rect, "line": self.line, "polygon": self.polygon, "text": self.text}.get(kind)
        if method:
            method(element, self.style(chain, element), at, chain)
        elif kind in ("svg", "g"):
            for child in element:
                self.draw(child, chain, at)

    def _look(self, style: Style) -> dict:
        """Lengths are pixels, and dashes are counted in widths of the line."""
        width = float(style.get("stroke-width", 1))
        dashes = tuple(float(part) / width for part in style.get("stroke-dasharray", "").split())
        look = {"edgecolor": style.get("stroke", "none"), "linewidth": width * POINTS / self.pixels}
        fill = style.get("fill", "black")
        look["facecolor"] = fill if fill == "none" else (fill, float(style.get("fill-opacity", 1)))
        return look | ({"linestyle": (0, dashes)} if dashes else {})

    def rect(self, element, style: Style, at, _chain) -> None:
        x, y, width, height, round_ = (float(element.get(name, 0)) for name in ("x", "y", "width", "height", "rx"))
        shape = f"round,pad=0,rounding_size={round_}" if round_ else "square,pad=0"
        self.axes.add_patch(FancyBboxPatch((x + at[0], y + at[1]), width, height, shape, **self._look(style)))

    def line(self, element, style: Style, at, _chain) -> None:
        x1, x2, y1, y2 = (float(element.get(name)) for name in ("x1", "x2", "y1", "y2"))
        ends = [(x1 + at[0], y1 + at[1]), (x2 + at[0], y2 + at[1])]
        self.axes.add_patch(Polygon(ends, closed=False, **self._look(style | {"fill": "none"})))

    def polygon(self, element, style: Style, at, _chain) -> None:
        points = [tuple(map(float, point.split(","))) for point in element.get("points").split()]
        self.axes.add_patch(Polygon([(x + at[0], y + at[1]) for x, y in points], **self._look(style)))

    def text(self, element, style: Style, at, chain) -> None:
        x, y = float(element.get("x", 0)) + at[0], float(element.get("y", 0)) + at[1]
        turn = TURN.search(element.get("transform", ""))
        parts = [(element.text or "", style)]
        for span in element:
            of = (*chain, {"tspan", *(f".{name}" for name in span.get("class", "").split())})
            parts.append((span.text or "", style | self.style(of, span)))
        for words, own in parts:
            points = float(own["font-size"].removesuffix("px")) * POINTS / self.pixels
            weight = "bold" if int(own.get("font-weight", 400)) >= 600 else "normal"
            place = {"ha": ALIGNED[own.get("text-anchor", "start")], "va": "baseline", "rotation_mode": "anchor"}
            look = {"size": points, "weight": weight, "color": own["fill"], "rotation": -float(turn[1]) if turn else 0}
            self.axes.text(x, y, words, parse_math=False, **place, **look)
            x += self.pixels * wide(words, points, weight)


def pdf(svg: str, inches: float | None = None) -> bytes:
    return content(_Drawn(ElementTree.fromstring(svg), inches), "pdf")
