"""The columns of a quantity, the same names and values in CSV, JSON and Parquet. docs/queries.md says what each means;
a test compares the two."""

import math
from collections.abc import Callable

from ..archive.load import Archive
from . import published
from .quantities import cards_behind
from .quantity import CONFIDENCE, Quantity
from .quantity_text import WORDS

BETTER = {"largest": "higher", "smallest": "lower"}


def _level(q: Quantity) -> float | None:
    """Of its interval or bracket."""
    found = q.estimate and q.definition.by not in WORDS and q.estimate.ends != (-math.inf, math.inf)
    return 100 * CONFIDENCE if found else None


# DuckDB's types, and what each has of an archive.
COLUMNS: dict[str, tuple[str, Callable[[Quantity, Archive], object]]] = {
    "quantity": ("VARCHAR", lambda q, _: q.id),
    "unit": ("VARCHAR", lambda q, _: q.unit),
    "meaning": ("VARCHAR", lambda q, _: q.definition.meaning),
    "probe": ("VARCHAR", lambda q, _: q.definition.probe),
    "estimator": ("VARCHAR", lambda q, _: q.definition.by),
    "better": ("VARCHAR", lambda q, _: BETTER.get(q.definition.better)),
    "determined": ("BOOLEAN", lambda q, _: q.determined),
    "reason": ("VARCHAR", lambda q, _: q.reason or None),
    "form": ("VARCHAR", lambda q, _: q.estimate and ("bracket" if q.estimate.bracket else "value")),
    **{end: ("DOUBLE", lambda q, _, end=end: getattr(q.estimate, end, None)) for end in ("value", "low", "high")},
    "level_pct": ("DOUBLE", lambda q, _: _level(q)),
    "cases": ("BIGINT", lambda q, _: q.estimate.points if q.estimate else 0),
    "processes": ("BIGINT", lambda q, _: q.processes if q.estimate else 0),
    "cards": ("BIGINT", lambda q, archive: cards_behind(q, archive) if q.estimate else 0),
    "other_cards_pct": ("DOUBLE", lambda q, _: None if q.cards is None else 100 * math.expm1(q.cards)),
    "note": ("VARCHAR", lambda q, _: (q.estimate and q.estimate.note) or None),
    "reported": ("DOUBLE", lambda q, _: q.reported),
    "reported_as": ("VARCHAR", lambda q, _: q.definition.reported and q.definition.reported.kind),
    "agrees": ("BOOLEAN", lambda q, _: q.agrees),
    "share_pct": ("DOUBLE", lambda q, _: q.share_pct),
    "published": ("VARCHAR", lambda q, archive: published.brief(archive.run, q)[0] or None),
    "published_source": ("VARCHAR", lambda q, archive: published.brief(archive.run, q)[1] or None),
}


def as_row(q: Quantity, archive: Archive) -> dict[str, str | float | int | bool | None]:
    return {name: value(q, archive) for name, (_, value) in COLUMNS.items()}
