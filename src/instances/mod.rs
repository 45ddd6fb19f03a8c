//! Random instances of the benchmark families, the same on every machine.
//!
//! A family is a name, a sentence, a table of options and a function that draws one instance.
//! Instance k is a function of (family, options, seed, k): it does not matter how many others are
//! made, or in which order. Every instance has a feasible point, so a run without a solution is the
//! solver's failure.
//!
//! [`mps`] writes what comes out of here to a file. How the families compare with the published
//! files and the paper's figures is measured in `docs/FAMILIES.md`.

use crate::problem::{Kind, Problem};

mod ca;
mod failure;
mod ip;
mod lot;
pub mod mps;
mod options;
mod sc;
mod uc;
mod wa;

use crate::dice::Dice;
use options::Values;
pub use options::{Error, FamilyOption};

/// A problem with the names that its file will show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named {
    /// Name of the instance, fit for a file name.
    pub name: String,
    /// The problem itself.
    pub problem: Problem,
    /// Names of the variables.
    pub variables: Vec<String>,
    /// Names of the rows.
    pub rows: Vec<String>,
}

impl Named {
    /// Appends a variable and returns its index.
    fn variable(&mut self, name: String, objective: f64, lower: f64, upper: f64, kind: Kind) -> usize {
        self.variables.push(name);
        self.problem.add_column(objective, lower, upper, kind)
    }

    /// Appends a binary variable and returns its index.
    fn binary(&mut self, name: String, objective: f64) -> usize {
        self.variable(name, objective, 0.0, 1.0, Kind::Binary)
    }

    /// Appends `Σ terms = side`.
    fn equal(&mut self, name: String, terms: impl IntoIterator<Item = (usize, f64)>, side: f64) {
        self.rows.push(name);
        self.problem.rows.push(side, terms, side);
    }

    /// Appends `Σ terms ≤ side`.
    fn at_most(&mut self, name: String, terms: impl IntoIterator<Item = (usize, f64)>, side: f64) {
        self.rows.push(name);
        self.problem.rows.push(f64::NEG_INFINITY, terms, side);
    }

    /// Appends `Σ terms ≥ side`.
    fn at_least(&mut self, name: String, terms: impl IntoIterator<Item = (usize, f64)>, side: f64) {
        self.rows.push(name);
        self.problem.rows.push(side, terms, f64::INFINITY);
    }
}

/// A family of instances.
#[derive(Debug)]
pub struct Family {
    /// What the user calls it.
    pub name: &'static str,
    /// One sentence for the help.
    pub description: &'static str,
    /// What can be set in it.
    pub options: &'static [FamilyOption],
    draw: fn(&Values, &mut Dice) -> Result<Named, Error>,
}

/// All families, in the order in which the help shows them.
pub static FAMILIES: [Family; 9] = [
    Family {
        name: "ca",
        description: "Combinatorial auction, arbitrary relationships: 1,500 bids on 3,000 items.",
        options: &ca::options(3_000, 1_500),
        draw: ca::draw,
    },
    Family {
        name: "ca-small",
        description: "Combinatorial auction that a solver finishes: 1,500 bids on 300 items.",
        options: &ca::options(300, 1_500),
        draw: ca::draw,
    },
    Family {
        name: "ca-large",
        description: "Combinatorial auction for models trained on ca: 4,000 bids on 1,900 items.",
        options: &ca::options(1_900, 4_000),
        draw: ca::draw,
    },
    Family {
        name: "sc",
        description: "Set covering after Balas and Ho: 3,000 rows, 5,000 columns.",
        options: &sc::options(3_000, 5_000),
        draw: sc::draw,
    },
    Family {
        name: "sc-large",
        description: "Set covering for models trained on sc: 6,000 rows, 10,000 columns.",
        options: &sc::options(6_000, 10_000),
        draw: sc::draw,
    },
    Family {
        name: "ip",
        description: "Balanced item placement: 105 items into 10 bins with 3 resources.",
        options: &ip::OPTIONS,
        draw: ip::draw,
    },
    Family {
        name: "wa",
        description: "Workload apportionment: 60 workloads on 1,000 workers, any one of which may fail.",
        options: &wa::OPTIONS,
        draw: wa::draw,
    },
    Family {
        name: "uc",
        description: "Unit commitment: which power stations run in which hour, at what output.",
        options: &uc::OPTIONS,
        draw: uc::draw,
    },
    Family {
        name: "lot",
        description: "Lot sizing: set-ups, whole batches, stock and backlog under machine capacities.",
        options: &lot::OPTIONS,
        draw: lot::draw,
    },
];

/// The family of this name.
pub fn family(name: &str) -> Result<&'static Family, Error> {
    FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| Error::UnknownFamily {
        family: name.to_string(),
        known: FAMILIES.iter().map(|family| family.name).collect(),
    })
}

