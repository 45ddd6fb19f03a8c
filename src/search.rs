//! The alternating loop (Algorithm 1 of the paper).
//!
//! ```text
//!   F = {}
//!   for each round:
//!       p  = predict(problem reduced by F)           one probability a binary
//!       x̂  = the k0 surest zeros, the k1 surest ones   the partial solution
//!       x̃  = correct(F fixed, distance to x̂ ≤ Δ)      the reference solution
//!       F += the x̂ that x̃ agrees with                 (not in the last round: it exploits)
//! ```
//!
//! Where the predictor speaks about the bits of general integers, x̂ has intervals for the surest of
//! them too, Δ counts how far they are left, and F has the bounds that x̃ agrees with.
//!
//! What the paper does not say is settled here:
//! - *No solution in a round* (infeasible, or none in time): the next try is easier. First the radius
//!   grows, then the less certain half of the predictions goes, then the time is given back.
//! - *A reduced problem that is solved early*: its unused time goes to the rounds that follow. After
//!   the last round the newest fixings are relaxed, layer by layer, while time is left; then the rest
//!   goes back to branch and bound.
//! - *An incumbent of the user's solve that is better than x̃* is the reference.
//! - *Before the first round and after the last* there is local search ([`crate::local`]), if it is asked for.
//! - *Rounds that gain nothing*: where local search waits for the time, two of them, one after the other, are the last.
//!
//! This module knows neither SCIP nor ONNX nor a clock: it asks a [`Predictor`] and a [`Corrector`].

mod elite;
mod local;
mod memory;
mod report;
mod ways;

use crate::bits::{Interval, Intervals, Leading};
use crate::consistency::{self, FixingRule, Settled};
use crate::correction::{Corrector, Ending, Reference, Search};
use crate::error::Result;
use crate::partial::PartialSolution;
use crate::prediction::{Prediction, Predictor, Question};
use crate::problem::{Fixings, Kind, Problem, Reduced};
use crate::region::TrustRegion;
use crate::schedule::{self, Budget, Round};
use local::Burster;
pub use local::LocalReport;
pub use memory::Memory;
pub use report::{Report, RoundReport, Step};

/// What the partial solution is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The centre of a trust region (Apollo-MILP, PS).
    Region,
    /// Fixed outright (Neural Diving).
    Fix,
    /// A start for the solver and nothing more (warm starts).
    Start,
}

/// Everything the loop has to know before it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What each round does.
    pub rounds: Vec<Round>,
    /// What the partial solution is used for.
    pub usage: Use,
    /// Which values are fixed after a round.
    pub rule: FixingRule,
    /// How much of the partial solution the UEBO rule fixes.
    pub uebo_share: f64,
    /// The share of the free general integers whose leading bits are predicted, at most.
    pub integers: f64,
    /// Searches look only for points strictly better than the incumbent.
    pub objective_cut: bool,
    /// The share of the budget that local search has after the rounds, and a part of which before them;
    /// 0 for none.
    pub local: f64,
    /// Flips come before the first round; otherwise somebody has had them do so already.
    pub opening: bool,
    /// Local search has neighbourhoods, too, and not only flips and exchanges.
    pub neighbourhoods: bool,
    /// Seed of the local search.
    pub seed: u64,
    /// Limits of the whole run.
    pub budget: Budget,
}

/// The first prediction may take this part of the budget.
const FIRST_PREDICTION: f64 = 0.2;

/// Before the first round local search has this part of what it has in all.
const OPENING: f64 = 0.15;

/// Searches one after the other without a gain before the rounds leave the time to local search.
const ROUNDS_IN_VAIN: u32 = 2;

/// How much easier than asked the next search is: after each one without any solution, one more.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Ease(u32);

impl Ease {
    const WIDEN: Ease = Ease(1);
    const DROP: Ease = Ease(2);
    const GIVE_UP: Ease = Ease(3);

    fn step(self) -> Step {
        match self {
            Ease(0) => Step::Round,
            Ease::WIDEN => Step::Widened,
            _ => Step::Dropped,
        }
    }
}

