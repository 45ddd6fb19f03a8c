//! Interchangeable parts of a problem, and one representative for all solutions that differ only by
//! exchanging them.
//!
//! Labels are averages over a pool of good solutions. Where the bins of a placement, the machines of a
//! schedule or the colours of a colouring can be exchanged, a permuted solution is as good, and the
//! average over ten bins says 0.1 everywhere. [`Symmetry::canonical`] writes every solution with its
//! parts in one and the same order before anybody averages.
//!
//! Detection guesses, then proves:
//!
//! 1. Colour refinement sorts columns and rows into classes; what is in different classes is never
//!    exchanged. Most problems end here, every integer variable alone in its class.
//! 2. For two members u and v of a class, everything that must move with them is collected: rows of u
//!    that do not contain v go to rows of v, what only one of two such rows contains goes to what only
//!    the other contains, and so on. Alike candidates are paired in the order in which the problem
//!    lists them: models are written by loops, so this is nearly always right. The search looks at the
//!    two parts and nothing else, so that a failure is cheap too.
//! 3. The exchange counts only if it maps the problem onto itself, compared in full. A wrong guess and
//!    a collision of hashes cost a symmetry, never correctness.
//!
//! Exchanges of one and the same part with several others generate every order of these parts.

use super::pool::{Pool, Solution};
use crate::problem::{Kind, Problem};
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};
use std::collections::{HashMap, HashSet};

/// Entries that detection may look at: a few seconds. It stops with what it has by then.
const WORK: u64 = 200_000_000;

/// What a step of the search costs besides the entries it looks at, counted in entries.
const STEP: u64 = 32;

/// Above this many blocks without a twin, pairs are taken greedily: the exact assignment is cubic.
const ASSIGNED_EXACTLY: usize = 256;

/// Neither a column nor a row.
const NONE: u32 = u32::MAX;

/// Blocks of variables that may be exchanged freely.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// `blocks[b][i]` is column i of block b. All blocks are equally long, and exchanging any two of
    /// them, position by position, maps the problem onto itself.
    pub blocks: Vec<Vec<usize>>,
}

/// What may be exchanged in a problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetry {
    /// Groups that have no column in common.
    pub groups: Vec<Blocks>,
}

impl Symmetry {
    /// The interchangeable blocks of a problem that have an integer variable in them.
    ///
    /// Not all symmetry is of this kind, and a large problem is given up on after a while; but what is
    /// returned is there.
    pub fn of(problem: &Problem) -> Symmetry {
        let mut work = 0;
        let colours = Colours::refine(problem, &mut work);
        let classes = colours.classes(problem);
        if classes.is_empty() {
            return Symmetry::default();
        }
        let mut search = Search::new(problem, colours, work);
        Symmetry { groups: classes.iter().flat_map(|class| search.groups(class)).collect() }
    }

    /// Rewrites every solution of the pool with its blocks in a canonical order: those of the best
    /// solution by what is in them, those of the others so that as much as possible agrees with it.
    pub fn canonical(&self, problem: &Problem, pool: &mut Pool) {
        if pool.solutions.is_empty() {
            return;
        }
        let weight = weights(problem);
        let arrangements: Vec<Arrangement> = self
            .groups
            .iter()
            .map(|group| Arrangement::new(group, problem, &weight, pool))
            .filter(|arrangement| !arrangement.places[0].is_empty())
            .collect();
        let mut best = pool.solutions[0].clone();
        for arrangement in &arrangements {
            let contents = arrangement.sorted(&best);
            arrangement.write(&contents, &mut best);
        }
        let targets: Vec<Vec<Vec<i64>>> =
            arrangements.iter().map(|arrangement| arrangement.read(&best)).collect();
        // The best itself agrees with `best` in everything and becomes it.
        pool.relabel(|solution| {
            let mut solution = solution.clone();
            for (arrangement, target) in arrangements.iter().zip(&targets) {
                // Sorted first, so that the result does not depend on the order the solution came in.
                let contents = arrangement.sorted(&solution);
                arrangement.write(&closest(target, contents), &mut solution);
            }
            solution
        });
    }
}

