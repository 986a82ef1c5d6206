#!/usr/bin/env bash
# Builds the documentation into docs/_build/html; any warning is an error.
set -euo pipefail
cd "$(dirname "$0")"

may_install() {
  [[ -n "${CI:-}${AUTO_INSTALL:-}" && "$(id -u)" == 0 ]] && command -v apt-get >/dev/null
}

if ! command -v doxygen >/dev/null && may_install; then
  apt-get update -qq && apt-get install -y -qq --no-install-recommends doxygen
fi
if ! command -v doxygen >/dev/null; then
  echo "The C++ reference needs Doxygen: install it with 'apt-get install doxygen' (Debian) or 'brew install doxygen' (Mac)." >&2
  exit 1
fi

rm -rf _build/doxygen
mkdir -p _build/doxygen
doxygen Doxyfile
python -m sphinx -W --keep-going --quiet -b html . _build/html
echo "built docs/_build/html/index.html"