/// Runs the loop. `candidates` are the binaries that may be predicted and fixed, and the general integers
/// of which bits may be (ascending); `memory` is what earlier turns left and later ones may use; `observe`
/// sees every search when it is over. An error ends the run; what was reported and handed to the solver
/// before it stays.
pub fn run(
    problem: &Problem,
    candidates: &[usize],
    predictor: &mut dyn Predictor,
    corrector: &mut dyn Corrector,
    plan: &Plan,
    memory: &mut Memory,
    observe: impl FnMut(&RoundReport),
) -> Result<Report> {
    let (mut opened, mut nodes) = (None, 0);
    let began = corrector.seconds();
    if plan.opening {
        (opened, nodes) = opening(problem, corrector, plan, memory)?;
    }
    let mut run = Run { candidates, began, nodes, ..Run::new(problem, corrector, plan, memory, observe) };
    run.report.local = opened;
    run.report.predictor = predictor.name();
    rounds(&mut run, predictor)?;
    if plan.local > 0.0 {
        run.improve()?;
    }
    Ok(run.report)
}

/// A later turn: local search alone, with what the first prediction said.
pub fn go_on(
    problem: &Problem,
    corrector: &mut dyn Corrector,
    plan: &Plan,
    memory: &mut Memory,
) -> Result<Option<LocalReport>> {
    let mut run = Run::new(problem, corrector, plan, memory, |_: &RoundReport| {});
    run.improve()?;
    Ok(run.report.local)
}

/// What can be done before anybody predicts: local search for a small part of the budget, where single
/// decisions can be changed.
pub fn open(
    problem: &Problem,
    corrector: &mut dyn Corrector,
    plan: &Plan,
    memory: &mut Memory,
) -> Result<Option<LocalReport>> {
    opening(problem, corrector, plan, memory).map(|(local, _)| local)
}

/// The same, and the nodes that it took.
fn opening(
    problem: &Problem,
    corrector: &mut dyn Corrector,
    plan: &Plan,
    memory: &mut Memory,
) -> Result<(Option<LocalReport>, u64)> {
    let plan = Plan { budget: plan.budget.part(OPENING * plan.local), ..plan.clone() };
    let mut run = Run::new(problem, corrector, &plan, memory, |_: &RoundReport| {});
    run.open()?;
    Ok((run.report.local, run.nodes))
}

