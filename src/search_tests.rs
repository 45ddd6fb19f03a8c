//! The loop with a scripted predictor and a scripted corrector: every arm of a correction.

use super::*;
use crate::correction::Correction;
use crate::error::Error;
use crate::prediction::Bits;
use crate::schedule::schedule;
use std::collections::VecDeque;

/// n binaries, one row over all of them.
fn problem(n: usize) -> Problem {
    let mut problem = Problem::default();
    for _ in 0..n {
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    }
    problem.rows.push(1.0, (0..n).map(|j| (j, 1.0)), f64::INFINITY);
    problem
}

/// Predicts rising probabilities over the columns that are left, and remembers how many there were.
#[derive(Default)]
struct Rising {
    asked: Vec<usize>,
}

impl Predictor for Rising {
    fn name(&self) -> String {
        "rising".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        let n = question.reduced.problem.columns();
        self.asked.push(n);
        Ok(Prediction::new((0..n).map(|j| j as f64 / n as f64).collect()))
    }
}

/// What one scripted search takes and returns.
struct Act {
    ending: Ending,
    found: Option<(f64, Vec<f64>)>,
    seconds: f64,
}

/// What one search was asked.
#[derive(Debug)]
struct Asked {
    fixings: Fixings,
    intervals: Intervals,
    leading: usize,
    radius: Option<usize>,
    predicted: usize,
    start: usize,
    seconds: f64,
    strictly_better: bool,
}

struct Script {
    acts: VecDeque<Act>,
    asked: Vec<Asked>,
    clock: f64,
    incumbent: Option<Reference>,
}

impl Script {
    fn new(acts: Vec<Act>) -> Script {
        Script { acts: acts.into(), asked: vec![], clock: 100.0, incumbent: None }
    }
}

impl Corrector for Script {
    fn correct(&mut self, search: &Search<'_>) -> Result<Correction> {
        self.asked.push(Asked {
            fixings: search.fixings.clone(),
            intervals: search.intervals.clone(),
            leading: search.region.map_or(0, |region| region.partial.leading.len()),
            radius: search.region.map(|region| region.radius),
            predicted: search.region.map_or(0, |region| region.partial.len()),
            start: search.start.map_or(0, PartialSolution::len),
            seconds: search.seconds,
            strictly_better: search.strictly_better,
        });
        let act = self.acts.pop_front().ok_or(Error::Prediction("the script is over".to_string()))?;
        self.clock += act.seconds;
        let found = act.found.map(|(objective, values)| Reference { objective, values });
        self.incumbent = better(found.clone(), self.incumbent.take());
        Ok(Correction { ending: act.ending, found, nodes: 5, setup_seconds: 0.0 })
    }

    fn incumbent(&mut self) -> Option<Reference> {
        self.incumbent.clone()
    }

    fn seconds(&self) -> f64 {
        self.clock
    }

    fn stopped(&self) -> bool {
        false
    }

    fn same(&self, a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }
}

fn found(ending: Ending, objective: f64, values: &[f64]) -> Act {
    Act { ending, found: Some((objective, values.to_vec())), seconds: 1.0 }
}

fn nothing(ending: Ending) -> Act {
    Act { ending, found: None, seconds: 1.0 }
}

fn plan(rounds: usize, k0: &str, radius: &str) -> Plan {
    Plan {
        rounds: schedule(rounds, k0, "0", radius, "1").unwrap(),
        usage: Use::Region,
        rule: FixingRule::Consistent,
        uebo_share: 0.5,
        integers: 0.5,
        objective_cut: false,
        local: 0.0,
        opening: false,
        neighbourhoods: false,
        seed: 0,
        budget: Budget { seconds: 40.0, nodes: None },
    }
}

fn play(n: usize, plan: &Plan, script: &mut Script) -> (Report, Vec<usize>) {
    let mut predictor = Rising::default();
    let candidates: Vec<usize> = (0..n).collect();
    let report =
        run(&problem(n), &candidates, &mut predictor, script, plan, &mut Memory::default(), |_| {}).unwrap();
    (report, predictor.asked)
}

