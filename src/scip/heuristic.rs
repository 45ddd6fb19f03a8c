//! The primal heuristic `apollo`, as SCIP sees it.
//!
//! It predicts and searches once a solve, at the root node where it may have its time there, never inside
//! a sub-SCIP. By default it waits until that is a small part of the time gone, and where the solve lasts
//! there are later turns of local search: it has its share of a long solve, and takes next to nothing of
//! a short one. Whatever goes wrong on our side
//! (a model, a prediction, a sub-SCIP, a panic) is one warning, and the solve goes on.

use super::call::scip;
use super::corrector::{ActiveRow, ScipCorrector};
use super::guard::guarded;
use super::host::find_host;
use super::main_scip::{MainScip, text};
use super::message;
use super::predictors::own_predictor;
use super::snapshot::Snapshot;
use crate::error::{Error, Result};
use crate::onnx::models;
use crate::prediction::Predictor;
use crate::rewrite::Rewritten;
use crate::schedule::Budget;
use crate::search::{self, LocalReport, Memory, Plan, Report, RoundReport};
use crate::settings::{Domain, PARAMETERS, PREFIX, PredictorChoice, Settings, Timing};
use crate::strengthen::strengthen;
use crate::turns::Turns;
use scip_sys::{self as ffi, SCIP, SCIP_HEUR, SCIP_HEURTIMING, SCIP_RESULT, SCIP_RETCODE};
use std::ffi::{CStr, c_void};
use std::ptr;

/// The heuristic's name.
pub(super) const NAME: &CStr = c"apollo";
const DESCRIPTION: &CStr = c"Apollo-MILP: alternating prediction and trust-region search";
const SYMBOL: u8 = b'A';
const PRIORITY: i32 = 1_000_000;

/// Makes a predictor for one solve. Plugging one in replaces the `predictor` setting.
pub type PredictorFactory = Box<dyn Fn() -> Box<dyn Predictor>>;

/// What the heuristic keeps between callbacks.
#[derive(Default)]
struct Data {
    /// It has had its turn in this solve.
    ran: bool,
    /// Its rounds come after the root LP, what needs no LP before it.
    waits_for_lp: bool,
    /// What was done before presolve, and before the root LP.
    early: Option<LocalReport>,
    opened: Option<LocalReport>,
    /// What later turns need; none if there are none.
    later: Option<Later>,
    /// What one turn leaves to the next.
    memory: Memory,
    /// What it did in the last solve.
    report: Option<Report>,
    /// A predictor that a program plugged in.
    predictor: Option<PredictorFactory>,
    /// How many checked constraints there were when SCIP called last; −1 once there were more than before.
    constraints: Option<i32>,
}

/// What turns after the first one need.
struct Later {
    settings: Settings,
    turns: Turns,
}

/// What is done before presolve has this part of what an opening has.
const EARLY_PART: f64 = 1.0 / 3.0;

/// The first turn waits until it may be as long as this, unless it has to be at the root node.
const SHORTEST_FIRST_TURN: f64 = 0.3;

/// Includes the heuristic in a SCIP of russcip's.
///
/// # Errors
/// If SCIP is not one we know, or refuses the heuristic.
#[cfg(feature = "russcip")]
pub fn include<T>(model: &russcip::Model<T>, predictor: Option<PredictorFactory>) -> Result<()> {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    let scip = unsafe { MainScip::new(model.scip_ptr()) };
    include_in(scip, predictor)
}

/// What the heuristic did in the last solve of this model; none if it did not run.
#[cfg(feature = "russcip")]
pub fn report<T>(model: &russcip::Model<T>) -> Option<Report> {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    let scip = unsafe { MainScip::new(model.scip_ptr()) };
    let heuristic = scip.find_heuristic();
    // SAFETY: our heuristic (by its name), whose data is a Data from `include_in`.
    (!heuristic.is_null()).then(|| unsafe { data(heuristic) }.report.clone()).flatten()
}

/// What the parameters of the heuristic mean in this model, or which of them means nothing.
#[cfg(feature = "russcip")]
pub fn settings_of<T>(model: &russcip::Model<T>) -> Result<Settings> {
    // SAFETY: the model owns a live SCIP, and is used by the thread that holds the reference.
    settings(unsafe { MainScip::new(model.scip_ptr()) })
}