/// The rounds, one after the other.
fn rounds(run: &mut Run<'_, impl FnMut(&RoundReport)>, predictor: &mut dyn Predictor) -> Result<()> {
    let plan = run.plan;
    let mut layers: Vec<Settled> = vec![];
    let mut ease = Ease(0);
    let mut round = 0;
    let mut solved = false;
    let mut in_vain = 0;
    while round < plan.rounds.len() && ease < Ease::GIVE_UP {
        let unfinished: f64 = plan.rounds[round..].iter().map(|r| r.time).sum();
        let part = run.left_for_rounds().part(plan.rounds[round].time / unfinished);
        let last = round + 1 == plan.rounds.len();
        if part.is_spent() && !last {
            round += 1; // too short to do anything: the next one gets its time, too
            continue;
        }
        if run.corrector.stopped() || part.is_spent() {
            break;
        }
        let asked = run.corrector.seconds();
        let (mut fixings, mut intervals) = Settled::together(&layers);
        // All later predictions start from the first one, so it may take longer than its round.
        let patience =
            if round == 0 { (FIRST_PREDICTION * run.left().seconds).max(part.seconds) } else { part.seconds };
        let (region, unfixed) = run.predict(predictor, (&fixings, &intervals), round, ease, patience)?;
        let predict_seconds = run.corrector.seconds() - asked;
        if run.corrector.stopped() {
            break;
        }

        if plan.usage == Use::Fix {
            let mut now = Settled::default();
            now.fixings.extend(region.partial.predicted.iter().map(|p| (p.variable, p.value)));
            now.tighten(region.partial.leading.iter().map(|leading| (leading.variable, leading.interval)));
            (fixings, intervals) = Settled::together(layers.iter().chain([&now]));
        }
        let binding = plan.usage == Use::Region && !region.is_everything();
        let search = Search {
            number: run.report.rounds.len(),
            fixings: &fixings,
            intervals: &intervals,
            region: binding.then_some(&region),
            start: (plan.usage == Use::Start).then_some(&region.partial),
            strictly_better: plan.objective_cut,
            seconds: if predict_seconds < part.seconds {
                part.seconds - predict_seconds
            } else {
                part.seconds
            },
            nodes: part.nodes,
        };
        let blank = RoundReport {
            round: round + 1,
            step: ease.step(),
            unfixed,
            zeros: region.partial.predicted.iter().filter(|p| p.value < 0.5).count(),
            ones: region.partial.predicted.iter().filter(|p| p.value > 0.5).count(),
            integers: region.partial.leading.len(),
            predict_seconds,
            ..RoundReport::of(&search)
        };
        let corrected = run.correct(&search, blank, (!last).then_some(&region.partial))?;
        solved = corrected.is_solved();
        in_vain = if corrected.has_improved { 0 } else { in_vain + 1 };
        if in_vain == ROUNDS_IN_VAIN && run.has_local_search() && run.corrector.incumbent().is_some() {
            return Ok(());
        }
        match (corrected.has_reference, corrected.ending) {
            (_, Ending::Stopped) => return Ok(()),
            (true, _) => {
                layers.push(corrected.settled);
                ease = Ease(0);
                round += 1;
            }
            (false, Ending::Infeasible) => {
                // Where nothing restricts the search but the fixings, the newest of them must be wrong.
                if !binding && plan.usage != Use::Fix && layers.pop().is_none() {
                    return Ok(());
                }
                ease.0 += 1;
            }
            (false, _) => {
                // This round's time is gone: the next round is the easier one.
                ease.0 += 1;
                round += 1;
            }
        }
    }

    // The last round is solved and time is left: relax the newest fixings and go on, as long as any
    // are left; without them it would be the user's own problem.
    layers.retain(|layer| !layer.is_empty());
    solved &= round == plan.rounds.len();
    while solved && layers.pop().is_some() && !layers.is_empty() {
        let left = run.left_for_rounds();
        if run.corrector.stopped() || left.is_spent() {
            break;
        }
        let (fixings, intervals) = Settled::together(&layers);
        let search = Search {
            number: run.report.rounds.len(),
            fixings: &fixings,
            intervals: &intervals,
            region: None,
            start: None,
            strictly_better: true,
            seconds: left.seconds,
            nodes: left.nodes,
        };
        let is_free = |j: &&usize| run.problem.kind[**j] == Kind::Binary && !fixings.contains_key(j);
        let unfixed = run.candidates.iter().filter(is_free).count();
        let blank = RoundReport { round, step: Step::Relaxed, unfixed, ..RoundReport::of(&search) };
        solved = run.correct(&search, blank, None)?.is_solved();
    }
    Ok(())
}

/// What came of one search.
struct Corrected {
    ending: Ending,
    /// There is a solution to compare with.
    has_reference: bool,
    /// It is better than what was known.
    has_improved: bool,
    /// What it settles.
    settled: Settled,
}

impl Corrected {
    /// Nothing better is left in what was searched.
    fn is_solved(&self) -> bool {
        matches!(self.ending, Ending::Optimal | Ending::Infeasible)
    }
}

/// What the two loops above share.
struct Run<'a, O> {
    problem: &'a Problem,
    candidates: &'a [usize],
    corrector: &'a mut dyn Corrector,
    plan: &'a Plan,
    observe: O,
    report: Report,
    /// The solve's clock when the run began.
    began: f64,
    /// Nodes of all searches.
    nodes: u64,
    /// Seconds that the last neighbourhood took to set up; 0 where no clock is asked.
    setup_seconds: f64,
    /// Seed of the local search, another one in each turn: what begins anew must not find the same again.
    seed: u64,
    /// What earlier turns left, for later ones.
    memory: &'a mut Memory,
    /// Flips and exchanges, where they are possible.
    burster: Option<Burster>,
}

