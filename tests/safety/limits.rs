//! Limits of the user's SCIP bind Apollo too, and an interrupt is seen at once.

use super::solve::{BY_DEFAULT, Case, answering, assert_harmless, assert_same, constantly};
use russcip::{Status, ffi};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A clock instead of nodes: as most users have it.
const BY_THE_CLOCK: &str = "heuristics/apollo/budget/nodes = -1\nheuristics/apollo/budget/share = 0.9\nheuristics/apollo/budget/effort = 1e20\n";

/// How far a time limit may be overshot: plain SCIP needs a moment too on a busy machine.
const GRACE: Duration = Duration::from_secs(2);

#[test]
fn time_limits_hold() {
    for limit in [0.0, 0.01, 0.2, 1.5] {
        for timing in ["before", "after"] {
            let case = Case::data("hard.lp").set(BY_THE_CLOCK).set(&format!("limits/time = {limit}"));
            let apollo = case.set(&format!("heuristics/apollo/timing = \"{timing}\"")).apollo();
            let what = format!("limit {limit}, timing {timing}\n{}", apollo.log);
            assert_eq!(apollo.status, Status::TimeLimit, "{what}");
            assert!(apollo.elapsed < Duration::from_secs_f64(limit) + GRACE, "{:?} {what}", apollo.elapsed);
            assert!(apollo.complaints().is_empty(), "{what}");
            if limit > 1.0 {
                assert_eq!(apollo.runs(), 1, "{what}");
            }
        }
    }
}

/// A predictor that never ends in time costs its share of the time, not the solve.
#[test]
fn a_slow_predictor_does_not_overshoot() {
    let case = Case::data("hard.lp").set(BY_THE_CLOCK).set("limits/time = 1");
    let apollo = case.apollo_with(answering(|question| {
        thread::sleep(Duration::from_secs_f64(1.2));
        constantly(0.5)(question)
    }));
    assert_eq!(apollo.status, Status::TimeLimit, "{}", apollo.log);
    assert!(apollo.elapsed < Duration::from_secs(1) + GRACE, "{:?}", apollo.elapsed);
}

/// Every other limit, each on a problem that reaches it: the same status with and without Apollo.
#[test]
fn other_limits_end_the_solve_as_they_do_without_apollo() {
    for (file, limit, status) in [
        ("hard.lp", "limits/nodes = 0", Status::NodeLimit),
        ("hard.lp", "limits/nodes = 1", Status::NodeLimit),
        ("hard.lp", "limits/nodes = 30", Status::NodeLimit),
        ("hard.lp", "limits/totalnodes = 30", Status::TotalNodeLimit),
        ("hard.lp", "limits/stallnodes = 5", Status::StallNodeLimit),
        ("hard.lp", "limits/memory = 1", Status::MemoryLimit),
        ("hard.lp", "limits/solutions = 1", Status::SolutionLimit),
        ("hard.lp", "limits/bestsol = 1", Status::BestSolutionLimit),
        ("hard.lp", "limits/solutions = 3", Status::SolutionLimit),
        ("knapsack.lp", "limits/gap = 0.5", Status::GapLimit),
        ("knapsack.lp", "limits/absgap = 200", Status::GapLimit),
        ("knapsack.lp", "limits/primal = 500", Status::PrimalLimit),
        ("knapsack.lp", "limits/dual = 800", Status::DualLimit),
    ] {
        let case = Case::data(file).set(limit);
        let (plain, apollo) = (case.plain(), case.apollo());
        assert_eq!((plain.status, apollo.status), (status, status), "{file} with {limit}\n{}", apollo.log);
        assert!(apollo.complaints().is_empty(), "{file} with {limit}\n{}", apollo.log);
    }
}

/// The user wants one solution: Apollo may find it, and the solve ends there.
#[test]
fn one_solution_is_enough_where_one_is_asked_for() {
    let case = Case::data("setcover.lp").set("limits/solutions = 1");
    let apollo = case.apollo();
    assert_eq!(apollo.status, Status::SolutionLimit, "{}", apollo.log);
    assert!(apollo.incumbents.len() <= 1 && apollo.objective.is_some(), "{}", apollo.log);
}

/// Hardly any memory for the searches, but enough for the problem: Apollo stays out or is stopped.
#[test]
fn little_memory_is_no_trouble() {
    for megabytes in [3, 6, 12] {
        let case = Case::data("gap.mps").set(&format!("limits/memory = {megabytes}"));
        let (plain, apollo) = (case.plain(), case.apollo());
        // Where memory ends the plain solve, it ends this one; it never ends in an error.
        if plain.status == Status::Optimal && apollo.status == Status::Optimal {
            assert_same("memory", &plain, &apollo);
        }
        assert!(matches!(apollo.status, Status::Optimal | Status::MemoryLimit), "{}", apollo.log);
        assert!(apollo.complaints().is_empty(), "{}", apollo.log);
    }
}

