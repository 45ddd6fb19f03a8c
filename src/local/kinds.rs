//! Which kind of neighbourhood comes next, how large it is, and how long it is searched: learned from what
//! each kind has found so far in this solve.

use super::neighbourhood::{Choice, Map};
use crate::dice::Dice;

/// The first searches get so many seconds.
const SHORTEST: f64 = 0.2;

/// How the ways of choosing have done: which to take next, how many variables to free, and for how
/// long to search.
pub struct Kinds {
    kinds: Vec<Record>,
    /// No search gets less time than this …
    shortest: f64,
    /// … nor more than this.
    longest: f64,
    /// Searches one after the other, of any kind, that gained nothing.
    in_vain: u32,
}

/// The next neighbourhood to search.
#[derive(Clone, Copy, Debug)]
pub struct Next {
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
    /// What it gained lately, by second; none if it was not tried yet.
    worth: Option<f64>,
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
                    let seconds = SHORTEST.min(longest);
                    kinds.push(Record { choice, local, share, seconds, worth: None, cliff: 1.0, in_vain: 0 });
                }
            }
        }
        Kinds { kinds, shortest: SHORTEST.min(longest), longest, in_vain: 0 }
    }

    /// From now on no search takes longer than this.
    pub(crate) fn take_at_most(&mut self, longest: f64) {
        self.longest = longest;
    }

    /// The share that the luckiest kind frees.
    pub fn share(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.share).fold(0.0, f64::max)
    }

    /// Which one to take.
    pub(crate) fn next(&self, dice: &mut Dice) -> Next {
        let most = self.kinds.iter().filter_map(|kind| kind.worth).fold(0.0, f64::max);
        // Everybody has a try first, and nobody is forgotten: what is useless now may help later.
        let untried = self.kinds.iter().any(|kind| kind.worth.is_none());
        let weight = |kind: &Record| match kind.worth {
            None => 1.0,
            Some(_) if untried => 0.0,
            Some(worth) => worth + 0.3 * most + 1e-12,
        };
        let weights: Vec<f64> = self.kinds.iter().map(weight).collect();
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
    ///
    /// Where nothing gains any more, everybody gets more time: small neighbourhoods are used up then.
    pub(crate) fn learn(&mut self, next: &Next, gain: f64, took: f64, exhausted: bool) {
        self.in_vain = if gain > 0.0 { 0 } else { self.in_vain + 1 };
        if self.in_vain == 3 * self.kinds.len() as u32 {
            self.in_vain = 0;
            self.shortest = (1.5 * self.shortest).min(self.longest);
            for kind in &mut self.kinds {
                kind.seconds = kind.seconds.max(self.shortest);
                kind.cliff = 1.0;
            }
        }
        let kind = &mut self.kinds[next.number];
        let worth = gain / took.max(0.01);
        kind.worth = Some(kind.worth.map_or(worth, |before| 0.75 * before + 0.25 * worth));
        if exhausted {
            let larger = if took < 0.1 * next.seconds { 1.3 } else { 1.15 };
            kind.share *= if larger * next.share < 0.9 * kind.cliff { larger } else { 1.02 };
            kind.seconds = (0.8 * kind.seconds).max(4.0 * took).clamp(self.shortest, self.longest);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::generate;

    #[test]
    fn sizes_grow_below_the_cliff_and_time_where_nothing_ends() {
        let problem = generate("ip", &[], 1, 0).unwrap().problem;
        let map = Map::new(&problem, None);
        let mut kinds = Kinds::new(&map, 5.0);
        let mut dice = Dice::new("test", 0, 1);
        let before = kinds.share();
        for _ in 0..20 {
            let next = kinds.next(&mut dice);
            kinds.learn(&next, 0.0, 0.01, true);
        }
        assert!(kinds.share() > 1.2 * before);
        let mut kinds = Kinds::new(&map, 5.0);
        let mut longest = 0f64;
        for _ in 0..200 {
            let next = kinds.next(&mut dice);
            longest = longest.max(next.seconds);
            kinds.learn(&next, 0.0, next.seconds, false);
        }
        assert!(longest > 1.0 && kinds.share() < before, "{longest}");
    }
}
