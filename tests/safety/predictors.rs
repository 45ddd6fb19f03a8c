//! Predictors that fail, and model files that are none.

use super::solve::{
    Case, Scratch, alone, answering, assert_one_complaint, assert_same, complaints, constantly, runs,
};
use crate::support;
use apollo_scip::Error;
use apollo_scip::prediction::{Prediction, Predictor, Question};
use apollo_scip::scip::PredictorFactory;
use std::fs;

/// A predictor that panics in the methods that are named.
struct Panicking(&'static [&'static str]);

impl Panicking {
    fn enter(&self, method: &str) {
        assert!(!self.0.contains(&method), "no {method}");
    }
}

impl Predictor for Panicking {
    fn name(&self) -> String {
        self.enter("name");
        "test".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> apollo_scip::Result<Prediction> {
        self.enter("predict");
        constantly(0.5)(question)
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        self.enter("drop");
    }
}

fn panicking(methods: &'static [&'static str]) -> PredictorFactory {
    Box::new(move || Box::new(Panicking(methods)))
}

/// Answers with one value changed.
fn with_first(value: f64) -> PredictorFactory {
    answering(move |question| {
        let mut answer = constantly(0.5)(question)?;
        answer.probability[0] = value;
        Ok(answer)
    })
}

fn with_length(change: fn(usize) -> usize) -> PredictorFactory {
    answering(move |question| Ok(Prediction::new(vec![0.5; change(question.reduced.problem.columns())])))
}

#[test]
fn a_predictor_that_fails_is_one_sentence() {
    let broken: Vec<(&str, PredictorFactory, &str)> = vec![
        ("panics", panicking(&["predict"]), "no predict"),
        ("panics when named", panicking(&["name"]), "no name"),
        ("panics when dropped", panicking(&["drop"]), "no drop"),
        ("factory panics", Box::new(|| panic!("no predictor")), "no predictor"),
        ("error", answering(|_| Err(Error::Prediction("no idea".to_string()))), "no idea"),
        ("NaN", with_first(f64::NAN), "NaN"),
        ("infinite", with_first(f64::INFINITY), "inf"),
        ("above 1", with_first(1.5), "1.5"),
        ("below 0", with_first(-1e-3), "-0.001"),
        ("too short", with_length(|n| n - 1), "values for"),
        ("too long", with_length(|n| n + 1), "values for"),
        ("empty", with_length(|_| 0), "values for"),
    ];
    let case = Case::data("setcover.lp");
    let plain = case.plain();
    for (what, predictor, words) in broken {
        let apollo = case.apollo_with(predictor);
        assert_same(what, &plain, &apollo);
        assert_one_complaint(what, &apollo.log, words);
    }
}

/// Fails only in a later round: what was found before stays, the sentence is said once.
#[test]
fn a_predictor_that_fails_later_is_one_sentence() {
    let case = Case::data("setcover.lp");
    let mut asked = 0;
    let apollo = case.apollo_with(answering(move |question| {
        asked += 1;
        if asked > 1 { Err(Error::Prediction("tired".to_string())) } else { constantly(0.5)(question) }
    }));
    assert_same("tired", &case.plain(), &apollo);
    assert_one_complaint("tired", &apollo.log, "tired");
}

/// A second panic while the first one unwinds would abort the process.
#[test]
fn a_predictor_that_panics_twice_does_not_abort() {
    let (success, text) = alone("safety::predictors::panics_twice", &[]);
    assert!(success, "{text}");
}

#[test]
#[ignore = "started by a_predictor_that_panics_twice_does_not_abort, in a process of its own"]
fn panics_twice() {
    let case = Case::data("setcover.lp");
    let apollo = case.apollo_with(panicking(&["predict", "drop"]));
    assert_same("panics twice", &case.plain(), &apollo);
    // A sentence for each of the two.
    let complaints = apollo.complaints();
    assert!(complaints.len() <= 2 && complaints[0].contains("no predict"), "{complaints:?}");
}

/// A predictor that answers nonsense of the right form costs time, never the optimum.
#[test]
fn a_predictor_that_is_wrong_does_no_harm() {
    for probability in [0.0, 0.5, 1.0] {
        for file in ["setcover.lp", "knapsack.lp", "gap.mps"] {
            let case = Case::data(file);
            let apollo = case.apollo_with(answering(constantly(probability)));
            assert_same(&format!("{file} with {probability}"), &case.plain(), &apollo);
            assert_eq!((apollo.runs(), apollo.complaints()), (1, vec![]), "{}", apollo.log);
        }
    }
}