#[test]
fn consistent_values_are_fixed_and_the_next_prediction_sees_the_smaller_problem() {
    // x̂: 0..4 are 0. The reference disagrees on x1.
    let mut script = Script::new(vec![
        found(Ending::Limit, 5.0, &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
        found(Ending::Limit, 4.0, &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]),
    ]);
    let (report, asked) = play(8, &plan(2, "4", "2"), &mut script);
    assert_eq!(asked, [8, 5]);
    assert!(script.asked[0].fixings.is_empty());
    assert_eq!(script.asked[1].fixings, Fixings::from([(0, 0.0), (2, 0.0), (3, 0.0)]));
    assert_eq!(
        (report.rounds[0].newly_fixed, report.rounds[1].newly_fixed),
        (3, 0),
        "the last round exploits"
    );
    assert!(report.rounds.iter().all(|round| round.improved));
    assert_eq!((report.rounds[1].reference, report.rounds[1].unfixed), (Some(4.0), 5));
}

#[test]
fn unused_time_goes_to_later_rounds() {
    let x = [0.0; 4];
    let mut script = Script::new((0..4).map(|i| found(Ending::Limit, 9.0 - i as f64, &x)).collect());
    play(4, &plan(4, "1", "1.0"), &mut script);
    // 40 s for 4 rounds; each takes 1 s of it.
    let seconds: Vec<f64> = script.asked.iter().map(|asked| asked.seconds).collect();
    assert_eq!(seconds, [10.0, 13.0, 19.0, 37.0]);
}

#[test]
fn an_empty_region_is_widened_then_thinned_then_given_up() {
    let mut script = Script::new((0..9).map(|_| nothing(Ending::Infeasible)).collect());
    let (report, _) = play(8, &plan(4, "8", "2"), &mut script);
    let steps: Vec<Step> = report.rounds.iter().map(|round| round.step).collect();
    assert_eq!(steps, [Step::Round, Step::Widened, Step::Dropped]);
    let tried: Vec<_> = script.asked.iter().map(|asked| (asked.predicted, asked.radius)).collect();
    // Four predictions with a radius of four forbid nothing: the row is left out.
    assert_eq!(tried, [(8, Some(2)), (8, Some(4)), (0, None)]);
    assert!(report.rounds.iter().all(|round| round.round == 1));
}

#[test]
fn no_solution_in_time_makes_the_next_round_easier() {
    let mut script = Script::new(vec![
        nothing(Ending::Limit),
        found(Ending::Limit, 3.0, &[0.0; 8]),
        nothing(Ending::Limit),
    ]);
    let (report, _) = play(8, &plan(3, "6", "2"), &mut script);
    let told: Vec<_> = report.rounds.iter().map(|round| (round.round, round.step, round.radius)).collect();
    assert_eq!(told[0], (1, Step::Round, Some(2)));
    assert_eq!(told[1], (2, Step::Widened, Some(4)));
    assert_eq!((told[2].0, told[2].1), (3, Step::Round), "a solution makes it ordinary again");
    assert_eq!(report.rounds[2].reference, Some(3.0), "what is known is the reference");
    assert!(!report.rounds[2].improved);
}

#[test]
fn a_better_incumbent_is_the_reference() {
    let mut script =
        Script::new(vec![found(Ending::Limit, 9.0, &[1.0; 4]), found(Ending::Limit, 9.0, &[1.0; 4])]);
    script.incumbent = Some(Reference { objective: 1.0, values: vec![0.0; 4] });
    let (report, _) = play(4, &plan(2, "2", "1"), &mut script);
    assert_eq!(report.rounds[0].reference, Some(1.0));
    assert_eq!(report.rounds[0].found, Some(9.0));
    assert_eq!(script.asked[1].fixings, Fixings::from([(0, 0.0), (1, 0.0)]), "agreed with the incumbent");
}

#[test]
fn a_solved_last_round_relaxes_the_newest_fixings_until_none_are_left() {
    let x = [0.0; 8];
    let mut script = Script::new((0..9).map(|_| found(Ending::Optimal, 3.0, &x)).collect());
    let (report, _) = play(8, &plan(4, "2", "1"), &mut script);
    let fixed: Vec<_> = report.rounds.iter().map(|round| (round.step, round.fixed)).collect();
    assert_eq!(
        fixed,
        [
            (Step::Round, 0),
            (Step::Round, 2),
            (Step::Round, 4),
            (Step::Round, 6),
            (Step::Relaxed, 4),
            (Step::Relaxed, 2)
        ]
    );
    assert!(script.asked[4].strictly_better && !script.asked[3].strictly_better);
}

#[test]
fn a_stop_ends_the_run_at_once() {
    let mut script = Script::new(vec![found(Ending::Stopped, 3.0, &[0.0; 4])]);
    assert_eq!(play(4, &plan(4, "2", "1"), &mut script).0.rounds.len(), 1);
}