/// Includes the heuristic in a SCIP by its pointer.
///
/// # Safety
/// `scip` points to a live SCIP that this thread may use, before its problem is transformed.
pub unsafe fn include_raw(scip: *mut c_void) -> Result<()> {
    // SAFETY: the caller's promise.
    guarded(|| include_in(unsafe { MainScip::new(scip.cast()) }, None))
}

pub(super) fn include_in(scip: MainScip<'_>, predictor: Option<PredictorFactory>) -> Result<()> {
    find_host()?;
    message::install();
    if !scip.find_heuristic().is_null() {
        return Ok(()); // Preloaded and included by hand: once is enough.
    }
    let mut heuristic = ptr::null_mut();
    let data = Box::into_raw(Box::new(Data { predictor, ..Data::default() }));
    // SAFETY: live SCIP; texts are C strings; the callbacks have SCIP's signatures.
    let included = unsafe {
        scip!(SCIPincludeHeurBasic(
            scip.raw(),
            &mut heuristic,
            NAME.as_ptr(),
            DESCRIPTION.as_ptr(),
            SYMBOL as _,
            PRIORITY,
            1,
            0,
            -1,
            EARLY | BEFORE | AFTER,
            1,
            Some(exec),
            data.cast()
        ))
    };
    if let Err(error) = included {
        // SAFETY: SCIP did not take it, so it is still ours.
        drop(unsafe { Box::from_raw(data) });
        return Err(error);
    }
    // SAFETY: the heuristic was just included in this SCIP.
    unsafe { scip!(SCIPsetHeurFree(scip.raw(), heuristic, Some(free))) }?;
    // SAFETY: as above.
    unsafe { scip!(SCIPsetHeurInit(scip.raw(), heuristic, Some(init))) }?;
    // Solutions are only offered, SCIP checks them: right in exact mode too.
    // SAFETY: as above.
    unsafe { ffi::SCIPheurMarkExact(heuristic) };
    PARAMETERS.iter().try_for_each(|parameter| add_parameter(scip, parameter))
}

fn add_parameter(scip: MainScip<'_>, parameter: &crate::settings::Parameter) -> Result<()> {
    let (raw, none) = (scip.raw(), ptr::null_mut());
    let name = text(&format!("{PREFIX}{}", parameter.name));
    let (name, help) = (name.as_ptr(), text(parameter.help));
    let help = help.as_ptr();
    let string = |default: &str| {
        let default = text(default);
        // SAFETY: live SCIP; texts are C strings that SCIP copies; no place of ours for the value.
        unsafe {
            scip!(SCIPaddStringParam(raw, name, help, ptr::null_mut(), 0, default.as_ptr(), None, none))
        }
    };
    match parameter.domain {
        Domain::Bool(default) => {
            // SAFETY: as in `string`.
            unsafe {
                scip!(SCIPaddBoolParam(raw, name, help, ptr::null_mut(), 0, default.into(), None, none))
            }
        }
        Domain::Real(default, least, most) => {
            // SAFETY: as in `string`.
            unsafe {
                scip!(SCIPaddRealParam(raw, name, help, ptr::null_mut(), 0, default, least, most, None, none))
            }
        }
        Domain::Int(default, least, most) => {
            // SAFETY: as in `string`.
            unsafe {
                scip!(SCIPaddLongintParam(
                    raw,
                    name,
                    help,
                    ptr::null_mut(),
                    0,
                    default,
                    least,
                    most,
                    None,
                    none
                ))
            }
        }
        Domain::Text(default) => string(default),
        Domain::Word(words) => string(words[0]),
    }
}

/// Before presolve, which may take longer than a first good solution does.
const EARLY: SCIP_HEURTIMING = ffi::SCIP_HEURTIMING_BEFOREPRESOL;
/// Before the root node's LP is solved.
const BEFORE: SCIP_HEURTIMING = ffi::SCIP_HEURTIMING_BEFORENODE;
/// Once its first LP is solved: the cuts that follow may take longer than the whole time limit. A
/// root node without an LP has its turn when it is done.
const AFTER: SCIP_HEURTIMING = ffi::SCIP_HEURTIMING_DURINGLPLOOP
    | ffi::SCIP_HEURTIMING_AFTERLPNODE
    | ffi::SCIP_HEURTIMING_AFTERPSEUDONODE;

