//! Good solutions from different beginnings, to be crossed with the incumbent: where flips end depends on where
//! they began, and each end has something that the others have not.
//!
//! What an incumbent and one other solution have not in common is a small problem, often one that its
//! relaxation solves; with several others it is larger, and holds more. So the number of others grows as
//! long as searches come to their end quickly, and shrinks where they do not.

use crate::correction::Reference;
use crate::dice::Dice;
use crate::local::packing::{Packed, Packing};
use crate::local::trim::Trimmed;

/// So many are kept, unless they have more values than these in all …
const CAPACITY: usize = 20;
const MOST_VALUES: usize = 5_000_000;

/// … and so many crossed with the incumbent, at the most.
const MOST_PARENTS: usize = 10;

/// The first beginnings have so many seconds …
const SHORTEST: f64 = 0.2;

/// … and each crossing in vain makes the next so many times longer.
const GROWTH: f64 = 1.15;

/// Of so many beginnings half are at what two solutions have in common.
const BEGIN: u32 = 4;

/// The solutions, and how they are used.
#[derive(Clone, Debug)]
pub(super) struct Elite {
    /// The newest last.
    members: Vec<Reference>,
    /// Packings that evolve, and the columns of the problem that they are over.
    island: Vec<Packed>,
    columns: Vec<usize>,
    /// How many of the members are crossed with the incumbent.
    parents: usize,
    /// Beginnings so far.
    beginnings: u32,
    /// Seconds for the next one.
    pub(super) seconds: f64,
}

fn at_one(is_one: bool) -> f64 {
    f64::from(u8::from(is_one))
}

impl Default for Elite {
    fn default() -> Elite {
        Elite {
            members: vec![],
            island: vec![],
            columns: vec![],
            parents: 1,
            beginnings: 0,
            seconds: SHORTEST,
        }
    }
}

impl Elite {
    /// Where flips begin next: at nothing, at what the guide says, or at what two members have in common.
    pub(super) fn beginning(&mut self, guide: Option<&[f64]>, columns: usize, dice: &mut Dice) -> Vec<f64> {
        self.beginnings += 1;
        match (self.beginnings % BEGIN, guide) {
            (0 | 2, _) if self.members.len() > 1 => {
                let mut both: Vec<usize> = (0..self.members.len()).collect();
                dice.shuffle_front(&mut both, 2);
                let [a, b] = [both[0], both[1]].map(|member| &self.members[member].values);
                a.iter().zip(b).map(|(a, b)| at_one(*a > 0.5 && *b > 0.5)).collect()
            }
            (3, Some(guide)) => guide.iter().map(|&p| at_one(p > 0.5)).collect(),
            _ => vec![0.0; columns],
        }
    }

    /// Lets packings of what can change of the problem evolve. Where they have come to an end, their best is a
    /// member, and the next ones begin from nothing.
    pub(super) fn evolve(
        &mut self,
        packing: &Packing,
        ground: &Trimmed,
        target: f64,
        seed: u64,
        progress: impl FnMut() -> f64,
        found: impl FnMut(f64, &[f64]) -> f64,
    ) {
        if self.columns != ground.left.origin {
            self.island.clear();
            self.columns.clone_from(&ground.left.origin);
        }
        if packing.evolve(&mut self.island, target, seed, progress, found) {
            let best = self.island.drain(..).max_by(|a, b| a.worth.total_cmp(&b.worth));
            if let Some(packed) = best {
                let point: Vec<f64> = packed.is_in.iter().map(|&is_in| at_one(is_in)).collect();
                let (objective, values) = (packing.objective(&packed), ground.whole(&point));
                self.add(Reference { objective, values });
            }
        }
    }

    /// Takes one more; where there is no room the worst goes.
    pub(super) fn add(&mut self, found: Reference) {
        let capacity = (MOST_VALUES / found.values.len().max(1)).clamp(1, CAPACITY);
        self.members.push(found);
        if self.members.len() > capacity {
            let objective = |member: usize| self.members[member].objective;
            let worst = (0..capacity).max_by(|&a, &b| objective(a).total_cmp(&objective(b)));
            worst.map(|worst| self.members.remove(worst));
        }
    }

    /// The newest one.
    pub(super) fn newest(&self) -> Option<&Reference> {
        self.members.last()
    }

    /// Who is crossed with the incumbent: the newest, and some others, as points of what can change of the problem.
    pub(super) fn parents(&self, ground: &Trimmed, dice: &mut Dice) -> Vec<Vec<f64>> {
        let Some((newest, others)) = self.members.split_last() else { return vec![] };
        let count = (self.parents - 1).min(others.len());
        let mut some: Vec<usize> = (0..others.len()).collect();
        dice.shuffle_front(&mut some, count);
        let parents = some[..count].iter().map(|&other| &others[other]).chain([newest]);
        parents.map(|parent| ground.part(&parent.values)).collect()
    }

