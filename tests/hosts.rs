//! The built plugin in real hosts: SCIP's shell, C programs, PySCIPOpt, Rust programs.
//!
//! Every host solves tests/data/host_knapsack.mps (60 binaries, optimum 1412: tests/hosts/built.py is
//! its recipe), which SCIP does not finish before Apollo's turn. The sources of the hosts are in
//! tests/hosts/.

use crate::support::{apollo, data, plugin, root, run};
use apollo_scip::schedule::Amount;
use apollo_scip::settings::{Domain, PREFIX, Settings, Value};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Apollo runs whatever the size, and the same on every machine: no clock is asked.
const SHORT: &str = "heuristics/apollo/minbinaries = 1\nheuristics/apollo/budget/nodes = 50\n";

fn source(name: &str) -> PathBuf {
    root().join("tests/hosts").join(name)
}

/// A place for what a test writes.
fn temporary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hosts");
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be made");
    folder.join(name)
}

/// A settings file of one test's own.
fn settings(name: &str, lines: &str) -> PathBuf {
    let file = temporary(name).with_extension("set");
    std::fs::write(&file, lines).expect("a temporary file can be written");
    file
}

/// The Python with pyscipopt: `APOLLO_PYTHON`, or the one that tools/fetch.py makes.
fn python() -> Command {
    let fetched = root().join(".deps/python/bin/python");
    let python = std::env::var_os("APOLLO_PYTHON").map_or(fetched, PathBuf::from);
    assert!(
        python.exists(),
        "no Python with pyscipopt at {}: run `make test`, or `tools/fetch.py --python`",
        python.display()
    );
    Command::new(python)
}

/// A script that can `import apollo_scip`.
fn script(name: &str) -> Command {
    let mut python = python();
    python.arg(source(name));
    python.env("PYTHONPATH", root().join("plugin/python")).env("APOLLO_PLUGIN", plugin());
    python
}

fn preloaded(mut command: Command) -> Command {
    command.env("LD_PRELOAD", plugin());
    command
}