/// An objective limit of the user's own, below every solution: infeasible, with Apollo too.
#[test]
fn an_objective_limit_of_the_user_holds() {
    for limit in [85.0, 87.0] {
        let case = Case::data("setcover.lp");
        let bounded = |model: &mut russcip::Model<russcip::ProblemCreated>| {
            // SAFETY: a live SCIP in stage PROBLEM.
            let code = unsafe { ffi::SCIPsetObjlimit(model.scip_ptr(), limit) };
            assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
        };
        let plain = case.solve(None, bounded);
        let apollo = case.apollo_after(bounded);
        assert_same(&format!("limit {limit}"), &plain, &apollo);
        assert_eq!(apollo.status, if limit < 86.0 { Status::Infeasible } else { Status::Optimal });
    }
}

/// `SCIPinterruptSolve` from another thread, `wait` after Apollo has predicted for the first time.
fn interrupt_after(wait: Duration, settings: &str) {
    let searching = Arc::new(AtomicBool::new(false));
    let scip = Arc::new(AtomicUsize::new(0));
    let seen = searching.clone();
    let predictor = answering(move |question| {
        seen.store(true, Ordering::SeqCst);
        constantly(0.5)(question)
    });
    let interrupter = {
        let (searching, scip) = (searching.clone(), scip.clone());
        thread::spawn(move || {
            while !searching.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(5));
            }
            thread::sleep(wait);
            let scip = scip.load(Ordering::SeqCst) as *mut ffi::SCIP;
            // SAFETY: the SCIP of the other thread, which waits for this one before it is freed. This
            // is the call that SCIP allows from outside: it sets a flag.
            unsafe { ffi::SCIPinterruptSolve(scip) };
            Instant::now()
        })
    };
    let case = Case::data("hard.lp").set(BY_THE_CLOCK).set("limits/time = 60").set(settings);
    let place = scip.clone();
    let apollo = case
        .solve(Some(Box::new(|model| apollo_scip::include_with(model, predictor))), move |model| {
            place.store(model.scip_ptr() as usize, Ordering::SeqCst)
        });
    let interrupted = interrupter.join().expect("the other thread ends");
    let late = interrupted.elapsed();
    assert_eq!(apollo.status, Status::UserInterrupt, "{}", apollo.log);
    assert!(late < Duration::from_secs(2), "{late:?} after the interrupt\n{}", apollo.log);
    assert!(apollo.objective.is_some(), "what was found stays\n{}", apollo.log);
}

#[test]
fn an_interrupt_ends_the_search() {
    interrupt_after(Duration::from_millis(700), "");
    interrupt_after(Duration::from_millis(700), "heuristics/apollo/strategy = \"ws-ps\"");
}

/// A budget of nothing is "off", however it is written.
#[test]
fn no_budget_is_off() {
    for off in [
        "heuristics/apollo/budget/share = 0",
        "heuristics/apollo/budget/seconds = 0",
        "heuristics/apollo/budget/nodes = 0",
        "heuristics/apollo/budget/nodes = -1\nheuristics/apollo/budget/nolimit = 0",
        "heuristics/apollo/freq = -1",
        "heuristics/apollo/minbinaries = 1000",
    ] {
        let apollo = assert_harmless(off, &Case::data("setcover.lp").set(off));
        assert_eq!(apollo.runs(), 0, "{off}\n{}", apollo.log);
        assert!(apollo.report.is_none() && apollo.complaints().is_empty(), "{off}\n{}", apollo.log);
    }
}

/// By default Apollo leaves easy problems alone, and has no more than its share of hard ones.
#[test]
fn easy_problems_are_left_alone_and_hard_ones_share() {
    let easy = Case::data("assignment.lp").set(BY_DEFAULT).apollo();
    assert!(easy.report.is_none(), "{}", easy.log);
    const SECONDS: f64 = 10.0;
    let hard = Case::data("hard.lp").set(BY_DEFAULT).set(&format!("limits/time = {SECONDS}")).apollo();
    let report = hard.report.unwrap_or_else(|| panic!("it never ran\n{}", hard.log));
    let rounds = report.rounds.iter().map(|r| r.predict_seconds + r.setup_seconds + r.search_seconds);
    let local = report.local.iter().chain(&report.later).map(|l| l.burst_seconds + l.neighbourhood_seconds);
    let spent: f64 = rounds.chain(local).sum();
    assert!(spent > 0.0 && spent < 0.25 * SECONDS, "{spent} s of {SECONDS}\n{}", hard.log);
}
