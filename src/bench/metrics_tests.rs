//! The numbers of a report against trajectories evaluated by hand.

use super::super::best_known::{Best, BestKnown};
use super::super::machine::Machine;
use super::super::method::Method;
use super::super::runs::{Conditions, Found, Run};
use super::*;

/// A run of 10 s that found these (seconds, objective), minimising.
fn run(instance: &str, strategy: &str, steps: &[(f64, f64)]) -> Run {
    let method = Method {
        strategy: strategy.to_string(),
        family: "f".to_string(),
        apollo: false,
        aggressive: false,
        settings: vec![],
        parameters: vec![],
        model: None,
    };
    Run {
        instance: instance.to_string(),
        family: "f".to_string(),
        hash: format!("hash of {instance}"),
        strategy: strategy.to_string(),
        seed: 0,
        failure: None,
        found: Found {
            status: "timelimit".to_string(),
            maximise: Some(false),
            objective: steps.last().map(|step| step.1),
            violation: Some(0.0),
            time: 10.0,
            trajectory: steps.to_vec(),
            ..Found::default()
        },
        wall: 10.0,
        began: 0,
        machine: Machine::default(),
        conditions: Conditions {
            suite: "s".to_string(),
            time: 10.0,
            memory: 100,
            threads: 1,
            jobs: 1,
            method,
        },
    }
}

fn evaluated(runs: &[Run], known: &BestKnown) -> FamilyResult {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let baselines = names(&["scip", "scip-aggressive"]);
    let analysis = analyse(runs, known, &names(&["scip", "scip-aggressive", "apollo"]), &[], &baselines);
    assert_eq!(analysis.families.len(), 1);
    analysis.families[0].clone()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12, "{a} is not {b}");
}

/// Two instances: on `one` the best is Apollo's 80, on `two` it is SCIP's 50.
fn some_runs() -> Vec<Run> {
    vec![
        run("one", "scip", &[(1.0, 160.0), (5.0, 100.0)]),
        run("one", "scip-aggressive", &[(2.0, 130.0), (10.01, 120.0)]),
        run("one", "apollo", &[(2.0, 80.0)]),
        run("two", "scip", &[(0.0, 50.0)]),
        run("two", "scip-aggressive", &[(0.0, 100.0)]),
        run("two", "apollo", &[(4.0, 60.0), (11.5, 50.0)]),
    ]
}

#[test]
fn gaps_integrals_and_wins_by_hand() {
    let family = evaluated(&some_runs(), &BestKnown::default());
    let [scip, aggressive, apollo] = [0, 1, 2].map(|k| family.rows[k].clone());
    assert_eq!(family.baseline, Some([0, 0, 0]), "the better of the two");
    // gap_abs: SCIP 20 and 0; aggressive 40 and 50; Apollo 0, and 10 because 50 came after the limit.
    close(scip.gap_abs.value, 10.0);
    close(aggressive.gap_abs.value, 45.0);
    close(apollo.gap_abs.value, 5.0);
    close(apollo.reduction.unwrap().value, 0.5);
    close(aggressive.reduction.unwrap().value, 1.0 - 4.5);
    close(scip.gap_rel, (20.0 / 80.0) / 2.0);
    close(apollo.gap_rel, (10.0 / 50.0) / 2.0);
    close(apollo.gap_rel_sgm, ((0.01f64 * 0.21).sqrt()) - 0.01);
    assert_eq!((apollo.wins, aggressive.wins, scip.wins), ([1, 0, 1], [0, 0, 2], [0, 0, 0]));
    // Integrals: on `one` SCIP has gap 1 for 1 s, 80/160 for 4 s, 20/100 for 5 s; on `two` 0.
    close(scip.integral.value, (1.0 + 0.5 * 4.0 + 0.2 * 5.0) / 10.0 / 2.0);
    // Apollo: gap 1 for 2 s, then 0; gap 1 for 4 s, then 10/60 for 6 s.
    close(apollo.integral.value, (0.2 + (4.0 + 1.0) / 10.0) / 2.0);
    assert!(apollo.gap_abs.interval.is_none(), "two instances are too few");
}

