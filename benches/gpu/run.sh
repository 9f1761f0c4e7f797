#!/usr/bin/env bash
# Runs tests and measurements on a machine with a GPU, in the folder that pack.sh has filled: bash run.sh [PARTS]
# PARTS is a selection of: facts runtime sanitizer aot jit run rust random bench. The last lines are a summary with one line per part.
cd "$(dirname "$0")" || exit 1
parts=${*:-facts runtime sanitizer aot jit run rust random bench}
out=${OUT:-$PWD/out}
mkdir -p "$out"
export CUDA_CACHE_DISABLE=1
summary=()
judge() { summary+=("$(printf '%-10s %s' "$1" "$2")"); }
wants() { [[ " $parts " == *" $1 "* ]]; }
for packed in *.xz; do
  tool=${packed%.xz}
  if [[ $packed != *.tar.xz && ! -x $tool ]]; then xz -dc "$packed" > "$tool" && chmod +x "$tool"; fi
done

if wants facts; then
  { date -u; nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader; } | tee "$out/facts"
fi
if wants runtime; then
  CUBE_NEED_CUDA=1 timeout 200 ./cuda-test --test-threads=1 > "$out/runtime" 2>&1
  judge runtime "$(grep '^test result' "$out/runtime")"
fi
if wants sanitizer; then
  for tool in memcheck racecheck initcheck synccheck; do
    timeout 200 compute-sanitizer --tool $tool ./cuda-test --test-threads=1 --skip fault --skip clock \
      --skip 'beyond device memory' --skip 'invalid code' > "$out/sanitizer-$tool" 2>&1
    judge "$tool" "runtime: $(grep -E 'SUMMARY' "$out/sanitizer-$tool" | sed 's/=* *//'), $(grep '^test result' "$out/sanitizer-$tool" | cut -d. -f1,2)"
    bad=0 all=0
    while read -r line; do
      all=$((all + 1))
      (cd aot && timeout 100 compute-sanitizer --tool $tool --error-exitcode 9 ../cube-launch --backend cuda $line) \
        >> "$out/sanitizer-$tool" 2>&1 || bad=$((bad + 1))
    done < aot/list
    judge "$tool" "examples: $((all - bad)) of $all clean"
  done
fi
if wants aot; then
  bad=0 all=0
  while read -r line; do
    all=$((all + 1))
    (cd aot && ../cube-launch --backend cuda $line) >> "$out/aot" 2>&1 || bad=$((bad + 1))
  done < aot/list
  ! ldd cube-launch | grep -qi llvm || bad="$bad, and the tool links LLVM"
  judge aot "$((all - bad)) of $all examples as the interpreter, by a tool without LLVM"
fi
if wants jit; then
  mkdir -p x && tar -C x -xf test.tar
  ./cube run x/examples/kernels/scale.mlir --backend cuda --arg x=iota:100000 --arg y=zeros:x --arg factor=2 --time > "$out/jit" 2>&1
  judge jit "exit code $?, compiled by the static binary on this machine"
  cat "$out/jit"
fi
if wants run; then
  root=$(cat root)
  mkdir -p "$root" tools/bin && tar -C "$root" -xf test.tar && ln -sf "$PWD/cube" tools/cube && : > tools/bin/FileCheck
  CUBE_TOOLS=$PWD/tools MLIR_SYS_220_PREFIX=$PWD/tools timeout 400 ./run-test 'on cuda' --test-threads=8 > "$out/run" 2>&1
  judge run "$(grep '^test result' "$out/run")"
  grep -E 'FAILED|ignored' "$out/run" | head -40
fi
if wants rust; then
  tar -xJf rust.tar.xz && ln -sf cube cubec
  for test in rust/*; do
    CUBE_COMPILER=$PWD/cubec timeout 200 "$test" > "$out/rust-${test#rust/}" 2>&1
    judge rust "${test#rust/}: $(grep '^test result' "$out/rust-${test#rust/}" | tail -1)"
  done
fi
if wants random; then
  CUBE_NEED_CUDA=1 CUBE_FUZZ_SEED=${CUBE_FUZZ_SEED:-500000} CUBE_FUZZ_COUNT=${CUBE_FUZZ_COUNT:-500} CUBE_FUZZ_KEEP=1 \
    timeout 400 ./random on_a_gpu > "$out/random" 2>&1
  judge random "${CUBE_FUZZ_COUNT:-500} kernels: $(grep '^test result' "$out/random")"
  grep -E '^seed|differ' "$out/random" | cut -c1-300 | head -40
fi
if wants bench; then
  timeout 300 ./device artifacts > "$out/bench" 2>&1
  judge bench "exit code $?"
  cat "$out/bench"
fi
printf '%s\n' '--- summary' "${summary[@]}" | tee "$out/summary"
