//! A local search over binaries: one flip at a time, with weights on the constraints.
//!
//! On covers and packings, where flipping one variable is a sensible move, it finds in a second what
//! neighbourhoods take minutes for. The point is always either infeasible or just left: whenever it
//! is feasible and below the target it is reported, and then the objective is pushed below the target
//! again. One step is
//!
//! 1. while the objective is not below the target: the flip that lowers it and does the least weighted
//!    harm to the constraints, for what it gains;
//! 2. in a random violated constraint: the flip that mends most, by weight, for what it costs;
//! 3. the constraints that are violated still weigh one more.
//!
//! The weights carry the search out of every local optimum: what stays violated becomes dear. (The
//! scheme is known from set covering, e.g. Gao, Weise and Li 2015; here the rows are any linear ones.)

use super::exchange::Groups;
use super::response::{Effect, Response};
use crate::dice::Dice;
use crate::problem::{Kind, Problem};

/// A problem of binaries, and of continuous columns that follow from them, prepared for flipping, at a
/// point.
pub(crate) struct Flips<'a> {
    problem: &'a Problem,
    /// For each column its rows and coefficients.
    columns: Vec<Vec<(u32, f64)>>,
    rows: Vec<Row>,
    /// What the continuous columns do.
    response: Option<Response>,
    effect: Effect,
    pub(super) value: Vec<bool>,
    pub(super) objective: f64,
    pub(super) violated: Set,
    /// Columns whose flip lowers the objective.
    improving: Set,
    /// The step before which each column is left alone.
    tabu_until: Vec<u64>,
    step: u64,
    /// Flips made or considered since the clock was read.
    pub(super) examined: u64,
    /// As how many usual ones a flip of each column counts: its rows are looked at one by one, and its demands
    /// are compared with each other.
    effort: Vec<u32>,
    pub(super) dice: Dice,
    pace: Pace,
    /// For exchanges.
    pub(super) groups: Option<Groups>,
    /// Changes of rows that are being asked about, and for each row its place among them.
    changes: Vec<(u32, f64)>,
    place: Vec<u32>,
}

/// A constraint at the point, all that is asked about it side by side.
#[derive(Clone, Copy)]
struct Row {
    activity: f64,
    lhs: f64,
    rhs: f64,
    weight: f64,
    /// The weight of one unit of violation: that by the largest coefficient.
    price: f64,
    unit: f64,
}

impl Row {
    /// One that always holds.
    const IDLE: Row =
        Row { activity: 0.0, lhs: f64::NEG_INFINITY, rhs: f64::INFINITY, weight: 1.0, price: 1.0, unit: 1.0 };

    /// How far it is from holding when its activity changes by `change`.
    fn excess(&self, change: f64) -> f64 {
        let activity = self.activity + change;
        (self.lhs - activity).max(activity - self.rhs).max(0.0)
    }

    fn is_violated(&self) -> bool {
        self.excess(0.0) > TOLERANCE
    }

    fn set_weight(&mut self, weight: f64) {
        self.weight = weight;
        self.price = weight / self.unit;
    }
}

/// How a search goes: both were measured, on covers, packings and item placement.
#[derive(Clone, Copy)]
struct Pace {
    /// Of so many candidates the best is taken.
    candidates: usize,
    /// After so many steps in vain the search goes back to where it was last successful, with the
    /// weights that it has now.
    patience: u64,
}

/// Where the objective is a sum over the binaries.
const QUICK: Pace = Pace { candidates: 300, patience: 5_000 };

/// Where continuous columns respond: few flips help, and a bad one is far from the next good point.
const THOROUGH: Pace = Pace { candidates: 1_000, patience: 500 };

/// What is as good as 0 in a constraint, for whoever adds up in another order.
const TOLERANCE: f64 = 1e-9;

/// Sides are so much wider, relative to what they are: numbers in files are cut off somewhere. The solver, which
/// checks every point, is five times as generous.
const WIDER: f64 = 2e-7;

