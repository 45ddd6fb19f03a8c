//! How much each round predicts, how far it searches, and how long it may take.

use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

/// A number of variables: counted, or as a share of what there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// So many.
    Count(usize),
    /// This share of them, 0 to 1.
    Share(f64),
}

impl Amount {
    /// How many that is, out of `whole`.
    pub fn of(self, whole: usize) -> usize {
        match self {
            Amount::Count(count) => count.min(whole),
            Amount::Share(share) => ((share * whole as f64).round() as usize).min(whole),
        }
    }

    /// Reads `400` as a count, `0.25` and `25%` as a share.
    fn parse(text: &str) -> std::result::Result<Amount, String> {
        let bad = || format!("'{text}' is neither a count like 400 nor a share like 0.25 or 25%");
        let (number, percent) = match text.strip_suffix('%') {
            Some(number) => (number.trim(), true),
            None => (text, false),
        };
        if !percent && !number.contains('.') {
            return number.parse().map(Amount::Count).map_err(|_| bad());
        }
        let share = number.parse::<f64>().map_err(|_| bad())? / if percent { 100.0 } else { 1.0 };
        if !(0.0..=1.0).contains(&share) {
            return Err(format!("the share '{text}' is not between 0 and 1"));
        }
        Ok(Amount::Share(share))
    }
}

/// How many of `free` = (variable, probability) to predict as 0 and as 1. Counts are what they say. Shares
/// take only what is on its side of ½, and what one side does not have the other gets: a share of the
/// zeros means nothing where three of four values are 1.
pub fn sides(k0: Amount, k1: Amount, free: &[(usize, f64)]) -> (usize, usize) {
    let (zeros, ones) = (k0.of(free.len()), k1.of(free.len()));
    let (Amount::Share(_), Amount::Share(_)) = (k0, k1) else { return (zeros, ones) };
    let low = free.iter().filter(|(_, p)| *p <= 0.5).count();
    let high = free.iter().filter(|(_, p)| *p >= 0.5).count();
    let (spare_zeros, spare_ones) = (zeros.saturating_sub(low), ones.saturating_sub(high));
    ((zeros - spare_zeros + spare_ones).min(low), (ones - spare_ones + spare_zeros).min(high))
}

/// What one round does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// How many of the unfixed binaries to predict as 0.
    pub k0: Amount,
    /// How many of the unfixed binaries to predict as 1.
    pub k1: Amount,
    /// The radius of the trust region; a share is of the predicted values.
    pub radius: Amount,
    /// Its part of the budget, relative to the other rounds'.
    pub time: f64,
}

fn list<T>(name: &str, text: &str, parse: impl Fn(&str) -> std::result::Result<T, String>) -> Result<Vec<T>> {
    let setting = |why| Error::Setting { name: name.to_string(), why };
    let parsed: Result<Vec<T>> = text.split(',').map(|entry| parse(entry.trim()).map_err(setting)).collect();
    match parsed {
        Ok(entries) if entries.is_empty() => Err(setting("the list is empty".to_string())),
        other => other,
    }
}

/// The entry of round `i`: a list that is too short goes on with its last entry.
fn entry<T: Copy>(list: &[T], i: usize) -> T {
    list[i.min(list.len() - 1)]
}

/// Reads the four comma-separated lists of a schedule of `rounds` rounds.
pub fn schedule(rounds: usize, k0: &str, k1: &str, radius: &str, time: &str) -> Result<Vec<Round>> {
    let k0 = list("k0", k0, Amount::parse)?;
    let k1 = list("k1", k1, Amount::parse)?;
    let radius = list("radius", radius, Amount::parse)?;
    let time = list("timeshares", time, |text| match text.parse::<f64>() {
        Ok(share) if share.is_finite() && share > 0.0 => Ok(share),
        _ => Err(format!("'{text}' is no positive number")),
    })?;
    let round =
        |i| Round { k0: entry(&k0, i), k1: entry(&k1, i), radius: entry(&radius, i), time: entry(&time, i) };
    Ok((0..rounds).map(round).collect())
}

/// A schedule that suits a model, as its file recommends it (metadata key `schedule`, as JSON): the
/// values of the parameters of these names. What it leaves out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recommended {
    /// Rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    /// How many binaries to predict as 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k0: Option<String>,
    /// How many binaries to predict as 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k1: Option<String>,
    /// The radius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<String>,
    /// How the budget is divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeshares: Option<String>,
}

impl Recommended {
    /// Reads it, and refuses one that says nothing or something that means nothing.
    pub fn parse(json: &str) -> std::result::Result<Recommended, String> {
        let read: Recommended = serde_json::from_str(json).map_err(|error| error.to_string())?;
        if read == Recommended::default() {
            return Err("it says nothing".into());
        }
        let text = |text: &Option<String>, other: &str| text.clone().unwrap_or(other.into());
        let [k0, k1, radius] = [&read.k0, &read.k1, &read.radius].map(|list| text(list, "0.1"));
        schedule(1, &k0, &k1, &radius, &text(&read.timeshares, "1")).map_err(|error| error.to_string())?;
        match read.rounds {
            Some(rounds) if !(1..=100).contains(&rounds) => Err(format!("{rounds} rounds are not 1 to 100")),
            _ => Ok(read),
        }
    }
}

