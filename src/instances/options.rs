//! What can be set in a family, and every way a generator can refuse.
//!
//! Each family has one table of options. The command line reads its names and ranges from it, the
//! help prints it, and the generator takes its numbers from nowhere else. Every value is an `f64`;
//! counts are whole ones.

use std::fmt;

/// One option of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FamilyOption {
    /// What the user writes before the `=`.
    pub name: &'static str,
    /// The value when the user says nothing.
    pub default: f64,
    /// The least value allowed.
    pub least: f64,
    /// The greatest value allowed.
    pub most: f64,
    /// Only whole numbers are allowed.
    pub whole: bool,
    /// One sentence for the help.
    pub help: &'static str,
}

/// A whole number between `least` and `most`.
pub(super) const fn count(
    name: &'static str,
    default: u32,
    least: u32,
    most: u32,
    help: &'static str,
) -> FamilyOption {
    FamilyOption { name, default: default as f64, least: least as f64, most: most as f64, whole: true, help }
}

/// Any number between `least` and `most`.
pub(super) const fn number(
    name: &'static str,
    default: f64,
    least: f64,
    most: f64,
    help: &'static str,
) -> FamilyOption {
    FamilyOption { name, default, least, most, whole: false, help }
}

impl FamilyOption {
    /// The range in words, for the help and for errors.
    pub fn allowed(&self) -> String {
        let what = if self.whole { "a whole number" } else { "a number" };
        format!("{what} from {} to {}", self.least, self.most)
    }

    fn read(&self, text: &str) -> Result<f64, Error> {
        match text.trim().parse::<f64>() {
            Ok(value)
                if self.least <= value && value <= self.most && (!self.whole || value == value.trunc()) =>
            {
                Ok(value)
            }
            _ => Err(Error::BadValue {
                option: self.name,
                value: text.trim().to_string(),
                allowed: self.allowed(),
            }),
        }
    }
}

/// A value for every option of one family.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    /// In the order of the table: (name, value).
    pairs: Vec<(&'static str, f64)>,
}

impl Values {
    /// The defaults of `table` with `given` (name, text) over them; of two equal names the later wins.
    pub(super) fn read(
        family: &'static str,
        table: &[FamilyOption],
        given: &[(&str, &str)],
    ) -> Result<Values, Error> {
        let mut pairs: Vec<_> = table.iter().map(|option| (option.name, option.default)).collect();
        for &(name, text) in given {
            let place = table.iter().position(|option| option.name == name).ok_or_else(|| {
                let known = table.iter().map(|option| option.name).collect();
                Error::UnknownOption { family, option: name.to_string(), known }
            })?;
            pairs[place].1 = table[place].read(text)?;
        }
        Ok(Values { pairs })
    }

    /// The value of option `name`, which must be in the family's table.
    pub(super) fn number(&self, name: &str) -> f64 {
        let pair = self.pairs.iter().find(|pair| pair.0 == name);
        pair.unwrap_or_else(|| panic!("the table has no option {name}")).1
    }

    /// The same as a count.
    pub(super) fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }
}

/// More entries (rows, columns and nonzeros together) than this are refused: an entry costs about
/// thirty bytes until it is on disk, so this is about three gigabytes.
const MOST_ENTRIES: f64 = 1e8;

/// Refuses sizes that would exhaust the memory before any of it is taken.
pub(super) fn check_entries(entries: f64, options: &'static str) -> Result<(), Error> {
    if entries <= MOST_ENTRIES { Ok(()) } else { Err(Error::TooLarge { options, entries }) }
}

/// Why no instance was made.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// There is no such family.
    UnknownFamily {
        /// What was asked for.
        family: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The family has no such option.
    UnknownOption {
        /// The family asked for.
        family: &'static str,
        /// What was set.
        option: String,
        /// What can be set.
        known: Vec<&'static str>,
    },
    /// The value of an option is no number or out of its range.
    BadValue {
        /// The option.
        option: &'static str,
        /// What was written.
        value: String,
        /// The range in words.
        allowed: String,
    },
    /// The options, each in its range, ask for more than fits into memory together.
    TooLarge {
        /// The options that make the size.
        options: &'static str,
        /// Rows, columns and nonzeros, about.
        entries: f64,
    },
    /// The options, each in its range, contradict each other. The sentence says how.
    Impossible(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownFamily { family, known } => {
                write!(f, "there is no family {family}; there are {}", known.join(", "))
            }
            Error::UnknownOption { family, option, known } => {
                write!(f, "family {family} has no option {option}; it has {}", known.join(", "))
            }
            Error::BadValue { option, value, allowed } => {
                write!(f, "option {option}={value} is not allowed; it takes {allowed}")
            }
            Error::TooLarge { options, entries } => write!(
                f,
                "options {options} ask for about {entries:.1e} rows, columns and nonzeros; \
                 at most {MOST_ENTRIES:.0e} are allowed"
            ),
            Error::Impossible(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [FamilyOption; 2] =
        [count("items", 10, 1, 100, "How many."), number("density", 0.5, 0.0, 1.0, "How full.")];

    fn refusal(given: &[(&str, &str)]) -> String {
        Values::read("toy", &TABLE, given).unwrap_err().to_string()
    }

    #[test]
    fn the_given_values_lie_over_the_defaults() {
        let values = Values::read("toy", &TABLE, &[("items", "7"), ("items", " 8 ")]).unwrap();
        assert_eq!((values.count("items"), values.number("density")), (8, 0.5));
    }

    #[test]
    fn refusals_name_the_option_its_value_and_what_is_allowed() {
        for value in ["0", "-3", "101", "2.5", "many", "nan", "inf", ""] {
            let expected =
                format!("option items={value} is not allowed; it takes a whole number from 1 to 100");
            assert_eq!(refusal(&[("items", value)]), expected);
        }
        assert_eq!(
            refusal(&[("density", "1.5")]),
            "option density=1.5 is not allowed; it takes a number from 0 to 1"
        );
        assert_eq!(refusal(&[("bins", "3")]), "family toy has no option bins; it has items, density");
    }
}
