//! The losses of training: how far predictions are from what is wanted, and the derivatives of that.
//!
//! b binaries with logits x, probabilities p = σ(x) and targets t. All losses are means over the
//! binaries, or do not depend on how many there are: instances of all sizes count alike.
//!
//! - [`cross_entropy`] (`ps`): the mean of l_j = −t_j ln p_j − (1 − t_j) ln(1 − p_j). Its optimum is p = t,
//!   however rare ones are.
//! - [`contrastive`] (`conps`): good solutions shall be more like the prediction than bad ones.
//! - [`selective`] (`nd`): cross-entropy where a second head is sure.

use super::kernel::Real;

/// 1 / (1 + exp(−x)), without overflow.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// The cross-entropy of the binaries, their mean, and its derivative by every logit.
///
/// `targets` are shares between 0 and 1, one for each of `binaries`, which are places among the
/// logits. Logits of other variables count for nothing. Without binaries the loss is 0.
///
/// −t ln σ(x) − (1 − t) ln(1 − σ(x)) is computed as max(x, 0) − t·x + ln(1 + exp(−|x|)), which neither
/// overflows nor takes the logarithm of 0.
pub fn cross_entropy<T: Real>(logits: &[T], binaries: &[usize], targets: &[f64]) -> (f64, Vec<T>) {
    assert_eq!(binaries.len(), targets.len(), "one target for each binary");
    let mut derivative = vec![T::zero(); logits.len()];
    let share = 1.0 / binaries.len().max(1) as f64;
    let mut loss = 0.0;
    for (&j, &target) in binaries.iter().zip(targets) {
        let x = logits[j].double();
        loss += x.max(0.0) - target * x + (-x.abs()).exp().ln_1p();
        derivative[j] = T::real((sigmoid(x) - target) * share);
    }
    (loss * share, derivative)
}

/// How the agreement with a solution is turned into a score: the temperature of [`contrastive`]. At
/// this one a flip of a tenth of the binaries, of which the prediction is sure, is worth a factor of
/// e^(0.2 / 0.1).
const SHARPNESS: f64 = 0.1;

/// Solutions that the prediction is to resemble, and solutions that it is not to.
#[derive(Clone, Debug, Default)]
pub struct Contrast {
    /// Good ones with their weights, which sum up to 1: 0 or 1 for each binary.
    pub good: Vec<(Vec<u8>, f64)>,
    /// Bad ones.
    pub bad: Vec<Vec<u8>>,
}

/// The contrastive loss (InfoNCE, with cross-entropy as an anchor), and its derivative by every logit:
///
/// ```text
///   L = mean l − Σ_g w_g ln( e^{a(g)/τ} / (e^{a(g)/τ} + Σ_{bad s} e^{a(s)/τ}) ),
///   a(s) = Σ_j v_j (2 p_j − 1)(2 s_j − 1),    v_j = t_j / (2 Σ t) + (1 − t_j) / (2 Σ (1 − t))
/// ```
///
/// The agreement a is between −1 and 1. The weights v let all ones together count as much as all zeros
/// together: otherwise, where ones are rare, agreement would be a matter of zeros alone. Contrast by
/// itself only asks on which side of ½ a prediction is, and drives all of them to 0 or 1; then their
/// order, which is what the search needs, is lost. The cross-entropy keeps it.
pub fn contrastive<T: Real>(
    logits: &[T],
    binaries: &[usize],
    targets: &[f64],
    contrast: &Contrast,
) -> (f64, Vec<T>) {
    let (mut loss, mut derivative) = cross_entropy(logits, binaries, targets);
    if contrast.good.is_empty() || contrast.bad.is_empty() || binaries.is_empty() {
        return (loss, derivative);
    }
    let ones: f64 = targets.iter().sum();
    let halves = [0.5 / (targets.len() as f64 - ones).max(SMALLEST_SUM), 0.5 / ones.max(SMALLEST_SUM)];
    let weight = |t: f64| t * halves[1] + (1.0 - t) * halves[0];
    // v (2p − 1) of each binary, and what a change of its logit does to it.
    let probability: Vec<f64> = binaries.iter().map(|&j| sigmoid(logits[j].double())).collect();
    let pull: Vec<f64> =
        probability.iter().zip(targets).map(|(&p, &t)| weight(t) * (2.0 * p - 1.0)).collect();
    let score = |solution: &[u8]| {
        let terms = pull.iter().zip(solution).map(|(pull, &value)| if value > 0 { *pull } else { -pull });
        terms.sum::<f64>() / SHARPNESS
    };
    let good: Vec<f64> = contrast.good.iter().map(|(solution, _)| score(solution)).collect();
    let bad: Vec<f64> = contrast.bad.iter().map(|solution| score(solution)).collect();
    // The logarithm of the sum over the bad ones, with the largest taken out.
    let top = bad.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all_bad = top + bad.iter().map(|score| (score - top).exp()).sum::<f64>().ln();

    let mut blame = 0.0;
    let mut by_pull = vec![0.0; binaries.len()];
    let mut count = |solution: &[u8], factor: f64| {
        for (slope, &value) in by_pull.iter_mut().zip(solution) {
            *slope += if value > 0 { factor } else { -factor };
        }
    };
    for ((solution, weight), score) in contrast.good.iter().zip(&good) {
        // −ln of the share is ln(1 + e^(bad − good)); its derivative by bad − good is the share of the bad.
        let behind = all_bad - score;
        loss += weight * (behind.max(0.0) + (-behind.abs()).exp().ln_1p());
        let share = weight * sigmoid(behind);
        blame += share;
        count(solution, -share / SHARPNESS);
    }
    for (solution, score) in contrast.bad.iter().zip(&bad) {
        count(solution, blame * (score - all_bad).exp() / SHARPNESS);
    }
    for (k, &j) in binaries.iter().enumerate() {
        let p = probability[k];
        derivative[j] += T::real(by_pull[k] * weight(targets[k]) * 2.0 * p * (1.0 - p));
    }
    (loss, derivative)
}

