//! Local search beside the rounds: flips and exchanges before the first and after the last, and after
//! the last neighbourhoods of the incumbent that the prediction guides, until the budget ends.
//!
//! The rounds find out what the good solutions have in common; what is left is to make one of them as
//! good as it can be. Flips and exchanges do that where single decisions can be changed one by one,
//! neighbourhoods where several must change at once. Where neither helps any more, flips begin all anew,
//! and what their best point and the incumbent have not in common is searched. Nobody knows beforehand which gains more, so each
//! gets the more time the more it has gained lately.
//!
//! Where only nodes are limited, no clock is asked: everything is counted in nodes then, and the same
//! seed gives the same run.

use super::{RoundReport, Run};
use crate::bits::Intervals;
use crate::correction::{Corrector, Ending, Reference, Search};
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::local::flips::Flips;
use crate::local::kinds::Kinds;
use crate::local::neighbourhood::{Choice, Map};
use crate::local::trim::{Trimmed, trim_with};
use crate::problem::{Kind, Problem};
use crate::schedule::Budget;
use std::cell::RefCell;
use std::fmt;

/// What local search did, for the log and for whoever measures.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LocalReport {
    /// Times that flips or exchanges were tried, and the seconds they took.
    pub bursts: u64,
    /// See above.
    pub burst_seconds: f64,
    /// By how much they improved the objective.
    pub burst_gain: f64,
    /// Neighbourhoods that were searched, and the seconds they took.
    pub neighbourhoods: u64,
    /// See above.
    pub neighbourhood_seconds: f64,
    /// By how much they improved the objective.
    pub neighbourhood_gain: f64,
}

impl fmt::Display for LocalReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = vec![];
        if self.bursts > 0 {
            parts.push(format!("flips {:.1} s, gained {:.6}", self.burst_seconds, self.burst_gain));
        }
        if self.neighbourhoods > 0 {
            parts.push(format!(
                "{} neighbourhoods {:.1} s, gained {:.6}",
                self.neighbourhoods, self.neighbourhood_seconds, self.neighbourhood_gain
            ));
        }
        f.write_str(&parts.join("; "))
    }
}

/// What flips and exchanges keep between bursts.
pub(super) struct Burster {
    /// What of the problem can change.
    ground: Trimmed,
    /// What flipping has learned about the rows.
    weights: Option<Vec<f64>>,
    bursts: u64,
    /// Whose turn it was, where flips and exchanges take turns.
    exchanges: bool,
    /// Points one after the other that the solver did not take.
    refused: u32,
}

/// In a run without a clock so many nodes count as a second …
const NODES_A_SECOND: f64 = 100.0;

/// … and a look at the clock, some 20,000 flips, counts as so many nodes.
const NODES_A_LOOK: f64 = 1.0;

/// Points that the solver refuses before flips are given up: it sees something that we do not.
const REFUSALS: u32 = 3;

/// The least share of the time for what has not gained lately.
const CURIOSITY: f64 = 0.15;

impl Burster {
    /// None if nothing can be flipped here.
    pub(super) fn new(problem: &Problem, corrector: &mut dyn Corrector) -> Option<Burster> {
        let ground = trim_with(problem, corrector.settled()?);
        Flips::new(&ground.left.problem, &vec![0.0; ground.left.problem.columns()], 0)?;
        Some(Burster { ground, weights: None, bursts: 0, exchanges: true, refused: 0 })
    }

