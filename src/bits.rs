//! General integers by bits.
//!
//! The value of an integer between finite bounds, minus its lower bound, is a row of bits, the most
//! significant first. A predictor says how likely each of them is 1. The *leading bits* that it is sure
//! of are an [`Interval`] of values:
//!
//! ```text
//!   x in 3 … 12, so x − 3 in 0 … 9 has four bits; sure of 01··, that is x − 3 in 4 … 7, x in 7 … 10
//! ```
//!
//! A bit that can only be 0, because a 1 would be above the upper bound, is sure whatever the predictor
//! says. Leading bits that are settled become bounds; the bits that are left are then those of the
//! shorter range, the same as before. Integers without finite bounds, or with more bits than the
//! predictor has, are left to the search.

use std::collections::BTreeMap;

/// Networks have at most so many bits for each integer.
pub const MOST: usize = 16;

/// A bit is sure if its probability is this far from 0 or from 1, or farther.
pub const SURE: f64 = 0.9;

/// Bounds that are off by less than this are whole numbers.
const TOLERANCE: f64 = 1e-9;

/// All whole numbers from `lower` to `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub lower: f64,
    /// The largest.
    pub upper: f64,
}

/// Bounds that are settled: variable index → interval. Ordered, as [`Fixings`](crate::problem::Fixings)
/// are.
pub type Intervals = BTreeMap<usize, Interval>;

impl Interval {
    /// The whole numbers between the bounds of an integer that has bits: at least two and finitely many
    /// of them, and no more than [`MOST`] bits say.
    pub fn of(lower: f64, upper: f64) -> Option<Interval> {
        let (lower, upper) = ((lower - TOLERANCE).ceil(), (upper + TOLERANCE).floor());
        let fits =
            lower.is_finite() && upper.is_finite() && lower < upper && upper - lower < (1 << MOST) as f64;
        fits.then_some(Interval { lower, upper })
    }

    /// How many bits tell its numbers apart.
    pub fn bits(self) -> usize {
        (u64::BITS - self.range().leading_zeros()) as usize
    }

    fn range(self) -> u64 {
        (self.upper - self.lower) as u64
    }

    /// A value above the lower bound, as bits; what is outside counts as the bound it is nearest to.
    pub fn offset(self, value: f64) -> u64 {
        (value.clamp(self.lower, self.upper) - self.lower).round() as u64
    }

    /// Whether a value of an integer, up to rounding, is in it.
    pub fn contains(self, value: f64) -> bool {
        (self.lower..=self.upper).contains(&value.round())
    }

    /// There is only one number in it.
    pub fn is_value(self) -> bool {
        self.lower == self.upper
    }

    /// How many numbers it has.
    pub fn width(self) -> f64 {
        self.upper - self.lower + 1.0
    }

    /// Its numbers that agree with `value` in all but the last `free` bits.
    pub fn block(self, free: usize, value: f64) -> Interval {
        let lower = self.lower + (self.offset(value) >> free << free) as f64;
        Interval { lower, upper: (lower + ((1u64 << free) - 1) as f64).min(self.upper) }
    }
}

/// The leading bits of one integer that a prediction is sure of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leading {
    /// Index of the variable in the whole problem.
    pub variable: usize,
    /// Its bounds.
    pub bounds: Interval,
    /// How many of its last bits are open.
    pub free: usize,
    /// What the leading ones say: the predicted interval.
    pub interval: Interval,
    /// The smallest probability of a leading bit, between [`SURE`] and 1.
    pub confidence: f64,
}

impl Leading {
    /// The leading bits that `probability` is sure of, if it is sure of the first. It has one entry a
    /// bit, the most significant first; of a longer row the last entries are the bits of this integer.
    pub fn predict(variable: usize, bounds: Interval, probability: &[f64]) -> Option<Leading> {
        let bits = bounds.bits();
        let own = &probability[probability.len().checked_sub(bits)?..];
        let (mut offset, mut free, mut confidence) = (0, bits, 1.0f64);
        for &p in own {
            let place = 1u64 << (free - 1);
            if offset + place <= bounds.range() {
                let sure = p.max(1.0 - p);
                if sure < SURE {
                    break;
                }
                confidence = confidence.min(sure);
                offset += if p > 0.5 { place } else { 0 };
            }
            free -= 1;
        }
        let interval = bounds.block(free, bounds.lower + offset as f64);
        (free < bits).then_some(Leading { variable, bounds, free, interval, confidence })
    }

