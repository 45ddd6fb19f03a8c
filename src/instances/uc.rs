//! UC: which power stations run in which hour, and at what output.
//!
//! After the paper's SCUC, whose data are not public: stations with minimum up and down times, ramps,
//! start-up costs and a share in the spinning reserve; zones with an hourly demand, and lines of limited
//! capacity between them. For station g and hour t, `on`, `start` and `stop` are binary; `power` is the
//! output above the minimum P_g, `reserve` what it could add at once, `cost` the fuel for `power`:
//!
//! ```text
//! min Σ idle_g on + begin_g start + cost + 1000 Σ shed_zt + 300 Σ short_t
//! logic      on_t − on_{t−1} = start_t − stop_t          (on before hour 0: given)
//! up         Σ starts of the last U_g hours ≤ on_t
//! down       Σ stops of the last D_g hours ≤ 1 − on_t
//! range      power_t + reserve_t ≤ span_g on_t − (span_g − ramp_g) start_t
//! rise       power_t + reserve_t − power_{t−1} ≤ ramp_g
//! fall       power_{t−1} − power_t ≤ ramp_g
//! fuel       cost ≥ slope_k power − intercept_k on       three tangents of a parabola
//! demand     Σ_{g in z} (P_g on + power) + flows in − flows out + shed = demand_zt
//! spare      Σ_g reserve + short ≥ 10 % of the demand
//! ```
//!
//! Demand that nothing serves is shed at a high price, so every instance is feasible: with every station
//! off, for one.

use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};
use crate::problem::Kind::Continuous;

pub(super) const OPTIONS: [FamilyOption; 6] = [
    count("stations", 129, 1, 100_000, "Power stations."),
    count("hours", 24, 1, 10_000, "Hours to plan."),
    count("zones", 24, 2, 10_000, "Zones, each with its demand."),
    count("lines", 48, 0, 100_000, "Lines between zones: first a ring, then at random."),
    number("peak", 0.8, 0.0, 1.0, "Greatest demand as a part of what all stations can deliver."),
    number("reserve", 0.1, 0.0, 1.0, "Spinning reserve as a part of the demand."),
];

const SHED_COST: f64 = 1_000.0;
const SHORT_COST: f64 = 300.0;

/// A day's demand, hour by hour, in hundredths of its peak.
const DAY: [f64; 24] = [
    52.0, 46.0, 42.0, 40.0, 41.0, 46.0, 60.0, 76.0, 90.0, 94.0, 92.0, 88.0, 84.0, 78.0, 70.0, 72.0, 82.0,
    96.0, 100.0, 98.0, 90.0, 80.0, 68.0, 58.0,
];

/// Stations come in three classes. Ranges are uniform; powers in MW, money per MWh or MW.
struct Class {
    size: (usize, usize),
    /// Minimum output as a part of the size.
    minimum: f64,
    fuel: (f64, f64),
    start_cost: f64,
    /// Hours to stay on, and off.
    stay: (usize, usize),
    /// Change of output in an hour as a part of the size.
    ramp: f64,
    /// Runs before the first hour.
    on_before: bool,
}

const BASE: Class = Class {
    size: (250, 450),
    minimum: 0.5,
    fuel: (18.0, 22.0),
    start_cost: 60.0,
    stay: (6, 10),
    ramp: 0.15,
    on_before: true,
};
const MIDDLE: Class = Class {
    size: (100, 250),
    minimum: 0.5,
    fuel: (20.0, 26.0),
    start_cost: 30.0,
    stay: (3, 6),
    ramp: 0.25,
    on_before: true,
};
const PEAK: Class = Class {
    size: (20, 100),
    minimum: 0.4,
    fuel: (24.0, 40.0),
    start_cost: 10.0,
    stay: (1, 2),
    ramp: 0.6,
    on_before: false,
};

struct Station {
    zone: usize,
    minimum: f64,
    span: f64,
    ramp: f64,
    up: usize,
    down: usize,
    idle_cost: f64,
    start_cost: f64,
    /// Tangents of the fuel cost above the minimum: (slope, intercept).
    tangents: [(f64, f64); 3],
    on_before: bool,
}