    /// Flips or exchanges until `budget` is used up; every point that is better than the incumbent is
    /// offered. Begins at the incumbent and looks for better, or, with a `start`, there, with nothing
    /// learned before, and looks for anything good. Returns the best point that it found, and the nodes
    /// that it counts as.
    pub(super) fn burst(
        &mut self,
        corrector: &mut dyn Corrector,
        budget: Budget,
        start: Option<&[f64]>,
        seed: u64,
    ) -> Result<(Option<Reference>, u64)> {
        let (ground, limit) = (&self.ground, corrector.limit());
        let point = match (start, corrector.incumbent()) {
            (Some(start), _) => ground.part(start),
            (None, Some(incumbent)) => ground.part(&incumbent.values),
            (None, None) => vec![0.0; ground.left.origin.len()],
        };
        self.bursts += 1;
        let Some(flips) = Flips::new(&ground.left.problem, &point, seed.wrapping_add(self.bursts)) else {
            return Ok((None, 0));
        };
        let (learned, target) =
            if start.is_some() { (None, f64::INFINITY) } else { (self.weights.take(), below(limit)) };
        let mut flips = flips.with_weights(learned);
        let began = corrector.seconds();
        let (best, failure) = (None, None);
        let state = RefCell::new(State {
            corrector,
            limit,
            best,
            is_new: false,
            looks: 0,
            taken: false,
            refused: 0,
            failure,
        });
        let progress = || {
            let mut state = state.borrow_mut();
            state.looks += 1;
            state.hand_over(ground);
            if state.failure.is_some() || state.corrector.stopped() || state.refused >= REFUSALS {
                return 1.0;
            }
            match budget.nodes {
                Some(nodes) if budget.seconds.is_infinite() => {
                    state.looks as f64 * NODES_A_LOOK / (nodes as f64).max(1.0)
                }
                _ => (state.corrector.seconds() - began) / budget.seconds,
            }
        };
        let found = |objective: f64, point: &[f64]| {
            let mut state = state.borrow_mut();
            state.best = Some((objective, point.to_vec()));
            state.is_new = true;
            below(objective)
        };
        // What is in no group moves only by flips: they take turns, and begin what begins anew.
        self.exchanges = !self.exchanges && start.is_none();
        if flips.can_exchange() && (flips.all_can_exchange() || self.exchanges) {
            flips.exchange(target, progress, found);
        } else {
            flips.search(target, || progress() >= 1.0, found);
        }
        let learned = flips.into_weights();
        let mut state = state.into_inner();
        state.hand_over(ground);
        let whole =
            |(objective, point): (f64, Vec<f64>)| Reference { objective, values: ground.whole(&point) };
        let (best, nodes) = (state.best.take().map(whole), (state.looks as f64 * NODES_A_LOOK) as u64);
        self.refused = if state.taken { state.refused } else { self.refused + state.refused };
        let failure = state.failure;
        if start.is_none() {
            self.weights = Some(learned);
        }
        failure.map_or(Ok((best, nodes)), Err)
    }

    /// The solver takes what we find.
    pub(super) fn is_welcome(&self) -> bool {
        self.refused < REFUSALS
    }
}

/// What a burst needs in both of its callbacks.
struct State<'a> {
    corrector: &'a mut dyn Corrector,
    /// What a point must be below to be offered.
    limit: f64,
    /// The best point, and whether it was found since the last look.
    best: Option<(f64, Vec<f64>)>,
    is_new: bool,
    looks: u64,
    /// Whether the solver took a point, and how many it has refused since.
    taken: bool,
    refused: u32,
    failure: Option<Error>,
}

impl State<'_> {
    fn hand_over(&mut self, ground: &Trimmed) {
        let is_new = std::mem::take(&mut self.is_new);
        let Some((_, point)) = self.best.as_ref().filter(|best| is_new && best.0 < self.limit) else {
            return;
        };
        match self.corrector.offer(&ground.whole(point)) {
            Ok(true) => (self.taken, self.refused) = (true, 0),
            Ok(false) => self.refused += 1,
            Err(error) => self.failure = Some(error),
        }
    }
}

/// A little less than an objective: what is as good is no news.
fn below(objective: f64) -> f64 {
    if objective.is_infinite() {
        return objective;
    }
    objective - 1e-6 * objective.abs().max(1e-3)
}

/// One of the two ways, and what it was worth.
struct Way {
    /// What it gained lately, relative to the objective, in a second.
    worth: f64,
    /// The seconds that it has had.
    seconds: f64,
}

impl Way {
    const NEW: Way = Way { worth: 0.0, seconds: 0.0 };

    /// It has had less of the time than it deserves beside the other.
    fn is_due(&self, other: &Way) -> bool {
        let worth = self.worth + other.worth;
        let share = if worth > 1e-12 { self.worth / worth } else { 0.5 };
        self.seconds <= share.clamp(CURIOSITY, 1.0 - CURIOSITY) * (self.seconds + other.seconds)
    }

    /// What is worth less by the second is forgotten by the second, however long one try takes.
    fn learn(&mut self, gain: f64, seconds: f64) {
        let kept = if self.seconds == 0.0 { 0.0 } else { 0.5f64.powf(seconds / MEMORY) };
        self.worth = kept * self.worth + (1.0 - kept) * gain / seconds.max(0.01);
        self.seconds += seconds;
    }
}

/// After so many of the longest bursts' time without a gain another good solution is looked for, all anew.
const PATIENCE: f64 = 1.5;

/// A burst after one that gained has so many seconds: where the incumbent is new, much is found at once …
const SHORTEST_BURST: f64 = 0.2;

