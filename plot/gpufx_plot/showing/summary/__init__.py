"""One screen about an archive: what was measured on what, what the laws gave, and how it compares.

Nothing here knows a probe: fits, best rates, staircases over bytes and ranges are found in the cases themselves.

A probe has a title, the laws that do not hold, and sections in order of weight. The same section can be said at three
levels: ROOMY, with all that differs in a line of its own; MERGED, what is alike in one line; PACKED, several of these
in a line. The longest blocks are squeezed until all fit into the screen; only when that is not enough are lines left
out, where there are most and from the least weighty end, and the title says how many.
"""

from .full import laws_of, summarise

__all__ = ["laws_of", "summarise"]
