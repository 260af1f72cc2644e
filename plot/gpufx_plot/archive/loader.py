"""Takes the lines of an archive one by one: decoded (lines.py), checked (check.py), and added to what is
known of their case."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from zlib import crc32

import msgspec

from ..call.text import clipped, is_safe_json, safe, safe_tree
from . import check, limits, lines
from .contents import Absence, Archive
from .params import NOTHING, key_of
from .points import Figures, Point

LONGEST_NAME = 1000  # of a case; the program's own end at 255
NO_NUL = "\\u0000 is not allowed in an archive: the line is damaged; remove it, or restore the file"
CASE = tuple(b'{"type":%s"case"' % blank for blank in (b"", b" "))  # how a case line begins
LONGEST_OTHER = 4 << 20  # bytes of a line that is no case; the first line of an archive of all probes has 75,000
KINDS = "run, case, waived, failed, fit, counter, end"


@dataclass(slots=True)
class _Known:
    """A case of which there was a line, as that line had it."""

    point: Point
    probe: str
    name: str
    params: dict
    method_version: int
    metric: lines.Metric
    last: int = -1  # process, as long as they come in order
    seen: set | None = None  # (process, repetition), where they don't


def spanned(known: tuple[float, float] | None, line: lines.Case) -> tuple[float, float] | None:
    """The lowest and the highest median of an SM, of all lines of a case."""
    over = line.over_sms
    if not over:
        return known
    return min(over.low, (known or (over.low,))[0]), max(over.high, (known or (over.high,))[-1])


def one_launch(line: lines.Case) -> dict[str, float]:
    """What the shorter of two lengths got, start and end of its kernel included, beside the marginal rate of both,
    and over how many bytes."""
    rate = line.derived.get("useful_GBps")
    lengths = line.lengths
    times = [t for t in lengths.t_n if t] if rate and lengths else []
    if not times:
        return {}
    useful, time = rate * line.median * lengths.n, median(times)
    if time <= 0 or not 0 < useful / time <= lines.LARGEST:  # no time that passed, or no rate, NaN among them
        return {}
    return {"one_launch_GBps": useful / time, "one_launch_bytes": useful}


_declared: list[tuple[dict, dict]] = []  # what the last archive declared, as it stands there and safe to print


def safe_probes(probes: dict) -> dict:
    """What a run line says of its probes. Archives of one program say the same, and there are thousands of them."""
    if not _declared or _declared[0][0] != probes:
        _declared[:] = [(probes, safe_tree(probes, LONGEST_NAME))]
    return _declared[0][1]


class RefusedError(Exception):
    """What is wrong with a line; it becomes a UserError where the line's number is known."""


