//! CA: which bids of a combinatorial auction to accept.
//!
//! A bid is a bundle of items and a price; the auctioneer takes bids of the greatest total price such
//! that no item is sold twice:
//!
//! ```text
//! max Σ price_b x_b   subject to   Σ_{b bids for i} x_b ≤ 1  for every item i,   x binary
//! ```
//!
//! Bids come from bidders with "arbitrary relationships" (Leyton-Brown, Pearson and Shoham 2000,
//! section 4.3). An item has a common value; a bidder has a private interest in it, U(0, 1), and values
//! it at the common value ± a deviation that follows the interest. A bundle starts with an item drawn by
//! interest and grows item by item, the next one drawn by interest × mean compatibility with the bundle.
//! Its price is the sum of the private values plus |bundle|^(1 + additivity). Then, from every item of
//! that bundle, the bidder grows another of the same size; the dearest of them that the budget and the
//! resale value allow become substitute bids. A dummy item in all of them ties the substitutes together:
//! only one of them can win. An item without bids makes no row.
//!
//! Two habits of the generator that this field uses, and with it the paper, are kept, so that the
//! instances are the ones that everybody compares on:
//! - *Compatibility.* It indexes the compatibility matrix by the 0/1 mask of the bundle where it meant
//!   the members: a slip, by which the mean is taken over item 0 (once for every item outside the bundle)
//!   and item 1 (once for every item inside). `faithful_bundles=1` takes it over the bundle, as published.
//! - *Pairs.* Only three or more bids of one bidder are tied; two are left free.

use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};

pub(super) const fn options(items: u32, bids: u32) -> [FamilyOption; 11] {
    [
        count("items", items, 2, 10_000, "Items for sale, before those without bids are left out."),
        count("bids", bids, 1, 1_000_000, "Bids, the variables of the instance."),
        number("min_value", 1.0, 0.0, 1e6, "Least common value of an item."),
        number("max_value", 100.0, 0.0, 1e6, "Greatest common value of an item."),
        number("value_deviation", 0.5, 0.0, 10.0, "Private values deviate by this part of max_value."),
        number("add_item_prob", 0.7, 0.0, 0.99, "Probability that a bundle grows by another item."),
        count("max_substitutes", 5, 0, 1_000, "At most this many substitute bids a bidder."),
        number("additivity", 0.2, -1.0, 1.0, "A bundle of n items is worth n^(1 + additivity) more."),
        number("budget_factor", 1.5, 0.0, 1e6, "A substitute costs at most this times the first bid."),
        number("resale_factor", 0.5, 0.0, 1e6, "Its common value is at least this times the first's."),
        count("faithful_bundles", 0, 0, 1, "1 grows bundles as published, without the usual slip."),
    ]
}

struct Bid {
    /// Ascending; the last may be a dummy.
    items: Vec<usize>,
    price: f64,
}

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (min_value, max_value) = (values.number("min_value"), values.number("max_value"));
    if min_value > max_value {
        return Err(Error::Impossible(format!(
            "option min_value={min_value} is not allowed; it takes at most max_value={max_value}"
        )));
    }
    let (items, bids) = (values.count("items"), values.count("bids"));
    // The size of a bundle is geometric.
    let bundle = (1.0 / (1.0 - values.number("add_item_prob"))).min(items as f64);
    check_entries(bids as f64 * (2.0 + bundle) + items as f64, "items, bids and add_item_prob")?;
    Ok(program(items, &Auction::draw(values, dice).bids(values, dice, bids)))
}

/// What all bidders share.
struct Auction {
    /// Common value of each item.
    value: Vec<f64>,
    /// Compatibility of items i and j at i · items + j: symmetric draws, each column scaled to sum 1.
    compatibility: Vec<f64>,
}

