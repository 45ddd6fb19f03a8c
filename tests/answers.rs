//! The right optimum and status on every instance, the same run twice, and a report that tells the
//! truth.

use crate::safety::solve::{
    AS_WRITTEN, Answer, Case, Include, Scratch, alone, answering, close, constantly, only_apollo,
};
use crate::support;
use apollo_scip::correction::Ending;
use apollo_scip::partial::PartialSolution;
use apollo_scip::prediction::Prediction;
use apollo_scip::problem::Fixings;
use apollo_scip::schedule::{Amount, sides};
use apollo_scip::scip::PredictorFactory;
use apollo_scip::search::{RoundReport, Step};
use russcip::Status;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::rc::Rc;

/// How an instance must end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Known {
    Optimum(f64),
    Infeasible,
    Unbounded,
    /// SCIP does not tell which of the two.
    InfeasibleOrUnbounded,
}

/// The instances in tests/data and how they end; without those that nobody has solved.
fn known() -> Vec<(String, Known)> {
    let text = fs::read_to_string(support::data("known.solu")).expect("it is in the repository");
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (kind, name) = (words.next()?, words.next()?.to_string());
        let known = match kind {
            "=opt=" => Known::Optimum(words.next()?.parse().expect("a number")),
            "=inf=" => Known::Infeasible,
            "=unbd=" => Known::Unbounded,
            "=unkn=" => return None,
            other => panic!("{other} is no kind of answer"),
        };
        Some((name, known))
    };
    text.lines().filter_map(line).collect()
}

/// The file of an instance in tests/data, whatever its format.
fn file(name: &str) -> String {
    let formats = ["lp", "mps"].map(|format| format!("{name}.{format}"));
    let found = formats.into_iter().find(|file| support::data(file).is_file());
    found.unwrap_or_else(|| panic!("there is no file for {name}"))
}

fn assert_known(what: &str, answer: &Answer, known: Known) {
    let right = match known {
        Known::Optimum(optimum) => {
            // Catalogues round: 82.1999 stands for 82.1999992.
            let near = |value: f64| (value - optimum).abs() <= 1e-5 * optimum.abs().max(1.0);
            answer.status == Status::Optimal && answer.objective.is_some_and(near)
        }
        Known::Infeasible => answer.status == Status::Infeasible,
        Known::Unbounded => answer.status == Status::Unbounded,
        Known::InfeasibleOrUnbounded => answer.status == Status::Inforunbd,
    };
    assert!(right, "{what}: {:?} {:?} instead of {known:?}\n{}", answer.status, answer.objective, answer.log);
}

#[test]
fn every_instance_has_an_answer() {
    let text = fs::read_to_string(support::data("known.solu")).expect("it is in the repository");
    let listed: BTreeSet<String> =
        text.lines().filter_map(|line| line.split_whitespace().nth(1)).map(str::to_string).collect();
    let there: BTreeSet<String> = fs::read_dir(support::data(""))
        .expect("the folder is there")
        .filter_map(|entry| entry.expect("readable").file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".lp").or(name.strip_suffix(".mps")).map(str::to_string))
        // The tests of hosts have instances of their own.
        .filter(|name| !name.starts_with("host_"))
        .collect();
    assert_eq!(listed, there);
}

/// The first of them has Apollo run before the root LP, as all that do not say otherwise.
fn answers_stay_right(settings: &str) {
    for (name, known) in known() {
        let answer = Case::data(&file(&name)).set(settings).apollo();
        assert_known(&format!("{name} with {settings}"), &answer, known);
        // The relaxation of an unbounded problem has nothing to predict from, and Apollo may say so.
        let most = (known == Known::Unbounded) as usize;
        assert!(answer.complaints().len() <= most, "{name} with {settings}\n{}", answer.log);
    }
}

#[test]
fn answers_without_apollo_are_the_known_ones() {
    for (name, known) in known() {
        assert_known(&name, &Case::data(&file(&name)).plain(), known);
    }
}

#[test]
fn answers_with_the_method_of_the_paper() {
    answers_stay_right("");
}

#[test]
fn answers_after_the_root_lp_with_an_objective_cut() {
    answers_stay_right("heuristics/apollo/timing = \"after\"\nheuristics/apollo/objectivecut = TRUE");
}

#[test]
fn answers_with_everything_fixed_outright() {
    answers_stay_right(
        "heuristics/apollo/strategy = \"nd\"\nheuristics/apollo/k0 = \"0.8\"\nheuristics/apollo/k1 = \"0.1\"",
    );
}

