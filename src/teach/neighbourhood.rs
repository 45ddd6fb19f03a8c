//! Which variables a neighbourhood frees; all other discrete ones stay as they are in its centre.
//!
//! No kind is good everywhere: rows serve where variables belong together (the items of two bins, the
//! bins of some items), a walk where conflicts are local, the guide where the relaxation knows most of
//! the answer. [`Kinds`] learns from what each kind found.

use crate::instances::dice::Dice;
use crate::problem::{Kind, Problem};
use std::collections::HashMap;

/// A way to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Any variables.
    Random,
    /// All variables of some rows of one shape.
    Rows,
    /// A variable, those it shares rows with, those that share rows with them, …
    Walk,
    /// Where the relaxation disagrees with the centre, or is least sure.
    Guided,
    /// Where the centre and another good solution differ, and some more.
    Crossing,
}

impl Choice {
    /// All of them.
    pub const ALL: [Choice; 5] =
        [Choice::Random, Choice::Rows, Choice::Walk, Choice::Guided, Choice::Crossing];
}

/// What choosing needs to know about a problem, prepared once.
pub struct Map {
    /// The binary and general integer columns.
    pub discrete: Vec<usize>,
    /// The rows that each discrete column is in.
    beside: Vec<Vec<u32>>,
    /// Discrete columns of each row.
    rows: Vec<Vec<u32>>,
    /// Rows of each column.
    columns: Vec<Vec<u32>>,
    /// Rows of one shape: as many columns, the same sense.
    shapes: Vec<Vec<u32>>,
    /// Continuous columns that cost nothing: they may stay as they are, too.
    pub idle: Vec<usize>,
    /// What a relaxation or a network thinks each value is, if it was asked.
    guide: Option<Vec<f64>>,
}

impl Map {
    /// Prepares. `guide` has a value for each column.
    pub fn new(problem: &Problem, guide: Option<Vec<f64>>) -> Map {
        let is_discrete: Vec<bool> = problem.kind.iter().map(|&kind| kind != Kind::Continuous).collect();
        let discrete = (0..problem.columns()).filter(|&j| is_discrete[j]).collect();
        let owner = owners(problem, &is_discrete);
        let mut beside = vec![vec![]; problem.columns()];
        for i in 0..problem.rows.len() {
            for (j, _) in problem.rows.terms(i).filter(|&(j, _)| is_discrete[j]) {
                beside[j].push(i as u32);
            }
        }
        let mut rows = vec![vec![]; problem.rows.len()];
        let mut columns = vec![vec![]; problem.columns()];
        let mut shapes: HashMap<(u32, bool, bool), Vec<u32>> = HashMap::new();
        for (i, row) in rows.iter_mut().enumerate() {
            row.extend(problem.rows.terms(i).filter_map(|(j, _)| owner[j]));
            row.sort_unstable();
            row.dedup();
            for &j in row.iter() {
                columns[j as usize].push(i as u32);
            }
            if row.len() > 1 {
                // Lengths that differ a little are one shape: powers of two.
                let shape =
                    (row.len().ilog2(), problem.rows.lhs[i].is_finite(), problem.rows.rhs[i].is_finite());
                shapes.entry(shape).or_default().push(i as u32);
            }
        }
        let mut shapes: Vec<_> = shapes.into_iter().collect();
        shapes.sort(); // a hash map has no order of its own
        let shapes = shapes.into_iter().map(|(_, rows)| rows).collect();
        let idle =
            (0..problem.columns()).filter(|&j| !is_discrete[j] && problem.objective[j] == 0.0).collect();
        Map { discrete, beside, rows, columns, shapes, idle, guide }
    }

    /// Which ways make sense here.
    pub fn choices(&self) -> Vec<Choice> {
        let possible = |choice: &Choice| match choice {
            Choice::Rows | Choice::Walk => !self.shapes.is_empty(),
            Choice::Guided => self.guide.is_some(),
            Choice::Random | Choice::Crossing => true,
        };
        Choice::ALL.into_iter().filter(possible).collect()
    }

