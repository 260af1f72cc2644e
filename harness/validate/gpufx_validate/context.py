"""gpufx as this package sees it: a program that lists its probes, tells what the machine is, and runs cases."""

from argparse import Namespace
from dataclasses import dataclass
from functools import cached_property

from gpufx_plot import UserError
from gpufx_plot.call.program import RefusedError, ask, path_of_program, root

__all__ = ["Context", "root"]


@dataclass
class Context:
    """What every check is given: the options of the command line and the program under test."""

    options: Namespace  # probes, device, quick, filter

    @property
    def path(self) -> str:
        return path_of_program()

    def ask(self, *arguments: str):
        """The answer of `gpufx ARGUMENTS`, among them --json. What gpufx refuses is refused here in its own words."""
        try:
            return ask(*arguments)
        except RefusedError as error:
            refused = UserError(error.reason)
            refused.ends_with = 77 if error.status == 77 else 2
            raise refused from None

    @property
    def device_arguments(self) -> list[str]:
        return ["--device", self.options.device] if self.options.device else []

    @cached_property
    def info(self) -> dict:
        """`gpufx info`: program, host, opened (the device), no_cuda_device (why there is none)."""
        return self.ask("info", "--json", *self.device_arguments)

    @cached_property
    def probes(self) -> list[dict]:
        """The declarations of the selected probes, without cases."""
        return self.ask("list", *self.options.probes, "--json")

    @property
    def selection(self) -> list[str]:
        """The options that narrow a run, and the listing of its cases, alike."""
        words = ["--quick"] if self.options.quick else []
        return [*words, *(["--filter", self.options.filter] if self.options.filter else [])]

    def no_device(self) -> str | None:
        """Why nothing can be measured here, or None."""
        if self.options.device and self.options.device.startswith("synthetic:"):
            return "a synthetic device is no witness: its samples are made from the laws."
        if self.info["no_cuda_device"]:
            return f"there is no CUDA device ({self.info['no_cuda_device']})."
        if self.info["not_opened"]:
            return f"the CUDA device can't be used now: {self.info['not_opened']}"
        return None