impl Auction {
    fn draw(values: &Values, dice: &mut Dice) -> Auction {
        let items = values.count("items");
        let (low, high) = (values.number("min_value"), values.number("max_value"));
        let value = (0..items).map(|_| dice.between(low, high)).collect();
        let mut compatibility = vec![0.0; items * items];
        let mut sum = vec![0.0; items];
        for i in 0..items {
            for j in i + 1..items {
                let drawn = dice.unit();
                compatibility[i * items + j] = drawn;
                compatibility[j * items + i] = drawn;
                sum[i] += drawn;
                sum[j] += drawn;
            }
        }
        for row in compatibility.chunks_mut(items) {
            for (entry, sum) in row.iter_mut().zip(&sum) {
                *entry /= sum;
            }
        }
        Auction { value, compatibility }
    }

    /// Bidders come until there are enough bids.
    fn bids(&self, values: &Values, dice: &mut Dice, wanted: usize) -> Vec<Bid> {
        let items = self.value.len();
        let most = values.count("max_substitutes") + 1;
        let mut bids = Vec::with_capacity(wanted);
        let mut dummies = 0;
        while bids.len() < wanted {
            let mut own = self.bidder(values, dice, most.min(wanted - bids.len()));
            if own.len() > 2 {
                own.iter_mut().for_each(|bid| bid.items.push(items + dummies));
                dummies += 1;
            }
            bids.append(&mut own);
        }
        bids
    }

    /// The bids of one bidder, at most `most`; none if the first bundle is worth less than nothing.
    fn bidder(&self, values: &Values, dice: &mut Dice, most: usize) -> Vec<Bid> {
        let spread = values.number("max_value") * values.number("value_deviation");
        let add_item_prob = values.number("add_item_prob");
        let exponent = 1.0 + values.number("additivity");
        let faithful = values.count("faithful_bundles") == 1;

        let interest: Vec<f64> = self.value.iter().map(|_| dice.unit()).collect();
        let price = |bundle: &[usize]| {
            let private = bundle.iter().map(|&i| self.value[i] + spread * (2.0 * interest[i] - 1.0));
            private.sum::<f64>() + power(bundle.len() as f64, exponent)
        };
        let resale = |bundle: &[usize]| bundle.iter().map(|&i| self.value[i]).sum::<f64>();

        let mut first = vec![dice.weighted(&interest)];
        while dice.chance(add_item_prob) && first.len() < self.value.len() {
            first.push(self.next_item(&first, &interest, faithful, dice));
        }
        first.sort_unstable();
        let first_price = price(&first);
        if first_price < 0.0 {
            return vec![];
        }

        let mut candidates: Vec<Bid> = vec![];
        for &item in &first {
            let mut bundle = vec![item];
            while bundle.len() < first.len() {
                bundle.push(self.next_item(&bundle, &interest, faithful, dice));
            }
            bundle.sort_unstable();
            candidates.push(Bid { price: price(&bundle), items: bundle });
        }
        candidates.sort_by(|a, b| b.price.total_cmp(&a.price));

        let budget = values.number("budget_factor") * first_price;
        let least_resale = values.number("resale_factor") * resale(&first);
        let mut own = vec![Bid { items: first, price: first_price }];
        for candidate in candidates {
            if own.len() < most
                && (0.0..=budget).contains(&candidate.price)
                && resale(&candidate.items) >= least_resale
                && own.iter().all(|bid| bid.items != candidate.items)
            {
                own.push(candidate);
            }
        }
        own
    }

    /// The next item of a bundle: drawn by interest × mean compatibility (scaled by a constant).
    fn next_item(&self, bundle: &[usize], interest: &[f64], faithful: bool, dice: &mut Dice) -> usize {
        let items = interest.len();
        let mut weight = vec![0.0; items];
        let mut add = |item: usize, times: f64| {
            let row = &self.compatibility[item * items..(item + 1) * items];
            weight.iter_mut().zip(row).for_each(|(weight, entry)| *weight += times * entry);
        };
        if faithful {
            bundle.iter().for_each(|&item| add(item, 1.0));
        } else {
            add(0, (items - bundle.len()) as f64);
            add(1, bundle.len() as f64);
        }
        weight.iter_mut().zip(interest).for_each(|(weight, interest)| *weight *= interest);
        bundle.iter().for_each(|&item| weight[item] = 0.0);
        dice.weighted(&weight)
    }
}

