//! The name of a problem by its numbers: what tells two instances apart, whatever they are called.

use super::file::number_of;
use crate::problem::Problem;
use sha2::{Digest, Sha256};

/// SHA-256 of the numbers of a problem, in hexadecimal: the same whatever the names, the kind of file
/// and the order of terms in a row.
pub fn hash(problem: &Problem) -> String {
    let rows = &problem.rows;
    let mut bytes = b"apollo problem 1\n".to_vec();
    for count in [problem.columns(), rows.len(), problem.nonzeros()] {
        bytes.extend((count as u64).to_le_bytes());
    }
    bytes.push(problem.maximise as u8);
    // The sum makes one zero of the two: a maximised objective has negated ones.
    let number = |bytes: &mut Vec<u8>, value: f64| bytes.extend((value + 0.0).to_le_bytes());
    number(&mut bytes, problem.offset);
    for j in 0..problem.columns() {
        for value in [problem.objective[j], problem.lower[j], problem.upper[j]] {
            number(&mut bytes, value);
        }
        bytes.push(number_of(problem.kind[j]));
    }
    let mut digest = Sha256::new();
    digest.update(&bytes);
    for i in 0..rows.len() {
        bytes.clear();
        let mut terms: Vec<(usize, f64)> = rows.terms(i).collect();
        terms.sort_by_key(|&(column, _)| column);
        bytes.extend((terms.len() as u64).to_le_bytes());
        number(&mut bytes, rows.lhs[i]);
        number(&mut bytes, rows.rhs[i]);
        for (column, coefficient) in terms {
            bytes.extend((column as u64).to_le_bytes());
            number(&mut bytes, coefficient);
        }
        digest.update(&bytes);
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
