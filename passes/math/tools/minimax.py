#!/usr/bin/env python3
"""Derives every constant of `cube-math` and writes `src/tables/{single,double,short}.rs`.

Run from `passes/math`:  python3 tools/minimax.py   (needs `pip install mpmath`, about 2 minutes)

Method: Remez exchange (E. Remez 1934; see Muller, "Elementary Functions", section 3.6) for the polynomial that minimises
max |w(t) (p(t) - f(t))|. Coefficients are then rounded to the target format one by one, from the lowest order. After each rounding,
the script fits the remaining coefficients again, so that they compensate the rounding error (by Lawson's
reweighted least squares; the simple version of Brisebarre, Muller, Tisserand, "Computing machine-efficient polynomial approximations", ACM TOMS 32(2), 2006).
"""
import os
import struct
import sys

from mpmath import mp, mpf

mp.dps = 80
LN2 = mp.log(2)


# ---------------------------------------------------------------- formats
def to_format(v, bits):
    """`v` rounded to nearest even with `bits` bits of significand."""
    v = mpf(v)
    if v == 0:
        return v
    _, e = mp.frexp(v)
    return mp.ldexp(mp.nint(mp.ldexp(v, bits - e)), e - bits)


def text(v, double):
    """The shortest decimal text that represents exactly this number."""
    x = float(v)
    if not double:
        pack = lambda y: struct.pack("<f", y)
        for k in range(1, 10):
            s = f"{x:.{k}g}"
            if pack(float(s)) == pack(x):
                break
    else:
        s = repr(x)
    m, _, e = s.partition("e")
    if "." not in m and not e:
        m += ".0"
    return m + (f"e{int(e)}" if e else "")


# ---------------------------------------------------------------- Remez
def remez(f, w, a, b, n, fixed):
    """The fixed coefficients and n free coefficients, in ascending order, and the weighted error."""
    a, b = mpf(a), mpf(b)
    k0 = len(fixed)

    def cheb(count):
        return [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]

    grid = [a] + cheb(24 * (n + 1)) + [b]
    top = max(w(t) for t in grid)
    grid = [t for t in grid if w(t) > top * mpf("1e-14")]
    fg = [f(t) - mp.polyval(fixed[::-1], t) if fixed else f(t) for t in grid]
    wg = [w(t) for t in grid]
    pts = [round(j * (len(grid) - 1) / n) for j in range(n + 1)]
    coef, err = [], mpf(0)
    for _ in range(40):
        m = mp.matrix(n + 1, n + 1)
        rhs = mp.matrix(n + 1, 1)
        for r, i in enumerate(pts):
            for c in range(n):
                m[r, c] = wg[i] * grid[i] ** (c + k0)
            m[r, n] = (-1) ** r
            rhs[r] = wg[i] * fg[i]
        sol = mp.lu_solve(m, rhs)
        coef, level = [sol[i] for i in range(n)], abs(sol[n])
        e = [wg[i] * (fg[i] - grid[i] ** k0 * mp.polyval(coef[::-1], grid[i])) for i in range(len(grid))]
        err = max(abs(x) for x in e)
        # Keeps one extremum of each run with equal signs, and then drops the smaller extremum of both ends until n + 1 remain.
        runs = []
        for i, x in enumerate(e):
            if runs and (e[runs[-1]] > 0) == (x > 0):
                if abs(x) > abs(e[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n + 1:
            runs.pop(0 if abs(e[runs[0]]) < abs(e[runs[-1]]) else -1)
        if len(runs) < n + 1 or runs == pts or err < level * mpf("1.0001"):
            break
        pts = runs
    return coef, err


def lawson(f, w, a, b, n, fixed, rounds=8):
    """Like `remez`, but by reweighted least squares (Lawson 1961). With a fixed coefficient, the alternation theorem does not hold for
    the remaining powers on an interval that contains 0."""
    a, b, k0 = mpf(a), mpf(b), len(fixed)
    count = 5 * (n + k0)
    pts = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    wt = [w(t) for t in pts]
    rows = [[wi * t ** (c + k0) for c in range(n)] for t, wi in zip(pts, wt)]
    rhs = [wi * (f(t) - mp.polyval(fixed[::-1], t)) for t, wi in zip(pts, wt)]
    weight = [mpf(1)] * count
    best = None
    for _ in range(rounds):
        m, v = mp.matrix(n, n), mp.matrix(n, 1)
        for i in range(n):
            v[i] = mp.fsum(u * r[i] * y for u, r, y in zip(weight, rows, rhs))
            for j in range(i, n):
                m[i, j] = m[j, i] = mp.fsum(u * r[i] * r[j] for u, r in zip(weight, rows))
        sol = mp.lu_solve(m, v)
        coef = [sol[i] for i in range(n)]
        e = [abs(mp.fdot(coef, r) - y) for r, y in zip(rows, rhs)]
        if best is None or max(e) < best[1]:
            best = coef, max(e)
        weight = [u * (x + max(e) / 1000) for u, x in zip(weight, e)]
        total = mp.fsum(weight)
        weight = [u / total for u in weight]
    return best


def fit(f, w, a, b, n, bits, fixed=()):
    """n coefficients in the format, and the error of the rounded polynomial."""
    done = list(fixed)
    best = remez(f, w, a, b, n, done)[1]
    for left in range(n, 0, -1):
        c, _ = lawson(f, w, a, b, left, done)
        done.append(to_format(c[0], bits))
    grid = [mpf(a) + (mpf(b) - a) * (i + mpf("0.37")) / 2000 for i in range(2000)]
    err = max(abs(w(t) * (mp.polyval(done[::-1], t) - f(t))) for t in grid)
    return done[len(fixed):], best, err


# ---------------------------------------------------------------- what is approximated
exec(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "functions.py")).read())