#[test]
fn the_budget_ends_the_run() {
    let mut script = Script::new(vec![
        Act { seconds: 39.99, ..found(Ending::Limit, 3.0, &[0.0; 4]) },
        found(Ending::Limit, 2.0, &[0.0; 4]),
    ]);
    assert_eq!(play(4, &plan(4, "2", "1"), &mut script).0.rounds.len(), 1);
    let nodes = Plan { budget: Budget { seconds: f64::INFINITY, nodes: Some(12) }, ..plan(4, "1", "1") };
    let mut script = Script::new((0..9).map(|_| found(Ending::Limit, 3.0, &[0.0; 4])).collect());
    assert_eq!(play(4, &nodes, &mut script).0.rounds.len(), 3, "five nodes each");
    assert!(script.asked.iter().all(|asked| asked.seconds.is_infinite()), "no clock is asked");
}

#[test]
fn strategies_use_the_partial_solution_differently() {
    let x = [0.0; 4];
    let fix = Plan { usage: Use::Fix, ..plan(1, "2", "1") };
    let mut script = Script::new(vec![found(Ending::Limit, 3.0, &x)]);
    play(4, &fix, &mut script);
    assert_eq!((script.asked[0].fixings.len(), script.asked[0].radius), (2, None));
    let start = Plan { usage: Use::Start, ..plan(2, "2", "1") };
    let mut script = Script::new((0..2).map(|_| found(Ending::Limit, 3.0, &x)).collect());
    play(4, &start, &mut script);
    assert_eq!((script.asked[0].start, script.asked[0].radius), (2, None));
    assert_eq!(script.asked[1].fixings.len(), 2, "consistent values are fixed between rounds");
}

/// Trusts what it says about the first and the last of four.
struct Choosy;

impl Predictor for Choosy {
    fn name(&self) -> String {
        "choosy".to_string()
    }

    fn predict(&mut self, _question: &Question<'_>) -> Result<Prediction> {
        let selection = Some(vec![0.9, 0.1, 0.4, 0.5]);
        Ok(Prediction { selection, ..Prediction::new(vec![0.3, 0.0, 1.0, 0.8]) })
    }
}

#[test]
fn a_predictor_that_says_what_to_trust_decides_what_is_fixed_outright() {
    let asked = |usage| {
        let mut script = Script::new(vec![found(Ending::Limit, 3.0, &[0.0; 4])]);
        let plan = Plan { usage, ..plan(1, "2", "1") };
        run(&problem(4), &[0, 1, 2, 3], &mut Choosy, &mut script, &plan, &mut Memory::default(), |_| {})
            .unwrap();
        script.asked.remove(0)
    };
    assert_eq!(asked(Use::Fix).fixings, Fixings::from([(0, 0.0), (3, 1.0)]));
    assert_eq!(asked(Use::Region).predicted, 2, "elsewhere the schedule decides");
}

#[test]
fn variables_that_are_no_candidates_are_never_predicted() {
    let mut script = Script::new((0..4).map(|_| found(Ending::Limit, 3.0, &[0.0; 6])).collect());
    let report = run(
        &problem(6),
        &[1, 4],
        &mut Rising::default(),
        &mut script,
        &plan(4, "6", "1"),
        &mut Memory::default(),
        |_| {},
    )
    .unwrap();
    assert_eq!(report.rounds[0].unfixed, 2);
    assert!(script.asked.iter().all(|asked| asked.fixings.keys().all(|j| [1, 4].contains(j))));
}

/// Says of every integer that its bits are 0, 1, 1 with these probabilities, whatever its bounds are.
struct BitByBit {
    sure: [f64; 3],
    /// The bounds of the last column, each time it was asked.
    asked: Vec<(f64, f64)>,
}

impl Predictor for BitByBit {
    fn name(&self) -> String {
        "bits".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        let problem = &question.reduced.problem;
        let n = problem.columns();
        self.asked.extend(problem.lower.last().copied().zip(problem.upper.last().copied()));
        let bits = Some(Bits { width: 3, probability: self.sure.repeat(n) });
        Ok(Prediction { bits, ..Prediction::new(vec![0.1; n]) })
    }
}

/// Two binaries and four integers between 0 and 7, of which the first is no candidate.
fn with_integers(sure: [f64; 3], plan: &Plan, script: &mut Script) -> (Report, Vec<(f64, f64)>) {
    let mut problem = problem(2);
    for _ in 0..4 {
        problem.add_column(1.0, 0.0, 7.0, Kind::Integer);
    }
    let mut predictor = BitByBit { sure, asked: vec![] };
    let report =
        run(&problem, &[0, 1, 3, 4, 5], &mut predictor, script, plan, &mut Memory::default(), |_| {})
            .unwrap();
    (report, predictor.asked)
}