fn with_model(model: &str) -> Case {
    Case::data("setcover.lp")
        .set(&format!("heuristics/apollo/predictor = \"onnx\"\nheuristics/apollo/model = \"{model}\""))
}

#[test]
fn a_model_that_keeps_the_contract_predicts() {
    let model = support::data("mean.onnx");
    // Without local search, to which rounds in vain would leave their time, there are all four rounds.
    let case = with_model(model.to_str().unwrap()).set("heuristics/apollo/local = 0");
    let apollo = case.apollo();
    assert_same("mean.onnx", &case.plain(), &apollo);
    assert_eq!(apollo.complaints(), Vec::<&str>::new());
    let report = apollo.report.expect("it ran");
    assert!(report.predictor.contains("mean.onnx"), "{}", report.predictor);
    assert_eq!(report.rounds.len().min(4), 4);
}

/// Every file that is no model of ours: the relaxation predictor stands in, and one sentence says why.
#[test]
fn a_model_that_is_none_falls_back() {
    let scratch = Scratch::new();
    let good = fs::read(support::data("mean.onnx")).expect("a file of the tests");
    // Bytes without any pattern, the same every time.
    let noise: Vec<u8> =
        (0u32..5000).map(|i| (i.wrapping_mul(2_654_435_761).rotate_left(i % 31) >> 13) as u8).collect();
    let models = [
        (String::new(), "model"),
        (scratch.path("missing.onnx").display().to_string(), "missing.onnx"),
        (std::env::temp_dir().display().to_string(), "not a file"),
        (scratch.write("empty.onnx", "").display().to_string(), "empty.onnx"),
        (scratch.write("text.onnx", "this is no network\n").display().to_string(), "text.onnx"),
        (scratch.write("noise.onnx", noise).display().to_string(), "noise.onnx"),
        (scratch.write("half.onnx", &good[..good.len() / 2]).display().to_string(), "half.onnx"),
        (scratch.write("nearly.onnx", &good[..good.len() - 1]).display().to_string(), "nearly.onnx"),
        (support::data("foreign.onnx").display().to_string(), "not made for Apollo"),
        (support::data("drifting.onnx").display().to_string(), "no probability"),
    ];
    let plain = with_model("").plain();
    for (model, words) in models {
        let apollo = with_model(&model).apollo();
        assert_same(&model, &plain, &apollo);
        assert_one_complaint(&model, &apollo.log, words);
        assert!(apollo.log.contains("the relaxation predictor stands in"), "{}", apollo.log);
        let report = apollo.report.expect("the relaxation ran");
        assert_eq!(report.predictor, "relaxation", "{model}");
        assert!(!report.rounds.is_empty(), "{model}");
    }
}

/// ONNX Runtime is process-wide, so each of these needs a process.
#[test]
fn without_onnx_runtime_the_relaxation_stands_in() {
    let scratch = Scratch::new();
    let settings = format!(
        "{}heuristics/apollo/model = \"{}\"\n",
        super::solve::FORCED,
        support::data("mean.onnx").display()
    );
    let settings = scratch.write("model.set", settings);
    let libraries = [
        scratch.path("missing.so"),
        scratch.write("text.so", "no library at all"),
        scratch.write("empty.so", ""),
        // A library, but not ONNX Runtime.
        support::plugin(),
    ];
    for library in libraries {
        let what = library.display().to_string();
        let mut command = support::apollo();
        command.env("ORT_DYLIB_PATH", &library).arg("scip").arg("-s").arg(&settings);
        command.arg("-c").arg(format!("read {} optimize quit", support::data("setcover.lp").display()));
        let (success, text) = support::run(&mut command);
        assert!(success, "{what}: {text}");
        assert_one_complaint(&what, &text, "ONNX Runtime");
        assert_eq!(complaints(&text).len(), 1);
        assert_eq!(runs(&text), 1, "{text}");
        assert!(text.contains("optimal solution found") && text.contains("+8.60000000000000e+01"), "{text}");
        assert!(text.contains("predictor relaxation") && text.contains("apollo: round 1/4"), "{text}");
    }
}
