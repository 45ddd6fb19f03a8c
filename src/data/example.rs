//! Examples to learn from and to be examined with: a problem, and what its pool says about it. An
//! instance is one, and so is each of its augmented instances; training, evaluation and export all take
//! them from here.

use super::file::Instance;
use super::pool::Pool;
use crate::problem::{Fixings, Kind, Problem, Reduced};

/// One example.
#[derive(Clone, Debug)]
pub struct Example<'a> {
    /// What the fixings leave of the instance's problem; all of it without fixings.
    pub reduced: Reduced,
    /// The fixings; none for the instance itself.
    pub fixings: Fixings,
    /// Solutions, by the columns of `reduced.problem`.
    pub pool: &'a Pool,
    /// The share of the integer variables that is fixed: 0 for the instance itself.
    pub alpha: f64,
}

/// The instance itself, then its augmented ones; none if the file was stripped of its problem.
pub fn examples(instance: &Instance) -> impl Iterator<Item = Example<'_>> {
    (0..=instance.augmented.len()).filter_map(|number| nth(instance, number))
}

/// One of them: 0 is the instance itself. The others are not computed for it.
pub fn nth(instance: &Instance, number: usize) -> Option<Example<'_>> {
    let problem = instance.problem.as_ref()?;
    if number == 0 {
        return Some(example(problem, Fixings::new(), &instance.pool));
    }
    let sample = instance.augmented.get(number - 1)?;
    Some(example(problem, sample.fixings.clone(), &sample.pool))
}

fn example<'a>(problem: &Problem, fixings: Fixings, pool: &'a Pool) -> Example<'a> {
    let discrete = problem.kind.iter().filter(|&&kind| kind != Kind::Continuous).count();
    let alpha = fixings.len() as f64 / discrete.max(1) as f64;
    Example { reduced: problem.reduce(&fixings), fixings, pool, alpha }
}
