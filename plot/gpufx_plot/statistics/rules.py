"""Words and figures of the rules of `compare` that more than one module needs. No numpy here, so that what only speaks
of a comparison need not load what makes one."""

CONFIDENCE = 0.95  # of intervals
HALF_WIDTHS = 1.959964  # standard errors in half of one
QUANTITY_HALF_WIDTHS = 2.575829  # the same in the interval of a quantity, which is of 99 %
MAD = 1.4826  # standard deviations in a median absolute deviation
MEDIAN_ERROR = 1.2533  # standard errors of a mean in that of a median
FALSE_DISCOVERIES = 0.01  # of what is called FASTER or SLOWER, on average; of comparisons of equals that call anything
OF_COMMON, OF_KINDS, OF_CASES = 0.1, 0.5, 0.4  # of these: for what all times share, for kinds, for cases
# How far processes differ where nothing is known, not even from other archives: three times what their own samples say,
# 0.3 % at the least.
UNKNOWN_FACTOR, UNKNOWN_SPREAD = 3.0, 0.003
# By so much the ratios of cases of one process lay apart at most between two runs of one card, of two cards with such
# pairs of runs: of what the host timed, or copied under a flag, and of what else has one, such as a limited clock.
ONCE_OF_HOST, ONCE_FLAGGED = 1.6, 1.1

ENOUGH = 10  # processes of both sides together, of most cases: with fewer, further archives tell about spreads, too
LEAST_OF_KIND = 3  # cases whose middle says more than they do

NO_EFFECT = 0.01  # a claim has the right direction where the effect is surely more than this

ALONE, WITH_KIND, WITH_ALL = 1, 2, 3  # how a case was found to be beyond the margin
UNITS = {"process": "processes", "board": "cards of the model"}


def near(half, change, limit, lesser=min, larger=max):
    """How far from a change that others share a case may lie and still be with them: the margin, or half of its own
    interval up to a quarter of the change. All are logarithms; lesser, larger: numpy's for arrays."""
    return larger(limit, lesser(half, abs(change) / 4))
