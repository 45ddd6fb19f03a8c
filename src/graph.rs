//! The bipartite graph of a problem: what a network sees.
//!
//! One node for each variable, one for each constraint, one edge for each nonzero coefficient. The
//! columns of the features are named in [`Features`], by version; docs/MODELS.md describes them.
//!
//! What the paper leaves open is settled so: the objective is in minimisation sense and divided by its
//! largest absolute coefficient, right-hand sides likewise by theirs, nothing is clamped; the position
//! is relative, so that 12 bits serve any number of variables.

mod features;

use crate::problem::{Kind, Problem};
use crate::relaxation::Relaxed;
pub use features::{Features, POSITION_BITS};

/// A row counts as tight at an LP solution if its slack is below this, as a share of its coefficients.
const TIGHT: f64 = 1e-6;

/// The bipartite graph, ready for a network: row-major features and an edge list sorted by
/// constraint.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Which columns the features have.
    pub features: Features,
    /// Number of variables.
    pub variables: usize,
    /// Number of constraints.
    pub constraints: usize,
    /// `variables` × [`Features::variable_width`].
    pub variable_features: Vec<f32>,
    /// `constraints` × [`Features::constraint_width`].
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

/// How many rows stop a variable from going down, and from going up.
#[derive(Clone, Copy, Default)]
struct Locks {
    down: u32,
    up: u32,
}

impl Locks {
    fn add(&mut self, coefficient: f64, lhs: f64, rhs: f64) {
        let (below, above) = (lhs.is_finite() as u32, rhs.is_finite() as u32);
        if coefficient > 0.0 {
            self.down += below;
            self.up += above;
        } else if coefficient < 0.0 {
            self.down += above;
            self.up += below;
        }
    }

    /// As shares of the variable's rows.
    fn features(self, rows: usize) -> [f32; 2] {
        let rows = rows.max(1) as f32;
        [self.down as f32 / rows, self.up as f32 / rows]
    }
}

/// Whether there is a bound, and the bound itself, squashed: one of 1e30 is finite too.
fn bound(bound: f64) -> [f32; 2] {
    if bound.is_finite() { [1.0, bound.asinh() as f32] } else { [0.0, 0.0] }
}

/// What the LP says about a variable; all zero if it says nothing.
fn in_lp(relaxed: Option<&Relaxed>, j: usize, kind: Kind) -> [f32; 5] {
    match relaxed {
        Some(relaxed) if !relaxed.values[j].is_nan() && !relaxed.pull[j].is_nan() => {
            let value = relaxed.values[j];
            let apart = if kind == Kind::Continuous { 0.0 } else { (value - value.round()).abs() };
            [1.0, value as f32, apart as f32, relaxed.pull[j] as f32, relaxed.probability[j] as f32]
        }
        _ => [0.0; 5],
    }
}

/// Whether a row is tight in the LP, and how far it is from its nearer side as a share of its absolute
/// coefficients. Zero and zero if the LP does not say.
fn slack(problem: &Problem, i: usize, values: Option<&[f64]>) -> [f32; 2] {
    let (lhs, rhs) = (problem.rows.lhs[i], problem.rows.rhs[i]);
    let (mut activity, mut size) = (0.0, 0.0);
    let Some(values) = values else { return [0.0; 2] };
    for (j, coefficient) in problem.rows.terms(i) {
        activity += coefficient * values[j];
        size += coefficient.abs();
    }
    // NaN if any of its variables is unknown.
    let slack = (activity - lhs).abs().min((rhs - activity).abs()) / size;
    if activity.is_nan() || !slack.is_finite() {
        return [0.0; 2];
    }
    [(slack < TIGHT) as u8 as f32, slack as f32]
}

impl Graph {
    /// The graph of `problem` with features of version 1.
    pub fn new(problem: &Problem) -> Graph {
        Graph::with_features(problem, Features::Static, None)
    }