/// # Safety
/// `heuristic` is ours, and nobody else holds a reference to its data.
unsafe fn data<'a>(heuristic: *mut SCIP_HEUR) -> &'a mut Data {
    // SAFETY: the data of our heuristic is the Box from `include_in`, freed only in `free`.
    unsafe { &mut *ffi::SCIPheurGetData(heuristic).cast::<Data>() }
}

unsafe extern "C" fn free(_scip: *mut SCIP, heuristic: *mut SCIP_HEUR) -> SCIP_RETCODE {
    // SAFETY: SCIP calls this once, last; the data is the Box from `include_in`.
    let data = unsafe { Box::from_raw(ffi::SCIPheurGetData(heuristic).cast::<Data>()) };
    // A predictor that was plugged in may panic when it is dropped.
    let _ = guarded(|| {
        drop(data);
        Ok(())
    });
    // SAFETY: our heuristic; null says that nothing is left to free.
    unsafe { ffi::SCIPheurSetData(heuristic, ptr::null_mut()) };
    ffi::SCIP_Retcode_SCIP_OKAY
}

/// A problem was transformed: a new solve begins.
unsafe extern "C" fn init(scip: *mut SCIP, heuristic: *mut SCIP_HEUR) -> SCIP_RETCODE {
    // SAFETY: SCIP calls this with itself, alive during the call.
    let scip = unsafe { MainScip::new(scip) };
    // SAFETY: our heuristic; no other callback of it is under way.
    let data = unsafe { data(heuristic) };
    data.ran = false;
    data.report = None;
    // What is wrong with a setting is said when the heuristic would run.
    let wants_lp = |settings: Settings| match settings.timing {
        Timing::Before => false,
        Timing::After => true,
        Timing::Auto => {
            settings.predictor == PredictorChoice::Relaxation || models::wants_lp(&settings.model)
        }
    };
    data.early = None;
    data.opened = None;
    data.later = None;
    data.memory = Memory::default();
    data.constraints = None;
    data.waits_for_lp = guarded(|| settings(scip).map(wants_lp)).unwrap_or(false);
    ffi::SCIP_Retcode_SCIP_OKAY
}

unsafe extern "C" fn exec(
    scip: *mut SCIP,
    heuristic: *mut SCIP_HEUR,
    timing: SCIP_HEURTIMING,
    node_infeasible: u32,
    result: *mut SCIP_RESULT,
) -> SCIP_RETCODE {
    // SAFETY: SCIP passes a valid place for the result.
    unsafe { *result = ffi::SCIP_Result_SCIP_DIDNOTRUN };
    if node_infeasible != 0 {
        return ffi::SCIP_Retcode_SCIP_OKAY;
    }
    // SAFETY: SCIP calls this with itself, alive during the call.
    let scip = unsafe { MainScip::new(scip) };
    if timing != EARLY {
        constraints(scip, heuristic);
    }
    // SAFETY: our heuristic; the reference ends with this statement.
    let opens = timing == BEFORE && unsafe { data(heuristic) }.waits_for_lp;
    // SAFETY: as above.
    let turn = if timing == EARLY {
        open_early
    } else if opens {
        open
    } else if unsafe { data(heuristic) }.ran {
        run_again
    } else {
        run
    };
    match guarded(|| message::with_current(scip, || turn(scip, heuristic))) {
        // SAFETY: as above.
        Ok(outcome) => unsafe { *result = outcome },
        Err(Error::MainScip { code, .. }) => return code,
        Err(error) => {
            scip.warn(&error.to_string());
            // SAFETY: as above.
            unsafe { *result = ffi::SCIP_Result_SCIP_DIDNOTFIND };
        }
    }
    ffi::SCIP_Retcode_SCIP_OKAY
}

fn settings(scip: MainScip<'_>) -> Result<Settings> {
    let values = PARAMETERS.iter().map(|p| Ok((p.name, scip.parameter(p)?))).collect::<Result<Vec<_>>>()?;
    Settings::read(|parameter| {
        let found = values.iter().find(|(name, _)| *name == parameter.name);
        found.expect("every parameter was read").1.clone()
    })
}