impl<'a> Flips<'a> {
    /// Starts at a point. None if there are columns that are neither binary nor follow from binaries.
    pub(crate) fn new(problem: &'a Problem, start: &[f64], seed: u64) -> Option<Flips<'a>> {
        let free = |j: usize| problem.lower[j] == 0.0 && problem.upper[j] == 1.0;
        let mut response = None;
        for j in 0..problem.columns() {
            match problem.kind[j] {
                Kind::Binary if free(j) => {}
                Kind::Continuous if response.is_some() => {}
                Kind::Continuous => response = Some(Response::new(problem)?),
                _ => return None,
            }
        }
        let mut columns = vec![vec![]; problem.columns()];
        let mut rows = Vec::with_capacity(problem.rows.len());
        for i in 0..problem.rows.len() {
            let mut unit = 0f64;
            if Response::has(problem, i) {
                // It holds whatever the binaries are.
                rows.push(Row::IDLE);
                continue;
            }
            for (j, coefficient) in problem.rows.terms(i).filter(|term| term.1 != 0.0) {
                columns[j].push((i as u32, coefficient));
                unit = unit.max(coefficient.abs());
            }
            let (lhs, rhs, unit) = (problem.rows.lhs[i], problem.rows.rhs[i], unit.max(TOLERANCE));
            // Whole numbers are what they are.
            let is_cut_off = |number: f64| number.is_finite() && number.fract() != 0.0;
            let wide =
                is_cut_off(lhs) || is_cut_off(rhs) || problem.rows.terms(i).any(|term| is_cut_off(term.1));
            let wider = |side: f64| if wide && side.is_finite() { WIDER * side.abs().max(1.0) } else { 0.0 };
            let (lhs, rhs) = (lhs - wider(lhs), rhs + wider(rhs));
            rows.push(Row { activity: 0.0, lhs, rhs, weight: 1.0, price: 1.0 / unit, unit });
        }
        let effort = (0..problem.columns()).map(|j| {
            let demands = response.as_ref().map_or(0, |response| response.size(j)) as u64;
            let looks = columns[j].len() as u64 + demands * demands / 4;
            u32::try_from(1 + looks / A_QUESTION).unwrap_or(u32::MAX)
        });
        let mut flips = Flips {
            problem,
            effort: effort.collect(),
            columns,
            value: vec![false; problem.columns()],
            objective: problem.offset + response.as_ref().map_or(0.0, Response::cost),
            pace: if response.is_some() { THOROUGH } else { QUICK },
            response,
            effect: Effect::default(),
            violated: Set::new(rows.len()),
            improving: Set::new(problem.columns()),
            tabu_until: vec![0; problem.columns()],
            place: vec![Set::OUT; rows.len()],
            rows,
            step: 0,
            examined: CHECKED_EVERY,
            dice: Dice::new("flips", seed, 0),
            groups: Groups::of(problem),
            changes: vec![],
        };
        for (i, row) in flips.rows.iter().enumerate() {
            flips.violated.put(i, row.is_violated());
        }
        for j in 0..problem.columns() {
            let lowers = flips.lowers(j);
            flips.improving.put(j, lowers);
        }
        flips.go_to(start);
        Some(flips)
    }

    /// The weights: what is hard to satisfy, as far as the search has seen.
    pub(crate) fn into_weights(self) -> Vec<f64> {
        self.rows.into_iter().map(|row| row.weight).collect()
    }

    /// Goes on with the weights of an earlier search of the same problem.
    pub(crate) fn with_weights(mut self, weight: Option<Vec<f64>>) -> Flips<'a> {
        for (row, weight) in self.rows.iter_mut().zip(weight.into_iter().flatten()) {
            row.set_weight(weight);
        }
        self
    }

    /// Goes to another point; the weights stay.
    fn go_to(&mut self, point: &[f64]) {
        for (j, &value) in point.iter().enumerate() {
            if self.problem.kind[j] == Kind::Binary && (value > 0.5) != self.value[j] {
                self.flip(j);
            }
        }
    }