/// How much each column weighs in its rows: the sum over them of its coefficient relative to the
/// largest.
///
/// The sum rather than the maximum: in a row "exactly one of these" all weigh the same, and the maximum
/// would be 1 for every column of such a row, the largest item like the smallest.
fn weights(problem: &Problem) -> Vec<f64> {
    let mut weight = vec![0.0; problem.columns()];
    for i in 0..problem.rows.len() {
        let largest = problem.rows.terms(i).map(|(_, a)| a.abs()).fold(f64::MIN_POSITIVE, f64::max);
        for (j, a) in problem.rows.terms(i) {
            weight[j] += a.abs() / largest;
        }
    }
    weight
}

/// Where in a solution the integer variables of a group are.
struct Arrangement {
    /// `places[b][i]`: the i-th heaviest variable of block b, as a place among the pool's binaries, or
    /// behind them among its integers.
    places: Vec<Vec<usize>>,
}

impl Arrangement {
    fn new(group: &Blocks, problem: &Problem, weight: &[f64], pool: &Pool) -> Arrangement {
        let first = &group.blocks[0];
        let mut positions: Vec<usize> =
            (0..first.len()).filter(|&i| problem.kind[first[i]] != Kind::Continuous).collect();
        // By the first block for all of them: sums over rows in another order differ in the last bit.
        positions.sort_by(|&a, &b| weight[first[b]].total_cmp(&weight[first[a]]));
        let place = |j: usize| match pool.binaries.binary_search(&j) {
            Ok(place) => place,
            Err(_) => pool.binaries.len() + pool.integers.binary_search(&j).expect("an integer variable"),
        };
        let places =
            group.blocks.iter().map(|block| positions.iter().map(|&i| place(block[i])).collect()).collect();
        Arrangement { places }
    }

    /// What is in each block.
    fn read(&self, solution: &Solution) -> Vec<Vec<i64>> {
        let value = |&place: &usize| match solution.binaries.get(place) {
            Some(&binary) => i64::from(binary),
            None => solution.integers[place - solution.binaries.len()],
        };
        self.places.iter().map(|block| block.iter().map(value).collect()).collect()
    }

    /// What is in the blocks, the largest first.
    fn sorted(&self, solution: &Solution) -> Vec<Vec<i64>> {
        let mut contents = self.read(solution);
        contents.sort_by(|a, b| b.cmp(a));
        contents
    }

    /// Fills the blocks.
    fn write(&self, contents: &[Vec<i64>], solution: &mut Solution) {
        let binaries = solution.binaries.len();
        for (&place, &value) in self.places.iter().flatten().zip(contents.iter().flatten()) {
            if place < binaries {
                solution.binaries[place] = value as u8;
            } else {
                solution.integers[place - binaries] = value;
            }
        }
    }
}

/// The contents in the order that agrees with the target in the most places.
fn closest(target: &[Vec<i64>], contents: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    // Twins first. Some best assignment has them as pairs: places that differ are a metric, so whatever
    // it pairs twins with agrees among itself at least as well. With many identical columns hardly
    // anything is left for the assignment problem. Of several twins the one in place: both are sorted,
    // and what has no twin then tends to stay sorted too.
    let in_place = |t: usize| target[t] == contents[t];
    let mut source: Vec<Option<usize>> = (0..target.len()).map(|t| in_place(t).then_some(t)).collect();
    let mut free: HashMap<&[i64], Vec<usize>> = HashMap::new();
    for t in (0..target.len()).rev().filter(|&t| !in_place(t)) {
        free.entry(&target[t]).or_default().push(t);
    }
    let mut rest = vec![];
    for s in (0..contents.len()).filter(|&s| !in_place(s)) {
        match free.get_mut(contents[s].as_slice()).and_then(Vec::pop) {
            Some(t) => source[t] = Some(s),
            None => rest.push(s),
        }
    }
    let open: Vec<usize> = (0..target.len()).filter(|&t| source[t].is_none()).collect();
    let agreement =
        |t: usize, s: usize| target[t].iter().zip(&contents[s]).filter(|(a, b)| a == b).count() as i64;
    if open.len() > ASSIGNED_EXACTLY {
        for &t in &open {
            // The first of the best: `max_by_key` would take the last.
            let (k, _) = rest
                .iter()
                .enumerate()
                .rev()
                .max_by_key(|&(_, &s)| agreement(t, s))
                .expect("as many as open");
            source[t] = Some(rest.remove(k));
        }
    } else if !open.is_empty() {
        let (_, chosen) =
            kuhn_munkres(&Matrix::from_fn(open.len(), rest.len(), |(t, s)| agreement(open[t], rest[s])));
        for (&t, s) in open.iter().zip(chosen) {
            source[t] = Some(rest[s]);
        }
    }
    source.into_iter().map(|s| contents[s.expect("every block is assigned")].clone()).collect()
}

