"""The functions and constants for which `minimax.py` writes tables. `S(single, double)` selects a value by the format."""


def split(v, bits, keep):
    """v = hi + lo, hi with `keep` bits (so that hi times a small integer is exact), lo rounded to the format."""
    hi = to_format(v, keep)
    return hi, to_format(v - hi, bits)


def constants(bits, double):
    n_bits = 11 if double else 8  # of the exponent that multiplies a hi part
    keep = bits - n_bits - 1
    out = []

    def pair(name, v, keep):
        hi, lo = split(v, bits, keep)
        out.extend([(name + "_HI", hi), (name + "_LO", lo)])

    pair("LN2", LN2, keep)
    out.append(("LOG2_10", to_format(mp.log(10, 2), bits)))
    pair("LOG10_2", mp.log(2, 10), keep)
    pair("LOG10_E", mp.log10(mp.e), bits)
    pair("LOG2_E", 1 / LN2, bits)
    pair("PI", mp.pi, bits)
    pair("FRAC_PI_2", mp.pi / 2, bits)
    # The powers' centres: near 2^(-1/3) and 2^(1/3), short, so that sums with them are exact.
    out.extend([("POW_DOWN", mpf("0.796875")), ("POW_UP", mpf("1.2578125"))])
    pair("LOG2_POW_DOWN", mp.log(mpf("0.796875"), 2), keep)
    pair("LOG2_POW_UP", mp.log(mpf("1.2578125"), 2), keep)
    return out


def erfcx(x):
    """e^(x^2) erfc(x)"""
    return mp.exp(x * x) * mp.erfc(x)


