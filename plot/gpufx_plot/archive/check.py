"""An archive is checked against itself while it is read: what it says twice must agree. Each check gives None, or what
is wrong in words."""

import json
import re
from collections.abc import Iterable

from .lines import LARGEST, Case

MEDIAN_TOLERANCE = 1.001e-8  # relative: numbers have nine figures
PROBE = re.compile(r"[a-z][a-z0-9_]*")
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
DEEPEST = 32  # objects and arrays in each other, in a first line


class DuplicateError(ValueError):
    """A key that stands twice in one object."""


def once(pairs: list[tuple[str, object]]) -> dict:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise DuplicateError(next(name for name in names if names.count(name) > 1))
    return found


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not allowed in an archive")


def strict(text: bytes) -> dict:
    """JSON in which no key stands twice in an object. Raises ValueError or RecursionError. Of bytes json takes half a
    surrogate pair, which is no UTF-8."""
    return json.loads(text.decode(), object_pairs_hook=once, parse_constant=_no_constant)


def has_nul(text: bytes) -> bool:
    """True if a text in this JSON has a character 0, as no text of an archive has, and C can't hold."""
    return b"\\u0000" in text and NUL.search(text) is not None


def too_deep(value, room: int = DEEPEST) -> bool:
    if not isinstance(value, dict | list):
        return False
    parts: Iterable = value.values() if isinstance(value, dict) else value
    return room == 0 or any(too_deep(part, room - 1) for part in parts)


def may_repeat_a_key(text: bytes, keys: int) -> bool:
    """False where each of the `keys` keys that were decoded from an object stands in its text once: there is none to
    spare. A quote inside a text, a key that no struct knows or a blank before a colon make it True, to be looked at."""
    if text.count(b'":') != keys:
        return True
    blanks = b" " in text or b"\t" in text or b"\r" in text
    return blanks and (b'" ' in text or b'"\t' in text or b'"\r' in text)


def name_and_params(name: str, probe: str, params: dict, left_out: dict) -> str | None:
    """A name is the probe's, and then values of params in their order. An axis that is left out has one value in all
    cases of the probe whose names leave it out; `left_out` keeps these values from call to call."""
    if not PROBE.fullmatch(probe):
        return f"{probe[:60]!r} is not a probe name"
    rest = name.removeprefix(probe) if name.startswith(probe) else "?"
    varied = ""
    for axis, value in params.items():
        part = f"/{axis}:{value}"
        if rest.startswith(part) and rest[len(part) : len(part) + 1] in ("", "/"):
            rest = rest[len(part) :]
        elif left_out.setdefault((probe, axis), value) != value:
            varied = axis
    if rest:
        return f"its name {name[:200]!r} does not match its params"
    return f"its name {name[:200]!r} leaves out {varied[:60]}, which differs between cases" if varied else None


def samples(case: Case) -> str | None:
    """n, the median and its interval against the samples, which are sorted here."""
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
