#!/usr/bin/env bash
# clang-tidy over the C++ of core/, the games and the examples. What speaks to Python (bind.cpp,
# cpu.cpp, annotation.cpp, substitution.cpp) is left out: most of what is said there is about the expansion of templates and macros
# that are not ours. So are the programs of training/, which nobody runs but to train.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy is missing: install it with 'pip install clang-tidy', or run 'make check'." >&2
  exit 1
fi

# Tables made at compile time take more steps than clang allows by default.
flags=(-std=c++20 -I. -fconstexpr-steps=100000000)

git ls-files -z --cached --others --exclude-standard '*.cpp' |
  grep -zvE '(^training/|(^|/)(bind|cpu|annotation|substitution)\.cpp$)' |
  xargs -0 -P "${JOBS:-2}" -I{} clang-tidy --quiet {} -- "${flags[@]}" 2> >(
    grep -vE '^[0-9]+ warnings? (generated|treated)' >&2 || true
  )
echo "clang-tidy: no complaint"
