"""Runs the emulator's `run.py`, and writes the contents of the jobs' buffers to files.

    python3 emulate.py RUN_PY DIR --tinygrad FOLDER --json OUT ...

`run.py` receives the arguments after RUN_PY. For a job with the key `dump`, the script writes the contents of all buffers after the
launch to this file. `run.py` only compares buffers with expected contents. Jobs with `dump` have no expected contents, and the caller
compares the file.
"""

import collections
import ctypes
import dataclasses
import fcntl
import functools
import hashlib
import importlib.util
import inspect
import os
import pickle
import re
import struct
import subprocess
import sys
import textwrap
import types

# The folder of tinygrad, if tinygrad is not installed for the system's Python. run.py starts its workers with an empty PYTHONPATH.
if "CUBE_TINYGRAD" in os.environ:
    sys.path.insert(0, os.environ["CUBE_TINYGRAD"])

# run.py also starts this script as a worker. The environment of a worker contains the path of run.py.
path = os.environ.get("CUBE_EMULATOR") or sys.argv.pop(1)
os.environ["CUBE_EMULATOR"] = path
spec = importlib.util.spec_from_file_location("amdgpu_emulator", path)
emulator = importlib.util.module_from_spec(spec)
spec.loader.exec_module(emulator)
emulator.__file__ = os.path.abspath(__file__)


def mend():
    """Corrects faults of the emulator on CDNA. `ds_bpermute` also reads the address registers of inactive lanes, and interprets the
    addresses as signed numbers. The emulator therefore reads outside of its registers. Hardware uses only the low bits of an address
    (CDNA 3 ISA, "DS_BPERMUTE_B32")."""
    from tinygrad.runtime.autogen.amd.cdna.str_pcode import PCODE
    from tinygrad.runtime.autogen.amd.rdna3.str_pcode import PCODE as RDNA
    from tinygrad.runtime.autogen.amd.rdna4.str_pcode import PCODE as RDNA4

    # In a wave of 64 lanes, RDNA 3 reads a lane in the same half of the wave (LLVM, `supportsWaveWideBPermute`). The emulator's text
    # always reads a lane in the lower half.
    lanes = {id(PCODE): "{} & 63U", id(RDNA): "({} & 31U) | (i & 32U)", id(RDNA4): "{} & (WAVE64 ? 63U : 31U)"}
    for codes in (PCODE, RDNA, RDNA4):
        for op, code in list(codes.items()):
            if op.name == "DS_BPERMUTE_B32":
                lane = lanes[id(codes)].format("((VGPR[i][ADDR].u32 + OFFSET.u32) / 4U)")
                code = re.sub("src_lane = .*;", f"src_lane = {lane};", code)
                assert codes[op] != code
                codes[op] = code
    # Hardware writes results only for active lanes ("if EXEC[i].u1 then VGPR[i][VDST] = tmp[i]"). The emulator ignores this condition,
    # and overwrites registers of inactive lanes, which are live in the other arm of a branch.
    for codes in (PCODE, RDNA, RDNA4):
        for op, code in list(codes.items()):
            if op.name in ("DS_PERMUTE_B32", "DS_BPERMUTE_B32"):
                under = "if EXEC[i].u1 then\nVGPR[i][VDST] = tmp[i]\nendif"
                assert under in code
                codes[op] = code.replace(under, "VGPR[i][VDST] = EXEC[i].u1 ? tmp[i] : VGPR[i][VDST]")
    # Factors of 24 bits are signed. The emulator's conversion to 64 bits loses the sign.
    for codes in (PCODE, RDNA, RDNA4):
        for op, code in list(codes.items()):
            if op.name.startswith("V_MUL_HI_I32_I24"):
                codes[op] = re.sub(r"64'I\((S[01]\.i24)\)", r"64'I(32'I(\1))", code)
    # In AMD's texts of minima and maxima, `== -0.0` also tests the sign. The emulator compares numbers, so -0 and 0 are equal.
    for op, code in list(PCODE.items()):
        if op.name.startswith(("V_MIN_F", "V_MAX_F")):
            both = r"\(\((64'F\()?S0\.(f\d+)\)? == ([+-])0\.0\) && \((64'F\()?S1\.f\d+\)? == [+-]0\.0\)\)"

            def signed(m):
                zero = lambda s: f"(64'F({s}.{m[2]}) == 0.0)" if m[1] else f"({s}.{m[2]} == 0.0)"
                negative = "S0" if m[3] == "-" else "S1"
                return f"({zero('S0')} && {zero('S1')} && sign({negative}.{m[2]}))"

            PCODE[op] = re.sub(both, signed, code)

    # In the text of an atomic sum of f64, the result has no type, and the emulator writes a result of only one word.
    for op, code in list(PCODE.items()):
        if op.name.endswith("F64") and "RETURN_DATA = tmp" in code:
            PCODE[op] = code.replace("RETURN_DATA = tmp", "RETURN_DATA.f64 = tmp")
    # The emulator rounds to even by `floor(x + 0.5)`. The sum x + 0.5 is also rounded, and the sign of a zero is lost. The instruction
    # computes the operation of IEEE 754 (LLVM selects the instruction for `llvm.roundeven`). See `mend_extremes`.
    for codes in (PCODE, RDNA, RDNA4):
        for op in list(codes):
            if found := re.match(r"[SV]_RNDNE_F(16|32|64)", op.name):
                codes[op] = f"D0.f{found[1]} = round_even(S0.f{found[1]})"

    # Conversions of 8-bit floats from the lowest bytes. The texts also select other bytes, but these encodings cannot select bytes.
    # See `mend_narrow_floats`.
    for codes in (PCODE, RDNA4):
        for op in list(codes):
            if found := re.match(r"V_CVT_(PK_)?F32_(FP8|BF8)_E32$", op.name):
                name = found[2].lower()
                codes[op] = f"D0.u64 = {name}_pair(S0.u32)" if found[1] else f"D0.f32 = {name}_to_f32(S0.u32)"

    # The steps of a division; `mend_division` explains the changes.
    for codes in (PCODE, RDNA, RDNA4):
        for op in list(codes):
            if found := re.match(r"V_DIV_(SCALE|FMAS)_(F32|F64)", op.name):
                f = found[2].lower()
                if found[1] == "SCALE":
                    codes[op] = f"VCC.u64[laneId] = div_unscale(S1.{f}, S2.{f});\nD0.{f} = div_scale(S0.{f}, S1.{f}, S2.{f})"
                else:
                    codes[op] = f"D0.{f} = div_fmas(S0.{f}, S1.{f}, S2.{f}, VCC.u64[laneId])"
            # "UNDERFLOW" means that the quotient is below half of the smallest number and rounds to 0. The emulator returns the smallest
            # number instead. "OVERFLOW" means that the quotient exceeds the largest number. The text tests for a denominator that an
            # earlier line has handled.
            if found := re.match(r"V_DIV_FIXUP_F(32|64)", op.name):
                f, most = ("f32", 129) if found[1] == "32" else ("f64", 1025)
                code = re.sub(r"-UNDERFLOW_F\d+ : UNDERFLOW_F\d+", "-0.0 : 0.0", codes[op])
                far = f"exponent(S2.{f}) - exponent(S1.{f}) > {most}"
                code = re.sub(r"exponent\(S1.f\d+\) == \d+ then", f"{far} then", code)
                codes[op] = re.sub(r"-OVERFLOW_F\d+ : OVERFLOW_F\d+", f"-INF.{f} : +INF.{f}", code)
                assert far in code and "FLOW" not in codes[op]


