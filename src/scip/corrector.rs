//! The corrector: one search is one sub-SCIP.
//!
//! `correct` copies the problem with the fixings, restricts it to the trust region, solves it, and
//! hands every improving solution to the user's SCIP the moment it is found: an event handler inside
//! the sub-SCIP sees it first. The same handler looks whether the user's solve is over.
//!
//! Where the problem can be written anew for the better ([`crate::rewrite`]), that is searched instead of
//! a copy.

use super::call::scip;
use super::guard::guarded;
use super::main_scip::MainScip;
use super::snapshot::{Snapshot, Target, active_sum};
use super::sub_scip::SubScip;
use crate::bits::Intervals;
use crate::correction::{Correction, Corrector, Ending, Reference, Search};
use crate::error::{Error, Result};
use crate::problem::{Fixings, Kind, Rows};
use crate::region::{Auxiliary, Row, TrustRegion};
use crate::rewrite::{Restricted, Rewritten};
use scip_sys::{
    self as ffi, SCIP, SCIP_EVENT, SCIP_EVENTDATA, SCIP_EVENTHDLR, SCIP_HEUR, SCIP_RETCODE, SCIP_SOL,
    SCIP_VAR,
};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ptr;

/// Searches with sub-SCIPs.
pub(super) struct ScipCorrector<'a> {
    /// The user's SCIP.
    pub main: MainScip<'a>,
    /// Our heuristic in it, to credit solutions to.
    pub heuristic: *mut SCIP_HEUR,
    /// The problem.
    pub snapshot: &'a Snapshot,
    /// Rows over active variables that every copy gets: they make its relaxation tighter.
    pub rows: &'a [ActiveRow],
    /// The problem written anew, to be searched instead of copies.
    pub rewritten: Option<&'a Rewritten>,
    /// Settings file for sub-SCIPs; empty for none.
    pub settings_file: &'a str,
    /// Seed.
    pub seed: i32,
    /// How many checked constraints there may be at most if none was added since the solve began.
    pub constraints: i32,
}

impl ScipCorrector<'_> {
    /// Offers a point of the original problem to the user's solve; false if that refuses it.
    fn hand_over(&self, values: &[f64]) -> Result<bool> {
        let (main, variables) = (self.main, &self.snapshot.original);
        if main.try_solution(main.solution(self.heuristic, variables, values)?)? {
            return Ok(true);
        }
        // Presolve may have added variables that we know nothing of, or forbidden all but one of several points
        // that are alike. As a point of the original problem it is right all the same, unless somebody has
        // added a constraint since: those are not checked there.
        if main.checked_constraints() > self.constraints {
            return Ok(false);
        }
        main.try_solution(main.original_solution(self.heuristic, variables, values)?)
    }
}

/// The best solution of a search, on its way to the user's SCIP.
enum Found {
    /// Of a copy: a solution of the main SCIP, for whoever takes it to offer.
    Solution(*mut SCIP_SOL),
    /// Of a problem that was written anew: a point of the original one.
    Point(Vec<f64>),
}

/// SCIP's event types are C macros that no binding carries.
mod event {
    pub(super) const PRESOLVE_ROUND: u64 = 0x0004_0000;
    pub(super) const NODE_SOLVED: u64 = 0x0010_0000 | 0x0020_0000 | 0x0040_0000;
    pub(super) const LP_SOLVED: u64 = 0x0200_0000 | 0x0400_0000;
    pub(super) const BEST_SOLUTION: u64 = 0x1000_0000;
    pub(super) const ROW_ADDED_LP: u64 = 0x8000_0000;
    pub(super) const ALL: u64 = PRESOLVE_ROUND | NODE_SOLVED | LP_SOLVED | BEST_SOLUTION | ROW_ADDED_LP;
}

/// Variables with a number each.
type Terms = Vec<(*mut SCIP_VAR, f64)>;

/// Σ terms ≤ rhs over active variables of the main SCIP.
pub(super) struct ActiveRow {
    terms: Terms,
    rhs: f64,
}

impl ActiveRow {
    /// Rows `… ≤ rhs` over original variables; those with a variable that presolve has replaced by a sum
    /// are left out.
    pub(super) fn of(scip: MainScip<'_>, snapshot: &Snapshot, rows: &Rows) -> Result<Vec<ActiveRow>> {
        let mut all = vec![];
        'rows: for i in 0..rows.len() {
            let mut row = ActiveRow { terms: vec![], rhs: rows.rhs[i] };
            for (j, coefficient) in rows.terms(i) {
                let Some((term, constant)) = active_sum(scip, snapshot.original[j])? else { continue 'rows };
                row.rhs -= coefficient * constant;
                row.terms.extend(term.map(|(variable, factor)| (variable, coefficient * factor)));
            }
            all.push(row);
        }
        Ok(all)
    }
}

