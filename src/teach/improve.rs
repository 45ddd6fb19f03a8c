//! A lesson: first solutions by a teacher, then better ones from neighbourhoods of the best.
//!
//! A neighbourhood is the problem with most discrete variables fixed as they are in a good solution;
//! SCIP looks in it for something better for a second or two. How many variables are freed, and how
//! they are chosen, adapts to what was found (adaptive large neighbourhood search). Every solution that
//! SCIP sees on the way is offered to the pool.

use super::neighbourhood::{Kinds, Map, Next};
use super::trim::{Trimmed, trim};
use crate::correction::Ending;
use crate::data::pool::{Pool, Teacher};
use crate::error::{Error, Result};
use crate::instances::dice::Dice;
use crate::prediction::{Predictor, Question};
use crate::problem::{Fixings, Problem};
use crate::scip::{Milp, Relaxation};
use cpu_time::ProcessTime;

/// How a lesson goes.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Seconds for all of it, of CPU time: labels are as good on a busy machine.
    pub seconds: f64,
    /// The share of them for the teacher; the rest is for neighbourhoods.
    pub teacher_share: f64,
    /// Search neighbourhoods at all.
    pub improve: bool,
    /// Who finds the first solutions: SCIP, or SCIP with Apollo.
    pub teacher: Teacher,
    /// Parameters of SCIP and Apollo for the teacher: full name and value.
    pub parameters: Vec<(String, String)>,
    /// Solutions to keep.
    pub capacity: usize,
    /// Seed.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The solutions.
    pub pool: Pool,
    /// No solution is lower than this (minimisation sense), if anything was proved.
    pub bound: Option<f64>,
    /// The best one is proved to be optimal.
    pub optimal: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// Holds a lesson. `known` are solutions of the whole problem to begin with, all values each: they
/// must be feasible.
pub fn teach(problem: &Problem, known: &[Vec<f64>], lesson: &Lesson) -> Result<Learned> {
    let mut student = Student {
        problem,
        trimmed: trim(problem),
        pool: Pool::new(problem, lesson.capacity),
        centres: vec![],
        began: ProcessTime::now(),
        lesson,
    };
    for values in known {
        student.take(values.clone(), Teacher::Import, 0.0);
    }
    let (bound, optimal) = student.first_solutions()?;
    if !optimal && lesson.improve {
        student.improve()?;
    }
    let Student { pool, began, .. } = student;
    let optimal = optimal || pool.best().zip(bound).is_some_and(|(best, bound)| best <= bound);
    Ok(Learned { pool, bound, optimal, seconds: began.elapsed().as_secs_f64() })
}

struct Student<'a> {
    problem: &'a Problem,
    trimmed: Trimmed,
    pool: Pool,
    /// Good solutions of the trimmed problem with all their values, the best first.
    centres: Vec<(f64, Vec<f64>)>,
    began: ProcessTime,
    lesson: &'a Lesson,
}

/// So many good solutions are centres of neighbourhoods.
const CENTRES: usize = 10;

