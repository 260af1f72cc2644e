"""Student's distribution, by scipy.special.

It and numpy are loaded with the first number, since that takes longer than a verb that only looks something up.
tests/vectors/student.json holds these quantiles and the program's (core/fit.c, a finite sum) together."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def above(t: "np.ndarray", freedom: "np.ndarray") -> "np.ndarray":
    """The share of Student's distribution above t."""
    from scipy.special import stdtr

    return stdtr(freedom, -t)


def quantile(freedom: "np.ndarray", p: float) -> "np.ndarray":
    """The t below which the share p lies."""
    from scipy.special import stdtrit

    return stdtrit(freedom, p)


def student_quantile(freedom: float, p: float) -> float:
    """The same of one number."""
    return float(quantile(freedom, p))