def mend_narrow_floats():
    """Corrects conversions of narrow floats. The emulator flushes 8-bit floats below the smallest normal number to 0, does not read pairs
    of 8-bit floats, and rounds NaN like a number in the conversion to bf16. The formats are the formats of the Open Compute Project
    (RDNA 4 ISA, "8-bit floating point"). The bit pattern of a number is the number of midpoints below the number."""
    from test.mockgpu.amd import pcode

    dtypes, const, u32 = pcode.dtypes, pcode._const, pcode._u32
    single = lambda x: x if x.dtype == dtypes.float32 else x.bitcast(dtypes.float32)

    def number(pattern, fraction, bias):
        exponent, mantissa = pattern >> fraction, pattern & (1 << fraction) - 1
        if exponent == 0:
            return mantissa * 2.0 ** (1 - bias - fraction)
        return (mantissa + (1 << fraction)) * 2.0 ** (exponent - bias - fraction)

    def narrow(fraction, bias, beyond, nan):
        def of(x):
            x = single(x)
            size, pattern = pcode._abs(x), u32(0)
            for lower in range(beyond):
                middle = const(dtypes.float32, (number(lower, fraction, bias) + number(lower + 1, fraction, bias)) / 2)
                # A tie rounds to the even pattern.
                above = size >= middle if lower & 1 else size > middle
                pattern = pattern + above.cast(dtypes.uint32)
            return (pcode._isnan(x).where(u32(nan), pattern) | pcode._sign(x) << u32(7)).cast(dtypes.uint8)

        return of

    def wide(fraction, bias, beyond, has_infinity):
        def of(byte):
            byte = byte.cast(dtypes.uint32)
            pattern, found = byte & u32(0x7F), const(dtypes.float32, float("nan"))
            for value in range(beyond):
                found = pattern.eq(u32(value)).where(const(dtypes.float32, number(value, fraction, bias)), found)
            if has_infinity:
                found = pattern.eq(u32(beyond)).where(const(dtypes.float32, float("inf")), found)
            sign = (byte >> u32(7) & u32(1)) << u32(31)
            return (found.bitcast(dtypes.uint32) | sign).bitcast(dtypes.float32)

        return of

    def bf16(x):
        x = single(x)
        bits = x.bitcast(dtypes.uint32)
        rounded = bits + u32(0x7FFF) + (bits >> u32(16) & u32(1))
        return (pcode._isnan(x).where(bits | u32(0x400000), rounded) >> u32(16)).cast(dtypes.uint16)

    def pair(of):
        word = lambda x: of(x).bitcast(dtypes.uint32).cast(dtypes.uint64)
        return lambda x: word(x) | word(x.cast(dtypes.uint32) >> u32(8)) << pcode._const(dtypes.uint64, 32)

    fp8, bf8 = wide(3, 7, 0x7F, False), wide(2, 15, 0x7C, True)
    pcode._FUNCS.update(fp8_to_f32=fp8, bf8_to_f32=bf8, fp8_pair=pair(fp8), bf8_pair=pair(bf8), f32_to_bf16=bf16)
    pcode._FUNCS.update(f32_to_fp8=narrow(3, 7, 0x7F, 0x7F), f32_to_bf8=narrow(2, 15, 0x7C, 0x7E))


