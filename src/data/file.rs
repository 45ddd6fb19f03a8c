//! The format of training data on disk: one self-contained `.npz` file for each instance, with the
//! problem, its graph and its pool of solutions. docs/DATA.md describes every member.
//!
//! Python reads a file in one line, `numpy.load(path)`; so everything is an array of numpy's, numbered
//! by the columns of the instance. Equal contents are equal bytes, whichever machine wrote them. What
//! is read is checked, so that a damaged file costs a sentence and never a wrong label.

use super::check::demand;
pub use super::hash::hash;
use super::npz::{self, Inside, Pack, Unpack};
use super::pool::{Pool, Solution, Teacher};
use crate::error::{Error, Result};
use crate::graph::{Features, Graph};
use crate::problem::{Fixings, Kind, Problem, Rows};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// Version of the format. It changes when a file no longer means what it meant.
pub const FORMAT: u32 = 1;

/// The features in a file: those that need nothing but the problem.
const FEATURES: Features = Features::Static;

/// What is known about an instance besides its numbers: the member `meta.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// Version of the format: [`FORMAT`].
    pub format: u32,
    /// Version of the feature columns: 1.
    pub features: u32,
    /// Name of the instance.
    pub name: String,
    /// [`hash`] of the instance.
    pub hash: String,
    /// The family it belongs to.
    pub family: Option<String>,
    /// Who taught, in a few words.
    pub teacher: String,
    /// Seconds the teacher took.
    pub seconds: f64,
    /// Version of this crate that collected.
    pub apollo: String,
    /// Version of the SCIP that solved.
    pub scip: String,
    /// SHA-256 of the file that the instance was read from: how a later run knows that it has seen it.
    #[serde(default)]
    pub source: String,
    /// Seed of the collecting run.
    pub seed: u64,
    /// Which symmetries the labels were freed of, in a few words.
    pub symmetry: String,
    /// The mean entropy of the labels before they were freed of symmetries, in nats.
    #[serde(default)]
    pub raw_entropy: Option<f64>,
    /// The best bound that was proved, in the user's sense.
    pub bound: Option<f64>,
    /// What a much longer search found.
    pub audit: Option<Audit>,
    /// The user maximises.
    pub maximise: bool,
    /// Constant of the objective, in minimisation sense.
    pub offset: f64,
    /// Variables of the instance.
    pub columns: usize,
    /// Constraints of the instance.
    pub rows: usize,
    /// Nonzeros of the instance.
    pub nonzeros: usize,
}

/// What a much longer search found: how good the labels really are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// Seconds it was given.
    pub seconds: f64,
    /// Its best objective, in the user's sense.
    pub objective: f64,
}

impl Meta {
    /// What follows from the problem; the rest is empty and the caller's to fill in.
    pub fn new(name: &str, problem: &Problem) -> Meta {
        Meta {
            format: FORMAT,
            features: FEATURES.version(),
            name: name.to_string(),
            hash: hash(problem),
            family: None,
            teacher: String::new(),
            seconds: 0.0,
            apollo: env!("CARGO_PKG_VERSION").to_string(),
            scip: String::new(),
            source: String::new(),
            seed: 0,
            raw_entropy: None,
            symmetry: String::new(),
            bound: None,
            audit: None,
            maximise: problem.maximise,
            offset: problem.offset,
            columns: problem.columns(),
            rows: problem.rows.len(),
            nonzeros: problem.nonzeros(),
        }
    }

    /// The name of its file, `<name>-<start of the hash>.npz`: folders that were collected apart can be
    /// copied together, and the same instance meets itself.
    pub fn file_name(&self) -> String {
        let fit = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = self.name.chars().map(fit).collect();
        let hash: String = self.hash.chars().take(12).collect();
        format!("{name}-{hash}.npz")
    }

    /// From one sense of the objective to the other, in both directions.
    fn turn(&self, objective: f64) -> f64 {
        if self.maximise { -objective } else { objective }
    }
}

/// An augmented instance: what fixings leave of its parent, and solutions of that.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Values of columns of the parent.
    pub fixings: Fixings,
    /// Solutions of the reduced problem, its columns numbered as [`Problem::reduce`] does.
    pub pool: Pool,
}

/// One instance of training data.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// What is known about it.
    pub meta: Meta,
    /// The problem; none in a *stripped* file, which has only what cannot be computed again.
    pub problem: Option<Problem>,
    /// Its solutions.
    pub pool: Pool,
    /// What was made of it by fixing some of its variables.
    pub augmented: Vec<Sample>,
}

