//! Problems of every shape: the same status and optimum as without Apollo.

use super::solve::{AS_WRITTEN, Answer, Case, Scratch, assert_harmless, assert_same};
use crate::support;
use russcip::prelude::*;
use russcip::{Event, ProblemCreated, SCIPEventhdlr, Solving, ffi};
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

/// A small problem: name (its ending is the file's format), text, and whether Apollo can run in it at
/// all when presolve leaves it alone.
type Shape = (&'static str, &'static str, bool);

/// Knapsack rows over the binaries b0 … b9, for shapes that need a body.
const BODY: &str = "
 k1: 3 b0 + 5 b1 + 7 b2 + 2 b3 + 9 b4 + 4 b5 + 6 b6 + 8 b7 + 3 b8 + 5 b9 <= 26
 k2: 8 b0 + 2 b1 + 4 b2 + 9 b3 + 1 b4 + 7 b5 + 3 b6 + 6 b7 + 5 b8 + 2 b9 <= 23
";
const VALUES: &str = "9 b0 + 8 b1 + 12 b2 + 7 b3 + 11 b4 + 9 b5 + 8 b6 + 13 b7 + 6 b8 + 7 b9";
const BINARIES: &str = "Binaries\n b0 b1 b2 b3 b4 b5 b6 b7 b8 b9\n";

