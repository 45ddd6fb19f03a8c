//! Local search beside the rounds: flips and exchanges before the first and after the last, and
//! neighbourhoods of the incumbent that the prediction guides, until the budget ends.
//!
//! The rounds find out what the good solutions have in common; what is left is to make one of them as
//! good as it can be. There are three ways: flips and exchanges, where single decisions can be changed one by
//! one; neighbourhoods, where several must change at once; and other good solutions from other beginnings,
//! crossed with the incumbent. Nobody knows beforehand which gains more ([`super::ways`]).
//!
//! Where only nodes are limited, no clock is asked: everything is counted in nodes then, and the same
//! seed gives the same run.

use super::elite::Elite;
use super::memory::Memory;
use super::ways::Way;
use super::{RoundReport, Run};
use crate::bits::Intervals;
use crate::correction::{Corrector, Ending, Reference, Search};
use crate::dice::Dice;
use crate::error::{Error, Result};
use crate::local::flips::Flips;
use crate::local::kinds::Kinds;
use crate::local::neighbourhood::Map;
use crate::local::packing::Packing;
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

impl LocalReport {
    /// All of its seconds.
    pub fn seconds(&self) -> f64 {
        self.burst_seconds + self.neighbourhood_seconds
    }

    /// This and another one together.
    pub fn and(&self, other: &LocalReport) -> LocalReport {
        LocalReport {
            bursts: self.bursts + other.bursts,
            burst_seconds: self.burst_seconds + other.burst_seconds,
            burst_gain: self.burst_gain + other.burst_gain,
            neighbourhoods: self.neighbourhoods + other.neighbourhoods,
            neighbourhood_seconds: self.neighbourhood_seconds + other.neighbourhood_seconds,
            neighbourhood_gain: self.neighbourhood_gain + other.neighbourhood_gain,
        }
    }
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

/// What a burst is for.
pub(super) enum Task<'a> {
    /// From the incumbent to better ones.
    Improve,
    /// From this point, with nothing learned before, to anything good.
    Begin(&'a [f64]),
    /// Packings evolve; where the problem is none, the same as `Improve`.
    Evolve(&'a mut Elite),
}

/// What flips and exchanges keep between bursts.
pub(super) struct Burster {
    /// What of the problem can change.
    ground: Trimmed,
    /// The same as a packing, where it is one.
    packing: Option<Packing>,
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

impl Burster {
    /// None if nothing can be flipped here.
    pub(super) fn new(problem: &Problem, corrector: &mut dyn Corrector) -> Option<Burster> {
        let ground = trim_with(problem, corrector.settled()?);
        Flips::new(&ground.left.problem, &vec![0.0; ground.left.problem.columns()], 0)?;
        let packing = Packing::of(&ground.left.problem);
        Some(Burster { ground, packing, weights: None, bursts: 0, exchanges: true, refused: 0 })
    }

    /// Flips, exchanges or lets packings evolve until `budget` is used up; every point that is better than the
    /// incumbent is offered. Returns the best point that it found, and the nodes that it counts as.
    pub(super) fn burst(
        &mut self,
        corrector: &mut dyn Corrector,
        budget: Budget,
        task: Task<'_>,
        seed: u64,
    ) -> Result<(Option<Reference>, u64)> {
        let (ground, limit) = (&self.ground, corrector.limit());
        let target = if matches!(task, Task::Begin(_)) { f64::INFINITY } else { below(limit) };
        let point = match (&task, corrector.incumbent()) {
            (Task::Begin(start), _) => ground.part(start),
            (_, Some(incumbent)) => ground.part(&incumbent.values),
            (_, None) => vec![0.0; ground.left.origin.len()],
        };
        self.bursts += 1;
        let seed = seed.wrapping_add(self.bursts);
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
        let begins = matches!(task, Task::Begin(_));
        match (task, &self.packing) {
            (Task::Evolve(elite), Some(packing)) => {
                elite.evolve(packing, ground, target, seed, progress, found)
            }
            _ => {
                let Some(flips) = Flips::new(&ground.left.problem, &point, seed) else {
                    return Ok((None, 0));
                };
                // What begins anew knows nothing, and teaches nothing.
                let mut flips = flips.with_weights(self.weights.take_if(|_| !begins));
                // What is in no group moves only by flips: they take turns, and begin what begins anew.
                self.exchanges = !self.exchanges && !begins;
                if flips.can_exchange() && (flips.all_can_exchange() || self.exchanges) {
                    flips.exchange(target, progress, found);
                } else {
                    flips.search(target, || progress() >= 1.0, found);
                }
                if !begins {
                    self.weights = Some(flips.into_weights());
                }
            }
        }
        let mut state = state.into_inner();
        state.hand_over(ground);
        let whole =
            |(objective, point): (f64, Vec<f64>)| Reference { objective, values: ground.whole(&point) };
        let (best, nodes) = (state.best.take().map(whole), (state.looks as f64 * NODES_A_LOOK) as u64);
        self.refused = if state.taken { state.refused } else { self.refused + state.refused };
        state.failure.map_or(Ok((best, nodes)), Err)
    }

    /// The problem is a packing.
    fn packs(&self) -> bool {
        self.packing.is_some()
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

/// A burst after one that gained has so many seconds: where the incumbent is new, much is found at once …
const SHORTEST_BURST: f64 = 0.2;

/// … and each one in vain makes the next so many times longer.
const GROWTH: f64 = 1.5;

/// An opening of more seconds than this is more than one burst …
const LONG_OPENING: f64 = 1.0;

/// … which has this part of it, and no more seconds than these.
const FIRST_BURST: f64 = 0.3;
const LONGEST_FIRST_BURST: f64 = 2.2;

/// An opening that has gained nothing for so many seconds, and for half of its time, is over.
const IDLE_OPENING: f64 = 8.0;

/// However long the limit: the first minute is like that of a minute, …
const MINUTE: f64 = 60.0;

/// … and no burst, nor neighbourhood, takes more than these parts of it or, later, of what has gone by.
const BURST_PART: f64 = 1.0 / 15.0;
const NEIGHBOURHOOD_PART: f64 = 1.0 / 8.0;

/// A neighbourhood may take so many seconds in any case.
const LEAST_FOR_NEIGHBOURHOODS: f64 = 0.3;

/// Solutions that differ in more than this share of the discrete columns are not crossed.
const ALMOST_ALL: f64 = 0.5;

impl<O: FnMut(&RoundReport)> Run<'_, O> {
    /// Flips and exchanges for this part of the budget. Returns the best point that they found.
    fn burst(&mut self, part: Budget, task: Task<'_>) -> Result<Option<Reference>> {
        let Some(burster) = self.burster.as_mut().filter(|burster| burster.is_welcome()) else {
            return Ok(None);
        };
        if part.is_spent() {
            return Ok(None);
        }
        let (before, began) = (objective(self.corrector), self.corrector.seconds());
        let (best, nodes) = burster.burst(self.corrector, part, task, self.seed)?;
        self.nodes += nodes.max(1);
        let gain = gain(before, objective(self.corrector));
        let local = self.report.local.get_or_insert_default();
        local.bursts += 1;
        local.burst_seconds += self.corrector.seconds() - began;
        local.burst_gain += gain;
        Ok(best)
    }

    /// What can be done before anybody predicts.
    pub(super) fn open(&mut self) -> Result<()> {
        if self.burster.is_none() {
            return Ok(());
        }
        let all = self.left();
        let is_long = seconds(all) > LONG_OPENING;
        let mut memory = std::mem::take(self.memory);
        let first = (FIRST_BURST * seconds(all)).min(LONGEST_FIRST_BURST);
        let first = if is_long { all.at_most(first, NODES_A_SECOND) } else { all };
        let done = self.burst(first, Task::Evolve(&mut memory.elite));
        *self.memory = memory;
        done?;
        if is_long { self.improve_unless_idle(IDLE_OPENING) } else { Ok(()) }
    }

    /// Improves the incumbent until the budget ends.
    pub(super) fn improve(&mut self) -> Result<()> {
        self.improve_unless_idle(f64::INFINITY)
    }

    /// The same, or until nothing was gained for so many seconds, and for half of all that have gone by.
    fn improve_unless_idle(&mut self, idle: f64) -> Result<()> {
        let mut memory = std::mem::take(self.memory);
        let done = self.improve_with(&mut memory, idle);
        *self.memory = memory;
        done
    }

    fn improve_with(&mut self, memory: &mut Memory, idle: f64) -> Result<()> {
        let Memory { guide, elite, ways, .. } = memory;
        let guide = guide.as_deref();
        let Some(mut centre) = self.corrector.incumbent() else { return Ok(()) };
        let settled = self.corrector.settled().unwrap_or_default();
        let ground = trim_with(self.problem, settled);
        let mut map = Map::new(&ground.left.problem, guide.map(|guide| ground.part(guide)));
        map.idle.clear(); // continuous variables are free in every neighbourhood here
        if map.discrete.is_empty() {
            return Ok(());
        }
        let all = seconds(self.left());
        let mut burst = SHORTEST_BURST;
        let mut kinds = Kinds::new(&map, LEAST_FOR_NEIGHBOURHOODS);
        let mut dice = Dice::new("improve", self.seed, 0);
        // Whether the solver has room for searches.
        let mut searches = self.plan.neighbourhoods;
        let mut gained = self.gone();
        while !self.corrector.stopped() && !self.left().is_spent() {
            let gone = self.gone();
            if gone - gained > idle.max(0.5 * gone) {
                break;
            }
            let scale = all.min(gone.max(MINUTE));
            let longest = (BURST_PART * scale).max(SHORTEST_BURST);
            kinds.take_at_most((NEIGHBOURHOOD_PART * scale).max(LEAST_FOR_NEIGHBOURHOODS));
            let can_flip = self.burster.as_ref().is_some_and(Burster::is_welcome);
            let (before, began) = (centre.objective, (self.corrector.seconds(), self.nodes));
            let is_possible = |way| match way {
                Way::Flip | Way::Cross => can_flip,
                Way::Search => searches,
            };
            let Some(way) = ways.next(is_possible) else { break };
            // What has no room for one search would say so again and again.
            searches &= match way {
                Way::Flip => {
                    self.burst(self.left().at_most(burst, NODES_A_SECOND), Task::Improve)?;
                    let has_gained = objective(self.corrector).is_some_and(|now| now < before);
                    burst = if has_gained { SHORTEST_BURST } else { (GROWTH * burst).min(longest) };
                    true
                }
                Way::Search => {
                    let other = elite.newest().unwrap_or(&centre);
                    let ending = self.neighbourhood(&ground, &map, &mut kinds, &centre, other, &mut dice)?;
                    ending != Ending::Stopped
                }
                Way::Cross => {
                    self.anew(guide, elite, longest, &mut dice)?;
                    if let Some(now) = self.corrector.incumbent()
                        && now.objective < centre.objective
                    {
                        centre = now;
                    }
                    !searches
                        || self.cross(&ground, &map, &centre, elite, longest, &mut dice)? != Ending::Stopped
                }
            };
            if let Some(now) = self.corrector.incumbent()
                && now.objective < centre.objective
            {
                centre = now;
            }
            let gain = before - centre.objective;
            if gain > 0.0 {
                gained = self.gone();
            }
            ways.learn(way, gain / before.abs().max(1e-9), self.took(began));
        }
        Ok(())
    }

    /// Other good solutions, from elsewhere.
    fn anew(
        &mut self,
        guide: Option<&[f64]>,
        elite: &mut Elite,
        longest: f64,
        dice: &mut Dice,
    ) -> Result<()> {
        let part = self.left().at_most(elite.seconds.min(longest), NODES_A_SECOND);
        if self.burster.as_ref().is_some_and(Burster::packs) {
            return self.burst(part, Task::Evolve(elite)).map(|_| ());
        }
        let start = elite.beginning(guide, self.problem.columns(), dice);
        if let Some(found) = self.burst(part, Task::Begin(&start))? {
            elite.add(found);
        }
        Ok(())
    }

    /// Searches what the incumbent and other good solutions have not in common, if there is anything.
    fn cross(
        &mut self,
        ground: &Trimmed,
        map: &Map,
        centre: &Reference,
        elite: &mut Elite,
        longest: f64,
        dice: &mut Dice,
    ) -> Result<Ending> {
        if self.corrector.stopped() || self.left().is_spent() {
            return Ok(Ending::Limit);
        }
        let around = ground.part(&centre.values);
        let free = map.differing(&around, &elite.parents(ground, dice));
        // Where hardly anything is the same, what they have in common says nothing.
        if free.is_empty() || free.len() as f64 > ALMOST_ALL * map.discrete.len() as f64 {
            elite.learn(false, free.is_empty(), 0.0, longest);
            return Ok(Ending::Limit);
        }
        let budget = self.left().at_most(elite.seconds.min(longest), NODES_A_SECOND);
        let began = (self.corrector.seconds(), self.nodes);
        let ending = self.search_around(ground, map, &around, &free, budget)?;
        let has_gained = objective(self.corrector).is_some_and(|now| now < centre.objective);
        let exhausted = matches!(ending, Ending::Optimal | Ending::Infeasible);
        elite.learn(has_gained, exhausted, self.took(began), longest);
        Ok(ending)
    }

    /// Seconds since this run began, or what counts as such.
    fn gone(&self) -> f64 {
        self.took((self.began, 0))
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

/// The seconds of a budget, or what counts as such.
fn seconds(budget: Budget) -> f64 {
    if budget.seconds.is_finite() { budget.seconds } else { nodes_as_seconds(budget.nodes) }
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
