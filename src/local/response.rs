//! What the continuous columns do when a binary flips, where that is easy to say.
//!
//! In many models continuous columns only measure: `deficit ≥ 1 − Σ load · x`, `worst ≥ deficit`. Each
//! row that has them demands something of one of them, given the binaries and the others, and all
//! of them are cheaper the smaller they are. Then the best values are the least ones, and they follow
//! from the binaries row by row, without a linear program.

use crate::problem::{Kind, Problem};

/// The continuous columns, at their best values for the binaries as they are.
pub(super) struct Response {
    /// Rows that demand something.
    demands: Vec<Demand>,
    /// For each column, if it is binary: which demands it changes when it becomes 1, and by how much.
    of_binary: Vec<Vec<(u32, f64)>>,
    measures: Vec<Measure>,
}

/// The row `column ≥ level + …`.
#[derive(Clone, Copy)]
struct Demand {
    measure: u32,
    level: f64,
}

/// A continuous column.
struct Measure {
    column: usize,
    cost: f64,
    lower: f64,
    upper: f64,
    value: f64,
    /// Its place in an order in which nothing depends on what comes later.
    rank: u32,
    /// The rows that demand of it.
    demands: Vec<u32>,
    /// The demands that rise with it, and how fast.
    feeds: Vec<(u32, f64)>,
}

/// What a flip would change. Kept between questions, so that asking needs no memory.
#[derive(Default)]
pub(super) struct Effect {
    levels: Vec<(u32, f64)>,
    values: Vec<(u32, f64)>,
    pending: Vec<u32>,
}

impl Response {
    /// The response of a problem whose binaries are all 0; none if it is not that simple.
    pub(super) fn new(problem: &Problem) -> Option<Response> {
        let continuous = |j: usize| problem.kind[j] == Kind::Continuous;
        let mut place = vec![None; problem.columns()];
        let mut measures = vec![];
        for column in (0..problem.columns()).filter(|&j| continuous(j)) {
            let (cost, lower, upper) =
                (problem.objective[column], problem.lower[column], problem.upper[column]);
            if cost < 0.0 || !lower.is_finite() {
                return None;
            }
            place[column] = Some(measures.len() as u32);
            let (demands, feeds) = (vec![], vec![]);
            measures.push(Measure { column, cost, lower, upper, value: lower, rank: 0, demands, feeds });
        }
        let mut response = Response { demands: vec![], of_binary: vec![vec![]; problem.columns()], measures };
        for i in 0..problem.rows.len() {
            if problem.rows.terms(i).any(|(j, _)| continuous(j)) {
                response.add(problem, i, &place)?;
            }
        }
        response.sort()?;
        // In their order: all that feeds a measure has its value when it is its turn.
        for measure in 0..response.measures.len() {
            response.measures[measure].value = response.least(measure, &Effect::default());
            let Measure { value, feeds, .. } = &response.measures[measure];
            for &(number, factor) in feeds {
                response.demands[number as usize].level += factor * value;
            }
        }
        Some(response)
    }

    /// Adds a row, if it demands of exactly one.
    fn add(&mut self, problem: &Problem, i: usize, place: &[Option<u32>]) -> Option<()> {
        let (lhs, rhs) = (problem.rows.lhs[i], problem.rows.rhs[i]);
        let (sign, side) = match (lhs.is_finite(), rhs.is_finite()) {
            (true, false) => (1.0, lhs),
            (false, true) => (-1.0, -rhs),
            _ => return None,
        };
        let number = self.demands.len() as u32;
        let terms = || problem.rows.terms(i).map(|(j, coefficient)| (j, sign * coefficient));
        let mut owners = terms().filter(|&(j, coefficient)| place[j].is_some() && coefficient > 0.0);
        let (owner, scale) = owners.next()?;
        if owners.next().is_some() {
            return None;
        }
        for (j, coefficient) in terms().filter(|&(j, _)| j != owner) {
            match place[j] {
                Some(other) => self.measures[other as usize].feeds.push((number, -coefficient / scale)),
                None => self.of_binary[j].push((number, -coefficient / scale)),
            }
        }
        let measure = place[owner]?;
        self.demands.push(Demand { measure, level: side / scale });
        self.measures[measure as usize].demands.push(number);
        Some(())
    }

