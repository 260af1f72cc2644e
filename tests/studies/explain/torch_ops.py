"""Operations of PyTorch as people use them, for `gpufx explain` and for Nsight Compute beside it.

    python torch_ops.py [--size 1024] [--repeat 1] [OPERATION...]

Each operation runs --repeat times after its inputs were made. Needs PyTorch, and Triton for triton_rows.
"""

import argparse

import torch
import torch.nn.functional as F  # noqa: N812

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if triton:

    @triton.jit
    def rows_kernel(x, y, columns, stride, block: tl.constexpr):
        row = tl.program_id(0)
        at = tl.arange(0, block)
        values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
        values = tl.exp(values - tl.max(values, axis=0))
        tl.store(y + row * stride + at, values / tl.sum(values, axis=0), mask=at < columns)


def make(n: int) -> dict:
    square = torch.rand(n, n, device="cuda")
    half = square.half()
    index = torch.randint(0, n, (n,), device="cuda")
    spread = torch.randint(0, n, (n, n), device="cuda")
    table = torch.rand(8 * n, 128, device="cuda")
    words = torch.randint(0, 8 * n, (4 * n,), device="cuda")
    weight, bias = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    picture = torch.rand(4, 16, n // 8, n // 8, device="cuda")
    heads = [torch.rand(1, 8, n // 2, 64, device="cuda", dtype=torch.float16) for _ in range(3)]
    out = torch.empty_like(square)

    def rows():
        rows_kernel[(n,)](square, out, n, square.stride(0), triton.next_power_of_2(n))

    found = {
        "copy": lambda: out.copy_(square),
        "transpose": lambda: square.t().contiguous(),
        "softmax": lambda: F.softmax(square, dim=1),
        "softmax_columns": lambda: F.softmax(square, dim=0),
        "layer_norm": lambda: F.layer_norm(square, (n,), weight, bias),
        "index_select": lambda: square.index_select(0, index),
        "index_select_columns": lambda: square.index_select(1, index),
        "scatter_add": lambda: out.zero_().scatter_add_(1, spread, square),
        "embedding": lambda: F.embedding(words, table),
        "cat": lambda: torch.cat([square, square], dim=1),
        "im2col": lambda: F.unfold(picture, 3, padding=1),
        "attention": lambda: F.scaled_dot_product_attention(*heads),
        "sum_rows": lambda: square.sum(1),
        "sum_columns": lambda: square.sum(0),
        "cumsum": lambda: square.cumsum(1),
        "sort": lambda: square.sort(1),
        "gelu": lambda: F.gelu(square),
        "matmul_float": lambda: square @ square,
        "matmul_half": lambda: half @ half,
        "batch_norm": lambda: F.batch_norm(picture, None, None, training=True),
        "max_pool": lambda: F.max_pool2d(picture, 2),
    }
    return found | ({"triton_rows": rows} if triton else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("operations", nargs="*")
    call = parser.parse_args()
    torch.manual_seed(1)
    known = make(call.size)
    torch.cuda.synchronize()
    for name in call.operations or known:
        for _ in range(call.repeat):
            known[name]()
        torch.cuda.synchronize()
        print(name, flush=True)


if __name__ == "__main__":
    main()
