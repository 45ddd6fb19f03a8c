//! Local search around the rounds, with a solver that finds nothing by itself and checks what it is
//! offered.

use super::*;
use crate::consistency::FixingRule;
use crate::correction::Correction;
use crate::prediction::{Prediction, Predictor, Question};
use crate::problem::Fixings;
use crate::schedule::schedule;
use crate::search::{Plan, Report, Use, open, run};

/// A cover of 30 rows by 40 columns, each row by every column that is 0, 1 or 3 above it modulo 10.
fn cover() -> Problem {
    let mut problem = Problem::default();
    for j in 0..40 {
        problem.add_column(1.0 + (j * 7 % 5) as f64, 0.0, 1.0, Kind::Binary);
    }
    for i in 0..30 {
        let columns = (0..40).filter(|j| [0, 1, 3].contains(&((j + 10 - i % 10) % 10)));
        problem.rows.push(1.0, columns.map(|j| (j, 1.0)), f64::INFINITY);
    }
    problem
}

struct Half;

impl Predictor for Half {
    fn name(&self) -> String {
        "half".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        Ok(Prediction::new(vec![0.5; question.reduced.problem.columns()]))
    }
}

/// Finds nothing, takes everything that is feasible and better, unless it is `stubborn`.
struct Checker {
    problem: Problem,
    settled: Option<Fixings>,
    stubborn: bool,
    /// It has no memory left for any search.
    is_full: bool,
    incumbent: Option<Reference>,
    offers: usize,
    /// (fixings, strictly better, has a region) of each search.
    searches: Vec<(Fixings, bool, bool)>,
    /// When each search began, and the seconds that it was given.
    times: Vec<(f64, f64)>,
    clock: std::cell::Cell<f64>,
    /// What passes whenever somebody looks.
    tick: f64,
    /// When the user stops it.
    end: f64,
}

impl Checker {
    fn new(settled: Option<Fixings>) -> Checker {
        let (problem, clock) = (cover(), std::cell::Cell::new(0.0));
        let (stubborn, is_full, incumbent) = (false, false, None);
        let (offers, searches, times, tick, end) = (0, vec![], vec![], 0.001, f64::INFINITY);
        Checker { problem, settled, stubborn, is_full, incumbent, offers, searches, times, clock, tick, end }
    }
}

impl Corrector for Checker {
    fn correct(&mut self, search: &Search<'_>) -> Result<Correction> {
        self.searches.push((search.fixings.clone(), search.strictly_better, search.region.is_some()));
        self.times.push((self.clock.get(), search.seconds));
        if self.is_full {
            return Ok(Correction { ending: Ending::Stopped, found: None, nodes: 0, setup_seconds: 0.0 });
        }
        self.clock.set(self.clock.get() + search.seconds.min(1.0));
        Ok(Correction { ending: Ending::Limit, found: None, nodes: 5, setup_seconds: 0.0 })
    }

    fn offer(&mut self, values: &[f64]) -> Result<bool> {
        self.offers += 1;
        assert!(self.problem.violation(values) < 1e-9, "what is offered is feasible");
        let objective = self.problem.objective.iter().zip(values).map(|(c, x)| c * x).sum();
        if self.stubborn || self.incumbent.as_ref().is_some_and(|best| best.objective <= objective) {
            return Ok(false);
        }
        self.incumbent = Some(Reference { objective, values: values.to_vec() });
        Ok(true)
    }

    fn settled(&mut self) -> Option<Fixings> {
        self.settled.clone()
    }

    fn incumbent(&mut self) -> Option<Reference> {
        self.incumbent.clone()
    }

    fn seconds(&self) -> f64 {
        self.clock.set(self.clock.get() + self.tick);
        self.clock.get()
    }

    fn stopped(&self) -> bool {
        self.clock.get() >= self.end
    }

    fn same(&self, a: f64, b: f64) -> bool {
        a == b
    }
}

