"""What an archive says of spreads, and nothing else: the medians of its cases and their intervals. It is read so where
it stands beside those that are compared, in a third of the time.

The sum of all lines says that nothing was changed since they were written, so that they need not be looked at one by
one. What is not plain, a text with escapes, a repetition, an archive cut off, is left to the full reader.
"""

from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import UNSET, UnsetType

from .. import UserError
from ..call.cache import available
from ..call.text import is_safe_json
from .contents import Archive
from .lines import End, Interval, Line, Metric, Natural, Number, Numbers, Params, Positive
from .load import again, load, of_probes
from .loader import CASE, Loader, RefusedError
from .params import NOTHING
from .points import Figures, Point
from .reading import content_of, lines_of, uncollected

FIRST_OF_END = (b'{"type":"end"', b'{"type": "end"')


class LeanCase(Line):
    """Keys that are not named are skipped unread."""

    name: str
    probe: str
    params: Params
    metric: Metric
    method_version: Positive
    median: Number
    ci95: Interval
    derived: Numbers
    extras: Numbers
    process: Natural
    useful_bytes: Number | UnsetType = UNSET
    repetition: Positive | UnsetType = UNSET


DECODE = msgspec.json.Decoder(LeanCase).decode
DECODE_END = msgspec.json.Decoder(End).decode


class NeedsFullReaderError(Exception):
    """Fall back to the full reader."""


def load_lean(path: Path | str, probes: set[str] | None = None, figures: bool = False) -> Archive:
    """Points with medians, intervals, method and metric alone. figures: with derived figures and extras as well. Raises
    UserError."""
    path = Path(path)
    content = content_of(path) if available() else None
    try:
        with uncollected():
            if content is None:
                return _read(path, None, probes, figures)
            kind = "medians_and_figures" if figures else "medians"
            return of_probes(again(path, kind, content, lambda: _read(path, content, None, figures)), probes)
    except (NeedsFullReaderError, RefusedError, UserError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return load(path, probes=probes)


def _read(path: Path, content: bytes | None, probes: set[str] | None, figures: bool) -> Archive:
    texts = lines_of(path, content)
    loader = Loader(path, probes, False)
    loader.first(next(texts, b""), False)
    archive, crc, by_name = loader.archive, loader.crc, {}
    for text in texts:
        if not text.startswith(CASE):
            if text.startswith(FIRST_OF_END):
                archive.end = DECODE_END(text)
                break
            crc = crc32(text, crc)
            continue
        crc = crc32(text, crc)
        line = DECODE(text)
        archive.counts["case"] += 1
        point = by_name.get(line.name)
        if point is None:
            point = by_name[line.name] = _point(line, text)
            if probes is None or point.probe in probes:
                archive.points.append(point)
        plain = line.repetition is UNSET and (not point.processes or line.process > point.processes[-1])
        if not plain or line.process >= loader.processes:
            raise NeedsFullReaderError
        point.processes.append(line.process)
        point.medians.append(line.median)
        point.intervals.append(line.ci95)
        if figures and (line.derived or point.figures):
            point.figures = point.figures or Figures()
            point.figures.add(line.derived)
        if figures and (line.extras or point.more):
            point.more = point.more or Figures()
            point.more.add(line.extras)
    if archive.end is None or archive.counts["case"] != archive.end.cases or next(texts, None) is not None:
        raise NeedsFullReaderError
    if int(archive.end.crc32, 16) != crc:
        raise NeedsFullReaderError
    archive.measured = {point.probe for point in by_name.values()}
    return archive


def _point(line: LeanCase, text: bytes) -> Point:
    if not is_safe_json(text):
        raise NeedsFullReaderError
    metric = line.metric
    return Point(
        *(line.probe, line.name, "", line.params, metric.name, metric.unit, metric.better, line.method_version),
        *(None, None, False, NOTHING, line.useful_bytes or 0.0, 0.0),
    )
