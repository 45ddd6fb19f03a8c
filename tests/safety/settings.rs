//! Settings that mean nothing, SCIP's emphases, and every strategy with every rule.

use super::solve::{
    BY_DEFAULT, Case, Scratch, assert_harmless, assert_one_complaint, assert_same, constantly,
};
use apollo_scip::prediction::{Prediction, Predictor, Question};
use apollo_scip::settings::{Domain, find};
use russcip::Status;
use std::fs;
use std::path::PathBuf;

/// A value that means nothing is one sentence that names the setting, and the solve goes on.
#[test]
fn a_setting_that_means_nothing_is_one_sentence() {
    let plain = Case::data("setcover.lp").plain();
    for (name, value) in [
        ("k0", "abc"),
        ("k0", "-3"),
        ("k0", "1.5"),
        ("k1", "0.1,,0.2"),
        ("k1", "nan"),
        ("radius", ""),
        ("radius", "99999999999999999999"),
        ("timeshares", "0"),
        ("timeshares", "-1"),
        ("timeshares", "inf"),
        ("strategy", "foo"),
        ("strategy", ""),
        ("fixing", "some"),
        ("timing", "never"),
        ("predictor", "oracle"),
        ("device", "abacus"),
        ("k0", "%s%n%d"),
    ] {
        // A wrong timing stays wrong, so the line of `FORCED` does not matter.
        let case = Case::data("setcover.lp").set(&format!("heuristics/apollo/{name} = \"{value}\""));
        let apollo = case.apollo();
        let what = format!("{name} = '{value}'");
        assert_same(&what, &plain, &apollo);
        assert_one_complaint(&what, &apollo.log, &format!("heuristics/apollo/{name}"));
        assert!(apollo.report.is_none(), "{what}");
    }
}

/// A predictor that takes a file with it when it goes, at the end of the first turn.
struct Leaving(PathBuf);

