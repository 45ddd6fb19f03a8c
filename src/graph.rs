//! The bipartite graph of a problem: what a network sees.
//!
//! One node for each variable, one for each constraint, one edge for each nonzero coefficient. The
//! columns are the paper's table, named here once; [`FEATURES`] is their version, written into every
//! model file and checked when one is loaded.
//!
//! What the paper leaves open is settled so: the objective is in minimisation sense and divided by its
//! largest absolute coefficient, right-hand sides likewise by theirs, nothing is clamped; the position
//! is relative, so that 12 bits serve any number of variables.

use crate::problem::{Kind, Problem};

/// Version of the feature columns below.
pub const FEATURES: u32 = 1;

/// Bits of the relative position among the variable features.
pub const POSITION_BITS: usize = 12;

/// Columns of the variable features, without the position bits that follow them.
pub const VARIABLE_COLUMNS: [&str; 6] =
    ["objective", "mean_coefficient", "degree", "max_coefficient", "min_coefficient", "is_integer"];

/// Columns of the constraint features.
pub const CONSTRAINT_COLUMNS: [&str; 4] = ["mean_coefficient", "degree", "right_hand_side", "sense"];

/// Numbers for each variable.
pub const VARIABLE_WIDTH: usize = VARIABLE_COLUMNS.len() + POSITION_BITS;

/// Numbers for each constraint.
pub const CONSTRAINT_WIDTH: usize = CONSTRAINT_COLUMNS.len();

/// The names of all variable columns: `objective`, …, `position_11`.
pub fn variable_column_names() -> Vec<String> {
    let bits = (0..POSITION_BITS).map(|bit| format!("position_{bit}"));
    VARIABLE_COLUMNS.iter().map(|name| name.to_string()).chain(bits).collect()
}

/// The bipartite graph, ready for a network: row-major features and an edge list sorted by
/// constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Number of variables.
    pub variables: usize,
    /// Number of constraints.
    pub constraints: usize,
    /// `variables` × [`VARIABLE_WIDTH`].
    pub variable_features: Vec<f32>,
    /// `constraints` × [`CONSTRAINT_WIDTH`].
    pub constraint_features: Vec<f32>,
    /// The constraint at each edge.
    pub edge_constraint: Vec<i64>,
    /// The variable at each edge.
    pub edge_variable: Vec<i64>,
    /// The coefficient at each edge.
    pub edge_coefficient: Vec<f32>,
}

/// Running mean, extremes and count of the coefficients at one node.
#[derive(Clone, Copy)]
struct Spread {
    sum: f64,
    count: usize,
    max: f64,
    min: f64,
}

impl Spread {
    const NONE: Spread = Spread { sum: 0.0, count: 0, max: f64::NEG_INFINITY, min: f64::INFINITY };

    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
        self.max = self.max.max(value);
        self.min = self.min.min(value);
    }

    /// (mean, degree, max, min); all zero for a node without edges.
    fn features(self) -> [f32; 4] {
        if self.count == 0 {
            return [0.0; 4];
        }
        [(self.sum / self.count as f64) as f32, self.count as f32, self.max as f32, self.min as f32]
    }
}

