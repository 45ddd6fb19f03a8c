//! IP: items into bins, every bin filled evenly in every resource.
//!
//! Item i needs d_ir of resource r; t_r = Σ_i d_ir. Each of B bins holds twice its even share,
//! s_r = 2 t_r / B. What a bin b lacks to its even share, as a part of it, is its deficit:
//!
//! ```text
//! min Σ_br deficit_br + 300 Σ_r maxdeficit_r
//! subject to  Σ_b x_ib = 1                                    every item i
//!             Σ_i d_ir x_ib ≤ s_r                             every bin b, resource r
//!             deficit_br + Σ_i (B d_ir / t_r) x_ib ≥ 1        every resource r, bin b
//!             maxdeficit_r − deficit_br ≥ 0                   every bin b, resource r
//!             x binary, deficits in [0, 1]
//! ```
//!
//! This is the "item placement" of the ML4CO competition; names and order are those of its files.

use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};
use crate::problem::Kind::Continuous;

pub(super) const OPTIONS: [FamilyOption; 6] = [
    count("small_items", 100, 0, 1_000_000, "Items that need U(0, 0.1) of each resource."),
    count("large_items", 5, 0, 1_000_000, "Items that need U(0.9, 1) of each resource."),
    count("bins", 10, 1, 100_000, "Bins to place them in."),
    count("resources", 3, 1, 1_000, "Resources that an item needs."),
    number("capacity_factor", 2.0, 1.0, 1_000.0, "A bin holds this times its even share."),
    number("max_deficit_cost", 300.0, 0.0, 1e6, "Cost of the greatest deficit of a resource."),
];

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (small, large) = (values.count("small_items"), values.count("large_items"));
    let (bins, resources) = (values.count("bins"), values.count("resources"));
    let items = small + large;
    if items == 0 {
        let sentence =
            "options small_items=0 and large_items=0 are not allowed together; one takes 1 or more";
        return Err(Error::Impossible(sentence.to_string()));
    }
    let entries = items as f64 * bins as f64 * (2.0 + 2.0 * resources as f64);
    check_entries(entries, "small_items, large_items, bins and resources")?;

    let need: Vec<Vec<f64>> = (0..items)
        .map(|i| if i < small { (0.0, 0.1) } else { (0.9, 1.0) })
        .map(|(low, high)| (0..resources).map(|_| dice.between(low, high)).collect())
        .collect();
    let total: Vec<f64> = (0..resources).map(|r| need.iter().map(|d| d[r]).sum()).collect();
    let factor = values.number("capacity_factor");
    let capacity: Vec<f64> = total.iter().map(|t| factor * t / bins as f64).collect();
    if !fits(&need, &capacity, bins) {
        return Err(Error::Impossible(format!(
            "option capacity_factor={factor} is not allowed; with small_items={small}, \
             large_items={large} and bins={bins} a greater one is needed to place all items"
        )));
    }

    let mut named = Named::default();
    for (i, b) in pairs(items, bins) {
        named.binary(format!("place_{i}_{b}"), 0.0);
    }
    for (b, r) in pairs(bins, resources) {
        named.variable(format!("deficit_{b}_{r}"), 1.0, 0.0, 1.0, Continuous);
    }
    for r in 0..resources {
        named.variable(format!("max_deficit_{r}"), values.number("max_deficit_cost"), 0.0, 1.0, Continuous);
    }
    let place = |i: usize, b: usize| i * bins + b;
    let deficit = |b: usize, r: usize| items * bins + b * resources + r;
    let max_deficit = |r: usize| items * bins + bins * resources + r;

    for i in 0..items {
        named.equal(format!("copies_ct_{i}"), (0..bins).map(|b| (place(i, b), 1.0)), 1.0);
    }
    for (b, r) in pairs(bins, resources) {
        let terms = (0..items).map(|i| (place(i, b), need[i][r]));
        named.at_most(format!("supply_ct_{b}_{r}"), terms, capacity[r]);
    }
    // The files list these by resource, the others by bin.
    for (r, b) in pairs(resources, bins) {
        let terms = (0..items).map(|i| (place(i, b), bins as f64 * need[i][r] / total[r]));
        named.at_least(format!("deficit_ct_{b}_{r}"), terms.chain([(deficit(b, r), 1.0)]), 1.0);
    }
    for (b, r) in pairs(bins, resources) {
        let terms = [(deficit(b, r), -1.0), (max_deficit(r), 1.0)];
        named.at_least(format!("max_deficit_ct_{b}_{r}"), terms, 0.0);
    }
    Ok(named)
}

