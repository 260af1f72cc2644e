"""Reads gpufx archives and compares, summarises and draws them. An archive file is all it needs."""

__version__ = "0.1.0"


class UserError(Exception):
    """Wrong use or bad input: one clear sentence for the reader, and the exit status."""

    ends_with = 2
