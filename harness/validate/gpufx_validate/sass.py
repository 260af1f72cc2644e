"""The machine code of this build: cuobjdump reads the program itself, so that what is checked is what runs.
Architectures that the build does not have are left to the project's own tests, which compile for all of them."""

from . import check_sass, disassembly
from .context import Context
from .results import Report, Row, waived

TITLE = "the timed loops hold what the probes declare (machine code, by cuobjdump)"


def units_of(kernels: list, probes: list[dict]) -> dict[str, list]:
    """The kernels of each probe. A program is many source files, and kernels of two may have one name: a file belongs
    to the probe that declares the most of its kernels. Two probes may share their kernels, each with a copy in its own
    file: of probes that declare as many, one takes the file that has none yet of this architecture, and files that can
    be one probe's alone go first. Kernels of the harness belong to none."""
    units: dict[int, list] = {}
    for kernel in kernels:
        units.setdefault(kernel.unit, []).append(kernel)
    choices = []
    for unit in units.values():
        names = {kernel.short_name for kernel in unit}
        declared = {probe["name"]: len(names & {d["kernel"] for d in probe["sass"]}) for probe in probes}
        most = max(declared.values(), default=0)
        choices.append(([name for name, count in declared.items() if most and count == most], unit))
    owned: dict[str, list] = {}
    for names, unit in sorted(choices, key=lambda choice: len(choice[0])):
        has = {name: any(k.architecture == unit[0].architecture for k in owned.get(name, [])) for name in names}
        if names:
            owned.setdefault(min(names, key=lambda name: has[name]), []).extend(unit)
    return owned


def rows_of(findings: list[check_sass.Finding]) -> list[Row]:
    rows: dict[tuple, Row] = {}
    for f in findings:
        row = rows.setdefault((f.probe, f.architecture), Row("sass", f"{f.probe}, sm_{f.architecture}"))
        setattr(row, f.verdict, getattr(row, f.verdict) + 1)
        if f.verdict == "waived":
            row.reason = f"{f.kernel}: {f.reason}"
    return list(rows.values())


def run(context: Context) -> Report:
    if not context.info["program"]["cuda_compiler"]:
        return waived("sass", "this gpufx was built without CUDA, so it holds no machine code: set GPUFX_CUDA=ON.")
    cuobjdump = check_sass.find_cuobjdump()
    if not cuobjdump:
        return waived("sass", "there is no cuobjdump on PATH, beside this Python or under /usr/local/cuda: it comes "
                      "with the CUDA toolkit, and ./gpufx installs it where it sets up CUDA.")  # fmt: skip
    # All probes, also those that were not asked for: only then is it known whose a kernel is.
    everything = context.ask("list", "--json")
    named = {probe["name"] for probe in context.probes}
    wanted = [probe for probe in everything if probe["name"] in named and probe["sass"]]
    if not wanted:
        return waived("sass", "none of the selected probes declares a timed loop.")
    try:
        owned = units_of(disassembly.kernels(cuobjdump, context.path), everything)
    except (RuntimeError, OSError) as error:
        return waived("sass", f"the machine code can't be read: {error}.")
    findings = []
    for probe in wanted:
        kernels = owned.get(probe["name"], [])
        if not kernels:
            reason = "none of its kernels is in the program"
            findings.append(check_sass.Finding(probe["name"], "all", 0, "failed", reason))
        findings += check_sass.check_kernels(kernels, probe)
    details = [str(f) for f in findings if f.verdict == "failed"]
    keys = ("probe", "kernel", "architecture", "verdict", "reason")
    data = {"kernels": [{key: getattr(f, key) for key in keys} for f in findings]}
    return Report(rows_of(findings), details, data)