/// All (first, second), the second running faster.
fn pairs(firsts: usize, seconds: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..firsts).flat_map(move |first| (0..seconds).map(move |second| (first, second)))
}

/// A placement exists: each item in turn, the large ones first, goes where the fullest resource stays
/// lowest. Far from the best placement, but with room for twice the even share it always ends well; only
/// a few large items in many bins do not fit at all.
fn fits(need: &[Vec<f64>], capacity: &[f64], bins: usize) -> bool {
    let mut filled = vec![vec![0.0; capacity.len()]; bins];
    need.iter().rev().all(|item| {
        let fullest = |bin: &Vec<f64>| {
            (0..capacity.len()).map(|r| (bin[r] + item[r]) / capacity[r]).fold(0.0, f64::max)
        };
        let level: Vec<f64> = filled.iter().map(fullest).collect();
        let best = (0..bins).min_by(|&a, &b| level[a].total_cmp(&level[b])).unwrap_or(0);
        filled[best].iter_mut().zip(item).for_each(|(filled, need)| *filled += need);
        level[best] <= 1.0
    })
}

#[cfg(test)]
mod tests {
    use crate::instances::generate;

    #[test]
    fn rows_add_up_to_what_the_formulas_say() {
        let options = [("small_items", "6"), ("large_items", "4"), ("bins", "3"), ("resources", "2")];
        let named = generate("ip", &options, 5, 0).unwrap();
        let problem = &named.problem;
        assert_eq!((named.rows.len(), problem.columns()), (10 + 6 + 6 + 6, 30 + 6 + 2));
        let row = |name: &str| named.rows.iter().position(|row| row == name).unwrap();
        for (b, r) in [(0, 0), (2, 1)] {
            let supply = row(&format!("supply_ct_{b}_{r}"));
            let need: Vec<f64> = problem.rows.terms(supply).map(|(_, d)| d).collect();
            assert!(need[..6].iter().all(|d| (0.0..0.1).contains(d)));
            assert!(need[6..].iter().all(|d| (0.9..1.0).contains(d)));
            let total: f64 = need.iter().sum();
            assert_eq!(problem.rows.rhs[supply], 2.0 * total / 3.0);
            let deficit: Vec<_> = problem.rows.terms(row(&format!("deficit_ct_{b}_{r}"))).collect();
            assert_eq!(deficit[10], (30 + 2 * b + r, 1.0));
            for i in 0..10 {
                assert_eq!(deficit[i], (3 * i + b, 3.0 * need[i] / total));
            }
        }
        assert_eq!(problem.objective[36..], [300.0, 300.0]);
        assert_eq!(&named.rows[16..19], ["deficit_ct_0_0", "deficit_ct_1_0", "deficit_ct_2_0"]);
    }

    #[test]
    fn items_that_fit_in_no_bin_are_refused() {
        let error = generate("ip", &[("small_items", "0"), ("large_items", "3")], 0, 0).unwrap_err();
        assert!(error.to_string().contains("capacity_factor=2 is not allowed"), "{error}");
        let error = generate("ip", &[("small_items", "0"), ("large_items", "0")], 0, 0).unwrap_err();
        assert!(error.to_string().contains("small_items=0 and large_items=0"), "{error}");
    }
}
