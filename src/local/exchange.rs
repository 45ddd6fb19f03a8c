//! A local search over choices: where every group of binaries has exactly one that is 1 (an item and its
//! bins, a job and its machines), the moves are another choice for one group, and two groups that
//! exchange their choices.
//!
//! A single flip always breaks such a group, so [flips](super::flips) have to go through points that are
//! far worse. Here every point has one choice a group, other rows that do not hold cost their weight,
//! and simulated annealing decides: a move that is worse by δ is made with probability e^{−δ/T}, and T
//! falls from what moves typically cost to a small part of it. Then it starts again from the best point,
//! a little less hot.

use super::flips::Flips;
use crate::problem::{Kind, Problem};

/// Groups of binaries of which exactly one is 1, no column in two of them.
pub(super) struct Groups {
    /// The columns of each group. Places mean the same in groups of one length: the k-th bin.
    columns: Vec<Vec<u32>>,
    /// The groups of each length, two or more of them.
    alike: Vec<Vec<u32>>,
    /// Every binary is in one.
    has_all: bool,
}

impl Groups {
    /// The groups of a problem; none if there are too few to be worth it.
    pub(super) fn of(problem: &Problem) -> Option<Groups> {
        let rows = &problem.rows;
        let mut taken = vec![false; problem.columns()];
        let mut columns = vec![];
        for i in 0..rows.len() {
            let is_choice = rows.lhs[i] == 1.0
                && rows.rhs[i] == 1.0
                && rows.start[i + 1] - rows.start[i] > 1
                && rows.terms(i).all(|(j, a)| a == 1.0 && problem.kind[j] == Kind::Binary && !taken[j]);
            if is_choice {
                rows.terms(i).for_each(|(j, _)| taken[j] = true);
                columns.push(rows.terms(i).map(|(j, _)| j as u32).collect::<Vec<u32>>());
            }
        }
        let all = problem.binaries().count();
        let grouped = taken.iter().filter(|&&taken| taken).count();
        if columns.len() < 2 || 2 * grouped < all {
            return None;
        }
        let mut by_length = std::collections::BTreeMap::<usize, Vec<u32>>::new();
        for (number, group) in columns.iter().enumerate() {
            by_length.entry(group.len()).or_default().push(number as u32);
        }
        let alike = by_length.into_values().filter(|groups| groups.len() > 1).collect();
        Some(Groups { columns, alike, has_all: grouped == all })
    }
}

/// How hot a start is, as a multiple of what a move typically costs. These three were measured on item
/// placement: hotter or colder starts lose some percent, one long anneal instead of four another few.
const HOT: f64 = 0.1;

/// How cold the end is, as a part of the start.
const COLD: f64 = 1e-2;

/// So many anneals one after the other.
const ANNEALS: f64 = 4.0;

