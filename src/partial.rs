//! The partial solution: the surest predictions, and the values x̂ they predict. For general integers
//! these are intervals: what the leading bits say ([`crate::bits`]).

use crate::bits::Leading;
use crate::problem::Fixings;

/// One predicted value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    /// Index of the variable in the whole problem.
    pub variable: usize,
    /// Its probability of being 1.
    pub probability: f64,
    /// The predicted value x̂: 0 or 1.
    pub value: f64,
}

impl Predicted {
    /// How far the probability is from the predicted value: 0 is certain.
    fn doubt(&self) -> f64 {
        (self.probability - self.value).abs()
    }
}

/// The k1 variables surest to be 1 and the k0 surest to be 0, surest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartialSolution {
    /// The predicted values, by rising doubt, ties by index.
    pub predicted: Vec<Predicted>,
    /// The predicted intervals of general integers, likewise.
    pub leading: Vec<Leading>,
}

impl PartialSolution {
    /// Chooses from `candidates` = (variable, probability): the k1 largest probabilities become 1, the
    /// k0 smallest of the others 0. Ties go to the smaller index; both counts are clipped to what
    /// there is.
    pub fn select(candidates: &[(usize, f64)], k0: usize, k1: usize) -> PartialSolution {
        let mut order = candidates.to_vec();
        let k1 = k1.min(order.len());
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut rest = order.split_off(k1);
        rest.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        rest.truncate(k0);

        let with = |value| move |(variable, probability)| Predicted { variable, probability, value };
        let mut predicted: Vec<_> =
            order.into_iter().map(with(1.0)).chain(rest.into_iter().map(with(0.0))).collect();
        predicted.sort_by(|a, b| a.doubt().total_cmp(&b.doubt()).then(a.variable.cmp(&b.variable)));
        PartialSolution { predicted, leading: vec![] }
    }

    /// The same with the `count` general integers whose leading bits are surest.
    pub fn with_leading(mut self, mut leading: Vec<Leading>, count: usize) -> PartialSolution {
        leading.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then(a.variable.cmp(&b.variable)));
        leading.truncate(count);
        self.leading = leading;
        self
    }

    /// The values that it gives: of binaries, and of general integers that are predicted whole.
    pub fn values(&self) -> Fixings {
        let whole = self.leading.iter().filter(|leading| leading.interval.is_value());
        let whole = whole.map(|leading| (leading.variable, leading.interval.lower));
        self.predicted.iter().map(|p| (p.variable, p.value)).chain(whole).collect()
    }

    /// How many values and intervals are predicted.
    pub fn len(&self) -> usize {
        self.predicted.len() + self.leading.len()
    }

    /// Nothing is predicted.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keeps only the surer half of the values and of the intervals.
    pub fn keep_surer_half(&mut self) {
        self.predicted.truncate(self.predicted.len() / 2);
        self.leading.truncate(self.leading.len() / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Interval;

    fn values(partial: &PartialSolution) -> Vec<(usize, f64)> {
        let mut values: Vec<_> = partial.predicted.iter().map(|p| (p.variable, p.value)).collect();
        values.sort_by_key(|v| v.0);
        values
    }

    #[test]
    fn the_surest_ones_and_zeros() {
        let partial = PartialSolution::select(&[(3, 0.9), (5, 0.1), (7, 0.5), (9, 0.8)], 1, 2);
        assert_eq!(values(&partial), [(3, 1.0), (5, 0.0), (9, 1.0)]);
    }

    #[test]
    fn ties_go_to_the_smaller_index() {
        let partial = PartialSolution::select(&[(2, 0.5), (0, 0.5), (1, 0.5)], 1, 1);
        assert_eq!(values(&partial), [(0, 1.0), (1, 0.0)]);
    }

    #[test]
    fn too_large_counts_are_clipped_and_the_sets_stay_disjoint() {
        let partial = PartialSolution::select(&[(0, 0.2), (1, 0.9)], 9, 1);
        assert_eq!(values(&partial), [(0, 0.0), (1, 1.0)]);
        assert_eq!(PartialSolution::select(&[(0, 0.2)], 5, 5).len(), 1);
        assert!(PartialSolution::select(&[], 5, 5).is_empty());
    }

    #[test]
    fn the_least_certain_leave_first() {
        let candidates = [(0, 0.01), (1, 0.4), (2, 0.2), (3, 0.3), (4, 0.5)];
        let mut partial = PartialSolution::select(&candidates, 5, 0);
        partial.keep_surer_half();
        assert_eq!(values(&partial), [(0, 0.0), (2, 0.0)]);
    }

    #[test]
    fn the_surest_leading_bits_are_taken() {
        let bounds = Interval::of(0.0, 7.0).unwrap();
        let predict = |(j, p)| Leading::predict(j, bounds, &[p, 0.5, 0.5]);
        let leading: Vec<Leading> =
            [(4, 0.95), (1, 0.99), (2, 0.99), (3, 0.6)].into_iter().filter_map(predict).collect();
        let chosen = |count| {
            let partial = PartialSolution::select(&[(0, 0.2)], 1, 0).with_leading(leading.clone(), count);
            (partial.len(), partial.leading.iter().map(|one| one.variable).collect::<Vec<_>>())
        };
        assert_eq!(chosen(2), (3, vec![1, 2]));
        assert_eq!(chosen(9), (4, vec![1, 2, 4]), "3 is not sure of its first bit");
        let mut partial = PartialSolution::default().with_leading(leading.clone(), 9);
        partial.keep_surer_half();
        assert_eq!((partial.len(), partial.leading[0].variable), (1, 1));
    }
}