/// In the texts `BODY`, `VALUES` and `BINARIES` stand for the knapsack.
const SHAPES: &[Shape] = &[
    ("empty.mps", "NAME empty\nROWS\n N obj\nCOLUMNS\nRHS\nBOUNDS\nENDATA\n", false),
    ("one_free.lp", "Maximize\n obj: x\nSubject To\n c: x <= 4.5\nBounds\n x free\nEnd\n", false),
    ("one_binary.lp", "Maximize\n obj: 3 x\nSubject To\n c: 2 x <= 1\nBinaries\n x\nEnd\n", false),
    ("pure_lp.lp", "Minimize\n obj: x + 2 y\nSubject To\n c: x + y >= 3.5\n d: x - y <= 1\nEnd\n", false),
    (
        "integers_only.lp",
        "Maximize\n obj: 5 x + 4 y + 3 z\nSubject To\n a: 2 x + 3 y + z <= 5\n b: 4 x + y + 2 z <= 11\n c: 3 x + 4 y + 2 z <= 8\nGenerals\n x y z\nEnd\n",
        false,
    ),
    ("knapsack.lp", "Maximize\n obj: VALUES\nSubject To\nBODY BINARIES End\n", true),
    (
        "minimise.lp",
        "Minimize\n obj: - 9 b0 - 8 b1 - 12 b2 - 7 b3 - 11 b4\nSubject To\nBODY BINARIES End\n",
        true,
    ),
    ("no_objective.lp", "Minimize\n obj: 0 b0\nSubject To\nBODY g: b0 + b1 + b2 >= 1\nBINARIES End\n", false),
    ("no_rows.lp", "Maximize\n obj: VALUES\nSubject To\nBINARIES End\n", false),
    (
        "all_fixed.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY s: b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9 <= 0\nBINARIES End\n",
        false,
    ),
    (
        "fixed_by_bounds.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY Bounds\n b0 = 1\n b1 = 0\n b2 = 1\nGenerals\n b0 b1 b2\nBinaries\n b3 b4 b5 b6 b7 b8 b9\nEnd\n",
        true,
    ),
    (
        "equalities_only.lp",
        "Minimize\n obj: VALUES\nSubject To\n a: b0 + b1 + b2 + b3 = 2\n b: b2 + b3 + b4 + b5 = 2\n c: b4 + b5 + b6 + b7 = 2\n d: b6 + b7 + b8 + b9 = 2\n e: b0 + b9 + b5 = 1\nBINARIES End\n",
        true,
    ),
    (
        "integers_that_are_binaries.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY Bounds\n 0 <= b0 <= 1\n 0 <= b1 <= 1\n 0 <= b2 <= 1\n 0 <= b3 <= 1\n 0 <= b4 <= 1\n b5 <= 1\n b6 <= 1\n b7 <= 1\n b8 <= 1\n b9 <= 1\nGenerals\n b0 b1 b2 b3 b4 b5 b6 b7 b8 b9\nEnd\n",
        true,
    ),
    (
        "other_integers.lp",
        "Maximize\n obj: VALUES + 2 n - m\nSubject To\nBODY r: n - 2 m + 3 b0 <= 4\n s: n + m <= 9\nBounds\n -3 <= n <= 8\n -5 <= m <= -1\nBINARIES Generals\n n m\nEnd\n",
        true,
    ),
    (
        "complements_and_twins.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY p: b0 + b1 = 1\n q: b2 + b3 = 1\n t: b4 - b5 = 0\n u: b6 - b7 = 0\n v: b8 + b4 = 1\nBINARIES End\n",
        true,
    ),
    (
        "chain_of_twins.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY a: b0 - b1 = 0\n b: b1 - b2 = 0\n c: b2 + b3 = 1\n d: b3 - b4 = 0\n e: b4 + b5 = 1\nBINARIES End\n",
        true,
    ),
    (
        "sums_that_are_merged.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY a: b0 - b1 - b2 - b3 = 0\n b: b4 - b5 + b6 = 1\nBINARIES End\n",
        true,
    ),
    (
        "the_same_twice_in_a_row.lp",
        "Maximize\n obj: VALUES + 2 b0 - b0\nSubject To\nBODY d: b0 + b0 + b1 - b1 + 2 b2 + b2 <= 4\nBINARIES End\n",
        true,
    ),
    (
        "the_same_row_twice.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY d: b0 + b1 + b2 <= 2\n e: b0 + b1 + b2 <= 2\n f: 2 b0 + 2 b1 + 2 b2 <= 4\nBINARIES End\n",
        true,
    ),
    (
        "infinite_bounds.lp",
        "Minimize\n obj: - 9 b0 - 8 b1 - 12 b2 + y + z\nSubject To\nBODY f: y + 5 b0 - 3 b1 >= 2\n g: z - y >= -7\n h: w - y <= 3\nBounds\n y free\n -inf <= z <= +inf\n w free\n y >= -100\nBINARIES End\n",
        true,
    ),
    (
        "infinite_sides.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY i: b0 + b1 <= 1e30\n j: b2 + b3 >= -1e30\nBINARIES End\n",
        true,
    ),
    (
        "huge_coefficients.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY h: 1e15 b0 + 1e15 b1 + 1e15 b2 <= 2e15\n i: y - 1e15 b3 <= 0\n j: y >= 2\nBounds\n y <= 1e16\nBINARIES End\n",
        true,
    ),
    (
        "huge_objective.lp",
        "Maximize\n obj: 1e15 b0 + 1e15 b1 + 3e14 b2 + b3 + b4 + 1e-9 b5\nSubject To\nBODY BINARIES End\n",
        true,
    ),
    (
        "tiny_coefficients.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY t: 1e-9 b0 + 1e-7 b1 + 1e-5 b2 + 0.001 y <= 0.5\nBINARIES End\n",
        true,
    ),
    (
        "ranges.mps",
        "NAME ranges\nROWS\n N obj\n L r1\n G r2\n E r3\nCOLUMNS\n M 'MARKER' 'INTORG'\n a obj -3 r1 1\n a r2 1 r3 2\n b obj -2 r1 1\n b r2 2 r3 1\n c obj -4 r1 2\n c r2 1 r3 3\n d obj 1 r1 1\n d r2 1 r3 1\n M 'MARKER' 'INTEND'\nRHS\n s r1 4 r2 1\n s r3 3 obj 5\nRANGES\n g r1 3 r2 2\n g r3 2\nBOUNDS\n BV n a\n BV n b\n BV n c\n BV n d\nENDATA\n",
        true,
    ),
    ("constant_in_the_objective.lp", "Maximize\n obj: VALUES + 1000\nSubject To\nBODY BINARIES End\n", true),
    (
        "quadratic_row.lp",
        "Maximize\n obj: VALUES + y\nSubject To\nBODY q: [ y ^2 + 2 y * z + z ^2 ] + 3 b0 <= 9\n r: y - 2 b1 - z <= 1\nBounds\n y <= 10\n z <= 10\nBINARIES End\n",
        true,
    ),
    (
        "quadratic_objective.lp",
        "Minimize\n obj: - 9 b0 - 8 b1 - 12 b2 - 7 b3 + [ 2 b0 * b1 + 8 b1 * b2 + 4 y ^2 ] / 2\nSubject To\nBODY r: y + b0 + b3 >= 1.5\nBINARIES End\n",
        true,
    ),
    (
        "products.opb",
        "* #variable= 6 #constraint= 3\nmin: -3 x1 x2 -2 x3 -4 x4 x5 x6 +1 x1 +1 x5 ;\n+1 x1 +1 x2 +1 x3 +1 x4 <= 3 ;\n+2 x1 x3 +1 x4 x5 >= 1 ;\n+1 x2 +1 ~x5 +1 x6 >= 1 ;\n",
        true,
    ),
    (
        "indicator.lp",
        "Maximize\n obj: VALUES + y\nSubject To\nBODY i1: b0 = 1 -> y + z <= 3\n i2: b1 = 0 -> y - z <= 2\n i3: b7 = 1 -> y <= 1\nBounds\n y <= 8\n z <= 5\nBINARIES End\n",
        true,
    ),
    (
        "sos.lp",
        "Maximize\n obj: VALUES + 3 x + 4 y + 5 z\nSubject To\nBODY l: x + y + z + 2 b0 <= 7\nBounds\n x <= 4\n y <= 4\n z <= 4\nBINARIES SOS\n s1: S1:: x:1 y:2 z:3\n s2: S2:: b0:1 b2:2 b4:3 b7:4\nEnd\n",
        true,
    ),
    (
        "semicontinuous.lp",
        "Minimize\n obj: - 9 b0 - 8 b1 - 12 b2 + x\nSubject To\nBODY s: x + b0 + b1 >= 1\n t: x - 4 b2 >= -1\nBounds\n 2 <= x <= 6\nBINARIES Semi-continuous\n x\nEnd\n",
        true,
    ),
    (
        "logic.cip",
        "STATISTICS\n  Problem name : logic\nOBJECTIVE\n  Sense : maximize\nVARIABLES\n  [binary] <a>: obj=3, original bounds=[0,1]\n  [binary] <b>: obj=2, original bounds=[0,1]\n  [binary] <c>: obj=4, original bounds=[0,1]\n  [binary] <d>: obj=1, original bounds=[0,1]\n  [integer] <n>: obj=-1, original bounds=[0,5]\nCONSTRAINTS\n  [setppc] <p>: +<a>[B] +<b>[B] +<c>[B] <= 1;\n  [logicor] <l>: logicor(<a>[B],<~d>[B]);\n  [xor] <x>: xor(<a>[B],<b>[B],<d>[B]) = 1;\n  [bounddisjunction] <j>: bounddisjunction(<n>[I] >= 2, <c>[B] <= 0);\nEND\n",
        true,
    ),
    (
        "infeasible.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY i: b0 + b1 + b2 + b3 >= 4\nBINARIES End\n",
        false,
    ),
    (
        "infeasible_whole_numbers.lp",
        "Maximize\n obj: VALUES\nSubject To\nBODY i: 2 b0 + 2 b1 + 2 b2 + 2 b3 + 2 b4 = 3\nBINARIES End\n",
        true,
    ),
    (
        "unbounded.lp",
        "Maximize\n obj: VALUES + y\nSubject To\nBODY u: y - z <= 3\nBounds\n y free\n z free\nBINARIES End\n",
        true,
    ),
    (
        "unbounded_whole_numbers.lp",
        "Maximize\n obj: VALUES + n - m\nSubject To\nBODY u: n - 2 m + b0 <= 3\nBINARIES Generals\n n m\nEnd\n",
        true,
    ),
];

