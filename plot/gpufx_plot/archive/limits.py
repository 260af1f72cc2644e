"""What the flag `throttled` rests on: limits of the clock that the driver named, and who knows how the clock fared.

That a limit was named says nothing of the number by itself. Where the SM recorded its clock with the samples, the
effect is in the archive (and `clock_moved` tells of it); what the driver reported before and after is a moment or two;
without either nobody knows.
"""

from typing import NamedTuple

from ..call.text import safe

FLAG = "throttled"
HARMLESS = {"gpu_idle", "applications_clocks_setting"}  # reasons for a lower clock that are no limits
KNOWN = ("effect on the clock unknown", "clock reported by the driver", "clock recorded by the SM")


class Limits(NamedTuple):
    names: frozenset[str] = frozenset()  # as the driver has them, of any process
    known: int = len(KNOWN) - 1  # index of KNOWN, of the process that knows least

    def __str__(self) -> str:
        return f"{', '.join(sorted(self.names)) or 'no limit in the archive'}; {KNOWN[self.known]}"


def add(limits: Limits | None, clocks) -> Limits:
    """limits: of the processes before; clocks: of one more line with the flag."""
    names, known = limits or Limits()
    named = {safe(reason) for moment in clocks.nvml for reason in moment.throttle_reasons} - HARMLESS
    mine = 2 if clocks.sm_clock else 1 if any(moment.sm_mhz for moment in clocks.nvml) else 0
    return Limits(names | named, min(known, mine))


def merged(one: Limits | None, other: Limits | None) -> Limits | None:
    if not (one and other):
        return one or other
    return Limits(one.names | other.names, min(one.known, other.known))


def words(flag: str, limits: Limits | None) -> str:
    """A flag as people read it."""
    return f"{flag} ({limits})" if flag == FLAG and limits else flag
