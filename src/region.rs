//! The trust region: all points that differ from the partial solution in at most Δ places.
//!
//! For binaries the distance is linear, so the region is a single row without any new variable:
//!
//! ```text
//!   Σ_{x̂_j = 0} x_j  +  Σ_{x̂_j = 1} (1 − x_j)  +  Σ_j d_j  ≤  Δ
//! ```
//!
//! A general integer with a predicted interval l … u takes one auxiliary variable d ≥ 0, which is at
//! least its distance to the interval, counted in widths w = u − l + 1 of it:
//!
//! ```text
//!   l − x ≤ w d,    x − u ≤ w d
//! ```
//!
//! So an integer that is predicted whole (l = u) counts by how much it changes, and one of which only
//! the leading bits are predicted by how many intervals of that length it moves on.

use crate::bits::Interval;
use crate::partial::PartialSolution;

/// `Σ terms ≤ rhs`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// (variable, coefficient)
    pub terms: Vec<(usize, f64)>,
    /// Right-hand side.
    pub rhs: f64,
}

/// What ties an auxiliary variable d ≥ 0 to a general integer x: `coefficient · x − width · d ≤ side` for
/// both pairs of (coefficient, side).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Auxiliary {
    /// The integer x.
    pub variable: usize,
    /// The width of its interval.
    pub width: f64,
    /// Below the interval, and above it.
    pub sides: [(f64, f64); 2],
}

impl Auxiliary {
    /// The least d for a value of x.
    pub fn least(&self, value: f64) -> f64 {
        let above = |(coefficient, side): (f64, f64)| (coefficient * value - side) / self.width;
        self.sides.map(above).into_iter().fold(0.0, f64::max)
    }
}

/// A partial solution and how far from it a search may go.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustRegion {
    /// The centre.
    pub partial: PartialSolution,
    /// The radius Δ.
    pub radius: usize,
}

impl TrustRegion {
    /// The region as one linear row; the auxiliary variables, each with the coefficient 1, are the
    /// caller's to add.
    pub fn row(&self) -> Row {
        let ones = self.partial.predicted.iter().filter(|p| p.value > 0.5).count();
        let sign = |value: f64| if value > 0.5 { -1.0 } else { 1.0 };
        Row {
            terms: self.partial.predicted.iter().map(|p| (p.variable, sign(p.value))).collect(),
            rhs: self.radius as f64 - ones as f64,
        }
    }

    /// The auxiliary variables of the row, one for each predicted interval.
    pub fn auxiliaries(&self) -> impl Iterator<Item = Auxiliary> + '_ {
        self.partial.leading.iter().map(|leading| {
            let Interval { lower, upper } = leading.interval;
            let sides = [(-1.0, -lower), (1.0, upper)];
            Auxiliary { variable: leading.variable, width: leading.interval.width(), sides }
        })
    }

    /// Every point is inside: the row forbids nothing.
    pub fn is_everything(&self) -> bool {
        let farthest: f64 = self.partial.leading.iter().map(|leading| leading.farthest()).sum();
        self.radius as f64 >= self.partial.predicted.len() as f64 + farthest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Leading;
    use crate::partial::Predicted;

    /// Over all centres, radii and points of up to 8 binaries: a point satisfies the row exactly when
    /// its Hamming distance to the centre is at most the radius.
    #[test]
    fn the_row_is_the_hamming_ball() {
        for n in 0..=8usize {
            for centre in 0..1usize << n {
                let predicted = (0..n)
                    .map(|variable| Predicted {
                        variable,
                        probability: 0.5,
                        value: (centre >> variable & 1) as f64,
                    })
                    .collect();
                let partial = PartialSolution { predicted, leading: vec![] };
                for radius in 0..=n {
                    let row = TrustRegion { partial: partial.clone(), radius }.row();
                    for point in 0..1usize << n {
                        let lhs: f64 = row.terms.iter().map(|&(j, a)| a * (point >> j & 1) as f64).sum();
                        let distance = (point ^ centre).count_ones() as usize;
                        assert_eq!(lhs <= row.rhs, distance <= radius);
                    }
                }
            }
        }
    }
    /// Over all pairs of leading bits of two small integers beside a binary, all radii and all points:
    /// a point satisfies the row with some auxiliary variables exactly when its distance, as it is
    /// defined, is at most the radius.
    #[test]
    fn the_row_with_auxiliary_variables_is_the_distance_to_the_intervals() {
        let bounds = Interval { lower: -1.0, upper: 4.0 };
        let sure = |bits: usize, length: usize| {
            let p = |k: usize| if k >= length { 0.5 } else { (bits >> (2 - k) & 1) as f64 };
            [p(0), p(1), p(2)]
        };
        for (first, second) in (0..8 * 8).map(|pair| (pair / 8, pair % 8)) {
            for (long, short) in [(1, 3), (2, 2), (3, 1)] {
                let leading: Vec<Leading> = [(1, sure(first, long)), (2, sure(second, short))]
                    .into_iter()
                    .filter_map(|(variable, p)| Leading::predict(variable, bounds, &p))
                    .collect();
                let predicted = vec![Predicted { variable: 0, probability: 1.0, value: 1.0 }];
                let partial = PartialSolution { predicted, leading };
                for radius in 0..=14 {
                    let region = TrustRegion { partial: partial.clone(), radius };
                    let row = region.row();
                    let mut everything = true;
                    for point in (0..2 * 6 * 6)
                        .map(|k| [(k % 2) as f64, (k / 2 % 6) as f64 - 1.0, (k / 12) as f64 - 1.0])
                    {
                        let lhs: f64 = row.terms.iter().map(|&(j, a)| a * point[j]).sum();
                        let least: f64 = region.auxiliaries().map(|d| d.least(point[d.variable])).sum();
                        let outside = |one: &Leading| {
                            let Interval { lower, upper } = one.interval;
                            let x = point[one.variable];
                            let apart = if x < lower {
                                lower - x
                            } else if x > upper {
                                x - upper
                            } else {
                                0.0
                            };
                            apart / (upper - lower + 1.0)
                        };
                        let distance = 1.0 - point[0] + partial.leading.iter().map(outside).sum::<f64>();
                        let inside = distance <= radius as f64 + 1e-9;
                        assert_eq!(lhs + least <= row.rhs + 1e-9, inside, "{partial:?} {radius} {point:?}");
                        everything &= inside;
                    }
                    assert_eq!(region.is_everything(), everything, "{partial:?} {radius}");
                }
            }
        }
    }
}