/// Writes the file of a shape.
fn write(scratch: &Scratch, (name, text, _): Shape) -> PathBuf {
    let text = text.replace("BODY", BODY).replace("VALUES", VALUES).replace("BINARIES", BINARIES);
    // Statements of an LP file may share a line, but its sections want lines of their own.
    let text = ["Bounds", "Generals", "SOS", "Semi-", "End\n"]
        .iter()
        .fold(text, |text, section| text.replace(&format!(" {section}"), &format!("\n{section}")));
    scratch.write(name, text)
}

/// A problem that is solved at once whatever is switched off.
pub fn tiny(scratch: &Scratch) -> PathBuf {
    let knapsack = SHAPES.iter().find(|shape| shape.0 == "knapsack.lp").expect("it is in the table");
    write(scratch, *knapsack)
}

fn solve(scratch: &Scratch, shape: Shape, settings: &str) -> Answer {
    let case = Case::file(&write(scratch, shape)).set(settings);
    assert_harmless(&format!("{} with {settings}", shape.0), &case)
}

/// Their linear part has no optimum, so the relaxation predictor has nothing to say, and says so.
const WITHOUT_RELAXATION: &[&str] = &["quadratic_objective.lp", "unbounded.lp", "unbounded_whole_numbers.lp"];

fn check(shape: Shape, apollo: &Answer) {
    let most = WITHOUT_RELAXATION.contains(&shape.0) as usize;
    assert!(apollo.complaints().len() <= most, "{}\n{}", shape.0, apollo.log);
    assert!(!apollo.log.contains("Cannot return"), "SCIP was asked what it does not know\n{}", apollo.log);
}

