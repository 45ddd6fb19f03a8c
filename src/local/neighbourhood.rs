//! Which variables a neighbourhood frees; all other discrete ones stay as they are in its centre.
//!
//! No kind is good everywhere: rows serve where variables belong together (the items of two bins, the
//! bins of some items), a walk where conflicts are local, the guide where the relaxation knows most of
//! the answer. [`super::kinds`] learns from what each kind found.

use crate::dice::Dice;
use crate::problem::{Fixings, Kind, Problem};
use std::collections::HashMap;

/// A way to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Some of the variables that are not at their lower bound, and all that are: what was chosen is
    /// taken back, and anything may come in its place.
    Chosen,
    /// The same for some that are close to each other.
    ChosenNear,
    /// The same, but only what the guide thinks most of may come in its place.
    ChosenGuided,
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
    pub const ALL: [Choice; 8] = [
        Choice::Chosen,
        Choice::ChosenNear,
        Choice::ChosenGuided,
        Choice::Random,
        Choice::Rows,
        Choice::Walk,
        Choice::Guided,
        Choice::Crossing,
    ];
}

/// What choosing needs to know about a problem, prepared once.
pub struct Map {
    /// The binary and general integer columns.
    pub discrete: Vec<usize>,
    lower: Vec<f64>,
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
        let lower = problem.lower.clone();
        Map { discrete, lower, beside, rows, columns, shapes, idle, guide }
    }

    /// Which ways make sense here.
    pub fn choices(&self) -> Vec<Choice> {
        let possible = |choice: &Choice| match choice {
            Choice::Rows | Choice::Walk | Choice::ChosenNear => !self.shapes.is_empty(),
            Choice::Guided | Choice::ChosenGuided => self.guide.is_some(),
            Choice::Chosen | Choice::Random | Choice::Crossing => true,
        };
        Choice::ALL.into_iter().filter(possible).collect()
    }

    /// What stays as it is in `centre` when these are free.
    pub(crate) fn fixings(&self, centre: &[f64], free: &[usize]) -> Fixings {
        let mut fixings: Fixings = self.discrete.iter().map(|&j| (j, centre[j].round())).collect();
        for j in free {
            fixings.remove(j);
        }
        fixings
    }

    /// The discrete columns that any of the others has not as it is in `centre`.
    pub(crate) fn differing(&self, centre: &[f64], others: &[Vec<f64>]) -> Vec<usize> {
        let differs = |j: &usize| others.iter().any(|other| (centre[*j] - other[*j]).abs() > 0.5);
        self.discrete.iter().copied().filter(differs).collect()
    }

    /// Frees about this share of the discrete columns, or of those that are chosen, around `centre`;
    /// `other` is another good solution.
    pub(crate) fn free(
        &self,
        choice: Choice,
        share: f64,
        centre: &[f64],
        other: &[f64],
        dice: &mut Dice,
    ) -> Vec<usize> {
        let is_chosen = |j: usize| centre[j] > self.lower[j] + 0.5;
        let candidates: Vec<usize> = match choice {
            Choice::Chosen | Choice::ChosenNear | Choice::ChosenGuided => {
                self.discrete.iter().copied().filter(|&j| is_chosen(j)).collect()
            }
            _ => self.discrete.clone(),
        };
        let count = ((share * candidates.len() as f64) as usize).clamp(1, candidates.len().max(1));
        let mut freed = Freed { is_free: vec![false; centre.len()], list: vec![], count };
        match choice {
            Choice::Chosen | Choice::Random => {}
            Choice::ChosenGuided if dice.chance(0.5) => {}
            Choice::ChosenNear | Choice::ChosenGuided => self.free_near(&mut freed, is_chosen, dice),
            Choice::Rows => self.free_rows(&mut freed, dice),
            Choice::Walk => self.free_walk(&mut freed, dice),
            Choice::Guided => self.free_guided(&mut freed, centre, dice),
            Choice::Crossing => {
                let mut differing = self.differing(centre, &[other.to_vec()]);
                let all = differing.len();
                dice.shuffle_front(&mut differing, all);
                differing.into_iter().for_each(|j| freed.add(j));
            }
        }
        // Some ways end early: chance does the rest.
        let mut rest: Vec<usize> = candidates.into_iter().filter(|&j| !freed.is_free[j]).collect();
        let missing = count.saturating_sub(freed.list.len()).min(rest.len());
        dice.shuffle_front(&mut rest, missing);
        rest.into_iter().take(missing).for_each(|j| freed.add(j));
        let others = || self.discrete.iter().copied().filter(|&j| !is_chosen(j));
        match (choice, &self.guide) {
            (Choice::Chosen | Choice::ChosenNear, _) => freed.list.extend(others()),
            (Choice::ChosenGuided, Some(guide)) => {
                let mut others: Vec<usize> = others().collect();
                others.sort_by(|&a, &b| guide[b].total_cmp(&guide[a]).then(a.cmp(&b)));
                others.truncate((dice.between(0.05, 0.25) * self.discrete.len() as f64) as usize);
                freed.list.extend(others);
            }
            _ => {}
        }
        freed.list
    }

    /// Walks over rows from a variable, and frees what is chosen in them.
    fn free_near(&self, freed: &mut Freed, is_chosen: impl Fn(usize) -> bool, dice: &mut Dice) {
        let Some(last) = self.discrete.len().checked_sub(1) else { return };
        let first = self.discrete[dice.whole(0, last) as usize];
        let (mut seen, mut scanned) = (vec![false; freed.is_free.len()], vec![false; self.rows.len()]);
        seen[first] = true;
        let mut queue = std::collections::VecDeque::from([first]);
        while let Some(j) = queue.pop_front() {
            if is_chosen(j) {
                freed.add(j);
            }
            if freed.full() {
                return;
            }
            for &i in &self.columns[j] {
                let row = &self.rows[i as usize];
                if !std::mem::replace(&mut scanned[i as usize], true) {
                    row.iter().filter(|&&j| is_chosen(j as usize)).for_each(|&j| freed.add(j as usize));
                }
                // Long rows tie everything together: go on from some of their columns only.
                for _ in 0..row.len().min(5) {
                    let next = row[dice.below(row.len())] as usize;
                    if !std::mem::replace(&mut seen[next], true) {
                        queue.push_back(next);
                    }
                }
            }
        }
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
                let row = &self.rows[i];
                if row.len() <= 20 {
                    row.iter().for_each(|&j| freed.add(j as usize));
                } else {
                    (0..20).for_each(|_| freed.add(row[dice.below(row.len())] as usize));
                }
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
    pub fn far_from(&self, problem: &Problem, free: &[usize]) -> Vec<usize> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::generate;

    #[test]
    fn every_way_frees_what_it_says_and_nothing_twice() {
        let problem = generate("ip", &[], 1, 0).unwrap().problem;
        let map = Map::new(&problem, Some(vec![0.1; problem.columns()]));
        // Item i in bin i mod 10: 105 of 1,050 are chosen.
        let mut centre = vec![0.0; problem.columns()];
        for (place, &j) in map.discrete.iter().enumerate() {
            centre[j] = f64::from(u8::from(place % 10 == (place / 10) % 10));
        }
        let mut other = centre.clone();
        other[map.discrete[0]] = 1.0 - other[map.discrete[0]];
        let mut dice = Dice::new("test", 0, 0);
        for choice in map.choices() {
            let free = map.free(choice, 0.2, &centre, &other, &mut dice);
            let mut once = free.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), free.len(), "{choice:?}");
            assert!(free.iter().all(|&j| problem.kind[j] != Kind::Continuous), "{choice:?}");
            let chosen = free.iter().filter(|&&j| centre[j] == 1.0).count();
            match choice {
                Choice::Chosen | Choice::ChosenNear => assert_eq!((free.len(), chosen), (945 + 21, 21)),
                Choice::ChosenGuided => assert!(chosen == 21 && free.len() < 300, "{}", free.len()),
                _ => assert_eq!(free.len(), 210, "{choice:?}"),
            }
            if choice == Choice::Crossing {
                assert!(free.contains(&map.discrete[0]), "where the two differ");
            }
        }
        assert_eq!(map.choices().len(), Choice::ALL.len());
    }

    #[test]
    fn switched_variables_speak_for_the_continuous_ones() {
        // r0 ≤ 5 y0, r1 ≤ 5 y1, r0 + r1 ≥ 3: the last row ties y0 and y1 together.
        let mut problem = Problem::default();
        for kind in [Kind::Binary, Kind::Binary, Kind::Continuous, Kind::Continuous] {
            problem.add_column(f64::from(u8::from(kind == Kind::Binary)), 0.0, 1.0, kind);
        }
        problem.rows.push(f64::NEG_INFINITY, [(0, -5.0), (2, 1.0)], 0.0);
        problem.rows.push(f64::NEG_INFINITY, [(1, -5.0), (3, 1.0)], 0.0);
        problem.rows.push(3.0, [(2, 1.0), (3, 1.0)], f64::INFINITY);
        let map = Map::new(&problem, None);
        assert_eq!(map.rows[2], [0, 1]);
        assert_eq!(map.idle, [2, 3]);
        assert_eq!(map.far_from(&problem, &[0]), [3], "r1 stays as it is while y0 is free");
    }
}
