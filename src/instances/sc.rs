//! SC: the cheapest columns that cover every row.
//!
//! ```text
//! min Σ cost_j x_j   subject to   Σ_{j covers i} x_j ≥ 1  for every row i,   x binary
//! ```
//!
//! Random instances after Balas and Ho (1980): a given density, costs uniform among 1 … max_cost, every
//! row covered by at least two columns, every column covering at least one row.
//!
//! First the sizes of the rows: two places for each, the others thrown at random. Then the places are
//! filled row by row with distinct random columns, except that the first places, as many as there are
//! columns, take one random arrangement of all columns: so each covers something.

use super::options::{check_entries, count, number};
use super::{Dice, Error, FamilyOption, Named, Values};

pub(super) const fn options(rows: u32, columns: u32) -> [FamilyOption; 4] {
    [
        count("rows", rows, 1, 1_000_000, "Rows to cover."),
        count("columns", columns, 2, 1_000_000, "Columns to choose from, the variables."),
        number("density", 0.05, 0.0, 1.0, "Part of the matrix that is 1."),
        count("max_cost", 100, 1, 1_000_000, "Greatest cost of a column; the least is 1."),
    ]
}

pub(super) fn draw(values: &Values, dice: &mut Dice) -> Result<Named, Error> {
    let (rows, columns) = (values.count("rows"), values.count("columns"));
    let density = values.number("density");
    let wanted = rows as f64 * columns as f64 * density;
    check_entries(wanted + (rows + columns) as f64, "rows, columns and density")?;
    let places = wanted as usize;
    let needed = columns.max(2 * rows);
    if places < needed {
        return Err(Error::Impossible(format!(
            "option density={density} is not allowed; with rows={rows} and columns={columns} it takes \
             at least {}, so that every row has two columns and every column a row",
            needed as f64 / (rows as f64 * columns as f64)
        )));
    }

    let mut named = Named::default();
    for j in 0..columns {
        named.binary(format!("x_{j}"), dice.whole(1, values.count("max_cost")));
    }
    let sizes = row_sizes(rows, columns, places, dice);
    let mut arrangement: Vec<usize> = (0..columns).collect();
    dice.shuffle_front(&mut arrangement, columns);
    let mut rest = arrangement.clone();
    let mut filled = 0;
    for (i, size) in sizes.into_iter().enumerate() {
        let mut cover = arrangement[filled.min(columns)..(filled + size).min(columns)].to_vec();
        let given = cover.len();
        cover.sort_unstable();
        rest.retain(|j| cover.binary_search(j).is_err());
        dice.shuffle_front(&mut rest, size - given);
        cover.extend(&rest[..size - given]);
        // Back in for the next row: in which order they stand does not matter to a uniform choice.
        rest.extend(&cover[..given]);
        filled += size;
        cover.sort_unstable();
        named.at_least(format!("row_{i}"), cover.into_iter().map(|j| (j, 1.0)), 1.0);
    }
    Ok(named)
}

/// How many columns each row gets: at least two, at most all, `places` together.
fn row_sizes(rows: usize, columns: usize, places: usize, dice: &mut Dice) -> Vec<usize> {
    let mut sizes = vec![2; rows];
    let mut left = places - 2 * rows;
    while left > 0 {
        let i = dice.below(rows);
        if sizes[i] < columns {
            sizes[i] += 1;
            left -= 1;
        }
    }
    sizes
}

#[cfg(test)]
mod tests {
    use crate::instances::generate;

    fn check(rows: &str, columns: &str, density: &str, nonzeros: usize) {
        let options = [("rows", rows), ("columns", columns), ("density", density), ("max_cost", "9")];
        let problem = generate("sc", &options, 3, 0).unwrap().problem;
        assert_eq!(problem.nonzeros(), nonzeros);
        let mut covers = vec![0; problem.columns()];
        for i in 0..problem.rows.len() {
            let cover: Vec<usize> = problem.rows.terms(i).map(|(j, _)| j).collect();
            assert!(cover.len() >= 2 && cover.windows(2).all(|pair| pair[0] < pair[1]));
            cover.iter().for_each(|&j| covers[j] += 1);
        }
        assert!(covers.iter().all(|&rows| rows >= 1));
        assert!(problem.objective.iter().all(|cost| (1.0..=9.0).contains(cost) && cost.fract() == 0.0));
    }

    #[test]
    fn rows_have_two_columns_and_columns_a_row() {
        check("100", "150", "0.05", 750);
        check("100", "40", "0.05", 200);
        check("10", "200", "0.1", 200);
        check("7", "5", "1", 35);
        check("1", "2", "1", 2);
    }

    #[test]
    fn too_thin_a_matrix_is_refused() {
        let error =
            generate("sc", &[("rows", "10"), ("columns", "50"), ("density", "0.01")], 0, 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "option density=0.01 is not allowed; with rows=10 and columns=50 it takes at least 0.1, \
             so that every row has two columns and every column a row"
        );
        let error = generate("sc", &[("rows", "1e6"), ("columns", "1e6")], 0, 0).unwrap_err();
        assert!(error.to_string().starts_with("options rows, columns and density ask for about 5.0e10"));
    }
}