#[test]
fn the_best_known_of_longer_runs_counts() {
    let mut known = BestKnown::default();
    let best = |objective| Best {
        instance: "one".to_string(),
        objective,
        maximise: false,
        by: "a longer run".to_string(),
        limit: None,
    };
    known.entries.insert("hash of one".to_string(), best(60.0));
    close(evaluated(&some_runs(), &known).rows[2].gap_abs.value, (20.0 + 10.0) / 2.0);
    known.entries.insert("hash of one".to_string(), best(90.0));
    close(evaluated(&some_runs(), &known).rows[2].gap_abs.value, 5.0);
}

#[test]
fn maximising_turns_everything_round() {
    let mut runs = some_runs();
    runs.iter_mut().for_each(|run| run.found.maximise = Some(true));
    let family = evaluated(&runs, &BestKnown::default());
    assert_eq!(family.instances[0].best, 120.0);
    close(family.rows[2].gap_abs.value, (40.0 + 40.0) / 2.0);
}

#[test]
fn no_solution_is_as_bad_as_it_gets_and_an_infeasible_one_is_none() {
    let mut runs = some_runs();
    runs[0].found.trajectory.clear();
    runs[0].found.objective = None;
    runs[2].found.violation = Some(0.5);
    let family = evaluated(&runs, &BestKnown::default());
    assert_eq!(family.instances[0].best, 120.0, "the 80 is not feasible");
    let scores = &family.instances[0].scores;
    for score in [&scores[0], &scores[2]] {
        assert_eq!((score.objective, score.gap_abs, score.gap_rel, score.integral), (None, 120.0, 1.0, 1.0));
    }
    assert_eq!((family.rows[0].without, family.rows[1].without), (1, 0));
    assert_eq!(gaps(3.0, 0.0, false), (3.0, 1.0));
    assert_eq!(gaps(0.0, 0.0, false), (0.0, 0.0));
}

/// SCIP is far from the best known 10, and Apollo has nothing at all.
#[test]
fn any_solution_is_better_than_none() {
    let runs = [run("one", "scip", &[(0.0, 30.0)]), run("one", "apollo", &[])];
    let mut known = BestKnown::of([run("one", "scip", &[(0.0, 10.0)])].iter());
    let family = evaluated(&runs, &known);
    let [scip, apollo] = [0, 1].map(|k| family.rows[k].clone());
    assert_eq!((scip.gap_abs.value, apollo.gap_abs.value, apollo.gap_rel), (20.0, 20.0, 2.0));
    assert_eq!(apollo.wins, [0, 0, 1]);
    // Where nothing is far away it is as bad as the best known is large.
    known.entries.clear();
    assert_eq!(evaluated(&runs, &known).rows[1].gap_abs.value, 30.0);
}

#[test]
fn rounding_is_no_gap() {
    let runs = [run("one", "scip", &[(0.0, 100.00001)]), run("one", "apollo", &[(0.0, 100.0)])];
    let family = evaluated(&runs, &BestKnown::default());
    let apollo = &family.rows[1];
    assert_eq!((family.rows[0].gap_abs.value, apollo.wins), (0.0, [0, 1, 0]));
    assert_eq!(apollo.reduction.unwrap().value, 0.0, "and nobody is infinitely better");
}