/// … and each one in vain makes the next so many times longer.
const GROWTH: f64 = 1.5;

/// After so many seconds half of what was learned is forgotten.
const MEMORY: f64 = 4.0;

impl<O: FnMut(&RoundReport)> Run<'_, O> {
    /// Flips and exchanges for this part of the budget, from the incumbent or, all anew, from `start`.
    /// Returns the best point that they found.
    pub(super) fn burst(&mut self, part: Budget, start: Option<&[f64]>) -> Result<Option<Reference>> {
        let Some(burster) = self.burster.as_mut().filter(|burster| burster.is_welcome()) else {
            return Ok(None);
        };
        if part.is_spent() {
            return Ok(None);
        }
        let (before, began) = (objective(self.corrector), self.corrector.seconds());
        let (best, nodes) = burster.burst(self.corrector, part, start, self.plan.seed)?;
        self.nodes += nodes.max(1);
        let gain = gain(before, objective(self.corrector));
        let local = self.report.local.get_or_insert_default();
        local.bursts += 1;
        local.burst_seconds += self.corrector.seconds() - began;
        local.burst_gain += gain;
        Ok(best)
    }

    /// Improves the incumbent until the budget ends. `guide` is what the prediction thinks of each column
    /// of the whole problem.
    pub(super) fn improve(&mut self, guide: Option<&[f64]>) -> Result<()> {
        let Some(mut centre) = self.corrector.incumbent() else { return Ok(()) };
        let settled = self.corrector.settled().unwrap_or_default();
        let ground = trim_with(self.problem, settled);
        let mut map = Map::new(&ground.left.problem, guide.map(|guide| ground.part(guide)));
        map.idle.clear(); // continuous variables are free in every neighbourhood here
        if map.discrete.is_empty() {
            return Ok(());
        }
        let all = self.left();
        let seconds = if all.seconds.is_finite() { all.seconds } else { nodes_as_seconds(all.nodes) };
        let longest = (seconds / 15.0).max(SHORTEST_BURST);
        let mut burst = SHORTEST_BURST;
        let mut kinds = Kinds::new(&map, (seconds / 8.0).max(0.3));
        let mut dice = Dice::new("improve", self.plan.seed, 0);
        let mut other = centre.clone();
        let (mut flipping, mut searching) = (Way::NEW, Way::NEW);
        // Whether the solver has room for searches.
        let mut searches = self.plan.neighbourhoods;
        // Seconds without a gain, and how often that was too long.
        let (mut in_vain, mut restarts) = (0.0, 0);
        while !self.corrector.stopped() && !self.left().is_spent() {
            let can_flip = self.burster.as_ref().is_some_and(Burster::is_welcome);
            let (before, began) = (centre.objective, (self.corrector.seconds(), self.nodes));
            let way = if can_flip && in_vain > PATIENCE * longest {
                in_vain = 0.0;
                restarts += 1;
                let part = self.left().at_most(longest, NODES_A_SECOND);
                if let Some(found) =
                    self.burst(part, Some(&start(guide, restarts, self.problem.columns())))?
                {
                    other = found;
                }
                if searches {
                    let ending = self.cross(&ground, &map, &centre, &other, longest, &mut dice)?;
                    searches = ending != Ending::Stopped;
                }
                None
            } else if can_flip && (flipping.is_due(&searching) || !searches) {
                self.burst(self.left().at_most(burst, NODES_A_SECOND), None)?;
                let has_gained = objective(self.corrector).is_some_and(|now| now < before);
                burst = if has_gained { SHORTEST_BURST } else { (GROWTH * burst).min(longest) };
                Some(&mut flipping)
            } else if searches {
                let ending = self.neighbourhood(&ground, &map, &mut kinds, &centre, &other, &mut dice)?;
                searches = ending != Ending::Stopped; // it would say so again and again
                Some(&mut searching)
            } else {
                break;
            };
            if let Some(now) = self.corrector.incumbent()
                && now.objective < centre.objective
            {
                other = std::mem::replace(&mut centre, now);
            }
            if centre.objective < before {
                in_vain = 0.0;
            }
            // A restart is no try of either way: what comes after it has all of the patience again.
            if let Some(way) = way {
                let (gain, took) = (before - centre.objective, self.took(began));
                in_vain += if gain > 0.0 { 0.0 } else { took };
                way.learn(gain / before.abs().max(1e-9), took);
            }
        }
        Ok(())
    }

    /// Searches what two good solutions have not in common, if there is anything.
    fn cross(
        &mut self,
        ground: &Trimmed,
        map: &Map,
        centre: &Reference,
        other: &Reference,
        seconds: f64,
        dice: &mut Dice,
    ) -> Result<Ending> {
        if self.corrector.stopped() || self.left().is_spent() {
            return Ok(Ending::Limit);
        }
        let (around, other) = (ground.part(&centre.values), ground.part(&other.values));
        let free = map.free(Choice::Crossing, 0.0, &around, &other, dice);
        if free.is_empty() {
            return Ok(Ending::Optimal);
        }
        let budget = self.left().at_most(seconds, NODES_A_SECOND);
        self.search_around(ground, map, &around, &free, budget)
    }

    /// Seconds since then, or what counts as such.
    fn took(&self, (seconds, nodes): (f64, u64)) -> f64 {
        if self.plan.budget.seconds.is_finite() {
            self.corrector.seconds() - seconds
        } else {
            nodes_as_seconds(Some(self.nodes - nodes))
        }
    }

    /// One neighbourhood of `centre`.
    fn neighbourhood(
        &mut self,
        ground: &Trimmed,
        map: &Map,
        kinds: &mut Kinds,
        centre: &Reference,
        other: &Reference,
        dice: &mut Dice,
    ) -> Result<Ending> {
        let next = kinds.next(dice);
        let around = ground.part(&centre.values);
        let free = map.free(next.choice, next.share, &around, &ground.part(&other.values), dice);
        // What takes long to set up is worth a search of that length.
        let budget = self.left().at_most(next.seconds.max(self.setup_seconds), NODES_A_SECOND);
        let began = (self.corrector.seconds(), self.nodes);
        let ending = self.search_around(ground, map, &around, &free, budget)?;
        let gain = gain(Some(centre.objective), objective(self.corrector));
        let exhausted = matches!(ending, Ending::Optimal | Ending::Infeasible);
        kinds.learn(&next, gain / centre.objective.abs().max(1e-9), self.took(began), exhausted);
        Ok(ending)
    }

    /// One search with everything but `free` as it is in the point `around`.
    fn search_around(
        &mut self,
        ground: &Trimmed,
        map: &Map,
        around: &[f64],
        free: &[usize],
        budget: Budget,
    ) -> Result<Ending> {
        let fixings = map.fixings(around, free).into_iter();
        let fixings = fixings.map(|(place, value)| (ground.left.origin[place], value)).collect();
        let local = self.report.local.get_or_insert_default();
        local.neighbourhoods += 1;
        let search = Search {
            number: self.report.rounds.len() + local.neighbourhoods as usize,
            fixings: &fixings,
            intervals: &Intervals::new(),
            region: None,
            start: None,
            strictly_better: true,
            seconds: budget.seconds,
            nodes: budget.nodes,
        };
        let (before, began) = (objective(self.corrector), self.corrector.seconds());
        let correction = self.corrector.correct(&search)?;
        self.nodes += correction.nodes.max(1);
        if self.plan.budget.seconds.is_finite() {
            self.setup_seconds = correction.setup_seconds;
        }
        let gain = gain(before, objective(self.corrector));
        let local = self.report.local.get_or_insert_default();
        local.neighbourhood_seconds += self.corrector.seconds() - began;
        local.neighbourhood_gain += gain;
        Ok(correction.ending)
    }
}

/// Where flips begin all anew: every other time at what the prediction says, else at nothing.
fn start(guide: Option<&[f64]>, restarts: u32, columns: usize) -> Vec<f64> {
    let rounded = |guide: &[f64]| guide.iter().map(|&p| f64::from(u8::from(p > 0.5))).collect();
    guide.filter(|_| restarts % 2 == 1).map_or(vec![0.0; columns], rounded)
}

fn nodes_as_seconds(nodes: Option<u64>) -> f64 {
    nodes.map_or(0.0, |nodes| nodes as f64 / NODES_A_SECOND)
}

fn objective(corrector: &mut dyn Corrector) -> Option<f64> {
    corrector.best_objective()
}

fn gain(before: Option<f64>, after: Option<f64>) -> f64 {
    before.zip(after).map_or(0.0, |(before, after)| (before - after).max(0.0))
}

/// Whether a problem has general integers: the guide speaks of binaries only.
pub(super) fn has_integers(problem: &Problem) -> bool {
    problem.kind.contains(&Kind::Integer)
}

#[cfg(test)]
#[path = "local_tests.rs"]
mod tests;
