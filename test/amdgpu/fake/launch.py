"""Runs launches of the library in `hip.c` in the emulator: `launch.py RUN_PY`. Each line of the input is the folder of a launch. The
answer is "ok", or the emulator's error. A fault of a launch ends the process."""

import os
import runpy
import sys

path = sys.argv[1]

# The emulator module with the corrections of emulate.py, loaded as in a worker.
sys.argv = ["emulate.py", "--worker", "--tinygrad", os.path.join(os.path.dirname(path), "tinygrad")]
os.environ["CUBE_EMULATOR"] = path
here = os.path.dirname(os.path.abspath(__file__))
folders, sys.stdin = sys.stdin, open(os.devnull)
answers, sys.stdout = sys.stdout, sys.stderr
emulator = runpy.run_path(os.path.join(here, "..", "emulate.py"))["emulator"]


def launch(folder):
    head, slots, *allocations = open(os.path.join(folder, "launch")).read().splitlines()
    kernel, *numbers = head.split()
    grid, block, shared = list(map(int, numbers[0:3])), list(map(int, numbers[3:6])), int(numbers[6])
    memory = [(name, int(base), int(size)) for name, base, size in (line.split() for line in allocations)]
    meta = emulator.load(os.path.join(folder, "code.hsaco"), kernel)["meta"]
    explicit = [a for a in meta[".args"] if not a[".value_kind"].startswith("hidden_")]
    args, buffers = [], []
    for slot, arg in zip(map(int, slots.split()), explicit):
        if arg[".value_kind"] != "global_buffer":
            args.append({"hex": slot.to_bytes(8, "little")[: arg[".size"]].hex()})
            continue
        name, base, size = next((m for m in memory if m[1] <= slot <= m[1] + m[2]), (None, slot, 0))
        data = open(os.path.join(folder, name), "rb").read()[slot - base :] if name else b""
        file = f"argument.{len(args)}"
        open(os.path.join(folder, file), "wb").write(data)
        args.append({"type": "u8", "file": file, "any": True})
        buffers.append((name, slot - base, data))
    job = {"hsaco": "code.hsaco", "kernel": kernel, "grid": grid, "block": block, "lds": shared, "args": args, "dump": "after"}
    verdict, note = emulator.run(job, folder)
    if note.startswith("did not end"):
        return f"Unsupported: {kernel} {note}, the limit of the emulator"
    if (verdict, note) != ("FAIL", "the job expects nothing"):
        return f"{kernel}: {verdict}: {note}"
    after = open(os.path.join(folder, "after"), "rb").read()
    for name, offset, before in buffers:
        own, after = after[: len(before)], after[len(before) :]
        if name is None or own == before:
            continue
        # Arguments can be parts of one allocation: only bytes that have changed go back.
        with open(os.path.join(folder, name), "r+b") as out:
            for i in [i for i, (x, y) in enumerate(zip(before, own)) if x != y]:
                out.seek(offset + i)
                out.write(own[i : i + 1])
    return "ok"


for folder in folders:
    try:
        answer = launch(folder.strip())
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    answers.write(answer.replace("\n", " ") + "\n")
    answers.flush()
    if answer != "ok":
        sys.stderr.write(answer + "\n")
