//! What surrounds a solve: sub-SCIPs, other threads, restarts, pricers, solving again, memory.

use super::solve::{
    Answer, Case, FORCED, Incumbent, Scratch, alone, answer, assert_harmless, assert_same, close, log_into,
    read_settings, runs,
};
use crate::support;
use russcip::prelude::*;
use russcip::{Event, ProblemCreated, SCIPEventhdlr, SCIPPricer, Solving, ffi};
use std::fs;
use std::thread;

/// A pricer that never has a column to offer.
struct Idle;

impl Pricer for Idle {
    fn generate_columns(
        &mut self,
        _model: Model<Solving>,
        _pricer: SCIPPricer,
        _farkas: bool,
    ) -> PricerResult {
        PricerResult { state: PricerResultState::NoColumns, lower_bound: None }
    }
}

#[test]
fn with_an_active_pricer_apollo_stays_out() {
    let with_pricer = |model: &mut Model<ProblemCreated>| {
        model.include_pricer("idle", "has no columns", 0, false, Box::new(Idle));
    };
    let case = Case::data("setcover.lp");
    let apollo = case.apollo_after(with_pricer);
    assert_same("pricer", &case.solve(None, with_pricer), &apollo);
    assert_eq!((apollo.runs(), apollo.complaints()), (0, vec![]), "{}", apollo.log);
}

/// A program may nest our SCIP in another one: then its solve is somebody's sub-problem.
#[test]
fn inside_another_scip_apollo_stays_out() {
    let case = Case::data("setcover.lp");
    let apollo = case.apollo_after(|model| {
        // SAFETY: a live SCIP.
        unsafe { ffi::SCIPsetSubscipDepth(model.scip_ptr(), 1) };
    });
    assert_same("nested", &case.plain(), &apollo);
    assert_eq!((apollo.runs(), apollo.complaints()), (0, vec![]), "{}", apollo.log);
}

/// With the preloaded plugin every SCIP of the process gets Apollo, also those of SCIP's own
/// heuristics: it must run in none of them.
#[test]
fn in_the_sub_problems_of_other_heuristics_apollo_stays_out() {
    let scratch = Scratch::new();
    let loud = "display/verblevel = 5\nheuristics/rins/freq = 1\nheuristics/crossover/freq = 1\n\
                heuristics/alns/freq = 1\nheuristics/localbranching/freq = 1\nheuristics/rens/freq = 1\n\
                heuristics/gins/freq = 1\nheuristics/mutation/freq = 1\nheuristics/dins/freq = 1\nlimits/nodes = 50\n";
    let settings = scratch.write("loud.set", format!("{FORCED}{loud}"));
    let mut command = support::apollo();
    command.env("LD_PRELOAD", support::plugin()).arg("scip").arg("-s").arg(settings).arg("-c");
    command
        .arg(format!("read {} optimize display statistics quit", support::data("lotsizing.mps").display()));
    let (success, text) = support::run(&mut command);
    assert!(success, "{text}");
    assert_eq!(runs(&text), 1, "{text}");
    assert_eq!(text.matches("apollo: round 1/4: ").count(), 1, "{text}");
    // Otherwise this would prove nothing.
    let called = |heuristic: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(heuristic) && line.contains(':'));
        line.and_then(|line| line.split_whitespace().nth(4)).is_some_and(|calls| calls != "0" && calls != "-")
    };
    assert!(["rins", "crossover", "alns", "rens"].iter().any(|heuristic| called(heuristic)), "{text}");
}

/// Restarts the solve at its first nodes.
struct Restarter(usize);

impl Eventhdlr for Restarter {
    fn get_type(&self) -> EventMask {
        EventMask::NODE_BRANCHED
    }

    fn execute(&mut self, model: Model<Solving>, _handler: SCIPEventhdlr, _event: Event) {
        if self.0 > 0 {
            self.0 -= 1;
            // SAFETY: a live SCIP in stage SOLVING.
            unsafe { ffi::SCIPrestartSolve(model.scip_ptr()) };
        }
    }
}

