#!/usr/bin/env bash
# libFuzzer on every game's parsers and rules, under AddressSanitizer and UBSan.
# FUZZ_SECONDS=300 for each game; what breaks is kept in build/fuzz/GAME-… and makes this fail.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds="${FUZZ_SECONDS:-300}"

# Prints the newest clang++ that can link a fuzzer.
find_clang() {
  local candidate
  for candidate in clang++ clang++-{25..14}; do
    if command -v "$candidate" >/dev/null && links_fuzzer "$candidate"; then
      echo "$candidate"
      return
    fi
  done
}

links_fuzzer() {
  local scratch
  scratch="$(mktemp -d)"
  printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    "$1" -x c++ -fsanitize=fuzzer,address,undefined -o "$scratch/probe" - 2>/dev/null
  local status=$?
  rm -rf "$scratch"
  return $status
}

may_install() {
  [[ -n "${CI:-}${AUTO_INSTALL:-}" && "$(id -u)" == 0 ]] && command -v apt-get >/dev/null
}

clang="$(find_clang)"
if [[ -z "$clang" ]] && may_install; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends clang libclang-rt-dev
  clang="$(find_clang)"
fi
if [[ -z "$clang" ]]; then
  echo "Fuzzing needs clang with libFuzzer: install it with 'apt-get install clang libclang-rt-dev'." >&2
  exit 1
fi

tree="$PWD/build/fuzz"
cmake -S . -B "$tree" -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DSPIELLEITER_FUZZ=ON -DPython_EXECUTABLE="$(command -v python)" \
  -Dnanobind_DIR="$(python -m nanobind --cmake_dir)" >/dev/null
cmake --build "$tree" --target fuzzers

for source in src/spielleiter/games/*/fuzz.cpp examples/*/fuzz.cpp; do
  [[ -e "$source" ]] || continue
  folder="$(dirname "$source")"
  game="$(basename "$folder")"
  corpus="$tree/corpus/$game"
  mkdir -p "$corpus"
  python tests/deep/seeds.py "$folder" "$corpus"
  echo "fuzzing $game for $seconds s …"
  if ! "$tree/fuzz_$game" "$corpus" -max_total_time="$seconds" -max_len=2048 -timeout=10 \
      -print_final_stats=1 -artifact_prefix="$tree/$game-" >"$tree/$game.log" 2>&1; then
    tail -40 "$tree/$game.log" >&2
    exit 1
  fi
  sed -n 's/^stat::number_of_executed_units: */  inputs tried without a complaint: /p' "$tree/$game.log"
done
