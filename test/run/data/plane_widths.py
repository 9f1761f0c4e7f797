#!/usr/bin/env python3
"""Writes test/run/plane_widths.mlir, its inputs and its expected results. Python's numbers compute the results lane by lane.

    python3 test/run/data/plane_widths.py

The meaning of each operation is that of its description in dialects/cube/td/CubePlanes.td, not that of any implementation.
"""
import math
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).parent
WIDTHS = [8, 16, 64]
CUBES = 2
RESULTS = 11
FLAGS = 4


class Int8:
    name, code, suffix = "i8", ("b", "|i1"), "i"
    words = {"add": "addi", "min": "minsi", "max": "maxsi"}
    below, above = -128, 127

    @staticmethod
    def add(a, b):
        return (a + b + 128) % 256 - 128

    @staticmethod
    def some(rng):
        return rng.choice([rng.randint(-128, 127), rng.randint(-9, 9)])


class Float:
    suffix = "f"
    words = {"add": "addf", "min": "minf", "max": "maxf"}
    below, above = -math.inf, math.inf

    def __init__(self, name, letter, kind):
        self.name, self.code = name, (letter, kind)

    def rounded(self, value):
        return struct.unpack("<" + self.code[0], struct.pack("<" + self.code[0], value))[0]

    # A sum of two f16 is exact in f64, so it is rounded once.
    def add(self, a, b):
        return self.rounded(a + b)

    # Few of the sums are exact, so a different order changes the result.
    def some(self, rng):
        return rng.choice([self.rounded(rng.uniform(-4, 4)), self.rounded(rng.uniform(-0.01, 0.01)), 0.0, -0.0])


TYPES = [Int8, Float("f16", "e", "<f2"), Float("f64", "d", "<f8")]


def signed(word):
    return word - (1 << 32) if word >> 31 else word


def smaller(a, b):
    return (a, math.copysign(1, a)) < (b, math.copysign(1, b))


def functions(ty):
    """Each combining operation, with its identity element."""
    return {
        "add": (ty.add, 0),
        "min": (lambda a, b: a if smaller(a, b) else b, ty.above),
        "max": (lambda a, b: b if smaller(a, b) else a, ty.below),
    }


def both(f, a, b):
    return b if a is None else a if b is None else f(a, b)


class Plane:
    """The values of the active lanes, indexed by lane."""

    def __init__(self, ty, width, values):
        self.functions, self.width, self.values = functions(ty), width, values

    def lanes(self):
        return [self.values.get(lane) for lane in range(self.width)]

    def reduce(self, word):
        f, _ = self.functions[word]
        lanes, half = self.lanes(), self.width // 2
        while half:
            lanes = [both(f, lanes[i], lanes[i + half]) for i in range(half)]
            half //= 2
        return {lane: lanes[0] for lane in self.values}

    def scan(self, word, own):
        f, nothing = self.functions[word]
        lanes, distance = self.lanes(), 1
        while distance < self.width:
            lanes = [both(f, lanes[i - distance] if i >= distance else None, lanes[i]) for i in range(self.width)]
            distance *= 2
        if not own:
            lanes = [None] + lanes[:-1]
        return {lane: nothing if lanes[lane] is None else lanes[lane] for lane in self.values}

    def read(self, source):
        return {lane: self.values.get(source(lane), value) for lane, value in self.values.items()}

    def ballot(self, holds):
        word = sum(1 << lane for lane, value in self.values.items() if holds(value))
        return [signed(word & 0xFFFFFFFF), signed(word >> 32)]