fn compile(arguments: &[&str], program: &str) -> PathBuf {
    let program = temporary(program);
    let (compiled, said) =
        run(Command::new("cc").args(["-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).args(arguments));
    assert!(compiled, "cc: {said}");
    program
}

/// The SCIP that the programs are linked with, as build.rs finds it.
fn scip_folder() -> PathBuf {
    let own = std::env::var_os("SCIPOPTDIR").filter(|folder| !folder.is_empty());
    own.map_or(root().join(".deps/scip"), |folder| root().join(folder))
}

/// Links with a library's folder and finds it there at run time too.
fn link(folder: &Path) -> [String; 2] {
    [format!("-L{}", folder.display()), format!("-Wl,-rpath,{}", folder.display())]
}

/// A SCIP shell without a trace of Apollo.
fn stock_shell() -> Command {
    static SHELL: OnceLock<PathBuf> = OnceLock::new();
    let shell = SHELL.get_or_init(|| {
        let [search, find] = link(&scip_folder().join("lib"));
        compile(&[source("shell.c").to_str().unwrap(), &search, &find, "-lscip"], "shell")
    });
    Command::new(shell)
}

fn solve(mut shell: Command, settings: &Path, problem: &Path) -> String {
    let (succeeded, said) = run(shell.arg("-s").arg(settings).arg("-f").arg(problem));
    assert!(succeeded, "{said}");
    said
}

/// The numbers behind a heuristic's row in SCIP's statistics: seconds, set-up, calls, found, best.
fn rows(said: &str, heuristic: &str) -> Vec<Vec<f64>> {
    let rows =
        said.lines().filter_map(|line| line.split_once(':').filter(|(name, _)| name.trim() == heuristic));
    let numbers =
        rows.filter_map(|(_, rest)| rest.split_whitespace().map(|word| word.parse().ok()).collect());
    numbers.filter(|row: &Vec<f64>| row.len() == 5).collect()
}

/// Apollo was there once, ran, and the optimum is right.
#[track_caller]
fn solved_with_apollo(said: &str) {
    assert!(said.contains("apollo: round 1/4"), "Apollo did not run:\n{said}");
    let rows = rows(said, "apollo");
    assert!(
        matches!(&rows[..], [row] if row[2] >= 1.0),
        "no row with a call in the statistics: {rows:?}\n{said}"
    );
    let optimum =
        said.contains("objective 1412\n") || said.contains("Primal Bound       : +1.41200000000000e+03");
    assert!(optimum, "the optimum is not 1412:\n{said}");
    assert!(!said.contains("ERROR") && !said.contains("WARNING"), "{said}");
}

// ---------------------------------------------------------------------- SCIP's shell

#[test]
fn shell_with_a_settings_file() {
    let balanced = std::fs::read_to_string(root().join("scip_settings/apollo.set")).unwrap();
    let settings = settings("balanced", &(balanced + SHORT));
    solved_with_apollo(&solve(apollo_scip_shell(), &settings, &data("host_knapsack.mps")));
}

fn apollo_scip_shell() -> Command {
    let mut shell = apollo();
    shell.arg("scip");
    shell
}

/// What the shell prints when somebody types `lines`.
fn typed(lines: &[String]) -> String {
    let mut shell = apollo_scip_shell();
    let mut shell =
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let text = lines.join("\n") + "\n";
    shell.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn shell_with_typed_commands() {
    let load = format!("set load {}", settings("typed", SHORT).display());
    let read = format!("read {}", data("host_knapsack.mps").display());
    solved_with_apollo(&typed(&[load, read, "optimize".into(), "display statistics".into(), "quit".into()]));
}

#[test]
fn shell_lists_the_parameters() {
    let menu = typed(&["set heuristics apollo".into(), "help".into(), "quit".into()]);
    for name in ["rounds", "predictor", "k0", "radius", "<budget>"] {
        assert!(
            menu.lines().any(|line| line.trim_start().starts_with(name)),
            "{name} is not in the menu:\n{menu}"
        );
    }
}

#[test]
fn stock_shell_with_the_plugin_preloaded() {
    let without = solve(stock_shell(), &settings("without", ""), &data("host_knapsack.mps"));
    assert!(!without.contains("apollo"), "this shell is not a stock one: {without}");
    let settings = settings("stock", SHORT);
    solved_with_apollo(&solve(preloaded(stock_shell()), &settings, &data("host_knapsack.mps")));
}

#[test]
fn verbosity_0_silences_apollo() {
    let settings = settings("silent", &format!("{SHORT}display/verblevel = 0\n"));
    for shell in [apollo_scip_shell(), preloaded(stock_shell())] {
        let said = solve(shell, &settings, &data("host_knapsack.mps"));
        assert_eq!(rows(&said, "apollo").len(), 1, "{said}");
        assert!(!said.lines().any(|line| line.starts_with("apollo")), "{said}");
    }
}

// ---------------------------------------------------------------------- Python

#[test]
fn python_unmodified_with_the_plugin_preloaded() {
    let mut plain = preloaded(python());
    plain.arg(source("plain.py")).arg(data("host_knapsack.mps")).arg(settings("plain", SHORT));
    let (succeeded, said) = run(&mut plain);
    assert!(succeeded, "{said}");
    solved_with_apollo(&said);
}

/// Also: one libscip in the process.
#[test]
fn python_with_include() {
    let settings = settings("included", SHORT);
    for host in [script("included.py"), preloaded(script("included.py"))] {
        let mut host = host;
        let (succeeded, said) = run(host.arg(data("host_knapsack.mps")).arg(&settings));
        assert!(succeeded, "{said}");
        solved_with_apollo(&said);
        assert!(said.contains("libscip mapped: 1\n"), "{said}");
    }
}

#[test]
fn python_with_a_model_built_in_python() {
    let (succeeded, said) = run(script("built.py").arg(settings("built", SHORT)));
    assert!(succeeded, "{said}");
    solved_with_apollo(&said);
}

#[test]
fn python_errors_are_sentences() {
    let (succeeded, said) = run(&mut script("errors.py"));
    assert!(succeeded, "{said}");
    for line in [
        "missing: FileNotFoundError APOLLO_PLUGIN names /nowhere/libheur_apollo.so",
        "unloadable: OSError the plugin ",
        "number: TypeError include() takes a pyscipopt.Model, not int",
        "solved: RuntimeError too late to include Apollo",
        "freed: included",
        "twice: included",
    ] {
        assert!(said.lines().any(|said| said.starts_with(line)), "'{line}' is missing:\n{said}");
    }
}

/// The tree that `make install` makes: PREFIX/lib and PREFIX/share/apollo/python.
#[test]
fn python_finds_an_installed_plugin() {
    let prefix = temporary("prefix");
    let module = prefix.join("share/apollo/python/apollo_scip");
    std::fs::create_dir_all(&module).unwrap();
    std::fs::create_dir_all(prefix.join("lib")).unwrap();
    std::fs::copy(root().join("plugin/python/apollo_scip/__init__.py"), module.join("__init__.py")).unwrap();
    std::fs::copy(plugin(), prefix.join("lib/libheur_apollo.so")).unwrap();
    let code = "import apollo_scip, pyscipopt; apollo_scip.include(pyscipopt.Model()); print(apollo_scip.plugin_path())";
    let mut host = python();
    host.args(["-c", code]).env("PYTHONPATH", prefix.join("share/apollo/python")).env_remove("APOLLO_PLUGIN");
    let (succeeded, said) = run(&mut host);
    assert!(succeeded && said.trim().ends_with("hosts/prefix/lib/libheur_apollo.so"), "{said}");
}

/// `pip install plugin/python`, after `make build` has put the plugin into it: nothing else is needed.
#[test]
fn python_takes_the_plugin_along_when_it_is_installed() {
    let (sources, installed) = (temporary("package"), temporary("site"));
    std::fs::create_dir_all(sources.join("apollo_scip")).unwrap();
    for file in ["pyproject.toml", "apollo_scip/__init__.py"] {
        std::fs::copy(root().join("plugin/python").join(file), sources.join(file)).unwrap();
    }
    std::fs::copy(plugin(), sources.join("apollo_scip/libheur_apollo.so")).unwrap();
    let mut pip = python();
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-deps", "--target"]);
    let (succeeded, said) = run(pip.arg(&installed).arg(&sources));
    if !succeeded && (said.contains("No matching distribution") || said.contains("onnection")) {
        return println!("skipped: pip has no network to fetch what builds a package");
    }
    assert!(succeeded, "{said}");
    let mut host = python();
    host.arg(source("included.py")).env("PYTHONPATH", &installed).env_remove("APOLLO_PLUGIN");
    let (succeeded, said) = run(host.arg(data("host_knapsack.mps")).arg(settings("installed", SHORT)));
    assert!(succeeded, "{said}");
    solved_with_apollo(&said);
}

// ---------------------------------------------------------------------- C

#[test]
fn c_program_with_the_header() {
    let scip = scip_folder();
    let true_headers = scip.join("include");
    let headers = if true_headers.join("scip/scip.h").exists() { true_headers } else { source("include") };
    let [search_scip, find_scip] = link(&scip.join("lib"));
    let [search_plugin, find_plugin] = link(plugin().parent().unwrap());
    let program = compile(
        &[
            source("program.c").to_str().unwrap(),
            &format!("-I{}", headers.display()),
            &format!("-I{}", root().join("plugin/include").display()),
            &search_plugin,
            &search_scip,
            &find_plugin,
            &find_scip,
            "-lheur_apollo",
            "-lscip",
        ],
        "program",
    );
    let (succeeded, said) =
        run(Command::new(program).arg(data("host_knapsack.mps")).arg(settings("program", SHORT)));
    assert!(succeeded, "{said}");
    solved_with_apollo(&said);
}

#[test]
fn scip_of_another_version_is_refused_once_and_the_host_goes_on() {
    let library = compile(&[source("old_scip.c").to_str().unwrap(), "-shared", "-fPIC"], "libscip-fake.so");
    let [search, find] = link(library.parent().unwrap());
    let host =
        compile(&[source("old_host.c").to_str().unwrap(), &search, &find, "-l:libscip-fake.so"], "old_host");
    let (succeeded, said) = run(&mut preloaded(Command::new(host)));
    assert!(succeeded && said.contains("the host goes on\n"), "{said}");
    assert_eq!(
        said.matches("default plugins of the old SCIP\n").count(),
        2,
        "the hook calls SCIP's own: {said}"
    );
    assert!(said.contains("by hand: 1\n"), "{said}");
    let sentences: Vec<_> = said.lines().filter(|line| line.starts_with("apollo: ")).collect();
    assert!(sentences.first().is_some_and(|line| line.contains("SCIP 10") && line.contains("9.2")), "{said}");
    assert_eq!(sentences.len(), 1, "a host asks again for every sub-SCIP, and once is enough: {sentences:?}");
}

#[test]
fn process_without_scip() {
    let host = compile(&[source("no_scip.c").to_str().unwrap()], "no_scip");
    let (succeeded, said) = run(Command::new(host).arg(plugin()));
    assert!(succeeded && said.contains("returned 1\n"), "{said}");
    assert_eq!(said.matches("apollo: no SCIP library is loaded").count(), 1, "{said}");
    let (succeeded, said) = run(&mut preloaded(Command::new("true")));
    assert!(succeeded && said.is_empty(), "{said}");
}

#[test]
fn plugin_takes_scip_from_its_host() {
    let Ok(output) = Command::new("readelf").arg("-d").arg(plugin()).output() else {
        return eprintln!("skipped: no readelf on this machine");
    };
    let dynamic = String::from_utf8_lossy(&output.stdout);
    assert!(dynamic.contains("NEEDED"), "{dynamic}");
    assert!(!dynamic.lines().any(|line| line.contains("NEEDED") && line.contains("libscip")), "{dynamic}");
    let now = |line: &str| line.contains("BIND_NOW") || (line.contains("FLAGS_1") && line.contains("NOW"));
    assert!(!dynamic.lines().any(now), "symbols are bound too early: {dynamic}");
}

// ---------------------------------------------------------------------- Rust

/// `cargo test` builds the examples, unless only some tests are asked for (`--test main`).
fn example(name: &str) -> Command {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().and_then(Path::parent).unwrap().join("examples").join(name);
    assert!(program.exists(), "{} is not there: run `cargo build --examples` (--release)", program.display());
    Command::new(program)
}

#[test]
fn rust_program_with_russcip() {
    let (succeeded, said) = run(example("russcip").arg(data("host_knapsack.mps")));
    assert!(succeeded && said.contains("apollo: round 1/4"), "{said}");
    assert!(said.contains("status Optimal, objective 1412\n"), "{said}");
    assert!(said.contains("times with the relaxation predictor\n"), "{said}");
}

#[test]
fn rust_program_with_its_own_predictor() {
    let (succeeded, said) = run(example("own_predictor").arg(data("host_knapsack.mps")));
    assert!(succeeded && said.contains("predictor greedy") && said.contains("apollo: round 1/4"), "{said}");
    assert!(said.contains("status Optimal, objective 1412\n"), "{said}");
}

// ---------------------------------------------------------------------- settings files

/// `name = value` of every line, texts without their quotes.
fn values(file: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_string(), value.trim().trim_matches('"').to_string())).collect()
}

/// Every file is taken by SCIP without a word, and its values are SCIP's values then.
#[test]
fn settings_files_arrive_in_scip() {
    let files = std::fs::read_dir(root().join("scip_settings")).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|file| file.extension().is_some_and(|end| end == "set")).collect();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        assert!(
            std::fs::read_to_string(&file).unwrap().starts_with("# "),
            "{} says whom it is for",
            file.display()
        );
        let saved = temporary(&format!("saved-{}", file.file_name().unwrap().display()));
        let save = format!("set save {} quit", saved.display());
        let (succeeded, said) = run(apollo_scip_shell().arg("-s").arg(&file).arg("-c").arg(save));
        assert!(succeeded, "{said}");
        for word in ["unknown", "ERROR", "error", "WARNING", "syntax"] {
            assert!(!said.contains(word), "{}: {said}", file.display());
        }
        let (ours, scips) = (values(&file), values(&saved));
        assert!(!ours.is_empty());
        for (name, value) in ours {
            let arrived = &scips[&name];
            let same = match (value.parse::<f64>(), arrived.parse::<f64>()) {
                (Ok(ours), Ok(scips)) => ours == scips,
                _ => value == *arrived,
            };
            assert!(same, "{}: {name} is {arrived} and not {value}", file.display());
        }
    }
}