/// Original variables of a model, in SCIP's order.
fn variables<T>(model: &Model<T>) -> Vec<*mut ffi::SCIP_VAR> {
    let scip = model.scip_ptr();
    // SAFETY: a live SCIP with a problem; its array has as many entries as it says.
    unsafe { std::slice::from_raw_parts(ffi::SCIPgetOrigVars(scip), ffi::SCIPgetNOrigVars(scip) as usize) }
        .to_vec()
}

/// PySCIPOpt's addConsSOS1(vars) makes sets like this one, whose weights are nowhere.
#[test]
fn a_set_without_weights_does_no_harm() {
    let add = |model: &mut Model<ProblemCreated>| {
        let (scip, mut vars, mut cons) = (model.scip_ptr(), variables(model), std::ptr::null_mut());
        let (vars, none) = (vars.as_mut_ptr(), std::ptr::null_mut());
        // SAFETY: a live SCIP with a problem of more than three variables; valid places.
        let code = unsafe { ffi::SCIPcreateConsBasicSOS1(scip, &mut cons, c"sos".as_ptr(), 3, vars, none) };
        assert_eq!(code, ffi::SCIP_Retcode_SCIP_OKAY);
        // SAFETY: the constraint was just made in this SCIP.
        unsafe { ffi::SCIPaddCons(scip, cons) };
        // SAFETY: our own reference, given back.
        unsafe { ffi::SCIPreleaseCons(scip, &mut cons) };
    };
    let case = Case::data("setcover.lp");
    let apollo = case.apollo_after(add);
    assert_same("a set without weights", &case.solve(None, add), &apollo);
    assert_eq!((apollo.runs(), apollo.complaints()), (1, vec![]), "{}", apollo.log);
}

/// Demands the dearest column as soon as there is any solution.
struct Demanding(bool);

impl Eventhdlr for Demanding {
    fn get_type(&self) -> EventMask {
        EventMask::BEST_SOL_FOUND
    }

