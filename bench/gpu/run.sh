#!/bin/bash
# The native learner on this machine's GPU, without Node and without a network: builds, holds every kernel against the CPU
# backend (once more under compute-sanitizer), times training steps of a 0.6B and a 7.6B Qwen shape, and the same steps
# in PyTorch where that is installed. At most 8 minutes. Needs nvcc, CMake and a C++20 compiler.
#   bench/gpu/run.sh [build folder]     ACTORS_NVCC names nvcc, ACTORS_CUDA_LIBS the folder of cuBLASLt
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/native/build/gpu}
deadline=$((SECONDS + 480))

# Its own time limit, or what is left of the whole: limit COMMAND... after `seconds` as the first argument.
within() {
  local seconds=$1 left=$((deadline - SECONDS))
  shift
  ((left > 5)) || { echo "skipped, the time is over: $*"; return 0; }
  ((seconds < left)) || seconds=$left
  timeout "$seconds" "$@"
}
step() { printf '\n== %s (after %d s)\n' "$1" "$SECONDS"; }

nvcc=${ACTORS_NVCC:-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
for tool in cmake "${CXX:-c++}"; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: install it, or put it on PATH" >&2; exit 1; }
done
[[ -n $nvcc ]] || { echo "nvcc is missing: install the CUDA toolkit, or name nvcc in ACTORS_NVCC" >&2; exit 1; }

step "build"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null
cmake -S "$root/native" -B "$build" -DACTORS_CUDA=ON -DACTORS_ADDON=OFF "-DACTORS_NVCC=$nvcc" >/dev/null || exit 1
within 240 cmake --build "$build" -j "$(nproc)" --target actors_gpu | tail -1 || exit 1

step "kernels against the CPU backend"
within 120 "$build/actors_gpu" check || exit 1
step "kernels under compute-sanitizer"
sanitizer=$(command -v compute-sanitizer || ls "$(dirname "$nvcc")/compute-sanitizer" 2>/dev/null)
if [[ -n $sanitizer ]]; then
  within 90 "$sanitizer" --error-exitcode 1 "$build/actors_gpu" check | tail -5
else
  echo "skipped: there is no compute-sanitizer"
fi

python=${PYTHON:-python3}
for shape in 0.6b 7.6b; do
  tokens=$([[ $shape == 0.6b ]] && echo 16384 || echo 2048)
  step "training steps, $shape"
  within 90 "$build/actors_gpu" train $shape 6 "$tokens" 2048
  for mode in eager compile; do
    step "the same in PyTorch, $mode, $shape"
    within 90 "$python" "$root/bench/gpu/torch_step.py" $shape $mode 6 "$tokens" 2048
  done
done