impl Predictor for Leaving {
    fn name(&self) -> String {
        "test".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> apollo_scip::Result<Prediction> {
        constantly(0.5)(question)
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A later turn that fails is one sentence, too, however many nodes there are after it.
#[test]
fn a_settings_file_that_vanishes_during_the_solve_is_one_sentence() {
    let scratch = Scratch::new();
    let file = scratch.write("sub.set", "limits/restarts = 0\n");
    let case = Case::data("hard.lp").set(BY_DEFAULT).set(&format!(
        "limits/time = 8\nheuristics/apollo/budget/share = 0.3\nheuristics/apollo/subscip = \"{}\"",
        file.display()
    ));
    let apollo = case.apollo_with(Box::new(move || Box::new(Leaving(file.clone()))));
    assert_one_complaint("vanishing", &apollo.log, "no such file");
    assert_eq!(apollo.status, Status::TimeLimit, "{}", apollo.log);
}

/// Where no clock runs, seconds limit nothing.
#[test]
fn without_a_clock_apollo_stays_out() {
    let case = Case::data("setcover.lp").set(
        "timing/enabled = FALSE\nheuristics/apollo/budget/nodes = -1\nheuristics/apollo/budget/effort = 1e20",
    );
    let apollo = assert_harmless("no clock", &case);
    assert_one_complaint("no clock", &apollo.log, "timing/enabled");
    let case = case.set("heuristics/apollo/budget/nodes = 40");
    let limited = assert_harmless("nodes and seconds", &case.clone().set("limits/time = 100"));
    assert_one_complaint("nodes and seconds", &limited.log, "timing/enabled");
    let counted = assert_harmless("nodes", &case);
    assert_eq!((counted.runs(), counted.complaints()), (1, vec![]), "{}", counted.log);
}

#[test]
fn settings_files_for_sub_scips() {
    let scratch = Scratch::new();
    let plain = Case::data("setcover.lp").plain();
    let file = |path: &std::path::Path| format!("heuristics/apollo/subscip = \"{}\"", path.display());
    for (path, words) in [
        (scratch.path("missing.set"), "no such file"),
        (std::env::temp_dir(), "no such file"),
        (scratch.write("range.set", "limits/gap = -7\n"), "does not accept"),
        // SCIP itself complains about these on stderr, and reports success all the same.
        (scratch.write("broken.set", "limits/nodes is ten\n"), ""),
        (scratch.write("wrong.set", "limits/nodes = ten\n"), ""),
        (scratch.write("noise.set", [0u8, 159, 146, 150, 10, 0, 61, 61]), ""),
    ] {
        let apollo = Case::data("setcover.lp").set(&file(&path)).apollo();
        let what = path.display().to_string();
        assert_same(&what, &plain, &apollo);
        if !words.is_empty() {
            assert_one_complaint(&what, &apollo.log, words);
        }
        assert!(apollo.complaints().len() <= 1, "{}", apollo.log);
    }
    // Good ones are read and change nothing but the search.
    for lines in ["", "separating/maxrounds = 0\nheuristics/rins/freq = 5\n", "display/verblevel = 5\n"] {
        let apollo = Case::data("setcover.lp").set(&file(&scratch.write("good.set", lines))).apollo();
        assert_same(lines, &plain, &apollo);
        assert!(apollo.complaints().is_empty() && apollo.report.is_some(), "{lines}\n{}", apollo.log);
    }
}

/// Parameters that the user fixed are respected, and do not stop the searches.
#[test]
fn parameters_that_the_user_fixed_are_no_trouble() {
    let fixed = "limits/gap = 0 fix\nrandomization/randomseedshift = 3 fix\nseparating/maxrounds = 2 fix\n\
                 limits/solutions = -1 fix\n";
    let apollo = assert_harmless("fixed parameters", &Case::data("setcover.lp").set(fixed));
    assert!(apollo.complaints().is_empty() && apollo.report.is_some(), "{}", apollo.log);
    // SCIP's own settings for sub-SCIPs do not survive this one: a sentence, and nothing worse.
    let apollo = assert_harmless("fixed nodes", &Case::data("setcover.lp").set("limits/nodes = 100000 fix"));
    assert!(apollo.complaints().len() <= 1, "{}", apollo.log);
}

#[test]
fn emphases_keep_the_optimum() {
    use russcip::ffi;
    let case = Case::data("independent.lp");
    let plain = case.plain();
    for (heuristics, runs) in [
        (ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_DEFAULT, 1),
        (ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_AGGRESSIVE, 1),
        // "Fast" is without any heuristic that solves sub-problems.
        (ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_FAST, 0),
        (ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_OFF, 0),
    ] {
        let apollo = case.apollo_after(|model| {
            // SAFETY: a live SCIP.
            let code = unsafe { ffi::SCIPsetHeuristics(model.scip_ptr(), heuristics, 1) };
            assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
        });
        assert_same("heuristics", &plain, &apollo);
        assert_eq!(apollo.runs(), runs, "emphasis {heuristics}\n{}", apollo.log);
    }
    for emphasis in [
        ffi::SCIP_ParamEmphasis_SCIP_PARAMEMPHASIS_FEASIBILITY,
        ffi::SCIP_ParamEmphasis_SCIP_PARAMEMPHASIS_OPTIMALITY,
        ffi::SCIP_ParamEmphasis_SCIP_PARAMEMPHASIS_EASYCIP,
        ffi::SCIP_ParamEmphasis_SCIP_PARAMEMPHASIS_HARDLP,
        ffi::SCIP_ParamEmphasis_SCIP_PARAMEMPHASIS_NUMERICS,
    ] {
        let apollo = case.apollo_after(|model| {
            // SAFETY: a live SCIP.
            let code = unsafe { ffi::SCIPsetEmphasis(model.scip_ptr(), emphasis, 1) };
            assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
        });
        assert_same(&format!("emphasis {emphasis}"), &plain, &apollo);
        assert!(apollo.runs() <= 1 && apollo.complaints().is_empty(), "{}", apollo.log);
    }
}

/// The words that a parameter takes.
fn words(name: &str) -> &'static [&'static str] {
    match find(name).expect("a parameter of the table").domain {
        Domain::Word(words) => words,
        _ => unreachable!("{name} takes words"),
    }
}

/// Every strategy, rule, timing and cut, on one file.
fn every_combination(file: &str) {
    let plain = Case::data(file).plain();
    for strategy in words("strategy") {
        for fixing in words("fixing") {
            for timing in ["before", "after"] {
                for cut in ["TRUE", "FALSE"] {
                    let settings = format!(
                        "heuristics/apollo/strategy = \"{strategy}\"\nheuristics/apollo/fixing = \"{fixing}\"\n\
                         heuristics/apollo/timing = \"{timing}\"\nheuristics/apollo/objectivecut = {cut}\n\
                         heuristics/apollo/budget/nodes = 12"
                    );
                    let apollo = Case::data(file).set(&settings).apollo();
                    assert_same(&settings, &plain, &apollo);
                    assert!(apollo.complaints().is_empty(), "{settings}\n{}", apollo.log);
                    assert!(timing == "after" || apollo.runs() == 1, "{settings}\n{}", apollo.log);
                }
            }
        }
    }
}

#[test]
fn every_combination_on_a_set_cover() {
    every_combination("setcover.lp");
}

#[test]
fn every_combination_on_merged_variables() {
    every_combination("negated.lp");
}

#[test]
fn every_combination_on_an_assignment() {
    every_combination("assignment.lp");
}

/// Sizes at both ends: nothing predicted, everything predicted, no radius, every radius.
#[test]
fn extreme_schedules_keep_the_optimum() {
    for file in ["setcover.lp", "independent.lp", "negated.lp", "gap.mps"] {
        let plain = Case::data(file).plain();
        for (k0, k1, radius) in [
            ("0", "0", "0"),
            ("100%", "0", "0"),
            ("0", "100%", "0"),
            ("0.5", "0.5", "0"),
            ("1.0", "1.0", "1.0"),
            ("1000000", "1", "1000000"),
        ] {
            let settings = format!(
                "heuristics/apollo/k0 = \"{k0}\"\nheuristics/apollo/k1 = \"{k1}\"\nheuristics/apollo/radius = \"{radius}\"\n\
                 heuristics/apollo/rounds = 7"
            );
            let apollo = Case::data(file).set(&settings).apollo();
            assert_same(&format!("{file}\n{settings}"), &plain, &apollo);
            assert!(apollo.complaints().is_empty(), "{file}\n{settings}\n{}", apollo.log);
        }
    }
}
