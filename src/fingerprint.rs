//! What problems of a family have in common, in a few numbers: sizes, densities, and what their rows,
//! coefficients and objectives look like. A model file carries the fingerprint of what it was trained
//! on (metadata key `fingerprint`); whoever has several models asks which one fits a problem.

use crate::problem::{Kind, Problem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a trait is compared.
#[derive(Clone, Copy)]
enum Measure {
    /// A size: what is this many times larger or smaller is one unit away.
    Size(f64),
    /// A share between 0 and 1: what differs by this much is one unit away.
    Share(f64),
}

/// The traits of a problem. Sizes may differ more than densities: a network learns what a row looks
/// like, not how many there are.
const TRAITS: [(&str, Measure); 15] = [
    ("columns", Measure::Size(4.0)),
    ("rows", Measure::Size(4.0)),
    ("terms a row", Measure::Size(2.0)),
    ("terms a column", Measure::Size(2.0)),
    ("binaries", Measure::Share(0.1)),
    ("integers", Measure::Share(0.1)),
    ("equalities", Measure::Share(0.1)),
    ("at least", Measure::Share(0.1)),
    ("coefficients of ±1", Measure::Share(0.1)),
    ("negative coefficients", Measure::Share(0.1)),
    ("sides of ±1", Measure::Share(0.1)),
    ("columns without cost", Measure::Share(0.1)),
    ("negative costs", Measure::Share(0.1)),
    ("variation of the costs", Measure::Size(2.0)),
    ("maximised", Measure::Share(0.5)),
];

/// The values of a trait among some problems.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The smallest.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub most: f64,
}

/// The fingerprint of some problems, or of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// How many problems it is of.
    pub problems: usize,
    /// Each trait by its name.
    pub traits: BTreeMap<String, Spread>,
}

/// What keeps a problem from being one of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// How far it is outside: 0 is inside the family in every trait, up to 1 is near enough.
    pub distance: f64,
    /// The trait that is farthest off.
    pub what: String,
}

/// The smallest size that counts: keeps the logarithm finite.
const SMALLEST: f64 = 1e-6;

impl Fingerprint {
    /// The fingerprint of one problem, in one pass over its nonzeros.
    pub fn of(problem: &Problem) -> Fingerprint {
        let values = values(problem);
        let traits = TRAITS.iter().zip(values).map(|((name, _), value)| {
            let value = if value.is_finite() { value } else { 0.0 };
            (name.to_string(), Spread { least: value, mean: value, most: value })
        });
        Fingerprint { problems: 1, traits: traits.collect() }
    }

    /// Takes the problems of another one in.
    pub fn add(&mut self, other: &Fingerprint) {
        let (own, its) = (self.problems as f64, other.problems as f64);
        for (name, more) in &other.traits {
            let spread = self.traits.entry(name.clone()).or_insert(*more);
            spread.least = spread.least.min(more.least);
            spread.most = spread.most.max(more.most);
            spread.mean = (own * spread.mean + its * more.mean) / (own + its).max(1.0);
        }
        self.problems += other.problems;
    }

    /// How far another one is outside this one, by the trait that is farthest off. Traits that only one
    /// of them knows do not count; without any in common nothing fits.
    pub fn misfit(&self, other: &Fingerprint) -> Misfit {
        let mut worst = Misfit { distance: f64::INFINITY, what: "nothing to compare".into() };
        for (name, measure) in TRAITS {
            let (Some(own), Some(its)) = (self.traits.get(name), other.traits.get(name)) else { continue };
            let scale = |value: f64| match measure {
                Measure::Size(factor) => value.abs().max(SMALLEST).ln() / factor.ln(),
                Measure::Share(unit) => value / unit,
            };
            let below = scale(own.least) - scale(its.least);
            let above = scale(its.most) - scale(own.most);
            let distance = below.max(above).max(0.0);
            if worst.distance == f64::INFINITY || distance > worst.distance {
                worst = Misfit { distance, what: name.to_string() };
            }
        }
        worst
    }

    /// Whether a problem with the other fingerprint is one of these.
    pub fn fits(&self, other: &Fingerprint) -> bool {
        self.misfit(other).distance <= 1.0
    }
}

