//! Local search before presolve and before the root LP, in a real SCIP.

use crate::support::{self, Folder};

/// What `apollo solve` prints for an auction that is solved in a moment.
fn solved(folder: &Folder, arguments: &[&str]) -> String {
    let made = support::apollo()
        .args(["generate", "ca", "--seed", "3", "--set", "items=80", "--set", "bids=160", "--out"])
        .arg(folder.path(""))
        .output()
        .expect("the program starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = folder.path("ca-3-0.mps.gz");
    let (well, text) = support::run(
        support::apollo().arg("solve").arg(file).args(["--time", "30", "--log"]).args(arguments),
    );
    assert!(well && text.contains("status     optimal"), "{text}");
    text
}

/// The line of the summary that says what was found.
fn objective(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("objective  ")).expect("there is a solution")
}

/// As settings files for the primal side have it.
const ALL: [&str; 4] = ["--set", "budget/share=0.5", "--set", "budget/effort=1e20"];

#[test]
fn good_solutions_come_before_presolve() {
    let folder = Folder::new("opening-early");
    let text = solved(&folder, &ALL);
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in\n{text}"));
    assert!(at("apollo: before presolve: ") < at("presolving:"), "{text}");
    assert!(at("presolving:") < at("apollo: before the root LP: "), "{text}");
    assert_eq!(objective(&text), objective(&solved(&folder, &["--plain"])));
}

#[test]
fn easy_problems_are_left_alone_where_nothing_is_set() {
    let text = solved(&Folder::new("opening-default"), &[]);
    assert!(!text.contains("before presolve"), "{text}");
}
