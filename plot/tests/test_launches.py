"""The block that a program gives to a kernel, through all that can stand between the two, and where it says none."""

from pathlib import Path

import pytest

pytest.importorskip("clang.cindex")
from gpufx_plot.pasted import front_end  # noqa: F401 (before what it imports)
from gpufx_plot.pasted.defines import with_kernels
from gpufx_plot.pasted.launches import Launch, Program

KERNEL, GO = "__global__ void k(float *a, int n) {}\n", "void go(float *a) {"


def program(text: str, given: dict | None = None) -> Program:
    return Program(text, (), tuple((given or {}).items()), Path())


def blocks(text: str, given: dict | None = None) -> list[list[int] | None]:
    return [list(launch.block) or None for launch in program(KERNEL + text, given).launches(1, "k")]


@pytest.mark.parametrize(
    ("text", "block"),
    [
        (f"{GO} k<<<4, 256>>>(a, 1); }}", [256, 1, 1]),
        (f"#define T 16\n{GO} dim3 b(T, T); k<<<n(1, 2), b>>>(a, 1); }}", [16, 16, 1]),
        (f"{GO} int b = 32; b *= 2; k<<<1, b>>>(a, 1); }}", [64, 1, 1]),
        (f"{GO} for (int b = 32; b < 99; b++) k<<<1, b>>>(a, 1); }}", None),
        (f"{GO} dim3 b(16, 16); b.x = 3; k<<<1, b>>>(a, 1); b.y = 2; }}", [3, 16, 1]),
        (f"{GO} dim3 b(16, 16); for (;;) {{ k<<<1, b>>>(a, 1); b.x = 3; }} }}", None),
        (f"{GO} int b = 8; switch (*a) {{ case 0: b++; b = 2; break; case 1: k<<<1, b>>>(a, 1); }} }}", None),
        (f"{GO} dim3 b(16, 16), &r = b; r.x = 3; k<<<1, b>>>(a, 1); }}", None),
        (f"void set(dim3 *b); {GO} dim3 b(16, 16); set(&b); k<<<1, b>>>(a, 1); }}", None),
        (f"void set(dim3 &b); {GO} dim3 b(16, 16); set(b); k<<<1, b>>>(a, 1); }}", None),
        (f"void get(const dim3 &b); {GO} dim3 b(16, 16); get(b); k<<<1, b>>>(a, 1); }}", [16, 16, 1]),
        (f"{GO} int b = 32; if (a) b = nobody_declares(this); k<<<1, b>>>(a, 1); }}", None),
        (f"{GO} int b = 32; std::cout << b; printf(\"%d\", b); k<<<1, b>>>(a, 1); }}", [32, 1, 1]),
        (f"{GO} int b = 32; auto f = [&] {{ k<<<1, b>>>(a, 1); }}; b = 64; f(); }}", None),
        (f"{GO} auto f = [&](dim3 b) {{ k<<<1, b>>>(a, 1); }}; f(dim3(32, 2)); }}", [32, 2, 1]),
        (f"constexpr int X = 32, Y = X / 4; {GO} dim3 b = dim3(X, Y); k<<<1, b>>>(a, 1); }}", [32, 8, 1]),
        (f"struct C {{ int n, b; }}; {GO} C c{{1, 48}}, d{{.b = 2}}; k<<<1, dim3(c.b, d.b)>>>(a, 1); }}", [48, 2, 1]),
        ("void f(float *a, int b) { k<<<1, b>>>(a, 1); }", None),
        (f"void f(float *a, dim3 b) {{ k<<<1, b>>>(a, 1); }} {GO} f(a, 96); }}", [96, 1, 1]),
        (f"int b = 8; {GO} k<<<1, b>>>(a, 1); }} void other() {{ b = 64; }}", None),
        (f"namespace {{ const int T = 64; }} enum {{ B = 2 * T }}; {GO} k<<<1, B>>>(a, 1); }}", [128, 1, 1]),
        (f"template <int B> void f(float *a) {{ k<<<1, B>>>(a, 1); }} {GO} f<96>(a); }}", [96, 1, 1]),
        (f"{GO} other_k<<<1, 32>>>(); k<<<1, 2048>>>(a, 1); }}", None),
        (f"#define RUN(k, g, b, ...) CHECK((k<<<g, b>>>(__VA_ARGS__)))\n{GO} RUN(k, 1, 96, a, 1); }}", [96, 1, 1]),
        (f"template <class K> void f(K k, int b) {{ k<<<1, b>>>(0, 1); }} {GO} f(k, 8); }}", [8, 1, 1]),
        (f"{GO} std::vector<float> v(3); for (auto x : v) if (v.size()) k<<<1, 96>>>(v.data(), 1); }}", [96, 1, 1]),
        (f"{GO} void *args[] = {{&a}}; cudaLaunchKernel((void *)k, dim3(2), dim3(48, 2), args, 0, 0); }}", [48, 2, 1]),
        (f"{GO} cudaLaunchConfig_t c = {{0}}; c.blockDim = 48; CHECK(cudaLaunchKernelEx(&c, k, a, 1)); }}", [48, 1, 1]),
        (f"{GO} auto f = a ? &k : nullptr; f<<<2, 48>>>(a, 1); }}", [48, 1, 1]),
        (f"{GO} k<<<1, 32>>>(a, no, way, to, read); }}", None),
    ],
)  # fmt: skip
def test_the_block_of_a_launch(text, block):
    assert blocks(text) == [block]


