//! One solve of one file, measured: what it found and when.

use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::scip;
use crate::search::Report;
use crate::settings::PREFIX;
use russcip::prelude::*;
use russcip::{
    Event, EventMask, Eventhdlr, ParamSetting, PluginsIncluded, ProblemCreated, Retcode, SCIPEventhdlr,
    Solving,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

/// What to solve, and how.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// The problem.
    pub file: PathBuf,
    /// With Apollo in SCIP, or plain.
    pub apollo: bool,
    /// With SCIP's emphasis on primal heuristics (`set heuristics emphasis aggressive`).
    pub aggressive: bool,
    /// Settings files, read in this order.
    pub settings: Vec<PathBuf>,
    /// Parameters, set after the files: name (without a slash: one of Apollo's) and value.
    pub parameters: Vec<(String, String)>,
    /// Show SCIP's own log.
    pub log: bool,
    /// Check the best solution against the problem as it was read, without SCIP.
    pub verify: bool,
}

/// What came out.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Outcome {
    /// The best objective, if any solution was found.
    pub objective: Option<f64>,
    /// The bound that SCIP proved.
    pub bound: Option<f64>,
    /// Larger objectives are better.
    pub maximise: bool,
    /// By how much the best solution breaks the problem ([`Problem::violation`]), where it was checked
    /// and all constraints are linear.
    pub violation: Option<f64>,
    /// Why the solve ended, in SCIP's words.
    pub status: String,
    /// Seconds of the solve.
    pub time: f64,
    /// Nodes of the tree.
    pub nodes: usize,
    /// The mean primal gap over time (Berthold), against the best objective of this run; 0 is perfect.
    pub primal_integral: f64,
    /// Every improvement: (seconds, objective).
    pub trajectory: Vec<(f64, f64)>,
    /// Who predicted.
    pub predictor: Option<String>,
    /// On which device.
    pub device: Option<String>,
    /// Seconds for reading the problem, once.
    pub snapshot_seconds: Option<f64>,
    /// What each round of Apollo did.
    pub rounds: Vec<crate::search::RoundReport>,
    /// What its local search did before the root LP, and beside the rounds.
    pub opening: Option<crate::search::LocalReport>,
    /// See above.
    pub local: Option<crate::search::LocalReport>,
    /// What it did in later turns.
    pub later: Vec<crate::search::LocalReport>,
    /// Which versions did this.
    pub versions: Versions,
}

/// Which versions did it.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Versions {
    /// This program.
    pub apollo: String,
    /// Its commit.
    pub commit: &'static str,
    /// SCIP.
    pub scip: String,
}

impl Versions {
    /// Those of this process.
    pub fn here() -> Result<Versions> {
        let (major, minor, tech) = scip::find_host()?.version;
        Ok(Versions {
            apollo: env!("CARGO_PKG_VERSION").to_string(),
            commit: env!("APOLLO_GIT"),
            scip: format!("{major}.{minor}.{tech}"),
        })
    }
}

/// Notes every improvement, and tells it.
struct Improvements {
    trajectory: Rc<RefCell<Vec<(f64, f64)>>>,
    tell: Box<dyn FnMut(f64, f64)>,
}

impl Eventhdlr for Improvements {
    fn get_type(&self) -> EventMask {
        EventMask::BEST_SOL_FOUND
    }

    fn execute(&mut self, model: Model<Solving>, _handler: SCIPEventhdlr, _event: Event) {
        if let Some(best) = model.best_sol() {
            let point = (model.solving_time(), best.obj_val());
            self.trajectory.borrow_mut().push(point);
            (self.tell)(point.0, point.1);
        }
    }
}

/// A model with its settings, and no problem yet. A setting that means nothing is an error here, not a
/// warning in the middle of the solve.
pub fn prepare(task: &Task) -> Result<Model<PluginsIncluded>> {
    let mut model = Model::new().include_default_plugins();
    if !task.log {
        model = model.hide_output();
    }
    if task.apollo {
        crate::include(&model)?;
    }
    if task.aggressive {
        model = model.set_heuristics(ParamSetting::Aggressive);
    }
    for settings in &task.settings {
        scip::read_settings(&model, settings)?;
    }
    for (name, value) in &task.parameters {
        let full = if name.contains('/') && crate::settings::find(name).is_none() {
            name.clone()
        } else {
            format!("{PREFIX}{name}")
        };
        scip::set_parameter(&model, &full, value)?;
    }
    Ok(model)
}