#[test]
fn restarts_do_not_start_apollo_again() {
    for timing in ["before", "after"] {
        let case = Case::data("knapsack.lp").set(&format!("heuristics/apollo/timing = \"{timing}\""));
        let apollo = case.apollo_after(|model| {
            model.include_eventhdlr("restarter", "restarts", Box::new(Restarter(4)));
        });
        assert_same("restarts", &case.plain(), &apollo);
        assert!(apollo.log.contains("(run 3"), "there were restarts\n{}", apollo.log);
        assert_eq!((apollo.runs(), apollo.complaints()), (1, vec![]), "{}", apollo.log);
    }
    let eager = "presolving/maxrestarts = 5\npresolving/restartfac = 0\npresolving/immrestartfac = 0\n\
                 presolving/subrestartfac = 0\npresolving/restartminred = 0";
    for file in ["knapsack.lp", "independent.lp"] {
        let apollo = assert_harmless(file, &Case::data(file).set(eager));
        assert!(apollo.runs() <= 1, "{}", apollo.log);
    }
}

/// A model with Apollo forced on, that says nothing on the terminal.
fn model(file: &str, scratch: &Scratch) -> Model<ProblemCreated> {
    let model = Model::new().include_default_plugins();
    apollo_scip::include(&model).expect("SCIP takes the heuristic");
    log_into(&model, Some(&scratch.path("log")));
    read_settings(&model, &scratch.write("forced.set", FORCED));
    model.read_prob(support::data(file).to_str().expect("a plain path")).expect("SCIP reads it")
}

#[test]
fn the_same_scip_solves_again() {
    let scratch = Scratch::new();
    let first = model("setcover.lp", &scratch).solve();
    let before = answer(&first);
    let again = first.free_transform().solve();
    assert_same("the second time", &before, &answer(&again));
    assert!(answer(&again).report.is_some(), "Apollo runs in every solve");

    // The other way round: the most expensive cover there is.
    let changed = again.free_transform();
    for var in changed.orig_vars() {
        // SAFETY: a live SCIP in stage PROBLEM and an original variable of it.
        let code = unsafe { ffi::SCIPchgVarObj(changed.scip_ptr(), var.inner(), -var.obj()) };
        assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
    }
    let third = changed.solve();
    // Everything is taken.
    let all: f64 = third.orig_vars().iter().map(|var| var.obj()).sum();
    assert_eq!(third.status(), Status::Optimal);
    assert!(close(third.obj_val(), all), "{} is not {all}", third.obj_val());

    log_into(&third, None);
    let log = fs::read_to_string(scratch.path("log")).expect("SCIP wrote it");
    assert!(runs(&log) >= 2, "{log}");
}

/// Including twice is including once.
#[test]
fn including_twice_is_no_error() {
    let scratch = Scratch::new();
    let model = Model::new().include_default_plugins();
    log_into(&model, Some(&scratch.path("log")));
    apollo_scip::include(&model).expect("the first time");
    apollo_scip::include(&model).expect("the second time");
    read_settings(&model, &scratch.write("forced.set", FORCED));
    let solved = model.read_prob(support::data("setcover.lp").to_str().unwrap()).unwrap().solve();
    assert!(close(solved.obj_val(), 86.0));
    log_into(&solved, None);
    assert_eq!(runs(&fs::read_to_string(scratch.path("log")).unwrap()), 1);
}

/// What a solve did, without its clock.
#[derive(Debug, PartialEq)]
struct Trace {
    status: Status,
    objective: Option<f64>,
    incumbents: Vec<Incumbent>,
    rounds: Vec<(usize, usize, u64)>,
}

fn trace(answer: Answer) -> Trace {
    let Answer { status, objective, incumbents, report, .. } = answer;
    let rounds = report.iter().flat_map(|report| &report.rounds);
    let rounds = rounds.map(|round| (round.fixed, round.newly_fixed, round.nodes)).collect();
    Trace { status, objective, incumbents, rounds }
}

#[test]
fn four_scips_in_four_threads_are_as_each_alone() {
    const FILES: [&str; 4] = ["setcover.lp", "independent.lp", "gap.mps", "knapsack.lp"];
    let alone: Vec<_> = FILES.iter().map(|file| trace(Case::data(file).apollo())).collect();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|first| {
                // Each thread in another order, so that different problems meet.
                scope.spawn(move || {
                    (0..4)
                        .map(|i| (first + i) % 4)
                        .map(|i| (i, trace(Case::data(FILES[i]).apollo())))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        for thread in threads {
            for (i, together) in thread.join().expect("no thread panics") {
                assert_eq!(together, alone[i], "{}", FILES[i]);
            }
        }
    });
}

/// Resident memory of this process in KiB.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("with this line");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("and a number in it")
}

