//! Training data for others: each instance, and each augmented one, as a file of exactly what a network
//! is asked with (docs/MODELS.md) and what it should answer. The features come from the same extractor
//! as in a solve.

use super::example::examples;
use super::file::Instance;
use super::npz::{self, Inside, Pack};
use super::pool::{Pool, TEMPERATURE};
use crate::error::{Error, Result};
use crate::graph::{Features, Graph};
use crate::problem::Problem;
use crate::relaxation::Relaxed;
use std::path::{Path, PathBuf};

/// Writes the files of one instance: `path`, and beside it `…-augmented-0.npz` and so on. Returns their
/// names. `relaxed` are the relaxations of its examples, in their order; features of version 1 need none.
pub fn write(
    instance: &Instance,
    features: Features,
    relaxed: &[Option<Relaxed>],
    path: &Path,
) -> Result<Vec<PathBuf>> {
    let failed = |why: String| Error::File { path: path.into(), why };
    if instance.problem.is_none() {
        let why = "cannot be exported from a stripped file: export the file that still has its problem";
        return Err(failed(why.into()));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut written = vec![];
    for (k, example) in examples(instance).enumerate() {
        let path = match k {
            0 => path.to_path_buf(),
            k => path.with_file_name(format!("{stem}-augmented-{}.npz", k - 1)),
        };
        let problem = &example.reduced.problem;
        let relaxed = relaxed.get(k).and_then(|relaxed| relaxed.as_ref());
        let bytes = pack(problem, Graph::with_features(problem, features, relaxed), example.pool)
            .map_err(|why| failed(format!("cannot be exported: {why}")))?;
        npz::save_new(&path, &bytes)?;
        written.push(path);
    }
    Ok(written)
}

fn pack(problem: &Problem, graph: Graph, pool: &Pool) -> Inside<Vec<u8>> {
    let edges = graph.edge_coefficient.len();
    let mut pack = Pack::new();
    let (width, height) = (graph.features.variable_width(), graph.features.constraint_width());
    pack.array("variables", &[graph.variables, width], &graph.variable_features)?;
    pack.array("constraints", &[graph.constraints, height], &graph.constraint_features)?;
    pack.array("edges", &[2, edges], &[graph.edge_constraint, graph.edge_variable].concat())?;
    pack.array("coefficients", &[edges, 1], &graph.edge_coefficient)?;
    // int64, because that is what PyTorch takes as an index.
    pack.vector("binaries", &pool.binaries.iter().map(|&j| j as i64).collect::<Vec<_>>())?;
    let values: Vec<u8> = pool.solutions.iter().flat_map(|one| one.binaries.iter().copied()).collect();
    pack.array("solutions", &[pool.solutions.len(), pool.binaries.len()], &values)?;
    let objectives = pool.solutions.iter().map(|one| problem.user_objective(one.objective));
    pack.vector("objectives", &objectives.collect::<Vec<_>>())?;
    let targets = pool.targets(TEMPERATURE);
    pack.vector("targets", &targets.into_iter().map(|target| target as f32).collect::<Vec<_>>())?;
    pack.finish()
}
