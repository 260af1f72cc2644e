"""The block that the text of a program gives to a kernel, and where it is not one of constants."""

import pytest

from gpufx_plot.pasted.launches import Program


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("k<<<4, 256>>>(a);", [256, 1, 1]),
        ("k<T><<<(n + 255) / 256, dim3(32, 8), 0, s>>>(a);", [32, 8, 1]),
        ("#define T 16\ndim3 b(T, T); k<<<f(1, 2), b>>>();", [16, 16, 1]),
        ("int b = 32; k<<<1, b>>>();", [32, 1, 1]),
        ("int b = 32; b *= 2; k<<<1, b>>>();", None),
        ("for (int b = 32; b < 99; b++) k<<<1, b>>>();", None),
        ("dim3 b(16, 16); b.x = 3; k<<<1, b>>>();", None),
        ("void f(int b) { dim3 b2(9, 9); } void g() { dim3 b{32, 8}, g(1); k<<<g, b>>>(); }", [32, 8, 1]),
        ("constexpr int X = 32, Y = X / 4; void g() { dim3 b = dim3(X, Y); k<<<1, b>>>(); }", [32, 8, 1]),
        ("void f(int b) { k<<<1, b>>>(); }", None),
        ("const int b = 32; void f() { if (x) { int b = g(); k<<<1, b>>>(); } }", None),
        ("void f() { dim3 b(8); { dim3 b(16); } k<<<1, b>>>(); }", [8, 1, 1]),
        ("namespace { const int T = 64; } enum { B = 2 * T }; void f() { k<<<1, B>>>(); }", [128, 1, 1]),
        ("template <int B> void f() { k<<<1, B>>>(); } void g() { f<96>(); }", [96, 1, 1]),
        ("other_k<<<1, 32>>>(); k<<<1, 2048>>>();", None),
    ],
)
def test_the_block_of_a_launch(text, block):
    assert [list(launch.block) or None for launch in Program(text).launches("k")] == [block]


def test_each_launch_is_one():
    text = "k<<<1, 32>>>(); k<<<1, n>>>(); k<<<2, 32>>>();"
    assert [launch.block for launch in Program(text).launches("k")] == [(32, 1, 1), ()]
    assert not Program("other_k<<<1, 32>>>();").launches("k")


def test_the_block_of_bounds():
    assert Program("__global__ void __launch_bounds__(96, 2) k(float *a) {}").bounds("k") == (96, 1, 1)
    text = "__global__ void __launch_bounds__(96) other_k(int i); __global__ void k(float *a) {}"
    assert Program(text).bounds("k") == ()


def test_a_given_value_is_one():
    assert Program("k<<<1, n>>>();", given={"n": [64]}).launches("k")[0].block == (64, 1, 1)


def test_instances_of_a_template():
    text = "template <class T> void f() { k<T, 2><<<1, 1>>>(); } void g() { k<int, 2><<<1, 1>>>(); h(k<P<a>, 4>); }"
    assert Program(text).instances("k") == [(), ("int", "2"), ("P<a>", "4")]
    assert Program("k<1><<<a<b>>>>(); k<<<1, 2>>>();").instances("k") == [("1",), ()]
    text += " template void f<float>();"
    assert Program(text).instances("k") == [("float", "2"), ("int", "2"), ("P<a>", "4")]