/// The bits of a number, one pattern for both zeros.
fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Spreads every bit over all of them (splitmix64).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What an entry adds to the colour of the node at its other end.
fn along(entry: u64, colour: u64) -> u64 {
    mix(colour.wrapping_add(entry.wrapping_mul(0xd6e8_feb8_6659_fd93)))
}

/// A number for every column and row; those that an automorphism exchanges have the same.
struct Colours {
    column: Vec<u64>,
    row: Vec<u64>,
}

impl Colours {
    /// Colour refinement: a node's colour takes in those of its neighbours until that tells no more
    /// columns apart, or until every integer variable has a colour of its own.
    fn refine(problem: &Problem, work: &mut u64) -> Colours {
        let together = |parts: [u64; 4]| parts.into_iter().fold(0, |hash, part| mix(hash ^ part));
        let mut column: Vec<u64> = (0..problem.columns())
            .map(|j| {
                let numbers = [problem.objective[j], problem.lower[j], problem.upper[j]].map(bits);
                together([numbers[0], numbers[1], numbers[2], problem.kind[j] as u64])
            })
            .collect();
        let rows = &problem.rows;
        let mut row: Vec<u64> =
            (0..rows.len()).map(|i| together([bits(rows.lhs[i]), bits(rows.rhs[i]), 0, 1])).collect();
        let discrete = problem.kind.iter().filter(|&&kind| kind != Kind::Continuous).count();
        let (mut known, mut told_apart) = distinct(problem, &column);
        // Half of the work at most: a long chain takes as many rounds as it has links.
        while told_apart < discrete && *work < WORK / 2 {
            let mut sum = vec![0u64; column.len()];
            for (i, row) in row.iter_mut().enumerate() {
                let terms = || rows.terms(i).map(|(j, a)| (j, bits(a)));
                let seen = terms().fold(0u64, |seen, (j, a)| seen.wrapping_add(along(a, column[j])));
                *row = mix(row.wrapping_add(mix(seen)));
                for (j, a) in terms() {
                    sum[j] = sum[j].wrapping_add(along(a, *row));
                }
            }
            for (colour, sum) in column.iter_mut().zip(sum) {
                *colour = mix(colour.wrapping_add(mix(sum)));
            }
            *work += 2 * problem.nonzeros() as u64 + column.len() as u64;
            let all;
            (all, told_apart) = distinct(problem, &column);
            if all <= known {
                break;
            }
            known = all;
        }
        Colours { column, row }
    }

    /// The integer variables that share a colour, as lists, in the order of their first members.
    fn classes(&self, problem: &Problem) -> Vec<Vec<usize>> {
        let mut columns: Vec<usize> =
            (0..problem.columns()).filter(|&j| problem.kind[j] != Kind::Continuous).collect();
        columns.sort_by_key(|&j| (self.column[j], j));
        let mut classes: Vec<Vec<usize>> = columns
            .chunk_by(|&a, &b| self.column[a] == self.column[b])
            .filter(|class| class.len() > 1)
            .map(<[usize]>::to_vec)
            .collect();
        classes.sort();
        classes
    }
}

/// How many colours all columns have, and how many the integer variables.
fn distinct(problem: &Problem, column: &[u64]) -> (usize, usize) {
    let count = |mut colours: Vec<u64>| {
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    };
    let discrete = column.iter().zip(&problem.kind).filter(|&(_, &kind)| kind != Kind::Continuous);
    (count(column.to_vec()), count(discrete.map(|(&colour, _)| colour).collect()))
}

/// A sparse matrix by its lines, each sorted: (index in the other direction, bits of the coefficient).
struct Lines {
    start: Vec<usize>,
    entries: Vec<(u32, u64)>,
}