impl Instance {
    /// Writes the file: whole, or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        npz::save(path, &self.bytes_for(path)?)
    }

    /// The same, but a file that is there already and is another one stays.
    pub fn write_new(&self, path: &Path) -> Result<()> {
        npz::save_new(path, &self.bytes_for(path)?)
    }

    fn bytes_for(&self, path: &Path) -> Result<Vec<u8>> {
        self.pack().map_err(|why| Error::File {
            path: path.into(),
            why: format!(
                "is not written, because its contents do not fit together ({why}): please report it"
            ),
        })
    }

    /// Reads a file. A pool that is read keeps [`POOL`](super::pool::POOL) solutions, or as many as it has.
    pub fn read(path: &Path) -> Result<Instance> {
        let failed = |why: String| Error::File { path: path.into(), why };
        let file = File::open(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
        Self::unpack(BufReader::new(file)).map_err(failed)
    }

    /// The bytes of the file.
    fn pack(&self) -> Inside<Vec<u8>> {
        self.check()?;
        let mut pack = Pack::new();
        let mut meta = self.meta.clone();
        if self.problem.is_some() {
            meta.features = FEATURES.version(); // they are made anew below, whatever the version of those that were read
        }
        let contents = Contents { meta, stripped: self.problem.is_none(), augmented: self.augmented.len() };
        let meta = serde_json::to_string_pretty(&contents).map_err(|error| error.to_string())?;
        pack.raw(META, meta.as_bytes())?;
        if let Some(problem) = &self.problem {
            pack_problem(&mut pack, problem)?;
        }
        self.pack_pool(&mut pack, "", &self.pool, &Fixings::new())?;
        for (k, sample) in self.augmented.iter().enumerate() {
            let folder = folder(k);
            let fixed: Vec<usize> = sample.fixings.keys().copied().collect();
            pack.vector(&format!("{folder}fixed"), &int32(&fixed))?;
            pack.vector(&format!("{folder}values"), &sample.fixings.values().copied().collect::<Vec<_>>())?;
            self.pack_pool(&mut pack, &folder, &sample.pool, &sample.fixings)?;
        }
        pack.finish()
    }

    /// The members of a pool of what the fixings leave; its columns get the numbers of the instance.
    fn pack_pool(&self, pack: &mut Pack, folder: &str, pool: &Pool, fixings: &Fixings) -> Inside<()> {
        let name = |member: &str| format!("{folder}{member}");
        let columns = |own: &[usize]| int32(&parents(own, fixings));
        let solutions = &pool.solutions;
        let (s, b, g) = (solutions.len(), pool.binaries.len(), pool.integers.len());
        let each = |of: fn(&Solution) -> f64| solutions.iter().map(of).collect::<Vec<f64>>();
        let objectives: Vec<f64> = solutions.iter().map(|one| self.meta.turn(one.objective)).collect();
        pack.vector(&name("binaries"), &columns(&pool.binaries))?;
        pack.vector(&name("integers"), &columns(&pool.integers))?;
        let values: Vec<u8> = solutions.iter().flat_map(|one| one.binaries.iter().copied()).collect();
        pack.array(&name("solutions"), &[s, b], &values)?;
        let values: Vec<i64> = solutions.iter().flat_map(|one| one.integers.iter().copied()).collect();
        pack.array(&name("integer_values"), &[s, g], &values)?;
        pack.vector(&name("objectives"), &objectives)?;
        pack.vector(&name("times"), &each(|one| one.seconds))?;
        pack.vector(&name("teachers"), &solutions.iter().map(|one| one.teacher as u8).collect::<Vec<_>>())
    }

    /// The instance in a file.
    fn unpack<R: Read + Seek>(reader: R) -> Inside<Instance> {
        let mut file = Unpack::new(reader).map_err(|why| damaged(&why))?;
        let Contents { meta, stripped, augmented } = read_meta(&mut file)?;
        let read = || {
            let problem = (!stripped).then(|| unpack_problem(&mut file, &meta)).transpose()?;
            let pool = unpack_pool(&mut file, "", &meta, &Fixings::new())?;
            let augmented = (0..augmented).map(|k| unpack_sample(&mut file, &folder(k), &meta));
            let augmented = augmented.collect::<Inside<_>>()?;
            let instance = Instance { meta, problem, pool, augmented };
            instance.check()?;
            Ok(instance)
        };
        read().map_err(|why: String| damaged(&why))
    }
}