#[test]
fn answers_with_predicted_values_fixed() {
    answers_stay_right(
        "heuristics/apollo/strategy = \"multi-stage\"\nheuristics/apollo/rounds = 2\nheuristics/apollo/radius = \"1\"\n\
         randomization/randomseedshift = 7",
    );
}

#[test]
fn answers_with_a_start_only() {
    answers_stay_right("heuristics/apollo/strategy = \"ws-apollo\"\nheuristics/apollo/seed = 5");
}

/// Public instances that plain SCIP solves in a few seconds, and their values in INDEX.md.
const SHARED: &[(&str, Known)] = &[
    ("miplib/dsbmip.mps.gz", Known::Optimum(-305.198175)),
    ("miplib/enigma.mps.gz", Known::Optimum(0.0)),
    ("miplib/flugpl.mps.gz", Known::Optimum(1201500.0)),
    ("miplib/gen.mps.gz", Known::Optimum(112313.3627)),
    ("miplib/gesa2_o.mps.gz", Known::Optimum(25779856.372)),
    ("miplib/gt2.mps.gz", Known::Optimum(21166.0)),
    ("miplib/misc06.mps.gz", Known::Optimum(12850.8607)),
    ("miplib/mod010.mps.gz", Known::Optimum(6548.0)),
    ("miplib/modglob.mps.gz", Known::Optimum(20740508.0)),
    ("miplib/neos-1425699.mps.gz", Known::Optimum(3179698977.0)),
    ("miplib/p0282.mps.gz", Known::Optimum(258411.0)),
    ("miplib/p0548.mps.gz", Known::Optimum(8691.0)),
    ("miplib/rgn.mps.gz", Known::Optimum(82.1999)),
    ("miplib/set1ch.mps.gz", Known::Optimum(54537.75)),
    ("miplib/stein27.mps.gz", Known::Optimum(18.0)),
    ("miplib/vpm1.mps.gz", Known::Optimum(20.0)),
    ("small/coin_block_milp.lp", Known::Optimum(-88.0)),
    ("small/coin_exmip1.lp", Known::Optimum(3.236842105)),
    ("small/highs_3015.mps", Known::Optimum(-1407973.679)),
    ("small/highs_gas11.mps", Known::InfeasibleOrUnbounded),
    ("small/highs_infeasible-mip0.mps", Known::Infeasible),
    ("small/highs_infeasible-mip1.mps", Known::Infeasible),
    ("small/highs_issue-2446.mps", Known::Optimum(-785.3552363)),
    ("small/highs_p01.mps", Known::Optimum(263.0)),
    ("small/highs_small_mip.mps", Known::Optimum(3.236842105)),
    ("small/highs_sp150x300d.mps", Known::Optimum(69.0)),
    ("small/scip_1-FullIns_3.lp", Known::Optimum(0.0)),
    ("small/scip_MANN_a9.clq.lp", Known::Optimum(16.0)),
    ("small/scip_Side.lp", Known::Optimum(2.0)),
    ("small/scip_semicon1.mps", Known::Optimum(1.1)),
    ("small/scip_stein27_inf.lp", Known::Infeasible),
    ("infeasible/enlight14.mps.gz", Known::Infeasible),
    ("infeasible/neos859080.mps.gz", Known::Infeasible),
];

fn shared_answers_stay_right(instances: &[(&str, Known)]) {
    let Some(folder) = support::shared_instances() else { return };
    for &(name, known) in instances {
        let answer = Case::file(&folder.join(name)).apollo();
        assert_known(name, &answer, known);
        assert!(answer.complaints().is_empty(), "{name}\n{}", answer.log);
    }
}

#[test]
fn shared_answers_of_miplib() {
    shared_answers_stay_right(&SHARED[..16]);
}

#[test]
fn shared_answers_of_other_projects() {
    shared_answers_stay_right(&SHARED[16..]);
}

/// Everything that a run decided, as text: incumbents with the work until then, and the rounds.
fn trajectory(file: &Path) -> String {
    let limits =
        "limits/nodes = 60\nheuristics/apollo/budget/nodes = 80\nheuristics/apollo/timing = \"after\"";
    let answer = Case::file(file).set(limits).apollo();
    let mut text = String::new();
    for new in &answer.incumbents {
        let _ = write!(text, "{:?}@{},{} ", new.objective, new.nodes, new.lp_iterations);
    }
    let report =
        answer.report.unwrap_or_else(|| panic!("{} was not searched\n{}", file.display(), answer.log));
    for round in &report.rounds {
        let RoundReport { unfixed, zeros, ones, fixed, newly_fixed, nodes, ending, found, .. } = round;
        let _ = write!(text, "[{unfixed} {zeros} {ones} {fixed} {newly_fixed} {nodes} {ending:?} {found:?}]");
    }
    text
}