def mend_division(emu):
    """Corrects the steps of a division. For a subnormal denominator, the emulator's `V_DIV_SCALE` returns NaN, but AMD's text scales the
    denominator up. `V_DIV_SCALE` also loses the scales of very small and very large quotients. `V_DIV_FMAS` rounds a subnormal quotient
    twice. `V_DIV_FIXUP` treats NaN as an infinite quotient, which would hide an error of the other steps. The functions here follow
    AMD's texts (CDNA 3 ISA, "V_DIV_SCALE_F32", "V_DIV_FMAS_F32") with one change: a large denominator of a subnormal quotient is scaled
    down. The text scales this denominator up to infinity."""
    from test.mockgpu.amd import pcode

    dtypes, const, isnan = pcode.dtypes, pcode._const, pcode._isnan
    for f in ("F32", "F64"):
        emu._pcode_fixes.pop(f"V_DIV_FIXUP_{f}", None)
    emu._fix_div_scale = lambda code, _: code

    # The product of two f16 numbers is exact in f32. The sum is rounded to odd, so that the second rounding is correct: an inexact even
    # sum moves by one bit pattern towards the exact sum. The terms are C texts, so that the emulator does not combine them.
    def fma_of_halves(a, b, c):
        custom = lambda text, *terms: pcode.UOp(pcode.Ops.CUSTOM, dtypes.float32, terms, text)
        product = a * b
        near = custom("({} + {})", product, c)
        part = custom("({} - {})", near, product)
        error = custom("(({} - ({} - {})) + ({} - {}))", product, near, part, c, part)
        word, sign = near.bitcast(dtypes.uint32), error.bitcast(dtypes.uint32)
        one = const(dtypes.uint32, 1)
        inexact = ((error > const(dtypes.float32, 0.0)) | (error < const(dtypes.float32, 0.0))) & (word & one).eq(const(dtypes.uint32, 0))
        inwards = ((word ^ sign) >> const(dtypes.uint32, 31)).ne(const(dtypes.uint32, 0))
        return inexact.where(inwards.where(word - one, word + one), word).bitcast(dtypes.float32)

    # The emulator emits a product and a sum. The C compiler fuses these two operations only if the product has no other use.
    def fma(a, b, c):
        if a.dtype == dtypes.half:
            return fma_of_halves(*(x.cast(dtypes.float32) for x in (a, b, c))).cast(dtypes.half)
        if a.dtype not in (dtypes.float32, dtypes.float64):
            return a * b + c
        name = "__builtin_fmaf" if a.dtype == dtypes.float32 else "__builtin_fma"
        return pcode.UOp(pcode.Ops.CUSTOM, a.dtype, (a, b, c), name + "({}, {}, {})")

    def parts(like):
        """Powers of two, bias, power of the scale, distance of a large quotient, fraction bits."""
        power = lambda n: const(like.dtype, 2.0**n)
        return (power,) + ((127, 64, 96, 23) if like.dtype == dtypes.float32 else (1023, 128, 768, 52))

    def cases(denominator, numerator):
        power, bias, _, far, fraction = parts(denominator)
        exponent = lambda x: pcode._exponent(x).cast(dtypes.int)
        d, n = pcode._abs(denominator), pcode._abs(numerator)
        zero = d.eq(const(d.dtype, 0.0)) | n.eq(const(d.dtype, 0.0))
        large = (exponent(n) - exponent(d)) >= const(dtypes.int, far)
        # A product with a power of two is exact or infinite.
        small = (n * power(bias - 1)) < d
        return zero, large, pcode._is_denorm(denominator), d > power(bias - 1), small, exponent(n) <= const(dtypes.int, fraction + (n.dtype == dtypes.float64))

    def div_unscale(denominator, numerator):
        zero, large, subnormal, huge, small, _ = cases(denominator, numerator)
        return ((large | (small & subnormal.logical_not())) & zero.logical_not()).cast(dtypes.uint32)

    def div_scale(x, denominator, numerator):
        zero, large, subnormal, huge, small, tiny = cases(denominator, numerator)
        power, _, step, _, _ = parts(x)
        up, down = x * power(step), x * power(-step)
        of_denominator, of_numerator = x.eq(denominator), x.eq(numerator)
        found = tiny.where(up, x)
        found = small.where(of_numerator.where(up, x), found)
        found = huge.where(small.where(of_denominator.where(down, x), down), found)
        found = subnormal.where(up, found)
        found = large.where(of_denominator.where(up, x), found)
        return zero.where(const(x.dtype, float("nan")), found)

    def div_fmas(a, b, c, scaled):
        power, bias, step, _, fraction = parts(c)
        whole, smallest = fma(a, b, c), power(1 - bias - fraction)
        large = pcode._exponent(c).cast(dtypes.int) > const(dtypes.int, bias)
        # The scaling of a subnormal result rounds again. For a tie, the rounding error of the sum decides the direction. Each difference
        # is exact. This product is a C text, because the emulator would otherwise combine it with the product below.
        near = pcode.UOp(pcode.Ops.CUSTOM, c.dtype, (whole, power(-step)), "({} * {})")
        lost = fma(a, b, c - whole)
        rest, zero, half = whole - near * power(step), const(c.dtype, 0.0), power(step - bias - fraction)
        up, down = rest.eq(half) & (lost > zero), rest.eq(half.neg()) & (lost < zero)
        small = near + up.where(smallest, down.where(smallest.neg(), zero))
        scaled = scaled.cast(dtypes.uint32).ne(const(dtypes.uint32, 0))
        return scaled.where(large.where(whole * power(step), small), whole)

    pcode._FUNCS.update(fma=fma, div_unscale=div_unscale, div_scale=div_scale, div_fmas=div_fmas)


def mend_extremes():
    """Corrects `v_min_f32`, `v_max_f32` and similar functions. The texts of instructions with three operands or packed f16 numbers call
    these functions. The emulator's functions treat -0 and 0 as equal, and the functions of f16 return NaN if only one operand is NaN.
    In AMD's texts, -0 is below 0, and NaN operands are ignored. `v_minimum` and `v_maximum` return NaN if an operand is NaN (CDNA 3 ISA,
    "V_MIN_F32", "V_MIN3_F32"; RDNA 4 ISA, "V_MINIMUM_F32")."""
    from test.mockgpu.amd import pcode

    def extreme(is_max, name, gives_nan):
        dtype, take = (pcode.dtypes.half, pcode._f16_extract) if name == "f16" else (pcode.dtypes.float32, lambda x: x)

        def of(x):
            x = take(x)
            return x if x.dtype == dtype else x.bitcast(dtype) if x.dtype == pcode.dtypes.uint32 else x.cast(dtype)

        def of_two(a, b):
            negative = pcode._sign(a).ne(pcode._u32(0))
            first = (a > b if is_max else a < b) | (a.eq(b) & (negative.logical_not() if is_max else negative))
            a_is_nan, b_is_nan = pcode._isnan(a), pcode._isnan(b)
            nan_of_a, nan_of_b = (a, b) if gives_nan else (b, a)
            return a_is_nan.where(nan_of_a, b_is_nan.where(nan_of_b, first.where(a, b)))

        def extreme_of(*args):
            first, *rest = map(of, args)
            for x in rest:
                first = of_two(first, x)
            return first

        return extreme_of

    def round_even(x):
        number = lambda n: pcode._const(x.dtype, n)
        size = pcode._abs(x)
        whole = pcode._FUNCS["trunc"](size)
        half_of_whole = whole * number(0.5)
        odd = half_of_whole.ne(pcode._FUNCS["trunc"](half_of_whole))
        rest = size - whole
        rounded = ((rest > number(0.5)) | (rest.eq(number(0.5)) & odd)).where(whole + number(1.0), whole)
        return pcode._sign(x).ne(pcode._u32(0)).where(rounded.neg(), rounded)

    pcode._FUNCS["round_even"] = round_even
    for is_max, short, full in [(False, "min", "minimum"), (True, "max", "maximum")]:
        for name in ["f32", "f16"]:
            for fn in [f"v_{short}_{name}", f"v_{short}3_{name}", f"v_{short}_num_{name}", f"v_{short}3_num_{name}"]:
                pcode._FUNCS[fn] = extreme(is_max, name, False)
            for fn in [f"v_{full}_{name}", f"v_{full}3_{name}"]:
                pcode._FUNCS[fn] = extreme(is_max, name, True)


