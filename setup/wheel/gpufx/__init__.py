"""The wheel of gpufx: the program and what it reads lie in tree/, as `cmake --install` lays them out."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, which starts its Python half by the interpreter that this runs in."""
    program = Path(__file__).parent / "tree" / "bin" / "gpufx"
    os.environ.setdefault("GPUFX_PYTHON", sys.executable)
    os.execv(program, ["gpufx", *sys.argv[1:]])
