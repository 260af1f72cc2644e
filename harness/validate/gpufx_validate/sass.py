"""The machine code of each probe, by cuobjdump: what the program itself holds, so that what is checked is what runs.
Where the program was built without CUDA, nvcc compiles the probes that are named, each by itself. No GPU is needed.
Architectures that the build does not have are left to the project's own tests, which compile for all of them."""

import subprocess
import tempfile
from pathlib import Path

from gpufx_plot.call.program import path_of_program, root
from gpufx_plot.call.text import fields_of
from gpufx_plot.explain.recording import nvidia_file

from . import check_sass
from .results import Context, Report, Row, tallied, waived

_NVCC = ["-fatbin", "-O2", "-std=c++20", "-gencode=arch=compute_90a,code=sm_90a", "-DFX_WITH_CUDA", "-D_GNU_SOURCE"]
_HELP = "it comes with the CUDA toolkit, and ./gpufx installs it where it sets up CUDA."


def cut(program: str, fatbin: dict, to: Path) -> None:
    """Copies the machine code of one source file out of the program."""
    with Path(program).open("rb") as file:
        file.seek(fatbin["offset"])
        to.write_bytes(file.read(fatbin["bytes"]))


def compile_alone(nvcc: str, probe: str, to: Path) -> str | None:
    """Compiles the device half of a probe. Returns what is wrong, or None."""
    sources = sorted(Path(root()).glob(f"micro/**/{probe}/probe.cu"))
    if not sources:
        return f"there is no micro/GROUP/{probe}/probe.cu"
    words = [nvcc, *_NVCC, f"-I{root()}/harness", "-x=cu", str(sources[0]), "-o", str(to)]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    return f"nvcc can't compile it:\n{run.stderr.strip()}" if run.returncode else None


def rows_of(findings: list[check_sass.Finding]) -> list[Row]:
    waived_for = (f"{f.kernel}: {f.reason}" if f.verdict == "waived" else None for f in findings)
    told = ((f"{f.probe}, sm_{f.architecture}", f.verdict) for f in findings)
    return tallied("sass", ((*one, why) for one, why in zip(told, waived_for, strict=True)))


def run(context: Context) -> Report:
    alone = not context.info["program"]["cuda_compiler"]
    if alone and not context.options.probes:
        return waived("sass", "this gpufx was built without CUDA, so it holds no machine code: name a probe, and nvcc "
                      "compiles that one.")  # fmt: skip
    wanted = [probe for probe in context.probes if probe["sass"]]
    if not wanted:
        return waived("sass", "none of the selected probes declares a timed loop.")
    tools = {name: nvidia_file(name) for name in ("cuobjdump", "nvcc")[: 1 + alone]}
    for name in (name for name, path in tools.items() if not path):
        return waived("sass", f"there is no {name} on PATH, beside this Python or under /usr/local/cuda: {_HELP}")
    findings, paths, probes = [], [], []
    with tempfile.TemporaryDirectory(prefix="gpufx-validate-") as folder:
        for probe in wanted:
            path, problem = Path(folder) / f"{probe['name']}.fatbin", None
            if alone:
                problem = compile_alone(tools["nvcc"], probe["name"], path)
            elif probe["fatbin"]:
                cut(path_of_program(), probe["fatbin"], path)
            else:
                problem = "none of its kernels is in the program"
            if problem:
                findings.append(check_sass.Finding(probe["name"], "all", 0, "failed", problem))
            else:
                paths.append(path)
                probes.append(probe)
        try:
            findings += [f for of_one in check_sass.check_objects(tools["cuobjdump"], paths, probes) for f in of_one]
        except (OSError, RuntimeError) as error:
            return waived("sass", f"the machine code can't be read: {error}.")
    details = [str(f) for f in findings if f.verdict == "failed"]
    data = [fields_of(f, "probe kernel architecture verdict reason") for f in findings]
    return Report(rows_of(findings), details, {"kernels": data})
