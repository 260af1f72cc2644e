"""How many processes may work side by side here."""

import os
from functools import cache


@cache
def can_share() -> bool:
    """Processes that share work need a semaphore, and a container or chroot may have no /dev/shm for it."""
    try:
        from multiprocessing import Lock

        Lock()
    except (ImportError, OSError):
        return False
    return True


def at_most(wanted: int) -> int:
    """This many, but no more than there are processors, and this one alone where processes can't share work."""
    return min(wanted, len(os.sched_getaffinity(0))) if can_share() else 1
