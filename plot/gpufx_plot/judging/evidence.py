"""Is there evidence? Asked before a gate passes, by `compare`, `accept`, `explain` and `fleet report`.

A condition that is not met passes only on what was compared and would have shown it. `decide` is the one place where
that becomes an exit status."""

from collections.abc import Sequence

from ..archive.load import Archive
from ..call.number_text import counted
from ..call.program import cards, latest
from ..call.text import from_here

FOUND, NO_ANSWER = 1, 3
MOST_NAMED = 6


def not_alike(sides: Sequence[tuple[str, Archive]]) -> str | None:
    """Why two runs say nothing about each other, whatever their numbers are. sides: with what each is called."""
    invented = [word for word, run in sides if run.synthetic]
    if 0 < len(invented) < len(sides):
        return f"the {invented[0]} is of a SYNTHETIC device and the other is measured: that is no evidence of either"
    return None


def not_ours(archives: Sequence[Archive]) -> str | None:
    """Why a verdict on `latest`, if that is what one of the archives was named by, says nothing of this machine."""
    taken, newest = latest()
    if newest:
        return f"the newest run is synthetic (no GPU was found): {newest}; name the archives to judge others"
    known = [run for run in archives if run.path in taken and run.run["device"].get("uuid")]
    here = cards() if known else set()  # takes time to ask
    others = [from_here(run.path) for run in known if run.run["device"]["uuid"] not in here]
    why = "latest is no run of a GPU of this machine"
    return f"{why}: {others[0]}; name the archives to judge others" if others else None


def same_run(base: Archive, new: Archive) -> str | None:
    """Why two archives say nothing about each other that hold one run, the second as a copy under another name."""
    sides = [(run.run["id"], [point.medians for point in run.points]) for run in (base, new)]
    return f"{from_here(new.path)} is a copy of the run {base.run['id']}" if sides[0] == sides[1] else None


def cut_off(sides: Sequence[tuple[str, Archive]]) -> str | None:
    """Why what a run did not measure can't be told from what did not change."""
    return next((unfinished(run.incomplete, f"the run of the {word}") for word, run in sides if run.incomplete), None)


def unfinished(why: str, whose: str = "the run") -> str:
    return f"{whose} did not finish ({why})"


def named(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Some of them: a, b and 3 more."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def decide(
    met: str | None, asked: int, judged: int, what: str, doubts: Sequence[str | None] = (), void: str | None = None
) -> tuple[int, str]:
    """Exit status of a condition, and why: 1 where it is met; 0 where it is not, and everything that it speaks of could
    have shown it; else 3. met: what meets it. asked: how many things it speaks of, which are called `what`. judged: how
    many of these were compared, closely enough. doubts: sentences, each enough for 3; None is none. void: why even what
    seems to meet it says nothing."""
    if void:
        return NO_ANSWER, void
    if met:
        return FOUND, met
    if doubt := next(filter(None, doubts), None):
        return NO_ANSWER, doubt
    if not asked:
        return NO_ANSWER, f"there is no {what} to compare"
    if judged < asked:
        return NO_ANSWER, f"{asked - judged} of {counted(asked, what)} {'was' if asked == 1 else 'were'} not compared"
    return 0, ""
