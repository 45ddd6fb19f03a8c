//! Whether the parts of an instance fit together: what a label stands for must be beyond doubt.

use super::file::{FORMAT, Instance, Meta, Sample, folder, hash};
use super::npz::Inside;
use super::pool::Pool;
use crate::problem::{Fixings, Kind, Problem};

impl Instance {
    /// Whether everything fits together. The same is asked of what is written and of what was read.
    pub(super) fn check(&self) -> Inside<()> {
        let meta = &self.meta;
        demand(meta.format == FORMAT, || format!("format {} instead of {FORMAT}", meta.format))?;
        let audit = meta.audit.map_or([0.0; 2], |audit| [audit.seconds, audit.objective]);
        let numbers = [meta.seconds, meta.offset, meta.bound.unwrap_or(0.0), audit[0], audit[1]];
        demand(numbers.iter().all(|v| v.is_finite()), || "meta.json: a number is not finite".into())?;
        let most = meta.columns.max(meta.rows).max(meta.nonzeros);
        demand(most <= i32::MAX as usize, || format!("{most} is more than int32 counts"))?;
        if let Some(problem) = &self.problem {
            check_problem(problem, meta)?;
        }
        let kinds = |fixings: &Fixings| -> Option<Vec<Kind>> {
            let kinds = self.problem.as_ref()?.kind.iter().enumerate();
            Some(kinds.filter(|(j, _)| !fixings.contains_key(j)).map(|(_, &kind)| kind).collect())
        };
        check_pool(&self.pool, meta.columns, kinds(&Fixings::new()))?;
        for (k, Sample { fixings, pool }) in self.augmented.iter().enumerate() {
            let inside = |why: String| format!("{}: {why}", folder(k).trim_end_matches('/'));
            let beyond = fixings.keys().any(|&j| j >= meta.columns);
            demand(!beyond, || inside("a fixed column is out of range".into()))?;
            demand(fixings.values().all(|v| v.is_finite()), || inside("a fixed value is not finite".into()))?;
            check_pool(pool, meta.columns - fixings.len(), kinds(fixings)).map_err(inside)?;
        }
        Ok(())
    }
}

/// An error unless `fine`.
pub(super) fn demand(fine: bool, why: impl FnOnce() -> String) -> Inside<()> {
    if fine { Ok(()) } else { Err(why()) }
}

fn check_problem(problem: &Problem, meta: &Meta) -> Inside<()> {
    let (n, rows) = (problem.columns(), &problem.rows);
    let (m, e) = (rows.len(), problem.nonzeros());
    let lengths = [problem.lower.len(), problem.upper.len(), problem.kind.len()] == [n; 3]
        && rows.rhs.len() == m
        && rows.coefficient.len() == e
        && rows.start.len() == m + 1
        && rows.start.is_sorted()
        && (rows.start[0], rows.start[m]) == (0, e)
        && rows.column.iter().all(|&j| (j as usize) < n);
    demand(lengths, || "the problem's vectors do not fit together".into())?;
    let numbers = |what: &str, values: &[f64], fine: fn(f64) -> bool| {
        demand(values.iter().all(|&value| fine(value)), || format!("{what}: a number that means nothing"))
    };
    numbers("objective", &problem.objective, f64::is_finite)?;
    numbers("coefficients", &rows.coefficient, f64::is_finite)?;
    for (what, values) in
        [("lower", &problem.lower), ("upper", &problem.upper), ("lhs", &rows.lhs), ("rhs", &rows.rhs)]
    {
        numbers(what, values, |value| !value.is_nan())?;
    }
    let same = (problem.maximise, problem.offset, n, m, e)
        == (meta.maximise, meta.offset, meta.columns, meta.rows, meta.nonzeros);
    demand(same && hash(problem) == meta.hash, || "the problem is not the one whose hash it has".into())
}

/// `kinds` are those of the pool's columns, if they are known.
fn check_pool(pool: &Pool, columns: usize, kinds: Option<Vec<Kind>>) -> Inside<()> {
    for (what, own, its) in
        [("binaries", &pool.binaries, Kind::Binary), ("integers", &pool.integers, Kind::Integer)]
    {
        let ascending = own.is_sorted_by(|a, b| a < b) && own.iter().all(|&j| j < columns);
        demand(ascending, || format!("{what}: not ascending, or out of range"))?;
        let fine = kinds
            .as_ref()
            .is_none_or(|kinds| own.iter().copied().eq((0..columns).filter(|&j| kinds[j] == its)));
        demand(fine, || format!("{what}: not the columns that are of this kind in the problem"))?;
    }
    let solutions = &pool.solutions;
    for one in solutions {
        let lengths = (one.binaries.len(), one.integers.len()) == (pool.binaries.len(), pool.integers.len());
        demand(lengths, || "solutions: one of another length".into())?;
        demand(one.binaries.iter().all(|&v| v <= 1), || "solutions: a value that is not 0 or 1".into())?;
        demand(one.objective.is_finite(), || "objectives: one is not finite".into())?;
        demand(one.seconds.is_finite(), || "times: one is not finite".into())?;
    }
    let sorted = solutions.is_sorted_by(|a, b| a.objective <= b.objective);
    demand(sorted, || "objectives: not sorted, the best first".into())
}
