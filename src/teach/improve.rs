//! A lesson: first solutions by a teacher, then better ones from neighbourhoods of the best.
//!
//! A neighbourhood is the problem with most discrete variables fixed as they are in a good solution;
//! SCIP looks in it for something better for a second or two. How many variables are freed, and how
//! they are chosen, adapts to what was found (adaptive large neighbourhood search). Every solution that
//! SCIP sees on the way is offered to the pool. Solutions that are nearly as good as the best are what
//! labels are made of: where there are not enough of them at the end, SCIP looks for the next best ones
//! with all that are known forbidden.
//!
//! The relaxation helps twice: it guides some of the choices, and its reduced costs prove of many
//! columns that no good solution moves them (nine of ten on large set covers). They leave the problem.

use crate::correction::Ending;
use crate::data::pool::{Pool, TEMPERATURE, Teacher};
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::local::flips::Flips;
use crate::local::kinds::{Kinds, Next};
use crate::local::neighbourhood::{Choice, Map};
use crate::local::trim::{Trimmed, trim};
use crate::problem::{Fixings, Problem, Reduced};
use crate::relaxation::Relaxed;
use crate::scip::{Milp, relax};
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

/// A solution to begin with: all its values, and who found it. It must be feasible.
pub type Known = (Vec<f64>, Teacher);

/// Holds a lesson.
pub fn teach(problem: &Problem, known: &[Known], lesson: &Lesson) -> Result<Learned> {
    let whole = trim(problem).strengthened();
    let mut student = Student {
        problem,
        whole: whole.clone(),
        trimmed: whole,
        pool: Pool::new(problem, lesson.capacity),
        centres: vec![],
        weights: None,
        bursts: 0,
        began: ProcessTime::now(),
        lesson,
    };
    for (values, teacher) in known {
        student.take(values.clone(), *teacher, 0.0);
    }
    let (bound, optimal) = student.first_solutions()?;
    if lesson.improve && optimal {
        student.fill(1.0, f64::INFINITY)?;
    } else if lesson.improve {
        let share = student.improve((1.0 - FILLING) * lesson.seconds)?;
        student.fill(share, student.nearly_as_good())?;
        student.trimmed = student.whole.clone();
        student.fill(share, f64::INFINITY)?;
    }
    let Student { pool, began, .. } = student;
    let optimal = optimal || pool.best().zip(bound).is_some_and(|(best, bound)| best <= bound);
    Ok(Learned { pool, bound, optimal, seconds: began.elapsed().as_secs_f64() })
}

struct Student<'a> {
    problem: &'a Problem,
    /// What is left of the problem, and what good solutions leave of it.
    whole: Trimmed,
    trimmed: Trimmed,
    pool: Pool,
    /// Good solutions of the whole problem, the best first.
    centres: Vec<Point>,
    /// What flipping has learned about the problem as it is now, and how often it was done.
    weights: Option<Vec<f64>>,
    bursts: u64,
    began: ProcessTime,
    lesson: &'a Lesson,
}

/// The share of the time that is kept for filling the pool, if it needs that.
const FILLING: f64 = 0.1;

/// Where binaries can be flipped one by one, that is done for this share of the time, again and again,
/// with as much time for neighbourhoods in between.
const BURST: f64 = 0.05;

/// Solutions up to this share worse than the best are good: at the temperature of training a solution
/// beyond counts for less than a twentieth.
const NEARLY: f64 = 3.0 * TEMPERATURE;