/// Takes active variables of the main SCIP to their copies; those without one are left out.
trait Copied: Fn(Terms) -> Terms {}

impl<F: Fn(Terms) -> Terms> Copied for F {}

/// A sub-SCIP that is ready to be solved, and the way back from its solutions to the user's SCIP. The event
/// handler of the sub-SCIP needs it: it lives on the stack of `correct`, longer than the solve.
struct Watch<'a> {
    corrector: &'a ScipCorrector<'a>,
    sub: SubScip,
    /// What it searches, if that is not a copy.
    restricted: Option<Restricted<'a>>,
    /// The first thing that went wrong while handing a solution over. The handler writes it while `correct`
    /// is inside the solve, so neither has more than a shared reference to all this.
    failure: RefCell<Option<Error>>,
}

impl Watch<'_> {
    /// Hands the sub-SCIP's best solution to the user's SCIP.
    fn forward(&self) -> Result<()> {
        match self.best()? {
            Some(Found::Solution(solution)) => self.corrector.main.try_solution(solution).map(|_| ()),
            Some(Found::Point(values)) => self.corrector.hand_over(&values).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The sub-SCIP's best solution.
    fn best(&self) -> Result<Option<Found>> {
        let (best, ScipCorrector { main, heuristic, snapshot, .. }) =
            (self.sub.best_solution(), self.corrector);
        if best.is_null() {
            return Ok(None);
        }
        if let Some(restricted) = &self.restricted {
            let mut values = restricted.whole(&self.sub.values(best));
            for (value, _) in
                values.iter_mut().zip(&snapshot.problem.kind).filter(|(_, kind)| **kind != Kind::Continuous)
            {
                *value = value.round(); // feasible for the sub-SCIP means nearly whole
            }
            return Ok(Some(Found::Point(values)));
        }
        let (mut translated, mut copies) = (ptr::null_mut(), self.sub.variables.clone());
        // SAFETY: two live SCIPs, a solution of the sub-SCIP, and the copies of all active variables of
        // the main one in their order.
        unsafe {
            scip!(SCIPtranslateSubSol(
                main.raw(),
                self.sub.raw(),
                best,
                *heuristic,
                copies.as_mut_ptr(),
                &mut translated
            ))
        }?;
        Ok(Some(Found::Solution(translated)))
    }
}

unsafe extern "C" fn watch_init(sub: *mut SCIP, handler: *mut SCIP_EVENTHDLR) -> SCIP_RETCODE {
    // SAFETY: SCIP calls this with itself and our handler once its problem is transformed.
    unsafe { ffi::SCIPcatchEvent(sub, event::ALL, handler, ptr::null_mut(), ptr::null_mut()) }
}

unsafe extern "C" fn watch_exit(sub: *mut SCIP, handler: *mut SCIP_EVENTHDLR) -> SCIP_RETCODE {
    // SAFETY: the counterpart of `watch_init`; −1 because no filter position was kept.
    unsafe { ffi::SCIPdropEvent(sub, event::ALL, handler, ptr::null_mut(), -1) }
}

unsafe extern "C" fn watch_exec(
    sub: *mut SCIP,
    handler: *mut SCIP_EVENTHDLR,
    event: *mut SCIP_EVENT,
    _data: *mut SCIP_EVENTDATA,
) -> SCIP_RETCODE {
    // SAFETY: our handler, whose data is the Watch that `correct` keeps alive during the solve.
    let watch = unsafe { &*ffi::SCIPeventhdlrGetData(handler).cast::<Watch<'_>>() };
    // SAFETY: a live event.
    if unsafe { ffi::SCIPeventGetType(event) } & event::BEST_SOLUTION != 0
        && let Err(error) = guarded(|| watch.forward())
    {
        watch.failure.borrow_mut().get_or_insert(error);
    }
    if watch.failure.borrow().is_some() || watch.corrector.main.stopped() {
        // SAFETY: the sub-SCIP that raised the event; it ends at its next safe point.
        return unsafe { ffi::SCIPinterruptSolve(sub) };
    }
    ffi::SCIP_Retcode_SCIP_OKAY
}

impl ScipCorrector<'_> {
    /// Fixings of original variables as fixings of active ones. Two originals may be one variable:
    /// the one with the smaller index speaks.
    fn active_fixings(&self, fixings: &Fixings) -> Vec<(*mut SCIP_VAR, f64)> {
        let mut seen = HashSet::new();
        let mut active = vec![];
        for (&j, &value) in fixings {
            let (variable, value) = match self.snapshot.target[j] {
                Target::Active { variable, negated } => (variable, if negated { 1.0 - value } else { value }),
                Target::Affine { variable, factor, constant } => {
                    let value = (value - constant) / factor;
                    if !self.main.may_take(variable, value) {
                        continue;
                    }
                    (variable, value)
                }
                Target::Gone => continue,
            };
            if seen.insert(variable) {
                active.push((variable, value));
            }
        }
        active
    }

    /// A row over original variables as one over active variables, in the order of the first mention:
    /// an order by address would differ from run to run.
    fn active_row(&self, row: &Row) -> (Vec<(*mut SCIP_VAR, f64)>, f64) {
        let mut place = HashMap::new();
        let mut terms: Vec<(*mut SCIP_VAR, f64)> = vec![];
        let mut rhs = row.rhs;
        for &(j, coefficient) in &row.terms {
            let (variable, factor, constant) = match self.snapshot.target[j] {
                Target::Active { variable, negated: false } => (variable, 1.0, 0.0),
                Target::Active { variable, negated: true } => (variable, -1.0, 1.0),
                Target::Affine { variable, factor, constant } => (variable, factor, constant),
                Target::Gone => continue,
            };
            rhs -= coefficient * constant;
            let at = *place.entry(variable).or_insert_with(|| {
                terms.push((variable, 0.0));
                terms.len() - 1
            });
            terms[at].1 += coefficient * factor;
        }
        (terms, rhs)
    }

    /// Adds the rows that make a relaxation tighter, with the fixed variables as constants.
    fn strengthen(
        &self,
        sub: &SubScip,
        fixed: &HashMap<*mut SCIP_VAR, f64>,
        copies: &HashMap<*mut SCIP_VAR, *mut SCIP_VAR>,
    ) -> Result<()> {
        'rows: for row in self.rows {
            let (mut terms, mut rhs) = (vec![], row.rhs);
            for &(variable, coefficient) in &row.terms {
                let copy = copies.get(&variable).copied().filter(|copy| !copy.is_null());
                match (fixed.get(&variable), copy) {
                    (Some(value), _) => rhs -= coefficient * value,
                    (None, Some(copy)) => terms.push((copy, coefficient)),
                    (None, None) => continue 'rows,
                }
            }
            if !terms.is_empty() {
                sub.add_row(&terms, rhs)?;
            }
        }
        Ok(())
    }

    /// Restricts the copies of general integers to intervals of the originals.
    fn tighten(&self, intervals: &Intervals, sub: &SubScip, copied: &impl Copied) -> Result<()> {
        for (&j, interval) in intervals {
            let Target::Affine { variable, factor, constant } = self.snapshot.target[j] else { continue };
            let ends = [interval.lower, interval.upper].map(|end| (end - constant) / factor);
            if let [(copy, _)] = copied(vec![(variable, 1.0)])[..] {
                sub.tighten(copy, ends[0].min(ends[1]), ends[0].max(ends[1]))?;
            }
        }
        Ok(())
    }

    /// Adds the row of a trust region, with an auxiliary variable for each predicted interval; those are
    /// returned.
    fn restrict(
        &self,
        region: &TrustRegion,
        sub: &SubScip,
        copied: &impl Copied,
    ) -> Result<Vec<(*mut SCIP_VAR, Auxiliary)>> {
        let (terms, rhs) = self.active_row(&region.row());
        let mut terms = copied(terms);
        let mut added = vec![];
        for auxiliary in region.auxiliaries() {
            let rows = auxiliary.sides.map(|(coefficient, rhs)| {
                let (terms, rhs) =
                    self.active_row(&Row { terms: vec![(auxiliary.variable, coefficient)], rhs });
                (copied(terms), rhs)
            });
            // A variable that the sub-SCIP does not have cannot leave its interval.
            if rows.iter().any(|(terms, _)| terms.is_empty()) {
                continue;
            }
            let distance = sub.add_auxiliary()?;
            for (mut terms, rhs) in rows {
                terms.push((distance, -auxiliary.width));
                sub.add_row(&terms, rhs)?;
            }
            terms.push((distance, 1.0));
            added.push((distance, auxiliary));
        }
        sub.add_row(&terms, rhs)?;
        Ok(added)
    }

    /// A solution of the main SCIP as a reference.
    fn reference(&self, solution: *mut SCIP_SOL) -> Reference {
        Reference {
            objective: self.main.minimised_objective(solution),
            values: self.main.values(solution, &self.snapshot.original),
        }
    }

    /// The sub-SCIP that a search asks for, ready to be solved.
    fn prepare(&self, search: &Search<'_>) -> Result<Watch<'_>> {
        let watch = |sub, restricted| Watch { corrector: self, sub, restricted, failure: RefCell::default() };
        match self.rewritten {
            Some(rewritten) => {
                let restricted = rewritten.restricted(search);
                let sub = self.write(search, &restricted)?;
                Ok(watch(sub, Some(restricted)))
            }
            None => Ok(watch(self.copy(search)?, None)),
        }
    }

    /// Settings and limits of a sub-SCIP.
    fn configure(&self, search: &Search<'_>, sub: &SubScip) -> Result<()> {
        let seed = self.seed.wrapping_add(search.number as i32) & i32::MAX;
        sub.configure(self.main, search.seconds, search.nodes, seed)?;
        if self.settings_file.is_empty() { Ok(()) } else { sub.read_settings(self.settings_file) }
    }

    /// What a search is about, written anew.
    fn write(&self, search: &Search<'_>, restricted: &Restricted<'_>) -> Result<SubScip> {
        let sub = SubScip::write(self.main, restricted.problem())?;
        self.configure(search, &sub)?;
        if let Some(start) = search.start {
            let values = restricted.columns(&start.values()).into_iter();
            sub.complete_partial_starts()?;
            sub.add_start(&values.map(|(j, value)| (sub.variables[j], value)).collect::<Vec<_>>(), true)?;
        }
        let incumbent = self.main.best_solution();
        if search.strictly_better || incumbent.is_null() {
            let limit = self.main.minimised_cutoff();
            if limit.is_finite() {
                sub.set_objective_limit(limit)?;
            }
            return Ok(sub);
        }
        let Reference { objective, values } = self.reference(incumbent);
        sub.set_objective_limit(as_good(objective))?;
        let start = sub.variables.iter().copied().zip(restricted.part(&values));
        sub.add_start(&start.collect::<Vec<_>>(), false)?;
        Ok(sub)
    }

    /// The copy of the problem that a search asks for.
    fn copy(&self, search: &Search<'_>) -> Result<SubScip> {
        let fixed = self.active_fixings(search.fixings);
        let variables = &self.main.variables();
        let sub = SubScip::copy(self.main, variables, &fixed)?;
        let copies: HashMap<_, _> = variables.iter().copied().zip(sub.variables.iter().copied()).collect();
        let copied = |terms: Terms| -> Terms {
            let copy =
                |(var, value)| Some((copies.get(&var).copied().filter(|copy| !copy.is_null())?, value));
            terms.into_iter().filter_map(copy).collect()
        };
        self.tighten(search.intervals, &sub, &copied)?;
        self.strengthen(&sub, &fixed.into_iter().collect(), &copies)?;
        self.configure(search, &sub)?;
        let auxiliaries = match search.region {
            Some(region) => self.restrict(region, &sub, &copied)?,
            None => vec![],
        };
        if let Some(start) = search.start {
            sub.complete_partial_starts()?;
            sub.add_start(&copied(self.active_fixings(&start.values())), true)?;
        }
        self.bound(search, &sub, variables, &auxiliaries, &copied)?;
        Ok(sub)
    }

    /// Never search for worse than what is known: the incumbent limits the objective, and is a start
    /// itself where the search may return to it.
    fn bound(
        &self,
        search: &Search<'_>,
        sub: &SubScip,
        variables: &[*mut SCIP_VAR],
        auxiliaries: &[(*mut SCIP_VAR, Auxiliary)],
        copied: &impl Copied,
    ) -> Result<()> {
        let (cutoff, known) = (self.main.cutoff(), self.main.upper_bound());
        if search.strictly_better || known >= self.main.infinity() {
            return if cutoff < self.main.infinity() { sub.set_objective_limit(cutoff) } else { Ok(()) };
        }
        sub.set_objective_limit(as_good(known))?;
        let incumbent = self.main.best_solution();
        if incumbent.is_null() {
            return Ok(());
        }
        // SCIP checks the start: outside of the region it is simply not taken.
        let values = self.main.values(incumbent, variables);
        let mut start = copied(variables.iter().copied().zip(values).collect());
        for (distance, auxiliary) in auxiliaries {
            let original = self.snapshot.original[auxiliary.variable];
            let value = self.main.values(incumbent, &[original])[0];
            start.push((*distance, auxiliary.least(value)));
        }
        sub.add_start(&start, false)
    }
}

/// An objective with the little more that still counts as good as it.
fn as_good(objective: f64) -> f64 {
    objective + 1e-6 * objective.abs().max(1.0)
}

impl Corrector for ScipCorrector<'_> {
    fn correct(&mut self, search: &Search<'_>) -> Result<Correction> {
        let began = self.main.seconds();
        let nothing = |ending| Correction { ending, found: None, nodes: 0, setup_seconds: 0.0 };
        if !self.main.may_copy()? {
            return Ok(nothing(Ending::Stopped));
        }
        let this = &*self;
        let watch = this.prepare(search)?;
        watch_over(&watch)?;
        let setup_seconds = this.main.seconds() - began;

        watch.sub.solve()?;
        if let Some(failure) = watch.failure.take() {
            return Err(failure);
        }
        let reference = match watch.best()? {
            None => None,
            // It was offered when it was found; offering it again only frees it, unless it is news.
            Some(Found::Solution(solution)) => {
                let reference = this.reference(solution);
                this.main.try_solution(solution)?;
                Some(reference)
            }
            Some(Found::Point(values)) => {
                this.hand_over(&values)?;
                let objective = this.snapshot.problem.minimised_objective(&values);
                Some(Reference { objective, values })
            }
        };
        // What the user's solve refuses is no reference: a search may not know every constraint.
        let best = this.main.best_objective();
        let is_known = |found: &Reference| best.is_some_and(|best| best <= as_good(found.objective));
        let found = reference.filter(is_known);
        let ending = match watch.sub.status() {
            _ if this.main.stopped() => Ending::Stopped,
            ffi::SCIP_Status_SCIP_STATUS_OPTIMAL => Ending::Optimal,
            ffi::SCIP_Status_SCIP_STATUS_INFEASIBLE | ffi::SCIP_Status_SCIP_STATUS_INFORUNBD => {
                Ending::Infeasible
            }
            ffi::SCIP_Status_SCIP_STATUS_USERINTERRUPT | ffi::SCIP_Status_SCIP_STATUS_TERMINATE => {
                Ending::Stopped
            }
            _ => Ending::Limit,
        };
        Ok(Correction { ending, found, nodes: watch.sub.nodes(), setup_seconds })
    }

    fn offer(&mut self, values: &[f64]) -> Result<bool> {
        self.hand_over(values)
    }

    fn settled(&mut self) -> Option<Fixings> {
        // A failure here is no news: without the values there is no local search.
        self.snapshot.is_whole.then(|| self.snapshot.settled(self.main).ok()).flatten()
    }

    fn limit(&mut self) -> f64 {
        self.main.minimised_cutoff()
    }

    fn incumbent(&mut self) -> Option<Reference> {
        let best = self.main.best_solution();
        (!best.is_null()).then(|| self.reference(best))
    }

    fn best_objective(&mut self) -> Option<f64> {
        self.main.best_objective()
    }

    fn seconds(&self) -> f64 {
        self.main.seconds()
    }

    fn stopped(&self) -> bool {
        self.main.stopped()
    }

    fn same(&self, a: f64, b: f64) -> bool {
        self.main.same(a, b)
    }
}

/// Includes the event handler of a sub-SCIP. `watch` must outlive its solve, and does: both live in
/// `correct`, and the sub-SCIP raises no event after it.
fn watch_over(watch: &Watch<'_>) -> Result<()> {
    let (mut handler, sub) = (ptr::null_mut(), watch.sub.raw());
    // SAFETY: live SCIP in stage PROBLEM, where plugins may be included; texts are C strings.
    unsafe {
        scip!(SCIPincludeEventhdlrBasic(
            sub,
            &mut handler,
            c"apollo".as_ptr(),
            c"hands improving solutions over and looks for a stop".as_ptr(),
            Some(watch_exec),
            ptr::from_ref(watch).cast_mut().cast()
        ))
    }?;
    // SAFETY: the handler was just included in this SCIP.
    unsafe { scip!(SCIPsetEventhdlrInit(sub, handler, Some(watch_init))) }?;
    // SAFETY: as above.
    unsafe { scip!(SCIPsetEventhdlrExit(sub, handler, Some(watch_exit))) }
}