/// What Apollo makes of a settings file.
fn understood(name: &str) -> Settings {
    let values = values(&root().join("scip_settings").join(name));
    let read = |parameter: &'static apollo_scip::settings::Parameter| match values
        .get(&format!("{PREFIX}{}", parameter.name))
    {
        None => parameter.default(),
        Some(text) => match parameter.domain {
            Domain::Bool(_) => Value::Bool(text == "TRUE"),
            Domain::Real(..) => Value::Real(text.parse().unwrap()),
            Domain::Int(..) => Value::Int(text.parse().unwrap()),
            Domain::Text(_) | Domain::Word(_) => Value::Text(text.clone()),
        },
    };
    Settings::read(read).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The table of the paper's appendix: (k0, k1, radius) for each round.
#[test]
fn schedules_of_the_paper() {
    for (name, table) in [
        ("apollo-ca.set", [(400, 0, 60), (200, 0, 30), (100, 0, 15), (50, 0, 10)]),
        ("apollo-sc.set", [(1000, 0, 200), (500, 0, 100), (250, 0, 50), (10, 0, 5)]),
        ("apollo-ip.set", [(100, 20, 50), (40, 15, 20), (20, 15, 10), (5, 50, 30)]),
        ("apollo-wa.set", [(20, 200, 100), (10, 100, 50), (10, 5, 5), (1, 10, 5)]),
    ] {
        let rounds = understood(name).plan.rounds;
        let counts = rounds.iter().map(|round| (round.k0, round.k1, round.radius));
        let table =
            table.map(|(k0, k1, radius)| (Amount::Count(k0), Amount::Count(k1), Amount::Count(radius)));
        assert!(counts.eq(table), "{name}: {rounds:?}");
    }
    assert_eq!(understood("apollo.set").plan.rounds, Settings::default().plan.rounds);
    assert_eq!(understood("apollo.set").budget_share, 0.3);
    assert_eq!(understood("apollo-primal.set").budget_share, 1.0);
    assert_eq!(understood("apollo-fast.set").plan.rounds.len(), 2);
}

/// The example is taken, and such a file really reaches the searches: one that lets them talk does.
#[test]
fn settings_file_of_the_searches() {
    let with = |name: &str, file: &Path| {
        let lines = format!("{SHORT}heuristics/apollo/subscip = \"{}\"\n", file.display());
        solve(apollo_scip_shell(), &settings(name, &lines), &data("host_knapsack.mps"))
    };
    let quiet = with("searches", &root().join("scip_settings/sub_scip.set"));
    solved_with_apollo(&quiet);
    assert!(!quiet.contains("apollo: setting"), "{quiet}");
    let loud = with("talking", &settings("talking-searches", "display/verblevel = 4\n"));
    let presolves = |said: &str| said.matches("presolving:").count();
    assert!(presolves(&loud) > presolves(&quiet), "{loud}");
}

// ---------------------------------------------------------------------- limits and interrupts

/// A problem that keeps SCIP busy for longer than any test.
fn hard() -> PathBuf {
    // Not through `support`, which says that a test skips where this folder is missing: none does.
    let shared = root().join("../shared/instances/ip/item_placement_0.mps.gz");
    if shared.exists() {
        return shared;
    }
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let file = temporary("hard.mps");
        let (succeeded, said) = run(script("built.py").arg("--write").arg(&file).args(["250", "30"]));
        assert!(succeeded, "{said}");
        file
    };
    WRITTEN.get_or_init(write).clone()
}