/// A model with its problem and settings, ready to be solved.
pub fn load(task: &Task) -> Result<Model<ProblemCreated>> {
    let file = |why: &str| Error::File { path: task.file.clone(), why: why.to_string() };
    if !task.file.is_file() {
        return Err(file("there is no such file"));
    }
    let path = task.file.to_str().ok_or_else(|| file("its name is no text"))?;
    prepare(task)?.read_prob(path).map_err(|code| {
        file(match code {
            Retcode::PluginNotFound => "SCIP knows no format with this ending (.mps, .lp, .cip, …, also .gz)",
            _ => "SCIP cannot read it",
        })
    })
}

/// The problem as SCIP has read it, if all its constraints are linear.
fn linear(model: &Model<ProblemCreated>) -> Result<Option<(Problem, Vec<String>)>> {
    let (problem, names) = scip::read_problem(model)?;
    Ok((model.n_conss() == problem.rows.len()).then_some((problem, names)))
}

/// Solves; `tell` hears every improvement (seconds, objective) when it is found.
pub fn solve(task: &Task, tell: impl FnMut(f64, f64) + 'static) -> Result<Outcome> {
    let mut model = load(task)?;
    let written = if task.verify { linear(&model)? } else { None };
    let maximise = scip::maximises(&model);
    let trajectory = Rc::new(RefCell::new(vec![]));
    let improvements = Improvements { trajectory: trajectory.clone(), tell: Box::new(tell) };
    model.include_eventhdlr("apollo_improvements", "notes every improvement", Box::new(improvements));
    let model = model.try_solve().map_err(|_| Error::Scip { call: "SCIPsolve", code: 0 })?;

    let trajectory = trajectory.borrow().clone();
    let Report { rounds, predictor, device, snapshot_seconds, opening, local, later, .. } =
        scip::report(&model).unwrap_or_default();
    let ran = !rounds.is_empty();
    let (time, objective) = (model.solving_time(), model.best_sol().map(|best| best.obj_val()));
    let violation = model.best_sol().zip(written).map(|(best, (problem, names))| {
        let mut values: HashMap<String, f64> =
            model.orig_vars().iter().map(|var| (var.name(), best.val(var))).collect();
        let point: Vec<f64> = names.iter().map(|name| values.remove(name).unwrap_or(f64::NAN)).collect();
        problem.violation(&point).min(f64::MAX) // JSON knows no infinity
    });
    Ok(Outcome {
        objective,
        bound: Some(model.best_bound()).filter(|bound| bound.abs() < 1e20),
        maximise,
        violation,
        status: format!("{:?}", model.status()).to_lowercase(),
        time,
        nodes: model.n_nodes(),
        primal_integral: primal_integral(&trajectory, objective, time),
        trajectory,
        predictor: ran.then_some(predictor),
        device: ran.then_some(device),
        snapshot_seconds: ran.then_some(snapshot_seconds),
        rounds,
        opening,
        local,
        later,
        versions: Versions::here()?,
    })
}

/// The primal gap of an objective: 0 is the best, 1 is as bad as no solution at all.
pub fn primal_gap(objective: f64, best: f64) -> f64 {
    let scale = objective.abs().max(best.abs());
    if objective * best < 0.0 {
        1.0
    } else if scale == 0.0 {
        0.0
    } else {
        (objective - best).abs() / scale
    }
}

/// The mean of the primal gap over `time` seconds.
pub fn primal_integral(trajectory: &[(f64, f64)], best: Option<f64>, time: f64) -> f64 {
    let Some(best) = best.filter(|_| time > 0.0) else { return 1.0 };
    let (mut since, mut gap, mut integral) = (0.0, 1.0, 0.0);
    for &(at, objective) in trajectory {
        let at = at.clamp(since, time);
        integral += gap * (at - since);
        (since, gap) = (at, primal_gap(objective, best));
    }
    (integral + gap * (time - since)) / time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_rewards_being_early() {
        let best = Some(10.0);
        assert_eq!(primal_integral(&[], None, 10.0), 1.0);
        assert_eq!(primal_integral(&[(0.0, 10.0)], best, 10.0), 0.0);
        assert_eq!(primal_integral(&[(5.0, 10.0)], best, 10.0), 0.5);
        let late = primal_integral(&[(1.0, 20.0), (9.0, 10.0)], best, 10.0);
        let early = primal_integral(&[(1.0, 20.0), (2.0, 10.0)], best, 10.0);
        assert!((late - (1.0 + 8.0 * 0.5) / 10.0).abs() < 1e-12 && early < late);
        assert_eq!(primal_gap(-1.0, 1.0), 1.0);
    }
}