# The functions for saturating sums and differences, by the operator in the texts of instructions.
SUMS = {"+": "saturated_sum", "-": "saturated_difference"}

# The number of the scalar register M0 of RDNA 3 and RDNA 4.
M0 = 125

# The last vector register, and the number of vector registers of the running kernel.
SPARE = 255
registers = [0]

# Whether the running kernel has planes of 64 lanes on RDNA.
wide = [False]


def keep_decoded(emu):
    """Decodes equal machine code once. The emulator decodes each instruction of a kernel several times, and a decoding compares the code
    with all formats. The instruction and the next 4 bytes determine the decoding, as in the emulator's cache of compiled instructions."""
    decode, known = emu.decode_inst, {}

    def decode_inst(text, arch="rdna3"):
        for size in (8, 12, 16):
            if found := known.get((arch, text[:size])):
                return found
        found = decode(text, arch)
        known[arch, text[: found.size() + 4]] = found
        return found

    emu.decode_inst = decode_inst


def mend_waves(emu):
    """Enables waves of 64 lanes on RDNA. The emulator refuses these waves, although its code also works for them. Register 124 of RDNA
    discards written values."""
    emu._wave_size = lambda arch: 64 if arch == "cdna" or wide[0] else 32
    kind = emu._Ctx
    write = kind.wsgpr_dyn

    def wsgpr_dyn(self, reg, val):
        if not wide[0]:
            return write(self, reg, val)
        return self.sgpr.index(reg.valid(reg.ne(emu._c(124)))).store(val.cast(emu.dtypes.uint32))

    kind.wsgpr_dyn = wsgpr_dyn
    # A write of 16 bits clears the upper half of the register on CDNA, and keeps it on RDNA. The emulator decides by the number of lanes.
    emu._is_wide = lambda: wide[0]
    text = textwrap.dedent(inspect.getsource(kind.compile_vop_pcode))
    changed = text.replace("if self.wave_size == 64 else", "if self.wave_size == 64 and not _is_wide() else")
    assert changed != text
    exec(compile("from __future__ import annotations\n" + changed, emu.__file__, "exec"), emu.__dict__)
    kind.compile_vop_pcode = emu.compile_vop_pcode
    # The emulator's cache of compiled instructions ignores the number of lanes, so each number of lanes has a separate cache.
    known, runner = {False: [], True: []}, emu._get_runner.__wrapped__

    @functools.cache
    def get_runner(text, arch, is_wide):
        emu._canonical_runner_cache = known[is_wide]
        return runner(text, arch)

    emu._get_runner = lambda text, arch: get_runner(text, arch, wide[0])


def mend_registers(emu):
    """Corrects registers of 16-bit instructions. On CDNA, these instructions address 256 registers. The emulator interprets a register
    number of 128 or more as the upper half of a register, as on RDNA 3 (CDNA 3 ISA, "VOP1"; RDNA 3 ISA, "VGPR Addressing of 16-bit
    Operands")."""
    emu._of_cdna = lambda inst: ".cdna." in type(inst).__module__ + "."
    texts = {
        "_load_vsrc0": [("if bits['s0'] == 16:", "if bits['s0'] == 16 and not _of_cdna(inst):")],
        "_compile_vop12": [
            ("write_hi_half = bits['d'] == 16 and", "write_hi_half = not _of_cdna(inst) and bits['d'] == 16 and"),
            ("vsrc1_hi = bits['s0'] == 16 and", "vsrc1_hi = not _of_cdna(inst) and bits['s0'] == 16 and"),
        ],
        "_compile_vopc": [("if bits['s0'] == 16:\n      vsrc1_hi", "if bits['s0'] == 16 and not _of_cdna(inst):\n      vsrc1_hi")],
    }
    for name, changes in texts.items():
        before = getattr(emu, name)
        text = inspect.getsource(before)
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        # Annotations contain names of types that this module does not import.
        exec(compile("from __future__ import annotations\n" + text, emu.__file__, "exec"), emu.__dict__)
        for kind, handler in list(emu._INST_HANDLERS.items()):
            if handler is before:
                emu._INST_HANDLERS[kind] = getattr(emu, name)


