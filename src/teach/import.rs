//! Solutions of any solver, from `.sol` files; each is checked before it teaches anything.

use crate::correction::Ending;
use crate::error::{Error, Result};
use crate::local::trim::trim;
use crate::problem::{Fixings, Kind, Problem};
use crate::scip::Milp;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The `.sol` files (also `.sol.gz`) of an instance: `NAME.sol`, `NAME` with `.`, `-` or `_` and more
/// before the ending, or anything in a folder `NAME`.
pub fn files_for(name: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error: std::io::Error| Error::File { path: folder.into(), why: error.to_string() };
    let is_solution = |path: &Path| {
        let text = path.to_string_lossy();
        path.is_file() && (text.ends_with(".sol") || text.ends_with(".sol.gz"))
    };
    let mut files = vec![];
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(rest) = file.strip_prefix(name) else { continue };
        if rest.is_empty() && path.is_dir() {
            for entry in std::fs::read_dir(&path).map_err(failed)? {
                files.push(entry.map_err(failed)?.path());
            }
        } else if rest.starts_with(['.', '-', '_']) {
            files.push(path);
        }
    }
    files.retain(|path| is_solution(path));
    files.sort();
    Ok(files)
}

/// Reads a solution and checks it: its discrete values must be feasible. Continuous values are found
/// again, so that digits that the other solver did not write cannot spoil anything.
pub fn read(path: &Path, problem: &Problem, names: &[String]) -> Result<Vec<f64>> {
    let refuse = |why: String| Error::File { path: path.into(), why };
    let mut bytes = vec![];
    let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
    let read = if path.extension().is_some_and(|ending| ending == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes)
    } else {
        { file }.read_to_end(&mut bytes)
    };
    read.map_err(|error| refuse(format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| refuse("is no text: a .sol file is".to_string()))?;
    let values = parse(&text, names).map_err(refuse)?;
    let mut fixings = Fixings::new();
    for (j, &value) in values.iter().enumerate().filter(|&(j, _)| problem.kind[j] != Kind::Continuous) {
        if (value - value.round()).abs() > 1e-3 {
            return Err(refuse(format!("{} = {value} must be a whole number", names[j])));
        }
        fixings.insert(j, value.round());
    }
    best_completion(problem, &fixings)?.ok_or_else(|| refuse(violation(problem, names, &values)))
}

/// The values in a solution file: of SCIP, Gurobi, HiGHS, CBC, GLPK-like lists (`name value`) or CPLEX's XML.
/// A variable that is not named is 0.
fn parse(text: &str, names: &[String]) -> std::result::Result<Vec<f64>, String> {
    let column: HashMap<&str, usize> = names.iter().enumerate().map(|(j, name)| (name.as_str(), j)).collect();
    let mut values = vec![0.0; names.len()];
    let mut named = 0;
    let mut strange: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        let lower = line.to_ascii_lowercase();
        if lower.starts_with("# rows") || lower.starts_with("# dual") {
            break; // HiGHS: what follows is not about variables
        }
        let pair = if line.starts_with("<variable") {
            attribute(line, "name").zip(attribute(line, "value"))
        } else if line.is_empty() || line.starts_with(['#', '<', '=']) {
            None
        } else {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                // CBC: number, name, value, reduced cost.
                [number, name, value, _] if number.parse::<usize>().is_ok() && column.contains_key(name) => {
                    Some((name, value))
                }
                [name, value, ..] if column.contains_key(name) => Some((name, value)),
                [name, _] if name.ends_with(':') || name.eq_ignore_ascii_case("objective") => None,
                [name, value] if value.parse::<f64>().is_ok() => {
                    strange.get_or_insert(name);
                    None
                }
                _ => None,
            }
        };
        let Some((name, value)) = pair else {
            if lower.starts_with("no solution") || lower.contains("infeasible") {
                return Err(format!("says \"{line}\""));
            }
            continue;
        };
        let Some(&j) = column.get(name) else {
            strange.get_or_insert(name);
            continue;
        };
        values[j] = value
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("{name} = {value} is no number"))?;
        named += 1;
    }
    match strange {
        Some(name) if named == 0 => {
            Err(format!("names no variable of the instance ({name}, for one, is unknown)"))
        }
        Some(name) => Err(format!("names a variable that the instance does not have: {name}")),
        // The zero solution is a list of no variables in SCIP's and HiGHS' files: only trust a header.
        None if named == 0 && !text.to_ascii_lowercase().contains("objective") => {
            Err("has no values in it: a .sol file is a list of names and values".to_string())
        }
        None => Ok(values),
    }
}

fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let start = line.find(&format!(" {name}=\""))? + name.len() + 3;
    line[start..].split('"').next()
}

/// The best solution with these discrete values, all values of it; none if there is no solution.
pub fn best_completion(problem: &Problem, fixings: &Fixings) -> Result<Option<Vec<f64>>> {
    let outside = |(&j, &value): (&usize, &f64)| value < problem.lower[j] || value > problem.upper[j];
    if fixings.iter().any(outside) {
        return Ok(None);
    }
    let mut fixed = problem.clone();
    for (&j, &value) in fixings {
        (fixed.lower[j], fixed.upper[j]) = (value, value);
    }
    // Rows without a variable that can move leave the problem: they are checked here.
    let rows = &fixed.rows;
    let settled = |i: &usize| rows.terms(*i).all(|(j, _)| fixed.lower[j] == fixed.upper[j]);
    let violated = |i: usize| {
        let sum: f64 = rows.terms(i).map(|(j, a)| a * fixed.lower[j]).sum();
        let most = 1e-6 * sum.abs().max(1.0);
        sum < rows.lhs[i] - most || sum > rows.rhs[i] + most
    };
    if (0..rows.len()).filter(settled).any(violated) {
        return Ok(None);
    }
    let trimmed = trim(&fixed);
    let milp = Milp::new(&trimmed.left.problem)?;
    milp.hurry()?; // it is a linear program now, unless some discrete variables are left
    milp.set("limits/time", "60")?;
    Ok(match milp.solve()? {
        Ending::Infeasible => None,
        _ => milp.solutions()?.into_iter().next().map(|found| trimmed.whole(&found.values)),
    })
}

/// What is wrong with a point that has no completion: the row or bound it violates most.
fn violation(problem: &Problem, names: &[String], values: &[f64]) -> String {
    for (j, &value) in values.iter().enumerate() {
        if value < problem.lower[j] - 1e-6 || value > problem.upper[j] + 1e-6 {
            return format!(
                "{} = {value} is not between its bounds {} and {}",
                names[j], problem.lower[j], problem.upper[j]
            );
        }
    }
    let by = |i: usize| {
        let sum: f64 = problem.rows.terms(i).map(|(j, a)| a * values[j]).sum();
        (problem.rows.lhs[i] - sum).max(sum - problem.rows.rhs[i])
    };
    let worst = (0..problem.rows.len()).map(|i| (by(i), i)).max_by(|a, b| a.0.total_cmp(&b.0));
    match worst {
        Some((by, i)) if by > 1e-6 => {
            format!("is not feasible: it violates constraint number {} by {by:.6}", i + 1)
        }
        _ => "is not feasible once its integers are rounded".to_string(),
    }
}
