//! When later turns of local search come, and how long they are.
//!
//! All turns together have a share of the time gone. One that finds nothing makes the next wait twice as long,
//! and counts for more than it took: where nothing is to be gained any more, what is left of the share is a
//! quarter, and the proof has the rest.

/// The shortest turn, in seconds.
const SHORTEST: f64 = 0.5;

/// So many turns in vain, one after the other, count more than the ones before them.
const MOST_IN_VAIN: u32 = 3;

/// What the turns so far have cost.
#[derive(Clone, Debug)]
pub struct Turns {
    share: f64,
    /// Seconds of all turns so far, those in vain several times.
    spent: f64,
    /// Seconds that must have come together before the next one.
    next: f64,
    in_vain: u32,
}

impl Turns {
    /// After a first turn of so many seconds.
    pub fn new(share: f64, spent: f64) -> Turns {
        Turns { share, spent, next: SHORTEST, in_vain: 0 }
    }

    /// The seconds of a turn now, so many seconds after the solve began, if one is due.
    pub fn due(&self, elapsed: f64, left: f64) -> Option<f64> {
        let seconds = (self.share * elapsed - self.spent).min(left);
        (seconds >= self.next).then_some(seconds)
    }

    /// A turn is over.
    pub fn learn(&mut self, seconds: f64, has_gained: bool) {
        if has_gained {
            (self.in_vain, self.next) = (0, SHORTEST);
        } else {
            self.in_vain = (self.in_vain + 1).min(MOST_IN_VAIN);
            self.next = 2.0 * seconds.max(SHORTEST);
        }
        self.spent += f64::from(1 + self.in_vain) * seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds of each turn in a solve of so many seconds.
    fn play(limit: f64, has_gained: impl Fn(usize) -> bool) -> Vec<f64> {
        let (mut turns, mut elapsed, mut all) = (Turns::new(0.1, 0.0), 0.0, vec![]);
        while elapsed < limit {
            match turns.due(elapsed, limit - elapsed) {
                Some(seconds) => {
                    turns.learn(seconds, has_gained(all.len()));
                    all.push(seconds);
                    elapsed += seconds;
                }
                None => elapsed += 0.1,
            }
        }
        all
    }

    #[test]
    fn turns_that_gain_have_the_whole_share() {
        let all = play(1_000.0, |_| true);
        assert!((all.iter().sum::<f64>() - 100.0).abs() < 1.0, "{all:?}");
        assert!(all.iter().all(|&seconds| (0.5..0.6).contains(&seconds)), "{all:?}");
    }

    #[test]
    fn turns_in_vain_are_rare_and_have_a_part_of_it() {
        let all = play(1_000.0, |_| false);
        assert!(all.iter().sum::<f64>() < 40.0, "{all:?}");
        assert!(all.len() > 3, "nobody gives up: {all:?}");
        assert!(all.windows(2).all(|pair| pair[1] >= 2.0 * pair[0]), "{all:?}");
    }

    #[test]
    fn a_gain_brings_them_back() {
        let all = play(1_000.0, |turn| turn > 3);
        assert!(all.iter().sum::<f64>() > 70.0, "{all:?}");
    }

    #[test]
    fn none_is_longer_than_the_time_left() {
        assert_eq!(Turns::new(0.1, 0.0).due(100.0, 2.0), Some(2.0));
        assert_eq!(Turns::new(0.1, 0.0).due(100.0, 0.4), None);
    }
}