/// Instance `k` of a family under `seed`, with `options` as (name, value) over the defaults.
pub fn generate(family: &str, options: &[(&str, &str)], seed: u64, k: u64) -> Result<Named, Error> {
    let family = self::family(family)?;
    let values = Values::read(family.name, family.options, options)?;
    let mut named = (family.draw)(&values, &mut Dice::new(family.name, seed, k))?;
    named.name = format!("{}-{seed}-{k}", family.name);
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Family, options, hash of the text of instance 3 under seed 7.
    type Case = (&'static str, &'static [(&'static str, &'static str)], u64);

    /// Small enough to be quick, one for every family.
    const SMALL: [Case; 9] = [
        ("ca", &[("items", "30"), ("bids", "40")], 0x25ca_1b43_c7d6_775e),
        ("ca-small", &[("items", "30"), ("bids", "40")], 0xf59d_6ae9_f94d_d6e8),
        ("ca-large", &[("items", "30"), ("bids", "40")], 0x4312_9ed1_840b_7824),
        ("sc", &[("rows", "30"), ("columns", "50"), ("density", "0.1")], 0x8c50_701e_74be_c9f0),
        ("sc-large", &[("rows", "30"), ("columns", "50"), ("density", "0.1")], 0xd0b4_6f97_3209_7eec),
        ("ip", &[("small_items", "10"), ("bins", "3")], 0x82cb_a321_97dc_f92d),
        (
            "wa",
            &[("workers", "60"), ("light_workloads", "2"), ("heavy_workloads", "0"), ("likely", "0.9")],
            0x5153_5dc5_1881_d2a0,
        ),
        ("uc", &[("stations", "3"), ("hours", "4"), ("zones", "2"), ("lines", "3")], 0x81f3_1cc4_1adc_ea1c),
        ("lot", &[("items", "4"), ("machines", "2"), ("periods", "3")], 0x68b9_d349_5d74_ead2),
    ];

    fn text(named: &Named) -> Vec<u8> {
        let mut text = vec![];
        mps::write_text(named, &mut text).unwrap();
        text
    }

    /// The most by which a point breaks a bound, a side or integrality.
    pub(super) fn violation(problem: &Problem, point: &[f64]) -> f64 {
        let outside = |value: f64, least: f64, most: f64| (least - value).max(value - most).max(0.0);
        let bounds = (0..problem.columns()).map(|j| {
            let fraction = if problem.kind[j] == Kind::Continuous { 0.0 } else { point[j].fract().abs() };
            outside(point[j], problem.lower[j], problem.upper[j]).max(fraction)
        });
        let sides = (0..problem.rows.len()).map(|i| {
            let activity = problem.rows.terms(i).map(|(j, coefficient)| coefficient * point[j]).sum();
            outside(activity, problem.rows.lhs[i], problem.rows.rhs[i])
        });
        bounds.chain(sides).fold(0.0, f64::max)
    }

    /// Pinned: whoever changes a generator sees here that the instances are no longer the same.
    #[test]
    fn the_same_instance_is_the_same_bytes_everywhere() {
        for (family, options, pinned) in SMALL {
            let named = generate(family, options, 7, 3).unwrap();
            let hash = text(&named).iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
            assert_eq!(hash, pinned, "{family}");
        }
    }

    #[test]
    fn seeds_and_numbers_make_different_instances() {
        for (family, options, _) in SMALL {
            let made = [(0, 0), (0, 1), (1, 0)].map(|(seed, k)| generate(family, options, seed, k).unwrap());
            assert_eq!(made[1].name, format!("{family}-0-1"));
            assert_ne!(made[0].problem, made[1].problem, "{family}");
            assert_ne!(made[0].problem, made[2].problem, "{family}");
        }
    }

    #[test]
    fn names_are_as_many_as_rows_and_columns_and_all_different() {
        for (family, options, _) in SMALL {
            let named = generate(family, options, 0, 0).unwrap();
            assert_eq!(named.variables.len(), named.problem.columns());
            assert_eq!(named.rows.len(), named.problem.rows.len());
            for mut names in [named.variables, named.rows] {
                let all = names.len();
                names.sort();
                names.dedup();
                assert_eq!(names.len(), all, "{family}");
            }
        }
    }

    #[test]
    fn default_sizes_are_the_published_ones() {
        let size = |family: &str| {
            let problem = generate(family, &[], 1, 0).unwrap().problem;
            (problem.rows.len(), problem.columns(), problem.nonzeros(), problem.binaries().count())
        };
        assert_eq!(size("sc"), (3_000, 5_000, 750_000, 5_000));
        assert_eq!(size("ip"), (195, 1_083, 7_440, 1_050));
        let (rows, columns, nonzeros, binaries) = size("ca");
        assert!((2_450..2_750).contains(&rows) && (7_000..9_500).contains(&nonzeros), "{rows} {nonzeros}");
        assert_eq!((columns, binaries), (1_500, 1_500));
        let (rows, columns, nonzeros, binaries) = size("wa");
        assert!(
            (64_100..64_500).contains(&rows) && (340_000..385_000).contains(&nonzeros),
            "{rows} {nonzeros}"
        );
        assert_eq!((columns, binaries), (61_000, 1_000));
        let (rows, columns, _, binaries) = size("uc");
        assert_eq!((rows, columns, binaries), (28_206, 20_328, 9_288));
        let (rows, columns, _, binaries) = size("lot");
        assert_eq!((rows, columns, binaries), (3_850, 6_750, 1_500));
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let error = generate("caa", &[], 0, 0).unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no family caa; there are ca, ca-small, ca-large, sc, sc-large, ip, wa, uc, lot"
        );
        let error = generate("ip", &[("items", "3")], 0, 0).unwrap_err().to_string();
        assert!(error.starts_with("family ip has no option items; it has small_items, large_items, bins"));
    }

    /// Nothing that a table allows may end in a panic: each option at both ends, alone. The greatest
    /// counts are left out: they take their time.
    #[test]
    fn the_ends_of_every_range_make_an_instance_or_a_sentence() {
        for (family, small, _) in SMALL {
            for option in self::family(family).unwrap().options {
                let most = if option.whole { option.default.min(100.0) } else { option.most };
                for end in [option.least, most].map(|end| end.to_string()) {
                    let options = [small, &[(option.name, end.as_str())]].concat();
                    if let Err(error) = generate(family, &options, 0, 0) {
                        assert!(error.to_string().contains(option.name), "{error}");
                    }
                }
            }
        }
    }
}
