//! What is found, what is refused, and what becomes of solutions.

use super::colours::mix;
use super::*;
use crate::data::pool::{Teacher, entropy, mean_entropy};
use crate::instances::generate;
use std::collections::HashSet;
use std::time::Instant;

/// Numbers that are random enough to shuffle with.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = mix(self.0);
        (self.0 % end as u64) as usize
    }

    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).rev().for_each(|k| order.swap(k, self.below(k + 1)));
        order
    }
}

fn family(name: &str, options: &[(&str, &str)]) -> Problem {
    generate(name, options, 1, 0).unwrap().problem
}

/// Block t of the result is block `order[t]` of the point.
fn permuted(group: &Blocks, order: &[usize], point: &[f64]) -> Vec<f64> {
    let mut result = point.to_vec();
    for (to, &from) in group.blocks.iter().zip(order) {
        to.iter().zip(&group.blocks[from]).for_each(|(&to, &from)| result[to] = point[from]);
    }
    result
}

/// The problem in words, column j as column `to[j]`, the rows sorted.
fn text(problem: &Problem, to: &[usize]) -> (Vec<String>, Vec<String>) {
    let mut columns = vec![String::new(); problem.columns()];
    for j in 0..problem.columns() {
        // Plus zero: both zeros read the same.
        let (cost, least, most) =
            (problem.objective[j] + 0.0, problem.lower[j] + 0.0, problem.upper[j] + 0.0);
        columns[to[j]] = format!("{cost} {least} {most} {:?}", problem.kind[j]);
    }
    let row = |i: usize| {
        let mut terms: Vec<String> = problem.rows.terms(i).map(|(j, a)| format!("{a} x{}", to[j])).collect();
        terms.sort();
        format!("{} {} {}", problem.rows.lhs[i], terms.join(" "), problem.rows.rhs[i])
    };
    let mut rows: Vec<String> = (0..problem.rows.len()).map(row).collect();
    rows.sort();
    (columns, rows)
}

/// Exchanging any two blocks of any group leaves all columns and all rows as they are: a check that
/// shares nothing with detection.
fn is_sound(problem: &Problem, symmetry: &Symmetry) -> bool {
    let mut seen = HashSet::new();
    let well_formed = symmetry.groups.iter().all(|group| {
        group.blocks.len() >= 2
            && group.blocks.iter().all(|block| block.len() == group.blocks[0].len())
            && group.blocks.iter().flatten().all(|&j| seen.insert(j))
    });
    let same: Vec<usize> = (0..problem.columns()).collect();
    let original = text(problem, &same);
    let exchangeable = |a: &[usize], b: &[usize]| {
        let mut to = same.clone();
        a.iter().zip(b).for_each(|(&i, &j)| to.swap(i, j));
        text(problem, &to) == original
    };
    well_formed
        && symmetry.groups.iter().all(|Blocks { blocks }| {
            (0..blocks.len()).all(|a| (0..a).all(|b| exchangeable(&blocks[a], &blocks[b])))
        })
}

fn shape(symmetry: &Symmetry) -> Vec<(usize, usize)> {
    symmetry.groups.iter().map(|group| (group.blocks.len(), group.blocks[0].len())).collect()
}

/// A point of an IP instance from the bin of each item, with the least deficits for it, and its
/// objective. Built from the rows: deficit_ct has the deficit as its last term.
fn placed(problem: &Problem, bins: usize, resources: usize, bin: &[usize]) -> (Vec<f64>, f64) {
    let items = bin.len();
    let mut point = vec![0.0; problem.columns()];
    bin.iter().enumerate().for_each(|(i, &b)| point[i * bins + b] = 1.0);
    for (r, b) in (0..resources).flat_map(|r| (0..bins).map(move |b| (r, b))) {
        let row = items + bins * resources + r * bins + b;
        let filled: f64 = problem.rows.terms(row).map(|(j, a)| a * point[j]).sum();
        let deficit = (1.0 - filled).max(0.0);
        point[items * bins + b * resources + r] = deficit;
        let most = &mut point[items * bins + bins * resources + r];
        *most = most.max(deficit);
    }
    let objective = problem.objective.iter().zip(&point).map(|(c, x)| c * x).sum();
    (point, objective)
}

