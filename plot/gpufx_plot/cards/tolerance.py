"""What a site tolerates of each quantity, from a file: {"QUANTITY": {"within_pct": 3}, ...}.

within_pct   in place of --margin: a card that is worse than the base by less does not fail
at_least, at_most   limits of the figure itself, whatever the base says
skip         true: the quantity is not judged
"""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from .. import UserError
from ..call.text import clipped, meant, safe, shown

LARGEST_FILE = 1 << 20


class Tolerance(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    within_pct: Annotated[float, Meta(ge=0, le=1000)] | None = None
    at_least: float | None = None
    at_most: float | None = None
    skip: bool = False


def read(path: str | None, known: set[str]) -> dict[str, Tolerance]:
    """Raises UserError, which names the place. known: ids of quantities that there are."""
    if path is None:
        return {}
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST_FILE or not file.is_file():
            raise UserError(f"--tolerance {shown(file)} is not a file of tolerances")
        found = msgspec.json.decode(file.read_bytes(), type=dict[str, Tolerance])
    except OSError as error:
        raise UserError(f"--tolerance {shown(file)} can't be read: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"--tolerance {shown(file)}: {safe(str(error))[:200]}") from None
    for name, one in found.items():
        if why := _wrong(name, one, known):
            raise UserError(f"--tolerance {shown(file)}: {why}")
    return found


def _wrong(name: str, one: Tolerance, known: set[str]) -> str | None:
    if name not in known:
        return f"there is no quantity '{clipped(name)}'; {meant(name, known, 'gpufx sheet lists them')}"
    if one == Tolerance():
        return f"'{clipped(name)}' has no tolerance; give within_pct, at_least, at_most or skip"
    if one.at_least is not None and one.at_most is not None and one.at_least > one.at_most:
        return f"'{clipped(name)}' can't be both at least {one.at_least:g} and at most {one.at_most:g}"
    return None