#[test]
fn leading_bits_become_bounds_where_the_reference_agrees() {
    let all = Plan { integers: 1.0, ..plan(3, "0", "1") };
    // 01· is 2 … 3: the reference agrees about x3 and x5.
    let x = [0.0, 0.0, 0.0, 2.0, 5.0, 3.0];
    let mut script = Script::new((0..3).map(|_| found(Ending::Limit, 3.0, &x)).collect());
    let (report, asked) = with_integers([0.05, 0.96, 0.5], &all, &mut script);
    let interval = Interval { lower: 2.0, upper: 3.0 };
    assert_eq!((script.asked[0].leading, script.asked[0].intervals.len()), (3, 0));
    assert_eq!(script.asked[1].intervals, Intervals::from([(3, interval), (5, interval)]));
    assert_eq!(asked, [(0.0, 7.0), (2.0, 3.0), (2.0, 3.0)], "the next question has the bounds");
    let told = &report.rounds[0];
    assert_eq!((told.integers, told.tightened, told.newly_tightened), (3, 0, 2));
    assert_eq!((report.rounds[1].tightened, report.rounds[1].newly_fixed), (2, 0));
    // The last bit of what is left is not sure; x4 is predicted again.
    assert_eq!(script.asked[1].leading, 1);
    assert_eq!(report.rounds[2].newly_tightened, 0, "the last round exploits");
}

#[test]
fn an_integer_whose_bits_are_all_sure_is_fixed() {
    let all = Plan { integers: 1.0, ..plan(2, "0", "1") };
    let x = [0.0, 0.0, 0.0, 3.0, 3.0, 4.0];
    let mut script = Script::new((0..2).map(|_| found(Ending::Limit, 3.0, &x)).collect());
    let (report, _) = with_integers([0.0, 1.0, 1.0], &all, &mut script);
    assert_eq!(script.asked[1].fixings, Fixings::from([(3, 3.0), (4, 3.0)]));
    assert!(script.asked[1].intervals.is_empty());
    assert_eq!((report.rounds[0].newly_fixed, report.rounds[0].newly_tightened), (2, 0));
}

#[test]
fn the_share_of_integers_and_nothing_switch_them_off() {
    let x = [0.0; 6];
    for (share, leading) in [(0.0, 0), (0.34, 1), (1.0, 3)] {
        let some = Plan { integers: share, ..plan(1, "1", "0") };
        let mut script = Script::new(vec![found(Ending::Limit, 3.0, &x)]);
        let (report, _) = with_integers([0.0, 0.5, 0.5], &some, &mut script);
        assert_eq!((report.rounds[0].integers, script.asked[0].leading), (leading, leading));
        assert_eq!((report.rounds[0].unfixed, report.rounds[0].zeros), (2, 1), "only binaries count here");
    }
    // Fixed outright, an interval is in force at once.
    let fix = Plan { usage: Use::Fix, integers: 1.0, ..plan(1, "1", "0") };
    let mut script = Script::new(vec![found(Ending::Limit, 3.0, &x)]);
    with_integers([0.0, 0.5, 0.5], &fix, &mut script);
    assert_eq!((script.asked[0].fixings.len(), script.asked[0].intervals.len()), (1, 3));
}

#[test]
fn two_rounds_in_vain_leave_the_time_to_local_search() {
    let ones = Reference { objective: 3.0, values: vec![1.0; 4] };
    let act = |objective: Option<f64>| Act {
        ending: Ending::Limit,
        found: objective.map(|objective| (objective, vec![1.0; 4])),
        seconds: 5.0,
    };
    let rounds = |local: f64, gains: &[Option<f64>]| {
        let acts = gains.iter().copied().chain(std::iter::repeat_n(None, 8 - gains.len())).map(act);
        let mut script = Script { incumbent: Some(ones.clone()), ..Script::new(acts.collect()) };
        let plan = Plan { local, neighbourhoods: true, ..plan(4, "1", "1") };
        let (report, _) = play(4, &plan, &mut script);
        (report.rounds.len(), report.local.map_or(0, |local| local.neighbourhoods))
    };
    assert_eq!(rounds(0.5, &[]), (2, 6));
    assert_eq!(rounds(0.5, &[None, Some(2.0)]), (4, 4), "a gain is a reason to go on");
    assert_eq!(rounds(0.0, &[]), (4, 0), "nobody waits for the time");
}
