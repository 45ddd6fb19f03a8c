//! Who predicts in a solve: the network or the relaxation that the settings ask for, and the relaxation
//! where a network cannot be had, or fails later. Trouble with a model is one warning and no more.

use super::main_scip::MainScip;
use super::relaxation::Relaxation;
use super::root_lp::RootLp;
use super::snapshot::Snapshot;
use crate::condense::condensed;
use crate::error::Result;
use crate::onnx::Onnx;
use crate::onnx::models::{self, Choice};
use crate::prediction::{Prediction, Predictor, Question};
use crate::schedule::Round;
use crate::settings::{PredictorChoice, Settings};
use crate::strengthen::strengthen;
use std::cell::RefCell;
use std::rc::Rc;

/// A predictor, and the rounds that suit it if it says so.
pub(super) type Suited<'a> = (Box<dyn Predictor + 'a>, Option<Vec<Round>>);

/// The predictor that the settings ask for; where it cannot be had, the relaxation stands in.
pub(super) fn own_predictor<'a>(
    scip: MainScip<'a>,
    snapshot: &Snapshot,
    settings: &Settings,
) -> Result<Suited<'a>> {
    // The LP of another node is not that of the problem, and one in short is solved sooner from nothing
    // than a long one that gets new rows.
    let own = !scip.at_root() || !condensed(&snapshot.problem).is_nothing_new();
    let root = if own { None } else { RootLp::copy(scip, snapshot, &strengthen(&snapshot.problem))? };
    let relaxation = Relaxation::new(move || scip.stopped()).with_root(root);
    if settings.predictor == PredictorChoice::Relaxation {
        return Ok((Box::new(relaxation), None));
    }
    match own_network(scip, snapshot, settings) {
        Ok(Some(onnx)) => {
            let rounds = onnx.schedule().and_then(|schedule| settings.recommended(schedule));
            // One LP for both: the network asks the predictor that would stand in for it.
            let second = Rc::new(RefCell::new(relaxation));
            let relax = second.clone();
            let first = onnx.with_relaxation(Box::new(move |question| relax.borrow_mut().relax(question)));
            Ok((Box::new(WithFallback { first: Some(first), second, scip }), rounds))
        }
        Ok(None) => Ok((Box::new(relaxation), None)),
        Err(error) => {
            scip.warn(&format!("{error}; the relaxation predictor stands in"));
            Ok((Box::new(relaxation), None))
        }
    }
}

/// The network that the settings ask for; none if they leave the choice to us and no model fits.
fn own_network<'a>(scip: MainScip<'a>, snapshot: &Snapshot, settings: &Settings) -> Result<Option<Onnx<'a>>> {
    let path = match models::choose(&settings.model, &snapshot.problem)? {
        Choice::Model { path, why } => {
            if let Some(why) = why {
                scip.say(&format!("model auto: {why}"));
            }
            path
        }
        Choice::Relaxation { why } => {
            scip.say(&format!("model auto: the relaxation predictor, because {why}"));
            return Ok(None);
        }
    };
    let onnx = Onnx::load(&path.to_string_lossy(), settings.device, settings.threads)?;
    for line in onnx.remarks() {
        scip.say(line);
    }
    Ok(Some(onnx))
}

/// A network, and the relaxation for when it fails.
struct WithFallback<'a> {
    first: Option<Onnx<'a>>,
    second: Rc<RefCell<Relaxation<'a>>>,
    scip: MainScip<'a>,
}

impl Predictor for WithFallback<'_> {
    fn name(&self) -> String {
        self.first.as_ref().map_or_else(|| self.second.borrow().name(), |first| first.name())
    }

    fn device(&self) -> String {
        self.first.as_ref().map_or_else(|| self.second.borrow().device(), |first| first.device())
    }

    fn predict(&mut self, question: &Question<'_>) -> Result<Prediction> {
        if let Some(first) = &mut self.first {
            match first.predict(question).and_then(|prediction| prediction.checked(question.reduced)) {
                Ok(prediction) => return Ok(prediction),
                Err(error) => self.scip.warn(&format!("{error}; the relaxation predictor stands in")),
            }
            self.first = None;
        }
        self.second.borrow_mut().predict(question)
    }
}
