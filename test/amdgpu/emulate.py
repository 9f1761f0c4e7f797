"""Runs the emulator's `run.py` and keeps what its jobs leave in memory.

    python3 emulate.py RUN_PY DIR --tinygrad FOLDER --json OUT ...

The arguments after RUN_PY are those of `run.py`. A job with the key `dump` writes the contents of its buffers after the launch to that
file, one after the other. `run.py` judges buffers against expectations only; these jobs have none, and the caller compares.
"""

import ctypes
import importlib.util
import os
import re
import sys

# A worker of run.py is this script again, with run.py's name in the environment.
path = os.environ.get("CUBE_EMULATOR") or sys.argv.pop(1)
os.environ["CUBE_EMULATOR"] = path
spec = importlib.util.spec_from_file_location("amdgpu_emulator", path)
emulator = importlib.util.module_from_spec(spec)
spec.loader.exec_module(emulator)
emulator.__file__ = os.path.abspath(__file__)


def mend():
    """Faults of the emulator on CDNA. `ds_bpermute` reads the address registers of lanes that do not execute too, takes them for signed numbers, and so
    reads outside of its registers. Only the low bits count (CDNA 3 ISA, "DS_BPERMUTE_B32")."""
    from tinygrad.runtime.autogen.amd.cdna.str_pcode import PCODE
    from tinygrad.runtime.autogen.amd.rdna3.str_pcode import PCODE as RDNA
    from tinygrad.runtime.autogen.amd.rdna4.str_pcode import PCODE as RDNA4

    for codes in (PCODE, RDNA):
        for op, code in list(codes.items()):
            if op.name == "DS_BPERMUTE_B32":
                last = 63 if codes is PCODE else 31
                codes[op] = re.sub("src_lane = .*;", f"src_lane = ((VGPR[i][ADDR].u32 + OFFSET.u32) / 4U) & {last}U;", code)
                assert codes[op] != code
    # Factors of 24 bits have a sign, which is lost on the way to 64 bits.
    for codes in (PCODE, RDNA):
        for op, code in list(codes.items()):
            if op.name.startswith("V_MUL_HI_I32_I24"):
                codes[op] = re.sub(r"64'I\((S[01]\.i24)\)", r"64'I(32'I(\1))", code)
    # `== -0.0` in AMD's text of minima and maxima asks for the sign too; the emulator compares numbers, for which both zeros are equal.
    for op, code in list(PCODE.items()):
        if op.name.startswith(("V_MIN_F", "V_MAX_F")):
            both = r"\(\((64'F\()?S0\.(f\d+)\)? == ([+-])0\.0\) && \((64'F\()?S1\.f\d+\)? == [+-]0\.0\)\)"

            def signed(m):
                zero = lambda s: f"(64'F({s}.{m[2]}) == 0.0)" if m[1] else f"({s}.{m[2]} == 0.0)"
                negative = "S0" if m[3] == "-" else "S1"
                return f"({zero('S0')} && {zero('S1')} && sign({negative}.{m[2]}))"

            PCODE[op] = re.sub(both, signed, code)

    # `V_DIV_SCALE` gives NaN for a subnormal denominator, which its text scales up, and the scales of quotients near either end of the
    # numbers are lost. The last instruction of a division has both operands: there it divides them.
    for codes in (PCODE, RDNA, RDNA4):
        for op, code in list(codes.items()):
            if found := re.match(r"V_DIV_FIXUP_F(32|64)", op.name):
                f, most, bias, low = ("f32", 254, 127, 24) if found[1] == "32" else ("f64", 2046, 1023, 54)
                numerator, denominator = f"exponent(S2.{f})", f"exponent(S1.{f})"
                far = f"({numerator} - {denominator} > {bias // 2}) || ({denominator} - {numerator} > {bias // 2})"
                ends = f"({numerator} <= {low}) || ({denominator} == 0) || ({denominator} >= {most - 1})"
                text = f"elsif (({ends}) || ({far})) then\nD0.{f} = quotient(S2.{f}, S1.{f})\nelsif {numerator}"
                codes[op] = code.replace(f"elsif {numerator}", text, 1)
                assert codes[op] != code


def mend_extremes():
    """The functions `v_min_f32`, `v_max_f32` and their like, which the texts of instructions with three operands or packed halves
    call, take -0 and 0 for equal, and those of f16 lose a number beside NaN. AMD's texts of the functions have -0 below 0 and skip
    NaN; those of `v_minimum` and `v_maximum` give NaN (CDNA 3 ISA, "V_MIN_F32", "V_MIN3_F32"; RDNA 4 ISA, "V_MINIMUM_F32")."""
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

    pcode._FUNCS["quotient"] = lambda a, b: pcode.UOp(pcode.Ops.FDIV, src=(a, b))
    for is_max, short, full in [(False, "min", "minimum"), (True, "max", "maximum")]:
        for name in ["f32", "f16"]:
            for fn in [f"v_{short}_{name}", f"v_{short}3_{name}", f"v_{short}_num_{name}", f"v_{short}3_num_{name}"]:
                pcode._FUNCS[fn] = extreme(is_max, name, False)
            for fn in [f"v_{full}_{name}", f"v_{full}3_{name}"]:
                pcode._FUNCS[fn] = extreme(is_max, name, True)