fn trajectories() -> Vec<String> {
    let mut files = vec![support::data("knapsack.lp"), support::data("lotsizing.mps")];
    files.extend(support::shared_instances().map(|folder| folder.join("ip/item_placement_0.mps.gz")));
    files.iter().map(|file| trajectory(file)).collect()
}

/// Nodes instead of seconds: the same seed gives the same run, here and in another process.
#[test]
fn the_same_run_twice() {
    let elsewhere: Vec<String> = (0..2)
        .map(|_| {
            let (success, text) = alone("answers::tell_trajectories", &[]);
            assert!(success, "{text}");
            text.lines()
                .filter_map(|line| line.strip_prefix("trajectory "))
                .map(|line| line.to_string() + "\n")
                .collect()
        })
        .collect();
    let here: String = trajectories().iter().map(|line| format!("{line}\n")).collect();
    let again: String = trajectories().iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(here, again, "in one process");
    assert_eq!(elsewhere[0], elsewhere[1], "in two processes");
    assert_eq!(here, elsewhere[0], "here and elsewhere");
}

#[test]
#[ignore = "started by the_same_run_twice, in processes of its own"]
fn tell_trajectories() {
    println!();
    for trajectory in trajectories() {
        println!("trajectory {trajectory}");
    }
}

/// Another seed is allowed to do something else, and ends right all the same.
#[test]
fn another_seed_is_as_right() {
    for seed in [1, 2, 3] {
        let answer = Case::data("knapsack.lp").set(&format!("heuristics/apollo/seed = {seed}")).apollo();
        assert_known("knapsack", &answer, Known::Optimum(637.0));
    }
}

/// The numbers of a report fit each other.
fn assert_consistent(what: &str, answer: &Answer, maximise: bool, rounds: usize, outright: bool) {
    let report = answer.report.as_ref().unwrap_or_else(|| panic!("{what}: no report\n{}", answer.log));
    let sign = if maximise { -1.0 } else { 1.0 };
    let better_or_same = |a: f64, b: f64| sign * a <= sign * b + 1e-6 * b.abs().max(1.0);
    let context = || format!("{what}\n{:#?}\n{}", report.rounds, answer.log);
    let first = report.rounds.first().unwrap_or_else(|| panic!("{}", context()));
    let candidates = first.unfixed;
    assert_eq!(first.step, Step::Round, "{}", context());
    assert_eq!(answer.log.matches("apollo: round ").count(), report.rounds.len(), "{}", context());
    let mut settled = 0; // fixings that ordinary rounds have drawn so far
    let mut reference: Option<f64> = None;
    for round in &report.rounds {
        let predicted = round.zeros + round.ones;
        let outright = if outright && round.step != Step::Relaxed { predicted } else { 0 };
        assert!(round.round >= 1 && round.round <= rounds, "{}", context());
        assert!(predicted <= round.unfixed && round.newly_fixed <= predicted, "{}", context());
        assert!(round.radius.is_none_or(|radius| radius < predicted), "{}", context());
        assert_eq!(round.unfixed + round.fixed - outright, candidates, "{}", context());
        if round.step == Step::Relaxed {
            assert!(round.fixed < settled && round.newly_fixed == 0, "{}", context());
            settled = round.fixed;
        } else {
            // Only a round without any solution may take fixings back.
            assert!(round.fixed - outright == settled || reference.is_none(), "{}", context());
            settled = round.fixed - outright + round.newly_fixed;
        }
        assert!(round.round < rounds || round.newly_fixed == 0, "the last round exploits\n{}", context());
        if let Some(new) = round.reference {
            assert!(reference.is_none_or(|old| better_or_same(new, old)), "{}", context());
            assert!(round.found.is_none_or(|found| better_or_same(new, found)), "{}", context());
            assert!(answer.objective.is_some_and(|best| better_or_same(best, new)), "{}", context());
            let changed = reference.is_none_or(|old| !close(old, new));
            assert!(round.improved || !changed || reference.is_none(), "{}", context());
        }
        assert!(round.reference.is_some() || round.found.is_none(), "{}", context());
        assert!(round.reference.is_some() || (round.newly_fixed == 0 && !round.improved), "{}", context());
        assert!(round.ending != Ending::Optimal || round.found.is_some(), "{}", context());
        let seconds = [round.predict_seconds, round.setup_seconds, round.search_seconds];
        assert!(seconds.iter().all(|&seconds| (-1e-9..60.0).contains(&seconds)), "{}", context());
        reference = round.reference.or(reference);
    }
    let nodes: u64 = report.rounds.iter().map(|round| round.nodes).sum();
    assert!(nodes <= 40 + report.rounds.len() as u64, "{nodes} nodes\n{}", context());
}

