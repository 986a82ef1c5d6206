#!/usr/bin/env bash
# Games on thousands of maps, and the network that learns from them, twice: an hour on two cores.
#   train.sh OUT [SHARE]     (from the project's folder, with its environment; needs a C++ compiler, NumPy and PyTorch)
# SHARE shortens all that is limited by time.
set -euo pipefail
out=${1:?where to} share=${2:-1}
here=$(dirname "$0")
games=src/spielleiter/games/reversi
work=$(mktemp -d)
cores=$(nproc)
say() { echo "$(date +%T) $*"; }
scaled() { awk -v full="$1" -v share="$share" 'BEGIN { s = int(full * share); print s < 1 ? 1 : s }'; }

say build
for program in games positions; do
  g++ -std=c++20 -O3 -march=native -ffp-contract=off -pthread -I. -I"$here" -o "$work/$program" \
    "$here/$program.cpp" $(ls "$games"/*.cpp | grep -v -e bind -e fuzz) &
done
wait

# On the common board patterns judge, and on the smallest maps search sees the end at once.
mkdir -p "$out" "$work/data"
python training/reversi/multi_player/maps.py 2 5000 902 > "$work/all"
python training/reversi/multi_player/maps.py 2 1200 903 open >> "$work/all"
awk '{ cells = gsub(/[0-9]/, "&", $1); if (cells >= 36 && !(cells == 64 && length($1) == 71)) print }' \
  "$work/all" > "$work/data/maps.txt"

# play ROUND SECONDS [NETWORK]: on all cores; what was played becomes positions
play() {
  say "play, round $1"
  for core in $(seq 1 "$cores"); do
    "$work/games" "$work/data/maps.txt" "$work/games-$1-$core" "$(scaled "$2")" "$1$core" 500 ${3:+"$3"} &
  done
  wait
  for core in $(seq 1 "$cores"); do
    "$work/positions" "$work/data/maps.txt" "$work/data/$1-$core.bin" 2 "$work/games-$1-$core" &
  done
  wait
}
fit() { say train && python "$here/train.py" "$work/data" "$@"; }
play 2 540
fit "$work/first.bin" --seconds "$(scaled 1320)"
python -c "import sys, zlib; sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))" \
  < "$work/first.bin" > "$work/network"
play 3 300 "$work/network"
fit "$out/map_network.bin" --seconds "$(scaled 900)" --rate 1e-3 --start "$work/first.bin"
rm -r "$work"
say done
