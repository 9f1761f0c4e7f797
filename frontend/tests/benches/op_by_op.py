"""The operations of op_by_op.rs in PyTorch: microseconds per operation, in the same unit and with the same counts.
usage: python3 op_by_op.py [NUMBER OF ELEMENTS ..]"""
import statistics
import sys
import time

import torch

OPERATIONS, REPETITIONS, ROUNDS = 10, 100, 15


def gelu_of_sum(x, w, b):
    v = torch.add(torch.mul(x, w), b)
    cubic = torch.mul(torch.mul(torch.mul(v, v), v), 0.044715)
    t = torch.add(torch.tanh(torch.mul(torch.add(v, cubic), 0.7978846)), 1.0)
    return torch.mul(v, t)


def medians(repetition):
    for _ in range(REPETITIONS):
        repetition()
    torch.cuda.synchronize()
    submitted, complete = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(REPETITIONS):
            repetition()
        submitted.append(time.perf_counter() - start)
        torch.cuda.synchronize()
        complete.append(time.perf_counter() - start)
    return [statistics.median(times) / (REPETITIONS * OPERATIONS) * 1e6 for times in (submitted, complete)]


def row(name, n, times):
    print(f"{name:44} {n:>9} elements {times[0]:8.3f} us submitted {times[1]:8.3f} us complete", flush=True)


print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
for n in [int(argument) for argument in sys.argv[1:]] or [256, 65536, 1 << 22]:
    index = torch.arange(n)
    x, w, b = [((index * step) % 13 * by - 0.6).to("cuda", torch.float32) for step, by in ((7, 0.1), (11, 0.2), (5, -0.3))]
    with torch.no_grad():
        row("torch, eager", n, medians(lambda: gelu_of_sum(x, w, b)))
        expected = torch.nn.functional.gelu((x * w + b).double(), approximate="tanh")
        doubled = gelu_of_sum(x, w, b).double() / 2
        assert torch.allclose(doubled, expected, rtol=1e-4, atol=1e-5), "other values than GELU"
