#!/usr/bin/env bash
# One generation of both networks: games and learning side by side.
#
#     generation.sh FOLDER CHUNKS SECONDS THREADS QUICK THOROUGH SEED POLICY FORECAST
#
# CHUNKS times, games are played for SECONDS (record.cpp says what QUICK, THOROUGH and SEED are) with
# the newest networks. Meanwhile both learn from all chunks before, where a GPU helps. The networks
# to begin with are POLICY and FORECAST, weights as train.py writes them; FOLDER gets policy.bin and
# forecast.bin. The programs record and examples (README.md) are expected in PROGRAMS, or in build/training.
set -euo pipefail
folder=$1 chunks=$2 seconds=$3 threads=$4 quick=$5 thorough=$6 seed=$7 policy=$8 forecast=$9
python=${PYTHON:-python3}
programs=${PROGRAMS:-build/training}
here=$(dirname "$0")
mkdir -p "$folder"
cp "$policy" "$folder/policy.bin"
cp "$forecast" "$folder/forecast.bin"

# Both learn for most of a chunk from what there is, beginning with what they know.
learn() {
    local minutes
    minutes=$($python -c "print(0.8 * $seconds / 60)")
    $python "$here/train.py" "$folder"/policy.*.ex --start "$folder/policy.bin" --out "$folder/policy.new" \
        --rate "${RATE:-1e-3}" --size 384 --minutes "$minutes" >"$folder/policy.log" 2>&1 &
    local other=$!
    $python "$here/forecast.py" "$folder"/forecast.*.ex --start "$folder/forecast.bin" --out "$folder/forecast.new" \
        --rate "${RATE:-1e-3}" --minutes "$minutes" >"$folder/forecast.log" 2>&1
    wait $other
    tail -n 1 "$folder/policy.log"
    grep "other examples" "$folder/forecast.log"
}

for chunk in $(seq 1 "$chunks"); do
    "$programs/record" "$folder/games.$chunk.bin" "$seconds" "$quick" "$thorough" $((seed + chunk)) "$threads" \
        "net=$folder/policy.bin,forecast=$folder/forecast.bin" &
    games=$!
    if [ "$chunk" -gt 1 ]; then learn; fi
    wait $games
    "$programs/examples" "$folder/games.$chunk.bin" "$folder/forecast.$chunk.ex" "$folder/policy.$chunk.ex"
    for network in policy forecast; do
        if [ -e "$folder/$network.new" ]; then mv "$folder/$network.new" "$folder/$network.bin"; fi
    done
done
learn
mv "$folder/policy.new" "$folder/policy.bin"
mv "$folder/forecast.new" "$folder/forecast.bin"
