//! The search for parts that can be exchanged, and the proof that they can.

use super::Blocks;
use super::colours::{Colours, along, bits};
use crate::problem::Problem;
use std::collections::{HashMap, HashSet};

/// Entries that detection may look at: a few seconds. It stops with what it has by then.
pub(super) const WORK: u64 = 200_000_000;

/// What a step of the search costs besides the entries it looks at, counted in entries.
const STEP: u64 = 32;

/// Neither a column nor a row.
const NONE: u32 = u32::MAX;

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
pub(super) struct Search<'a> {
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
    pub(super) fn new(problem: &'a Problem, colours: Colours, work: u64) -> Search<'a> {
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
    pub(super) fn groups(&mut self, class: &[usize]) -> Vec<Blocks> {
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
    pub(super) fn exchange(&mut self, u: usize, v: usize) -> Option<Vec<(usize, usize)>> {
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
