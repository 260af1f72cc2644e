"""`gpufx import`: the JSON of another benchmark as a foreign archive.

Each reader turns the form of one tool into figures with a name and a unit; which of them is a quantity of ours is data,
results/foreign/TOOL.json. Nothing here knows a quantity by name.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Annotated, Literal
from zlib import crc32

import msgspec
from msgspec import Meta

from ... import UserError
from ...archive.foreign import ForeignDevice, Head, Stated, Tool, strict_json
from ...archive.lines import LARGEST
from ...call.program import root
from ...call.text import clipped, safe, shown
from ...chip.definitions import Definition, definitions

LARGEST_FILE = 64 << 20
MOST_MEASUREMENTS = 1_000_000_000  # of one figure; what says more says nothing
DEEPEST = 20  # objects in each other that are looked through
# From a unit as it is stated to one of ours.
FACTORS = {
    ("GiB/s", "GB/s"): Fraction(2**30, 10**9),
    ("MiB/s", "GB/s"): Fraction(2**20, 10**9),
    ("MB/s", "GB/s"): Fraction(1, 10**3),
    ("B/s", "GB/s"): Fraction(1, 10**9),
    ("s", "ns"): Fraction(10**9),
    ("ms", "ns"): Fraction(10**6),
    ("us", "ns"): Fraction(10**3),
    ("KiB", "bytes"): Fraction(2**10),
    ("MiB", "bytes"): Fraction(2**20),
    ("kHz", "MHz"): Fraction(1, 10**3),
}


@dataclass(slots=True)
class Figure:
    """What a file says of something. of: which of several figures of that name."""

    name: str
    value: float
    unit: str
    of: str = ""
    low: float | None = None
    high: float | None = None
    n: int = 1


@dataclass
class Facts:
    """What a file says of itself."""

    version: str | None = None
    started_utc: str | None = None
    device: str = "unknown device"
    arch: str = "unknown"
    uuid: str | None = None
    driver: dict[str, str] = field(default_factory=dict)
    invented: bool = False


class Rule(msgspec.Struct, forbid_unknown_fields=True):
    """One line of a map; see results/schema/foreign-map-1.schema.json."""

    id: str
    unit: str
    name: str = ""
    match: str = ""
    of: str = ""
    take: Literal["only", "largest", "smallest"] = "only"
    scale: Annotated[float, Meta(gt=0, le=1e12)] = 1.0
    note: Annotated[str, Meta(max_length=200)] = ""

    def holds(self, figure: Figure) -> bool:
        if self.of != figure.of:
            return False
        return figure.name == self.name if self.name else re.fullmatch(self.match, figure.name) is not None


class Map(msgspec.Struct, forbid_unknown_fields=True):
    tool: str
    source: str
    quantities: list[Rule]
    values: list[str] = []  # mt4g: keys of an object of which the first that is there has its figure


def converted(value: float | None, by: Fraction, scale: float) -> float | None:
    """Rounded once. Raises OverflowError."""
    return None if value is None else float(Fraction(value) * by * Fraction(scale))


def _number(value) -> float | None:
    """A figure, also where the tool writes it as a text; None for what is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return float(value) if type(value) in (int, float) and abs(value) <= LARGEST else None


def _of(document, key: str, kind: type, where: str):
    value = document.get(key) if isinstance(document, dict) else None
    if not isinstance(value, kind):
        raise UserError(f"{where}: there is no {key!r}, which this tool writes; check --from")
    return value


# ---- The forms of the tools ----


def nvbandwidth(document, mapping: Map, gpu: int, where: str) -> tuple[Facts, list[Figure]]:
    """`nvbandwidth -j`: matrices of texts, a column per GPU. One row is the host's; several are of GPUs, and each cell
    is a figure by itself: "device_to_device_memcpy_write_ce[0][1]"."""
    whole = _of(document, "nvbandwidth", dict, where)
    facts = Facts(version=whole.get("git_version") or whole.get("version"))
    listed = whole.get("GPU Device list")
    names = [str(name) for name in listed] if isinstance(listed, list) else []
    if gpu >= max(len(names), 1):
        raise UserError(f"{where}: --gpu {gpu}: the file has {len(names)} GPUs, from 0 on")
    if names:
        facts.device = re.sub(r"^\d+: | \([0-9a-fA-F:.]+\).*$", "", names[gpu])
    facts.driver = {"version": str(whole.get("Driver Version", "unknown"))}
    figures = []
    for case in _of(whole, "testcases", list, where):
        matrix = case.get("bandwidth_matrix") if isinstance(case, dict) else None
        rows = [row for row in matrix if isinstance(row, list)] if isinstance(matrix, list) else []
        if not rows or case.get("status", "Passed") != "Passed":
            continue
        unit = re.search(r"\(([^()]+)\)$", str(case.get("bandwidth_description", "")))
        cells = {"": rows[0][gpu] if gpu < len(rows[0]) else None}
        if len(rows) > 1:
            cells = {f"[{i}][{j}]": cell for i, row in enumerate(rows) for j, cell in enumerate(row)}
        for place, cell in cells.items():
            if (value := _number(cell)) is not None:
                figures.append(Figure(f"{case.get('name')}{place}", value, unit[1] if unit else ""))
    return facts, figures


