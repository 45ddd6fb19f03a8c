//! Writes an instance as free MPS, plain or gzipped.
//!
//! MPS because every solver reads it and nothing in it is a matter of taste. Numbers are written in
//! the shortest form that reads back as the same `f64`. A file appears under its name only when it is
//! complete: it grows as `name.tmp` and is then renamed. The gzip header carries no time, so the same
//! instance is the same bytes.

use std::fs::File;
use std::io::{self, BufWriter, Error, ErrorKind, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::Named;
use crate::problem::{Kind, Problem};

const OBJECTIVE: &str = "OBJ";

/// Writes `named` to `path`, which ends in `.mps` or `.mps.gz`.
pub fn write(named: &Named, path: &Path) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let zipped = name.ends_with(".mps.gz");
    if !zipped && !name.ends_with(".mps") {
        let sentence = format!("{} ends neither in .mps nor in .mps.gz", path.display());
        return Err(Error::new(ErrorKind::InvalidInput, sentence));
    }
    let unfinished = path.with_file_name(format!("{name}.tmp"));
    let mut file = BufWriter::new(File::create(&unfinished)?);
    if zipped {
        let mut zip = GzBuilder::new().mtime(0).write(file, Compression::default());
        write_text(named, &mut zip)?;
        file = zip.finish()?;
    } else {
        write_text(named, &mut file)?;
    }
    file.into_inner()?.sync_all()?;
    std::fs::rename(&unfinished, path)
}

/// Writes the text of the MPS file of `named`.
pub fn write_text(named: &Named, out: &mut impl Write) -> io::Result<()> {
    let Named { name, problem, variables, rows } = named;
    writeln!(out, "NAME {name}")?;
    if problem.maximise {
        writeln!(out, "OBJSENSE\n    MAX")?;
    }
    writeln!(out, "ROWS\n N {OBJECTIVE}")?;
    for (i, row) in rows.iter().enumerate() {
        writeln!(out, " {} {row}", sense(problem, i))?;
    }
    write_columns(problem, variables, rows, out)?;
    write_sides(problem, rows, out)?;
    writeln!(out, "BOUNDS")?;
    for (j, variable) in variables.iter().enumerate() {
        write_bounds(problem, j, variable, out)?;
    }
    writeln!(out, "ENDATA")
}

fn sense(problem: &Problem, i: usize) -> char {
    let (lhs, rhs) = (problem.rows.lhs[i], problem.rows.rhs[i]);
    match (lhs.is_finite(), rhs.is_finite()) {
        (true, true) if lhs == rhs => 'E',
        (_, true) => 'L',
        (true, false) => 'G',
        (false, false) => 'N',
    }
}

/// MPS lists the matrix by columns, with runs of integer columns between markers.
fn write_columns(
    problem: &Problem,
    variables: &[String],
    rows: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "COLUMNS")?;
    let mut entries = vec![vec![]; problem.columns()];
    for i in 0..problem.rows.len() {
        for (j, coefficient) in problem.rows.terms(i) {
            entries[j].push((i as u32, coefficient));
        }
    }
    let mut integers = false;
    for (j, variable) in variables.iter().enumerate() {
        let integer = problem.kind[j] != Kind::Continuous;
        if integer != integers {
            writeln!(out, " MARKER 'MARKER' '{}'", if integer { "INTORG" } else { "INTEND" })?;
            integers = integer;
        }
        // A column without any entry is declared by its objective, even if that is 0.
        if problem.objective[j] != 0.0 || entries[j].is_empty() {
            // Adding 0 turns the −0 of a negated 0 into 0.
            let objective = problem.user_objective(problem.objective[j]) + 0.0;
            writeln!(out, " {variable} {OBJECTIVE} {objective}")?;
        }
        for &(i, coefficient) in &entries[j] {
            writeln!(out, " {variable} {} {coefficient}", rows[i as usize])?;
        }
    }
    if integers {
        writeln!(out, " MARKER 'MARKER' 'INTEND'")?;
    }
    Ok(())
}

