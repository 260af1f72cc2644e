"""One archive: loaded from JSON Lines, as results/schema/archive-2.schema.json says, and checked against itself.

file.py gives the lines, lines.py decodes them, and here each becomes a part of a case (cases.py) in one pass: nothing
is kept per sample. A last line without its newline was cut off by a kill: it is left out and the archive marked
truncated. Everything else that is not as a run writes it is refused with the file, the line and the reason; so is any
other schema. What a compressed file was found to hold is kept (call/cache.py), for reading takes longest."""

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from zlib import crc32

import msgspec

from .. import UserError
from ..call.cache import available, kept, sum_of
from ..call.terminal import detail
from ..call.text import clipped, is_safe_json, safe, safe_tree, shown
from . import lines
from .cases import CASES, FLAG, SLOWDOWN, SUMMED, Absence, Archive, Figures, Point, limits_with
from .file import content_of, lines_of
from .params import NOTHING, key_of

__all__ = ["Absence", "Archive", "load"]

LONGEST_NAME = 1000  # of a case; the program's own end at 255
LONGEST_OTHER = 4 << 20  # bytes of a line that is no case; the first line of an archive of all probes has 183,060
MOST = 250_000  # cases, and lines of each other kind; a run of all probes has 7,200 cases
CASE = tuple(b'{"type":%s"case"' % blank for blank in (b"", b" "))  # how a case line begins
PROBE = re.compile(r"[a-z][a-z0-9_]*")
gc.set_threshold(500_000)  # archives are small objects without a cycle: looking for some doubles the time to load them


def load(path: Path | str) -> Archive:
    """Read and check one archive. Raises UserError. Of one that was read before, cases are had where somebody asks for
    them: what is kept takes 50 times as long to read with them."""
    path = Path(path)
    detail(f"gpufx: reading {shown(path)}")
    content = content_of(path) if available() else None
    if content is None:
        return _whole(path)
    digest = sum_of(content)

    def compute() -> tuple:
        whole = _whole(path, content, digest)
        return replace(whole, **{part: [] for part in CASES}), *(getattr(whole, name) for name in SUMMED)

    archive, *summed = kept("outline", (digest,), tuple[Archive, list[int], list[str], int, int], compute)
    archive = replace(archive, path=path)
    for part in CASES:
        delattr(archive, part)
    vars(archive).update(zip(SUMMED, summed, strict=True), sum=digest)
    archive.rest = partial(_whole, path, content, digest)
    return archive


def _whole(path: Path, content: bytes | None = None, digest: bytes = b"") -> Archive:
    return kept("archive", (digest,), Archive, lambda: _read(path, content))


class RefusedError(Exception):
    """What is wrong with a line; it becomes a UserError where the line's number is known."""


def _read(path: Path, content: bytes | None) -> Archive:
    reader = _Reader(path)
    try:
        texts = lines_of(path, content)
        first = next(texts, None)
        if first is None:
            raise UserError(f"{shown(path)}: the file is empty; its run wrote nothing")
        reader.take_first(first)
        reader.take_all(texts)
    except RefusedError as error:
        raise UserError(f"{shown(path)}:{reader.number}: {error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{shown(path)}:{reader.number}: {lines.refusal(reader.text, error)}") from None
    reader.archive.sort()
    for point in reader.repeated:
        point.lay_repetitions_together()
    return reader.archive


@dataclass(slots=True)
class _Known:
    """A case of which there was a line, as that line had it."""

    point: Point
    probe: str
    params: dict
    method_version: int
    metric: lines.Metric
    last: int = -1  # process, as long as they come in order
    seen: set | None = None  # (process, repetition), where they don't


_declared: list[tuple[dict, dict]] = []  # what the last archive declared, as it stands there and safe to print


def _safe_probes(probes: dict) -> dict:
    """What a run line says of its probes. Archives of one program say the same, and there are thousands of them."""
    if not _declared or _declared[0][0] != probes:
        _declared[:] = [(probes, safe_tree(probes, LONGEST_NAME))]
    return _declared[0][1]


