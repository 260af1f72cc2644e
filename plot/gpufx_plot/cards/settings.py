"""Settings and build of a card, as device and driver report them, against other cards, and what its memory says of
itself. A lower limit, a narrower link or a row that can't be remapped is a finding by itself; in another mode, such as
ECC off, slow figures are no evidence of a fault."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..archive.cases import value_at
from ..call.number_text import counted
from ..chip.definitions import HOST_LINK, link_of
from .declared import FEWEST

ALIKE = 0.9  # share of the other cards with one value
NEAR = 0.005  # numbers that differ by less are the same


@dataclass(frozen=True)
class Setting:
    """mode: any other value makes the verdict UNSURE; else a lower value is a finding. of_host: of the host link. per:
    how many of the archive's are one of unit."""

    path: str
    words: str
    unit: str = ""
    per: float = 1.0
    mode: bool = False
    of_host: bool = False
    cure: str = ""


@dataclass(frozen=True)
class Fault(Setting):
    """What no healthy card reports, whatever the others do. told_by: what is not checked where nobody reports it."""

    fails: bool = False
    told_by: str = ""


@dataclass(frozen=True)
class Known:
    """settings.json. alarms: what is told of a card whatever its verdict, from which number on, around its plural."""

    settings: list[Setting]
    faults: list[Fault]
    alarms: dict[str, tuple[int, str, str]]


KNOWN = msgspec.json.decode(Path(__file__).with_name("settings.json").read_bytes(), type=Known)
SETTINGS, FAULTS, ALARMS = KNOWN.settings, KNOWN.faults, KNOWN.alarms
QUERY = "ROW_REMAPPER,ECC"


@dataclass(frozen=True)
class Differs:
    """One setting in which the card differs from others, or a fault that it reports; usual is None then."""

    setting: Setting
    card: float | bool
    usual: float | bool | None
    fails: bool

    @property
    def doubt(self) -> bool:
        """It makes the verdict UNSURE."""
        return not self.fails and (self.setting.mode or isinstance(self.setting, Fault))

    @property
    def text(self) -> str:
        s = self.setting
        if isinstance(s, Fault):
            return f"{s.words}{'' if self.card is True else f': {self.here}'} ({s.cure}; nvidia-smi -q -d {QUERY})"
        return f"{s.words}: {self.here}, most others {value_text(s, self.usual)}"

    @property
    def here(self) -> str:
        return value_text(self.setting, self.card)


def value_text(setting: Setting, value: float | bool) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value / setting.per:.6g} {setting.unit}".rstrip()


def _at(run: dict, path: str, zero: bool) -> float | bool | None:
    value = value_at(run, path)
    return value if isinstance(value, bool | int | float) and (value or zero or isinstance(value, bool)) else None


def settings_of(run: dict) -> dict[str, float | bool]:
    """What `differing` asks of a card: of the first line of its archive."""
    found = {s.path: _at(run, s.path, False) for s in SETTINGS if not s.of_host or link_of(run) == HOST_LINK}
    found |= {path: _at(run, path, True) for path in (*(f.path for f in FAULTS), *ALARMS)}
    return {path: value for path, value in found.items() if value is not None}


def recorded(card: dict, throttled: Iterable[str], known: Counter, others: int) -> list[str]:
    """What a card says of its health beside what decides, and what it does not say while nine in ten others do: of a
    card without limits and clocks the driver told nothing, whatever the others say. known: how many of so many others
    have each."""
    alarms = ((card.get(at, 0), *words) for at, words in ALARMS.items())
    told = [counted(round(value), one) + more for value, least, one, more in alarms if value >= least]
    told += sorted(why for why in throttled if why.startswith("hw_"))
    enough = max(FEWEST, ALIKE * others)
    gone = [s.words for s in SETTINGS if s.path not in card and known[s.path] >= enough and not s.of_host]
    health = [f for f in FAULTS if f.told_by and f.path not in card]
    gone += [f.told_by for f in health if gone or known[f.path] >= enough]
    notes = [f"recorded: {', '.join(told)}"] if told else []
    return notes + ([f"not in the archive, so not checked: {', '.join(gone)}"] if gone else [])


def counts_of(cards: Iterable[dict]) -> dict[str, Counter]:
    """How many cards have each value of each setting. cards: `settings_of` each."""
    cards = list(cards)
    return {s.path: Counter(card[s.path] for card in cards if s.path in card) for s in SETTINGS}


def differing(card: dict, others: dict[str, Counter]) -> list[Differs]:
    """Compare with the value of nine in ten others; nothing where they disagree, or few report it."""
    found = [Differs(f, card[f.path], None, f.fails) for f in FAULTS if card.get(f.path)]
    for setting in SETTINGS:
        mine, known = card.get(setting.path), others[setting.path]
        if mine is None or known.total() < FEWEST:
            continue
        usual, count = known.most_common(1)[0]
        same = mine == usual if isinstance(mine, bool) else abs(mine - usual) <= NEAR * abs(usual)
        if count >= ALIKE * known.total() and not same:
            found.append(Differs(setting, mine, usual, not setting.mode and mine < usual))
    return found