    /// Frees about `count` discrete columns around `centre`; `other` is another good solution.
    pub(crate) fn free(
        &self,
        choice: Choice,
        count: usize,
        centre: &[f64],
        other: &[f64],
        dice: &mut Dice,
    ) -> Vec<usize> {
        let mut freed = Freed { is_free: vec![false; centre.len()], list: vec![], count };
        match choice {
            Choice::Random => {}
            Choice::Rows => self.free_rows(&mut freed, dice),
            Choice::Walk => self.free_walk(&mut freed, dice),
            Choice::Guided => self.free_guided(&mut freed, centre, dice),
            Choice::Crossing => {
                let mut differing: Vec<usize> =
                    self.discrete.iter().copied().filter(|&j| centre[j] != other[j]).collect();
                let all = differing.len();
                dice.shuffle_front(&mut differing, all);
                differing.into_iter().for_each(|j| freed.add(j));
            }
        }
        // Some ways end early: chance does the rest.
        let mut rest: Vec<usize> = self.discrete.iter().copied().filter(|&j| !freed.is_free[j]).collect();
        let missing = count.saturating_sub(freed.list.len()).min(rest.len());
        dice.shuffle_front(&mut rest, missing);
        rest.into_iter().take(missing).for_each(|j| freed.add(j));
        freed.list
    }

    fn free_rows(&self, freed: &mut Freed, dice: &mut Dice) {
        let rows = &self.shapes[dice.below(self.shapes.len())];
        let mut order: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
        let all = order.len();
        dice.shuffle_front(&mut order, all);
        for i in order {
            if freed.full() {
                break;
            }
            self.rows[i].iter().for_each(|&j| freed.add(j as usize));
        }
    }

    fn free_walk(&self, freed: &mut Freed, dice: &mut Dice) {
        if self.discrete.is_empty() {
            return;
        }
        freed.add(self.discrete[dice.below(self.discrete.len())]);
        let mut next = 0;
        while next < freed.list.len() && !freed.full() {
            let mut rows: Vec<usize> = self.columns[freed.list[next]].iter().map(|&i| i as usize).collect();
            next += 1;
            let all = rows.len();
            dice.shuffle_front(&mut rows, all);
            for i in rows {
                // Long rows tie everything together: take only some of their columns.
                let mut row: Vec<usize> = self.rows[i].iter().map(|&j| j as usize).collect();
                let some = row.len().min(20);
                dice.shuffle_front(&mut row, some);
                row.into_iter().take(some).for_each(|j| freed.add(j));
                if freed.full() {
                    return;
                }
            }
        }
    }

    fn free_guided(&self, freed: &mut Freed, centre: &[f64], dice: &mut Dice) {
        let Some(guide) = &self.guide else { return };
        // Noise of the size of the differences among the sure ones makes every neighbourhood another.
        let mut order: Vec<(f64, usize)> = self
            .discrete
            .iter()
            .map(|&j| ((guide[j] - centre[j]).abs() + 0.02 * dice.unit() / (1e-3 + dice.unit()), j))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.into_iter().for_each(|(_, j)| freed.add(j));
    }

    /// The idle columns that share no row of `problem` with any of `free`.
    pub(crate) fn far_from(&self, problem: &Problem, free: &[usize]) -> Vec<usize> {
        let mut near = vec![false; problem.columns()];
        for &i in free.iter().flat_map(|&j| &self.beside[j]) {
            problem.rows.terms(i as usize).for_each(|(j, _)| near[j] = true);
        }
        self.idle.iter().copied().filter(|&j| !near[j]).collect()
    }
}

/// The discrete column that speaks for each column: itself, or for a continuous one the discrete one
/// that switches it on (they share a row with no other: `r ≤ cap · y`), if there is one.
fn owners(problem: &Problem, is_discrete: &[bool]) -> Vec<Option<u32>> {
    let mut owner: Vec<Option<u32>> =
        is_discrete.iter().enumerate().map(|(j, &discrete)| discrete.then_some(j as u32)).collect();
    for i in 0..problem.rows.len() {
        if problem.rows.start[i + 1] - problem.rows.start[i] == 2 {
            let [a, b] = [0, 1].map(|k| problem.rows.column[problem.rows.start[i] + k] as usize);
            match (is_discrete[a], is_discrete[b]) {
                (true, false) => owner[b] = Some(a as u32),
                (false, true) => owner[a] = Some(b as u32),
                _ => {}
            }
        }
    }
    owner
}