/// Three decimals are plenty, and keep the files readable.
fn tidy(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

impl Station {
    fn draw(zones: usize, dice: &mut Dice) -> Station {
        let class = &[BASE, MIDDLE, PEAK][dice.weighted(&[0.25, 0.45, 0.3])];
        let size = dice.whole(class.size.0, class.size.1);
        let minimum = (class.minimum * size).round();
        let span = size - minimum;
        let fuel = dice.between(class.fuel.0, class.fuel.1);
        // Fuel for p above the minimum: fuel · p + bend · p².
        let bend = fuel * dice.between(0.1, 0.4) / size;
        let tangent = |part: f64| {
            let at = part * span;
            (tidy(fuel + 2.0 * bend * at), tidy(bend * at * at))
        };
        Station {
            zone: dice.below(zones),
            minimum,
            span,
            ramp: (class.ramp * size).round().min(span),
            up: dice.whole(class.stay.0, class.stay.1) as usize,
            down: dice.whole(class.stay.0, class.stay.1) as usize,
            idle_cost: tidy(fuel * minimum * dice.between(1.1, 1.5)),
            start_cost: tidy(class.start_cost * size * dice.between(0.7, 1.3)),
            tangents: [tangent(1.0 / 6.0), tangent(0.5), tangent(5.0 / 6.0)],
            on_before: class.on_before,
        }
    }
}

/// (from, to, capacity).
fn draw_lines(lines: usize, zones: usize, zone_demand: f64, dice: &mut Dice) -> Vec<(usize, usize, f64)> {
    let mut drawn = vec![];
    for line in 0..lines {
        let from = line % zones;
        let away = if line < zones { 1 } else { 1 + dice.below(zones - 1) };
        drawn.push((from, (from + away) % zones, (zone_demand * dice.between(0.2, 0.6)).round()));
    }
    drawn
}

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (stations, hours) = (values.count("stations"), values.count("hours"));
    let (zones, lines) = (values.count("zones"), values.count("lines"));
    let entries = hours as f64 * (70.0 * stations as f64 + 3.0 * zones as f64 + 3.0 * lines as f64);
    check_entries(entries, "stations, hours, zones and lines")?;

    let stations: Vec<Station> = (0..stations).map(|_| Station::draw(zones, dice)).collect();
    let peak = values.number("peak") * stations.iter().map(|s| s.minimum + s.span).sum::<f64>();
    let share: Vec<f64> = (0..zones).map(|_| dice.between(0.5, 1.5)).collect();
    let shares: f64 = share.iter().sum();
    let demand: Vec<Vec<f64>> = (0..hours)
        .map(|t| {
            let hourly = peak * DAY[t % 24] / 100.0;
            share.iter().map(|part| (hourly * part / shares * dice.between(0.9, 1.1)).round()).collect()
        })
        .collect();
    let lines = draw_lines(lines, zones, peak / zones as f64, dice);
    Ok(program(&stations, &demand, &lines, values.number("reserve")))
}

/// `count` rows of one variable for each hour.
fn hourly(
    named: &mut Named,
    count: usize,
    hours: usize,
    mut add: impl FnMut(&mut Named, usize, usize) -> usize,
) -> Vec<Vec<usize>> {
    (0..count).map(|i| (0..hours).map(|t| add(named, i, t)).collect()).collect()
}