    fn execute(&mut self, model: Model<Solving>, _handler: SCIPEventhdlr, _event: Event) {
        if std::mem::replace(&mut self.0, true) {
            return;
        }
        let (scip, mut cons, mut one) = (model.scip_ptr(), std::ptr::null_mut(), 1.0);
        let mut var = std::ptr::null_mut();
        // SAFETY: a live SCIP that is solving, and an original variable of it; valid places, here and below.
        unsafe { ffi::SCIPgetTransformedVar(scip, dearest(&variables(&model)), &mut var) };
        let name = c"demanded".as_ptr();
        // SAFETY: see above.
        unsafe { ffi::SCIPcreateConsBasicLinear(scip, &mut cons, name, 1, &mut var, &mut one, 1.0, 1e20) };
        // SAFETY: the constraint was just made in this SCIP.
        unsafe { ffi::SCIPaddCons(scip, cons) };
        // SAFETY: our own reference, given back.
        unsafe { ffi::SCIPreleaseCons(scip, &mut cons) };
    }
}

fn dearest(vars: &[*mut ffi::SCIP_VAR]) -> *mut ffi::SCIP_VAR {
    // SAFETY: original variables of a live SCIP.
    let cost = |var: &&*mut ffi::SCIP_VAR| unsafe { ffi::SCIPvarGetObj(**var) };
    *vars.iter().max_by(|a, b| cost(a).total_cmp(&cost(b))).expect("there are variables")
}

/// What the user adds during the solve holds for everything that is found from then on.
#[test]
fn constraints_that_come_later_are_respected() {
    let (place, scratch) = (Rc::new(Cell::new(0)), Scratch::new());
    // Large enough for several solutions before presolve.
    let file = scratch.write("large.lp", support::set_cover(600, 400));
    let case = Case::file(&file).set(AS_WRITTEN).set("heuristics/apollo/local = 1\nlimits/nodes = 20");
    let seen = place.clone();
    let apollo = case.apollo_after(move |model| {
        let mut vars = variables(model);
        let dearest = dearest(&vars);
        // Incumbents have their values in the order of the file.
        // SAFETY: variables of a live SCIP.
        vars.sort_by_key(|&var| unsafe { ffi::SCIPvarGetIndex(var) });
        seen.set(vars.iter().position(|&var| var == dearest).expect("it is one of them"));
        model.include_eventhdlr("demanding", "adds a constraint", Box::new(Demanding(false)));
    });
    assert_eq!(apollo.runs(), 1, "{}", apollo.log);
    assert!(apollo.incumbents.len() > 1, "{}", apollo.log);
    for incumbent in &apollo.incumbents[1..] {
        assert!(incumbent.values[place.get()] > 0.5, "by Apollo: {}\n{}", incumbent.apollo, apollo.log);
    }
}

/// Without presolve, with it, and after the root LP.
#[test]
fn every_shape_ends_as_without_apollo() {
    let scratch = Scratch::new();
    for &shape in SHAPES {
        let apollo = solve(&scratch, shape, AS_WRITTEN);
        check(shape, &apollo);
        assert_eq!(apollo.runs(), shape.2 as usize, "{}\n{}", shape.0, apollo.log);
        for settings in ["", "presolving/maxrounds = 0\nheuristics/apollo/timing = \"after\""] {
            // SCIP 10.0.2 itself crashes while it looks for symmetries of pseudo-Boolean rows.
            check(shape, &solve(&scratch, shape, &format!("misc/usesymmetry = 0\n{settings}")));
        }
    }
}

/// The larger ones of the tests' own that have no optimum, with strategies that fix and that do not.
#[test]
fn infeasible_and_unbounded_stay_so() {
    for file in ["pigeons.lp", "parity.lp", "unbounded.lp"] {
        for strategy in ["apollo", "nd", "ws-apollo"] {
            let case = Case::data(file).set(&format!("heuristics/apollo/strategy = \"{strategy}\""));
            for settings in ["", AS_WRITTEN] {
                let apollo = assert_harmless(file, &case.clone().set(settings));
                check((file, "", true), &apollo);
            }
        }
    }
}