/// The number behind the first `label` of the output.
#[track_caller]
fn number(said: &str, label: &str) -> f64 {
    let at = said.find(label).unwrap_or_else(|| panic!("no '{label}' in:\n{said}"));
    let word = said[at + label.len()..].split_whitespace().next().unwrap_or_default();
    word.parse().unwrap_or_else(|_| panic!("'{label} {word}' is no number"))
}

const LIMIT: f64 = 5.0;

fn up_to_the_limit(name: &str) -> PathBuf {
    settings(
        name,
        &format!(
            "limits/time = {LIMIT}\nheuristics/apollo/budget/share = 1\nheuristics/apollo/budget/effort = 1e20\n"
        ),
    )
}

#[test]
fn time_limit_in_shells() {
    for (name, shell) in [("limit", apollo_scip_shell()), ("stock-limit", preloaded(stock_shell()))] {
        let began = Instant::now();
        let said = solve(shell, &up_to_the_limit(name), &hard());
        let wall = began.elapsed().as_secs_f64();
        assert!(said.contains("apollo: round 1/4") && said.contains("[time limit reached]"), "{said}");
        let seconds = number(&said, "Solving Time (sec) :");
        println!("{name}: SCIP says {seconds} s, the whole process took {wall:.2} s");
        assert!(seconds <= LIMIT + 1.0, "{said}");
        assert!(wall <= LIMIT + 2.0, "{wall} s, with start, reading and statistics:\n{said}");
    }
}

