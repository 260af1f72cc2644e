"""One screen about one archive: what was measured on what, what the laws gave, and how it compares."""

from collections import Counter
from itertools import groupby

from .archive import Archive
from .compare import compare
from .model import Fit, Point, number, ordered, size_text, time_text
from .report import describe, table, totals

SCREEN = 46


def _range(values: list[float], digits: int = 4) -> str:
    low, high = number(min(values), digits), number(max(values), digits)
    return low if low == high else f"{low}..{high}"


def _common(keys: list[dict], most: int) -> list[str]:
    """The leading axes that make at most `most` lines: the rest is shown as ranges."""
    shown: list[str] = []
    for axis in dict.fromkeys(a for key in keys for a in key):
        if len({tuple(key.get(a) for a in [*shown, axis]) for key in keys}) > most:
            break
        shown.append(axis)
    return shown


def _fit_lines(fits: list[Fit], most: int) -> list[str]:
    """Fits as lines of a + b * law, merged into ranges until there are at most `most` of them."""
    rows = []
    for (metric, law), same in groupby(sorted(fits, key=lambda f: (f.metric, f.law)), key=lambda f: (f.metric, f.law)):
        chosen = list(same)
        axes = _common([f.group for f in chosen], most)
        merged: dict[tuple, list[Fit]] = {}
        for fit in chosen:
            merged.setdefault(tuple(str(fit.group.get(a)) for a in axes), []).append(fit)
        for values, part in merged.items():
            worst = max(part, key=lambda f: abs(f.residual_pct))
            r2 = min((f.r_squared for f in part if f.r_squared is not None), default=None)
            rows.append(
                (
                    " ".join(values) or "all cases",
                    metric,
                    _range([f.a for f in part]),
                    f"{_range([f.b for f in part])} per {law.removesuffix('s')}",
                    "-" if r2 is None else f"{r2:.6f}",
                    f"{abs(worst.residual_pct):.2f} %",
                    "" if len(part) == 1 else f"{len(part)} fits",
                )
            )
    if not rows:
        return []
    return table(("fit", "metric", "a", "b", "R²", "largest residual", ""), rows)


def _transfer_lines(fits: list[Fit]) -> list[str]:
    """Fits over bytes read as a start-up time and a rate: kinds down, those with most directions first."""
    axes = [*dict.fromkeys(a for f in fits for a in f.group)]
    across = "direction" if "direction" in axes else axes[-1] if len(axes) > 1 else None
    cells: dict[str, dict[str, str]] = {}
    for fit in fits:
        row = cells.setdefault(" ".join(str(v) for k, v in fit.group.items() if k != across) or "all", {})
        t0 = max(fit.a, 0)
        text = f"{1 / fit.b:.4g} GB/s, t0 {time_text(t0)}, half at {size_text(t0 / fit.b)}"
        row[str(fit.group.get(across, "copy"))] = text
    columns = ordered(name for row in cells.values() for name in row)
    rows = [
        (name, *(row.get(c, "-") for c in columns))
        for name, row in sorted(cells.items(), key=lambda cell: -len(cell[1]))
    ]
    return table(("fit t0 + bytes / rate", *columns), rows)


def _best_rates(points: list[Point]) -> list[str]:
    """The best moved rate per value of the probe's first choice axis."""
    lines: list[str] = []
    for key, unit in (("moved_GBps", "GB/s"), ("moved_bytes_per_cycle", "bytes per cycle")):
        rated = [p for p in points if key in p.derived]
        axis = next((a for a, v in rated[0].params.items() if isinstance(v, str)), None) if rated else None
        best: dict[str, Point] = {}
        for point in rated:
            name = str(point.params.get(axis, "all"))
            if name not in best or point.derived[key] > best[name].derived[key]:
                best[name] = point
        texts = [
            f"{name} {point.derived[key]:.4g}"
            + (f" ({point.derived['peak_pct']:.1f} % of peak)" if "peak_pct" in point.derived else "")
            for name, point in best.items()
        ]
        if texts:
            lines.append(f"best {unit} moved: {', '.join(texts)}")
    return ["; ".join(lines)] if lines else []


def _plain(points: list[Point], most: int) -> list[str]:
    """For a probe without fits: the range of each metric, for the choices that come first among its axes."""
    keys = [{a: v for a, v in p.params.items() if isinstance(v, str)} for p in points]
    axes = _common(keys, most)
    groups: dict[tuple, list[float]] = {}
    for point, key in zip(points, keys, strict=True):
        groups.setdefault((*(str(key.get(a)) for a in axes), point.metric), []).append(point.value)
    return [f"{' '.join(name)}: {_range(values)}" for name, values in groups.items()]


def _probe_lines(archive: Archive, probe: str, most: int) -> list[str]:
    points = [p for p in archive.points if p.probe == probe]
    fits = [f for f in archive.merged_fits if f.probe == probe]
    over_bytes = [f for f in fits if f.law == "bytes" and f.metric.endswith("_ns") and f.b > 0]
    lines = _fit_lines([f for f in fits if f not in over_bytes], most)
    if over_bytes:
        head, *rates = _transfer_lines(over_bytes)
        lines += [head, *rates[:8], *([f"and {len(rates) - 8} more"] if len(rates) > 8 else [])]
    elif any(p.moved_bytes != p.useful_bytes for p in points):
        lines += _best_rates(points)
    return lines or _plain(points, most)


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
        tail = ["", f"against {describe(against)}", f"  {totals(compare(against, archive, margin))}"]
    head = _head(archive)
    body = _body(archive, SCREEN - len(head) - len(tail))
    return "\n".join([*head, *body, *tail]) + "\n"