/// The sides; a row with two different ones has the other in RANGES.
fn write_sides(problem: &Problem, rows: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "RHS")?;
    if problem.offset != 0.0 {
        // By convention the constant stands here with the opposite sign.
        writeln!(out, " RHS {OBJECTIVE} {}", -problem.user_objective(problem.offset))?;
    }
    let mut ranges = vec![];
    for (i, row) in rows.iter().enumerate() {
        let (lhs, rhs) = (problem.rows.lhs[i], problem.rows.rhs[i]);
        let side = if rhs.is_finite() { rhs } else { lhs };
        if side.is_finite() && side != 0.0 {
            writeln!(out, " RHS {row} {side}")?;
        }
        if lhs.is_finite() && rhs.is_finite() && lhs != rhs {
            ranges.push((row, rhs - lhs));
        }
    }
    if !ranges.is_empty() {
        writeln!(out, "RANGES")?;
    }
    for (row, range) in ranges {
        writeln!(out, " RANGE {row} {range}")?;
    }
    Ok(())
}

/// Nothing for [0, ∞) unless it is an integer, whose default some readers take for [0, 1].
fn write_bounds(problem: &Problem, j: usize, variable: &str, out: &mut impl Write) -> io::Result<()> {
    let (lower, upper, kind) = (problem.lower[j], problem.upper[j], problem.kind[j]);
    if kind == Kind::Binary && (lower, upper) == (0.0, 1.0) {
        return writeln!(out, " BV BOUND {variable}");
    }
    if lower == upper {
        return writeln!(out, " FX BOUND {variable} {lower}");
    }
    if lower == f64::NEG_INFINITY {
        writeln!(out, " MI BOUND {variable}")?;
    } else if lower != 0.0 {
        writeln!(out, " LO BOUND {variable} {lower}")?;
    }
    if upper.is_finite() {
        writeln!(out, " UP BOUND {variable} {upper}")?;
    } else if kind != Kind::Continuous {
        writeln!(out, " PL BOUND {variable}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// max x + 2.5 y − z + 7;  1 ≤ x + y ≤ 2;  z = 0.1;  y − z ≥ −3;  x binary, y integer, z free.
    fn small() -> Named {
        let mut named = Named { name: "small".into(), ..Named::default() };
        named.problem.maximise = true;
        named.problem.offset = -7.0;
        named.binary("x".into(), -1.0);
        named.variable("y".into(), -2.5, -4.0, f64::INFINITY, Kind::Integer);
        named.variable("z".into(), 1.0, f64::NEG_INFINITY, f64::INFINITY, Kind::Continuous);
        named.variable("unused".into(), 0.0, 0.0, 0.0, Kind::Continuous);
        named.rows.push("both".into());
        named.problem.rows.push(1.0, [(0, 1.0), (1, 1.0)], 2.0);
        named.equal("fixed".into(), [(2, 1.0)], 0.1);
        named.at_least("least".into(), [(1, 1.0), (2, -1.0)], -3.0);
        named
    }

    const TEXT: &str = "NAME small
OBJSENSE
    MAX
ROWS
 N OBJ
 L both
 E fixed
 G least
COLUMNS
 MARKER 'MARKER' 'INTORG'
 x OBJ 1
 x both 1
 y OBJ 2.5
 y both 1
 y least 1
 MARKER 'MARKER' 'INTEND'
 z OBJ -1
 z fixed 1
 z least -1
 unused OBJ 0
RHS
 RHS OBJ -7
 RHS both 2
 RHS fixed 0.1
 RHS least -3
RANGES
 RANGE both 1
BOUNDS
 BV BOUND x
 LO BOUND y -4
 PL BOUND y
 MI BOUND z
 FX BOUND unused 0
ENDATA
";

    #[test]
    fn the_text_says_all_of_it() {
        let mut text = vec![];
        write_text(&small(), &mut text).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), TEXT);
    }

    #[test]
    fn files_appear_complete_and_the_same_each_time() {
        let folder = std::env::temp_dir().join(format!("apollo-mps-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (plain, zipped) = (folder.join("small.mps"), folder.join("small.mps.gz"));
        write(&small(), &plain).unwrap();
        assert_eq!(std::fs::read_to_string(&plain).unwrap(), TEXT);
        write(&small(), &zipped).unwrap();
        let first = std::fs::read(&zipped).unwrap();
        assert_eq!(first[4..8], [0; 4], "no time in the header");
        write(&small(), &zipped).unwrap();
        assert_eq!(std::fs::read(&zipped).unwrap(), first);
        let mut text = String::new();
        io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&first[..]), &mut text).unwrap();
        assert_eq!(text, TEXT);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "nothing unfinished stays");

        let error = write(&small(), &folder.join("small.lp")).unwrap_err();
        assert!(error.to_string().ends_with("small.lp ends neither in .mps nor in .mps.gz"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
