"""What pinning costs, and after how many copies it has paid for itself."""

from itertools import takewhile

from gpufx_plot.call.number_text import size_text
from gpufx_plot.showing.charts import scales
from gpufx_plot.showing.charts.pen import Panel
from gpufx_plot.showing.charts.series import pick

QUESTION = "What does it cost to pin host memory?"
CALLS = {
    ("pin", "pinned"): "cudaHostAlloc",
    ("pin", "registered"): "cudaHostRegister",
    ("unpin", "pinned"): "cudaFreeHost",
    ("unpin", "registered"): "cudaHostUnregister",
}
DIRECTIONS = {"h2d": "H2D", "d2h": "D2H"}


def _repaid(source):
    """The sizes from which on one H2D copy pays for registering."""
    pairs = sorted(break_even(source.archive.points, "h2d"), reverse=True)
    return sorted(size for size, _ in takewhile(lambda pair: pair[1] <= 1, pairs))


def finding(source):
    if sizes := _repaid(source):
        return (
            f"One H2D copy of {size_text(sizes[0])} or more pays for registering host memory; smaller ones take several"
        )
    return source.said("Registering host memory runs at {link.pinning.rate}")


def _pinning(pen):
    pen.lines("size", {name: {"task": task, "kind": kind} for (task, kind), name in CALLS.items()})
    pen.axes("Time of the call", "bytes", "", scales.sizes, scales.times)


def break_even(points, direction):
    """(size, copies after which registering has paid for itself), for each size at which a registered copy is faster.

    The copies are cases of another effect of the same archive."""

    def by_size(**wanted):
        return {p.params["size"]: p.value for p in pick(points, **wanted) if "kind" in p.params}

    slow = by_size(task="copy", kind="pageable", direction=direction)
    fast = by_size(task="copy", kind="registered", direction=direction)
    pin, unpin = by_size(task="pin", kind="registered"), by_size(task="unpin", kind="registered")
    return [
        (size, (pin[size] + unpin.get(size, 0.0)) / (slow[size] - fast[size]))
        for size in sorted({*slow} & {*fast} & {*pin})
        if slow[size] > fast[size]
    ]


def _break_even(pen):
    for source in pen.sources:
        for index, (direction, name) in enumerate(DIRECTIONS.items()):
            pairs = dict(break_even(source.archive.points, direction))
            points = pick(source.points, task="pin", kind="registered")
            of, colour = len(CALLS) + index, pen.colour(source, len(CALLS) + index)
            pen.plot(source, points, "size", lambda p, v, c=pairs: c.get(p.params["size"]), name, of)
            if direction == "h2d" and pen.alone and (sizes := _repaid(source)):
                pen.say_at(sizes[0], pairs[sizes[0]], f"{size_text(sizes[0])}: {pairs[sizes[0]]:.2f} of a copy", colour)
            if pen.alone and pairs:
                largest = max(pairs)
                pen.say_at(largest, pairs[largest], f"{pairs[largest]:.2f}", colour)
    pen.level(1, "one copy", what="one copy")
    pen.notes.add("copies: (register + unregister) / (pageable - registered copy)")
    pen.axes(
        "Copies after which registering pays off",
        "bytes registered and copied",
        "copies",
        scales.sizes,
        scales.log10,
    )


def panels(_):
    return [Panel(_break_even, 0.9, wide=True), Panel(_pinning, 0.9, wide=True)]
