"""Runs the emulator's `run.py` and keeps what its jobs leave in memory.

    python3 emulate.py RUN_PY DIR --tinygrad FOLDER --json OUT ...

The arguments after RUN_PY are those of `run.py`. A job with the key `dump` writes the contents of its buffers after the launch to that
file, one after the other. `run.py` judges buffers against expectations only; these jobs have none, and the caller compares.
"""

import ctypes
import importlib.util
import os
import sys

# A worker of run.py is this script again, with run.py's name in the environment.
path = os.environ.get("CUBE_EMULATOR") or sys.argv.pop(1)
os.environ["CUBE_EMULATOR"] = path
spec = importlib.util.spec_from_file_location("amdgpu_emulator", path)
emulator = importlib.util.module_from_spec(spec)
spec.loader.exec_module(emulator)
emulator.__file__ = os.path.abspath(__file__)


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
