"""Transposing a matrix: the rate of each way beside that of a copy, in DRAM and in the L2."""

from functools import partial

from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel, rate
from gpufx_plot.showing.charts.series import pick, values

QUESTION = "What does a matrix transpose cost compared with a copy, and what closes the gap?"
NAMES = {
    "copy": "copy, 4 bytes per lane",
    "copy_vector": "copy, 16 bytes per lane",
    "read_coalesced": "writes along columns",
    "write_coalesced": "reads along columns",
    "tiled": "tile in shared memory",
    "padded": "padded tile",
    "swizzled": "tile, XOR swizzle",
    "diagonal": "padded, blocks along diagonals",
    "registers": "4 × 4 words in registers",
    "vector": "16 bytes per lane, through a tile",
    "bulk": "tile by the copy engine",
}
TITLED = 8192  # words of a row
COPIES = ("copy", "copy_vector")
SAME = 0.005  # of the time: as fast


def _at(source, n):
    return {p.params["variant"]: p for p in pick(source.points, n=n)}


def _usual(sources):
    """The size at which most ways were measured: of several, that of the title, or the largest."""
    count = {n: max(len(_at(s, n)) for s in sources) for n in {p.params["n"] for s in sources for p in s.points}}
    return max(count, key=lambda n: (count[n], n == TITLED, n), default=None)


def _fastest(found):
    return min({*found} - {*COPIES}, key=lambda v: found[v].value, default="")


def finding(source):
    found = _at(source, TITLED)
    fastest, copy = found.get(_fastest(found)), found.get("copy_vector")
    alike = fastest and copy and abs(fastest.value / copy.value - 1) < SAME
    return source.said(
        "The fastest transpose is as fast as a 16-byte copy ({matrix.transpose_ratio})"
        if alike
        else "The fastest transpose takes {matrix.transpose_ratio} as long as a 16-byte copy",
        "; one that writes along columns takes {matrix.naive_transpose_ratio} as long",
    )


def _ways(pen, n):
    rows, after = [], {}
    for source in pen.sources:
        found = _at(source, n)
        if pen.alone and n == TITLED:
            told = {_fastest(found): "{matrix.transpose_ratio}", "read_coalesced": "{matrix.naive_transpose_ratio}"}
            said = {v: source.said(words) for v, words in told.items() if v in found}
            after = {(source.index, found[v].name): f": {times}" for v, times in said.items() if times}
        rows += [(NAMES[v], source, found[v], int(v not in COPIES)) for v in NAMES if v in found]
    pen.bars(rows, y=rate, after=after)
    pen.names_above(["copies", "transposes"])
    pen.axes(f"{n} × {n} words of 4 bytes", "GB/s, read and written", "", scales.zero, None)


def panels(sources):
    n = _usual(sources)
    return [Panel(partial(_ways, n=n), wide=True)] if n else []


def supplement(sources):
    sizes = values([p for s in sources for p in s.points], "n")
    return [Panel(partial(_ways, n=n)) for n in sizes if n != _usual(sources)]