#[test]
#[cfg(target_os = "linux")]
fn two_hundred_solves_leak_nothing() {
    let (success, text) = alone("safety::surroundings::two_hundred_solves", &[]);
    assert!(success, "{text}");
}

#[test]
#[ignore = "started by two_hundred_solves_leak_nothing, in a process of its own"]
fn two_hundred_solves() {
    let scratch = Scratch::new();
    let cycle = || {
        let solved = model("negated.lp", &scratch).solve();
        assert!(close(solved.obj_val(), 936.0));
        assert!(apollo_scip::scip::report(&solved).is_some());
    };
    // The first ones fill caches of the allocator and of the libraries.
    (0..40).for_each(|_| cycle());
    let before = resident();
    (0..200).for_each(|_| cycle());
    let grown = resident().saturating_sub(before);
    println!("{before} KiB after 40 solves, {grown} KiB more after 240");
    assert!(grown < 4096, "{grown} KiB more after 200 solves");
}

/// Solvers side by side on one problem: Apollo has no copy callback, so it is in none of them, and
/// they work as before.
#[test]
fn concurrent_solving_works_as_before() {
    let concurrent = |with_apollo: bool| {
        let scratch = Scratch::new();
        let model = Model::new().include_default_plugins();
        let mut settings = "parallel/maxnthreads = 2\nparallel/minnthreads = 2\n".to_string();
        if with_apollo {
            apollo_scip::include(&model).expect("SCIP takes the heuristic");
            settings += FORCED;
        }
        log_into(&model, Some(&scratch.path("log")));
        read_settings(&model, &scratch.write("concurrent.set", settings));
        let model = model.read_prob(support::data("setcover.lp").to_str().unwrap()).unwrap();
        model.try_solve_concurrent().map(|solved| answer(&solved)).map_err(|code| format!("{code:?}"))
    };
    match (concurrent(false), concurrent(true)) {
        (Ok(plain), Ok(apollo)) => assert_same("concurrent", &plain, &apollo),
        (Err(plain), Err(apollo)) => {
            eprintln!("skipped: this SCIP cannot solve concurrently ({plain})");
            assert_eq!(plain, apollo);
        }
        (plain, apollo) => panic!("{plain:?} without Apollo, {apollo:?} with it"),
    }
}

/// Without any LP the heuristic is called after the pseudo solution of the root.
#[test]
fn without_an_lp_the_optimum_is_found() {
    let scratch = Scratch::new();
    let file = super::problems::tiny(&scratch);
    for timing in ["before", "after"] {
        let no_lp =
            format!("lp/solvefreq = -1\npresolving/maxrounds = 0\nheuristics/apollo/timing = \"{timing}\"");
        let apollo = assert_harmless(&no_lp, &Case::file(&file).set(&no_lp));
        assert!(apollo.runs() == 1 && apollo.complaints().is_empty(), "{}", apollo.log);
    }
}

/// Exact mode checks every solution that Apollo offers, with rational arithmetic.
#[test]
fn exact_mode_keeps_the_optimum() {
    let exact = |with_apollo: bool| {
        let scratch = Scratch::new();
        let mut settings = "exact/enable = TRUE\n".to_string();
        if with_apollo {
            settings += FORCED;
        } else {
            settings += "heuristics/apollo/freq = -1\n";
        }
        let settings = scratch.write("exact.set", settings);
        let mut command = support::apollo();
        command.arg("scip").arg("-s").arg(settings).arg("-c");
        command.arg(format!("read {} optimize quit", support::data("setcover.lp").display()));
        support::run(&mut command)
    };
    let (_, plain) = exact(false);
    let bound = "+8.60000000000000e+01";
    if plain.contains("unknown parameter") || !plain.contains("optimal solution found") {
        eprintln!("skipped: this SCIP has no exact mode\n{plain}");
        return;
    }
    let (success, apollo) = exact(true);
    assert!(success && apollo.contains("optimal solution found") && apollo.contains(bound), "{apollo}");
    assert!(plain.contains(bound) && super::solve::complaints(&apollo).is_empty(), "{apollo}");
}