impl Lines {
    fn new<I: Iterator<Item = (usize, usize, f64)>>(count: usize, entries: impl Fn() -> I) -> Lines {
        let mut start = vec![0; count + 1];
        for (line, ..) in entries() {
            start[line + 1] += 1;
        }
        for line in 0..count {
            start[line + 1] += start[line];
        }
        let mut next = start.clone();
        let mut sorted = vec![(0, 0); start[count]];
        for (line, other, coefficient) in entries() {
            sorted[next[line]] = (other as u32, bits(coefficient));
            next[line] += 1;
        }
        for line in start.windows(2) {
            sorted[line[0]..line[1]].sort_unstable();
        }
        Lines { start, entries: sorted }
    }

    fn of(&self, line: u32) -> &[(u32, u64)] {
        &self.entries[self.start[line as usize]..self.start[line as usize + 1]]
    }

    /// The entries of either line that the other one has not got.
    fn differences(&self, a: u32, b: u32) -> [Vec<(u32, u64)>; 2] {
        let without = |a: &[(u32, u64)], b: &[(u32, u64)]| {
            a.iter().filter(|entry| b.binary_search(entry).is_err()).copied().collect()
        };
        [without(self.of(a), self.of(b)), without(self.of(b), self.of(a))]
    }
}

/// The state of looking for exchanges.
struct Search<'a> {
    problem: &'a Problem,
    colours: Colours,
    rows: Lines,
    columns: Lines,
    /// Entries looked at so far.
    work: u64,
    /// Columns that are in a group.
    used: Vec<bool>,
    /// What the exchange at hand does to the columns; [`NONE`]: stays.
    partner: Vec<u32>,
    /// What it does to the rows.
    row_partner: Vec<u32>,
    /// Its pairs: (on the side of u, on the side of v).
    pairs: Vec<(u32, u32)>,
    /// The rows that have a partner.
    paired_rows: Vec<u32>,
}

