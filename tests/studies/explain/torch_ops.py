"""Operations of PyTorch as people use them, for `gpufx explain` and for Nsight Compute beside it.

    python torch_ops.py [--size 1024] [--repeat 1] [--time] [OPERATION...]

Each operation runs --repeat times after its inputs were made. --time prints the median of 20 times by CUDA events, in
microseconds. Needs PyTorch, and Triton for triton_rows.
"""

import argparse
import json
import statistics

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
    """What is called and what it moves at least, in bytes."""
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
    whole = square.numel() * 4

    def rows():
        rows_kernel[(n,)](square, out, n, square.stride(0), triton.next_power_of_2(n))

    found = {
        "copy": (lambda: out.copy_(square), 2 * whole),
        "transpose": (lambda: square.t().contiguous(), 2 * whole),
        "softmax": (lambda: F.softmax(square, dim=1), 2 * whole),
        "softmax_columns": (lambda: F.softmax(square, dim=0), 2 * whole),
        "layer_norm": (lambda: F.layer_norm(square, (n,), weight, bias), 2 * whole),
        "index_select": (lambda: square.index_select(0, index), 2 * whole),
        "index_select_columns": (lambda: square.index_select(1, index), 2 * whole),
        "scatter_add": (
            lambda: out.zero_().scatter_add_(1, spread, square),
            2 * whole + 8 * square.numel(),
        ),
        "embedding": (lambda: F.embedding(words, table), 2 * words.numel() * 512),
        "cat": (lambda: torch.cat([square, square], dim=1), 4 * whole),
        "im2col": (lambda: F.unfold(picture, 3, padding=1), 10 * picture.numel() * 4),
        "attention": (
            lambda: F.scaled_dot_product_attention(*heads),
            4 * heads[0].numel() * 2,
        ),
        "sum_rows": (lambda: square.sum(1), whole),
        "sum_columns": (lambda: square.sum(0), whole),
        "cumsum": (lambda: square.cumsum(1), 2 * whole),
        "sort": (lambda: square.sort(1), 2 * whole),
        "gelu": (lambda: F.gelu(square), 2 * whole),
        "matmul_float": (lambda: square @ square, 3 * whole),
        "matmul_half": (lambda: half @ half, 3 * whole // 2),
        "batch_norm": (
            lambda: F.batch_norm(picture, None, None, training=True),
            3 * picture.numel() * 4,
        ),
        "max_pool": (lambda: F.max_pool2d(picture, 2), picture.numel() * 5),
    }
    if triton:
        found["triton_rows"] = (rows, 2 * whole)
    return found


def time_us(call, times: int = 20) -> float:
    taken = []
    for _ in range(times + 3):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        stop.synchronize()
        taken.append(1e3 * start.elapsed_time(stop))
    return statistics.median(taken[3:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("operations", nargs="*")
    call = parser.parse_args()
    torch.manual_seed(1)
    known = make(call.size)
    torch.cuda.synchronize()
    for name in call.operations or known:
        work, least = known[name]
        if call.time:
            print(
                json.dumps({"operation": name, "us": round(time_us(work), 2), "bytes": least}),
                flush=True,
            )
            continue
        for _ in range(call.repeat):
            work()
        torch.cuda.synchronize()
        print(name, flush=True)


if __name__ == "__main__":
    main()