def mt4g(document, mapping: Map, gpu: int, where: str) -> tuple[Facts, list[Figure]]:
    """`mt4g -j`: a tree. A figure is an object with a unit, or a rate with its bytes and cycles, or a plain number."""
    general, meta = _of(document, "general", dict, where), _of(document, "meta", dict, where)
    _of(document, "memory", dict, where)
    version, stamp = meta.get("mt4gVersion"), meta.get("timestamp")
    facts = Facts(str(version) if version else None, _utc(stamp), str(general.get("name", "unknown device")))
    capability = general.get("computeCapability")
    if isinstance(capability, dict):
        facts.arch = f"sm_{capability.get('major')}{capability.get('minor')}"
    facts.driver = {"cuda_driver": str(meta.get("driver", "unknown"))}
    return facts, list(_leaves(document, mapping.values, "", where))


def _leaves(node, values: list[str], path: str, where: str, depth: int = 0) -> Iterator[Figure]:
    if depth > DEEPEST:
        raise UserError(f"{where}: objects are nested more than {DEEPEST} deep, which this tool never writes")
    if not isinstance(node, dict):
        if type(node) in (int, float) and (value := _number(node)) is not None:
            yield Figure(path, value, "")
        return
    parts = [_number(node.get(name)) for name in ("dataBytes", "numReps", "cycles")]
    value = next((v for name in values if (v := _number(node.get(name))) is not None), None)
    if all(parts):
        yield Figure(path, parts[0] * parts[1] / parts[2], "B/cycle per SM")
    elif "unit" in node and value is not None:
        if node.get("confidence") != 0:  # its word for "not found"
            n = _number(node.get("measurements")) or 1
            yield Figure(path, value, str(node["unit"]), n=int(n) if 1 <= n <= MOST_MEASUREMENTS else 1)
    else:
        for name, part in node.items():
            yield from _leaves(part, values, f"{path}.{name}".lstrip("."), where, depth + 1)


KNOWN = {
    *("family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations"),
    *("real_time", "cpu_time"),
}
COUNTERS = {"bytes_per_second": "B/s"}


def google_benchmark(document, mapping: Map, gpu: int, where: str) -> tuple[Facts, list[Figure]]:
    """`--benchmark_format=json`: repetitions give the median and its range; counters are further figures of a name."""
    context = _of(document, "context", dict, where)
    facts = Facts(str(context.get("library_version") or "") or None, _utc(context.get("date")))
    facts.device = str(context.get("gpufx_device") or facts.device)
    facts.arch = str(context.get("gpufx_arch") or facts.arch)
    facts.invented = context.get("gpufx_provenance") == "synthetic"
    runs: dict[tuple[str, str], list[float]] = {}
    units: dict[tuple[str, str], str] = {}
    for run in _runs(_of(document, "benchmarks", list, where)):
        name = str(run.get("run_name") or run.get("name"))
        figures = {"": (run.get("real_time"), str(run.get("time_unit", "ns")))}
        figures |= {
            counter: (value, COUNTERS.get(counter, counter))
            for counter, value in run.items()
            if counter not in KNOWN and type(value) in (int, float)
        }
        for of, (value, unit) in figures.items():
            if (number := _number(value)) is not None:
                runs.setdefault((name, of), []).append(number)
                units[name, of] = unit
    return facts, [
        Figure(name, median(values), units[name, of], of, *_range(values), n=len(values))
        for (name, of), values in runs.items()
    ]


def _runs(benchmarks: list) -> list[dict]:
    """The single runs; of a file that has the aggregates alone, the medians."""
    good = [run for run in benchmarks if isinstance(run, dict) and not run.get("error_occurred")]
    single = [run for run in good if run.get("run_type", "iteration") == "iteration"]
    return single or [run for run in good if run.get("aggregate_name") == "median"]


def _range(values: list[float]) -> tuple[float | None, float | None]:
    return (min(values), max(values)) if len(values) > 1 else (None, None)


