"""Settings and build of a card, as device and driver report them, against other cards, and what its memory says of
itself. A lower limit, a narrower link or a row that can't be remapped is a finding by itself; in another mode, such as
ECC off, slow figures are no evidence of a fault."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from ..archive.cases import SLOWDOWN, value_at
from ..call.number_text import counted, number
from ..call.text import clipped
from ..chip.definitions import HOST_LINK, link_of
from .declared import FEWEST

ALIKE = 0.9  # share of the other cards with one value
NEAR = 0.005  # numbers that differ by less are the same


Value = float | bool | str


@dataclass(frozen=True)
class Setting:
    """mode: any other value makes the verdict UNSURE, if of_host what is off of the host alone; else a lower value is a
    finding. of_host: of the host and its link. per: how many of the archive's are one of unit. Of a fault, which no
    healthy card reports: above which number it is one, whether the card fails by it, and what is not checked where
    nobody reports it."""

    path: str
    words: str
    unit: str = ""
    per: float = 1.0
    mode: bool = False
    of_host: bool = False
    cure: str = ""
    above: float = 0
    fails: bool = False
    told_by: str = ""


@dataclass(frozen=True)
class Known:
    """settings.json. alarms: what is told of a card whatever its verdict, from which number on, around its plural."""

    settings: list[Setting]
    faults: list[Setting]
    alarms: dict[str, tuple[int, str, str]]


KNOWN = msgspec.json.decode(Path(__file__).with_name("settings.json").read_bytes(), type=Known)
SETTINGS, FAULTS, ALARMS = KNOWN.settings, KNOWN.faults, KNOWN.alarms
LINKS, SLOWED = "environment.nvlinks", "clocks.slowed_pct"


@dataclass(frozen=True)
class Differs:
    """One setting in which the card differs from others, or a fault that it reports; usual is None then. doubt: it
    makes the verdict UNSURE."""

    setting: Setting
    card: Value
    usual: Value | None
    fails: bool
    doubt: bool

    @property
    def text(self) -> str:
        s = self.setting
        here = "" if self.card is True and self.usual is None else f": {value_text(s, self.card)}"
        why = f" ({s.cure})" if self.usual is None else f", others {value_text(s, self.usual)}"
        return f"{s.words}{here}{why}"


def value_text(setting: Setting, value: Value) -> str:
    if isinstance(value, str):
        return clipped(value, 60)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value / setting.per:.6g} {setting.unit}".rstrip()


def _at(run: dict, path: str, zero: bool, text: bool = False) -> Value | None:
    value = value_at(run, path)
    fits = isinstance(value, bool | int | float) or (text and isinstance(value, str))
    return value if fits and (value or zero or isinstance(value, bool)) else None


def settings_of(run: dict) -> dict[str, Value]:
    """What `differing` asks of a card: of the first line of its archive, with Clocks.slowdown as its clocks."""
    found = {s.path: _at(run, s.path, False, s.mode) for s in SETTINGS if not s.of_host or link_of(run) == HOST_LINK}
    found |= {path: _at(run, path, True) for path in (LINKS, *(f.path for f in FAULTS), *ALARMS)}
    found[LINKS] = _links_of(run) if found[LINKS] is None else found[LINKS]
    return {path: value for path, value in found.items() if value is not None}


def _links_of(run: dict) -> int | None:
    """NVLinks that were up, as older archives have them: of each way to another GPU of the host."""
    with suppress(KeyError, TypeError, ValueError):
        return max(way["nvlinks"] for gpu in run["host"]["gpus"] if gpu["this"] for way in gpu["others"])
    return None


def recorded(card: dict, throttled: Iterable[str], known: Counter, others: int) -> list[str]:
    """What a card says of its health beside what decides, and what it does not say while nine in ten others do: of a
    card without limits and clocks the driver told nothing, whatever the others say. known: how many of so many others
    have each."""
    alarms = ((card.get(at, 0), *words) for at, words in ALARMS.items())
    told = [counted(round(value), one) + more for value, least, one, more in alarms if value >= least]
    share = f" in {number(card[SLOWED], 2)} % of the cases" if SLOWED in card else ""
    told += [f"{' '.join(slowed)}{share}"] if (slowed := sorted(filter(SLOWDOWN.match, throttled))) else []
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
    """Compare with the value of nine in ten others; nothing where they disagree, but for a mode that nobody else has.
    Where fewer than four report it, a value below all of theirs is a doubt."""
    found = [Differs(f, card[f.path], None, f.fails, not f.fails) for f in FAULTS if card.get(f.path, 0) > f.above]
    for setting in SETTINGS:
        mine, known, mode = card.get(setting.path), others[setting.path], setting.mode
        if mine is None or not known:
            continue
        usual, count = known.most_common(1)[0]
        doubt, few = mode and not setting.of_host, known.total() < FEWEST
        if mine == usual or (not isinstance(mine, str) and abs(mine - usual) <= NEAR * abs(usual)):
            continue
        if not few and (count >= ALIKE * known.total() or (mode and not known[mine])):
            found.append(Differs(setting, mine, usual, not mode and mine < usual, doubt))
        elif few and not mode and mine < min(known):
            found.append(Differs(setting, mine, usual, False, True))
    return found