impl Flips<'_> {
    /// Whether there is anything to exchange.
    pub(crate) fn can_exchange(&self) -> bool {
        self.groups.is_some()
    }

    /// Whether exchanges reach every point. Where some binaries are in no group, flips must have their turn.
    pub(crate) fn all_can_exchange(&self) -> bool {
        self.groups.as_ref().is_some_and(|groups| groups.has_all)
    }

    /// Searches for points below the objective `target` by exchanges. `progress` says how much of the time
    /// is over, from 0 to 1; `found` is told each point and its objective, and says what the target is
    /// then; a target of −∞ ends the search.
    pub(crate) fn exchange(
        &mut self,
        mut target: f64,
        mut progress: impl FnMut() -> f64,
        mut found: impl FnMut(f64, &[f64]) -> f64,
    ) {
        let Some(groups) = self.groups.take() else { return };
        let mut choice = self.choose(&groups);
        self.descend(&groups, &mut choice, &mut progress);
        let typical = self.typical(&groups, &choice);
        // What one unit of violation costs; more and more, while the best point has any.
        let mut penalty = typical;
        let mut best = (self.objective + penalty * self.violation(), choice.clone());
        let hot = HOT * typical;
        let (mut temperature, mut anneal) = (hot, 0);
        loop {
            if self.examined >= super::flips::CHECKED_EVERY {
                self.examined = 0;
                let done = progress();
                if done >= 1.0 {
                    break;
                }
                let (number, within) = ((ANNEALS * done) as u32, (ANNEALS * done).fract());
                if number > anneal {
                    anneal = number;
                    self.go_to_choice(&groups, &mut choice, &best.1);
                    if !self.violated.is_empty() {
                        penalty *= 4.0;
                        best.0 = self.objective + penalty * self.violation();
                    }
                }
                temperature = hot * COLD.powf(within) / f64::from(1 + number);
            }
            let (steps, count) = self.draw(&groups, &choice);
            let (cost, harm) = self.growth(columns(&steps[..count]));
            let worse = cost + penalty * harm;
            if worse > 0.0 && self.dice.unit() >= (-worse / temperature).exp() {
                continue;
            }
            self.make(&steps[..count], &mut choice);
            let energy = self.objective + penalty * self.violation();
            if energy < best.0 - 1e-9 {
                best.0 = energy;
                best.1.clone_from(&choice);
            }
            if self.objective < target && self.is_feasible() {
                target = found(self.objective, &self.point());
                if target == f64::NEG_INFINITY {
                    break;
                }
            }
        }
        self.go_to_choice(&groups, &mut choice, &best.1);
        self.groups = Some(groups);
    }

    /// The place of the choice of each group; where there is none or are several, one is made.
    fn choose(&mut self, groups: &Groups) -> Vec<u32> {
        let mut choice = vec![];
        for group in &groups.columns {
            let chosen = group.iter().position(|&j| self.value[j as usize]).unwrap_or_default();
            for (place, &j) in group.iter().enumerate() {
                if self.value[j as usize] != (place == chosen) {
                    self.flip(j as usize);
                }
            }
            choice.push(chosen as u32);
        }
        choice
    }

    fn go_to_choice(&mut self, groups: &Groups, choice: &mut [u32], to: &[u32]) {
        for (number, group) in groups.columns.iter().enumerate() {
            if choice[number] != to[number] {
                self.flip(group[choice[number] as usize] as usize);
                self.flip(group[to[number] as usize] as usize);
                choice[number] = to[number];
            }
        }
    }

    /// Makes moves that are no worse, for a while.
    fn descend(&mut self, groups: &Groups, choice: &mut [u32], progress: &mut impl FnMut() -> f64) {
        for _ in 0..20 * groups.columns.len() {
            if self.examined >= super::flips::CHECKED_EVERY {
                self.examined = 0;
                if progress() >= 1.0 {
                    return;
                }
            }
            let (steps, count) = self.draw(groups, choice);
            let (cost, harm) = self.growth(columns(&steps[..count]));
            if harm < 0.0 || (harm == 0.0 && cost <= 0.0) {
                self.make(&steps[..count], choice);
            }
        }
    }

    fn make(&mut self, steps: &[Step], choice: &mut [u32]) {
        columns(steps).for_each(|j| self.flip(j));
        steps.iter().for_each(|step| choice[step.group as usize] = step.place);
    }

    /// What a move costs, either way: the mean of some that are not free.
    fn typical(&mut self, groups: &Groups, choice: &[u32]) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..500 {
            let (steps, many) = self.draw(groups, choice);
            let cost = self.growth(columns(&steps[..many])).0.abs();
            if cost > 1e-9 {
                sum += cost;
                count += 1;
            }
        }
        if count == 0 { 1.0 } else { sum / f64::from(count) }
    }

    /// A random move: one group or two.
    fn draw(&mut self, groups: &Groups, choice: &[u32]) -> ([Step; 2], usize) {
        let step = |group: u32, place: u32| {
            let columns = &groups.columns[group as usize];
            Step { group, place, from: columns[choice[group as usize] as usize], to: columns[place as usize] }
        };
        if !groups.alike.is_empty() && self.dice.chance(0.7) {
            let alike = &groups.alike[self.dice.below(groups.alike.len())];
            for _ in 0..10 {
                let [a, b] = [(); 2].map(|()| alike[self.dice.below(alike.len())]);
                let [at_a, at_b] = [a, b].map(|group| choice[group as usize]);
                if at_a != at_b {
                    return ([step(a, at_b), step(b, at_a)], 2);
                }
            }
        }
        let group = self.dice.below(groups.columns.len()) as u32;
        let others = groups.columns[group as usize].len() as u32 - 1;
        let skip = self.dice.below(others as usize) as u32;
        let place = if skip >= choice[group as usize] { skip + 1 } else { skip };
        let only = step(group, place);
        ([only, only], 1)
    }
}

