#!/usr/bin/env bash
# Games on thousands of maps, and the network that learns from them: 35 minutes on two cores.
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

say play
for core in $(seq 1 "$cores"); do
  "$work/games" "$work/data/maps.txt" "$work/games-$core" "$(scaled 540)" "2$core" 500 &
done
wait
for core in $(seq 1 "$cores"); do
  "$work/positions" "$work/data/maps.txt" "$work/data/$core.bin" 2 "$work/games-$core" &
done
wait

say train
python "$here/train.py" "$work/data" "$out/map_network.bin" --seconds "$(scaled 1320)"
rm -r "$work"
say done