fn violation(problem: &Problem, point: &[f64]) -> f64 {
    let sides = (0..problem.rows.len()).map(|i| {
        let activity: f64 = problem.rows.terms(i).map(|(j, a)| a * point[j]).sum();
        (problem.rows.lhs[i] - activity).max(activity - problem.rows.rhs[i])
    });
    let bounds = (0..point.len()).map(|j| (problem.lower[j] - point[j]).max(point[j] - problem.upper[j]));
    sides.chain(bounds).fold(0.0, f64::max)
}

/// The five large items in different bins, the small ones one after the other.
fn spread(items: usize, bins: usize) -> Vec<usize> {
    (0..items).map(|i| (7 * i + i / bins) % bins).collect()
}

#[test]
fn item_placement_has_ten_bins_that_can_be_exchanged() {
    let problem = family("ip", &[]);
    let symmetry = Symmetry::of(&problem);
    assert_eq!(shape(&symmetry), [(10, 108)], "105 items and 3 deficits each");
    assert!(is_sound(&problem, &symmetry));
    for (b, block) in symmetry.groups[0].blocks.iter().enumerate() {
        assert!(block[..105].iter().enumerate().all(|(i, &j)| j == 10 * i + b), "not a bin: {block:?}");
    }
}

/// With two bins, telling one apart tells the other apart too.
#[test]
fn two_bins_are_enough() {
    for bins in ["2", "3"] {
        let problem = family("ip", &[("bins", bins), ("small_items", "8"), ("large_items", "4")]);
        let symmetry = Symmetry::of(&problem);
        assert_eq!(shape(&symmetry), [(bins.parse().unwrap(), 15)]);
        assert!(is_sound(&problem, &symmetry));
    }
}

#[test]
fn permuted_solutions_become_the_same() {
    let problem = family("ip", &[]);
    let symmetry = Symmetry::of(&problem);
    let mut random = Random(1);
    let (point, objective) = placed(&problem, 10, 3, &spread(105, 10));
    let canonical = |point: &[f64]| {
        let mut pool = Pool::new(&problem, 9);
        pool.insert(point, objective, 0.0, Teacher::Scip);
        symmetry.canonical(&problem, &mut pool);
        pool.solutions[0].clone()
    };
    let expected = canonical(&point);
    // The large items come first and stand in the first bins, in the order of their weight.
    let weight = weights(&problem);
    let mut large: Vec<usize> = (100..105).collect();
    large.sort_by(|&a, &b| weight[10 * b].total_cmp(&weight[10 * a]));
    for (b, &i) in large.iter().enumerate() {
        assert_eq!(expected.binaries[10 * i + b], 1, "item {i} is not in bin {b}");
    }
    for _ in 0..20 {
        let shuffled = permuted(&symmetry.groups[0], &random.order(10), &point);
        assert_ne!(shuffled, point);
        assert_eq!(canonical(&shuffled), expected);
    }
}

/// A pool of one solution under 50 orders of its bins, two small items and a large one moved at random
/// in each.
fn mush(problem: &Problem, symmetry: &Symmetry) -> Pool {
    let mut random = Random(2);
    let mut pool = Pool::new(problem, 50);
    for _ in 0..50 {
        let mut bin = spread(105, 10);
        (0..2).for_each(|_| bin[random.below(100)] = random.below(10));
        bin[100 + random.below(5)] = random.below(10);
        let (point, objective) = placed(problem, 10, 3, &bin);
        let point = permuted(&symmetry.groups[0], &random.order(10), &point);
        assert!(pool.insert(&point, objective, 0.0, Teacher::Scip));
    }
    pool
}

#[test]
fn the_entropy_of_the_labels_falls() {
    let problem = family("ip", &[]);
    let symmetry = Symmetry::of(&problem);
    let mut pool = mush(&problem, &symmetry);
    // A temperature at which all solutions count the same.
    let mush = |pool: &Pool| mean_entropy(&pool.targets(1e9));
    let before = mush(&pool);
    // Each solution in a pool of its own is its own best: sorted, with nothing to agree with.
    let mut sorted = pool.clone();
    sorted.relabel(|solution| {
        let mut alone = Pool::new(&problem, 1);
        alone.insert_solution(solution.clone());
        symmetry.canonical(&problem, &mut alone);
        alone.solutions[0].clone()
    });
    let sorted = mush(&sorted);
    symmetry.canonical(&problem, &mut pool);
    let after = mush(&pool);
    println!(
        "mean entropy {before:.4}, sorted {sorted:.4}, canonical {after:.4}; H(0.1) {:.4}",
        entropy(0.1)
    );
    assert!((before - entropy(0.1)).abs() < 0.03, "{before}");
    // 3 of 105 items are elsewhere in each solution.
    assert!(after < 0.04, "{after}");
    assert!(after < sorted / 2.0, "{after} {sorted}: sorting alone does as well");
}

