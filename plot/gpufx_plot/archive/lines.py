"""The lines of an archive, as results/schema/archive-N.schema.json describes them: decoded and checked in one step.

A kind of line is a struct; its fields are the keys that the schema names, with their types and limits. Keys that it
does not name are skipped, since a schema may gain keys. A test holds the structs against the schema files.
"""

from collections.abc import Callable
from functools import cache, reduce
from operator import or_
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec import field as key
from msgspec.json import Decoder
from msgspec.structs import astuple

LARGEST = 1e300  # of all numbers: what is computed from them stays finite
LARGEST_INTEGER = 2**63 - 1

Number = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Integer = Annotated[int, Meta(ge=-LARGEST_INTEGER - 1, le=LARGEST_INTEGER)]
Natural = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST_INTEGER)]
NotBelow = Annotated[float, Meta(ge=0, le=LARGEST)]
Interval = tuple[Number, Number] | None
Params = dict[str, str | Integer]
Numbers = dict[str, Number]
Lanes = Annotated[list[Annotated[int, Meta(ge=-1, le=LARGEST_INTEGER)]], Meta(min_length=32, max_length=32)] | None
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")] | None
Id = Annotated[str, Meta(pattern="^[0-9a-f]{8}$")]
Utc = Annotated[str, Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$")]


class Line(Struct, gc=False):
    """What all structs are: small, and without cycles."""


class Metric(Line):
    name: str
    unit: str
    timebase: Literal["sm_cycles", "gpu_ns", "host_ns"]
    better: Literal["lower", "higher"]
    per: str | UnsetType = UNSET


class Law1(Line):
    name: str
    count: Number
    in_fit: bool
    counts: Numbers


class Law(Law1):
    why_not: str | None


class Snapshot1(Line):
    sm_mhz: Number | None = key(name="sm_MHz")
    memory_mhz: Number | None = key(name="memory_MHz")
    temperature: Number | None = key(name="temperature_C")
    power: Number | None = key(name="power_W")
    throttle_reasons: list[str]


class Snapshot(Snapshot1):
    age_ms: Number | None


class SmClock(Line, kw_only=True):
    sm_clock: Number | None = key(name="sm_clock_MHz")
    lowest: Number | UnsetType | None = key(name="sm_clock_min_MHz", default=UNSET)
    highest: Number | UnsetType | None = key(name="sm_clock_max_MHz", default=UNSET)


class Clocks1(SmClock):
    before: Snapshot1 | None
    after: Snapshot1 | None

    @property
    def last(self) -> Snapshot1 | None:
        return self.after

    @property
    def all(self) -> list[Snapshot1]:
        return [one for one in (self.before, self.after) if one]


class Clocks(SmClock):
    nvml: Annotated[list[Snapshot], Meta(max_length=2)]

    @property
    def last(self) -> Snapshot | None:
        return self.nvml[-1] if self.nvml else None

    @property
    def all(self) -> list[Snapshot]:
        return self.nvml


class Code(Line):
    kernel: str | None
    hash: Hash
    registers: Integer | None
    blocks: Integer | None
    threads: Integer | None
    shared_bytes: Integer | None


class Buffer(Line):
    bytes: Natural
    address_low21: Annotated[int, Meta(ge=0, le=2097151)]


class Memory(Line):
    buffers: list[Buffer]
    dram_bytes: Integer | None


class Lengths(Line):
    n: Number
    t_n: list[Number | None]


class OverSms(Line):
    """What SMs measured, each by itself: the lowest and the highest of their medians, and which SM gave each sample."""

    low: Number
    high: Number
    low_sm: Natural
    high_sm: Natural
    sample_sms: list[Natural]


class AnyCase(Line, kw_only=True):
    """What case lines of all schemas have."""

    name: str
    probe: str  # its pattern is checked once for each case, not on each line
    method_version: Positive
    sweep: str
    params: Params
    lanes: Lanes
    metric: Metric
    samples: Annotated[list[float], Meta(min_length=1)]  # their limits are checked where they are sorted
    n: Positive
    median: Number
    ci95: Interval
    stop: Literal["precision", "max_samples", "time_limit"]
    derived: Numbers
    extras: Numbers
    flags: list[str]
    elapsed_s: Number
    outliers: Integer | UnsetType = UNSET
    lag1: Number | UnsetType | None = UNSET
    intercept: Number | UnsetType | None = UNSET
    useful_bytes: Number | UnsetType = UNSET
    moved_bytes: Number | UnsetType = UNSET
    clock_moved: Integer | UnsetType = UNSET


class Case1(AnyCase, tag_field="type", tag="case"):
    process: Natural = key(name="launch")
    law: Law1 | None
    clocks: Clocks1
    machine_code: ClassVar[frozenset] = frozenset()

    searched: ClassVar[bool] = False

    @property
    def repetition(self) -> UnsetType:
        return UNSET


class Case(AnyCase, tag_field="type", tag="case"):
    process: Natural
    place: Natural
    law: Law | None
    clocks: Clocks
    code: Code | None
    memory: Memory | None
    sms: list[Natural] | None
    lengths: Lengths | None
    began_s: Number
    repetition: Positive | UnsetType = UNSET
    searched: bool | UnsetType = UNSET  # a search added the case to its sweep
    over_sms: OverSms | UnsetType = UNSET

    @property
    def machine_code(self) -> frozenset:
        """The kernel with the hash of its instructions and how it was launched; empty: not known."""
        code = self.code
        return frozenset((astuple(code),)) if code and code.hash else frozenset()


def keys_of(case: Case | Case1) -> int:
    """How many keys a case line has, those of the objects in it included, as far as the structs know them. It is asked
    for every line, so it has no loop."""
    clocks, law = case.clocks, case.law
    count = (
        27  # 20 that all case lines have, 3 of the clocks, 4 of the metric
        + (case.outliers is not UNSET)
        + (case.lag1 is not UNSET)
        + (case.intercept is not UNSET)
        + (case.useful_bytes is not UNSET)
        + (case.moved_bytes is not UNSET)
        + (case.clock_moved is not UNSET)
        + (clocks.lowest is not UNSET)
        + (clocks.highest is not UNSET)
        + (case.metric.per is not UNSET)
        + len(case.params)
        + len(case.derived)
        + len(case.extras)
        + (4 + len(law.counts) if law else 0)
    )
    if type(case) is Case1:
        return count + 5 * ((clocks.before is not None) + (clocks.after is not None))
    memory = case.memory
    return (
        count
        + 5  # six more, and one less of the clocks
        + (case.repetition is not UNSET)
        + (case.searched is not UNSET)
        + 6 * len(clocks.nvml)
        + (law is not None)
        + (6 if case.code else 0)
        + (2 + 2 * len(memory.buffers) if memory else 0)
        + (2 if case.lengths else 0)
        + (0 if case.over_sms is UNSET else 6)
    )


class AnyAbsence(Line):
    """A case without a result."""

    name: str
    probe: str
    params: Params
    reason: str


class Waived1(AnyAbsence, tag_field="type", tag="waived"):
    process: Natural = key(name="launch")


class Waived(AnyAbsence, tag_field="type", tag="waived"):
    process: Natural
    place: Natural


class Failed1(AnyAbsence, tag_field="type", tag="failed"):
    process: Natural = key(name="launch")
    status: str


class Failed(AnyAbsence, tag_field="type", tag="failed"):
    process: Natural
    place: Natural
    status: str


class AnyFit(Line):
    probe: str
    group: Params
    law: str
    metric: str
    n: Integer
    a: Number
    b: Number
    r_squared: Number | None
    largest_residual_pct: Number
    worst_case: str


class Fit1(AnyFit, tag_field="type", tag="fit"):
    process: Natural = key(name="launch")
    a_ci95: Interval = None
    b_ci95: Interval = None


class Fit(AnyFit, tag_field="type", tag="fit"):
    process: Natural | None
    a_ci95: Interval
    b_ci95: Interval
    residual_sd_pct: Number | None
    holds: bool


class Count(Line):
    name: str
    value: Number


class Cost(Line):
    metric: str
    unit: str
    median: Number
    archive: Id


class Counter(Line, tag_field="type", tag="counter"):
    probe: str
    name: str
    count: Count
    metric: str
    over: str
    scale: Number
    relative: NotBelow
    absolute: NotBelow
    predicted: Number
    measured: Number | None
    sums: tuple[Number, Number] | None
    launches: Natural
    cost: Cost | None
    verdict: Literal["agree", "differs", "waived"]
    reason: str | None


class End1(Line, tag_field="type", tag="end"):
    complete: bool
    reason: str | None
    cases: Integer
    waived: Integer
    failed: Integer
    elapsed_s: Number


class End(End1):
    crc32: Id


class Program1(Line, kw_only=True):
    name: Literal["gpufx"]
    version: str
    commit: str | None
    dirty: bool
    build_type: str
    c_compiler: str
    cuda_compiler: str | None
    google_benchmark: str
    cuda_architectures: str | None = None


class Program(Program1):
    google_benchmark: str | None
    harness_hash: Hash


class Device(Line):
    name: str
    slug: Annotated[str, Meta(pattern="^[a-z0-9-]+$")]
    arch: str
    sm_count: Integer
    l2_bytes: Integer
    memory_bytes: Integer
    memory_peak: Number | None = key(name="memory_peak_GBps")


class AnyRun(Line):
    id: Id
    started_utc: Utc
    provenance: Literal["measured", "synthetic"]
    device: Device
    driver: dict
    host: dict
    environment: dict
    arguments: list[str]


class Run1(AnyRun, tag_field="type", tag="run"):
    schema: Literal[1]
    program: Program1
    launches: Positive
    quick: bool = False
    profiled: bool = False


class Axis(Line):
    name: str
    unit: str
    choices: Annotated[list[str], Meta(min_length=1)] | UnsetType = UNSET


class Given(Line):
    probe: str | None
    where: str | None
    against: str | None
    quantity: str
    low: Number
    high: Number | None
    otherwise: str


class Claim(Line):
    text: str
    source: str
    where: str
    against: str | None
    quantity: str
    low: Number
    high: Number | None
    given: Given | UnsetType | None = UNSET


class Declared(Line):
    method_version: Positive
    source_hash: Hash
    question: str
    fit_by: list[str] | None
    axes: list[Axis]
    metrics: Annotated[list[Metric], Meta(min_length=1)]
    claims: list[Claim]
    quantities: list[dict] | UnsetType = UNSET


class Sampler(Line):
    precision_pct: Number
    time_limit_s: Number
    min_samples: Integer
    max_samples: Integer
    warm_up: Integer
    exactly: Integer | None


class Run(AnyRun, tag_field="type", tag="run"):
    schema: Literal[2]
    program: Program
    processes: Positive
    quick: bool
    profiled: bool
    law_version: Positive
    sampler: Sampler | None
    labels: dict[str, str]
    probes: dict[str, Declared]
    seed: Integer | None = None


# The first is that of the run line, the second that of cases.
SCHEMAS = {
    1: (Run1, Case1, Waived1, Failed1, Fit1, Counter, End1),
    2: (Run, Case, Waived, Failed, Fit, Counter, End),
}
NEWEST = max(SCHEMAS)


@cache
def decoder(schema: int) -> Callable[[bytes], Line]:
    """Decodes a line of that schema; raises msgspec.DecodeError, of which ValidationError is a part."""
    return Decoder(reduce(or_, SCHEMAS[schema])).decode
