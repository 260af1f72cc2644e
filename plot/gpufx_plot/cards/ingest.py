"""`gpufx archive pack`: archives are read, checked and laid into a dataset, several at a time.

Parts of the archives go to processes of their own, each of which writes the files of its part beside the dataset's.
They are put in place under a lock, part by part (commit.py), so that two ingests at once, or one that is killed, leave
a dataset that has each archive once or not at all. An archive that can't be taken is named with the reason, and holds
up nothing.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

from .. import UserError
from ..archive.heads import Found, archives_in, look_at, nothing_usable
from ..call.apart import belong_to_the_parent
from ..call.number_text import counted
from ..call.stopping import held_back
from ..call.terminal import progress
from ..call.text import safe, shown
from ..call.workers import at_most
from .dataset import make
from .dataset_commit import Committer, staging
from .dataset_parts import Refused, read_part

MOST_ARCHIVES, MOST_BYTES = 250, 16 << 20  # of a part
LEAST_ARCHIVES, LEAST_BYTES = 16, 2 << 20  # below, a process of its own would not pay
MOST_PROCESSES = 16


@dataclass
class Outcome:
    """What an ingest did."""

    taken: int = 0
    copies: int = 0  # of what it had
    refused: list[Refused] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self, dataset: Path) -> dict:
        refused = [one.as_json() for one in self.refused]
        return {"dataset": str(dataset), "packed": self.taken, "there_already": self.copies, "refused": refused}

    def text(self, dataset: Path) -> str:
        known = f", {self.copies} already there" if self.copies else ""
        not_taken = f", {len(self.refused)} not added" if self.refused else ""
        return f"{counted(self.taken, 'archive')} packed{known}{not_taken}\ndataset: {shown(dataset)}\n"


def find(places: Iterable[Path]) -> list[Found]:
    """Each file once, however many places lead to it. Raises UserError where there is none."""
    places = list(places)
    paths = {os.path.realpath(path): path for place in places for path in archives_in(place)}
    if not paths:
        raise UserError(f"no archive in {', '.join(map(shown, places))}: no file name ends in .jsonl[.gz]")
    with progress("looking at archives") as tell:
        found = []
        for i, path in enumerate(paths.values()):
            found.append(look_at(path))
            if i % 500 == 0:
                tell(i / len(paths))
    return found


def processes() -> int:
    return at_most(MOST_PROCESSES)


def parts_of(found: list[Found], workers: int) -> list[list[Path]]:
    """Parts that are alike in size, and enough of them to keep all processes at work."""
    total = sum(one.size for one in found)
    most_bytes = min(MOST_BYTES, max(total / (2 * workers), LEAST_BYTES))
    most = min(MOST_ARCHIVES, max(-(-len(found) // (2 * workers)), LEAST_ARCHIVES))
    parts: list[list[Path]] = []
    size = 0
    for one in found:
        if not parts or size >= most_bytes or len(parts[-1]) >= most:
            parts.append([])
            size = 0
        parts[-1].append(one.path)
        size += one.size
    return parts


def spread(work: Callable, parts: list, what: str, *more) -> Iterable:
    """work(part, *more) of each part as it is done, in processes of their own."""
    workers = min(processes(), len(parts))
    if workers < 2:
        yield from (work(part, *more) for part in parts)
        return
    from concurrent.futures import as_completed

    # Not by fork: DuckDB's threads may be there.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), belong_to_the_parent)
    try:
        with progress(what) as tell:
            with held_back():  # from processes that start, and have not yet heard that Ctrl-C is the parent's
                waiting = [pool.submit(work, part, *more) for part in parts]
            for i, done in enumerate(as_completed(waiting)):
                yield done.result()
                tell((i + 1) / len(parts))
                waiting[waiting.index(done)] = None  # what it gave can go
    except BrokenProcessPool:
        raise UserError(
            "a process that reads archives was killed, perhaps for lack of memory; what was packed is kept: "
            "start again to add the rest"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def pack(places: list[Path], dataset: Path) -> Outcome:
    """Raises UserError where nothing can be read or written; what is wrong with one archive is in the outcome."""
    now = datetime.now(UTC)
    found = find(places)
    if not any(one.head for one in found):
        raise nothing_usable([f"{shown(one.path)}: {one.problem}" for one in found])
    make(dataset)
    outcome = Outcome()
    with staging(dataset) as stage:
        committer = Committer(dataset, outcome)
        wanted = []
        seen: dict[str, set] = {}
        for one in found:
            if one.head is None:
                outcome.refused.append(Refused(one.path, one.problem))
                continue
            key = one.head.key
            same = committer.known.get(key) == one.content or one.content in seen.get(key, ())
            seen.setdefault(key, set()).add(one.content)
            if same and one.content:
                outcome.copies += 1
            else:
                wanted.append(one)
        if wanted:
            parts = list(enumerate(parts_of(wanted, processes())))
            for part in spread(read_part, parts, "packing archives", stage, now):
                committer.commit(part)
        notes_of_future(outcome, committer.future)
    outcome.refused.sort(key=lambda refused: str(refused.path))
    return outcome


def notes_of_future(outcome: Outcome, future: list[str]) -> None:
    if future:
        named = ", ".join(safe(name) for name in sorted(future)[:3]) + (", ..." if len(future) > 3 else "")
        they = "archive begins" if len(future) == 1 else "archives begin"
        outcome.notes.append(
            f"{len(future)} {they} later than tomorrow ({named}): a host clock is wrong; added, and left out "
            "where order in time matters"
        )


def verify(places: list[Path]) -> tuple[int, list[Refused]]:
    """How many archives are whole, and what is wrong with the others. A pipe is read where it is named itself; one that
    lies in a folder would keep us waiting."""
    from .dataset_parts import check_part

    found = find(places)
    good, refused = 0, [Refused(one.path, one.problem) for one in found if one.no_file and one.path not in places]
    found = [one for one in found if not one.no_file or one.path in places]
    for count, wrong in spread(check_part, parts_of(found, processes()), "reading archives"):
        good += count
        refused += wrong
    return good, sorted(refused, key=lambda one: str(one.path))
