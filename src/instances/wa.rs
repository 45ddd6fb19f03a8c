//! WA: the fewest workers that carry all workloads even if any one worker fails.
//!
//! Worker t has capacity c_t; workload s has load l_s and may use only some workers, A_s. r_st is the
//! capacity of worker t reserved for workload s:
//!
//! ```text
//! min Σ_t y_t
//! subject to  max(c_t, l_s) y_t − r_st ≥ 0       every workload s, worker t
//!             Σ_s r_st ≤ c_t                     every worker t
//!             Σ_{t ∈ A_s, t ≠ u} r_st ≥ l_s      every workload s, every u ∈ A_s that may fail
//!             y binary, r_st in [0, c_t], fixed at 0 where t ∉ A_s
//! ```
//!
//! This is the "load balancing" of the ML4CO competition; names and order are those of its files, which
//! also keep the columns fixed at 0. The first half of the workers has capacity U(0.3, 0.5), the second
//! U(0.1, 0.3). Light workloads, load U(1, 5), are mostly allowed on the first half, heavy ones, U(5, 10),
//! mostly on the second. About half of all draws have no feasible point even with every worker in use;
//! they are drawn again, from the same stream, until [`failure::survivable`] says that one has.

use super::failure;
use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};
use crate::problem::Kind::Continuous;

pub(super) const OPTIONS: [FamilyOption; 5] = [
    count("workers", 1_000, 2, 1_000_000, "Workers, the binary variables."),
    count("light_workloads", 50, 0, 100_000, "Workloads of load U(1, 5)."),
    count("heavy_workloads", 10, 0, 100_000, "Workloads of load U(5, 10)."),
    number("likely", 0.1, 0.0, 1.0, "Probability that a workload may use a worker of its half."),
    number("unlikely", 0.01, 0.0, 1.0, "Probability that it may use a worker of the other half."),
];

/// After so many draws without a feasible one the sizes are to blame, not chance.
const MOST_DRAWS: usize = 100;

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (light, heavy) = (values.count("light_workloads"), values.count("heavy_workloads"));
    if light + heavy == 0 {
        let sentence =
            "options light_workloads=0 and heavy_workloads=0 are not allowed together; one takes 1 or more";
        return Err(Error::Impossible(sentence.to_string()));
    }
    let workers = values.count("workers");
    let pairs = (light + heavy) as f64 * workers as f64;
    let allowed = workers as f64 * (values.number("likely") + values.number("unlikely")) / 2.0;
    let entries = 5.0 * pairs + (light + heavy) as f64 * allowed * allowed;
    check_entries(entries, "workers, light_workloads, heavy_workloads, likely and unlikely")?;
    for _ in 0..MOST_DRAWS {
        let data = Data::draw(values, dice);
        if failure::survivable(&data.capacity, &data.load, &data.allowed) {
            return Ok(data.program());
        }
    }
    let (likely, unlikely) = (values.number("likely"), values.number("unlikely"));
    Err(Error::Impossible(format!(
        "options workers={workers}, light_workloads={light}, heavy_workloads={heavy}, likely={likely} and \
         unlikely={unlikely} gave no feasible instance in {MOST_DRAWS} draws; it takes more workers or \
         greater probabilities"
    )))
}

struct Data {
    capacity: Vec<f64>,
    load: Vec<f64>,
    /// The workers that a workload may use, ascending.
    allowed: Vec<Vec<usize>>,
}

impl Data {
    fn draw(values: &Values, dice: &mut Dice) -> Data {
        let workers = values.count("workers");
        let first_half = workers.div_ceil(2);
        let (likely, unlikely) = (values.number("likely"), values.number("unlikely"));
        let capacity = (0..workers)
            .map(|t| if t < first_half { dice.between(0.3, 0.5) } else { dice.between(0.1, 0.3) })
            .collect();
        let (mut load, mut allowed) = (vec![], vec![]);
        for s in 0..values.count("light_workloads") + values.count("heavy_workloads") {
            let light = s < values.count("light_workloads");
            load.push(if light { dice.between(1.0, 5.0) } else { dice.between(5.0, 10.0) });
            let probability = |t: usize| if (t < first_half) == light { likely } else { unlikely };
            allowed.push((0..workers).filter(|&t| dice.chance(probability(t))).collect());
        }
        Data { capacity, load, allowed }
    }

    fn program(&self) -> Named {
        let (workers, workloads) = (self.capacity.len(), self.load.len());
        let mut named = Named::default();
        for t in 0..workers {
            named.binary(format!("worker_used_{t}"), 1.0);
        }
        let reserved = |s: usize, t: usize| workers + s * workers + t;
        for s in 0..workloads {
            for t in 0..workers {
                let may = self.allowed[s].binary_search(&t).is_ok();
                let upper = if may { self.capacity[t] } else { 0.0 };
                named.variable(format!("reserved_capacity_{s}_{t}"), 0.0, 0.0, upper, Continuous);
            }
        }
        for s in 0..workloads {
            for t in 0..workers {
                let terms = [(t, self.capacity[t].max(self.load[s])), (reserved(s, t), -1.0)];
                named.at_least(format!("worker_used_ct_{s}_{t}"), terms, 0.0);
            }
        }
        for t in 0..workers {
            let terms = (0..workloads).map(|s| (reserved(s, t), 1.0));
            named.at_most(format!("worker_capacity_ct_{t}"), terms, self.capacity[t]);
        }
        for s in 0..workloads {
            for &failed in &self.allowed[s] {
                let left = self.allowed[s].iter().filter(|&&t| t != failed);
                let terms = left.map(|&t| (reserved(s, t), 1.0));
                named.at_least(format!("workload_ct_{s}_failure_{failed}"), terms, self.load[s]);
            }
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use crate::instances::generate;

    #[test]
    fn every_failure_of_an_allowed_worker_has_its_row() {
        let options =
            [("workers", "100"), ("light_workloads", "3"), ("heavy_workloads", "1"), ("likely", "0.8")];
        let named = generate("wa", &options, 2, 0).unwrap();
        let problem = &named.problem;
        let allowed = (100..500).filter(|&j| problem.upper[j] > 0.0).count();
        assert_eq!((problem.columns(), named.rows.len()), (500, 400 + 100 + allowed));
        assert!((100..500).filter(|&j| problem.upper[j] == 0.0).count() > 100, "the others stay as columns");
        for (i, name) in named.rows.iter().enumerate().skip(500) {
            let parts: Vec<&str> = name.split('_').collect();
            let (s, failed): (usize, usize) = (parts[2].parse().unwrap(), parts[4].parse().unwrap());
            let expected: Vec<usize> = (100 + 100 * s..200 + 100 * s)
                .filter(|&j| problem.upper[j] > 0.0 && j != 100 + 100 * s + failed)
                .collect();
            assert_eq!(problem.rows.terms(i).map(|(j, _)| j).collect::<Vec<_>>(), expected);
            let load = problem.rows.terms(100 * s).next().unwrap();
            assert_eq!(load, (0, problem.rows.lhs[i]), "worker 0 in use may carry the whole load");
        }
    }

    #[test]
    fn workloads_beyond_all_workers_are_refused() {
        let error = generate("wa", &[("workers", "20")], 0, 0).unwrap_err();
        assert!(error.to_string().contains("workers=20"), "{error}");
    }
}