fn plan(budget: Budget) -> Plan {
    Plan {
        rounds: schedule(2, "0.2", "0.1", "0.2", "1").unwrap(),
        usage: Use::Region,
        rule: FixingRule::Consistent,
        uebo_share: 0.5,
        integers: 0.0,
        objective_cut: false,
        local: 0.5,
        opening: true,
        neighbourhoods: true,
        seed: 1,
        budget,
    }
}

const SECONDS: Budget = Budget { seconds: 10.0, nodes: None };
const NODES: Budget = Budget { seconds: f64::INFINITY, nodes: Some(200) };

fn play(checker: &mut Checker, plan: &Plan) -> Report {
    let candidates: Vec<usize> = (0..40).collect();
    run(&cover(), &candidates, &mut Half, checker, plan, &mut Memory::default(), |_| {}).unwrap()
}

#[test]
fn flips_find_what_the_searches_do_not_and_leave_the_rounds_their_time() {
    let mut checker = Checker::new(Some(Fixings::new()));
    let report = play(&mut checker, &plan(SECONDS));
    let local = report.local.unwrap();
    assert!(local.bursts > 1 && local.neighbourhoods > 1, "{local:?}");
    // All columns of one residue are alike but for their costs, and the best four of ten residues cover.
    assert!(checker.incumbent.unwrap().objective <= 8.0);
    assert!((10.0..11.5).contains(&checker.clock.get()), "{}", checker.clock.get());
    let seconds: f64 = report.rounds.iter().map(|round| round.search_seconds).sum();
    assert!(seconds <= 5.0 + 1e-9, "half of the time is for the rounds: {seconds}");
}

/// With shares of the whole limit the first burst alone would take half a minute here, and the opening two thirds of
/// what is played.
#[test]
fn a_long_limit_is_no_slow_beginning() {
    let mut checker = Checker { tick: 0.05, end: 120.0, ..Checker::new(Some(Fixings::new())) };
    play(&mut checker, &plan(Budget { seconds: 1_000.0, nodes: None }));
    let (began, _) = checker.times[0];
    assert!(began < 4.0, "the first neighbourhood after {began} s");
    let region = checker.searches.iter().position(|(_, _, has_region)| *has_region).unwrap();
    let (rounds, _) = checker.times[region];
    assert!((8.0..30.0).contains(&rounds), "nothing is gained, and the rounds begin after {rounds} s");
    let long: Vec<_> = checker.times[..region].iter().filter(|(_, seconds)| *seconds > 7.5).collect();
    assert!(long.is_empty(), "neighbourhoods of the first minute: {long:?}");
}

#[test]
fn neighbourhoods_hold_what_the_incumbent_has_and_look_for_better() {
    let mut checker = Checker::new(Some(Fixings::from([(3, 0.0)])));
    play(&mut checker, &plan(SECONDS));
    let best = checker.incumbent.unwrap();
    assert_eq!(best.values[3], 0.0, "what is settled stays");
    let (fixings, better, has_region) = checker.searches.last().unwrap();
    assert!(*better && !has_region && !fixings.is_empty() && fixings.len() < 40);
    assert!(fixings.iter().all(|(&j, &value)| best.values[j] == value));
}

/// Nothing gains after the first moment, so flips begin all anew again and again; that is one way of three, and
/// there must be time for the others.
#[test]
fn what_begins_anew_leaves_time_for_the_others() {
    let mut checker = Checker::new(Some(Fixings::new()));
    let budget = Budget { seconds: 15.0, nodes: None };
    let local = play(&mut checker, &plan(budget)).local.unwrap();
    let searches = local.neighbourhood_seconds / local.seconds();
    assert!((0.25..0.7).contains(&searches), "{local:?}");
}