def mend_handlers(emu):
    """Refuses what is wrong, and mends carries and the results of atomics. Lanes run one after the other, so that a DPP move into its
    own register reads lanes that are written already. A load of half of a register writes the wrong half."""
    if hasattr(emu, "_cube_mended"):
        return emu
    emu._cube_mended = True
    mend_extremes()

    # A carry of `v_add_co_u32` and its like is a bit for each lane that executes, and 0 for the others (CDNA 3 ISA, "VCC"): the
    # emulator sets the others too, and code that joins such a mask with EXEC then runs lanes that do not exist.
    kind = emu._Ctx
    compile_vop, unroll = kind.compile_vop_pcode, kind.unroll_lanes
    inside = []

    def compile_vop_pcode(self, *args, **kwargs):
        inside.append(True)
        try:
            return compile_vop(self, *args, **kwargs)
        finally:
            inside.pop()

    def unroll_lanes(self, bit, exec_mask, apply_exec=True):
        return unroll(self, bit, exec_mask, apply_exec or bool(inside))

    kind.compile_vop_pcode, kind.unroll_lanes = compile_vop_pcode, unroll_lanes

    # Positions along y and z stand above bit 10 of the register only where the descriptor asks for them (LLVM, "User Guide for AMDGPU
    # Backend", ENABLE_VGPR_WORKITEM_ID); code that reads x alone uses the whole register.
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

    # Lanes that do not execute load from shared memory too, and write back what is at the address of a store or an atomic: their
    # registers hold no address, so that both can be outside of memory.
    parse, write = emu.parse_pcode, emu._write_val
    context, instruction, stored, atomic = [], [], [], []

    def parse_pcode(pcode, srcs=None, *args, **kwargs):
        if srcs and "_lds" in srcs:
            srcs = {"_active": emu._lane_active(context[-1].rexec(), srcs["laneId"]), **srcs}
        # The lanes of `v_permlanex16` can be a literal, which the emulator takes for 0.
        if srcs and "lanesel" in pcode:
            ctx, inst = context[-1], instruction[-1]
            literal = ctx.optional_field(inst, "literal")
            for name in [] if literal is None else ["src1", "src2"]:
                given = ctx.inst_field(getattr(type(inst), name)).eq(emu._c(255))
                srcs = {**srcs, "S" + name[-1]: given.where(literal, srcs["S" + name[-1]])}
        # A compare-and-swap of 64 bits has two numbers in four registers, of which the emulator reads one.
        if srcs and "DATA[127 : 64].u64" in pcode:
            ctx, inst = context[-1], instruction[-1]
            field = ctx.inst_field(type(inst).vsrc if hasattr(type(inst), "vsrc") else type(inst).data)
            word = lambda at: ctx.rvgpr_dyn(field + emu._c(at), srcs["laneId"])
            pcode = pcode.replace("DATA[63 : 0].u64", "DATA.u64").replace("DATA[127 : 64].u64", "COMPARED.u64")
            srcs = {**srcs, "DATA": emu._u64(word(0), word(1)), "COMPARED": emu._u64(word(2), word(3))}
        return parse(pcode, srcs, *args, **kwargs)

    # An atomic whose result goes to the register of its address or data reads that register again for memory, after the result is
    # there. The result is written after memory.
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

    # Compiled code is kept for all registers, so that each instruction is looked at where it is decoded.
    decode = emu._decode_at

    def decode_at(pc, arch):
        found = decode(pc, arch)
        refuse(found[1])
        return found

    emu._decode_at = decode_at

    def refuse(inst):
        name = emu._op_name(inst)
        if hasattr(type(inst), "dpp") and hasattr(type(inst), "vsrc0") and inst.vdst.offset == inst.vsrc0.offset:
            raise NotImplementedError(f"{name} by DPP into its own register")
        if "PERMLANE" in name and "16" in name and inst.vdst.offset == inst.src0.offset:
            raise NotImplementedError(f"{name} into its own register")
        if name.startswith("DS_") and "D16" in name:
            raise NotImplementedError(f"{name}, which keeps half of a register")
        if "ATOMIC" in name and emu._iattr(inst, "acc"):
            raise NotImplementedError(f"{name} of accumulation registers")

    def wrapped(handler):
        def compile(inst, ctx):
            context[:], instruction[:], stored[:] = [ctx], [inst], []
            atomic[:] = [True] if "ATOMIC" in emu._op_name(inst) or "_RTN" in emu._op_name(inst) else []
            return handler(inst, ctx)

        return compile

    for kind, handler in list(emu._INST_HANDLERS.items()):
        emu._INST_HANDLERS[kind] = wrapped(handler)
    return emu


if "--worker" in sys.argv:
    mend()
    made = emulator.emulator
    emulator.emulator = lambda ftz: mend_handlers(made(ftz))


class Watched:
    """`ctypes`, with every text that `string_at` gives kept."""

    def __init__(self):
        self.seen = []

    def __getattr__(self, name):
        return getattr(ctypes, name)

    def string_at(self, address, size=-1):
        data = ctypes.string_at(address, size)
        self.seen.append(data)
        return data


def run(job, here, original=emulator.run):
    emulator.ctypes = Watched()
    verdict = original(job, here)
    if "dump" in job:
        buffers = sum("file" in a for a in job["args"])
        # The first text is the kernel descriptor; nothing else is read before the buffers.
        with open(os.path.join(here, job["dump"]), "wb") as out:
            out.writelines(emulator.ctypes.seen[1 : 1 + buffers])
    return verdict


emulator.run = run
emulator.main()
