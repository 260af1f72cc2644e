"""The quantities of an archive from which `explain` computes the time of a kernel: those with a `price`
(definitions.py), with what else it takes to make times of them."""

from dataclasses import dataclass
from statistics import median

from .. import UserError
from ..archive.load import Archive
from .quantities import infer
from .quantity import Quantity


@dataclass
class Chip:
    """prices: by name."""

    archive: Archive
    sms: int
    ghz: float
    prices: dict[str, Quantity]

    def ns(self, quantity: Quantity) -> float | None:
        """Of one of what it is the price of; None: it has a unit that nothing is known of."""
        value = quantity.estimate.value
        match quantity.unit:
            case "GB/s":
                return 1 / value
            case "B/cycle per SM":
                return 1 / (value * self.sms * self.ghz)
            case "per SM cycle":
                return 1 / (value * self.ghz)
            case "cycles":
                return value / self.ghz
            case "ns":
                return value
        return None


def chip_of(archive: Archive) -> Chip:
    """Raises UserError where the archive has nothing to compute times from."""
    known = [q for q in infer(archive) if q.definition.price and q.estimate and not q.estimate.bracket]
    prices = {q.definition.price: q for q in known if q.estimate.value and q.estimate.value > 0}
    sms = archive.run["device"].get("sm_count")
    clocks = [mhz for mhz in archive.clocks.sm_mhz if mhz > 0]
    if not prices:
        raise UserError(
            f"run {archive.run['id']} has no quantity from which a kernel's time is computed; "
            "name an archive of a full run with --archive"
        )
    if not sms or not clocks:
        raise UserError(
            f"run {archive.run['id']} does not record the number of SMs or the SM clock; "
            "name another archive with --archive"
        )
    return Chip(archive, int(sms), median(clocks) / 1000, prices)
