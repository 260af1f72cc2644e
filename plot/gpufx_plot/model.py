"""What archives mean once the launches of a run are laid together: points, fits, and numbers as people read them."""

import math
from dataclasses import dataclass, field
from statistics import median


def key_of(params: dict) -> tuple:
    """Params as a key that does not depend on their order."""
    return tuple(sorted(params.items()))


@dataclass
class Point:
    """One case over all launches."""

    probe: str
    name: str
    sweep: str
    params: dict
    metric: str
    unit: str
    better: str
    method_version: int
    law: str | None
    count: float | None
    in_fit: bool
    counts: dict
    useful_bytes: float
    moved_bytes: float
    medians: list[float] = field(default_factory=list)  # one per launch
    intervals: list = field(default_factory=list)  # ci95 of each launch, or None
    derived: dict = field(default_factory=dict)  # medians over the launches
    extras: dict = field(default_factory=dict)
    flags: set = field(default_factory=set)  # of any launch

    @property
    def key(self) -> tuple:
        return (self.probe, key_of(self.params))

    @property
    def label(self) -> str:
        """The name without the probe."""
        return self.name.removeprefix(self.probe + "/")

    @property
    def value(self) -> float:
        return median(self.medians)

    @property
    def spread(self) -> tuple[float, float]:
        """Range of the launch medians; the interval of the median where there is one launch."""
        if len(self.medians) == 1 and self.intervals[0]:
            return tuple(self.intervals[0])
        return min(self.medians), max(self.medians)

    @property
    def gbps(self) -> float | None:
        """Useful GB/s, where the case is a matter of bytes and time."""
        if self.unit == "ns" and self.useful_bytes and self.value > 0:
            return self.useful_bytes / self.value
        return self.derived.get("useful_GBps")


def merge_cases(lines: list[dict]) -> list[Point]:
    points: dict[tuple, Point] = {}
    pools: dict[tuple, tuple[dict, dict]] = {}
    for line in lines:
        key = (line["probe"], key_of(line["params"]))
        point = points.get(key)
        if point is None:
            metric, law = line["metric"], line["law"] or {}
            point = points[key] = Point(
                *(line[k] for k in ("probe", "name", "sweep", "params")),
                *(metric[k] for k in ("name", "unit", "better")),
                line["method_version"],
                law.get("name"),
                law.get("count"),
                law.get("in_fit", False),
                law.get("counts", {}),
                line.get("useful_bytes") or 0.0,
                line.get("moved_bytes") or 0.0,
            )
            pools[key] = ({}, {})
        point.medians.append(line["median"])
        point.intervals.append(line["ci95"])
        point.flags.update(line["flags"])
        for pool, source in zip(pools[key], (line["derived"], line["extras"]), strict=True):
            for name, value in source.items():
                pool.setdefault(name, []).append(value)
    for key, point in points.items():
        point.derived, point.extras = ({n: median(v) for n, v in pool.items()} for pool in pools[key])
    return list(points.values())


@dataclass
class Fit:
    """metric = a + b * law over the cases that share the group's values; the worst of all launches is kept."""

    probe: str
    group: dict
    law: str
    metric: str
    a: float
    b: float
    r_squared: float | None
    residual_pct: float
    worst_case: str
    n: int

    def holds(self, point: Point) -> bool:
        return (
            point.in_fit
            and (self.probe, self.law, self.metric) == (point.probe, point.law, point.metric)
            and self.group.items() <= point.params.items()
        )


def merge_fits(lines: list[dict]) -> list[Fit]:
    groups: dict[tuple, list[dict]] = {}
    for line in lines:
        groups.setdefault((line["probe"], key_of(line["group"]), line["law"], line["metric"]), []).append(line)
    fits = []
    for same in groups.values():
        worst = max(same, key=lambda line: abs(line["largest_residual_pct"]))
        fits.append(
            Fit(
                *(worst[k] for k in ("probe", "group", "law", "metric")),
                median(line["a"] for line in same),
                median(line["b"] for line in same),
                min((line["r_squared"] for line in same if line["r_squared"] is not None), default=None),
                worst["largest_residual_pct"],
                worst["worst_case"],
                worst["n"],
            )
        )
    return fits


def predicted(fits: list[Fit], point: Point) -> float | None:
    """What the law says that the point costs, with the a and b that were fitted; None where it makes no claim."""
    for fit in fits:
        if fit.holds(point):
            return fit.a + fit.b * point.count
    return None


def ordered(values) -> list:
    """Distinct values: numbers by size, then words in the order in which they came (the probe's own order)."""
    distinct = dict.fromkeys(values)
    numbers = sorted(v for v in distinct if not isinstance(v, str))
    return numbers + [v for v in distinct if isinstance(v, str)]


def number(value: float | None, digits: int = 5) -> str:
    """A figure with about `digits` significant ones, never in powers of ten where a person would not write them."""
    if value is None or not math.isfinite(value):
        return "-"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def size_text(size: float) -> str:
    """4096 -> 4 KiB."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(size) >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size:.3g} B"


def time_text(ns: float) -> str:
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= factor:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns"


def driver_text(run: dict) -> str:
    """The driver's version; the object has no fixed keys, so the usual ones are tried."""
    driver = run["driver"]
    for key in ("driver_version", "version", "driver", "name"):
        if isinstance(driver.get(key), str | int | float):
            return f"driver {driver[key]}"
    return "driver unknown"