class _Reader:
    """Takes the lines of an archive one by one."""

    def __init__(self, path: Path):
        self.path = path
        self.archive: Archive | None = None
        self.by_name: dict[str, _Known] = {}
        self.by_key: dict[tuple, _Known] = {}
        self.texts: dict[str, str] = {}  # each once
        self.metrics: dict[tuple, lines.Metric] = {}
        self.repeated: list[Point] = []
        self.units_of: dict[str, dict[str, str]] = {}
        self.number, self.text = 1, b""  # of the line that is being taken
        self.crc = 0  # of all lines so far
        self.processes = 0  # as many as were meant
        self.left_out: dict[tuple, int | str] = {}  # the value of each axis that names of cases leave out

    def take_first(self, text: bytes) -> None:
        self.text = text
        _check_length(text)
        line = msgspec.json.decode(text)
        schema = line.get("schema") if isinstance(line, dict) else None
        if isinstance(line, dict) and "figures" in line:  # cards/kept.py
            raise RefusedError("not an archive but the quantities of cards, for accept: gpufx accept ARCHIVE --against "
                               "this file; compare needs the cards' archives")  # fmt: skip
        if type(schema) is not int or line.get("type") != "run":
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
        if wrong := lines.wrong_run(line):
            raise RefusedError(wrong)
        if line["profiled"]:
            raise RefusedError(
                "this was recorded under a profiler, so its times are not measurements; use an ordinary run"
            )
        self.processes = line["processes"]
        probes = line.pop("probes")
        counts = dict.fromkeys(("case", "waived", "failed", "fit", "end"), 0)
        self.archive = Archive(self.path, safe_tree(line) | {"probes": _safe_probes(probes)}, counts=counts)
        self.crc = crc32(text)

    def take_all(self, texts: Iterator[bytes]) -> None:
        """All lines after the first. The loop over cases is most of what loading costs, so it calls little."""
        decode, by_name, counts = lines.decode, self.by_name, self.archive.counts
        for text in texts:
            self.number += 1
            self.text = text
            if text[-1:] != b"\n":
                self.archive.truncated = True
                return
            if len(text) > LONGEST_OTHER and not text.startswith(CASE):
                _check_length(text)
            line = decode(text)
            if self.archive.end is not None:
                raise RefusedError('a line after the "end" line: archives can\'t be joined into one file')
            if type(line) is not lines.Case:
                self.take_other(line)
                self.crc = crc32(text, self.crc)
                continue
            self.crc = crc32(text, self.crc)
            if wrong := lines.contradiction(line):
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
            self.take_case(line, known)

    def take_case(self, line: lines.Case, known: _Known) -> None:
        """What a line adds to what is known of its case."""
        process, point = line.process, known.point
        self.check_process(process)
        if process > known.last and line.repetition is msgspec.UNSET and known.seen is None:
            known.last = process
        else:
            self.take_repetition(line, known)
        point.processes.append(process)
        point.medians.append(line.median)
        point.intervals.append(line.ci95)
        if line.derived or point.figures:
            point.figures = point.figures or Figures()
            point.figures.add(line.derived | _one_launch(line))
        if line.extras or point.more:
            point.more = point.more or Figures()
            point.more.add(line.extras)
        point.code |= line.machine_code
        if line.over_sms:
            low, high = point.over_sms or (line.over_sms.low, line.over_sms.high)
            point.over_sms = min(line.over_sms.low, low), max(line.over_sms.high, high)
        if line.flags:
            point.flags |= {safe(flag) for flag in line.flags}
            if FLAG in line.flags:
                point.limits = limits_with(point.limits, line.clocks)
        clocks, last = self.archive.clocks, line.clocks.nvml[-1:]
        if line.clocks.sm_clock:
            clocks.sm_mhz.append(line.clocks.sm_clock)
        for snapshot in last:
            if snapshot.memory_mhz:
                clocks.memory_mhz.append(snapshot.memory_mhz)
            clocks.told += snapshot.throttle_reasons is not None
            if snapshot.throttle_reasons:
                clocks.throttle_reasons.update(map(safe, snapshot.throttle_reasons))
                if any(map(SLOWDOWN.match, snapshot.throttle_reasons)):
                    clocks.slowed_C.append(snapshot.temperature or 0.0)

    def check_process(self, process: int) -> None:
        if process >= self.processes:
            raise RefusedError(f"process {process} does not exist: the run has {self.processes}")

    def take_repetition(self, line: lines.Case, known: _Known) -> None:
        """A line whose process is not later than those of the case before: a repetition, or refused."""
        if known.seen is None:
            known.seen = {(process, 0) for process in known.point.processes}
            self.repeated.append(known.point)
        run = (line.process, 0 if line.repetition is msgspec.UNSET else line.repetition)
        if run in known.seen:
            raise RefusedError(f"a second line of {line.name[:200]} in process {line.process}")
        known.seen.add(run)

    def identity(self, line: lines.Case | lines.Absent) -> tuple[str, str, dict]:
        """Probe, name and params, safe to print. A name is the probe's, and then values of params in their order; an
        axis that is left out has one value in all cases of the probe whose names leave it out."""
        probe, name, params = line.probe, line.name, line.params
        # What is short as a whole has no long part.
        texts = (text for text in (name, *params, *params.values()) if type(text) is str)
        if len(name) + len(str(params)) > LONGEST_NAME and max(map(len, texts)) > LONGEST_NAME:
            raise RefusedError(f"a case name is longer than {LONGEST_NAME} characters")
        if not PROBE.fullmatch(probe):
            raise RefusedError(f"bad line: {probe[:60]!r} is not a probe name")
        rest, varied = name.removeprefix(probe) if name.startswith(probe) else "?", ""
        for axis, value in params.items():
            part = f"/{axis}:{value}"
            if rest.startswith(part) and rest[len(part) : len(part) + 1] in ("", "/"):
                rest = rest[len(part) :]
            elif self.left_out.setdefault((probe, axis), value) != value:
                varied = axis
        if rest:
            raise RefusedError(f"bad line: its name {name[:200]!r} does not match its params")
        if varied:
            raise RefusedError(
                f"bad line: its name {name[:200]!r} leaves out {varied[:60]}, which differs between cases"
            )
        if is_safe_json(self.text):
            return probe, name, params
        return probe, safe(name), {safe(a): safe(v) if type(v) is str else v for a, v in params.items()}

    def new_point(self, line: lines.Case, probe: str, name: str, params: dict) -> Point:
        law, metric, once = line.law, line.metric, self.texts.setdefault
        for axis, value in params.items():
            if type(value) is str:
                params[axis] = once(value, value)
        if probe not in self.units_of:
            self.units_of[probe] = self.archive.units(probe)
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
            units=self.units_of[probe],
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
            if len(self.by_key) == MOST:
                raise RefusedError(f"the archive has more than {MOST} cases: split the run")
            metric = self.metrics.setdefault((probe, line.metric.name), line.metric)
            if metric == line.metric:
                line.metric = metric
            point = self.new_point(line, probe, name, params)
            point.key = key
            known = self.by_key[key] = _Known(point, line.probe, line.params, line.method_version, line.metric)
            self.archive.points.append(point)
            return known
        for what in ("method_version", "metric", "probe", "params"):
            if getattr(line, what) != getattr(known, what):
                raise RefusedError(f"its {what} differs from an earlier line of {name[:200]}")
        return known

    def take_other(self, line) -> None:
        """A line that is no case."""
        archive, kind = self.archive, line.__struct_config__.tag
        if isinstance(line, lines.Run):
            raise RefusedError('a second "run" line: archives can\'t be joined into one file')
        if archive.counts[kind] == MOST:
            raise RefusedError(f"the archive has more than {MOST} {kind} lines: split the run")
        if isinstance(line, lines.Absent):
            self.check_process(line.process)
            status = clipped(line.status) if kind == "failed" else ""
            reason = clipped(line.reason, LONGEST_NAME)
            absent = archive.failed if kind == "failed" else archive.waived
            absent.append(Absence(kind, line.process, *self.identity(line), reason, status))
        elif isinstance(line, lines.Fit):
            line.group, line.worst_case = safe_tree(line.group), clipped(line.worst_case)
            line.law, line.metric = clipped(line.law), clipped(line.metric)
            archive.fits.append(line)
        elif isinstance(line, lines.End):
            for of, meant in (("case", line.cases), ("waived", line.waived), ("failed", line.failed)):
                if (n := archive.counts[of]) != meant:
                    raise RefusedError(f"the end line counts {meant} {of} lines, and there are {n}: restore the file")
            if int(line.crc32, 16) != self.crc:
                raise RefusedError("the checksum of the preceding lines is wrong (crc32): restore the file")
            archive.end = line
        archive.counts[kind] += 1


def _one_launch(line: lines.Case) -> dict[str, float]:
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


def _check_length(text: bytes) -> None:
    """What is parsed into dictionaries takes up to 30 times its length."""
    if len(text) > LONGEST_OTHER:
        raise RefusedError(f"the line has more than {LONGEST_OTHER >> 20} MiB, which only case lines may have")