/// How many checked constraints there may be as long as nobody has added any since the solve began; −1 if
/// somebody has. SCIP takes some away now and then, but adds none to speak of.
fn constraints(scip: MainScip<'_>, heuristic: *mut SCIP_HEUR) -> i32 {
    // SAFETY: our heuristic; the reference ends with this function, which calls nobody who asks for it.
    let known = &mut unsafe { data(heuristic) }.constraints;
    let now = scip.checked_constraints();
    let now = if known.is_some_and(|known| now > known) { -1 } else { now };
    *known.insert(now)
}

/// Somebody else's turn: inside another SCIP, or where copies are not the problem.
fn is_out_of_place(scip: MainScip<'_>) -> bool {
    scip.nesting() > 0 || scip.has_pricers() || scip.stopped()
}

fn result(found: bool) -> SCIP_RESULT {
    if found { ffi::SCIP_Result_SCIP_FOUNDSOL } else { ffi::SCIP_Result_SCIP_DIDNOTFIND }
}

/// Seconds end such a budget, and not only nodes.
fn counts_seconds(budget: &Budget) -> bool {
    budget.nodes.is_none() || budget.seconds.is_finite()
}

/// What can be done before presolve: flips and exchanges, where the problem allows them.
fn open_early(scip: MainScip<'_>, heuristic: *mut SCIP_HEUR) -> Result<SCIP_RESULT> {
    // SAFETY: our heuristic; the reference ends with this statement, here and below.
    let began = unsafe { data(heuristic) }.ran || unsafe { data(heuristic) }.early.is_some();
    if began {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN); // presolve begins anew
    }
    // No copies: presolve would begin in each of them.
    let prepare =
        |plan: &mut Plan| (plan.budget, plan.neighbourhoods) = (plan.budget.part(EARLY_PART), false);
    let (known, constraints) = (scip.upper_bound(), scip.checked_constraints());
    let local = open_with(scip, heuristic, constraints, prepare)?;
    // SAFETY: see above.
    let data = unsafe { data(heuristic) };
    if scip.checked_constraints() > constraints {
        data.constraints = Some(-1); // somebody answered one of our solutions with a constraint
    }
    let Some(local) = local else { return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN) };
    scip.say(&format!("before presolve: {local}"));
    data.early = Some(local);
    Ok(result(scip.upper_bound() < known))
}

/// What can be done before the root LP: the same, and neighbourhoods.
fn open(scip: MainScip<'_>, heuristic: *mut SCIP_HEUR) -> Result<SCIP_RESULT> {
    // SAFETY: our heuristic; the reference ends with this statement, here and below.
    let began = unsafe { data(heuristic) }.ran || unsafe { data(heuristic) }.opened.is_some();
    if began || !scip.at_root() {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    }
    let may_copy = scip.may_copy()?;
    let prepare = |plan: &mut Plan| plan.neighbourhoods &= may_copy;
    let known = scip.upper_bound();
    let Some(local) = open_with(scip, heuristic, constraints(scip, heuristic), prepare)? else {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    };
    scip.say(&format!("before the root LP: {local}"));
    // SAFETY: see above.
    unsafe { data(heuristic) }.opened = Some(local);
    Ok(result(scip.upper_bound() < known))
}

/// An opening with a plan that `prepare` has changed; none if there is nothing to be done.
fn open_with(
    scip: MainScip<'_>,
    heuristic: *mut SCIP_HEUR,
    constraints: i32,
    prepare: impl Fn(&mut Plan),
) -> Result<Option<LocalReport>> {
    if is_out_of_place(scip) {
        return Ok(None);
    }
    // What is wrong with the settings is said when the rounds begin.
    let Ok(settings) = settings(scip) else { return Ok(None) };
    let budget = settings.budget(scip.seconds(), scip.seconds_left()?);
    let is_endless = counts_seconds(&budget) && !scip.has_clock()?;
    if settings.plan.local <= 0.0 || budget.is_spent() || is_endless {
        return Ok(None);
    }
    let snapshot = Snapshot::take(scip)?;
    if snapshot.binaries() < settings.min_binaries {
        return Ok(None);
    }
    let mut plan = Plan { budget, ..settings.plan };
    prepare(&mut plan);
    let (settings_file, rows, rewritten, seed) = (&*settings.sub_scip, &[][..], None, settings.seed);
    let snapshot = &snapshot;
    let mut corrector =
        ScipCorrector { main: scip, heuristic, snapshot, rows, rewritten, settings_file, seed, constraints };
    // SAFETY: our heuristic; the reference ends with this statement, as below: while we search, SCIP may call
    // somebody who asks for our report.
    let mut memory = std::mem::take(unsafe { &mut data(heuristic).memory });
    let local = search::open(&snapshot.problem, &mut corrector, &plan, &mut memory)?;
    // SAFETY: see above.
    unsafe { data(heuristic) }.memory = memory;
    Ok(local)
}