def mend_handlers(emu):
    """Corrects carries, results of atomics, moves between lanes, loads into half of a register, saturating sums, and long branches.
    Refuses instructions that the emulator computes incorrectly."""
    if hasattr(emu, "_cube_mended"):
        return emu
    emu._cube_mended = True
    keep_decoded(emu)
    mend_waves(emu)
    mend_registers(emu)
    mend_extremes()
    mend_narrow_floats()
    mend_division(emu)

    # `v_add_co_u32` and similar instructions set a carry bit for each active lane, and 0 for inactive lanes (CDNA 3 ISA, "VCC"). The
    # emulator also sets the bits of inactive lanes. Code that combines such a mask with EXEC would then run lanes that do not exist.
    kind = emu._Ctx
    compile_vop, unroll = kind.compile_vop_pcode, kind.unroll_lanes
    inside, context, instruction, stored, atomic = [], [], [], [], []

    def compile_vop_pcode(self, *args, **kwargs):
        inside.append(True)
        try:
            return compile_vop(self, *args, **kwargs)
        finally:
            inside.pop()

    def unroll_lanes(self, bit, exec_mask, apply_exec=True):
        return unroll(self, bit, exec_mask, apply_exec or bool(inside))

    kind.compile_vop_pcode, kind.unroll_lanes = compile_vop_pcode, unroll_lanes

    # The register contains positions along y and z above bit 10 only if the descriptor requests them (LLVM, "User Guide for AMDGPU
    # Backend", ENABLE_VGPR_WORKITEM_ID). Code that reads only x uses the whole register.
    init = emu._init_wave

    def init_wave(*args, **kwargs):
        wave = init(*args, **kwargs)
        rsrc2, lanes = args[7], args[14]
        register = (ctypes.c_uint32 * lanes).from_address(wave.vgpr_buf._buf.va_addr)
        mask = [0x3FF, 0xFFFFF, 0x3FFFFFFF, 0x3FFFFFFF][rsrc2 >> 11 & 3]
        for lane in range(lanes):
            register[lane] &= mask
        return wave

    emu._init_wave = init_wave

    # In the emulator, inactive lanes also load from shared memory, and store the old value at the address of a store or an atomic. The
    # registers of inactive lanes contain no address, so these accesses can be outside of the memory.
    parse, write = emu.parse_pcode, emu._write_val

    def parse_pcode(pcode, srcs=None, *args, **kwargs):
        # A load into half of a register keeps the other half (RDNA 3 ISA, "DS_LOAD_U16_D16"). The emulator writes to the wrong half.
        if srcs and "_lds" in srcs and "is preserved." in pcode:
            ctx, inst = context[-1], instruction[-1]
            loaded = re.match(r"RETURN_DATA\[(\d+) : \d+\]\.[iu]16 = (.*);", pcode)
            low = "(KEPT.u32 & 0xFFFF0000U) | (32'U({}) & 0xFFFFU)"
            high = "(KEPT.u32 & 0xFFFFU) | (32'U({}) << 16U)"
            pcode = "RETURN_DATA.b32 = " + (low if loaded[1] == "15" else high).format(loaded[2])
            srcs = {**srcs, "KEPT": ctx.rvgpr_dyn(ctx.inst_field(type(inst).vdst), srcs["laneId"])}
        # Saturating sums of packed 16-bit integers and of bytes. In the emulator, these sums wrap around.
        if instruction and saturates(instruction[-1]):
            operand = r"(S\d(?:\[\d+ : \d+\])?\.([iu])16)"
            pcode, count = re.subn(operand + " ([+-]) " + operand, lambda m: f"{SUMS[m[3]]}_{m[2]}16({m[1]}, {m[4]})", pcode)
            assert count, pcode
        # The address of the next instruction, for long branches.
        if srcs and "PC + 4LL" in pcode and "PC" not in srcs:
            srcs = {**srcs, "PC": context[-1].rpc().cast(emu.dtypes.int64)}
        if srcs and "_lds" in srcs:
            srcs = {"_active": emu._lane_active(context[-1].rexec(), srcs["laneId"]), **srcs}
        # The lane selection of `v_permlanex16` can be a literal. The emulator reads a literal as 0.
        if srcs and "lanesel" in pcode:
            ctx, inst = context[-1], instruction[-1]
            literal = ctx.optional_field(inst, "literal")
            for name in [] if literal is None else ["src1", "src2"]:
                given = ctx.inst_field(getattr(type(inst), name)).eq(emu._c(255))
                srcs = {**srcs, "S" + name[-1]: given.where(literal, srcs["S" + name[-1]])}
        # A compare-and-swap of 64 bits has two numbers in four registers. The emulator reads only one register.
        if srcs and "DATA[127 : 64].u64" in pcode:
            ctx, inst = context[-1], instruction[-1]
            field = ctx.inst_field(type(inst).vsrc if hasattr(type(inst), "vsrc") else type(inst).data)
            word = lambda at: ctx.rvgpr_dyn(field + emu._c(at), srcs["laneId"])
            pcode = pcode.replace("DATA[63 : 0].u64", "DATA.u64").replace("DATA[127 : 64].u64", "COMPARED.u64")
            srcs = {**srcs, "DATA": emu._u64(word(0), word(1)), "COMPARED": emu._u64(word(2), word(3))}
        return parse(pcode, srcs, *args, **kwargs)

    # If the result register of an atomic is also its address or data register, the emulator overwrites the register before the access
    # to memory. The corrected code writes the result after the access to memory.
    def write_val(bits, val, wfn, reg_or_addr, *args, is_mem=False):
        if is_mem:
            shared = reg_or_addr.dtype == emu.dtypes.uint32
            memory, width = (context[-1].lds, 32) if shared else (context[-1].vmem, 64)
            wfn = lambda addr, word, active: emu._mem_store(memory, addr, word, active, width)[0]
        elif stored and atomic:
            after = emu.UOp.group(*stored)
            wfn = lambda reg, word, lane, active: context[-1].wvgpr_dyn(reg, lane, word, active, after)
        result = write(bits, val, wfn, reg_or_addr, *args, is_mem=is_mem)
        if is_mem:
            stored.extend(result)
        return result

    emu.parse_pcode, emu._write_val = parse_pcode, write_val

    # `row_xmask` reads lane `lane ^ n` of the same row of 16 lanes (RDNA 3 ISA, "DPP16", DPP_ROW_XMASK). The emulator lacks this
    # modifier.
    control = emu._dpp16_ctrl

    def dpp16_ctrl(lane, dpp, row_mask, bank_mask, wave_size):
        if dpp & 0x1F0 != 0x160:
            return control(lane, dpp, row_mask, bank_mask, wave_size)
        # The identity permutation of four lanes.
        source, enabled, valid = control(lane, 0b11_10_01_00, row_mask, bank_mask, wave_size)
        return source ^ emu._c(dpp & 15, emu.dtypes.int), enabled, valid

    emu._dpp16_ctrl = dpp16_ctrl

    # SDWA can negate a float operand that is a part of a register (CDNA 3 ISA, "SDWA"). The emulator ignores this negation.
    select, selected = emu._sdwa_select, []

    def sdwa_select(val, sel, sext):
        inst = instruction[-1]
        number = len(selected) % 2 if hasattr(type(inst), "vsrc1") else 0
        selected.append(number)
        found = select(val, sel, sext)
        sign = 0x8000 if re.search("_F16", emu._op_name(inst)) else 0x80000000
        if emu._iattr(inst, f"src{number}_abs"):
            found = found & emu._c(sign ^ 0xFFFFFFFF)
        return found ^ emu._c(sign) if emu._iattr(inst, f"src{number}_neg") else found

    emu._sdwa_select = sdwa_select

    # With DPP, an instruction with three operands reads the permuted register as its first operand. The emulator reads the register
    # whose number is in the encoding of the first operand.
    read = kind.rsrc_dyn

    def rsrc_dyn(self, off, lane=None, *args, **kwargs):
        found = read(self, off, lane, *args, **kwargs)
        inst = instruction[-1] if instruction else None
        # The mask of `v_cndmask` in planes of 64 lanes on RDNA has two registers.
        if wide[0] and type(inst).__name__.startswith("VOP3") and "CNDMASK" in emu._op_name(inst) and off is self.inst_field(type(inst).src2):
            return self.rmask(off)
        if lane is None or not with_dpp(inst) or off is not self.inst_field(type(inst).src0):
            return found
        if emu._iattr(inst, "src0_abs") or emu._iattr(inst, "src0_neg") or emu._iattr(inst, "src1_abs") or emu._iattr(inst, "src1_neg"):
            raise NotImplementedError(f"{emu._op_name(inst)} with DPP and signs")
        return emu._load_dpp16_src0(self, inst, lane, emu._c(0))

    kind.rsrc_dyn = rsrc_dyn

    # The emulator caches compiled code for all registers, so each instruction is checked when it is decoded.
    decode = emu._decode_at

    # The emulator runs lanes one after the other. If a move between lanes writes to its source register, later lanes would read results
    # of the same move. The corrected move reads a copy of the register. The copy is in a register that the kernel does not use.
    def decode_at(pc, arch):
        found = relative(pc, arch) or decode(pc, arch)
        refuse(found[1])
        field = own_source(found[1])
        return found if field is None else copied(pc, arch, found[1], field)

    emu._decode_at = decode_at

    def own_source(inst):
        name = emu._op_name(inst)
        if hasattr(type(inst), "dpp") and hasattr(type(inst), "vsrc0"):
            field, source = type(inst).vsrc0, inst.vsrc0
        elif "PERMLANE" in name and "16" in name:
            field, source = type(inst).src0, inst.src0
        else:
            return None
        return field if inst.vdst.offset == source.offset else None

    def copied(pc, arch, inst, field):
        if registers[0] > SPARE:
            raise NotImplementedError(f"{emu._op_name(inst)} into its own register, where the kernel takes all registers")
        text, wide = ctypes.c_uint64.from_address(pc), field.hi - field.lo == 8
        mask = (1 << field.hi - field.lo + 1) - 1
        text.value = text.value & ~(mask << field.lo) | (SPARE + 256 * wide) << field.lo
        (prg, runtime), _ = decode(pc, arch)
        size, at = emu._wave_size(arch) * 4, list(prg.arg.globals).index(1)
        own = inst.vdst.offset & 0xFF

        def run(*buffers):
            base = buffers[at].value
            ctypes.memmove(base + SPARE * size, base + own * size, size)
            runtime.fxn(*buffers)

        return (prg, types.SimpleNamespace(fxn=run)), inst

    def saturates(inst):
        """Whether an instruction of packed halves or of parts of registers adds or subtracts 16-bit integers with saturation."""
        name = emu._op_name(inst)
        packed = name.startswith("V_PK_") or "SDWA" in type(inst).__name__
        return packed and re.search("(ADD|SUB)(_NC)?_[IU]16", name) and emu._iattr(inst, "clmp")

    # `v_movreld_b32` and `v_movrels_b32` add M0 to the number of the destination or source register (RDNA 3 ISA, "V_MOVRELD_B32"). The
    # sum is known only when the instruction runs.
    def relative(pc, arch):
        inst = emu.decode_inst(bytes((ctypes.c_char * 16).from_address(pc).raw), arch)
        field = {"V_MOVRELD_B32_E32": "vdst", "V_MOVRELS_B32_E32": "src0"}.get(emu._op_name(inst))
        if field is None:
            return None
        text, op, moved = ctypes.c_uint64.from_address(pc), type(inst).op, getattr(type(inst), field)
        original = text.value
        move = original & ~((1 << op.hi - op.lo + 1) - 1 << op.lo) | 1 << op.lo
        text.value = move
        (prg, runtime), _ = decode(pc, arch)
        text.value = original
        at = list(prg.arg.globals).index(0)

        def run(*buffers):
            distance = ctypes.c_uint32.from_address(buffers[at].value + 4 * M0).value
            text.value = move + (distance << moved.lo)
            runtime.fxn(*buffers)
            text.value = original

        return (prg, types.SimpleNamespace(fxn=run)), inst

    def with_dpp(inst):
        return type(inst).__name__ in ("VOP3_DPP16", "VOP3_SDST_DPP16") and emu._op_name(inst)[:5] != "V_CMP"

    def refuse(inst):
        name = emu._op_name(inst)
        if "SDWA" in type(inst).__name__ and emu._iattr(inst, "clmp") and not saturates(inst):
            raise NotImplementedError(f"{name} of bytes, which saturates")
        if "DPP" in type(inst).__name__ and type(inst).__name__.startswith("VOP3") and not with_dpp(inst):
            raise NotImplementedError(f"{name} of {type(inst).__name__}")
        if "DPP8" in type(inst).__name__:
            raise NotImplementedError(f"{name} with DPP8")
        if name.startswith("V_PK_") and emu._iattr(inst, "clmp") and not saturates(inst):
            raise NotImplementedError(f"{name}, which saturates")
        if "ATOMIC" in name and emu._iattr(inst, "acc"):
            raise NotImplementedError(f"{name} of accumulation registers")

    # The emulator does not clamp sums of signed 16-bit integers. On CDNA, it also does not clamp sums of i32 and of u16 (CDNA 3 ISA, "V_ADD_I32", "V_ADD_I16").
    from test.mockgpu.amd.pcode import _FUNCS as pcode_functions

    clamped = emu._int_clamp

    def saturated(kind, signed, bits):
        from tinygrad import dtypes

        wide, word = (dtypes.int32, dtypes.uint16) if bits == 16 else (dtypes.int64, dtypes.uint32)

        def number(x):
            x = (x.bitcast(word) if x.dtype.itemsize == word.itemsize else x.cast(word)).cast(wide)
            half = 1 << (bits - 1)
            return (x ^ half) - half if signed else x

        def of(x, y):
            x, y = number(x), number(y)
            total = {"ADD": x + y, "SUB": x - y, "SUBREV": y - x}[kind]
            low = -(1 << (bits - 1)) if signed else 0
            return (total.clamp(low, low + (1 << bits) - 1) & ((1 << bits) - 1)).cast(word)

        return of

    for sign, kind_of_sum in (("+", "ADD"), ("-", "SUB")):
        for letter in "iu":
            pcode_functions[f"{SUMS[sign]}_{letter}16"] = saturated(kind_of_sum, letter == "i", 16)

    def int_clamp(name, srcs):
        found = re.match(r"V_(ADD|SUB|SUBREV)_(?:NC_)?([IU])(16|32)", name)
        if not found:
            return clamped(name, srcs)
        kind, signed, bits = found[1], found[2] == "I", int(found[3])
        return saturated(kind, signed, bits)(srcs["S0"], srcs["S1"])

    emu._int_clamp = int_clamp

    def wrapped(handler):
        def compile(inst, ctx):
            context[:], instruction[:], stored[:], selected[:] = [ctx], [inst], [], []
            # The end of a long branch. The emulator would continue with the next instruction.
            if emu._op_name(inst) == "S_SETPC_B64":
                low, high = emu._split64(ctx.rsrc_dyn(ctx.inst_field(type(inst).ssrc0), None, 64, None))
                to = [ctx.wsgpr_dyn(emu._c(emu.PC_LO_IDX), low), ctx.wsgpr_dyn(emu._c(emu.PC_HI_IDX), high)]
                return emu.UOp.sink(*to)
            atomic[:] = [True] if "ATOMIC" in emu._op_name(inst) or "_RTN" in emu._op_name(inst) else []
            return handler(inst, ctx)

        return compile

    for kind, handler in list(emu._INST_HANDLERS.items()):
        emu._INST_HANDLERS[kind] = wrapped(handler)
    return emu