def plane(ty, width, first, values):
    """Results and flags of the units of one plane. The argument is the number of the plane's first unit in the cube."""
    all_of = Plane(ty, width, values)
    unit = {lane: first + lane for lane in values}
    results = {lane: [] for lane in values}

    def note(found):
        for lane, value in found.items():
            results[lane].append(value)

    note(all_of.reduce("add"))
    note(all_of.reduce("min"))
    note(all_of.scan("add", True))
    note(all_of.scan("max", False))
    note(all_of.read(lambda lane: lane ^ 3))
    note(all_of.read(lambda lane: lane + lane))
    note(all_of.read(lambda lane: 3))
    mine = Plane(ty, width, {lane: v for lane, v in values.items() if unit[lane] % 3})
    rest = Plane(ty, width, {lane: v for lane, v in values.items() if unit[lane] % 3 == 0})
    note(mine.reduce("max"))
    note(mine.scan("add", False))
    note(mine.read(lambda lane: lane ^ 1))
    note(rest.reduce("add"))
    note(rest.scan("min", True))
    note(rest.read(lambda lane: lane + 3))
    carried = dict(values)
    for turn in range(3):
        here = Plane(ty, width, {lane: v for lane, v in carried.items() if unit[lane] & 3 > turn})
        for lane, low in here.reduce("min").items():
            carried[lane] = ty.add(carried[lane], low)
    note(carried)

    def positive(value):
        return value > 0

    words = all_of.ballot(positive)
    any_of, every = any(map(positive, values.values())), all(map(positive, values.values()))
    flags = {}
    for lane in values:
        part = mine if unit[lane] % 3 else rest
        word = part.ballot(positive)[0 if unit[lane] % 3 else 1]
        elected = 4 * (lane == min(values)) + 8 * (lane == min(part.values))
        flags[lane] = [any_of + 2 * every + elected, words[0], words[1], word]
    return results, flags


def save(name, kind, letter, values):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
    (HERE / f"{name}.npy").write_bytes(data + struct.pack(f"<{len(values)}{letter}", *values))