    /// Puts the measures into an order in which they can be computed; none if they go in circles.
    fn sort(&mut self) -> Option<()> {
        // Whoever waits for nobody has its rank; what it feeds is later, and waits for one less.
        let target = |this: &Self, from: usize, k: usize| {
            this.demands[this.measures[from].feeds[k].0 as usize].measure as usize
        };
        let mut waiting = vec![0u32; self.measures.len()];
        for from in 0..self.measures.len() {
            (0..self.measures[from].feeds.len()).for_each(|k| waiting[target(self, from, k)] += 1);
        }
        let mut ready: Vec<usize> = (0..self.measures.len()).filter(|&m| waiting[m] == 0).collect();
        let mut order = vec![];
        while let Some(from) = ready.pop() {
            order.push(from);
            for k in 0..self.measures[from].feeds.len() {
                let to = target(self, from, k);
                self.measures[to].rank = self.measures[to].rank.max(self.measures[from].rank + 1);
                waiting[to] -= 1;
                if waiting[to] == 0 {
                    ready.push(to);
                }
            }
        }
        if order.len() < self.measures.len() {
            return None; // the others wait for each other
        }
        order.sort_by_key(|&m| (self.measures[m].rank, m));
        self.renumber(&order)
    }

    /// Measures in this order from now on: then their number is their rank.
    fn renumber(&mut self, order: &[usize]) -> Option<()> {
        let mut place = vec![0; order.len()];
        let mut old: Vec<Option<Measure>> =
            std::mem::take(&mut self.measures).into_iter().map(Some).collect();
        for (new, &number) in order.iter().enumerate() {
            place[number] = new as u32;
            self.measures.push(old[number].take()?);
        }
        for demand in &mut self.demands {
            demand.measure = place[demand.measure as usize];
        }
        Some(())
    }

    /// The least value of a measure, with the levels of `effect`.
    fn least(&self, measure: usize, effect: &Effect) -> f64 {
        let Measure { lower, demands, .. } = &self.measures[measure];
        demands.iter().map(|&number| self.level(number, effect)).fold(*lower, f64::max)
    }

    fn level(&self, number: u32, effect: &Effect) -> f64 {
        let changed = effect.levels.iter().find(|level| level.0 == number);
        changed.map_or(self.demands[number as usize].level, |level| level.1)
    }

    /// Notes that a demand changes by `change`.
    fn raise(&self, number: u32, change: f64, effect: &mut Effect) {
        let level = self.level(number, effect) + change;
        match effect.levels.iter_mut().find(|known| known.0 == number) {
            Some(known) => known.1 = level,
            None => effect.levels.push((number, level)),
        }
        let measure = self.demands[number as usize].measure;
        if !effect.pending.contains(&measure) {
            effect.pending.push(measure);
        }
    }

    /// What the measures cost more when these binaries become 1 (their sign is 1) or 0 (−1).
    pub(super) fn ask(&self, flips: impl IntoIterator<Item = (usize, f64)>, effect: &mut Effect) -> f64 {
        effect.levels.clear();
        effect.values.clear();
        effect.pending.clear();
        for (j, sign) in flips {
            for &(number, change) in &self.of_binary[j] {
                self.raise(number, sign * change, effect);
            }
        }
        let mut cost = 0.0;
        while let Some(first) = (0..effect.pending.len()).min_by_key(|&k| effect.pending[k]) {
            let measure = effect.pending.swap_remove(first);
            let value = self.least(measure as usize, effect);
            let change = value - self.measures[measure as usize].value;
            if change != 0.0 {
                effect.values.push((measure, value));
                cost += self.measures[measure as usize].cost * change;
                for &(number, factor) in &self.measures[measure as usize].feeds {
                    self.raise(number, factor * change, effect);
                }
            }
        }
        cost
    }

    /// Makes true what was asked last.
    pub(super) fn accept(&mut self, effect: &Effect) {
        for &(number, level) in &effect.levels {
            self.demands[number as usize].level = level;
        }
        for &(measure, value) in &effect.values {
            self.measures[measure as usize].value = value;
        }
    }

    /// No measure is beyond its upper bound.
    pub(super) fn is_within_bounds(&self) -> bool {
        self.measures.iter().all(|measure| measure.value <= measure.upper + 1e-9)
    }

    /// Writes the values into a point.
    pub(super) fn write(&self, point: &mut [f64]) {
        for measure in &self.measures {
            point[measure.column] = measure.value.min(measure.upper);
        }
    }

    /// What all of them cost now.
    pub(super) fn cost(&self) -> f64 {
        self.measures.iter().map(|measure| measure.cost * measure.value).sum()
    }

    /// Whether a row is one of those that this is about: it has a continuous column.
    pub(super) fn has(problem: &Problem, i: usize) -> bool {
        problem.rows.terms(i).any(|(j, _)| problem.kind[j] == Kind::Continuous)
    }

    /// How many demands a binary changes.
    pub(super) fn size(&self, j: usize) -> usize {
        self.of_binary[j].len()
    }

    /// Whether flipping a binary can change anything here.
    pub(super) fn hears(&self, j: usize) -> bool {
        !self.of_binary[j].is_empty()
    }
}