#[test]
fn reports_are_consistent() {
    for (name, maximise) in [
        ("setcover", false),
        ("knapsack", true),
        ("negated", true),
        ("facility", false),
        ("lotsizing", false),
        ("maxcut", true),
    ] {
        for (strategy, rounds) in [("apollo", 4), ("direct", 4), ("nd", 1), ("ws-apollo", 4), ("ps", 1)] {
            let case = Case::data(&file(name)).set(&format!("heuristics/apollo/strategy = \"{strategy}\""));
            // The main solve does not matter here.
            let answer = case.set("limits/nodes = 1").apollo();
            assert_consistent(&format!("{name}, {strategy}"), &answer, maximise, rounds, strategy == "nd");
        }
    }
}

/// A radius around "everything is `value`" is the problem with one more row: both ways of asking have
/// the same best answer.
fn assert_binding(name: &str, text: &str, value: usize, radius: usize) {
    let scratch = Scratch::new();
    let (body, names) = text.split_once("Binaries").expect("it has binaries");
    let names: Vec<&str> = names.split_whitespace().take_while(|&word| word != "End").collect();
    let (sense, side) = if value == 0 { ("<=", radius) } else { (">=", names.len() - radius) };
    let row: Vec<String> = names.iter().map(|name| format!("+ {name}\n")).collect();
    let row = format!(" region: {} {sense} {side}\n", row.concat());
    let restricted = scratch.write("restricted.lp", text.replace(body, &(body.to_string() + &row)));
    let expected = Case::file(&restricted).plain();

    let all = if value == 0 { ("100%", "0") } else { ("0", "100%") };
    let settings = format!(
        "{AS_WRITTEN}heuristics/apollo/rounds = 1\nheuristics/apollo/k0 = \"{}\"\nheuristics/apollo/k1 = \"{}\"\n\
         heuristics/apollo/radius = \"{radius}\"\nheuristics/apollo/budget/nodes = 100000\nlimits/nodes = 1\n\
         heuristics/apollo/local = 0",
        all.0, all.1
    );
    let predictor = answering(constantly(0.5));
    let include: Include = Box::new(|model| apollo_scip::include_with(model, predictor));
    let file = scratch.write("problem.lp", text);
    let answer = Case::file(&file).set(&settings).solve(Some(include), only_apollo);
    let report = answer.report.as_ref().unwrap_or_else(|| panic!("{}", answer.log));
    let round = &report.rounds[0];
    let what = format!("{name}, everything {value} but {radius}: {expected:?}\n{round:?}\n{}", answer.log);
    assert_eq!((round.step, round.radius), (Step::Round, Some(radius)), "{what}");
    match expected.objective {
        Some(best) => {
            assert_eq!(round.ending, Ending::Optimal, "{what}");
            assert!(round.found.is_some_and(|found| close(found, best)), "{what}");
        }
        None => assert_eq!((round.ending, round.found), (Ending::Infeasible, None), "{what}"),
    }
    let of_round = answer.incumbents.iter().filter(|new| new.apollo && new.asked == 1);
    for new in of_round {
        // The binaries are the first variables of these files.
        let changed = new.values[..names.len()].iter().filter(|&&x| !close(x, value as f64)).count();
        assert!(changed <= radius, "{changed} changed: {what}");
    }
}

#[test]
fn the_trust_region_binds() {
    let read =
        |name: &str| fs::read_to_string(support::data(&format!("{name}.lp"))).expect("a file of the tests");
    let workers = workers(); // its searches are written anew, those of the others are copies
    for radius in [0, 1, 3, 6] {
        for (name, value) in
            [("independent", 0), ("knapsack", 0), ("setcover", 0), ("setcover", 1), ("knapsack", 1)]
        {
            assert_binding(name, &read(name), value, radius);
        }
        assert_binding("workers", &workers, 0, radius);
        assert_binding("workers", &workers, 1, radius);
    }
    assert_binding("workers", &workers, 0, 10);
}

