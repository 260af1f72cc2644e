"""What quantities there are: data beside the effects, micro/GROUP/EFFECT/quantities.json, as
results/schema/quantities-1.schema.json describes it. An archive carries those of the program that wrote it.

Today's definitions count, so that archives of all ages are read alike; of an effect that this tree does not have, those
of the archive."""

import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, structs

from .. import UserError
from ..call.program import root
from ..call.text import safe, shown

SPREADS = "results/spreads.json"  # what is known of how archives differ
VALUELESS = ("reported", "change", "crossing", "period")  # a setting, and sizes: steps of an axis have no distribution
HOST_LINK = "host link"
OF_HOST = ("host", "launch")  # kinds of quantities that are no card's: another host changes them
SMALLER = {"plateau", "slope", "intercept", "half", "ratio", "payback", "sms", "cycles", "ns"}  # is better of these
WORD = re.compile(r"[a-z][a-z0-9_]*=[^\s=]+")
Text = Annotated[str, Meta(max_length=40)]
Which = Literal["first", "last"]
Extreme = Literal["largest", "smallest"]


class Reported(msgspec.Struct, forbid_unknown_fields=True):
    """Where the run line says something about the same: `same` value, a `peak` that can't be passed and is a yardstick,
    or a `bound` only. note: why the two may differ."""

    path: str
    kind: Literal["same", "peak", "bound"] = msgspec.field(name="as")
    note: str = ""


class Screen(msgspec.Struct, forbid_unknown_fields=True):
    """The place on the first screen: a cell of the table of memories or of that of arithmetic, or a line of what costs
    most. part, flow: the row's place in the picture of the hierarchy, and whether the rate is one of its arrows."""

    row: Text = ""
    column: Literal["latency", "holds", "rate", "peak", "reached", "bytes", ""] = ""
    label: Text = ""
    cost: Text = ""
    arithmetic: Text = ""
    part: Literal["SM", "chip", "board", "host", ""] = ""
    flow: Literal["in", "out", ""] = ""


class Saves(msgspec.Struct, forbid_unknown_fields=True):
    """What a use saves: the cost of `against` less that of `cases`, of another probe, too."""

    probe: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*$")]
    cases: str
    against: str


class Accept(msgspec.Struct, forbid_unknown_fields=True):
    """hint: what a card that is off in this hints at, and where to look. margin: the share of the margin from which a
    deviation counts, since one SM is a small part of the mean of all."""

    hint: Annotated[str, Meta(min_length=1, max_length=200)]
    margin: Annotated[float, Meta(gt=0, le=1)] = 1.0


class Definition(msgspec.Struct, forbid_unknown_fields=True):
    """See the schema for what each key means."""

    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*([.][a-z0-9_]+)+$", max_length=60)]
    unit: Annotated[str, Meta(min_length=1, max_length=30)]
    meaning: Annotated[str, Meta(min_length=1, max_length=200)]
    by: Literal[
        "best", "plateau", "change", "period", "slope", "intercept", "half", "ratio", "quotient", "crossing", "payback",
        "reported",
    ]  # fmt: skip
    kind: Text = ""
    state: Annotated[str, Meta(max_length=200)] = ""
    cases: str = ""
    of: str = "cost"
    along: str = ""
    which: Which = "first"
    levels: Annotated[int, Meta(ge=1)] = 1
    tolerance: Annotated[float, Meta(gt=0)] | None = None
    extreme: Extreme | None = None
    count: str | None = None
    against: str = ""
    share: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    scale: Annotated[float, Meta(gt=0)] = 1.0
    inverse: bool = False
    whole_chip: bool = False
    ids: tuple[str, str] | None = None
    saves: Saves | None = None
    price: str = ""
    serves: dict | None = None  # what archives of older programs have in place of `price`; not read
    axis_unit: str = ""
    reported: Reported | None = None
    accept: Accept | None = None
    screen: Screen | None = None
    probe: str = ""  # whose cases; the folder's name, never in the file
    place: int = 0  # in the file

    @property
    def follows(self) -> bool:
        """Whether it says again what other quantities say, in the terms in which people compare chips."""
        return self.whole_chip or self.by == "quotient"

    @property
    def better(self) -> Extreme | None:
        """Which is the better value, where one is."""
        if self.inverse:
            return "largest"
        if SMALLER & {self.by, self.of, self.unit}:
            return "smallest"
        return "largest" if self.of == "rate" else None


