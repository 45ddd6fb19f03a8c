//! The trust region: all points that differ from the partial solution in at most Δ places.
//!
//! For binaries the distance is linear, so the region is a single row without any new variable:
//!
//! ```text
//!   Σ_{x̂_j = 0} x_j  +  Σ_{x̂_j = 1} (1 − x_j)  ≤  Δ
//! ```

use crate::partial::PartialSolution;

/// `Σ terms ≤ rhs`.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// (variable, coefficient)
    pub terms: Vec<(usize, f64)>,
    /// Right-hand side.
    pub rhs: f64,
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
    /// The region as one linear row.
    pub fn row(&self) -> Row {
        let ones = self.partial.predicted.iter().filter(|p| p.value > 0.5).count();
        let sign = |value: f64| if value > 0.5 { -1.0 } else { 1.0 };
        Row {
            terms: self.partial.predicted.iter().map(|p| (p.variable, sign(p.value))).collect(),
            rhs: self.radius as f64 - ones as f64,
        }
    }

    /// Every point is inside: the row forbids nothing.
    pub fn is_everything(&self) -> bool {
        self.radius >= self.partial.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
                let partial = PartialSolution { predicted };
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
}
