"""Params of cases: what tells cases apart, and the order in which values are shown."""

NOTHING: dict = {}  # shared by all that have none, and never added to


def key_of(params: dict) -> tuple:
    """Params as a key that does not depend on their order."""
    return tuple(sorted(params.items()))


def ordered(values) -> list:
    """Distinct values: numbers by size, then words in the order in which they came (the probe's own order)."""
    distinct = dict.fromkeys(values)
    numbers = sorted(v for v in distinct if not isinstance(v, str))
    return numbers + [v for v in distinct if isinstance(v, str)]
