"""Atomics that nvcc reduces over the warp, so that one lane does them: what `pattern --code` says, and what nvcc makes
of the same lines where it is installed."""

import shutil
import subprocess

import pytest
from gpufx_plot.explain.recording import nvidia_file
from gpufx_plot.pasted.__main__ import answer

from gpufx_validate.disassembly import kernels, machine_code

QUESTION = {"what": "--code", "file": "", "block": [64, 1, 1], "block_given": True, "words": [], "space": "shared"}
KERNEL = """__device__ void add{n}({t} *p, {t} v) {{ atomicAdd(p, v); }}
struct S{n} {{ {t} *p; __device__ void add({t} v) {{ atomicAdd(p, v); }} }};
extern "C" __global__ void k{n}({t} *g, const {t} *x, {t} *out, int n, {t} arg) {{
    __shared__ {t} s[64];
    s[threadIdx.x] = 0; __syncthreads(); {t} v = x[threadIdx.x];
    {line}
    __syncthreads(); out[threadIdx.x] = s[threadIdx.x] + v; }}"""
USED = "out[threadIdx.x + 64] = "
LONG = "unsigned long long"
LINES = (  # lanes that do it, the type, the line
    *((1, "int", f"atomic{name}(g, v);") for name in ("Add", "Sub", "Min", "Max", "And", "Or", "Xor", "Add_block")),
    *((32, "int", f"{USED}atomic{name}(g, v);") for name in ("Min", "Max", "And", "Or", "Xor", "Exch")),
    *((1, "int", f"{used}atomicAdd(g, {value});") for used in ("", USED) for value in ("1", "v", "arg")),
    *((1, "int", f"atomic{name}(&s[n], {v});") for name in ("Add", "Max") for v in ("v", "2")),
    *((1, "int", f"atomicAdd(&g[{at}], v);") for at in ("blockIdx.x", "n", "n > 3 ? 1 : 2")),
    *((32, "int", f"atomicAdd(&g[{at}], v);") for at in ("threadIdx.x / 32",)),
    *((1, LONG, f"{used}atomicAdd(g, {value});") for used in ("", USED) for value in ("1ull", "arg")),
    *((32, LONG, f"atomic{name}(g, {value});") for name, value in (("Add", "v"), ("Max", "7ull"), ("Or", "v"))),
    *((32, kind, f"atomicAdd(g, {value});") for kind in ("float", "double") for value in ("1", "v", "arg")),
    (1, "unsigned", "atomicInc(g, ~0u);"),
    (32, "unsigned", "atomicInc(g, 100u);"),
    (1, "int", "int at = n * 4; for (int i = 0; i < 3; i++) atomicAdd(&g[at + i], v);"),
    (32, "int", "int at = threadIdx.x / 32; atomicAdd(&g[at], v);"),
    (1, "int", "add{n}(g + n, v);"),
    (32, "int", "add{n}(g + threadIdx.x / 32, v);"),
    (32, "int", "S{n} s{n} = {g + threadIdx.x / 32}; s{n}.add(v);"),
    (1, "int", "__shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads(); " + USED + "atomicAdd(&c, 1);"),
    (32, "int", "int of[2]; of[n & 1] = threadIdx.x; atomicAdd(&g[of[n & 1]], v);"),
    (8, "int", "if (threadIdx.x < 8) " + USED + "atomicAdd(&s[0], v);"),
)


def text(number):
    _, kind, line = LINES[number]
    return KERNEL.format(n=number, t=kind, line=line.replace("{n}", str(number)))


@pytest.mark.parametrize("number", range(len(LINES)))
def test_the_lanes_of_an_atomic(number):
    lanes, *_ = LINES[number]
    words = ["n=4", "x[threadIdx.x]=3", "arg=3"]
    found = answer(QUESTION | {"code": text(number), "words": words, "every_warp": False})
    (one,) = [item for item in found if item.get("op") in ("atomic", "fetch")]
    assert {sum(offset >= 0 for offset in step["lanes"]) for step in one["steps"]} == {lanes}
    notes = [item["note"] for item in found if "nvcc reduces" in item.get("note", "")]
    assert len(notes) == (lanes == 1)


@pytest.mark.slow
def test_nvcc_makes_the_same_of_them(tmp_path):
    nvcc, cuobjdump = shutil.which("nvcc"), nvidia_file("cuobjdump")
    if not nvcc or not cuobjdump:
        pytest.skip("there is no nvcc, or no cuobjdump")
    source, cubin = tmp_path / "a.cu", tmp_path / "a.cubin"
    source.write_text("\n".join(map(text, range(len(LINES)))))
    subprocess.run([nvcc, "-arch=sm_90", "-cubin", "-o", cubin, source], check=True)
    (parts,) = machine_code(cuobjdump, cubin).values()
    for kernel in kernels(cuobjdump, "90", [parts])[0]:
        lanes, kind, line = LINES[int(kernel.name[1:])]
        joins = any(item.opcode.startswith(("VOTE", "REDUX")) for item in kernel.code)
        assert joins == (lanes < 32), f"{kind}: {line}"