/// A group that takes another place.
#[derive(Clone, Copy)]
struct Step {
    group: u32,
    place: u32,
    from: u32,
    to: u32,
}

/// The columns that some steps flip.
fn columns(steps: &[Step]) -> impl Iterator<Item = usize> + Clone + '_ {
    steps.iter().flat_map(|step| [step.from as usize, step.to as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use crate::instances::generate;

    /// The best objective after so many looks at the clock, from nothing.
    fn best(problem: &Problem, looks: u32, seed: u64) -> f64 {
        let mut flips = Flips::new(problem, &vec![0.0; problem.columns()], seed).unwrap();
        assert!(flips.can_exchange());
        let (mut best, mut looked) = (f64::INFINITY, 0);
        let progress = || {
            looked += 1;
            f64::from(looked) / f64::from(looks)
        };
        flips.exchange(f64::INFINITY, progress, |objective, point| {
            let all_hold = (0..problem.rows.len()).all(|i| {
                let activity: f64 = problem.rows.terms(i).map(|(j, a)| a * point[j]).sum();
                problem.rows.lhs[i] - 1e-6 <= activity && activity <= problem.rows.rhs[i] + 1e-6
            });
            assert!(all_hold && objective < best, "every point that is told is feasible and better");
            best = objective;
            best
        });
        best
    }

    #[test]
    fn jobs_find_their_machines() {
        // Six jobs on three machines with room for two and a bit each: all 729 ways are tried.
        for seed in 0..20 {
            let mut dice = Dice::new("jobs", seed, 0);
            let mut problem = Problem::default();
            let load: Vec<f64> = (0..6).map(|_| dice.between(0.5, 1.0)).collect();
            for _ in 0..18 {
                problem.add_column(dice.between(0.0, 10.0), 0.0, 1.0, Kind::Binary);
            }
            for job in 0..6 {
                problem.rows.push(1.0, (0..3).map(|machine| (3 * job + machine, 1.0)), 1.0);
            }
            for machine in 0..3 {
                let terms = (0..6).map(|job| (3 * job + machine, load[job]));
                problem.rows.push(f64::NEG_INFINITY, terms, 2.0);
            }
            let optimum = (0..729u32)
                .filter_map(|way| {
                    let machine = |job: u32| way as usize / 3usize.pow(job) % 3;
                    let mut room = [2.0; 3];
                    (0..6).for_each(|job| room[machine(job as u32)] -= load[job]);
                    let cost =
                        (0..6).map(|job| problem.objective[3 * job + machine(job as u32)]).sum::<f64>();
                    room.iter().all(|&room| room >= 0.0).then_some(cost)
                })
                .fold(f64::INFINITY, f64::min);
            let found = best(&problem, 20, seed);
            assert!(found == optimum || (found - optimum).abs() < 1e-6, "{seed}: {found}, not {optimum}");
        }
    }

    #[test]
    fn items_are_placed_well() {
        let problem = generate("ip", &[], 1, 0).unwrap().problem;
        let found = best(&problem, 100, 1);
        assert!(found < 10.0, "{found}");
        assert_eq!(found, best(&problem, 100, 1), "the same seed gives the same");
    }

    #[test]
    fn covers_have_nothing_to_exchange() {
        let problem = generate("ca-small", &[], 1, 0).unwrap().problem;
        assert!(Groups::of(&problem).is_none());
    }
}