#[test]
fn time_limit_in_python() {
    let mut host = preloaded(python());
    let (succeeded, said) =
        run(host.arg(source("plain.py")).arg(hard()).arg(up_to_the_limit("python-limit")));
    assert!(succeeded && said.contains("apollo: round 1/4") && said.contains("status timelimit\n"), "{said}");
    let (seconds, wall) = (number(&said, "\nseconds "), number(&said, " wall "));
    println!("python-limit: SCIP says {seconds} s, by the wall clock {wall} s");
    assert!(seconds <= LIMIT + 1.0 && wall <= LIMIT + 1.0, "{said}");
}

/// Presses Ctrl-C while Apollo searches; returns what was printed.
fn interrupted(mut host: Command) -> String {
    let mut host = host.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().expect("the program starts");
    let mut output = BufReader::new(host.stdout.take().unwrap());
    let mut said = String::new();
    let mut from = 0;
    while !said[from..].starts_with("apollo: ") {
        from = said.len();
        assert!(output.read_line(&mut said).unwrap() > 0, "Apollo did not run:\n{said}");
    }
    std::thread::sleep(Duration::from_millis(1500));
    assert!(host.try_wait().unwrap().is_none(), "it ended by itself");
    let pressed = Instant::now();
    assert!(Command::new("kill").args(["-INT", &host.id().to_string()]).status().unwrap().success());
    output.read_to_string(&mut said).unwrap();
    let status = host.wait().unwrap();
    let seconds = pressed.elapsed().as_secs_f64();
    println!("ended {seconds:.2} s after Ctrl-C");
    assert!(seconds <= 2.0, "{seconds} s:\n{said}");
    assert!(status.success(), "plain SCIP leaves with 0 too, not {status}:\n{said}");
    said
}

const LONG: &str =
    "limits/time = 60\nheuristics/apollo/budget/share = 1\nheuristics/apollo/budget/effort = 1e20\n";

#[test]
fn ctrl_c_in_the_shell() {
    let mut shell = apollo_scip_shell();
    shell.arg("-s").arg(settings("interrupt", LONG));
    shell.arg("-c").arg(format!("read {} optimize display solution quit", hard().display()));
    let said = interrupted(shell);
    assert!(said.contains("[user interrupt]"), "{said}");
    let kept = number(&said, "objective value:");
    assert_eq!(kept, number(&said, "Primal Bound       :"), "the best solution is kept: {said}");
}

#[test]
fn ctrl_c_in_python() {
    let mut host = preloaded(python());
    host.arg(source("plain.py")).arg(hard()).arg(settings("python-interrupt", LONG));
    let said = interrupted(host);
    assert!(said.contains("status userinterrupt\n") && said.contains("\nobjective "), "{said}");
}