    /// Searches for points below the objective `target`. `found` is told each one, with its objective,
    /// and says what the target is then; a target of −∞ ends the search, as `over` does.
    pub(crate) fn search(
        &mut self,
        mut target: f64,
        mut over: impl FnMut() -> bool,
        mut found: impl FnMut(f64, &[f64]) -> f64,
    ) {
        // Where the search goes back to when it is lost: nowhere, as long as nothing was feasible.
        let mut last = (self.step, self.is_feasible().then(|| self.point()));
        loop {
            self.examined += 1;
            if self.examined >= CHECKED_EVERY {
                self.examined = 0;
                if over() {
                    return;
                }
            }
            if self.objective < target && self.is_feasible() {
                let point = self.point();
                target = found(self.objective, &point);
                last = (self.step, Some(point));
            } else if self.step > last.0 + self.pace.patience {
                last.0 = self.step;
                if let Some(point) = &last.1 {
                    self.go_to(point);
                }
            }
            self.step += 1;
            // A feasible point is left in any case, or the same would be found again.
            let mut pushes = 0;
            while (pushes == 0 && self.violated.is_empty()) || self.objective >= target {
                let Some(j) = self.cheapest_gain() else { return };
                self.flip(j);
                self.tabu_until[j] = self.step + TABU + self.dice.below(TABU as usize) as u64;
                pushes += 1;
                if pushes == PUSHES {
                    break; // the target may be lower than anything can be
                }
            }
            if let Some(j) = self.dearest_repair() {
                self.flip(j);
                self.tabu_until[j] = self.step + 1 + self.dice.below(TABU as usize) as u64;
            }
            for &i in &self.violated.members {
                let row = &mut self.rows[i as usize];
                row.set_weight(row.weight + 1.0);
            }
            self.examined += self.violated.members.len() as u64 / A_QUESTION;
        }
    }

    pub(super) fn point(&self) -> Vec<f64> {
        let mut point: Vec<f64> = self.value.iter().map(|&value| f64::from(u8::from(value))).collect();
        if let Some(response) = &self.response {
            response.write(&mut point);
        }
        point
    }

    pub(super) fn is_feasible(&self) -> bool {
        self.violated.is_empty() && self.response.as_ref().is_none_or(Response::is_within_bounds)
    }

    /// The weighted violation that flipping a column would add; negative if it mends.
    fn harm(&self, j: usize) -> f64 {
        let sign = if self.value[j] { -1.0 } else { 1.0 };
        let mut harm = 0.0;
        for &(i, coefficient) in &self.columns[j] {
            let row = &self.rows[i as usize];
            harm += row.price * (row.excess(sign * coefficient) - row.excess(0.0));
        }
        harm
    }

    /// What flipping a column adds to the objective.
    fn cost(&mut self, j: usize) -> f64 {
        self.examined += u64::from(self.effort[j]);
        let sign = if self.value[j] { -1.0 } else { 1.0 };
        let follows = |response: &Response| response.ask([(j, sign)], &mut self.effect);
        sign * self.problem.objective[j] + self.response.as_ref().map_or(0.0, follows)
    }

    /// What the rows that do not hold weigh.
    pub(super) fn violation(&self) -> f64 {
        let broken = self.violated.members.iter().map(|&i| &self.rows[i as usize]);
        broken.map(|row| row.price * row.excess(0.0)).sum()
    }

    /// How much the objective and the violation grow when all these columns are flipped.
    pub(super) fn growth(&mut self, columns: impl Iterator<Item = usize> + Clone) -> (f64, f64) {
        self.examined += columns.clone().map(|j| u64::from(self.effort[j])).max().unwrap_or(1);
        let value = &self.value;
        let signs = columns.map(|j| (j, if value[j] { -1.0 } else { 1.0 }));
        self.changes.clear();
        let (mut cost, mut harm) = (0.0, 0.0);
        for (j, sign) in signs.clone() {
            cost += sign * self.problem.objective[j];
            for &(i, coefficient) in &self.columns[j] {
                let place = &mut self.place[i as usize];
                if *place == Set::OUT {
                    *place = self.changes.len() as u32;
                    self.changes.push((i, 0.0));
                }
                self.changes[*place as usize].1 += sign * coefficient;
            }
        }
        for &(i, change) in &self.changes {
            self.place[i as usize] = Set::OUT;
            let row = &self.rows[i as usize];
            harm += row.price * (row.excess(change) - row.excess(0.0));
        }
        cost += self.response.as_ref().map_or(0.0, |response| response.ask(signs, &mut self.effect));
        (cost, harm)
    }

