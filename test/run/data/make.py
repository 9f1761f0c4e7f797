#!/usr/bin/env python3
"""Writes the .npy files with inputs and expected results of the kernels of test/run.

    pip install numpy && python3 test/run/data/make.py

Python's integers and numpy compute the expected results, without Cube. Files are named TEST.BUFFER.npy.
"""
import math
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
RANDOM = np.random.default_rng(2026)


def save(name, array):
    np.save(HERE / f"{name}.npy", np.ascontiguousarray(array))


def floats(count, low=-100.0, high=100.0, dtype=np.float32):
    return RANDOM.uniform(low, high, count).astype(dtype)


# ---- plain kernels -------------------------------------------------------------------------------------------------------

def scale():
    x = floats(1000)
    x[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40]
    save("scale.x", x)
    save("scale.y", x * np.float32(1.5))


def saxpy():
    x, y = floats(777), floats(777)
    save("saxpy.x", x)
    save("saxpy.y", y)
    # The product and the sum are rounded separately, because they are not fused.
    save("saxpy.r", np.float32(-2.25) * x + y)


def row_sum():
    matrix = floats((37, 53))
    save("row_sum.matrix", matrix)
    total = np.zeros(37, np.float32)
    for column in matrix.T:
        total = total + column
    save("row_sum.sums", total)
    save("zeros37", np.zeros(37, np.float32))


# ---- total integer operations ----------------------------------------------------------------------------------------------

def unsigned(value, bits):
    return value & ((1 << bits) - 1)


def signed(value, bits):
    value = unsigned(value, bits)
    return value - (1 << bits) if value >> (bits - 1) else value