/// The largest finite absolute value, or 1 where there is none to divide by.
fn scale(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.filter(|v| v.is_finite()).fold(0.0, |a: f64, v| a.max(v.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// The side that a constraint is about, and its sense: ≤ is 1, = is 0, ≥ is −1. A row with two
/// different finite sides counts as ≤.
fn side_and_sense(lhs: f64, rhs: f64) -> (f64, f32) {
    if lhs == rhs {
        (rhs, 0.0)
    } else if rhs.is_finite() {
        (rhs, 1.0)
    } else if lhs.is_finite() {
        (lhs, -1.0)
    } else {
        (0.0, 1.0)
    }
}

impl Graph {
    /// The graph of `problem`, in one pass over its nonzeros.
    pub fn new(problem: &Problem) -> Graph {
        let (n, m, rows) = (problem.columns(), problem.rows.len(), &problem.rows);
        let side = |i: usize| side_and_sense(rows.lhs[i], rows.rhs[i]);
        let objective_scale = scale(problem.objective.iter().copied());
        let side_scale = scale((0..m).map(|i| side(i).0));

        let mut at_variable = vec![Spread::NONE; n];
        let mut constraint_features = Vec::with_capacity(m * CONSTRAINT_WIDTH);
        let mut edge_constraint = Vec::with_capacity(problem.nonzeros());
        for i in 0..m {
            let mut at_constraint = Spread::NONE;
            for (j, coefficient) in rows.terms(i) {
                at_constraint.add(coefficient);
                at_variable[j].add(coefficient);
                edge_constraint.push(i as i64);
            }
            let [mean, degree, ..] = at_constraint.features();
            let (right_hand_side, sense) = side(i);
            constraint_features.extend([mean, degree, (right_hand_side / side_scale) as f32, sense]);
        }

        let mut variable_features = Vec::with_capacity(n * VARIABLE_WIDTH);
        for (j, spread) in at_variable.into_iter().enumerate() {
            variable_features.push((problem.objective[j] / objective_scale) as f32);
            variable_features.extend(spread.features());
            variable_features.push((problem.kind[j] != Kind::Continuous) as u8 as f32);
            let position = (j << POSITION_BITS) / n;
            variable_features.extend((0..POSITION_BITS).rev().map(|bit| ((position >> bit) & 1) as f32));
        }
        Graph {
            variables: n,
            constraints: m,
            variable_features,
            constraint_features,
            edge_constraint,
            edge_variable: rows.column.iter().map(|&j| j as i64).collect(),
            edge_coefficient: rows.coefficient.iter().map(|&c| c as f32).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Fixings;

    fn problem() -> Problem {
        let mut problem = Problem::default();
        problem.add_column(-4.0, 0.0, 1.0, Kind::Binary);
        problem.add_column(2.0, 0.0, 9.0, Kind::Continuous);
        problem.add_column(0.0, 0.0, 1.0, Kind::Binary);
        problem.rows.push(f64::NEG_INFINITY, [(0, 1.0), (1, -3.0)], 8.0);
        problem.rows.push(-2.0, [(0, 5.0)], f64::INFINITY);
        problem.rows.push(1.0, [(1, 1.0), (2, 1.0)], 1.0);
        problem
    }

    fn variable(graph: &Graph, j: usize) -> &[f32] {
        &graph.variable_features[j * VARIABLE_WIDTH..][..VARIABLE_COLUMNS.len()]
    }

    #[test]
    fn columns_are_what_their_names_say() {
        let graph = Graph::new(&problem());
        assert_eq!(variable(&graph, 0), [-1.0, 3.0, 2.0, 5.0, 1.0, 1.0]);
        assert_eq!(variable(&graph, 1), [0.5, -1.0, 2.0, 1.0, -3.0, 0.0]);
        assert_eq!(
            graph.constraint_features,
            [-1.0, 2.0, 1.0, 1.0, /* ≥ */ 5.0, 1.0, -0.25, -1.0, /* = */ 1.0, 2.0, 0.125, 0.0]
        );
        assert_eq!(graph.edge_constraint, [0, 0, 1, 2, 2]);
        assert_eq!(graph.edge_variable, [0, 1, 0, 1, 2]);
    }

    #[test]
    fn positions_differ_up_to_4096_variables_and_never_overflow() {
        for n in [1usize, 3, 4096, 61_000] {
            let mut problem = Problem::default();
            for _ in 0..n {
                problem.add_column(1.0, 0.0, 1.0, Kind::Binary);
            }
            let graph = Graph::new(&problem);
            let bits = |j: usize| {
                &graph.variable_features[j * VARIABLE_WIDTH + VARIABLE_COLUMNS.len()..][..POSITION_BITS]
            };
            assert!(graph.variable_features.iter().all(|v| v.is_finite()));
            assert!(n < 2 || bits(0) != bits(n - 1));
            if n <= 4096 {
                assert!((1..n).all(|j| bits(j) != bits(j - 1)));
            }
        }
    }

    #[test]
    fn fixing_a_variable_changes_the_features_of_its_neighbours() {
        let before = Graph::new(&problem());
        let after = Graph::new(&problem().reduce(&Fixings::from([(0, 1.0)])).problem);
        assert_ne!(variable(&before, 1), variable(&after, 0), "x1 lost a neighbour's scale");
        assert_eq!(after.constraints, 2, "the row of x0 alone left");
    }

    #[test]
    fn an_empty_problem_has_an_empty_graph() {
        let graph = Graph::new(&Problem::default());
        assert_eq!((graph.variables, graph.constraints), (0, 0));
    }
}