def keep_runners(emu):
    """Stores the machine code of instructions in a file, because compilation takes most of the time of a short run. The file is beside
    the emulator's own cache. Its name contains a hash of all sources that determine the machine code. Later processes load the file."""
    import tinygrad
    from test.mockgpu.amd import pcode
    from tinygrad.device import Device

    if hasattr(emu, "_cube_runners") or "CACHEDB" not in os.environ:
        return emu
    emu._cube_runners = True
    texts = [open(file, "rb").read() for file in (__file__, path, emu.__file__, pcode.__file__)]
    device = Device["CPU"]
    # The C compiler generates code for this processor, so the hash contains the processor's features.
    flags = next((line for line in open("/proc/cpuinfo", "rb") if line.startswith(b"flags")), b"")
    texts += [os.path.dirname(tinygrad.__file__).encode(), str(device.renderer.target).encode(), flags]
    name = hashlib.sha256(b"".join(hashlib.sha256(text).digest() for text in texts)).hexdigest()[:16]
    file = f"{os.environ['CACHEDB']}.{name}"
    known = collections.defaultdict(list)
    try:
        with open(file, "rb") as kept:
            fcntl.flock(kept, fcntl.LOCK_SH)
            while True:
                key, entry = pickle.load(kept)
                known[key].append(entry)
    except (FileNotFoundError, EOFError):
        pass
    except (pickle.UnpicklingError, ValueError, IndexError):
        # A killed process has written an incomplete entry.
        os.unlink(file)

    @functools.cache
    def program(code, used):
        return types.SimpleNamespace(arg=types.SimpleNamespace(globals=used)), device.runtime(pickle.loads(code))

    compiled = emu._get_runner

    @functools.cache
    def kept_runner(text, arch, is_wide):
        inst = emu.decode_inst(text, arch)
        size, word = inst.size(), int.from_bytes(text[: inst.size()], "little")
        key = arch, type(inst).__name__, size, wide[0]
        for base, mask, code, used in known[key]:
            if word & mask == base:
                return program(code, used)
        before = len(emu._canonical_runner_cache)
        prg, runtime = compiled(text, arch)
        if len(emu._canonical_runner_cache) > before:
            _, base, mask, size, _ = emu._canonical_runner_cache[-1]

            def keep(code):
                entry = base, mask, pickle.dumps(code), tuple(prg.arg.globals)
                with open(file, "ab") as kept:
                    fcntl.flock(kept, fcntl.LOCK_EX)
                    kept.write(pickle.dumps((key, entry)))

            if isinstance(runtime, Waiting):
                runtime.keep = keep
            else:
                keep(prg.to_elf())
        return prg, runtime

    emu._get_runner = lambda text, arch: kept_runner(text, arch, wide[0])
    return emu


