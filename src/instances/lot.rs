//! LOT: what to make on which machine and when, in whole batches, with set-ups.
//!
//! After the paper's APS, whose data are not public: binary, general integer and continuous variables in
//! one problem. Item i can be made on a few machines m. In period t a set-up (binary) of i on m costs
//! time and money and allows batches (integers), each of which costs time and money and holds up to
//! size_i; what is made or bought fills stock or serves backlog:
//!
//! ```text
//! min Σ setup_cost setup + batch_cost batches + price buy + holding stock + 10 holding backlog
//! open   batches_imt ≤ most_im setup_imt
//! fill   make_imt ≤ size_i batches_imt
//! time   Σ_i setup_time_im setup_imt + batch_time_im batches_imt ≤ capacity_m
//! flow   stock_{t−1} − backlog_{t−1} + Σ_m make_imt + buy_it = demand_it + stock_t − backlog_t
//! ```
//!
//! No backlog may stay at the end. Buying everything is feasible, and dear.

use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};
use crate::problem::Kind::{Continuous, Integer};

pub(super) const OPTIONS: [FamilyOption; 6] = [
    count("items", 30, 1, 100_000, "Items to make."),
    count("machines", 4, 1, 10_000, "Machines to make them on."),
    count("periods", 25, 1, 10_000, "Periods to plan."),
    count("alternatives", 2, 1, 100, "Machines on which an item can be made."),
    number("demand_prob", 0.8, 0.0, 1.0, "Probability that an item is wanted in a period."),
    number("load", 0.8, 0.01, 10.0, "Time that the demand takes, as a part of the machines' capacity."),
];

/// Backlog costs so many times more than stock.
const LATE: f64 = 10.0;

/// How an item is made on one of its machines.
struct Way {
    item: usize,
    machine: usize,
    setup_cost: f64,
    setup_time: f64,
    batch_cost: f64,
    batch_time: f64,
}

struct Item {
    batch_size: f64,
    holding: f64,
    price: f64,
    demand: Vec<f64>,
}

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (items, machines) = (values.count("items"), values.count("machines"));
    let (periods, alternatives) = (values.count("periods"), values.count("alternatives"));
    if alternatives > machines {
        return Err(Error::Impossible(format!(
            "option alternatives={alternatives} is not allowed; it takes at most machines={machines}"
        )));
    }
    let entries = periods as f64 * (items as f64 * (11.0 * alternatives as f64 + 7.0) + machines as f64);
    check_entries(entries, "items, machines, periods and alternatives")?;

    let demand_prob = values.number("demand_prob");
    let item = |dice: &mut Dice| Item {
        batch_size: dice.whole(30, 80),
        holding: dice.whole(1, 5),
        price: dice.whole(10, 20),
        demand: (0..periods)
            .map(|_| if dice.chance(demand_prob) { dice.whole(20, 100) } else { 0.0 })
            .collect(),
    };
    let items: Vec<Item> = (0..items).map(|_| item(dice)).collect();
    let mut ways = vec![];
    for (i, item) in items.iter().enumerate() {
        // The first machine goes round, so that none stays without work.
        let mut choice: Vec<usize> = (0..machines).collect();
        choice.swap(0, i % machines);
        dice.shuffle_front(&mut choice[1..], alternatives - 1);
        for &machine in &choice[..alternatives] {
            ways.push(Way {
                item: i,
                machine,
                setup_cost: dice.whole(200, 600),
                setup_time: dice.whole(20, 60),
                batch_cost: dice.whole(30, 90),
                // A unit takes about one unit of time.
                batch_time: (item.batch_size * dice.between(0.8, 1.2)).round(),
            });
        }
    }
    let work: f64 = items
        .iter()
        .map(|item| {
            let wanted = item.demand.iter().filter(|demand| **demand > 0.0).count() as f64;
            // A set-up for every second period with demand.
            item.demand.iter().sum::<f64>() + 40.0 * wanted / 2.0
        })
        .sum();
    let capacity = (work / (values.number("load") * machines as f64 * periods as f64)).round();
    Ok(program(&items, &ways, machines, capacity))
}

