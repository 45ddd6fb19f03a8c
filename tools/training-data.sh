#!/bin/sh
# Makes the training and validation data of the shipped models, or goes on where it was stopped.
# Pools that are in the repository (training/pools) are taken from there and only get their problems
# back, in a minute or two; `FRESH=1` searches for all of them again, about an hour on two idle cores.
# Test instances are those of seed 900 and are never collected; seed 500 is for tuning the search.
#   tools/training-data.sh [FOLDER] [JOBS]
# docs/TRAINING_DATA.md says what came out.
set -eu
cd "$(dirname "$0")/.."
data=${1:-data}
jobs=${2:-$(getconf _NPROCESSORS_ONLN)}
apollo=${APOLLO:-target/release/apollo}

# The real instances (docs/TRAINING_DATA.md), which the project does not ship.
iis=${IIS:-../shared/instances/iis}

instances() { # family, set, seed, instances: a folder of them
    [ ! -e "$instances/complete" ] || return 0
    if [ "$1" = iis ]; then
        mkdir -p "$instances"
        for file in "$iis"/*; do
            case ${file##*/} in
            ramos3.*) continue ;; # for tests
            iis-pima-cov.* | scpk1_core.*) set=valid ;;
            *) set=train ;;
            esac
            [ "$set" != "$2" ] || cp "$file" "$instances/"
        done
    else
        "$apollo" generate "$1" --count "$4" --seed "$3" --out "$instances" >/dev/null
    fi
    touch "$instances/complete"
}

collect() { # family, set, seed, instances, CPU seconds for each and for each reduced instance, share of local search
    instances="$data/instances/$1/$2"
    instances "$1" "$2" "$3" "$4"
    if [ -z "${FRESH:-}" ] && [ -d "training/pools/$1/$2" ]; then
        mkdir -p "$data/$1/$2"
        for pool in training/pools/"$1/$2"/*.npz; do
            [ -e "$data/$1/$2/${pool##*/}" ] || cp "$pool" "$data/$1/$2/"
        done
    fi
    "$apollo" collect "$instances" --out "$data/$1/$2" --time "$5" --seed "$3" \
        --improve "$7" --augment 5 --augment-time "$6" --jobs "$jobs"
}

# Which families: the generated ones, unless FAMILIES says otherwise (`iis` needs its instances).
for family in ${FAMILIES:-ip wa ca sc}; do
    case $family in
    iis) train=9 valid=2 seconds=40 reduced=3 improve=0.9 ;;
    # On WA SCIP itself, given the tighter relaxation, is better than local search.
    wa) train=20 valid=5 seconds=45 reduced=2 improve=0.3 ;;
    ip) train=60 valid=15 seconds=15 reduced=0.6 improve=0.9 ;;
    *) train=60 valid=15 seconds=12 reduced=0.6 improve=0.9 ;;
    esac
    collect "$family" train 100 $train $seconds $reduced $improve
    collect "$family" valid 200 $valid $seconds $reduced $improve
done