#[test]
fn what_is_canonical_stays() {
    let problem = family("ip", &[]);
    let symmetry = Symmetry::of(&problem);
    let mut pool = mush(&problem, &symmetry);
    symmetry.canonical(&problem, &mut pool);
    let once = pool.clone();
    symmetry.canonical(&problem, &mut pool);
    assert!(pool == once);
}

#[test]
fn relabelled_solutions_are_feasible_and_as_good() {
    let options = [("small_items", "20"), ("large_items", "3"), ("bins", "4")];
    let problem = family("ip", &options);
    let symmetry = Symmetry::of(&problem);
    assert_eq!(shape(&symmetry), [(4, 26)]);
    let group = &symmetry.groups[0];
    let mut random = Random(3);
    let mut pool = Pool::new(&problem, 30);
    let mut points = vec![];
    while pool.solutions.len() < 30 {
        let mut bin = spread(23, 4);
        (0..4).for_each(|_| bin[random.below(20)] = random.below(4));
        let (point, objective) = placed(&problem, 4, 3, &bin);
        if violation(&problem, &point) < 1e-9 {
            // The time says which point a solution was.
            pool.insert(&point, objective, points.len() as f64, Teacher::Scip);
            points.push(point);
        }
    }
    symmetry.canonical(&problem, &mut pool);
    let (mut moved, mut checked) = (0, 0);
    for solution in &pool.solutions {
        // The order of the blocks that makes the old point the new one moves the deficits too.
        let point = &points[solution.seconds as usize];
        let mut order = vec![];
        for block in &group.blocks {
            let here = block[..23].iter().map(|&j| solution.binaries[j]);
            let from = (0..4).find(|from| {
                let there = group.blocks[*from][..23].iter().map(|&j| point[j] as u8);
                !order.contains(from) && here.clone().eq(there)
            });
            order.push(from.expect("the same contents in another order"));
        }
        let relabelled = permuted(group, &order, point);
        let objective: f64 = problem.objective.iter().zip(&relabelled).map(|(c, x)| c * x).sum();
        assert!(violation(&problem, &relabelled) < 1e-9);
        assert!((objective - solution.objective).abs() < 1e-9);
        moved += usize::from(relabelled != *point);
        checked += 1;
    }
    assert!(checked > 20 && moved > 10, "{checked} {moved}");
}

/// x_vc: node v has colour c; every node one colour, the ends of an edge different ones, used colours
/// cost 1. Column of (v, c): c + v · colours, or v + c · nodes.
fn colouring(nodes: usize, edges: &[(usize, usize)], colours: usize, by_node: bool) -> Problem {
    let mut problem = Problem::default();
    let column = |v, c| if by_node { v * colours + c } else { c * nodes + v };
    (0..nodes * colours).for_each(|_| {
        problem.add_column(0.0, 0.0, 1.0, Kind::Binary);
    });
    for c in 0..colours {
        let used = problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
        for &(v, w) in edges {
            let terms = [(column(v, c), 1.0), (column(w, c), 1.0), (used, -1.0)];
            problem.rows.push(f64::NEG_INFINITY, terms, 0.0);
        }
    }
    for v in 0..nodes {
        problem.rows.push(1.0, (0..colours).map(|c| (column(v, c), 1.0)), 1.0);
    }
    problem
}

#[test]
fn colours_of_a_colouring_can_be_exchanged() {
    let crooked = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 4), (1, 3), (0, 6), (1, 6)];
    let cycle = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0)];
    for (edges, by_node) in [(&crooked[..], true), (&crooked, false), (&cycle, true), (&cycle, false)] {
        let problem = colouring(7, edges, 4, by_node);
        let symmetry = Symmetry::of(&problem);
        assert_eq!(shape(&symmetry), [(4, 8)], "{edges:?} {by_node}");
        assert!(is_sound(&problem, &symmetry));
    }
}

