#!/usr/bin/env bash
# Three rounds of self-play and fitting, then what search sees, then what a larger network says,
# in tables and in a small network: about 40 minutes on 16 cores and a GPU.
#   train.sh OUT [SHARE]     (from the project's folder; needs a C++ compiler, NumPy and PyTorch)
# SHARE shortens everything that is limited by time: 0.02 tries it all in a minute and learns little.
set -euo pipefail
out=${1:?where to}
share=${2:-1}
mkdir -p "$out"
here=$(dirname "$0")
games=src/spielleiter/games/reversi
work=$(mktemp -d)
cores=$(nproc)
sources="$games/evaluate.cpp $games/win_probability.cpp $games/patterns.cpp $games/terms.cpp $games/position.cpp $games/notation.cpp"
say() { echo "$(date +%T) $*"; }

say build
for source in $sources "$here/selfplay.cpp"; do
  g++ -std=c++20 -O3 -march=native -I. -c -o "$work/$(basename "$source" .cpp).o" "$source" &
done
wait
g++ -o "$work/selfplay" "$work"/*.o
g++ -std=c++20 -O3 -march=native -pthread -I. -o "$work/teach" "$here/teach.cpp" \
  $(ls "$work"/*.o | grep -v selfplay)
g++ -std=c++20 -O1 -I. -o "$work/places" "$here/places.cpp" "$work/patterns.o"
"$work/places" > "$work/tables.json"
g++ -std=c++20 -O3 -march=native -pthread -I. -o "$work/nearby" "$here/nearby.cpp"

# scaled FULL: that time or number, or its share, at least one
scaled() { awk -v full="$1" -v share="$share" 'BEGIN { s = int(full * share); print s < 1 ? 1 : s }'; }
# play KIND WEIGHTS NAME SECONDS DEPTH: on all cores, each with lots of its own
play() {
  for core in $(seq "$cores"); do
    "$work/selfplay" "$1" "$2" "$work/$3-$core" "$(scaled "$4")" "$3$core" "$5" &
  done
}
fit() { python3 "$here/fit.py" "$work/tables.json" "$@"; }

say "round 1: terms, 3 plies"
play games - 1 60 3
wait
fit "$work"/1-* --seconds "$(scaled 44)" --write "$out/w1.bin"
say "round 2: patterns, 4 plies"
play games "$out/w1.bin" 2 105 4
wait
play games "$out/w1.bin" 3 55 4
fit "$work"/2-* --seconds "$(scaled 56)" --first "$out/w1.bin" --write "$out/w2.bin"
wait
say "round 3: patterns, 5 plies"
play games "$out/w2.bin" 4 70 5
wait
play spread "$out/w2.bin" 5 45 12
fit "$work"/2-* "$work"/3-* "$work"/4-* --seconds "$(scaled 80)" --first "$out/w2.bin" --write "$out/w3.bin"
wait
cat "$work"/5-* > "$out/spread.txt"
say "what search sees"
"$work/teach" "$out/w3.bin" "$out/w4.bin" "$cores" "$(scaled 250)" 3 6
say "what a teacher says"
play scored "$out/w4.bin" 6 572 7
wait
python3 "$here/teacher.py" "$work"/6-* --seconds "$(scaled 640)" --write "$work/teacher.pt"
"$work/nearby" "$work/nearby.bin" "$(scaled 80000000)" "$cores" 1 "$work"/6-*
python3 "$here/distil.py" "$work/tables.json" "$out/w4.bin" "$work/teacher.pt" "$work/nearby.bin" \
  --write "$out/w5.bin"
python3 "$here/network.py" "$work/tables.json" "$out/w5.bin" "$work/teacher.pt" "$work/nearby.bin" \
  --seconds "$(scaled 262)" --write "$out/network.bin"
du -ch "$work"/[1-6]-* | tail -1
say done