/// What a predictor was asked and answered in one round.
struct Asked {
    fixings: Fixings,
    answered: Vec<(usize, f64)>,
}

/// A predictor that knows a solution and doubts it, and remembers what it was asked.
fn knowing(solution: Vec<f64>, asked: Rc<RefCell<Vec<Asked>>>) -> PredictorFactory {
    answering(move |question| {
        // Different doubts, so that the order is not by index alone.
        let probability = |&j: &usize| 0.1 + 0.8 * solution[j] * (1.0 - (j % 7) as f64 / 20.0);
        let probability: Vec<f64> = question.reduced.origin.iter().map(probability).collect();
        let answered = question.reduced.origin.iter().copied().zip(probability.iter().copied()).collect();
        asked.borrow_mut().push(Asked { fixings: question.fixings.clone(), answered });
        Ok(Prediction::new(probability))
    })
}

/// Solutions of a round keep its fixings and stay inside its region; more and more is fixed.
#[test]
fn fixings_and_regions_hold_in_what_is_found() {
    const RADIUS: usize = 9;
    let mut checked = 0;
    for (name, as_written) in
        [("setcover.lp", true), ("setcover.lp", false), ("negated.lp", false), ("independent.lp", true)]
    {
        // A solution that is far from the best, so that rounds have something to find.
        let first = Case::data(name).set("limits/bestsol = 4").plain();
        let known = first.incumbents.last().unwrap_or_else(|| panic!("{}", first.log)).values.clone();
        let asked = Rc::new(RefCell::new(vec![]));
        let predictor = knowing(known, asked.clone());
        let settings = format!(
            "heuristics/apollo/k0 = \"40%\"\nheuristics/apollo/k1 = \"5%\"\nheuristics/apollo/radius = \"{RADIUS}\"\n\
             heuristics/apollo/budget/nodes = 4000\nlimits/nodes = 1\nheuristics/apollo/local = 0\n{}",
            if as_written { AS_WRITTEN } else { "" }
        );
        let include: Include = Box::new(|model| apollo_scip::include_with(model, predictor));
        let answer = Case::data(name).set(&settings).solve(Some(include), only_apollo);
        let asked = asked.take();
        assert!(asked.len() >= 2, "{name}\n{}", answer.log);
        let counts: Vec<usize> = asked.iter().map(|asked| asked.fixings.len()).collect();
        assert!(
            counts[0] == 0 && counts.is_sorted() && counts.last() > Some(&0),
            "{name}: {counts:?}\n{}",
            answer.log
        );
        // Searches after the last question are without its fixings.
        for new in answer.incumbents.iter().filter(|new| new.apollo && (1..asked.len()).contains(&new.asked))
        {
            let Asked { fixings, answered } = &asked[new.asked - 1];
            let kept = fixings.iter().all(|(&j, &value)| close(new.values[j], value));
            assert!(kept, "{name}, round {}: a fixing does not hold\n{}", new.asked, answer.log);
            checked += 1;
            // Presolve takes variables out of the candidates: then only Apollo knows the region.
            if as_written {
                let (k0, k1) = sides(Amount::Share(0.4), Amount::Share(0.05), answered);
                let partial = PartialSolution::select(answered, k0, k1);
                let changed =
                    partial.predicted.iter().filter(|p| !close(new.values[p.variable], p.value)).count();
                assert!(changed <= RADIUS, "{name}, round {}: {changed} changed\n{}", new.asked, answer.log);
            }
        }
    }
    assert!(checked >= 4, "only {checked} solutions to check");
}

/// What Apollo finds is credited to it, and is in the user's tree when it is found.
#[test]
fn solutions_are_credited_to_apollo() {
    for name in ["setcover", "facility", "independent", "lotsizing"] {
        let case = Case::data(&file(name)).set("heuristics/apollo/budget/nodes = 4000\nlimits/nodes = 50");
        let answer = case.solve(Some(Box::new(apollo_scip::include)), only_apollo);
        let own = answer.incumbents.iter().filter(|new| new.apollo).count() as i64;
        let (found, best) = answer.credited;
        assert!(
            own > 0 && best == own && found >= best,
            "{name}: {own} seen, credited {found} and {best}\n{}",
            answer.log
        );
        let report = answer.report.unwrap_or_else(|| panic!("{name}\n{}", answer.log));
        // Every improvement that the report tells of is an incumbent of the user's.
        for reference in
            report.rounds.iter().filter(|round| round.improved).filter_map(|round| round.reference)
        {
            assert!(
                answer.incumbents.iter().any(|new| close(new.objective, reference)),
                "{name}\n{}",
                answer.log
            );
        }
    }
}