def truncated(a, b):
    """Division that rounds towards zero, in contrast to Python's division."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def total_ops(a, b, bits):
    ua, ub, sa, sb = unsigned(a, bits), unsigned(b, bits), signed(a, bits), signed(b, bits)
    quotient = sa if sb == 0 else truncated(sa, sb)
    return [
        ua if ub == 0 else ua // ub,
        quotient,  # MIN / -1 wraps to MIN when it is stored
        0 if ub == 0 else ua % ub,
        0 if sb == 0 else sa - sb * truncated(sa, sb),
        ua << (ub % bits),
        ua >> (ub % bits),
        sa >> (ub % bits),
    ]


def integers():
    for bits, dtype in [(8, np.uint8), (16, np.uint16), (32, np.uint32), (64, np.uint64)]:
        top = 1 << bits
        edges = [0, 1, 2, 3, 7, bits - 1, bits, bits + 1, top // 2 - 1, top // 2, top // 2 + 1, top - 1, top - 2, top - 3]
        edges += [int(n) for n in RANDOM.integers(0, top, 4, dtype=np.uint64 if bits == 64 else np.int64)]
        pairs = [(a, b) for a in edges for b in edges]
        pairs += [(0, 0)] * (-len(pairs) % 4)
        save(f"integers.a{bits}", np.array([a for a, _ in pairs], dtype))
        save(f"integers.b{bits}", np.array([b for _, b in pairs], dtype))
        rows = [[unsigned(r, bits) for r in total_ops(a, b, bits)] for a, b in pairs]
        # Applies one operation after the other.
        save(f"integers.r{bits}", np.array(rows, dtype).T)
    a = [int(n) for n in np.load(HERE / "integers.a32.npy")][:64]
    divisors = [0, 1, 3, -1, -(1 << 31), 8, 33]
    rows = [[unsigned(r, 32) for d in divisors for r in total_ops(x, d, 32)] for x in a]
    save("constants.a", np.array(a, np.uint32))
    save("constants.r", np.array(rows, np.uint32))


# ---- bounds ----------------------------------------------------------------------------------------------------------------

def bounds():
    x = np.arange(1, 11, dtype=np.float32)
    # Unit i reads x[i - 3], stores at y[i + 2]; 16 units, y has 12 elements of -1.
    y = np.full(12, -1, np.float32)
    save("bounds.x", x)
    save("bounds.y", y)
    r = y.copy()
    for i in range(16):
        read = x[i - 3] if 0 <= i - 3 < 10 else 0
        if i + 2 < 12:
            r[i + 2] = read
    save("bounds.r", r)
    save("bounds.far", np.array([0, 1, 0, 0], np.float32))
    # Lines of four elements. The input has 3 lines, so a read of the fourth line is zero. The output has 2 lines.
    lines = np.arange(12, dtype=np.int32)
    save("bounds.x4", lines)
    reversed_lines = np.zeros(8, np.int32)
    for i in range(2):
        j = 3 - i
        reversed_lines[4 * i : 4 * i + 4] = lines[4 * j : 4 * j + 4] if j < 3 else 0
    save("bounds.r4", reversed_lines)


# ---- lines -----------------------------------------------------------------------------------------------------------------

def lines():
    x, y = floats(4 * 33), floats(4 * 33)
    save("lines.x", x)
    save("lines.y", y)
    save("lines.r", x * y + np.repeat(x.reshape(-1, 4)[:, 2], 4))
    d = floats(2 * 9, dtype=np.float64)
    save("lines.d", d)
    save("lines.dr", d.reshape(-1, 2)[:, ::-1].reshape(-1))
    b = RANDOM.integers(0, 256, 16 * 5, dtype=np.uint8)
    save("lines.b", b)
    save("lines.br", b + np.uint8(200))
    flags = RANDOM.integers(0, 2, 8 * 3).astype(bool)
    save("lines.f", flags)
    save("lines.fr", ~flags)


# ---- types -----------------------------------------------------------------------------------------------------------------

def bf16_bits(x):
    """Rounds f32 numbers to bf16 (to nearest even), as the upper half of their bits."""
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return rounded.astype(np.uint16)


def bf16_value(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def types():
    n = 100
    x = floats(n)
    flags = RANDOM.integers(0, 2, n).astype(bool)
    save("types.x", x)
    save("types.flags", flags)
    save("types.less", (x < np.float32(3.5)) ^ flags)
    i8 = RANDOM.integers(-128, 128, n).astype(np.int8)
    u8 = i8.view(np.uint8)
    save("types.i8", i8)
    save("types.u8", u8)
    save("types.i8_f32", i8.astype(np.float32))
    save("types.u8_f32", u8.astype(np.float32))
    save("types.i8_neg", (0 - i8.astype(np.int16)).astype(np.int8))
    i64 = RANDOM.integers(-(1 << 62), 1 << 62, n, dtype=np.int64)
    i64[:2] = [(1 << 63) - 1, -(1 << 63)]
    save("types.i64", i64)
    save("types.i64_r", np.array([signed(3 * int(v) + 1, 64) for v in i64], np.int64))
    f64 = floats(n, dtype=np.float64)
    save("types.f64", f64)
    save("types.f64_f32", f64.astype(np.float32))
    save("types.f64_sq", f64 * f64 - 1.0)
    f16 = floats(n, dtype=np.float16)
    f16[:5] = [65504, 6e-8, np.inf, np.nan, -0.0]
    save("types.f16", f16)
    # Each operation rounds its result to f16.
    with np.errstate(over="ignore", invalid="ignore"):
        save("types.f16_r", f16 * f16 + np.float16(0.1))
    save("types.f32_f16", x.astype(np.float16))
    bits = bf16_bits(floats(n))
    save("types.bf16", bits.view("V2"))
    value = bf16_value(bits)
    product = bf16_bits(value * value)
    save("types.bf16_r", bf16_bits(bf16_value(product) + bf16_value(bf16_bits(np.float32([0.1])))).view("V2"))


def scalars():
    bf16 = bf16_value(bf16_bits(np.float32([-1e30])))[0]
    whole = [1, -3, 253, -300, 65000, -5, 2**32 - 1, -6, float(2**64 - 1)]
    save("types.scalars", np.array(whole + [np.float16(0.1), bf16, np.float32(0.1), 0.1], np.float64))


# ---- topology --------------------------------------------------------------------------------------------------------------

def topology(name, dim, count):
    rows = {}
    for cz in range(count[2]):
        for cy in range(count[1]):
            for cx in range(count[0]):
                for uz in range(dim[2]):
                    for uy in range(dim[1]):
                        for ux in range(dim[0]):
                            cube, unit = (cx, cy, cz), (ux, uy, uz)
                            at = tuple(c * d + u for c, d, u in zip(cube, dim, unit))
                            size = tuple(c * d for c, d in zip(count, dim))

                            def linear(p, s):
                                return p[0] + s[0] * (p[1] + s[1] * p[2])

                            rows[linear(at, size)] = [
                                linear(at, size), *at, linear(unit, dim), *unit, linear(cube, count), *cube,
                                math.prod(dim), *dim, math.prod(count), *count,
                            ]
    save(f"topology.{name}", np.array([rows[i] for i in sorted(rows)], np.uint32))


# ---- control flow ------------------------------------------------------------------------------------------------------------

def control():
    n = RANDOM.integers(1, 5000, 200).astype(np.uint32)

    def steps(v):
        count = 0
        while v != 1:
            v = v // 2 if v % 2 == 0 else 3 * v + 1
            count += 1
        return count

    save("control.n", n)
    save("control.r", np.array([steps(int(v)) for v in n], np.uint32))


def comptime():
    x = floats(96)
    save("comptime.x", x)
    for n in [1, 4]:
        window = [[x[i + k] if i + k < 96 else np.float32(0) for i in range(96)] for k in range(n)]
        total = np.zeros(96, np.float32)
        for part in window:
            total = total + np.array(part, np.float32)
        save(f"comptime.r{n}", total)
    half = x.astype(np.float16)
    save("comptime.xh", half)
    save("comptime.rh", half + np.concatenate([half[1:], np.zeros(1, np.float16)]))


# ---- math --------------------------------------------------------------------------------------------------------------------

def maths():
    x = floats(500, -10, 10)
    positive = floats(500, 1e-3, 1e3)
    save("math.x", x)
    save("math.p", positive)
    wide = x.astype(np.float64)
    erf = np.array([math.erf(v) for v in wide])
    save("math.rx", np.array([np.exp(wide), np.exp2(wide), np.sin(wide), np.cos(wide), np.tanh(wide), erf], np.float32))
    wide = positive.astype(np.float64)
    save("math.rp", np.array([np.log(wide), np.log2(wide), np.sqrt(wide), 1 / np.sqrt(wide)], np.float32))


scale()
saxpy()
row_sum()
integers()
bounds()
lines()
types()
scalars()
# The trip count of a loop whose second counter value would wrap around.
save("steps.y", np.array([1], dtype=np.uint32))
save("iota60", np.arange(60, dtype=np.uint32))
topology("one", (5, 1, 1), (3, 1, 1))
topology("flat", (5, 1, 1), (3, 2, 2))
topology("two", (4, 2, 1), (2, 3, 1))
topology("three", (3, 2, 2), (2, 3, 2))
control()
comptime()
maths()