def polynomials(double):
    S = lambda single, dbl: dbl if double else single
    h = LN2 / 2 * mpf("1.0001")
    lo, hi = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(2) - 1
    q = mp.log(2, 10) / 2 * mpf("1.0001")
    sq = mp.sqrt
    log10e = to_format(mp.log10(mp.e), S(24, 53))

    def odd(name, doc, f, b, n):
        """f(x) = x + x^3 p(x^2) for x^2 in [0, b]"""
        g = lambda t: (f(sq(t)) / sq(t) - 1) / t
        return dict(name=name, doc=doc, f=g, w=lambda t: t * sq(t) / abs(f(sq(t))), a=mpf("1e-9"), b=b, n=n)

    L = [
        dict(name="EXP", doc="exp(r) = 1 + r + r^2 p(r), |r| <= ln(2)/2, relative to expm1",
             f=lambda r: (mp.expm1(r) - r) / r**2, w=lambda r: r**2 / abs(mp.expm1(r)), a=-h, b=h, n=S(5, 11)),
        dict(name="EXP2", doc="2^r = 1 + r p(r), |r| <= 1/2, relative",
             f=lambda r: (mp.power(2, r) - 1) / r, w=lambda r: abs(r) / mp.power(2, r), a=mpf("-0.5"), b=mpf("0.5"),
             n=S(6, 12)),
        dict(name="EXP10", doc="10^r = 1 + r p(r), |r| <= log10(2)/2, relative",
             f=lambda r: (mp.power(10, r) - 1) / r, w=lambda r: abs(r) / mp.power(10, r), a=-q, b=q, n=S(6, 12)),
        dict(name="LOG", doc="log(1 + f) = f + f^2 p(f), 1 + f in [sqrt(1/2), sqrt(2)], relative",
             f=lambda f: (mp.log1p(f) - f) / f**2, w=lambda f: abs(f**2 / mp.log1p(f)), a=lo, b=hi, n=S(9, 22)),
        dict(name="LOG2", doc="log2(1 + f) = f + f p(f), same range, relative",
             f=lambda f: mp.log1p(f) / LN2 / f - 1, w=lambda f: abs(f * LN2 / mp.log1p(f)), a=lo, b=hi, n=S(10, 23)),
        dict(name="LOG10", doc="log10(1 + f) = f LOG10_E_HI + f p(f), same range, relative",
             f=lambda f: mp.log10(1 + f) / f - log10e, w=lambda f: abs(f / mp.log10(1 + f)), a=lo, b=hi, n=S(10, 23)),
        odd("SIN", "sin(r) = r + r^3 p(r^2), |r| <= 1, relative", mp.sin, mpf(1), S(4, 8)),
        dict(name="COS", doc="cos(r) = 1 - r^2/2 + r^4 p(r^2), |r| <= 1, relative",
             f=lambda t: (mp.cos(sq(t)) - 1 + t / 2) / t**2, w=lambda t: t**2 / mp.cos(sq(t)), a=mpf("1e-9"), b=mpf(1),
             n=S(4, 8)),
        odd("TANH", "tanh(x) = x + x^3 p(x^2), |x| <= 0.625, relative", mp.tanh, mpf("0.625") ** 2, S(5, 11)),
        odd("TANH_WIDE", "tanh(x) = x + x^3 p(x^2), |x| <= 1.25, relative", mp.tanh, mpf("1.25") ** 2, S(8, 19)),
        odd("SINH", "sinh(x) = x + x^3 p(x^2), |x| <= 1, relative", mp.sinh, mpf(1), S(4, 8)),
        odd("ATAN", "atan(x) = x + x^3 p(x^2), |x| <= 1, relative", mp.atan, mpf(1), S(9, 20)),
        odd("ASIN", "asin(x) = x + x^3 p(x^2), |x| <= 1/2, relative", mp.asin, mpf("0.25"), S(5, 12)),
        dict(name="ERF", doc="erf(x) = x + x p(x^2), |x| <= 1.125, relative",
             f=lambda t: mp.erf(sq(t)) / sq(t) - 1, w=lambda t: sq(t) / mp.erf(sq(t)), a=mpf("1e-9"),
             b=mpf("1.125") ** 2, n=S(7, 14), short=dict(doc="erf(x) = x + x p(x^2), |x| <= 1, relative", b=mpf(1))),
        dict(name="ERF_TAIL", doc="log2(erfc(x)) = p(x), 1 <= x <= 4, absolute in erf",
             f=lambda x: mp.log(mp.erfc(x), 2), w=lambda x: mp.erfc(x) * LN2, a=mpf(1), b=S(mpf(4), mpf(6)), n=S(7, 19)),
        dict(name="ERFC_ROOT", doc="erfc(x)^(1/4) = p(x), 1.125 <= x <= 4, absolute in erf" if not double else
             "erfc(x)^(1/4) = p(x), 1.125 <= x <= 6, absolute in erf",
             f=lambda x: mp.root(mp.erfc(x), 4), w=lambda x: 4 * mp.root(mp.erfc(x), 4) ** 3, a=mpf("1.125"),
             b=S(mpf(4), mpf(6)), n=S(8, 21), off=lambda q, x: abs(q**4 - mp.erfc(x)),
             short=dict(doc="erfc(x)^(1/4) = p(x), 1 <= x <= 4, absolute in erf", a=mpf(1))),
        dict(name="ERFC", doc="erfc(x) = e^(-x^2) t p(t), t = 1 / (1 + x/2), 1 <= x, relative",
             f=lambda t: erfcx(2 / t - 2) / t, w=lambda t: t / erfcx(2 / t - 2), a=1 / (1 + S(mpf(11), mpf(28)) / 2),
             b=mpf(2) / 3, n=S(9, 22)),
        dict(name="POW", doc="log2((1 + s) / (1 - s)) = 2 log2(e) s + s^3 p(s^2), |s| <= 0.0594, relative",
             f=lambda t: (2 * mp.atanh(sq(t)) / LN2 - 2 * sq(t) / LN2) / (t * sq(t)),
             w=lambda t: t * LN2 / 2, a=mpf("1e-9"), b=mpf("0.0594") ** 2, n=S(2, 5)),
    ]
    return L
