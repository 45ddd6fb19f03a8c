//! Means, and how sure one can be of them.
//!
//! Confidence is a paired bootstrap over instances: the instances are drawn again, with replacement, ten
//! thousand times, all strategies together, and the middle 95 % of what comes out is the interval. It
//! assumes no distribution, and it keeps what makes an instance hard for everybody from counting as
//! uncertainty about a difference. The dice are seeded: the same runs give the same interval. Fewer than
//! five instances have none: what so few can say when drawn again is not worth printing.

use crate::dice::Dice;

/// A number and its 95 % interval; none where there are too few instances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
}

/// Fewer instances than this have no interval.
pub const FEWEST: usize = 5;
/// How often the instances are drawn again.
const DRAWS: usize = 10_000;

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The shifted geometric mean: exp(mean(log(x + shift))) − shift. Small values count for less than in a
/// geometric mean, large ones for less than in a mean.
pub fn shifted_geometric_mean(values: &[f64], shift: f64) -> f64 {
    let logs: Vec<f64> = values.iter().map(|value| (value.max(0.0) + shift).ln()).collect();
    if logs.is_empty() { 0.0 } else { (mean(&logs).exp() - shift).max(0.0) }
}

/// The standard deviation of a sample; 0 for fewer than two values.
pub fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let middle = mean(values);
    let squares: f64 = values.iter().map(|value| (value - middle).powi(2)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

/// `statistic` of `count` instances, given by their indices, with its interval.
pub fn bootstrap(count: usize, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<Estimate> {
    let all: Vec<usize> = (0..count).collect();
    let value = statistic(&all)?;
    if count < FEWEST {
        return Some(Estimate { value, interval: None });
    }
    let mut dice = Dice::new("bootstrap", 0, count as u64);
    let mut sample = vec![0; count];
    let mut drawn: Vec<f64> = vec![];
    for _ in 0..DRAWS {
        sample.fill_with(|| (dice.unit() * count as f64) as usize);
        drawn.extend(statistic(&sample));
    }
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn[((drawn.len() - 1) as f64 * share).round() as usize];
    let interval = (!drawn.is_empty()).then(|| (at(0.025), at(0.975)));
    Some(Estimate { value, interval })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert!((shifted_geometric_mean(&[0.0, 3.0], 1.0) - 1.0).abs() < 1e-12, "√(1·4) − 1");
        assert!((shifted_geometric_mean(&[5.0, 5.0], 10.0) - 5.0).abs() < 1e-12);
        assert_eq!((mean(&[]), shifted_geometric_mean(&[], 1.0)), (0.0, 0.0));
        assert!((deviation(&[1.0, 3.0]) - 2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn the_interval_holds_the_value_and_is_the_same_twice() {
        let values = [1.0, 2.0, 3.0, 4.0, 100.0];
        let estimate = || bootstrap(5, |i| Some(i.iter().map(|&i| values[i]).sum::<f64>() / 5.0)).unwrap();
        let (low, high) = estimate().interval.unwrap();
        assert!(low < estimate().value && estimate().value < high, "{low} {high}");
        assert_eq!(estimate(), estimate());
        // With equal instances nothing is uncertain, whatever is drawn.
        let sure = bootstrap(5, |i| Some(i.len() as f64)).unwrap();
        assert_eq!(sure.interval, Some((5.0, 5.0)));
        assert_eq!(bootstrap(4, |_| Some(7.0)).unwrap().interval, None);
    }

    /// The interval of a mean is about ± 1.96 σ/√n where the values are many and tame.
    #[test]
    fn the_interval_has_the_width_that_theory_says() {
        let values: Vec<f64> = (0..400).map(|i| (i % 20) as f64).collect();
        let pick = |i: &[usize]| Some(i.iter().map(|&i| values[i]).sum::<f64>() / i.len() as f64);
        let (low, high) = bootstrap(400, pick).unwrap().interval.unwrap();
        let theory = 2.0 * 1.96 * deviation(&values) / 20.0;
        assert!(((high - low) / theory - 1.0).abs() < 0.1, "{} {theory}", high - low);
    }
}
