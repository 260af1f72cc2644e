"""Loads an archive: JSON Lines as results/schema/archive-1.schema.json says, one object per line.

A last line without its newline was cut off by a kill: it is left out and the archive marked truncated. Everything
else that does not fit the schema is refused with the file, the line and the reason. Older schemas are migrated line by
line through MIGRATIONS; newer ones are refused.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import fastjsonschema

from . import UserError
from .model import Fit, Point, merge_cases, merge_fits

SCHEMA = 1
LARGEST = 1e300  # of all numbers: what is computed from them stays finite
LARGEST_PARAM = 2**63 - 1
SCHEMA_FILE = Path(__file__).resolve().parents[2] / "results" / "schema" / f"archive-{SCHEMA}.schema.json"


def _migrate_0(line: dict) -> dict:
    """Schema 0, the draft before the first release: the interval of the median was called "ci"."""
    if line.get("type") == "run":
        line["schema"] = 1
    if line.get("type") == "case" and "ci" in line:
        line["ci95"] = line.pop("ci")
    return line


# From a schema to the next one: a function that changes one line and returns it.
MIGRATIONS: dict[int, Callable[[dict], dict]] = {0: _migrate_0}


@dataclass
class Archive:
    """One archive. cases, waived, failed, fits and counters hold the lines as they were written (after migration)."""

    path: Path
    run: dict
    cases: list[dict] = field(default_factory=list)
    waived: list[dict] = field(default_factory=list)
    failed: list[dict] = field(default_factory=list)
    fits: list[dict] = field(default_factory=list)
    counters: list[dict] = field(default_factory=list)
    end: dict | None = None
    truncated: bool = False

    @property
    def synthetic(self) -> bool:
        return self.run["provenance"] == "synthetic"

    @property
    def slug(self) -> str:
        return self.run["device"]["slug"]

    @property
    def launches(self) -> int:
        """Launches that left at least one case; the run line says how many were meant."""
        return len({case["launch"] for case in self.cases})

    @property
    def incomplete(self) -> str | None:
        """Why the run did not come to its end, or None."""
        if self.end is None:
            return "cut off"
        return None if self.end["complete"] else (self.end["reason"] or "not complete")

    @cached_property
    def points(self) -> list[Point]:
        """Each case once, its launches merged, in the order of the file."""
        return merge_cases(self.cases)

    @cached_property
    def merged_fits(self) -> list[Fit]:
        return merge_fits(self.fits)

    @property
    def probes(self) -> list[str]:
        """Probes with at least one case, in order of name."""
        return sorted({point.probe for point in self.points})


@cache
def _validators() -> dict[str, Callable]:
    """One compiled validator per line type: the type is known, so the schema's oneOf need not be tried.

    fastjsonschema turns the schema into Python code, 30 times as fast as walking it. It knows draft 7; the keywords
    that the schema uses mean the same there, and a test compares it with jsonschema."""
    schema = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    types = [entry["$ref"].rsplit("/", 1)[1] for entry in schema["oneOf"]]
    draft = "http://json-schema.org/draft-07/schema#"
    return {
        name: fastjsonschema.compile({"$schema": draft, "$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
        for name in types
    }


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not allowed in an archive")


def _float(text: str) -> float:
    value = float(text)
    if not abs(value) <= LARGEST:
        raise OverflowError(text)
    return value


def _int(text: str) -> int:
    if len(text) > math.log10(LARGEST):
        raise OverflowError(text)
    return int(text)


def _parse(where: str, text: bytes, first: bool) -> dict:
    try:
        line = json.loads(text, parse_constant=_no_constant, parse_float=_float, parse_int=_int)
    except OverflowError as error:
        raise UserError(f"{where}: {str(error)[:20]} is no number that a run writes: at most {LARGEST:g}.") from None
    except (ValueError, RecursionError) as error:
        hint = "this is no gpufx archive" if first else "the line is damaged; remove it, or restore the file"
        raise UserError(f"{where}: not JSON ({error}): {hint}.") from None
    if not isinstance(line, dict):
        raise UserError(f"{where}: a line must be a JSON object.")
    return line


def _check_first(where: str, line: dict) -> int:
    """Returns the schema of the archive, from its first line."""
    schema = line.get("schema")
    if line.get("type") != "run" or not isinstance(schema, int) or isinstance(schema, bool):
        raise UserError(f'{where}: not a gpufx archive: the first line must be a "run" line with a schema number.')
    if schema > SCHEMA:
        raise UserError(f"{where}: the archive has schema {schema}, this gpufx reads up to {SCHEMA}: update gpufx.")
    if schema != SCHEMA and schema not in MIGRATIONS:
        raise UserError(f"{where}: there is no schema {schema}.")
    return schema


def _validate(where: str, line: dict) -> None:
    kind = line.get("type")
    validator = _validators().get(kind) if isinstance(kind, str) else None
    if validator is None:
        raise UserError(f"{where}: unknown type of line {kind!r}; known: {', '.join(_validators())}.")
    try:
        validator(line)
    except fastjsonschema.JsonSchemaValueException as error:
        message = error.message.removeprefix("data").removeprefix(".").strip()
        raise UserError(f"{where}: bad {kind} line: {message[:200]}.") from None
    for part in ("params", "group"):
        for axis, value in line.get(part, {}).items():
            if not isinstance(value, str) and abs(value) > LARGEST_PARAM:
                raise UserError(f"{where}: bad {kind} line: {part}.{axis[:40]} does not fit 64 bits.")


def read(path: Path) -> bytes:
    """The bytes of a file that must be there."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file.") from None
    except OSError as error:
        raise UserError(f"{path}: can't be read: {error.strerror}.") from None


def load(path: Path | str, profiled: bool = False) -> Archive:
    """Reads and checks one archive. Raises UserError. profiled: also one that was taken under a profiler, whose samples
    are no measurements."""
    path = Path(path)
    content = read(path)
    if not content:
        raise UserError(f"{path}: the file is empty: the run that made it wrote nothing.")
    *lines, rest = content.split(b"\n")
    if not lines:
        _check_first(f"{path}:1", _parse(f"{path}:1", rest, True))
        raise UserError(f"{path}:1: the first line is cut off: nothing can be read from this archive.")
    archive: Archive | None = None
    steps: list[Callable[[dict], dict]] = []
    for number, text in enumerate(lines, start=1):
        where = f"{path}:{number}"
        line = _parse(where, text, archive is None)
        if archive is None:
            steps = [MIGRATIONS[schema] for schema in range(_check_first(where, line), SCHEMA)]
        for step in steps:
            line = step(line)
        _validate(where, line)
        kind = line["type"]
        if archive is None:
            archive = Archive(path, line, truncated=bool(rest))
            if line.get("profiled") and not profiled:
                raise UserError(
                    f"{path}: this was taken under a profiler, so it holds no measurements: use an ordinary run."
                )
        elif archive.end is not None:
            raise UserError(f'{where}: a line after the "end" line: archives can\'t be joined into one file.')
        elif kind == "run":
            raise UserError(f'{where}: a second "run" line: archives can\'t be joined into one file.')
        elif kind == "end":
            archive.end = line
        else:
            lists = {"case": archive.cases, "waived": archive.waived, "failed": archive.failed, "fit": archive.fits}
            (lists | {"counter": archive.counters})[kind].append(line)
    assert archive is not None
    return archive
