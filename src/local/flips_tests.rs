//! Flips on problems whose optimum is known, and on such as have led them astray.

use super::*;
use crate::instances::generate;
use crate::problem::Fixings;
use crate::teach::import::best_completion;

/// A random problem with covers, packings and a knapsack over ten binaries.
fn small(seed: u64) -> Problem {
    let mut dice = Dice::new("small", seed, 0);
    let mut problem = Problem::default();
    for _ in 0..10 {
        problem.add_column(dice.between(-3.0, 9.0), 0.0, 1.0, Kind::Binary);
    }
    for row in 0..6 {
        let chosen: Vec<usize> = (0..10).filter(|_| dice.chance(0.4)).collect();
        let terms = chosen.iter().map(|&j| (j, if row == 5 { 1.0 + j as f64 } else { 1.0 }));
        match row {
            0..3 => problem.rows.push(1.0, terms, f64::INFINITY),
            3..5 => problem.rows.push(f64::NEG_INFINITY, terms, 2.0),
            _ => problem.rows.push(f64::NEG_INFINITY, terms, 12.0),
        }
    }
    problem
}

fn optimum(problem: &Problem) -> f64 {
    let rows = &problem.rows;
    let holds = |point: u32, i: usize| {
        let activity: f64 = rows.terms(i).filter(|(j, _)| point >> j & 1 == 1).map(|term| term.1).sum();
        rows.lhs[i] <= activity && activity <= rows.rhs[i]
    };
    let cost = |point: u32| (0..10).filter(|j| point >> j & 1 == 1).map(|j| problem.objective[j]).sum();
    let feasible = (0..1u32 << 10).filter(|&point| (0..rows.len()).all(|i| holds(point, i)));
    feasible.map(cost).fold(f64::INFINITY, f64::min)
}

#[test]
fn it_finds_the_optimum_of_small_problems() {
    for seed in 0..40 {
        let problem = small(seed);
        let expected = optimum(&problem);
        let mut flips = Flips::new(&problem, &[0.0; 10], seed).unwrap();
        let (mut best, mut rounds) = (f64::INFINITY, 0);
        let over = || {
            rounds += 1;
            rounds > 30
        };
        flips.search(f64::INFINITY, over, |objective, _| {
            best = objective;
            objective - 1e-6
        });
        assert!((best == expected) || (best - expected).abs() < 1e-6, "{seed}: {best}, not {expected}");
    }
}

#[test]
fn continuous_columns_get_the_values_that_a_linear_program_would_give_them() {
    let problem = generate("ip", &[], 1, 0).unwrap().problem;
    let mut flips = Flips::new(&problem, &vec![0.0; problem.columns()], 1).unwrap();
    let (mut points, mut target) = (vec![], f64::INFINITY);
    let mut rounds = 0;
    let over = || {
        rounds += 1;
        rounds > 40
    };
    flips.search(target, over, |objective, point| {
        points.push((objective, point.to_vec()));
        target = objective - 0.01;
        target
    });
    assert!(points.len() > 3, "{}", points.len());
    for (objective, point) in points.iter().rev().take(3) {
        let fixings: Fixings = problem.binaries().map(|j| (j, point[j])).collect();
        let completed = best_completion(&problem, &fixings).unwrap().expect("it is feasible");
        let cost = |point: &[f64]| problem.objective.iter().zip(point).map(|(c, x)| c * x).sum::<f64>();
        assert!((cost(&completed) - objective).abs() < 1e-6);
        assert!((cost(point) - objective).abs() < 1e-6);
    }
}

#[test]
fn a_target_that_nothing_can_reach_ends_with_the_clock() {
    // x = 1 costs 1 and is demanded; d ≥ x costs 1 more.
    let mut problem = Problem::default();
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(1.0, 0.0, 1.0, Kind::Continuous);
    problem.rows.push(0.0, [(0, -1.0), (1, 1.0)], f64::INFINITY);
    problem.rows.push(1.0, [(0, 1.0)], f64::INFINITY);
    let mut flips = Flips::new(&problem, &[0.0, 0.0], 1).unwrap();
    let mut found = vec![];
    let mut rounds = 0;
    let over = || {
        rounds += 1;
        rounds > 3
    };
    flips.search(f64::INFINITY, over, |objective, _| {
        found.push(objective);
        -9.0
    });
    assert_eq!(found, [2.0]);
}

/// More repairs than the patience has steps.
#[test]
fn a_long_way_to_the_first_point_is_gone_to_its_end() {
    let mut problem = Problem::default();
    for row in 0..6_000 {
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(2.0, 0.0, 1.0, Kind::Binary);
        problem.rows.push(1.0, [(2 * row, 1.0), (2 * row + 1, 1.0)], f64::INFINITY);
    }
    let mut flips = Flips::new(&problem, &vec![0.0; problem.columns()], 1).unwrap();
    let (mut best, mut looks) = (f64::INFINITY, 0);
    let over = || {
        looks += 1;
        looks > 100_000
    };
    flips.search(f64::INFINITY, over, |objective, _| {
        best = objective;
        f64::NEG_INFINITY
    });
    assert!(best < 12_000.0, "{best}");
}

/// x + y ≤ −1: nothing can be mended, nobody is ever asked what a flip costs.
#[test]
fn what_nothing_can_mend_ends_with_the_clock() {
    let mut problem = Problem::default();
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, 1.0)], -1.0);
    let mut flips = Flips::new(&problem, &[0.0, 0.0], 1).unwrap();
    let mut looks = 0;
    flips.search(
        f64::INFINITY,
        || {
            looks += 1;
            looks > 3
        },
        |_, _| unreachable!("there is no solution"),
    );
    assert_eq!(looks, 4);
}

/// A third is 0.3333333 in many a file.
#[test]
fn numbers_that_are_cut_off_still_add_up() {
    let mut problem = Problem::default();
    (0..3).for_each(|_| {
        problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
    });
    problem.rows.push(1.0, (0..3).map(|j| (j, 0.3333333)), 1.0);
    let mut flips = Flips::new(&problem, &[0.0; 3], 1).unwrap();
    let (mut found, mut looks) = (None, 0);
    let over = || {
        looks += 1;
        looks > 3
    };
    flips.search(f64::INFINITY, over, |objective, _| {
        found = Some(objective);
        f64::NEG_INFINITY
    });
    assert_eq!(found, Some(3.0));
}

#[test]
fn what_does_not_follow_from_binaries_is_left_to_others() {
    for family in ["wa", "lot", "uc"] {
        let problem = generate(family, &[], 1, 0).unwrap().problem;
        assert!(Flips::new(&problem, &vec![0.0; problem.columns()], 1).is_none(), "{family}");
    }
}
