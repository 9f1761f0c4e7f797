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


def mend_handlers(emu):
    """Refuses what is wrong, and mends carries. Lanes run one after the other, so that a DPP move into its own register reads lanes
    that are written already. A load of half of a register writes the wrong half. An atomic whose result goes to the register of its address computes the address anew after the result is written: it is wrong, or
    reads outside of memory."""
    if hasattr(emu, "_cube_mended"):
        return emu
    emu._cube_mended = True

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
    context = []

    def parse_pcode(pcode, srcs=None, *args, **kwargs):
        if srcs and "_lds" in srcs:
            srcs = {"_active": emu._lane_active(context[-1].rexec(), srcs["laneId"]), **srcs}
        return parse(pcode, srcs, *args, **kwargs)

    def write_val(bits, val, wfn, reg_or_addr, *args, is_mem=False):
        if is_mem:
            shared = reg_or_addr.dtype == emu.dtypes.uint32
            memory, width = (context[-1].lds, 32) if shared else (context[-1].vmem, 64)
            wfn = lambda addr, word, active: emu._mem_store(memory, addr, word, active, width)[0]
        return write(bits, val, wfn, reg_or_addr, *args, is_mem=is_mem)

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
        returns = "RTN" in name or "ATOMIC" in name and emu._iattr(inst, "glc")
        if hasattr(type(inst), "dpp") and hasattr(type(inst), "vsrc0") and inst.vdst.offset == inst.vsrc0.offset:
            raise NotImplementedError(f"{name} by DPP into its own register")
        if name.startswith("DS_") and "D16" in name:
            raise NotImplementedError(f"{name}, which keeps half of a register")
        if returns and getattr(inst, "vdst", None) is not None and repr(inst.vdst) == repr(inst.addr):
            raise NotImplementedError(f"{name} into the register of its address")

    def wrapped(handler):
        def compile(inst, ctx):
            context[:] = [ctx]
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
