#!/usr/bin/env bash
# Native modules built with AddressSanitizer and UBSan and with all assertions, under the tests that
# use them; the core's own tests under these and, for what threads share, under ThreadSanitizer.
# Everything happens in a copy of the tree, so the modules that are installed stay as they are.
# Arguments go to pytest, instead of the tests chosen here.
set -euo pipefail
cd "$(dirname "$0")/../.."
tree="$PWD/build/sanitize"
copy="$tree/copy"
python="$(command -v python)"
compiler="${CXX:-c++}"

if ! echo 'int main() {}' |
    "$compiler" -x c++ -fsanitize=address,undefined -o /dev/null - 2>/dev/null; then
  echo "The sanitizers are missing: install a compiler that has them with 'apt-get install g++'." >&2
  exit 1
fi

# The tree as git knows it. The copy is a repository of its own, since tests ask git what is in it.
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [[ -f "$file" ]] && printf '%s\0' "$file"; done |
  tar --null --files-from=- --create | tar --extract --directory="$copy"
git -C "$copy" init --quiet
git -C "$copy" add --all

# The project is installed in place, by a finder that would win over the copy.
mkdir "$copy/build"
cat >"$copy/build/sitecustomize.py" <<'PYTHON'
import sys

sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
PYTHON

echo "building with sanitizers …"
cmake -S "$copy" -B "$tree/cmake" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Sanitize -DCMAKE_CXX_FLAGS_SANITIZE=-O1 -DSPIELLEITER_SANITIZE=ON \
  -DPython_EXECUTABLE="$python" -Dnanobind_DIR="$(python -m nanobind --cmake_dir)" >/dev/null
cmake --build "$tree/cmake"
cp "$tree"/cmake/_cpu* "$tree"/cmake/_annotation* "$tree"/cmake/_substitution* "$copy/src/spielleiter/"
for modules in "$tree"/cmake/games/*/; do
  [[ -d "$copy/src/spielleiter/games/$(basename "$modules")" ]] || continue
  cp "$modules"_core* "$copy/src/spielleiter/games/$(basename "$modules")/"
done

echo "the core's own tests …"
cmake --build "$tree/cmake" --target core_tests
for suite in templates search simd; do
  "$tree/cmake/core_tests_$suite"
  # ThreadSanitizer goes with no other, and wants to know where its memory lies.
  "$compiler" -std=c++20 -O1 -g1 -fsanitize=thread -pthread -I"$copy" -o "$tree/threads_$suite" \
    "$copy/core/tests/$suite.cpp" "$copy/examples/nim/position.cpp"
  setarch "$(uname -m)" --addr-no-randomize "$tree/threads_$suite"
done

echo "games of three threads …"
for test in "$copy"/src/spielleiter/games/*/tests/threads.cpp; do
  game="$(dirname "$(dirname "$test")")"
  sources=()
  for source in "$game"/*.cpp; do
    case "$source" in */bind.cpp | */fuzz.cpp) ;; *) sources+=("$source") ;; esac
  done
  for sanitizers in thread address,undefined; do
    "$compiler" -std=c++20 -O1 -g1 -D_GLIBCXX_ASSERTIONS "-fsanitize=$sanitizers" \
      -fno-sanitize-recover=all -pthread -I"$copy" -o "$tree/threads_games" "$test" "${sources[@]}"
    setarch "$(uname -m)" --addr-no-randomize "$tree/threads_games"
  done
done

# Python itself is not built with sanitizers, so their libraries must come first; libstdc++ too, or
# exceptions are thrown before the sanitizer has found out how.
library() { "$compiler" -print-file-name="$1"; }
export LD_PRELOAD="$(library libasan.so) $(library libubsan.so) $(library libstdc++.so)"
export ASAN_OPTIONS="detect_leaks=0:halt_on_error=1:abort_on_error=1"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1:abort_on_error=1"
export PYTHONMALLOC=malloc PYTHONPATH="$copy/build:$copy/src"
cd "$copy"
"$python" -c 'import spielleiter; assert spielleiter.__file__.startswith("'"$copy"'"), spielleiter.__file__'
# What talks to servers and programs times them, and has little to do with the core.
chosen=(tests/test_{games,search,threads,native,envs,bots,budget}.py src/spielleiter/games
  --ignore-glob='*/test_'{official_client,client,commands,load,programs,server}.py)
if (($#)); then chosen=("$@"); fi
"$python" -m pytest -q -p no:cacheprovider -n "${JOBS:-2}" -m "not deep" "${chosen[@]}"
echo "sanitizers: no report"