/// A later turn, if one is due. What fails was the last one, or every node would have its own failure.
fn run_again(scip: MainScip<'_>, heuristic: *mut SCIP_HEUR) -> Result<SCIP_RESULT> {
    // SAFETY: our heuristic; the reference ends with this statement, as below: while we search, SCIP may call
    // somebody who asks for our report.
    let (Some(mut later), began) = (unsafe { data(heuristic) }.later.take(), scip.seconds()) else {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    };
    let due = later.turns.due(began, scip.seconds_left()?);
    let is_welcome = due.is_some() && !is_out_of_place(scip) && scip.may_copy()?;
    let Some(seconds) = due.filter(|_| is_welcome) else {
        // SAFETY: see above.
        unsafe { data(heuristic) }.later = Some(later);
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    };
    let known = scip.upper_bound();
    let snapshot = Snapshot::take(scip)?;
    let rewritten = rewrite(scip, &snapshot, &later.settings);
    let rows = search_rows(scip, &snapshot, &later.settings, rewritten.as_ref())?;
    let taken = scip.seconds() - began;
    let budget = Budget { seconds: (seconds - taken).max(0.0), nodes: None };
    let seed = later.settings.seed.wrapping_add(began as i32);
    let plan = Plan { budget, seed: seed as u64, ..later.settings.plan.clone() };
    let settings_file = &later.settings.sub_scip;
    let (snapshot, rewritten) = (&snapshot, rewritten.as_ref());
    let (rows, constraints) = (&rows, constraints(scip, heuristic));
    let mut corrector =
        ScipCorrector { main: scip, heuristic, snapshot, rows, rewritten, settings_file, seed, constraints };
    // SAFETY: our heuristic; the reference ends with this statement.
    let mut memory = std::mem::take(&mut unsafe { data(heuristic) }.memory);
    let local = search::go_on(&snapshot.problem, &mut corrector, &plan, &mut memory)?;
    let gained = scip.upper_bound() < known;
    later.turns.learn(scip.seconds() - began, gained);
    // SAFETY: see above; nothing below calls SCIP but to say something.
    let data = unsafe { data(heuristic) };
    if let Some(local) = local {
        scip.say(&format!("another turn: {local}"));
        data.report.get_or_insert_default().later.push(local);
    }
    (data.later, data.memory) = (Some(later), memory);
    Ok(result(gained))
}

