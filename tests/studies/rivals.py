"""How others judge the same fleet: fixed thresholds, and the median absolute deviation alone.

Thresholds: the median of a first batch of cards is the base line, and a card that is worse by 5 % fails, as in the
examples of SuperBench's rules for data diagnosis (`variance`, 0.05; microsoft.github.io/superbenchmark, "Data
Diagnosis"); vetnode has one number a test, typed in. The other rule calls a modified z of more than 3.5 an outlier
(Iglewicz and Hoaglin 1993, "How to Detect and Handle Outliers").
"""

import numpy as np
from gpufx_plot.cards.card_table import Cards
from gpufx_plot.cards.judge import worse
from gpufx_plot.statistics.rules import MAD
from gpufx_plot.statistics.spread import middle

BATCH = 32
THRESHOLD = 0.05
MODIFIED_Z = 3.5


def thresholds(cards: Cards, least: float = THRESHOLD) -> np.ndarray:
    away = cards.logs - middle(cards.logs[:BATCH].T)
    return np.nan_to_num(worse(cards.better, away)) > -np.log1p(-least)


def deviations(cards: Cards, most: float = MODIFIED_Z) -> np.ndarray:
    away = cards.logs - middle(cards.logs.T)
    scale = MAD * middle(np.abs(away).T)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(worse(cards.better, away) / scale) > most