class Loader:
    """Takes lines one by one."""

    def __init__(self, path: Path, probes: set[str] | None, keep_samples: bool):
        self.path, self.wanted, self.keep_samples = path, probes, keep_samples
        self.archive: Archive | None = None
        self.by_name: dict[str, _Known] = {}
        self.by_key: dict[tuple, _Known] = {}
        self.texts: dict[str, str] = {}  # each once
        self.metrics: dict[tuple, lines.Metric] = {}
        self.repeated: list[Point] = []
        self.units_of: dict[str, dict[str, str]] = {}
        self.number, self.text = 1, b""  # of the line that is being taken
        self.crc = self.size = 0  # of all lines so far
        self.processes = 0  # as many as were meant
        self.left_out: dict[tuple, int | str] = {}  # by names of cases

    def first(self, text: bytes, profiled: bool) -> None:
        self.text = text
        _check_length(text)
        line = _strict(text, "this is not a gpufx archive")
        schema = line.get("schema") if isinstance(line, dict) else None
        if schema is None or line.get("type") != "run" or type(schema) is not int:
            raise RefusedError('not a gpufx archive: the first line must be a "run" line with a schema number')
        if schema > lines.SCHEMA:
            raise RefusedError(
                f"written by a newer gpufx (schema {schema}), this one reads {lines.SCHEMA}: update gpufx"
            )
        if schema < lines.SCHEMA:
            raise RefusedError(
                f"the archive has schema {schema}, of development versions before 0.1.0; this gpufx reads schema "
                f"{lines.SCHEMA}: measure again"
            )
        if not text.endswith(b"\n"):
            raise RefusedError("the first line is truncated, so nothing in this archive can be read")
        if check.has_nul(text):
            raise RefusedError(NO_NUL)
        if check.too_deep(line):
            raise RefusedError(f"objects are nested more than {check.DEEPEST} deep, which no archive does")
        lines.decode(text)
        if line.get("profiled") and not profiled:
            raise RefusedError(
                "this was recorded under a profiler, so its times are not measurements; use an ordinary run"
            )
        self.processes = line["processes"]
        probes = line.pop("probes")
        self.archive = Archive(self.path, safe_tree(line) | {"probes": safe_probes(probes)})
        self.crc, self.size = crc32(text), len(text)

    def take_all(self, texts: Iterator[bytes]) -> None:
        """All lines after the first. The loop over cases is most of what loading costs, so it calls little."""
        decode, by_name, counts = lines.decode, self.by_name, self.archive.counts
        for text in texts:
            self.number += 1
            self.text = text
            if text[-1:] != b"\n":
                self.archive.truncated = True
                return
            self.size += len(text)
            if len(text) > LONGEST_OTHER and not text.startswith(CASE):
                _check_length(text)
            line = decode(text)
            if check.has_nul(text):
                raise RefusedError(NO_NUL)
            if self.archive.end is not None:
                raise RefusedError('a line after the "end" line: archives can\'t be joined into one file')
            if type(line) is not lines.Case:
                kind = line.__struct_config__.tag
                getattr(self, f"take_{kind}")(line, _strict(text))
                counts[kind] += 1
                self.crc = crc32(text, self.crc)
                continue
            self.crc = crc32(text, self.crc)
            if check.may_repeat_a_key(text, lines.keys_of(line)):
                _strict(text)
            if wrong := check.samples(line):
                raise RefusedError(f"bad case line: {wrong}")
            known = by_name.get(line.name)
            if (
                known is None
                or known.params != line.params
                or known.method_version != line.method_version
                or known.metric != line.metric
                or known.probe != line.probe
            ):
                known = by_name[line.name] = self.look_up(line)
            counts["case"] += 1
            self.case(line, known, text)

    # ---- Cases ----

    def case(self, line: lines.Case, known: _Known, text: bytes) -> None:
        """What a line adds to what is known of its case."""
        process, point = line.process, known.point
        if process >= self.processes:
            raise self.beyond(process)
        if process > known.last and line.repetition is msgspec.UNSET and known.seen is None:
            known.last = process
        else:
            self.again(line, known)
        point.processes.append(process)
        point.medians.append(line.median)
        point.intervals.append(line.ci95)
        if line.derived or point.figures:
            point.figures = point.figures or Figures()
            point.figures.add(line.derived | one_launch(line))
        if line.extras or point.more:
            point.more = point.more or Figures()
            point.more.add(line.extras)
        if self.keep_samples:
            point.samples.append(array("d", lines.decode(text).samples))  # line's are sorted by now
        point.code |= line.machine_code
        point.over_sms = spanned(point.over_sms, line)
        if line.flags:
            point.flags |= {safe(flag) for flag in line.flags}
            if limits.FLAG in line.flags:
                point.limits = limits.add(point.limits, line.clocks)
        clocks, last = self.archive.clocks, line.clocks.nvml[-1:]
        if line.clocks.sm_clock:
            clocks.sm_mhz.append(line.clocks.sm_clock)
        for snapshot in last:
            if snapshot.memory_mhz:
                clocks.memory_mhz.append(snapshot.memory_mhz)
            if snapshot.throttle_reasons:
                clocks.throttle_reasons.update(map(safe, snapshot.throttle_reasons))

    def beyond(self, process: int) -> RefusedError:
        return RefusedError(f"process {process} does not exist: the run has {self.processes}")

    def again(self, line: lines.Case, known: _Known) -> None:
        """A line whose process is not later than those of the case before: a repetition, or refused."""
        if known.seen is None:
            known.seen = {(process, 0) for process in known.point.processes}
            self.repeated.append(known.point)
        run = (line.process, 0 if line.repetition is msgspec.UNSET else line.repetition)
        if run in known.seen:
            raise RefusedError(f"a second line of {known.name[:200]} in process {line.process}")
        known.seen.add(run)

    def identity(self, line: lines.Case | lines.Absent) -> tuple[str, str, dict]:
        """Probe, name and params as they are called today, safe to print."""
        # What is short as a whole has no long part.
        if len(line.name) + len(str(line.params)) > LONGEST_NAME and _longest(line) > LONGEST_NAME:
            raise RefusedError(f"a case name is longer than {LONGEST_NAME} characters")
        if wrong := check.name_and_params(line.name, line.probe, line.params, self.left_out):
            raise RefusedError(f"bad line: {wrong}")
        probe, name, params = line.probe, line.name, line.params
        if is_safe_json(self.text):
            return probe, name, params
        return probe, safe(name), {safe(a): safe(v) if type(v) is str else v for a, v in params.items()}

    def units(self, probe: str) -> dict[str, str]:
        """One for all cases of a probe."""
        if probe not in self.units_of:
            self.units_of[probe] = self.archive.units(probe)
        return self.units_of[probe]

    def new_point(self, line: lines.Case, probe: str, name: str, params: dict) -> Point:
        law, metric, once = line.law, line.metric, self.texts.setdefault
        for axis, value in params.items():
            if type(value) is str:
                params[axis] = once(value, value)
        point = Point(
            once(probe, probe),
            name,
            once(line.sweep, line.sweep),
            params,
            *(metric.name, metric.unit, metric.better),
            line.method_version,
            law and once(law.name, law.name),
            law and law.count,
            bool(law and law.in_fit),
            law.counts if law else NOTHING,
            line.useful_bytes or 0.0,
            line.moved_bytes or 0.0,
            units=self.units(probe),
            marginal=isinstance(line.intercept, int | float),
            searched=line.searched is True,
        )
        if not is_safe_json(self.text):
            for text in ("sweep", "metric", "unit"):
                setattr(point, text, safe(getattr(point, text)))
            point.law = law and safe(law.name)
            point.counts = safe_tree(point.counts)
        return point

    def look_up(self, line: lines.Case) -> _Known:
        """The case of a line that is not as the last one of its name: a new one, or refused."""
        probe, name, params = self.identity(line)
        key = (probe, key_of(params))
        known = self.by_key.get(key)
        if known is None:
            metric = self.metrics.setdefault((probe, line.metric.name), line.metric)
            if metric == line.metric:
                line.metric = metric
            point = self.new_point(line, probe, name, params)
            point.key = key
            known = _Known(point, line.probe, line.name, line.params, line.method_version, line.metric)
            self.by_key[key] = known
            self.archive.measured.add(probe)
            if self.wanted is None or probe in self.wanted:
                self.archive.points.append(point)
            return known
        for what, here, there in (
            ("method_version", line.method_version, known.method_version),
            ("metric", line.metric, known.metric),
            ("probe", line.probe, known.probe),
            ("params", line.params, known.params),
        ):
            if here != there:
                raise RefusedError(f"its {what} differs from an earlier line of {name[:200]}")
        return known

    # ---- Other lines ----

    def take_run(self, line: lines.Run, whole: dict) -> None:
        raise RefusedError('a second "run" line: archives can\'t be joined into one file')

    def absence(self, kind: str, line: lines.Absent) -> Absence:
        if line.process >= self.processes:
            raise self.beyond(line.process)
        probe, name, params = self.identity(line)
        return Absence(kind, line.process, probe, name, params, clipped(line.reason, LONGEST_NAME))

    def take_waived(self, line: lines.Absent, whole: dict) -> None:
        self.archive.waived.append(self.absence("waived", line))

    def take_failed(self, line: lines.Absent, whole: dict) -> None:
        self.archive.failed.append(replace(self.absence("failed", line), status=clipped(line.status)))

    def take_fit(self, line: lines.Fit, whole: dict) -> None:
        line.group, line.worst_case = safe_tree(line.group), clipped(line.worst_case)
        line.law, line.metric = clipped(line.law), clipped(line.metric)
        self.archive.fits.append(line)

    def take_counter(self, line: lines.Counter, whole: dict) -> None:
        self.archive.counters.append(safe_tree(whole))

    def take_end(self, line: lines.End, whole: dict) -> None:
        for kind, meant in (("case", line.cases), ("waived", line.waived), ("failed", line.failed)):
            if (found := self.archive.counts[kind]) != meant:
                raise RefusedError(f"the end line counts {meant} {kind} lines, and there are {found}: restore the file")
        if int(line.crc32, 16) != self.crc:
            raise RefusedError("the checksum of the preceding lines is wrong (crc32): restore the file")
        self.archive.end = line