/// Three machines, six jobs of which some are alike: the blocks are the machines all the same.
#[test]
fn machines_with_identical_jobs_can_be_exchanged() {
    let mut problem = Problem::default();
    let length = [3.0, 3.0, 3.0, 2.0, 2.0, 5.0];
    (0..18).for_each(|_| {
        problem.add_column(0.0, 0.0, 1.0, Kind::Binary);
    });
    let makespan = problem.add_column(1.0, 0.0, f64::INFINITY, Kind::Continuous);
    for job in 0..6 {
        problem.rows.push(1.0, (0..3).map(|m| (3 * job + m, 1.0)), 1.0);
    }
    for m in 0..3 {
        let terms = (0..6).map(|job| (3 * job + m, length[job])).chain([(makespan, -1.0)]);
        problem.rows.push(f64::NEG_INFINITY, terms, 0.0);
    }
    let symmetry = Symmetry::of(&problem);
    assert_eq!(shape(&symmetry), [(3, 6)]);
    assert!(is_sound(&problem, &symmetry));
}

/// max Σ c x over 2 (x0 + x1 + x2) + 3 (x3 + x4) + 3 x5 ≤ 7 with x5 dearer and x6, x7 integer, alike
/// but for the sign of a zero.
fn knapsack() -> Problem {
    let mut problem = Problem::default();
    for cost in [-2.0, -2.0, -2.0, -3.0, -3.0, -4.0] {
        problem.add_column(cost, 0.0, 1.0, Kind::Binary);
    }
    problem.add_column(0.0, 0.0, 5.0, Kind::Integer);
    problem.add_column(-0.0, -0.0, 5.0, Kind::Integer);
    let size = [2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 1.0, 1.0];
    problem.rows.push(f64::NEG_INFINITY, size.into_iter().enumerate(), 7.0);
    problem
}

#[test]
fn identical_columns_can_be_exchanged() {
    let problem = knapsack();
    let symmetry = Symmetry::of(&problem);
    let blocks: Vec<_> = symmetry.groups.iter().map(|group| group.blocks.concat()).collect();
    assert_eq!(blocks, [vec![0, 1, 2], vec![3, 4], vec![6, 7]]);
    assert!(is_sound(&problem, &symmetry));

    let mut pool = Pool::new(&problem, 9);
    pool.insert(&[0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 2.0], -5.0, 0.0, Teacher::Scip);
    pool.insert(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0], -5.0, 0.0, Teacher::Scip);
    pool.insert(&[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0], -4.0, 0.0, Teacher::Scip);
    pool.insert(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0], -4.0, 0.0, Teacher::Scip);
    symmetry.canonical(&problem, &mut pool);
    let kept: Vec<_> = pool.solutions.iter().map(|s| (s.binaries.clone(), s.integers.clone())).collect();
    assert_eq!(
        kept,
        [
            (vec![1, 0, 0, 1, 0, 0], vec![2, 0]),
            (vec![1, 1, 0, 1, 0, 0], vec![0, 0]),
            (vec![0, 0, 0, 0, 0, 1], vec![2, 0]),
        ]
    );
}

#[test]
fn blocks_are_assigned_to_agree_as_much_as_possible() {
    let target = vec![vec![1, 1, 0, 0], vec![1, 0, 1, 0], vec![0, 0, 0, 1]];
    // Greedily, the first would take the target's first, and the last two would have to cross.
    let contents = vec![vec![1, 1, 1, 0], vec![1, 1, 0, 1], vec![0, 0, 0, 1]];
    let expected = vec![vec![1, 1, 0, 1], vec![1, 1, 1, 0], vec![0, 0, 0, 1]];
    assert_eq!(closest(&target, contents), expected);
    // Too many for the exact assignment, none with a twin: still each one once.
    let many: Vec<Vec<i64>> = (0..300).map(|k| vec![k, 0]).collect();
    let other: Vec<Vec<i64>> = (0..300).map(|k| vec![299 - k, 1]).collect();
    let closest = closest(&many, other);
    assert!(closest.iter().enumerate().all(|(k, block)| *block == [k as i64, 1]));
}

#[test]
fn auctions_have_nothing_to_exchange() {
    assert_eq!(shape(&Symmetry::of(&family("ca", &[]))), []);
}

#[test]
fn continuous_columns_alone_are_nobodys_concern() {
    let mut problem = knapsack();
    problem.kind.fill(Kind::Continuous);
    assert_eq!(shape(&Symmetry::of(&problem)), []);
}