/// One choice of the block of u, and the blocks that it can be exchanged with.
struct Candidate {
    block: Vec<usize>,
    others: Vec<Vec<usize>>,
    taken: HashSet<usize>,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, colours: Colours, work: u64) -> Search<'a> {
        let rows = &problem.rows;
        let entries = || (0..rows.len()).flat_map(|i| rows.terms(i).map(move |(j, a)| (i, j, a)));
        Search {
            problem,
            colours,
            rows: Lines::new(rows.len(), entries),
            columns: Lines::new(problem.columns(), || entries().map(|(i, j, a)| (j, i, a))),
            work,
            used: vec![false; problem.columns()],
            partner: vec![NONE; problem.columns()],
            row_partner: vec![NONE; rows.len()],
            pairs: vec![],
            paired_rows: vec![],
        }
    }

    /// The groups that start from the members of a class.
    fn groups(&mut self, class: &[usize]) -> Vec<Blocks> {
        let mut groups = vec![];
        for (k, &u) in class.iter().enumerate() {
            if self.used[u] {
                continue;
            }
            // The columns around u may be exchangeable in several ways, alone and with others. The way
            // that moves the most columns clears up the most; of equals the one with more blocks.
            let candidate = self.candidates(u, &class[k + 1..]).into_iter().max_by_key(|candidate| {
                (candidate.block.len() + candidate.taken.len(), candidate.taken.len())
            });
            let Some(Candidate { block, mut others, .. }) = candidate else { continue };
            others.insert(0, block);
            others.iter().flatten().for_each(|&j| self.used[j] = true);
            groups.push(Blocks { blocks: others });
        }
        groups
    }

    /// All blocks of `u` for which an exchange with a block around some member of its class is found.
    fn candidates(&mut self, u: usize, members: &[usize]) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = vec![];
        for &v in members {
            if self.work > WORK {
                break;
            }
            self.work += candidates.len() as u64;
            // From inside a block that u's moves to, u comes there by that exchange and one within blocks,
            // which is looked for among the members inside the block of u.
            if self.used[v] || candidates.iter().any(|candidate| candidate.taken.contains(&v)) {
                continue;
            }
            let Some(pairs) = self.exchange(u, v) else { continue };
            let (block, other): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
            match candidates.iter_mut().find(|candidate| candidate.block == block) {
                Some(candidate) => {
                    if other.iter().all(|j| !candidate.taken.contains(j)) {
                        candidate.taken.extend(&other);
                        candidate.others.push(other);
                    }
                }
                None => {
                    let taken = other.iter().copied().collect();
                    candidates.push(Candidate { block, others: vec![other], taken });
                }
            }
        }
        candidates
    }

    /// The smallest exchange of `u` and `v` that suggests itself, as pairs sorted by the side of `u`, if
    /// it maps the problem onto itself.
    fn exchange(&mut self, u: usize, v: usize) -> Option<Vec<(usize, usize)>> {
        let found = self.collect(u as u32, v as u32) && self.is_automorphism();
        let mut pairs: Vec<(usize, usize)> =
            self.pairs.drain(..).map(|(a, b)| (a as usize, b as usize)).collect();
        for &(a, b) in &pairs {
            (self.partner[a], self.partner[b]) = (NONE, NONE);
        }
        for row in self.paired_rows.drain(..) {
            self.row_partner[row as usize] = NONE;
        }
        pairs.sort_unstable();
        found.then_some(pairs)
    }

    /// Notes that the exchange moves `a` to `b` and back, if nothing speaks against it.
    fn pair(&mut self, a: u32, b: u32) -> bool {
        let (i, j) = (a as usize, b as usize);
        if a == b || self.used[i] || self.used[j] {
            return false;
        }
        if self.partner[i] == NONE && self.partner[j] == NONE {
            (self.partner[i], self.partner[j]) = (b, a);
            self.pairs.push((a, b));
        }
        self.partner[i] == b && self.partner[j] == a
    }

    /// Collects what has to move when `u` and `v` do; false if something has nowhere to go.
    fn collect(&mut self, u: u32, v: u32) -> bool {
        if !self.pair(u, v) {
            return false;
        }
        let mut next = 0;
        while let Some(&(a, b)) = self.pairs.get(next) {
            next += 1;
            self.work += STEP + (self.columns.of(a).len() + self.columns.of(b).len()) as u64;
            // A row with the same coefficient at both stays where it is.
            let sides = self.columns.differences(a, b).map(|rows| {
                let mut open: Vec<(u64, u64, u32)> = rows
                    .into_iter()
                    .filter(|&(row, _)| self.row_partner[row as usize] == NONE)
                    .map(|(row, coefficient)| (coefficient, self.colours.row[row as usize], row))
                    .collect();
                open.sort_unstable();
                open
            });
            let Some(pairs) = self.row_pairs(sides) else { return false };
            for (from, to) in pairs {
                if !self.pair_rows(from, to) {
                    return false;
                }
            }
            if self.work > WORK {
                return false;
            }
        }
        true
    }

    /// Pairs rows that agree in coefficient and colour; both sides are sorted.
    fn row_pairs(&mut self, [left, right]: [Vec<(u64, u64, u32)>; 2]) -> Option<Vec<(u32, u32)>> {
        let alike = |a: &(u64, u64, u32), b: &(u64, u64, u32)| (a.0, a.1) == (b.0, b.1);
        if left.len() != right.len() || !left.iter().zip(&right).all(|(a, b)| alike(a, b)) {
            return None;
        }
        let mut pairs = Vec::with_capacity(left.len());
        let mut done = 0;
        for group in left.chunk_by(alike) {
            let across = &right[done..done + group.len()];
            done += group.len();
            if group.len() == 1 {
                pairs.push((group[0].2, across[0].2));
                continue;
            }
            // Several: first those that match with what is known to move, and the rest staying.
            let mut waiting: HashMap<u64, Vec<u32>> = HashMap::new();
            for &(.., row) in across.iter().rev() {
                waiting.entry(self.image(row, false)).or_default().push(row);
            }
            let mut matched = HashSet::new();
            let mut rest = vec![];
            for &(.., row) in group {
                match waiting.get_mut(&self.image(row, true)).and_then(Vec::pop) {
                    Some(to) => {
                        matched.insert(to);
                        pairs.push((row, to));
                    }
                    None => rest.push(row),
                }
            }
            // Then those in the order of the problem.
            pairs.extend(
                rest.into_iter()
                    .zip(across.iter().map(|&(.., row)| row).filter(|row| !matched.contains(row))),
            );
        }
        Some(pairs)
    }

    /// A hash of the terms of a row, as they are or as the exchange leaves them so far.
    fn image(&mut self, row: u32, moved: bool) -> u64 {
        let terms = self.rows.of(row);
        self.work += terms.len() as u64;
        let hash = |&(column, coefficient): &(u32, u64)| {
            let partner = self.partner[column as usize];
            along(coefficient, u64::from(if moved && partner != NONE { partner } else { column }))
        };
        terms.iter().map(hash).fold(0, u64::wrapping_add)
    }

    /// Notes that the exchange moves one row to the other, and pairs the columns that this moves.
    fn pair_rows(&mut self, from: u32, to: u32) -> bool {
        let (i, j) = (from as usize, to as usize);
        if self.row_partner[i] == to && self.row_partner[j] == from {
            return true;
        }
        if from == to || self.row_partner[i] != NONE || self.row_partner[j] != NONE {
            return false;
        }
        (self.row_partner[i], self.row_partner[j]) = (to, from);
        self.paired_rows.extend([from, to]);
        self.work += STEP + (self.rows.of(from).len() + self.rows.of(to).len()) as u64;
        // A column with the same coefficient in both stays where it is.
        let [left, right] = self.rows.differences(from, to).map(|terms| {
            let mut open: Vec<(u64, u64, u32)> = terms
                .into_iter()
                .filter(|&(column, _)| self.partner[column as usize] == NONE)
                .map(|(column, coefficient)| (coefficient, self.colours.column[column as usize], column))
                .collect();
            open.sort_unstable();
            open
        });
        left.len() == right.len()
            && left.into_iter().zip(right).all(|(a, b)| (a.0, a.1) == (b.0, b.1) && self.pair(a.2, b.2))
    }

    /// The exchange at hand maps the problem onto itself. No hash decides here.
    fn is_automorphism(&mut self) -> bool {
        let problem = self.problem;
        let alike = |&(a, b): &(u32, u32)| {
            let (a, b) = (a as usize, b as usize);
            problem.kind[a] == problem.kind[b]
                && [&problem.objective, &problem.lower, &problem.upper]
                    .iter()
                    .all(|numbers| bits(numbers[a]) == bits(numbers[b]))
        };
        if !self.pairs.iter().all(alike) {
            return false;
        }
        // The part of each row that moves. Where it moves onto itself, so does the row.
        let mut moving: Vec<(u32, u32, u64)> = vec![];
        for j in self.pairs.iter().flat_map(|&(a, b)| [a, b]) {
            moving.extend(self.columns.of(j).iter().map(|&(row, coefficient)| (row, j, coefficient)));
        }
        moving.sort_unstable();
        let mut leaving = vec![];
        for part in moving.chunk_by(|a, b| a.0 == b.0) {
            let mut image: Vec<_> = part
                .iter()
                .map(|&(row, j, coefficient)| (row, self.partner[j as usize], coefficient))
                .collect();
            image.sort_unstable();
            if image != part {
                leaving.push(part[0].0);
            }
        }
        // The other rows are exchanged among themselves: as they are and as they become, they are the
        // same rows. A row that stays cannot be the image of one that leaves.
        let total: usize = leaving.iter().map(|&row| self.rows.of(row).len()).sum();
        self.work += (moving.len() + total) as u64;
        let whole = |row: u32, moved: bool| {
            let column = |j: u32| match self.partner[j as usize] {
                partner if moved && partner != NONE => partner,
                _ => j,
            };
            let mut terms: Vec<(u32, u64)> =
                self.rows.of(row).iter().map(|&(j, coefficient)| (column(j), coefficient)).collect();
            terms.sort_unstable();
            (bits(problem.rows.lhs[row as usize]), bits(problem.rows.rhs[row as usize]), terms)
        };
        let all = |moved: bool| {
            let mut rows: Vec<_> = leaving.iter().map(|&row| whole(row, moved)).collect();
            rows.sort_unstable();
            rows
        };
        all(false) == all(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pool::{Teacher, entropy, mean_entropy};
    use crate::instances::generate;
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
            let mut terms: Vec<String> =
                problem.rows.terms(i).map(|(j, a)| format!("{a} x{}", to[j])).collect();
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
        let mut problems: Vec<(&str, Problem)> =
            families.iter().map(|&name| (name, family(name, &[]))).collect();
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
}
