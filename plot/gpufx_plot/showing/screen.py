"""The first screen: what a chip is, in 24 lines of 80 columns, more where the terminal has more.

Which quantity stands where is data of its definition: a cell of the table of memories, whose rows come in the order of
their latencies, or a line of what costs most."""

from ..archive.cases import driver_text
from ..archive.load import Archive
from ..call.number_text import counted, number, size_text
from ..call.tables import table, wrapped
from ..call.terminal import columns, height
from ..call.text import from_here, json_text
from ..chip.quantities import basis, infer
from ..chip.quantity import Quantity
from ..chip.quantity_text import doubt, sure_text, value_text
from ..judging.facts import warnings
from .sheet import archives_json
from .side import HEADS, TYPES, Side, listed

FIELDS = ("cycles", "ns", HEADS["holds"])  # of a row of the table of memories, before its rates
ARITHMETIC = {"peak": "peak", "reached": "reached", "bytes": "DRAM B/FLOP"}
LEAST_COSTS = 3  # lines of them, before anything that may be left out
ROUGH = 0.05  # half an interval of so much, of its value, is marked
NAME = 32  # characters of a line of costs


def chip_line(archive: Archive) -> str:
    """NVIDIA H200 (sm_90): 132 SMs, L2 60 MiB, DRAM 140 GiB, peak 4814 GB/s."""
    device = archive.run["device"]
    peak = device.get("memory_peak_GBps")
    chip = f"{device['name']} ({device['arch']}): {device['sm_count']} SMs, L2 {size_text(device['l2_bytes'])}, "
    return chip + f"DRAM {size_text(device['memory_bytes'])}" + (f", peak {peak:.4g} GB/s" if peak else "")


def _head(archive: Archive) -> list[str]:
    run = archive.run
    failed = f"{len(archive.failed)} FAILED" if archive.failed else "no failures"
    cases = f"{counted(len(archive.points), 'case')}, {counted(archive.processes, 'process')}, {failed}"
    said = f"{driver_text(run)}; {run['started_utc'][:10]}; {cases}" + (", quick" if run["quick"] else "")
    return [chip_line(archive), said, *warnings(archive)]


def _screened(texts: list[str]) -> list[str]:
    """Lines that are no wider than the screen, broken behind commas where that is enough."""
    found = []
    for text in texts:
        lines = wrapped(text, indent="  ", between=",")
        found += lines if max(map(len, lines)) <= columns() else wrapped(text, indent="  ", cut=True)
    return found


def _short(q: Quantity, unit: bool = True) -> str:
    return "~" * ((doubt(q) or 0) > ROUGH) + value_text(q, unit)


def _rates(quantities: list[Quantity]) -> tuple[str, str]:
    """read 4648, write 4726 GB/s; and the shares of the peak."""
    known = sorted((q for q in quantities if q.estimate), key=lambda q: q.definition.place)
    if not known:
        return "?", ""
    units = [*(q.unit for q in known[1:]), None]  # each is said behind the last that has it
    texts = [_short(q, q.unit != after) for q, after in zip(known, units, strict=True)]
    told = listed(zip((q.definition.screen.label for q in known), texts, strict=True))
    shares = [f"{q.share_pct:.0f}" for q in known if q.share_pct is not None]
    return told, f"({', '.join(shares)} % of peak)" if shares else ""


def _memories(side: Side) -> list[str]:
    """A row without latency and size has the room of both for its rates; shares stand below them."""
    rows, mhz = side.rows(), side.clock()
    if not rows:
        return ["no quantity of this screen was measured: gpufx summary --full"]
    cells = {row: _fields(found, mhz) for row, found in rows.items()}
    heads = ("latency in", *FIELDS)
    widths = [
        max(map(len, column)) + 2 for column in zip(heads, *((row, *of) for row, of in cells.items()), strict=True)
    ]
    widths[0] -= 1
    lines = ["".join(map(str.ljust, heads, widths)) + HEADS["rate"]]
    for row, found in rows.items():
        rate, shares = _rates(found["rate"]) if "rate" in found else ("", "")
        fields = (row, *cells[row]) if any(cells[row]) else (row,)
        start = "".join(map(str.ljust, fields, widths))
        lines.append((start + rate).rstrip())
        if shares:
            fits = len(lines[-1]) + len(shares) < columns()
            lines[-1:] = [f"{lines[-1]} {shares}"] if fits else [lines[-1], " " * len(start) + shares]
    return lines


def _fields(found: dict[str, list[Quantity]], mhz: float | None) -> tuple[str, str, str]:
    """Latency in cycles and in ns, and capacity."""
    q = next(iter(found.get("latency", [])), None)
    ns = number(1000 * q.estimate.value / mhz, 3) if q and mhz and q.estimate and q.estimate.value else ""
    size = next((_short(q) + " *" * (q.definition.by == "reported") for q in found.get("holds", ())), "")
    return (_short(q).removesuffix(" cycles") if q else "", ns, size)


def _arithmetic(side: Side) -> tuple[list[str], list[str]]:
    """What the chip computes at most, and what a product of matrices reaches; then bytes per operation."""
    found = side.arithmetic()
    if "peak" not in found:
        return [], []

    def cell(row: str, name: str) -> str:
        q = found.get(row, {}).get(name)
        if not q:
            return side.untold(row, name)
        return _short(q, False) + " P" * (row == "reached" and side.at_power_limit(q))

    rows = [(word, *(cell(row, name) for name in TYPES)) for row, word in ARITHMETIC.items()]
    lines = table(("TFLOP/s", *TYPES[:-1], f"{TYPES[-1]} TOP/s"), rows)
    return lines[:3], lines[3:]


def _costs(side: Side, room: int) -> list[str]:
    """What costs most; how sure, or how far the line behind it misses."""
    found = side.costs()[: max(room - 1, 0)]
    if not found:
        return []
    rows = [(f"  {q.definition.screen.cost}", value_text(q), sure_text(q)) for q in found]
    return table(("biggest slowdowns".ljust(NAME + 4), "factor", "99 % CI"), rows, {"factor"})


def _foot(side: Side) -> list[str]:
    wanted = [q for q in side.quantities if not q.waived]
    found = f"{sum(q.determined for q in wanted)} of {len(wanted)} quantities determined: gpufx sheet"
    return [
        basis(side.archive),
        "~ CI over ±5 %  * as reported  P power limit  - not measured  ? not determined",
        f"{found}   by probe: gpufx summary --full",
        f"archive {from_here(side.archive.path)}",
    ]


def as_text(side: Side) -> str:
    """What the terminal has no room for is left out."""
    head, memories, foot = _screened(_head(side.archive)), _memories(side), _foot(side)
    arithmetic, bytes_each = _arithmetic(side)
    room = height() - len(head) - len(memories) - len(foot) - 3 - len(arithmetic) - bool(arithmetic)
    glued = room < LEAST_COSTS  # on a small screen both tables stand without a line between them
    room += glued and bool(arithmetic)
    if len(bytes_each) <= room - LEAST_COSTS:
        arithmetic, room = arithmetic + bytes_each, room - len(bytes_each)
    tables = [[*memories, *arithmetic]] if glued else [memories, arithmetic]
    parts = [head, *tables, _costs(side, room), foot]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def first_screen(archive: Archive, json: bool) -> str:
    side = Side(archive, infer(archive))
    return json_text({"archives": archives_json([(archive, side.on_screen())])}, 2) if json else as_text(side)