def _utc(text) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment.tzinfo else None
    except (TypeError, ValueError, OverflowError):
        return None


READERS: dict[str, Callable] = {"nvbandwidth": nvbandwidth, "mt4g": mt4g, "google-benchmark": google_benchmark}


# ---- Which figures are quantities of ours ----


def read_map(path: Path) -> Map:
    """Raises UserError with file and reason."""
    try:
        found = msgspec.convert(strict_json(_bytes(path), shown(path)), Map)
        for rule in found.quantities:
            if bool(rule.name) == bool(rule.match):
                raise UserError(f"{safe(rule.id)}: give either name or match")
            re.compile(rule.match)
    except msgspec.ValidationError as error:
        raise UserError(f"{shown(path)}: {safe(str(error))[:200]}") from None
    except re.error as error:
        raise UserError(f"{shown(path)}: a match is not a valid regular expression: {error}") from None
    return found


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UserError(f"{shown(path)}: can't be read: {error.strerror}") from None
    if len(data) > LARGEST_FILE:
        raise UserError(f"{shown(path)}: it is larger than {LARGEST_FILE >> 20} MiB, too large for these tools")
    return data


def _stated(definition: Definition, figure: Figure, scale: float, note: str) -> Stated | None:
    """The figure in the unit of the quantity; None where that is another kind of unit. A plain number is what the map
    says that it is."""
    same = figure.unit in (definition.unit, "")
    by = Fraction(1) if same else FACTORS.get((figure.unit, definition.unit))
    if by is None:
        return None
    try:
        value, low, high = (converted(end, by, scale) for end in (figure.value, figure.low, figure.high))
    except OverflowError:
        return None
    if max(abs(value), abs(low or 0), abs(high or 0)) > LARGEST:
        return None
    name = f"{figure.name}:{figure.of}" if figure.of else figure.name
    stated = (clipped(name), figure.value, clipped(figure.unit), note)
    return Stated(definition.id, definition.unit, value, low, high, figure.n, *stated)


def matched(figures: list[Figure], rules: list[Rule]) -> list[Stated]:
    """The quantities among the figures: those that a rule names, and those that bear the name of one."""
    ours = {d.id: d for d in definitions({"probes": {}})}
    found: dict[str, Stated] = {}
    for rule in rules:
        same = [figure for figure in figures if figure.unit == rule.unit and rule.holds(figure)]
        if not same or rule.id in found or rule.id not in ours or (rule.take == "only" and len(same) > 1):
            continue
        take = min if rule.take == "smallest" else max
        stated = _stated(ours[rule.id], take(same, key=lambda figure: figure.value), rule.scale, rule.note)
        if stated:
            found[rule.id] = stated
    for figure in figures:
        if figure.name in ours and figure.name not in found and (stated := _stated(ours[figure.name], figure, 1.0, "")):
            found[figure.name] = stated
    return sorted(found.values(), key=lambda stated: stated.id)


def check_place(output: str) -> None:
    """Raises UserError for a place under results/, where every number was measured with gpufx."""
    if Path(output).resolve().is_relative_to((root() / "results").resolve()):
        raise UserError(
            f"--output {shown(output)}: a foreign archive can't be kept under results/, where gpufx measured every "
            "number; choose another folder, such as out/"
        )


def imported(path: Path, tool: str, mapping: Path | None, gpu: int) -> tuple[Head, list[Stated], int]:
    """The head and the quantities of a file, and how many figures it has. Raises UserError."""
    where = shown(path)
    data = _bytes(path)
    names = read_map(mapping or root() / "results" / "foreign" / f"{tool}.json")
    facts, figures = READERS[tool](strict_json(data, where), names, gpu, where)
    found = matched(figures, names.quantities)
    if not found:
        raise UserError(f"{where}: none of its {len(figures)} values is a quantity of gpufx; name them with --map")
    crc = crc32(data)
    slug = re.sub(r"[^a-z0-9]+", "-", facts.device.lower()).strip("-")[:256] or "unknown"
    device = ForeignDevice(clipped(facts.device), slug, clipped(facts.arch), facts.uuid and clipped(facts.uuid))
    version = clipped(facts.version) if isinstance(facts.version, str) else None
    driver = {name: clipped(text) for name, text in facts.driver.items()}
    who = Tool(tool, version, clipped(path.name), f"{crc:08x}")
    return (
        Head(1, f"{crc32(b'%d' % gpu, crc):08x}", facts.started_utc, "foreign", facts.invented, who, device, driver),
        found,
        len(figures),
    )