def _longest(line: lines.Case | lines.Absent) -> int:
    return max(len(text) for text in (line.name, *line.params, *line.params.values()) if type(text) is str)


def _check_length(text: bytes) -> None:
    """What is parsed into dictionaries takes up to 30 times its length."""
    if len(text) > LONGEST_OTHER:
        raise RefusedError(f"the line has more than {LONGEST_OTHER >> 20} MiB, which only case lines may have")


def _strict(text: bytes, hint: str = "the line is damaged; remove it, or restore the file") -> dict:
    try:
        return check.strict(text)
    except check.DuplicateError as error:
        raise RefusedError(f"the key {safe(str(error))[:60]!r} appears twice in an object") from None
    except UnicodeDecodeError:
        raise RefusedError(f"not text: {hint}") from None
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"not JSON ({safe(str(error))[:200]}): {hint}") from None


def in_words(text: bytes, error: Exception) -> str:
    """What msgspec has against a line: "Expected `int`, got `str` - at `$.n`" as "bad case line: n: expected int, got
    str"."""
    if isinstance(error, RecursionError):
        return "objects are nested too deep: the line is damaged; remove it, or restore the file"
    if not isinstance(error, msgspec.ValidationError):
        return f"not JSON ({safe(str(error))[:200]}): the line is damaged; remove it, or restore the file"
    what, _, place = str(error).replace("`", "").partition(" - at ")
    kind = re.search(rb'"type"\s*:\s*"([a-z]{1,20})"', text)
    if place == "$.type" or not kind:
        return f"{safe(what[:1].lower() + what[1:])[:200]} as the type of a line; known: {KINDS}"
    place = safe(place.removeprefix("$").removeprefix("."))[:200]
    what = what.replace("Object missing required field", "it lacks")
    what = what[:1].lower() + what[1:]
    return f"bad {kind[1].decode()} line: {f'{place}: ' if place else ''}{safe(what)[:200]}"