impl<'a, O: FnMut(&RoundReport)> Run<'a, O> {
    /// Nothing has happened yet, and nothing is to be predicted.
    fn new(
        problem: &'a Problem,
        corrector: &'a mut dyn Corrector,
        plan: &'a Plan,
        memory: &'a mut Memory,
        observe: O,
    ) -> Run<'a, O> {
        let (report, began) = (Report::default(), corrector.seconds());
        let burster = if plan.local > 0.0 { Burster::new(problem, corrector) } else { None };
        let (candidates, nodes, setup_seconds) = (&[][..], 0, 0.0);
        memory.turns += 1;
        let seed = plan.seed.wrapping_add(memory.turns << 32);
        Run {
            problem,
            candidates,
            corrector,
            plan,
            observe,
            report,
            began,
            nodes,
            setup_seconds,
            seed,
            memory,
            burster,
        }
    }
}

impl<O: FnMut(&RoundReport)> Run<'_, O> {
    /// What is left of the budget.
    fn left(&self) -> Budget {
        self.plan.budget.after(self.corrector.seconds() - self.began, self.nodes)
    }

    /// There is something to improve an incumbent with after the rounds.
    fn has_local_search(&self) -> bool {
        self.plan.local > 0.0 && (self.burster.is_some() || self.plan.neighbourhoods)
    }

    /// What the rounds may use of it: local search has its share at the end.
    fn left_for_rounds(&self) -> Budget {
        let left = self.left();
        if !self.has_local_search() {
            return left;
        }
        let all = self.plan.budget;
        let kept = if all.seconds.is_finite() { self.plan.local * all.seconds } else { 0.0 };
        left.after(kept, all.part(self.plan.local).nodes.unwrap_or(0))
    }

    /// Prediction, on what the settled values and bounds leave of the problem, and the trust region around it, made
    /// easier where the last search found nothing. Also the number of binaries that were free.
    fn predict(
        &mut self,
        predictor: &mut dyn Predictor,
        (fixings, intervals): (&Fixings, &Intervals),
        round: usize,
        ease: Ease,
        seconds: f64,
    ) -> Result<(TrustRegion, usize)> {
        let mut reduced = self.problem.reduce(fixings);
        reduced.tighten(intervals);
        let question = Question { reduced: &reduced, fixings, seconds };
        let prediction = predictor.predict(&question)?.checked(&reduced)?;
        self.report.predictor = predictor.name();
        self.report.device = predictor.device();
        if self.memory.guide.is_none() && !local::has_integers(self.problem) {
            let mut guide = vec![0.5; self.problem.columns()];
            reduced.origin.iter().zip(&prediction.probability).for_each(|(&j, &p)| guide[j] = p);
            self.memory.guide = Some(guide);
        }
        let free: Vec<(usize, f64)> = self
            .free(&reduced, Kind::Binary)
            .map(|place| (reduced.origin[place], prediction.probability[place]))
            .collect();
        let Round { k0, k1, radius, .. } = self.plan.rounds[round];
        // Neural Diving: a network that was taught to say what it is sure of chooses how much is fixed.
        let mut partial = match prediction.selection.as_ref().filter(|_| self.plan.usage == Use::Fix) {
            Some(selection) => {
                let chosen = self.free(&reduced, Kind::Binary).filter(|&place| selection[place] >= 0.5);
                let chosen: Vec<(usize, f64)> =
                    chosen.map(|place| (reduced.origin[place], prediction.probability[place])).collect();
                let ones = chosen.iter().filter(|(_, p)| *p >= 0.5).count();
                PartialSolution::select(&chosen, chosen.len() - ones, ones)
            }
            None => {
                let (k0, k1) = schedule::sides(k0, k1, &free);
                PartialSolution::select(&free, k0, k1)
            }
        };
        let (leading, count) = self.leading(&reduced, &prediction);
        partial = partial.with_leading(leading, count);
        // Without a region there is no radius to widen.
        if ease >= Ease::DROP || (ease >= Ease::WIDEN && self.plan.usage != Use::Region) {
            partial.keep_surer_half();
        }
        let mut radius = radius.of(partial.len());
        if ease >= Ease::WIDEN {
            radius = (2 * radius).max(1).min(partial.len());
        }
        Ok((TrustRegion { partial, radius }, free.len()))
    }

    /// The candidates of one kind among the columns that are left.
    fn free<'r>(&'r self, reduced: &'r Reduced, kind: Kind) -> impl Iterator<Item = usize> + 'r {
        let is_candidate =
            move |place: &usize| self.candidates.binary_search(&reduced.origin[*place]).is_ok();
        (0..reduced.origin.len())
            .filter(move |&place| reduced.problem.kind[place] == kind)
            .filter(is_candidate)
    }

    /// The leading bits that the prediction is sure of, and of how many integers they may be used.
    fn leading(&self, reduced: &Reduced, prediction: &Prediction) -> (Vec<Leading>, usize) {
        let Some(bits) = prediction.bits.as_ref().filter(|_| self.plan.integers > 0.0) else {
            return (vec![], 0);
        };
        let Problem { lower, upper, .. } = &reduced.problem;
        let (mut leading, mut integers) = (vec![], 0);
        for place in self.free(reduced, Kind::Integer) {
            if let Some(bounds) = Interval::of(lower[place], upper[place]) {
                integers += 1;
                leading.extend(Leading::predict(reduced.origin[place], bounds, bits.row(place)));
            }
        }
        (leading, (self.plan.integers * integers as f64).round() as usize)
    }

    /// One search, and its report. Values of `partial`, if it is given, are settled by the reference.
    fn correct(
        &mut self,
        search: &Search<'_>,
        blank: RoundReport,
        partial: Option<&PartialSolution>,
    ) -> Result<Corrected> {
        let known = self.corrector.incumbent().map(|incumbent| incumbent.objective);
        let began = self.corrector.seconds();
        let correction = self.corrector.correct(search)?;
        self.nodes += correction.nodes.max(1);
        let search_seconds = self.corrector.seconds() - began - correction.setup_seconds;
        let found = correction.found.as_ref().map(|found| found.objective);
        let reference = better(correction.found, self.corrector.incumbent());
        let settled = match (&reference, partial) {
            (Some(reference), Some(partial)) => {
                let same = |a, b| self.corrector.same(a, b);
                consistency::settle(self.plan.rule, partial, reference, self.plan.uebo_share, same)
            }
            _ => Settled::default(),
        };
        let has_improved = improves(reference.as_ref(), known);
        let user = |objective| self.problem.user_objective(objective);
        let done = RoundReport {
            newly_fixed: settled.fixings.len(),
            newly_tightened: settled.intervals.len(),
            ending: correction.ending,
            found: found.map(user),
            reference: reference.as_ref().map(|reference| user(reference.objective)),
            improved: has_improved,
            setup_seconds: correction.setup_seconds,
            search_seconds,
            nodes: correction.nodes,
            ..blank
        };
        (self.observe)(&done);
        self.report.rounds.push(done);
        Ok(Corrected { ending: correction.ending, has_reference: reference.is_some(), has_improved, settled })
    }
}

/// The one with the smaller objective.
fn better(a: Option<Reference>, b: Option<Reference>) -> Option<Reference> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.objective <= b.objective { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// `reference` is better than an objective that was `known`, by more than rounding.
fn improves(reference: Option<&Reference>, known: Option<f64>) -> bool {
    match (reference, known) {
        (Some(reference), Some(known)) => reference.objective < known - 1e-9 * known.abs().max(1.0),
        (Some(_), None) => true,
        (None, _) => false,
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