class Text(bytes):
    """The C text of an instruction in the place of its machine code."""


class Waiting:
    """The machine code of an instruction that waits for the compiler. The first use compiles all instructions that wait."""

    all = []

    def __init__(self, code, runtime):
        self.code, self.runtime, self.loaded, self.keep = code, runtime, None, lambda code: None
        Waiting.all.append(self)

    @property
    def fxn(self):
        if self.loaded is None:
            Waiting.compile()
        return self.loaded.fxn

    @staticmethod
    def compile():
        from tinygrad.device import Device
        from tinygrad.helpers import diskcache_put

        compiler, instructions = Device["CPU"].renderer.compiler, Waiting.all
        Waiting.all = []
        texts = list({instruction.code.lib.decode(): None for instruction in instructions})
        codes = machine_codes(compiler, texts)
        for text in texts:
            if text not in codes:
                codes[text] = compiler.compile(text)
            if compiler.cachekey is not None:
                diskcache_put(compiler.cachekey, text, codes[text])
        for instruction in instructions:
            instruction.code = dataclasses.replace(instruction.code, lib=codes[instruction.code.lib.decode()])
            instruction.loaded = instruction.runtime(instruction.code)
            instruction.keep(instruction.code)


def machine_codes(compiler, texts):
    """Compiles C texts in one call of clang, because the start of clang takes longer than the compilation of an instruction. The result
    has the position-independent code of each text: its function, and then the constants of the function. It is empty if clang refuses
    the texts together, or if a function needs a library: then each text is compiled alone."""
    from tinygrad.runtime.autogen import libc
    from tinygrad.runtime.support.elf import elf_loader

    if len(texts) < 2:
        return {}
    named = [re.subn(r"^void \w+\(", f"void f{number}(", text, flags=re.MULTILINE) for number, text in enumerate(texts)]
    if any(count != 1 for _, count in named):
        return {}
    try:
        image, sections, relocations = elf_loader(compiler.compile("\n".join(text for text, _ in named)))
    except (subprocess.CalledProcessError, RuntimeError):
        return {}
    loaded = [section for section in sections if section.header.sh_type == libc.SHT_PROGBITS and section.header.sh_size > 0]
    named, codes = {section.name: section for section in loaded}, {}
    for number, text in enumerate(texts):
        own = named[f".text.f{number}"].header
        code, places = bytearray(image[own.sh_addr : own.sh_addr + own.sh_size]), {}
        for at, to, kind, addend in relocations:
            if not own.sh_addr <= at < own.sh_addr + own.sh_size:
                continue
            used = next(section for section in loaded if section.header.sh_addr <= to < section.header.sh_addr + section.header.sh_size)
            if kind != libc.R_X86_64_PC32 or used.name.startswith(".text"):
                return {}
            if used.name not in places:
                # The code is loaded at the beginning of a page.
                code += b"\0" * (-len(code) % used.header.sh_addralign)
                places[used.name] = len(code)
                code += used.content
            at -= own.sh_addr
            struct.pack_into("<i", code, at, places[used.name] + to - used.header.sh_addr + addend - at)
        codes[text] = bytes(code)
    return codes


