"""Compares registers, memory and instructions of Cube's code objects and of clang's code for OpenCL: `compare.py CUBEC LLVM_BIN`.

Prints a table in Markdown. The kernels of `kernels.cl` have the arguments, checks and positions of Cube's.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
KERNELS = {
    "scale": "examples/kernels/scale.mlir",
    "saxpy": "test/run/saxpy.mlir",
    "add": "benches/kernels/add.mlir",
    "add_unchecked": "benches/kernels/add.mlir",
    "add_one": "benches/kernels/add.mlir",
    "fill": "benches/kernels/add.mlir",
    "row_sum": "examples/kernels/row_sum.mlir",
    "cube_scan": "examples/kernels/cube_scan.mlir",
}
CHIPS = ["gfx942", "gfx1100"]
cubec, llvm = sys.argv[1:3]


def measure(file, kernel):
    """VGPRs, SGPRs, bytes of LDS, instructions."""
    notes = subprocess.run([f"{llvm}/llvm-readelf", "--notes", file], capture_output=True, text=True, check=True).stdout
    blocks = re.split(r"\n  - (?=\.agpr_count|\.args)", notes)
    block = next(b for b in blocks if re.search(rf"\.symbol: +{kernel}\.kd", b))
    number = lambda key: int(re.search(rf"\.{key}: +(\d+)", block).group(1))
    code = subprocess.run([f"{llvm}/llvm-objdump", "-d", f"--disassemble-symbols={kernel}", file], capture_output=True, text=True, check=True).stdout
    lines = [line.split()[0] for line in code.splitlines() if line.startswith("\t")]
    # Padding after the end, and hints that need no issue slot.
    kept = lines[: len(lines) - next((i for i, op in enumerate(reversed(lines)) if op == "s_endpgm"), 0)]
    return number("vgpr_count"), number("sgpr_count"), number("group_segment_fixed_size"), len([op for op in kept if op != "s_delay_alu"])


print("| Kernel | Chip | VGPRs | clang | SGPRs | clang | LDS | clang | Instructions | clang |")
print("|---|---|---|---|---|---|---|---|---|---|")
with tempfile.TemporaryDirectory() as folder:
    for chip in CHIPS:
        theirs = f"{folder}/{chip}.hsaco"
        mode = ["-mcumode"] if chip.startswith("gfx1") else []
        source = f"{HERE}/kernels.cl"
        command = [f"{llvm}/clang", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", *mode]
        command += ["-nogpulib", "-mcode-object-version=5", "-O3", "-ffp-contract=off", "-w", source, "-o", theirs]
        subprocess.run(command, check=True, env={**os.environ, "PATH": f"{llvm}:{os.environ['PATH']}"})
        for kernel, file in KERNELS.items():
            own = f"{folder}/{kernel}.hsaco"
            command = [cubec, f"{ROOT}/{file}", "--kernel", kernel, "--target", f"amdgpu:{chip}", "-o", own]
            subprocess.run(command, check=True)
            pairs = zip(measure(own, kernel), measure(theirs, kernel))
            print(f"| `{kernel}` | {chip} | " + " | ".join(f"{a} | {b}" for a, b in pairs) + " |")
