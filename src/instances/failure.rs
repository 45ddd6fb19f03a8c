//! Can the workloads of WA be carried by all workers together, whichever one of them fails?
//!
//! With every worker in use WA is a linear program in the reservations r. Let m_s be the greatest
//! reservation of workload s. The failure that hurts s most is that of the worker with it, so s is safe
//! iff its reservations sum to at least l_s + m_s. *For given m* this is a flow problem: workload s sends
//! l_s + m_s through arcs of capacity m_s to its workers, and worker t passes on at most c_t. So
//!
//! ```text
//! F(m) = Σ_s (l_s + m_s) − max flow(m)
//! ```
//!
//! is what cannot be carried, and the answer is yes iff F(m) = 0 for some m. A max flow is the least of
//! all cuts, each of them linear in m; so F is convex, and a minimum cut, with the workloads S and the
//! workers T on the side of the source, is a row that every good m satisfies:
//!
//! ```text
//! Σ_{s ∈ S} (l_s + m_s − m_s · |A_s \ T|) − Σ_{t ∈ T} c_t ≤ 0
//! ```
//!
//! We start from the box of the m with which each workload alone could live, and project m on the row of
//! the current cut until nothing is left over. "Yes" comes with a flow and is exact. "No" is exact when
//! a row excludes the whole box. Otherwise it means that the steps ran out, which may wrong a borderline
//! draw but never lets a bad one through; `docs/FAMILIES.md` says how often that was seen.

use std::collections::VecDeque;

/// Units of the integer flows in one unit of load.
const UNIT: f64 = 1e12;

/// More than all roundings to these units can add up to.
const ROUNDING: f64 = 1e-6;

/// Each step aims so far beyond the row of the cut: then a walk to a set with an inside ends.
const BEYOND: f64 = 0.01;

/// Steps before giving up; 5,000 default draws took at most 30.
const STEPS: usize = 300;

/// Whether the workloads (load, allowed workers) survive every single failure. See the top of the file.
pub(super) fn survivable(capacity: &[f64], load: &[f64], allowed: &[Vec<usize>]) -> bool {
    let ranges = load.iter().zip(allowed).map(|(&load, allowed)| alone(capacity, load, allowed));
    let Some(ranges) = ranges.collect::<Option<Vec<_>>>() else {
        return false;
    };
    let mut greatest: Vec<f64> = ranges.iter().map(|range| range.0).collect();
    for _ in 0..STEPS {
        let Cut { left, slope } = minimum_cut(capacity, load, allowed, &greatest);
        if left == 0.0 {
            return true;
        }
        // The most that the row can fall within the box; a row that stays positive is a proof of "no".
        let fall: f64 = (0..load.len())
            .map(|s| slope[s] * (greatest[s] - if slope[s] > 0.0 { ranges[s].0 } else { ranges[s].1 }))
            .sum();
        let square: f64 = slope.iter().map(|slope| slope * slope).sum();
        if left - fall > ROUNDING || square == 0.0 {
            return false;
        }
        let step = (left + BEYOND) / square;
        for s in 0..load.len() {
            greatest[s] = (greatest[s] - step * slope[s]).clamp(ranges[s].0, ranges[s].1);
        }
    }
    false
}

/// Between which m_s a workload could be safe if it had its workers for itself; None if it could not.
///
/// Reserving min(c_t, m) of every worker is the most that m allows; what survives is Σ min(c_t, m) − m.
/// It grows with m up to the second greatest capacity, beyond which m only wastes the greatest.
fn alone(capacity: &[f64], load: f64, allowed: &[usize]) -> Option<(f64, f64)> {
    let mut own: Vec<f64> = allowed.iter().map(|&t| capacity[t]).collect();
    own.sort_by(f64::total_cmp);
    let high = *own.iter().rev().nth(1)?;
    let mut full = 0.0;
    for (place, &c) in own[..own.len() - 1].iter().enumerate() {
        // If the workers before this one are full, the others share the rest, and one of them fails.
        let m = (load - full) / (own.len() - place - 1) as f64;
        if m <= c {
            return Some((m, high));
        }
        full += c;
    }
    None
}

/// A minimum cut as a linear function of m.
struct Cut {
    /// What the flow leaves over: F(m).
    left: f64,
    /// Its slope for each workload.
    slope: Vec<f64>,
}

/// Source 0, workloads 1 …, workers after them, sink last.
struct Network {
    /// Arcs leaving each node; arc a and a ^ 1 are each other's reverse.
    leaving: Vec<Vec<usize>>,
    head: Vec<usize>,
    room: Vec<i64>,
}

