//! The loss of training: how far predictions are from the targets.

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
}