def kernel(ty, width):
    t, add, low, high = ty.name, ty.words["add"], ty.words["min"], ty.words["max"]
    zero = f"arith.constant 0{'.0' if ty.suffix == 'f' else ''} : {t}"
    above = "arith.cmpf ogt," if ty.suffix == "f" else "arith.cmpi sgt,"
    text = f"""
cube.kernel @{t}_{width}(%x: !cube.array<{t}>, %r: !cube.array<{t}>, %f: !cube.array<i32>) cube_dim({width + 5}) attributes {{cube.plane_dim = {width} : i32}} {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %eight = arith.constant 8 : i32
  %nothing = {zero}
  %u = cube.topology unit_pos
  %i = cube.topology absolute_pos
  %lane = cube.topology unit_pos_plane
  %v = cube.load %x[%i] : !cube.array<{t}> -> {t}
  %positive = {above} %v, %nothing : {t}
  %r0 = cube.plane_reduce {add} %v : {t}
  %r1 = cube.plane_reduce {low} %v : {t}
  %r2 = cube.plane_scan inclusive {add} %v : {t}
  %r3 = cube.plane_scan exclusive {high} %v : {t}
  %r4 = cube.plane_shuffle xor %v, %three : {t}
  %r5 = cube.plane_shuffle down %v, %lane : {t}
  %r6 = cube.plane_broadcast %v, %three : {t}
  %any = cube.plane_vote any %positive
  %all = cube.plane_vote all %positive
  %me = cube.plane_elect
  %bits = cube.plane_ballot %positive : vector<4xi32>
  %f1 = vector.extract %bits[0] : i32 from vector<4xi32>
  %f2 = vector.extract %bits[1] : i32 from vector<4xi32>
  // Two of three units take the first branch, the others take the second branch.
  %third = cube.remui %u, %three : i32
  %mine = arith.cmpi ne, %third, %zero : i32
  %part:5 = scf.if %mine -> ({t}, {t}, {t}, i32, i1) {{
    %a = cube.plane_reduce {high} %v : {t}
    %b = cube.plane_scan exclusive {add} %v : {t}
    %c = cube.plane_shuffle xor %v, %one : {t}
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[0] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : {t}, {t}, {t}, i32, i1
  }} else {{
    %a = cube.plane_reduce {add} %v : {t}
    %b = cube.plane_scan inclusive {low} %v : {t}
    %c = cube.plane_shuffle down %v, %three : {t}
    %d = cube.plane_ballot %positive : vector<4xi32>
    %word = vector.extract %d[1] : i32 from vector<4xi32>
    %first = cube.plane_elect
    scf.yield %a, %b, %c, %word, %first : {t}, {t}, {t}, i32, i1
  }}
  // Each unit leaves the loop after u mod 4 iterations.
  %trips = arith.andi %u, %three : i32
  %r10 = scf.for unsigned %k = %zero to %trips step %one iter_args(%a = %v) -> ({t}) : i32 {{
    %low = cube.plane_reduce {low} %a : {t}
    %next = arith.{add} %a, %low : {t}
    scf.yield %next : {t}
  }}
  %any_i = arith.extui %any : i1 to i32
  %all_i = arith.extui %all : i1 to i32
  %me_i = arith.extui %me : i1 to i32
  %first_i = arith.extui %part#4 : i1 to i32
  %all_2 = arith.shli %all_i, %one : i32
  %me_4 = arith.shli %me_i, %two : i32
  %first_8 = arith.muli %first_i, %eight : i32
  %s0 = arith.ori %any_i, %all_2 : i32
  %s1 = arith.ori %me_4, %first_8 : i32
  %f0 = arith.ori %s0, %s1 : i32
  %results = arith.constant {RESULTS} : i32
  %at = arith.muli %i, %results : i32
  %fat = arith.shli %i, %two : i32
"""
    names = [f"%r{n}" for n in range(7)] + ["%part#0", "%part#1", "%part#2", "%r10"]
    for buffer, start, element, values in [("%r", "%at", t, names), ("%f", "%fat", "i32", ["%f0", "%f1", "%f2", "%part#3"])]:
        for number, value in enumerate(values):
            at = f"{start}_{number}"
            text += f"  %n{at[1:]} = arith.constant {number} : i32\n  {at} = arith.addi {start}, %n{at[1:]} : i32\n"
            text += f"  cube.store {value}, {buffer}[{at}] : {element}, !cube.array<{element}>\n"
    return text + "  cube.return\n}\n"


def main():
    rng = random.Random(2026)
    head = """// Plane operations on planes of 8, 16 and 64 lanes, on elements of 8, 16 and 64 bits: on all lanes, under a mask, in a
// divergent loop, and in a partial plane. data/plane_widths.py generates the file and the expected values.
// SKIP: cuda its planes have 32 lanes, and these values are those of others
"""
    body = ""
    for ty in TYPES:
        for width in WIDTHS:
            name, units = f"{ty.name}_{width}", width + 5
            values = [ty.some(rng) for _ in range(CUBES * units)]
            results, flags = [], []
            for cube in range(CUBES):
                for first in range(0, units, width):
                    lanes = range(min(width, units - first))
                    found, told = plane(ty, width, first, {lane: values[cube * units + first + lane] for lane in lanes})
                    for lane in lanes:
                        assert len(found[lane]) == RESULTS
                        results += found[lane]
                        flags += told[lane]
            letter, kind = ty.code
            save(f"plane_widths.{name}.x", kind, letter, values)
            save(f"plane_widths.{name}.r", kind, letter, results)
            save(f"plane_widths.{name}.f", "<i4", "i", flags)
            data = f"%S/data/plane_widths.{name}"
            head += f"// RUN-ARGS: --kernel {name} --arg x={data}.x.npy --arg r=zeros:{len(results)} --arg f=zeros:{len(flags)} --cube-count {CUBES} --check r={data}.r.npy --check f={data}.f.npy\n"
            body += kernel(ty, width)
    (HERE.parent / "plane_widths.mlir").write_text(head + body)


main()