/// base^exponent for base ≥ 0 and exponent ≥ 0, without a mathematics library: the whole part by
/// multiplication, the bits of the fraction by repeated square roots.
fn power(base: f64, exponent: f64) -> f64 {
    let whole = exponent.trunc();
    let mut result = (0..whole as u32).fold(1.0, |product, _| product * base);
    let (mut root, mut fraction) = (base, exponent - whole);
    while fraction > 0.0 {
        root = root.sqrt();
        fraction *= 2.0;
        if fraction >= 1.0 {
            result *= root;
            fraction -= 1.0;
        }
    }
    result
}

/// The integer program of the bids.
fn program(items: usize, bids: &[Bid]) -> Named {
    let mut named = Named::default();
    named.problem.maximise = true;
    let mut bids_for = vec![vec![]; items];
    for (b, bid) in bids.iter().enumerate() {
        let x = named.binary(format!("bid_{b}"), -bid.price);
        for &item in &bid.items {
            if item >= bids_for.len() {
                bids_for.push(vec![]);
            }
            bids_for[item].push((x, 1.0));
        }
    }
    for (item, terms) in bids_for.into_iter().enumerate().filter(|(_, terms)| !terms.is_empty()) {
        let name = if item < items { format!("item_{item}") } else { format!("dummy_{}", item - items) };
        named.at_most(name, terms, 1.0);
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::generate;

    #[test]
    fn powers_agree_with_the_mathematics_library() {
        for (base, exponent) in [(1.0, 1.2), (3.0, 1.2), (17.0, 0.75), (5.0, 2.0), (4.0, 0.0), (9.0, 0.1)] {
            let expected = f64::powf(base, exponent);
            assert!((power(base, exponent) - expected).abs() < 1e-13 * expected);
        }
    }

    #[test]
    fn substitutes_are_tied_by_one_dummy_and_share_an_item_with_the_first() {
        let named = generate("ca", &[("items", "60"), ("bids", "200")], 1, 0).unwrap();
        let problem = &named.problem;
        assert_eq!(problem.columns(), 200);
        assert!(problem.maximise && problem.objective.iter().all(|&price| price <= 0.0));
        let mut bundle = vec![vec![]; 200];
        for (i, name) in named.rows.iter().enumerate().filter(|(_, name)| name.starts_with("item")) {
            problem.rows.terms(i).for_each(|(x, _)| bundle[x].push(name));
        }
        let dummies: Vec<usize> =
            (0..named.rows.len()).filter(|&i| named.rows[i].starts_with("dummy")).collect();
        assert!(dummies.len() > 10);
        for i in dummies {
            let tied: Vec<usize> = problem.rows.terms(i).map(|(x, _)| x).collect();
            assert!((3..=6).contains(&tied.len()));
            assert!(
                tied.windows(2).all(|pair| pair[1] == pair[0] + 1),
                "one bidder's bids follow each other"
            );
            for &x in &tied[1..] {
                assert_eq!(bundle[x].len(), bundle[tied[0]].len());
                assert_ne!(bundle[x], bundle[tied[0]]);
                assert!(bundle[x].iter().any(|item| bundle[tied[0]].contains(item)));
            }
        }
    }

    #[test]
    fn the_slip_gives_fewer_rows_than_the_published_bundles() {
        let rows = |faithful| {
            let options = [("items", "400"), ("bids", "200"), ("faithful_bundles", faithful)];
            (0..5).map(|k| generate("ca", &options, 1, k).unwrap().rows.len()).sum::<usize>()
        };
        assert!(rows("0") < rows("1"));
    }

    #[test]
    fn the_values_must_be_in_order() {
        let error = generate("ca", &[("min_value", "7"), ("max_value", "5")], 0, 0).unwrap_err();
        assert_eq!(error.to_string(), "option min_value=7 is not allowed; it takes at most max_value=5");
    }
}