def test_how_far_a_pointer_is_moved():
    text = """struct S { float *p; S(float *q) : p(q + 1) {} void f() { k<<<1, 32>>>(p, 1); } }; struct T { float *p; };
    void on(float **p) { *p += 1; } float *get(float *b) { return b + 1; } void to(float *p) { k<<<1, 32>>>(p, 2); }
    void a0(float *a) { cudaMalloc(&a, 9); k<<<1, 32>>>(a, 3); k<<<1, 32>>>(&a[2], 4); to(a); to(a + 1); }
    void a1(float *a) { float *q = a + 1, *r; r = q + 2; r++; k<<<1, 32>>>(r, 5); if (a) a += 1; k<<<1, 32>>>(a, 6); }
    void a2(float *a) { k<<<1, 32>>>((float *)((char *)a + 4 * 8), 7); } void b2(float *p) { a2(p + 1); }
    void a3(float *a) { T s{a}, t; t.p = s.p + 1; k<<<1, 32>>>(t.p, 8); k<<<1, 32>>>(get(a), 9); }
    void a4(float *a) { float *l[] = {a, a + 1}; for (auto p : l) k<<<1, 32>>>(p, 10); on(&a); k<<<1, 32>>>(a, 11); }
    void a5(float *a) { float *b = a + 1; std::swap(a, b); k<<<1, 32>>>(b, 12); k<<<1, 32>>>(cast(&v[1]), 13); }
    void a6(float *a) { float *b = cast(v.data()); for (;;) std::swap(a, b); k<<<1, 32>>>(b, 14); }
    void a7(float *a) { a++; void *l[] = {&a, 0}; cudaLaunchKernel((void *)k, dim3(1), dim3(32), l); }"""
    moved = [of.moves[0][1] for of in sorted(program(KERNEL + text).launches(1, "k"), key=lambda of: of.values or ())]
    assert moved == [4, None, 0, 4, 0, 8, 16, None, 36, 4, 4, None, None, None, None, 0]


def test_each_launch_is_one():
    text = f"{GO} k<<<1, 32>>>(a, 1); k<<<1, n>>>(a, 1); k<<<1, 32>>>(a, 1); cudaLaunchKernel(k, 1, 8, 0); }}"
    assert blocks(text) == [[32, 1, 1], None, [8, 1, 1]]
    assert blocks(f"{GO} other_k<<<1, 32>>>(); }}") == []
    text = f"template <class T> void f(T *a, int b) {{ k<<<1, b>>>(a, 1); }} {GO} f(a, 32); f(a, 64); f(a, 32); }}"
    assert blocks(text) == [[32, 1, 1], [64, 1, 1]]
    assert blocks("void f(int n) { k<<<1, n>>>(0, 1); }", {"n": 64}) == [[64, 1, 1]]


def test_what_is_not_read_is_told():
    text = (
        f"{KERNEL}struct S {{ void (*f)(float *, int); }} make(); {GO} S s = make(); reg(k); s.f<<<1, 64>>>(a, 1); }}"
    )
    assert program(text).strangers("k") == [2]
    assert program(text.replace("reg(k)", "k<<<1, 8>>>(a, 1)")).strangers("k") == []
    wrapper = f"{KERNEL}template <class F> void run(F f, dim3 b) {{ f<<<1, b>>>(); }} {GO} reg(k); }}\n"
    assert program(wrapper).strangers("k") == [] and program(f"{wrapper}auto p = run<F>;").strangers("k") == [2]


def test_the_block_of_bounds():
    assert program("__global__ void __launch_bounds__(96, 2) k(float *a) {}").bounds(1, "k") == (96, 1, 1)
    text = "__global__ void __launch_bounds__(96) other_k(int i); __global__ void k(float *a) {}"
    assert program(text).bounds(1, "k") == ()


def test_instances_of_a_template():
    text = "template <class T, int N> __global__ void k(T *) {} "
    text += "template <class T> void f(T *a) { k<T, 2><<<3, 8>>>(a); }"
    text += f"\n{GO} int *i; f(i); }} template void f<float>(float *);"
    assert program(text).instances("k") == [("int", "2"), ("float", "2")]
    assert program(text).launches(1, "k")[0] == Launch(("int", "2"), (8, 1, 1), (3, 1, 1), (), (((0,), 0),), (1,))


def test_headers_with_kernels_are_a_part_of_the_text(tmp_path):
    for name, text in (("a.cuh", KERNEL), ("b.h", '#pragma once\n#include "a.cuh"\n'), ("c.h", "int i;\n")):
        (tmp_path / name).write_text(text)
    text, origins, _ = with_kernels('#include "b.h"\n#include "c.h"\nint j;', main := str(tmp_path / "m.cu"))
    lines = dict(zip(text.split("\n"), origins, strict=True))
    assert lines[KERNEL.strip()] == (str(tmp_path / "a.cuh"), 1)
    assert lines["int j;"] == (main, 3) and '#include "c.h"' in lines
