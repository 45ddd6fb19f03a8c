//! What the numbers of a report mean, once for the page and for docs/BENCHMARKING.md.

/// Term, meaning.
pub const TERMS: [(&str, &str); 10] = [
    (
        "best known (BKS)",
        "the best objective that any run of any strategy has found for the instance, longer runs and earlier measurements included",
    ),
    (
        "gap_abs",
        "|objective − BKS| at the time limit; solutions found later do not count; a run without a solution has |BKS|, or the largest gap on the instance",
    ),
    ("gap_rel", "gap_abs / |BKS|; at least 1 (100 %) without a solution, and 1 for any gap to a BKS of 0"),
    (
        "sgm",
        "shifted geometric mean, exp(mean(log(x + s))) − s, with a shift of 1 % for gaps and 1 s for times: no single instance dominates it",
    ),
    (
        "primal integral",
        "the mean of the primal gap over the time limit (Berthold): |objective − BKS| / max(|objective|, |BKS|), 1 before the first solution; it rewards being early",
    ),
    (
        "baseline",
        "of the strategies that the suite compares with, the one with the smallest mean, chosen anew for gap, integral and time",
    ),
    ("reduction", "1 − mean gap_abs / mean gap_abs of the baseline; negative where the gap is larger"),
    ("× baseline", "the mean primal integral, or the time (sgm), as a multiple of the baseline's"),
    (
        "wins/ties/losses",
        "against the baseline: instances with a smaller, equal (to 1e-6 of the BKS) and larger gap_abs, means over seeds",
    ),
    (
        "95 % intervals, in brackets",
        "paired bootstrap over instances: they are drawn again 10,000 times, all strategies together; fewer than five instances have none",
    ),
];
