//! The ways of local search, and whose turn it is: nobody knows beforehand which gains more, so each gets the
//! more time the more it has gained lately.

/// A way to a better solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Flips and exchanges, from the incumbent.
    Flip,
    /// A neighbourhood of the incumbent.
    Search,
    /// Flips and exchanges all anew, and what their best point and the incumbent have not in common.
    Cross,
}

const ALL: [Way; 3] = [Way::Flip, Way::Search, Way::Cross];

/// What everybody has besides its share of the gains: of three, none has less than a fifth of the time.
const CURIOSITY: f64 = 0.5;

/// After so many seconds half of what was learned is forgotten.
const MEMORY: f64 = 4.0;

/// What each way was worth.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    records: [Record; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Record {
    /// What it gained lately, relative to the objective, in a second.
    worth: f64,
    /// The seconds that it has had.
    seconds: f64,
}

impl Ways {
    /// Of those that are possible the one that has had least of the time that it deserves.
    pub(super) fn next(&self, is_possible: impl Fn(Way) -> bool) -> Option<Way> {
        let possible = || ALL.into_iter().filter(|&way| is_possible(way));
        let of = |way: Way| self.records[way as usize];
        let (worth, seconds) =
            possible().fold((0.0, 0.0), |sum, way| (sum.0 + of(way).worth, sum.1 + of(way).seconds));
        // Whoever has gained nothing keeps a little, and while nobody has, all have the same.
        let share = |way: Way| CURIOSITY + if worth > 1e-12 { of(way).worth / worth } else { 0.0 };
        let all: f64 = possible().map(share).sum();
        let missing = |way: Way| share(way) / all * seconds - of(way).seconds;
        possible().reduce(|best, way| if missing(way) > missing(best) { way } else { best })
    }

    /// What is worth less by the second is forgotten by the second, however long one try takes.
    pub(super) fn learn(&mut self, way: Way, gain: f64, seconds: f64) {
        let Record { worth, seconds: before } = &mut self.records[way as usize];
        let kept = if *before == 0.0 { 0.0 } else { 0.5f64.powf(seconds / MEMORY) };
        *worth = kept * *worth + (1.0 - kept) * gain / seconds.max(0.01);
        *before += seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds of each way after `turns` turns of a second in which it gains so much.
    fn play(gains: [f64; 3], turns: u32) -> [f64; 3] {
        let mut ways = Ways::default();
        for _ in 0..turns {
            let way = ways.next(|_| true).unwrap();
            ways.learn(way, gains[way as usize], 1.0);
        }
        ways.records.map(|record| record.seconds)
    }

    #[test]
    fn who_gains_has_the_time_and_nobody_is_forgotten() {
        let [flips, searches, crossings] = play([0.0, 1e-3, 0.0], 100);
        assert!(searches > 55.0 && flips > 15.0 && crossings > 15.0, "{flips} {searches} {crossings}");
        let same = play([0.0; 3], 99);
        assert_eq!(same, [33.0; 3], "where nobody gains all have the same");
    }

    #[test]
    fn only_what_is_possible_comes() {
        let mut ways = Ways::default();
        ways.learn(Way::Flip, 1.0, 1.0);
        assert_eq!(ways.next(|way| way == Way::Search), Some(Way::Search));
        assert_eq!(ways.next(|_| false), None);
    }
}
