//! The LP relaxations of the examples of an instance, solved once and kept.
//!
//! Networks with features of version 2 see them in training as in a solve. They are kept beside the
//! training data, in a folder `relaxations` with one file for each instance; nobody else reads that
//! folder, and it may be deleted at any time. A file counts only for the instance with its hash, and
//! each LP in it only for its fixings: data that has been collected again is solved again.

use super::example::{Example, examples};
use super::file::Instance;
use super::npz::{self, Inside, Pack, Unpack};
use crate::error::{Error, Result};
use crate::problem::Fixings;
use crate::relaxation::Relaxed;
use crate::scip;
use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// The folder that they are kept in, beside the files they belong to.
pub const FOLDER: &str = "relaxations";

/// Seconds of the processor that one LP may take.
pub const SECONDS: f64 = 60.0;

const META: &str = "meta.json";

/// Version of the files. One of another version is made anew.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Meta {
    format: u32,
    /// The instance's.
    hash: String,
    /// One for each LP.
    lps: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// SHA-256 of the fixings.
    fixings: String,
    /// The objective; none if the LP could not be solved, and there are no arrays then.
    bound: Option<f64>,
}

/// What is known: for the fixings with this hash the LP, or that it cannot be solved.
type Known = Vec<(String, Option<Relaxed>)>;

/// The relaxations of [`examples`], in their order; none where an LP has no optimum or takes longer than
/// [`SECONDS`]. `path` is the instance's file. What is not kept yet is solved, then kept.
///
/// # Errors
/// If the LP solver fails, the file cannot be written, or `stopped` says so: nothing is lost then but
/// the LPs of this instance.
pub fn load_or_solve(
    instance: &Instance,
    path: &Path,
    stopped: impl Fn() -> bool,
) -> Result<Vec<Option<Relaxed>>> {
    let kept = kept_at(path);
    let known = File::open(&kept)
        .ok()
        .and_then(|file| read(BufReader::new(file), &instance.meta.hash).ok())
        .unwrap_or_default();
    let (mut all, mut keys, mut news) = (vec![], vec![], false);
    for example in examples(instance) {
        let key = key(&example.fixings);
        let relaxed = known.iter().find(|(other, _)| *other == key).map(|(_, relaxed)| relaxed.clone());
        let fits = |relaxed: &Option<Relaxed>| {
            relaxed.as_ref().is_none_or(|lp| lp.values.len() == example.reduced.problem.columns())
        };
        all.push(match relaxed.filter(fits) {
            Some(relaxed) => relaxed,
            None => {
                news = true;
                solve(&example, path, &stopped)?
            }
        });
        keys.push(key);
    }
    if news {
        let bytes = pack(&instance.meta.hash, &keys, &all)
            .map_err(|why| Error::File { path: kept.clone(), why: format!("cannot be made: {why}") })?;
        let folder = kept.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| Error::File {
            path: folder.into(),
            why: format!("cannot be made ({error}): the data must be in a folder that is yours to write"),
        })?;
        npz::save(&kept, &bytes)?;
    }
    Ok(all)
}

/// Whether there are relaxations kept for the instance in `path`.
pub fn is_kept(path: &Path) -> bool {
    kept_at(path).exists()
}

/// The file for the relaxations of the instance in `path`.
fn kept_at(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    folder.join(FOLDER).join(path.file_name().unwrap_or_default())
}

fn solve(example: &Example<'_>, path: &Path, stopped: &impl Fn() -> bool) -> Result<Option<Relaxed>> {
    let began = ThreadTime::now();
    let over = || stopped() || began.elapsed().as_secs_f64() > SECONDS;
    // Without a clock of its own the simplex is the same on a busy machine as on an idle one.
    let relaxed = scip::relax(&example.reduced.problem, f64::INFINITY, over)?;
    if stopped() {
        return Err(Error::File { path: path.into(), why: "its LP relaxations were stopped".into() });
    }
    Ok(relaxed)
}