/// The traits, in the order of [`TRAITS`].
fn values(problem: &Problem) -> [f64; TRAITS.len()] {
    let (n, m, e) = (problem.columns(), problem.rows.len(), problem.nonzeros());
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let kinds = |kind: Kind| share(problem.kind.iter().filter(|&&own| own == kind).count(), n);
    let (lhs, rhs) = (&problem.rows.lhs, &problem.rows.rhs);
    let rows = |is: &dyn Fn(f64, f64) -> bool| share((0..m).filter(|&i| is(lhs[i], rhs[i])).count(), m);
    let coefficients = |is: fn(f64) -> bool| {
        share(problem.rows.coefficient.iter().filter(|&&coefficient| is(coefficient)).count(), e)
    };
    let costs = |is: fn(f64) -> bool| share(problem.objective.iter().filter(|&&cost| is(cost)).count(), n);
    [
        n as f64,
        m as f64,
        share(e, m),
        share(e, n),
        kinds(Kind::Binary),
        kinds(Kind::Integer),
        rows(&|lhs, rhs| lhs == rhs),
        rows(&|lhs, rhs| lhs.is_finite() && rhs == f64::INFINITY),
        coefficients(|coefficient| coefficient.abs() == 1.0),
        coefficients(|coefficient| coefficient < 0.0),
        rows(&|lhs, rhs| (if rhs.is_finite() { rhs } else { lhs }).abs() == 1.0),
        costs(|cost| cost == 0.0),
        costs(|cost| cost < 0.0),
        1.0 + variation(problem.objective.iter().copied().filter(|&cost| cost != 0.0)),
        problem.maximise as u8 as f64,
    ]
}

/// The standard deviation as a share of the mean magnitude: 0 where all costs are equal.
fn variation(costs: impl Iterator<Item = f64>) -> f64 {
    let (mut count, mut sum, mut squares) = (0.0f64, 0.0, 0.0);
    for cost in costs {
        count += 1.0;
        sum += cost.abs();
        squares += cost * cost;
    }
    if count == 0.0 {
        return 0.0;
    }
    let mean: f64 = sum / count;
    (squares / count - mean * mean).max(0.0).sqrt() / mean
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;
    use crate::instances;

    const FAMILIES: [&str; 4] = ["ca", "sc", "ip", "wa"];

    fn of(family: &str, seed: u64) -> Fingerprint {
        Fingerprint::of(&instances::generate(family, &[], seed, 0).unwrap().problem)
    }

    #[test]
    fn every_family_fits_itself_and_no_other() {
        let families = FAMILIES.map(|family| {
            let mut all = Fingerprint::default();
            (1..4).for_each(|seed| all.add(&of(family, seed)));
            all
        });
        for (family, own) in FAMILIES.iter().zip(&families) {
            assert_eq!(own.problems, 3);
            for name in FAMILIES {
                let misfit = own.misfit(&of(name, 9));
                println!("{family} and an instance of {name}: {:.2} ({})", misfit.distance, misfit.what);
                assert_eq!(own.fits(&of(name, 9)), *family == name, "{family} and {name}: {misfit:?}");
            }
        }
    }

    #[test]
    fn it_comes_back_from_text_and_an_empty_one_fits_nothing() {
        let own = of("ca", 1);
        let text = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), own);
        assert!(!Fingerprint::default().fits(&own) && !own.fits(&Fingerprint::default()));
        let nothing = Fingerprint::of(&Problem::default());
        assert!(nothing.traits.values().all(|spread| spread.mean.is_finite()));
    }

    #[test]
    fn the_mean_is_that_of_all_problems() {
        let mut all = of("sc", 1);
        let two = of("ca", 1);
        all.add(&two);
        all.add(&two);
        let mean = (of("sc", 1).traits["rows"].mean + 2.0 * two.traits["rows"].mean) / 3.0;
        assert!((all.traits["rows"].mean - mean).abs() < 1e-9);
        assert!(all.traits["rows"].least < all.traits["rows"].most);
    }
}