/// The whole run: refusals, snapshot, search.
fn run(scip: MainScip<'_>, heuristic: *mut SCIP_HEUR) -> Result<SCIP_RESULT> {
    if is_out_of_place(scip) {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    }
    // SAFETY: our heuristic; nothing asks for its data before the last use of this reference, below.
    let ran = unsafe { &mut data(heuristic).ran };
    *ran = true;
    let settings = settings(scip)?;
    let budget = settings.budget(scip.seconds(), scip.seconds_left()?);
    if settings.has_later_turns() && budget.seconds < SHORTEST_FIRST_TURN && budget.seconds > 0.0 {
        *ran = false; // perhaps the problem is solved before it is worth the trouble
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    }
    if budget.is_spent() || !(scip.at_root() || settings.has_later_turns()) || !scip.may_copy()? {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    }
    if counts_seconds(&budget) && !scip.has_clock()? {
        let why = "without a clock Apollo does not know when to end: set this to TRUE, or heuristics/apollo/budget/nodes and no limit in seconds";
        let (name, value) = ("timing/enabled".to_string(), "FALSE".to_string());
        return Err(Error::Parameter { name, value, why: why.to_string() });
    }
    let began = scip.seconds();
    let snapshot = Snapshot::take(scip)?;
    let candidates = snapshot.candidates();
    let binaries = snapshot.binaries();
    if binaries < settings.min_binaries {
        return Ok(ffi::SCIP_Result_SCIP_DIDNOTRUN);
    }
    let snapshot_seconds = scip.seconds() - began;

    scip.round_lp()?;
    let known = scip.upper_bound();
    // SAFETY: our heuristic; the last use of this reference is in the next line.
    let before = unsafe { data(heuristic) };
    let (early, opened, mut memory) =
        (before.early.clone(), before.opened.take(), std::mem::take(&mut before.memory));
    let mut plan = Plan {
        budget: budget.after(snapshot_seconds, 0),
        opening: opened.is_none(),
        ..settings.plan.clone()
    };
    let rewritten = rewrite(scip, &snapshot, &settings);
    // SAFETY: our heuristic; the reference ends with this statement.
    let (mut predictor, by_model) = match unsafe { &data(heuristic).predictor } {
        Some(plugged) => (plugged() as Box<dyn Predictor + '_>, None),
        None => own_predictor(scip, &snapshot, &settings)?,
    };
    let has_schedule = by_model.is_some();
    plan.rounds = by_model.unwrap_or(plan.rounds);
    let rows = search_rows(scip, &snapshot, &settings, rewritten.as_ref())?;
    let mut corrector = ScipCorrector {
        main: scip,
        heuristic,
        snapshot: &snapshot,
        rows: &rows,
        rewritten: rewritten.as_ref(),
        settings_file: &settings.sub_scip,
        seed: settings.seed,
        constraints: constraints(scip, heuristic),
    };
    let rounds = plan.rounds.len();
    // Guarded on its own: a predictor that panics must not be dropped while that panic unwinds, or a
    // panic of its own Drop would abort the process.
    let outcome = guarded(|| {
        scip.say(&format!(
            "{binaries} binaries of {} variables, predictor {}{}, {}",
            snapshot.problem.columns(),
            predictor.name(),
            if has_schedule { " with the schedule that its file recommends" } else { "" },
            match budget.nodes {
                Some(nodes) if budget.seconds.is_infinite() => format!("{nodes} nodes"),
                Some(nodes) => format!("{:.1} s, {nodes} nodes", budget.seconds),
                None => format!("{:.1} s", budget.seconds),
            }
        ));
        let say = |round: &_| scip.say(&RoundReport::line(round, rounds));
        search::run(&snapshot.problem, &candidates, &mut *predictor, &mut corrector, &plan, &mut memory, say)
    });
    match outcome {
        Ok(mut report) => {
            report.snapshot_seconds = snapshot_seconds;
            if let Some(local) = &report.local {
                scip.say(&format!("local search: {local}"));
            }
            report.opening = [early, opened].into_iter().flatten().reduce(|a, b| a.and(&b));
            let opening = report.opening.as_ref().map_or(0.0, LocalReport::seconds);
            // SAFETY: our heuristic; no other reference to its data is alive.
            let data = unsafe { data(heuristic) };
            data.report = Some(report);
            data.memory = memory;
            let turns = Turns::new(settings.budget_share, opening + scip.seconds() - began);
            data.later = settings.has_later_turns().then_some(Later { settings, turns });
        }
        Err(error @ Error::MainScip { .. }) => return Err(error),
        Err(error) => scip.warn(&error.to_string()),
    }
    Ok(result(scip.upper_bound() < known))
}

/// The problem written anew for its searches, where that pays and the settings allow it.
fn rewrite(scip: MainScip<'_>, snapshot: &Snapshot, settings: &Settings) -> Option<Rewritten> {
    // Plugins of the user's may want his data beside the problem, and only a copy has that.
    if !settings.strengthen || !snapshot.is_whole || scip.has_problem_data() {
        return None;
    }
    // A failure here is no news: searches are copies then.
    Rewritten::new(&snapshot.problem, snapshot.settled(scip).ok()?)
}

/// The rows that copies of the problem get; what is written anew has them already.
fn search_rows(
    scip: MainScip<'_>,
    snapshot: &Snapshot,
    settings: &Settings,
    rewritten: Option<&Rewritten>,
) -> Result<Vec<ActiveRow>> {
    if !settings.strengthen || rewritten.is_some() {
        return Ok(vec![]);
    }
    ActiveRow::of(scip, snapshot, &strengthen(&snapshot.problem))
}