/// The limits of a whole run, and what is left of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Seconds in all; infinite when only nodes count.
    pub seconds: f64,
    /// Branch-and-bound nodes in all, of all searches together.
    pub nodes: Option<u64>,
}

/// Searches shorter than this are not worth their set-up.
const SHORTEST: f64 = 0.02;

impl Budget {
    /// What is left after `seconds` and `nodes` were used.
    pub fn after(self, seconds: f64, nodes: u64) -> Budget {
        Budget {
            seconds: (self.seconds - seconds).max(0.0),
            nodes: self.nodes.map(|limit| limit.saturating_sub(nodes)),
        }
    }

    /// The part `share` of it. What one round leaves unused is shared among the rounds that follow,
    /// because each takes its share of what is *left*.
    pub fn part(self, share: f64) -> Budget {
        Budget {
            seconds: self.seconds * share,
            nodes: self.nodes.map(|limit| ((limit as f64 * share).round() as u64).min(limit)),
        }
    }

    /// No more than so many seconds, each of so many nodes where nodes are what is counted.
    pub fn at_most(self, seconds: f64, nodes_a_second: f64) -> Budget {
        let nodes = ((seconds * nodes_a_second).ceil() as u64).max(1);
        match self.nodes {
            Some(limit) if self.seconds.is_infinite() => Budget { nodes: Some(limit.min(nodes)), ..self },
            _ => Budget { seconds: self.seconds.min(seconds), ..self },
        }
    }

    /// Too little to start a search with.
    pub fn is_spent(self) -> bool {
        self.seconds < SHORTEST || self.nodes == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares() {
        let rounds = schedule(3, "400, 0.25,10%", "0", "0.2", "1,3").unwrap();
        assert_eq!(rounds[0].k0, Amount::Count(400));
        assert_eq!(rounds[1].k0, Amount::Share(0.25));
        assert_eq!(rounds[2].k0, Amount::Share(0.1));
        assert_eq!(rounds[2].radius, Amount::Share(0.2), "short lists go on with their last entry");
        assert_eq!((rounds[0].time, rounds[2].time), (1.0, 3.0));
        assert_eq!(Amount::Count(400).of(30), 30);
        assert_eq!(Amount::Share(0.25).of(30), 8);
    }

    #[test]
    fn shares_stay_on_their_side_and_counts_do_not_care() {
        let free: Vec<(usize, f64)> = (0..10).map(|j| (j, if j < 2 { 0.1 } else { 0.9 })).collect();
        let share = |share| Amount::Share(share);
        assert_eq!(sides(share(0.4), share(0.1), &free), (2, 3), "two zeros too few are two ones more");
        assert_eq!(sides(share(0.0), share(0.9), &free), (1, 8));
        assert_eq!(sides(share(0.1), share(0.1), &free), (1, 1));
        assert_eq!(sides(Amount::Count(4), Amount::Count(1), &free), (4, 1));
    }

    #[test]
    fn nonsense_is_named() {
        for (lists, named, why) in [
            (["", "0", "0", "1"], "k0", "''"),
            (["-3", "0", "0", "1"], "k0", "'-3'"),
            (["5", "1.5", "0", "1"], "k1", "between 0 and 1"),
            (["5", "1", "many", "1"], "radius", "'many'"),
            (["5", "1", "2", "0"], "timeshares", "'0'"),
            (["5", "1", "2", "nan"], "timeshares", "'nan'"),
        ] {
            let error = schedule(4, lists[0], lists[1], lists[2], lists[3]).unwrap_err().to_string();
            assert!(error.contains(named) && error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_recommendation_is_read_or_refused() {
        let json = r#"{"k0":"0.5,0.3","radius":"0.1","rounds":3}"#;
        let read = Recommended::parse(json).unwrap();
        assert_eq!((read.k0.as_deref(), read.k1.as_deref(), read.rounds), (Some("0.5,0.3"), None, Some(3)));
        assert_eq!(Recommended::parse(&serde_json::to_string(&read).unwrap()), Ok(read));
        for bad in ["", "7", "{}", r#"{"k0":"many"}"#, r#"{"rounds":0}"#, r#"{"k2":"1"}"#] {
            assert!(Recommended::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn unused_time_rolls_over() {
        let budget = Budget { seconds: 10.0, nodes: Some(100) };
        let first = budget.part(0.1 / 1.0);
        assert_eq!((first.seconds, first.nodes), (1.0, Some(10)));
        let left = budget.after(0.4, 2);
        let second = left.part(0.1 / 0.9);
        assert!(second.seconds > 1.0 && second.nodes == Some(11));
        assert!(left.after(99.0, 0).is_spent() && left.after(0.0, 99).is_spent());
        assert!(!Budget { seconds: f64::INFINITY, nodes: None }.part(0.1).is_spent());
    }
}