/// SHA-256 of fixings.
fn key(fixings: &Fixings) -> String {
    let mut digest = Sha256::new();
    for (&j, &value) in fixings {
        digest.update((j as u64).to_le_bytes());
        digest.update((value + 0.0).to_le_bytes());
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn pack(hash: &str, keys: &[String], all: &[Option<Relaxed>]) -> Inside<Vec<u8>> {
    let entry = |(key, relaxed): (&String, &Option<Relaxed>)| Entry {
        fixings: key.clone(),
        bound: relaxed.as_ref().map(|relaxed| relaxed.bound),
    };
    let lps = keys.iter().zip(all).map(entry).collect();
    let meta = Meta { format: FORMAT, hash: hash.to_string(), lps };
    let mut pack = Pack::new();
    pack.raw(META, serde_json::to_string_pretty(&meta).map_err(|error| error.to_string())?.as_bytes())?;
    for (k, relaxed) in all.iter().enumerate() {
        if let Some(relaxed) = relaxed {
            pack.vector(&format!("{k}/values"), &relaxed.values)?;
            pack.vector(&format!("{k}/reduced_costs"), &relaxed.reduced_costs)?;
        }
    }
    pack.finish()
}

fn read<R: Read + Seek>(reader: R, hash: &str) -> Inside<Known> {
    let mut file = Unpack::new(reader)?;
    let meta: Meta = serde_json::from_slice(&file.raw(META)?).map_err(|error| error.to_string())?;
    if meta.format != FORMAT || meta.hash != hash {
        return Err("of another instance or format".into());
    }
    let mut known = vec![];
    for (k, entry) in meta.lps.into_iter().enumerate() {
        let relaxed = match entry.bound {
            None => None,
            Some(bound) => {
                let ([columns], values) = file.array::<f64, 1>(&format!("{k}/values"))?;
                let reduced_costs = file.vector::<f64>(&format!("{k}/reduced_costs"), columns)?;
                Some(Relaxed::new(values, reduced_costs, bound))
            }
        };
        known.push((entry.fixings, relaxed));
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::file::{Meta, Sample};
    use crate::data::pool::{POOL, Pool};
    use crate::problem::{Kind, Problem};

    /// min −3a − 2b − c with 2a + 2b + c ≤ 3; augmented instances with a = 1, and with none of it left
    /// feasible.
    fn instance() -> Instance {
        let mut problem = Problem::default();
        for cost in [-3.0, -2.0, -1.0] {
            problem.add_column(cost, 0.0, 1.0, Kind::Binary);
        }
        problem.rows.push(f64::NEG_INFINITY, [(0, 2.0), (1, 2.0), (2, 1.0)], 3.0);
        let augmented = [Fixings::from([(0, 1.0)]), Fixings::from([(0, 9.0)])].map(|fixings| {
            let pool = Pool::new(&problem.reduce(&fixings).problem, POOL);
            Sample { fixings, pool }
        });
        let pool = Pool::new(&problem, POOL);
        Instance {
            meta: Meta::new("small", &problem),
            problem: Some(problem),
            pool,
            augmented: augmented.into(),
        }
    }

    #[test]
    fn what_was_solved_is_kept_and_only_for_what_it_belongs_to() {
        let folder = std::env::temp_dir().join(format!("apollo-relaxations-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder); // a leftover of an earlier process with this number
        let path = folder.join("small.npz");
        let instance = instance();
        let first = load_or_solve(&instance, &path, || false).unwrap();
        assert_eq!(first.len(), 3);
        let whole = first[0].as_ref().unwrap();
        assert_eq!((whole.bound, whole.values[0]), (-4.0, 1.0));
        assert_eq!(first[1].as_ref().unwrap().values.len(), 2);
        assert!(first[2].is_none(), "18 is more than 3");

        let kept = folder.join(FOLDER).join("small.npz");
        let bytes = fs::read(&kept).unwrap();
        let never = || panic!("an LP is solved again");
        assert_eq!(load_or_solve(&instance, &path, never).unwrap(), first);

        // Other fixings and other instances are solved; a damaged file too.
        let mut other = instance.clone();
        other.augmented[0].fixings = Fixings::from([(0, 0.0)]);
        let second = load_or_solve(&other, &path, || false).unwrap();
        assert_eq!(second[0], first[0]);
        assert_ne!(second[1], first[1]);
        let mut another = instance.clone();
        another.meta.hash = "0".repeat(64);
        assert!(load_or_solve(&another, &path, || true).is_err());
        fs::write(&kept, &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(load_or_solve(&instance, &path, || false).unwrap(), first);
        assert_eq!(fs::read(&kept).unwrap(), bytes);
        fs::remove_dir_all(&folder).unwrap();
    }
}
