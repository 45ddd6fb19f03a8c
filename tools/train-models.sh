#!/bin/sh
# Trains the shipped models (models/*.onnx) from the data of tools/training-data.sh, or goes on where it
# was stopped: a model that is there is left alone. Each has its card (.md) and learning curves beside it.
#   tools/train-models.sh [DATA] [MODELS]
# LOSSES and FAMILIES say which; TIME is the most seconds for each, on all cores.
set -eu
cd "$(dirname "$0")/.."
data=${1:-data}
models=${2:-models}
apollo=${APOLLO:-target/release/apollo}
mkdir -p "$models"
for loss in ${LOSSES:-ps conps nd}; do
    for family in ${FAMILIES:-ca sc ip wa}; do
        name=$family
        [ "$loss" = ps ] || name=$family-$loss
        [ -e "$models/$name.onnx" ] || "$apollo" train "$data/$family" --out "$models/$name.onnx" \
            --loss "$loss" --seed 1 --family "$family" --time "${TIME:-3600}" ${OPTIONS:-}
    done
done