    /// The graph of `problem`, in one pass over its nonzeros. `relaxed` is its LP relaxation; none if
    /// that is not known. Only features of version 2 look at it.
    pub fn with_features(problem: &Problem, features: Features, relaxed: Option<&Relaxed>) -> Graph {
        let (n, m, rows) = (problem.columns(), problem.rows.len(), &problem.rows);
        let more = features.has_relaxation();
        let relaxed = relaxed.filter(|relaxed| relaxed.values.len() == n);
        let side = |i: usize| side_and_sense(rows.lhs[i], rows.rhs[i]);
        let objective_scale = scale(problem.objective.iter().copied());
        let side_scale = scale((0..m).map(|i| side(i).0));

        let mut at_variable = vec![Spread::NONE; n];
        let mut locks = vec![Locks::default(); n];
        let mut constraint_features = Vec::with_capacity(m * features.constraint_width());
        let mut edge_constraint = Vec::with_capacity(problem.nonzeros());
        for i in 0..m {
            let mut at_constraint = Spread::NONE;
            for (j, coefficient) in rows.terms(i) {
                at_constraint.add(coefficient);
                at_variable[j].add(coefficient);
                locks[j].add(coefficient, rows.lhs[i], rows.rhs[i]);
                edge_constraint.push(i as i64);
            }
            let [mean, degree, ..] = at_constraint.features();
            let (right_hand_side, sense) = side(i);
            constraint_features.extend([mean, degree, (right_hand_side / side_scale) as f32, sense]);
            if more {
                let (lhs, rhs) = (rows.lhs[i], rows.rhs[i]);
                constraint_features.push((lhs.is_finite() && rhs.is_finite() && lhs != rhs) as u8 as f32);
                constraint_features.extend(slack(problem, i, relaxed.map(|relaxed| &relaxed.values[..])));
            }
        }

        let mut variable_features = Vec::with_capacity(n * features.variable_width());
        for (j, spread) in at_variable.into_iter().enumerate() {
            let kind = problem.kind[j];
            variable_features.push((problem.objective[j] / objective_scale) as f32);
            variable_features.extend(spread.features());
            variable_features.push((kind != Kind::Continuous) as u8 as f32);
            let position = (j << POSITION_BITS) / n;
            variable_features.extend((0..POSITION_BITS).rev().map(|bit| ((position >> bit) & 1) as f32));
            if more {
                variable_features.push((kind == Kind::Binary) as u8 as f32);
                variable_features.extend(bound(problem.lower[j]));
                variable_features.extend(bound(problem.upper[j]));
                variable_features.extend(locks[j].features(spread.count));
                variable_features.extend(in_lp(relaxed, j, kind));
            }
        }
        Graph {
            features,
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
        &graph.variable_features[j * graph.features.variable_width()..][..features::VARIABLES.len()]
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
                let first = j * graph.features.variable_width() + features::VARIABLES.len();
                &graph.variable_features[first..][..POSITION_BITS]
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

    /// The columns that version 2 adds, of variable `j` and of constraint `i`.
    fn more(graph: &Graph, j: usize, i: usize) -> (&[f32], &[f32]) {
        let (width, added) = (graph.features.variable_width(), features::MORE_VARIABLES.len());
        let variable = &graph.variable_features[j * width..][..width];
        let (height, also) = (graph.features.constraint_width(), features::MORE_CONSTRAINTS.len());
        let constraint = &graph.constraint_features[i * height..][..height];
        (&variable[width - added..], &constraint[height - also..])
    }

    #[test]
    fn version_2_adds_bounds_locks_and_the_relaxation() {
        let mut problem = problem();
        problem.upper[1] = f64::INFINITY;
        problem.rows.push(-1.0, [(0, 2.0), (2, -2.0)], 3.0);
        // Rows: x0 − 3 x1 ≤ 8;  5 x0 ≥ −2;  x1 + x2 = 1;  −1 ≤ 2 x0 − 2 x2 ≤ 3.
        let relaxed = Relaxed::new(vec![0.75, 0.5, 0.5], vec![0.0, 2.0, -1.0], 0.0);
        let graph = Graph::with_features(&problem, Features::Relaxation, Some(&relaxed));
        let p = relaxed.probability[0] as f32;
        // is_binary; bounds; locks: down by rows 1 and 3, up by rows 0 and 3, of three; the LP.
        let third = 2.0 / 3.0;
        let one = 1f64.asinh() as f32;
        let expected = [1.0, 1.0, 0.0, 1.0, one, third, third, 1.0, 0.75, 0.25, 0.0, p];
        assert_eq!(more(&graph, 0, 0).0, expected);
        let (pull, p) = (relaxed.pull[1] as f32, relaxed.probability[1] as f32);
        // Down by both rows, up by the equation alone; a continuous variable has no fractionality.
        assert_eq!(more(&graph, 1, 0).0, [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 1.0, 0.5, 0.0, pull, p]);
        // 0.75 − 1.5 ≤ 8 leaves 8.75 of coefficients 4; the equation is tight; 0.5 is 1.5 above −1.
        assert_eq!(more(&graph, 0, 0).1, [0.0, 0.0, 8.75 / 4.0]);
        assert_eq!(more(&graph, 0, 2).1, [0.0, 1.0, 0.0]);
        assert_eq!(more(&graph, 0, 3).1, [1.0, 0.0, 1.5 / 4.0]);
        let first = Graph::new(&problem);
        assert_eq!(variable(&graph, 1), variable(&first, 1), "version 1 is the beginning of version 2");
        assert_eq!(graph.edge_variable, first.edge_variable);
    }

    #[test]
    fn an_lp_that_is_not_known_is_all_zero_and_says_so() {
        let problem = problem();
        let unknown = f64::NAN;
        let part = Relaxed::new(vec![unknown, 1.0, 0.0], vec![unknown, 1.0, 1.0], 0.0);
        for relaxed in [None, Some(&part)] {
            let graph = Graph::with_features(&problem, Features::Relaxation, relaxed);
            assert_eq!(more(&graph, 0, 0).0[7..], [0.0; 5]);
            assert_eq!(more(&graph, 0, 0).1[1..], [0.0; 2], "x0 is in this row");
            assert_eq!(more(&graph, 1, 2).0[7], relaxed.is_some() as u8 as f32);
            assert!(graph.variable_features.iter().all(|value| value.is_finite()));
        }
    }
}