/// The version of the format that a file is in; it need not be one that can be read.
pub fn format(path: &Path) -> Result<u32> {
    let failed = |why: String| Error::File { path: path.into(), why };
    let file = File::open(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let read = || meta_and_format(&mut Unpack::new(BufReader::new(file))?);
    read().map(|(_, format)| format).map_err(|why| failed(damaged(&why)))
}

const META: &str = "meta.json";

/// All of `meta.json`. It also says which members there are, so that none is missed unnoticed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// What is known about the instance.
    #[serde(flatten)]
    pub meta: Meta,
    /// The instance itself is left out.
    pub stripped: bool,
    /// How many augmented instances there are.
    pub augmented: usize,
}

/// What a file says it holds, without reading all of it.
pub fn contents(path: &Path) -> Result<Contents> {
    let failed = |why: String| Error::File { path: path.into(), why };
    let file = File::open(path).map_err(|error| failed(format!("cannot be read: {error}")))?;
    let mut file = Unpack::new(BufReader::new(file)).map_err(|why| failed(damaged(&why)))?;
    read_meta(&mut file).map_err(failed)
}

/// Where the members of augmented instance `k` are.
pub(super) fn folder(k: usize) -> String {
    format!("augmented/{k}/")
}

/// The numbers in the parent of columns of what fixings leave, both ascending: the inverse of what
/// [`Problem::reduce`] does to them.
fn parents(columns: &[usize], fixings: &Fixings) -> Vec<usize> {
    let mut fixed = fixings.keys().peekable();
    let mut before = 0;
    let parent = |&column: &usize| {
        while fixed.next_if(|&&j| j <= column + before).is_some() {
            before += 1;
        }
        column + before
    };
    columns.iter().map(parent).collect()
}

/// The sentence for a file that cannot be used.
fn damaged(why: &str) -> String {
    format!("is damaged or no training data of this format ({why}): copy it again, or collect it again")
}

/// Indices as the file has them. [`Instance::check`] made sure that they fit.
fn int32(indices: &[usize]) -> Vec<i32> {
    indices.iter().map(|&j| j as i32).collect()
}

/// The number of a kind in the file.
pub(super) fn number_of(kind: Kind) -> u8 {
    match kind {
        Kind::Binary => 0,
        Kind::Integer => 1,
        Kind::Continuous => 2,
    }
}

fn kind_of(number: u8) -> Inside<Kind> {
    let kinds = [Kind::Binary, Kind::Integer, Kind::Continuous];
    kinds.get(number as usize).copied().ok_or_else(|| format!("kind: {number} is none"))
}

fn meta_and_format<R: Read + Seek>(file: &mut Unpack<R>) -> Inside<(serde_json::Value, u32)> {
    let json: serde_json::Value =
        serde_json::from_slice(&file.raw(META)?).map_err(|error| format!("{META}: {error}"))?;
    let format = json["format"].as_u64().and_then(|format| u32::try_from(format).ok());
    format.map(|format| (json, format)).ok_or_else(|| format!("{META}: no format"))
}

fn read_meta<R: Read + Seek>(file: &mut Unpack<R>) -> Inside<Contents> {
    let (json, format) = meta_and_format(file).map_err(|why| damaged(&why))?;
    if format != FORMAT {
        let writer = json["apollo"].as_str().unwrap_or("of another version");
        return Err(format!(
            "is in format {format} and this apollo reads format {FORMAT}: use the apollo that wrote it ({writer}), or collect it again"
        ));
    }
    serde_json::from_value(json).map_err(|error| damaged(&format!("{META}: {error}")))
}

fn pack_problem(pack: &mut Pack, problem: &Problem) -> Inside<()> {
    let (rows, graph) = (&problem.rows, Graph::new(problem));
    pack.vector("objective", &problem.objective)?;
    pack.vector("lower", &problem.lower)?;
    pack.vector("upper", &problem.upper)?;
    pack.vector("kind", &problem.kind.iter().map(|&kind| number_of(kind)).collect::<Vec<_>>())?;
    pack.vector("lhs", &rows.lhs)?;
    pack.vector("rhs", &rows.rhs)?;
    let ends = graph.edge_constraint.iter().chain(&graph.edge_variable);
    pack.array("edges", &[2, problem.nonzeros()], &ends.map(|&node| node as i32).collect::<Vec<_>>())?;
    pack.vector("coefficients", &rows.coefficient)?;
    pack.array("variables", &[graph.variables, FEATURES.variable_width()], &graph.variable_features)?;
    pack.array("constraints", &[graph.constraints, FEATURES.constraint_width()], &graph.constraint_features)
}