/// Packing on cycles: colour refinement cannot tell a node of a triangle from one of a hexagon.
#[test]
fn what_only_looks_alike_is_not_exchanged() {
    let cycles: [&[usize]; 3] = [&[0, 1, 2], &[3, 4, 5], &[6, 7, 8, 9, 10, 11]];
    let build = |cycles: &[&[usize]]| {
        let edges = |cycle: &[usize]| {
            (0..cycle.len()).map(|k| (cycle[k], cycle[(k + 1) % cycle.len()])).collect::<Vec<_>>()
        };
        packing(12, cycles.iter().flat_map(|cycle| edges(cycle)))
    };
    let problem = build(&cycles);
    let colours = Colours::refine(&problem, &mut 0);
    assert!(colours.column.iter().all(|&colour| colour == colours.column[0]), "refinement is not fooled");
    let symmetry = Symmetry::of(&problem);
    assert!(is_sound(&problem, &symmetry));
    assert_eq!(symmetry.groups[0].blocks, [[0, 1, 2], [3, 4, 5]]);
    // Any numbering of the nodes: what is found may differ, but it is always true.
    let mut random = Random(4);
    for _ in 0..200 {
        let name = random.order(12);
        let renamed = cycles.map(|cycle| cycle.iter().map(|&v| name[v]).collect::<Vec<_>>());
        let problem = build(&renamed.each_ref().map(Vec::as_slice));
        assert!(is_sound(&problem, &Symmetry::of(&problem)));
    }
}

/// The check that `is_sound` makes can fail, and so can the one that detection makes.
#[test]
fn a_wrong_exchange_is_refused() {
    let mut problem = family("ip", &[("bins", "3"), ("small_items", "4"), ("large_items", "3")]);
    let symmetry = Symmetry::of(&problem);
    assert_eq!(shape(&symmetry), [(3, 10)]);
    // Bin 2 gets a little more room in one resource.
    let row = 7 + 2 * 3;
    problem.rows.rhs[row] *= 1.001;
    assert!(!is_sound(&problem, &symmetry));
    let fewer = Symmetry::of(&problem);
    assert_eq!(shape(&fewer), [(2, 10)]);
    assert!(is_sound(&problem, &fewer));
    // Colours that tell nothing apart: the comparison in full is all there is.
    let (columns, rows) = (problem.columns(), problem.rows.len());
    let blind = Colours { column: vec![0; columns], row: vec![0; rows] };
    let mut search = Search::new(&problem, blind, 0);
    assert!(search.exchange(0, 1).is_some());
    assert!(search.exchange(0, 2).is_none());
}

/// Rows x_v + x_w ≤ 1 for the edges.
fn packing(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Problem {
    let mut problem = Problem::default();
    (0..nodes).for_each(|_| {
        problem.add_column(-1.0, 0.0, 1.0, Kind::Binary);
    });
    for (v, w) in edges {
        problem.rows.push(f64::NEG_INFINITY, [(v, 1.0), (w, 1.0)], 1.0);
    }
    problem
}

/// `cargo test --release --lib symmetry -- --ignored --nocapture`
#[test]
#[ignore = "prints times"]
fn times() {
    let families = ["ip", "ca", "ca-large", "sc", "sc-large", "wa", "uc", "lot"];
    let mut problems: Vec<(&str, Problem)> = families.iter().map(|&name| (name, family(name, &[]))).collect();
    // The worst: all columns look alike, and next to nothing can be exchanged.
    let mut random = Random(5);
    let count = 20_000;
    let orders = [random.order(count), random.order(count)];
    let edges = orders.iter().flat_map(|order| (0..count).map(|k| (order[k], order[(k + 1) % count])));
    problems.push(("random 4-regular graph", packing(count, edges)));
    problems.push(("cycle", packing(count, (0..count).map(|k| (k, (k + 1) % count)))));
    let pairs = (0..1000).flat_map(|v| (0..v).map(move |w| (v, w)));
    problems.push(("complete graph", packing(1000, pairs)));
    let mut alike = packing(count, []);
    alike.rows.push(0.0, (0..count).map(|j| (j, 1.0)), 9.0);
    problems.push(("identical columns", alike));
    // Every row long, the columns of a row alike: cyclic shifts of one random row.
    let row: Vec<f64> = (0..600).map(|_| random.below(3) as f64).collect();
    let mut shifted = packing(600, []);
    for shift in 0..600 {
        shifted.rows.push(0.0, (0..600).map(|k| ((k + shift) % 600, row[k])), 9.0);
    }
    problems.push(("circulant", shifted));
    for (name, problem) in problems {
        let start = Instant::now();
        let mut shape = shape(&Symmetry::of(&problem));
        let groups = shape.len();
        shape.truncate(3);
        println!("{name}: {} nonzeros, {:?}, {groups}: {shape:?}", problem.nonzeros(), start.elapsed());
    }
}
