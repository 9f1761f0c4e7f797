#!/usr/bin/env bash
# Builds all files that a machine with a GPU needs, and writes them to one folder: bash benches/gpu/pack.sh FOLDER
# The only path of this machine in the folder is the path of test/, which the run tests contain since their build.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$root"
target=${CUBE_CHIP:-sm_90a}
newest() { cargo test "$@" --no-run --message-format=json 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] in sys.argv[1:]: print(message["executable"])' "${@: -1}"; }

cargo build -q -p cube-tools
cargo build -q --release -p cube-run-cli
MLIR_SYS_LINK_SHARED=0 CARGO_TARGET_DIR=target-static cargo build -q --release -p cube-tools --no-default-features \
  --features static --config profile.release.strip=true
random=$(MLIR_SYS_LINK_SHARED=0 CARGO_TARGET_DIR=target-static cargo test --release -p cube-fuzz --no-default-features \
  --features static --config profile.release.strip=true --test kernels --no-run --message-format=json 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] == "kernels": print(message["executable"])')
bench=$(cargo bench -p cube-runtime-cuda --no-run --message-format=json 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] == "device": print(message["executable"])')
cp "$bench" "$out/device"
cp "$(newest -p cube-runtime-cuda --test cuda)" "$out/cuda-test"
cp "$(newest -p cube-test --test run)" "$out/run-test"
cp target/release/cube-launch "$out/cube-launch"
# The tests of kernels in Rust, for a GPU. On that machine, the statically linked cube compiles the kernels. Tests that need cargo or
# the text of CPU code are not packed.
mkdir -p "$out/rust"
for test in $(cargo test -p cube-frontend-tests --features on-cuda --no-run --message-format=json 2>/dev/null | python3 -c '
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    target = message.get("target", {})
    if message.get("executable") and target["kind"] == ["test"] and target["name"] not in ("wrong", "starter", "random_kernels"): print(message["executable"])'); do
  cp "$test" "$out/rust/$(basename "$test" | sed 's/-[0-9a-f]*$//')"
done
strip "$out"/rust/*
tar -C "$out" -c rust | xz -3 -T2 > "$out/rust.tar.xz"
rm -r "$out/rust"
strip "$out/device" "$out/cuda-test" "$out/run-test" "$out/cube-launch"

cube=target/debug/cube
mkdir -p "$out/artifacts" "$out/aot"
for file in benches/kernels/*.mlir; do
  for kernel in $(grep -o 'cube.kernel @[a-z0-9_]*' "$file" | cut -d@ -f2); do
    "$cube" c "$file" --kernel "$kernel" --target "nvptx:$target" --emit artifact -o "$out/artifacts/$kernel.artifact"
  done
done
# Examples that are compiled ahead of time, with the interpreter's results. If the functions are expanded to arithmetic, the results
# must have equal bits.
aot() { # name, checked buffer, ulp, arguments
  local name=$1 buffer=$2 ulp=$3
  shift 3
  "$cube" c "examples/kernels/$name.mlir" --target "nvptx:$target" --emit artifact -o "$out/aot/$name.artifact"
  "$cube" run "examples/kernels/$name.mlir" --backend interp --level legal "$@" --out "$buffer=$out/aot/$name.npy"
  echo "$name.artifact $* --check $buffer=$name.npy --ulp $ulp" >> "$out/aot/list"
}
: > "$out/aot/list"
aot scale y 0 --arg x=random:100000 --arg y=zeros:x --arg factor=-0.37
aot gelu y 0 --arg x=random:100000:3 --arg y=zeros:x
aot row_sum sums 0 --arg matrix=random:300x700:5 --arg sums=zeros:300 --arg rows=300 --arg cols=700
aot blur dst 0 --arg src=random:120x90x3:9 --arg dst=zeros:src --arg width=90 --arg height=120 --arg channels=3
for kernel in benches/kernels/add.mlir; do cp "$kernel" "$out/"; done
cp benches/gpu/run.sh "$out/"
tar -C "$root" -cf "$out/test.tar" test/run examples/kernels
echo "$root" > "$out/root"
cp target-static/release/cube "$out/cube"
cp "$random" "$out/random"
xz -6 -f "$out"/{cube,random,device,cuda-test,run-test,cube-launch}
du -sh "$out"