/// What is optimal by its own words, and is not, has taken as long as what was not solved.
#[test]
fn a_wrong_proof_is_none() {
    let mut runs = some_runs()[..3].to_vec();
    for (run, status) in runs.iter_mut().zip(["optimal", "infeasible", "optimal"]) {
        (run.found.status, run.found.time) = (status.to_string(), 1.0);
    }
    let family = evaluated(&runs, &BestKnown::default());
    let solved = [0, 1, 2].map(|k| (family.rows[k].solved, family.instances[0].scores[k].seconds));
    assert_eq!(solved, [(0, 10.0), (0, 10.0), (1, 1.0)]);
    assert!(runs[0].wrong_claim(80.0).unwrap().contains("100"));
    assert!(runs[2].wrong_claim(80.0).is_none());
}

#[test]
fn what_is_a_little_inexact_counts_but_is_never_the_best_known() {
    let mut inexact = run("one", "scip", &[(0.0, 90.0)]);
    inexact.found.violation = Some(3e-6);
    assert_eq!(inexact.objective_in_time(), Some(90.0));
    assert_eq!(BestKnown::default().improve(&inexact).unwrap(), None);
    let exact = run("one", "apollo", &[(0.0, 92.0)]);
    let family = evaluated(&[inexact.clone(), exact], &BestKnown::default());
    assert_eq!((family.instances[0].best, family.rows[0].gap_abs.value), (92.0, 0.0));
    let family = evaluated(&[inexact.clone()], &BestKnown::default());
    assert_eq!(family.instances[0].best, 90.0, "nobody knows anything else");
    inexact.found.violation = Some(3e-5);
    assert_eq!(inexact.objective_in_time(), None);
}

#[test]
fn an_instance_counts_when_all_strategies_have_done_it() {
    let mut runs = some_runs();
    runs.pop();
    let family = evaluated(&runs, &BestKnown::default());
    assert_eq!((family.instances.len(), family.left_out), (1, vec!["two".to_string()]));
}

#[test]
fn seeds_are_averaged_and_their_spread_is_told() {
    let mut runs = some_runs()[..3].to_vec();
    let mut again = runs.clone();
    again.iter_mut().for_each(|run| run.seed = 1);
    again[2] = Run { seed: 1, ..run("one", "apollo", &[(0.0, 84.0)]) };
    runs.extend(again);
    let family = evaluated(&runs, &BestKnown::default());
    close(family.rows[2].gap_abs.value, 2.0);
    close(family.rows[2].spread, 8f64.sqrt());
}

#[test]
fn time_to_optimality_by_hand() {
    let mut runs = some_runs();
    runs[0] = run("one", "scip", &[(1.0, 160.0), (3.0, 80.0)]);
    for (k, seconds) in [(0, 3.0), (2, 1.0), (3, 7.0)] {
        runs[k].found.status = "optimal".to_string();
        runs[k].found.time = seconds;
    }
    let family = evaluated(&runs, &BestKnown::default());
    let [scip, _, apollo] = [0, 1, 2].map(|k| family.rows[k].clone());
    assert_eq!((scip.solved, apollo.solved), (2, 1));
    close(scip.seconds, (4.0f64 * 8.0).sqrt() - 1.0);
    close(apollo.seconds, (2.0f64 * 11.0).sqrt() - 1.0);
    close(apollo.seconds_ratio.unwrap().value, apollo.seconds / scip.seconds);
    assert_eq!(apollo.lost, ["two"]);
}

/// Six instances, one of them won and five tied: the reduction is great, and nothing is sure.
#[test]
fn one_win_among_ties_is_not_sure() {
    let mut runs = vec![];
    for k in 0..6 {
        let name = format!("i{k}");
        runs.push(run(&name, "scip", &[(0.0, if k == 0 { 120.0 } else { 100.0 })]));
        runs.push(run(&name, "apollo", &[(0.0, 100.0)]));
    }
    let apollo = &evaluated(&runs, &BestKnown::default()).rows[1];
    close(apollo.reduction.unwrap().value, 1.0);
    close(apollo.gain.unwrap().value, 20.0 / 6.0);
    assert_eq!(apollo.gain.unwrap().interval.unwrap().0, 0.0);
    assert_eq!(apollo.wins, [1, 5, 0]);
}