/// A growing set of columns, no larger than asked for.
struct Freed {
    is_free: Vec<bool>,
    list: Vec<usize>,
    count: usize,
}

impl Freed {
    fn full(&self) -> bool {
        self.list.len() >= self.count
    }

    fn add(&mut self, column: usize) {
        if !self.full() && !self.is_free[column] {
            self.is_free[column] = true;
            self.list.push(column);
        }
    }
}

/// How the ways of choosing have done: which to take next, how many variables to free, and for how
/// long to search.
pub(crate) struct Kinds {
    kinds: Vec<Record>,
    longest: f64,
}

/// The next neighbourhood to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    number: usize,
    /// How its variables are chosen.
    pub choice: Choice,
    /// Idle continuous variables stay as they are, unless they share a row with a freed one.
    pub local: bool,
    /// The share of variables to free.
    pub share: f64,
    /// Seconds for the search.
    pub seconds: f64,
}

struct Record {
    choice: Choice,
    local: bool,
    share: f64,
    seconds: f64,
    /// What it gained lately, by second.
    worth: f64,
    /// The size of the last search that neither ended nor gained.
    cliff: f64,
    /// Searches one after the other that neither ended nor gained.
    in_vain: u32,
}

impl Kinds {
    /// Nothing is known yet. No search takes longer than `longest` seconds.
    pub(crate) fn new(map: &Map, longest: f64) -> Kinds {
        let mut kinds = vec![];
        for choice in map.choices() {
            for local in [false, true] {
                if !local || !map.idle.is_empty() {
                    let share = if choice == Choice::Guided { 0.1 } else { 0.2 };
                    let seconds = FIRST_SECONDS.min(longest);
                    kinds.push(Record { choice, local, share, seconds, worth: 1.0, cliff: 1.0, in_vain: 0 });
                }
            }
        }
        Kinds { kinds, longest }
    }

    /// Which one to take.
    pub(crate) fn next(&self, dice: &mut Dice) -> Next {
        let most = self.kinds.iter().map(|kind| kind.worth).fold(0.0, f64::max);
        // Nobody is forgotten: what is useless now may be what helps later.
        let weights: Vec<f64> = self.kinds.iter().map(|kind| kind.worth + 0.15 * most + 1e-12).collect();
        let number = dice.weighted(&weights);
        let &Record { choice, local, share, seconds, .. } = &self.kinds[number];
        // A little noise in the size, too.
        Next { number, choice, local, share: share * dice.between(0.8, 1.25), seconds }
    }

    /// What came of it: the relative gain, the seconds it took, and whether the neighbourhood was
    /// searched to its end.
    ///
    /// There is a size up to which neighbourhoods are searched in no time and beyond which they never
    /// end; the best are just below. Sizes grow and shrink towards it, and the time follows. Where no
    /// size ends in time, it is the time that is too short: the LP of a large problem takes its own.
    pub(crate) fn learn(&mut self, next: &Next, gain: f64, took: f64, exhausted: bool) {
        let kind = &mut self.kinds[next.number];
        kind.worth = 0.8 * kind.worth + 0.2 * (gain / took.max(0.01)).min(1.0);
        if exhausted {
            let larger = if took < 0.1 * next.seconds { 1.3 } else { 1.15 };
            kind.share *= if larger * next.share < 0.9 * kind.cliff { larger } else { 1.02 };
            kind.seconds = (0.8 * kind.seconds).max(4.0 * took).clamp(FIRST_SECONDS, self.longest);
            kind.in_vain = 0;
        } else if gain > 0.0 {
            kind.in_vain = 0;
        } else {
            kind.cliff = next.share;
            kind.share *= 0.85;
            kind.in_vain += 1;
            if kind.in_vain.is_multiple_of(3) {
                kind.seconds = (2.0 * kind.seconds).min(self.longest);
            }
        }
        kind.share = kind.share.clamp(0.005, 0.95);
    }
}

/// The first searches of each kind get so many seconds.
const FIRST_SECONDS: f64 = 0.2;
