"""Where NVIDIA's files are: in what it ships as Python packages, on PATH, where CUDA's variables say, and where CUDA is
usually installed."""

import os
import sysconfig
from functools import cache
from pathlib import Path

INSIDE = ("bin", "compute-sanitizer", "extras/Sanitizer")  # of a toolkit's folder


@cache
def find(name: str) -> Path | None:
    path = [Path(place) for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place]
    tops = [place.resolve().parent for place in path if (place / "nvcc").is_file()]
    tops += [Path(os.environ[variable]) for variable in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(variable)]
    tops += [Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*"), reverse=True)]
    wheels = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*"), reverse=True)
    places = [*(wheel / part for wheel in wheels for part in ("lib", "bin")), *path]
    places += [top / part for top in tops for part in INSIDE]
    return next((place / name for place in places if (place / name).is_file()), None)