    /// The interval if the leading bits were those of this value.
    pub fn at(&self, value: f64) -> Interval {
        self.bounds.block(self.free, value.round())
    }

    /// How far a value is from the predicted interval, in widths of it: 0 inside.
    pub fn distance(&self, value: f64) -> f64 {
        let Interval { lower, upper } = self.interval;
        (lower - value).max(value - upper).max(0.0) / self.interval.width()
    }

    /// How far a value between the bounds can be from it.
    pub fn farthest(&self) -> f64 {
        self.distance(self.bounds.lower).max(self.distance(self.bounds.upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(lower: i32, upper: i32) -> Interval {
        Interval { lower: lower.into(), upper: upper.into() }
    }

    #[test]
    fn only_finite_ranges_have_bits() {
        assert_eq!(Interval::of(0.0, f64::INFINITY), None);
        assert_eq!(Interval::of(f64::NEG_INFINITY, 3.0), None);
        assert_eq!(Interval::of(2.0, 2.5), None, "one value is no question");
        assert_eq!(Interval::of(0.0, 65_536.0), None);
        assert_eq!(Interval::of(-0.5, 9.7), Some(interval(0, 9)));
        for (upper, bits) in [(1, 1), (2, 2), (3, 2), (4, 3), (255, 8), (65_535, 16)] {
            assert_eq!(Interval::of(0.0, upper.into()).unwrap().bits(), bits, "{upper}");
        }
    }

    /// For all small bounds, numbers of open bits and values: blocks are what bits say, and cover the
    /// bounds without overlap.
    #[test]
    fn a_block_is_the_values_with_the_same_leading_bits() {
        for range in 1..=17 {
            let bounds = interval(-3, range - 3);
            for free in 0..=bounds.bits() {
                for value in -3..=range - 3 {
                    let block = bounds.block(free, value.into());
                    for other in -3..=range - 3 {
                        let alike = (value + 3) >> free == (other + 3) >> free;
                        assert_eq!(block.contains(other.into()), alike, "{range} {free} {value} {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn leading_bits_end_where_doubt_begins() {
        let bounds = interval(3, 12); // x − 3 in 0 … 9
        let predict = |p: &[f64]| Leading::predict(7, bounds, p);
        let found = predict(&[0.05, 0.97, 0.5, 0.0]).unwrap();
        assert_eq!(
            (found.variable, found.free, found.interval, found.confidence),
            (7, 2, interval(7, 10), 0.95)
        );
        assert_eq!(predict(&[0.5, 1.0, 1.0, 1.0]), None, "unsure of the first");
        assert_eq!(predict(&[0.0; 3]), None, "too few bits");
        assert_eq!(predict(&[0.5, 0.0, 1.0, 1.0, 1.0]).unwrap().interval, interval(10, 10), "a longer row");
        // 1··· is 8 … 9, so the two bits in the middle can only be 0.
        assert_eq!(predict(&[1.0, 0.5, 0.5, 0.5]).unwrap().interval, interval(11, 12));
        assert_eq!(predict(&[1.0, 1.0, 1.0, 1.0]).unwrap().interval, interval(12, 12));
    }

    /// After tightening, the bits that are left are the last ones of before.
    #[test]
    fn the_bits_of_a_tightened_integer_are_its_last_ones() {
        for range in 1..=20 {
            let bounds = interval(0, range);
            for free in 0..bounds.bits() {
                for value in 0..=range {
                    let block = bounds.block(free, value.into());
                    let last = bounds.offset(value.into()) & ((1 << free) - 1);
                    assert_eq!(block.offset(value.into()), last);
                    assert!(block.is_value() || block.bits() <= free);
                }
            }
        }
    }
}