/// Three facilities, of which only an open one serves: the clients are groups, the facilities are not.
#[test]
fn what_is_in_no_group_moves_too() {
    let mut problem = Problem::default();
    (0..3).for_each(|i| {
        problem.add_column(5.0 + f64::from(i), 0.0, 1.0, Kind::Binary);
    });
    for client in 0..6 {
        let served: Vec<usize> =
            (0..3).map(|i| problem.add_column(((client + i) % 3) as f64, 0.0, 1.0, Kind::Binary)).collect();
        problem.rows.push(1.0, served.iter().map(|&j| (j, 1.0)), 1.0);
        for (i, &j) in served.iter().enumerate() {
            problem.rows.push(f64::NEG_INFINITY, [(j, 1.0), (i, -1.0)], 0.0);
        }
    }
    let mut checker = Checker { problem: problem.clone(), ..Checker::new(Some(Fixings::new())) };
    let candidates: Vec<usize> = (0..problem.columns()).collect();
    run(&problem, &candidates, &mut Half, &mut checker, &plan(SECONDS), &mut Memory::default(), |_| {})
        .unwrap();
    // One facility for all costs 5 + 0 + 1 + 2 + 0 + 1 + 2; a second one never pays.
    assert_eq!(checker.incumbent.map(|best| best.objective), Some(11.0));
}

#[test]
fn a_solver_without_memory_is_not_asked_again() {
    let mut checker = Checker { is_full: true, ..Checker::new(Some(Fixings::new())) };
    play(&mut checker, &plan(SECONDS));
    assert!(checker.searches.len() <= 2, "{}", checker.searches.len());
}

#[test]
fn a_solver_that_refuses_is_not_pestered() {
    let mut checker = Checker { stubborn: true, ..Checker::new(Some(Fixings::new())) };
    play(&mut checker, &plan(SECONDS));
    assert!((1..=REFUSALS as usize + 1).contains(&checker.offers), "{}", checker.offers);
}

#[test]
fn what_is_not_all_linear_is_left_to_the_solver() {
    let mut checker = Checker::new(None);
    checker.incumbent = Some(Reference { objective: 99.0, values: vec![1.0; 40] });
    let report = play(&mut checker, &plan(SECONDS));
    assert_eq!((checker.offers, report.local.unwrap().bursts), (0, 0));
    assert!(
        open(&cover(), &mut Checker::new(None), &plan(SECONDS), &mut Memory::default()).unwrap().is_none()
    );
}

#[test]
fn without_a_clock_the_same_seed_is_the_same_run() {
    let once = || {
        let mut checker = Checker::new(Some(Fixings::new()));
        play(&mut checker, &plan(NODES));
        (checker.incumbent, checker.searches)
    };
    let (first, again) = (once(), once());
    assert!(first.1.len() > 3);
    assert_eq!(first, again);
}

/// With the dice of the turn before, what begins anew would end where it ended then.
#[test]
fn every_turn_has_dice_of_its_own() {
    let mut problem = crate::instances::generate("ca-small", &[], 1, 0).unwrap().problem;
    problem.offset = 0.0;
    let mut memory = Memory::default();
    let mut ends = vec![];
    for _ in 0..2 {
        // A solver that has seen everything takes nothing: what is offered tells where a turn came.
        let mut checker = Checker { problem: problem.clone(), ..Checker::new(Some(Fixings::new())) };
        let plan = Plan { neighbourhoods: false, ..plan(NODES) };
        open(&problem, &mut checker, &plan, &mut memory).unwrap();
        ends.push(checker.incumbent.unwrap().objective);
        memory = Memory { turns: memory.turns, ..Memory::default() };
    }
    assert_ne!(ends[0], ends[1]);
}

#[test]
fn nothing_of_it_where_it_is_switched_off() {
    let mut checker = Checker::new(Some(Fixings::new()));
    let report = play(&mut checker, &Plan { local: 0.0, ..plan(SECONDS) });
    assert_eq!((report.local, checker.offers), (None, 0));
    let mut checker = Checker::new(Some(Fixings::new()));
    let report = play(&mut checker, &Plan { neighbourhoods: false, ..plan(SECONDS) });
    assert_eq!(report.local.unwrap().neighbourhoods, 0);
}
