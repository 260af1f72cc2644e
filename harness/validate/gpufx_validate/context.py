"""gpufx as this package sees it: a program that lists its probes, tells what the machine is, and runs cases."""

import json
import subprocess
from argparse import Namespace
from dataclasses import dataclass
from functools import cached_property

from gpufx_plot.call.program import quietly, root

from . import UserError

__all__ = ["Context", "root"]


@dataclass
class Context:
    """What every check is given: the options of the command line and the program under test."""

    options: Namespace  # probes, device, quick, filter, out, archive
    path: str

    def ask(self, *arguments: str):
        """The answer of `gpufx ARGUMENTS`, among them --json. What gpufx refuses is refused here in its own words."""
        try:
            run = subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False, env=quietly())
        except OSError as error:
            raise UserError(f"{self.path} can't be started: {error.strerror}") from None
        if run.returncode:
            said = run.stderr.strip().splitlines() or [f"{self.path} ended with status {run.returncode}."]
            raise UserError(said[-1].removeprefix("gpufx: "), run.returncode if run.returncode in (2, 77) else 2)
        try:
            return json.loads(run.stdout)["answer"]
        except (ValueError, TypeError, KeyError) as error:
            raise UserError(f"gpufx {' '.join(arguments)} printed no JSON: {error}") from None

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
