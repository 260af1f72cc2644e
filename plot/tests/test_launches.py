"""The block that the text of a program gives to a kernel, and where it is not one of constants."""

import pytest

from gpufx_plot.pasted.launches import launched_block


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
    ],
)
def test_the_block_of_all_launches(text, block):
    assert launched_block("k", text, {}) == block


def test_a_given_value_is_one():
    assert launched_block("k", "k<<<1, n>>>();", {"n": [64]}) == [64, 1, 1]
