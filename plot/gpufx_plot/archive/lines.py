"""The lines of an archive, as results/schema/archive-2.schema.json describes them: decoded and checked in one step.

The first line is checked by the schema file. Of all others, which are many, a kind is a struct; its fields are the keys
that this package reads, with the types and limits that the schema names. All other keys are skipped. A test holds the
structs against the schema file."""

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError
from msgspec import field as key
from msgspec.json import Decoder
from msgspec.structs import astuple

from ..call.program import root
from ..call.text import safe

LARGEST = 1e300  # of all numbers: what is computed from them stays finite
LARGEST_INTEGER = 2**63 - 1
MEDIAN_TOLERANCE = 1.001e-8  # relative: numbers have nine figures
KINDS = "run, case, waived, failed, fit, end"
DAMAGED = "no archive, or a damaged line of one: restore the file"

Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Integer = Annotated[int, Meta(ge=-LARGEST_INTEGER - 1, le=LARGEST_INTEGER)]
Natural = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
Interval = tuple[Number, Number] | None
Params = dict[str, str | Integer]
Numbers = dict[str, Number]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")] | None
Id = Annotated[str, Meta(pattern="^[0-9a-f]{8}$")]


class Line(Struct, gc=False):
    """What all structs are: small, and without cycles."""


class Metric(Line):
    name: str
    unit: str
    timebase: Literal["sm_cycles", "gpu_ns", "host_ns"]
    better: Literal["lower", "higher"]


class Law(Line):
    name: str
    count: Number
    in_fit: bool
    counts: Numbers
    why_not: str | None


class Snapshot(Line):
    sm_mhz: Number | None = key(name="sm_MHz")
    memory_mhz: Number | None = key(name="memory_MHz")
    temperature: Number | None = key(name="temperature_C")
    throttle_reasons: list[str] | None


class Clocks(Line):
    sm_clock: Number | None = key(name="sm_clock_MHz")
    nvml: Annotated[list[Snapshot], Meta(max_length=2)]


class Code(Line):
    kernel: str | None
    hash: Hash
    registers: Integer | None
    blocks: Integer | None
    threads: Integer | None
    shared_bytes: Integer | None


class Lengths(Line):
    n: Number
    t_n: list[Number | None]


class OverSms(Line):
    """What SMs measured, each by itself: the lowest and the highest of their medians, and which SM gave each sample."""

    low: Number
    high: Number
    sample_sms: list[Natural]


class Case(Line, kw_only=True, tag_field="type", tag="case"):
    name: str
    probe: str  # its pattern is checked once for each case, not on each line
    method_version: Positive
    sweep: str
    params: Params
    metric: Metric
    samples: Annotated[list[float], Meta(min_length=1)]  # their limits are checked where they are sorted
    n: Positive
    median: Number
    ci95: Interval
    derived: Numbers
    extras: Numbers
    flags: list[str]
    intercept: Number | UnsetType | None = UNSET
    useful_bytes: Number | UnsetType = UNSET
    moved_bytes: Number | UnsetType = UNSET
    process: Natural
    law: Law | None
    clocks: Clocks
    code: Code | None
    lengths: Lengths | None
    repetition: Positive | UnsetType = UNSET
    searched: bool | UnsetType = UNSET  # a search added the case to its sweep
    over_sms: OverSms | UnsetType = UNSET

    @property
    def machine_code(self) -> frozenset:
        """The hash of the kernel's instructions and how it was launched, whatever its name; empty: not known."""
        code = self.code
        return frozenset((astuple(code)[1:],)) if code and code.hash else frozenset()


class Absent(Line):
    """A case without a result."""

    name: str
    probe: str
    params: Params
    reason: str
    process: Natural


class Waived(Absent, tag_field="type", tag="waived"):
    pass


class Failed(Absent, tag_field="type", tag="failed"):
    status: str


class Fit(Line, tag_field="type", tag="fit"):
    probe: str
    group: Params
    law: str
    metric: str
    n: Integer
    a: Number
    b: Number
    a_ci95: Interval
    b_ci95: Interval
    largest_residual_pct: Number
    worst_case: str
    process: Natural | None
    holds: bool


class End(Line, tag_field="type", tag="end"):
    complete: bool
    reason: str | None
    cases: Integer
    waived: Integer
    failed: Integer
    elapsed_s: Number
    crc32: Id


class Run(Line, tag_field="type", tag="run"):
    """The first line, which the schema checks."""


SCHEMA = 2

decode = Decoder(Run | Case | Waived | Failed | Fit | End).decode
"""Decodes a line; raises msgspec.DecodeError, of which ValidationError is a part."""


def _limited(part: dict) -> dict:
    """A part of the schema, in which numbers have limits, too."""
    kinds = part.get("type", ())
    most = LARGEST_INTEGER if "integer" in kinds else LARGEST if "number" in kinds else None
    return {"minimum": -most, "maximum": most, **part} if most else part


@cache
def _run_check() -> Callable[[dict], dict]:
    import fastjsonschema  # takes longer to load than a small archive

    text = (root() / "results" / "schema" / f"archive-{SCHEMA}.schema.json").read_text(encoding="utf-8")
    known = json.loads(text.replace("2020-12/schema", "draft-07/schema"), object_hook=_limited)["$defs"]
    return fastjsonschema.compile({"$ref": "#/$defs/run", "$defs": known})


def wrong_run(line: dict) -> str | None:
    """What is not as the schema says in a first line; None where all is."""
    try:
        _run_check()(line)
    except ValueError as error:
        return f"bad run line: {safe(str(error).removeprefix('data.'))[:200]}"
    return None


def contradiction(case: Case) -> str | None:
    """What n, the median or its interval say against the samples, which are sorted here; None where they agree."""
    ordered = case.samples
    if len(ordered) != case.n:
        return f"n is {case.n}, but there are {len(ordered)} samples"
    ordered.sort()
    if ordered[0] < -LARGEST or ordered[-1] > LARGEST:
        return f"a sample exceeds {LARGEST:g}"
    low, high = ordered[(case.n - 1) // 2], ordered[case.n // 2]
    if abs((low + high) / 2 - case.median) > MEDIAN_TOLERANCE * max(abs(low), abs(high)):
        return f"its median is {case.median:.9g}, but that of its samples is {(low + high) / 2:.9g}"
    if case.ci95 and not ordered[0] <= case.ci95[0] <= case.ci95[1] <= ordered[-1]:
        return "its ci95 lies outside its samples"
    over = case.over_sms
    if over and (len(over.sample_sms) != case.n or not ordered[0] <= over.low <= over.high <= ordered[-1]):
        return "its over_sms does not match its samples"
    return None


def refusal(text: bytes, error: Exception) -> str:
    """Reword an error of the decoder: "Expected `int`, got `str` - at `$.n`" as "bad case line: n: expected int, got
    str"."""
    if isinstance(error, RecursionError):
        return f"objects are nested too deep: {DAMAGED}"
    if not isinstance(error, ValidationError):
        return f"not JSON ({safe(str(error))[:200]}): {DAMAGED}"
    what, _, place = str(error).replace("`", "").partition(" - at ")
    kind = re.search(rb'"type"\s*:\s*"([a-z]{1,20})"', text)
    if place == "$.type" or not kind:
        return f"{safe(what[:1].lower() + what[1:])[:200]} as the type of a line; known: {KINDS}"
    place = safe(place.removeprefix("$").removeprefix("."))[:200]
    what = what.replace("Object missing required field", "it lacks")
    what = what[:1].lower() + what[1:]
    return f"bad {kind[1].decode()} line: {f'{place}: ' if place else ''}{safe(what)[:200]}"