# What says nothing of the estimate.
WORDS = ("meaning", "kind", "state", "screen", "accept", "price", "serves", "reported", "place")


def same_estimate(one: Definition, other: Definition) -> bool:
    """Whether two definitions, of two programs, take the same figure from the same cases."""
    plain = dict.fromkeys(WORDS)
    return one == other or msgspec.structs.replace(one, **plain) == msgspec.structs.replace(other, **plain)


def _check(definition: Definition) -> None:
    """Raises UserError for what the struct can't say."""
    selections = [definition.cases, definition.against]
    selections += [definition.saves.cases, definition.saves.against] if definition.saves else []
    if wrong := [word for word in " ".join(selections).split() if not WORD.fullmatch(word)]:
        raise UserError(f"'{wrong[0]}' is not NAME=VALUES")
    needs = {
        "plateau": definition.along,
        "change": definition.along,
        "period": definition.along and definition.extreme,
        "ratio": definition.against,
        "quotient": definition.ids,
        "crossing": definition.along and (definition.against or definition.share),
        "payback": definition.saves,
        "reported": definition.reported or definition.cases,
    }
    if not needs.get(definition.by, True):
        raise UserError(f"the estimator '{definition.by}' needs more keys")


def read(data, probe: str, where: str) -> list[Definition]:
    """Definitions from JSON. Raises UserError that names the place."""
    try:
        found = msgspec.convert(data, list[Definition])
        for place, definition in enumerate(found):
            definition.probe, definition.place = probe, place
            _check(definition)
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{where}: {safe(str(error))[:300]}") from None
    return found


def files(top: Path) -> list[Path]:
    return sorted(top.glob("micro/*/*/quantities.json"))


@cache
def of_the_tree(top: Path) -> dict[str, tuple[Definition, ...]]:
    """By effect."""
    found = {}
    for path in files(top):
        try:
            data = msgspec.json.decode(path.read_bytes())
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"{shown(path)}: {error}") from None
        found[path.parent.name] = tuple(read(data, path.parent.name, shown(path)))
    return found


def knows(run: dict, probe: str, *texts: str | None) -> bool:
    """Whether the probe of the archive has all axes of the selections: today's may be another one of that name."""
    axes = {axis["name"] for axis in run["probes"].get(probe, {}).get("axes") or ()}
    return not axes or {word.partition("=")[0] for text in texts for word in (text or "").split()} <= axes


def definitions(run: dict) -> list[Definition]:
    """All that speak of an archive, by id: those of the tree, and those that the run line brings for other probes, as
    far as this program knows how to take them. Where a probe took a figure over from another, an archive of the old
    one is read by its own definition."""
    tree = of_the_tree(root())
    found = {d.id: d for effect in tree.values() for d in effect if knows(run, d.probe, d.cases, d.against, d.along)}
    for probe, declared in run["probes"].items():
        if probe not in tree and declared.get("quantities"):
            for one in declared["quantities"]:
                with suppress(UserError):
                    (d,) = read([one], probe, "the run line")
                    ours = found.get(d.id)
                    if not ours or (ours.probe not in run["probes"] and ours.unit == d.unit):
                        found[d.id] = structs.replace(d, price=ours.price) if ours else d
    linked = link_of(run) == HOST_LINK
    return [found[name] if linked else _without_link(found[name]) for name in sorted(found)]


def host_share(run: dict, probe: str) -> float:
    """The share of a probe's quantities, beside sizes, that are the host's."""
    mine = [d.kind in OF_HOST for d in definitions(run) if d.probe == probe and d.kind != "size"]
    return sum(mine) / max(len(mine), 1)


def link_of(run: dict) -> str:
    """What carries copies between host and GPU: an integrated GPU, whose memory is the host's, has no link."""
    return "host copies" if run.get("device", {}).get("integrated") is True else HOST_LINK


def _without_link(d: Definition) -> Definition:
    if d.screen and d.screen.row == HOST_LINK:
        d = structs.replace(d, screen=structs.replace(d.screen, row="host copies", part=""))
    if d.accept and "pcie" in (d.accept.hint or ""):
        d = structs.replace(d, accept=structs.replace(d.accept, hint="copies are slow: a busy host, or a lower clock"))
    return d