fn unpack_problem<R: Read + Seek>(file: &mut Unpack<R>, meta: &Meta) -> Inside<Problem> {
    let &Meta { columns: n, rows: m, nonzeros: e, .. } = meta;
    let kind: Vec<u8> = file.vector("kind", n)?;
    let edges: Vec<i32> = file.table("edges", 2, e)?;
    let (at_row, at_column) = edges.split_at(e);
    let within = |ends: &[i32], count: usize| ends.iter().all(|&end| end >= 0 && (end as usize) < count);
    demand(within(at_row, m) && within(at_column, n), || "edges: an end is out of range".into())?;
    demand(at_row.is_sorted(), || "edges: not sorted by constraint".into())?;
    // Where each row starts, also those that have no edge.
    let (lhs, rhs) = (file.vector("lhs", m)?, file.vector("rhs", m)?);
    let mut start = vec![0; m + 1];
    for &i in at_row {
        start[i as usize + 1] += 1;
    }
    for i in 0..m {
        start[i + 1] += start[i];
    }
    let column = at_column.iter().map(|&j| j as u32).collect();
    let coefficient = file.vector("coefficients", e)?;
    // Nobody here needs the features, but who trains with them does.
    if meta.features == FEATURES.version() {
        file.table::<f32>("variables", n, FEATURES.variable_width())?;
        file.table::<f32>("constraints", m, FEATURES.constraint_width())?;
    }
    Ok(Problem {
        maximise: meta.maximise,
        offset: meta.offset,
        objective: file.vector("objective", n)?,
        lower: file.vector("lower", n)?,
        upper: file.vector("upper", n)?,
        kind: kind.into_iter().map(kind_of).collect::<Inside<_>>()?,
        rows: Rows { start, column, coefficient, lhs, rhs },
    })
}

fn unpack_sample<R: Read + Seek>(file: &mut Unpack<R>, folder: &str, meta: &Meta) -> Inside<Sample> {
    let ([count], fixed) = file.array::<i32, 1>(&format!("{folder}fixed"))?;
    let values: Vec<f64> = file.vector(&format!("{folder}values"), count)?;
    let within = fixed.iter().all(|&j| j >= 0 && (j as usize) < meta.columns);
    let fine = within && fixed.is_sorted_by(|a, b| a < b);
    demand(fine, || format!("{folder}fixed: not ascending, or out of range"))?;
    let fixings: Fixings = fixed.into_iter().map(|j| j as usize).zip(values).collect();
    let pool = unpack_pool(file, folder, meta, &fixings)?;
    Ok(Sample { fixings, pool })
}

fn unpack_pool<R: Read + Seek>(
    file: &mut Unpack<R>,
    folder: &str,
    meta: &Meta,
    fixings: &Fixings,
) -> Inside<Pool> {
    let name = |member: &str| format!("{folder}{member}");
    let fixed: Vec<usize> = fixings.keys().copied().collect();
    let mut columns = |member: &str| {
        let ([_], columns) = file.array::<i32, 1>(&name(member))?;
        let left = |j: i32| {
            let column = usize::try_from(j).ok()?;
            fixed.binary_search(&column).err().map(|before| column - before)
        };
        let left: Option<Vec<usize>> = columns.into_iter().map(left).collect();
        left.ok_or_else(|| format!("{}: a column is out of range or fixed", name(member)))
    };
    let (binaries, integers) = (columns("binaries")?, columns("integers")?);
    let ([s], objectives) = file.array::<f64, 1>(&name("objectives"))?;
    let (b, g) = (binaries.len(), integers.len());
    let ones: Vec<u8> = file.table(&name("solutions"), s, b)?;
    let whole: Vec<i64> = file.table(&name("integer_values"), s, g)?;
    let times: Vec<f64> = file.vector(&name("times"), s)?;
    let teachers: Vec<u8> = file.vector(&name("teachers"), s)?;
    let solution = |k: usize| {
        let teacher = Teacher::ALL.get(teachers[k] as usize).copied();
        Ok(Solution {
            binaries: ones[k * b..][..b].to_vec(),
            integers: whole[k * g..][..g].to_vec(),
            objective: meta.turn(objectives[k]),
            seconds: times[k],
            teacher: teacher.ok_or_else(|| format!("{}: {} is none", name("teachers"), teachers[k]))?,
        })
    };
    let solutions = (0..s).map(solution).collect::<Inside<_>>()?;
    Ok(Pool::from_parts(binaries, integers, solutions))
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