impl Network {
    fn arc(&mut self, from: usize, to: usize, room: i64) {
        self.leaving[from].push(self.head.len());
        self.leaving[to].push(self.head.len() + 1);
        self.head.extend([to, from]);
        self.room.extend([room, 0]);
    }

    /// Distance of every node from the source over arcs with room; usize::MAX where none leads.
    fn levels(&self) -> Vec<usize> {
        let mut level = vec![usize::MAX; self.leaving.len()];
        level[0] = 0;
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for &arc in &self.leaving[node] {
                let next = self.head[arc];
                if self.room[arc] > 0 && level[next] == usize::MAX {
                    level[next] = level[node] + 1;
                    queue.push_back(next);
                }
            }
        }
        level
    }

    /// Sends up to `amount` from `node` to the sink along arcs that lead one level on.
    fn push(&mut self, node: usize, amount: i64, level: &[usize], tried: &mut [usize]) -> i64 {
        if node + 1 == self.leaving.len() {
            return amount;
        }
        let mut sent = 0;
        while sent < amount && tried[node] < self.leaving[node].len() {
            let arc = self.leaving[node][tried[node]];
            let next = self.head[arc];
            if self.room[arc] > 0 && level[next] == level[node] + 1 {
                let part = self.push(next, (amount - sent).min(self.room[arc]), level, tried);
                self.room[arc] -= part;
                self.room[arc ^ 1] += part;
                sent += part;
            }
            if sent < amount {
                tried[node] += 1;
            }
        }
        sent
    }
}

/// A maximum flow for the given m by Dinic's method, and the cut that proves it.
fn minimum_cut(capacity: &[f64], load: &[f64], allowed: &[Vec<usize>], greatest: &[f64]) -> Cut {
    let (workloads, workers) = (load.len(), capacity.len());
    let (first_worker, sink) = (1 + workloads, 1 + workloads + workers);
    let mut network = Network { leaving: vec![vec![]; sink + 1], head: vec![], room: vec![] };
    // Rounded so that a flow which carries everything is one in the real numbers too.
    let less = |amount: f64| (amount * UNIT).floor() as i64;
    let more = |amount: f64| (amount * UNIT).ceil() as i64;
    for s in 0..workloads {
        network.arc(0, 1 + s, more(load[s] + greatest[s]));
        for &t in &allowed[s] {
            network.arc(1 + s, first_worker + t, less(greatest[s]));
        }
    }
    for (t, &c) in capacity.iter().enumerate() {
        network.arc(first_worker + t, sink, less(c));
    }
    let reached = loop {
        let level = network.levels();
        if level[sink] == usize::MAX {
            break level;
        }
        network.push(0, i64::MAX, &level, &mut vec![0; sink + 1]);
    };
    let near = |node: usize| reached[node] != usize::MAX;
    let left: i64 = network.leaving[0].iter().map(|&arc| network.room[arc]).sum();
    let slope = (0..workloads)
        .map(|s| {
            let crossing = allowed[s].iter().filter(|&&t| !near(first_worker + t)).count();
            if near(1 + s) { 1.0 - crossing as f64 } else { 0.0 }
        })
        .collect();
    Cut { left: left as f64 / UNIT, slope }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_workload_needs_its_load_without_its_greatest_worker() {
        let capacity = [0.5, 0.4, 0.4, 0.3];
        let all = vec![vec![0, 1, 2, 3]];
        assert!(survivable(&capacity, &[1.09], &all));
        assert!(!survivable(&capacity, &[1.11], &all));
        assert!(!survivable(&capacity, &[0.1], &[vec![2]]), "its only worker may fail");
        assert!(!survivable(&capacity, &[0.1], &[vec![]]));
    }

    /// Two workloads on the same three workers of capacity 1 reserve a and b of each: each needs twice
    /// its own to be at least its load, so together they carry 2 and no more.
    #[test]
    fn workloads_that_share_workers_share_their_capacity() {
        let both = vec![vec![0, 1, 2], vec![0, 1, 2]];
        assert!(survivable(&[1.0; 3], &[0.5, 1.49], &both));
        assert!(!survivable(&[1.0; 3], &[0.5, 1.51], &both));
    }

    /// The second needs 0.9 of both its workers; that leaves 0.1 of one and three whole ones.
    #[test]
    fn a_workload_with_room_elsewhere_gives_way() {
        let allowed = vec![vec![0, 1, 2, 3], vec![0, 4]];
        assert!(survivable(&[1.0; 5], &[2.05, 0.9], &allowed));
        assert!(!survivable(&[1.0; 5], &[2.15, 0.9], &allowed));
    }
}