/// What keeps from dividing by 0 where no target, or every one, is 0.
const SMALLEST_SUM: f64 = 1e-3;

/// How hard [`selective`] is punished for a coverage that is too small, and the share of its selective
/// part: SelectiveNet's.
const PENALTY: f64 = 32.0;
const SELECTIVE_SHARE: f64 = 0.5;

/// The loss of SelectiveNet (Geifman and El-Yaniv, 2019), and its derivatives by every logit and by
/// every logit z of the selection head, with g = σ(z), c the coverage that is wanted, λ = 32, α = ½:
///
/// ```text
///   L = α [ Σ g_j l_j / Σ g_j  +  λ max(0, c − mean g)² ]  +  (1 − α) mean l
/// ```
pub fn selective<T: Real>(
    logits: &[T],
    selection: &[T],
    binaries: &[usize],
    targets: &[f64],
    coverage: f64,
) -> (f64, Vec<T>, Vec<T>) {
    let (plain, mut by_logits) = cross_entropy(logits, binaries, targets);
    let mut by_selection = vec![T::zero(); selection.len()];
    if binaries.is_empty() {
        return (0.0, by_logits, by_selection);
    }
    let share = 1.0 / binaries.len() as f64;
    let chosen: Vec<f64> = binaries.iter().map(|&j| sigmoid(selection[j].double())).collect();
    let each = |(&j, &t): (&usize, &f64)| {
        let x = logits[j].double();
        x.max(0.0) - t * x + (-x.abs()).exp().ln_1p()
    };
    let losses: Vec<f64> = binaries.iter().zip(targets).map(each).collect();
    let covered = (chosen.iter().sum::<f64>() * share).max(f64::MIN_POSITIVE);
    let risk = chosen.iter().zip(&losses).map(|(g, l)| g * l).sum::<f64>() * share / covered;
    let missing = (coverage - covered).max(0.0);
    for (k, &j) in binaries.iter().enumerate() {
        let (g, l) = (chosen[k], losses[k]);
        let factor = SELECTIVE_SHARE * g / covered + (1.0 - SELECTIVE_SHARE);
        by_logits[j] = T::real(by_logits[j].double() * factor);
        let slope = (l - risk) / covered - 2.0 * PENALTY * missing;
        by_selection[j] = T::real(SELECTIVE_SHARE * slope * g * (1.0 - g) * share);
    }
    let loss = SELECTIVE_SHARE * (risk + PENALTY * missing * missing) + (1.0 - SELECTIVE_SHARE) * plain;
    (loss, by_logits, by_selection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loss_is_the_entropy_where_prediction_and_target_agree() {
        let logit = (0.2f64 / 0.8).ln();
        let (loss, derivative) = cross_entropy(&[9.0, logit], &[1], &[0.2]);
        assert!((loss - entropy(0.2)).abs() < 1e-12);
        assert!(derivative[0] == 0.0 && derivative[1].abs() < 1e-12);
    }

    fn entropy(p: f64) -> f64 {
        -p * p.ln() - (1.0 - p) * (1.0 - p).ln()
    }

    #[test]
    fn the_derivative_is_that_of_the_loss() {
        let loss = |x: f64| cross_entropy(&[x, -0.5], &[0, 1], &[0.3, 1.0]).0;
        let (_, derivative) = cross_entropy(&[1.7, -0.5], &[0, 1], &[0.3, 1.0]);
        let expected = (loss(1.7 + 1e-6) - loss(1.7 - 1e-6)) / 2e-6;
        assert!((derivative[0] - expected).abs() < 1e-9);
    }

    #[test]
    fn huge_logits_give_finite_losses() {
        let (loss, derivative) = cross_entropy(&[1e30f32, -1e30], &[0, 1], &[0.0, 0.0]);
        assert!(loss.is_finite() && derivative == [0.5, 0.0]);
        assert_eq!(cross_entropy::<f32>(&[1.0], &[], &[]), (0.0, vec![0.0]));
    }

    const LOGITS: [f64; 6] = [1.7, 9.0, -0.5, 0.2, -3.0, 0.9];
    const BINARIES: [usize; 5] = [0, 2, 3, 4, 5];
    const TARGETS: [f64; 5] = [0.3, 1.0, 0.0, 0.1, 0.6];

    /// Compares a derivative with finite differences of its loss, everywhere.
    fn check(at: &[f64], derivative: &[f64], loss: impl Fn(&[f64]) -> f64) {
        assert!(derivative.iter().any(|&slope| slope.abs() > 1e-3), "{derivative:?}");
        for j in 0..at.len() {
            let moved = |step: f64| {
                let mut at = at.to_vec();
                at[j] += step;
                loss(&at)
            };
            let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!((derivative[j] - expected).abs() < 1e-8, "{j}: {} and {expected}", derivative[j]);
        }
    }

    fn contrast() -> Contrast {
        Contrast {
            good: vec![(vec![0, 1, 0, 0, 1], 0.6), (vec![1, 1, 0, 0, 0], 0.4)],
            bad: vec![vec![1, 0, 0, 0, 1], vec![0, 1, 1, 0, 1], vec![1, 1, 1, 1, 0]],
        }
    }

    #[test]
    fn the_contrastive_derivative_is_that_of_the_loss() {
        let loss = |x: &[f64]| contrastive(x, &BINARIES, &TARGETS, &contrast()).0;
        check(&LOGITS, &contrastive(&LOGITS, &BINARIES, &TARGETS, &contrast()).1, loss);
        // The formula itself, written out.
        let v = |t: f64| t / (2.0 * 2.0) + (1.0 - t) / (2.0 * 3.0);
        let score = |s: &[u8]| -> f64 {
            let term = |k: usize| {
                v(TARGETS[k]) * (2.0 * sigmoid(LOGITS[BINARIES[k]]) - 1.0) * (2.0 * f64::from(s[k]) - 1.0)
            };
            ((0..5).map(term).sum::<f64>() / SHARPNESS).exp()
        };
        let bad: f64 = contrast().bad.iter().map(|s| score(s)).sum();
        let expected: f64 =
            contrast().good.iter().map(|(s, w)| -w * (score(s) / (score(s) + bad)).ln()).sum();
        let anchor = cross_entropy(&LOGITS, &BINARIES, &TARGETS).0;
        assert!((loss(&LOGITS) - anchor - expected).abs() < 1e-12);
    }

    #[test]
    fn contrasting_prefers_the_good_and_survives_extremes() {
        let likes = |first: f64| [first, 0.0, 1.0, -1.0, -1.0, 0.0];
        let loss = |x: &[f64]| contrastive(x, &BINARIES, &TARGETS, &contrast()).0;
        assert!(loss(&[0.0, 0.0, 9.0, -9.0, -9.0, 0.0]) < loss(&[0.0, 0.0, -9.0, 9.0, 9.0, 0.0]));
        assert!(loss(&likes(1e300)).is_finite());
        let alone = contrastive(&LOGITS, &BINARIES, &TARGETS, &Contrast::default());
        assert_eq!(alone, cross_entropy(&LOGITS, &BINARIES, &TARGETS), "nothing to contrast with");
        let (sure, _) = contrastive(&LOGITS, &BINARIES, &[0.0; 5], &contrast());
        assert!(sure.is_finite());
    }

    #[test]
    fn the_selective_derivatives_are_those_of_the_loss() {
        let selection = [0.4, 7.0, -1.0, 2.0, 0.1, -0.3];
        // With a coverage that is missed and with one that is reached.
        for coverage in [0.9, 0.1] {
            let run = |x: &[f64], z: &[f64]| selective(x, z, &BINARIES, &TARGETS, coverage);
            let (_, by_logits, by_selection) = run(&LOGITS, &selection);
            check(&LOGITS, &by_logits, |x| run(x, &selection).0);
            check(&selection, &by_selection, |z| run(&LOGITS, z).0);
        }
        // Sure of everything, the risk is the cross-entropy.
        let (loss, ..) = selective(&LOGITS, &[800.0; 6], &BINARIES, &TARGETS, 0.8);
        assert!((loss - cross_entropy(&LOGITS, &BINARIES, &TARGETS).0).abs() < 1e-12);
        assert!(selective(&LOGITS, &[-800.0; 6], &BINARIES, &TARGETS, 0.8).0.is_finite());
    }
}