/// The problem is cut again when so many of its columns would leave.
const WORTH_CUTTING: f64 = 0.1;

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
        let objective = self.problem.minimised_objective(&whole);
        let taken = self.pool.insert(&whole, objective, seconds, teacher);
        if taken {
            let place = self.centres.partition_point(|centre| centre.0 <= objective);
            self.centres.insert(place, (objective, whole));
            self.centres.truncate(CENTRES);
        }
        taken
    }

    /// The best objective, and a little more.
    fn nearly_as_good(&self) -> f64 {
        self.pool.best().map_or(f64::INFINITY, |best| best + NEARLY * best.abs())
    }

    /// The pool is full of solutions up to this objective.
    fn is_full_of(&self, cutoff: f64) -> bool {
        self.pool.is_full() && self.pool.solutions.last().is_some_and(|worst| worst.objective <= cutoff)
    }

    /// Leaves out of the problem what good solutions do not need; says whether that changed anything.
    fn cut_off(&mut self, relaxed: &Relaxed) -> bool {
        let cut = self.whole.cut_off(relaxed, self.nearly_as_good());
        let (columns, left) = (self.trimmed.left.origin.len(), cut.left.origin.len());
        let worth = (columns - left) as f64 > WORTH_CUTTING * columns as f64;
        if worth {
            log::debug!("{:.1} s: {left} of {columns} columns can matter", self.elapsed());
            // What is worse than nearly as good may need the others.
            self.centres.retain(|(_, centre)| cut.has(centre));
            self.trimmed = cut;
            self.weights = None;
        }
        worth
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
        if self.lesson.improve {
            milp.presolve_fast()?; // a full presolve of a large set cover outlasts the teacher's share
        }
        milp.set("limits/time", &(self.left() * share).max(0.1).to_string())?;
        milp.set("randomization/randomseedshift", &(self.lesson.seed % 1_000_000).to_string())?;
        milp.set("limits/maxsol", &self.lesson.capacity.max(1).to_string())?;
        for (name, value) in &self.lesson.parameters {
            milp.set(name, value)?;
        }
        for (_, values) in self.centres.iter().take(1) {
            milp.offer(&self.trimmed.part(values))?;
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

    /// The relaxation of the problem, unless that takes too long.
    fn relaxed(&self) -> Option<Relaxed> {
        // CPU time counts; the clock on the wall only ends what hangs.
        let (began, seconds) = (self.elapsed(), 0.2 * self.lesson.seconds);
        let over = || self.elapsed() - began > seconds;
        relax(&self.whole.left.problem, 20.0 * seconds, over).ok().flatten()
    }

    /// What choosing needs to know about the problem as it is now.
    fn map(&self, relaxed: Option<&Relaxed>) -> Map {
        let guide = relaxed.map(|relaxed| {
            let whole = self.whole.whole(&relaxed.probability);
            self.trimmed.part(&whole)
        });
        Map::new(&self.trimmed.left.problem, guide)
    }

    /// Searches neighbourhoods until so many seconds of the lesson are over, or longer if the pool is
    /// full anyway. Returns the share of variables that can be searched well.
    fn improve(&mut self, until: f64) -> Result<f64> {
        let relaxed = self.relaxed();
        if let Some(relaxed) = &relaxed {
            self.cut_off(relaxed);
        }
        let burst = (BURST * self.lesson.seconds).max(0.2);
        let mut flips = self.flip(3.0 * burst, None);
        if flips && let Some(relaxed) = &relaxed {
            self.cut_off(relaxed);
        }
        let mut next_burst = self.elapsed() + burst;
        let mut map = self.map(relaxed.as_ref());
        if map.discrete.is_empty() {
            return Ok(0.0);
        }
        let mut dice = Dice::new("neighbourhoods", self.lesson.seed, 0);
        let mut kinds = Kinds::new(&map, (self.lesson.seconds / 20.0).max(0.3));
        let mut number = 0;
        while self.left() > 0.1 && (self.elapsed() < until || self.is_full_of(self.nearly_as_good())) {
            number += 1;
            if flips && self.elapsed() > next_burst {
                // Every other time it looks for company for the best, and may find better on the way.
                let near = self.nearly_as_good();
                let cutoff = Some(near).filter(|&near| self.bursts % 2 == 1 && !self.is_full_of(near));
                flips = self.flip(burst, cutoff);
                next_burst = self.elapsed() + burst;
            }
            // Mostly around the best; now and then around another, so that the best is no trap.
            let spread = self.centres.len();
            let place = if dice.chance(AROUND_THE_BEST) { 0 } else { dice.below(spread) };
            let (objective, ref centre) = self.centres[place];
            let centre = self.trimmed.part(centre);
            let other = self.trimmed.part(&self.centres[dice.below(spread)].1);
            let next = kinds.next(&mut dice);
            let free = map.free(next.choice, next.share, &centre, &other, &mut dice);
            let before = self.elapsed();
            let neighbourhood = Neighbourhood { centre: &centre, objective, free: &free, next, number };
            let (found, ending) = self.search(&map, &neighbourhood)?;
            let took = self.elapsed() - before;
            let best = found.iter().map(|found| found.0).fold(objective, f64::min);
            for (_, whole) in found {
                self.take(whole, Teacher::Neighbourhood, before + took);
            }
            if best < objective
                && let Some(relaxed) = &relaxed
                && self.cut_off(relaxed)
            {
                map = self.map(Some(relaxed));
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
        Ok(kinds.share())
    }

    /// Flips binaries one by one, or exchanges choices, for so many seconds, where that is possible. Looks for better
    /// solutions than the best, or for any up to the objective `cutoff`. False if it cannot.
    fn flip(&mut self, seconds: f64, cutoff: Option<f64>) -> bool {
        let (began, trimmed) = (self.began, self.trimmed.clone());
        let centre = trimmed.part(&self.centres[0].1);
        self.bursts += 1;
        let seed = self.lesson.seed.wrapping_add(self.bursts);
        let Some(flips) = Flips::new(&trimmed.left.problem, &centre, seed) else { return false };
        let mut flips = flips.with_weights(self.weights.take());
        let exchanges = flips.can_exchange() && (flips.all_can_exchange() || self.bursts.is_multiple_of(2));
        let elapsed = || began.elapsed().as_secs_f64();
        let seconds = seconds.max(0.01);
        let until = elapsed() + seconds;
        let below = |objective: f64| objective - 1e-6 * objective.abs();
        let first = cutoff.unwrap_or(below(self.centres[0].0));
        let before = self.centres[0].0;
        let found = |objective: f64, point: &[f64]| {
            self.take(trimmed.whole(point), Teacher::Neighbourhood, elapsed());
            match cutoff {
                None => below(objective),
                Some(cutoff) if self.is_full_of(cutoff) => f64::NEG_INFINITY,
                Some(cutoff) => cutoff,
            }
        };
        if exchanges {
            flips.exchange(first, || 1.0 - (until - elapsed()) / seconds, found);
        } else {
            flips.search(first, || elapsed() > until, found);
        }
        log::debug!("{:.1} s: flips, {seconds:.1} s, {before:.3} → {:.3}", elapsed(), self.centres[0].0);
        self.weights = Some(flips.into_weights());
        true
    }

    /// Fills the pool with solutions up to the objective `cutoff`: around the best one, with this share
    /// of the variables free, SCIP looks for the next best one, again and again. With all of them free
    /// and time enough these are the best there are.
    fn fill(&mut self, share: f64, cutoff: f64) -> Result<()> {
        let mut dice = Dice::new("filling", self.lesson.seed, 0);
        let map = self.map(None);
        let mut in_vain = 0;
        if !self.is_full_of(cutoff) {
            self.flip(0.5 * self.left(), Some(cutoff));
        }
        while !self.is_full_of(cutoff) && self.left() > 0.1 && in_vain < 5 {
            let centre = self.trimmed.part(&self.centres[0].1);
            let free = map.free(Choice::Random, share, &centre, &centre, &mut dice);
            let fixings = map.fixings(&centre, &free);
            let reduced = self.without_known(&fixings);
            let milp = Milp::new(&reduced.problem)?;
            milp.set("limits/time", &self.left().max(0.1).to_string())?;
            if cutoff.is_finite() {
                milp.hurry()?;
                milp.set("limits/gap", "0.01")?;
                milp.set_objective_limit(cutoff)?;
            } else {
                milp.set("limits/gap", "0.001")?;
            }
            let ending = milp.solve()?;
            let mut taken = false;
            for solution in milp.solutions()? {
                let whole = self.trimmed.whole(&with(&fixings, &reduced, &solution.values));
                taken |= self.take(whole, Teacher::Neighbourhood, self.elapsed());
            }
            if !taken {
                in_vain += 1;
                if ending == Ending::Infeasible && free.len() == map.discrete.len() {
                    break; // there are no others
                }
            }
        }
        Ok(())
    }

    /// What the fixings leave of the problem, with a row for each known solution that forbids it.
    fn without_known(&self, fixings: &Fixings) -> Reduced {
        let mut problem = self.trimmed.left.problem.clone();
        let mut column = vec![None; self.problem.columns()];
        for (place, &j) in self.trimmed.left.origin.iter().enumerate() {
            column[j] = Some(place);
        }
        for solution in &self.pool.solutions {
            // Σ_{x=0} x + Σ_{x=1} (1 − x) ≥ 1
            let (mut terms, mut ones, mut is_here) = (vec![], 0.0, true);
            for (&j, &value) in self.pool.binaries.iter().zip(&solution.binaries) {
                match column[j] {
                    Some(place) => terms.push((place, if value == 0 { 1.0 } else { -1.0 })),
                    None => is_here &= self.trimmed.fixed.get(&j) == Some(&f64::from(value)),
                }
                ones += f64::from(value) * f64::from(column[j].is_some());
            }
            if is_here {
                problem.rows.push(1.0 - ones, terms, f64::INFINITY);
            }
        }
        problem.reduce(fixings)
    }

    /// Searches one neighbourhood for something better than its centre; returns (objective, whole
    /// point) of everything that was found.
    fn search(&self, map: &Map, around: &Neighbourhood<'_>) -> Result<(Vec<Point>, Ending)> {
        let Neighbourhood { centre, objective, free, next, number } = *around;
        let mut fixings = map.fixings(centre, free);
        if next.local {
            let far = map.far_from(&self.trimmed.left.problem, free);
            fixings.extend(far.into_iter().map(|j| (j, centre[j])));
        }
        let reduced = self.trimmed.left.problem.reduce(&fixings);
        let milp = Milp::new(&reduced.problem)?;
        milp.hurry()?;
        milp.set("limits/time", &next.seconds.min(self.left()).max(0.01).to_string())?;
        milp.set("randomization/randomseedshift", &(number % 1_000_000).to_string())?;
        milp.set_objective_limit(objective - 1e-6 * objective.abs().max(1e-3))?;
        let ending = milp.solve()?;
        let mut found = vec![];
        for solution in milp.solutions()? {
            found.push((solution.objective, self.trimmed.whole(&with(&fixings, &reduced, &solution.values))));
        }
        Ok((found, ending))
    }
}

/// A point of a reduced problem, with its fixings.
fn with(fixings: &Fixings, reduced: &Reduced, values: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; fixings.len() + values.len()];
    for (&j, &value) in fixings {
        all[j] = value;
    }
    for (&j, &value) in reduced.origin.iter().zip(values) {
        all[j] = value;
    }
    all
}

/// A solution: its objective and all its values.
type Point = (f64, Vec<f64>);

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
