"""One screen about an archive: what was measured on what, what the laws gave, and how it compares.

Nothing here knows a probe: fits, best rates, staircases over a footprint and ranges are found in the cases themselves.
"""

from collections import Counter

from .archive import Archive
from .compare import compare
from .model import Fit, Point, fit_rows, half_size, key_of, leading_axes, number, size_text, span, time_text
from .report import describe, overview, table
from .sizes import Size, sizes

SCREEN = 50
MOST_BROKEN = 8  # named beside the worst
LARGE = 64 << 20  # bytes from which on a transfer's rate is told


def _rates(points: list[Point], peak: float | None) -> list[str]:
    """The best useful rate of a probe whose accesses move more than is useful, by the axes that come first."""
    if all(p.moved_bytes in (0, p.useful_bytes) for p in points):
        return []
    best: dict[tuple, tuple[float, str]] = {}
    for point in points:
        for key, unit in (("useful_GBps", "GB/s"), ("useful_bytes_per_cycle", "B/cycle/SM")):
            rate = point.derived.get(key)
            group = (*[v for v in point.params.values() if isinstance(v, str)][:2], unit)
            if rate and rate > best.get(group, (0,))[0]:
                share = f" ({100 * rate / peak:.1f} % of peak)" if peak and unit == "GB/s" else ""
                best[group] = (rate, f"{' '.join(group[:-1])} {number(rate, 4)} {unit}{share}")
    return ["best useful rate: " + ", ".join(text for _, text in best.values())] if best else []


def _reported(size: Size, l2_bytes: int) -> str:
    return " (the L2, as reported)" if size.low and size.high and size.low <= l2_bytes < size.high else ""


def _stairs(points: list[Point], l2_bytes: int) -> list[str]:
    """The flat parts of every sweep over a footprint that no law explains, and where each ends: "34 cycles to
    208..216 KiB" means that 208 KiB fit and 216 do not, 95 % sure. The device's own word stands beside it."""
    sweeps: dict[tuple, list[Point]] = {}
    for point in points:
        rest = {k: v for k, v in point.params.items() if k != "footprint"}
        if point.params.get("footprint") and point.law is None:
            sweeps.setdefault((key_of(rest), point.metric), []).append(point)
    same: dict[str, list[str]] = {}
    swept = [s for s in sweeps.values() if len(s) > 4]
    names = [{k: v for k, v in s[0].params.items() if isinstance(v, str)} for s in swept]
    for sweep, name in zip(swept, names, strict=True):
        flat = sizes(sweep)
        words = [str(v) for k, v in name.items() if len({n.get(k) for n in names}) > 1] or [*map(str, name.values())]
        unit = sweep[0].unit
        text = ", ".join(f"{number(s.cost, 3)} {unit} to {s.text}{_reported(s, l2_bytes)}" for s in flat)
        if text:
            same.setdefault(text, []).append(" ".join(words))
    return [f"by footprint, {', '.join(names)}: {text}" for text, names in same.items()]


def _broken(fits: list[Fit]) -> list[str]:
    """The fits whose law does not hold on this chip: the worst one with its worst case, the others by name."""
    broken = sorted((f for f in fits if not f.holds_here), key=lambda f: -abs(f.residual_pct))
    if not broken:
        return []
    worst, names = broken[0], [" ".join(map(str, f.group.values())) or "all cases" for f in broken]
    text = f"LAW DOES NOT HOLD: {names[0]} over {worst.law.replace('_', ' ')}, {abs(worst.residual_pct):.1f} % off at "
    text += worst.worst_case.removeprefix(worst.probe + "/")
    more = f", and {len(names) - 1 - MOST_BROKEN} more" if len(names) > 1 + MOST_BROKEN else ""
    return [text + (f"; also {', '.join(names[1 : 1 + MOST_BROKEN])}{more}" if names[1:] else "")]


def _transfers(archive: Archive, points: list[Point], most: int) -> list[str]:
    """Copies by kind: the rate at the largest size, and the fitted start-up time and half-bandwidth size."""
    cells: dict[str, dict[str, str]] = {}
    for fit in (f for f in archive.merged_fits if f.over_bytes and f.probe == points[0].probe):
        mine = [p for p in points if fit.holds(p)]
        across = "direction" if "direction" in fit.group else None
        row = cells.setdefault(" ".join(str(v) for k, v in fit.group.items() if k != across), {})
        large = [p for p in mine if p.count >= LARGE and p.gbps] or mine[-1:]
        rate = max((p.gbps for p in large if p.gbps), default=1 / fit.b)
        text = f"{rate:.4g} GB/s, t0 {time_text(max(fit.a, 0))}, {half_size(fit, mine[-1])[1]}"
        row[str(fit.group.get(across, "copy"))] = text
    columns = list(dict.fromkeys(name for row in cells.values() for name in row))
    rows = [(name, *(row.get(c, "-") for c in columns)) for name, row in cells.items()]
    rows.sort(key=lambda row: row.count("-"))
    return table((f"best from {size_text(LARGE)} on", *columns), rows[:most]) if rows else []