fn program(items: &[Item], ways: &[Way], machines: usize, capacity: f64) -> Named {
    let periods = items[0].demand.len();
    let infinite = f64::INFINITY;
    let mut named = Named::default();
    let label = |way: &Way, t: usize| format!("{}_{}_{t}", way.item, way.machine);
    let most = |way: &Way| ((capacity - way.setup_time) / way.batch_time).trunc().max(1.0);
    let mut each_way = |add: &dyn Fn(&mut Named, &Way, usize) -> usize| -> Vec<Vec<usize>> {
        ways.iter().map(|way| (0..periods).map(|t| add(&mut named, way, t)).collect()).collect()
    };
    let setup = each_way(&|n, way, t| n.binary(format!("setup_{}", label(way, t)), way.setup_cost));
    let batches = each_way(&|n, way, t| {
        n.variable(format!("batches_{}", label(way, t)), way.batch_cost, 0.0, most(way), Integer)
    });
    let make =
        each_way(&|n, way, t| n.variable(format!("make_{}", label(way, t)), 0.0, 0.0, infinite, Continuous));
    let mut each_item = |name: &str, cost: &dyn Fn(&Item) -> f64, last: f64| -> Vec<Vec<usize>> {
        let mut add = |i: usize, t: usize| {
            let upper = if t + 1 < periods { infinite } else { last };
            named.variable(format!("{name}_{i}_{t}"), cost(&items[i]), 0.0, upper, Continuous)
        };
        (0..items.len()).map(|i| (0..periods).map(|t| add(i, t)).collect()).collect()
    };
    let buy = each_item("buy", &|item| item.price, infinite);
    let stock = each_item("stock", &|item| item.holding, infinite);
    let backlog = each_item("backlog", &|item| LATE * item.holding, 0.0);

    for (w, way) in ways.iter().enumerate() {
        for t in 0..periods {
            let open = [(batches[w][t], 1.0), (setup[w][t], -most(way))];
            named.at_most(format!("open_{}", label(way, t)), open, 0.0);
            let fill = [(make[w][t], 1.0), (batches[w][t], -items[way.item].batch_size)];
            named.at_most(format!("fill_{}", label(way, t)), fill, 0.0);
        }
    }
    let mut on_machine = vec![vec![]; machines];
    let mut of_item = vec![vec![]; items.len()];
    for (w, way) in ways.iter().enumerate() {
        on_machine[way.machine].push(w);
        of_item[way.item].push(w);
    }
    for (m, here) in on_machine.iter().enumerate() {
        for t in 0..periods {
            let time = here
                .iter()
                .flat_map(|&w| [(setup[w][t], ways[w].setup_time), (batches[w][t], ways[w].batch_time)]);
            named.at_most(format!("time_{m}_{t}"), time, capacity);
        }
    }
    for (i, item) in items.iter().enumerate() {
        for t in 0..periods {
            let mut terms: Vec<_> = of_item[i].iter().map(|&w| (make[w][t], 1.0)).collect();
            terms.extend([(buy[i][t], 1.0), (stock[i][t], -1.0), (backlog[i][t], 1.0)]);
            if t > 0 {
                terms.extend([(stock[i][t - 1], 1.0), (backlog[i][t - 1], -1.0)]);
            }
            named.equal(format!("flow_{i}_{t}"), terms, item.demand[t]);
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use crate::instances::{generate, tests::violation};

    const SMALL: [(&str, &str); 3] = [("items", "5"), ("machines", "3"), ("periods", "4")];

    #[test]
    fn everything_can_be_bought() {
        let named = generate("lot", &SMALL, 1, 0).unwrap();
        let problem = &named.problem;
        assert_eq!(problem.columns(), 4 * (3 * 10 + 3 * 5));
        assert_eq!(named.rows.len(), 4 * (2 * 10 + 3 + 5));
        let mut point = vec![0.0; problem.columns()];
        for (i, row) in named.rows.iter().enumerate() {
            if let Some(label) = row.strip_prefix("flow_") {
                let buy = named.variables.iter().position(|name| *name == format!("buy_{label}")).unwrap();
                point[buy] = problem.rows.lhs[i];
            }
        }
        assert_eq!(violation(problem, &point), 0.0);
    }

    #[test]
    fn more_alternatives_than_machines_are_refused() {
        let error = generate("lot", &[("machines", "1")], 0, 0).unwrap_err();
        assert_eq!(error.to_string(), "option alternatives=2 is not allowed; it takes at most machines=1");
    }
}