    /// Whether flipping a column may lower the objective.
    fn lowers(&self, j: usize) -> bool {
        let own = if self.value[j] { -self.problem.objective[j] } else { self.problem.objective[j] };
        own < 0.0 || self.response.as_ref().is_some_and(|response| response.hears(j))
    }

    fn is_tabu(&self, j: usize) -> bool {
        self.tabu_until[j] > self.step
    }

    /// Of some flips that lower the objective the one with the least harm for its gain.
    fn cheapest_gain(&mut self) -> Option<usize> {
        let all = self.improving.members.len();
        let mut best: Option<(f64, usize)> = None;
        for k in 0..self.pace.candidates.min(all) {
            let place = if all <= self.pace.candidates { k } else { self.dice.below(all) };
            let j = self.improving.members[place] as usize;
            if self.is_tabu(j) {
                continue;
            }
            let cost = self.cost(j);
            if cost >= 0.0 {
                continue;
            }
            let price = self.harm(j) / -cost;
            if best.is_none_or(|(least, _)| price < least) {
                best = Some((price, j));
            }
        }
        // Everything is tabu or dear: anything will do.
        best.map(|(_, j)| j)
            .or_else(|| (all > 0).then(|| self.improving.members[self.dice.below(all.max(1))] as usize))
    }

    /// Of some flips that mend a random violated row the one that mends most for its cost.
    fn dearest_repair(&mut self) -> Option<usize> {
        let rows = &self.problem.rows;
        let violated = &self.violated.members;
        if violated.is_empty() {
            return None;
        }
        let i = violated[self.dice.below(violated.len())] as usize;
        let (start, all) = (rows.start[i], rows.start[i + 1] - rows.start[i]);
        let low = self.rows[i].activity < rows.lhs[i];
        let mut best: Option<(f64, usize)> = None;
        for k in 0..self.pace.candidates.min(all) {
            let place = start + if all <= self.pace.candidates { k } else { self.dice.below(all) };
            let (j, coefficient) = (rows.column[place] as usize, rows.coefficient[place]);
            let rises = (coefficient > 0.0) != self.value[j];
            if rises != low || self.is_tabu(j) {
                continue;
            }
            let (mended, cost) = (-self.harm(j), self.cost(j));
            // What mends and costs nothing comes first; what harms more than it mends comes last.
            let worth = if mended > 0.0 { mended / cost.max(1e-6) } else { mended * cost.max(1e-6) };
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, j));
            }
        }
        best.map(|(_, j)| j)
    }

    pub(super) fn flip(&mut self, j: usize) {
        self.objective += self.cost(j);
        if let Some(response) = &mut self.response {
            response.accept(&self.effect);
        }
        let sign = if self.value[j] { -1.0 } else { 1.0 };
        self.value[j] = !self.value[j];
        for &(i, coefficient) in &self.columns[j] {
            let i = i as usize;
            self.rows[i].activity += sign * coefficient;
            self.violated.put(i, self.rows[i].is_violated());
        }
        self.improving.put(j, self.lowers(j));
    }
}

/// Steps for which a flipped column is left alone, at the least.
const TABU: u64 = 2;

/// The most flips in one step to get below the target.
const PUSHES: u32 = 50;

/// A usual question about a flip looks at no more rows than this.
const A_QUESTION: u64 = 32;

/// The clock is read once in so many flips that are made or considered: a few milliseconds.
pub(super) const CHECKED_EVERY: u64 = 20_000;

/// A set of small numbers: quick to ask, to change and to draw from.
pub(super) struct Set {
    members: Vec<u32>,
    place: Vec<u32>,
}

impl Set {
    const OUT: u32 = u32::MAX;

    fn new(size: usize) -> Set {
        Set { members: vec![], place: vec![Set::OUT; size] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn put(&mut self, member: usize, inside: bool) {
        let place = self.place[member];
        if inside && place == Set::OUT {
            self.place[member] = self.members.len() as u32;
            self.members.push(member as u32);
        } else if !inside && place != Set::OUT {
            self.members.swap_remove(place as usize);
            if let Some(&moved) = self.members.get(place as usize) {
                self.place[moved as usize] = place;
            }
            self.place[member] = Set::OUT;
        }
    }
}

#[cfg(test)]
#[path = "flips_tests.rs"]
mod tests;
