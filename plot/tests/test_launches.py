"""The block that the text of a program gives to a kernel, and where it is not one of constants."""

import pytest

from gpufx_plot.pasted.launches import instances, launched_block


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
        ("k<<<1, 32>>>(); k<<<1, 64>>>();", None),
        ("k<<<1, 32>>>(); k<<<1, n>>>();", None),
        ("other_k<<<1, 32>>>(); k<<<1, 2048>>>();", None),
        ("other_k<<<1, 32>>>();", None),
        ("__global__ void __launch_bounds__(96, 2) k(float *a) {}", [96, 1, 1]),
        ("__global__ void __launch_bounds__(96) other_k(int i); __global__ void k(float *a) {}", None),
    ],
)
def test_the_block_of_all_launches(text, block):
    assert launched_block("k", text, {})[0] == block


def test_a_given_value_is_one():
    assert launched_block("k", "k<<<1, n>>>();", {"n": [64]})[0] == [64, 1, 1]


def test_instances_of_a_template():
    text = "template <class T> void f() { k<T, 2><<<1, 1>>>(); } void g() { k<int, 2><<<1, 1>>>(); h(k<P<a>, 4>); }"
    assert instances("k", text) == [(), ("int", "2"), ("P<a>", "4")]
    assert instances("k", "k<1><<<a<b>>>>(); k<<<1, 2>>>();") == [("1",), ()]