impl Student<'_> {
    fn elapsed(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn left(&self) -> f64 {
        self.lesson.seconds - self.elapsed()
    }

    /// Takes a solution of the whole problem.
    fn take(&mut self, whole: Vec<f64>, teacher: Teacher, seconds: f64) -> bool {
        let objective =
            self.problem.offset + self.problem.objective.iter().zip(&whole).map(|(c, x)| c * x).sum::<f64>();
        let taken = self.pool.insert(&whole, objective, seconds, teacher);
        if taken {
            let values: Vec<f64> = self.trimmed.left.origin.iter().map(|&j| whole[j]).collect();
            let place = self.centres.partition_point(|centre| centre.0 <= objective);
            self.centres.insert(place, (objective, values));
            self.centres.truncate(CENTRES);
        }
        taken
    }

    /// Lets the teacher find first solutions; returns what it proved.
    fn first_solutions(&mut self) -> Result<(Option<f64>, bool)> {
        let share = self.lesson.teacher_share;
        if share <= 0.0 && !self.centres.is_empty() {
            return Ok((None, false));
        }
        let milp = Milp::new(&self.trimmed.left.problem)?;
        if self.lesson.teacher == Teacher::Apollo {
            milp.include_apollo()?;
        }
        milp.set("limits/time", &(self.left() * share).max(0.1).to_string())?;
        milp.set("randomization/randomseedshift", &(self.lesson.seed % 1_000_000).to_string())?;
        milp.set("limits/maxsol", &self.lesson.capacity.max(1).to_string())?;
        for (name, value) in &self.lesson.parameters {
            milp.set(name, value)?;
        }
        for (_, values) in self.centres.iter().take(1) {
            milp.offer(values)?;
        }
        let mut ending = milp.solve()?;
        if self.centres.is_empty() && milp.solutions()?.is_empty() && ending == Ending::Limit {
            // Nothing to improve yet: go on until there is something.
            milp.set("limits/time", &(self.left() - 0.1).max(0.2).to_string())?;
            milp.set("limits/solutions", "1")?;
            ending = milp.solve()?;
        }
        for found in milp.solutions()? {
            let whole = self.trimmed.whole(&found.values);
            self.take(whole, self.lesson.teacher, found.seconds);
        }
        if self.centres.is_empty() {
            return Err(Error::Lesson(match ending {
                Ending::Infeasible => "it is infeasible or unbounded".to_string(),
                _ => format!("no solution in {:.0} s: give it more --time", self.lesson.seconds),
            }));
        }
        Ok((Some(milp.bound()).filter(|bound| bound.is_finite()), ending == Ending::Optimal))
    }

    /// What the relaxation thinks of each column, unless that takes too long.
    fn guide(&self) -> Option<Vec<f64>> {
        let fixings = Fixings::new();
        let reduced = self.trimmed.left.problem.reduce(&fixings);
        let question = Question { reduced: &reduced, fixings: &fixings, seconds: 0.2 * self.lesson.seconds };
        Some(Relaxation::new(|| false).predict(&question).ok()?.probability)
    }

    /// Searches neighbourhoods until the time is over.
    fn improve(&mut self) -> Result<()> {
        let map = Map::new(&self.trimmed.left.problem, self.guide());
        if map.discrete.is_empty() {
            return Ok(());
        }
        let mut dice = Dice::new("neighbourhoods", self.lesson.seed, 0);
        let mut kinds = Kinds::new(&map, (self.lesson.seconds / 10.0).max(0.3));
        let mut number = 0;
        while self.left() > 0.1 {
            number += 1;
            // Mostly around the best; now and then around another, so that the best is no trap.
            let spread = self.centres.len();
            let place = if dice.chance(AROUND_THE_BEST) { 0 } else { dice.below(spread) };
            let (objective, centre) = self.centres[place].clone();
            let other = self.centres[dice.below(spread)].1.clone();
            let next = kinds.next(&mut dice);
            let count = (next.share * map.discrete.len() as f64) as usize;
            let free = map.free(next.choice, count.max(1), &centre, &other, &mut dice);
            let before = self.elapsed();
            let neighbourhood = Neighbourhood { centre: &centre, objective, free: &free, next, number };
            let (found, ending) = self.search(&map, &neighbourhood)?;
            let took = self.elapsed() - before;
            let best = found.iter().map(|found| found.0).fold(objective, f64::min);
            for (_, whole) in found {
                self.take(whole, Teacher::Neighbourhood, before + took);
            }
            let gain = (objective - best) / objective.abs().max(1e-9);
            kinds.learn(&next, gain, took, matches!(ending, Ending::Optimal | Ending::Infeasible));
            log::debug!(
                "{:.1} s: {:?}{} {} free, {took:.2} s of {:.2} s, {ending:?}, {objective:.3} → {best:.3}, best {:.3}",
                self.elapsed(),
                next.choice,
                if next.local { " (local)" } else { "" },
                free.len(),
                next.seconds,
                self.pool.best().unwrap_or(f64::NAN)
            );
        }
        Ok(())
    }

    /// Searches one neighbourhood for something better than its centre; returns (objective, whole
    /// point) of everything that was found.
    fn search(&self, map: &Map, around: &Neighbourhood<'_>) -> Result<(Vec<(f64, Vec<f64>)>, Ending)> {
        let Neighbourhood { centre, objective, free, next, number } = *around;
        let mut fixings: Fixings = map.discrete.iter().map(|&j| (j, centre[j].round())).collect();
        for j in free {
            fixings.remove(j);
        }
        if next.local {
            let far = map.far_from(&self.trimmed.left.problem, free);
            fixings.extend(far.into_iter().map(|j| (j, centre[j])));
        }
        let reduced = self.trimmed.left.problem.reduce(&fixings);
        let milp = Milp::new(&reduced.problem)?;
        milp.without_separation()?;
        milp.set("limits/time", &next.seconds.min(self.left()).max(0.01).to_string())?;
        milp.set("randomization/randomseedshift", &(number % 1_000_000).to_string())?;
        milp.set_objective_limit(objective - 1e-6 * objective.abs().max(1e-3))?;
        let ending = milp.solve()?;
        let mut found = vec![];
        for solution in milp.solutions()? {
            let mut values = vec![0.0; centre.len()];
            for (&j, &value) in &fixings {
                values[j] = value;
            }
            for (&j, &value) in reduced.origin.iter().zip(&solution.values) {
                values[j] = value;
            }
            found.push((solution.objective, self.trimmed.whole(&values)));
        }
        Ok((found, ending))
    }
}

/// What is searched next.
#[derive(Clone, Copy)]
struct Neighbourhood<'a> {
    centre: &'a [f64],
    /// The centre's.
    objective: f64,
    free: &'a [usize],
    next: Next,
    number: u64,
}

/// The share of neighbourhoods around the best solution.
const AROUND_THE_BEST: f64 = 0.8;