fn program(
    stations: &[Station],
    demand: &[Vec<f64>],
    lines: &[(usize, usize, f64)],
    reserve_part: f64,
) -> Named {
    let hours = demand.len();
    let zones = demand[0].len();
    let mut named = Named::default();
    let n = &mut named;
    let infinite = f64::INFINITY;
    let on =
        hourly(n, stations.len(), hours, |n, g, t| n.binary(format!("on_{g}_{t}"), stations[g].idle_cost));
    let start = hourly(n, stations.len(), hours, |n, g, t| {
        n.binary(format!("start_{g}_{t}"), stations[g].start_cost)
    });
    let stop = hourly(n, stations.len(), hours, |n, g, t| n.binary(format!("stop_{g}_{t}"), 0.0));
    let power = hourly(n, stations.len(), hours, |n, g, t| {
        n.variable(format!("power_{g}_{t}"), 0.0, 0.0, stations[g].span, Continuous)
    });
    let reserve = hourly(n, stations.len(), hours, |n, g, t| {
        n.variable(format!("reserve_{g}_{t}"), 0.0, 0.0, stations[g].span, Continuous)
    });
    let cost = hourly(n, stations.len(), hours, |n, g, t| {
        n.variable(format!("cost_{g}_{t}"), 1.0, 0.0, infinite, Continuous)
    });
    let flow = hourly(n, lines.len(), hours, |n, l, t| {
        n.variable(format!("flow_{l}_{t}"), 0.0, -lines[l].2, lines[l].2, Continuous)
    });
    let shed = hourly(n, zones, hours, |n, z, t| {
        n.variable(format!("shed_{z}_{t}"), SHED_COST, 0.0, demand[t][z], Continuous)
    });
    let short = hourly(n, 1, hours, |n, _, t| {
        n.variable(format!("short_{t}"), SHORT_COST, 0.0, infinite, Continuous)
    });

    for (g, station) in stations.iter().enumerate() {
        for t in 0..hours {
            let now = [(on[g][t], 1.0), (start[g][t], -1.0), (stop[g][t], 1.0)];
            let before = (t > 0).then(|| (on[g][t - 1], -1.0));
            let given = if t == 0 && station.on_before { 1.0 } else { 0.0 };
            named.equal(format!("logic_{g}_{t}"), now.into_iter().chain(before), given);

            let started = (t.saturating_sub(station.up - 1)..=t).map(|hour| (start[g][hour], 1.0));
            named.at_most(format!("up_{g}_{t}"), started.chain([(on[g][t], -1.0)]), 0.0);
            let stopped = (t.saturating_sub(station.down - 1)..=t).map(|hour| (stop[g][hour], 1.0));
            named.at_most(format!("down_{g}_{t}"), stopped.chain([(on[g][t], 1.0)]), 1.0);

            let output = [(power[g][t], 1.0), (reserve[g][t], 1.0)];
            let starting = (station.ramp < station.span).then(|| (start[g][t], station.span - station.ramp));
            let range = output.into_iter().chain([(on[g][t], -station.span)]).chain(starting);
            named.at_most(format!("range_{g}_{t}"), range, 0.0);
            if t > 0 {
                let rise = output.into_iter().chain([(power[g][t - 1], -1.0)]);
                named.at_most(format!("rise_{g}_{t}"), rise, station.ramp);
                let fall = [(power[g][t - 1], 1.0), (power[g][t], -1.0)];
                named.at_most(format!("fall_{g}_{t}"), fall, station.ramp);
            }
            for (k, &(slope, intercept)) in station.tangents.iter().enumerate() {
                let fuel = [(cost[g][t], 1.0), (power[g][t], -slope), (on[g][t], intercept)];
                named.at_least(format!("fuel_{g}_{t}_{k}"), fuel, 0.0);
            }
        }
    }
    let mut inside = vec![vec![]; zones];
    let mut touching = vec![vec![]; zones];
    for (g, station) in stations.iter().enumerate() {
        inside[station.zone].push(g);
    }
    for (l, &(from, to, _)) in lines.iter().enumerate() {
        touching[from].push((l, -1.0));
        touching[to].push((l, 1.0));
    }
    for (t, demand) in demand.iter().enumerate() {
        for (z, &demand) in demand.iter().enumerate() {
            let made = inside[z].iter().flat_map(|&g| [(on[g][t], stations[g].minimum), (power[g][t], 1.0)]);
            let brought = touching[z].iter().map(|&(l, sign)| (flow[l][t], sign));
            let terms = made.chain(brought).chain([(shed[z][t], 1.0)]);
            named.equal(format!("demand_{z}_{t}"), terms, demand);
        }
        let spare = reserve.iter().map(|reserve| (reserve[t], 1.0)).chain([(short[0][t], 1.0)]);
        named.at_least(format!("spare_{t}"), spare, tidy(reserve_part * demand.iter().sum::<f64>()));
    }
    named
}

#[cfg(test)]
mod tests {
    use crate::instances::{generate, tests::violation};

    #[test]
    fn with_every_station_off_all_demand_is_shed() {
        let options = [("stations", "8"), ("hours", "30"), ("zones", "3"), ("lines", "5")];
        let named = generate("uc", &options, 1, 0).unwrap();
        let problem = &named.problem;
        assert_eq!(problem.columns(), 30 * (6 * 8 + 5 + 3 + 1));
        assert_eq!(named.rows.len(), 30 * (9 * 8 + 3 + 1) - 2 * 8);
        assert_eq!(problem.binaries().count(), 3 * 8 * 30);
        let side = |row: &str| {
            let i = named.rows.iter().position(|name| name == row).unwrap();
            problem.rows.lhs[i]
        };
        let point: Vec<f64> = named
            .variables
            .iter()
            .map(|name| match name.split_once('_').unwrap() {
                ("stop", rest) if rest.ends_with("_0") => side(&format!("logic_{rest}")),
                ("shed", rest) => side(&format!("demand_{rest}")),
                ("short", rest) => side(&format!("spare_{rest}")),
                _ => 0.0,
            })
            .collect();
        assert_eq!(violation(problem, &point), 0.0);
    }
}
