#!/bin/sh
# Makes the training and validation data of the shipped models, or goes on where it was stopped.
# Test instances are those of seed 900 and are never collected; seed 500 is for tuning the search.
#   tools/training-data.sh [FOLDER] [JOBS]
# Two cores need about an hour and a half. docs/TRAINING_DATA.md says what came out.
set -eu
cd "$(dirname "$0")/.."
data=${1:-data}
jobs=${2:-$(getconf _NPROCESSORS_ONLN)}
apollo=${APOLLO:-target/release/apollo}

collect() { # family, set, seed, instances, CPU seconds for each
    instances="$data/instances/$1/$2"
    if [ ! -e "$instances/complete" ]; then
        "$apollo" generate "$1" --count "$4" --seed "$3" --out "$instances" >/dev/null
        touch "$instances/complete"
    fi
    "$apollo" collect "$instances" --out "$data/$1/$2" --time "$5" --seed "$3" \
        --augment 5 --augment-time "$((($5 + 19) / 20))" --jobs "$jobs"
}

for family in ca sc; do
    collect $family train 100 60 20
    collect $family valid 200 15 20
done
collect ip train 100 60 10
collect ip valid 200 15 10
collect wa train 100 20 24
collect wa valid 200 5 24
