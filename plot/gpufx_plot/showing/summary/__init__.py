"""An archive probe by probe: what was measured on what, what the laws gave, and how it compares.

Nothing here knows a probe: fits, best rates, staircases over bytes and ranges are found in the cases themselves.

A probe has a title, the laws that do not hold, and what else its cases say, in order of weight, a few lines in all.
"""

from .full import summarise

__all__ = ["summarise"]
