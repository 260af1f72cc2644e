"""How an ingest is put in place: under a lock that a killed process gives back, its file under archives/ last."""

import errno
import fcntl
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path

from .. import UserError
from ..archive.heads import Content
from ..call.terminal import notice
from ..call.text import shown
from .dataset import connected, contents, duckdb, files, first_line, left_over
from .dataset_columns import TABLES
from .dataset_parts import Part, Refused, put

STAGE = ".staging-"
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


def _locked(path: Path, wait: bool):
    """An open file that is locked, or None where another process has it. Raises OSError."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(file)
        return None
    except OSError:
        os.close(file)
        raise
    return file


@contextmanager
def lock(dataset: Path):
    """Only one ingest at a time is in here. Raises UserError."""
    try:
        file = _locked(dataset / ".lock", wait=False)
        if file is None:
            notice("note: waiting for another ingest to finish")
            file = _locked(dataset / ".lock", wait=True)
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise UserError(
                f"{shown(dataset)}: this file system has no locks, so two ingests could collide; keep the dataset on "
                "another one"
            ) from None
        raise UserError(f"{shown(dataset)}: the dataset can't be written: {error.strerror}; choose another place with "
                        "-o") from None  # fmt: skip
    try:
        yield
    finally:
        os.close(file)


@contextmanager
def staging(dataset: Path):
    """A folder of this ingest alone, in which files wait to be put in place. What killed ingests left goes."""
    with lock(dataset):
        for entry in dataset.iterdir():
            if entry.name.startswith(STAGE) and not entry.is_symlink():
                _remove_if_left(entry)
        for path in left_over(dataset):
            path.unlink(missing_ok=True)
        try:
            folder = dataset / f"{STAGE}{secrets.token_hex(6)}"
            folder.mkdir()
            file = _locked(folder / "lock", wait=True)
        except OSError as error:
            raise UserError(f"{shown(dataset)}: the dataset can't be written: {error.strerror}; choose another place "
                            "with -o") from None  # fmt: skip
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(file)


def _remove_if_left(folder: Path) -> None:
    with suppress(OSError):
        file = _locked(folder / "lock", wait=False)
        if file is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(file)


class Committer:
    """What the dataset has, and how parts are added to it."""

    def __init__(self, dataset: Path, outcome):
        self.dataset, self.outcome = dataset, outcome
        self.known: dict[str, Content] = {}
        self.names: set[str] = set()
        self.future: list[str] = []
        self.learn()

    def learn(self) -> None:
        """What other ingests have added meanwhile."""
        fresh = [name for name in files(self.dataset)["archives"] if Path(name).name not in self.names]
        if not fresh:
            return
        with connected(threads=1) as database:
            self.known |= contents(database, self.dataset, fresh)
        self.names |= {Path(name).name for name in fresh}

    def commit(self, part: Part) -> None:
        """Raises UserError where nothing can be written."""
        outcome = self.outcome
        outcome.refused += part.refused
        outcome.copies += part.copies
        if not part.contents:
            return
        with lock(self.dataset):
            self.learn()
            there = {key for key in part.contents if key in self.known}
            for key in there:
                if self.known[key] == part.contents[key]:
                    outcome.copies += 1
                else:
                    reason = "the dataset already has an archive with this id and time, but with other cases"
                    outcome.refused.append(Refused(part.paths[key], reason))
            taken = part.contents.keys() - there
            if taken:
                try:
                    if there:
                        _without(part, there)
                    _put_in_place(part, self.dataset)
                except OSError as error:
                    raise UserError(f"{shown(self.dataset)}: the dataset can't be written: {error.strerror or error}; "
                                    "what was packed before is kept") from None  # fmt: skip
                self.known |= {key: part.contents[key] for key in taken}
                self.names.add(part.name)
                outcome.taken += len(taken)
                self.future += [key for key in part.future if key in taken]
        shutil.rmtree(part.folder, ignore_errors=True)


def _without(part: Part, keys: set[str]) -> None:
    """The part's files without some archives."""
    old = part.folder / "old"
    old.mkdir()
    library = duckdb()
    try:
        with connected(threads=1) as database:
            for table in TABLES:
                if not (part.folder / table).is_dir():
                    continue
                (part.folder / table).rename(old / table)
                paths = [str(path) for path in sorted((old / table).rglob("*.parquet"))]
                hive = "" if table == "archives" else ", hive_partitioning = true, hive_types_autocast = false"
                kept = f"(FROM read_parquet($files{hive}) WHERE NOT list_contains($keys, archive))"
                put(database, table, kept, part.folder, part.name, {"files": paths, "keys": sorted(keys)})
    except library.Error as error:
        raise OSError(first_line(error)) from None


def _put_in_place(part: Part, dataset: Path) -> None:
    """Files of quantities and cases first."""
    moves = []
    for table in ("quantities", "cases", "archives"):
        for path in sorted((part.folder / table).rglob("*.parquet")) if (part.folder / table).is_dir() else ():
            moves.append((path, dataset / path.relative_to(part.folder)))
    here = dataset.resolve()
    for source, target in moves:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.parent.resolve() != here / target.parent.relative_to(dataset):
            raise OSError(f"{shown(target.parent)} is a link, or is reached through one")
        _sync(source)
        source.rename(target)
    _sync(dataset / "archives")


def _sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        with suppress(OSError):  # not all file systems can, of folders
            os.fsync(file)
    finally:
        os.close(file)
