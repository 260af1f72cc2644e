"""Settings and build of a card, as device and driver report them, against the base. A lower limit or a narrower link is
a finding by itself; in another mode, such as ECC off, slow figures are no evidence of a fault."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..archive.cases import value_at
from ..chip.definitions import HOST_LINK, link_of
from .board import Board
from .judge import FEWEST

ALIKE = 0.9  # share of the base's cards with one value
NEAR = 0.005  # numbers that differ by less are the same


@dataclass(frozen=True)
class Setting:
    """worse: a lower value is a finding; otherwise any other value makes the verdict UNSURE. of_host: of the host
    link."""

    path: str
    words: str
    unit: str = ""
    scale: float = 1.0
    worse: bool = True
    of_host: bool = False


SETTINGS = (
    Setting("environment.power_limit_mW", "power limit", "W", 1e-3),
    Setting("environment.sm_max_clock_MHz", "maximum SM clock", "MHz"),
    Setting("environment.memory_max_clock_MHz", "maximum memory clock", "MHz"),
    Setting("environment.pcie_width", "host link width", of_host=True),
    Setting("environment.pcie_max_width", "maximum host link width", of_host=True),
    Setting("environment.pcie_max_generation", "maximum host link generation", of_host=True),
    Setting("device.sm_count", "SMs"),
    Setting("device.l2_bytes", "L2", "MiB", 2**-20),
    Setting("device.memory_bytes", "device memory", "MiB", 2**-20),
    Setting("device.memory_bus_bits", "memory bus width"),
    Setting("environment.ecc", "ECC", worse=False),
    Setting("environment.mig", "MIG", worse=False),
)


@dataclass(frozen=True)
class Differs:
    """One setting in which the card differs from the base."""

    setting: Setting
    card: float | bool
    usual: float | bool
    fails: bool

    @property
    def text(self) -> str:
        card, usual = (_text(self.setting, value) for value in (self.card, self.usual))
        return f"{self.setting.words}: {card} here, {usual} in the base"


def _text(setting: Setting, value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value * setting.scale:.6g} {setting.unit}".rstrip()


def _at(run: dict, path: str) -> float | bool | None:
    value = value_at(run, path)
    return value if isinstance(value, bool | int | float) and (value or isinstance(value, bool)) else None


def differing(card: Board, base: Sequence[Board]) -> list[Differs]:
    """Compare with the value of nine in ten cards of the base; nothing where they disagree, or few report it."""
    found = []
    linked = link_of(card.run) == HOST_LINK
    for setting in SETTINGS:
        if setting.of_host and not linked:
            continue
        mine = _at(card.run, setting.path)
        theirs = {one.card: _at(one.run, setting.path) for one in base}
        known = [value for value in theirs.values() if value is not None]
        if mine is None or len(known) < FEWEST:
            continue
        usual, count = Counter(known).most_common(1)[0]
        same = mine == usual if isinstance(mine, bool) else abs(mine - usual) <= NEAR * abs(usual)
        if count >= ALIKE * len(known) and not same:
            found.append(Differs(setting, mine, usual, setting.worse and mine < usual))
    return found