# The number of instructions that one call of clang compiles.
TOGETHER = 40


def compile_together(emu):
    """Compiles an instruction together with the instructions after it that are not compiled yet. Instructions are compiled when they run
    first; the emulator calls clang for each instruction."""
    from tinygrad.device import Device
    from tinygrad.helpers import diskcache_get
    from tinygrad.runtime.support.compiler_cpu import ClangCompiler

    if hasattr(emu, "_cube_together"):
        return emu
    emu._cube_together = True

    def compile_cached(self, text):
        found = None if self.cachekey is None else diskcache_get(self.cachekey, text)
        return Text(text.encode()) if found is None else found

    ClangCompiler.compile_cached = compile_cached

    def get_runtime(device, prg):
        code, runtime = prg.to_elf(), Device[device].runtime
        return Waiting(code, runtime) if isinstance(code.lib, Text) else runtime(code)

    emu.get_runtime = get_runtime
    run_asm, decode, end = emu.run_asm, emu._decode_at, [0]

    def run(lib, size, *args, **kwargs):
        end[0] = lib + size
        return run_asm(lib, size, *args, **kwargs)

    def decode_at(pc, arch):
        found = decode(pc, arch)
        if Waiting.all:
            prepare(pc + found[1].size(), arch)
        return found

    def prepare(pc, arch):
        while pc < end[0] and len(Waiting.all) < TOGETHER:
            text = bytes((ctypes.c_char * 16).from_address(pc).raw)
            try:
                inst = emu.decode_inst(text, arch)
                emu._get_runner(text[: inst.size() + 4], arch)
            except Exception:
                # The emulator reports the reason if the kernel runs the instruction.
                return
            if emu._op_name(inst) == "S_ENDPGM":
                return
            pc += inst.size()

    emu.run_asm, emu._decode_at = run, decode_at
    return emu


def compile_quickly():
    """Compiles instructions with `-O1` instead of `-O2`, in a fourth less time: most instructions run a few times only. Of two levels in
    its arguments, clang uses the last one. Each function has its own section, so that `machine_codes` can separate them."""
    from tinygrad.runtime.support.compiler_cpu import ClangCompiler

    def made(self, *args, original=ClangCompiler.__init__, **options):
        original(self, *args, **options)
        self.args = [*self.args, "-O1", "-ffunction-sections"]

    ClangCompiler.__init__ = made


if "--worker" in sys.argv:
    mend()
    compile_quickly()
    made = emulator.emulator
    emulator.emulator = lambda ftz: keep_runners(compile_together(mend_handlers(made(ftz))))


class Watched:
    """`ctypes`, but with a list of all results of `string_at`."""

    def __init__(self):
        self.seen = []

    def __getattr__(self, name):
        return getattr(ctypes, name)

    def string_at(self, address, size=-1):
        data = ctypes.string_at(address, size)
        self.seen.append(data)
        return data


class Shifted:
    """`struct`, but subtracts a distance from the addresses of some buffers. Such a buffer represents the end of a large buffer; the
    other parts of the large buffer do not exist."""

    def __init__(self, distances):
        self.lowered, self.left = {}, list(distances)

    def __getattr__(self, name):
        return getattr(struct, name)

    def alloc(self, *args, original=emulator.alloc):
        address = original(*args)
        # Buffers are allocated in the order of the arguments. Later allocations belong to the launch itself.
        if self.left:
            self.lowered[address] = self.left.pop(0)
        return address

    def pack(self, form, *values):
        if form == "<Q":
            values = [value - self.lowered.get(value, 0) for value in values]
        return struct.pack(form, *values)


def run(job, here, original=emulator.run):
    emulator.ctypes = Watched()
    emulator.struct = Shifted(arg.get("before", 0) for arg in job["args"] if "file" in arg)
    emulator.alloc = emulator.struct.alloc
    verdict = original(job, here)
    if "dump" in job:
        buffers = sum("file" in a for a in job["args"])
        # The first text is the kernel descriptor, and the next texts are the buffers.
        with open(os.path.join(here, job["dump"]), "wb") as out:
            out.writelines(emulator.ctypes.seen[1 : 1 + buffers])
    return verdict


def load(file, kernel, original=emulator.load):
    found = original(file, kernel)
    registers[0] = found["meta"].get(".vgpr_count", SPARE + 1)
    wide[0] = found["arch"] != "cdna" and found["meta"].get(".wavefront_size") == 64
    if wide[0]:
        # run.py refuses such waves.
        found["meta"] = {**found["meta"], ".wavefront_size": 32}
    return found


emulator.run, emulator.load = run, load
emulator.main()