/// SCIP's own rounding comes after Apollo, so Apollo rounds the root LP itself before anything that takes
/// time: there is a solution even where its rounds never begin.
#[test]
fn the_root_lp_is_rounded_first() {
    let settings = "heuristics/apollo/budget/nodes = 100\nheuristics/apollo/local = 0\nlimits/nodes = 1\n\
                    heuristics/apollo/minbinaries = 1";
    let predictor = answering(|_| Err(apollo_scip::Error::Prediction("nothing to say".to_string())));
    let include: Include = Box::new(|model| apollo_scip::include_with(model, predictor));
    let prepared = format!("{AS_WRITTEN}{settings}\npresolving/maxrounds = 0\nseparating/maxroundsroot = 0");
    let answer = Case::data("setcover.lp").set(&prepared).solve(Some(include), only_apollo);
    assert!(answer.report.is_none(), "{}", answer.log);
    assert!(!answer.incumbents.is_empty(), "{}", answer.log);
    assert!(answer.incumbents.iter().all(|new| !new.apollo), "it is not the method's own");
}

/// Workers carry loads, also when any one of them fails: rows share long sums, and a worker who is not
/// hired carries nothing.
fn workers() -> String {
    const WORKERS: usize = 14;
    const LOADS: [f64; 3] = [1.1, 0.7, 1.5];
    let hired: Vec<String> = (0..WORKERS).map(|t| format!("y{t}")).collect();
    let mut text = format!("minimize\n c: {}\nsubject to\n", hired.join("\n + "));
    for t in 0..WORKERS {
        let room = 0.5 + (t * 5 % 7) as f64 / 10.0;
        let all: Vec<String> = (0..LOADS.len()).map(|s| format!("r{s}_{t}")).collect();
        writeln!(text, " room{t}: {} <= {room}", all.join(" + ")).unwrap();
        for r in &all {
            writeln!(text, " hired_{r}: {r} - {room} y{t} <= 0").unwrap();
        }
    }
    for (s, load) in LOADS.iter().enumerate() {
        for u in 0..WORKERS {
            let others: Vec<String> = (0..WORKERS).filter(|&t| t != u).map(|t| format!("r{s}_{t}")).collect();
            writeln!(text, " carried{s}_{u}: {} >= {load}", others.join("\n + ")).unwrap();
        }
    }
    text + &format!("Binaries\n {}\nEnd\n", hired.join("\n "))
}

#[test]
fn tighter_searches_lose_no_solution() {
    let scratch = Scratch::new();
    let file = scratch.write("workers.lp", workers());
    let expected = Case::file(&file).plain().objective.expect("it can be solved");
    for strengthen in ["TRUE", "FALSE"] {
        for prepared in ["", AS_WRITTEN] {
            // One search of the whole problem: nothing is predicted, nothing is fixed.
            let settings = format!(
                "{prepared}heuristics/apollo/strengthen = {strengthen}\nheuristics/apollo/rounds = 1\n\
                 heuristics/apollo/k0 = \"0\"\nheuristics/apollo/k1 = \"0\"\nheuristics/apollo/local = 0\n\
                 heuristics/apollo/budget/nodes = 100000\nlimits/nodes = 1\n\
                 heuristics/apollo/minbinaries = 1"
            );
            let include: Include = Box::new(apollo_scip::include);
            let answer = Case::file(&file).set(&settings).solve(Some(include), only_apollo);
            let report = answer.report.as_ref().unwrap_or_else(|| panic!("{}", answer.log));
            let round = &report.rounds[0];
            assert_eq!(round.ending, Ending::Optimal, "{strengthen}: {round:?}\n{}", answer.log);
            assert!(
                round.found.is_some_and(|found| close(found, expected)),
                "{strengthen}: {expected}, {round:?}"
            );
        }
    }
    // And with fixings: rounds that fix, then neighbourhoods.
    let settings = "heuristics/apollo/budget/nodes = 3000\nheuristics/apollo/minbinaries = 1";
    let answer = Case::file(&file).set(settings).apollo();
    assert!(answer.objective.is_some_and(|found| close(found, expected)), "{}", answer.log);
}