def two_over_pi(width, count):
    """2/pi in words, from the most significant word. Leading zeros put the window of exponent 0 at bit 0: with
    x = M 2^(0 - mantissa), bit j of 2/pi (weight 2^-j) has weight 2^(-mantissa - j) once multiplied by the unit of M, and
    the window must start at weight 2 (a whole turn is 4 quarters)."""
    mantissa = 52 if width == 64 else 23
    with mp.workdps(1300 // 3):
        # The window is an integer divided by 2^(3 width - 2). The upper two bits of the product are the number of quarter turns.
        whole = int(mp.floor(mp.ldexp(2 / mp.pi, width * count - 2 - mantissa)))
    return [(whole >> (width * (count - 1 - i))) & ((1 << width) - 1) for i in range(count)]


# Relative error of the polynomials of `Short`, whose results are rounded to 11 or 8 bits afterwards.
SHORT = mpf(2) ** mpf("-13.4")


def fit_short(p, bits):
    """The shortest polynomial with an error of at most SHORT. A power multiplies the error of its logarithm, so POW keeps its length.
    If the error of the function is not proportional to that of the polynomial, `off` is the error of the function."""
    for n in range(1 if p["name"] != "POW" else p["n"], p["n"] + 1):
        coef, best, err = fit(p["f"], p["w"], p["a"], p["b"], n, bits)
        if "off" in p:
            grid = [p["a"] + (p["b"] - p["a"]) * i / 2000 for i in range(2001)]
            err = max(p["off"](mp.polyval(coef[::-1], t), t) for t in grid)
        if err <= SHORT:
            return n, coef, best, err
    return n, coef, best, err


def emit(kind):
    double = kind == "double"
    bits, name, ty = (53, "Double", "f64") if double else (24, kind.capitalize(), "f32")
    use = " for results of at most 11 bits" if kind == "short" else ""
    out = [
        f"//! The constants of `{ty}`{use}: generated by `tools/minimax.py`, which has the derivation; do not edit.",
        "",
        "// Coefficients can be close to named constants without being these constants.",
        "#![allow(clippy::approx_constant)]",
        "",
        "use super::{Short, Single, Tables};" if kind == "short" else f"use super::{{{name}, Tables}};",
        "",
        "#[rustfmt::skip]",
        f"impl Tables for {name} {{",
    ]
    for c, value in constants(bits, double):
        if kind == "short":
            out.append(f"    const {c}: f32 = Single::{c};")
        elif isinstance(value, list):
            out.append(f"    const {c}: &'static [{ty}] = &[" + ", ".join(text(v, double) for v in value) + "];")
        else:
            out.append(f"    const {c}: {ty} = {text(value, double)};")
    ity, width, count = ("i64", 64, 19) if double else ("i32", 32, 7)
    words = ", ".join(f"{v:#x}_u{width} as {ity}" for v in two_over_pi(width, count))
    words = "Single::TWO_OVER_PI" if kind == "short" else f"&[{words}]"
    out.append(f"    const TWO_OVER_PI: &'static [{ity}] = {words};")
    for p in polynomials(double):
        if kind == "short":
            p.update(p.get("short", {}))
            p["n"], coef, best, err = fit_short(p, bits)
        else:
            coef, best, err = fit(p["f"], p["w"], p["a"], p["b"], p["n"], bits)
        log = lambda v: mp.nstr(mp.log(v, 2), 5)
        print(f"{name} {p['name']}: n={p['n']} minimax 2^{log(best)} rounded 2^{log(err)}", flush=True)
        out.append(f"    // {p['doc']}: error 2^{log(err)}.")
        out.append(f"    const {p['name']}: &'static [{ty}] = &[" + ", ".join(text(c, double) for c in coef) + "];")
    out.append("}")
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "tables", f"{name.lower()}.rs")
    open(path, "w").write("\n".join(out) + "\n")


if __name__ == "__main__":
    for kind in sys.argv[1:] or ["single", "double", "short"]:
        emit(kind)
