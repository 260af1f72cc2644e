"""The colours of a page: each device's own, as in the figures, and a paler one for a dark page."""

from ..charts.look import device_colour

PALER = 0.42  # of the way to white


def paler(colour: str) -> str:
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (255 - p) * PALER):02x}" for p in parts)


def device_colours(slug: str) -> tuple[str, str]:
    """On white and on black."""
    colour = device_colour(slug)
    return colour, paler(colour)
