//! One solve through the real SCIP, with or without Apollo, and what there is to know about it
//! afterwards.

use crate::support;
use apollo_scip::prediction::{Prediction, Predictor, Question};
use apollo_scip::scip::PredictorFactory;
use apollo_scip::search::Report;
use russcip::prelude::*;
use russcip::{Event, PluginsIncluded, ProblemCreated, SCIPEventhdlr, Solved, Solving, ffi};
use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// Apollo takes part in every problem, before the root LP (which would solve the small ones), and is
/// soon done. Nodes instead of seconds, so that a busy machine changes nothing.
pub const FORCED: &str = r#"
heuristics/apollo/minbinaries = 1
heuristics/apollo/timing = "before"
heuristics/apollo/budget/nodes = 40
"#;

/// Takes `FORCED` back: Apollo as it is when nobody sets anything.
pub const BY_DEFAULT: &str = r#"
heuristics/apollo/minbinaries = 20
heuristics/apollo/timing = "auto"
heuristics/apollo/budget/nodes = -1
"#;

/// Presolve leaves the problem as it is, so that even a tiny one reaches the heuristics.
pub const AS_WRITTEN: &str = "presolving/maxrounds = 0\nmisc/usesymmetry = 0\n";

/// A folder for the files of one test, removed in the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("apollo-test-{}-{number}", process::id()));
        fs::create_dir_all(&folder).expect("the temporary folder is writable");
        Scratch(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).expect("the temporary folder is writable");
        self.path(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A problem and the settings to solve it with, as a user would write them into a settings file.
#[derive(Clone)]
pub struct Case {
    file: PathBuf,
    settings: String,
}

/// A new incumbent of the user's SCIP, and how much work it took until then.
#[derive(Clone, Debug, PartialEq)]
pub struct Incumbent {
    pub objective: f64,
    pub nodes: i64,
    pub lp_iterations: i64,
    /// The heuristic `apollo` found it.
    pub apollo: bool,
    /// How often a plugged-in predictor had been asked by then: the round, from 1.
    pub asked: usize,
    /// The values of the problem's variables, in the order of the file.
    pub values: Vec<f64>,
}

/// What a solve came to.
#[derive(Debug)]
pub struct Answer {
    pub status: Status,
    /// The objective of the best solution, if there is a solution.
    pub objective: Option<f64>,
    /// What Apollo reports; none if it did not run, or failed.
    pub report: Option<Report>,
    /// Solutions, and best solutions, that SCIP credits to the heuristic `apollo`.
    pub credited: (i64, i64),
    pub incumbents: Vec<Incumbent>,
    /// Everything SCIP printed, warnings included.
    pub log: String,
    pub elapsed: Duration,
}

impl Answer {
    /// The lines in which Apollo complains.
    pub fn complaints(&self) -> Vec<&str> {
        complaints(&self.log)
    }

    /// Apollo started a run: its first line is there.
    pub fn runs(&self) -> usize {
        runs(&self.log)
    }
}

/// The lines of a log in which Apollo complains.
pub fn complaints(log: &str) -> Vec<&str> {
    log.lines().filter(|line| line.starts_with("WARNING: apollo")).collect()
}

/// How often a log says that Apollo started.
pub fn runs(log: &str) -> usize {
    let first = |line: &&str| line.starts_with("apollo: ") && line.contains(" binaries of ");
    log.lines().filter(first).count()
}

thread_local! {
    /// Questions to the predictor of the solve that runs in this thread.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// Remembers every new incumbent.
struct Watch {
    seen: Rc<RefCell<Vec<Incumbent>>>,
}

impl Eventhdlr for Watch {
    fn get_type(&self) -> EventMask {
        EventMask::BEST_SOL_FOUND
    }

    fn execute(&mut self, model: Model<Solving>, _handler: SCIPEventhdlr, _event: Event) {
        let scip = model.scip_ptr();
        // SAFETY: a live SCIP that has just found a solution, here and in the next lines.
        let best = unsafe { ffi::SCIPgetBestSol(scip) };
        // SAFETY: see above.
        let (heuristic, apollo) =
            unsafe { (ffi::SCIPsolGetHeur(best), ffi::SCIPfindHeur(scip, c"apollo".as_ptr())) };
        // SAFETY: see above.
        let count = unsafe { ffi::SCIPgetNOrigVars(scip) } as usize;
        // SAFETY: SCIP's array has as many entries as it says.
        let mut vars = unsafe { std::slice::from_raw_parts(ffi::SCIPgetOrigVars(scip), count) }.to_vec();
        // SAFETY: variables of a live SCIP.
        vars.sort_by_key(|&var| unsafe { ffi::SCIPvarGetIndex(var) });
        self.seen.borrow_mut().push(Incumbent {
            // SAFETY: a solution of a live SCIP.
            objective: unsafe { ffi::SCIPgetSolOrigObj(scip, best) },
            // SAFETY: a SCIP that is solving.
            nodes: unsafe { ffi::SCIPgetNTotalNodes(scip) },
            // SAFETY: a SCIP that is solving.
            lp_iterations: unsafe { ffi::SCIPgetNLPIterations(scip) },
            apollo: !apollo.is_null() && heuristic == apollo,
            asked: ASKED.get(),
            // SAFETY: a solution and variables of a live SCIP.
            values: vars.iter().map(|&var| unsafe { ffi::SCIPgetSolVal(scip, best, var) }).collect(),
        });
    }
}

impl Case {
    /// A file of the tests' own, with Apollo forced on.
    pub fn data(name: &str) -> Case {
        Case::file(&support::data(name))
    }

    /// Any file, with Apollo forced on.
    pub fn file(path: &Path) -> Case {
        Case { file: path.to_path_buf(), settings: FORCED.to_string() }
    }

    /// More lines of the settings file; later ones win.
    pub fn set(mut self, lines: &str) -> Case {
        self.settings += lines;
        self.settings.push('\n');
        self
    }

    /// Solves without Apollo.
    pub fn plain(&self) -> Answer {
        self.solve(None, |_| {})
    }

    /// Solves with Apollo.
    pub fn apollo(&self) -> Answer {
        self.apollo_after(|_| {})
    }

    /// Solves with Apollo; `prepare` sees the model last.
    pub fn apollo_after(&self, prepare: impl FnOnce(&mut Model<ProblemCreated>)) -> Answer {
        self.solve(Some(Box::new(apollo_scip::include)), prepare)
    }

    /// Solves with Apollo and a predictor that is plugged in.
    pub fn apollo_with(&self, predictor: PredictorFactory) -> Answer {
        let include = Box::new(|model: &Model<PluginsIncluded>| apollo_scip::include_with(model, predictor));
        self.solve(Some(include), |_| {})
    }

    /// The model with everything set, and the file that it logs into.
    fn model(&self, scratch: &Scratch, include: Option<Include>) -> Model<ProblemCreated> {
        let model = Model::new().include_default_plugins();
        let mut settings = self.settings.clone();
        match include {
            Some(include) => include(&model).expect("SCIP takes the heuristic"),
            // A plain SCIP does not know Apollo's parameters.
            None => {
                settings = settings
                    .lines()
                    .filter(|line| !line.contains("/apollo/"))
                    .map(|l| format!("{l}\n"))
                    .collect()
            }
        }
        log_into(&model, Some(&scratch.path("log")));
        read_settings(&model, &scratch.write("settings.set", settings));
        model.read_prob(self.file.to_str().expect("a plain path")).expect("SCIP reads the problem")
    }

    /// Solves as `include` and `prepare` say.
    pub fn solve(
        &self,
        include: Option<Include>,
        prepare: impl FnOnce(&mut Model<ProblemCreated>),
    ) -> Answer {
        let scratch = Scratch::new();
        let mut model = self.model(&scratch, include);
        let seen = Rc::new(RefCell::new(vec![]));
        model.include_eventhdlr("watch", "remembers incumbents", Box::new(Watch { seen: seen.clone() }));
        prepare(&mut model);
        ASKED.set(0);
        let began = Instant::now();
        let solved = model.solve();
        let elapsed = began.elapsed();
        log_into(&solved, None);
        let log = fs::read(scratch.path("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        assert!(!log.contains("unknown parameter"), "a misspelt setting in the test: {log}");
        let incumbents = seen.take();
        Answer { elapsed, log, incumbents, ..answer(&solved) }
    }
}

/// Adds Apollo to a model.
pub type Include = Box<dyn FnOnce(&Model<PluginsIncluded>) -> apollo_scip::Result<()>>;

/// What a solved model says.
pub fn answer(solved: &Model<Solved>) -> Answer {
    let scip = solved.scip_ptr();
    // SAFETY: a live SCIP that has been solved, here and in the next lines.
    let best = unsafe { ffi::SCIPgetBestSol(scip) };
    // SAFETY: see above.
    let objective = (!best.is_null()).then(|| unsafe { ffi::SCIPgetSolOrigObj(scip, best) });
    // SAFETY: see above.
    let apollo = unsafe { ffi::SCIPfindHeur(scip, c"apollo".as_ptr()) };
    let credited = if apollo.is_null() {
        (0, 0)
    } else {
        // SAFETY: a heuristic of a live SCIP.
        unsafe { (ffi::SCIPheurGetNSolsFound(apollo), ffi::SCIPheurGetNBestSolsFound(apollo)) }
    };
    Answer {
        status: solved.status(),
        objective,
        report: apollo_scip::scip::report(solved),
        credited,
        incumbents: vec![],
        log: String::new(),
        elapsed: Duration::ZERO,
    }
}

/// What SCIP prints goes into a file instead of the terminal; `None` closes the file.
pub fn log_into<T>(model: &Model<T>, file: Option<&Path>) {
    let file = file.map(|file| CString::new(file.to_str().expect("a plain path")).expect("no NUL in it"));
    let name = file.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
    // SAFETY: a live SCIP; a C string, or null, which closes the file.
    unsafe { ffi::SCIPsetMessagehdlrLogfile(model.scip_ptr(), name) };
    // SAFETY: a live SCIP.
    unsafe { ffi::SCIPsetMessagehdlrQuiet(model.scip_ptr(), 1) };
}

/// Switches every heuristic off but Apollo, so that what is found is Apollo's.
pub fn only_apollo(model: &mut Model<ProblemCreated>) {
    let off = ffi::SCIP_ParamSetting_SCIP_PARAMSETTING_OFF;
    // SAFETY: a live SCIP.
    let code = unsafe { ffi::SCIPsetHeuristics(model.scip_ptr(), off, 1) };
    assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
    // SAFETY: a live SCIP and a C string.
    let code = unsafe { ffi::SCIPsetIntParam(model.scip_ptr(), c"heuristics/apollo/freq".as_ptr(), 0) };
    assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
}

/// Reads a settings file.
pub fn read_settings<T>(model: &Model<T>, file: &Path) {
    let name = CString::new(file.to_str().expect("a plain path")).expect("no NUL in it");
    // SAFETY: a live SCIP and a C string.
    let code = unsafe { ffi::SCIPreadParams(model.scip_ptr(), name.as_ptr()) };
    assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY, "SCIP reads {}", file.display());
}

/// The same number, as far as a solver's tolerances let it be.
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

/// Two solves ended alike: same status, same objective.
pub fn assert_same(what: &str, plain: &Answer, apollo: &Answer) {
    assert_eq!(plain.status, apollo.status, "{what}: status\n{}", apollo.log);
    let same = match (plain.objective, apollo.objective) {
        (Some(a), Some(b)) => close(a, b),
        (a, b) => a.is_none() == b.is_none(),
    };
    assert!(
        same,
        "{what}: {:?} without Apollo, {:?} with it\n{}",
        plain.objective, apollo.objective, apollo.log
    );
}

/// Apollo complains in exactly one sentence, and that names `words`.
pub fn assert_one_complaint(what: &str, log: &str, words: &str) {
    let found = complaints(log);
    assert_eq!(found.len(), 1, "{what}: one sentence expected\n{log}");
    assert!(found[0].contains(words), "{what}: '{words}' is not in '{}'", found[0]);
}

/// Solves with and without Apollo, compares, and returns what happened with it.
pub fn assert_harmless(what: &str, case: &Case) -> Answer {
    let (plain, apollo) = (case.plain(), case.apollo());
    assert_same(what, &plain, &apollo);
    apollo
}

/// Runs one ignored test of this program in a process of its own, for whatever cannot share one:
/// memory that is measured, aborts, environment variables. Returns what it printed.
pub fn alone(test: &str, environment: &[(&str, &str)]) -> (bool, String) {
    let program = env::current_exe().expect("a test has a program");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads=1"]);
    command.envs(environment.iter().copied());
    let (success, text) = support::run(&mut command);
    assert!(text.contains("running 1 test"), "there is no ignored test {test}:\n{text}");
    (success, text)
}

/// A predictor made of a closure.
pub struct Answering<F>(pub F);

impl<F: FnMut(&Question<'_>) -> apollo_scip::Result<Prediction>> Predictor for Answering<F> {
    fn name(&self) -> String {
        "test".to_string()
    }

    fn predict(&mut self, question: &Question<'_>) -> apollo_scip::Result<Prediction> {
        ASKED.set(ASKED.get() + 1);
        (self.0)(question)
    }
}

/// A factory of predictors that answer as the function says.
pub fn answering<F>(answer: F) -> PredictorFactory
where
    F: FnMut(&Question<'_>) -> apollo_scip::Result<Prediction> + Clone + 'static,
{
    Box::new(move || Box::new(Answering(answer.clone())))
}

/// Always the same probability.
pub fn constantly(probability: f64) -> impl FnMut(&Question<'_>) -> apollo_scip::Result<Prediction> + Clone {
    move |question| Ok(Prediction::new(vec![probability; question.reduced.problem.columns()]))
}