def _ranges(points: list[Point], most: int) -> list[str]:
    """For a probe of which nothing else is known: the range of each metric, for the choices first among its axes."""
    keys = [{a: v for a, v in p.params.items() if isinstance(v, str)} for p in points]
    axes = leading_axes(keys, most)
    groups: dict[tuple, list[float]] = {}
    for point, key in zip(points, keys, strict=True):
        groups.setdefault((*(str(key.get(a)) for a in axes), point.metric), []).append(point.value)
    return [f"{' '.join(name)}: {span(values, lambda v: number(v, 4))}" for name, values in groups.items()]


def _probe_lines(archive: Archive, probe: str, most: int) -> list[str]:
    points = [p for p in archive.points if p.probe == probe]
    if not points:
        return []
    fits = [f for f in archive.merged_fits if f.probe == probe and not f.over_bytes]
    lines = table(("fit", "cost", "R²", "largest residual"), fit_rows(fits, most)) if fits else []
    lines += _transfers(archive, points, most) + _stairs(points, archive.run["device"]["l2_bytes"])
    lines += _rates(points, archive.run["device"]["memory_peak_GBps"]) if fits else []
    lines += _broken([f for f in archive.merged_fits if f.probe == probe])
    return lines or _ranges(points, most)


def _counts(archive: Archive, probe: str) -> str:
    points = [p for p in archive.points if p.probe == probe]
    texts = [f"{len(points)} case{'' if len(points) == 1 else 's'}"]
    for word, lines in (("waived", archive.waived), ("FAILED", archive.failed)):
        count = len({(line["name"]) for line in lines if line["probe"] == probe})
        if count:
            texts.append(f"{count} {word}")
    flags = Counter(flag for p in points for flag in p.flags)
    if flags:
        texts.append("flagged: " + ", ".join(f"{n} {flag}" for flag, n in sorted(flags.items())))
    return ", ".join(texts)


def _block(archive: Archive, probe: str, most: int) -> list[str]:
    title, lines = f"{probe}: {_counts(archive, probe)}", _probe_lines(archive, probe, most)
    return [f"{title}; {lines[0]}"] if len(lines) == 1 else [title, *(f"  {text}" for text in lines)]


def _body(archive: Archive, height: int) -> list[str]:
    """All probes; the longest one is merged further until all fit into the height, where that is possible."""
    probes = sorted({*archive.probes, *(line["probe"] for line in archive.waived + archive.failed)})
    most = dict.fromkeys(probes, 8)
    blocks = {probe: _block(archive, probe, most[probe]) for probe in probes}
    while sum(map(len, blocks.values())) > height:
        probe = max((p for p in probes if most[p] > 1), key=lambda p: len(blocks[p]), default=None)
        if probe is None:
            break
        most[probe] -= 1
        blocks[probe] = _block(archive, probe, most[probe])
    return [line for block in blocks.values() for line in block]


def _head(archive: Archive) -> list[str]:
    run = archive.run
    device, program = run["device"], run["program"]
    peak = device["memory_peak_GBps"]
    lines = [describe(archive)]
    if archive.synthetic:
        lines.append("SYNTHETIC: these numbers come from a parameter file, not from a GPU.")
    commit = f" at {program['commit'][:12]}{' with changes' if program['dirty'] else ''}" if program["commit"] else ""
    quick = ", quick" if run.get("quick") else ""
    lines.append(
        f"{device['sm_count']} SMs, L2 {size_text(device['l2_bytes'])}, memory {size_text(device['memory_bytes'])}"
        + (f" at {peak:.4g} GB/s peak" if peak else "")
        + f"; gpufx {program['version']}{commit}, {program['build_type']} build{quick}"
    )
    return [*lines, f"{archive.path}", ""]


def summarise(archive: Archive, against: Archive | None, margin: float) -> str:
    """The screen as text. Fits are merged until it is at most SCREEN lines high, where that is possible."""
    tail = []
    if against:
        comparison = compare(against, archive, margin)
        tail = ["", f"against {describe(against)}", *(f"  {line}" for line in overview(comparison, margin))]
    head = _head(archive)
    body = _body(archive, SCREEN - len(head) - len(tail))
    return "\n".join([*head, *body, *tail]) + "\n"