    /// What came of a crossing: whether it gained, and whether it was searched to its end, in which time. No
    /// beginning is longer than `longest`.
    pub(super) fn learn(&mut self, has_gained: bool, exhausted: bool, took: f64, longest: f64) {
        if !has_gained {
            self.seconds = (GROWTH * self.seconds).min(longest).max(SHORTEST);
        }
        if exhausted && took < 0.5 * self.seconds {
            self.parents = (self.parents + 1).min(MOST_PARENTS);
        } else if !exhausted {
            self.parents = (self.parents - 1).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::trim::trim;
    use crate::problem::{Kind, Problem};

    fn good(objective: f64, ones: &[usize]) -> Reference {
        let mut values = vec![0.0; 6];
        ones.iter().for_each(|&j| values[j] = 1.0);
        Reference { objective, values }
    }

    /// Six bids for three items, two each.
    fn auction() -> Problem {
        let mut problem = Problem::default();
        for worth in [3.0, 2.0, 5.0, 4.0, 1.0, 6.0] {
            problem.add_column(-worth, 0.0, 1.0, Kind::Binary);
        }
        for item in 0..3 {
            problem.rows.push(f64::NEG_INFINITY, [(2 * item, 1.0), (2 * item + 1, 1.0)], 1.0);
        }
        problem
    }

    #[test]
    fn the_worst_leaves_and_the_newest_is_always_a_parent() {
        let (mut elite, mut dice) = (Elite::default(), Dice::new("elite", 0, 0));
        let ground = trim(&auction());
        assert!(elite.parents(&ground, &mut dice).is_empty());
        for number in 0..2 * CAPACITY {
            elite.add(good(-(number as f64), &[number % 6]));
        }
        assert_eq!(elite.members.len(), CAPACITY);
        assert!(elite.members.iter().all(|member| member.objective <= -(CAPACITY as f64)));
        elite.add(good(0.0, &[1, 2]));
        assert_eq!(elite.newest().unwrap().objective, 0.0, "the newest stays, however bad it is");
        elite.parents = 3;
        let parents = elite.parents(&ground, &mut dice);
        assert_eq!((parents.len(), &parents[2]), (3, &good(0.0, &[1, 2]).values));
    }

    #[test]
    fn more_are_crossed_while_that_is_quick_and_beginnings_last_longer_while_it_is_in_vain() {
        let mut elite = Elite::default();
        (0..50).for_each(|_| elite.learn(false, true, 0.0, 3.0));
        assert_eq!((elite.parents, elite.seconds), (MOST_PARENTS, 3.0));
        (0..50).for_each(|_| elite.learn(true, false, 1.0, 3.0));
        assert_eq!((elite.parents, elite.seconds), (1, 3.0));
    }

    #[test]
    fn what_two_have_in_common_is_a_beginning() {
        let (mut elite, mut dice) = (Elite::default(), Dice::new("elite", 0, 0));
        elite.add(good(-1.0, &[0, 2]));
        elite.add(good(-2.0, &[0, 3]));
        let guide = [0.9, 0.1, 0.2, 0.8, 0.5, 0.6];
        let starts: Vec<Vec<f64>> = (0..4).map(|_| elite.beginning(Some(&guide), 6, &mut dice)).collect();
        let guided = vec![1.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        let common = good(0.0, &[0]).values;
        assert_eq!(starts, [vec![0.0; 6], common.clone(), guided, common]);
    }

    #[test]
    fn an_island_ends_in_a_member_and_is_forgotten_where_the_problem_changes() {
        let problem = auction();
        let ground = trim(&problem);
        let packing = Packing::of(&ground.left.problem).unwrap();
        let mut elite = Elite::default();
        let mut best = f64::INFINITY;
        elite.evolve(
            &packing,
            &ground,
            f64::INFINITY,
            1,
            || 0.0,
            |objective, _| {
                best = objective;
                best
            },
        );
        assert_eq!((best, elite.members.len(), elite.island.len()), (-14.0, 1, 0));
        assert_eq!(elite.members[0], good(-14.0, &[0, 2, 5]));
        // Interrupted after some, and gone where a bid is settled.
        let mut looks = 0.0;
        let some = || {
            looks += 0.1;
            looks
        };
        elite.evolve(&packing, &ground, -14.0, 1, some, |_, _| unreachable!("nothing is better"));
        assert!(!elite.island.is_empty());
        let settled = crate::local::trim::trim_with(&problem, crate::problem::Fixings::from([(5, 0.0)]));
        let packing = Packing::of(&settled.left.problem).unwrap();
        elite.evolve(&packing, &settled, -14.0, 1, || 1.0, |_, _| unreachable!("nothing is better"));
        assert!(elite.island.is_empty());
    }
}
